"""perp study: what is run, killed, resumed and dealt out; what is refused."""
import collections
import json
import os
import signal
import statistics
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import PERP, ROOT, CliTestCase, parse_json, schema_errors, with_cases, page_data  # noqa: E402

STUDY = {
    "format": "perp-study", "version": 1, "name": "small", "title": "A small study", "description": "For tests",
    "runs": [
        {"name": "pivots", "suites": ["literature"], "entries": "quick", "solvers": ["lemke", "newton-fb"], "tolerance": 1e-8,
         "time_limit": 2, "repeat": 1},
        {"name": "bounds", "suites": ["qp"], "entries": "quick", "solvers": ["gradient-projection"], "settings": {"escapes": 10},
         "label": "plain", "starts": ["stored"], "tolerance": 1e-8, "time_limit": 2, "repeat": 1}],
    "simulations": [
        {"group": "discs", "title": "Discs", "draw": ["kinetic"], "reference": {"label": "exact", "kinetic": 6.75},
         "runs": [{"name": "N-{N}", "scene": "disc-polygon", "parameters": {"N": "2*{N}"}, "step": "{h}/2", "duration": 0.5,
                   "each": {"N": [10, 20], "h": [0.01]}},
                  {"name": "long", "scene": "disc-polygon", "parameters": {"N": 200}, "step": 0.001, "duration": 1, "tier": "full"}]}],
    "claims": [
        {"name": "small", "title": "Claims of nobody", "claims": [
            {"name": "loses", "claim": "A polygon loses energy.", "experiment": "disc-polygon",
             "values": {"loss": {"table": "steps", "of": "discs/N-10", "value": "kinetic+potential", "reduce": "change"},
                        "solved": {"records": "pivots", "solver": "lemke", "where": "solved", "reduce": "count"}},
             "measured": "{loss:.2f} J, {solved:.0f} solved", "holds": "loss < 0 and solved > 10"}]}],
    "tables": [
        {"name": "literature", "title": "Problems of the literature", "records": ["pivots"], "by": ["problems"], "columns": [
            {"head": "n", "cell": "{n}", "solver": "lemke"},
            {"head": "`lemke`", "cell": "{solved}/{all}, {time}, {residual}", "solver": "lemke"},
            {"head": "large", "cell": "{all}", "where": "n > 20", "solver": "lemke"}]},
        {"name": "discs", "title": "Discs", "columns": ["N", "J lost", "of nothing"], "rows": [
            {"each": {"N": [10, 20]}, "cells": ["{N}", "{loss:.3f}", "{none}"], "values": {
                "loss": {"table": "steps", "of": "discs/N-{N}", "value": "kinetic+potential", "reduce": "change"},
                "none": {"table": "steps", "of": "discs/M-{N}", "value": "kinetic", "reduce": "last"}}}]}]}


def changed(*changes):
    """The study with members replaced: (path, value) pairs, value None to remove."""
    study = json.loads(json.dumps(STUDY))
    for path, value in changes:
        at = study
        for key in path[:-1]:
            at = at[key]
        if value is None:
            del at[path[-1]]
        else:
            at[path[-1]] = value
    return study


