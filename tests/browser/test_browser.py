"""Runs the tests of the page: what it counts, and what a browser makes of it, as far as node and Chromium are here."""
import json
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "bench/report/page"
PERP = os.environ.get("PERP") or str(ROOT / "build/release/perp")
CHROMIUM = shutil.which("chromium")
SCRIPT = "<script>window.attacked = true</script><img src=x onerror='window.attacked = true'>"


def node(*arguments, **environment):
    done = subprocess.run(["node", *map(str, arguments)], capture_output=True, text=True, env=os.environ | environment, timeout=240)
    return done.returncode, done.stdout + done.stderr


def record(key, **change):
    return {"format": "perp-record", "version": 1, "key": str(key), "suite": "stacks", "instance": f"problem-{key}", "instance_hash": str(key), "kind": "lcp", "n": 40,
            "contacts": 10, "family": "contact-stack", "sequence": "", "position": 0, "mode": "zero", "solver": "lemke", "label": "", "settings": {},
            "program": {"version": "0.1.0", "hash": "x"}, "machine": {"cpu": "c", "cores": 2, "system": "s", "compiler": "g"}, "tolerance": 1e-8, "asked_tolerance": 1e-8,
            "time_limit": 10, "memory_limit_mb": 1000, "outcome": "solved", "claimed": "solved", "certificate": "", "vacuous": False, "iterations": 7, "statistics": {},
            "times": {"setup": 1e-4, "solve": 1e-4, "total": 2e-4, "setup_all": [], "solve_all": [], "wall": 1}, "message": "", "worst": "", "x-size": 10, "x-measure": 1e-12, **change}


def many_records(count):
    """Of five solvers on problems of several sizes; the slower a solver, the more it solves."""
    choice = random.Random(1)
    for k in range(count):
        solver, problem = k % 5, k // 5
        contacts = [5, 20, 50, 100][problem % 4]
        time = 1e-4 * contacts * 2 ** solver * choice.uniform(0.5, 2)
        failed = choice.random() < 0.3 / (1 + solver)
        yield record(k, instance=f"pile-{problem}", instance_hash=str(problem), contacts=contacts, n=4 * contacts, solver=["pgs", "lemke", "newton-fb", "auto", "siconos-lemke"][solver],
                     times={"setup": 0, "solve": time, "total": time}, **({"outcome": "stalled", "claimed": "stalled", "worst": "z[3] (contact of a and b)", "x-measure": 1e-3} if failed else {}),
                     **{"x-size": contacts, "suite": ["stacks", "piles"][problem % 2]})


@unittest.skipUnless(shutil.which("node"), "needs node")
class Statistics(unittest.TestCase):
    def test_what_is_counted(self):
        code, out = node("--test", *HERE.glob("*.test.mjs"))
        self.assertEqual(code, 0, out)

    def test_the_bundle_is_of_these_sources(self):
        """page.js says what src/ says: its marks change with every change there."""
        bundle = (PAGE / "page.js").read_text()
        for source in (PAGE / "src").glob("*.js"):
            for text in [line.split('"')[1] for line in source.read_text().splitlines() if line.count('"') >= 2 and "import" not in line]:
                if len(text) > 25 and text.isascii() and "\\" not in text and "`" not in text:
                    self.assertIn(text, bundle, f"{source.name}: bench/report/page/build makes page.js anew")


@unittest.skipUnless(CHROMIUM and (PAGE / "node_modules/playwright-core").is_dir(), "needs Chromium and playwright-core, which tests/browser/run installs")
class Browser(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def report(self, records=(), *options):
        (self.folder / "records").mkdir(exist_ok=True)
        (self.folder / "records/records.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
        page = self.folder / "report.html"
        given = [self.folder / "records"] if records else []
        subprocess.run([PERP, "report", *given, *options, "-o", page], check=True, capture_output=True, env=os.environ | {"PERP_DATA": str(ROOT)})
        return page

    def look(self, what, page):
        code, out = node(HERE / "page.mjs", what, page, CHROMIUM=CHROMIUM)
        self.assertEqual((code, out.strip()), (0, "ok"), out[-3000:])

    def test_tables_charts_filters(self):
        self.look("benchmark", self.report(list(many_records(600))))

    def test_times_over_versions(self):
        earlier = self.folder / "earlier.jsonl"
        earlier.write_text("".join(json.dumps(r | {"program": {"version": "0.0.9", "hash": "y"}}) + "\n" for r in many_records(600)))
        self.look("versions", self.report(list(many_records(600)), "--earlier", earlier))

    def test_ten_thousand_records(self):
        self.look("large", self.report(list(many_records(10_000))))

    def test_incomplete_records(self):
        """Of auto a problem is missing; times lie close together; another machine made some of them."""
        def made(solver, problem):
            time = 1e-4 * (1 + 0.02 * problem) * (1.1 if solver == "lemke" else 1)
            machine = {"cpu": "c", "cores": 1 if solver == "lemke" else 2, "system": "s", "compiler": "g"}
            return record(f"{solver}-{problem}", instance=f"p-{problem}", instance_hash=str(problem), solver=solver, iterations=16383, machine=machine, contacts=0, family="",
                          n=1 if problem == 9 else 40, times={"setup": 0, "solve": time, "total": time})
        records = [made(solver, problem) for solver in ("auto", "lemke") for problem in range(10)]
        self.look("incomplete", self.report([r for r in records if r["key"] != "auto-0"]))

    def test_nothing_but_refusals(self):
        refused = {"outcome": "unsupported", "claimed": "unsupported", "x-measure": None}
        self.look("refusals", self.report([record(k, **refused) for k in range(24)]))

    def test_names_are_text(self):
        words = {name: SCRIPT for name in ("suite", "instance", "kind", "family", "solver", "label", "message", "worst")}
        self.look("harmless", self.report([record(0), record(1, **words), record(2, **words | {"outcome": "stalled"})]))

    def test_simulations(self):
        for sides in (10, 20):
            subprocess.run([PERP, "simulate", "disc-polygon", "--param", f"N={sides}", "--duration", "0.3", "--record", self.folder / f"sim/discs/N-{sides}"],
                           check=True, capture_output=True, env=os.environ | {"PERP_DATA": str(ROOT)})
        self.look("simulations", self.report((), self.folder / "sim"))


if __name__ == "__main__":
    unittest.main()
