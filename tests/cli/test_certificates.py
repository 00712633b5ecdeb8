"""Certificates in results: perp verify judges them on the problem as posed, whoever made them."""
import itertools
import os
import random
import sys
import unittest
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import CliTestCase, dense_rows, lcp, make_problem, parse_json, product, transpose, with_cases  # noqa: E402

NONE = {"M": {"shape": [2, 2], "dense": [[-1, 0], [0, 1]]}, "q": [-1, 1]}  # -z_0 - 1 >= 0 has no z_0 >= 0
INSIDE_OUT = {"n": 1, "P": {"shape": [1, 1], "dense": [[1]]}, "c": [0], "A": {"shape": [2, 1], "dense": [[1], [-1]]},
              "b": [-1, -1], "cones": [{"type": "nonnegative", "size": 2}]}  # x <= -1 and x >= 1
FALLS = {"n": 1, "P": {"shape": [1, 1], "dense": [[0]]}, "c": [-1], "A": {"shape": [1, 1], "dense": [[-1]]}, "b": [0],
         "cones": [{"type": "nonnegative", "size": 1}]}  # min -x, x >= 0


def has_feasible_point(rows, q):
    """Whether some z >= 0 has Mz + q >= 0: then a corner does. In fractions, three unknowns."""
    walls = [(row, -Fraction(c)) for row, c in zip(rows, q)] + [([Fraction(i == j) for j in range(3)], Fraction(0)) for i in range(3)]

    def det(a, b, c):
        return sum(a[i] * (b[(i + 1) % 3] * c[(i + 2) % 3] - b[(i + 2) % 3] * c[(i + 1) % 3]) for i in range(3))

    for chosen in itertools.combinations(walls, 3):
        columns, side = transpose([row for row, _ in chosen]), [value for _, value in chosen]
        whole = det(*columns)
        if whole == 0:
            continue
        z = [det(*(side if k == j else column for k, column in enumerate(columns))) / whole for j in range(3)]
        if all(product([row], z)[0] >= value for row, value in walls):
            return True
    return False


class CertificateTestCase(CliTestCase):
    def verdict(self, problem, result, code=1):
        paths = self.write("problem.json", problem), self.write("result.json", result)
        done = self.perp("verify", *paths, "--json")
        self.assertEqual((done.returncode, done.stderr), (code, ""))
        told = parse_json(done.stdout)
        words = self.perp("verify", *paths)
        self.assertEqual(words.returncode, code)
        return told, words.stdout

    def shown(self, problem, **certificate):
        """What a certificate alone shows, in JSON and in words."""
        told, words = self.verdict(problem, {"certificate": certificate})
        self.assertFalse(told["solved"])
        self.assertIn("not solved, the result has no z", words)
        return told["certificate"]["shows"], words.splitlines()[-1]


@with_cases({
    "lcp": (lcp(**NONE),), "conic_qp": (make_problem("conic_qp", **INSIDE_OUT),),
    "mlcp": (make_problem("mlcp", n=1, M={"shape": [1, 1], "dense": [[0]]}, q=[1], lower=["-inf"], upper=["inf"]),),
    "box_qp": (make_problem("box_qp", n=1, H={"shape": [1, 1], "dense": [[0]]}, c=[-1], lower=[0], upper=["inf"]),)})
class TestProofs(CertificateTestCase):
    def check(self, problem):
        """What perp solve proves, perp verify proves again; not if a number of the problem changes."""
        result = self.solve(problem, code=1)
        self.assertEqual((result["status"], result["certificate"]["type"]), ("infeasible", "farkas"))
        told, words = self.verdict(problem, result)
        self.assertEqual((told["certificate"]["shows"], told["certificate"]["checked"]), ("infeasible", True))
        self.assertIn("certificate farkas: proves that there is no solution", words)
        field = {"lcp": "q", "mlcp": "q", "box_qp": "c", "conic_qp": "b"}[problem["kind"]]
        other = dict(problem, **{field: [abs(x) if problem["kind"] != "mlcp" else 0 for x in problem[field]]})
        told, words = self.verdict(other, dict(result, z=[0] * problem["n"], dual=[0, 0]), code=0)
        self.assertEqual((told["solved"], told["certificate"]["shows"], told["certificate"]["checked"]), (True, None, False))
        self.assertIn("certificate farkas: proves nothing of this problem", words)


