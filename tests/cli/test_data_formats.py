"""FCLIB, QPS and Matrix Market on the command line: what is read, written and refused."""
import gzip
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import CliTestCase, dense_rows, make_problem, parse_json, with_cases  # noqa: E402

QPS = """NAME          SMALL
ROWS
 N  cost
 G  row
COLUMNS
    x         cost      1.0            row       10.0
    y         row       -1.0
RHS
    RHS       cost      100.0          row       10.0
BOUNDS
 LO BND       x         2.0
 UP BND       x         50.0
 LO BND       y         -50.0
QUADOBJ
    x         x         0.02
    y         y         2.0
ENDATA
"""


def load(path):
    return parse_json(path.read_text())


class TestQps(CliTestCase):
    def test_every_verb_takes_it(self):
        path = self.write("small.qps", QPS)
        result = parse_json(self.succeed("solve", path, "--tolerance", "1e-10", "--json"))
        self.assertEqual((result["status"], result["kind"]), ("solved", "conic_qp"))
        self.assertAlmostEqual(result["z"][0], 2.0)
        self.assertAlmostEqual(result["z"][1], 0.0)
        self.assertIn("conic_qp", self.succeed("info", path))
        out = self.folder / "small.json"
        for name in ("small.SIF", "small.mps", "small.qps.gz"):
            copy = self.folder / name
            copy.write_bytes(gzip.compress(QPS.encode()) if name.endswith(".gz") else QPS.encode())
            self.succeed("convert", copy, out)
            problem = load(out)
            self.assert_valid(problem, "problem")
            self.assertEqual((problem["name"], problem["variables"]), ("SMALL", ["x", "y"]))
            self.assertEqual(problem["source"]["constant"], -100)

    def test_without_rows_it_is_a_box_qp(self):
        text = "NAME B\nROWS\n N c\nCOLUMNS\n x c -4\nBOUNDS\n UP B x 1\nQUADOBJ\n x x 2\nENDATA\n"
        result = parse_json(self.succeed("solve", self.write("b.qps", text), "--json"))
        self.assertEqual((result["kind"], result["z"]), ("box_qp", [1]))

    def test_it_is_not_written(self):
        done = self.perp("convert", self.write("small.qps", QPS), self.folder / "out.qps")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["small.qps"])


@with_cases({
    "sif": (QPS.replace("ROWS", "GROUPS"), "GROUPS"),
    "number": (QPS.replace("0.02", "o.o2"), "o.o2"),
    "unknown_column": (QPS.replace("UP BND       x", "UP BND       w"), '"w"'),
    "cut": (QPS.replace("ENDATA\n", ""), "ENDATA"),
    "empty": ("", "ENDATA"),
    "binary": ("\x00\x01\x02", r"section \x00\x01\x02"),
})
class TestBadQps(CliTestCase):
    def check(self, text, words):
        out = self.folder / "out.json"
        done = self.perp("convert", self.write("bad.qps", text), out)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("bad.qps: line", done.stderr)
        self.assertIn(words, done.stderr)
        self.assertFalse(out.exists())


class TestFclib(CliTestCase):
    def test_there_and_back(self):
        problem = make_problem("friction_contact", start=[1, 0, 0.25])
        path, there, back = self.write("p.json", problem), self.folder / "p.hdf5", self.folder / "back.json"
        self.succeed("convert", path, there)
        self.assertEqual(there.read_bytes()[1:4], b"HDF")
        self.succeed("convert", there, back)
        found = load(back)
        self.assert_valid(found, "problem")
        self.assertEqual(dense_rows(found["W"]), dense_rows(problem["W"]))
        for name in ("dimension", "q", "mu", "start"):
            self.assertEqual(found[name], problem[name])
        packed = self.folder / "p.hdf5.gz"
        self.succeed("convert", there, packed)
        self.assertIn("friction_contact", self.succeed("info", packed))

    def test_bad_files(self):
        out = self.folder / "out.json"
        for text in ("", "no HDF5", "\x89HDF\r\n\x1a\n"):
            done = self.perp("convert", self.write("bad.hdf5", text), out)
            self.assertEqual((done.returncode, done.stdout, out.exists()), (2, "", False))
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn("bad.hdf5: ", done.stderr)

    def test_other_kinds_are_not_written(self):
        done = self.perp("convert", self.write("qp.json", make_problem("box_qp")), self.folder / "qp.hdf5")
        self.assertEqual(done.returncode, 2)
        self.assertIn("friction_contact", done.stderr)
        self.assertFalse((self.folder / "qp.hdf5").exists())


class TestMatrixMarket(CliTestCase):
    def test_a_file_for_each_field(self):
        out = self.folder / "out"
        written = self.succeed("export", "box-qp", "--size", "3", "--format", "mtx", "-o", out).split()
        fields = ["H", "c", "lower", "upper", "solution"]
        self.assertEqual(written, [str(out / f"box-qp-3-1.{field}.mtx") for field in fields])
        for path in written:
            with open(path) as file:
                self.assertTrue(file.readline().startswith("%%MatrixMarket matrix array real general"))

    def test_convert(self):
        self.succeed("convert", self.write("p.json", make_problem("mlcp")), self.folder / "p.mtx")
        lines = (self.folder / "p.M.mtx").read_text().splitlines()
        self.assertEqual(lines[2:], ["2 2 3", "1 1 2", "2 1 1", "1 2 -1"])
        self.assertEqual((self.folder / "p.lower.mtx").read_text().splitlines()[2:], ["2 1", "-inf", "-0.5"])

    def test_what_has_no_matrices(self):
        done = self.perp("convert", self.write("p.json", make_problem("mcp")), self.folder / "p.mtx")
        self.assertEqual(done.returncode, 2)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["p.json"])


if __name__ == "__main__":
    unittest.main()
