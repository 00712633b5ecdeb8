"""perp simulate: scene files, their refusal, the records, and mechanics checked from the CSV files alone."""
import copy
import csv
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import PERP, REMOVE, ROOT, CliTestCase, parse_json, schema_errors, with_cases  # noqa: E402

SCENES = {path.stem: path for path in sorted((ROOT / "problems" / "scenes").glob("*.json"))}
GRAVITY = 9.81

COLUMNS = {
    "trajectory": "step,t,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,kinetic,potential",
    "contacts": "step,t,contact,body_a,body_b,x,y,z,nx,ny,nz,tx,ty,tz,gap,p_n,p_t,p_o,p_r,slip,mode",
    "joints": "step,t,row,theta,impulse",
    "steps": "step,t,stage,status,solver,natural,iterations,setup_s,solve_s,contacts,kinetic,potential,contact_work,"
             "infeasibility,feeding,relaxation,momentum_error,h,certificate",
}
WORDS = {"body", "body_a", "body_b", "certificate", "mode", "stage", "status", "solver"}  # columns that are not numbers

SPACE = {"format": "perp-scene", "version": 1, "name": "ball", "dimension": 3, "parameters": {"r": 0.5},
         "gravity": [0, 0, -GRAVITY],
         "bodies": [{"name": "ground", "fixed": True, "shape": {"type": "half_space", "normal": [0, 0, 1]}},
                    {"name": "ball", "mass": 1, "shape": {"type": "sphere", "radius": "r"}, "position": [0, 0, "r"]}],
         "contact": {"mu": 0.5}, "step": 0.01, "duration": 0.1}
PLANE = {"format": "perp-scene", "version": 1, "name": "plane", "dimension": 2,
         "bodies": [{"name": "base", "fixed": True}, {"name": "a", "mass": 1, "inertia": 1}]}


def edit(scene, path, value):
    """The scene with the member at a path like "bodies.1.mass" set, or left out."""
    scene = copy.deepcopy(scene)
    at, keys = scene, [int(key) if key.isdigit() else key for key in path.split(".")]
    for key in keys[:-1]:
        at = at[key]
    if value is REMOVE:
        del at[keys[-1]]
    else:
        at[keys[-1]] = value
    return scene


def body(**more):
    """PLANE with one more body."""
    return edit(PLANE, "bodies", [*PLANE["bodies"], {"name": "b", "mass": 1, **more}])


def joint(**more):
    """PLANE with one joint."""
    return edit(PLANE, "joints", [{"name": "j", "type": "revolute", "a": "a", "b": "base", "anchor": [0, 0], **more}])


def bearing(**more):
    """SPACE with a bearing of its bodies; REMOVE leaves a field out."""
    fields = {"name": "b", "pin": "ball", "hole": "ground", "center": [0, 0, "r"], "axis": [0, 0, 1], "direction": [1, 0, 0],
              "radius": "r/2", "clearance": 1e-4, "length": "r", **more}
    return edit(SPACE, "bearings", [{key: value for key, value in fields.items() if value is not REMOVE}])


def bearing_in_the_plane(**more):
    """PLANE with a bearing."""
    return edit(PLANE, "bearings", [{"name": "b", "pin": "base", "hole": "a", "center": [0, 0], "direction": [1, 1], "radius": 1,
                                     "clearance": 0, **more}])


def pair(**more):
    """SPACE with a rule for its bodies."""
    return edit(SPACE, "pairs", [{"a": "ball", "b": "ground", **more}])


def table(rows):
    """PLANE with a load given by a table."""
    return edit(PLANE, "loads", [{"body": "a", "force": [0, {"table": rows}]}])


def impulse(**more):
    """PLANE with an impulse; what is REMOVE is left out."""
    given = {"body": "a", "linear": [1, 0], "time": 0, **more}
    return edit(PLANE, "impulses", [{name: value for name, value in given.items() if value is not REMOVE}])


def when(**more):
    """PLANE with an impulse under a condition."""
    condition = {"body": "a", "quantity": "x", "above": 1, **more}
    return impulse(time=REMOVE, when={name: value for name, value in condition.items() if value is not REMOVE})


def polygon(*vertices):
    return body(shape={"type": "polygon", "vertices": list(vertices)})


CORNERS = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 2)]
PLANES = [{"normal": [s * (k == axis) for k in range(3)], "offset": 1} for axis in range(3) for s in (-1, 1)]


def solid(**shape):
    """SPACE with another shape in place of the sphere."""
    return edit(SPACE, "bodies.1.shape", shape)


def rotated(q, v):
    """The vector v turned by the quaternion q = (w, x, y, z)."""
    w, x, y, z = q
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2],
            v[2] + w * t[2] + x * t[1] - y * t[0]]


def turned_back(q, v):
    return rotated((q[0], -q[1], -q[2], -q[3]), v)


def vector(row, *names):
    return [row[name] for name in names]


class SimulateTestCase(CliTestCase):
    def simulate(self, scene, *arguments, name="out", code=0):
        """Runs a scene with records; returns them as {file: rows}, rows as dicts with numbers."""
        if isinstance(scene, dict):
            scene = self.write("scene.json", scene)
        done = self.perp("simulate", scene, "--record", self.folder / name, *arguments)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return {file: self.rows(file, name) for file in COLUMNS}

    def rows(self, file, name="out", whole=True):
        """The rows of a CSV file; with whole=False an unfinished last line is left out."""
        text = (self.folder / name / f"{file}.csv").read_text()
        if whole:
            self.assertTrue(text.endswith("\n"), file)
        lines = text[:text.rfind("\n") + 1].splitlines()
        self.assertEqual(lines[0], COLUMNS[file])
        result = []
        for row in csv.DictReader(lines, strict=True):
            self.assertNotIn(None, row, f"{file}: too many columns")
            self.assertNotIn(None, row.values(), f"{file}: too few columns")
            result.append({key: value if key in WORDS else float(value) for key, value in row.items()})
            for key, value in result[-1].items():
                if key not in WORDS and key != "natural":  # no answer, no residual
                    self.assertTrue(math.isfinite(value), f"{file}: {key} is {value}")
        return result

    def run_json(self, name="out"):
        return parse_json((self.folder / name / "run.json").read_text())

    def refuse(self, *arguments, words=()):
        """Runs perp simulate; expects exit code 2 and one line on stderr with the words in it."""
        done = self.perp("simulate", *arguments)
        self.assertEqual(done.returncode, 2, done.stderr + done.stdout)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.startswith("perp: "), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word.lower(), done.stderr.lower())


class TestSceneFiles(SimulateTestCase):
    def test_every_stored_scene_is_valid(self):
        self.assertGreaterEqual(len(SCENES), 8)
        for path in SCENES.values():
            self.assertEqual(schema_errors(parse_json(path.read_text()), "scene"), [], path.name)

    def test_every_stored_scene_is_listed(self):
        listed = parse_json(self.succeed("list", "scenes", "--json"))["scenes"]
        self.assertEqual([item["name"] for item in listed], sorted(SCENES))

    def test_every_stored_scene_runs(self):
        for name, path in SCENES.items():
            self.succeed("simulate", name, "--duration", 5 * parse_json(path.read_text()).get("step", 0.01))

    def test_the_scenes_of_these_tests_are_valid(self):
        for scene in (SPACE, PLANE, joint(), polygon([-1, -1], [2, -1], [-1, 2]), body(shape={"type": "disc", "radius": 1})):
            self.assert_valid(scene, "scene")
            self.succeed("simulate", self.write("good.json", scene))

    def test_every_shape_is_valid_and_comes_to_rest(self):
        (self.folder / "block.obj").write_text("".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS) +
                                               "f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n")
        for height, shape in ((0.3, {"type": "ellipsoid", "half": [0.5, 0.4, 0.3]}),
                              (0.3, {"type": "superquadric", "half": [0.5, 0.4, 0.3], "exponents": [0.3, "3/4"]}),
                              (0.7, {"type": "cylinder", "radius": 0.2, "half_length": 0.7}),
                              (1, {"type": "polyhedron", "half_spaces": PLANES}),
                              (1, {"type": "polyhedron", "vertices": CORNERS}),
                              (1, {"type": "polyhedron", "obj": "block.obj"})):
            scene = edit(solid(**shape), "bodies.1.position", [0, 0, 0 if "obj" in shape or "vertices" in shape else height])
            self.assert_valid(scene, "scene")
            for row in self.simulate(scene)["trajectory"]:
                self.assertAlmostEqual(row["pz"], height, 9, shape)

    def test_what_the_schema_and_the_program_take(self):
        ends = {"name": "j", "a": "ball", "b": "ground", "anchor": [0, 0, 0]}
        good = [pair(mu="r", e_t="r", e_o=2, e_r="r/10", direction=["r", 0, 1], restitution=1),
                pair(mu=0.3, stiffness="1000*r", dissipation=0), pair(stiffness=1e9, restitution=0), pair(e_r=0),
                pair(stiffness=1e3, dissipation="r"),
                edit(PLANE, "contact", {"mu": 0.5, "e_t": 0.5}), edit(PLANE, "contact", {"stiffness": 1, "dissipation": 0}),
                edit(SPACE, "contact", {"stiffness": "1000", "dissipation": 0.01, "e_t": 2, "e_r": 0.1}),
                edit(SPACE, "joints", [{**ends, "type": "spherical"}]), joint(displacement="pi/4"), table([[0, 1]]), table([["1/2", "2*pi"], [1, -3]]),
                edit(PLANE, "loads", [{"body": "a", "moment": {"constant": 1, "omega": 2, "table": [[-1, 0], [1, 2]]}}]),
                impulse(), impulse(linear=REMOVE, angular="pi"), impulse(time="1/2"), when(), when(quantity="speed"), when(quantity="touching"),
                bearing(), bearing(turn="pi/24", corners="4*2", sections=3, pin_center=[0, 0, "r"]), bearing_in_the_plane(corners=3),
                edit(SPACE, "bearings", [{"repeat": {"i": 2}, "of": {**bearing(corners=6)["bearings"][0], "name": "b_{i}", "sections": "i+2"}}]),
                edit(PLANE, "impulses", []), when(body="base"), {**when(), "impulses": [{**when()["impulses"][0], "times": 3}]},
                {**SPACE, "impulses": [{"repeat": {"i": 2}, "of": {"body": "ball", "linear": ["i", 0, 0], "angular": [0, 0, 1],
                                                                   "time": "i"}}]}]
        for scene in good:
            self.assert_valid(scene, "scene")
            self.succeed("simulate", self.write("good.json", scene), "--duration", 0.05)

    def test_members_of_ones_own_are_ignored(self):
        self.assert_valid({**SPACE, "x-note": [1, None]}, "scene")
        self.succeed("simulate", self.write("own.json", {**SPACE, "x-note": [1, None]}))

    def test_the_examples_of_the_page_are_valid_and_run(self):
        blocks = re.findall(r"^```json\n(.*?)^```", (ROOT / "docs/reference/scenes.md").read_text(), re.M | re.S)
        self.assertGreaterEqual(len(blocks), 2)
        for block in blocks:
            self.assert_valid(parse_json(block), "scene")
            self.succeed("simulate", self.write("example.json", block))

    def test_the_commands_of_the_page_run(self):
        page = (ROOT / "docs/reference/scenes.md").read_text()
        blocks = re.findall(r"^```sh\n(.*?)^```", page, re.M | re.S)
        self.assertGreaterEqual(len(blocks), 1)
        environment = {**os.environ, "PATH": f"{os.path.dirname(PERP)}:{os.environ['PATH']}"}
        for block in blocks:
            ran = subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=self.folder, env=environment, check=False,
                                 capture_output=True, text=True, timeout=60)
            self.assertEqual(ran.returncode, 0, f"{block}\n{ran.stdout}\n{ran.stderr}")

    def test_the_page_names_every_scene_and_formulation(self):
        page = (ROOT / "docs/reference/scenes.md").read_text()
        for topic in ("scenes", "formulations"):
            for item in parse_json(self.succeed("list", topic, "--json"))[topic]:
                self.assertIn(f"`{item['name']}`", page)


