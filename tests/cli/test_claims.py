"""The claims of the studies: evidence that supports one, evidence that refutes it, and evidence that is missing.

Every claim of every study has a case here. A case makes the folder of a study by hand, as small as it can be, and
`perp study --report` judges it.
"""
import json
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import ROOT, CliTestCase  # noqa: E402

STUDIES = ROOT / "bench" / "studies"
STEPS = ("step,t,stage,status,solver,natural,iterations,setup_s,solve_s,contacts,kinetic,potential,contact_work,"
         "infeasibility,feeding,relaxation,momentum_error,h,certificate,energy_change,largest_rate,"
         "generalised_speed,infeasibility_in_units,faces").split(",")
BODIES = "step,t,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,kinetic,potential".split(",")
CONTACTS = "step,t,contact,body_a,body_b,x,y,z,nx,ny,nz,tx,ty,tz,gap,p_n,p_t,p_o,p_r,slip,mode".split(",")
JOINTS = "step,t,row,theta,impulse".split(",")


def rows_of(key, values, **more):
    """One row a value, in steps of .1 s."""
    return [{"step": k, "t": 0.1 * k, key: value, **more} for k, value in enumerate(values)]


def simulations_of(study):
    """GROUP/NAME of all simulations with the study's includes, but those of tier full."""
    document = json.loads((STUDIES / f"{study}.json").read_text())
    names = []
    for other in document.get("include", []):
        names += simulations_of(other)
    for group in document.get("simulations", []):
        for run in group["runs"]:
            if run.get("tier") != "full":
                names += [f"{group['group']}/{name}" for name in expanded(run["name"], run.get("each"))]
    return list(dict.fromkeys(names))


def expanded(name, each):
    if each is None:
        return [name]
    if isinstance(each, list):
        bindings = each
    else:
        bindings = [{}]
        for key, values in each.items():
            bindings = [{**b, key: value} for b in bindings for value in values]
    found = []
    for binding in bindings:
        text = name
        for key, value in binding.items():
            text = text.replace("{" + key + "}", str(value))
        found.append(text)
    return found


class Case(CliTestCase):
    STUDY, QUICK = "papers", True

    def setUp(self):
        super().setUp()
        self.out = self.folder / "study"
        (self.out / "runs").mkdir(parents=True)
        self.records = []

    def table(self, folder, name, columns, rows):
        lines = [",".join(columns)]
        for row in rows:
            given = {"status": "solved", "stage": "contact", "solver": "auto", "body": "b", "qw": 1, "mode": "slide", **row}
            lines.append(",".join(str(given.get(column, 0)) for column in columns))
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")

    def simulation(self, name, rows=(), bodies=(), contacts=None, joints=None, **summary):
        folder = self.out / "simulations" / name
        folder.mkdir(parents=True, exist_ok=True)
        run = {"scene": "s", "formulation": "f", "solver": "auto", "h": 0.1, "complete": True, "steps": 10, "failed_steps": 0,
               "relaxed_steps": 0, "cut_short_steps": 0, "times": {"wall": 1.0}, "message": "", "parameters": {}, **summary}
        (folder / "run.json").write_text(json.dumps(run))
        self.table(folder, "steps", STEPS, rows or rows_of("kinetic", [1, 1]))
        self.table(folder, "trajectory", BODIES, bodies or rows_of("px", [0, 0]))
        if contacts is not None:
            self.table(folder, "contacts", CONTACTS, contacts)
        if joints is not None:
            self.table(folder, "joints", JOINTS, joints)

    def solves(self, run, *records):
        """Records of a run: (solver, kind, n, contacts, outcome, residual, seconds, sequence, label)."""
        keys = []
        for solver, kind, n, contacts, outcome, residual, seconds, sequence, label in records:
            key = f"{len(self.records):016x}"
            keys.append(key)
            self.records.append({
                "format": "perp-record", "version": 1, "key": key, "suite": run, "instance": key, "instance_hash": key,
                "kind": kind, "n": n, "contacts": contacts, "family": "", "seed": None, "sequence": sequence, "position": 0,
                "mode": "zero", "solver": solver, "label": label, "settings": {}, "settings_hash": "0",
                "program": {"version": "0", "hash": "0"}, "machine": {"cpu": "c", "cores": 1, "memory_mb": 1, "system": "s", "compiler": "c"},
                "tolerance": 1e-8, "time_limit": 5, "memory_limit_mb": 1000, "outcome": outcome, "claimed": outcome,
                "certificate": "", "residuals": {"natural": residual}, "x-measure": residual, "iterations": 1, "statistics": {},
                "times": {"setup": 0.0, "solve": seconds, "total": seconds, "wall": seconds}, "peak_memory_mb": 1.0, "message": ""})
        (self.out / "runs" / f"{run}.json").write_text(json.dumps(
            {"format": "perp-study-run", "version": 1, "name": run, "keys": keys}))

    def judged(self, name):
        """The verdict on a claim, and what stands beside it."""
        (self.out / "records.jsonl").write_text("".join(json.dumps(r, separators=(",", ":")) + "\n" for r in self.records))
        (self.out / "study.json").write_text(json.dumps({"study": self.STUDY, "quick": self.QUICK}))
        self.succeed("study", self.STUDY, *(["--quick"] if self.QUICK else []), "--report", "-o", self.out)
        for study in sorted(STUDIES.glob("*.json")):
            for table in json.loads(study.read_text()).get("claims", []):
                for k, claim in enumerate(table["claims"]):
                    if claim["name"] == name:
                        found = json.loads((self.out / "claims" / f"{table['name']}.json").read_text())["claims"][k]
                        self.assertEqual(found["claim"], claim["claim"])
                        return found["verdict"], found["measured"]
        self.fail(f"no claim {name}")

    def expect(self, name, verdict):
        found, measured = self.judged(name)
        self.assertEqual(found, verdict, measured)


