"""perp shrink: the smallest problem on which a solver ends as it does."""
import json
import os
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import PERP, CliTestCase  # noqa: E402


def lcp(rows, q):
    return {"format": "perp-problem", "version": 1, "kind": "lcp", "name": "", "n": len(q), "M": {"shape": [len(q), len(q)], "dense": rows}, "q": q}


def with_a_core():
    """Row 2 says -0.5 z_0 >= 1; the others are an identity."""
    rows = [[1.25 if i == j else 0.0 for j in range(6)] for i in range(6)]
    rows[2] = [-0.5, 0, 0, 0, 0, 0]
    return lcp(rows, [-1.5, 0.25, -1, -0.75, 2.5, -0.3])


class TestShrink(CliTestCase):
    def shrink(self, problem, *options):
        out = self.folder / "small.json"
        done = self.perp("shrink", self.write("problem.json", problem), "-o", out, *options)
        return done, json.loads(out.read_text()) if out.exists() else None

    def test_a_core_is_found(self):
        done, small = self.shrink(with_a_core())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(small["n"], 1)
        self.assertRegex(done.stdout, r"lcp, n = 6, \d+ numbers: auto ends with infeasible\n.*n = 1, 1 numbers, after \d+ solves; no smaller part has this status")
        self.assertEqual(self.perp("solve", self.folder / "small.json").returncode, 1)

    def test_a_status_that_is_asked_for(self):
        done, small = self.shrink(lcp([[2, 1], [1, 2]], [-4, 1]), "--status", "solved", "--solver", "lemke")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(small["n"], 1)

    def test_nothing_to_shrink(self):
        for options in ((), ("--status", "ray")):
            done, small = self.shrink(lcp([[2, 1], [1, 2]], [-4, 1]), *options)
            self.assertEqual((done.returncode, done.stderr, small), (1, "", None))
            self.assertIn("nothing to shrink", done.stdout)

    def test_files_in_parts_are_named(self):
        done = self.perp("shrink", self.write("problem.json", with_a_core()), "-o", self.folder / "small.mtx")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for part in ("small.M.mtx", "small.q.mtx"):
            self.assertIn(str(self.folder / part), done.stdout)
            self.assertTrue((self.folder / part).exists())

    def test_an_interruption_is_told(self):
        """In the first solve nothing is known, and nothing written; later the smallest problem so far is."""
        for kept_solves, text in ((0, "interrupted in the first solve; nothing is written"), (2, r"after \d+ solves; interrupted")):
            calls = self.folder / f"calls{kept_solves}"
            script = self.write("slow.sh", f"cat > /dev/null; echo x >> {calls}; [ $(wc -l < {calls}) -gt {kept_solves} ] && exec sleep 60\n"
                                "echo '{\"status\": \"stalled\"}'\n")
            out = self.folder / f"out{kept_solves}.json"
            running = subprocess.Popen([PERP, "shrink", str(self.write("problem.json", with_a_core())), "--solver", f"exec:sh {script}",
                                        "-o", str(out)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            deadline = time.monotonic() + 60
            while (not calls.exists() or calls.read_text().count("x") <= kept_solves) and time.monotonic() < deadline:
                time.sleep(0.05)
            running.send_signal(signal.SIGINT)
            said = running.communicate(timeout=60)[0]
            self.assertRegex(said, text)
            self.assertNotEqual(running.returncode, 0)
            self.assertEqual(out.exists(), kept_solves > 0)

    def test_bad_usage(self):
        problem = self.write("problem.json", with_a_core())
        for arguments in (("--solver", "gauss"), ("--minutes", 0), ("--minutes", "soon"), ("--set", "nonsense")):
            done = self.perp("shrink", problem, "-o", self.folder / "small.json", *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertEqual(done.stderr.count("\n"), 1, arguments)
            self.assertFalse((self.folder / "small.json").exists())
        solvable = self.write("solvable.json", lcp([[1]], [-1]))  # has nothing to shrink: seen only after the ending
        unknown = self.perp("shrink", solvable, "-o", self.folder / "small.foo")
        self.assertEqual((unknown.returncode, unknown.stdout), (2, ""))
        self.assertIn("small.foo", unknown.stderr)
        self.assertEqual(self.perp("shrink", problem).returncode, 2)
        self.assertEqual(self.perp("shrink", problem, "-o", problem).returncode, 2)
        self.assertEqual(self.perp("shrink", problem, "-o", self.folder / "no" / "small.json").returncode, 2)


if __name__ == "__main__":
    unittest.main()