class TestMeaningOfScenes(SimulateTestCase):
    def last(self, scene, *arguments):
        """The last row of the trajectory."""
        return self.simulate(scene, *arguments)["trajectory"][-1]

    def test_expressions(self):
        for text, value in {"1+2*3": 7, "-(2-5)/2": 1.5, "2*-3": -6, "min(1, max(2, 3))": 1, "sqrt(abs(-4))": 2,
                            "floor(2.7)": 2, "cos(pi)": -1, "tan(r)+sin(r)": math.tan(0.5) + math.sin(0.5)}.items():
            scene = {**edit(SPACE, "bodies.1.velocity", [text, 0, 0]), "gravity": [0, 0, 0], "contact": {}}
            self.assertAlmostEqual(self.last(scene)["vx"], value, 14, text)

    def test_a_parameter_changes_what_depends_on_it(self):
        self.assertAlmostEqual(self.last(SPACE, "--param", "r=0.25")["pz"], 0.25, 12)
        self.assertEqual(self.run_json()["parameters"], {"r": 0.25})

    def test_a_parameter_changes_other_parameters_that_depend_on_it(self):
        scene = {**SPACE, "parameters": {"d": 1, "r": "d/2"}}
        self.assertAlmostEqual(self.last(scene, "--param", "d=0.5")["pz"], 0.25, 12)

    def test_repeat_makes_every_combination(self):
        scene = {**SPACE, "bodies": [{"repeat": {"i": 2, "j": "i+1"}, "of": {
            "name": "b_{i}_{j+1}", "mass": 1, "inertia": [1, 1, 1], "position": ["i", "j", 0]}}]}
        self.assert_valid(scene, "scene")
        rows = [row for row in self.simulate(scene)["trajectory"] if row["step"] == 0]
        self.assertEqual([(row["body"], row["px"], row["py"]) for row in rows],
                         [("b_0_1", 0, 0), ("b_1_1", 1, 0), ("b_1_2", 1, 1)])

    def test_repeat_of_pairs(self):
        balls = [{"repeat": {"i": 2}, "of": {"name": "b_{i}", "mass": 1, "shape": {"type": "sphere", "radius": 0.5},
                                             "position": ["3*i", 0, 0.5], "velocity": [1, 0, 0]}}]
        scene = {**SPACE, "bodies": [SPACE["bodies"][0], *balls], "contact": {},
                 "pairs": [{"repeat": {"i": 2}, "of": {"a": "b_{i}", "b": "ground", "mu": 0.5}}]}
        self.assert_valid(scene, "scene")
        rows = self.simulate(scene)["trajectory"][-2:]
        for row in rows:
            self.assertLess(row["vx"], 0.99, "friction acts")

    def test_the_last_pair_rule_that_fits_counts(self):
        sliding = edit(SPACE, "bodies.1.velocity", [1, 0, 0])
        rules = [{"a": "b*", "b": "*", "mu": 0.5}, {"a": "ground", "b": "ball", "mu": 0}]
        self.assertAlmostEqual(self.last({**sliding, "pairs": rules})["vx"], 1, 12)
        self.assertLess(self.last({**sliding, "contact": {}, "pairs": rules[::-1]})["vx"], 0.99)

    def test_mass_and_inertia_of_a_density(self):
        turning = {"bodies": [{"name": "b", "density": 3, "angular_velocity": [1, 2, 3],
                               "shape": {"type": "box", "half": [0.5, 1, 1.5]}}], "gravity": [0, 0, 0]}
        row = self.simulate({**SPACE, **turning})["trajectory"][0]
        mass = 3 * 1 * 2 * 3
        inertia = [mass / 12 * (4 + 9), mass / 12 * (1 + 9), mass / 12 * (1 + 4)]
        self.assertAlmostEqual(row["kinetic"], 0.5 * sum(i * w * w for i, w in zip(inertia, (1, 2, 3))), 10)

    def test_loads(self):
        scene = {**edit(PLANE, "loads", [{"body": "a", "force": [2, {"amplitude": 3, "omega": 0, "phase": "pi/2"}],
                                          "moment": {"constant": 4}}]), "step": 0.1, "duration": 1}
        self.assert_valid(scene, "scene")
        row = self.last(scene)
        for name, value in (("vx", 2), ("vy", 3), ("wz", 4)):
            self.assertAlmostEqual(row[name], value, 12)

    def test_a_spring_swings(self):
        scene = {**edit(PLANE, "springs", [{"a": "a", "b": "base", "anchor_a": [0, 0], "anchor_b": [-1, 0],
                                            "stiffness": "4*pi*pi", "length": 0.9}]), "step": 1e-4, "duration": 0.5}
        self.assert_valid(scene, "scene")
        self.assertAlmostEqual(self.last(scene)["px"], -0.2, 3)  # half a period of 1 s about -0.1