class TestClaimsOfNone(CertificateTestCase):
    """A program that says "ray" of a conic_qp must give the direction: nothing else proves that there is no answer."""
    QP = make_problem("conic_qp", n=1, P={"shape": [1, 1], "dense": [[0]]}, c=[1], A={"shape": [1, 1], "dense": [[-1]]}, b=[0],
                      cones=[{"type": "nonnegative", "size": 1}])  # min x, x >= 0

    def claim(self, problem, text):
        program = self.write("says.py", f"print({text!r})\n")
        done = self.perp("solve", self.write("p.json", problem), "--solver", f"exec:python3 {program}", "--json")
        told = parse_json(done.stdout)
        return told["status"], told["message"]

    def test_of_a_cone_program(self):
        for text in ('{"status": "ray"}', '{"status": "ray", "certificate": {"type": "ray", "z": [1], "t": 1}}',
                     '{"status": "ray", "certificate": {"type": "unbounded", "z": [1]}}'):
            status, why = self.claim(self.QP, text)
            self.assertEqual(status, "stalled", text)
            self.assertIn("claims that there is no solution", why)
            status, why = self.claim(dict(self.QP, solution={"z": [0], "dual": [1]}), text)
            self.assertEqual(status, "wrong", text)
            self.assertIn("a solution is known", why)
        falls = dict(self.QP, c=[-1])
        self.assertEqual(self.claim(falls, '{"status": "ray", "certificate": {"type": "unbounded", "z": [1]}}')[0], "ray")


