"""perp bench: starts of sequences, and that no kill, of the runner or of a child, loses or repeats a finished record."""
import csv
import json
import os
import re
import shlex
import signal
import statistics
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import PERP, SCHEMAS, CliTestCase, lcp, make_problem, page_data, page_records, parse_json, with_cases  # noqa: E402

HEADER = {"format": "perp-sequence", "version": 1, "name": "by hand"}
SEQUENCE_OF_SCENES = (("falling-boxes", "--param", "layers=1", "--param", "across=2", "--steps", "17:22"),
                      ("sphere-collision", "--steps", "26:31"))


def facts(record):
    """A record without what differs from run to run."""
    return {k: v for k, v in record.items() if k not in ("times", "peak_memory_mb", "written")}


class BenchTestCase(CliTestCase):
    def sequence(self, *problems, name="by hand.jsonl"):
        return self.write(name, "".join(json.dumps(line) + "\n" for line in (HEADER, *problems)))

    def scene(self, *arguments):
        """The path of the sequence of a scene, and its problems."""
        path = self.succeed("export", *arguments, "--sequence", "-o", self.folder / "scenes").strip()
        with open(path) as file:
            lines = file.read().splitlines()
        return path, [{**json.loads(lines[0])["shared"], **json.loads(line)} for line in lines[1:]]

    def bench(self, what, *arguments, out="records", runs=None):
        old = () if "--resume" in arguments else ("--overwrite",)
        done = self.perp("bench", what, "--repeat", "1", *arguments, *old, "-o", self.folder / out)
        self.assertEqual(done.returncode, 0, done.stderr)
        if runs is not None:
            self.assertEqual(int(re.search(r"(\d+) runs", done.stderr).group(1)), runs, done.stderr)
        return self.records(out)

    def records(self, out="records"):
        records = [parse_json(line) for line in self.text(out).splitlines()]
        for record in records:
            self.assert_valid(record, "record")
        return records

    def text(self, out="records"):
        return (self.folder / out / "records.jsonl").read_text()

    def script(self, text):
        """A solver: lines of sh that run in the child of perp bench's own child. The problem is in $problem."""
        return f"exec:. {shlex.quote(str(self.write('solver.sh', 'problem=$(cat)' + chr(10) + text)))}"


class TestBatches(BenchTestCase):
    SUITE = {"format": "perp-suite", "version": 1, "name": "small", "description": "by hand",
             "entries": [{"family": "contact-pile", "sizes": [1, 2, 3], "seeds": [1, 4]},
                         {"family": "friction-stack", "sizes": [2], "seeds": [1, 4]}]}

    def batch(self, *arguments, out="batch"):
        return self.perp("bench", self.write("small.json", json.dumps(self.SUITE)), "--batch", "--repeat", "2",
                         *arguments, "-o", self.folder / out)

    def test_answers_are_those_of_one_by_one(self):
        strategy = 'first(lemke:covering="random:1", newton-fb)'
        done = self.batch("--threads", "2", "--solvers", f"auto,lemke,{strategy}")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder / "batch" / "batch.csv") as file:
            rows = list(csv.DictReader(file, strict=True))
        self.assertEqual([row["solver"] for row in rows], ["auto", "lemke", strategy])
        for row in rows:
            self.assertEqual((row["problems"], row["same_bits"], row["threads"]), ("16", "16", "2"))
            self.assertLess(int(row["structures"]), 16)
            for time_of in ("one_by_one_s", "batch_s", "threaded_s"):
                self.assertGreater(float(row[time_of]), 0.0)
            self.assertIn(row["solver"], done.stdout)
        self.assertEqual([row["solved"] for row in rows], ["16", "12", "16"])  # lemke takes no cones
        self.assertEqual([int(row["solved"]) + int(row["refused"]) for row in rows], [16, 16, 16])
        self.assertRegex(done.stdout, rf"(?m)^lemke refused {rows[1]['refused']}: lemke takes ")

    def test_what_is_there_is_kept(self):
        self.assertEqual(self.batch().returncode, 0)
        before = (self.folder / "batch" / "batch.csv").read_text()
        again = self.batch()
        self.assertEqual(again.returncode, 2)
        self.assertRegex(again.stderr, r"batch\.csv: is there already; --overwrite replaces it")
        self.assertEqual((self.folder / "batch" / "batch.csv").read_text(), before)
        self.assertEqual(self.batch("--overwrite").returncode, 0)

    def test_what_does_not_go_together_is_refused(self):
        for arguments, word in (
            (("--resume",), "--batch"), (("--shard", "1/2"), "--batch"), (("--jobs", "2"), "--batch"),
            (("--start", "stored"), "--batch"), (("--solvers", "mine=exec:cat"), "--batch"),
            (("--solvers", 'first(lemke, exec:"cat")'), "--batch"), (("--label", "mine"), "--label"), (("--grace", "3"), "--grace"),
            (("--memory-limit", "100"), "--memory-limit"),
        ):
            done = self.batch(*arguments)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
            self.assertIn(word, done.stderr)
        alone = self.perp("bench", "lcp-families", "--threads", "2", "-o", self.folder / "out")
        self.assertEqual(alone.returncode, 2)
        self.assertIn("--threads: goes with --batch", alone.stderr)
        quick = self.perp("bench", self.write("good.json", json.dumps(lcp())), "--batch", "--quick", "-o", self.folder / "out")
        self.assertEqual((quick.returncode, quick.stderr.count("\n")), (2, 1), quick.stderr)
        self.assertIn("--quick: only suites", quick.stderr)

    def test_json_has_the_rows_of_the_file(self):
        done = self.batch("--solvers", "auto,lemke", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.folder / "batch" / "batch.csv") as file:
            rows = list(csv.DictReader(file, strict=True))
        batches = parse_json(done.stdout)["batches"]
        self.assertEqual([{k: str(b[k]) for k in rows[0] if not k.endswith("_s")} for b in batches],
                         [{k: row[k] for k in row if not k.endswith("_s")} for row in rows])
        for b, row in zip(batches, rows, strict=True):
            self.assertEqual(b["batch_s"], float(row["batch_s"]))
        self.assertIsNone(batches[0]["refusal"])
        self.assertRegex(batches[1]["refusal"], "^lemke takes ")

    def test_what_is_named_twice_is_run_once(self):
        problem = self.write("good.json", json.dumps(lcp()))
        self.succeed("bench", problem, problem, "--batch", "-o", self.folder / "out")
        self.assertIn("auto,1,", (self.folder / "out" / "batch.csv").read_text())


