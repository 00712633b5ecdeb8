"""Scenes whose steps are nonlinear: perp simulate, export and solve, from the outside."""
import csv
import math
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import CliTestCase, parse_json  # noqa: E402


class TestImplicitFormulations(CliTestCase):
    def rows(self, folder, file):
        with open(self.folder / folder / f"{file}.csv", newline="") as handle:
            return list(csv.DictReader(handle, strict=True))

    def test_they_are_listed(self):
        names = [item["name"] for item in parse_json(self.succeed("list", "formulations", "--json"))["formulations"]]
        for name in ("geometric-implicit", "closed-form-gap", "equivalent-contact-point"):
            self.assertIn(name, names)

    def test_a_scene_brings_its_formulation_and_that_its_solver(self):
        document = parse_json(self.succeed("simulate", "disc", "--duration", 0.1, "--json"))
        self.assertEqual((document["formulation"], document["solver"], document["steps"], document["failed_steps"]),
                         ("geometric-implicit", "auto", 10, 0))
        disc = document["bodies"][1]
        self.assertAlmostEqual(disc["velocity"][0], -3, 9)
        self.assertAlmostEqual(disc["angular_velocity"][2], 3, 9)
        document = parse_json(self.succeed("simulate", "disc", "--formulation", "stewart-trinkle", "--duration", 0.1, "--json"))
        self.assertEqual((document["formulation"], document["solver"]), ("stewart-trinkle", "auto"))

    def test_a_face_in_contact_has_one_point(self):
        self.succeed("simulate", "sliding-cube", "--duration", 0.1, "--tolerance", 1e-12, "--record", self.folder / "cube")
        for row in self.rows("cube", "steps"):
            self.assertEqual((row["status"], float(row["faces"]), row["contacts"]), ("solved", 1.0, "1"))
        for row, cube in zip(self.rows("cube", "contacts"), self.rows("cube", "trajectory")[1:]):
            self.assertAlmostEqual(float(row["x"]) - float(cube["px"]), 0.088, 9)  # mu L / 2 along the motion (8, 6)
            self.assertAlmostEqual(float(row["y"]) - float(cube["py"]), 0.066, 9)

    def test_steps_tell_how_far_they_are_from_the_contact_law(self):
        self.succeed("simulate", "two-spheres", "--duration", 0.1, "--tolerance", 1e-12, "--record", self.folder / "out")
        rows = self.rows("out", "steps")
        self.assertEqual(len(rows), 10)
        for row in rows:
            self.assertEqual(row["status"], "solved")
            for column in ("law_gap", "law_cone", "law_slip"):
                self.assertLessEqual(float(row[column]), 1e-9, column)
        for row in self.rows("out", "contacts"):  # the first slides, the second rolls
            self.assertEqual(row["mode"], {"first": "slide", "second": "stick"}[row["body_b"]])
            friction = math.hypot(float(row["p_t"]), float(row["p_o"]), float(row["p_r"]) / 0.3)
            self.assertLessEqual(friction, 0.2 * float(row["p_n"]) * (1 + 1e-9))

    def test_its_problems_are_files(self):
        self.succeed("export", "spinning-sphere", "--steps", "1:2", "-o", self.folder / "steps")
        path = self.folder / "steps" / "spinning-sphere-000002-contact.json"
        problem = parse_json(path.read_text())
        self.assertEqual(problem["kind"], "mcp")
        for name in ("sphere.w.z", "sphere-ground.a1.x", "sphere-ground.p_n", "sphere-ground.sigma", "sphere-ground.l1"):
            self.assertIn(name, problem["variables"])
        self.assertEqual(problem["contacts"][0]["body_a"], "sphere")
        self.assertEqual(problem["source"]["formulation"], "geometric-implicit")
        self.assertEqual(parse_json(self.succeed("solve", path, "--json"))["status"], "solved")

    def test_what_they_do_not_treat_is_refused(self):
        for arguments, words in (
                (("box-on-ramp", "--formulation", "geometric-implicit"), ("bodies[1].shape", "box")),
                (("two-ellipsoids", "--formulation", "closed-form-gap"), ("bodies[0].shape", "ellipsoid")),
                (("disc", "--formulation", "geometric-implicit:points=all"), ("points", "multiplier")),
                (("disc", "--driver", "event-driven"), ("--driver", "anitescu-potra"))):
            done = self.perp("simulate", *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            for word in words:
                self.assertIn(word, done.stderr)


if __name__ == "__main__":
    unittest.main()