class TestCertificates(CertificateTestCase):
    def test_an_answer_of_another_length_names_the_field_of_the_file(self):
        problem = make_problem("conic_qp", n=2, P={"shape": [2, 2], "dense": [[1, 0], [0, 1]]}, c=[1, 1],
                               A={"shape": [1, 2], "dense": [[1, 1]]}, b=[1], cones=[{"type": "zero", "size": 1}])
        done = self.perp("verify", self.write("problem.json", problem), self.write("result.json", '{"z": [1], "dual": [0]}'))
        self.assertEqual(done.returncode, 2)
        self.assertIn('field "z": length is 1, expected 2', done.stderr)

    def test_a_certificate_alone(self):
        self.assertEqual(self.shown(lcp(**NONE), type="farkas", y=[2, 0]),
                         ("infeasible", "  certificate farkas: proves that there is no solution"))
        for y in ([0, 0], [0, 1], [-1, 0], [1], [1, 0, 0], [1, -1e-300]):
            self.assertEqual(self.shown(lcp(**NONE), type="farkas", y=y),
                             (None, "  certificate farkas: proves nothing of this problem"))

    def test_gaps_of_contacts_that_contradict_each_other(self):
        problem = make_problem("friction_contact", n=4, dimension=2, mu=[0.5, 0.5], q=[-1, 0, 0.5, 0],
                               W={"shape": [4, 4], "dense": [[1, 0, -1, 0], [0, 1, 0, 1], [-1, 0, 1, 0], [0, 1, 0, 1]]})
        self.assertEqual(self.shown(problem, type="farkas", y=[3, 0, 3, 0]),
                         ("infeasible", "  certificate farkas: proves that there is no solution"))
        for y in ([3, 0, 2, 0], [1, 1, 1, -1], [-1, 0, -1, 0], [0, 0, 0, 0]):
            self.assertEqual(self.shown(problem, type="farkas", y=y)[0], None)
        self.assertEqual(self.shown({**problem, "q": [-1, 0, 1.5, 0]}, type="farkas", y=[3, 0, 3, 0])[0], None)
        result = self.solve(problem, code=1)
        self.assertEqual((result["status"], result["certificate"]["checked"]), ("infeasible", True))
        self.assertIn("those in conflict: z[0], z[2]",
                      self.perp("why", self.write("problem.json", problem)).stdout)

    def test_a_direction_without_end(self):
        problem = make_problem("conic_qp", **FALLS)
        self.assertEqual(self.shown(problem, type="unbounded", z=[3]),
                         ("ray", "  certificate unbounded: proves that the dual has no feasible point, so there is no solution"))
        for z in ([-1], [0], [1, 1]):
            self.assertEqual(self.shown(problem, type="unbounded", z=z)[0], None)

    def test_nearly_a_proof_excludes_what_is_near(self):
        """z = (1e12, 0) is the only solution."""
        told, words = self.verdict(lcp(M={"shape": [2, 2], "dense": [[1e-12, 0], [0, 1]]}, q=[-1, 0]),
                                   {"certificate": {"type": "farkas", "y": [2, 0]}})
        self.assertEqual((told["certificate"]["shows"], told["certificate"]["checked"]), ("excluded", False))
        self.assertLessEqual(told["certificate"]["radius"], 1e12)
        self.assertGreater(told["certificate"]["radius"], 9e11)
        self.assertIn("certificate farkas: no feasible point has a 1-norm below 1e+12", words)

    def test_a_matrix_that_is_symmetric_to_rounding_alone(self):
        """P x = 0 proves nothing: multiplied by x, P z + c = 0 becomes (P'x)'z + c'x = 0, and P'x is not 0 here."""
        d = 2.0**-41
        problem = {"format": "perp-problem", "version": 1, "name": "nearly", "kind": "conic_qp", "n": 3, "c": [-1, 0, 0], "b": [], "cones": [],
                   "P": {"shape": [3, 3], "dense": [[1, -1, 1 + d], [-1, 1, -1], [1, -1, 1]]},
                   "A": {"shape": [0, 3], "row": [], "col": [], "value": []}}
        result = {"z": [-1 / d, 0, 1 / d], "dual": [], "certificate": {"type": "unbounded", "z": [1, 1, 0]}}
        done = self.perp("verify", self.write("problem.json", problem), self.write("result.json", result))
        self.assertEqual((done.returncode, done.stderr), (0, ""))  # the answer is exact
        self.assertNotIn("proves", done.stdout)

    def test_friction_without_velocities(self):
        problem = {"format": "perp-problem", "version": 1, "name": "nothing-moves", "kind": "friction_contact", "n": 3, "dimension": 3,
                   "mu": [0.5], "J": {"shape": [3, 0], "row": [], "col": [], "value": []},
                   "M": {"shape": [0, 0], "row": [], "col": [], "value": []}, "q": [-1, 0, 0]}
        done = self.perp("solve", self.write("problem.json", problem))
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("infeasible", done.stdout)

    def test_a_claim_in_the_file_counts_for_nothing(self):
        claim = {"type": "farkas", "y": [0, 1], "checked": True, "radius": 1e300}
        self.assertEqual(self.shown(lcp(**NONE), **claim)[0], None)
        told, _ = self.verdict(lcp(**NONE), {"status": "infeasible", "certificate": claim})
        self.assertEqual(told["certificate"]["checked"], False)

    def test_a_ray_and_what_speaks_of_another_statement(self):
        self.assertEqual(self.shown(lcp(**NONE), type="ray", z=[1, 0], t=0)[0], None)
        result = self.solve(make_problem("conic_qp", **INSIDE_OUT), "--solver", "lemke", code=1)
        told, words = self.verdict(make_problem("conic_qp", **INSIDE_OUT), result)
        self.assertEqual((told["certificate"]["reduction"], told["certificate"]["shows"]), ("conic_qp as mlcp", None))
        self.assertIn("speaks of conic_qp as mlcp, not of this problem", words)

    def test_what_falls_without_end_is_not_called_infeasible(self):
        """gradient-projection proves it of the statement as mlcp, which is symmetric."""
        none = {"row": [], "col": [], "value": []}
        falls = make_problem("conic_qp", n=1, P={"shape": [1, 1], **none}, c=[-1], A={"shape": [0, 1], **none}, b=[], cones=[])
        result = self.solve(falls, "--solver", "gradient-projection", code=1)
        self.assertEqual((result["status"], result["certificate"]["type"]), ("ray", "unbounded"))
        self.assertNotIn("reduction", result["certificate"])
        self.assertEqual(self.verdict(falls, result)[0]["certificate"]["shows"], "ray")

    def test_kinds_without_certificates(self):
        for kind in ("mcp", "convex_contact"):
            self.assertEqual(self.shown(make_problem(kind), type="farkas", y=[1, 1, 1])[0], None)

    def test_proofs_agree_with_fractions(self):
        """What y proves in fractions is found, and nothing is found if a corner of the constraints satisfies them."""
        draw, proofs, feasible = random.Random(7), 0, 0
        for _ in range(80):
            y = [draw.choice([0, 1, 3, 0.1, 1e-17]) for _ in range(3)]
            rows = [[draw.choice([-1, 0, 0, 0.1, -0.3, 3e16, -1e16, -3e15]) for _ in range(3)] for _ in range(3)]
            problem = lcp(n=3, M={"shape": [3, 3], "dense": rows}, q=[draw.choice([-1, 1, 1e-16, -0.1, 0.3]) for _ in range(3)])
            exact = dense_rows(problem["M"])
            proof = max(product(transpose(exact), y)) <= 0 and product([y], problem["q"])[0] < 0
            possible = has_feasible_point(exact, problem["q"])
            self.assertFalse(proof and possible)
            done = self.perp("verify", self.write("problem.json", problem),
                             self.write("result.json", {"certificate": {"type": "farkas", "y": y}}), "--json")
            found = parse_json(done.stdout)["certificate"]["shows"] == "infeasible"
            self.assertTrue(found or not proof, (rows, problem["q"], y))
            self.assertFalse(found and possible, (rows, problem["q"], y))
            proofs, feasible = proofs + proof, feasible + possible
        self.assertGreater(min(proofs, feasible), 5)


@with_cases({
    "no_type": ({"y": [1, 0]}, "certificate.type"), "a_number": (7, "certificate.type"), "type_of_no_text": ({"type": 1}, "certificate.type"),
    "unknown_type": ({"type": "nonsense", "y": [1, 0]}, "certificate.type"),
    "farkas_without_y": ({"type": "farkas"}, "certificate.y"), "unbounded_without_z": ({"type": "unbounded", "y": [1, 0]}, "certificate.z"),
    "y_of_words": ({"type": "farkas", "y": "a"}, "certificate.y"), "z_of_lists": ({"type": "ray", "z": [[1]]}, "certificate.z"),
    "nothing": (None, '"z": is missing')})
class TestWrongCertificates(CertificateTestCase):
    def check(self, certificate, word):
        done = self.perp("verify", self.write("problem.json", lcp(**NONE)), self.write("result.json", {"certificate": certificate}))
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
        self.assertIn("result.json", done.stderr)
        self.assertIn(word, done.stderr)


if __name__ == "__main__":
    unittest.main()
