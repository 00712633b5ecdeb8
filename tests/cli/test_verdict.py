"""What perp verify --json prints: right, wrong and missing answers and certificates of all kinds, against the schema
and docs/reference/formats.md."""
import copy
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import (PROBLEMS, ROOT, CliTestCase, lcp, make_problem, natural_residual, parse_json,  # noqa: E402
                      schema_errors, with_cases)

SOLUTIONS = {"lcp": {"z": [2, 0]}, "mlcp": {"z": [1.25, -0.5]}, "mcp": {"z": [2, 0]}, "box_qp": {"z": [1, 2]},
             "conic_qp": {"z": [0, 2], "dual": [2, 0, 0]}, "friction_contact": {"z": [1, -0.5, 0]}}
ALWAYS = {"natural", "fischer_burmeister", "normal_map", "complementarity", "floor"}


def answer_of(case, kind):
    """A right answer to the small problem of the kind."""
    return SOLUTIONS.get(kind) or {"z": case.solve(make_problem(kind))["z"]}


def documented_residuals():
    """By kind what the table of the document lists beside natural."""
    text = next(part for part in (ROOT / "docs" / "reference" / "formats.md").read_text().split("\n## ") if part.startswith("Verdicts"))
    rows = [row.strip("|").split("|") for row in text.splitlines() if row.startswith("| `")]
    return {kind: set(re.findall(r"`(\w+)`", more)) | set(re.findall(r"`(\w+)`", what) if "these" in more else ())
            for kinds, what, more in rows for kind in re.findall(r"`(\w+)`", kinds)}


class VerdictTestCase(CliTestCase):
    def verdict(self, problem, result, *arguments, code=None):
        done = self.perp("verify", self.write("p.json", problem), self.write("r.json", result), "--json", *arguments)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        told = parse_json(done.stdout)
        self.assert_valid(told, "verdict")
        self.assertEqual((told["problem"], told["kind"]), (problem["name"], problem["kind"]))
        self.assertEqual(told["solved"], done.returncode == 0)
        self.assertEqual(told["solved"], told["measure"] is not None and told["measure"] <= told["tolerance"])
        self.assertIn(code, (None, done.returncode))
        return told

    def assert_no_answer(self, told):
        self.assertEqual((told["measure"], set(told["residuals"]), set(told["residuals"].values())), (None, ALWAYS, {None}))
        self.assertEqual((told["worst"], told["at_floor"], told["vacuous"]), ({"index": None, "name": ""}, False, "no"))
        self.assertEqual(told["message"], "the result has no z")


@with_cases({kind: (kind,) for kind in PROBLEMS})
class TestKinds(VerdictTestCase):
    def check(self, kind):
        problem, right = make_problem(kind), answer_of(self, kind)
        wrong = {**copy.deepcopy(right), "z": [x + 0.5 for x in right["z"]]}
        lists = documented_residuals()[kind]
        for answer, code in ((right, 0), (wrong, 1)):
            told = self.verdict(problem, answer, code=code)
            self.assertNotIn("certificate", told)
            residuals = told["residuals"]
            self.assertEqual({name for name, value in residuals.items() if value is not None}, lists | {"natural"})
            self.assertEqual(set(residuals), lists | ALWAYS)
            self.assertIsInstance(told["worst"]["index"], int)
            if kind == "conic_qp":
                self.assertEqual(residuals["natural"], max(residuals[name] for name in ("primal", "dual", "complementarity")))
            elif kind in ("lcp", "mlcp", "box_qp"):
                self.assertAlmostEqual(residuals["natural"], natural_residual(problem, answer["z"]))
            if kind not in ("friction_contact", "mcp"):
                self.assertEqual(told["measure"], residuals["natural"])
        for nothing in ({"z": []}, {"certificate": {"type": "ray", "z": [1] * problem["n"]}}):
            self.assert_no_answer(self.verdict(problem, nothing, code=1))
        told = self.verdict(problem, {**right, "z": [None, *right["z"][1:]]}, code=1)
        self.assertEqual((told["measure"], set(told["residuals"].values())), (None, {None}))
        self.assertEqual((set(told["residuals"]), told["message"]), (lists | ALWAYS, "the answer's z[0] is no number"))


class TestNatural(VerdictTestCase):
    def test_gradient_of_convex_contact(self):
        """A(v - v*) - J' P_F(y(v)) is -v* at v = 0 if the impulses vanish there, which they do with a bias of 0."""
        told = self.verdict(make_problem("convex_contact"), {"z": [0, 0, 0]}, code=1)
        self.assertEqual((told["measure"], told["residuals"]["natural"], told["worst"]["index"]), (2, 2, 0))

    def test_friction_contact(self):
        """r = 0 with q = (-3, 4, 0), mu = 0: the natural map is (-3, 0, 0), and over the norm of q it is 3/5."""
        told = self.verdict(make_problem("friction_contact", q=[-3, 4, 0], mu=[0]), {"z": [0, 0, 0]}, code=1)
        self.assertEqual(told["residuals"]["natural"], 3)
        self.assertAlmostEqual(told["residuals"]["relative"], 0.6)
        self.assertEqual(told["measure"], max(told["residuals"]["relative"], told["residuals"]["by_part"]))


