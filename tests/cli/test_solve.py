"""perp solve and perp verify: exit codes, the JSON result, certificates, starts, traces and external solvers.

Answers and certificates are checked here in exact arithmetic, with nothing of perp's own.
"""
import csv
import gzip
import json
import os
import shlex
import signal
import subprocess
import sys
import time
import unittest
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import (COLLECTIONS, PERP, CliTestCase, dense_rows, lcp, make_problem, natural_residual,  # noqa: E402
                      parse_json, product, transpose, with_cases)

LCPS = COLLECTIONS / "siconos" / "lcp"
MLCPS = COLLECTIONS / "siconos" / "mlcp"
TOLERANCE = 1e-8


def load(path):
    return json.loads(path.read_text())


class SolveTestCase(CliTestCase):
    def assert_solves(self, problem, z):
        self.assertLessEqual(natural_residual(problem, z), TOLERANCE)

    def export(self, family, size, *arguments):
        """A member of a family as a path."""
        return self.folder / self.succeed("export", family, "--size", size, "-o", self.folder, *arguments).strip()


@with_cases({path.stem: (path,) for path in sorted(LCPS.glob("*.json")) + sorted(MLCPS.glob("*.json"))})
class TestCollections(SolveTestCase):
    """auto on the stored problems: an answer that holds in exact arithmetic and that perp verify confirms."""

    def check(self, path):
        result = self.solve(path)
        self.assertEqual((result["status"], result["claimed"]), ("solved", "solved"))
        self.assertEqual(result["tolerance"], TOLERANCE)
        self.assert_solves(load(path), result["z"])
        answer = self.write("result.json", result)
        verdict = parse_json(self.succeed("verify", path, answer, "--json"))
        self.assertTrue(verdict["solved"])
        self.assertEqual(verdict["residuals"]["natural"], result["residuals"]["natural"])


class TestResult(SolveTestCase):
    def test_members_of_a_solved_lcp(self):
        result = self.solve(lcp(name="two contacts", variables=["left", "right"]))
        self.assertEqual(result["problem"], "two contacts")
        self.assertEqual((result["kind"], result["n"]), ("lcp", 2))
        self.assertEqual((result["status"], result["claimed"]), ("solved", "solved"))
        self.assertEqual(result["z"], [2, 0])
        self.assertIsNone(result["certificate"])
        self.assertIn(result["worst"]["name"], ("left", "right"))
        self.assertEqual([step["status"] for step in result["route"]], ["solved"])
        for name in ("natural", "fischer_burmeister", "normal_map", "complementarity", "floor"):
            self.assertIn(name, result["residuals"])

    def test_same_bits_twice(self):
        path = self.export("contact-stack", 5)
        self.assertEqual(self.solve(path)["z"], self.solve(path)["z"])

    def test_text_output_names_the_status(self):
        self.assertIn("solved", self.succeed("solve", self.write("p.json", lcp())))

    def test_nothing_on_stderr(self):
        self.assertEqual(self.perp("solve", self.write("p.json", lcp()), "--json").stderr, "")

    def test_empty_lcp(self):
        result = self.solve(lcp(n=0, M={"shape": [0, 0], "dense": []}, q=[]))
        self.assertEqual((result["status"], result["z"]), ("solved", []))
        self.assertIsNone(result["worst"]["index"])

    def test_mlcp(self):
        result = self.solve(make_problem("mlcp"))
        self.assertEqual((result["status"], result["z"]), ("solved", [1.25, -0.5]))

    def test_box_qp_itself_and_through_its_reduction(self):
        problem = make_problem("box_qp")
        for solver, shown in (("auto", "gradient-projection"), ("lemke", "lemke on box_qp as mlcp")):
            result = self.solve(problem, "--solver", solver)
            self.assertEqual((result["kind"], result["status"]), ("box_qp", "solved"))
            self.assertEqual(result["z"], [1, 2])
            self.assert_solves(problem, result["z"])
            self.assertEqual(result["route"][0]["solver"], shown)

    def test_linear_conic_qp_through_its_reduction(self):
        problem = make_problem("conic_qp")
        result = self.solve(problem)
        self.assertEqual((result["kind"], result["status"]), ("conic_qp", "solved"))
        x, y = [Fraction(v) for v in result["z"]], [Fraction(v) for v in result["dual"]]
        rows = dense_rows(problem["A"])
        s = [Fraction(b) - a for a, b in zip(product(rows, x), problem["b"])]
        gradient = [sum(t) for t in zip(product(dense_rows(problem["P"]), x), map(Fraction, problem["c"]),
                                        product(transpose(rows), y))]
        self.assertLessEqual(abs(s[0]), TOLERANCE)  # zero cone
        self.assertGreaterEqual(min(s[1:]), -TOLERANCE)
        self.assertGreaterEqual(min(y[1:]), -TOLERANCE)
        self.assertLessEqual(max(map(abs, gradient)), TOLERANCE)
        self.assertLessEqual(abs(sum(a * b for a, b in zip(s, y))), TOLERANCE)
        for name in ("primal", "dual", "gap"):
            self.assertLessEqual(result["residuals"][name], TOLERANCE)
        path = self.folder / "problem.json"
        self.succeed("verify", path, self.write("result.json", result))

    def test_second_order_cones_are_not_for_lemke(self):
        problem = make_problem("conic_qp", cones=[{"type": "second_order", "size": 3}])
        self.assertEqual(self.solve(problem, "--solver", "lemke", code=1)["status"], "unsupported")
        self.assertEqual(self.solve(problem)["status"], "solved")

    def test_unsupported_kind_is_explained(self):
        result = self.solve(make_problem("convex_contact"), "--solver", "lemke", code=1)
        self.assertEqual((result["status"], result["claimed"]), ("unsupported", "unsupported"))
        self.assertIn("convex_contact", result["message"])
        self.assertEqual(result["route"][0]["status"], "unsupported")
        self.assertIsNone(result["certificate"])

    def test_compliant_contact_is_solved_as_it_is_and_as_a_conic_program(self):
        for solver in ("auto", "sap", "polish(interior-point)"):
            result = self.solve(make_problem("convex_contact"), "--solver", solver)
            self.assertEqual(result["status"], "solved")
            for found, known in zip(result["z"], [1.6, 0, -0.2]):
                self.assertAlmostEqual(found, known, 6)

    def test_enumerate_lists_all_solutions(self):
        problem = load(LCPS / "lcp_CPS_3.json")
        result = self.solve(LCPS / "lcp_CPS_3.json", "--solver", "enumerate")
        self.assertEqual(result["solver"], "enumerate")
        expected = [(1 / 90, 2 / 45, 1 / 90, 2 / 45), (1 / 10, 0, 1 / 10, 0), (0, 1 / 15, 0, 1 / 15)]
        self.assertEqual(len(result["solutions"]), 3)
        for solution in expected:
            distance = min(max(abs(a - b) for a, b in zip(solution, z)) for z in result["solutions"])
            self.assertLess(distance, 1e-14)
        for z in result["solutions"]:
            self.assertLess(natural_residual(problem, z), 1e-14)
        self.assertIn(result["z"], result["solutions"])

    def test_enumerate_refuses_a_large_problem(self):
        result = self.solve(self.export("psd", 30), "--solver", "enumerate", code=1)
        self.assertEqual(result["status"], "unsupported")
        self.assertIn("15", result["message"])

    def test_a_strategy_that_refuses_names_the_tolerance(self):
        for arguments, expected in (((), 1e-8), (("--tolerance", "1e-5"), 1e-5)):
            result = self.solve(lcp(), "--solver", "polish(start)", *arguments, code=1)
            self.assertEqual((result["status"], result["tolerance"]), ("unsupported", expected))


