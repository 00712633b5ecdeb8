"""Solvers and formulations of Python run beside perp's own, and nothing they do ends a benchmark."""
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

import perp


def damped_jacobi(problem, start, limits, *, omega=0.5, sweeps=500):
    """Damped projected Jacobi."""
    matrix, q = problem["M"], problem["q"]
    dense = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    z = np.zeros(problem.size) if start is None else np.array(start)
    for k in range(sweeps):
        z = np.maximum(0.0, z - omega * (dense @ z + q) / np.diag(dense))
    return {"z": z, "iterations": sweeps}


def problems():
    rng = np.random.default_rng(4)
    made = []
    for k in range(3):
        a = rng.normal(size=(6, 6))
        made.append(perp.lcp(a @ a.T + 6 * np.eye(6), rng.normal(size=6), name=f"random-{k}"))
    return made


class Solvers(unittest.TestCase):
    def test_a_function_is_a_solver_by_name(self):
        perp.register_solver("my-jacobi", damped_jacobi, ["lcp"])
        p = problems()[0]
        result = perp.solve(p, "my-jacobi")
        self.assertEqual((result.status, result.iterations), ("solved", 500))
        few = perp.solve(p, "my-jacobi", sweeps=1)
        self.assertEqual((few.status, few.claimed), ("wrong", "solved"))
        listed = next(s for s in perp.solvers() if s["name"] == "my-jacobi")
        self.assertEqual(listed["summary"], "Damped projected Jacobi.")
        self.assertEqual({s["name"]: s["default"] for s in listed["settings"]}["omega"], "0.5")
        # In strategies, in sessions and with starts, too.
        self.assertTrue(perp.solve(p, "first(my-jacobi:sweeps=1, lemke)").solved)
        self.assertTrue(perp.solve(p, "polish(my-jacobi:sweeps=40)").solved)
        session = perp.Session("my-jacobi", sweeps=100)
        for _ in range(3):
            self.assertTrue(session.solve(p, start="last").solved)
        self.assertEqual(perp.solve(perp.generate("box-qp", 5), "my-jacobi").route[0]["solver"], "my-jacobi on box_qp as mlcp as lcp")
        self.assertEqual(perp.solve(perp.generate("friction-pile", 3), "my-jacobi").status, "unsupported")

    def test_a_solver_that_says_nothing_has_no_answer(self):
        """Zero, or the start, solves these problems; but no solver found that out."""
        def raises(problem, start, limits):
            raise ValueError("no")

        ends = {"says-raises": raises, "says-none": lambda problem, start, limits: None,
                "says-refused": lambda problem, start, limits: {"status": "unsupported"},
                "says-garbled": lambda problem, start, limits: {"z": [0, 0], "iterations": -1}}
        outcomes = {"says-raises": "numerical_error", "says-none": "stalled", "says-refused": "unsupported",
                    "says-garbled": "numerical_error"}
        zero = perp.lcp(np.eye(2), np.ones(2), name="zero")
        begun = perp.lcp(np.eye(2), -np.ones(2), name="begun", start=np.ones(2))
        for name, function in ends.items():
            perp.register_solver(name, function, ["lcp"])
        for start in ("zero", "stored"):
            rows = self.rows(perp.bench([zero, begun], list(ends), repeats=1, time_limit=30, starts=[start]))
            for row in rows:
                self.assertEqual(row["outcome"], outcomes[row["solver"]], row)

    def test_no_solver_sees_the_stored_answer(self):
        @perp.solver("peeks", ["lcp"])
        def peeks(problem, start, limits):
            z = problem.solution if problem.solution is not None else problem.start
            return np.zeros(2) if z is None else z

        known = perp.lcp(np.eye(2), -np.ones(2), start=np.ones(2), solution=np.ones(2))
        self.assertEqual(perp.solve(known, "peeks", start="zero").status, "wrong")

    def test_what_a_solver_raises_is_raised_with_its_traceback(self):
        @perp.solver("my-raiser", ["lcp"])
        def raiser(problem, start, limits):
            raise KeyError("deep inside")

        with self.assertRaisesRegex(KeyError, "deep inside"):
            perp.solve(problems()[0], "my-raiser")
        self.assertTrue(perp.solve(problems()[0]).solved)

    def test_answers_that_are_none_are_told(self):
        p = problems()[0]
        for answer, text in (({"status": "great"}, "is no status; there are: solved"),
                             ({"z": np.zeros(6), "iterations": 2.5}, "integer"),
                             ({"z": np.zeros(6), "iterations": -5}, "iterations: is below 0"),
                             ({"z": np.zeros(6), "iterations": 10**12}, "iterations: .* too large"),
                             ({"status": 3}, "status: is no string but of type int"),
                             ({"z": np.zeros(6), "message": None}, "message: is no string but of type NoneType"),
                             ({3: 1}, "a key that a solver returned: is no string"),
                             ({"z": ["a"] * 6}, "z: no real numbers but text"),
                             ({"x": 1}, "returned \"x\""), (np.zeros(6) * 1j, "complex"), (np.zeros((6, 1)), "2 dimensions"),
                             (object(), "z: ")):
            perp.register_solver("my-answer-solver", lambda problem, start, limits, told=answer: told, ["lcp"])
            with self.assertRaisesRegex((ValueError, TypeError), text):
                perp.solve(p, "my-answer-solver")

    def test_names_and_signatures_that_are_wrong_are_refused(self):
        for call, text in ((lambda: perp.register_solver("lemke", damped_jacobi, ["lcp"]), "lemke"),
                           (lambda: perp.register_solver("no name", damped_jacobi, ["lcp"]), "no name"),
                           (lambda: perp.register_solver("mine", damped_jacobi, ["lpc"]), "lpc"),
                           (lambda: perp.register_solver("mine", damped_jacobi, []), "kinds: there are none"),
                           (lambda: perp.register_solver("mine", lambda p, s, l, *, x: 0, ["lcp"]), "x"),
                           (lambda: perp.register_solver("mine", lambda p, s, l, *, x=[]: 0, ["lcp"]), "x")):
            with self.assertRaises(ValueError) as caught:
                call()
            self.assertIn(text, str(caught.exception))

    def test_defaults_that_are_no_settings_and_one_kind(self):
        def not_a_number(problem, start, limits, *, a=math.nan):
            return None

        def too_large(problem, start, limits, *, a=3000000000):
            return None

        for function, words in ((not_a_number, "is no number"), (too_large, "too large for a whole number")):
            with self.assertRaisesRegex(ValueError, f'setting "a": .*{words}'):
                perp.register_solver("has-defaults", function, ["lcp"])
        perp.register_solver("one-kind", lambda problem, start, limits: np.zeros(problem.size), "lcp")
        self.assertTrue(perp.solve(perp.lcp(np.eye(2), np.ones(2)), "one-kind").solved)

    def test_in_a_benchmark_a_bad_solver_is_a_row(self):
        @perp.solver("bad-raises", ["lcp"])
        def raises(problem, start, limits):
            raise RuntimeError("I cannot")

        @perp.solver("bad-hangs", ["lcp"])
        def hangs(problem, start, limits):
            while True:
                time.sleep(10)

        @perp.solver("bad-nan", ["lcp"])
        def nan(problem, start, limits):
            return np.full(problem.size, np.nan)

        @perp.solver("bad-size", ["lcp"])
        def size(problem, start, limits):
            return [1.0]

        @perp.solver("bad-eats", ["lcp"])
        def eats(problem, start, limits):
            return [bytearray(1 << 28) for _ in range(100)]

        @perp.solver("bad-dies", ["lcp"])
        def dies(problem, start, limits):
            os.kill(os.getpid(), 11)

        @perp.solver("bad-gives-up", ["lcp"])
        def gives_up(problem, start, limits):
            return None

        @perp.solver("bad-prints", ["lcp"])
        def prints(problem, start, limits):
            print('{"outcome": "solved"}')
            return {"status": "stalled", "message": "no luck"}

        perp.register_solver("good", damped_jacobi, ["lcp"])
        given = problems()[:1]
        told = []
        records = perp.bench(given, ["bad-raises", "bad-nan", "bad-size", "bad-eats", "bad-dies", "bad-gives-up",
                                     "bad-prints", "good", "lemke"], time_limit=30, memory_limit=1000, repeats=1,
                             progress=lambda *row: told.append(row))
        hung = perp.bench(given, ["bad-hangs", "lemke"], time_limit=0.5, repeats=1)
        rows = {**{r["solver"]: r for r in self.rows(records)}, "bad-hangs": self.rows(hung)[0]}
        self.assertEqual({name: row["outcome"] for name, row in rows.items()}, {
            "bad-raises": "numerical_error", "bad-hangs": "timed_out", "bad-nan": "numerical_error", "bad-size": "numerical_error",
            "bad-eats": "out_of_memory", "bad-dies": "crashed", "bad-gives-up": "stalled", "bad-prints": "stalled",
            "good": "solved", "lemke": "solved"})
        self.assertIn("RuntimeError: I cannot", rows["bad-raises"]["message"])
        self.assertIn("length is 1, expected 6", rows["bad-size"]["message"])
        self.assertEqual(len(told), 9)

    def test_a_copy_of_the_process_tells_nothing(self):
        """A solver forks, and the child comes back into perp as if it had solved."""
        @perp.solver("bad-forks", ["lcp"])
        def forks(problem, start, limits):
            child = os.fork()
            if child == 0:
                raise RuntimeError("the helper is not there")
            os.waitpid(child, 0)
            return np.zeros(problem.size)

        rows = self.rows(perp.bench(problems()[:2], ["bad-forks", "lemke"], repeats=1, time_limit=30))
        self.assertEqual([(r["solver"], r["outcome"]) for r in rows],
                         [("bad-forks", "wrong"), ("lemke", "solved")] * 2 if rows[1]["solver"] == "lemke"
                         else [("bad-forks", "wrong")] * 2 + [("lemke", "solved")] * 2)

    def test_memory_that_is_refused_is_out_of_memory(self):
        @perp.solver("bad-asks", ["lcp"])
        def asks(problem, start, limits):
            return np.ones(10**9)[:problem.size]

        [row] = self.rows(perp.bench(problems()[:1], ["bad-asks"], repeats=1, time_limit=30, memory_limit=1000))
        self.assertEqual(row["outcome"], "out_of_memory")

    def test_a_short_peak_of_memory_counts(self):
        """Too short for the checks that are made from time to time; the next solve in the process is not blamed."""
        @perp.solver("peaks", ["lcp"])
        def peaks(problem, start, limits):
            if problem.name == "random-1":
                np.ones(40 << 17)  # 40 MiB, freed at once
            return perp.solve(problem, "lemke").z

        for limit, outcome in ((30, "out_of_memory"), (1000, "solved")):
            rows = self.rows(perp.bench(problems(), ["peaks"], repeats=1, time_limit=30, memory_limit=limit))
            self.assertEqual([r["outcome"] for r in rows], ["solved", outcome, "solved"])

    def test_helpers_that_stay_do_not_hold_up_a_benchmark(self):
        @perp.solver("leaves-helpers", ["lcp"])
        def leaves(problem, start, limits):
            if os.fork() == 0:
                time.sleep(300)
                os._exit(0)
            return np.zeros(problem.size)

        [row] = self.rows(perp.bench(problems()[:1], ["leaves-helpers"], repeats=1, time_limit=0))
        self.assertEqual(row["outcome"], "wrong")

    def test_a_benchmark_within_a_solver(self):
        @perp.solver("asks-lemke", ["lcp"])
        def asks(problem, start, limits):
            perp.bench([problem], ["lemke"], repeats=1)
            return perp.solve(problem, "lemke").z

        [row] = self.rows(perp.bench(problems()[:1], ["asks-lemke"], repeats=1, time_limit=60))
        self.assertEqual((row["outcome"], row["message"]), ("solved", ""))

    def test_a_solver_that_calls_itself_is_told(self):
        @perp.solver("calls-itself", ["lcp"])
        def calls(problem, start, limits):
            return perp.solve(problem, "calls-itself").z

        with self.assertRaises(RuntimeError) as caught:
            perp.solve(problems()[0], "calls-itself")
        self.assertIn("call itself", str(caught.exception))

    def test_limits_are_no_settings(self):
        for name in ("tolerance", "max_iterations", "time_limit"):
            function = eval(f"lambda problem, start, limits, *, {name}=3: start")
            with self.assertRaises(ValueError) as caught:
                perp.register_solver("defs", function, ["lcp"])
            self.assertIn(name, str(caught.exception))

    def test_a_dual_of_an_earlier_problem_is_no_answer(self):
        p = perp.conic_qp(np.eye(2), [-1.0, -1.0], np.array([[1.0, 1.0]]), [1.0], [("nonnegative", 1)])
        ref = perp.solve(p, "interior-point")
        calls = []

        @perp.solver("forgets", ["conic_qp"])
        def forgets(problem, start, limits):
            calls.append(1)
            return {"z": ref.z, "dual": ref.dual} if len(calls) == 1 else ref.z

        session = perp.Session("forgets")
        self.assertTrue(session.solve(p).solved)
        again = session.solve(p)
        self.assertFalse(again.solved)
        self.assertEqual(len(again.dual), 0)

    @staticmethod
    def rows(records):
        return records if isinstance(records, list) else records.to_dict("records")

    def test_other_threads_do_not_disturb_the_children(self):
        """Children are forked while other threads hold and give back the interpreter's lock."""
        import threading
        done = threading.Event()

        def busy():
            while not done.is_set():
                sum(range(1000))

        threads = [threading.Thread(target=busy) for _ in range(2)]
        for t in threads:
            t.start()
        try:
            perp.register_solver("my-jacobi", damped_jacobi, ["lcp"])
            rows = self.rows(perp.bench(problems() * 4, ["my-jacobi", "lemke"], repeats=2, time_limit=30))
        finally:
            done.set()
            for t in threads:
                t.join()
        self.assertEqual({r["outcome"] for r in rows}, {"solved"})

    def test_records_tell_versions_of_a_function_apart(self):
        with tempfile.TemporaryDirectory() as folder:
            perp.register_solver("my-version", damped_jacobi, ["lcp"])
            first = self.rows(perp.bench(problems()[0], "my-version", folder=folder, repeats=1))

            def my_version(problem, start, limits):
                return np.zeros(problem.size)

            perp.register_solver("my-version", my_version, ["lcp"])
            second = self.rows(perp.bench(problems()[0], "my-version", folder=folder, repeats=1, resume=True))
            self.assertEqual([r["outcome"] for r in first], ["solved"])
            self.assertEqual([r["outcome"] for r in second], ["solved", "wrong"])
            with self.assertRaises(ValueError):
                perp.bench(problems()[0], "my-version", folder=folder)

    def test_records_tell_the_values_of_a_closure_apart(self):
        def made_with(value):
            def solver(problem, start, limits):
                return np.full(problem.size, value)
            return solver

        problem = perp.lcp([[1.0]], [-1.0], name="one")
        with tempfile.TemporaryDirectory() as folder:
            for value in (4.0, 1.0):
                perp.register_solver("my-value", made_with(value), ["lcp"])
                rows = self.rows(perp.bench(problem, "my-value", folder=folder, repeats=1, resume=True))
        self.assertEqual([r["outcome"] for r in rows], ["wrong", "solved"])

    def test_two_functions_of_one_name_are_refused(self):
        two = [perp.mcp(lambda z, k=k: z - k, [0.0], name="f") for k in (1.0, 2.0)]
        with self.assertRaisesRegex(ValueError, 'are named "f"'):
            perp.bench(two, "newton-fb", repeats=1)

    def test_the_command_line_within_python(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "mine.py"
            file.write_text("import numpy as np\n"
                            "@perp.solver('zero', ['lcp'])\n"
                            "def zero(problem, start, limits):\n"
                            "    return np.zeros(problem.size)\n")
            problem = pathlib.Path(folder) / "p.json"
            perp.write(perp.lcp([[1.0]], [1.0]), problem)
            ran = subprocess.run([sys.executable, "-m", "perp", "--import", file, "solve", problem, "--solver", "zero"],
                                 capture_output=True, text=True)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            file.write_text("@perp.solver('boom', ['lcp'])\n"
                            "def boom(problem, start, limits):\n"
                            "    raise RuntimeError('boom')\n")
            perp.write(perp.lcp([[1.0]], [-1.0]), problem)
            for solver in ("first(boom, lemke)", "boom"):
                ran = subprocess.run([sys.executable, "-m", "perp", "--import", file, "solve", problem, "--solver", solver],
                                     capture_output=True, text=True, timeout=60)  # it ends
                self.assertEqual(ran.returncode, 1 if solver == "boom" else 0, ran.stdout + ran.stderr)
            self.assertIn("boom", ran.stdout)
            ran = subprocess.run([sys.executable, "-m", "perp", "--import", file, "bench", problem, "--solvers", "boom",
                                  "-o", pathlib.Path(folder) / "out"], capture_output=True, text=True, timeout=60)
            self.assertIn("boom failed 1: RuntimeError: boom", ran.stdout)
            record = json.loads((pathlib.Path(folder) / "out" / "records.jsonl").read_text().splitlines()[0])
            self.assertEqual(record["imported"], str(file))
            missing = subprocess.run([sys.executable, "-m", "perp", "--import", file.with_name("no.py"), "list"],
                                     capture_output=True, text=True)
            self.assertEqual(missing.returncode, 2)
            self.assertIn("no.py", missing.stderr)
            for text, told in (("x = 1\ny = x / 0\n", "line 2: ZeroDivisionError: division by zero"), ("x = (\n", "line 1: "),
                               ("perp.register_solver('start', lambda problem, start, limits: None, ['lcp'])\n", "line 1: ValueError: ")):
                file.write_text(text)
                for words in (["--import", file], [f"--import={file}"]):
                    ran = subprocess.run([sys.executable, "-m", "perp", *words, "list"], capture_output=True, text=True)
                    self.assertEqual((ran.returncode, ran.stderr.count("\n"), ran.stdout), (2, 1, ""), ran.stderr)
                    self.assertTrue(ran.stderr.startswith(f"perp: {file}: {told}"), ran.stderr)


@perp.formulation("my-frictionless")
class Frictionless:
    """Touching bodies do not approach: 0 <= p, J v+ >= -gap / h, v+ = v_free + M^-1 J' p."""

    def begin(self, scene, state, h):
        self.scene, self.state, self.h = scene, state, h
        self.contacts = perp.find_contacts(scene, state, h)
        self.free = perp.free_velocity(scene, state, h)
        if not self.contacts:
            return perp.StepResult(perp.moved(scene, state, self.free, h))
        rows = 2 if scene.dimension == 2 else 3
        self.J = perp.contact_jacobian(scene, state, self.contacts)[::rows]
        self.W = perp.inverse_mass_matrix(scene, state) @ self.J.T
        gaps = np.array([c.gap for c in self.contacts])
        problem = perp.lcp((self.J @ self.W).toarray(), self.J @ self.free + gaps / h)
        return perp.Stage("normal", problem, [c.key for c in self.contacts])

    def advance(self, z):
        result = perp.StepResult(perp.moved(self.scene, self.state, self.free + self.W @ z, self.h))
        for contact, p in zip(self.contacts, z):
            result.add_contact(contact, p)
        return result


class Stray:
    """Returns the state of another scene."""

    def begin(self, scene, state, h):
        return perp.StepResult(perp.scene("falling-boxes").initial_state())


class Formulations(unittest.TestCase):
    SCENE = """{"format": "perp-scene", "version": 1, "name": "drop", "dimension": 3, "gravity": [0, 0, -10],
        "step": 0.01, "duration": 0.6, "contact": {"mu": 0}, "bodies": [
        {"name": "floor", "fixed": true, "shape": {"type": "half_space", "normal": [0, 0, 1]}},
        {"name": "box", "density": 1000, "shape": {"type": "box", "half": [0.1, 0.1, 0.1]}, "position": [0, 0, 0.6],
         "velocity": [1, 0, 0]}]}"""
    FLAT = """{"format": "perp-scene", "version": 1, "name": "flat", "dimension": 2, "gravity": [0, -10],
        "step": 0.01, "duration": 0.1, "contact": {"mu": 0}, "bodies": [
        {"name": "floor", "fixed": true, "shape": {"type": "half_space", "normal": [0, 1]}},
        {"name": "disc", "mass": 1, "inertia": 0.5, "shape": {"type": "disc", "radius": 1}, "position": [0, 1], "velocity": [2, 0]}]}"""

    def test_one_in_python_goes_where_perp_goes_without_friction(self):
        scene = perp.Scene.from_json(self.SCENE)
        mine = perp.simulate(scene, "my-frictionless", tolerance=1e-12)
        theirs = perp.simulate(scene, "stewart-trinkle", tolerance=1e-12)
        self.assertEqual((mine.failed_steps, mine.steps), (0, 60))
        np.testing.assert_allclose(mine.position, theirs.position, atol=1e-7)
        self.assertAlmostEqual(mine.position[-1, 1, 2], 0.1, places=6)
        weight = 10 * 1000 * 0.2 ** 3 * 0.01
        last = np.asarray(mine.contacts["step"]) == 60
        self.assertAlmostEqual(np.asarray(mine.contacts["impulse"])[last, 0].sum(), weight, places=6)

    def test_contacts_are_recorded_in_the_frame_of_their_jacobian(self):
        """Also in the plane, and with the motion at the end of the step."""
        scene = perp.Scene.from_json(self.FLAT)
        state = scene.initial_state()
        rows = perp.contact_jacobian(scene, state, perp.find_contacts(scene, state, 0.01)).toarray()
        with tempfile.TemporaryDirectory() as folder:
            perp.simulate(scene, "my-frictionless", duration=0.05, record=folder)
            with open(pathlib.Path(folder) / "contacts.csv", encoding="utf-8") as file:
                contacts = [c for c in csv.DictReader(file) if float(c["p_n"]) > 0]
        self.assertTrue(contacts)
        for c in contacts:
            np.testing.assert_allclose([float(c["tx"]), float(c["ty"])], rows[1, :2], atol=1e-12)
            np.testing.assert_allclose([float(c["nx"]), float(c["ny"])], rows[0, :2], atol=1e-12)
            self.assertEqual(c["mode"], "slide")
            self.assertAlmostEqual(float(c["slip"]), 2.0, places=9)

    def test_states_of_other_scenes_are_refused(self):
        scene, other = perp.scene("falling-boxes"), perp.scene("sliding-cube").initial_state()
        contacts = perp.find_contacts(scene, scene.initial_state(), 1.0)
        self.assertTrue(contacts)
        velocity = perp.free_velocity(scene, scene.initial_state(), 0.01)
        for call in (lambda: perp.find_contacts(scene, other, 0.01), lambda: perp.contact_jacobian(scene, other, contacts),
                     lambda: perp.inverse_mass_matrix(scene, other), lambda: perp.free_velocity(scene, other, 0.01),
                     lambda: perp.moved(scene, other, velocity, 0.01), lambda: perp.kinetic_energy(scene, other),
                     lambda: perp.potential_energy(scene, other)):
            with self.assertRaisesRegex(ValueError, "state: is of another scene: it has 2 bodies, the scene 101"):
                call()
        small = perp.scene("sliding-cube")
        with self.assertRaisesRegex(ValueError, "contact: is of another scene"):
            perp.contact_jacobian(small, small.initial_state(), [c for c in contacts if c.a > 1])

    def test_a_formulation_that_returns_a_state_of_another_scene_is_refused(self):
        perp.register_formulation("my-stray", lambda: Stray())
        with self.assertRaisesRegex(ValueError, "state: is of another scene"):
            perp.simulate(perp.Scene.from_json(self.SCENE), "my-stray")

    def test_its_problems_are_instances_like_others(self):
        scene = perp.Scene.from_json(self.SCENE)
        problems = perp.scene_problems(scene, "my-frictionless", first=36, last=45)
        self.assertEqual({p.kind for p in problems}, {"lcp"})
        self.assertEqual(problems[0].source["formulation"], "my-frictionless")
        records = Solvers.rows(perp.bench(problems, ["lemke", "newton-fb"], repeats=1))
        self.assertEqual({r["outcome"] for r in records}, {"solved"})
        self.assertEqual(len(records), 2 * len(problems))

    def test_what_it_cannot_treat_is_refused(self):
        scene = perp.Scene.from_json(self.SCENE.replace('"mu": 0', '"mu": 0, "restitution": 0.5'))
        with self.assertRaisesRegex(ValueError, "restitution"):
            perp.simulate(scene, "my-frictionless")

    def test_a_step_that_fails_says_why(self):
        @perp.formulation("my-nowhere")
        class Nowhere:
            def begin(self, scene, state, h):
                v = perp.free_velocity(scene, state, h)
                return perp.StepResult(perp.moved(scene, state, v * np.nan, h))

        run = perp.simulate(perp.Scene.from_json(self.SCENE), "my-nowhere")
        self.assertEqual((run.failed_steps, run.stopped), (1, True))
        self.assertIn("not finite", repr(run))

    def test_what_it_raises_is_raised(self):
        @perp.formulation("my-faulty")
        class Faulty:
            def begin(self, scene, state, h):
                raise ArithmeticError("no step today")

        with self.assertRaisesRegex(ArithmeticError, "no step today"):
            perp.simulate(perp.Scene.from_json(self.SCENE), "my-faulty")

        @perp.formulation("my-answer")
        class Answer:
            def begin(self, scene, state, h):
                return 42

        with self.assertRaisesRegex(TypeError, "neither perp.Stage nor perp.StepResult"):
            perp.simulate(perp.Scene.from_json(self.SCENE), "my-answer")
        with self.assertRaises(ValueError):
            perp.register_formulation("anitescu-potra", Answer)


if __name__ == "__main__":
    unittest.main()
