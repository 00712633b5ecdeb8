"""Arguments that were taken and not used, or used and not taken."""
import os
import pathlib
import signal
import tempfile
import threading
import time
import unittest

import numpy as np
import perp


def disc():
    return perp.conic_qp(np.eye(2), [-1, -1], -np.eye(2), [0, 0], [("nonnegative", 2)])


class TestVerify(unittest.TestCase):
    def test_a_dual_beside_a_result_counts(self):
        result = perp.solve(disc())
        self.assertTrue(perp.verify(disc(), result).solved)
        self.assertFalse(perp.verify(disc(), result, [5.0, 5.0]).solved)
        self.assertEqual(perp.verify(disc(), result, [5.0, 5.0]).measure, perp.verify(disc(), result.z, [5.0, 5.0]).measure)
        with self.assertRaises(ValueError):
            perp.verify(disc(), result, [5.0] * 4)

    def test_only_a_conic_qp_has_a_dual(self):
        with self.assertRaisesRegex(ValueError, "dual: only a conic_qp"):
            perp.verify(perp.lcp([[1.0]], [-1]), [1], [1, 2, 3])


class TestProblems(unittest.TestCase):
    def test_an_operator_twice(self):
        for more in ({"J": 10 * np.eye(3), "M": np.eye(3)}, {"M": np.eye(3)}):
            with self.assertRaisesRegex(ValueError, "W: "):
                perp.friction_contact([-1, 0, 0], [1], W=np.eye(3), **more)

    def test_a_name_is_text(self):
        problem = perp.lcp([[1.0]], [-1])
        problem.name = "one"
        self.assertEqual(problem.name, "one")
        with self.assertRaisesRegex(ValueError, "name"):
            problem.name = b"\xff"


class TestStates(unittest.TestCase):
    def setUp(self):
        self.state = perp.scene("box-stack").initial_state()

    def test_arrays_are_the_memory_of_the_state(self):
        for name in ("position", "velocity", "angular_velocity"):
            array = getattr(self.state, name)
            array[1] = [1, 2, 3]
            array += 1
            np.testing.assert_array_equal(getattr(self.state, name)[1], [2, 3, 4])
        self.state.position += 1
        np.testing.assert_array_equal(self.state.position[1], [3, 4, 5])
        kept = self.state.position
        del self.state
        np.testing.assert_array_equal(kept[1], [3, 4, 5])

    def test_orientations_are_set_as_a_whole(self):
        with self.assertRaises(ValueError):
            self.state.orientation[0] = [0, 1, 0, 0]
        turned = np.array(self.state.orientation)
        turned[0] = [0, 1, 0, 0]
        self.state.orientation = turned
        np.testing.assert_array_equal(self.state.orientation, turned)

    def test_real_numbers_alone(self):
        with self.assertRaisesRegex(ValueError, "position"):
            self.state.position = np.ones(self.state.position.shape) * (1 + 2j)
        with self.assertRaisesRegex(ValueError, "velocity: expected"):
            self.state.velocity = np.ones((1, 3))


class TestSolvers(unittest.TestCase):
    def test_settings_that_a_call_would_take(self):
        def solve(problem, start, limits, *, threads=1):
            return {"z": [threads]}
        with self.assertRaisesRegex(ValueError, "threads"):
            perp.register_solver("taken-name", solve, "lcp")

    def test_any_iterable_of_problems(self):
        results = perp.solve_many((perp.lcp([[1.0]], [-k]) for k in (1, 2)), "lemke")
        self.assertEqual([r.z[0] for r in results], [1, 2])


class TestScenes(unittest.TestCase):
    def test_numbers_of_steps(self):
        scene = perp.scene("box-stack")
        for wrong in ({"step": float("nan")}, {"step": -1}, {"first": 5, "last": 1}, {"first": 0, "last": 0}):
            with self.assertRaises(ValueError):
                perp.scene_problems(scene, **wrong)

    def test_an_interrupt_ends_it(self):
        began = time.monotonic()
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            perp.scene_problems(perp.scene("box-stack"), last=10**6, first=10**6)
        self.assertLess(time.monotonic() - began, 60)

    def test_paths(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "p.json"
            perp.write(perp.lcp([[1.0]], [-1]), path)
            self.assertEqual(len(perp.instances(path)), 1)
            self.assertEqual(set(perp.bench(path, "lemke", repeats=1)["outcome"]), {"solved"})
            scene = pathlib.Path(perp.data_folder()) / "problems" / "scenes" / "pendulum.json"
            self.assertEqual(perp.scene(scene).name, "pendulum")
            perp.simulate(scene, duration=0.02)


if __name__ == "__main__":
    unittest.main()
