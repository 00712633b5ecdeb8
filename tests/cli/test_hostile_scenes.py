"""Scenes, suites, records and runs that somebody made to do harm: one clear line and exit code 2, a failed step, or a
right answer; in bounded time and memory, and without a look at other files of the machine."""
import csv
import json
import os
import resource
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import ROOT, CliTestCase, is_sanitized, page_data, with_cases  # noqa: E402

SCRIPT = "<script>alert('x')</script>\""
GROUND = {"name": "ground", "fixed": True, "shape": {"type": "half_space", "normal": [0, 0, 1]}}
BALL = {"name": "ball", "mass": 1, "shape": {"type": "sphere", "radius": 1}, "position": [0, 0, 0.9]}
POINT = {"name": "p", "mass": 1, "inertia": [1, 1, 1]}
MOST_MEMORY = 1 << 30


def scene(*bodies, **more):
    return {"format": "perp-scene", "version": 1, "name": "s", "dimension": 3, "bodies": list(bodies or (GROUND, BALL)),
            "step": 0.01, "duration": 0.02, **more}


def shaped(**shape):
    return scene(GROUND, {**BALL, "inertia": [1, 1, 1], "shape": shape})


def suite(*entries, **more):
    return {"format": "perp-suite", "version": 1, "name": "t", "description": "", "entries": list(entries), **more}


class HostileTestCase(CliTestCase):
    """perp runs with 1 GB and 30 s at most, far above what any of these may take."""

    def perp(self, *arguments, **options):
        if not is_sanitized():
            options["preexec_fn"] = lambda: resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        return super().perp(*arguments, **options)

    def refuse(self, *arguments, words=(), file=""):
        done = self.perp(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr + done.stdout[:300])
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Aperp: [ -~]*\n\Z")
        for word in (*words, file):
            self.assertIn(word, done.stderr)

    def fails(self, *arguments, words=()):
        """A step fails, which says why, and nothing else happens."""
        done = self.perp("simulate", *arguments, "--json")
        self.assertEqual(done.returncode, 1, done.stderr + done.stdout[:300])
        told = json.loads(done.stdout)
        self.assertEqual(told["failed_steps"], 1)
        for word in words:
            self.assertIn(word, told["message"])
        return told

    def files(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file())


class TestNames(HostileTestCase):
    """A name is text: it never leads anywhere."""

    def test_files_stay_in_their_folder(self):
        for k, name in enumerate(("../../up", "/tmp/perp-evil", "a/../../b", "..", "~/x", "long " * 100, "-x", "")):
            path = self.write(f"{k}.json", scene(name=name))
            before = self.files()
            for how in ((), ("--sequence",)):
                out = self.succeed("export", path, *how, "-o", self.folder / "out").split("\n")[0]
                self.assertEqual(os.path.dirname(out), str(self.folder / "out"))
            self.succeed("simulate", path, "--record", self.folder / "run", "--record-problems", "all")
            new = [file for file in self.files() if file not in before]
            self.assertTrue(all(file.split("/")[0] in ("out", "run") for file in new), new)
        self.assertFalse(os.path.exists("/tmp/perp-evil-000001-contact.json"))

    def test_different_names_have_different_files(self):
        files = set()
        for name in ("a/b", "a:b", "a_b"):
            files.add(self.succeed("export", self.write("s.json", scene(name=name)), "-o", self.folder / "out"))
        self.assertEqual(len(files), 3)

    def test_control_characters(self):
        for name in ("n\0ul", "esc\x1b[2J", "two\nlines"):
            self.refuse("simulate", self.write("s.json", scene(name=name)), words=['"name"'], file="s.json")
            self.refuse("simulate", self.write("s.json", scene(GROUND, {**BALL, "name": name})),
                        words=['"bodies[1].name"'], file="s.json")
            self.refuse("bench", self.write("t.json", suite(name=name)), "-o", self.folder / "out", words=['"name"'])


HUGE = 9007199254740993