def case(good, bad, verdict="holds", refuted="does not hold", partly=()):
    """A test of the claim that the method's name gives: `good`, `bad` and `partly` (for "holds in part") make evidence; more
    of `bad` may be in a list."""
    def test(self):
        name = self._testMethodName.removeprefix("test_").replace("_", "-")
        self.expect(name, "not tested")
        good(self)
        self.expect(name, verdict)
        for make in bad if isinstance(bad, list) else [bad]:
            good(self)
            make(self)
            self.expect(name, refuted)
        for make in partly:
            good(self)
            make(self)
            self.expect(name, "holds in part")
    return test


IMPLICIT = "implicit-contact/"


def disc(off=0.0, **summary):
    return lambda self: self.simulation(IMPLICIT + "disc-josephy-newton", rows_of("kinetic", [6.75, 6.75 + off]),
                                        **{"steps": 10000, **summary})


def polygons(group, names, values, rise=0.0):
    def make(self):
        for name, value in zip(names, values):
            self.simulation(f"{group}/{name}", rows_of("kinetic", [20, value - rise, value]))
    return make


def spin(off=0.0, moment=-0.224229, other=0.0):
    def make(self):
        bodies = [{"step": k, "t": 0.07 * k, "body": "sphere", "wz": max(0, 1.962 - 0.13734 * k) + off, "vx": other} for k in range(20)]
        self.simulation(IMPLICIT + "spinning-sphere-josephy-newton", bodies=bodies,
                        contacts=[{"step": 15, "body_a": "sphere", "p_r": 0.07 * moment}])
    return make


def two_spheres(first=3.2, slip=2.94, second=3.62):
    def make(self):
        contacts = [{"t": t, "body_b": "first", "p_n": 1} for t in (1, first)]
        contacts += [{"t": t, "body_b": "second", "p_n": 1, "slip": s} for t, s in ((1, 0), (slip, 1), (second, 1))]
        contacts += [{"t": 5, "body_b": body, "p_n": 0} for body in ("first", "second")]
        self.simulation(IMPLICIT + "two-spheres-josephy-newton", contacts=contacts)
    return make


