"""A study as an array job of Slurm and by GNU parallel."""
import collections
import json
import os
import shutil
import stat
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import CliTestCase  # noqa: E402

STUDY = {"format": "perp-study", "version": 1, "name": "tiny", "title": "A tiny study", "description": "For tests",
         "runs": [{"name": "pivots", "suites": ["literature"], "entries": "quick", "solvers": ["lemke"], "tolerance": 1e-8, "time_limit": 2,
                   "repeat": 1}]}

# Does what sbatch would have nodes do: the tasks of an array, one after the other, then what depends on them.
SBATCH = '''#!/usr/bin/python3
import json, os, subprocess, sys
here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "calls"), "a") as calls:
    calls.write(json.dumps(sys.argv[1:]) + "\\n")
options = [a for a in sys.argv[1:] if a.startswith("--")]
out = next(a.split("=", 1)[1] for a in options if a.startswith("--output="))
if "--wrap" in sys.argv:
    subprocess.run(["sh", "-c", sys.argv[sys.argv.index("--wrap") + 1]], stdout=open(out, "w"), stderr=subprocess.STDOUT, cwd="/")
    print("43")
else:
    script = sys.argv[-1]
    array = next(line for line in open(script) if line.startswith("#SBATCH --array="))
    for task in range(1, int(array.split("-")[-1]) + 1):
        environment = dict(os.environ, SLURM_ARRAY_TASK_ID=str(task))
        subprocess.run(["sh", script], env=environment, stdout=open(out.replace("%a", str(task)), "w"), stderr=subprocess.STDOUT, cwd="/")
    print("42;cluster")
'''


class TestBatch(CliTestCase):
    def setUp(self):
        super().setUp()
        self.study = self.write("a study's file.json", STUDY)
        self.out = self.folder / "out of it"
        self.bin = self.folder / "bin"
        self.bin.mkdir()

    def run_study(self, *arguments):
        return self.perp("study", self.study, *arguments, "-o", self.out, env=os.environ | {"PATH": f"{self.bin}:{os.environ['PATH']}"})

    def program(self, name, text):
        path = self.bin / name
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def expect_whole(self, tasks):
        """Every record once, dealt out to all tasks, and the report."""
        files = sorted(self.out.glob("records-*.jsonl"))
        self.assertEqual([path.name for path in files], [f"records-{i}-of-{tasks}.jsonl" for i in range(1, tasks + 1)])
        keys = collections.Counter(json.loads(line)["key"] for path in files for line in path.read_text().splitlines())
        wanted = json.loads((self.out / "runs/pivots.json").read_text())["keys"]
        self.assertEqual(keys, collections.Counter(wanted))
        self.assertGreater(len(wanted), 4 * tasks)
        self.assertTrue((self.out / "report.html").exists())

    def test_slurm(self):
        self.program("sbatch", SBATCH)
        done = self.run_study("--slurm", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, "^job 42: 3 tasks of tiny; job 43 writes the report")
        self.expect_whole(3)
        calls = [json.loads(line) for line in (self.bin / "calls").read_text().splitlines()]
        self.assertIn("--dependency=afterany:42", calls[1])
        again = self.run_study("--slurm", "3")
        self.assertEqual(again.returncode, 2)
        self.assertIn("--resume goes on with it", again.stderr)
        self.assertEqual(self.run_study("--slurm", "3", "--resume").returncode, 0)
        self.expect_whole(3)

    def test_slurm_that_refuses(self):
        self.program("sbatch", "#!/bin/sh\necho 'no such partition' >&2\nexit 1\n")
        done = self.run_study("--slurm", "2")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no such partition", done.stderr)
        self.assertIn("perp: sbatch: failed with code 1", done.stderr)

    def test_programs_that_are_missing(self):
        for option, name in (("--slurm", "sbatch"), ("--parallel", "parallel")):
            if shutil.which(name):
                continue
            done = self.run_study(option, "2")
            self.assertEqual((done.returncode, done.stderr.splitlines()[-1]),
                             (2, f"perp: {name}: is not installed, or not on the PATH"))
            self.assertFalse(self.out.exists())

    def test_gnu_parallel(self):
        if not shutil.which("parallel"):  # its part that matters here: a command for each word behind :::, with {} replaced
            self.program("parallel", '''#!/usr/bin/python3
import subprocess, sys
words = sys.argv[1:]
at = words.index(":::")
tasks = [subprocess.Popen(["sh", "-c", words[at - 1].replace("{}", number)]) for number in words[at + 1:]]
sys.exit(sum(task.wait() != 0 for task in tasks))
''')
        done = self.run_study("--parallel", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.expect_whole(2)
        self.assertIn("report of tiny", done.stdout)

    def test_the_folder_is_of_this_study(self):
        self.program("sbatch", "#!/bin/sh\necho 42\n")
        self.out.mkdir()
        (self.out / "thesis.tex").write_text("years of work")
        done = self.run_study("--slurm", "2")
        self.assertEqual(done.returncode, 2)
        self.assertIn("is not empty, but holds no study", done.stderr)
        (self.out / "thesis.tex").unlink()
        self.assertEqual(self.run_study("--slurm", "2").returncode, 0)
        (self.out / "records-9-of-9.jsonl").write_text("")
        self.assertEqual(self.run_study("--slurm", "2", "--overwrite").returncode, 0)
        self.assertFalse((self.out / "records-9-of-9.jsonl").exists())
        self.assertNotIn("--overwrite", (self.out / "slurm.sh").read_text())

    def test_what_does_not_go_together(self):
        for arguments in (("--slurm", "2", "--parallel", "2"), ("--slurm", "2", "--shard", "1/2"), ("--parallel", "2", "--report")):
            done = self.run_study(*arguments)
            self.assertEqual((done.returncode, self.out.exists()), (2, False))
            self.assertIn("--slurm, --parallel", done.stderr)


if __name__ == "__main__":
    unittest.main()
