"""Time steps of scenes as problems: perp export of scenes, perp-sequence files, and the suites that hold such entries."""
import gzip
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import ROOT, SCHEMAS, CliTestCase, lcp, natural_residual, parse_json, schema_errors, with_cases  # noqa: E402

HEADER = {"format": "perp-sequence", "version": 1, "name": "by hand"}


def read_sequence(text):
    """Header and problems of a sequence, as docs/reference/formats.md describes it."""
    lines = text.split("\n")[:-1]  # what follows the last line feed was cut off
    header = parse_json(lines[0])
    shared = header.get("shared", {"format": "perp-problem", "version": 1})
    return header, [{**shared, **parse_json(line)} for line in lines[1:] if line]


def sequence(*problems, **changes):
    """The text of a sequence of problems that are whole."""
    return "".join(json.dumps(item) + "\n" for item in ({**HEADER, **changes}, *problems))


class SequenceTestCase(CliTestCase):
    def export(self, *arguments, out="out"):
        """The paths that perp export prints, which are those of the files it wrote."""
        folder = self.folder / out
        paths = self.succeed("export", *arguments, "-o", folder).splitlines()
        self.assertEqual(sorted(paths), sorted(str(path) for path in folder.rglob("*") if path.is_file()))
        return [folder / path for path in paths]

    def assert_sequence(self, text):
        """Every line, and every problem when it is complete, is as the schemas say; returns the problems."""
        for line in text.split("\n")[:-1]:
            self.assert_valid(parse_json(line), "sequence")
        header, problems = read_sequence(text)
        self.assertEqual(header["format"], "perp-sequence")
        for problem in problems:
            self.assert_valid(problem, "problem")
        return problems

    def bench(self, *arguments, out="records", code=0, solver="lemke"):
        """The records of perp bench, by default with lemke, at 1e-10."""
        done = self.perp("bench", *arguments, "--solvers", solver, "--tolerance", "1e-10", "--repeat", "1", "--overwrite",
                         "-o", self.folder / out)
        self.assertEqual(done.returncode, code, done.stderr)
        records = [parse_json(line) for line in (self.folder / out / "records.jsonl").read_text().splitlines()]
        for record in records:
            self.assert_valid(record, "record")
        return records

    def refuse(self, *arguments, words=()):
        done = self.perp(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)


# Contacts that come and go, relaxed steps, two stages, joints, another step, other parameters and formulations.
RUNS = {
    "stack": (("box-stack", "--param", "rows=2"), (3, 6)),
    "kept": (("box-stack", "--param", "rows=2", "--formulation", "stewart-trinkle:velocities=kept"), (1, 2)),
    "ramp_of_another_step": (("box-on-ramp", "--param", "vx=1", "--step", "0.05", "--formulation", "anitescu-potra:edges=8"), (2, 4)),
    "restitution": (("sphere-collision",), (26, 32)),
    "joints": (("four-bar",), (1, 5)),
    "polygon": (("disc-polygon", "--param", "N=6"), (1, 20)),
    "shower": (("shape-shower",), (31, 34)),
}


@with_cases(RUNS)
class TestExportOfScenes(SequenceTestCase):
    """What is exported is what the simulation poses."""

    def check(self, arguments, steps):
        chosen, scene = f"{steps[0]}:{steps[1]}", arguments[0]
        h = float(arguments[arguments.index("--step") + 1]) if "--step" in arguments else \
            parse_json((ROOT / "problems" / "scenes" / f"{scene}.json").read_text()).get("step", 0.01)
        record = ("simulate", *arguments, "--duration", h * steps[1], "--record-problems", chosen)
        self.succeed(*record, "--record", self.folder / "files")
        self.succeed(*record, "--record", self.folder / "lines", "--sequence")
        recorded = (self.folder / "lines" / "problems.jsonl").read_text()
        files = self.export(*arguments, "--steps", chosen)
        [line_file] = self.export(*arguments, "--steps", chosen, "--sequence", out="sequence")
        self.assertEqual(line_file.name, f"{scene}.jsonl")
        # The lines after the header are the same bytes in both; the files hold the same.
        self.assertEqual(line_file.read_text().split("\n")[1:], recorded.split("\n")[1:])
        problems = self.assert_sequence(recorded)
        self.assertGreater(len(problems), 0)
        self.assertEqual([parse_json(path.read_text()) for path in files], problems)
        self.assertEqual([path.name for path in files], [f"{problem['name']}.json" for problem in problems])
        for problem, path in zip(problems, files):
            self.assertRegex(problem["name"], rf"^{scene}-\d{{6}}-[a-z]+(-\d+)?$")
            self.assertTrue(steps[0] <= int(problem["name"][len(scene) + 1:][:6]) <= steps[1])
            one = parse_json((self.folder / "files" / "problems" / path.name[len(scene) + 1:]).read_text())
            self.assertEqual({**one, "name": ""}, {**problem, "name": ""})
            self.assertLessEqual(natural_residual(problem, problem["solution"]["z"]), 1e-10)
        self.assertEqual(len(list((self.folder / "files" / "problems").iterdir())), len(files))