class TestTable(BenchTestCase):
    """perp bench --json: the table, made anew here from the records."""

    def table(self, *arguments):
        done = self.perp("bench", *arguments, "--repeat", "1", "--json", "-o", self.folder / "records")
        self.assertEqual(done.returncode, 0, done.stderr)
        return parse_json(done.stdout)

    def test_lines_are_what_the_records_say(self):
        suite = self.write("mixed.json", json.dumps({
            "format": "perp-suite", "version": 1, "name": "mixed", "description": "by hand", "entries": [
                {"family": "contact-pile", "sizes": [2, 4], "seeds": [1, 4]},
                {"family": "infeasible", "sizes": [3], "seeds": [1, 3]}]}))
        document = self.table(suite, "--solvers", "lemke,pgs", "--tolerance", "1e-9", "--time-limit", "1")
        records = self.records()
        self.assertEqual((document["runs"], document["already_there"], document["interrupted"]), (len(records), 0, False))
        self.assertEqual(document["solved"], sum(r["outcome"] == "solved" for r in records))
        self.assertTrue(os.path.samefile(document["records"], self.folder / "records" / "records.jsonl"))
        groups = {}
        for r in records:
            groups.setdefault((r["family"], r["x-size"], r["solver"]), []).append(r)
        self.assertEqual({(t["problems"], t["size"], t["solver"].split(" ")[0]) for t in document["table"]}, set(groups))
        for t in document["table"]:
            members = groups[t["problems"], t["size"], t["solver"].split(" ")[0]]
            solved = [r for r in members if r["outcome"] == "solved"]
            self.assertEqual((t["suite"], t["runs"], t["solved"]), ("mixed", len(members), len(solved)))
            self.assertEqual(t["proven"], sum(r["outcome"] == "infeasible" for r in members))
            for name in ("unsupported", "wrong"):
                self.assertEqual(t[name], sum(r["outcome"] == name for r in members))
            self.assertEqual((t["n_min"], t["n_max"]), (min(r["n"] for r in members), max(r["n"] for r in members)))
            if not solved:
                self.assertEqual([t["median_s"], t["p90_s"], t["residual"], t["iterations"]], [None] * 4)
                continue
            times = [r["times"]["setup"] + r["times"]["solve"] for r in solved]
            self.assertAlmostEqual(t["median_s"], statistics.median(times), delta=1e-12)
            self.assertAlmostEqual(t["solve_median_s"], statistics.median(r["times"]["solve"] for r in solved), delta=1e-12)
            self.assertEqual(t["residual"], max(r["residuals"]["natural"] for r in solved))
            self.assertEqual(t["iterations"], statistics.median(r["iterations"] for r in solved))
            self.assertTrue(min(times) <= t["p10_s"] <= t["median_s"] <= t["p90_s"] <= max(times))
        self.assertTrue(document["failures"] and all(f["runs"] >= len(f["examples"]) > 0 for f in document["failures"]))

    def test_resumed_it_runs_nothing(self):
        problem = self.write("good.json", json.dumps(lcp()))
        first, second = self.table(problem), self.table(problem, "--resume")
        self.assertEqual((second["runs"], second["already_there"], second["table"]), (0, 1, first["table"]))


