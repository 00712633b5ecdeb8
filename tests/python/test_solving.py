"""Solving and verifying: the verdicts of the command line, and nothing that ends the session."""
import copy
import json
import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import perp

M = np.array([[2.0, 1.0], [1.0, 2.0]])
Q = np.array([-4.0, 1.0])


class Solve(unittest.TestCase):
    def test_five_lines_to_a_verified_answer(self):
        problem = perp.lcp(M, Q)
        result = perp.solve(problem)
        self.assertTrue(result.solved and result)
        np.testing.assert_allclose(result.z, [2, 0], atol=1e-12)
        self.assertLessEqual(result.measure, 1e-8)
        self.assertTrue(perp.verify(problem, result))
        self.assertFalse(perp.verify(problem, [2, 1e-3]))

    def test_the_answer_is_that_of_the_command_line(self):
        for family, size in (("contact-pile", 20), ("friction-stack", 8), ("box-qp", 30)):
            problem = perp.generate(family, size, 3)
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "p.json"
                perp.write(problem, path)
                told = json.loads(subprocess.run([os.environ["PERP"], "solve", path, "--json"], capture_output=True,
                                                 text=True).stdout)
                result = perp.solve(perp.read(path))
            self.assertEqual((result.status, result.iterations, list(result.z)),
                             (told["status"], told["iterations"], told["z"]))

    def test_settings_are_keywords(self):
        problem = perp.generate("contact-stack", 10)
        few = perp.solve(problem, "lemke", max_iterations=3)
        self.assertEqual((few.status, few.iterations), ("iteration_limit", 3))
        self.assertEqual(perp.solve(problem, "lemke", equilibrate=False).route[0]["settings"], "equilibrate=false")
        for call, text in ((lambda: perp.solve(problem, "lemke", no_such=1), "no_such"),
                           (lambda: perp.solve(problem, "lemke", ties="any"), "ties"),
                           (lambda: perp.solve(problem, "lemkes"), "lemkes"),
                           (lambda: perp.solve(problem, start=[1]), "start"),
                           (lambda: perp.solve(problem, tolerance=-1), "tolerance"),
                           (lambda: perp.verify(problem, [1]), "z")):
            with self.assertRaises(ValueError) as caught:
                call()
            self.assertIn(text, str(caught.exception))
        self.assertEqual(perp.solve(problem, "lemke", row_tolerance=np.float64(1e-9), equilibrate=np.bool_(True),
                                    max_iterations=np.int64(2)).iterations, 2)
        self.assertEqual(perp.solve(problem, "multigrid").status, "unsupported")

    def test_what_is_no_problem_is_told(self):
        for call, text in ((lambda: perp.solve("p.json"), "problem: is no perp.Problem but str"),
                           (lambda: perp.verify(M, Q), "problem: is no perp.Problem but ndarray"),
                           (lambda: perp.solve_many([perp.lcp(M, Q), 3]), "problems: is no perp.Problem but int"),
                           (lambda: perp.bench([3], "lemke"), "problems: is no perp.Problem but int"),
                           (lambda: perp.solve(perp.lcp(M, Q), observer=3), "observer: cannot be called")):
            with self.assertRaises(TypeError) as caught:
                call()
            self.assertIn(text, str(caught.exception))

    def test_starts(self):
        problem = perp.generate("contact-pile", 30)
        first = perp.solve(problem, "newton-fb")
        again = perp.solve(problem, "newton-fb", start=first)
        self.assertEqual(again.start, "given")
        self.assertLess(again.iterations, first.iterations)
        stored = perp.lcp(problem["M"], problem["q"], start=first.z)
        self.assertEqual(perp.solve(stored, "newton-fb").start, "stored")
        self.assertEqual(perp.solve(stored, "newton-fb", start="zero").start, "nothing")
        with self.assertRaisesRegex(ValueError, "start: the problem has no stored start"):
            perp.solve(problem, "newton-fb", start="stored")

    def test_the_dual_of_a_conic_problem(self):
        problem = perp.conic_qp(np.eye(2), [-1, 0], -np.eye(2), [0, 0], [("nonnegative", 2)])
        result = perp.solve(problem)
        self.assertEqual(result.dual.shape, (2,))
        self.assertTrue(perp.verify(problem, result.z, result.dual))
        self.assertTrue(perp.verify(problem, result.z))  # it is sought

    def test_observers_see_every_iteration_and_may_stop(self):
        problem = perp.generate("contact-pile", 30)
        seen = []
        result = perp.solve(problem, "lemke", observer=lambda r: seen.append((r.iteration, r.step_type)))
        self.assertGreaterEqual(len(seen), result.iterations)
        with self.assertRaisesRegex(TypeError, "observer: returned something of type str; None, True or False"):
            perp.solve(problem, "lemke", observer=lambda r: "stop")
        stopped = perp.solve(problem, "lemke", observer=lambda r: r.iteration < 3)
        self.assertEqual(stopped.status, "interrupted")
        self.assertLess(stopped.iterations, result.iterations)
        with self.assertRaises(ZeroDivisionError):
            perp.solve(problem, "lemke", observer=lambda r: 1 / 0)
        self.assertTrue(perp.solve(problem, "lemke").solved)

    def test_sessions_keep_what_they_have(self):
        problems = [perp.generate("contact-stack", 40, seed) for seed in (1, 1, 2)]
        session = perp.Session("newton-fb", tolerance=1e-10)
        results = [session.solve(p, start="last") for p in problems]
        self.assertTrue(all(results))
        self.assertLessEqual(results[1].iterations, 1)
        for r, p in zip(results, problems):
            self.assertTrue(perp.verify(p, r, tolerance=1e-10))

    def test_many_at_once_have_the_bits_of_one_by_one(self):
        problems = [perp.generate("contact-pile", 3 + k % 5, k + 1) for k in range(40)]
        alone = [perp.solve(p, "lemke") for p in problems]
        for threads in (1, 2):
            together = perp.solve_many(problems, "lemke", threads=threads)
            self.assertEqual([list(r.z) for r in together], [list(r.z) for r in alone])

    def test_threads(self):
        problem = perp.generate("contact-pile", 5, 1)
        alone = perp.solve(problem)
        self.assertEqual(list(perp.solve(problem, threads=2).z), list(alone.z))
        self.assertEqual(list(perp.Session(threads=2).solve(problem).z), list(alone.z))
        for call in (perp.solve, lambda p, threads: perp.Session(threads=threads),
                     lambda p, threads: perp.simulate("chain", threads=threads)):
            with self.assertRaisesRegex(ValueError, "threads: is below 1"):
                call(problem, threads=0)

    def test_no_tolerance_below_zero(self):
        problem = perp.lcp(M, Q)
        for call in (perp.solve, lambda p, tolerance: perp.verify(p, [0, 1], tolerance=tolerance),
                     lambda p, tolerance: perp.analyse(p, [0, 1], tolerance=tolerance)):
            for wrong in (-1.0, float("nan")):
                with self.assertRaisesRegex(ValueError, "tolerance"):
                    call(problem, tolerance=wrong)

    def test_analyse(self):
        told = perp.analyse(perp.lcp(M, Q), [2, 0])
        self.assertIn("unique", json.dumps(told))

    def test_certificates(self):
        result = perp.solve(perp.lcp([[-1.0]], [-1.0]))
        self.assertFalse(result.solved)
        self.assertEqual(result.status, "infeasible")
        self.assertTrue(result.certificate["checked"])