class TestExport(SequenceTestCase):
    def test_starts_are_the_answers_of_the_step_before(self):
        problems = [parse_json(path.read_text()) for path in self.export("box-stack", "--param", "rows=2", "--steps", "1:4")]
        self.assertNotIn("start", problems[0])
        for old, new in zip(problems, problems[1:]):
            self.assertEqual(old["variables"], new["variables"])
            self.assertEqual(new["start"], old["solution"]["z"])

    def test_what_is_left_out_has_its_default(self):
        [path] = self.export("box-stack")
        self.assertEqual(path.name, "box-stack-000001-contact.json")

    def test_scene_files_beside_families(self):
        scene = self.write("own.json", parse_json((ROOT / "problems/scenes/four-bar.json").read_text()))
        paths = self.export("psd", scene, "fathi", "--size", 4, "--gzip")
        self.assertEqual(sorted(path.name for path in paths),
                         ["fathi-4.json.gz", "four-bar-000001-contact.json.gz", "psd-4-1.json.gz"])
        for path in paths:
            self.assert_valid(parse_json(gzip.decompress(path.read_bytes())), "problem")

    def test_a_compressed_sequence(self):
        [plain] = self.export("pendulum", "--steps", "1:3", "--sequence", out="plain")
        [packed] = self.export("pendulum", "--steps", "1:3", "--sequence", "--gzip", out="packed")
        self.assertEqual(packed.name, "pendulum.jsonl.gz")
        self.assertEqual(gzip.decompress(packed.read_bytes()), plain.read_bytes())

    def test_kind(self):
        self.export("four-bar", "--kind", "mlcp")
        self.refuse("export", "four-bar", "--kind", "lcp", "-o", self.folder / "none", words=["--kind", "mlcp", "lcp"])
        self.assertFalse((self.folder / "none").exists())


@with_cases({
    "step_0": (("box-stack", "--steps", "0:3"), "--steps", "0:3"),
    "steps_backwards": (("box-stack", "--steps", "3:2"), "3:2"),
    "one_step": (("box-stack", "--steps", "3"), "3"),
    "steps_that_are_a_word": (("box-stack", "--steps", "all"), "--steps", "all"),
    "unknown_name": (("box-stuck",), "box-stuck", "box-stack"),
    "no_such_file": (("none.json",), "none.json"),
    "unknown_name_after_a_good_one": (("psd", "box-stuck"), "box-stuck"),
    "unknown_parameter": (("box-stack", "--param", "layers=2"), "layers"),
    "unknown_formulation": (("box-stack", "--formulation", "magic"), "magic", "stewart-trinkle"),
    "step_that_is_no_number": (("box-stack", "--step", "long"), "--step", "long"),
    "negative_step": (("box-stack", "--step", "-1"), "--step"),
})
class TestRefusedExports(SequenceTestCase):
    def check(self, arguments, *words):
        self.refuse("export", *arguments, "-o", self.folder / "out", words=words)
        self.assertFalse((self.folder / "out").exists())