class TestCertificates(SolveTestCase):
    def check_farkas(self, path):
        """y >= 0, M'y <= 0 up to rounding, q'y < 0: no z >= 0 has Mz + q >= 0."""
        result = self.solve(path, code=1)
        self.assertEqual(result["status"], "infeasible")
        self.assertEqual((result["certificate"]["type"], result["certificate"]["checked"]), ("farkas", True))
        problem, y = load(path), result["certificate"]["y"]
        self.assertEqual(len(y), problem["n"])
        self.assertGreaterEqual(min(y), 0)
        self.assertGreater(max(y), 0)
        rows = dense_rows(problem["M"])
        largest = max(abs(value) for row in rows for value in row) * Fraction(max(y))
        self.assertLessEqual(max(product(transpose(rows), y)), largest * Fraction(1e-12))
        self.assertLess(sum(Fraction(a) * Fraction(b) for a, b in zip(problem["q"], y)), 0)

    def test_infeasible_family_size_4(self):
        self.check_farkas(self.export("infeasible", 4))

    def test_infeasible_family_size_20(self):
        self.check_farkas(self.export("infeasible", 20, "--seed", "7"))

    def test_infeasible_by_hand(self):
        self.check_farkas(self.write("p.json", lcp(M={"shape": [2, 2], "dense": [[-1, 0], [0, 1]]}, q=[-1, 1])))

    def test_ray_of_lemke(self):
        result = self.solve(LCPS / "lcp_CPS_3.json", "--solver", "lemke", code=1)
        self.assertEqual((result["status"], result["certificate"]["type"]), ("ray", "ray"))
        z, t = [Fraction(v) for v in result["certificate"]["z"]], Fraction(result["certificate"]["t"])
        w = [value + t for value in product(dense_rows(load(LCPS / "lcp_CPS_3.json")["M"]), z)]
        self.assertGreater(max(max(z), t), 0)
        self.assertGreaterEqual(min(min(z), min(w), t), 0)
        self.assertEqual(sum(a * b for a, b in zip(z, w)), 0)

    def test_ray_is_left_by_auto(self):
        result = self.solve(LCPS / "lcp_CPS_3.json")
        self.assertEqual(result["status"], "solved")
        self.assertEqual(result["route"][0]["status"], "ray")
        self.assertGreater(len(result["route"]), 1)
        self.assertIsNone(result["certificate"])

    def test_no_solution(self):
        result = self.solve(self.export("no-solution", 8), code=1)
        self.assertIn(result["status"], ("ray", "stalled"))


