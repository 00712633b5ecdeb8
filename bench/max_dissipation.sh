# Drumwright and Shell (2010): solvers on the problems of their models, their experiments, and what came of their
# claims (docs/max-dissipation.md). Sourced by bench/run, whose functions it uses.

at 1e-10 2 joint-friction --solvers gradient-projection,newton-min,interior-point,lemke,auto
# The pyramid's problems against the convex programs; lemke also as in textbooks (docs/lemke.md).
limit=5 steps="max-dissipation --quick"
[ -z "$long" ] || limit=60 steps=bench/max_dissipation_long.json
at 1e-8 $limit $steps --repeat 1 --solvers lemke,newton-fb,auto,interior-point,gradient-projection
at 1e-8 $limit $steps --repeat 1 --solvers lemke --label textbook --set ties=largest-pivot \
  --set tie_tolerance=1e-5 --set pivot_tolerance=1e-8 --set max_iterations=1000 --set recoveries=0 \
  --set regularise=never --set equilibrate=false --set certify=false

python3 - <<'END' | figure ramp-along
import json, math
a = 9.81 * (math.sin(math.pi / 6) - 0.3 * math.cos(math.pi / 6))  # down the slope, of the scene
print(json.dumps({
    "title": "Models of friction: a box slides down a ramp (P4-A)", "draw": ["distance", "kinetic", "path", "time"],
    "caption": "From rest, along an edge of the pyramid. The closed form is x = a t^2/2; backward Euler is a h t/2 ahead of it. The "
               "pyramid (stewart-trinkle) and the exact cone (coulomb-implicit) agree; the convex relaxation (anitescu-tasora) "
               "lifts the box to h mu |v| above the ramp; max-dissipation-step is convex too, and does not.",
    "reference": {"label": "closed form", "path": [[t / 100, a * t * t / 2e4, 0, 0.5] for t in range(41)]}}))
END
python3 - <<'END' | figure ramp-across
import json, math
g, mu, n = 9.81, 0.3, 100000  # the motion of the block itself, by a step of 4e-6 s
x, v, h, path = [0.0, 0.0], [1.0, 1.0], 0.4 / 100000, [[0, 0, 0, 0.5]]
for k in range(1, n + 1):
    s = math.hypot(*v)
    v = [v[0] + h * g * (0.5 - mu * math.sqrt(0.75) * v[0] / s), v[1] - h * g * mu * math.sqrt(0.75) * v[1] / s]
    x = [x[0] + h * v[0], x[1] + h * v[1]]
    if k % 1000 == 0:
        path.append([k * h, *x, 0.5])
print(json.dumps({
    "title": "Models of friction: a box slides across a ramp (P4-A)", "view": "top", "draw": ["path", "distance", "kinetic", "time"],
    "caption": "With 1 m/s down the slope and 1 m/s across it at the beginning. A pyramid of four edges puts all friction on the edge "
               "along the slope, so that the box keeps its 1 m/s across; with more edges it approaches the exact cone.",
    "reference": {"label": "exact friction", "path": path}}))
END
for formulation in stewart-trinkle stewart-trinkle:edges=16 coulomb-implicit anitescu-tasora max-dissipation-step; do
  name="${formulation/:edges=/-}"
  simulate "ramp-along/$name" box-on-ramp --formulation "$formulation"
  simulate "ramp-across/$name" box-on-ramp --param vx=1 --param vy=1 --formulation "$formulation"
done
figure joint-friction <<'END'
{"title": "Friction in the joints of an arm (P4-D)", "joint": {"row": 2, "label": "bicep"}, "draw": ["joint", "kinetic"],
 "caption": "An arm of eight joints with Coulomb friction of 5 N m, more than gravity loads any of them with: it should rest. The impulses of friction that take away most energy hold it with h = 0.01 s; friction torques of the beginning of each step, as Drumwright and Shell (2010) compare with, make it chatter in proportion to h."}
END
figure joint-friction-viscous <<'END'
{"title": "Coulomb and viscous friction in the joints of an arm (P4-D)", "joint": {"row": 3, "label": "elbow"},
 "draw": ["joint", "kinetic"],
 "caption": "The same arm with 0.25 N m of Coulomb and 0.1 N m s of viscous friction, so that it moves: both methods have the same limit as h shrinks."}
END
# arm GROUP METHOD STEP DURATION [PARAMETER]...
arm() {
  simulate "$1/$2-$3" arm-friction --formulation "joint-friction:method=$2" --step "$3" --duration "$4" "${@:5}"
}
arm joint-friction qp 0.01 0.6
for step in 0.001 0.0001 0.00001; do
  arm joint-friction explicit $step 0.1
done
for run in qp:0.01 qp:0.0001 explicit:0.001 explicit:0.0003 explicit:0.0001; do
  arm joint-friction-viscous "${run%:*}" "${run#*:}" 0.6 --param coulomb=0.25 --param viscous=0.1
done
figure engine <<'END'
{"title": "A four-cylinder engine by contact alone (P4-B)", "draw": ["kinetic", "energy", "contacts", "time"],
 "caption": "One turn from rest under 4 N m: crankshaft, rods and pistons are held by polygonal pins in polygonal holes, without friction (docs/engines.md), event by event. Drumwright and Shell (2010) report that LEMKE gave up after 0.0025 s and PATH after one step on the pyramid's problems."}
END
simulate engine/four-turn engine-four --driver event-driven --formulation max-dissipation-impulse --no-contacts
figure granular <<'END'
{"title": "Grains that fall into a box (P4-C)", "draw": ["kinetic", "contacts", "time", "path"],
 "caption": "Spheres of 0.04 m fall into an open box and settle: a pile of 65, and at full size (./bench/run --long) 1001 for 5 s. Drumwright and Shell (2010) report that neither Lemke's method nor PATH got as far as one second with the pyramid's complementarity problems."}
END
for formulation in max-dissipation-step stewart-trinkle; do
  simulate "granular/65-$formulation" granular --param across=4 --param high=4 --param width=0.36 --duration 1 \
    --formulation $formulation --solver auto --tolerance 1e-8
done
[ -z "$long" ] || simulate granular/1001-max-dissipation-step granular --formulation max-dissipation-step --solver auto \
  --tolerance 1e-6 --no-contacts
python3 bench/claims.py "$folder"