class TestSequenceFiles(SequenceTestCase):
    def test_every_line_is_an_instance(self):
        [path] = self.export("box-stack", "--param", "rows=2", "--steps", "1:5", "--sequence")
        problems = self.assert_sequence(path.read_text())
        records = self.bench(path)
        self.assertEqual([record["instance"] for record in records], [problem["name"] for problem in problems])
        self.assertEqual({record["outcome"] for record in records}, {"solved"})
        self.assertEqual(len({record["instance_hash"] for record in records}), 5)
        [packed] = self.export("box-stack", "--param", "rows=2", "--steps", "1:5", "--sequence", "--gzip", out="packed")
        again = self.bench(packed, out="again")
        self.assertEqual([r["instance_hash"] for r in again], [r["instance_hash"] for r in records])

    def test_a_folder_of_problems_and_sequences(self):
        self.export("pendulum", "--steps", "1:3", "--sequence")
        self.write("out/more/one.json", lcp())
        self.write("out/two.jsonl", sequence(lcp(name="a"), lcp(name="b")))
        records = self.bench(self.folder / "out")
        self.assertEqual(sorted(r["instance"] for r in records),
                         ["a", "b", "one", *(f"pendulum-00000{k}-contact" for k in (1, 2, 3))])

    def test_a_recorded_sequence_is_read(self):
        self.succeed("simulate", "pendulum", "--duration", 0.05, "--record", self.folder / "run", "--record-problems", "all",
                     "--sequence")
        self.assertEqual(len(self.bench(self.folder / "run" / "problems.jsonl")), 5)

    def test_shared_members(self):
        whole = lcp()
        shared = {name: whole[name] for name in ("format", "version", "kind", "n", "M")}
        lines = [{"name": "first", "q": [-4, 1]}, {"name": "second", "q": [-1, -1], "x-own": 1},
                 {"name": "third", "n": 1, "M": {"shape": [1, 1], "dense": [[2]]}, "q": [-1]}]
        text = sequence(*lines, shared=shared, source={"by": "hand"}, **{"x-note": [1]})
        self.assertEqual(len(self.assert_sequence(text)), 3)
        records = self.bench(self.write("shared.jsonl", text))
        self.assertEqual([(r["instance"], r["n"], r["outcome"]) for r in records],
                         [("first", 2, "solved"), ("second", 2, "solved"), ("third", 1, "solved")])

    def test_lines_that_are_whole_and_empty_lines(self):
        text = sequence(lcp(name="a")) + "\n" + json.dumps(lcp(name="b")) + "\n"
        self.assertEqual([r["instance"] for r in self.bench(self.write("whole.jsonl", text))], ["a", "b"])

    def test_a_last_line_that_is_cut_off_is_dropped(self):
        text = sequence(lcp(name="a"), lcp(name="b"))
        start = text.index("\n", text.index("\n") + 1) + 1  # of the last line
        for end in (start, start + 1, start + 30, len(text) - 1):
            self.assertEqual([r["instance"] for r in self.bench(self.write("cut.jsonl", text[:end]))], ["a"], end)

    def test_schema_names_every_member_of_a_problem(self):
        rules = json.loads((SCHEMAS / "perp-problem.schema.json").read_text())
        kinds = rules["properties"]["kind"]["enum"]
        members = {name for kind in kinds for name in rules["$defs"][kind]["properties"]}
        line = json.loads((SCHEMAS / "perp-sequence.schema.json").read_text())["$defs"]["problem"]["properties"]
        self.assertEqual(set(line), members)
        self.assertEqual(line["kind"]["enum"], kinds)


GOOD = json.dumps(HEADER)
LINE = json.dumps(lcp())