@with_cases({
    "unknown_field_at_the_top": ({**SPACE, "colour": 1}, "colour", "unknown"),
    "unknown_field_of_a_body": (edit(SPACE, "bodies.1.colour", 1), "bodies[1].colour", "unknown"),
    "unknown_field_of_a_shape": (edit(SPACE, "bodies.1.shape.height", 1), "bodies[1].shape.height", "unknown"),
    "no_format": (edit(SPACE, "format", REMOVE), "format", "missing"),
    "other_format": (edit(SPACE, "format", "perp-problem"), "format", "perp-scene"),
    "other_version": (edit(SPACE, "version", 2), "version"),
    "no_bodies": (edit(SPACE, "bodies", REMOVE), "bodies", "missing"),
    "dimension_4": (edit(SPACE, "dimension", 4), "dimension", "2..3"),
    "gravity_of_the_wrong_size": (edit(SPACE, "gravity", [0, -9.81]), "gravity", "coordinates"),
    "bad_expression": (edit(SPACE, "bodies.1.mass", "2*(r"), "bodies[1].mass", "2*(r"),
    "unknown_name_in_an_expression": (edit(SPACE, "bodies.1.mass", "2*q"), "bodies[1].mass", "\"q\""),
    "infinite_expression": (edit(SPACE, "bodies.1.mass", "1/(r-r)"), "bodies[1].mass", "finite"),
    "deep_expression": (edit(SPACE, "bodies.1.mass", "(" * 400 + "1" + ")" * 400), "bodies[1].mass", "deep"),
    "power": (edit(SPACE, "bodies.1.mass", "r^2"), "bodies[1].mass", "^"),
    "negative_mass": (edit(SPACE, "bodies.1.mass", -1), "bodies[1].mass", "positive"),
    "zero_mass": (edit(SPACE, "bodies.1.mass", 0), "bodies[1].mass", "positive"),
    "no_mass": (edit(SPACE, "bodies.1.mass", REMOVE), "bodies[1].mass", "missing"),
    "mass_and_density": (edit(SPACE, "bodies.1.density", 1), "bodies[1].", "density"),
    "negative_inertia": (edit(SPACE, "bodies.1.inertia", [1, -1, 1]), "bodies[1].inertia", "positive"),
    "no_inertia": (edit(SPACE, "bodies.1.shape", REMOVE), "bodies[1]", "inertia"),
    "null_quaternion": (edit(SPACE, "bodies.1.orientation", [0, 0, 0, 0]), "bodies[1].orientation", "zero"),
    "repeated_body_name": (edit(SPACE, "bodies.1.name", "ground"), "bodies[1].name", "already"),
    "name_with_a_comma": (edit(SPACE, "bodies.1.name", "a,b"), "bodies[1].name", "comma"),
    "unknown_shape": (edit(SPACE, "bodies.1.shape", {"type": "torus", "radius": 1}), "bodies[1].shape.type", "unknown"),
    "disc_in_space": (edit(SPACE, "bodies.1.shape", {"type": "disc", "radius": 1}), "bodies[1].shape.type", "2D"),
    "box_in_the_plane": (body(shape={"type": "box", "half": [1, 1, 1]}), "bodies[2].shape.type", "3D"),
    "ellipsoid_without_width": (solid(type="ellipsoid", half=[1, 0, 1]), "bodies[1].shape.half", "positive"),
    "exponent_2": (solid(type="superquadric", half=[1, 1, 1], exponents=[1, 2]), "bodies[1].shape.exponents", "2"),
    "cylinder_without_length": (solid(type="cylinder", radius=1), "bodies[1].shape.half_length", "missing"),
    "polyhedron_of_nothing": (solid(type="polyhedron"), "bodies[1].shape", "one of"),
    "polyhedron_of_two_kinds": (solid(type="polyhedron", vertices=CORNERS, obj="x.obj"), "bodies[1].shape", "one of"),
    "flat_polyhedron": (solid(type="polyhedron", vertices=[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]),
                        "bodies[1].shape.vertices", "plane"),
    "unbounded_polyhedron": (solid(type="polyhedron", half_spaces=PLANES[:5]), "bodies[1].shape.half_spaces", "unbounded"),
    "empty_polyhedron": (solid(type="polyhedron", half_spaces=[*PLANES, {"normal": [1, 1, 1], "offset": -9}]),
                         "bodies[1].shape.half_spaces", "inside"),
    "no_such_obj": (solid(type="polyhedron", obj="none.obj"), "bodies[1].shape.obj", "none.obj"),
    "sphere_of_radius_0": (edit(SPACE, "bodies.1.shape.radius", 0), "bodies[1].shape.radius", "positive"),
    "clockwise_polygon": (polygon([0, 0], [0, 1], [1, 0]), "bodies[2].shape.vertices", "convex"),
    "non_convex_polygon": (polygon([0, 0], [2, 0], [0.5, 0.5], [0, 2]), "bodies[2].shape.vertices", "convex"),
    "star_polygon": (polygon(*[[math.cos(0.8 * math.pi * k), math.sin(0.8 * math.pi * k)] for k in range(5)]),
                     "bodies[2].shape.vertices", "convex"),
    "polygon_away_from_its_mass_centre": (polygon([5, 5], [6, 5], [5, 6]), "bodies[2].shape.vertices", "centre"),
    "two_vertices": (polygon([0, 0], [1, 0]), "bodies[2].shape.vertices", "three"),
    "two_sides": (body(shape={"type": "polygon", "sides": 2, "radius": 1}), "bodies[2].shape.sides"),
    "unknown_body_in_a_joint": (joint(a="nobody"), "joints[0].a", "nobody"),
    "joint_of_a_body_with_itself": (joint(b="a"), "joints[0].b"),
    "unknown_joint": (joint(type="screw"), "joints[0].type", "unknown"),
    "joint_without_anchor": (edit(joint(), "joints.0.anchor", REMOVE),
                             "joints[0].anchor", "missing"),
    "anchor_in_space": (joint(anchor=[0, 0, 0]), "joints[0].anchor", "coordinates"),
    "distance_of_zero": (edit(joint(type="distance", anchor_a=[0, 0], anchor_b=[0, 0]), "joints.0.anchor", REMOVE),
                         "joints[0].anchor_b"),
    "negative_friction_of_a_joint": (joint(coulomb=-1), "joints[0].coulomb", "negative"),
    "friction_of_a_fixed_joint": (joint(type="fixed", viscous=1), "joints[0].viscous", "fixed"),
    "displacement_of_a_fixed_joint": (joint(type="fixed", displacement=1), "joints[0].displacement", "prismatic"),
    "displacement_of_what_is_fixed": (joint(a="base", b="a", displacement=1), "joints[0].displacement", "fixed"),
    "friction_in_a_joint_for_contact": (joint(coulomb=1), "joints[0]", "joint-friction"),
    "bearing_without_a_hole": (bearing(hole=REMOVE), "bearings[0].hole", "missing"),
    "unknown_body_in_a_bearing": (bearing(pin="nobody"), "bearings[0].pin", "nobody"),
    "bearing_of_a_body_with_itself": (bearing(pin="ground"), "bearings[0].hole", "two bodies"),
    "bearing_of_fixed_bodies": ({**bearing(pin="base"), "bodies": [*SPACE["bodies"], {"name": "base", "fixed": True}]},
                                "bearings[0].hole", "fixed"),
    "unknown_field_of_a_bearing": (bearing(angle=1), "bearings[0].angle", "unknown"),
    "bearing_without_a_center": (bearing(center=REMOVE), "bearings[0].center", "missing"),
    "center_of_a_bearing_in_the_plane": (bearing(center=[0, 0]), "bearings[0].center", "coordinates"),
    "bearing_without_an_axis": (bearing(axis=REMOVE), "bearings[0].axis", "missing"),
    "bearing_with_axis_zero": (bearing(axis=[0, 0, 0]), "bearings[0].axis", "zero"),
    "direction_of_a_bearing_along_its_axis": (bearing(direction=[0, 0, 2]), "bearings[0].direction", "axis"),
    "bearing_without_a_radius": (bearing(radius=REMOVE), "bearings[0].radius", "missing"),
    "bearing_of_radius_zero": (bearing(radius=0), "bearings[0].radius", "positive"),
    "negative_clearance": (bearing(clearance=-1e-4), "bearings[0].clearance", "negative"),
    "bearing_of_two_corners": (bearing(corners=2), "bearings[0].corners", "3..360"),
    "bearing_of_half_a_corner": (bearing(corners=3.5), "bearings[0].corners", "integer"),
    "bearing_of_one_section": (bearing(sections=1), "bearings[0].sections", "2..100"),
    "bearing_without_a_length": (bearing(length=REMOVE), "bearings[0].length", "missing"),
    "axis_of_a_bearing_in_the_plane": (bearing_in_the_plane(axis=[0, 0, 1]), "bearings[0].axis", "3D"),
    "length_of_a_bearing_in_the_plane": (bearing_in_the_plane(length=1), "bearings[0].length", "3D"),
    "displacement_of_a_bearing": ({**joint(displacement=1), **{"bearings": bearing_in_the_plane(pin="a", hole="base")["bearings"]}},
                                  "joints[0].displacement", "bearing"),
    "bearing_with_implicit_geometry": ({**bearing(), "formulation": "geometric-implicit"}, "bearings", "geometric-implicit"),
    "unused_anchors": (joint(anchor_a=[1, 0]), "joints[0].anchor_a"),
    "unknown_body_in_a_pair": (edit(PLANE, "pairs", [{"a": "nobody", "b": "a"}]), "pairs[0].a", "nobody"),
    "unknown_body_in_a_load": (edit(PLANE, "loads", [{"body": "nobody"}]), "loads[0].body", "nobody"),
    "negative_damping_of_a_spring": (edit(PLANE, "springs", [{"a": "a", "b": "base", "anchor_a": [0, 0], "length": 0, "damping": -1,
                                                              "anchor_b": [1, 0], "stiffness": 1}]), "springs[0].damping", "negative"),
    "unknown_body_in_a_spring": (edit(PLANE, "springs", [{"a": "nobody", "b": "base", "anchor_a": [0, 0], "length": 0,
                                                          "anchor_b": [1, 0], "stiffness": 1}]), "springs[0].a"),
    "spring_of_a_body_with_itself": (edit(PLANE, "springs", [{"a": "a", "b": "a", "anchor_a": [0, 0], "length": 0,
                                                              "anchor_b": [1, 0], "stiffness": 1}]), "springs[0].b", "two bodies"),
    "joint_of_fixed_bodies": ({**joint(a="post"), "bodies": [*PLANE["bodies"], {"name": "post", "fixed": True}]},
                              "joints[0].b", "fixed"),
    "velocity_of_a_fixed_body": (edit(SPACE, "bodies.0.velocity", [1, 0, 0]), "bodies[0].velocity", "fixed"),
    "spin_of_a_fixed_body": (edit(PLANE, "bodies.0.angular_velocity", 1), "bodies[0].angular_velocity", "fixed"),
    "mass_of_a_fixed_body_that_is_no_number": (edit(SPACE, "bodies.0.mass", "2*q"), "bodies[0].mass", "\"q\""),
    "negative_mu": (edit(SPACE, "contact.mu", -0.1), "contact.mu", "negative"),
    "restitution_above_1": (edit(SPACE, "contact.restitution", 1.5), "contact.restitution", "1"),
    "no_e_t": (edit(SPACE, "contact.e_t", 0), "contact.e_t", "positive"),
    "negative_e_o": (edit(SPACE, "contact.e_o", -1), "contact.e_o", "positive"),
    "negative_e_r": (edit(SPACE, "contact.e_r", -0.1), "contact.e_r", "negative"),
    "e_r_that_is_no_number": (edit(SPACE, "contact.e_r", [0.1]), "contact.e_r", "number"),
    "direction_of_zero": (edit(SPACE, "contact.direction", [0, 0, 0]), "contact.direction", "zero"),
    "direction_of_two": (edit(SPACE, "contact.direction", [1, 0]), "contact.direction", "coordinates"),
    "e_o_in_the_plane": (edit(PLANE, "contact", {"e_o": 1}), "contact.e_o", "3D"),
    "e_r_in_the_plane": (edit(PLANE, "contact", {"e_r": 0}), "contact.e_r", "3D"),
    "direction_in_the_plane": (edit(PLANE, "contact", {"direction": [1, 0]}), "contact.direction", "3D"),
    "stiffness_0": (edit(SPACE, "contact.stiffness", 0), "contact.stiffness", "positive"),
    "infinite_stiffness": (edit(SPACE, "contact.stiffness", "inf"), "contact.stiffness", "inf"),
    "negative_dissipation": (edit(SPACE, "contact", {"stiffness": 1, "dissipation": -1}), "contact.dissipation", "negative"),
    "dissipation_of_a_rigid_contact": (edit(SPACE, "contact.dissipation", 0.1), "contact.dissipation", "stiffness"),
    "stiffness_and_restitution": (edit(SPACE, "contact", {"stiffness": 1, "restitution": 0.5}), "contact.restitution",
                                  "stiffness"),
    "unknown_field_of_a_contact": (edit(SPACE, "contact.e_n", 1), "contact.e_n", "unknown"),
    "unknown_field_of_a_pair": (pair(e_n=1), "pairs[0].e_n", "unknown"),
    "no_e_t_of_a_pair": (pair(e_t=0), "pairs[0].e_t", "positive"),
    "no_e_o_of_a_pair": (pair(e_o=0), "pairs[0].e_o", "positive"),
    "negative_e_r_of_a_pair": (pair(e_r=-1), "pairs[0].e_r", "negative"),
    "direction_of_zero_of_a_pair": (pair(direction=[0, 0, 0]), "pairs[0].direction", "zero"),
    "direction_of_a_pair_in_the_plane": (edit(PLANE, "pairs", [{"a": "a", "b": "base", "direction": [1, 0]}]),
                                         "pairs[0].direction", "3D"),
    "e_r_of_pairs_in_the_plane": (edit(PLANE, "pairs", [{"repeat": {"i": 1}, "of": {"a": "a", "b": "*", "e_r": 1}}]),
                                  "pairs[0].of.e_r", "3D"),
    "stiffness_0_of_a_pair": (pair(stiffness=0), "pairs[0].stiffness", "positive"),
    "dissipation_of_a_rigid_pair": ({**pair(dissipation=1), "contact": {"stiffness": 1}}, "pairs[0].dissipation", "stiffness"),
    "stiffness_and_restitution_of_a_pair": (pair(stiffness=1, restitution=1), "pairs[0].restitution", "stiffness"),
    "point_joint": (joint(type="point"), "joints[0].type", "spherical"),
    "spherical_joint_in_the_plane": (joint(type="spherical"), "joints[0].type", "3D", "revolute"),
    "spherical_joint_without_anchor": ({**SPACE, "joints": [{"name": "j", "type": "spherical", "a": "ball", "b": "ground"}]},
                                       "joints[0].anchor", "missing"),
    "empty_table": (table([]), "loads[0].force[1].table", "empty"),
    "table_that_is_none": (table(1), "loads[0].force[1].table", "array"),
    "flat_table": (table([0, 1]), "loads[0].force[1].table", "arrays"),
    "row_of_one": (table([[0, 1], [1]]), "loads[0].force[1].table[1]", "time"),
    "row_of_three": (table([[0, 1, 2]]), "loads[0].force[1].table[0]", "time"),
    "row_of_words": (table([[0, "x"]]), "loads[0].force[1].table[0]", "\"x\""),
    "row_with_null": (table([[0, None]]), "loads[0].force[1].table[0]", "number"),
    "times_that_fall": (table([[0, 1], [2, 1], [1, 1]]), "loads[0].force[1].table[2]", "rise"),
    "a_time_twice": (table([[0, 1], [0, 2]]), "loads[0].force[1].table[1]", "rise"),
    "unknown_field_of_a_load": (edit(table([[0, 1]]), "loads.0.force.1.period", 1), "loads[0].force[1].period", "unknown"),
    "impulse_without_time": (impulse(time=REMOVE), "impulses[0]", "time or when"),
    "impulse_with_time_and_when": (impulse(when={"body": "a", "quantity": "x", "above": 1}), "impulses[0]", "time or when"),
    "times_of_an_impulse_at_a_time": (impulse(times=2), "impulses[0].times", "when is missing"),
    "impulse_no_times": ({**when(), "impulses": [{**when()["impulses"][0], "times": 0}]}, "impulses[0].times", "1.."),
    "impulse_one_and_a_half_times": ({**when(), "impulses": [{**when()["impulses"][0], "times": 1.5}]}, "impulses[0].times", "integer"),
    "negative_time": (impulse(time=-1), "impulses[0].time", "negative"),
    "unknown_body_in_an_impulse": (impulse(body="nobody"), "impulses[0].body", "nobody"),
    "impulse_without_body": (impulse(body=REMOVE), "impulses[0].body", "missing"),
    "impulse_on_a_fixed_body": (impulse(body="base"), "impulses[0].body", "fixed"),
    "impulse_of_three_in_the_plane": (impulse(linear=[1, 2, 3]), "impulses[0].linear", "coordinates"),
    "angular_impulse_of_three_in_the_plane": (impulse(angular=[0, 0, 1]), "impulses[0].angular", "number"),
    "impulse_of_two_in_space": ({**SPACE, "impulses": [{"body": "ball", "linear": [1, 0], "time": 0}]},
                                "impulses[0].linear", "coordinates"),
    "angular_impulse_of_one_in_space": ({**SPACE, "impulses": [{"body": "ball", "angular": 1, "time": 0}]},
                                        "impulses[0].angular", "array"),
    "unknown_field_of_an_impulse": (impulse(force=[1, 0]), "impulses[0].force", "unknown"),
    "unknown_quantity": (when(quantity="height"), "impulses[0].when.quantity", "speed"),
    "no_quantity": (when(quantity=REMOVE), "impulses[0].when.quantity", "missing"),
    "neither_above_nor_below": (when(above=REMOVE), "impulses[0].when", "above or below"),
    "above_and_below": (when(below=0), "impulses[0].when", "above or below"),
    "above_a_word": (when(above="high"), "impulses[0].when.above", "\"high\""),
    "unknown_body_in_a_condition": (when(body="nobody"), "impulses[0].when.body", "nobody"),
    "unknown_field_of_a_condition": (when(time=0), "impulses[0].when.time", "unknown"),
    "condition_that_is_no_object": (impulse(time=REMOVE, when=3), "impulses[0].when", "object"),
    "negative_count": (edit(PLANE, "bodies", [{"repeat": {"i": -1}, "of": {"name": "b_{i}", "fixed": True}}]),
                       "bodies[0].repeat.i", "-1"),
    "broken_count": (edit(PLANE, "bodies", [{"repeat": {"i": "3/2"}, "of": {"name": "b_{i}", "fixed": True}}]),
                     "bodies[0].repeat.i", "1.5"),
    "repeat_without_index_in_the_name": (edit(PLANE, "bodies", [{"repeat": {"i": 2}, "of": {"name": "b", "fixed": True}}]),
                                         "bodies[0].of.name", "already"),
    "repeat_without_of": (edit(PLANE, "bodies", [{"repeat": {"i": 2}, "name": "b"}]), "bodies[0]"),
    "step_0": (edit(SPACE, "step", 0), "step", "positive"),
    "hidden_root_of_a_negative_number": (edit(SPACE, "step", "min(1, sqrt(0 - 1))"), "step", "compares what is not finite"),
    "hidden_infinity": (edit(SPACE, "step", "1/(1/0) + 1"), "step", "divides by what is not finite"),
    "not_of_nothing": (edit(SPACE, "step", "not (0/0)"), "step", "compares what is not finite"),
    "negative_duration": (edit(SPACE, "duration", -1), "duration", "positive"),
    "truncated": (json.dumps(SPACE)[:-30], "json", "line 1"),
    "empty": ("", "empty"),
    "array": ("[]", "object"),
})
class TestBadScenes(SimulateTestCase):
    def check(self, content, *words):
        path = self.write("bad.json", content)
        self.refuse(path, "--record", self.folder / "out", words=["bad.json", *words])
        self.assertFalse((self.folder / "out").exists(), "a refused scene leaves no records")


