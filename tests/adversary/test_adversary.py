"""The adversary: two minutes of it contradict nothing, and faults that are planted are found."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["PERP_ADVERSARY"]


def attack(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=450)
    return done.returncode, done.stdout, done.stderr


class TestAdversary(unittest.TestCase):
    def test_two_minutes_contradict_nothing(self):
        code, out, err = attack("--minutes", 2, "--workers", 1)
        self.assertEqual(code, 0, out + err)
        self.assertRegex(out, r"\d+ partners in \d+ s, seed 1: 0 contradictions")
        for kind in ("lcp", "mlcp", "mcp", "box_qp", "conic_qp", "friction_contact", "convex_contact"):
            self.assertRegex(out, rf"(?m)^{kind} +all +[1-9]")

    def test_planted_faults_are_found(self):
        for fault, trials, what in (("lying-solver", 200, "granted"), ("finiteness", 200, "granted"), ("certificate", 2500, "proof"),
                                    ("nondeterminism", 300, "bits"), ("slow", 100, "hang"), ("crash", 200, "crash")):
            with self.subTest(fault=fault):
                code, out, err = attack("--plant", fault, "--trials", trials, "--seed", 5)
                self.assertEqual(code, 1, out + err)
                self.assertRegex(out, rf"(?m)^trial \d+: .*: {what}")

    def test_a_crash_ends_one_trial_only(self):
        code, out, _ = attack("--plant", "crash", "--trials", 300, "--workers", 2)
        self.assertEqual(code, 1)
        self.assertEqual(out.count(": crash: signal 6"), 3, out)
        self.assertIn("\n300 partners in ", out)

    def test_a_seed_repeats(self):
        runs = [attack("--plant", "lying-solver", "--trials", 60, "--seed", 9)[1] for _ in range(2)]
        trials = [[line for line in run.splitlines() if line.startswith("trial")] for run in runs]
        self.assertEqual(*trials)
        self.assertTrue(trials[0])
        number = int(trials[0][-1].split(":")[0].split()[1])
        again = attack("--plant", "lying-solver", "--trials", 1, "--first", number, "--seed", 9)[1]
        self.assertEqual([line for line in again.splitlines() if line.startswith("trial")],
                         [line for line in trials[0] if line.startswith(f"trial {number}:")])

    def test_what_is_contradicted_is_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            attack("--plant", "lying-solver", "--trials", 40, "--kind", "lcp", "-o", folder)
            findings = [json.loads(line) for line in (pathlib.Path(folder) / "findings.jsonl").read_text().splitlines()]
            self.assertTrue(findings)
            for finding in findings:
                problem = json.loads(pathlib.Path(finding["problem"]).read_text())
                self.assertEqual(problem["format"], "perp-problem")
                self.assertTrue(finding["contradictions"])

    def test_what_is_contradicted_is_made_small(self):
        with tempfile.TemporaryDirectory() as folder:
            attack("--plant", "lying-solver", "--trials", 40, "--kind", "lcp", "--seed", 5, "-o", folder)
            findings = [json.loads(line) for line in (pathlib.Path(folder) / "findings.jsonl").read_text().splitlines()]
            self.assertTrue(findings)
            for finding in findings:  # a lie of the solver needs one unknown
                self.assertEqual(json.loads(pathlib.Path(finding["shrunk"]).read_text())["n"], 1, finding)
            self.assertTrue(any(finding["unknowns"][0] > 3 for finding in findings))

    def test_bad_arguments(self):
        for arguments in (("--kind", "lpc"), ("--plant", "gravity"), ("--minutes", "soon")):
            self.assertNotIn(attack(*arguments)[0], (0, 1))


if __name__ == "__main__":
    unittest.main()
