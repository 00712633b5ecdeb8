"""Problems in matrices on the command line: Matrix Market and CSV, one problem of a sequence, reductions that are written.

scipy.io writes Matrix Market files too (python3-scipy, which .ci/run installs); without it that test is left out.
"""
import gzip
import json
import os
import random
import resource
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import (COLLECTIONS, PERP, PROBLEMS, CliTestCase, dense_rows, make_problem, natural_residual, needs_memory_limits,  # noqa: E402
                      parse_json, with_cases)

try:
    import numpy
    import scipy.io
    import scipy.sparse
except ImportError:
    scipy = None

BANNER = "%%MatrixMarket matrix "
HERE = {"M.csv": "2,1\n1,2\n", "q.csv": "-4\n1\n"}


class MatrixTestCase(CliTestCase):
    def write_all(self, files, folder="mine"):
        for name, text in files.items():
            self.write(f"{folder}/{name}", text)
        return self.folder / folder

    def refuse(self, *command, words):
        """Exit code 2, nothing on stdout, one line with these words."""
        done = self.perp(*command)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, r"^perp: [^\n]*\n$")
        for word in words:
            self.assertIn(word, done.stderr)


class TestWaysIn(MatrixTestCase):
    def test_what_is_written_is_read(self):
        for kind in sorted(set(PROBLEMS) - {"mcp"}):
            with self.subTest(kind):
                posed = make_problem(kind, name="p", start=[0.25] * make_problem(kind)["n"])
                source = self.write("p.json", posed)
                own = self.convert(source)
                self.succeed("convert", source, self.folder / "p.mtx")
                files = sorted(self.folder.glob("p.*.mtx"))
                for file in (self.folder / "p.mtx", *files):
                    self.assertEqual(self.convert(file), own)
                for file in files:
                    file.unlink()

    def test_exported_collections(self):
        for source in sorted(COLLECTIONS.glob("siconos/*lcp/*.json"))[:6]:
            with self.subTest(source.name):
                own = self.convert(source, "own.json")
                self.succeed("convert", source, self.folder / "x.mtx.gz")
                back = self.convert(self.folder / "x.M.mtx.gz")
                self.assertEqual({k: back.get(k) for k in ("kind", "n", "M", "q", "lower", "upper")},
                                 {k: own.get(k) for k in ("kind", "n", "M", "q", "lower", "upper")})
                for file in self.folder.glob("x.*"):
                    file.unlink()

    def test_verbs(self):
        folder = self.write_all(HERE)
        for problem in (folder, f"{folder}/", folder / "M.csv", folder / "q.csv"):
            result = self.solve(problem)
            self.assertEqual((result["problem"], result["z"]), ("mine", [2, 0]))
            answer = self.write("answer.json", result)
            self.succeed("verify", problem, answer)
            self.succeed("analyse", problem, answer)
            self.assertIn("mine: lcp, 2 unknowns", self.succeed("info", problem))
        self.succeed("why", folder / "M.csv", "--shrink", 0)
        self.assertEqual(self.perp("shrink", folder, "-o", self.folder / "small.json").returncode, 1)  # it is solved

    def test_options(self):
        folder = self.write_all({"stiffness.mtx": BANNER + "array real symmetric\n2 2\n2\n1\n2\n", "rhs.csv": "-4;1\n",
                                 "low.csv": "-inf 0\n", "high.csv": "1 inf\n"})
        given = (folder / "stiffness.mtx", "--q", folder / "rhs.csv")
        self.assertEqual(self.solve(*given)["z"], [2, 0])
        bounded = self.solve(*given, "--lower", folder / "low.csv", "--upper", folder / "high.csv")
        self.assertEqual((bounded["kind"], bounded["z"]), ("mlcp", [1, 0]))
        self.succeed("convert", *given, self.folder / "p.json")
        self.succeed("info", *given)
        text = (folder / "stiffness.mtx").read_text()
        self.assertEqual(self.solve("-", "--from", "mtx", "--q", folder / "rhs.csv", stdin=text)["z"], [2, 0])

    def test_bench(self):
        folder = self.write_all(HERE, "many/one")
        self.succeed("convert", self.write("p.json", make_problem("mlcp", name="p")), self.folder / "many" / "two.mtx")
        self.succeed("convert", self.write("p.json", make_problem("box_qp", name="p")), self.folder / "many" / "three.mtx")
        self.succeed("bench", self.folder / "many", "--solvers", "auto", "-o", self.folder / "out")
        records = [parse_json(line) for line in (self.folder / "out/records.jsonl").read_text().splitlines()]
        self.assertEqual({(r["instance"], r["kind"], r["outcome"]) for r in records},
                         {("one", "lcp", "solved"), ("two", "mlcp", "solved"), ("three", "box_qp", "solved")})
        # Another q is another problem, and --resume runs it.
        for q, count in (("-4\n1\n", 1), ("-4\n2\n", 2)):
            self.write("many/one/q.csv", q)
            self.succeed("bench", folder / "M.csv", "--solvers", "lemke", "-o", self.folder / "again", "--resume")
            self.assertEqual((self.folder / "again/records.jsonl").read_text().count("\n"), count)

    @unittest.skipUnless(scipy, "needs python3-scipy")
    def test_scipy_writes_them_alike(self):
        draw = random.Random(1)
        for k in range(30):
            n = draw.randint(1, 6)
            m = numpy.array([[draw.choice([0, 0, draw.uniform(-2, 2), 1e-300]) for _ in range(n)] for _ in range(n)])
            symmetry = draw.choice(["general", "symmetric", "skew-symmetric"])
            m = {"general": m, "symmetric": m + m.T, "skew-symmetric": m - m.T}[symmetry]
            q = numpy.array([[draw.uniform(-2, 2)] for _ in range(n)])
            folder = self.folder / str(k)
            folder.mkdir()
            scipy.io.mmwrite(folder / "M.mtx", scipy.sparse.coo_matrix(m) if draw.random() < 0.5 else m, symmetry=symmetry, precision=17)
            scipy.io.mmwrite(folder / "q.mtx", q, precision=17)
            problem = self.convert(folder)
            self.assertEqual([[float(x) for x in row] for row in dense_rows(problem["M"])], m.tolist())
            self.assertEqual(problem["q"], q[:, 0].tolist())
            self.succeed("convert", folder / "M.mtx", folder / "back.mtx")
            self.assertEqual(scipy.sparse.coo_matrix(scipy.io.mmread(folder / "back.M.mtx")).toarray().tolist(), m.tolist())

    @unittest.skipUnless(scipy, "needs python3-numpy")
    def test_numpy_writes_csv(self):
        m = numpy.array([[2.5, 1e-17, -1], [0, 3, 1 / 3], [7, 0, 1e300]])
        self.folder.joinpath("a").mkdir()
        for options in ({"delimiter": ","}, {"delimiter": ";"}, {}, {"header": "a b c"}):
            numpy.savetxt(self.folder / "a/M.csv", m, fmt="%.17g", **options)
            numpy.savetxt(self.folder / "a/q.csv", m[0], fmt="%.17g", **options)
            problem = self.convert(self.folder / "a")
            self.assertEqual((problem["M"]["dense"], problem["q"]), (m.tolist(), m[0].tolist()))


