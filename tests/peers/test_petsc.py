"""PETSc over MPI on two processes (docs/reference/peers.md): sparse problems of every kind that it takes, the same answers as by perp's solvers."""
import json
import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from perp_cli import CliTestCase, make_problem, parse_json  # noqa: E402

# One core may have to do for both processes, and root for the user.
MPIRUN = "mpirun -n 2 --oversubscribe --allow-run-as-root"
NONLINEAR = ("petsc-mpi-rsls-gmres", "petsc-mpi-ssls-gmres", "petsc-mpi-ssils-gmres")
LINEAR = (*NONLINEAR, "petsc-mpi-rsls-amg", "petsc-mpi-gpcg")


class TestPetscOverMpi(CliTestCase):
    def run_petsc(self, problem, solver, *arguments, code=0, **variables):
        path = self.write("problem.json", problem) if isinstance(problem, dict) else problem
        environment = os.environ | {"PERP_MPIRUN": MPIRUN} | variables
        done = self.perp("solve", path, "--solver", solver, "--json", *arguments, env=environment)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout[-2000:])
        return parse_json(done.stdout)

    def expect(self, problem, solver, z, places=7):
        result = self.run_petsc(problem, solver, "--tolerance", "1e-9")
        self.assertEqual((result["status"], result["solver"]), ("solved", solver))
        for found, wanted in zip(result["z"], z, strict=True):
            self.assertAlmostEqual(found, wanted, places=places)

    def exported(self, *arguments):
        self.succeed("export", *arguments, "-o", self.folder / "instances")
        return next((self.folder / "instances").glob("*.json"))

    def test_obstacle(self):
        """900 unknowns whose rows two processes share: the answer of multigrid."""
        path = self.exported("obstacle", "--size", "30")
        wanted = self.solve(path, "--solver", "multigrid", "--tolerance", "1e-12")["z"]
        for solver in LINEAR:
            with self.subTest(solver):
                self.expect(path, solver, wanted)

    def test_bounds_on_both_sides(self):
        size = 5
        rows = [[4 if i == j else -1 if abs(i - j) == 1 else 0 for j in range(size)] for i in range(size)]
        problem = make_problem("mlcp", n=size, M={"shape": [size, size], "dense": rows}, q=[-9, 4, -1, 6, -3],
                               lower=["-inf", -1, 0, "-inf", 0.5], upper=["inf", 1, 0.25, -2, 0.5])
        wanted = self.solve(self.write("known.json", problem), "--solver", "lemke", "--tolerance", "1e-12")["z"]
        for solver in ("petsc-mpi-rsls-gmres", "petsc-mpi-ssls-gmres"):
            with self.subTest(solver):
                self.expect(problem, solver, wanted)

    def test_nonlinear_problems(self):
        problem = make_problem("mcp", start=[1, 1])
        wanted = self.solve(self.write("known.json", problem), "--solver", "newton-fb", "--tolerance", "1e-12")["z"]
        for solver in NONLINEAR:
            with self.subTest(solver):
                self.expect(problem, solver, wanted)

    def test_the_number_of_processes_changes_nothing(self):
        path = self.exported("obstacle", "--size", "20")
        answers = [self.run_petsc(path, "petsc-mpi-rsls-gmres", "--tolerance", "1e-10",
                                  PERP_MPIRUN=MPIRUN.replace("-n 2", f"-n {processes}"))["z"] for processes in (1, 2, 3)]
        for others in answers[1:]:
            self.assertLess(max(abs(a - b) for a, b in zip(answers[0], others)), 1e-8)

    def test_more_processes_than_rows(self):
        self.expect(make_problem("lcp"), "petsc-mpi-rsls-gmres", [2, 0])
        problem = make_problem("lcp", n=1, M={"shape": [1, 1], "dense": [[2]]}, q=[-3])
        self.expect(problem, "petsc-mpi-rsls-gmres", [1.5])

    def test_what_it_cannot(self):
        skew = make_problem("lcp", M={"shape": [2, 2], "dense": [[1, 1], [-1, 1]]}, q=[-1, -1])
        result = self.run_petsc(skew, "petsc-mpi-gpcg", code=1)
        self.assertIn("symmetric", result["message"])
        result = self.run_petsc(make_problem("lcp"), "petsc-mpi-rsls-gmres", code=1, PERP_MPIRUN="false")
        self.assertNotEqual(result["status"], "solved")

    def test_rows_of_a_benchmark(self):
        """Several problems in one run, each with its row."""
        for size in (8, 10):
            self.succeed("export", "obstacle", "--size", str(size), "-o", self.folder / "instances")
        self.succeed("bench", self.folder / "instances", "--solvers", "petsc-mpi-rsls-gmres,lemke", "--repeat", "1", "-o", self.folder / "run",
                     env=os.environ | {"PERP_MPIRUN": MPIRUN})
        records = [json.loads(line) for line in (self.folder / "run" / "records.jsonl").read_text().splitlines()]
        self.assertEqual(sorted((r["n"], r["solver"], r["outcome"]) for r in records),
                         sorted((n * n, s, "solved") for n in (8, 10) for s in ("petsc-mpi-rsls-gmres", "lemke")))


if __name__ == "__main__":
    unittest.main()
