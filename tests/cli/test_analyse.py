"""perp analyse against closed forms, perp why against failures that were planted."""
import json
import math
import shlex
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from perp_cli import CliTestCase, PERP, lcp, make_problem, parse_json  # noqa: E402

PYTHON = shlex.quote(sys.executable)
WEIGHT = 2.0  # of a step: m g h


def contact(name):
    return {"name": name, "body_a": "table", "body_b": "floor"}


def table(legs, load=(0.0, 0.0)):
    """A plate of mass 1 and unit inertia on legs at (x, y); the load is off its centre by a torque."""
    n = len(legs)
    M = [[1 + a[0] * b[0] + a[1] * b[1] for b in legs] for a in legs]
    q = [-WEIGHT * (1 + a[0] * load[0] + a[1] * load[1]) for a in legs]
    names = [f"leg{i}" for i in range(n)]
    return lcp(n=n, M={"shape": [n, n], "dense": M}, q=q, variables=[f"{name}.normal" for name in names],
               contacts=[contact(name) for name in names], name="table")


def rod(mu=2.0, angle=math.radians(60), q=(0.1, -1.0)):
    """Painleve's rod, mass 1, half length 1, its tip on the floor: (normal, two edges, slip)."""
    c, s = math.cos(angle), math.sin(angle)
    nn, nt, tt = 1 + 3 * c * c, -3 * s * c, 1 + 3 * s * s
    M = [[nn, nt, -nt, 0], [nt, tt, -tt, 1], [-nt, -tt, tt, 1], [mu, -1, -1, 0]]
    names = [f"tip.{what}" for what in ("normal", "friction0", "friction1", "slip")]
    return (nn, nt, tt), lcp(n=4, M={"shape": [4, 4], "dense": M}, q=[q[0], q[1], -q[1], 0], variables=names,
                             contacts=[contact("tip")], name="rod")