@with_cases({
    "empty": ("", None, "empty"),
    "no_header": (LINE + "\n", 1, "format"),
    "header_that_is_no_json": ("{\n", 1, "JSON"),
    "header_that_is_cut_off": (GOOD[:-3], 1, "JSON"),
    "version_2": (sequence(version=2), 1, "version"),
    "no_name": (GOOD.replace("name", "x-name") + "\n", 1, "name", "missing"),
    "unknown_member_of_the_header": (sequence(steps=3), 1, "steps"),
    "shared_is_a_list": (sequence(shared=[1]), 1, "shared"),
    "header_is_a_list": ("[1]\n", 1, "object"),
    "a_line_that_is_no_json": (f"{GOOD}\n{LINE}\n{LINE[:-9]}\n{LINE}\n", 3, "JSON"),
    "a_line_that_is_a_number": (f"{GOOD}\n{LINE}\n7\n{LINE}\n", 3, "object"),
    "a_line_of_the_wrong_size": (sequence(lcp(), lcp(q=[1]), lcp()), 3, '"q"'),
    "a_line_with_an_unknown_member": (sequence(lcp(), lcp(Q=[1, 2]), lcp()), 3, '"Q"'),
    "a_member_given_twice": (f'{GOOD}\n{LINE}\n{LINE[:-1]}, "n": 2}}\n', 3, "twice"),
    "unknown_shared_member": (sequence(lcp(), shared={"Q": 1}), 2, '"Q"'),
    "shared_of_another_format": (sequence({k: v for k, v in lcp().items() if k != "format"}, shared={"version": 1}), 2, "format"),
    "a_second_header": (f"{GOOD}\n{GOOD}\n{LINE}\n", 2, "format"),
})
class TestBadSequences(SequenceTestCase):
    def check(self, content, line, *words):
        path = self.write("bad.jsonl", content)
        place = [str(path)] if line is None else [f"{path}, line {line}"]
        self.refuse("bench", path, "--solvers", "lemke", "-o", self.folder / "out", words=[*place, *words])
        self.assertFalse((self.folder / "out").exists())

    def test_damaged_gzip(self):
        [path] = self.export("pendulum", "--steps", "1:3", "--sequence", "--gzip")
        data = path.read_bytes()
        path.write_bytes(data[:len(data) // 2])
        self.refuse("bench", path, "-o", self.folder / "records", words=[str(path), "gzip"])


def suite(*entries):
    return {"format": "perp-suite", "version": 1, "name": "own", "description": "", "entries": list(entries)}


PENDULUM = {"scene": "pendulum", "steps": [2, 4]}


class TestScenesInSuites(SequenceTestCase):
    def test_an_entry(self):
        content = suite({**PENDULUM, "parameters": {"length": 2}, "formulation": "anitescu-potra", "step": 0.02},
                        {**PENDULUM, "tier": "full", "x-note": 1}, {"family": "psd", "sizes": [3], "seeds": [1, 1]})
        self.assert_valid(content, "suite")
        path = self.write("own.json", content)
        names = [f"pendulum-00000{k}-contact" for k in (2, 3, 4)]
        self.assertEqual([r["instance"] for r in self.bench(path)], [*names, *names, "psd-3-1"])
        self.assertEqual([r["instance"] for r in self.bench(path, "--quick")], [*names, "psd-3-1"])

    def test_event_driven_steps(self):
        """Segments and impacts count as steps: two spheres that meet have an impact among them, h = 0."""
        options = ("--formulation", "anitescu-potra", "--driver", "event-driven", "--steps", "1:120")
        problems = [parse_json(path.read_text()) for path in self.export("sphere-collision", *options)]
        self.assertTrue(any(p["source"]["h"] == 0 for p in problems))
        self.assertTrue(any(0 < p["source"]["h"] for p in problems))

    def test_its_problems_are_those_of_export(self):
        [path] = self.export("pendulum", "--steps", "2:4", "--sequence")
        ways = [self.bench(path), self.bench(self.write("own.json", suite(PENDULUM)), out="suite")]
        self.assertEqual(*([(r["instance"], r["instance_hash"]) for r in records] for records in ways))

    def test_the_quick_suite_is_solved(self):
        records = self.bench("steps", "--quick", solver="first(polish(lemke), proximal(polish(lemke)))")
        self.assertGreaterEqual(len(records), 250)
        self.assertEqual([r["instance"] for r in records if r["outcome"] != "solved"], [])
        self.assertEqual(len({r["key"] for r in records}), len(records))


BEYOND = {"unknown_scene", "driver_without_velocity_level", "unknown_parameter", "unknown_formulation", "steps_backwards"}  # what a schema cannot tell


@with_cases({
    "unknown_scene": ({"scene": "box-stuck", "steps": [1, 2]}, "box-stuck"),
    "no_steps": ({"scene": "pendulum"}, "steps", "missing"),
    "unknown_driver": ({"scene": "pendulum", "steps": [1, 2], "driver": "events"}, "driver", "event-driven"),
    "driver_without_velocity_level": ({"scene": "pendulum", "steps": [1, 2], "driver": "event-driven"}, "scene", "velocity level"),
    "step_0": ({"scene": "pendulum", "steps": [0, 2]}, "steps"),
    "steps_backwards": ({"scene": "pendulum", "steps": [3, 2]}, "steps"),
    "one_step": ({"scene": "pendulum", "steps": [3]}, "steps"),
    "fractional_steps": ({"scene": "pendulum", "steps": [1, 2.5]}, "steps"),
    "unknown_parameter": ({**PENDULUM, "parameters": {"mu": 1}}, "mu"),
    "parameter_that_is_a_word": ({**PENDULUM, "parameters": {"length": "long"}}, "parameters"),
    "unknown_formulation": ({**PENDULUM, "formulation": "magic"}, "magic"),
    "negative_step": ({**PENDULUM, "step": -0.1}, "step"),
    "unknown_field": ({**PENDULUM, "seeds": [1, 1]}, "seeds"),
    "unknown_tier": ({**PENDULUM, "tier": "slow"}, "tier"),
    "scene_and_files": ({**PENDULUM, "files": ["collections/siconos/lcp/*.json"]}, "scene"),
    "scene_and_family": ({**PENDULUM, "family": "psd"}, "family"),
})
class TestBadScenesInSuites(SequenceTestCase):
    def check(self, entry, *words):
        content = suite(entry)
        self.refuse("bench", self.write("own.json", content), "-o", self.folder / "out", words=words)
        self.assertFalse((self.folder / "out").exists())
        self.assertEqual(schema_errors(content, "suite") == [], self._testMethodName[5:] in BEYOND)


if __name__ == "__main__":
    unittest.main()