def spins(**values):
    def make(self):
        for name in ("geometric-implicit", "closed-form-gap", "explicit-geometry", "explicit-velocity-level", "stewart-trinkle",
                     "anitescu-potra", "polyhedral-ball"):
            rough = values.get(name.replace("-", "_"), 1.0)
            self.simulation("two-spheres/" + name, bodies=rows_of("wy", [0, rough, 0], body="ball"))
    return make


def cube(off=0.0, half=0.0215):
    def make(self):
        def place(t, h):
            s = 10 * t - 1.078 * t * (t + h)
            return {"t": t, "body": "cube", "px": 0.8 * s + off, "py": 0.6 * s}
        self.simulation("sliding-cube/equivalent-contact-point", bodies=[place(0, 0.01), place(4, 0.01)])
        self.simulation("sliding-cube/equivalent-contact-point-half-step", bodies=[{"t": 4, "body": "cube", "px": 18.2016 + half, "py": 13.6512}])
    return make


def implicit_scenes(failed=0, overlap=0.0, solver="josephy-newton"):
    def make(self):
        for name in simulations_of("papers"):
            if name.startswith(IMPLICIT):
                mine = name.endswith(solver)
                self.simulation(name, rows_of("infeasibility", [overlap if mine else 0.0]), failed_steps=failed if mine else 0)
    return make


def tumbling(edge=0.81, face=0.9, slope=1.96):
    def make(self):
        faces = ((0.01, 3), (0.8, 3), (edge, 2), (0.89, 2), (face, 1), (2.0, 1))
        self.simulation("tumbling-cube/kicked", [{"t": t, "faces": n} for t, n in faces],
                        [{"t": t, "body": "cube", "vx": 3 - slope * (t - 1)} for t in (1, 1.8)])
    return make


def manipulated(pivots=1.51, lifted=3.26, upright=4.71, goal=0.0):
    def make(self):
        faces = ((0.1, 2), (0.65, 2), (1.2, 1), (pivots, 2), (2.15, 2), (2.2, 1), (lifted, 2), (4.5, 2), (upright, 1), (5, 1))
        self.simulation("manipulated-cylinder/equivalent-contact-point", [{"t": t, "faces": n} for t, n in faces],
                        [{"t": 5, "body": "cylinder", "px": 0.555 + goal, "py": 0.215, "pz": 0.15}])
    return make


def ramp(group, columns=("vx",), **off):
    def make(self):
        for name in ("anitescu-potra", "stewart-trinkle-16", "stewart-trinkle-60", "coulomb-implicit", "max-dissipation-step"):
            value = off.get(name.replace("-", "_"), 0.0)
            self.simulation(f"{group}/{name}", bodies=rows_of("vx", [1.0, 1.0 + value, 1.0]))
    return make


def dissipation(change=-1.0, failed=0, **cut):
    def make(self):
        for name in simulations_of("papers"):
            if name.endswith("max-dissipation-step"):
                self.simulation(name, rows_of("energy_change", [-1.0, change]), failed_steps=failed)
        given = {"cut": 20, "failed": 0, "change": -1.0, **cut}
        steps = [{"step": k, "energy_change": given["change"], "kinetic": e} for k, e in enumerate((9, 1))]
        self.simulation("granular/65-cut-short", steps, cut_short_steps=given["cut"], failed_steps=given["failed"],
                        complete=given["failed"] == 0)
    return make


def engine(turns=1.0, overlap=1e-8, gain=-1.0, failed=0):
    def make(self):
        from math import cos, pi, sin
        angles = [2 * pi * turns * k / 12 for k in range(13)]
        bodies = [{"step": k, "body": "crank", "qw": cos(a / 2), "qz": sin(a / 2), "kinetic": 2.0 if k == 0 else 0} for k, a in enumerate(angles)]
        steps = [{"step": k + 1, "h": 0.1, "contacts": 150, "infeasibility": overlap, "kinetic": 2.0 + 4 * 2 * pi * turns + gain}
                 for k in range(12)]
        self.simulation("engine/four-turn", steps, bodies, parameters={"torque": 4}, failed_steps=failed, complete=failed == 0)
    return make