class AnalyseTestCase(CliTestCase):
    def analyse(self, problem, *arguments, code=0):
        done = self.perp("analyse", self.write("problem.json", problem), *arguments, "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        return parse_json(done.stdout)

    def contacts(self, told):
        return {c["name"]: c for c in told["contact_states"]}

    def normal(self, told, name):
        return self.contacts(told)[name]["impulse"][0]

    def assert_range(self, found, low, high, delta=1e-6):
        for got, wanted in zip(found, (low, high)):
            if isinstance(wanted, str):
                self.assertEqual(got, wanted)
            else:
                self.assertAlmostEqual(got, wanted, delta=delta)


class TestDeterminacy(AnalyseTestCase):
    def test_a_free_unknown_beside_a_large_one(self):
        """How far z1 may move does not depend on the size of z0."""
        for large in (1.0, 1e6, 1e12):
            told = self.analyse(make_problem("mlcp", M={"shape": [2, 2], "dense": [[1, 0], [0, 0]]}, q=[-large, 0],
                                             lower=[0, 0], upper=["inf", 0.5]))
            self.assertEqual(told["determinacy"]["what"], "set", large)
            self.assert_range(told["unknowns"][1]["range"], 0, 0.5)

    def test_a_small_set(self):
        """z0 + z1 = 4e-7: the ends of the ranges are nearer than programs tell for sure."""
        told = self.analyse(lcp(M={"shape": [2, 2], "dense": [[1, 1], [1, 1]]}, q=[-4e-7, -4e-7]))
        self.assertEqual(told["determinacy"]["what"], "set")

    def test_a_row_that_pushes_keeps_its_sign(self):
        """M is skew: w0 = 1 - z1 must stay at least 0."""
        told = self.analyse(lcp(M={"shape": [2, 2], "dense": [[0, -1], [1, 0]]}, q=[1, 0]))
        self.assert_range(told["unknowns"][1]["range"], 0, 1)

    def test_a_matrix_that_is_nearly_monotone(self):
        """The determinant is negative, by more than rounding: (1, 0) and (0, 1 + e/2) are solutions, not what is between."""
        s, e = 65536.0, 2.0**-34
        told = self.analyse(lcp(M={"shape": [2, 2], "dense": [[s, s], [s, s * (1 - e)]]}, q=[-s, -s * (1 - e) * (1 + e / 2)]))
        self.assertEqual(told["determinacy"]["what"], "set")
        corners = [z for z in told["determinacy"]["solutions"] if min(z) == 0]
        self.assertEqual(sorted(corners), [[0, 1 + e / 2], [1, 0]])

    def test_a_matrix_that_is_indefinite_by_little(self):
        # d = (1, 1, -t) has d'Md = -t^2; 0 and +-d/t are the solutions.
        t = 2.0**-21
        M = [[1, t - 1, 1 + t], [-1 - t, 1, -1], [t - 1, 1, 1]]
        problem = make_problem("mlcp", n=3, M={"shape": [3, 3], "dense": M}, q=[0, 0, 0],
                               lower=[-1 / t, -1 / t, "-inf"], upper=[1 / t, 1 / t, "inf"])
        told = self.analyse(problem)
        self.assertEqual((told["determinacy"]["what"], len(told["determinacy"]["solutions"])), ("set", 3))

    def test_an_enumeration_that_misses_the_answer_tells_nothing(self):
        # Row 2 is -2^30 times row 1: z1 = 1024 z2 - 1.
        problem = make_problem("mlcp", n=2, M={"shape": [2, 2], "dense": [[4, -4096], [-2.0**32, 2.0**42]]},
                               q=[4, -2.0**32], lower=["-inf", "-inf"], upper=["inf", "inf"])
        told = self.analyse(problem, self.write("z.json", {"z": [-1, 0]}))
        self.assertEqual(told["determinacy"]["what"], "part")

    def test_much_friction_makes_no_set_of_one_point(self):
        # Either normal impulse would lift both contacts: r = 0 is the only one.
        W = [[0.25, 0, 0.25, 0], [0] * 4, [0.25, 0, 0.25, 0], [0] * 4]
        problem = make_problem("friction_contact", n=4, dimension=2, W={"shape": [4, 4], "dense": W},
                               q=[0, 0, 0, -3], mu=[0.75, 1e6])
        self.assertEqual(self.analyse(problem)["determinacy"]["what"], "local")

    def test_a_range_that_is_not_found_is_no_set(self):
        """One contact at the limit of friction, whose third row moves nothing: nothing else is in the cone."""
        problem = make_problem("friction_contact", n=3, dimension=3, mu=[1], q=[-1, -1, 0],
                               W={"shape": [3, 3], "dense": [[1, 0, 0], [0, 1, 0], [0, 0, 0]]})
        told = self.analyse(problem, self.write("answer.json", {"z": [1, 1, 0]}))
        self.assertIn(told["determinacy"]["what"], ("undecided", "local"))

    def test_states_do_not_depend_on_the_unit_of_velocity(self):
        """The slip 1e-3 s is an error of the answer, which is accepted: the contact sticks."""
        for s in (1e-9, 1.0, 1e6):
            problem = make_problem("friction_contact", n=3, dimension=3, mu=[1], q=[-s, 0.1 * s, 0],
                                   W={"shape": [3, 3], "dense": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]})
            told = self.analyse(problem, self.write("answer.json", {"z": [s, -0.1 * s + 1e-9 * s, 0]}))
            self.assertEqual(told["contact_states"][0]["state"], "stick", s)

    def test_a_small_negative_entry_beside_a_large_one(self):
        told = self.analyse(lcp(n=2, M={"shape": [2, 2], "dense": [[1e13, 0], [0, -1]]}, q=[1, 1]))
        self.assertEqual((told["determinacy"]["what"], len(told["determinacy"]["solutions"])), ("set", 2))

    def test_equations_that_contradict_each_other_give_no_continuum(self):
        """w0 = 3 makes z0 = 0, and then z1 is 0."""
        told = self.analyse(lcp(n=2, M={"shape": [2, 2], "dense": [[0, 0], [-2, 2]]}, q=[3, 1]))
        self.assertEqual(told["determinacy"]["what"], "unique")

    def test_a_strictly_convex_problem_has_one_solution(self):
        told = self.analyse(make_problem("convex_contact"))
        self.assertEqual((told["determinacy"]["what"], told["determinacy"]["how"]), ("unique", "strictly convex"))

    def test_no_unknowns(self):
        told = self.analyse(lcp(n=0, M={"shape": [0, 0], "dense": []}, q=[], name="empty"))
        self.assertEqual(told["determinacy"]["what"], "unique")

    def test_a_table_on_three_legs(self):
        """Each leg carries its barycentric share of the load."""
        told = self.analyse(table([(1, 0), (-1, 1), (-1, -1)], load=(0.2, 0.1)))
        self.assertEqual(told["determinacy"]["what"], "unique")
        # p0 + p1 + p2 = W, p0 - p1 - p2 = 0.2 W, p1 - p2 = 0.1 W
        for name, share in (("leg0", 0.6), ("leg1", 0.25), ("leg2", 0.15)):
            self.assert_range(self.normal(told, name)["range"], share * WEIGHT, share * WEIGHT)
            self.assertEqual(self.contacts(told)[name]["state"], "closed")

    def test_a_table_on_four_legs(self):
        """Diagonal legs share any load between nothing and half of the weight."""
        told = self.analyse(table([(1, 1), (1, -1), (-1, -1), (-1, 1)]))
        self.assertEqual((told["determinacy"]["what"], told["determinacy"]["how"], told["determinacy"]["dimension"]), ("set", "monotone", 1))
        for i in range(4):
            self.assert_range(self.normal(told, f"leg{i}")["range"], 0, WEIGHT / 2)

    def test_four_legs_with_a_load_at_one_of_them(self):
        """p1 = p3 = s, p0 = 5/8 W - s, p2 = 3/8 W - s, with s from 0 to 3/8 W."""
        told = self.analyse(table([(1, 1), (1, -1), (-1, -1), (-1, 1)], load=(0.25, 0.25)))
        p = [self.normal(told, f"leg{i}")["range"] for i in range(4)]
        self.assert_range(p[1], 0, WEIGHT * 3 / 8)
        self.assert_range(p[3], 0, WEIGHT * 3 / 8)
        self.assert_range(p[2], 0, WEIGHT * 3 / 8)
        self.assert_range(p[0], WEIGHT / 4, WEIGHT * 5 / 8)

    def test_a_box_between_two_walls(self):
        told = self.analyse(lcp(M={"shape": [2, 2], "dense": [[1, -1], [-1, 1]]}, q=[0, 0], variables=["left.normal", "right.normal"],
                                contacts=[contact("left"), contact("right")]))
        self.assertEqual(told["determinacy"]["what"], "set")
        for name in ("left", "right"):
            self.assert_range(self.normal(told, name)["range"], 0, "inf")

    def test_a_box_that_two_walls_hold_by_friction(self):
        """N of [W / (2 mu), inf): any less does not hold it. It might fall, too."""
        for mu in (0.5, 0.8):
            problem = make_problem("friction_contact", n=4, dimension=2, mu=[mu, mu], q=[0, -WEIGHT, 0, -WEIGHT],
                                   W={"shape": [4, 4], "dense": [[1, 0, -1, 0], [0, 1, 0, 1], [-1, 0, 1, 0], [0, 1, 0, 1]]})
            held = self.write("held.json", {"z": [2 * WEIGHT, WEIGHT / 2, 2 * WEIGHT, WEIGHT / 2]})
            told = self.analyse(problem, held)
            self.assertEqual((told["determinacy"]["what"], told["determinacy"]["how"]), ("part", "the same velocities"))
            for c in told["contact_states"]:
                self.assertEqual(c["state"], "stick")
                self.assertAlmostEqual(c["margin"], mu * 2 * WEIGHT - WEIGHT / 2)
                self.assert_range(c["impulse"][0]["range"], WEIGHT / (2 * mu), "inf")
                self.assert_range(c["impulse"][1]["range"], "-inf", "inf")

    def test_a_table_with_friction_in_3d(self):
        """Four legs that stick: cones bound what their friction may do against each other."""
        legs, n, mu = [(1, 1), (1, -1), (-1, -1), (-1, 1)], 12, 0.5
        rows = []  # of J, over (vx, vy, vz, wx, wy, wz), unit mass and inertia, legs of no height
        for x, y in legs:
            rows += [[0, 0, 1, y, -x, 0], [1, 0, 0, 0, 0, -y], [0, 1, 0, 0, 0, x]]
        W = [[sum(a * b for a, b in zip(r, s)) for s in rows] for r in rows]
        q = [-WEIGHT if i % 3 == 0 else 0.0 for i in range(n)]
        problem = make_problem("friction_contact", n=n, dimension=3, mu=[mu] * 4, q=q, W={"shape": [n, n], "dense": W})
        held = self.write("held.json", {"z": [WEIGHT / 4 if i % 3 == 0 else 0.0 for i in range(n)]})
        told = self.analyse(problem, held)
        for c in told["contact_states"]:
            self.assertEqual(c["state"], "stick")
            self.assert_range(c["impulse"][0]["range"], 0, WEIGHT / 2, delta=1e-5)
            # Two legs that carry all push against each other along their diagonal with mu W / 2 at most; along an axis
            # with mu W / 4 if all carry a quarter, or more if their neighbours on that axis carry more.
            low, high = c["impulse"][1]["range"]
            self.assertGreaterEqual(high, mu * WEIGHT / 4 - 1e-6)
            self.assertLessEqual(high, mu * WEIGHT / 2 + 1e-6)
            self.assertAlmostEqual(low, -high, delta=1e-5)

    def test_torsion_is_no_tangential_friction(self):
        """A sphere that spins on the spot: the moment about the normal is mu r_n in semi-axes, against the spin."""
        out = self.folder / "spin"
        done = self.perp("export", "spinning-sphere", "--formulation", "stewart-trinkle", "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        problem = min(out.glob("*.json"))
        names = json.loads(problem.read_text())["variables"]
        self.assertEqual([n.rsplit(".", 1)[1] for n in names if ".torsion" in n], ["torsion0", "torsion1"])
        told = parse_json(self.perp("analyse", problem, "--json").stdout)
        (state,) = told["contact_states"]
        impulse = {i["name"]: i["value"] for i in state["impulse"]}
        self.assertEqual(state["state"], "slide")
        for axis in ("friction 1", "friction 2"):
            self.assertAlmostEqual(impulse[axis], 0.0, delta=1e-9)
        self.assertAlmostEqual(impulse["torsion"], -0.2 * impulse["normal"], delta=1e-9)

    def test_the_friction_of_a_joint_is_no_contact(self):
        """A friction_contact may have rows of joints: they are listed by the names of the joints."""
        problem = make_problem("friction_contact", n=6, dimension=3, mu=[0.5, 1], q=[-1, 0, 0, -1, 0, 0],
                               W={"shape": [6, 6], "dense": [[float(i == j) for j in range(6)] for i in range(6)]},
                               variables=["tip.normal", "tip.friction0", "tip.friction1", "elbow.bound", "elbow.friction", "elbow.nothing"],
                               contacts=[contact("tip")])
        self.assertEqual(list(self.contacts(self.analyse(problem))), ["tip", "joint elbow"])

    def test_painleves_rod(self):
        """It may open, slide or stick."""
        (nn, nt, tt), problem = rod()
        told = self.analyse(problem)
        normals = sorted({round(z[0], 9) for z in told["determinacy"]["solutions"]})
        determinant = nn * tt - nt * nt
        slide = 0.1 / -(nn + 2.0 * nt)
        stick = (-0.1 * tt - nt * 1.0) / determinant
        self.assertEqual(len(normals), 3)
        for found, wanted in zip(normals, (0.0, slide, stick)):
            self.assertAlmostEqual(found, wanted, delta=1e-8)
        self.assertEqual(told["determinacy"]["impulses"], 3)
        self.assert_range(self.normal(told, "tip")["range"], 0, stick)

    def test_solutions_without_end(self):
        """z1 is 0 or 1, and z2 >= 0 is any number: M is not monotone."""
        told = self.analyse(lcp(M={"shape": [2, 2], "dense": [[-1, 0], [0, 0]]}, q=[1, 0]))
        self.assertEqual([u["range"] for u in told["unknowns"]], [[0, 1], [0, "inf"]])
        self.assertIn("infinitely many", told["determinacy"]["text"])

    def test_a_rod_with_less_friction_has_one_solution(self):
        _, problem = rod(mu=0.5, q=(-0.1, -1.0))
        told = self.analyse(problem)
        self.assertEqual(told["determinacy"]["impulses"], 1)
        self.assertEqual(self.contacts(told)["tip"]["state"], "slide")

    def test_a_stack_is_determinate(self):
        """Balls one on the other: each contact carries the weight above it."""
        n = 6
        M = [[(1 if i == 0 else 2) if i == j else -1 if abs(i - j) == 1 else 0 for j in range(n)] for i in range(n)]
        q = [-WEIGHT] + [0] * (n - 1)
        names = [f"ball{i}" for i in range(n)]
        told = self.analyse(lcp(n=n, M={"shape": [n, n], "dense": M}, q=q, variables=[f"{name}.normal" for name in names],
                                contacts=[contact(name) for name in names]))
        self.assertEqual((told["determinacy"]["what"], told["determinacy"]["dimension"]), ("unique", 0))
        for i in range(n):
            weight = (n - i) * WEIGHT
            self.assertAlmostEqual(self.normal(told, f"ball{i}")["value"], weight, delta=1e-7)
            self.assertAlmostEqual(self.contacts(told)[f"ball{i}"]["margin"], weight, delta=1e-7)

    def test_states_of_a_pyramid(self):
        """On a slope below, at, and above the angle of friction."""
        for slope, state in ((0.3, "stick"), (0.5, "undecidable"), (0.7, "slide")):
            M = [[1, 0, 0, 0], [0, 1, -1, 1], [0, -1, 1, 1], [0.5, -1, -1, 0]]
            told = self.analyse(lcp(n=4, M={"shape": [4, 4], "dense": M}, q=[-1, slope, -slope, 0], contacts=[contact("foot")],
                                    variables=["foot.normal", "foot.friction0", "foot.friction1", "foot.slip"]))
            foot = self.contacts(told)["foot"]
            self.assertEqual(foot["state"], state)
            self.assertAlmostEqual(foot["margin"], abs(slope - 0.5), delta=1e-8)
            self.assertAlmostEqual(foot["impulse"][1]["value"], -min(slope, 0.5), delta=1e-8)
            if state == "undecidable":
                self.assertIn("biactive", {u["state"] for u in told["unknowns"]})

    def test_condition_rank_and_class(self):
        told = self.analyse(lcp(M={"shape": [2, 2], "dense": [[4, 0], [0, 0.5]]}, q=[-1, 1]))
        self.assertAlmostEqual(told["condition"], 8)
        self.assertAlmostEqual(told["active_condition"], 1)
        self.assertEqual(told["matrices"][0]["rank"], 2)
        self.assertIn("monotone", told["class"])

    def test_the_rank_does_not_depend_on_units(self):
        for scale in (1e-13, 1e13):
            for M, rank in (([[scale, 0], [0, 1]], 2), ([[scale, 2 * scale], [1, 2]], 1)):
                told = self.analyse(lcp(M={"shape": [2, 2], "dense": M}, q=[1, 1]))
                self.assertEqual(told["matrices"][0]["rank"], rank, M)

    def test_other_kinds(self):
        for kind in ("mlcp", "mcp", "box_qp", "conic_qp", "friction_contact", "convex_contact"):
            with self.subTest(kind):
                told = self.analyse(make_problem(kind))
                self.assertTrue(told["answer"]["solved"])
                text = self.succeed("analyse", self.write("problem.json", make_problem(kind)))
                self.assertIn("determinacy", text)

    def test_what_is_no_solution(self):
        told = self.analyse(lcp(), self.write("wrong.json", {"z": [0, 0]}), code=1)
        self.assertEqual((told["answer"]["solved"], told["determinacy"]["what"]), (False, "undecided"))
        done = self.perp("analyse", self.write("problem.json", lcp()), self.write("short.json", {"z": [0]}))
        self.assertEqual(done.returncode, 2)
        self.assertIn('field "z": length is 1, expected 2', done.stderr)

    def test_no_answer_to_analyse(self):
        nothing = self.write("nothing.py", "import sys\nsys.exit(1)\n")
        done = self.perp("analyse", self.write("p.json", lcp()), "--solver", f"exec:{PYTHON} {nothing}")
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1), done.stderr)
        self.assertIn("found no answer", done.stderr)

    def test_an_answer_and_a_solver(self):
        answer = self.write("answer.json", {"z": [2, 0]})
        done = self.perp("analyse", self.write("p.json", lcp()), answer, "--solver", "lemke")
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
        self.assertIn("--solver", done.stderr)

    def test_ranges_end_at_bounds(self):
        """All z_0 >= 0 solve it. The ends are found by programs with a tolerance."""
        zero = lcp(n=2, M={"shape": [2, 2], "dense": [[0, 0], [0, 0]]}, q=[0, 1])
        told = parse_json(self.succeed("analyse", self.write("p.json", zero), "--json"))
        self.assertEqual([u["range"] for u in told["unknowns"]], [[0, "inf"], [0, 0]])

    def test_steps_without_a_problem_are_told(self):
        done = self.perp("export", "falling-boxes", "-o", self.folder / "none")
        self.assertEqual((done.returncode, list((self.folder / "none").iterdir())), (0, []))
        self.assertIn("steps 1 to 1 pose no problem", done.stderr)

    def test_an_exported_scene(self):
        """The unknowns' names tell contacts; a box on four corners shares its weight as a table does."""
        folder = self.folder / "out"
        self.succeed("export", "box-on-slab", "--steps", "1:1", "-o", folder)
        path = next(folder.iterdir())
        told = parse_json(self.succeed("analyse", path, "--json"))
        self.assertTrue(told["contact_states"])
        self.assertEqual({len(c["impulse"]) > 0 for c in told["contact_states"]}, {True})


