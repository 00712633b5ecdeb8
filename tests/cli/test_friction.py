"""Exact friction on the command line: families of another kind, reductions that are asked for, the three models."""
import csv
import json
import math
import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import CliTestCase, make_problem, parse_json, with_cases  # noqa: E402


class TestExport(CliTestCase):
    def test_contact_families_as_friction_contact(self):
        for name in ("stack", "tower", "pile"):
            path, = self.succeed("export", f"contact-{name}", "--kind", "friction_contact", "--size", 5, "--seed", 3,
                                 "-o", self.folder).split()
            problem = parse_json(Path(path).read_text())
            self.assert_valid(problem, "problem")
            self.assertEqual((problem["kind"], problem["n"], problem["dimension"]), ("friction_contact", 15, 3))
            self.assertEqual(problem["source"]["family"], f"friction-{name}")
            lcp, = self.succeed("export", f"contact-{name}", "--size", 5, "--seed", 3, "-o", self.folder).split()
            self.assertEqual(parse_json(Path(lcp).read_text())["kind"], "lcp")
            self.solve(path)

    def test_other_kinds_there_are_none(self):
        done = self.perp("export", "contact-stack", "--kind", "conic_qp", "-o", self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("contact-stack gives lcp", done.stderr)

    def test_operator_form_is_written_and_solved(self):
        path, = self.succeed("export", "friction-granular", "--size", 10, "--param", "operator=1", "-o",
                             self.folder).split()
        problem = parse_json(Path(path).read_text())
        self.assertNotIn("W", problem)
        self.assertEqual(problem["J"]["shape"], [30, problem["M"]["shape"][0]])
        self.solve(path)


@with_cases({
    "pyramid": ("lemke", "pyramid:16", 1, "stalled"),
    "convex": ("interior-point", "convex", 1, "stalled"),
    "convex_by_auto": ("auto", "convex", 1, "stalled"),
    "exact": ("josephy-newton", "fritz-john", 0, "solved"),
})
class TestReductions(CliTestCase):
    def check(self, solver, reduction, code, status):
        """u = r + q slides: the approximations are solved, but are not the problem."""
        problem = make_problem("friction_contact", q=[-1, 3, 4])
        result = self.solve(problem, "--solver", solver, "--set", f"reduction={reduction}", code=code)
        self.assertEqual(result["status"], status)
        self.assertIn("friction_contact as ", result["route"][-1]["solver"])
        self.assertEqual(len(result["z"]), 3)
        exact = [1, -0.3, -0.4]
        error = max(abs(a - b) for a, b in zip(result["z"], exact))
        self.assertLess(error, 1e-9 if status == "solved" else 2.0)
        if status != "solved":
            self.assertGreater(error, 1e-3)
            self.assertIn("approximates", result["message"])

    def test_unasked_there_is_none(self):
        problem = make_problem("friction_contact", q=[-1, 3, 4])
        self.assertEqual(self.solve(problem, "--solver", "lemke", code=1)["status"], "unsupported")

    def test_unknown_names_are_refused(self):
        path = self.write("p.json", make_problem("friction_contact"))
        done = self.perp("solve", path, "--set", "reduction=cone")
        self.assertEqual(done.returncode, 2)
        self.assertIn("reduction", done.stderr)


class TestModels(CliTestCase):
    def end(self, *arguments):
        """Velocity and height of the box at the end."""
        self.succeed("simulate", "box-on-ramp", *arguments, "--record", self.folder / "run", "--tolerance", 1e-10)
        with open(self.folder / "run" / "trajectory.csv", encoding="utf-8") as file:
            last = list(csv.DictReader(file))[-1]
        return [float(last[name]) for name in ("vx", "vy", "pz")]

    def test_box_on_ramp(self):
        exact = 9.81 * (0.5 - 0.3 * math.sqrt(0.75)) * 0.4
        for solver in ("auto", "nsgs", "newton-ac", "proximal-newton", "smoothing-continuation",
                       "admm"):
            vx, vy, pz = self.end("--formulation", "coulomb-implicit", "--solver", solver)
            self.assertAlmostEqual(vx, exact, delta=1e-8, msg=solver)
            self.assertAlmostEqual(vy, 0, delta=1e-8)
            self.assertAlmostEqual(pz, 0.5, delta=1e-8)
        vx, _, pz = self.end("--formulation", "anitescu-tasora")
        self.assertAlmostEqual(pz - 0.5, 0.02 * 0.3 * vx, delta=1e-7)

    def test_box_across_the_ramp(self):
        across = ("--param", "vx=1", "--param", "vy=1", "--formulation")
        four, cone = self.end(*across, "stewart-trinkle"), self.end(*across, "coulomb-implicit")
        self.assertAlmostEqual(four[0], 1.9425, delta=1e-4)
        self.assertAlmostEqual(cone[0], 2.0544, delta=1e-4)
        self.assertAlmostEqual(cone[1], 0.5586, delta=1e-4)
        relaxed = self.end(*across, "anitescu-tasora")
        self.assertLess(math.dist(relaxed[:2], cone[:2]), 0.01)

    def test_recorded_problems_are_of_their_kinds(self):
        for formulation, kind in (("coulomb-implicit", "friction_contact"), ("anitescu-tasora", "conic_qp")):
            folder = self.folder / formulation
            self.succeed("simulate", "box-on-ramp", "--duration", 0.04, "--formulation", formulation, "--record", folder,
                         "--record-problems", "all")
            files = sorted((folder / "problems").iterdir())
            self.assertEqual(len(files), 2)
            for path in files:
                problem = json.loads(path.read_text())
                self.assert_valid(problem, "problem")
                self.assertEqual(problem["kind"], kind)
                self.assertIn("velocity_scale", problem["source"])

    def test_torsion_is_refused(self):
        for formulation in ("coulomb-implicit", "anitescu-tasora"):
            done = self.perp("simulate", "sliding-cube", "--formulation", formulation)
            self.assertEqual(done.returncode, 2)
            self.assertIn("contact.e_r", done.stderr)


if __name__ == "__main__":
    unittest.main()