def grains(failed=0, end=1e-6, overlap=1e-4, count=65):
    def make(self):
        steps = [{"step": k, "kinetic": e, "infeasibility": overlap} for k, e in enumerate((9, end))]
        self.simulation(f"granular/{count}-max-dissipation-step", steps, failed_steps=failed, complete=failed == 0)
    return make


def tall_grains(failed=0, end=1e-6, overlap=1e-4, first=1.95, last=3.55):
    def make(self):
        steps = [{"step": k, "kinetic": e, "infeasibility": overlap} for k, e in enumerate((9, end))]
        bodies = [{"t": t, "body": body, "vz": -9.8 * t if t < arrives else 0} for t in (0.5, first, 3, last)
                  for body, arrives in (("grain_0", first), ("grain_top", last))]
        for h in ("0.01", "0.002"):
            self.simulation(f"granular-tall/65-{h}-max-dissipation-step", steps, bodies, failed_steps=failed, complete=failed == 0)
    return make


def pyramids(sequence, paper=2e-3, ours="stalled", convex="solved", n=60):
    def make(self):
        self.records = []
        self.solves("dissipation-textbook", ("lemke", "lcp", n, 10, "wrong" if paper > 1e-8 else "solved", paper, 1, sequence, "textbook"))
        self.solves("dissipation", ("lemke", "lcp", n, 10, ours, 1e-3, 1, sequence, ""),
                    ("auto", "box_qp", 10, 10, convex, 1e-12, 1, sequence, ""))
    return make


def times_of_engine(pyramid=1.0, lcp=1.0, qp=0.1):
    def make(self):
        self.records = []
        self.solves("dissipation", *[(solver, kind, n, 10, "solved", 1e-12, t, "engine-four", "") for solver, kind, n, t in
                                     (("auto", "lcp", 60, pyramid), ("gradient-projection", "lcp", 10, lcp),
                                      ("gradient-projection", "box_qp", 10, qp))])
    return make


def times_of_grains(pyramid=1.0, second=0.2):
    def make(self):
        self.records = []
        self.solves("dissipation", *[("auto", kind, n, 60, "solved", 1e-12, t, "granular", "")
                                     for kind, n, t in (("lcp", 600, pyramid), ("box_qp", 60, 0.1), ("conic_qp", 360, second))])
    return make


def rests(qp=1e-14, fine=0.1):
    def make(self):
        for name, rate in (("qp-0.01", qp), ("explicit-0.001", 9.0), ("explicit-1e-05", fine)):
            self.simulation("joint-friction/" + name, rows_of("largest_rate", [rate]))
    return make


def angles(coarse=0.1, fine=0.01):
    def make(self):
        for name, off in (("qp-0.0001", 0), ("qp-0.01", 0.01), ("explicit-0.001", coarse), ("explicit-0.0001", fine)):
            self.simulation("joint-friction-viscous/" + name, joints=rows_of("theta", [1.0, 1.0 + off], row=3))
    return make


def joint_times(hundred=1e-5, thirty=1e-5, *more):
    def make(self):
        self.records = []
        self.solves("joint-friction", *[("gradient-projection", "box_qp", n, 0, outcome, 1e-12, t, "", "") for n, t, outcome in
                                        ((8, 1e-6, "solved"), (30, thirty, "solved"), (100, hundred, "solved"), *more)])
    return make


def with_ratio(rows):
    """Evidence for the study ratio-metric: `rows` of a group and the first number in a name."""
    def make(self):
        for name in simulations_of("ratio-metric"):
            group, run = name.split("/")
            self.simulation(name, **rows(group, float(re.match(r"[a-z]+-([\d.]+(?:e-\d+)?)", run)[1])))
    return make


def second_order(cube=2.0, pendulum=2.0, four_bar=2.0):
    powers = {"ratio-cube": cube, "ratio-pendulum": pendulum, "ratio-four-bar": four_bar}
    return with_ratio(lambda group, h: {"rows": [
        {"step": 1, "t": 0.1, "infeasibility": h ** powers[group], "infeasibility_in_units": h ** powers[group]}]
        if group in powers else []})