class Running(CliTestCase):
    def setUp(self):
        super().setUp()
        self.study = self.write("small.json", STUDY)
        self.out = self.folder / "out"

    def keys(self):
        """How often each key is recorded, and the keys that are to be."""
        found = collections.Counter()
        for path in self.out.glob("records*.jsonl"):
            found.update(json.loads(line)["key"] for line in path.read_text().splitlines() if line)
        wanted = [key for path in (self.out / "runs").glob("*.json") for key in json.loads(path.read_text()).get("keys", [])]
        return found, wanted

    def expect_whole(self, simulations=("N-10", "N-20", "long")):
        found, wanted = self.keys()
        self.assertGreater(len(wanted), 50)
        self.assertEqual(found, collections.Counter(wanted))  # nothing lost, nothing repeated
        for name in simulations:
            run = json.loads((self.out / "simulations" / "discs" / name / "run.json").read_text())
            self.assertTrue(run["complete"], name)

    def test_a_study_from_beginning_to_end(self):
        out = self.succeed("study", self.study, "-o", self.out)
        self.expect_whole()
        self.assertIn("holds", out)
        claims = json.loads((self.out / "claims" / "small.json").read_text())["claims"]
        self.assertEqual([c["verdict"] for c in claims], ["holds"])
        page = (self.out / "report.html").read_text()
        for text in ("A small study", "Claims of nobody", "Discs", "gradient-projection"):
            self.assertIn(text, page)
        run = json.loads((self.out / "simulations" / "discs" / "N-20" / "run.json").read_text())
        self.assertEqual((run["parameters"]["N"], run["h"]), (40, 0.005))

    def verdict(self, study, *arguments):
        self.succeed("study", self.write("small.json", study), "--quick", *arguments, "-o", self.out)
        (claim,) = json.loads((self.out / "claims" / "small.json").read_text())["claims"]
        return claim["verdict"], claim["measured"]

    def test_results_of_another_text_are_no_evidence(self):
        """--report runs nothing, so what an edited study asks for may not have been run."""
        self.assertEqual(self.verdict(STUDY)[0], "holds")
        for path, value, name in ((("runs", 0, "tolerance"), 1e-6, "the run pivots"), (("runs", 0, "solvers"), ["lemke"], "the run pivots"),
                                  (("runs", 0, "suites"), ["qp"], "the run pivots"),
                                  (("simulations", 0, "runs", 0, "parameters"), {"N": "3*{N}"}, "the simulation discs/N-10")):
            verdict, why = self.verdict(changed((path, value)), "--report")
            self.assertEqual(verdict, "not tested", path)
            self.assertIn(f"{name} is of another text of the study", why)
        self.assertEqual(self.verdict(STUDY, "--report")[0], "holds")

    def test_the_report_has_nothing_of_an_older_text(self):
        self.succeed("study", self.study, "--quick", "-o", self.out)
        other = changed((("runs", 0, "solvers"), ["lemke:equilibrate=false"]), (("claims",), None), (("tables",), None),
                        (("simulations", 0, "runs", 0, "each", "N"), [20]))
        told = self.succeed("study", self.write("small.json", other), "--quick", "--resume", "-o", self.out)
        self.assertNotIn("newton-fb", told)
        page = page_data(self.out / "report.html")
        self.assertEqual({s for s in page["records"]["words"]["solvers"] if "newton-fb" in s}, set())
        self.assertNotIn("N-10", json.dumps(page["simulations"]))

    def test_what_is_not_finite_shows_nothing(self):
        for holds in ("loss / (solved - solved) < 1", "not (log(loss) < 1)"):
            verdict, why = self.verdict(changed((("claims", 0, "claims", 0, "holds"), holds)), *(["--report"] if self.out.exists() else []))
            self.assertEqual(verdict, "not tested")
            self.assertIn("compares what is not finite", why)
        done = self.perp("study", self.write("bad.json", changed((("claims", 0, "claims", 0, "holds"), "1/0 > 1"))), "-o", self.folder / "no")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)

    def test_errors_name_file_and_run(self):
        for path, value, word in ((("runs", 0, "solvers"), ["nobody"], "nobody"), (("runs", 0, "suites"), ["nosuite"], "nosuite")):
            done = self.perp("study", self.write("bad.json", changed((path, value))), "-o", self.folder / "no")
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
            for part in ("bad.json", "run pivots", word):
                self.assertIn(part, done.stderr)

    def test_tables(self):
        self.succeed("study", self.study, "--quick", "-o", self.out)
        table = json.loads((self.out / "tables" / "literature.json").read_text())
        records = [json.loads(line) for line in (self.out / "records.jsonl").read_text().splitlines()]
        lemke = {kind: [r for r in records if r["solver"] == "lemke" and r["kind"] == kind] for kind in ("lcp", "mlcp")}
        self.assertEqual(table["head"], ["problems", "n", "`lemke`", "large"])
        self.assertEqual([row[0] for row in table["rows"]], ["lcp files", "mlcp files"])
        for row, mine in zip(table["rows"], lemke.values()):
            solved = [r for r in mine if r["outcome"] == "solved"]
            sizes = [r["n"] for r in mine]
            self.assertEqual(row[1], f"{min(sizes)}–{max(sizes)}")
            fraction, time_text, residual = row[2].split(", ")
            self.assertEqual(fraction, f"{len(solved)}/{len(mine)}")
            value, unit = time_text.split()
            seconds = float(value) * {"s": 1, "ms": 1e-3, "µs": 1e-6}[unit]
            self.assertAlmostEqual(seconds / statistics.median(r["times"]["total"] for r in solved), 1, delta=0.01)
            self.assertAlmostEqual(float(residual) / max(r["residuals"]["natural"] for r in solved), 1, delta=0.06)
            large = sum(n > 20 for n in sizes)
            self.assertEqual(row[3], str(large) if large else "")
        discs = json.loads((self.out / "tables" / "discs.json").read_text())
        self.assertEqual([row[0] for row in discs["rows"]], ["10", "20"])
        for row in discs["rows"]:
            self.assertLess(float(row[1]), 0)
            self.assertEqual(row[2], "–")
        self.assertIn("M-10", discs["missing"])
        self.assertIn("Problems of the literature", [t["title"] for t in page_data(self.out / "report.html")["tables"]])
        # Without one record there is no table.
        path = self.out / "records.jsonl"
        path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))
        self.succeed("study", self.study, "--quick", "--report", "-o", self.out)
        table = json.loads((self.out / "tables" / "literature.json").read_text())
        self.assertEqual((table["rows"], "1 of" in table["missing"]), ([], True))

    def test_values_of_a_family(self):
        suite = self.write("two.json", {
            "format": "perp-suite", "version": 1, "name": "two", "description": "by hand",
            "entries": [{"family": "contact-stack", "sizes": [2, 4], "seeds": [1, 3]}, {"family": "murty", "sizes": [3], "seeds": [1, 1]}]})
        value = {"records": "all", "value": "size", "reduce": "sum"}
        study = self.write("family.json", {
            **{key: STUDY[key] for key in ("format", "version", "title", "description")}, "name": "family",
            "runs": [{"name": "all", "suites": [str(suite)], "solvers": ["lemke"], "tolerance": 1e-8, "time_limit": 2, "repeat": 1}],
            "tables": [{"name": "sizes", "title": "Sizes", "columns": ["stack", "murty", "both", "none"], "rows": [
                {"values": {"a": {**value, "family": "contact-stack"}, "b": {**value, "family": "murty"}, "c": value,
                            "d": {**value, "family": "fathi"}},
                 "cells": ["{a:.0f}", "{b:.0f}", "{c:.0f}", "{d:.0f}"]}]}]})
        self.succeed("study", study, "-o", self.out)
        table = json.loads((self.out / "tables" / "sizes.json").read_text())
        self.assertEqual(table["rows"], [["18", "3", "21", "–"]])
        self.assertIn("has no record with family fathi", table["missing"])

    def test_a_claim_without_records_says_what_it_looked_for(self):
        study = changed((("claims", 0, "claims", 0, "values", "solved"),
                         {"records": "pivots", "solver": "lemke", "where": "n > 1e6", "value": "solved", "reduce": "min"}))
        path = self.write("none.json", study)
        self.succeed("study", path, "--quick", "-o", self.out)
        claim = json.loads((self.out / "claims" / "small.json").read_text())["claims"][0]
        self.assertEqual((claim["verdict"], claim["measured"]),
                         ("not tested", "solved: the run pivots has no record with solver lemke, condition n > 1e6; "
                                        "--quick leaves out entries of tier full"))

    def test_a_claim_does_not_hold_for_want_of_evidence(self):
        """Projected Gauss-Seidel refuses problems of the run."""
        times = {"value": "seconds", "reduce": "max"}
        failures = {"where": "solved < 0.5", "reduce": "count"}
        cases = {
            "time": ("v < 1e9", {"solver": "pgs", **times}, "has no seconds: unsupported"),
            "residual": ("v < 1e9", {"solver": "pgs", "value": "residual", "reduce": "max"}, "has no residual: unsupported"),
            "name": ("v == 0", {"solver": "lemka", **failures}, "no record with solver lemka"),
            "kind": ("v == 0", {"solver": "lemke", "kinds": ["conic_qp"], **failures}, "no record with solver lemke, kinds conic_qp"),
            "sum": ("v == 0", {"solver": "lemke", "where": "n > 1e6", "reduce": "sum"}, "no record with solver lemke, condition n > 1e6"),
            "solved": ("v < 1e9", {"solver": "pgs", "where": "solved", **times}, ""),
            "failed": ("v > 0", {"solver": "pgs", **failures}, "")}
        claims = [{"name": name, "claim": "c", "experiment": "e", "measured": "{v}", "holds": holds, "values": {"v": {"records": "pivots", **value}}}
                  for name, (holds, value, _) in cases.items()]
        study = changed((("runs", 0, "solvers"), ["lemke", "pgs"]), (("runs", 1), None), (("simulations",), []), (("tables",), []),
                        (("claims", 0, "claims"), claims))
        told = self.succeed("study", self.write("one.json", study), "--quick", "-o", self.out)
        judged = dict(zip(cases, json.loads((self.out / "claims" / "small.json").read_text())["claims"], strict=True))
        for name, (_, _, why) in cases.items():
            with self.subTest(name):
                self.assertEqual(judged[name]["verdict"], "not tested" if why else "holds")
                self.assertIn(why, judged[name]["measured"])
                self.assertIn(why, told)  # on the terminal

    def test_a_study_that_names_nothing_takes_no_folder(self):
        for path, value, word in ((("runs", 0, "suites"), ["nosuch"], "nosuch"), (("runs", 1, "solvers"), ["nobody"], "nobody"),
                                  (("simulations", 0, "runs", 0, "engine"), "steam", "steam"),
                                  (("simulations", 0, "runs", 0, "scene"), "nowhere", "nowhere"),
                                  (("simulations", 0, "runs", 0, "formulation"), "nolaw", "nolaw"),
                                  (("simulations", 0, "runs", 0, "solver"), "nobody", "nobody"),
                                  (("simulations", 0, "runs", 0, "driver"), "steering", "steering"),
                                  (("simulations", 0, "runs", 0, "driver"), "event-driven", "velocity level"),
                                  (("simulations", 0, "runs", 0, "parameters"), {"nonsense": 1}, "nonsense"),
                                  (("simulations", 0, "runs", 0, "settings"), {"nonsense": 1}, "nonsense"),
                                  (("simulations", 0, "view"), "below", "view"),
                                  (("simulations", 0, "draw"), ["picture"], "picture")):
            done = self.perp("study", self.write("bad.json", changed((path, value))), "--quick", "-o", self.out)
            self.assertEqual(done.returncode, 2)
            self.assertIn(word, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertFalse(self.out.exists() and any(self.out.iterdir()))

    def test_a_name_that_no_record_has_is_refused(self):
        """Else "count where solvd == 0" would be no failures."""
        for path, value in ((("claims", 0, "claims", 0, "values", "solved", "where"), "solvd == 0"),
                            (("claims", 0, "claims", 0, "values", "solved", "value"), "1 - solvd"),
                            (("tables", 0, "where"), "nn < 3"), (("tables", 0, "columns", 0, "where"), "secs < 3")):
            done = self.perp("study", self.write("bad.json", changed((path, value))), "--quick", "-o", self.out)
            self.assertEqual(done.returncode, 2, path)
            self.assertRegex(done.stderr, r'"(solvd|nn|secs)" is none of contacts, ')

    def test_again(self):
        self.succeed("study", self.study, "--quick", "-o", self.out)
        refused = self.perp("study", self.study, "--quick", "-o", self.out)
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn("--resume", refused.stderr)
        places = [self.out / "records.jsonl", self.out / "simulations" / "discs" / "N-10" / "trajectory.csv"]
        before = [path.read_bytes() for path in places], places[1].stat().st_mtime_ns
        again = self.perp("study", self.study, "--quick", "--resume", "-o", self.out)
        self.assertIn("0 solves and 0 simulations", again.stderr)
        self.assertEqual(([path.read_bytes() for path in places], places[1].stat().st_mtime_ns), before)
        for what in ("--resume", "--report"):  # not the quick one
            other = self.perp("study", self.study, what, "-o", self.out)
            self.assertEqual((other.returncode, other.stdout), (2, ""))
            self.assertIn("add --quick, or give another folder", other.stderr)
        another = self.write("another.json", {**STUDY, "name": "another"})
        self.assertIn("holds the study small, not another",
                      self.perp("study", another, "--quick", "--report", "-o", self.out).stderr)
        self.write("out/mine.txt", "x")
        self.succeed("study", self.study, "--quick", "--overwrite", "-o", self.out)
        self.expect_whole(("N-10", "N-20"))
        self.assertEqual((self.out / "mine.txt").read_text(), "x")
        self.assertFalse((self.out / "simulations" / "discs" / "long").exists())

    def test_killed_at_any_moment_it_goes_on(self):
        for moment in (0.05, 0.15, 0.3):
            child = subprocess.Popen([PERP, "study", self.study, "-o", self.out, *(["--resume"] if self.out.exists() else [])],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            time.sleep(moment)
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        self.succeed("study", self.study, *(["--resume"] if self.out.exists() else []), "-o", self.out)
        self.expect_whole()

    def test_shards_in_one_folder(self):
        self.out.mkdir()
        shards = [subprocess.Popen([PERP, "study", self.study, "--shard", f"{k}/2", "--resume", "-o", self.out],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for k in (1, 2)]
        self.assertEqual([shard.wait() for shard in shards], [0, 0])
        self.expect_whole()
        self.assertFalse((self.out / "report.html").exists())
        self.succeed("study", self.study, "--report", "-o", self.out)
        self.assertIn("Claims of nobody", (self.out / "report.html").read_text())
        again = self.perp("study", self.study, "--resume", "-o", self.out)  # as one: nothing is left
        self.assertIn("0 solves and 0 simulations", again.stderr)

    def test_interrupted_it_says_how_to_go_on(self):
        child = subprocess.Popen([PERP, "study", self.study, "-o", self.out], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, start_new_session=True)
        self.assertIn(b"solves", child.stderr.readline())  # it has begun
        child.send_signal(signal.SIGINT)
        error = child.stderr.read().decode()
        child.stderr.close()
        self.assertNotEqual(child.wait(), 0)
        self.assertIn("--resume", error)

    def test_a_foreign_folder_is_left_alone(self):
        self.write("out/thesis.tex", "x")
        refused = self.perp("study", self.study, "--overwrite", "-o", self.out)
        self.assertEqual(refused.returncode, 2)
        self.assertEqual(os.listdir(self.out), ["thesis.tex"])

    def test_a_report_needs_a_study(self):
        missing = self.perp("study", self.study, "--report", "-o", self.out)
        self.assertEqual(missing.returncode, 2)
        self.assertIn("holds no study", missing.stderr)
        self.assertFalse(self.out.exists())
        self.write("out/records.jsonl", "")  # as perp bench leaves it
        self.assertEqual(self.perp("study", self.study, "--report", "-o", self.out).returncode, 2)
        self.assertEqual(os.listdir(self.out), ["records.jsonl"])
        for option in ("--resume", "--overwrite"):
            useless = self.perp("study", self.study, "--report", option, "-o", self.out)
            self.assertEqual(useless.returncode, 2)
            self.assertIn(option, useless.stderr)


@with_cases({
    "format": ([(("format",), "perp-suite")], "format"),
    "version": ([(("version",), 2)], "version"),
    "name": ([(("name",), "../x")], "name"),
    "unknown_member": ([(("solver",), "x")], "solver"),
    "suite": ([(("runs", 0, "suites"), ["nowhere"])], "nowhere"),
    "solver": ([(("runs", 0, "solvers"), ["magic"])], "magic"),
    "no_solver": ([(("runs", 0, "solvers"), [])], "runs[0].solvers"),
    "start": ([(("runs", 1, "starts"), ["hot"])], "runs[1].starts[0]"),
    "tolerance": ([(("runs", 0, "tolerance"), -1)], "runs[0].tolerance"),
    "two_runs": ([(("runs", 1, "name"), "pivots")], "runs[1].name"),
    "run_name": ([(("runs", 0, "name"), "a/b")], "runs[0].name"),
    "group": ([(("simulations", 0, "group"), "..")], "simulations[0].group"),
    "each": ([(("simulations", 0, "runs", 0, "name"), "N-{M}")], "simulations[0].runs[0].name"),
    "two_places": ([(("simulations", 0, "runs", 0, "name"), "N")], "simulations[0].runs[0].name"),
    "step": ([(("simulations", 0, "runs", 0, "step"), "{h}/0")], "simulations[0].runs[0].step"),
    "scene": ([(("simulations", 0, "runs", 1, "scene"), "moon")], "moon"),
    "engine": ([(("simulations", 0, "runs", 1, "engine"), "steam")], "steam"),
    "claim_name": ([(("claims", 0, "claims", 0, "holds"), "gain > 0")], "claims[0].claims[0].holds"),
    "claim_text": ([(("claims", 0, "claims", 0, "measured"), "{gain:.1f}")], "claims[0].claims[0].measured"),
    "claim_format": ([(("claims", 0, "claims", 0, "measured"), "{loss:.1d}")], "claims[0].claims[0].measured"),
    "claim_value": ([(("claims", 0, "claims", 0, "values", "loss", "reduce"), "best")], "claims[0].claims[0].values.loss.reduce"),
    "claim_condition": ([(("claims", 0, "claims", 0, "holds"), "loss <")], "claims[0].claims[0].holds"),
    "table_name": ([(("tables", 1, "name"), "literature")], "tables[1].name"),
    "table_by": ([(("tables", 0, "by"), ["colour"])], "tables[0].by[0]"),
    "table_cell": ([(("tables", 0, "columns", 1, "cell"), "{speed}")], "tables[0].columns[1].cell"),
    "table_format": ([(("tables", 1, "rows", 0, "cells"), ["a", "{loss:.1d}", "c"])], "tables[1].rows[0].cells"),
    "table_cells": ([(("tables", 1, "rows", 0, "cells"), ["a"])], "tables[1].rows[0].cells"),
    "table_value": ([(("tables", 1, "rows", 0, "values", "loss", "reduce"), "best")], "tables[1].rows[0].values.loss.reduce"),
    "motion": ([(("simulations", 0, "reference"), {"label": "x", "motion": {"until": 1, "points": 3, "x": "u", "y": 0, "z": 0}})],
               "simulations[0].reference.motion.x"),
    "reference": ([(("simulations", 0, "reference"), {"label": "x"})], "simulations[0].reference"),
    "claim_columns": ([(("claims", 0, "claims", 0, "values", "loss"),
                        {"distance": ["discs/N", "discs/N"], "in": "trajectory", "columns": [], "reduce": "max"})],
                      "claims[0].claims[0].values.loss.columns"),
    "figure_without_title": ([(("simulations", 0, "title"), None)], "simulations[0].title"),
    "include": ([(("include",), ["nothing"])], "nothing"),
    "run_of_a_claim": ([(("claims", 0, "claims", 0, "values", "solved", "records"), "pivot")],
                       'claims[0].claims[0].values.solved.records": "pivot" is no run of this study; runs are: bounds, pivots'),
    "run_of_a_row": ([(("tables", 1, "rows", 0, "values", "loss"), {"records": "pivot", "value": "1", "reduce": "sum"})],
                     'tables[1].rows[0].values.loss.records": "pivot"'),
    "run_of_a_table": ([(("tables", 0, "records"), ["pivot"])], 'tables[0].records[0]": "pivot"'),
})
class Refused(CliTestCase):
    def check(self, changes, named):
        path = self.write("small.json", changed(*changes))
        done = self.perp("study", path, "--quick" if named not in ("moon", "steam") else "--resume", "-o", self.folder / "out")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(named, done.stderr.splitlines()[-1])
        self.assertNotIn("terminate", done.stderr)


class OfPerp(unittest.TestCase):
    def test_scenes_of_engines_have_no_contact_that_engines_lack(self):
        """Engines refuse all but mu (bench/peers/engine.cpp), after all solves of a study. They are not built everywhere."""
        checked = 0
        for path in sorted((ROOT / "bench" / "studies").glob("*.json")):
            for group in json.loads(path.read_text()).get("simulations", []):
                for run in group["runs"]:
                    if "engine" not in run:
                        continue
                    scene = json.loads((ROOT / "problems" / "scenes" / (run["scene"] + ".json")).read_text())
                    values = {**scene["parameters"], **run.get("parameters", {})}
                    others = {name: values.get(value, value) for name, value in scene["contact"].items()
                              if name not in ("mu", "direction") and isinstance(value, (str, int, float))}
                    self.assertEqual({name: value for name, value in others.items() if value != 0}, {}, (path.name, run["name"]))
                    checked += 1
        self.assertGreater(checked, 3)


class Listed(CliTestCase):
    def test_studies_are_as_the_schema_says(self):
        studies = sorted((ROOT / "bench" / "studies").glob("*.json"))
        self.assertGreaterEqual(len(studies), 5)
        for path in studies:
            self.assertEqual(schema_errors(parse_json(path.read_text()), "study"), [], path)
        self.assertEqual(schema_errors(STUDY, "study"), [])
        listed = parse_json(self.succeed("list", "studies", "--json"))["studies"]
        self.assertEqual([s["name"] for s in listed], [path.stem for path in studies])

    def test_unknown_study(self):
        done = self.perp("study", "nonsense", "-o", self.folder / "out")
        self.assertEqual(done.returncode, 2)
        self.assertIn("max-dissipation", done.stderr)


if __name__ == "__main__":
    unittest.main()
