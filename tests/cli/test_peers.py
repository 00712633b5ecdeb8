"""Peers: programs beside perp under names of their own. A made-up program stands for that of a library."""
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import PERP, CliTestCase, lcp, make_problem, parse_json  # noqa: E402

PEER = """#!{python}
import json, os, sys
problem = json.load(sys.stdin)
print("a line of the library", file=sys.stderr)
print(json.dumps({{"z": problem["x-answer"], "message": sys.argv[1], "iterations": int(os.environ["OMP_NUM_THREADS"]),
                  "times": {{"setup": 0.5, "solve": 0.25}}}}))
"""


class TestPeers(CliTestCase):
    def setUp(self):
        super().setUp()
        self.alone = self.folder / "it's a folder" / "bin" / "perp"  # a copy without programs beside it
        self.alone.parent.mkdir(parents=True)
        shutil.copy(PERP, self.alone)

    def install(self, *parts, text=PEER):
        program = self.alone.parent.joinpath(*parts)
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(text.format(python=sys.executable))
        program.chmod(0o755)

    def run_alone(self, *arguments):
        return subprocess.run([self.alone, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)

    def listed(self):
        return parse_json(self.run_alone("list", "solvers", "--json").stdout)

    def solve_with(self, solver, problem):
        done = self.run_alone("solve", self.write("problem.json", problem), "--solver", solver, "--json")
        result = parse_json(done.stdout)
        self.assert_valid(result, "result")
        return done, result

    def test_none_is_listed_where_no_program_is(self):
        self.assertEqual(self.listed()["peers"], [])
        self.assertNotIn("peers", self.run_alone("list", "solvers").stdout)
        self.assertIn("(none)", self.run_alone("list", "peers").stdout)

    def test_a_missing_program_is_named(self):
        done = self.run_alone("solve", self.write("problem.json", lcp()), "--solver", "bullet-dantzig")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertIn("perp-peer-bullet", done.stderr)

    def test_listed_where_the_program_is(self):
        self.install("perp-peer-bullet")
        names = [peer["name"] for peer in self.listed()["peers"]]
        self.assertEqual(names, ["bullet-dantzig", "bullet-lemke", "bullet-pgs"])
        self.assertIn("peers:\n  bullet-dantzig", self.run_alone("list", "solvers").stdout)

    def check_solve(self):
        done, result = self.solve_with("bullet-dantzig", lcp(**{"x-answer": [2, 0]}))
        self.assertEqual((done.returncode, result["status"], result["solver"]), (0, "solved", "bullet-dantzig"))
        self.assertEqual((result["message"], result["iterations"]), ("bullet-dantzig", 1))  # one thread
        self.assertEqual(result["times"], {"setup": 0.5, "solve": 0.25, "own": True})
        self.assertEqual(done.stderr, "")

    def test_solves_beside_perp(self):
        self.install("perp-peer-bullet")
        self.check_solve()

    def test_solves_from_libexec(self):
        self.install("..", "libexec", "perp", "perp-peer-bullet")
        self.check_solve()

    def test_other_kinds_are_unsupported(self):
        self.install("perp-peer-bullet")
        _, result = self.solve_with("bullet-lemke", make_problem("convex_contact"))
        self.assertEqual(result["status"], "unsupported")
        self.assertIn("convex_contact", result["message"])

    def test_wrong_answers_are_wrong(self):
        self.install("perp-peer-bullet")
        done, result = self.solve_with("bullet-dantzig", lcp(**{"x-answer": [1, 1]}))
        self.assertEqual((done.returncode, result["status"]), (1, "wrong"))

    def test_an_answer_is_not_lost_to_what_comes_after_it(self):
        """A line that is whole counts, the last of them, however the program ends."""
        line = """print(json.dumps({{"z": problem["x-answer"], "times": {{"setup": 0.5, "solve": %s}}}}), flush=True)\n"""
        for end in ("os.kill(os.getpid(), 11)\n", "sys.exit(3)\n", "print('{{\"z\": [1', end='')\n"):
            self.install("perp-peer-bullet", text=PEER[:PEER.index("print(")] + "sys.argv\n" + line % 4 + line % 2 + end)
            done, result = self.solve_with("bullet-dantzig", lcp(**{"x-answer": [2, 0]}))
            self.assertEqual((done.returncode, result["status"]), (0, "solved"), end)
            self.assertEqual(result["times"]["solve"], 2)

    def test_dead_without_a_line(self):
        self.install("perp-peer-bullet", text="#!{python}\nimport os\nos.kill(os.getpid(), 11)\n")
        done, result = self.solve_with("bullet-dantzig", lcp())
        self.assertEqual((done.returncode, result["status"], result["statistics"]["signal"]), (1, "numerical_error", 11))

    def test_gets_the_start_that_is_asked_for(self):
        echo = PEER.replace('problem["x-answer"]', 'problem.get("start", [7, 7])')
        self.install("perp-peer-bullet", text=echo)
        problem = self.write("problem.json", lcp(start=[2, 0]))
        for start, outcome in (("zero", "wrong"), ("stored", "solved")):
            self.run_alone("bench", problem, "--solvers", "bullet-pgs,bullet-dantzig", "--start", start, "-o", self.folder / start)
            records = [parse_json(line) for line in (self.folder / start / "records.jsonl").read_text().splitlines()]
            self.assertEqual([r["outcome"] for r in records], [outcome] * 2)
            self.assertEqual([r["uses_start"] for r in records], [True, start == "zero"])
            for record in records:
                self.assert_valid(record, "record")

    def test_a_reduction_is_on_its_clock(self):
        self.install("perp-peer-bullet", text=PEER.replace('"setup": 0.5', '"setup": 0.0').replace('problem["x-answer"]', "[1, 2]"))
        _, result = self.solve_with("bullet-dantzig", make_problem("box_qp", solution={"z": [1, 2]}))
        self.assertEqual(result["status"], "solved")
        self.assertGreater(result["times"]["setup"], 0)

    def test_another_program_is_another_run(self):
        """--resume goes by the peer's program too."""
        self.install("perp-peer-bullet")
        problem = self.write("problem.json", lcp(**{"x-answer": [2, 0]}))
        command = ["bench", problem, "--solvers", "bullet-dantzig", "--resume", "-o", self.folder / "records"]
        self.assertIn("1 runs", self.run_alone(*command).stderr)
        self.assertIn("0 runs", self.run_alone(*command).stderr)
        with open(self.alone.parent / "perp-peer-bullet", "a") as program:
            program.write("# changed\n")
        self.assertIn("1 runs", self.run_alone(*command).stderr)


if __name__ == "__main__":
    unittest.main()