@with_cases({
    "no_q": ({"M.csv": "1"}, "M.csv", 'field "q"', "q.csv"),
    "no_upper": ({**HERE, "lower.csv": "0\n0\n"}, "M.csv", 'field "upper"', "upper.csv"),
    "no_such_file": ({}, "M.csv", "no such file"),
    "sizes": ({**HERE, "q.csv": "1"}, "M.csv", 'field "M"', "2x2", "1x1"),
    "not_square": ({**HERE, "M.csv": "1,2\n"}, "M.csv", 'field "M"', "1x2"),
    "a_heading": ({**HERE, "M.csv": "x,y\n1,2\n3,4\n"}, "M.csv", "line 1", '"x"', "#"),
    "columns": ({**HERE, "M.csv": "2,1\n1\n"}, "M.csv", "line 2"),
    "decimal_comma": ({**HERE, "M.csv": "2,0;1\n1;2\n"}, "M.csv", "line 1", "2,0", "point"),
    "nan": ({**HERE, "q.csv": "1\nnan\n"}, "q.csv", "line 2", "nan"),
    "infinite": ({**HERE, "q.csv": "1\ninf\n"}, "q.csv", "line 2", "inf"),
    "bounds_cross": ({**HERE, "lower.csv": "0,1", "upper.csv": "0,0"}, "lower.csv", 'field "lower[1]"'),
    "binary": ({**HERE, "M.csv": b"\x00\xff\x1b[2J,1\n"}, "M.csv", "line 1"),
    "utf_16": ({**HERE, "M.csv": "2,1\n1,2\n".encode("utf-16")}, "M.csv", "line 1"),
    "kinds_mixed": ({**HERE, "H.csv": "1"}, "M.csv", "{H,M,q}"),
    "twice": ({**HERE, "q.csv.gz": "1"}, "q.csv", "twice"),
    "a_folder_of_both": ({**HERE, "M.mtx": ""}, "", "M.mtx", "M.csv"),
    "a_folder_of_nothing": ({"x.txt": ""}, "", "directory", "M.mtx"),
    "another_name": ({"A.csv": "1", "x.csv": "1"}, "x.csv", "alone", "--q"),
    "pattern": ({"M.mtx": BANNER + "coordinate pattern general\n1 1 1\n1 1\n", "q.mtx": ""}, "M.mtx", "line 1", "pattern"),
    "complex": ({"M.mtx": BANNER + "array complex general\n1 1\n1 0\n", "q.mtx": ""}, "M.mtx", "line 1", "complex"),
    "from_zero": ({"M.mtx": BANNER + "coordinate real general\n1 1 1\n0 0 1\n", "q.mtx": ""}, "M.mtx", "line 3", "from 1"),
    "cut_off": ({"M.mtx": BANNER + "array real general\n2 2\n1\n2\n3\n", "q.mtx": ""}, "M.mtx", "3 of the 4"),
    "rows_huge": ({"M.mtx": BANNER + "coordinate real general\n1000000000 1000000000 1\n1 1 1\n",
                   "q.mtx": BANNER + "coordinate real general\n1000000000 1 0\n"}, "M.mtx", "line 2", "1000000000"),
    "rows_many": ({"M.mtx": BANNER + "coordinate real general\n4000000 4000000 1\n1 1 1\n",
                   "q.mtx": BANNER + "array real general\n1 1\n1\n"}, "M.mtx", "4000000x4000000", "1x1"),
    "array_huge": ({"M.mtx": BANNER + "array real general\n40000 40000\n1\n", "q.mtx": ""}, "M.mtx", "1 of the 1600000000"),
    "entries_huge": ({"M.mtx": BANNER + "coordinate real general\n2 2 2000000000\n1 1 1\n", "q.mtx": ""}, "M.mtx", "1 of the 2000000000"),
    "symmetric_huge": ({"M.mtx": BANNER + "array real symmetric\n2000000 2000000\n1\n", "q.mtx": ""}, "M.mtx", "1 of the"),
    "gzip_bomb": ({"M.mtx.gz": gzip.compress(b" " * 10**6) * 200, "q.mtx": ""}, "M.mtx.gz", "unpack"),
})
class TestRefusals(MatrixTestCase):
    LIMIT = 1 << 30

    def check(self, files, named, *words):
        folder = self.write_all(files)
        folder.mkdir(exist_ok=True)
        before = sorted(self.folder.rglob("*"))
        for verb in (["info"], ["solve"], ["convert"]):
            command = [*verb, folder / named, *([self.folder / "out.json"] if verb == ["convert"] else [])]
            self.refuse(*command, words=words if named == "" else [str(folder), *words])
        self.assertEqual(sorted(self.folder.rglob("*")), before)
        self.within_memory(str(folder / named))

    @needs_memory_limits
    def within_memory(self, path):
        done = subprocess.run([PERP, "info", path], capture_output=True, text=True, timeout=60, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (self.LIMIT, self.LIMIT)))
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("memory", done.stderr)