class TestNoSolution(AnalyseTestCase):
    def test_a_proof_is_told(self):
        """z_1 cannot make 0 z_1 - 1 positive; a QP without a lower bound has no solution, either."""
        unbounded = make_problem("conic_qp", n=1, P={"shape": [1, 1], "dense": [[0]]}, c=[-1], A={"shape": [1, 1], "dense": [[-1]]}, b=[0],
                                 cones=[{"type": "nonnegative", "size": 1}])
        for problem in (lcp(M={"shape": [2, 2], "dense": [[0, 0], [0, 1]]}, q=[-1, 1]), unbounded):
            file = self.write("none.json", problem)
            told = parse_json(self.perp("analyse", file, "--json").stdout)
            self.assertEqual((told["determinacy"]["what"], told["determinacy"]["how"]), ("none", "a checked certificate"))
            self.assertEqual((told["answer"]["solved"], told["contact_states"]), (False, []))
            self.assertTrue(all("state" not in unknown for unknown in told["unknowns"]))
            done = self.perp("analyse", file)
            self.assertEqual(done.returncode, 1)
            self.assertIn("there is no solution", done.stdout)
            self.assertNotIn("given answer", done.stdout)


class TestWhy(AnalyseTestCase):
    def why(self, problem, solvers, *arguments, code=1):
        done = self.perp("why", self.write("problem.json", problem), "--solvers", solvers, *arguments, "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        text = self.perp("why", self.write("problem.json", problem), "--solvers", solvers, *arguments)
        self.assertEqual(text.returncode, code, text.stderr)
        return parse_json(done.stdout), text.stdout

    def causes(self, told):
        return {c["what"]: c for c in told["causes"]}

    def test_constraints_in_conflict(self):
        """Two contacts that ask a body to move apart from both walls: named, and mended by their gap."""
        problem = lcp(n=3, M={"shape": [3, 3], "dense": [[1, -1, 0], [-1, 1, 0], [0, 0, 1]]}, q=[-0.5, -0.25, -1],
                      variables=["left.normal", "right.normal", "floor.normal"],
                      contacts=[contact("left"), contact("right"), contact("floor")])
        told, text = self.why(problem, "auto,lemke")
        self.assertEqual(sorted(self.causes(told)["infeasible"]["rows"]), ["left.normal", "right.normal"])
        self.assertIn("infeasible", text)
        mend = {m["what"]: m for m in told["mends"]}
        self.assertAlmostEqual(mend["q"]["amount"], 0.75, delta=1e-6)
        self.assertTrue(mend["q"]["solved"])
        self.assertLessEqual({row["name"] for row in mend["q"]["rows"]}, {"left.normal", "right.normal"})
        self.assertTrue(mend["compliance"]["solved"])

    def test_a_solver_that_is_too_slow(self):
        n = 40
        M = [[2 if i == j else -1 if abs(i - j) == 1 else 0 for j in range(n)] for i in range(n)]
        told, text = self.why(lcp(n=n, M={"shape": [n, n], "dense": M}, q=[-1] * n), "pgs,lemke", "--max-iterations", "1000",
                              "--shrink", "0", code=0)
        pgs = told["solvers"][0]
        slow = {c["what"]: c for c in pgs["causes"]}["slow"]
        # The spectral radius of Gauss-Seidel here is cos(pi / (n + 1))^2.
        self.assertIn(f"{math.cos(math.pi / (n + 1)) ** 2:.2f}", slow["text"])
        self.assertEqual((pgs["trace"]["of"], len(pgs["trace"]["values"])), ("residual", len(pgs["trace"]["iterations"])))
        self.assertGreater(len(pgs["trace"]["values"]), 4)
        self.assertIn("▁", text)
        self.assertEqual(told["mends"], [])

    def test_a_wrong_claim(self):
        liar = self.write("liar.py", "import sys\nsys.stdin.read()\nprint('{\"z\": [2, 0.5]}')\n")
        problem = lcp(variables=["good", "bad"])
        told, text = self.why(problem, f"exec:{PYTHON} {liar}", "--shrink", "0")
        cause = told["solvers"][0]["causes"][0]
        self.assertEqual((cause["what"], len(cause["rows"])), ("wrong claim", 1))
        self.assertIn(cause["rows"][0], text)

    def test_a_kind_or_class_that_is_refused(self):
        told, _ = self.why(lcp(M={"shape": [2, 2], "dense": [[2, 1], [0, 2]]}), "gradient-projection", "--shrink", "0")
        cause = told["solvers"][0]["causes"][0]
        self.assertEqual(cause["what"], "refused")
        self.assertIn("symmetric", cause["text"])

    def test_numbers_that_are_not_finite(self):
        program = self.write("nan.py", "import sys\nsys.stdin.read()\nprint('{\"z\": [null, 0]}')\n")
        told, _ = self.why(lcp(), f"exec:{PYTHON} {program}", "--shrink", "0")
        self.assertIn("not finite", {c["what"] for c in told["solvers"][0]["causes"]})

    def test_rows_of_other_units(self):
        """A row in millionths of a millionth, on which a tolerance cannot be met in doubles."""
        problem = lcp(M={"shape": [2, 2], "dense": [[2e12, 1e12], [1, 2]]}, q=[-4e12 / 3, 1], variables=["huge", "usual"])
        told, _ = self.why(problem, "pgs", "--tolerance", "1e-14", "--shrink", "0")
        self.assertEqual(self.causes(told)["badly scaled"]["rows"], ["huge", "usual"])
        self.assertNotIn("dependent rows", self.causes(told))  # the matrix is regular
        self.assertIn("tolerance below rounding", {c["what"] for c in told["solvers"][0]["causes"]})

    def test_contacts_that_depend_on_each_other(self):
        """A solver that cannot take a singular matrix: those that take part in the dependence are named."""
        problem = lcp(n=3, M={"shape": [3, 3], "dense": [[1, 1, 0], [1, 1, 0], [0, 0, 1]]}, q=[-1, -1, -1],
                      variables=["twin0.normal", "twin1.normal", "other.normal"])
        fails = self.write("fails.py", "import sys\nsys.stdin.read()\nprint('{\"status\": \"numerical_error\"}')\n")
        told, _ = self.why(problem, f"exec:{PYTHON} {fails}", "--shrink", "0")
        self.assertEqual(self.causes(told)["dependent rows"]["rows"], ["twin0.normal", "twin1.normal"])

    def test_too_much_friction(self):
        """Friction that presses a sliding contact down faster than its impulse opens it: no solution from mu = 1 on."""
        problem = lcp(n=4, M={"shape": [4, 4], "dense": [[1, -1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [2, -1, -1, 0]]},
                      q=[-0.1, -10, 10, 0], contacts=[contact("tip")],
                      variables=["tip.normal", "tip.friction0", "tip.friction1", "tip.slip"])
        told, text = self.why(problem, "lemke", "--shrink", "1")
        mend = {m["what"]: m for m in told["mends"]}
        self.assertTrue(mend["mu"]["solved"])
        self.assertAlmostEqual(mend["mu"]["amount"] * 2.0, 1.0, delta=0.05)
        self.assertIn("every mu times", text)

    def test_who_bounces_up_and_down_is_stuck_not_slow(self):
        """-z - 1 >= 0 has no solution: the residual of newton-fb goes up and down between 1/2 and 2."""
        told, text = self.why(lcp(n=1, M={"shape": [1, 1], "dense": [[-1]]}, q=[-1]), "lemke,newton-fb", "--shrink", "1")
        causes = {c["what"] for c in told["solvers"][1]["causes"]}
        self.assertIn("stuck", causes)
        self.assertNotIn("slow", causes)

    def test_a_change_of_equations_mends_them(self):
        """Rows of free unknowns that contradict each other: the change that is named is tried as it is."""
        problem = make_problem("mlcp", n=3, M={"shape": [3, 3], "dense": [[2, 2, 0], [2, 2, 0], [0, 0, 1]]}, q=[0.1, 0.3, -1],
                               lower=["-inf", "-inf", 0], upper=["inf", "inf", "inf"])
        told, _ = self.why(problem, "auto", "--shrink", "0")
        mend = {m["what"]: m for m in told["mends"]}["q"]
        self.assertAlmostEqual(mend["amount"], 0.2, delta=1e-6)
        self.assertTrue(mend["solved"])

    def test_what_a_solver_proved_of_cones(self):
        """x <= -1 and x >= 1: both rows are in conflict, and no method was stuck."""
        problem = make_problem("conic_qp", n=1, P={"shape": [1, 1], "dense": [[1]]}, c=[1], A={"shape": [2, 1], "dense": [[1], [-1]]}, b=[-1, -1],
                               cones=[{"type": "nonnegative", "size": 2}])
        told, text = self.why(problem, "auto", "--shrink", "0")
        self.assertEqual(told["solvers"][0]["result"]["status"], "infeasible")
        self.assertIn("row 0, row 1", self.causes(told)["infeasible"]["text"])
        self.assertNotIn("stuck", {c["what"] for c in told["solvers"][0]["causes"]})
        self.assertIn("row 0, row 1", text)

    def test_entries_at_the_end_of_the_range(self):
        """What it would add to the diagonal overflows: it is left out, and all else is told."""
        problem = make_problem("mlcp", n=2, M={"shape": [2, 2], "dense": [[1.7e308, 0], [0, 0]]}, q=[-1, -1], lower=[0, 0], upper=["inf", "inf"])
        told, _ = self.why(problem, "lemke", "--shrink", "0")
        self.assertEqual(self.causes(told)["infeasible"]["rows"], ["z[1]"])

    def test_interrupted_it_speaks_of_no_mends(self):
        began = self.folder / "began"
        script = self.write("slow.sh", f"cat > /dev/null; touch {began}; exec sleep 60\n")
        running = subprocess.Popen([PERP, "why", self.write("problem.json", lcp()), "--solvers", f"exec:sh {script}"],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        deadline = time.monotonic() + 60
        while not began.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        said = running.communicate(timeout=60)[0]
        self.assertIn("interrupted", said)
        self.assertNotIn("mend", said)
        self.assertEqual(running.returncode, -signal.SIGINT)

    def test_what_another_solver_solves_needs_no_mend(self):
        fails = self.write("fails.py", "import sys\nsys.stdin.read()\nprint('{\"status\": \"numerical_error\"}')\n")
        told, text = self.why(lcp(), f"exec:{PYTHON} {fails}", "--shrink", "0")
        self.assertEqual((told["solved"], told["auto_solves"], told["mends"]), (False, True, []))
        self.assertIn("auto solves it", text)

    def test_auto_is_not_tried_where_a_solver_solves(self):
        self.assertIsNone(self.why(lcp(), "lemke", code=0)[0]["auto_solves"])

    def test_the_smallest_problem_that_still_fails(self):
        n = 8
        M = [[0] * n for _ in range(n)]
        for i in range(n):
            M[i][i] = 1
        M[3][3], q = 0, [-1] * n  # row 3 asks for nothing that can be had
        told, text = self.why(lcp(n=n, M={"shape": [n, n], "dense": M}, q=q), "lemke")
        self.assertEqual(told["solvers"][0]["smallest"]["n"], 1)
        self.assertIn("n = 1 still ends so", text)
        self.assertEqual(self.causes(told)["infeasible"]["rows"], ["z[3]"])

    def test_what_is_solved_needs_no_reason(self):
        told, text = self.why(lcp(), "lemke,newton-fb", code=0)
        self.assertEqual((told["solved"], told["causes"], told["mends"]), (True, [], []))
        self.assertEqual([s["causes"] for s in told["solvers"]], [[], []])
        self.assertNotIn("mend", text)


if __name__ == "__main__":
    unittest.main()
