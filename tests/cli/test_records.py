"""What a record is of: problems, suites and labels are told apart, and no record is lost to another run."""
import json
import os
import shlex
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import PERP, lcp, page_data, page_records  # noqa: E402
from test_bench import BenchTestCase  # noqa: E402


def suite(name, *entries):
    return json.dumps({"format": "perp-suite", "version": 1, "name": name, "description": "by hand", "entries": entries})


class TestIdentity(BenchTestCase):
    def report(self, *folders):
        self.succeed("report", *(self.folder / folder for folder in folders), "-o", self.folder / "r.html")
        return page_data(self.folder / "r.html")

    def test_files_of_one_name_are_two_problems(self):
        """The first is solved by both, the second by one: the page must not join their records."""
        self.write("fail/a/p.json", lcp(name="p"))
        self.write("fail/b/p.json", lcp(name="p", M={"shape": [2, 2], "dense": [[1, 3], [3, 1]]}, q=[-1, -1]))
        self.bench(self.folder / "fail", "--solvers", "lemke,pgs", runs=4)
        rows = page_records(self.report("records"))
        self.assertEqual(len({row["problem"] for row in rows}), 1)
        self.assertEqual(sorted((row["solver"], row["id"]) for row in rows), [("lemke", 0), ("lemke", 1), ("pgs", 0), ("pgs", 1)])

    def test_files_with_the_same_contents_are_two_problems(self):
        for name in "ab":
            self.write(f"twins/{name}.json", lcp(name="twin"))
        self.assertEqual({r["instance"] for r in self.bench(self.folder / "twins", "--solvers", "lemke", runs=2)}, {"a", "b"})
        self.bench(self.folder / "twins", "--solvers", "lemke", "--resume", runs=0)
        self.assertEqual(len({row["id"] for row in page_records(self.report("records"))}), 2)

    def test_what_a_suite_names_twice_is_run_once(self):
        entry = {"family": "contact-pile", "sizes": [1, 2]}
        path = self.write("twice.json", suite("twice", {**entry, "seeds": [1, 2]}, {**entry, "seeds": [2, 3]}))
        records = self.bench(path, "--solvers", "lemke,pgs", runs=12)
        self.assertEqual(len({r["key"] for r in records}), 12)
        self.bench(path, "--solvers", "lemke,pgs", "--resume", runs=0)

    def test_a_suite_of_which_nothing_is_left(self):
        path = self.write("large.json", suite("large", {"family": "contact-pile", "sizes": [3], "seeds": [1, 1], "tier": "full"}))
        done = self.perp("bench", path, "--quick", "--solvers", "lemke", "-o", self.folder / "none")
        self.assertEqual((done.returncode, done.stderr.count("\n"), (self.folder / "none").exists()), (2, 1, False), done.stderr)
        self.assertIn("large.json: no problem is left; --quick", done.stderr)

    def test_a_fault_of_a_family_names_the_entry(self):
        for entry in ({"parameters": {"bogus": 1}}, {"sizes": [1, 100000000]}):
            path = self.write("s.json", suite("s", {"family": "contact-stack", "sizes": [3], "seeds": [1, 1], **entry}))
            done = self.perp("bench", path, "--solvers", "lemke", "-o", self.folder / "none")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn('s.json: field "entries[0]": ', done.stderr)

    def test_the_page_knows_machine_and_repeats(self):
        self.bench(self.write("p.json", lcp(name="p")), "--solvers", "lemke,pgs")
        record = self.records()[0]["machine"]
        rows = page_records(self.report("records"))
        self.assertEqual({row["machine"] for row in rows}, {f"{record['cpu']} ({record['cores']} cores), {record['compiler']}"})
        self.assertEqual({row["repeats"] for row in rows}, {1})

    def test_a_problem_of_two_suites_is_run_for_each(self):
        entry = {"family": "contact-pile", "sizes": [1]}
        one = self.write("one.json", suite("one", {**entry, "seeds": [1, 3]}))
        two = self.write("two.json", suite("two", {**entry, "seeds": [2, 4]}))
        for order in ((one, two), (two, one)):
            done = self.perp("bench", *order, "--solvers", "lemke", "--repeat", "1", "--overwrite", "-o", self.folder / "both")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(r["suite"] for r in self.records("both")), ["one"] * 3 + ["two"] * 3)
            for name in ("one", "two"):
                self.assertRegex(done.stdout, rf"(?m)^{name} .*lemke +3/3")

    def test_labels_are_apart(self):
        problem = self.write("a.json", lcp(name="a"))
        self.bench(problem, "--solvers", "lemke", "--label", "one", runs=1)
        self.bench(problem, "--solvers", "lemke", "--label", "two", "--resume", runs=1)
        self.assertEqual({row["solver"] for row in page_records(self.report("records"))}, {"lemke (one)", "lemke (two)"})

    def test_what_was_run_again_is_counted(self):
        problem = self.write("a.json", lcp(name="a"))
        for out in ("x", "y"):
            self.bench(problem, "--solvers", "lemke", out=out)
        self.assertEqual(self.report("x", "y")["left_out"], 1)
        self.assertEqual(self.report("x")["left_out"], 0)

    def test_one_step_of_a_sequence(self):
        path, problems = self.scene("box-stack", "--param", "rows=2", "--steps", "1:3")
        names = [r["instance"] for r in self.bench(path, "--solvers", "lemke")]
        self.assertEqual([r["instance"] for r in self.bench(path, "--solvers", "lemke", "--only", names[-1], runs=1)], names[-1:])
        # Behind a problem of its own, and behind a step of another sequence.
        alone = self.write("alone/alone.json", lcp(name="alone"))
        other = self.sequence(lcp(name="first"), lcp(name="second"))
        done = self.perp("bench", alone, other, path, "--solvers", "lemke,newton-fb", "--start", "zero,warm", "--repeat", "1",
                         *(word for name in ("alone", "first", names[-1]) for word in ("--only", name)), "-o", self.folder / "mixed")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted((r["instance"], r["mode"]) for r in self.records("mixed") if r["solver"] == "lemke"),
                         sorted([("alone", "zero")] + [(n, m) for n in ("first", names[-1]) for m in ("zero", "warm")]))

    def test_the_command_of_a_record_can_be_given(self):
        """What the report prints for a file, and for a program under a name of its own."""
        self.write("files/p.json", lcp(name="p"))
        program = "mine=exec:cat " + shlex.quote(str(self.write("answer.json", json.dumps({"z": [2, 0]}))))
        self.bench(self.folder / "files", "--solvers", program)
        [row] = page_records(self.report("records"))
        self.assertEqual((row["given"], row["solver"].rstrip("*")), (program, "mine"))
        again = self.bench(row["source"], "--solvers", row["given"], "--only", row["problem"], out="again", runs=1)
        self.assertEqual(again[0]["outcome"], "solved")