class TestOptionRefusals(MatrixTestCase):
    def test_options_need_a_matrix(self):
        folder = self.write_all(HERE)
        problem = self.write("p.json", make_problem("lcp"))
        self.refuse("solve", problem, "--q", folder / "q.csv", words=["p.json", "--q", "perp"])
        self.refuse("solve", folder / "M.csv", "--lower", folder / "q.csv", "--upper", folder / "q.csv", words=["--q", "--lower"])
        self.refuse("solve", folder / "M.csv", "--q", folder / "none.csv", words=["none.csv", "no such file"])
        self.refuse("solve", folder / "M.csv", "--q", folder, words=["directory"])
        self.refuse("solve", folder / "M.csv", "--q", "/dev/zero", words=["device"])
        self.refuse("solve", "-", "--from", "csv", words=["standard input", "--q"])

    def test_outputs_do_not_replace_inputs(self):
        folder = self.write_all(HERE)
        self.refuse("solve", folder / "M.csv", "--q", folder / "q.csv", "--trace", folder / "q.csv", words=["--trace"])
        self.assertEqual((folder / "q.csv").read_text(), HERE["q.csv"])


class TestOneOfASequence(MatrixTestCase):
    def setUp(self):
        super().setUp()
        header = {"format": "perp-sequence", "version": 1, "name": "s",
                  "shared": {"format": "perp-problem", "version": 1, "kind": "lcp", "n": 2, "M": PROBLEMS["lcp"]["M"]}}
        lines = [{"name": "first", "q": [-4, 1]}, {"name": "", "q": [-3, -3]}, {"name": "third", "q": [1, 1]}]
        self.file = self.write("steps.jsonl", "".join(json.dumps(line) + "\n" for line in (header, *lines)))

    def test_verbs(self):
        self.assertEqual(self.solve(f"{self.file}:1")["z"], [2, 0])
        second = self.solve(f"{self.file}:2")
        self.assertEqual((second["problem"], second["z"]), ("steps-2", [1, 1]))
        self.succeed("verify", f"{self.file}:2", self.write("r.json", second))
        self.assertEqual(self.convert(f"{self.file}:3")["name"], "third")

    def test_bench_calls_it_as_in_the_whole_sequence(self):
        names = {}
        for what in (self.file, f"{self.file}:2"):
            out = self.folder / f"out{len(names)}"
            self.succeed("bench", what, "--solvers", "lemke", "-o", out)
            names[what] = [parse_json(line)["instance"] for line in (out / "records.jsonl").read_text().splitlines()]
        self.assertEqual(names[f"{self.file}:2"], [names[self.file][1]])

    def test_refusals(self):
        for behind in ("0", "-1", "", "x", "1:2", "4"):
            self.refuse("solve", f"{self.file}:{behind}", words=["steps.jsonl"])
        self.refuse("solve", f"{self.file}:4", words=["3 problems", "position 4"])
        self.refuse("solve", self.file, words=["sequence", "steps.jsonl:1"])
        self.refuse("solve", self.folder / "none.jsonl:1", words=["none.jsonl", "no such file"])
        self.file.write_text(self.file.read_text().replace("[-3, -3]", "[-3]"))
        self.refuse("solve", f"{self.file}:2", words=["line 3", '"q"'])

    def test_a_sequence_of_another_name(self):
        other = self.folder / "steps.json"
        other.write_text(self.file.read_text())
        self.refuse("solve", other, words=["steps.json: is a sequence of problems", "in a file with a name in .jsonl, perp bench solves all"])