def bounded(fine=0.2, **summary):
    return with_ratio(lambda group, h: {"rows": [
        {"step": 1, "t": 0.1, "generalised_speed": 2.0, "infeasibility_in_units": (0.1 if h == 0.1 else fine) * 4 * h * h}],
        **summary})


def large_pile(fine=0.2, **summary):
    def make(self):
        for h, bound in ((0.1, 0.1), (0.01, fine)):
            self.simulation(f"ratio-pile-large/h-{h}", **summary, rows=[
                {"step": 1, "t": 0.1, "generalised_speed": 2.0, "infeasibility_in_units": bound * 4 * h * h}])
    return make


def alternating(hundred=50.0):
    return with_ratio(lambda group, c: {"rows": rows_of("kinetic", [hundred if c == 100 else 9.8, 1.0])})


def springs(largest):
    return with_ratio(lambda group, h: {"rows": [
        {"step": 1, "t": 0.7, "kinetic": 0.0 if group != "ratio-springs" or h <= largest else 1e3, "infeasibility": 1e-3}]})


def spring(group, **bands):
    """Energies of the spring-cylinder: a band over .5 J, and what is left in the end."""
    def make(self):
        for theta, band in {"symplectic": 0.14, "midpoint": 0.0, "implicit": 0.0, **bands}.items():
            self.simulation(f"{group}/{theta}", rows_of("kinetic", [1 + band, 1, 0.0 if theta == "implicit" else 1]))
    return make


def spring_left(left):
    """The same of implicit Euler, where something is left."""
    def make(self):
        self.simulation("spring-sliding/implicit", rows_of("kinetic", [0.5, left]))
    return make


def spring_orders(**powers):
    from math import cos, sqrt

    def make(self):
        for theta, power in {"midpoint": 2.0, "symplectic": 1.0, "implicit": 1.0, **powers}.items():
            for h in (0.0025, 0.00125):
                off = (100 if theta == "implicit" else 1) * h ** power
                bodies = [{"step": k, "t": 0.1 * k, "body": "cylinder", "px": 0.1 * cos(sqrt(100 / 0.75) * 0.1 * k) + off} for k in range(3)]
                self.simulation(f"spring-orders/{theta}-{h}", bodies=bodies)
    return make


def ten_minutes(midpoint=0.9, symplectic=0.9):
    rest = 0.5 * 9.81 * (0.05 - 0.5 * 9.81 / 10000)

    def make(self):
        for theta, left in (("midpoint", midpoint), ("symplectic", symplectic)):
            self.simulation(f"spring-long/{theta}", [{"step": 1, "t": 1, "kinetic": rest + 0.5}, {"step": 2, "t": 599, "kinetic": rest + 0.5 * left}])
    return make


def heap(failed=0, most=29, rest=3, momentum=1e-8, end=1e-5, far=0.3):
    def make(self):
        steps = [{"step": 1, "t": 1, "iterations": most, "momentum_error": momentum, "kinetic": 10},
                 {"step": 2, "t": 9, "iterations": rest, "kinetic": end}]
        for name in ("walls", "open"):
            self.simulation(f"clutter/{name}", steps, [{"step": 1, "t": 1, "py": -far}], failed_steps=failed)
    return make


def plate(creep=1e-6, again=1e-6, slips=0.5):
    def make(self):
        self.simulation("gripper/plate", bodies=[{"t": t, "body": "plate", "vz": -v} for t, v in ((1, creep), (5.5, slips), (6.8, again))])
    return make


def coupled(rod=0.406, boxes=0.01):
    def make(self):
        for name in ("coulomb-implicit", "stewart-trinkle", "max-dissipation-step"):
            convex = name == "max-dissipation-step"
            self.simulation("wedged-rod/" + name, rows_of("kinetic", [1.1, rod if convex else 0.406]))
            off = {"coulomb-implicit": 0.0, "stewart-trinkle": 0.05}.get(name, boxes)
            self.simulation("falling-boxes/" + name, bodies=rows_of("px", [0, off]))
    return make


