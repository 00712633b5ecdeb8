"""Trajectories as arrays are those that perp simulate records."""
import csv
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

import perp


class Simulations(unittest.TestCase):
    @staticmethod
    def rows(path):
        with open(path, encoding="utf-8") as file:
            return list(csv.DictReader(file))

    @staticmethod
    def run_of(folder):
        """What run.json says, without what changes from run to run, and what Python does not know of the scene."""
        document = json.loads(pathlib.Path(folder, "run.json").read_text())
        for key in ("times", "peak_memory_mb", "parameters"):
            document.pop(key, None)
        return document

    def test_arrays_are_what_the_command_line_records(self):
        with tempfile.TemporaryDirectory() as scratch:
            ran = subprocess.run([os.environ["PERP"], "simulate", "box-stack", "--param", "rows=2", "--duration", "0.1",
                                  "--record", f"{scratch}/cli"], capture_output=True, text=True)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            run = perp.simulate("box-stack", duration=0.1, parameters={"rows": 2}, record=f"{scratch}/python")
            rows = self.rows(f"{scratch}/cli/trajectory.csv")
            self.assertEqual(pathlib.Path(f"{scratch}/python/trajectory.csv").read_bytes(),
                             pathlib.Path(f"{scratch}/cli/trajectory.csv").read_bytes())
            self.assertEqual(self.run_of(f"{scratch}/python"), self.run_of(f"{scratch}/cli"))
            contacts = self.rows(f"{scratch}/cli/contacts.csv")
        moving = [b for b, body in enumerate(perp.scene("box-stack", rows=2).bodies) if not body["fixed"]]
        self.assertEqual(run.position.shape, (run.steps + 1, len(moving) + 1, 3))
        px = np.array([float(r["px"]) for r in rows]).reshape(run.steps + 1, len(moving))
        np.testing.assert_array_equal(run.position[:, moving, 0], px)
        qw = np.array([float(r["qw"]) for r in rows]).reshape(run.steps + 1, len(moving))
        np.testing.assert_array_equal(run.orientation[:, moving, 0], qw)
        np.testing.assert_array_equal(run.contacts["impulse"][:, 0], [float(r["p_n"]) for r in contacts])
        self.assertEqual(run.contacts["mode"], [r["mode"] for r in contacts])
        self.assertTrue(run.solved.all())
        self.assertEqual(run.bodies, [b["name"] for b in perp.scene("box-stack", rows=2).bodies])
        self.assertEqual({s["status"] for s in run.stages}, {"solved"})

    def test_a_record_says_if_the_run_was_stopped(self):
        with tempfile.TemporaryDirectory() as scratch:
            run = perp.simulate("box-stack", duration=0.1, record=scratch, on_step=lambda step, state: step < 3)
            self.assertTrue(run.stopped)
            self.assertFalse(self.run_of(scratch)["complete"])

    def test_stopping(self):
        seen = []

        def watch(step, state):
            seen.append((step, state.time))
            return step < 3

        run = perp.simulate("box-stack", duration=0.2, parameters={"rows": 1}, on_step=watch)
        self.assertEqual((run.steps, run.stopped, [s for s, _ in seen]), (3, True, [1, 2, 3]))
        with self.assertRaisesRegex(TypeError, "on_step: returned something of type list"):
            perp.simulate("box-stack", duration=0.2, on_step=lambda step, state: [state])
        with self.assertRaises(ZeroDivisionError):
            perp.simulate("box-stack", duration=0.2, on_step=lambda step, state: 1 / 0)

    def test_what_is_wrong_is_told(self):
        for call, text in ((lambda: perp.simulate("no-such-scene"), "no-such-scene"),
                           (lambda: perp.simulate("box-stack", "no-such-model"), "no-such-model"),
                           (lambda: perp.simulate("box-stack", parameters={"no_such": 1}), "no_such"),
                           (lambda: perp.simulate("box-stack", step=-1), "step"),
                           (lambda: perp.simulate("box-stack", driver="clockwork"), "clockwork"),
                           (lambda: perp.Scene.from_json("{}"), "text")):
            with self.assertRaises(ValueError) as caught:
                call()
            self.assertIn(text, str(caught.exception))

    def test_impacts_within_a_step_have_a_limit(self):
        scene = {"format": "perp-scene", "version": 1, "name": "ball", "dimension": 2, "gravity": [0, -10],
                 "bodies": [{"name": "ground", "fixed": True, "shape": {"type": "half_space", "normal": [0, 1]}},
                            {"name": "ball", "mass": 1, "shape": {"type": "disc", "radius": 0.1}, "position": [0, 0.2]}],
                 "contact": {"restitution": 0.8}}
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch, "ball.json")
            path.write_text(json.dumps(scene))
            run = perp.simulate(str(path), "anitescu-potra", driver="event-driven", step=1.0, duration=3.0, max_events=2)
        self.assertEqual(run.message, "more events within one step than max_events")

    def test_parameters_are_numbers(self):
        for call in (lambda: perp.scene("box-on-ramp", mu="much"), lambda: perp.generate("socp", 20, mu="much"),
                     lambda: perp.simulate("box-on-ramp", parameters={"mu": "much"})):
            with self.assertRaisesRegex(TypeError, 'parameter "mu": is no number but of type str'):
                call()

    def test_states_are_arrays(self):
        scene = perp.scene("box-stack", rows=1)
        state = scene.initial_state()
        position = state.position
        position[1] += [0, 0, 1]
        state.position = position
        np.testing.assert_array_equal(state.position, position)
        self.assertEqual(perp.find_contacts(scene, state, 1e-3), [])
        v = perp.free_velocity(scene, state, 0.01)
        moved = perp.moved(scene, state, v, 0.01)
        self.assertAlmostEqual(moved.time, 0.01)
        self.assertAlmostEqual(perp.kinetic_energy(scene, moved), 0.5 * scene.bodies[1]["mass"] * float(v @ v))
        with self.assertRaises(ValueError):
            state.position = position[:1]
        with self.assertRaises(ValueError):
            perp.moved(scene, state, v[:2], 0.01)


if __name__ == "__main__":
    unittest.main()