class TestStarts(BenchTestCase):
    def carried(self, old, result, new):
        """The answer of one problem as a start of the next, by names."""
        start = {}
        for field, usual in (("z", 0.0), ("basis", "lower")):
            if field in result:
                known = dict(zip(old["variables"], result[field]))
                start[field] = [known.get(name, usual) for name in new["variables"]]
        return start

    def check_warm(self, problems, records, solver):
        """Each record is what perp solve makes of the same start."""
        answer = {}  # by stage
        for problem, record in zip(problems, records, strict=True):
            stage = problem.get("source", {}).get("stage", "")
            options = ["--solver", solver, "--tolerance", "1e-10", "--json"]
            start = self.carried(*answer[stage], problem) if stage in answer else None
            if start is not None:
                options += ["--start", self.write("start.json", start)]
            elif "start" in problem:
                options += ["--start", "stored"]
            self.assertEqual(record["started_from"], "previous" if start else "stored" if "start" in problem else "nothing")
            done = self.perp("solve", self.write("problem.json", problem), *options)
            result = parse_json(done.stdout)
            self.assertEqual((record["instance"], record["outcome"], record["iterations"], record["residuals"]),
                             (problem["name"], result["status"], result["iterations"], result["residuals"]))
            if result["status"] == "solved":
                answer[stage] = problem, result

    def test_warm_starts_are_the_solvers_own_answers(self):
        for arguments in SEQUENCE_OF_SCENES:
            path, problems = self.scene(*arguments)
            self.assertGreater(len({problem["n"] for problem in problems}), 1)  # contacts come and go
            for solver in ("lemke", "newton-fb"):
                records = self.bench(path, "--solvers", solver, "--start", "warm", "--tolerance", "1e-10")
                self.check_warm(problems, records, solver)

    def test_zero_and_stored(self):
        path, problems = self.scene("box-stack", "--param", "rows=2", "--steps", "1:3")
        records = self.bench(path, "--solvers", "lemke", "--start", "zero,stored", "--tolerance", "1e-10")
        self.assertEqual([(r["mode"], r["started_from"], r["position"]) for r in records],
                         [("zero", "nothing", k) for k in (1, 2, 3)] +
                         [("stored", "nothing", 1), ("stored", "stored", 2), ("stored", "stored", 3)])
        self.assertEqual({r["sequence"] for r in records}, {"box-stack"})
        for problem, record in zip(problems * 2, records, strict=True):
            started = record["started_from"] == "stored"
            result = self.solve(problem, "--solver", "lemke", "--tolerance", "1e-10", "--start", "stored" if started else "zero")
            self.assertEqual((record["iterations"], record["residuals"]), (result["iterations"], result["residuals"]))

    def test_without_names_sizes_decide(self):
        one = {"n": 1, "M": {"shape": [1, 1], "dense": [[2]]}, "q": [-1]}
        path = self.sequence(lcp(name="a"), lcp(name="b"), lcp(name="c", **one), lcp(name="d", start=[1, 1]), lcp(name="e"))
        records = self.bench(path, "--solvers", "lemke", "--start", "warm")
        self.assertEqual([r["started_from"] for r in records], ["nothing", "previous", "nothing", "stored", "previous"])

    def test_names_decide_before_sizes(self):
        """A known answer for the second problem, given to other unknowns, would be one of other unknowns."""
        swapped = lcp(name="b", q=[1, -4], variables=["y", "x"])
        path = self.sequence(lcp(name="a", variables=["x", "y"]), swapped, lcp(name="c", variables=["u", "v"]),
                             lcp(name="d", variables=["v", "v"]))
        records = self.bench(path, "--solvers", "pgs", "--start", "warm")
        self.assertEqual([r["started_from"] for r in records], ["nothing", "previous", "nothing", "previous"])
        right = self.solve(swapped, "--solver", "pgs", "--start", self.write("z.json", {"z": [0, 2]}))
        wrong = self.solve(swapped, "--solver", "pgs", "--start", self.write("z.json", {"z": [2, 0]}))
        self.assertEqual(records[1]["iterations"], right["iterations"])
        self.assertLess(right["iterations"], wrong["iterations"])

    def test_what_was_not_solved_is_no_start(self):
        nowhere = lcp(name="b", M={"shape": [2, 2], "dense": [[0, 0], [0, 0]]}, q=[-1, -1])
        records = self.bench(self.sequence(nowhere, lcp(name="c"), nowhere, lcp(name="d")), "--solvers", "certify(lemke)", "--start", "warm")
        self.assertEqual([(r["outcome"], r["started_from"]) for r in records],
                         [("infeasible", "nothing"), ("solved", "nothing"), ("infeasible", "previous"), ("solved", "previous")])

    def test_what_stands_alone_is_run_once(self):
        path = self.write("alone.json", lcp(start=[2, 0]))
        for starts, modes in (("zero,warm", ["zero"]), ("warm", ["zero"]), ("stored,warm", ["stored"]), ("zero,stored,zero", ["zero", "stored"]),
                              ("cold", ["zero"])):
            records = self.bench(path, "--solvers", "lemke", "--start", starts)
            self.assertEqual([(r["mode"], r["sequence"], r["position"]) for r in records], [(m, "", 0) for m in modes], starts)

    def test_unknown_start(self):
        done = self.perp("bench", self.sequence(lcp()), "--start", "zero,lukewarm", "-o", self.folder / "out")
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
        self.assertIn('--start: "lukewarm"', done.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_shards_take_whole_sequences(self):
        path, problems = self.scene("box-stack", "--param", "rows=2", "--steps", "1:3")
        options = (path, "--repeat", "1", "--solvers", "lemke,pgs", "--start", "zero,warm", "-o", self.folder / "shards")
        for shard in ("1/3", "2/3", "3/3"):
            self.succeed("bench", *options, "--shard", shard)
        whole = self.bench(path, "--solvers", "lemke,pgs", "--start", "zero,warm")
        parts = [parse_json(line) for path in (self.folder / "shards").iterdir() for line in path.read_text().splitlines()]
        self.assertEqual(len(parts), 4 * len(problems))
        self.assertEqual(*(sorted(map(json.dumps, map(facts, records))) for records in (whole, parts)))


    def test_a_solver_that_was_mended_counts_as_it_is_now(self):
        """Files are read in the order of their names: the old record comes after the new ones."""
        path = self.sequence(lcp(name="a"), lcp(name="b"))
        program = self.write("mine.py", "print('{}')\n")
        options = ("bench", path, "--repeat", "1", "--solvers", f"mine=exec:python3 {program}", "-o", self.folder / "out")
        self.succeed("bench", *options[1:])
        self.write("mine.py", "print('{\"z\": [2, 0]}')\n")
        self.succeed("bench", *options[1:], "--resume", "--shard", "1/2")
        told = self.succeed("bench", *options[1:], "--resume", "--shard", "2/2")
        self.assertIn("2/2", told)
        self.assertNotIn("0/2", told)

    def test_a_sequence_beside_the_records_is_none_of_them(self):
        path = self.sequence(lcp(name="a"), lcp(name="b"))
        told = self.succeed("bench", path, "--solvers", "lemke", "-o", path.parent)
        self.assertIn("2/2", told)
        self.succeed("report", path.parent, "-o", self.folder / "report.html")

    def test_the_memory_is_that_of_the_solve(self):
        """The sweep holds a sequence of some 10 MB, and the problem has two unknowns."""
        n = 400
        large = lcp(name="large", n=n, M={"shape": [n, n], "dense": [[float(i == j) + 1e-3 for j in range(n)] for i in range(n)]},
                    q=[-1 - i / n for i in range(n)])
        alone = self.bench(self.sequence(lcp(name="small"), name="alone.jsonl"), "--solvers", "lemke")
        beside = self.bench(self.sequence(*[large] * 40, lcp(name="small"), name="beside.jsonl"), "--solvers", "lemke")
        small = beside[-1]
        self.assertEqual(small["instance"], alone[0]["instance"].replace("alone", "beside"))
        self.assertLess(small["peak_memory_mb"], alone[0]["peak_memory_mb"] + 8)

    def test_repeats_that_fail_are_told(self):
        count = self.folder / "count"
        program = self.write("flaky.py", f"import pathlib\nfirst = not pathlib.Path({str(count)!r}).exists()\npathlib.Path({str(count)!r}).touch()\n"
                             "print('{\"z\": [2, 0]}' if first else '{}')\n")
        self.succeed("bench", self.sequence(lcp(name="a")), "--repeat", "4", "--solvers", f"exec:python3 {program}", "-o", self.folder / "flaky")
        (record,) = self.records("flaky")
        self.assertEqual((record["outcome"], record["failed_repeats"]), ("solved", 3))
        self.assertIn("3 of 3 repeats failed", record["message"])


@with_cases({
    "solve": (("solve",),), "info": (("info",),), "convert": (("convert",), "out.json"), "verify": (("verify",), "result.json"),
})
class TestSequenceWhereOneProblemIsWanted(BenchTestCase):
    def check(self, verb, *more):
        path = self.sequence(lcp(name="a"), lcp(name="b"))
        for source, options in ((path, {}), ("-", {"stdin": path.read_text()})):
            done = self.perp(*verb, source, *(self.folder / name for name in more), **options)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn("sequence", done.stderr)
            self.assertIn("perp bench", done.stderr)


class TestResume(BenchTestCase):
    """What is recorded stays as it is, and what is missing comes out as if nothing had happened."""

    def setUp(self):
        super().setUp()
        self.path, problems = self.scene(*SEQUENCE_OF_SCENES[0])
        self.options = ("--solvers", "lemke,newton-fb", "--start", "zero,warm", "--tolerance", "1e-10")
        self.whole = self.bench(self.path, *self.options, runs=4 * len(problems))
        self.lines = self.text().splitlines(keepends=True)

    def resume_after(self, kept):
        (self.folder / "records" / "records.jsonl").write_text(kept)
        lines = kept.count("\n")
        records = self.bench(self.path, *self.options, "--resume", runs=len(self.lines) - lines)
        self.assertEqual(self.text()[:kept.rfind("\n") + 1], kept[:kept.rfind("\n") + 1])
        self.assertEqual(len({record["key"] for record in records}), len(records))
        return records

    def test_nothing_is_repeated(self):
        self.assertEqual(len({record["key"] for record in self.whole}), len(self.whole))
        self.assertEqual(self.resume_after("".join(self.lines)), self.whole)

    def test_wherever_it_ended(self):
        steps = len(self.lines) // 4
        for end in (0, 1, steps, steps + 1, 2 * steps - 1, 3 * steps + 2):
            kept = "".join(self.lines[:end])
            for half in ("", self.lines[end][:300], self.lines[end][:-1]):
                self.assertEqual(list(map(facts, self.resume_after(kept + half))), list(map(facts, self.whole)))

    def test_a_record_is_missing_in_the_middle(self):
        """What follows it started from its answer, and stays."""
        steps = len(self.lines) // 4
        for missing in (1, steps + 2):  # zero, warm
            kept = self.lines[:missing] + self.lines[missing + 1:]
            records = self.resume_after("".join(kept))
            self.assertEqual(self.text(), "".join(kept) + self.text().splitlines(keepends=True)[-1])
            self.assertEqual(facts(records[-1]), facts(self.whole[missing]))

    def test_more_steps(self):
        """A sequence that has grown goes on at its end; one that has changed at its beginning does not."""
        with open(self.path) as file:
            lines = file.read().splitlines(keepends=True)
        for cut, runs in ((lines[:-2], 0), (lines[:1] + lines[2:], 4 * (len(lines) - 2))):
            self.write("scenes/falling-boxes.jsonl", "".join(cut))
            self.bench(self.path, *self.options, "--resume", runs=runs)


class TestKilled(BenchTestCase):
    def begin(self, *arguments, wanted):
        """Starts perp bench and waits until so many records are there."""
        process = subprocess.Popen([PERP, "bench", *map(str, arguments), "-o", self.folder / "records"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        path, end = self.folder / "records" / "records.jsonl", time.monotonic() + 30
        while not path.exists() or path.read_text().count("\n") < wanted:
            self.assertLess(time.monotonic(), end)
            self.assertIsNone(process.poll())
            time.sleep(0.005)
        return process

    def is_alive(self, pid):
        try:
            with open(f"/proc/{pid}/stat") as file:
                return file.read().rsplit(")", 1)[1].split()[0] != "Z"
        except OSError:
            return False

    def test_the_runner(self):
        pid = shlex.quote(str(self.folder / "pid"))
        slow = self.script(f"echo $$ > {pid}.new\nmv {pid}.new {pid}\nsleep 0.04\necho '{{\"z\": [2, 0]}}'\n")
        names = "abcdefgh"
        path = self.sequence(*(lcp(name=name) for name in names))
        alone = [self.write(f"alone/{name}.json", lcp(name=name)) for name in names[:3]]
        options = (path, *alone, "--repeat", "1", "--solvers", slow, "--start", "zero,warm")
        for wanted in (2, 10, 17):
            for old in (self.folder / "records").glob("*"):
                old.unlink()
            process = self.begin(*options, wanted=wanted)
            process.kill()
            process.wait()
            kept = self.text()
            finished = kept[:kept.rfind("\n") + 1]
            for line in finished.splitlines():
                self.assert_valid(parse_json(line), "record")
            solver, end = int((self.folder / "pid").read_text()), time.monotonic() + 10
            while self.is_alive(solver):
                self.assertLess(time.monotonic(), end, "a solver outlives the runner")
                time.sleep(0.01)
            runs = 2 * len(names) + len(alone) - finished.count("\n")
            self.succeed("bench", *options, "--resume", "-o", self.folder / "records")
            self.assertEqual(self.text()[:len(finished)], finished)
            records = self.records()
            self.assertEqual((len(records), len({r["key"] for r in records})), (runs + finished.count("\n"),) * 2)
            self.assertEqual({r["outcome"] for r in records}, {"solved"})

    def kill_at(self, name, signal_name="KILL"):
        return self.script(f"case $problem in *'\"name\":\"{name}\"'*) kill -{signal_name} $PPID; exec sleep 5;; esac\n"
                           "echo '{\"z\": [2, 0]}'\n")

    def test_a_child_within_a_sequence(self):
        path = self.sequence(*(lcp(name=name) for name in "abcde"))
        for name, began in (("a", ["nothing", "previous", "previous", "previous"]), ("c", ["nothing"] + ["previous"] * 3),
                            ("e", ["nothing"] + ["previous"] * 3)):
            options = ("--solvers", f"{self.kill_at(name)},lemke", "--start", "zero,warm")
            records = self.bench(path, *options, runs=20)
            killed = [r for r in records if r["solver"] != "lemke"]
            self.assertEqual([r["instance"] for r in killed], list("abcde") * 2)
            self.assertEqual([(r["outcome"], r["message"]) for r in killed],
                             [("crashed", "signal 9") if r["instance"] == name else ("solved", "") for r in killed])
            self.assertEqual([r["n"] for r in killed], [2] * 10)
            self.assertEqual([r["started_from"] for r in killed if r["mode"] == "warm" and r["instance"] != name], began)
            self.assertEqual({r["outcome"] for r in records if r["solver"] == "lemke"}, {"solved"})
            before = self.text()
            self.bench(path, *options, "--resume", runs=0)
            self.assertEqual(self.text(), before)

    def test_every_child(self):
        path = self.sequence(*(lcp(name=name) for name in "abc"))
        records = self.bench(path, "--solvers", self.script("kill -ABRT $PPID; exec sleep 5\n"), "--start", "zero,warm", runs=6)
        self.assertEqual({(r["outcome"], r["message"]) for r in records}, {("crashed", f"signal {signal.SIGABRT.value}")})

    def test_a_child_alone(self):
        for name in "abc":
            self.write(f"alone/{name}.json", lcp(name=name))
        records = self.bench(self.folder / "alone", "--solvers", self.kill_at("b"), "--jobs", "2", runs=3)
        self.assertEqual({r["instance"]: (r["outcome"], r["message"]) for r in records},
                         {"a": ("solved", ""), "b": ("crashed", "signal 9"), "c": ("solved", "")})


class TestFairClocks(BenchTestCase):
    def python(self, text, name="solver.py"):
        """A solver: lines of Python, with the problem in `problem`."""
        path = self.write(name, "import json, os, sys\nproblem = json.load(sys.stdin)\n" + text)
        return f"exec:{shlex.quote(sys.executable)} {shlex.quote(str(path))}"

    def counted(self):
        """Lines of Python that count the calls in `call`, from 1."""
        path = str(self.folder / "calls")
        return (f"path = {path!r}\ncall = 1 + (os.path.exists(path) and len(open(path).read()))\n"
                "open(path, 'a').write('x')\n")

    def test_what_is_known_of_the_answer_is_not_told(self):
        """A program gets neither the stored solution nor, from zero, the stored start."""
        problem = self.write("a.json", {**lcp(name="a"), "start": [1, 1], "solution": {"z": [2, 0]}})
        peeks = self.python("print(json.dumps({'z': problem.get('solution', {}).get('z') or problem.get('start') or [0, 0]}))\n")
        [record] = self.bench(problem, "--solvers", peeks)
        self.assertEqual(record["outcome"], "wrong")
        path = self.write("kept.py", "import json, sys\n"
                          "for line in sys.stdin:\n    asked = json.loads(line)\n    problem = asked['problem']\n"
                          "    z = problem.get('solution', {}).get('z') or problem.get('start') or [0, 0]\n"
                          "    print(json.dumps({'id': asked['id'], 'z': z}), flush=True)\n")
        [record] = self.bench(problem, "--solvers", f"serve:{shlex.quote(sys.executable)} {shlex.quote(str(path))}")
        self.assertEqual(record["outcome"], "wrong")

    def test_another_script_is_another_solver(self):
        """A script that was changed is run again; one that was not is not."""
        problem = self.write("a.json", lcp(name="a"))
        wrong = self.python("print(json.dumps({'z': [0, 0]}))\n")
        self.bench(problem, "--solvers", wrong)
        self.bench(problem, "--solvers", wrong, "--resume", runs=0)
        self.assertEqual(self.python("print(json.dumps({'z': [2, 0]}))\n"), wrong)
        records = self.bench(problem, "--solvers", wrong, "--resume", runs=1)
        self.assertEqual([r["outcome"] for r in records], ["wrong", "solved"])

    def test_a_refuted_claim_is_asked_for_less(self):
        """The program's own measure is 30 times too kind: it is granted at a hundredth of the tolerance."""
        kind = self.python("t = float(os.environ['PERP_TOLERANCE'])\nprint(json.dumps({'z': [2 + 15 * t, 0]}))\n")
        [record] = self.bench(self.write("a.json", lcp(name="a")), "--solvers", kind, "--tolerance", "1e-6")
        self.assertEqual((record["outcome"], record["tolerance"]), ("solved", 1e-6))
        self.assertAlmostEqual(record["asked_tolerance"] / 1e-8, 1, 12)
        self.assertEqual(len(record["times"]["solve_all"]), 1)
        text = self.succeed("bench", self.folder / "a.json", "--solvers", kind, "--tolerance", "1e-6", "-o", self.folder / "again")
        self.assertIn("1 at 1/100", text)

    def test_a_claim_refuted_at_all_is_wrong(self):
        liar = self.python(self.counted() + "print(json.dumps({'z': [1, 1]}))\n")
        [record] = self.bench(self.write("a.json", lcp(name="a")), "--solvers", liar)
        self.assertEqual((record["outcome"], (self.folder / "calls").read_text()), ("wrong", "xxxx"))

    def test_a_refuted_claim_stays_wrong_whatever_is_said_next(self):
        """A claim at 1e-8; at less than that the solver says something else."""
        for end in ("stalled", "unsupported", "time_limit", "numerical_error"):
            turns = self.python(self.counted() + f"print(json.dumps({{'z': [1, 1], 'status': 'solved' if call == 1 else '{end}'}}))\n")
            [record] = self.bench(self.write("a.json", lcp(name="a")), "--solvers", turns)
            self.assertEqual((record["outcome"], record["claimed"], (self.folder / "calls").read_text()), ("wrong", "solved", "xx"))
            (self.folder / "calls").unlink()

    def test_nan_that_is_called_solved_is_no_honest_end(self):
        """On problems without a solution, ends without a claim are counted apart."""
        entry = {"family": "no-solution", "sizes": [4], "seeds": [1, 2]}
        suite = self.write("s.json", {"format": "perp-suite", "version": 1, "name": "s", "description": "s", "entries": [entry]})
        for claim, gave_up in (("solved", 0), ("stalled", 2)):
            program = self.python(f"print(json.dumps({{'z': [None] * problem['n'], 'status': '{claim}'}}))\n")
            told = self.perp("bench", suite, "--solvers", "mine=" + program, "-o", self.folder / claim).stdout
            self.assertRegex(told, rf"solved +proven +gave up +wrong.*\n.* mine\*? +0/2 +0 +{gave_up} +0 ")

    def test_who_gives_up_is_asked_once(self):
        honest = self.python(self.counted() + "print(json.dumps({'z': [1, 1], 'status': 'stalled'}))\n")
        self.perp("bench", self.write("a.json", lcp(name="a")), "--solvers", honest, "--repeat", "3", "-o", self.folder / "records")
        self.assertEqual((self.records()[0]["outcome"], (self.folder / "calls").read_text()), ("stalled", "x"))

    def test_an_answer_is_not_lost_to_its_repeats(self):
        """The second run takes the whole process down, the third would end at the limit."""
        for name, end in (("killed", "os.kill(os.getppid(), 9), time.sleep(4)"), ("late", "time.sleep(9)")):
            solver = self.python("import time\n" + self.counted() + f"if call == 2: {end}\nprint(json.dumps({{'z': [2, 0]}}))\n")
            path = self.write(f"{name}.json", lcp(name=name))
            self.succeed("bench", path, "--solvers", solver, "--repeat", "3", "--time-limit", "2", "-o", self.folder / name)
            [record] = self.records(name)
            self.assertEqual(record["outcome"], "solved", name)
            self.assertGreater(record["times"]["total"], 0)
            (self.folder / "calls").unlink()

    def test_repeats_have_the_limit_each(self):
        """Each takes most of the limit, by its own word."""
        slow = self.python("limit = os.environ['PERP_TIME_LIMIT']\n"
                           "print(json.dumps({'z': [2, 0], 'times': {'setup': 1, 'solve': 15}, 'message': limit}))\n")
        self.succeed("bench", self.write("a.json", lcp(name="a")), "--solvers", slow, "--repeat", "4", "--time-limit", "20",
                     "-o", self.folder / "records")
        [record] = self.records()
        self.assertEqual((record["outcome"], record["time_limit"], record["times"]["solve_all"]), ("solved", 20, [15] * 4))

    def test_programs_get_the_start_that_is_asked_for(self):
        """And no other: a start that is stored in the problem is not theirs at zero."""
        echo = self.python("print(json.dumps({'z': problem.get('start', [9, 9]), 'status': 'stalled'}))\n")
        at = lcp(name="a", start=[2, 0])
        path = self.write("a.json", at)
        for start, outcome in (("zero", "stalled"), ("stored", "solved")):
            [record] = self.bench(path, "--solvers", echo, "--start", start)
            self.assertEqual((record["outcome"], record["mode"]), (outcome, start))
        # The answer to the problem before.
        path = self.sequence(lcp(name="a", start=[2, 0]), lcp(name="b", start=[5, 5]))
        records = self.bench(path, "--solvers", echo, "--start", "warm")
        self.assertEqual([(r["outcome"], r["started_from"]) for r in records], [("solved", "stored"), ("solved", "previous")])

    def test_who_makes_no_use_of_a_start_is_told_apart(self):
        path = self.write("a.json", lcp(name="a", start=[1, 1]))
        out = self.perp("bench", path, "--solvers", "enumerate,pgs", "--start", "stored", "-o", self.folder / "records").stdout
        self.assertEqual({r["solver"]: r["uses_start"] for r in self.records()}, {"enumerate": False, "pgs": True})
        self.assertIn("enumerate, stored (unused)", out)
        self.assertIn("pgs, stored ", out)

    def test_own_times_are_marked(self):
        own = self.python("print(json.dumps({'z': [2, 0], 'times': {'setup': 1.5, 'solve': 0.5}}))\n")
        path = self.write("a.json", lcp(name="a"))
        out = self.perp("bench", path, self.write("b.json", lcp(name="b")), "--solvers", f"{own},lemke", "-o", self.folder / "records").stdout
        [record] = [r for r in self.records() if r["instance"] == "a" and r["solver"] != "lemke"]
        self.assertEqual((record["times"]["total"], record["times"]["own"]), (2.0, True))
        self.assertIn("solver.py* ", out)
        self.assertIn("2000.000", out)
        self.assertIn("* times reported by the program itself", out)
        self.succeed("report", self.folder / "records", "-o", self.folder / "r.html")
        rows = page_records(page_data(self.folder / "r.html"))
        self.assertEqual({row["solver"] for row in rows if "ownTimes" in row["flags"]}, {row["solver"] for row in rows if row["solver"].endswith("solver.py*")})

    def test_two_limits_are_not_one_solver(self):
        path = self.write("a.json", lcp(name="a"))
        for limit in (3, 7):
            self.succeed("bench", path, "--solvers", "lemke", "--time-limit", limit, "-o", self.folder / f"limit{limit}")
        self.succeed("report", self.folder / "limit3", self.folder / "limit7", "-o", self.folder / "r.html")
        rows = page_records(page_data(self.folder / "r.html"))
        self.assertEqual([row["solver"] for row in rows], ["lemke in 3 s", "lemke in 7 s"])

    def test_reductions_are_on_the_clock(self):
        """The whole is more than what the solver itself does: a box_qp goes to lemke as an mlcp."""
        [path] = self.succeed("export", "box-qp", "--size", "300", "-o", self.folder / "qp").split()
        [record] = self.bench(path, "--solvers", "newton-min")
        self.assertEqual(record["outcome"], "solved")
        times = record["times"]
        self.assertAlmostEqual(times["total"], times["setup"] + times["solve"], 12)

    def test_how_what_is_not_solved_ended(self):
        never = lcp(name="never", M={"shape": [2, 2], "dense": [[0, 0], [0, 0]]}, q=[-1, -1])
        for k, problem in enumerate((lcp(name="fine"), never, {**never, "name": "never-2"})):
            self.write(f"all/{k}.json", problem)
        out = self.perp("bench", self.folder / "all", "--solvers", "rpgs,first(lemke, pgs:relaxation=1.1)", "-o", self.folder / "records").stdout
        self.assertRegex(out, r"(?m)^rpgs not solved: 2 [a-z_]+ \(1, \.\.\.\)$")
        table = [line for line in out.splitlines() if line.startswith(("suite ", "all "))]
        self.assertEqual({len(line) for line in table}, {len(table[0])}, out)  # long names move all lines

    def test_why_a_problem_is_refused(self):
        path = self.write("a.json", make_problem("friction_contact"))
        out = self.perp("bench", path, "--solvers", "lemke", "-o", self.folder / "records").stdout
        self.assertIn("lemke refused 1: lemke takes", out)
        self.assertIn("reduction=pyramid", out)


class TestOnly(BenchTestCase):
    def test_what_is_no_problem_is_left_out_of_a_folder(self):
        a = self.write("all/a.json", lcp(name="a"))
        self.write("all/z.json", lcp(name="z"))
        self.write("all/a.answer.json", {"problem": "a", "z": [0, 0]})
        self.write("all/a.solved.json", self.perp("solve", a, "--json").stdout)
        self.write("all/a.verdict.json", self.perp("verify", a, self.folder / "all/a.solved.json", "--json").stdout)
        known = [p.name.removesuffix(".schema.json") for p in SCHEMAS.iterdir()]
        others = [name for name in known if name not in ("perp-problem", "perp-sequence", "perp-result", "perp-verdict")]
        for name in others:
            self.write(f"all/{name}.json", {"format": name, "version": 1})
        self.write("all/c/records.jsonl", '{"format": "perp-record", "version": 1}\n')
        done = self.perp("bench", self.folder / "all", "--solvers", "lemke", "-o", self.folder / "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([r["instance"] for r in self.records("out")], ["a", "z"])
        self.assertIn(f"all: {len(others) + 4} of its files hold no problem and are left out: ", done.stderr)
        self.assertIn("a.answer.json", done.stderr)

    def test_a_folder_with_the_name_of_a_suite(self):
        self.write("literature/a.json", lcp(name="a"))
        done = self.perp("bench", "./literature", "--solvers", "lemke", "-o", "folder", cwd=self.folder)
        self.assertEqual(([r["instance"] for r in self.records("folder")], done.stderr.count("is taken as")), (["a"], 0))
        done = self.perp("bench", "literature", "--solvers", "lemke", "--quick", "--repeat", "1", "-o", "suite", cwd=self.folder)
        self.assertGreater(len({r["instance"] for r in self.records("suite")}), 5)
        self.assertIn("literature: is taken as the suite; the folder is ./literature", done.stderr)

    def test_a_damaged_problem_is_not_left_out_of_a_folder(self):
        self.write("all/a.json", lcp(name="a"))
        unnamed = lcp()
        del unnamed["format"]
        for damaged in (lcp(format="perp-problme"), unnamed, lcp(q=[1]), '{"format": "perp-problem"'):
            path = self.write("all/b.json", damaged)
            done = self.perp("bench", self.folder / "all", "--solvers", "lemke", "-o", self.folder / "out")
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
            self.assertIn(str(path), done.stderr)

    def test_names_and_patterns(self):
        paths = [self.write(f"these/{name}.json", lcp(name=name)) for name in ("a", "b", "b[1]", "c")]
        for only, wanted in ((["b[1]"], ["b[1]"]), (["b*"], ["b", "b[1]"]), (["a", "c"], ["a", "c"])):
            arguments = [word for name in only for word in ("--only", name)]
            records = self.bench(self.folder / "these", *arguments, "--overwrite")
            self.assertEqual(sorted(r["instance"] for r in records), wanted)
        done = self.perp("bench", paths[0], "--only", "nothing", "-o", self.folder / "out")
        self.assertEqual((done.returncode, done.stderr), (2, 'perp: --only: no instance "nothing"\n'))
        self.assertFalse((self.folder / "out").exists())


class TestReportOfStarts(BenchTestCase):
    def rows(self):
        self.succeed("report", self.folder / "records", "-o", self.folder / "r.html")
        return page_records(page_data(self.folder / "r.html"))

    def test_starts_have_names_and_zero_is_compared(self):
        path, problems = self.scene("box-stack", "--param", "rows=2", "--steps", "1:4")
        records = self.bench(path, "--solvers", "lemke", "--start", "zero,warm", "--tolerance", "1e-10")
        rows = self.rows()
        self.assertEqual([(row["solver"], row["base"], row["mode"], row["position"], row["iterations"], "main" in row["flags"]) for row in rows],
                         [("lemke" if r["mode"] == "zero" else "lemke, warm", "lemke", r["mode"], r["position"], r["iterations"], r["mode"] == "zero")
                          for r in records])

    def test_against_a_cholesky_factorisation(self):
        suite = {"format": "perp-suite", "version": 1, "name": "dense", "description": "", "entries": [
            {"family": "psd", "sizes": [99, 100], "seeds": [1, 1]}, {"family": "p-matrix", "sizes": [100], "seeds": [1, 1]}]}
        records = self.bench(self.write("dense.json", suite), "--solvers", "newton-min,lemke", "--tolerance", "1e-10")
        timed = {r["solver"]: r["times"]["llt"] for r in records if "llt" in r["times"]}
        self.assertEqual({r["instance"] for r in records if "llt" in r["times"]}, {"psd-100-1"})
        told = {row["solver"]: row["llt"] for row in self.rows() if row["llt"] is not None}
        self.assertEqual(set(told), set(timed))
        for solver, llt in timed.items():
            self.assertAlmostEqual(told[solver], llt, delta=1e-3 * llt)


if __name__ == "__main__":
    unittest.main()