class TestReductions(MatrixTestCase):
    def reduce(self, problem, name):
        out = self.folder / "reduced.json"
        self.succeed("convert", self.write("p.json", problem), out, "--as", name)
        reduced = parse_json(out.read_text())
        self.assert_valid(reduced, "problem")
        self.assertEqual((reduced["source"]["of"]["kind"], reduced["source"]["of"]["file"]), (problem["kind"], "p.json"))
        return out, reduced

    def test_exact_ones_have_the_answers(self):
        cases = [(make_problem("lcp"), "mlcp"), (make_problem("lcp"), "box_qp"), (make_problem("box_qp"), "mlcp"),
                 (make_problem("mlcp", lower=[0, 0], upper=["inf", "inf"]), "lcp"),
                 *((make_problem(kind), "mcp") for kind in ("lcp", "mlcp", "box_qp", "conic_qp")),
                 (make_problem("mlcp", M={"shape": [2, 2], "dense": [[2, 1], [1, 2]]}), "box_qp"),
                 (make_problem("box_qp", lower=[0, 0], upper=["inf", "inf"]), "lcp"), (make_problem("conic_qp"), "mlcp")]
        for problem, name in cases:
            with self.subTest((problem["kind"], name)):
                out, reduced = self.reduce(problem, name)
                self.assertEqual((reduced["kind"], reduced["source"]["label"]), (name, "exact"))
                z = self.solve(out)["z"][:2]
                if problem["kind"] != "conic_qp":
                    self.assertLess(natural_residual(problem, z), 1e-8)
                else:
                    self.assertAlmostEqual(sum(z), 2, delta=1e-8)
        for kind, name in (("friction_contact", "mcp"), ("friction_contact", "fritz-john"), ("convex_contact", "conic_qp")):
            out, reduced = self.reduce(make_problem(kind), name)
            self.assertEqual(reduced["source"]["label"], "exact")
            self.solve(out, "--tolerance", 1e-8 * reduced["source"]["tolerance_factor"])
        _, _, *slip = self.solve(self.reduce(make_problem("friction_contact"), "mcp")[0], "--tolerance", 1e-13)["z"]
        self.assertAlmostEqual(slip[-1], 1.5, delta=1e-5)  # lambda = mu r_n |u_t| / |r_t|, r = (1, -0.5, 0), u_t = 1.5

    def test_unknowns_of_an_mlcp_are_counted_from_their_bounds(self):
        problem = make_problem("mlcp", M={"shape": [2, 2], "dense": [[2, 1], [1, 2]]}, q=[-3, 8], lower=["-inf", 1], upper=["inf", 4])
        out, reduced = self.reduce(problem, "lcp")  # z_0 = y_0 - y_2, z_1 = 1 + y_1 with the multiplier y_3
        self.assertEqual(reduced["q"], [-2, 10, 2, 3])
        self.assertNotIn("variables", reduced)
        y = self.solve(out)["z"]
        z = [y[0] - y[2], 1 + y[1]]
        self.assertLess(natural_residual(problem, z), 1e-8)

    def test_approximate_ones_by_name(self):
        problem = make_problem("friction_contact")
        for name, kind in (("pyramid", "lcp"), ("pyramid:4", "lcp"), ("convex", "conic_qp")):
            out, reduced = self.reduce(problem, name)
            self.assertEqual((reduced["kind"], reduced["source"]["label"]), (kind, "approximate"))
            self.solve(out)
        path = self.write("p.json", problem)
        for kind in ("lcp", "conic_qp"):
            self.refuse("convert", path, self.folder / "no.json", "--as", kind, words=["p.json", "approximate", "by name"])
        self.assertFalse((self.folder / "no.json").exists())

    def test_other_formats_tell_it_too(self):
        path = self.write("p.json", make_problem("friction_contact"))
        self.succeed("convert", path, self.folder / "r.mtx", "--as", "pyramid:4")
        self.assertIn("friction_contact as pyramid:4, approximate", (self.folder / "r.M.mtx").read_text().splitlines()[1])
        self.succeed("convert", path, self.folder / "r.nl", "--as", "mcp")
        self.assertIn("friction_contact as mcp", (self.folder / "r.nl").read_text().splitlines()[0])
        self.succeed("info", self.folder / "r.mtx")
        self.succeed("info", self.folder / "r.nl")

    def test_there_is_none(self):
        for kind, name, words in (("lcp", "conic_qp", ["there are: mlcp, mcp, box_qp"]), ("lcp", "lcp", ["there are"]), ("mcp", "lcp", ["none"]),
                                  ("mlcp", "conic_qp", ["there are: lcp"]), ("box_qp", "pyramid", ["there are: mlcp"]),
                                  ("friction_contact", "box_qp", ["mcp", "pyramid:EDGES", "convex"]),
                                  ("friction_contact", "pyramid:3", ["edges: 3"]), ("lcp", "\x1b[2J", ["x1b"])):
            self.refuse("convert", self.write("p.json", make_problem(kind)), self.folder / "no.json", "--as", name, words=["p.json", *words])
        uneven = make_problem("lcp", M={"shape": [2, 2], "dense": [[2, 1], [0, 2]]})
        self.refuse("convert", self.write("p.json", uneven), self.folder / "no.json", "--as", "box_qp", words=["M: not symmetric"])
        self.assertFalse((self.folder / "no.json").exists())


if __name__ == "__main__":
    unittest.main()
