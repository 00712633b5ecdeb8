"""perp import-step with Bullet itself (docs/how-to/import-step.md), on a scene that the test writes."""
import json
import math
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from perp_cli import CliTestCase, parse_json  # noqa: E402

MU = 0.4
# A light box slides over a heavy one, which rests on the ground.
SLED = {
    "format": "perp-scene", "version": 1, "name": "sled", "dimension": 3, "gravity": [0, 0, -9.81],
    "bodies": [{"name": "ground", "fixed": True, "shape": {"type": "half_space", "normal": [0, 0, 1]}},
               {"name": "sled", "mass": 20, "shape": {"type": "box", "half": [1, 1, 0.1]}, "position": [0, 0, 0.1]},
               {"name": "box", "mass": 1, "shape": {"type": "box", "half": [0.1, 0.1, 0.1]}, "position": [0, 0, 0.3], "velocity": [2, 0, 0]}],
    "contact": {"mu": MU}, "step": 0.01, "duration": 1}


class TestBullet(CliTestCase):
    def steps(self, scene, code=0):
        done = self.perp("import-step", "bullet", self.write("sled.json", json.dumps(scene)), "-o", self.folder / "out", "--steps", "5", "--skip", "5",
                         "--json")
        self.assertEqual(done.returncode, code, done.stderr + done.stdout[-2000:])
        return parse_json(done.stdout)["steps"] if code < 2 else done.stderr

    def test_two_moving_boxes_have_the_friction_of_the_scene(self):
        """Bullet multiplies the coefficients of two bodies: here it must come to the scene's, not to its square."""
        ratios = []
        for step in self.steps(SLED):
            problem = json.loads(Path(step["file"]).read_text())
            z = json.loads(Path(step["file"].replace(".json", ".bullet.json")).read_text())["z"]
            for k, contact in enumerate(problem["contacts"]):
                if {contact["body_a"], contact["body_b"]} == {"sled", "box"} and z[3 * k] > 0:
                    ratios.append(math.hypot(z[3 * k + 1], z[3 * k + 2]) / z[3 * k])
        self.assertGreaterEqual(len(ratios), 5)
        for ratio in ratios:
            self.assertAlmostEqual(ratio, MU, places=9)

    def test_contacts_that_engines_do_not_have_are_refused(self):
        for key, value in {"restitution": 0.5, "e_o": 0.5, "e_r": 0.01, "viscous": 1, "stiffness": 1e4}.items():
            with self.subTest(key):
                scene = {**SLED, "contact": {"mu": MU, key: value}}
                self.assertIn('field "contact"', self.steps(scene, code=2))


if __name__ == "__main__":
    unittest.main()
