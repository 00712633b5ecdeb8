"""The door to the user's own PATH (docs/reference/peers.md), against a stub with PATH's published interface."""
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from perp_cli import CliTestCase, ROOT, lcp, make_problem, parse_json  # noqa: E402


def matrix(rows):
    return {"shape": [len(rows), len(rows[0])], "dense": rows}


class TestPath(CliTestCase):
    def setUp(self):
        super().setUp()
        self.library = self.folder / "libpath_stub.so"
        subprocess.run(["cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{ROOT / 'bench/peers'}",
                        ROOT / "tests/peers/path_stub.c", "-o", self.library, "-lm"], check=True)

    def run_path(self, problem, *arguments, code=0, **variables):
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("PATH_", "PERP_PATH"))}
        environment |= {"PERP_PATH_LIBRARY": str(self.library)} | variables
        done = self.perp("solve", self.write("problem.json", problem), "--solver", "path", "--json", *arguments,
                         env={key: value for key, value in environment.items() if value})
        self.assertEqual(done.returncode, code, done.stderr)
        return parse_json(done.stdout) if done.stdout else done.stderr

    def expect(self, problem, z, **variables):
        result = self.run_path(problem, "--tolerance", "1e-10", **variables)
        self.assertEqual(result["status"], "solved")
        for found, wanted in zip(result["z"], z, strict=True):
            self.assertAlmostEqual(found, wanted, places=9)
        self.assertIn("stub of PATH, end 1", result["message"])
        self.assertGreater(result["iterations"], 0)

    def test_an_lcp(self):
        self.expect(make_problem("lcp", M=matrix([[4, 1], [1, 3]]), q=[-6, 5]), [1.5, 0])

    def by_another_solver(self, problem, solver):
        done = self.perp("solve", self.write("known.json", problem), "--solver", solver, "--tolerance", "1e-12", "--json")
        return parse_json(done.stdout)["z"]

    def test_an_mlcp_with_all_bounds(self):
        rows = [[4, 1, 0, 0], [0, 4, 1, 0], [1, 0, 5, 1], [0, 1, 0, 3]]
        problem = make_problem("mlcp", n=4, M=matrix(rows), q=[-4, 8, -40, 6], lower=["-inf", "-inf", 0, -1],
                               upper=["inf", "inf", 2, -0.5])
        self.expect(problem, self.by_another_solver(problem, "lemke"))

    def test_a_sparse_lcp(self):
        sparse = {"shape": [3, 3], "row": [0, 1, 2, 0], "col": [0, 1, 2, 2], "value": [2, 2, 2, -1]}
        self.expect(make_problem("lcp", n=3, M=sparse, q=[-1, 1, -4]), [1.5, 0, 2])

    def test_a_nonlinear_problem(self):
        problem = make_problem("mcp", start=[1, 1])
        self.expect(problem, self.by_another_solver(problem, "newton-fb"))

    def test_a_box_qp_comes_as_mlcp(self):
        problem = make_problem("box_qp", H=matrix([[2, 0], [0, 4]]), c=[-2, -40], lower=[0, 0], upper=["inf", 3])
        self.expect(problem, [1, 3])

    def test_the_start_is_given(self):
        problem = make_problem("lcp", M=matrix([[4, 1], [1, 3]]), q=[-6, 5], start=[1.5, 0])
        self.assertEqual(self.run_path(problem)["iterations"], 1)
        self.assertGreater(self.run_path(problem, "--start", "zero")["iterations"], 1)

    def test_limits(self):
        problem = make_problem("lcp", M=matrix([[4, 3.9], [3.9, 4]]), q=[-5, -5])
        result = self.run_path(problem, "--max-iterations", "3", code=1)
        self.assertEqual((result["status"], result["iterations"]), ("iteration_limit", 3))

    def test_a_lie_is_found(self):
        result = self.run_path(make_problem("lcp", M=matrix([[4, 1], [1, 3]]), q=[-6, 5]), code=1, PATH_STUB="lie")
        self.assertEqual((result["claimed"], result["status"]), ("solved", "wrong"))

    def test_a_crash_is_told(self):
        result = self.run_path(make_problem("lcp", M=matrix([[4, 1], [1, 3]]), q=[-6, 5]), code=1, PATH_STUB="crash")
        self.assertEqual(result["statistics"]["signal"], 11)

    def test_the_licence(self):
        rows = [[4.0 if i == j else 0.0 for j in range(301)] for i in range(301)]
        large = make_problem("lcp", n=301, M=matrix(rows), q=[-4.0] * 301)
        result = self.run_path(large, code=1)
        self.assertEqual(result["status"], "unsupported")
        self.assertIn("PATH_LICENSE_STRING", result["message"])
        self.assertEqual(self.run_path(large, PATH_LICENSE_STRING="my licence")["status"], "solved")
        small = self.run_path(make_problem("lcp", M=matrix([[4, 1], [1, 3]]), q=[-6, 5]), code=1, PATH_STUB="licence")
        self.assertEqual(small["status"], "unsupported")

    def test_without_a_library(self):
        error = self.run_path(lcp(), code=2, PERP_PATH_LIBRARY="")
        self.assertEqual(len(error.splitlines()), 1)
        self.assertIn("PERP_PATH_LIBRARY", error)

    def test_something_else_than_path(self):
        for library, words in ((self.folder / "none.so", "cannot open shared object file"), ("libm.so.6", "no function Path_Version")):
            result = self.run_path(lcp(), code=1, PERP_PATH_LIBRARY=str(library))
            self.assertEqual(result["status"], "unsupported")
            self.assertIn(words, result["message"])

    def test_listed_if_there_is_a_library(self):
        for library, there in ((str(self.library), True), ("", False)):
            done = self.perp("list", "solvers", "--json", env=os.environ | {"PERP_PATH_LIBRARY": library})
            self.assertEqual("path" in [peer["name"] for peer in parse_json(done.stdout)["peers"]], there)


if __name__ == "__main__":
    unittest.main()