@with_cases({
    "half_lengths": (shaped(type="box", half=[0.5, 0.3, HUGE]), "bodies[1].shape.half"),
    "tiny_half_length": (shaped(type="ellipsoid", half=[5e-324, 1, 1]), "bodies[1].shape.half"),
    "radius": (shaped(type="sphere", radius=1e300), "bodies[1].shape.radius"),
    "radius_by_expression": (shaped(type="sphere", radius="1e300*1e300"), "bodies[1].shape.radius"),
    "number_beyond_double": (json.dumps(shaped(type="sphere", radius=12345)).replace("12345", "1e999"), "double"),
    "exponents": (shaped(type="superquadric", half=[1, 1, 1], exponents=[1, 5e-324]), "bodies[1].shape.exponents"),
    "vertices_far_out": (shaped(type="polyhedron", vertices=[[0, 0, 0], [1e200, 0, 0], [0, 1, 0], [0, 0, 1]]),
                         "bodies[1].shape.vertices"),
    "vertices_in_a_point": (shaped(type="polyhedron", vertices=[[0, 0, 0], [1e-200, 0, 0], [0, 1e-200, 0], [0, 0, 1e-200]]),
                            "bodies[1].shape"),
    "half_space_far_out": (shaped(type="half_space", normal=[0, 0, 1], offset=1e300), "bodies[1].shape.offset"),
    "position": (scene(GROUND, {**BALL, "position": [0, 0, 1e200]}), "bodies[1].position"),
    "mass": (scene(GROUND, {**BALL, "mass": 1e300}), "bodies[1].mass"),
    "mass_of_nothing": (scene(GROUND, {**BALL, "mass": 5e-324}), "bodies[1].mass"),
    "density": (scene(GROUND, {**{k: v for k, v in BALL.items() if k != "mass"}, "density": 1e30,
                               "shape": {"type": "box", "half": [1e9, 1e9, 1e9]}}), "bodies[1]"),
    "gravity": (scene(gravity=[0, 0, 1e300]), "gravity"),
    "friction": (scene(contact={"mu": 1e300}), "contact.mu"),
    "step": (scene(step=1e300), "step"),
    "load": (scene(loads=[{"body": "ball", "force": [0, 0, 1e300]}]), "loads[0].force"),
    "expression": (scene(gravity=[0, 0, "-" * 100000 + "1"]), "gravity"),
    "nested_expression": (scene(gravity=[0, 0, "(" * 900 + "1" + ")" * 90]), "gravity"),
    "pairs_without_end": (scene(pairs=[{"repeat": {"i": 100000, "j": 100000, "k": 100000}, "of": {"a": "ball", "b": "ground"}}]),
                          "pairs"),
    "bodies_that_are_none": (scene(POINT, {"repeat": {"i": 100000, "j": 100000, "k": 0}, "of": {"name": "q", "fixed": True}}),
                             "bodies[1].repeat"),
    "polygons_of_many_sides": (scene({"repeat": {"i": 100}, "of": {
        "name": "q{i}", "mass": 1, "shape": {"type": "polygon", "sides": 16000, "radius": 1}}}, dimension=2), "corners"),
    "levels_of_repetition": (scene({"repeat": {f"i{k}": 1 for k in range(2000)}, "of": POINT}), "bodies[0].repeat"),
    "negative_count": (scene({"repeat": {"i": -1}, "of": POINT}), "bodies[0].repeat.i"),
    "fractional_count": (scene({"repeat": {"i": 1.5}, "of": POINT}), "bodies[0].repeat.i"),
    "count_beyond_int": (scene({"repeat": {"i": 4294967297}, "of": POINT}), "bodies[0].repeat.i"),
    "sides_beyond_int": (scene({**POINT, "inertia": 1, "shape": {"type": "polygon", "sides": 4294967299, "radius": 1}}, dimension=2),
                         "bodies[0].shape.sides"),
    "nested": (json.dumps(scene()).replace("[0, 0, 1]", "[" * 100000), "deep"),
})
class TestScenes(HostileTestCase):
    def check(self, content, word):
        path = self.write("bad.json", content)
        self.refuse("simulate", path, words=[word], file="bad.json")


