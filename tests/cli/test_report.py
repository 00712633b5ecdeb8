"""perp report: what is in the page, and its shape; what a browser makes of it: tests/browser."""
import base64
import csv
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import unittest
from html.parser import HTMLParser

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import CliTestCase, lcp, page_data, page_records  # noqa: E402

VOID = {"meta"}


class Checker(HTMLParser):
    """Every element is closed in its order; ids are unique; nothing outside is named."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.faults = [], [], []

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        if len(set(names)) != len(names):
            self.faults.append(f"{tag}: an attribute is given twice")
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name in ("src", "href", "xlink:href") and not value.startswith("#"):
                self.faults.append(f"{tag} refers to {value}")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> at {self.getpos()}")


class TestReportOfSimulations(CliTestCase):
    def simulate(self, name, *arguments):
        self.succeed("simulate", *arguments, "--record", self.folder / name)

    def report(self, *folders, **options):
        """The data of the page."""
        out = self.folder / "report.html"
        self.succeed("report", *(self.folder / name for name in folders), "-o", out, **options)
        page = out.read_text()
        checker = Checker()
        checker.feed(page)
        checker.close()
        self.assertEqual((checker.faults, checker.open), ([], []))
        self.assertEqual(len(set(checker.ids)), len(checker.ids))
        shell = re.sub(r"<script[^>]*>.*?</script>", "", page, flags=re.S)
        for outside in ("http:", "https:", "src=", "href=", "@import", "url(", "<link", "<script"):
            self.assertNotIn(outside, shell)
        return page_data(out)

    def test_a_run_recorded_with_its_sequence(self):
        """problems.jsonl of a simulation is no file of run records."""
        self.simulate("sim/a", "box-stack", "--duration", 0.05, "--record-problems", "all", "--sequence")
        for folder in ("sim/a", "sim"):
            self.assertEqual(len(self.report(folder)["simulations"]), 1)

    def polygons(self):
        for sides in (10, 20, 100):
            self.simulate(f"sim/polygons/N-{sides}", "disc-polygon", "--param", f"N={sides}", "--duration", 0.3)

    def chart(self, data, title):
        """The chart's lines by name: (x, y) of each point."""
        charts = [c for group in data["simulations"] for c in group["charts"] if c["title"] == title]
        self.assertEqual(len(charts), 1, title)
        return {s["name"]: list(zip(s["x"], s["y"])) for s in charts[0]["series"] + charts[0]["guide"]}

    def runs(self, data):
        return {run["name"]: run for group in data["simulations"] for run in group["runs"]}

    def titles(self, data):
        return [c["title"] for group in data["simulations"] for c in group["charts"]]

    def energies(self, run):
        """Kinetic and total energy at first (from trajectory.csv) and at last (from steps.csv)."""
        with open(self.folder / run / "trajectory.csv") as file:
            first = [row for row in csv.DictReader(file) if row["step"] == "0"]
        with open(self.folder / run / "steps.csv") as file:
            last = list(csv.DictReader(file))[-1]
        kinetic = [sum(float(row["kinetic"]) for row in first), float(last["kinetic"])]
        potential = [sum(float(row["potential"]) for row in first), float(last["potential"])]
        return kinetic, [k + p for k, p in zip(kinetic, potential)]

    def test_a_group_is_labelled_by_what_differs(self):
        self.polygons()
        data = self.report("sim")
        for title in ("Kinetic energy", "Total energy", "Contacts in a step's problem", "Solve time, a step"):
            self.assertEqual(list(self.chart(data, title)), ["N = 10", "N = 20", "N = 100"], title)
        self.assertEqual([run["settings"]["N"] for run in data["simulations"][0]["runs"]], ["10", "20", "100"])
        self.assertEqual(data["simulations"][0]["differs"], ["N"])
        self.assertIsNone(data["records"])

    def test_energies_are_those_of_the_files(self):
        self.polygons()
        data = self.report("sim/polygons")
        for k, (title, name) in enumerate((("Kinetic energy", "kinetic"), ("Total energy", "total"))):
            for sides in (10, 20, 100):
                first, last = self.energies(f"sim/polygons/N-{sides}")[k]
                line = self.chart(data, title)[f"N = {sides}"]
                for (t, value), expected, at in ((line[0], first, 0), (line[-1], last, 0.3)):
                    self.assertAlmostEqual(t, at, 5)
                    self.assertAlmostEqual(value, expected, delta=1e-5 * abs(expected))
                for value, expected in zip(self.runs(data)[f"N-{sides}"][name], (first, last)):
                    self.assertAlmostEqual(value, expected, delta=1e-5 * abs(expected))

    def test_formulations_and_steps_as_labels(self):
        self.simulate("g/a", "box-on-ramp", "--duration", 0.1)
        self.simulate("g/b", "box-on-ramp", "--duration", 0.1, "--formulation", "anitescu-potra", "--step", 0.01)
        self.assertIn("anitescu-potra, h = 0.01 s", self.chart(self.report("g"), "Kinetic energy"))

    def test_runs_that_do_not_differ_are_told_by_their_folder(self):
        for name in ("one", "two"):
            self.simulate(f"g/{name}", "pendulum", "--duration", 0.1)
        self.assertEqual(list(self.chart(self.report("g"), "Kinetic energy")), ["one", "two"])

    def test_paths(self):
        self.simulate("g/run", "box-stack", "--param", "rows=3", "--duration", 0.1)
        data = self.report("g/run")
        paths = self.chart(data, "Paths of the bodies' centres")
        self.assertEqual(list(paths), ["box_0_0", "box_0_1", "box_0_2"])
        # A stack at rest: what is left of rounding is not drawn.
        self.assertEqual({point for line in paths.values() for point in line}, {(0, 0.1), (0, 0.3), (0, 0.5)})
        self.assertEqual([body["last"][2] for body in self.runs(data)["run"]["bodies"]], [0.1, 0.3, 0.5])
        self.simulate("h/run", "disc-polygon", "--duration", 0.1)
        flat = [c for c in self.report("h")["simulations"][0]["charts"] if c["title"] == "Path of the body's centre"]
        self.assertEqual([(c["y"], c["equal"]) for c in flat], [("y in m", True)])

    def test_motion(self):
        """Frames, poses and contacts are those of the files, to the precision of 16 bits."""
        self.simulate("g/run", "falling-boxes", "--param", "layers=1", "--param", "across=2", "--duration", 0.4)
        motion = self.runs(self.report("g"))["run"]["motion"]
        with open(self.folder / "g/run/trajectory.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        moving = [body["name"] for body in motion["bodies"] if not body["fixed"]]
        self.assertEqual([row["body"] for row in rows[:len(moving)]], moving)
        self.assertEqual(motion["t"], sorted({float(row["t"]) for row in rows}))
        words = struct.iter_unpack("<3H4h", base64.b64decode(motion["poses"]))
        for row, (x, y, z, *quaternion) in zip(rows, words, strict=True):
            for axis, word, name in zip(range(3), (x, y, z), ("px", "py", "pz")):
                self.assertAlmostEqual(motion["low"][axis] + motion["size"][axis] * word / 65535, float(row[name]), delta=1e-5 + motion["size"][axis] / 65535)
            for value, name in zip(quaternion, ("qw", "qx", "qy", "qz")):
                self.assertAlmostEqual(value / 32767, float(row[name]), delta=2e-5)
        with open(self.folder / "g/run/contacts.csv", encoding="utf-8") as file:
            pressing = [row for row in csv.DictReader(file) if float(row["p_n"]) > 0]
        contacts = list(struct.iter_unpack("<7f", base64.b64decode(motion["contacts"])))
        self.assertEqual((len(contacts), motion["starts"][-1]), (len(pressing), len(pressing)))
        self.assertEqual(len(motion["starts"]), len(motion["t"]) + 1)
        for k, t in enumerate(motion["t"]):
            here = [row for row in pressing if abs(float(row["t"]) - t) < 1e-9]
            told = contacts[motion["starts"][k]:motion["starts"][k + 1]]
            self.assertEqual(len(told), len(here))
            # Normals of boxes on the ground are vertical: the impulse along z is that of the normals.
            ground = sum(float(row["p_n"]) * float(row["nz"]) + float(row["p_t"]) * float(row["tz"]) for row in here if row["body_b"] == "ground")
            self.assertLessEqual(abs(sum(c[5] for c in told) - ground), 1e-5 * (1 + abs(ground)) + sum(float(row["p_n"]) for row in here if row["body_b"] != "ground"))
            self.assertEqual(sorted(c[6] for c in told), sorted({"stick": 0, "slide": 1}.get(row["mode"], 2) for row in here))

    def test_motion_of_older_runs_and_of_none(self):
        self.simulate("g/run", "sliding-cube", "--duration", 0.1)
        (self.folder / "g/run/shapes.json").unlink()
        self.assertIsNone(self.runs(self.report("g"))["run"]["motion"])
        for text, word in (("[]", "shapes"), ("{", "shapes.json"), ('{"format":"perp-shapes","dimension":3,"shapes":[],"bodies":[{}]}', "shapes")):
            self.write("g/run/shapes.json", text)
            done = self.perp("report", self.folder / "g", "-o", self.folder / "r.html")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn(word, done.stderr)

    def test_figure_json(self):
        self.polygons()
        self.write("sim/polygons/figure.json", {"title": "A <title>", "caption": "What & why", "reference": {"label": "exact", "kinetic": 6.75}})
        data = self.report("sim")
        group = data["simulations"][0]
        self.assertEqual((group["title"], group["caption"]), ("A <title>", "What & why"))
        self.assertEqual([(round(t, 5), y) for t, y in self.chart(data, "Kinetic energy")["exact"]], [(0, 6.75), (0.3, 6.75)])

    def test_no_name_ends_the_script(self):
        self.polygons()
        self.write("sim/polygons/figure.json", {"title": "</script><script>alert(1)</script><!--"})
        self.assertEqual(self.report("sim")["simulations"][0]["title"], "</script><script>alert(1)</script><!--")

    def test_distance_from_a_reference_path(self):
        self.simulate("g/run", "sliding-cube", "--duration", 0.1)
        with open(self.folder / "g" / "run" / "trajectory.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        # Off by 3 mm along x and 4 mm along y at every second step; linear between.
        path = [[float(r["t"]), float(r["px"]) + 3e-3, float(r["py"]) + 4e-3, float(r["pz"])] for r in rows[::2]]
        self.write("g/figure.json", {"reference": {"label": "moved", "path": path}, "view": "top",
                                     "draw": ["path", "distance", "spin"]})
        data = self.report("g")
        (line,) = self.chart(data, "Distance from: moved").values()
        for _, distance in (line[0], line[-1]):
            self.assertAlmostEqual(distance, 0.005, 7)
        group = data["simulations"][0]
        self.assertEqual([c["y"] for c in group["charts"] if c["title"] == "Path of the body's centre"], ["y in m"])
        self.assertIn("moved", self.chart(data, "Path of the body's centre"))
        self.assertEqual(group["measures"], ["distance in m", "roughness in rad/s"])
        self.assertAlmostEqual(group["runs"][0]["measures"][0], 0.005, 6)
        self.assertNotIn("Kinetic energy", self.titles(data))

    def test_a_joint_over_time(self):
        self.simulate("g/arm", "arm-friction", "--duration", 0.1, "--param", "coulomb=0")
        self.write("g/figure.json", {"joint": {"row": 3, "label": "elbow"}, "draw": ["joint"]})
        with open(self.folder / "g" / "arm" / "joints.csv", encoding="utf-8") as file:
            values = [float(r["theta"]) for r in csv.DictReader(file) if r["row"] == "3"]
        self.assertEqual((len(values), values[0]), (10, 0))
        self.assertNotEqual(values[-1], 0)
        (line,) = self.chart(self.report("g"), "Joint: elbow").values()
        self.assertEqual(line[0], (0.01, 0))
        self.assertAlmostEqual(line[-1][1], values[-1], delta=1e-5 * abs(values[-1]))

    def test_a_table_alone(self):
        self.simulate("g/a", "sliding-cube", "--duration", 0.1)
        self.simulate("g/b", "pendulum", "--duration", 0.1)
        self.write("g/figure.json", {"draw": []})
        data = self.report("g")
        self.assertEqual(self.titles(data), [])
        # Of different scenes no parameters are told, for none is of both.
        self.assertNotIn("vx", data["simulations"][0]["differs"])
        self.assertEqual({run["scene"] for run in self.runs(data).values()}, {"sliding-cube", "pendulum"})

    def test_records(self):
        """Every record is a row, with its solver's label, and with the worst row of what was not solved."""
        suite = self.write("suite.json", {
            "format": "perp-suite", "version": 1, "name": "piles", "description": "d",
            "entries": [{"scene": "falling-boxes", "parameters": {"layers": n, "across": 2}, "steps": [20, 24]} for n in (1, 2)]})
        for options in (("--solvers", "lemke,newton-min"),
                        ("--solvers", "lemke", "--label", "short", "--set", "max_iterations=3", "--resume")):
            self.succeed("bench", suite, *options, "-o", self.folder / "b")
        with open(self.folder / "b" / "records.jsonl", encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        rows = page_records(self.report("b"))
        self.assertEqual(len(rows), len(records))
        for row, record in zip(rows, records):
            name = f"{record['solver']} ({record['label']})" if record["label"] else record["solver"]
            self.assertEqual((row["solver"], row["problem"], row["outcome"], row["n"], row["contacts"], row["suite"], row["group"]),
                             (name, record["instance"], record["outcome"], record["n"], record["contacts"], "piles", record["sequence"]))
            self.assertAlmostEqual(row["total"], record["times"]["total"], delta=1e-3 * record["times"]["total"])
            self.assertEqual("right" in row["flags"], record["outcome"] == "solved")
            self.assertEqual(row["worst"], record["worst"])
            self.assertEqual(record["worst"] == "", record["outcome"] == "solved")
        short = [r for r in rows if r["solver"] == "lemke (short)"]
        self.assertTrue(any(r["outcome"] != "solved" and "contact of" in r["worst"] for r in short))

    CLAIM = {"claim": "A < B.", "experiment": "both", "measured": "A = 1, B = 2", "verdict": "holds"}

    def claims(self, **change):
        self.write("c/claims/a.json", {"format": "perp-claims", "version": 1, "title": "A paper", "claims": [self.CLAIM], **change})

    def test_claims_of_a_paper(self):
        os.makedirs(self.folder / "c" / "claims", exist_ok=True)
        self.claims(claims=[self.CLAIM, {**self.CLAIM, "verdict": "does not hold"}])
        (told,) = self.report("c")["claims"]
        self.assertEqual(told["title"], "A paper")
        self.assertEqual([(c["claim"], c["verdict"]) for c in told["claims"]], [("A < B.", "holds"), ("A < B.", "does not hold")])
        for change, field in (({"claims": [{**self.CLAIM, "verdict": "true"}]}, "claims[0].verdict"),
                              ({"claims": [{"claim": "x"}]}, "experiment"), ({"claims": 3}, "claims"),
                              ({"format": "x"}, "format"), ({"version": 2}, "version"), ({"more": 1}, "more")):
            self.claims(**change)
            done = self.perp("report", self.folder / "c", "-o", self.folder / "r.html")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn("a.json", done.stderr)
            self.assertIn(field, done.stderr)

    def test_bad_json_is_refused_in_one_line(self):
        self.polygons()
        for file, text in (("figure.json", "{"), ("figure.json", '{"title": 3}'), ("figure.json", '{"reference": 6}'),
                           ("figure.json", '{"reference": {"path": [[0, 1, 2]]}}'), ("figure.json", '{"draw": ["x"]}'),
                           ("figure.json", '{"draw": "path"}'), ("figure.json", '{"view": "front"}'), ("figure.json", '{"joint": {"row": -1}}'),
                           ("figure.json", '{"reference": {"path": [[1, 0, 0, 0], [0, 0, 0, 0]]}}'),
                           ("N-10/run.json", "[]"), ("N-10/run.json", '{"steps": 3}'),
                           ("N-10/run.json", '{"scene": "disc-polygon", "complete": true, "steps": "x"}')):
            path = self.folder / "sim" / "polygons" / file
            before = path.read_text() if path.exists() else "{}"
            path.write_text(text)
            done = self.perp("report", self.folder / "sim", "-o", self.folder / "r.html")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn(file, done.stderr)
            self.assertFalse((self.folder / "r.html").exists())
            path.write_text(before)

    def test_damaged_lines(self):
        self.polygons()
        whole = self.runs(self.report("sim"))
        for file, fault in (("steps.csv", "31,0.31,contact,sol"), ("trajectory.csv", "31,0.31,wheel,1"),
                            ("steps.csv", "\n,,,\n\0\0\0\n1,2,3"), ("trajectory.csv", "x,y\nz,\n\xff")):
            path = self.folder / "sim" / "polygons" / "N-20" / file
            before = path.read_bytes()
            path.write_bytes(before + fault.encode("latin-1"))
            runs = self.runs(self.report("sim"))
            self.assertRegex(runs["N-20"].pop("notes"), r"^[1-9] damaged lines? left out$")
            self.assertEqual(runs["N-20"], {k: v for k, v in whole["N-20"].items() if k != "notes"})
            path.write_bytes(before)

    def test_a_run_killed_at_its_beginning(self):
        self.polygons()
        folder = self.folder / "sim" / "polygons" / "N-10"
        for lines in (1, 2):
            for file in ("steps.csv", "trajectory.csv"):
                path = folder / file
                path.write_text("".join(path.read_text().splitlines(True)[:lines]))
            run = json.loads((folder / "run.json").read_text())
            (folder / "run.json").write_text(json.dumps({**run, "complete": False}))
            self.assertIn("not complete", self.runs(self.report("sim"))["N-10"]["notes"])
            self.polygons()

    def test_a_run_whose_file_is_missing_is_not_left_out(self):
        for file in ("steps.csv", "trajectory.csv"):
            self.polygons()
            (self.folder / "sim" / "polygons" / "N-10" / file).unlink()
            done = self.perp("report", self.folder / "sim", "-o", self.folder / "out.html")
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
            self.assertIn(f"N-10/{file}", done.stderr)

    def test_columns_by_name(self):
        self.polygons()
        whole = self.report("sim")
        for path in (self.folder / "sim").rglob("*.csv"):
            with open(path) as file:
                rows = list(csv.reader(file))
            with open(path, "w", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows([["new" if k == 0 else "9", *row[::-1]]
                                                                for k, row in enumerate(rows)])
        self.assertEqual(self.report("sim"), whole)

    def test_records_and_simulations_together(self):
        self.polygons()
        self.succeed("bench", self.write("mine.json", lcp()), "--solvers", "lemke,enumerate", "--repeat", 1,
                     "-o", self.folder / "all")
        shutil.move(self.folder / "sim", self.folder / "all" / "sim")
        data = self.report("all")
        self.assertEqual((len(data["records"]["rows"]), len(self.runs(data))), (2, 3))
        self.assertEqual([name for name, _ in data["about"]["machine"]], ["processor", "system", "compiler", "perp"])


if __name__ == "__main__":
    unittest.main()
