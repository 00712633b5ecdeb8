"""No verb writes over a file that it reads, whatever name it has there."""
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from perp_cli import CliTestCase, make_problem  # noqa: E402


class TestOwnInputs(CliTestCase):
    def setUp(self):
        super().setUp()
        self.problem = self.write("p.json", make_problem("lcp"))
        head = {"format": "perp-sequence", "version": 1, "name": "steps"}
        lines = [head, make_problem("lcp"), make_problem("lcp")]
        self.steps = self.folder / "steps.jsonl"
        self.steps.write_text("".join(json.dumps(line) + "\n" for line in lines))
        (self.folder / "mine").mkdir()
        self.succeed("convert", self.problem, self.folder / "m.mtx")
        for field in ("M", "q"):
            (self.folder / "mine" / f"{field}.mtx").write_text((self.folder / f"m.{field}.mtx").read_text())
        (self.folder / "link.json").symlink_to(self.problem)

    def test_an_output_that_is_an_input_is_refused(self):
        here = self.folder
        self.succeed("info", f"{self.steps}:2")  # the inputs are good
        self.succeed("info", here / "mine")
        before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
        for arguments in (("convert", f"{self.steps}:1", self.steps, "--to", "perp"),
                          ("convert", here / "m.mtx", here / "m.mtx"),
                          ("convert", here / "m.M.mtx", here / "m.mtx"),
                          ("convert", here / "m.mtx", here / "m.mtx.gz"),  # it would remove m.M.mtx
                          ("convert", "--q", here / "m.q.mtx", here / "mine" / "M.mtx", here / "m.mtx"),
                          ("convert", here / "mine", here / "mine" / "M.mtx", "--to", "perp"),
                          ("solve", f"{self.steps}:2", "--trace", self.steps),
                          ("solve", here / "mine", "--trace", here / "mine" / "q.mtx"),
                          ("solve", here / "m.mtx", "--trace", here / "m.q.mtx"),
                          ("solve", self.problem, "--trace", self.problem),
                          ("shrink", self.problem, "-o", here / "link.json"),
                          ("shrink", here / "m.mtx", "-o", here / "m.mtx")):
            done = self.perp(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn("would write over what is read from it", done.stderr, arguments)
            self.assertEqual({path: path.read_bytes() for path in here.rglob("*") if path.is_file()}, before, arguments)

    def test_a_file_of_one_problem_is_converted_in_place(self):
        self.succeed("convert", "--as", "mlcp", self.problem, self.folder / "link.json")
        self.assertEqual(json.loads(self.problem.read_text())["kind"], "mlcp")

    def test_another_file_beside_an_input_is_written(self):
        self.succeed("convert", self.folder / "m.mtx", self.folder / "other.mtx")
        self.succeed("convert", f"{self.steps}:1", self.folder / "first.json")
        self.succeed("solve", self.folder / "mine", "--trace", self.folder / "mine" / "trace.jsonl")
        self.assertTrue((self.folder / "other.q.mtx").exists())


if __name__ == "__main__":
    unittest.main()