CORNERS = ("N-10", "N-20", "N-50", "N-100", "N-1000")
HALVES = ("h-0.01", "h-0.005", "h-0.001", "h-0.0005", "h-0.0001")


class Claims(Case):
    test_disc_keeps_energy = case(disc(), [disc(2e-6), disc(failed_steps=1), disc(steps=99)])
    test_polygons_lose_energy = case(
        polygons("polygon-corners", CORNERS, (12, 13, 14, 15, 15.05)),
        [polygons("polygon-corners", CORNERS, values) for values in
         ((13, 12, 14, 15, 15), (12, 13, 15, 14, 14), (12, 13, 14, 15, 15.2), (12, 13, 14, 16.55, 16.55))]
        + [polygons("polygon-corners", CORNERS, (12, 13, 14, 15, 15.05), rise=1e-3)])
    test_polygons_step_limit = case(
        polygons("polygon-steps", HALVES, (12, 13, 14, 14.005, 14.006)),
        [polygons("polygon-steps", HALVES, values) for values in ((13, 12, 14, 14, 14), (12, 13, 14, 14.2, 14.2), (12, 15, 14, 14, 14), (12, 13, 14, 14.005, 14.1))])
    test_spin_stops = case(spin(), [spin(off=1e-5), spin(moment=0.0), spin(other=1e-6)])
    test_two_spheres_events = case(two_spheres(), [two_spheres(first=3.3), two_spheres(slip=2.5), two_spheres(second=3.9)])
    test_smooth_velocities = case(
        spins(geometric_implicit=0.01), [spins(), spins(geometric_implicit=0.01, polyhedral_ball=0.05)])
    test_explicit_jumps = case(
        spins(closed_form_gap=0.01), [spins(), spins(closed_form_gap=0.01, explicit_velocity_level=0.04, explicit_geometry=0.04)])
    test_modes_of_a_cube = case(tumbling(), [tumbling(edge=0.5), tumbling(face=0.85), tumbling(slope=1.9)])
    test_phases_of_a_cylinder = case(manipulated(), [manipulated(lifted=3.5), manipulated(pivots=1.7), manipulated(goal=0.01)])
    test_cube_closed_form = case(cube(half=0.0215489), [cube(off=1e-6, half=0.0215489), cube(half=0.03)])
    test_no_penetration = case(implicit_scenes(), [implicit_scenes(overlap=1e-6), implicit_scenes(failed=1)])
    test_every_step_solved = case(implicit_scenes(), implicit_scenes(failed=1, solver="auto"))
    test_energy_without_friction = case(
        spring("spring-sliding"), [spring("spring-sliding", symplectic=0.16), spring("spring-sliding", midpoint=1e-9), spring_left(1e-3)])
    test_energy_of_rolling = case(
        spring("spring-rolling", symplectic=0.1, midpoint=5e-4),
        [spring("spring-rolling", symplectic=0.1, midpoint=9e-4), spring("spring-rolling", symplectic=0.02, midpoint=5e-4)])
    test_order_of_rolling = case(spring_orders(), [spring_orders(midpoint=1.9), spring_orders(symplectic=1.2), spring_orders(implicit=0.5)])
    test_newton_steps = case(heap(), heap(failed=1), partly=[heap(rest=4), heap(rest=5)])
    test_momentum_and_complementarity = case(heap(), heap(momentum=1e-4))
    test_at_rest = case(heap(), [heap(end=1.0), heap(far=0.5)])
    test_stiction = case(plate(), [plate(creep=1e-4), plate(again=1e-4), plate(slips=0.0)])
    test_beyond_the_ramp = case(coupled(), coupled(rod=0.799, boxes=0.2))
    test_ramp_along = case(ramp("ramp-along"), ramp("ramp-along", anitescu_potra=1e-6))
    test_ramp_across = case(
        ramp("ramp-across"),
        [ramp("ramp-across", anitescu_potra=0.4, stewart_trinkle_16=0.5), ramp("ramp-across", anitescu_potra=0.4, stewart_trinkle_16=0.1, stewart_trinkle_60=0.2)])
    test_energy_of_steps = case(dissipation(), dissipation(change=1e-6))
    test_phases = case(dissipation(), [dissipation(failed=1), dissipation(cut=0), dissipation(cut=3),
                                       lambda self: dissipation(cut=20)(self) or self.simulation(
                                           "granular/65-cut-short", [{"energy_change": 0.1}], cut_short_steps=20),
                                       lambda self: self.simulation("granular/65-cut-short", [{"energy_change": -1}],
                                                                    cut_short_steps=20, failed_steps=1, complete=False)])
    test_engine = case(engine(), [engine(turns=0.9), engine(overlap=1e-5), engine(gain=1.0), engine(failed=1)])
    test_grains = case(grains(), [grains(failed=1), grains(end=1.0)])
    test_tall_grains = case(tall_grains(), [tall_grains(failed=1), tall_grains(end=1.0), tall_grains(first=2.5), tall_grains(last=3.2)])
    test_lemke_fails_engine = case(
        pyramids("engine-four"), [pyramids("engine-four", paper=1e-6), pyramids("engine-four", convex="stalled")])
    test_lemke_fails_grains = case(
        pyramids("granular"), [pyramids("granular", paper=1e-6), pyramids("granular", convex="stalled")])
    test_faster_without_friction = case(times_of_engine(), times_of_engine(pyramid=0.1))
    test_faster_with_friction = case(times_of_grains(), times_of_grains(second=1.0))
    test_joint_rest = case(rests(), [rests(qp=1e-8), rests(fine=1e-13)])
    test_joint_convergence = case(angles(), [angles(fine=0.09), angles(coarse=0.01, fine=0.05)])
    test_microseconds = case(joint_times(), [joint_times(hundred=1e-3, thirty=1e-3), joint_times(1e-5, 1e-5, (100, 1e-5, "stalled"))])

    test_second_order = case(
        second_order(), [second_order(cube=1.5), second_order(pendulum=1.8), second_order(four_bar=1.0)])
    test_bounded = case(bounded(), [bounded(fine=0.5), bounded(failed_steps=1), bounded(relaxed_steps=1)])
    test_quotient_of_steps = case(alternating(), alternating(hundred=9.8))
    test_four_orders = case(springs(1e-5), [springs(1e-4), springs(1.0)])

    def test_every_claim_has_a_case(self):
        names = {claim["name"] for study in STUDIES.glob("*.json")
                 for table in json.loads(study.read_text()).get("claims", []) for claim in table["claims"]}
        cases = set(dir(self)) | set(dir(ClaimsOfFullSize)) | set(dir(ClaimsOfPeers))
        self.assertEqual({f"test_{name.replace('-', '_')}" for name in names} - cases, set())
        self.assertGreater(len(names), 20)