class TestOtherMembers(VerdictTestCase):
    def test_tolerance(self):
        for tolerance, code in ((0, 1), (0.25, 1), (0.5, 0)):
            told = self.verdict(lcp(), {"z": [1.75, 0]}, "--tolerance", tolerance, code=code)
            self.assertEqual((told["tolerance"], told["measure"]), (tolerance, 0.5))

    def test_contact_of_the_worst_row(self):
        contact = {"name": "c", "body_a": "slider", "body_b": "ground"}
        told = self.verdict(make_problem("friction_contact", contacts=[contact]), {"z": [0, 0, 0]}, code=1)
        self.assertEqual(told["worst"]["contact"], {"index": 0, "name": "c", "bodies": ["slider", "ground"]})

    def test_vacuous(self):
        for problem, vacuous in ((lcp(), "no"), (lcp(start=[2, 0]), "start"), (lcp(q=[1, 1]), "zero")):
            self.assertEqual(self.verdict(problem, {"z": [2, 0]})["vacuous"], vacuous)

    def test_at_floor(self):
        told = self.verdict(lcp(n=1, M={"shape": [1, 1], "dense": [[3]]}, q=[-1]), {"z": [1 / 3]}, "--tolerance", "1e-300", code=1)
        self.assertTrue(told["at_floor"])
        self.assertGreater(told["measure"], 0)

    def test_a_dual_that_is_missing(self):
        told = self.verdict(make_problem("conic_qp"), {"z": [0, 2]}, code=0)
        self.assertIn("the result has no dual", told["message"])

    def test_no_unknowns(self):
        told = self.verdict(lcp(n=0, M={"shape": [0, 0], "dense": []}, q=[]), {"z": []}, code=0)
        self.assertEqual((told["measure"], told["residuals"]["floor"], told["worst"]["index"]), (0, None, None))

    def test_infinite_residuals(self):
        told = self.verdict(make_problem("mcp", n=1, graph={"nodes": [["var", 0], ["log", 0]], "outputs": [1]}, lower=["-inf"],
                                         upper=["inf"]), {"z": [0]}, code=1)
        self.assertEqual((told["measure"], told["residuals"]["natural"]), (None, None))


class TestCertificates(VerdictTestCase):
    NONE = lcp(M={"shape": [2, 2], "dense": [[-1, 0], [0, 1]]}, q=[-1, 1])  # -z_0 - 1 >= 0 has no z_0 >= 0
    FALLS = make_problem("conic_qp", n=1, P={"shape": [1, 1], "dense": [[0]]}, c=[-1], A={"shape": [1, 1], "dense": [[-1]]},
                         b=[0], cones=[{"type": "nonnegative", "size": 1}])  # min -x, x >= 0

    def certificate(self, problem, **certificate):
        told = self.verdict(problem, {"certificate": certificate}, code=1)
        self.assert_no_answer(told)
        return told["certificate"]

    def test_proof(self):
        self.assertEqual(self.certificate(self.NONE, type="farkas", y=[1, 0], checked=False, radius=1),
                         {"type": "farkas", "checked": True, "y": [1, 0], "shows": "infeasible"})

    def test_no_proof(self):
        self.assertEqual(self.certificate(self.NONE, type="farkas", y=[0, 1], checked=True),
                         {"type": "farkas", "checked": False, "y": [0, 1], "radius": 0, "shows": None})

    def test_unbounded(self):
        self.assertEqual(self.certificate(self.FALLS, type="unbounded", z=[1]),
                         {"type": "unbounded", "checked": True, "z": [1], "shows": "ray"})

    def test_excluded(self):
        matrix = {"shape": [2, 2], "dense": [[-1, 1e-13], [0, 1]]}
        told = self.certificate({**self.NONE, "M": matrix}, type="farkas", y=[1, 0])
        self.assertEqual((told["checked"], told["shows"]), (False, "excluded"))
        self.assertGreater(told["radius"], 1e10)

    def test_ray(self):
        told = self.certificate(self.NONE, type="ray", z=[1, 0], t=1, reduction="box_qp as mlcp")
        self.assertEqual((told["z"], told["checked"], told["reduction"], told["shows"]), ([1, 0], False, "box_qp as mlcp", None))

    def test_with_an_answer(self):
        told = self.verdict(lcp(), {"z": [2, 0], "certificate": {"type": "farkas", "y": [1, 0]}}, code=0)
        self.assertEqual((told["solved"], told["certificate"]["shows"]), (True, None))

    def test_result_of_a_solver(self):
        result = self.solve(self.NONE, code=1)
        told = self.verdict(self.NONE, result, code=1)
        self.assertEqual(told["certificate"]["shows"], result["status"])


class TestSchema(VerdictTestCase):
    def test_what_it_refuses(self):
        told = self.verdict(lcp(), {"z": [2, 0]}, code=0)
        for changes in ({"solved": None}, {"measure": None}, {"measure": -1}, {"kind": "qp"}, {"vacuous": False}, {"more": 1},
                        {"at_floor": True}, {"tolerance": None}, {"residuals": {}}, {"certificate": None},
                        {"residuals": {**told["residuals"], "other": 0}}, {"worst": {"index": -1, "name": ""}}):
            self.assertNotEqual(schema_errors({**told, **changes}, "verdict"), [], changes)
        for name in told:
            self.assertNotEqual(schema_errors({key: value for key, value in told.items() if key != name}, "verdict"), [], name)


if __name__ == "__main__":
    unittest.main()