class Functions(unittest.TestCase):
    """Nonlinear problems whose F is a Python function."""

    def f(self, z):
        return np.array([z[0] ** 2 - 2.0, z[1] + z[0] - 1.0])

    def test_with_and_without_a_jacobian(self):
        for jacobian in (None, lambda z: np.array([[2 * z[0], 0], [1, 1]])):
            problem = perp.mcp(self.f, [0, 0], jacobian=jacobian, start=[1, 1])
            result = perp.solve(problem, "newton-fb")
            self.assertTrue(result.solved, result)
            np.testing.assert_allclose(result.z, [np.sqrt(2), 0], atol=1e-7)
        with self.assertRaises(ValueError):
            problem.to_json()

    def test_what_a_function_raises_is_raised(self):
        calls = []

        def faulty(z):
            calls.append(1)
            if len(calls) > 3:
                raise RuntimeError("no value there")
            return self.f(z)

        with self.assertRaisesRegex(RuntimeError, "no value there"):
            perp.solve(perp.mcp(faulty, [0, 0]), "newton-fb")
        with self.assertRaisesRegex(ValueError, "F: length is 1, expected 2"):
            perp.solve(perp.mcp(lambda z: z[:1], [0, 0]), "newton-fb")
        with self.assertRaises(TypeError):
            perp.verify(perp.mcp(lambda: 0, [0, 0]), [0, 0])
        self.assertFalse(perp.solve(perp.mcp(lambda z: z * np.nan, [0, 0]), "newton-fb").solved)
        self.assertTrue(perp.solve(perp.lcp(M, Q)).solved)


    def test_a_solve_ends_if_a_function_raises(self):
        """A strategy would go on with its next method, and a batch with its next problem."""
        calls = []

        def faulty(z):
            calls.append(1)
            raise RuntimeError("no value there")

        for call in (lambda p: perp.solve(p, "first(newton-fb, josephy-newton, newton-min)"), lambda p: perp.solve(p),
                     lambda p: perp.Session("auto").solve(p), lambda p: perp.solve_many([p] * 3)):
            calls.clear()
            with self.assertRaisesRegex(RuntimeError, "no value there"):
                call(perp.mcp(faulty, [0, 0], start=[1, 1]))
            self.assertEqual(len(calls), 1)

    def test_a_solver_that_raises_is_the_last_one(self):
        later = []

        @perp.solver("raises-first", ["lcp"])
        def first(problem, start, limits):
            raise KeyboardInterrupt

        @perp.solver("comes-later", ["lcp"])
        def second(problem, start, limits):
            later.append(1)
            return np.zeros(2)

        seen = []
        with self.assertRaises(KeyboardInterrupt):
            perp.solve(perp.lcp(M, Q), "first(raises-first, comes-later, lemke)", observer=lambda record: seen.append(record))
        self.assertEqual((later, seen), ([], []))