class ClaimsOfFullSize(Case):
    QUICK = False
    test_bounded_in_a_large_pile = case(large_pile(), [large_pile(failed_steps=1), large_pile(relaxed_steps=1)], partly=[large_pile(fine=0.5)])
    test_ten_minutes = case(ten_minutes(), ten_minutes(midpoint=0.5))
    test_thousand_grains = case(grains(count=1001), [grains(count=1001, failed=1), grains(count=1001, end=1.0)])


def sliding(engine, off=0.1):
    def make(self):
        path = {t: 10 * t - 1.078 * t * t for t in (1, 4)}
        self.simulation(f"sliding-cube-engines/{engine}",
                        bodies=[{"t": t, "body": "cube", "px": 0.8 * s, "py": 0.6 * s + off, "pz": 0.5} for t, s in path.items()])
    return make


class ClaimsOfPeers(Case):
    STUDY = "peers"
    test_ode_slides = case(sliding("ode"), sliding("ode", 0.3))
    test_bullet_slides = case(sliding("bullet"), sliding("bullet", 0.3))
    test_dart_slides = case(sliding("dart"), sliding("dart", 0.3))
    test_mujoco_slides = case(sliding("mujoco"), sliding("mujoco", 0.3))
    test_perp_slides = case(sliding("perp"), sliding("perp", 0.3))