class TestInput(SolveTestCase):
    def test_standard_input(self):
        text = json.dumps(lcp())
        self.assertEqual(self.solve("-", stdin=text)["z"], [2, 0])

    def test_standard_input_compressed(self):
        self.assertEqual(self.solve("-", stdin=gzip.compress(json.dumps(lcp()).encode()))["z"], [2, 0])

    def test_compressed_file(self):
        path = self.write("p.json.gz", gzip.compress(json.dumps(lcp()).encode()))
        self.assertEqual(self.solve(path)["z"], [2, 0])

    def test_siconos_text(self):
        result = self.solve(COLLECTIONS / "siconos" / "text" / "lcp_deudeu.dat")
        self.assertEqual((result["problem"], result["status"]), ("lcp_deudeu", "solved"))

    def check_restart(self, path):
        """No pivot is needed from the basis of the result, and auto needs no method: it polishes the start."""
        first = self.solve(path, "--solver", "lemke")
        self.assertGreater(first["iterations"], 0)
        start = self.write("result.json", first)
        again = self.solve(path, "--solver", "lemke", "--start", start)
        self.assertEqual((again["status"], again["iterations"]), ("solved", 0))
        self.assert_solves(load(path), again["z"])
        polished = self.solve(path, "--start", start)
        self.assertEqual([(step["solver"], step["status"]) for step in polished["route"]], [("polish", "solved")])
        self.assertLessEqual(polished["iterations"], 1)
        self.assert_solves(load(path), polished["z"])

    def test_start_from_the_result_of_an_lcp(self):
        self.check_restart(LCPS / "lcp_mmc.json")

    def test_start_from_the_result_of_an_mlcp(self):
        self.check_restart(MLCPS / "relay1.json")

    def test_start_from_the_result_of_a_degenerate_contact_problem(self):
        self.check_restart(self.export("contact-stack", 5))

    def test_start_stored(self):
        result = self.solve(lcp(start=[2, 0]), "--start", "stored")
        self.assertEqual((result["status"], result["iterations"], result["z"]), ("solved", 0, [2, 0]))

    def test_start_zero(self):
        self.assertEqual(self.solve(lcp(start=[2, 0]), "--start", "zero")["z"], [2, 0])


class TestSettings(SolveTestCase):
    def test_refactor_always_changes_nothing(self):
        for path in (LCPS / "lcp_mmc.json", MLCPS / "relay1.json", self.export("contact-pile", 5)):
            with self.subTest(path.stem):
                usual = self.solve(path, "--solver", "lemke")
                slow = self.solve(path, "--solver", "lemke", "--set", "refactor_always=true")
                self.assertGreater(slow["statistics"]["factorisations"], usual["statistics"]["factorisations"])
                scale = max(map(abs, usual["z"]))
                for a, b in zip(usual["z"], slow["z"]):
                    self.assertLessEqual(abs(a - b), 1e-12 * scale)

    def test_set_repeated(self):
        result = self.solve(lcp(), "--set", "row_tolerance=1e-9", "--set", "equilibrate=false")
        self.assertEqual(result["z"], [2, 0])

    def test_iteration_limit(self):
        result = self.solve(LCPS / "lcp_mmc.json", "--solver", "lemke", "--max-iterations", "1", code=1)
        self.assertEqual((result["status"], result["claimed"]), ("iteration_limit", "iteration_limit"))
        self.assertEqual(result["iterations"], 1)

    def test_time_limit(self):
        result = self.solve(self.export("murty", 30), "--solver", "lemke", "--time-limit", "0.2", code=1)
        self.assertEqual(result["status"], "time_limit")
        self.assertLess(result["iterations"], 2**29)  # of 2^30 - 1

    def test_interrupt(self):
        path = self.export("murty", 30)
        with subprocess.Popen([PERP, "solve", path, "--solver", "lemke", "--json"], stdout=subprocess.PIPE) as process:
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGINT)
        result = parse_json(output.decode())
        self.assert_valid(result, "result")
        self.assertEqual(result["status"], "interrupted")

    def test_looser_tolerance_is_used_by_the_verifier(self):
        path = self.write("p.json", lcp())
        answer = self.write("result.json", {"z": [2 + 1e-4, 0]})
        self.assertEqual(self.perp("verify", path, answer).returncode, 1)
        self.assertEqual(self.perp("verify", path, answer, "--tolerance", "1e-3").returncode, 0)
        self.assertEqual(self.solve(path, "--tolerance", "1e-3")["tolerance"], 1e-3)

    def test_an_exact_answer_meets_any_tolerance(self):
        path = self.write("p.json", lcp())
        answer = self.write("result.json", {"z": [2, 0]})
        self.assertEqual(self.perp("verify", path, answer, "--tolerance", "0").returncode, 0)
        self.assertEqual(self.solve(path, "--tolerance", "0")["residuals"]["natural"], 0)

    def test_tolerance_below_the_floor_is_not_granted_by_luck(self):
        result = self.solve(LCPS / "lcp_mmc.json", "--tolerance", "0", code=1)
        self.assertNotEqual(result["status"], "solved")
        self.assertGreater(result["residuals"]["natural"], 0)


class TestTrace(SolveTestCase):
    def trace(self, path, *arguments, code=0):
        out = self.folder / "trace.csv"
        result = self.solve(path, "--trace", out, *arguments, code=code)
        with open(out, newline="") as file:
            return result, list(csv.DictReader(file))

    def test_one_row_per_iteration(self):
        result, rows = self.trace(LCPS / "lcp_mmc.json")
        self.assertGreater(result["iterations"], 10)
        self.assertEqual([int(row["iteration"]) for row in rows], list(range(1, result["iterations"] + 1)))

    def test_rows_are_complete(self):
        _, rows = self.trace(MLCPS / "relay1.json")
        for row in rows:
            self.assertNotIn(None, row)
            self.assertNotIn(None, row.values())

    def test_trace_of_a_failure(self):
        result, rows = self.trace(self.export("murty", 20), "--solver", "lemke", "--max-iterations", "50", code=1)
        self.assertEqual((result["status"], len(rows)), ("iteration_limit", 50))