class TestGeometry(HostileTestCase):
    def test_a_small_ellipsoid_within_a_ball(self):
        """The difference of both is a ball in all but its thousandth part: libccd's polytope has no end."""
        small = {**POINT, "name": "small", "shape": {"type": "ellipsoid", "half": [5e-4, 4e-4, 3e-4]}}
        path = self.write("s.json", scene(small, {**BALL, "position": [0, 0, 0], "velocity": [0, 0, -1]}, gravity=[0, 0, -9.81]))
        self.assertIn(self.perp("simulate", path).returncode, (0, 1))

    def test_uneven_pairs(self):
        """Of sizes that rounding cannot bring together: an answer or a failed step."""
        thin = [{"type": "box", "half": [1e9, 1e-9, 1]}, {"type": "ellipsoid", "half": [1e-9, 1, 1e9]},
                {"type": "cylinder", "radius": 1e9, "half_length": 1e-9}, {"type": "sphere", "radius": 1e-9},
                {"type": "superquadric", "half": [1e9, 1e-9, 1], "exponents": [0.01, 1.99]}]
        bodies = [{**POINT, "name": f"b{k}", "shape": shape, "position": [1e-9 * k, 0, 0]} for k, shape in enumerate(thin)]
        for formulation in ("stewart-trinkle", "equivalent-contact-point"):
            path = self.write("s.json", scene(*bodies, duration=0.01))
            self.assertIn(self.perp("simulate", path, "--formulation", formulation).returncode, (0, 1, 2))

    def test_motion_that_leads_nowhere(self):
        path = self.write("s.json", scene(GROUND, {**BALL, "velocity": [1e29, 0, 0]}))
        told = self.fails(path, words=["ball", "from the origin"])
        self.assertTrue(all(abs(x) < 1e28 for body in told["bodies"] for x in body["position"]))
        self.fails(path, "--keep-going", words=["from the origin"])
        self.refuse("simulate", "box-stack", "--step", "1e300", "--duration", "1e300", words=["step", "1e+300"])

    def test_many_bodies(self):
        """What cannot touch costs nothing; what all touches is counted, and ends the step."""
        many = {"repeat": {"i": 1000 if is_sanitized() else 100000}, "of": {**POINT, "name": "b{i}"}}
        self.succeed("simulate", self.write("s.json", scene(many)))
        heap = {"repeat": {"i": 1000}, "of": {**BALL, "name": "b{i}"}}
        self.fails(self.write("s.json", scene(heap)), words=["contacts"])


CUBE = ["v 0 0 0", "v 1 0 0", "v 0 1 0", "v 0 0 1", "f 1 2 3", "f 1 2 4", "f 1 3 4", "f 2 3 4"]


class TestMeshes(HostileTestCase):
    def mesh(self, name):
        return self.write("scenes/s.json", shaped(type="polyhedron", obj=name))

    def refuse_mesh(self, name, word):
        self.refuse("simulate", self.mesh(name), words=["bodies[1].shape.obj", word], file="s.json")

    def test_only_regular_files_of_the_folder(self):
        self.write("outside.obj", "\n".join(CUBE))
        self.write("scenes/below/fine.obj", "\n".join(CUBE))
        self.succeed("simulate", self.mesh("below/fine.obj"))
        for name in ("/dev/zero", "-", "/dev/stdin", "../outside.obj", "below/../../outside.obj", str(self.folder / "outside.obj"),
                     "", "a\0b", "below"):
            self.refuse_mesh(name, "file")
        os.symlink(self.folder / "outside.obj", self.folder / "scenes" / "link.obj")
        self.refuse_mesh("link.obj", "leads out")
        os.mkfifo(self.folder / "scenes" / "pipe.obj")
        self.refuse_mesh("pipe.obj", "no regular file")
        with open(self.folder / "scenes" / "large.obj", "wb") as file:
            file.truncate(1 << 40)
        self.refuse_mesh("large.obj", "at most")

    def test_a_mesh_of_many_bodies_is_read_once(self):
        self.write("m.obj", "\n".join(CUBE) + "\n" + "# remark\n" * 20000)
        bodies = {"repeat": {"i": 300}, "of": {"name": "b{i}", "mass": 1, "position": ["3*i", 0, 0],
                                               "shape": {"type": "polyhedron", "obj": "m.obj"}}}
        self.succeed("simulate", self.write("s.json", scene(bodies)))

    def test_more_than_a_body_needs(self):
        ball = [f"v {x} {y} {z}" for k in range(12000)
                for x, y, z in [((k * 7919) % 12000 / 6000 - 1, (k * 104729) % 12007 / 6003 - 1, (k * 1299709) % 12011 / 6005 - 1)]]
        for lines, word in ((["v 0 0 0"] * 100001, "vertices"), (["v 0 0 0", "f" + " 1" * 600001], "corners"),
                            (["v 1e300 0 0"], "line 1"), ([*ball, *(f"f {k} {k + 1} {k + 2}" for k in range(1, 11999))], "convex")):
            self.write("scenes/m.obj", "\n".join(lines))
            self.refuse_mesh("m.obj", word)