class TestSchemaRefuses(SimulateTestCase):
    # What needs more than the form of the file: names, values of expressions, geometry.
    BEYOND = {"bad_expression", "unknown_name_in_an_expression", "infinite_expression", "hidden_root_of_a_negative_number", "hidden_infinity",
              "not_of_nothing", "deep_expression", "no_inertia",
              "null_quaternion", "repeated_body_name", "clockwise_polygon", "non_convex_polygon", "star_polygon",
              "polygon_away_from_its_mass_centre", "flat_polyhedron", "unbounded_polyhedron", "empty_polyhedron",
              "displacement_of_what_is_fixed", "friction_in_a_joint_for_contact", "no_such_obj", "unknown_body_in_a_joint", "joint_of_a_body_with_itself",
              "distance_of_zero", "unknown_body_in_a_pair", "unknown_body_in_a_load", "unknown_body_in_a_spring",
              "broken_count", "repeat_without_index_in_the_name", "infinite_stiffness", "direction_of_zero",
              "direction_of_zero_of_a_pair", "row_of_words", "times_that_fall", "a_time_twice", "unknown_body_in_an_impulse",
              "impulse_on_a_fixed_body", "above_a_word", "unknown_body_in_a_condition", "unknown_body_in_a_bearing",
              "bearing_of_a_body_with_itself", "bearing_of_fixed_bodies", "bearing_with_axis_zero", "displacement_of_a_bearing",
              "direction_of_a_bearing_along_its_axis", "bearing_with_implicit_geometry", "spring_of_a_body_with_itself",
              "joint_of_fixed_bodies", "velocity_of_a_fixed_body", "spin_of_a_fixed_body", "mass_of_a_fixed_body_that_is_no_number"}

    def test_what_the_program_refuses(self):
        source = {name[5:]: getattr(TestBadScenes, name).__defaults__[0][0]
                  for name in dir(TestBadScenes) if name.startswith("test_")}
        self.assertLessEqual(self.BEYOND, set(source))
        for name, scene in source.items():
            if isinstance(scene, dict):
                self.assertEqual(schema_errors(scene, "scene") == [], name in self.BEYOND, name)


@with_cases({
    "no_thread": (("pendulum", "--threads", 0), "--threads", "whole number"),
    "unknown_scene": (("no-such-scene",), "no-such-scene", "box-stack"),
    "missing_file": (("none.json",), "none.json"),
    "unknown_parameter": (("pendulum", "--param", "mu=1"), "pendulum.json", "\"mu\"", "length"),
    "parameter_that_is_no_number": (("pendulum", "--param", "length=long"), "length"),
    "parameter_out_of_range": (("box-on-ramp", "--param", "mu=-1"), "box-on-ramp.json", "contact.mu", "negative"),
    "unknown_formulation": (("pendulum", "--formulation", "magic"), "magic", "stewart-trinkle", "anitescu-potra"),
    "unknown_option": (("pendulum", "--formulation", "stewart-trinkle:corners=4"), "corners", "edges"),
    "no_options": (("pendulum", "--formulation", "stewart-trinkle:"), "key=value"),
    "option_missing_at_the_end": (("pendulum", "--formulation", "stewart-trinkle:edges=4,"), "edges=4,", "key=value"),
    "option_missing_between": (("pendulum", "--formulation", "stewart-trinkle:edges=4,,gap=ball"), "key=value"),
    "odd_edges": (("box-on-ramp", "--formulation", "stewart-trinkle:edges=5"), "edges", "even"),
    "two_edges": (("box-on-ramp", "--formulation", "stewart-trinkle:edges=2"), "edges"),
    "edges_without_value": (("box-on-ramp", "--formulation", "stewart-trinkle:edges"), "edges"),
    "negative_rest_speed": (("sphere-collision", "--formulation", "stewart-trinkle:rest_speed=-1"), "rest_speed", "-1"),
    "rest_speed_that_is_no_number": (("sphere-collision", "--formulation", "anitescu-potra:rest_speed=slow"), "rest_speed", "slow"),
    "rest_speed_without_value": (("sphere-collision", "--formulation", "stewart-trinkle:rest_speed"), "rest_speed"),
    "rest_speed_nan": (("sphere-collision", "--formulation", "stewart-trinkle:rest_speed=nan"), "rest_speed", "nan"),
    "bad_velocities": (("box-on-ramp", "--formulation", "anitescu-potra:velocities=gone"), "velocities"),
    "unknown_solver": (("pendulum", "--solver", "magic"), "magic"),
    "unknown_setting": (("pendulum", "--set", "magic=1"), "magic"),
    "bad_selection": (("pendulum", "--record-problems", "5:1", "--record", "/nonexistent/run"), "--record-problems", "5:1"),
    "selection_from_zero": (("pendulum", "--record-problems", "0:1", "--record", "/nonexistent/run"), "--record-problems", "0:1"),
    "no_contacts_without_record": (("pendulum", "--no-contacts"), "--no-contacts", "--record"),
    "selection_without_record": (("pendulum", "--record-problems", "1:5"), "--record-problems", "--record"),
    "sequence_without_record": (("pendulum", "--sequence"), "--sequence", "--record"),
    "unknown_driver": (("pendulum", "--driver", "magic"), "--driver", "event-driven"),
    "event_driven_with_gaps": (("sphere-collision", "--driver", "event-driven"), "--driver", "anitescu-potra"),
    "event_driven_with_gaps_named": (("sphere-collision", "--driver", "event-driven", "--formulation", "stewart-trinkle:edges=8"),
                                     "--driver", "anitescu-potra"),
    "event_driven_with_two_lengths": (("sphere-collision", "--driver", "event-driven", "--formulation", "anitescu-potra",
                                       "--step", "0.01,0.02"), "--step", "single length"),
    "no_events": (("pendulum", "--max-events", "0"), "--max-events"),
    "step_0": (("pendulum", "--step", "0"), "--step"),
    "negative_duration": (("pendulum", "--duration", "-1"), "--duration"),
    "unknown_flag": (("pendulum", "--magic"), "--magic"),
    "no_scene": ((), "SCENE"),
    "too_many_steps": (("pendulum", "--duration", "1e300"), "step"),
})
class TestBadUsage(SimulateTestCase):
    def check(self, arguments, *words):
        try:
            self.refuse(*arguments, words=words)
        except subprocess.TimeoutExpired:
            self.fail("it runs")

    def test_compliant_contacts_need_stewart_trinkle(self):
        for scene in ({**SPACE, "contact": {"stiffness": 1}}, pair(stiffness=1)):
            path = self.write("soft.json", scene)
            self.refuse(path, "--formulation", "anitescu-potra", words=["anitescu-potra", "stiffness"])
            self.succeed("simulate", path)

    def test_records_that_cannot_be_written(self):
        blocker = self.write("file", "x")
        self.refuse("pendulum", "--record", blocker / "out", words=["cannot be"])