class TestVerify(SolveTestCase):
    def test_what_is_no_number_solves_nothing(self):
        """Results of programs that answer NaN have null in z."""
        code, verdict = self.verify(lcp(), [2, None])
        self.assertEqual((code, verdict["solved"], verdict["message"]), (1, False, "the answer's z[1] is no number"))
        done = self.perp("solve", self.write("p.json", lcp()), "--json", "--solver",
                         """exec:echo '{"status": "solved", "z": [2, null]}'""")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.perp("verify", self.write("p.json", lcp()), self.write("r.json", done.stdout)).returncode, 1)

    def verify(self, problem, z, *arguments):
        done = self.perp("verify", self.write("p.json", problem), self.write("r.json", {"z": z}), "--json", *arguments)
        return done.returncode, parse_json(done.stdout)

    def test_lengths_are_told_of_the_field_in_the_file(self):
        for kind in ("lcp", "mcp", "friction_contact", "convex_contact"):
            path = self.write("p.json", make_problem(kind) if kind != "lcp" else lcp())
            done = self.perp("verify", path, self.write("r.json", {"z": [1, 2, 3, 4]}))
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
            self.assertIn('r.json: field "z": length is 4', done.stderr)

    def test_a_result_without_an_answer_is_judged(self):
        path = self.write("p.json", lcp())
        done = self.perp("solve", path, "--solver", "sap", "--json")
        self.assertEqual((done.returncode, parse_json(done.stdout)["z"]), (1, []))
        done = self.perp("verify", path, self.write("r.json", done.stdout))
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("the result has no z", done.stdout)

    def test_where_a_part_of_the_function_is_infinite_nothing_is_vacuous(self):
        """max(log z, 1) at z = 0."""
        graph = {"nodes": [["var", 0], ["log", 0], ["const", 1], ["max", 1, 2]], "outputs": [3]}
        code, verdict = self.verify(make_problem("mcp", n=1, graph=graph, lower=[0], upper=["inf"]), [0])
        self.assertEqual((code, verdict["solved"], verdict["vacuous"]), (1, False, "no"))
        self.assertIn("infinite at the answer", verdict["message"])

    def test_right(self):
        code, verdict = self.verify(lcp(), [2, 0])
        self.assertEqual((code, verdict["solved"], verdict["residuals"]["natural"]), (0, True, 0))

    def test_wrong(self):
        code, verdict = self.verify(lcp(variables=["left", "right"]), [2, 1])
        self.assertEqual((code, verdict["solved"], verdict["residuals"]["natural"]), (1, False, 1))
        self.assertIn(verdict["worst"]["name"], ("left", "right"))

    def test_infeasible_point(self):
        self.assertEqual(self.verify(lcp(q=[1, 1]), [-1e-6, 0])[0], 1)

    def test_natural_residual_agrees_with_exact_arithmetic(self):
        problem = make_problem("mlcp")
        for z in ([0, 0], [1, -0.25], [1.25, -0.5], [-3, 0.5], [1e6, 0.125]):
            with self.subTest(z):
                self.assertAlmostEqual(self.verify(problem, z)[1]["residuals"]["natural"],
                                       natural_residual(problem, z), delta=1e-15 * max(1, abs(z[0])))

    def test_claim_in_the_result_counts_for_nothing(self):
        path = self.write("p.json", lcp())
        result = self.solve(path)
        result["z"] = [2, 1]
        self.assertEqual(self.perp("verify", path, self.write("r.json", result)).returncode, 1)

    def test_mcp(self):
        self.assertEqual(self.verify(make_problem("mcp"), [2, 0])[0], 0)
        self.assertEqual(self.verify(make_problem("mcp"), [2, 1])[0], 1)

    def test_friction_contact(self):
        self.assertEqual(self.verify(make_problem("friction_contact"), [1, -0.5, 0])[0], 0)
        self.assertEqual(self.verify(make_problem("friction_contact"), [1, 0.5, 0])[0], 1)

    def test_convex_contact(self):
        self.assertEqual(self.verify(make_problem("convex_contact"), [1.6, 0, -0.2])[0], 0)
        self.assertEqual(self.verify(make_problem("convex_contact"), [1.6, 0.1, -0.2])[0], 1)


def is_running(pid):
    """Whether there is such a process, other than one that has ended and waits to be counted."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


PROJECTED_GAUSS_SEIDEL = """
import json, sys
problem = json.load(sys.stdin)
n, q, m = problem["n"], problem["q"], problem["M"]
rows = m.get("dense") or [[0.0] * n for _ in range(n)]
if "dense" not in m:
    for i, j, value in zip(m["row"], m["col"], m["value"]):
        rows[i][j] += value
z, sweeps = [0.0] * n, 0
while sweeps < 10000:
    sweeps += 1
    change = 0.0
    for i in range(n):
        w = q[i] + sum(a * x for a, x in zip(rows[i], z))
        step = max(0.0, z[i] - w / rows[i][i]) - z[i]
        z[i] += step
        change = max(change, abs(step))
    if change < 1e-13:
        break