@with_cases({
    "seeds": ({"family": "psd", "sizes": [4], "seeds": [1, 1000000000]}, "seeds"),
    "seeds_at_the_end_of_integers": ({"family": "psd", "sizes": [4], "seeds": [9007199254740990, 9007199254740992]}, "seeds"),
    "sizes_and_seeds": ({"family": "psd", "sizes": [4] * 1000, "seeds": [1, 1000]}, "seeds"),
    "steps": ({"scene": "pendulum", "steps": [1, 1000000]}, "steps"),
    "step": ({"scene": "box-stack", "steps": [1, 3], "step": 1e300}, "step"),
    "step_of_nothing": ({"scene": "box-stack", "steps": [1, 3], "step": 5e-324}, "step"),
    "files_elsewhere": ({"files": ["../../../../../../proc/*"]}, "files"),
    "files_from_the_root": ({"files": ["/etc/*"]}, "files"),
    "pattern": ({"files": ["*a" * 10000]}, "files"),
    "scene_elsewhere": ({"scene": "../../../../../etc/passwd", "steps": [1, 1]}, "scene"),
    "scene_from_the_root": ({"scene": "/dev/zero", "steps": [1, 1]}, "scene"),
    "parameter": ({"scene": "box-stack", "steps": [1, 1], "parameters": {"rows": 1e9}}, "repeat"),
})
class TestSuites(HostileTestCase):
    def check(self, entry, word):
        self.refuse("bench", self.write("t.json", suite(entry)), "-o", self.folder / "out", words=[word], file="t.json")
        self.assertFalse((self.folder / "out").exists())