class Interpreter(unittest.TestCase):
    def test_other_threads_run_while_one_solves(self):
        problem = perp.generate("contact-pile", 300, 11)
        ticks, done = [], threading.Event()

        def tick():
            while not done.is_set():
                ticks.append(time.perf_counter())
                time.sleep(0.001)

        thread = threading.Thread(target=tick)
        thread.start()
        begun = time.perf_counter()
        perp.solve(problem, "lemke", equilibrate=False)
        ended = time.perf_counter()
        done.set()
        thread.join()
        during = sum(begun < t < ended for t in ticks)
        self.assertGreater(ended - begun, 0.1)  # else it tells nothing
        self.assertGreater(during, 0.2 * (ended - begun) / 0.0012)

    def test_two_threads_solve_at_once(self):
        problem = perp.generate("contact-pile", 40, 2)
        wanted = list(perp.solve(problem).z)
        found = [None] * 4

        def work(k):
            found[k] = list(perp.solve(problem).z)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(found, [wanted] * 4)

    def test_a_callback_may_solve_too(self):
        small = perp.lcp(M, Q)

        def f(z):
            self.assertTrue(perp.solve(small).solved)
            return z - 1.0

        self.assertTrue(perp.solve(perp.mcp(f, [0, 0]), "newton-fb").solved)

        def faulty(z):
            try:
                perp.solve(perp.mcp(lambda y: 1 / 0, [0]), "newton-fb")
            except ZeroDivisionError:
                pass
            raise KeyError("the outer one")

        with self.assertRaisesRegex(KeyError, "the outer one"):
            perp.solve(perp.mcp(faulty, [0, 0]), "newton-fb")

    def test_a_session_is_not_used_twice_at_once(self):
        session = perp.Session("lemke")
        problem = perp.generate("contact-pile", 10)
        with self.assertRaisesRegex(RuntimeError, "this session is solving"):
            session.solve(problem, observer=lambda step: session.solve(problem))
        self.assertTrue(session.solve(problem).solved)

    def test_what_threads_of_a_batch_raise_is_raised(self):
        problems = [perp.mcp(lambda z: 1 / 0, [0]) for _ in range(4)]
        for threads in (1, 2):
            for _ in range(20):  # whichever of the threads comes first
                with self.assertRaises(ZeroDivisionError):
                    perp.solve_many(problems, "newton-fb", threads=threads)
                self.assertTrue(perp.solve(perp.lcp(M, Q)).solved)  # nothing is left over

    def test_what_a_batch_raises_is_not_raised_by_another_thread_of_python(self):
        """Beside batches that raise, another thread solves; and what strategies raise on threads is raised by their call."""
        problems = [perp.mcp(lambda z: 1 / 0, [0]) for _ in range(4)]
        fine, ended, raised, strange = perp.lcp(M, Q), threading.Event(), [], []

        def batches():
            for _ in range(60):
                try:
                    perp.solve_many(problems, "newton-fb", threads=3)
                except ZeroDivisionError:
                    raised.append(1)
            ended.set()

        def others():
            while not ended.is_set():
                try:
                    perp.solve(fine)
                except BaseException as error:  # noqa: BLE001
                    strange.append(error)

        threads = [threading.Thread(target=batches), threading.Thread(target=others)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((len(raised), strange), (60, []))
        for _ in range(20):
            with self.assertRaises(ZeroDivisionError):
                perp.solve(problems[0], "together(newton-fb, josephy-newton)", threads=2)

    def program(self, text):
        """The command of a Python program."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "program.py"
        path.write_text(text)
        return f"{sys.executable} {path}"

    def test_threads_have_a_kept_program_each(self):
        kept = "serve:" + self.program("import sys\nfor line in sys.stdin: print('{\"z\": [2, 0]}', flush=True)\n")
        problems = [perp.lcp(M, Q) for _ in range(40)]
        solved = []
        threads = [threading.Thread(target=lambda: solved.extend(perp.solve(p, kept).solved for p in problems)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(solved, [True] * 120)
        self.assertTrue(all(perp.solve_many(problems, kept, threads=2)))

    def test_few_problems_go_to_all_threads(self):
        """Each of two programs answers only if the other one runs, too."""
        with tempfile.TemporaryDirectory() as folder:
            meet = self.program("import json, pathlib, sys, time\n"
                                f"here = pathlib.Path({folder!r})\n"
                                "(here / json.load(sys.stdin)['name']).touch()\n"
                                "for _ in range(200):\n"
                                "    if len(list(here.iterdir())) == 2: print('{\"z\": [2, 0]}'); break\n"
                                "    time.sleep(0.05)\n")
            problems = [perp.lcp(M, Q, name=name) for name in ("one", "two")]
            self.assertTrue(all(perp.solve_many(problems, f"exec:{meet}", threads=2)))

    def test_ctrl_c_ends_the_wait_for_a_program(self):
        for call in ("perp.solve(p, 'exec:echo started >&2; sleep 600')", "perp.solve(p, 'serve:echo started >&2; sleep 600')",
                     "perp.solve_many([p, p, p], 'exec:echo started >&2; sleep 600', threads=2)"):
            code = ("import perp\n"
                    "p = perp.lcp([[1.0]], [-1.0])\n"
                    "try:\n"
                    f"    {call}\n"
                    "except KeyboardInterrupt:\n"
                    "    print('stopped', perp.solve(p).status, flush=True)\n")
            with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
                self.addCleanup(child.kill)
                self.assertEqual(child.stderr.readline(), "started\n")
                child.send_signal(signal.SIGINT)
                self.assertEqual(child.communicate(timeout=60)[0], "stopped solved\n", call)

    def test_ctrl_c_ends_a_solve_and_not_the_session(self):
        for call in ("perp.solve(p, 'lemke')", "perp.solve_many([p] * 20, 'lemke', threads=2)"):
            code = ("import perp, sys\n"
                    "p = perp.generate('contact-pile', 1500, 11)\n"
                    "print('ready', flush=True)\n"
                    "try:\n"
                    f"    {call}\n"
                    "except KeyboardInterrupt:\n"
                    "    print('stopped', perp.solve(perp.lcp([[1.0]], [-1.0])).status, flush=True)\n")
            with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
                self.addCleanup(child.kill)
                self.assertEqual(child.stdout.readline(), "ready\n")
                time.sleep(0.5)
                child.send_signal(signal.SIGINT)
                self.assertEqual(child.communicate(timeout=60)[0], "stopped solved\n", call)


class TestStartsOfSessions(unittest.TestCase):
    @staticmethod
    def program(rows):
        a = np.vstack([np.eye(3), np.ones((rows - 3, 3))])
        return perp.conic_qp(np.eye(3), [-1.0, -2.0, -3.0], a, np.arange(1.0, rows + 1), [("nonnegative", rows)])

    def test_a_last_dual_of_other_rows_is_left_out(self):
        """One contact more than in the step before."""
        session = perp.Session("interior-point")
        session.solve(self.program(4))
        self.assertTrue(session.solve(self.program(5), start="last").solved)

    def test_a_start_is_finite(self):
        problem = perp.lcp(M, Q)
        for call, text in ((lambda: perp.solve(problem, start=[np.nan, 1]), "start: entry 0 is not finite"),
                           (lambda: perp.solve(problem, "newton-fb", start=[0, np.inf]), "start: entry 1 is not finite"),
                           (lambda: perp.solve(self.program(4), start=np.zeros(3), start_dual=[0, 0, 0, np.nan]),
                            "start_dual: entry 3 is not finite")):
            with self.assertRaisesRegex(ValueError, text):
                call()

        @perp.solver("answers-nan", ["lcp"])
        def nan(problem, start, limits):
            return {"z": [np.nan, 0], "status": "stalled"}

        failed = perp.solve(problem, "answers-nan")
        self.assertFalse(failed.solved)
        with self.assertRaisesRegex(ValueError, "start: the result's z: entry 0 is not finite"):
            perp.solve(problem, start=failed)
        session = perp.Session("answers-nan")
        session.solve(problem)
        self.assertEqual(session.solve(problem, start="last").start, "nothing")

    def test_a_dual_alone_is_no_start(self):
        for start in (None, "zero", perp.solve(self.program(4))):
            with self.assertRaises(ValueError) as caught:
                perp.solve(self.program(4), "interior-point", start=start, start_dual=np.ones(99))
            self.assertIn("start_dual", str(caught.exception))


def solve_in_process(problem):
    return perp.solve(problem)


class TestPickles(unittest.TestCase):
    def assert_same(self, a, b):
        """All that is public is the same, to the last bit; nan is nan."""
        for name in (n for n in dir(a) if not n.startswith("_")):
            x, y = getattr(a, name), getattr(b, name)
            if isinstance(x, perp.Verdict):
                self.assert_same(x, y)
            else:
                np.testing.assert_equal(y, x, name)

    def test_results_survive_whole(self):
        ray = perp.lcp([[0.0, -1.0], [1.0, 0.0]], [-1.0, -1.0])
        many = perp.lcp([[1.0, 2.0], [2.0, 1.0]], [-1.0, -1.0])
        conic = perp.conic_qp(np.eye(2), [1.0, 1.0], -np.eye(2), [0.0, 0.0], [("nonnegative", 2)])
        results = [perp.solve(perp.generate("friction-stack", 8, 3)), perp.solve(ray, "lemke"),
                   perp.solve(many, "enumerate"), perp.solve(conic, "interior-point"),
                   perp.solve(perp.generate("contact-pile", 10, 1), "lemke", max_iterations=3)]
        self.assertIsNotNone(results[1].certificate)
        self.assertEqual(len(results[2].solutions), 3)
        for result in results:
            for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
                self.assert_same(result, again)
        again = pickle.loads(pickle.dumps(results[0]))
        problem = perp.generate("friction-stack", 8, 3)
        self.assertTrue(perp.verify(problem, again))
        self.assertTrue(perp.solve(problem, start=again).solved)

    def test_a_certificate_says_what_it_is_about(self):
        """A ray of the reduced problem has another size than the problem."""
        none = perp.conic_qp([[1.0]], [0.0], [[1.0], [-1.0]], [-1.0, -1.0], [("nonnegative", 2)])
        ray = pickle.loads(pickle.dumps(perp.solve(none, "lemke"))).certificate
        self.assertEqual((ray["reduction"], len(ray["z"])), ("conic_qp as mlcp", 3))
        self.assertNotIn("reduction", perp.solve(none).certificate)

    def test_processes_give_results_back(self):
        problems = [perp.generate("contact-pile", 10, seed) for seed in range(1, 5)]
        with multiprocessing.get_context("fork").Pool(2) as pool:
            found = pool.map(solve_in_process, problems)
        for problem, result in zip(problems, found):
            self.assertEqual(list(result.z), list(perp.solve(problem).z))

    def test_what_is_no_pickle_of_a_result_is_refused(self):
        make, _, state = perp.solve(perp.lcp(M, Q)).__reduce_ex__(2)[:3]
        for wrong in ((), state[:-1], (99, *state[1:]), (state[0], 77, *state[2:]), (*state[:2], "x", *state[3:])):
            with self.assertRaises(ValueError):
                make(perp.Result).__setstate__(wrong)

    def test_states_of_scenes(self):
        state = perp.scene("box-stack").initial_state()
        again = pickle.loads(pickle.dumps(state))
        state.time, again.time = 1.5, 1.5
        self.assert_same(state, again)


if __name__ == "__main__":
    unittest.main()