print(json.dumps({"status": "solved", "z": z, "iterations": sweeps, "message": "swept"}))
"""


class TestStoredStart(SolveTestCase):
    """A start that comes with a problem is used unless --start zero says otherwise, whatever it is written in."""

    # x^3 + x = 10, whose derivative is nowhere 0.
    CUBIC = {"graph": {"nodes": [["var", 0], ["mul", 0, 0], ["mul", 0, 1], ["add", 2, 0], ["const", 10], ["sub", 3, 4]],
                       "outputs": [5], "parameters": []},
             "lower": ["-inf"], "upper": ["inf"], "n": 1}

    def check(self, path, iterations):
        stored = self.solve(path, "--solver", "newton-fb")
        self.assertEqual((stored["start"], stored["iterations"]), ("stored", iterations))
        self.assertEqual(self.solve(path, "--solver", "newton-fb", "--start", "stored")["iterations"], iterations)
        zero = self.perp("solve", path, "--solver", "newton-fb", "--start", "zero", "--json")
        zero = parse_json(zero.stdout)
        self.assertEqual(zero["start"], "nothing")
        self.assertNotEqual(zero["iterations"], iterations)
        self.assertEqual(self.solve(path)["start"], "stored")
        self.assertIn("start         stored", self.succeed("solve", path))

    def test_json(self):
        self.check(self.write("a.json", lcp(start=[2, 0])), 0)

    def test_modelling_languages(self):
        source = self.write("cubic.json", make_problem("mcp", self.CUBIC, start=[2]))
        for name in ("cubic.mof.json", "cubic.nl"):
            self.succeed("convert", source, self.folder / name)
            self.check(self.folder / name, 0)

    def test_a_sequence(self):
        header = {"format": "perp-sequence", "version": 1, "name": "by hand"}
        path = self.write("s.jsonl", "".join(json.dumps(line) + "\n" for line in (header, lcp(name="a", start=[2, 0]), lcp(name="b"))))
        self.succeed("bench", path, "--solvers", "newton-fb", "--start", "stored", "-o", self.folder / "out")
        records = [parse_json(line) for line in (self.folder / "out" / "records.jsonl").read_text().splitlines()]
        self.assertEqual([(r["started_from"], r["iterations"] == 0) for r in records], [("stored", True), ("nothing", False)])

    def test_a_program_gets_it(self):
        echo = "exec:python3 -c 'import json, sys; print(json.dumps({\"z\": json.load(sys.stdin).get(\"start\", [9, 9])}))'"
        path = self.write("a.json", lcp(start=[2, 0]))
        self.assertEqual(self.solve(path, "--solver", echo)["z"], [2, 0])
        self.assertEqual(self.solve(path, "--solver", echo, "--start", "zero", code=1)["z"], [9, 9])
        other = self.write("z.json", {"z": [2, 0.5]})
        self.assertEqual(self.solve(path, "--solver", echo, "--start", other, code=1)["start"], "given")

    def test_a_method_that_makes_no_use_of_it(self):
        self.assertEqual(self.solve(lcp(start=[1, 1]), "--solver", "enumerate")["start"], "nothing")


class TestWords(SolveTestCase):
    """What went wrong, and where, in words."""

    CONTACTS = [{"name": "c0", "body_a": "box", "body_b": "ground"}, {"name": "c1", "body_a": "box", "body_b": "wall"}]

    def test_a_failure_names_the_contact(self):
        problem = make_problem("friction_contact", n=6, mu=[0.5, 0.5], q=[1, 0, 0, -1, 0.5, 0], contacts=self.CONTACTS,
                               W={"shape": [6, 6], "dense": [[float(i == j) for j in range(6)] for i in range(6)]})
        path = self.write("a.json", problem)
        answer = self.write("z.json", {"z": [0] * 6})
        done = self.perp("verify", path, answer)
        self.assertEqual(done.returncode, 1)
        self.assertIn("worst at z[3] (c1, contact of box and wall)", done.stdout)
        worst = parse_json(self.perp("verify", path, answer, "--json").stdout)["worst"]
        self.assertEqual(worst["contact"], {"index": 1, "name": "c1", "bodies": ["box", "wall"]})
        wrong = "exec:echo '{\"z\": [0, 0, 0, 0, 0, 0]}'"
        self.assertIn("(c1, contact of box and wall)", self.perp("solve", path, "--solver", wrong).stdout)
        self.assertEqual(self.solve(path, "--solver", wrong, code=1)["worst"]["contact"]["index"], 1)

    def test_unknowns_named_after_contacts(self):
        problem = lcp(variables=["c0.normal", "c1.normal"], contacts=self.CONTACTS)
        done = self.perp("verify", self.write("a.json", problem), self.write("z.json", {"z": [2.5, -1]}))
        self.assertIn("worst at c1.normal (contact of box and wall)", done.stdout)

    def test_the_route_has_settings_and_residual(self):
        [path] = self.succeed("export", "nonmonotone", "--size", "20", "--seed", "3", "-o", self.folder).split()
        options = ("--max-iterations", "3", "--tolerance", "1e-10")
        result = self.solve(path, *options, code=1)
        tries = [step for step in result["route"] if "covering=random:1" in step["settings"]]
        self.assertGreater(len(tries), 0)
        self.assertTrue(all(isinstance(step["measure"], float) for step in tries))
        measures = [step["measure"] for step in result["route"] if step["measure"] is not None]
        self.assertEqual(min(measures), result["residuals"]["natural"])
        text = self.perp("solve", path, *options).stdout
        self.assertRegex(text, r"\n  tries +\d+, in this order:\n")
        self.assertRegex(text, r"\n    lemke from zero covering=random:1: [^\n]*residual \d")

    def test_a_refusal_tells_why_and_what_would_help(self):
        path = self.write("a.json", make_problem("friction_contact"))
        done = self.perp("solve", path, "--solver", "lemke")
        self.assertEqual(done.returncode, 1)
        self.assertIn("not friction_contact; --set reduction=pyramid states it as lcp, approximately", done.stdout)


class TestExternalSolvers(SolveTestCase):
    """--solver exec:COMMAND: whatever the program says or does, only the verifier's word counts."""

    def run_program(self, text, problem=None, *arguments, code=1):
        program = self.write("program.py", text)
        command = f"exec:{shlex.quote(sys.executable)} {shlex.quote(str(program))}"
        result = self.solve(problem or lcp(), "--solver", command, *arguments, code=code)
        self.assertEqual(result["solver"], command)
        return result

    def run_shell(self, command, *arguments, code=1):
        return self.solve(lcp(), "--solver", f"exec:{command}", *arguments, code=code)

    def print_result(self, **result):
        return f"import sys\nsys.stdin.read()\nprint({json.dumps(result)!r})\n"

    def test_projected_gauss_seidel(self):
        path = self.export("fathi", 4)
        for problem in (lcp(), load(LCPS / "lcp_trivial.json"), load(path)):
            with self.subTest(problem["name"]):
                result = self.run_program(PROJECTED_GAUSS_SEIDEL, problem, code=0)
                self.assertEqual((result["status"], result["claimed"]), ("solved", "solved"))
                self.assertEqual(result["message"], "swept")
                self.assertGreater(result["iterations"], 1)
                self.assert_solves(problem, result["z"])

    def test_claims_solved_with_a_wrong_answer(self):
        result = self.run_program(self.print_result(status="solved", z=[0, 0]))
        self.assertEqual((result["status"], result["claimed"]), ("wrong", "solved"))
        self.assertEqual(result["residuals"]["natural"], 4)

    def test_claims_solved_with_an_answer_just_off_the_tolerance(self):
        self.assertEqual(self.run_program(self.print_result(status="solved", z=[2 + 1e-7, 0]))["status"], "wrong")

    def test_setting_of_the_solver_does_not_loosen_the_verifier(self):
        result = self.run_program(self.print_result(status="solved", z=[1.9, 0]), lcp(), "--tolerance", "1e-8",
                                  "--set", "tolerance=1")
        self.assertEqual((result["status"], result["tolerance"]), ("wrong", 1e-8))

    def test_claims_stalled_with_the_right_answer(self):
        result = self.run_program(self.print_result(status="stalled", z=[2, 0]), code=0)
        self.assertEqual((result["status"], result["claimed"]), ("solved", "stalled"))

    def test_claims_infeasible_with_the_right_answer(self):
        result = self.run_program(self.print_result(status="infeasible", z=[2, 0]), code=0)
        self.assertEqual((result["status"], result["claimed"]), ("solved", "infeasible"))

    def test_claims_infeasible_without_a_proof(self):
        for claim in ({}, {"certificate": {"type": "farkas", "y": [1, 1]}}, {"certificate": {"type": "farkas", "y": [1]}}):
            with self.subTest(claim=claim):
                result = self.run_program(self.print_result(status="infeasible", z=[0, 0], **claim))
                self.assertEqual((result["status"], result["claimed"]), ("stalled", "infeasible"))
                self.assertIn("claims that there is no solution", result["message"])

    def test_claims_infeasible_where_a_solution_is_known(self):
        result = self.run_program(self.print_result(status="infeasible", z=[0, 0]), lcp(solution={"z": [2, 0]}))
        self.assertEqual((result["status"], result["claimed"]), ("wrong", "infeasible"))

    def test_claims_infeasible_with_a_proof(self):
        nowhere = lcp(M={"shape": [2, 2], "dense": [[-1, 0], [0, -1]]}, q=[-1, -1])
        claim = {"status": "infeasible", "z": [0, 0], "certificate": {"type": "farkas", "y": [1, 1]}}
        result = self.run_program(self.print_result(**claim), nowhere)
        self.assertEqual((result["status"], result["certificate"]["checked"]), ("infeasible", True))

    def test_claims_infeasible_with_a_proof_that_holds_only_near(self):
        far = lcp(M={"shape": [2, 2], "dense": [[1e-11, 0], [0, 1]]}, q=[-1, 1])  # z = (1e11, 0)
        claim = {"status": "infeasible", "z": [0, 0], "certificate": {"type": "farkas", "y": [1, 0], "checked": True}}
        result = self.run_program(self.print_result(**claim), far)
        self.assertEqual((result["status"], result["certificate"]["checked"]), ("excluded", False))
        self.assertAlmostEqual(result["certificate"]["radius"], 1e11, delta=1e3)

    def test_claims_a_status_that_does_not_exist(self):
        self.assertNotEqual(self.run_program(self.print_result(status="optimal", z=[0, 0]))["status"], "solved")

    def test_says_nothing_but_z(self):
        self.assertEqual(self.run_program(self.print_result(z=[2, 0]), code=0)["status"], "solved")

    def test_answer_of_the_wrong_length(self):
        result = self.run_program(self.print_result(status="solved", z=[2, 0, 0]))
        self.assertEqual(result["status"], "wrong")
        self.assertIn("length", result["message"])

    def test_answer_with_text_in_it(self):
        result = self.run_program(self.print_result(status="solved", z=["2", 0]))
        self.assertEqual(result["status"], "numerical_error")
        self.assertIn("z", result["message"])

    def test_members_that_mean_nothing(self):
        for member, value in (("status", "converged"), ("status", 3), ("iterations", -5), ("iterations", 99999999999),
                              ("iterations", 2.5), ("iterations", "many")):
            result = self.run_program(self.print_result(**{"z": [2, 0], member: value}))
            self.assertEqual(result["status"], "numerical_error", (member, value))
            self.assertIn(f'"{member}"', result["message"])
        self.assertEqual(self.run_program(self.print_result(z=[2, 0], iterations=3.0), code=0)["iterations"], 3)

    def test_answer_with_nan(self):
        result = self.run_program('print(\'{"status": "solved", "z": [NaN, 0]}\')')
        self.assertEqual(result["status"], "numerical_error")
        self.assertIn("JSON", result["message"])

    def test_prints_garbage(self):
        result = self.run_program("print('Segmentation fault (core dumped)')")
        self.assertEqual(result["status"], "numerical_error")
        self.assertIn("JSON", result["message"])

    def test_prints_binary_garbage(self):
        result = self.run_program("import sys\nsys.stdout.buffer.write(bytes(range(256)) * 100)")
        self.assertEqual(result["status"], "numerical_error")

    def test_prints_nothing(self):
        result = self.run_program("")
        self.assertEqual(result["status"], "numerical_error")
        self.assertNotEqual(result["message"], "")

    def test_prints_a_log_before_the_result(self):
        result = self.run_program("print('iteration 1')\n" + self.print_result(status="solved", z=[2, 0]))
        self.assertEqual(result["status"], "numerical_error")

    def test_writes_to_stderr(self):
        result = self.run_program("import sys\nprint('log', file=sys.stderr)\n" + self.print_result(z=[2, 0]), code=0)
        self.assertEqual(result["status"], "solved")

    def test_crashes(self):
        result = self.run_shell("kill -SEGV $$")
        self.assertEqual(result["status"], "numerical_error")
        self.assertIn("signal 11", result["message"])

    def test_ends_with_an_exit_code(self):
        result = self.run_shell("exit 3")
        self.assertEqual(result["status"], "numerical_error")
        self.assertIn("3", result["message"])

    def test_does_not_exist(self):
        result = self.run_shell("/nonexistent/solver 2>/dev/null")
        self.assertEqual(result["status"], "numerical_error")
        self.assertIn("127", result["message"])

    def hang(self, command, limit=0.3):
        before = time.monotonic()
        result = self.run_shell(command, "--time-limit", limit)
        self.assertLess(time.monotonic() - before, limit + 2)
        self.assertEqual(result["status"], "time_limit")

    def test_hangs(self):
        self.hang("sleep 60", limit=1)

    def test_hangs_and_leaves_nothing_running(self):
        pids = self.folder / "pids"
        self.hang(f"echo $$ > {pids}; sleep 60 & echo $! >> {pids}; wait")
        # A killed process ends when it is next given the processor; one that was not killed sleeps for a minute.
        end = time.monotonic() + 20
        for pid in map(int, pids.read_text().split()):
            while is_running(pid) and time.monotonic() < end:
                time.sleep(0.01)
            self.assertFalse(is_running(pid), "a process outlived its time limit")

    def test_hangs_in_a_grandchild(self):
        self.hang("sleep 60 | cat")

    def test_hangs_after_closing_its_output(self):
        self.hang("exec >&-; exec sleep 60")

    def test_hangs_on_after_its_answer(self):
        self.hang("echo '{\"z\": [0, 0]}'; sleep 60")

    def test_hangs_and_ignores_signals(self):
        self.hang("trap '' INT TERM HUP XCPU; sleep 60; sleep 60")

    def test_ignores_its_input(self):
        """A program may answer without reading, even a problem larger than a pipe holds."""
        large = lcp(source={"noise": ["0123456789abcdef"] * 20000})
        result = self.run_program('print(\'{"status": "solved", "z": [2, 0]}\')', large, code=0)
        self.assertEqual(result["status"], "solved")

    def test_closes_its_input(self):
        large = lcp(source={"noise": ["0123456789abcdef"] * 20000})
        result = self.run_program('import os\nos.close(0)\nprint(\'{"z": [2, 0]}\')', large, code=0)
        self.assertEqual(result["status"], "solved")

    def test_receives_the_problem_bit_for_bit(self):
        problem = lcp(q=[-0.1, 5e-324], M={"shape": [2, 2], "dense": [[0.1, 0], [0, 1]]})
        program = ("import json, sys\nproblem = json.load(sys.stdin)\n"
                   "good = problem['q'] == [-0.1, 5e-324] and problem['M']['dense'] == [[0.1, 0], [0, 1]]\n"
                   "print(json.dumps({'z': [1, 0] if good else [0, 0]}))\n")
        self.assertEqual(self.run_program(program, problem, code=0)["z"], [1, 0])

    def test_conic_qp_with_dual(self):
        problem = make_problem("conic_qp", P={"shape": [2, 2], "dense": [[0, 0], [0, 0]]}, c=[1, 0],
                               A={"shape": [4, 2], "dense": [[0, 1], [-1, 0], [0, -1], [0, 0]]}, b=[3, 0, 0, 4],
                               cones=[{"type": "zero", "size": 1}, {"type": "second_order", "size": 3}])
        right = self.run_program(self.print_result(z=[5, 3], dual=[-0.6, 1, -0.6, -0.8]), problem, code=0)
        self.assertEqual((right["status"], right["dual"]), ("solved", [-0.6, 1, -0.6, -0.8]))
        without = self.run_program(self.print_result(z=[5, 3]), problem)
        self.assertEqual(without["status"], "wrong")

    def test_times_of_its_own_replace_the_duration_of_the_call(self):
        program = "import time\ntime.sleep(0.3)\n" + self.print_result(z=[2, 0], times={"setup": 0.25, "solve": 0.0625})
        result = self.run_program(program, code=0)
        self.assertEqual(result["times"], {"setup": 0.25, "solve": 0.0625, "own": True})
        self.assertEqual(result["route"][0]["time"], 0.3125)

    def test_times_that_cannot_be_are_not_taken(self):
        for times in ({"setup": 0, "solve": -1}, {"solve": 1}, {"setup": 0, "solve": None}, [0, 1], "fast"):
            with self.subTest(times):
                result = self.run_program(self.print_result(z=[2, 0], times=times), code=0)
                self.assertNotIn("own", result["times"])
                self.assertGreater(result["times"]["solve"], 0.0)

    def test_null_in_the_answer_is_no_number(self):
        result = self.run_program(self.print_result(status="solved", z=[None, 0]))
        self.assertEqual((result["status"], result["claimed"]), ("numerical_error", "solved"))
        self.assertEqual((result["z"], result["message"]), ([None, 0], "its answer has numbers that are not finite"))

    def test_no_answer_with_another_status(self):
        result = self.run_program(self.print_result(status="unsupported", message="asks for a symmetric M"), lcp(q=[0, 0]))
        self.assertEqual((result["status"], result["message"]), ("unsupported", "asks for a symmetric M"))
        self.assertEqual(self.run_program(self.print_result(status="solved"))["status"], "numerical_error")

    def test_a_repeat_that_crashes_leaves_no_time(self):
        """The second of two solves crashes: the first answer stands, and only its time counts."""
        marker = self.folder / "marker"
        program = (f"import os, signal\nif os.path.exists({str(marker)!r}):\n    os.kill(os.getpid(), signal.SIGABRT)\n"
                   f"open({str(marker)!r}, 'w')\nprint('{{\"z\": [2, 0]}}')\n")
        command = f"exec:exec {shlex.quote(sys.executable)} {shlex.quote(str(self.write('program.py', program)))}"
        record = self.bench(command, "--repeat", "2")
        self.assertEqual((record["outcome"], len(record["times"]["solve_all"])), ("solved", 1))

    def bench(self, solver, *arguments):
        """The one record of perp bench, checked against the schema."""
        path = self.write("problem.json", lcp())
        self.succeed("bench", path, "--solvers", solver, "-o", self.folder / "records", "--overwrite", *arguments)
        record = parse_json((self.folder / "records" / "records.jsonl").read_text())
        self.assert_valid(record, "record")
        return record

    def test_record_of_a_crash(self):
        record = self.bench("exec:kill -SEGV $$")
        self.assertEqual((record["outcome"], record["statistics"]["signal"]), ("crashed", signal.SIGSEGV))
        self.assertIn("signal 11", record["message"])

    def test_record_of_times_of_its_own(self):
        program = self.write("program.py", self.print_result(z=[2, 0], times={"setup": 1, "solve": 2}))
        record = self.bench(f"exec:{shlex.quote(sys.executable)} {shlex.quote(str(program))}", "--repeat", "3")
        times = record["times"]
        self.assertEqual((record["outcome"], times["own"], times["setup"], times["solve"]), ("solved", True, 1, 2))
        self.assertEqual(times["solve_all"], [2, 2, 2])
        self.assertLess(times["wall"], 10)
        self.assertNotIn("own", self.bench("lemke")["times"])

    def test_finds_tolerance_and_limits_in_its_environment(self):
        program = ("import json, os\nnames = ('PERP_TOLERANCE', 'PERP_TIME_LIMIT', 'PERP_MAX_ITERATIONS')\n"
                   "print(json.dumps({'z': [2, 0], 'message': ' '.join(os.environ[name] for name in names)}))\n")
        result = self.run_program(program, None, "--tolerance", "1e-9", "--time-limit", "20", "--max-iterations", "7", code=0)
        tolerance, limit, iterations = map(float, result["message"].split())
        self.assertEqual((tolerance, iterations), (1e-9, 7))
        self.assertAlmostEqual(limit, 20, 1)  # what is left of it

    def test_friction_contact(self):
        problem = make_problem("friction_contact")
        self.assertEqual(self.run_program(self.print_result(z=[1, -0.5, 0]), problem, code=0)["status"], "solved")
        self.assertEqual(self.run_program(self.print_result(z=[1, 0, 0]), problem)["status"], "wrong")


class TestExitCodes(SolveTestCase):
    def test_solved_is_0(self):
        self.assertEqual(self.perp("solve", self.write("p.json", lcp())).returncode, 0)

    def test_not_solved_is_1(self):
        self.assertEqual(self.perp("solve", LCPS / "lcp_mmc.json", "--max-iterations", "1").returncode, 1)

    def test_bad_input_is_2(self):
        self.assertEqual(self.perp("solve", self.write("p.json", "{")).returncode, 2)


if __name__ == "__main__":
    unittest.main()