class TestOneWriter(BenchTestCase):
    def test_a_second_bench_keeps_off(self):
        """Both would write into one file: the second is refused, and the first loses nothing."""
        for k in range(3):
            self.write(f"many/{k}.json", lcp(name=f"p{k}"))
        slow = self.script("while [ ! -e go ]; do sleep 0.05; done; echo '{\"z\": [2, 0]}'")
        old = self.bench(self.write("old.json", lcp(name="old")), "--solvers", "lemke")
        arguments = ("bench", str(self.folder / "many"), "--repeat", "1", "--resume", "-o", str(self.folder / "records"))
        first = subprocess.Popen([PERP, *arguments, "--solvers", slow], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 60
            while subprocess.run(["pgrep", "-P", str(first.pid)], stdout=subprocess.DEVNULL).returncode and time.monotonic() < deadline:
                time.sleep(0.05)
            second = self.perp(*arguments, "--solvers", "lemke")
            self.assertEqual((second.returncode, second.stderr.count("\n")), (2, 1), second.stderr)
            self.assertIn("another process writes it", second.stderr)
        finally:
            (self.folder / "go").touch()
            self.assertEqual(first.wait(60), 0)
        records = self.records()
        self.assertEqual(records[0], old[0])
        self.assertEqual([r["outcome"] for r in records], ["solved"] * 4)

    def test_shards_keep_off_other_divisions(self):
        problem = self.write("a.json", lcp(name="a"))
        self.bench(problem, "--solvers", "lemke")
        options = ("bench", problem, "--solvers", "lemke", "--repeat", "1", "-o", self.folder / "records")
        for more in ((), ("--overwrite",)):
            done = self.perp(*options, "--shard", "1/2", *more)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn("records.jsonl: holds records of an earlier run with another --shard", done.stderr)
        self.succeed(*options, "--shard", "1/2", "--resume")
        (self.folder / "records" / "records.jsonl").unlink()
        self.succeed(*options, "--shard", "1/2", "--overwrite")
        self.succeed(*options, "--shard", "2/2", "--overwrite")
        self.assertEqual(self.perp(*options, "--shard", "1/3", "--overwrite").returncode, 2)


class TestPrograms(BenchTestCase):
    def one(self, solver, *arguments, out="records"):
        [record] = self.bench(self.write("a.json", lcp(name="a")), "--solvers", solver, *arguments, out=out)
        return record

    def test_a_changed_program_within_an_expression_is_another_solver(self):
        script = self.write("answer.json", json.dumps({"z": [0, 0], "status": "stalled"}))
        solver = f"first(exec:\"cat {script}\", pgs:max_iterations=1)"
        self.one(solver)
        problem = self.folder / "a.json"
        self.bench(problem, "--solvers", solver, "--resume", runs=0)
        script.write_text(json.dumps({"z": [2, 0]}))
        records = self.bench(problem, "--solvers", solver, "--resume", runs=1)
        self.assertEqual(records[-1]["outcome"], "solved")

    def test_numbers_that_no_record_holds_are_refused(self):
        for count, outcome in ((10**9, "solved"), (2 * 10**9, "numerical_error")):
            answer = self.write("answer.json", json.dumps({"z": [2, 0], "iterations": count}))
            self.assertEqual(self.one(f"exec:cat {shlex.quote(str(answer))}")["outcome"], outcome)
            self.succeed("report", self.folder / "records", "-o", self.folder / "r.html")
        answer = self.write("answer.json", json.dumps({"z": [0, 0], "status": "stalled", "iterations": 10**9}))
        twice = f"first(exec:\"cat {answer}\", exec:\"cat  {answer}\")"
        self.assertEqual(self.one(twice)["iterations"], 10**9)
        self.succeed("report", self.folder / "records", "-o", self.folder / "r.html")

    def test_what_is_no_record_of_this_version_is_refused(self):
        self.bench(self.write("a.json", lcp()), "--solvers", "lemke")
        records = self.folder / "records" / "records.jsonl"
        record = json.loads(records.read_text())
        for field, value in (("format", "perp-result"), ("version", 2), ("outcome", "SOLVED!"), ("n", -1), ("iterations", -1)):
            records.write_text(json.dumps({**record, field: value}) + "\n")
            for verb in (("report", records, "-o", self.folder / "out.html"), ("compare", records, records)):
                done = self.perp(*verb)
                self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
                self.assertIn(f'field "{field}"', done.stderr)

    def test_what_a_program_leaves_behind_is_not_waited_for(self):
        record = self.one(self.script("sleep 300 & echo '{\"z\": [2, 0]}'"), "--time-limit", "20")
        self.assertEqual(record["outcome"], "solved")

    def test_what_is_said_of_programs(self):
        for text, outcome, message in (("true", "numerical_error", "printed nothing on standard output"),
                                       ("echo '{\"status\": \"wrong\", \"z\": [2, 0]}'", "numerical_error", "for perp to find"),
                                       ("echo '{\"status\": \"stalled\"}'", "stalled", None),
                                       ("echo '{\"z\": [2]}'", "wrong", "the answer's z has length 1, expected 2"),
                                       ("sleep 300", "time_limit", "stopped at the time limit")):
            record = self.one(self.script(text), "--time-limit", "1")
            self.assertEqual(record["outcome"], outcome, record)
            self.assertEqual(record["message"], "") if message is None else self.assertIn(message, record["message"])


if __name__ == "__main__":
    unittest.main()