class TestOutput(SimulateTestCase):
    def test_json_is_one_document(self):
        document = parse_json(self.succeed("simulate", "sphere-collision", "--duration", 0.1, "--json"))
        self.assertEqual((document["scene"], document["formulation"], document["steps"], document["failed_steps"]),
                         ("sphere-collision", "stewart-trinkle", 10, 0))
        self.assertEqual((document["driver"], document["uncertified_steps"], document["events"]), ("time-stepping", 0, 0))
        self.assertEqual([item["name"] for item in document["bodies"]], ["ground", "first", "second"])

    def test_a_step_that_fails_stops_the_run(self):
        records = self.simulate("box-on-ramp", "--solver", "exec:false", "--keep-going", code=1, name="on")
        self.assertEqual({row["step"] for row in records["steps"]}, set(range(1, 21)))
        self.assertEqual(self.run_json("on")["failed_steps"], 20)
        records = self.simulate("box-on-ramp", "--solver", "exec:false", code=1)
        self.assertEqual({row["step"] for row in records["steps"]}, {1})
        where = {step: [(row["body"], row["px"], row["py"], row["vx"], row["vy"]) for row in records["trajectory"] if row["step"] == step]
                 for step in (0, 1)}
        self.assertEqual(where[0], where[1])  # nobody knows how they move
        run = self.run_json()
        self.assertEqual((run["complete"], run["steps"], run["failed_steps"]), (False, 1, 1))
        self.assertNotEqual(run["message"], "")
        self.assertNotEqual(list((self.folder / "out" / "problems").iterdir()), [])

    def test_records(self):
        for name, duration, h in (("pendulum", 0.5, 0.02), ("chain", 0.1, 0.01), ("box-on-ramp", 0.4, 0.02),
                                  ("box-stack", 0.1, 0.01), ("disc-polygon", 0.3, 0.03)):
            with self.subTest(name):
                scene = parse_json(SCENES[name].read_text())
                records = self.simulate(name, "--duration", duration, "--step", h, name=name)
                steps = round(duration / h)
                fixed = {item["name"] for item in scene["bodies"] if item.get("fixed")}
                trajectory = records["trajectory"]
                moving = [row["body"] for row in trajectory if row["step"] == 0]
                self.assertFalse(fixed & set(moving))
                self.assertEqual([(row["step"], row["body"]) for row in trajectory],
                                 [(k, who) for k in range(steps + 1) for who in moving])
                self.assertEqual([row["step"] for row in records["steps"]], list(range(1, steps + 1)))
                for rows in records.values():
                    for row in rows:
                        self.assertAlmostEqual(row["t"], row["step"] * h, 13)
                for row in trajectory:
                    self.assertAlmostEqual(math.hypot(*vector(row, "qw", "qx", "qy", "qz")), 1, 13)
                for row in records["steps"]:
                    now = [r for r in trajectory if r["step"] == row["step"]]
                    for column in ("kinetic", "potential"):
                        self.assertAlmostEqual(row[column], sum(r[column] for r in now), 10)
                    self.assertEqual(row["contacts"], sum(r["step"] == row["step"] for r in records["contacts"]))
                    self.assertEqual((row["status"], row["relaxation"], row["certificate"], row["h"]),
                                     ("solved", 1, "none", h))
                run = self.run_json(name)
                self.assertEqual((run["scene"], run["formulation"], run["solver"], run["h"], run["complete"],
                                  run["steps"], run["failed_steps"], run["relaxed_steps"], run["stages"], run["message"]),
                                 (name, "stewart-trinkle", "auto", h, True, steps, 0, 0, steps, ""))
                self.assertEqual((run["driver"], run["uncertified_steps"], run["events"]), ("time-stepping", 0, 0))
                self.assertEqual(set(run["parameters"]), set(scene.get("parameters", {})))
                self.assertEqual(run["iterations"], sum(row["iterations"] for row in records["steps"]))
                self.assertEqual((set(run["times"]), set(run["versions"])),
                                 ({"setup", "solve", "wall"}, {"perp", "compiler"}))

    def test_the_name_of_a_strategy_is_one_field(self):
        strategy = 'first(try(newton-ac:scaling="none", from=start), try(newton-ac, from=start))'  # no start: nothing is tried
        records = self.simulate("box-on-ramp", "--formulation", "coulomb-implicit", "--solver", strategy,
                                "--duration", 0.04, code=1)
        self.assertEqual({row["solver"] for row in records["steps"]}, {strategy})

    def test_penalty_has_contacts_without_a_problem(self):
        records = self.simulate("box-stack", "--formulation", "penalty:stiffness=100000", "--duration", 0.05, "--step", 0.001)
        counts = {k: sum(row["step"] == k for row in records["contacts"]) for k in range(1, 51)}
        self.assertGreater(max(counts.values()), 0)
        for row in records["steps"]:
            count = counts[row["step"]]
            self.assertEqual((row["contacts"], row["stage"]), (count, "explicit" if count else "free"))

    def test_an_interrupted_run_says_so(self):
        for what in (signal.SIGINT, signal.SIGTERM):
            out = self.folder / f"run{what}"
            running = subprocess.Popen([PERP, "simulate", "pendulum", "--duration", "100000", "--record", str(out)],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            steps = out / "steps.csv"
            while not (steps.exists() and steps.stat().st_size > 2000):
                time.sleep(0.01)
            running.send_signal(what)
            running.wait(60)
            told = json.loads((out / "run.json").read_text())
            self.assertEqual((told["complete"], told["message"]), (False, "interrupted"))
            self.assertGreater(told["steps"], 0)

    def test_a_step_without_contacts_has_its_row_too(self):
        records = self.simulate(edit(SPACE, "bodies.1.position", [0, 0, 100]))
        self.assertEqual([row["step"] for row in records["steps"]], list(range(1, 11)))

    def test_step_0_is_the_initial_state(self):
        first = self.simulate("sphere-collision", "--duration", 0.02, "--param", "speed=3")["trajectory"][:2]
        self.assertEqual([row["body"] for row in first], ["first", "second"])
        self.assertEqual(vector(first[0], "step", "t", "px", "py", "pz", "qw", "vx", "kinetic"), [0, 0, 0, 0, 0.5, 1, 3, 4.5])
        self.assertEqual(vector(first[1], "px", "py", "pz", "vx", "vy", "vz", "wx"), [1.5, 0.2, 0.5, 0, 0, 0, 0])
        first = self.simulate("disc-polygon", "--duration", 0.02)["trajectory"][0]
        self.assertEqual(vector(first, "px", "py", "vx", "vy", "wz", "kinetic", "potential"), [0, 1, -3, 0, 3, 6.75, GRAVITY])

    def test_positions_follow_from_velocities(self):
        rows = self.simulate("sphere-collision", "--duration", 1)["trajectory"]
        for old, new in zip(rows, rows[2:]):
            for p, v in (("px", "vx"), ("py", "vy"), ("pz", "vz")):
                self.assertAlmostEqual(new[p], old[p] + 0.01 * new[v], 14)

    def test_normals_push_on_the_first_body(self):
        for row in self.simulate("sphere-collision", "--duration", 1)["contacts"]:
            if row["body_b"] == "ground":
                self.assertEqual(vector(row, "nx", "ny", "nz"), [0, 0, 1])
            else:
                self.assertEqual((row["body_a"], row["body_b"]), ("second", "first"))
                self.assertGreater(row["nx"], 0.5)

    def test_what_spins_on_the_spot_slides(self):
        """Torsional friction is at its limit: by the beginning's geometry as by that of the end."""
        for formulation in ("stewart-trinkle", "anitescu-potra", "geometric-implicit"):
            self.succeed("simulate", "spinning-sphere", "--formulation", formulation, "--duration", 0.07, "--record", self.folder / formulation)
            self.assertEqual([row["mode"] for row in self.rows("contacts", formulation)], ["slide"], formulation)

    def test_threads_change_no_byte(self):
        # From 0.31 s on the factorisations are large enough for several threads.
        options = ("--formulation", "max-dissipation-step", "--tolerance", "1e-6", "--duration", 0.35)
        for threads in (1, 3):
            self.succeed("simulate", "granular", *options, "--threads", threads, "--record", self.folder / f"on{threads}")
        for file in ("trajectory.csv", "contacts.csv"):
            one, three = ((self.folder / f"on{threads}" / file).read_bytes() for threads in (1, 3))
            self.assertEqual(one, three, file)

    def test_two_runs_give_the_same_bytes(self):
        for name, duration in (("box-stack", 0.3), ("falling-boxes", 0.2), ("sphere-collision", 2), ("chain", 0.5)):
            for run in ("one", "two"):
                self.simulate(name, "--duration", duration, name=run)
            for file in ("trajectory.csv", "contacts.csv", "joints.csv"):
                one, two = [(self.folder / run / file).read_bytes() for run in ("one", "two")]
                self.assertEqual(one, two, f"{name}: {file}")

    def test_recorded_problems_can_be_solved_again(self):
        for name, options, kind in (("box-on-ramp", "", "lcp"), ("chain", "", "mlcp"), ("sphere-collision", "", "lcp"),
                                    ("disc-polygon", "", "lcp"), ("box-on-ramp", ":velocities=kept,edges=8", "mlcp")):
            for formulation in ("stewart-trinkle", "anitescu-potra"):
                out = f"{name}-{formulation}-{len(options)}"
                self.simulate(name, "--record-problems", "1:5", "--duration", 0.2, "--formulation", formulation + options,
                              name=out)
                files = sorted((self.folder / out / "problems").iterdir())
                posed = {int(row["step"]) for row in self.rows("steps", out) if row["stage"] != "free"} & set(range(1, 6))
                self.assertEqual([path.name for path in files], [f"{k:06}-contact.json" for k in sorted(posed)])
                self.assertIn(1, posed)
                for path in files:
                    problem = parse_json(path.read_text())
                    self.assert_valid(problem, "problem")
                    self.assertEqual(problem["kind"], kind)
                    self.assertEqual((problem["source"]["scene"], problem["source"]["formulation"]), (name, formulation + options))
                    self.succeed("solve", path, "--solver", "lemke", "--tolerance", 1e-10)

    def test_contacts_may_be_left_out_of_the_record(self):
        run = ("simulate", "box-stack", "--duration", 0.05, "--record", self.folder / "run")
        self.succeed(*run)
        self.assertTrue((self.folder / "run" / "contacts.csv").exists())
        steps = (self.folder / "run" / "trajectory.csv").read_text()
        self.succeed(*run, "--no-contacts")  # that of the run before goes too
        self.assertFalse((self.folder / "run" / "contacts.csv").exists())
        self.assertEqual((self.folder / "run" / "trajectory.csv").read_text(), steps)

    def test_which_problems_are_recorded(self):
        for choice, count in (("none", 0), ("failed", 0), ("all", 10), ("2:3", 2), ("9:20", 2)):
            self.simulate("pendulum", "--duration", 0.1, "--record-problems", choice, name=choice.replace(":", "-"))
            folder = self.folder / choice.replace(":", "-") / "problems"
            self.assertEqual(len(list(folder.iterdir())) if folder.exists() else 0, count, choice)

    def test_a_folder_that_is_used_again_loses_its_problems(self):
        self.simulate("pendulum", "--duration", 0.1, "--record-problems", "all")
        self.simulate("pendulum", "--duration", 0.05, "--record-problems", "1:2", "--sequence")
        out = self.folder / "out"
        self.assertFalse((out / "problems").exists())
        lines = (out / "problems.jsonl").read_text().splitlines()
        self.assertEqual([parse_json(line)["name"] for line in lines],
                         ["pendulum", "pendulum-000001-contact", "pendulum-000002-contact"])
        self.simulate("pendulum", "--duration", 0.05)
        self.assertFalse((out / "problems.jsonl").exists())

    def test_the_text_names_the_model_and_shows_rounding_as_zero(self):
        scene = {**PLANE, "duration": 0.05, "step": 0.01}
        scene = edit(edit(scene, "bodies.1.position", [1, -7e-18]), "bodies.1.velocity", [1, -3e-17])
        text = self.succeed("simulate", self.write("scene.json", scene))
        self.assertIn("\n  formulation stewart-trinkle\n", text)
        self.assertIn("\n  a         position (1.05, 0, 0), velocity (1, 0, 0)\n", text)

    def test_relaxed_steps_have_their_certificates(self):
        # A disc between walls that are nearer than it is wide: no velocity opens both gaps.
        walls = [{"name": name, "fixed": True, "shape": {"type": "half_space", "normal": [side, 0], "offset": -0.099999}}
                 for name, side in (("left", 1), ("right", -1))]
        disc = {"name": "disc", "mass": 1, "shape": {"type": "disc", "radius": 0.1}}
        scene = {**PLANE, "bodies": [*walls, disc], "gravity": [0, -GRAVITY], "contact": {"mu": 0.5}, "duration": 0.05}
        self.assert_valid(scene, "scene")
        records = self.simulate(scene)
        for row in records["steps"]:
            self.assertLess(row["relaxation"], 1)
            self.assertEqual(row["certificate"], "none" if row["status"] == "solved" else "farkas")
        self.assertGreater(sum(row["certificate"] == "farkas" for row in records["steps"]), 0)
        run = self.run_json()
        self.assertEqual((run["relaxed_steps"], run["uncertified_steps"]), (5, 0))
        self.assertIn("5 relaxed (0 without certificate)", self.succeed("simulate", self.folder / "scene.json"))

    def interrupt(self, which):
        """Sends the signal to a long run once it has written some steps; returns the exit code and what it left."""
        command = [PERP, "simulate", "box-stack", "--param", "rows=4", "--duration", "10000", "--record",
                   str(self.folder / "out")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            try:
                steps = self.folder / "out" / "steps.csv"
                until = time.monotonic() + 20
                while not (steps.exists() and steps.stat().st_size > 5000) and time.monotonic() < until:
                    time.sleep(0.01)
                process.send_signal(which)
                process.communicate(timeout=20)
            finally:
                process.kill()
        self.assertFalse(self.run_json()["complete"])
        records = {file: self.rows(file, whole=which == signal.SIGINT) for file in COLUMNS}
        self.assertGreater(len(records["steps"]), 10)
        self.assertEqual([row["step"] for row in records["steps"]], list(range(1, len(records["steps"]) + 1)))
        return process.returncode, records

    def test_interrupt(self):
        code, records = self.interrupt(signal.SIGINT)
        self.assertEqual(code, -signal.SIGINT)
        self.assertEqual(self.run_json()["steps"], len(records["steps"]))
        self.assertEqual(len(records["trajectory"]), 4 * (len(records["steps"]) + 1))

    def test_kill(self):
        self.assertEqual(self.interrupt(signal.SIGKILL)[0], -signal.SIGKILL)


RUNS = {
    "pendulum": ("pendulum",),
    "pendulum_coarse": ("pendulum", "--step", "0.1"),
    "disc_10": ("disc-polygon", "--param", "N=10"),
    "disc_50": ("disc-polygon", "--param", "N=50"),
    "ramp": ("box-on-ramp",),
    "ramp_across": ("box-on-ramp", "--param", "vx=1", "--param", "vy=1"),
    "ramp_up": ("box-on-ramp", "--param", "vx=-1", "--param", "slope=10"),
    "ramp_steep": ("box-on-ramp", "--param", "slope=60", "--param", "vy=-2"),
    "sphere_collision": ("sphere-collision",),
    "four_bar": ("four-bar",),
    "chain": ("chain",),
    "box_stack": ("box-stack", "--param", "rows=3", "--duration", "0.3"),
    "falling_boxes": ("falling-boxes", "--param", "layers=2", "--param", "across=2", "--duration", "0.5"),
}


@with_cases(RUNS, method="laws")
class TestMechanics(SimulateTestCase):
    """Laws that hold whatever the solver does, from the CSV files; friction pyramids with 4 edges along t and o."""

    def laws(self, name, *arguments):
        for formulation in ("stewart-trinkle", "anitescu-potra"):
            with self.subTest(formulation):
                records = self.simulate(name, *arguments, "--formulation", formulation)
                self.energy_does_not_rise(records)
                self.friction_is_in_the_pyramid(records["contacts"], self.run_json()["parameters"].get("mu", 0))
                for row in records["steps"]:
                    self.assertLessEqual(row["momentum_error"], 1e-12, f"step {row['step']}")
                    self.assertLessEqual(row["contact_work"], 1e-9 + row["feeding"], f"step {row['step']}")

    def energy_does_not_rise(self, records):
        energy = {}
        for row in records["trajectory"]:
            energy[row["step"]] = energy.get(row["step"], 0.0) + row["kinetic"] + row["potential"]
        feeding = {row["step"]: row["feeding"] for row in records["steps"]}
        self.assertGreater(len(feeding), 5)
        for step in list(energy)[1:]:
            allowed = feeding.get(step, 0.0)
            rise = energy[step] - energy[step - 1]
            self.assertLessEqual(rise, 1e-10 * (1 + abs(energy[step - 1])) + allowed, f"step {step}")

    def friction_is_in_the_pyramid(self, contacts, mu):
        scale = max([1e-3] + [row["p_n"] for row in contacts])
        for row in contacts:
            self.assertGreaterEqual(row["p_n"], -1e-12 * scale)
            self.assertLessEqual(abs(row["p_t"]) + abs(row["p_o"]), mu * row["p_n"] + 1e-9 * scale, f"step {row['step']}")
            self.assertEqual(row["p_r"], 0)
            if row["mode"] == "open":
                self.assertLessEqual(row["p_n"], 1e-9 * scale)


class TestKnownMotions(SimulateTestCase):
    def final(self, *arguments):
        return self.simulate(*arguments)["trajectory"][-1]

    def test_kinetic_energy_is_that_of_the_velocities(self):
        for row in self.simulate("sphere-collision")["trajectory"]:
            v, w = vector(row, "vx", "vy", "vz"), vector(row, "wx", "wy", "wz")
            self.assertAlmostEqual(row["kinetic"], 0.5 * math.hypot(*v) ** 2 + 0.05 * math.hypot(*w) ** 2, 12)
            self.assertAlmostEqual(row["potential"], GRAVITY * row["pz"], 12)

    def test_drift_of_the_pendulum(self):
        for h, drift in ((0.1, 9.67e-2), (0.01, 9.81e-4), (0.001, 9.81e-6)):
            largest = max(abs(row["theta"]) for row in self.simulate("pendulum", "--step", h)["joints"])
            self.assertAlmostEqual(largest / drift, 1, delta=0.01)

    def test_theta_is_that_of_the_state_before(self):
        records = self.simulate("pendulum")
        before = {row["step"] + 1: row for row in records["trajectory"]}
        for row in records["joints"]:
            p = before[row["step"]]
            self.assertAlmostEqual(row["theta"], (p["px"] ** 2 + p["py"] ** 2 - 1) / 2, 14)

    def test_free_fall(self):
        scene = edit({**SPACE, "duration": 0.5}, "bodies.1.position", [0, 0, 100])
        row = self.final(scene)
        self.assertAlmostEqual(row["vz"], -GRAVITY * 0.5, 12)
        self.assertAlmostEqual(row["pz"], 100 - GRAVITY * 0.01 ** 2 * 50 * 51 / 2, 10)

    def test_box_slides_down_the_ramp(self):
        row = self.final("box-on-ramp")
        self.assertAlmostEqual(row["vx"], GRAVITY * 0.4 * (0.5 - 0.3 * math.sqrt(0.75)), 10)
        self.assertAlmostEqual(row["vx"], 0.942515, delta=1e-6)

    def test_box_sticks_on_a_flat_ramp(self):
        row = self.final("box-on-ramp", "--param", "slope=16")  # tan 16 degrees = 0.287 < 0.3
        self.assertLess(abs(row["vx"]) + abs(row["px"]), 1e-12)
        row = self.final("box-on-ramp", "--param", "slope=17")
        self.assertGreater(row["vx"], 0.02)

    def test_box_across_the_ramp(self):
        ends = {}
        for edges in (4, 8, 16, 32):
            row = self.final("box-on-ramp", "--param", "vx=1", "--param", "vy=1", "--formulation",
                             f"stewart-trinkle:edges={edges}")
            ends[edges] = (row["vx"], row["vy"])
        self.assertAlmostEqual(ends[4][0], 1.9425, delta=1e-3)
        self.assertAlmostEqual(ends[4][1], 1.0, delta=1e-3)
        error = [math.dist(end, (2.0544, 0.5586)) for end in ends.values()]
        self.assertEqual(error, sorted(error, reverse=True))
        self.assertLess(error[-1], 0.01)

    def test_a_loaded_corner_stays_on_the_ramp(self):
        for more in ([], ["--param", "vx=1", "--param", "vy=1"], ["--param", "slope=10"]):
            records = self.simulate("box-on-ramp", *more)
            states = {row["step"]: row for row in records["trajectory"]}
            pushed = [row for row in records["contacts"] if row["p_n"] > 1e-12]
            self.assertGreater(len(pushed), 20)
            for row in pushed:
                old, new = states[row["step"] - 1], states[row["step"]]
                arm = [x - p for x, p in zip(vector(row, "x", "y", "z"), vector(old, "px", "py", "pz"))]
                local = turned_back(vector(old, "qw", "qx", "qy", "qz"), arm)
                self.assertLess(max(abs(abs(c) - 0.5) for c in local), 1e-9, "a corner")
                gap = new["pz"] + rotated(vector(new, "qw", "qx", "qy", "qz"), local)[2]
                self.assertLess(abs(gap), 1e-6)

    def test_energy_left_to_a_polygon_that_rolls(self):
        for sides, energy in ((20, 3.84), (50, 5.24), (100, 5.88)):
            row = self.final("disc-polygon", "--param", f"N={sides}")
            self.assertAlmostEqual(row["kinetic"] / energy, 1, delta=0.03, msg=f"N={sides}")

    def test_kept_and_eliminated_velocities_give_the_same_motion(self):
        for name in ("sphere-collision", "four-bar", "disc-polygon"):
            one, two = [self.final(name, "--duration", 0.3, "--formulation", f"stewart-trinkle:velocities={how}")
                        for how in ("kept", "eliminated")]
            for column in ("px", "py", "pz", "vx", "vy", "vz", "wx", "wy", "wz"):
                self.assertAlmostEqual(one[column], two[column], 8, f"{name}: {column}")

    def test_spheres_keep_the_momentum_of_a_frictionless_impact(self):
        rows = self.simulate("sphere-collision", "--param", "mu=0")["trajectory"]
        for k in range(0, len(rows), 2):
            self.assertAlmostEqual(rows[k]["vx"] + rows[k + 1]["vx"], 2, 10)
            self.assertAlmostEqual(rows[k]["vy"] + rows[k + 1]["vy"], 0, 10)

    def test_a_free_body_that_tumbles_gains_no_energy(self):
        scene = {**SPACE, "gravity": [0, 0, 0], "duration": 5,
                 "bodies": [{"name": "b", "mass": 1, "inertia": [1, 2, 3], "angular_velocity": [0.1, 5, 0.2]}]}
        rows = self.simulate(scene)["trajectory"]
        for old, new in zip(rows, rows[1:]):
            spin = turned_back(vector(new, "qw", "qx", "qy", "qz"), vector(new, "wx", "wy", "wz"))
            self.assertAlmostEqual(new["kinetic"], 0.5 * sum(i * s * s for i, s in zip((1, 2, 3), spin)), 10)
            self.assertLessEqual(new["kinetic"], old["kinetic"] * (1 + 1e-13))

    def test_restitution_of_a_ball(self):
        scene = {**edit(edit(SPACE, "bodies.1.position", [0, 0, 0.5]), "bodies.1.velocity", [0, 0, -4]),
                 "gravity": [0, 0, 0], "contact": {"restitution": 0.75}}
        records = self.simulate(scene)
        self.assertAlmostEqual(records["trajectory"][-1]["vz"], 3, 10)
        self.assertEqual([row["stage"] for row in records["steps"]][:2], ["contact", "restitution"])


def on_plane(height, contact, body=(), scene=(), half=(0.1, 0.1, 0.05)):
    """A box of 2 kg over the ground z = 0, its mass centre at the height."""
    block = {"name": "block", "mass": 2, "shape": {"type": "box", "half": list(half)}, "position": [0, 0, height]}
    return {**SPACE, "bodies": [SPACE["bodies"][0], {**block, **dict(body)}], "contact": contact, **dict(scene)}


FREE = {"format": "perp-scene", "version": 1, "name": "free", "dimension": 3, "step": 0.01, "duration": 1,
        "bodies": [{"name": "a", "mass": 2, "inertia": [1, 2, 4]}]}


class TestLoadsThatVary(SimulateTestCase):
    def test_the_momentum_of_a_table_is_its_integral(self):
        # Linear between multiples of the step and 0 at both ends: the sum over steps is the integral.
        tables = ([[0, 0], [0.2, 3], [0.5, -1], [0.8, 0]], [[0.1, 0], [0.3, "2*2"], [0.6, 0]], [[0, 0], [0.4, 5], [1, 0]])
        scene = {**FREE, "loads": [{"body": "a", "force": [{"table": table} for table in tables]}]}
        self.assert_valid(scene, "scene")
        row = self.simulate(scene)["trajectory"][-1]
        for name, integral in (("vx", 0.3 + 0.3 - 0.15), ("vy", 4 * 0.5 / 2), ("vz", 5 / 2)):
            self.assertAlmostEqual(2 * row[name], integral, 12, name)

    def test_a_table_is_constant_before_and_after_and_adds_to_the_rest(self):
        def value(t):
            return 1 + 2 * math.sin(3 * t + 0.5) + (4 if t < 0.2 else 4 + (t - 0.2) / 0.3 * -6 if t < 0.5 else -2)
        load = {"constant": 1, "amplitude": 2, "omega": 3, "phase": 0.5, "table": [[0.2, 4], [0.5, -2]]}
        rows = self.simulate({**FREE, "loads": [{"body": "a", "moment": [0, 0, load]}]})["trajectory"]
        for old, new in zip(rows, rows[1:]):
            self.assertAlmostEqual(4 * (new["wz"] - old["wz"]), 0.01 * value(old["t"]), 12, f"t = {old['t']}")

    def test_a_table_in_the_plane(self):
        triangle = {"table": [[0, 0], [0.5, 2], [1, 0]]}
        scene = {**edit(PLANE, "loads", [{"body": "a", "force": [triangle, 0], "moment": triangle}]), "duration": 1}
        self.assert_valid(scene, "scene")
        row = self.simulate(scene)["trajectory"][-1]
        self.assertAlmostEqual(row["vx"], 1, 12)
        self.assertAlmostEqual(row["wz"], 1, 12)


class TestImpulses(SimulateTestCase):
    def changes(self, rows, *names):
        """{step: change of the named velocities} of the steps in which one of them changes."""
        found = {}
        for old, new in zip(rows, rows[1:]):
            change = [new[name] - old[name] for name in names]
            if max(map(abs, change)) > 1e-12:
                found[int(new["step"])] = change
        return found

    def test_an_impulse_falls_into_the_step_that_contains_its_time(self):
        # A step holds its beginning and not its end.
        for time_, step in ((0, 1), (0.005, 1), (0.01, 2), (0.07, 8), (0.3, 31), (0.305, 31), ("0.1*7", 71), (0.99, 100)):
            scene = {**FREE, "impulses": [{"body": "a", "linear": [2, -4, 6], "time": time_}]}
            self.assert_valid(scene, "scene")
            rows = self.simulate(scene)["trajectory"]
            found = self.changes(rows, "vx", "vy", "vz", "wx", "wy", "wz")
            self.assertEqual(list(found), [step], f"time {time_}")
            for got, expected in zip(found[step], (1, -2, 3, 0, 0, 0)):
                self.assertAlmostEqual(got, expected, 13, f"time {time_}")

    def test_an_impulse_after_the_end_is_not_given(self):
        rows = self.simulate({**FREE, "impulses": [{"body": "a", "linear": [1, 0, 0], "time": 1}]})["trajectory"]
        self.assertEqual(self.changes(rows, "vx"), {})

    def test_an_angular_impulse(self):
        quarter = [math.sqrt(0.5), math.sqrt(0.5), 0, 0]  # about x: the body's y is the world's z
        scene = {**edit(FREE, "bodies.0.orientation", quarter),
                 "impulses": [{"body": "a", "angular": [0, 0, 3], "time": 0.5}]}
        found = self.changes(self.simulate(scene)["trajectory"], "vx", "vy", "vz", "wx", "wy", "wz")
        self.assertEqual(list(found), [51])
        for got, expected in zip(found[51], (0, 0, 0, 0, 0, 1.5)):
            self.assertAlmostEqual(got, expected, 12)
        plane = {**edit(PLANE, "impulses", [{"body": "a", "linear": [1, 2], "angular": 3, "time": 0}]), "duration": 0.1}
        self.assert_valid(plane, "scene")
        found = self.changes(self.simulate(plane)["trajectory"], "vx", "vy", "wz")
        self.assertEqual(list(found), [1])
        for got, expected in zip(found[1], (1, 2, 3)):
            self.assertAlmostEqual(got, expected, 13)

    def test_several_impulses_add(self):
        scene = {**FREE, "impulses": [{"repeat": {"i": 3}, "of": {"body": "a", "linear": ["i+1", 0, 0], "time": "0.1*i"}},
                                      {"body": "a", "linear": [10, 0, 0], "time": 0.2}]}
        self.assert_valid(scene, "scene")
        found = self.changes(self.simulate(scene)["trajectory"], "vx")
        for step, (got,) in found.items():
            self.assertAlmostEqual(got, {1: 0.5, 11: 1, 21: 6.5}[step], 12)
        self.assertEqual(len(found), 3)

    def test_an_impulse_at_a_height_is_given_once(self):
        # It falls through z = 1 again and again; the impulse comes at the first step that begins below.
        scene = {**edit(FREE, "bodies.0.position", [0, 0, 2]), "gravity": [0, 0, -GRAVITY], "duration": 4,
                 "impulses": [{"body": "a", "linear": [0, 0, 20], "when": {"body": "a", "quantity": "z", "below": 1}}]}
        self.assert_valid(scene, "scene")
        rows = self.simulate(scene)["trajectory"]
        first = next(int(row["step"]) for row in rows if row["pz"] < 1) + 1
        for old, new in zip(rows, rows[1:]):
            gain = 2 * (new["vz"] - old["vz"] + 0.01 * GRAVITY)
            self.assertAlmostEqual(gain, 20 if new["step"] == first else 0, 11, f"step {new['step']}")
        crossings = sum(old["pz"] >= 1 > new["pz"] for old, new in zip(rows, rows[1:]))
        self.assertEqual(crossings, 2)

    def test_every_quantity_of_a_condition(self):
        bodies = [{"name": name, "mass": 1, "inertia": [1, 1, 1]} for name in "ab"]
        scene = {**FREE, "bodies": bodies, "loads": [{"body": "a", "force": [2, -4, 6], "moment": [-4, 1, 3]}]}
        rows = [row for row in self.simulate(scene)["trajectory"] if row["body"] == "a"]
        for quantity in ("x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz", "speed"):
            passed = [math.hypot(*vector(row, "vx", "vy", "vz")) if quantity == "speed" else
                      row["p" + quantity if quantity in "xyz" else quantity] for row in (rows[30], rows[31])]
            side = "above" if passed[1] > passed[0] else "below"
            when = {"body": "a", "quantity": quantity, side: sum(passed) / 2}
            given = {**scene, "impulses": [{"body": "b", "linear": [1, 0, 0], "when": when}]}
            self.assert_valid(given, "scene")
            other = [row for row in self.simulate(given)["trajectory"] if row["body"] == "b"]
            self.assertEqual(list(self.changes(other, "vx")), [32], quantity)

    def test_a_condition_that_never_holds(self):
        when = {"body": "a", "quantity": "speed", "above": 1}
        rows = self.simulate({**FREE, "impulses": [{"body": "a", "linear": [1, 0, 0], "when": when}]})["trajectory"]
        self.assertEqual(self.changes(rows, "vx"), {})

    def test_an_impulse_into_the_ground_is_taken_by_it(self):
        scene = {**SPACE, "impulses": [{"body": "ball", "linear": [0, 0, -7], "time": 0.05}]}
        records = self.simulate(scene)
        for row in records["contacts"]:
            weight = GRAVITY * 0.01
            self.assertAlmostEqual(row["p_n"], weight + (7 if row["step"] == 6 else 0), 9)

    def test_a_step_that_fails_gives_its_impulses_too(self):
        scene = {**SPACE, "impulses": [{"body": "ball", "linear": [3, 0, 0], "time": 0.05}]}
        rows = self.simulate(scene, "--solver", "exec:false", "--keep-going", code=1)["trajectory"]
        found = self.changes(rows, "vx")
        self.assertEqual(list(found), [6])
        self.assertAlmostEqual(found[6][0], 3, 12)


class TestContactProperties(SimulateTestCase):
    def sliding(self, contact, velocity, *arguments, **more):
        scene = on_plane(0.05, contact, {"velocity": velocity, **more}, {"duration": 0.3})
        self.assert_valid(scene, "scene")
        return self.simulate(scene, *arguments)

    def test_friction_ellipse_along_its_axes(self):
        root = math.sqrt(0.5)
        for direction, velocity, share in (([1, 0, 0], [1, 0, 0], 0.5), ([0, 1, 0], [0, 1, 0], 0.5),
                                           ([1, 0, 0], [0, 1, 0], 0.8), ([0, 3, 7], [-1, 0, 0], 0.8),
                                           ([2, 2, 0], [root, root, 0], 0.5), ([2, 2, 0], [root, -root, 0], 0.8)):
            contact = {"mu": 0.3, "e_t": 0.5, "e_o": 0.8, "direction": direction}
            for formulation in ("stewart-trinkle", "anitescu-potra"):
                for edges in (4, 12):
                    rows = self.sliding(contact, velocity, "--formulation", f"{formulation}:edges={edges}")["trajectory"]
                    for row in rows:
                        speed = 1 - share * 0.3 * GRAVITY * row["t"]
                        for got, v in zip(vector(row, "vx", "vy", "vz"), velocity):
                            self.assertAlmostEqual(got, speed * v, 9, f"{direction} {velocity} {formulation} {edges}")

    def test_friction_ellipse_between_its_axes(self):
        # Most dissipation: p ~ -(e_t^2 v_t, e_o^2 v_o); with many edges the sideways path bends by the ratio of squares:
        # d v_o / d v_t = e_o^2 v_o / (e_t^2 v_t), so v_o = c v_t^(e_o^2 / e_t^2).
        contact = {"mu": 0.3, "e_t": 1, "e_o": 0.5, "direction": [1, 0, 0]}
        rows = self.sliding(contact, [1, 1, 0], "--formulation", "stewart-trinkle:edges=60")["trajectory"]
        self.assertLess(rows[-1]["vx"], 0.5)
        for row in rows:
            self.assertAlmostEqual(row["vy"], row["vx"] ** 0.25, delta=0.01)

    def test_impulses_lie_in_the_ellipsoid(self):
        contact = {"mu": 0.4, "e_t": 0.7, "e_o": 1.2, "e_r": 0.1, "direction": [1, 2, 0]}
        records = self.sliding(contact, [1, -0.5, 0], "--formulation", "stewart-trinkle:edges=8", angular_velocity=[0, 0, 9])
        self.assertGreater(max(abs(row["p_r"]) for row in records["contacts"]), 1e-4)
        self.assertGreater(max(abs(row["p_o"]) for row in records["contacts"]), 1e-4)
        for row in records["contacts"]:
            for got, expected in zip(vector(row, "tx", "ty", "tz"), (math.sqrt(0.2), math.sqrt(0.8), 0)):
                self.assertAlmostEqual(got, expected, 12)
            size = math.hypot(row["p_t"] / 0.7, row["p_o"] / 1.2, row["p_r"] / 0.1)
            self.assertLessEqual(size, 0.4 * row["p_n"] + 1e-10)

    def test_friction_in_the_plane_takes_e_t(self):
        box = {"name": "box", "mass": 2, "position": [0, 0.05], "velocity": [1, 0],
               "shape": {"type": "polygon", "vertices": [[-0.1, -0.05], [0.1, -0.05], [0.1, 0.05], [-0.1, 0.05]]}}
        scene = {**PLANE, "gravity": [0, -GRAVITY], "contact": {"mu": 0.3, "e_t": 0.5}, "duration": 0.3,
                 "bodies": [{"name": "ground", "fixed": True, "shape": {"type": "half_space", "normal": [0, 1]}}, box]}
        self.assert_valid(scene, "scene")
        for row in self.simulate(scene)["trajectory"]:
            self.assertAlmostEqual(row["vx"], 1 - 0.15 * GRAVITY * row["t"], 9)

    def test_torsion_slows_a_spinning_ball(self):
        # One point on the axis: the moment mu m g e_r alone, until it stops.
        scene = edit(edit({**SPACE, "duration": 0.6, "contact": {"mu": 0.5, "e_r": 0.05}}, "bodies.1.inertia", [0.1, 0.1, 0.1]),
                     "bodies.1.angular_velocity", [0, 0, -1])
        self.assert_valid(scene, "scene")
        for formulation in ("stewart-trinkle", "anitescu-potra"):
            for row in self.simulate(scene, "--formulation", formulation)["trajectory"]:
                speed = max(0, 1 - 0.5 * GRAVITY * 0.05 / 0.1 * row["t"])
                self.assertAlmostEqual(row["wz"], -speed, 9, f"t = {row['t']}")
                self.assertAlmostEqual(abs(row["wx"]) + abs(row["wy"]), 0, 9)

    def test_torsion_slows_a_disc(self):
        # Slip at the rim counts e_t r w, torsion e_r w: the larger one takes the whole impulse, wherever it is loaded.
        disc = {"shape": {"type": "cylinder", "radius": 0.2, "half_length": 0.05}, "angular_velocity": [0, 0, 5]}
        scene = on_plane(0.05, {"mu": 0.2, "e_t": 0.1, "e_o": 0.1, "e_r": 0.1}, disc, {"duration": 0.3})
        self.assert_valid(scene, "scene")
        for row in self.simulate(scene)["trajectory"]:
            self.assertAlmostEqual(row["wz"], 5 - 0.2 * 2 * GRAVITY * 0.1 / (0.5 * 2 * 0.2 ** 2) * row["t"], 8)

    def test_without_torsion_a_ball_spins_on(self):
        scene = edit(SPACE, "bodies.1.angular_velocity", [0, 0, 3])
        self.assertAlmostEqual(self.simulate(scene)["trajectory"][-1]["wz"], 3, 12)

    def test_static_penetration(self):
        for dissipation in (0, 0.05):
            scene = {**SPACE, "contact": {"mu": 0.5, "stiffness": 2000, "dissipation": dissipation}, "duration": 3}
            self.assert_valid(scene, "scene")
            records = self.simulate(scene)
            self.assertAlmostEqual(records["trajectory"][-1]["pz"], 0.5 - GRAVITY / 2000, 9)
            self.assertAlmostEqual(records["contacts"][-1]["p_n"], GRAVITY * 0.01, 9)
        block = on_plane(0.05, {"stiffness": 1000, "dissipation": 0.02}, (), {"duration": 2})
        self.assertAlmostEqual(self.simulate(block)["trajectory"][-1]["pz"], 0.05 - 2 * GRAVITY / 4000, 9)  # four points

    def test_a_compliant_contact_follows_its_law(self):
        # p_n = max(0, -k h (g + (h + tau) v_n)) in every step, g at its beginning and v_n at its end.
        k, tau, h = 5000, 0.01, 0.002
        for velocities in ("kept", "eliminated"):
            scene = {**edit(SPACE, "bodies.1.position", [0, 0, 0.6]), "contact": {"stiffness": k, "dissipation": tau},
                     "step": h, "duration": 1}
            records = self.simulate(scene, "--formulation", f"stewart-trinkle:velocities={velocities}")
            states = {row["step"]: row for row in records["trajectory"]}
            self.assertGreater(sum(row["p_n"] > 0 for row in records["contacts"]), 10)
            for row in records["contacts"]:
                old, new = states[row["step"] - 1], states[row["step"]]
                expected = max(0, -k * h * (old["pz"] - 0.5 + (h + tau) * new["vz"]))
                self.assertAlmostEqual(row["p_n"], expected, 8)
                self.assertAlmostEqual(new["vz"] - old["vz"], row["p_n"] - GRAVITY * h, 10)

    def test_a_stiffer_point_tends_to_a_rigid_one(self):
        ends = []
        for contact in ({"mu": 0.3}, {"mu": 0.3, "stiffness": 1e5}, {"mu": 0.3, "stiffness": 1e9}):
            ends.append(self.sliding(contact, [1, 0, 0])["trajectory"][-1])
        self.assertAlmostEqual(ends[2]["pz"], ends[0]["pz"], 7)
        for end in ends[1:]:
            self.assertAlmostEqual(end["vx"], ends[0]["vx"], 3)

    def test_rules_of_pairs_have_their_own_properties(self):
        balls = {"repeat": {"i": 2}, "of": {"name": "b_{i}", "mass": 1, "shape": {"type": "sphere", "radius": 0.5},
                                            "position": ["3*i", 0, 0.5]}}
        scene = {**SPACE, "bodies": [SPACE["bodies"][0], balls], "contact": {}, "duration": 3,
                 "pairs": [{"a": "b_1", "b": "ground", "stiffness": 1000, "dissipation": 0.05}]}
        self.assert_valid(scene, "scene")
        rigid, soft = self.simulate(scene)["trajectory"][-2:]
        self.assertAlmostEqual(rigid["pz"], 0.5, 12)
        self.assertAlmostEqual(soft["pz"], 0.5 - GRAVITY / 1000, 9)

    def test_what_rests_does_not_hop(self):
        for formulation in ("stewart-trinkle", "anitescu-potra"):
            for restitution in (0.5, 1):
                scene = on_plane(0.05, {"mu": 0.3, "restitution": restitution}, (), {"duration": 1})
                records = self.simulate(scene, "--formulation", formulation)
                for row in records["trajectory"]:
                    self.assertAlmostEqual(row["pz"], 0.05, 10)
                    self.assertAlmostEqual(row["kinetic"], 0, 12)
                self.assertEqual({row["stage"] for row in records["steps"]}, {"contact"})

    def test_rest_speed(self):
        # Slower approaches than max(rest_speed, h|g|) do not bounce.
        for speed, option, g, bounces in ((0.5, "", 0, True), (0.5, ":rest_speed=0.6", 0, False),
                                          (0.5, ":rest_speed=0.4", 0, True), (5e-4, "", 0, False),
                                          (5e-4, ":rest_speed=0", 0, True), (0.05, ":rest_speed=0", GRAVITY, False),
                                          (0.15, ":rest_speed=0", GRAVITY, True)):
            for formulation in ("stewart-trinkle", "anitescu-potra"):
                scene = {**edit(SPACE, "bodies.1.velocity", [0, 0, -speed]), "gravity": [0, 0, -g], "duration": 0.01,
                         "contact": {"restitution": 0.5}}
                row = self.simulate(scene, "--formulation", formulation + option)["trajectory"][-1]
                case = f"{formulation}{option} {speed}"
                self.assertAlmostEqual(row["vz"], 0.5 * (speed + 0.01 * g) if bounces else 0, 12, case)

    def test_frictionless_contacts_have_no_friction_unknowns(self):
        balls = {"repeat": {"i": 2}, "of": {"name": "b_{i}", "mass": 1, "shape": {"type": "sphere", "radius": 0.5},
                                            "position": ["3*i", 0, 0.5]}}
        scene = {**SPACE, "bodies": [SPACE["bodies"][0], balls], "contact": {},
                 "pairs": [{"a": "b_1", "b": "ground", "mu": 0.5, "e_r": 0.01}]}
        names = {}
        for velocities in ("kept", "eliminated"):
            self.simulate(scene, "--record-problems", "1:1", "--formulation", f"stewart-trinkle:velocities={velocities}",
                          name=velocities)
            problem = parse_json((self.folder / velocities / "problems" / "000001-contact.json").read_text())
            names[velocities] = problem["variables"]
        first, second = (contact["name"] for contact in problem["contacts"])
        self.assertEqual((first.split(":")[0], second.split(":")[0]), ("b_0/ground", "b_1/ground"))
        friction = [*(f"{second}.friction{k}" for k in range(4)), f"{second}.torsion0", f"{second}.torsion1"]
        self.assertEqual(names["eliminated"], [f"{first}.normal", f"{second}.normal", *friction, f"{second}.slip"])
        self.assertEqual(names["kept"], [*(f"velocity{k}" for k in range(12)), *names["eliminated"]])


EVENTS = ("--driver", "event-driven", "--formulation", "anitescu-potra")
BOUNCE = {**PLANE, "name": "bounce", "gravity": [0, -10], "contact": {"restitution": 0.8}, "step": 0.05, "duration": 6,
          "bodies": [{"name": "ground", "fixed": True, "shape": {"type": "half_space", "normal": [0, 1]}},
                     {"name": "ball", "mass": 1, "shape": {"type": "disc", "radius": 0.1}, "position": [0, 1.35]}]}


class TestEventDriven(SimulateTestCase):
    def test_bounce_times_of_a_ball(self):
        # It falls 1.25 m in 0.5 s; flights of 0.8, 0.64, ... s follow, and end at 4.5 s, where it rests.
        self.assert_valid(BOUNCE, "scene")
        for dimension in (2, 3):
            for h in (0.05, 0.013):
                scene = BOUNCE if dimension == 2 else edit(edit(edit(edit(
                    {**BOUNCE, "dimension": 3, "gravity": [0, 0, -10]}, "bodies.0.shape.normal", [0, 0, 1]),
                    "bodies.1.shape.type", "sphere"), "bodies.1.position", [0, 0, 1.35]), "contact.mu", 0.5)
                y, v = ("py", "vy") if dimension == 2 else ("pz", "vz")
                rows = self.simulate(scene, *EVENTS, "--step", h)["trajectory"]
                impacts = [(old, new) for old, new in zip(rows, rows[1:]) if new["t"] == old["t"]]
                exact, speed, flight = 0.5, 5, 0.8
                for old, new in impacts[:12]:
                    self.assertAlmostEqual(new["t"], exact, 8)
                    self.assertAlmostEqual(old[v], -speed, 7)
                    self.assertAlmostEqual(new[v], 0.8 * speed, 7)
                    self.assertAlmostEqual(new[y], 0.1, delta=1.1e-9)
                    exact, speed, flight = exact + flight, 0.8 * speed, 0.8 * flight
                self.assertAlmostEqual(impacts[-1][1]["t"], 4.5, delta=0.01)
                self.assertAlmostEqual(rows[-1]["t"], round(6 / h) * h, 12)
                self.assertAlmostEqual(rows[-1][y], 0.1, 5)
                self.assertEqual(rows[-1][v], 0)
                for row in rows:  # flights are exact
                    if row["t"] < 0.5:
                        self.assertAlmostEqual(row[y], 1.35 - 5 * row["t"] ** 2, 12)

    def test_long_steps_come_to_rest_too(self):
        for h in (0.5, 1, 2):
            rows = self.simulate(BOUNCE, *EVENTS, "--step", h, "--duration", 6)["trajectory"]
            self.assertAlmostEqual(rows[-1]["py"], 0.1, 5)
            self.assertEqual(rows[-1]["vy"], 0, h)

    def test_records(self):
        records = self.simulate(BOUNCE, *EVENTS, "--record-problems", "all", "--sequence")
        run = self.run_json()
        steps = records["steps"]
        impacts = [row for row in steps if row["h"] == 0]
        self.assertEqual((run["driver"], run["formulation"], run["h"], run["complete"], run["failed_steps"]),
                         ("event-driven", "anitescu-potra", 0.05, True, 0))
        self.assertEqual(run["steps"], len({row["step"] for row in steps}))
        self.assertEqual(run["events"], len({row["step"] for row in impacts}))
        self.assertGreater(run["events"], 20)
        # The rows follow each other without a hole, and meet every multiple of h.
        times = {int(row["step"]): row["t"] for row in records["trajectory"]}
        self.assertEqual(list(times), list(range(run["steps"] + 1)))
        for row in steps:
            self.assertAlmostEqual(times[int(row["step"])] - times[int(row["step"]) - 1], row["h"], 13)
            self.assertLessEqual(row["h"], 0.05 * (1 + 1e-12))
        for k in range(121):
            self.assertLess(min(abs(t - 0.05 * k) for t in times.values()), 1e-12)
        names = [parse_json(line)["name"] for line in (self.folder / "out" / "problems.jsonl").read_text().splitlines()[1:]]
        self.assertEqual({int(name.split("-")[1]) for name in names},
                         {int(row["step"]) for row in steps if row["stage"] != "free"})
        document = parse_json(self.succeed("simulate", self.folder / "scene.json", *EVENTS, "--json"))
        self.assertEqual((document["driver"], document["events"], document["steps"], document["uncertified_steps"]),
                         ("event-driven", run["events"], run["steps"], 0))
        self.assertRegex(self.succeed("simulate", self.folder / "scene.json", *EVENTS), rf"(?m)^  events +{run['events']}$")

    def test_an_engine_runs_by_either_formulation(self):
        for formulation in ("anitescu-potra", "max-dissipation-impulse"):
            self.succeed("simulate", "engine-single", "--driver", "event-driven", "--formulation", formulation, "--duration", 0.002,
                         "--record", self.folder / formulation)
            run = self.run_json(formulation)
            self.assertEqual((run["complete"], run["failed_steps"]), (True, 0))
            self.assertGreaterEqual(run["steps"], 20)
            for row in self.rows("contacts", formulation):
                self.assertGreater(row["gap"], -1e-6)
                self.assertIn((row["body_a"], row["body_b"]),
                              {("crank", "crankcase"), ("crank", "rod"), ("piston", "rod"), ("piston", "crankcase")})

    def test_too_many_events_end_the_run(self):
        records = self.simulate(BOUNCE, *EVENTS, "--step", "2", "--duration", "6", "--max-events", "2", code=1)
        run = self.run_json()
        self.assertFalse(run["complete"])
        self.assertIn(run["events"], (1, 2))
        self.assertGreater(run["failed_steps"], 0)
        self.assertIn("max_events", run["message"])
        self.assertLess(records["trajectory"][-1]["t"], 2)

    def test_nothing_sinks_in(self):
        for name in ("disc-polygon", "box-on-ramp", "sphere-collision"):
            records = self.simulate(name, *EVENTS, "--duration", "0.3", name=name)
            for row in records["contacts"]:
                self.assertGreater(row["gap"], -2e-6, f"{name}, step {row['step']}")

    def test_without_contacts_it_steps_as_time_stepping_does(self):
        scene = {**edit(PLANE, "bodies.1.velocity", [1, 2]), "gravity": [0, -10], "step": 0.1, "duration": 1}
        rows = self.simulate(scene, *EVENTS)["trajectory"]
        self.assertEqual(len(rows), 11)
        for row in rows:  # exact for constant forces
            self.assertAlmostEqual(row["py"], 2 * row["t"] - 5 * row["t"] ** 2, 13)

    def test_an_impulse_is_given_once(self):
        condition = {"body": "ball", "quantity": "y", "below": 0.5}
        scene = {**BOUNCE, "duration": 2, "impulses": [{"body": "ball", "linear": [1, 0], "when": condition},
                                                       {"body": "ball", "linear": [1, 0], "time": 0.62}]}
        self.assert_valid(scene, "scene")
        rows = self.simulate(scene, *EVENTS)["trajectory"]
        changes = [(old["t"], new["vx"] - old["vx"]) for old, new in zip(rows, rows[1:]) if new["vx"] != old["vx"]]
        self.assertEqual([gain for _, gain in changes], [1, 1])
        first = next(row["t"] for row in rows if row["py"] < 0.5)
        self.assertAlmostEqual(changes[0][0], first, 12)
        self.assertAlmostEqual(changes[1][0], 0.62, 12)

    def test_two_runs_give_the_same_bytes(self):
        for run in ("one", "two"):
            self.simulate("disc-polygon", *EVENTS, "--duration", "1", name=run)
        for file in ("trajectory.csv", "contacts.csv"):
            self.assertEqual((self.folder / "one" / file).read_bytes(), (self.folder / "two" / file).read_bytes())


if __name__ == "__main__":
    unittest.main()
