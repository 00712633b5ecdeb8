"""perp report: simulations, drawings and the shape of the page (of records: test_formats.py)."""
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import unittest
from html.parser import HTMLParser

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import CliTestCase, lcp  # noqa: E402

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
        out = self.folder / "report.html"
        self.succeed("report", *(self.folder / name for name in folders), "-o", out, **options)
        page = out.read_text()
        checker = Checker()
        checker.feed(page)
        checker.close()
        self.assertEqual((checker.faults, checker.open), ([], []))
        self.assertEqual(len(set(checker.ids)), len(checker.ids))
        for outside in ("http:", "https:", "src=", "href=", "@import", "url(", "<link", "<script"):
            self.assertNotIn(outside, page)
        return page

    def polygons(self):
        for sides in (10, 20, 100):
            self.simulate(f"sim/polygons/N-{sides}", "disc-polygon", "--param", f"N={sides}", "--duration", 0.3)

    def drawing(self, page, title):
        """The drawing's own description."""
        title = title.replace("'", "&#39;")
        return re.search(rf"<title>{title}</title>\s*<desc>(.*?)</desc>", page, re.S).group(1)

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
        page = self.report("sim")
        for title in ("Kinetic energy", "Total energy", "Contacts in a step's problem", "Solve time, a step"):
            told = self.drawing(page, title)
            labels = re.findall(r"N = \d+", told)
            self.assertEqual(labels, ["N = 10", "N = 20", "N = 100"], title)
        self.assertIn("3 recorded simulations", page)
        self.assertNotIn("mu = ", page)
        self.assertNotIn("Failures", page)

    def test_energies_are_those_of_the_files(self):
        self.polygons()
        page = self.report("sim/polygons")
        for k, title in enumerate(("Kinetic energy", "Total energy")):
            told = self.drawing(page, title)
            for sides in (10, 20, 100):
                first, last = self.energies(f"sim/polygons/N-{sides}")[k]
                self.assertIn(f"N = {sides}: {first:.6g} at 0, {last:.6g} at 0.3.", told)
                self.assertIn(f"<td>{first:.5g} → {last:.5g}</td>", page)

    def test_formulations_and_steps_as_labels(self):
        self.simulate("g/a", "box-on-ramp", "--duration", 0.1)
        self.simulate("g/b", "box-on-ramp", "--duration", 0.1, "--formulation", "anitescu-potra", "--step", 0.01)
        self.assertIn("anitescu-potra, h = 0.01 s: ", self.drawing(self.report("g"), "Kinetic energy"))

    def test_runs_that_do_not_differ_are_told_by_their_folder(self):
        for name in ("one", "two"):
            self.simulate(f"g/{name}", "pendulum", "--duration", 0.1)
        told = self.drawing(self.report("g"), "Kinetic energy")
        self.assertIn(" one: ", told)
        self.assertIn(" two: ", told)

    def test_paths(self):
        self.simulate("g/run", "box-stack", "--param", "rows=3", "--duration", 0.1)
        page = self.report("g/run")
        self.assertEqual(len(re.findall(r"box_0_\d: ", self.drawing(page, "Paths of the bodies' centres"))), 3)
        self.simulate("h/run", "disc-polygon", "--duration", 0.1)
        self.assertIn("y in m", self.drawing(self.report("h"), "Path of the body's centre"))

    def test_figure_json(self):
        self.polygons()
        self.write("sim/polygons/figure.json", {"title": "A <title>", "caption": "What & why",
                                                "reference": {"label": "exact", "kinetic": 6.75}})
        page = self.report("sim")
        self.assertIn("<h3>A &lt;title&gt;</h3>", page)
        self.assertIn("<p>What &amp; why</p>", page)
        self.assertIn("exact: 6.75 at 0, 6.75 at 0.3.", self.drawing(page, "Kinetic energy"))

    def test_distance_from_a_reference_path(self):
        self.simulate("g/run", "sliding-cube", "--duration", 0.1)
        with open(self.folder / "g" / "run" / "trajectory.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        # Off by 3 mm along x and 4 mm along y at every second step; linear between.
        path = [[float(r["t"]), float(r["px"]) + 3e-3, float(r["py"]) + 4e-3, float(r["pz"])] for r in rows[::2]]
        self.write("g/figure.json", {"reference": {"label": "moved", "path": path}, "view": "top",
                                     "draw": ["path", "distance", "spin"]})
        page = self.report("g")
        self.assertRegex(self.drawing(page, "Distance from: moved"), r": 0\.005 at 0, 0\.005 at 0\.1\.")
        self.assertIn("y in m", self.drawing(page, "Path of the body's centre"))
        self.assertIn("moved: ", self.drawing(page, "Path of the body's centre"))
        self.assertRegex(page, r"<th [^>]*>distance m</th>")
        self.assertIn("<td>0.005</td>", page)
        self.assertNotIn("Kinetic energy", page)

    def test_a_joint_over_time(self):
        self.simulate("g/arm", "arm-friction", "--duration", 0.1, "--param", "coulomb=0")
        self.write("g/figure.json", {"joint": {"row": 3, "label": "elbow"}, "draw": ["joint"]})
        with open(self.folder / "g" / "arm" / "joints.csv", encoding="utf-8") as file:
            values = [float(r["theta"]) for r in csv.DictReader(file) if r["row"] == "3"]
        self.assertEqual((len(values), values[0]), (10, 0))
        self.assertNotEqual(values[-1], 0)
        self.assertIn(f": 0 at 0.01, {values[-1]:.6g} at 0.1.", self.drawing(self.report("g"), "Joint: elbow"))

    def test_a_table_alone(self):
        self.simulate("g/a", "sliding-cube", "--duration", 0.1)
        self.simulate("g/b", "pendulum", "--duration", 0.1)
        self.write("g/figure.json", {"draw": []})
        page = self.report("g")
        self.assertNotIn("Kinetic energy", page)
        # Of different scenes no parameters are told, for none is of both.
        self.assertNotIn("<th>vx</th>", page)
        self.assertIn(">sliding-cube</td>", page)

    def test_steps_of_scenes_by_their_contacts(self):
        """Time against contacts; the first step that each solver did not solve; labels beside the solvers' names."""
        suite = self.write("suite.json", {
            "format": "perp-suite", "version": 1, "name": "piles", "description": "d",
            "entries": [{"scene": "falling-boxes", "parameters": {"layers": n, "across": 2}, "steps": [20, 24]} for n in (1, 2)]})
        for options in (("--solvers", "lemke,newton-min"),
                        ("--solvers", "lemke", "--label", "short", "--set", "max_iterations=3", "--resume")):
            self.succeed("bench", suite, *options, "-o", self.folder / "b")
        with open(self.folder / "b" / "records.jsonl", encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        page = self.report("b")
        drawing = self.drawing(page, "piles: lcp")
        self.assertIn("contacts", drawing)
        self.assertIn("lemke: ", drawing)
        table = page[page.index("first not solved"):]
        for solver, label in (("lemke", ""), ("lemke", "short")):
            runs = [r for r in records if (r["solver"], r["label"]) == (solver, label)]
            self.assertTrue(all(r["contacts"] > 0 for r in runs))
            failed = [f"{r['instance']}: {r['outcome']}" for r in runs if r["outcome"] != "solved"]
            self.assertEqual(bool(failed), label == "short")
            name = f"{solver} ({label})" if label else solver
            self.assertRegex(table, f'<td class="text">{re.escape(name)}</td><td>5</td>')
            if failed:
                self.assertIn(failed[0], table)

    CLAIM = {"claim": "A < B.", "experiment": "both", "measured": "A = 1, B = 2", "verdict": "holds"}

    def claims(self, **change):
        self.write("c/claims/a.json", {"format": "perp-claims", "version": 1, "title": "A paper", "claims": [self.CLAIM], **change})

    def test_claims_of_a_paper(self):
        os.makedirs(self.folder / "c" / "claims", exist_ok=True)
        self.claims(claims=[self.CLAIM, {**self.CLAIM, "verdict": "does not hold"}])
        page = self.report("c")
        self.assertIn("<h3>A paper</h3>", page)
        self.assertEqual(page.count("A &lt; B."), 2)
        self.assertRegex(page, '<td class="text all">holds</td>')
        self.assertRegex(page, '<td class="text some">does not hold</td>')
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
                           ("N-10/run.json", "[]"), ("N-10/run.json", '{"steps": 3}')):
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
        whole = self.report("sim")
        for file, fault in (("steps.csv", "31,0.31,contact,sol"), ("trajectory.csv", "31,0.31,wheel,1"),
                            ("steps.csv", "\n,,,\n\0\0\0\n1,2,3"), ("trajectory.csv", "x,y\nz,\n\xff")):
            path = self.folder / "sim" / "polygons" / "N-20" / file
            before = path.read_bytes()
            path.write_bytes(before + fault.encode("latin-1"))
            page = self.report("sim")
            self.assertRegex(page, r"[1-9] damaged lines? left out")
            self.assertEqual(re.findall("[^>]* → [^<]*", page), re.findall("[^>]* → [^<]*", whole))
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
            self.assertIn("not complete", self.report("sim"))
            self.polygons()

    def test_columns_by_name(self):
        self.polygons()
        whole = re.findall("<td>[^>]* → [^<]*", self.report("sim"))
        for path in (self.folder / "sim").rglob("*.csv"):
            with open(path) as file:
                rows = list(csv.reader(file))
            with open(path, "w", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows([["new" if k == 0 else "9", *row[::-1]]
                                                                for k, row in enumerate(rows)])
        self.assertEqual(re.findall("<td>[^>]* → [^<]*", self.report("sim")), whole)

    def test_without_gnuplot(self):
        self.polygons()
        page = self.report("sim", env={**os.environ, "PATH": str(self.folder)})
        self.assertNotIn("<svg", page)
        self.assertIn("Kinetic energy: not drawn, for gnuplot is not installed", page)
        self.assertIn('<td class="text">disc-polygon</td>', page)

    def test_records_and_simulations_together(self):
        self.polygons()
        self.succeed("bench", self.write("mine.json", lcp()), "--solvers", "lemke,enumerate", "--repeat", 1,
                     "-o", self.folder / "all")
        shutil.move(self.folder / "sim", self.folder / "all" / "sim")
        page = self.report("all")
        for section in ("Solvers side by side", "Performance and accuracy profiles", "Results by suite",
                        "Failures by cause", "Simulations", "Machine and versions"):
            self.assertIn(f"<h2>{section}</h2>", page)
        self.assertIn("2 runs, 2 solved and verified, 0 wrong; 3 recorded simulations", page)

    def test_profiles(self):
        self.succeed("bench", "contact-lcp", "--quick", "--solvers", "lemke,auto", "--repeat", 1,
                     "-o", self.folder / "contact")
        page = self.report("contact")
        self.assertNotIn("Simulations", page)
        for solver in ("lemke", "auto"):
            self.assertRegex(self.drawing(page, "Performance profile: contact-lcp"), rf"{solver}: [0-9.]+ at 1, ")
            self.assertRegex(self.drawing(page, "contact-stack"), rf"{solver}: ")


if __name__ == "__main__":
    unittest.main()
