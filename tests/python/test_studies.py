"""Benchmarks and studies as data frames."""
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import pandas

import perp

STUDY = {"format": "perp-study", "version": 1, "name": "small", "title": "t", "description": "d",
         "runs": [{"name": "a", "suites": ["literature"], "entries": "quick", "solvers": ["lemke", "newton-fb"],
                   "tolerance": 1e-8, "time_limit": 5, "repeat": 1}],
         "tables": [{"name": "all", "title": "All", "records": ["a"], "by": ["solver"],
                     "columns": [{"head": "solved", "cell": "{solved}/{all}"}]}]}


class Studies(unittest.TestCase):
    def test_a_study_and_its_frames(self):
        with tempfile.TemporaryDirectory() as scratch:
            file = pathlib.Path(scratch) / "study.json"
            file.write_text(json.dumps(STUDY))
            folder = perp.run_study(file, f"{scratch}/out")
            frame = perp.read_records(folder)
            self.assertIsInstance(frame, pandas.DataFrame)
            self.assertEqual(set(frame.solver), {"lemke", "newton-fb"})
            solved = (frame.outcome == "solved").groupby(frame.solver).sum()
            table = perp.read_tables(folder)["all"]
            told = dict(zip(table.iloc[:, 0].str.strip("`"), table["solved"]))
            self.assertEqual({name: int(text.split("/")[0]) for name, text in told.items()}, dict(solved))
            again = perp.run_study(file, f"{scratch}/out", resume=True)
            self.assertEqual(len(perp.read_records(again)), len(frame))
            page = perp.report(folder, f"{scratch}/page.html", title="mine")
            self.assertIn("<html", pathlib.Path(page).read_text())
            with self.assertRaises(ValueError):
                perp.run_study(file, f"{scratch}/out")
            with self.assertRaises(perp.InputError):
                perp.read_claims(scratch)
        with self.assertRaises(ValueError):
            perp.run_study("no-such-study", "/nowhere")

    def test_records_of_the_command_line_are_read(self):
        with tempfile.TemporaryDirectory() as scratch:
            ran = subprocess.run([os.environ["PERP"], "bench", "qp", "--quick", "--solvers", "newton-min", "--repeat", "1",
                                  "-o", scratch], capture_output=True, text=True)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            frame = perp.read_records(scratch)
            mine = perp.bench("qp", "newton-min", quick=True, repeats=1)
            self.assertEqual(list(mine.instance), list(frame.instance))
            self.assertEqual(list(mine.outcome), list(frame.outcome))
            self.assertEqual(list(mine.measure), list(frame.measure))
            self.assertEqual(list(mine.key), list(frame.key))  # the same program, the same settings
            lines = [json.loads(line) for line in (pathlib.Path(scratch) / "records.jsonl").read_text().splitlines()]
            self.assertEqual(list(frame.measure), [line["x-measure"] for line in lines])  # by what it was judged
            for bad in (b"{\n", b"[1]\n", b'{"key": [1]}\n', b"\xff\n"):
                (pathlib.Path(scratch) / "bad.jsonl").write_bytes(bad)
                with self.assertRaisesRegex(perp.InputError, "bad.jsonl: line 1"):
                    perp.read_records(scratch)
            (pathlib.Path(scratch) / "bad.jsonl").unlink()
            for bad in (gzip.compress(b"{}\n" * 1000)[:30], b"no gz"):
                (pathlib.Path(scratch) / "bad.jsonl.gz").write_bytes(bad)
                with self.assertRaisesRegex(perp.InputError, "bad.jsonl.gz"):
                    perp.read_records(scratch)

    def test_without_pandas_there_are_dicts(self):
        code = ("import sys\nsys.modules['pandas'] = None\nimport perp\n"
                "rows = perp.bench(perp.lcp([[1.0]], [-1.0]), 'lemke', repeats=1)\n"
                "print(type(rows).__name__, rows[0]['outcome'])\n")
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual((ran.stdout, ran.stderr), ("list solved\n", ""))


if __name__ == "__main__":
    unittest.main()