class TestPlacesOfSuites(HostileTestCase):
    def bench(self, path, **options):
        self.succeed("bench", path, "--solvers", "lemke", "--repeat", 1, "-o", self.folder / "out", **options)
        with open(self.folder / "out" / "records.jsonl", encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_beside_the_suite_then_in_problems(self):
        """Wherever perp is started: files and scenes below the suite's folder, then those below problems/."""
        self.write("a/mine/p.json", {"format": "perp-problem", "version": 1, "kind": "lcp", "name": "own", "n": 1,
                                     "M": {"shape": [1, 1], "dense": [[1]]}, "q": [-1]})
        self.write("a/s.json", scene(name="own-scene"))
        entries = ({"files": ["mine/*.json"]}, {"scene": "s.json", "steps": [1, 1]}, {"scene": "pendulum", "steps": [1, 1]},
                   {"files": ["collections/siconos/lcp/lcp_mmc.json"]})
        records = self.bench(self.write("a/t.json", suite(*entries)), cwd="/")
        self.assertEqual([r["instance"] for r in records], ["p", "own-scene-000001-contact", "pendulum-000001-contact", "lcp_mmc"])

    def test_a_scene_that_ends_early(self):
        """Not one step: refused. Fewer than asked for: said."""
        self.write("s.json", scene(GROUND, {**BALL, "velocity": [1e29, 0, 0]}))
        path = self.write("t.json", suite({"scene": "s.json", "steps": [2, 3]}))
        self.refuse("bench", path, "-o", self.folder / "out", words=["scene", "from the origin"], file="t.json")


RECORD = {
    "format": "perp-record", "version": 1, "key": "1", "suite": SCRIPT, "instance": SCRIPT, "instance_hash": "1", "kind": SCRIPT,
    "n": 4, "contacts": 5, "family": "", "seed": None, "sequence": SCRIPT, "position": 1, "mode": "cold", "started_from": "nothing",
    "solver": SCRIPT, "label": SCRIPT, "settings": {SCRIPT: SCRIPT}, "settings_hash": "1",
    "program": {"version": SCRIPT, "hash": "1"},
    "machine": {"cpu": SCRIPT, "cores": 2, "memory_mb": 1, "system": SCRIPT, "compiler": SCRIPT}, "tolerance": 1e-8,
    "outcome": "solved", "claimed": "solved", "certificate": SCRIPT, "command": SCRIPT, "residuals": {}, "iterations": 15, "statistics": {},
    "times": {"setup": 1e-5, "solve": 1e-5, "solve_all": [1e-5], "wall": 1e-4}, "peak_memory_mb": 10, "message": SCRIPT,
    "x-size": 0, "x-measure": 0.0}


class TestReports(HostileTestCase):
    def report(self, *folders):
        out = self.folder / "report.html"
        self.succeed("report", *folders, "-o", out)
        return out.read_text()

    def records(self, *changes):
        return self.write("records.jsonl", "".join(json.dumps({**RECORD, "key": str(k), **change}) + "\n"
                                                   for k, change in enumerate(changes)))

    def run_folder(self, run=(), rows=("0,0,a,1,0,0,0,0,0,0,0", "1,1,a,2,0,0,0,0,0,0,0"), steps=("1,0.1,1,1e-3,1,1,1", "2,0.2,1,1e-3,1,1,1")):
        self.write("g/r/run.json", run if isinstance(run, str) else json.dumps({"scene": "s", **dict(run)}))
        self.write("g/r/steps.csv", "\n".join(["step,t,iterations,solve_s,contacts,kinetic,potential", *steps, ""]))
        self.write("g/r/trajectory.csv", "\n".join(["step,t,body,px,py,pz,kinetic,potential,wx,wy,wz", *rows, ""]))
        return self.folder / "g"

    def assert_harmless(self, page):
        """No text begins a tag; the script that draws the page makes text of all (tests/browser)."""
        self.assertEqual(page.count("<script"), 2)
        self.assertEqual(page.count("</script"), 2)
        self.assertNotIn(SCRIPT[:8], page[:page.index('<script type="application/json"')])
        self.assertIn("\\u003cscript>", page)

    def test_script_in_every_word_of_records(self):
        """Of runs that were solved and that were not, alone, in sequences, of families, from several starts. An outcome is one of
        the known words (test_records.py)."""
        words = [{"mode": mode, "outcome": outcome, "position": position, "n": 4 * position, "contacts": position}
                 for mode in ("cold", "zero", SCRIPT) for outcome in ("solved", "crashed") for position in (1, 2, 30)]
        families = [{"sequence": "", "position": 0, "family": family, "x-size": size, "n": size, "outcome": outcome}
                    for family in (SCRIPT, "psd") for size in (10, 100) for outcome in ("solved", "crashed")]
        lost = [{"mode": mode, "outcome": outcome, "instance": SCRIPT + "lost", "position": 7}
                for mode, outcome in (("cold", "solved"), ("zero", "solved"), (SCRIPT, "crashed"))]
        self.assert_harmless(self.report(self.records(*words, *families, *lost)))

    def test_script_in_every_word_of_a_run(self):
        folder = self.run_folder({"scene": SCRIPT, "message": SCRIPT, "solver": SCRIPT, "formulation": [SCRIPT], "parameters": {SCRIPT: SCRIPT}},
                                 rows=[f"{k},{k},{body},1,0,0,0,0,0,0,0" for k in (0, 1) for body in (SCRIPT.replace(",", ""), "b")])
        for name in ("title", "caption"):
            self.write("g/figure.json", {name: SCRIPT, "reference": {"label": SCRIPT, "kinetic": 1}})
            self.assert_harmless(self.report(folder))

    def test_the_table_on_a_terminal(self):
        """`bench` tells of the records that it finds in its folder: nothing there speaks to the terminal."""
        out = self.folder / "out"
        self.write("out/records-2-of-2.jsonl", json.dumps({**RECORD, "suite": "\x1b[2J", "solver": "\x1b]0;x\x07", "sequence": "\n"}) + "\n")
        told = self.succeed("bench", ROOT / "problems/collections/siconos/lcp/lcp_mmc.json", "--solvers", "lemke", "--resume", "-o", out)
        self.assertNotRegex(told, r"[\x00-\x09\x0b-\x1f]")
        self.assertIn(r"\x1b", told)

    def test_numbers_at_the_ends_of_double(self):
        """An axis of 5e-324 has no decades, one of 1e308 no room."""
        for value in ("5e-324", "1e308", "-1e308"):
            rows = [f"{k},{k},a,{value},0,0,0,0,0,0,0" for k in (0, 1)]
            steps = [f"{k},0.{k},1,{value},1,{value},{value}" for k in (1, 2)]
            self.write("g/figure.json", {"title": "t", "reference": {"label": "l", "path": [[0, 0, 0, 0], [1, 0, 0, 0]]}})
            self.report(self.run_folder(rows=rows, steps=steps))
            self.assertEqual(page_data(self.folder / "report.html")["simulations"][0]["title"], "t")
            if value.startswith("-"):
                continue
            times = {"setup": float(value), "solve": float(value), "wall": float(value)}
            self.report(self.records({"times": times}, {"solver": "b", "times": times, "x-measure": float(value)},
                                     {"solver": "b", "position": 2, "contacts": 50, "times": times}))

    def test_nesting(self):
        deep = "[" * 100000 + "]" * 100000
        out = self.folder / "report.html"
        self.refuse("report", self.run_folder(f'{{"scene":"s","parameters":{{"a":{deep}}}}}'), "-o", out, words=["deep"], file="run.json")
        self.write("g/r/run.json", {"scene": "s"})
        self.write("g/figure.json", f'{{"title":{deep}}}')
        self.refuse("report", self.folder / "g", "-o", out, words=["deep"], file="figure.json")
        record = json.dumps({**RECORD, "settings": "@"}).replace('"@"', deep)
        self.refuse("report", self.write("deep.jsonl", record), "-o", out, words=["line 1", "deep"], file="deep.jsonl")
        self.assertFalse(out.exists())

    def test_records_that_are_none(self):
        out = self.folder / "report.html"
        cases = [({"key": 5}, "key"), ({"outcome": None}, "outcome"), ({"n": 1e300}, '"n"'), ({"iterations": -1e300}, "iterations"),
                 ({"x-size": 3e9}, "x-size"), ({"machine": []}, "machine"), ({"machine": {}}, "cpu"),
                 ({"machine": {**RECORD["machine"], "cores": "two"}}, "cores"), ({"times": 1}, "times"),
                 ({"times": {**RECORD["times"], "setup": -1e308}}, "setup")]
        for change, word in cases:
            path = self.write("records.jsonl", json.dumps(RECORD) + "\n" + json.dumps({**RECORD, **change}) + "\n")
            self.refuse("report", path, "-o", out, words=["line 2", word], file="records.jsonl")
        for text in ("5", "[]", "null", '"x"', "{}"):
            self.refuse("report", self.write("records.jsonl", text + "\n"), "-o", out, words=["line 1"], file="records.jsonl")
        self.write("18d/records.jsonl", '{"key":5,"outcome":"solved"}\n')
        os.mkfifo(self.folder / "18d" / "pipe.jsonl")
        self.refuse("report", self.folder / "18d", "-o", out, words=["line 1"], file="records.jsonl")


class TestTimeLimit(HostileTestCase):
    def test_a_solve_that_takes_too_long(self):
        """The step has failed, once, and says so in its row."""
        run = self.folder / "run"
        self.fails(self.write("s.json", scene()), "--solver", "exec:sleep 20", "--time-limit", 0.2, "--record", run)
        with open(run / "steps.csv", encoding="utf-8") as file:
            self.assertEqual([row["status"] for row in csv.DictReader(file)], ["time_limit"])
        self.assertEqual(json.loads((run / "run.json").read_text())["failed_steps"], 1)

    def test_bad_limits(self):
        for limit in ("0", "-1", "nan", "inf", "soon"):
            self.refuse("simulate", "pendulum", "--time-limit", limit, words=["--time-limit"])


class TestStepsThatCannotBeMade(HostileTestCase):
    def test_the_record_calls_them_failed(self):
        box = {"name": "box", "mass": 1, "shape": {"type": "box", "half": [0.1, 0.1, 0.1]}, "position": [0, 0, 0.1]}
        far = {**box, "name": "far", "position": [3, 0, 1], "velocity": [1e30, 0, 0]}
        path = self.write("s.json", json.dumps(scene(GROUND, box, far)))
        self.perp("simulate", path, "--record", self.folder / "out")
        with open(self.folder / "out" / "steps.csv", encoding="utf-8") as file:
            last = list(csv.DictReader(file))[-1]
        self.assertEqual((last["stage"], last["status"]), ("free", "numerical_error"))


if __name__ == "__main__":
    unittest.main()