class InPart(Case):
    def test_what_holds_in_part(self):
        for name, make in (("two-spheres-events", two_spheres(second=3.69)), ("smooth-velocities", spins(geometric_implicit=0.01, stewart_trinkle=0.02)),
                           ("explicit-jumps", spins(closed_form_gap=0.01, explicit_geometry=0.02)), ("phases-of-a-cylinder", manipulated(lifted=3.33)),
                           ("tall-grains", tall_grains(overlap=0.012)),
                           ("beyond-the-ramp", coupled(boxes=0.2)), ("beyond-the-ramp", coupled(rod=0.799)),
                           ("ramp-across", ramp("ramp-across", anitescu_potra=0.4, stewart_trinkle_16=0.1)),
                           ("grains", grains(overlap=0.012)), ("lemke-fails-engine", pyramids("engine-four", ours="solved")),
                           ("faster-without-friction", times_of_engine(lcp=0.1)), ("joint-convergence", angles(fine=0.04)),
                           ("microseconds", joint_times(hundred=1e-3))):
            with self.subTest(name):
                make(self)
                self.expect(name, "holds in part")


class MissingEvidence(Case):
    def test_a_run_that_was_cut_off_is_no_evidence(self):
        disc(complete=False)(self)
        verdict, why = self.judged("disc-keeps-energy")
        self.assertEqual(verdict, "not tested")
        self.assertIn("cut off", why)

    def test_a_run_that_failed_by_itself_is(self):
        disc(complete=False, failed_steps=1)(self)
        self.expect("disc-keeps-energy", "does not hold")

    def test_a_record_that_is_missing(self):
        joint_times()(self)
        self.records.pop()
        verdict, why = self.judged("microseconds")
        self.assertEqual(verdict, "not tested")
        self.assertIn("1 of 3", why)

    def test_angles_at_different_times_are_not_compared(self):
        angles()(self)
        self.simulation("joint-friction-viscous/explicit-0.001", joints=[{"t": 0.05 * k, "row": 3, "theta": 1} for k in range(2)])
        verdict, why = self.judged("joint-convergence")
        self.assertEqual(verdict, "not tested")
        self.assertIn("1 of 2 times in common", why)

    def test_nothing_is_said_of_the_distance_from_a_run_that_ended_early(self):
        def run(name, steps, off, **summary):
            self.simulation("joint-friction-viscous/" + name, joints=[{"t": 0.1 * k, "row": 3, "theta": 1 + off} for k in range(steps)], **summary)

        for name, off in (("qp-0.0001", 0), ("qp-0.01", 0.01), ("explicit-0.001", 0.1), ("explicit-0.0001", 0.01)):
            run(name, 11, off)
        self.expect("joint-convergence", "holds")
        run("qp-0.01", 4, 0.01, failed_steps=1, complete=False)
        verdict, why = self.judged("joint-convergence")
        self.assertEqual(verdict, "not tested")
        self.assertIn("joint-friction-viscous/qp-0.01 ends at 0.3 s, joint-friction-viscous/qp-0.0001 at 1 s", why)

    def test_times_of_steps_in_halves_are_left_out(self):
        def judged_with(halves):
            for (name, off), half in zip((("qp-0.0001", 0), ("qp-0.01", 0.01), ("explicit-0.001", 0.1), ("explicit-0.0001", 0.01)), halves):
                rows = [{"t": 0.1 * k, "row": 3, "theta": 1.0 + off} for k in range(20)]
                rows[half:half] = [{"t": 0.1 * half - 0.05, "row": 3, "theta": 100.0}] if half else []
                self.simulation("joint-friction-viscous/" + name, joints=rows)
            return self.judged("joint-convergence")

        whole = judged_with([0, 0, 0, 0])
        self.assertEqual(whole[0], "holds")
        self.assertEqual(judged_with([5, 7, 9, 11]), whole)

    def test_a_table_that_is_missing(self):
        two_spheres()(self)
        (self.out / "simulations" / IMPLICIT / "two-spheres-josephy-newton" / "contacts.csv").unlink()
        self.expect("two-spheres-events", "not tested")


del Case

if __name__ == "__main__":
    unittest.main()
