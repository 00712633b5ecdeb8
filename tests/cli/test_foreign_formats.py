"""AMPL .nl and MathOptFormat on the command line, judged by evaluators written here: of perp's graphs and of MOF."""
import gzip
import json
import math
import os
import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import COLLECTIONS, CliTestCase, lcp, make_problem, parse_json, with_cases  # noqa: E402

FOREIGN = COLLECTIONS / "foreign"
INFINITY = math.inf

FUNCTIONS = {
    "neg": lambda a: -a, "sqrt": math.sqrt, "exp": math.exp, "log": math.log, "sin": math.sin, "cos": math.cos,
    "tan": math.tan, "atan": math.atan, "tanh": math.tanh, "abs": abs, "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a / b, "pow": lambda a, b: a ** b,
    "min": min, "max": max, "norm": lambda *a: math.sqrt(sum(x * x for x in a)),
}


def evaluate_perp(problem, z):
    """F(z) of an lcp, mlcp or mcp in perp's own JSON."""
    if problem["kind"] != "mcp":
        f = [float(q) for q in problem["q"]]
        for i, j, value in zip(*(problem["M"][name] for name in ("row", "col", "value"))):
            f[i] += value * z[j]
        return f
    values = []
    graph = problem["graph"]
    for operation, *arguments in graph["nodes"]:
        if operation == "const":
            values.append(arguments[0])
        elif operation == "var":
            values.append(z[arguments[0]])
        elif operation == "par":
            values.append(graph["parameters"][arguments[0]])
        else:
            values.append(FUNCTIONS[operation](*(values[i] for i in arguments)))
    return [values[i] for i in graph["outputs"]]


class Mof:
    """A MathOptFormat model as its schema describes it: bounds, and F where Complements pairs it with variables."""

    OPERATORS = {"+": lambda *a: sum(a), "-": lambda a, b=None: -a if b is None else a - b, "*": lambda *a: math.prod(a),
                 "/": lambda a, b: a / b, "^": lambda a, b: a ** b, "min": min, "max": max,
                 **{name: FUNCTIONS[name] for name in ("sqrt", "exp", "log", "sin", "cos", "tan", "atan", "tanh", "abs")}}

    def __init__(self, text):
        self.model = parse_json(text)
        self.names = [v["name"] for v in self.model["variables"]]
        assert len(set(self.names)) == len(self.names)

    def bounds(self):
        bounds = {name: (-INFINITY, INFINITY) for name in self.names}
        for constraint in self.model["constraints"]:
            if constraint["function"]["type"] == "Variable":
                s = constraint["set"]
                bounds[constraint["function"]["name"]] = {
                    "GreaterThan": lambda: (s["lower"], INFINITY), "LessThan": lambda: (-INFINITY, s["upper"]),
                    "Interval": lambda: (s["lower"], s["upper"]), "EqualTo": lambda: (s["value"], s["value"])}[s["type"]]()
        return [bounds[name] for name in self.names]

    def evaluate(self, z):
        """F by variable."""
        at, f = dict(zip(self.names, z)), {}
        for constraint in self.model["constraints"]:
            if constraint["set"]["type"] == "Complements":
                rows = self.rows(constraint["function"], at)
                half = constraint["set"]["dimension"] // 2
                assert len(rows) == 2 * half
                shifted = [self.rows(constraint["function"], {**at, name: at[name] + 1})[half:] for name in self.names]
                for i in range(half):
                    f[next(j for j in range(len(z)) if shifted[j][i] != rows[half + i])] = rows[i]
        return [f[j] for j in range(len(z))]

    def rows(self, function, at):
        if function["type"] == "VectorAffineFunction":
            rows = list(function["constants"])
            for term in function["terms"]:
                inner = term["scalar_term"]
                rows[term["output_index"] - 1] += inner["coefficient"] * at[inner["variable"]]
            return rows
        assert function["type"] == "VectorNonlinearFunction"
        nodes = []
        for term in function["node_list"]:
            nodes.append(self.term(term, nodes, at))
        return [self.term(row, nodes, at) for row in function["rows"]]

    def term(self, term, nodes, at):
        if isinstance(term, str):
            return at[term]
        if not isinstance(term, dict):
            return term
        if term["type"] == "node":
            return nodes[term["index"] - 1]
        return self.OPERATORS[term["type"]](*(self.term(a, nodes, at) for a in term["args"]))


def random_mcp(rng, n):
    """An mcp as JSON whose nodes stay within their domains near [-1, 1]."""
    nodes = [["var", i] for i in range(n)] + [["par", 0], ["const", 1.5]]
    for _ in range(rng.randrange(5, 40)):
        a, b = rng.randrange(len(nodes)), rng.randrange(len(nodes))
        nodes.append(["tanh", a])
        safe = len(nodes) - 1
        nodes.append(["add", n + 1, safe])  # within (0.5, 2.5)
        above = len(nodes) - 1
        nodes.append(rng.choice([["sqrt", above], ["log", above], ["exp", safe], ["sin", a], ["cos", a], ["atan", b],
                                 ["abs", b], ["neg", a], ["add", a, b], ["sub", a, b], ["mul", safe, above],
                                 ["div", safe, above], ["pow", above, safe], ["min", a, b], ["max", a, b],
                                 ["norm", safe, above, safe], ["tan", safe]]))
    lower, upper = [], []
    for _ in range(n):
        low, high = rng.choice([("-inf", "inf"), (0, "inf"), ("-inf", 0.5), (-1, 2), (0.25, 0.25)])
        lower.append(low)
        upper.append(high)
    return make_problem("mcp", n=n, graph={"nodes": nodes, "outputs": rng.sample(range(len(nodes)), n),
                                           "parameters": [rng.uniform(-1, 1)]}, lower=lower, upper=upper,
                        variables=[f"x {i}" for i in range(n)], start=[rng.uniform(-1, 1) for _ in range(n)])


def bounds_of(problem):
    n = problem["n"]
    return list(zip(map(float, problem.get("lower", [0] * n)), map(float, problem.get("upper", ["inf"] * n))))


class RoundTrips(CliTestCase):
    def assert_close(self, a, b):
        self.assertEqual(len(a), len(b))
        for x, y in zip(a, b):
            self.assertAlmostEqual(x, y, delta=1e-10 * (1 + abs(x)))

    def check(self, problem, rng):
        path = self.write("p.json", problem)
        self.succeed("convert", path, self.folder / "p.mof.json")
        mof = Mof((self.folder / "p.mof.json").read_text())
        self.assertEqual((mof.model["version"], mof.names), ({"major": 1, "minor": 7}, problem["variables"]))
        self.assertEqual(mof.bounds(), bounds_of(problem))
        self.succeed("convert", path, self.folder / "p.nl")
        self.assertEqual((self.folder / "p.col").read_text().split("\n")[:-1], problem["variables"])
        back = [self.convert(self.folder / name) for name in ("p.mof.json", "p.nl")]
        for _ in range(3):
            z = [rng.uniform(-1, 1) for _ in range(problem["n"])]
            f = evaluate_perp(problem, z)
            self.assert_close(mof.evaluate(z), f)
            for other in back:
                self.assert_close(evaluate_perp(other, z), f)
        for other in back:
            self.assert_valid(other, "problem")
            self.assertEqual(bounds_of(other), bounds_of(problem))
            for name in ("name", "n", "variables", "start"):
                self.assertEqual(other.get(name), problem.get(name))

    def test_random_nonlinear_problems(self):
        rng = random.Random(1)
        for _ in range(25):
            problem = random_mcp(rng, rng.randrange(1, 5))
            with self.subTest(problem=json.dumps(problem)):
                self.check(problem, rng)

    def test_linear_problems_keep_their_kind(self):
        rng = random.Random(2)
        for kind in ("lcp", "mlcp"):
            problem = make_problem(kind, variables=["a", "b"])
            problem["M"] = {"shape": [2, 2], "row": [0, 0, 1, 1], "col": [0, 1, 0, 1], "value": [2.5, -1, 1 / 3, 2]}
            self.check(problem, rng)
            for name in ("p.mof.json", "p.nl"):
                self.assertEqual(self.convert(self.folder / name)["kind"], kind)


class Files(CliTestCase):
    def test_known_solutions_of_models_written_elsewhere(self):
        root = math.sqrt(6) / 2
        x = 0.7920599684306770  # e^x + x = 3
        self.assertAlmostEqual(math.exp(x) + x, 3, delta=1e-15)
        solutions = {"lcp4.nl": [[2.8, 0, 0.8, 1.2]], "lcp4.mof.json": [[2.8, 0, 0.8, 1.2]],
                     "kojshin.nl": [[root, 0, 0, 0.5], [1, 0, 3, 0]], "exponential.mof.json": [[x, x]],
                     "kojshin.mof.json": [[root, 0, 0, 0.5], [1, 0, 3, 0]]}
        self.assertEqual(sorted(solutions), sorted(p.name for p in FOREIGN.iterdir() if p.suffix != ".md"))
        for name, known in solutions.items():
            for z in known:
                self.succeed("verify", FOREIGN / name, self.write("r.json", {"z": z}))
            worse = self.write("r.json", {"z": [value + 0.01 for value in known[0]]})
            self.assertEqual(self.perp("verify", FOREIGN / name, worse).returncode, 1)
            self.assertIn(name.split(".")[0], self.succeed("info", FOREIGN / name))

    def test_both_formats_hold_the_same_model(self):
        for name in ("lcp4", "kojshin"):
            models = [self.convert(FOREIGN / f"{name}{ending}") for ending in (".nl", ".mof.json")]
            self.assertEqual(models[0]["kind"], models[1]["kind"])
            for z in ([0.5, 1.5, -0.25, 2], [1, 2, 3, 4]):
                for a, b in zip(*(evaluate_perp(model, z) for model in models)):
                    self.assertAlmostEqual(a, b, delta=1e-12)

    def test_a_linear_model_is_solved(self):
        for ending in (".nl", ".mof.json"):
            z = self.solve(FOREIGN / f"lcp4{ending}")["z"]
            for value, expected in zip(z, [2.8, 0, 0.8, 1.2]):
                self.assertAlmostEqual(value, expected, delta=1e-9)

    def test_export_writes_the_formats(self):
        for form, ending in (("nl", ".nl"), ("mof", ".mof.json")):
            listed = self.succeed("export", "psd", "--size", "3", "--format", form, "-o", self.folder / form)
            self.assertEqual(listed, f"{self.folder / form}/psd-3-1{ending}\n")
            self.succeed("export", "psd", "--size", "3", "--gzip", "--format", form, "-o", self.folder / form)
            packed = gzip.decompress((self.folder / form / f"psd-3-1{ending}.gz").read_bytes())
            self.assertEqual(packed, (self.folder / form / f"psd-3-1{ending}").read_bytes())
            self.succeed("solve", self.folder / form / f"psd-3-1{ending}.gz")

    def test_a_step_of_a_scene_is_the_same_in_every_format(self):
        paths = {form: self.succeed("export", "two-spheres", "--steps", "100:100", "--format", form, "-o",
                                    self.folder / form).split("\n")[0] for form in ("perp", "mof", "nl")}
        problem = self.convert(paths["perp"])
        self.assertEqual(problem["kind"], "mcp")
        mof = Mof(open(paths["mof"], encoding="utf-8").read())
        from_nl = self.convert(paths["nl"])
        self.assertEqual(mof.names, problem["variables"])
        self.assertEqual(from_nl["variables"], problem["variables"])
        rng = random.Random(3)
        for _ in range(5):
            z = [rng.uniform(0.1, 1) for _ in range(problem["n"])]
            f = evaluate_perp(problem, z)
            self.assertGreater(max(map(abs, f)), 0.1)
            for other in (mof.evaluate(z), evaluate_perp(from_nl, z)):
                for value, expected in zip(other, f):
                    self.assertAlmostEqual(value, expected, delta=1e-12)
        answers = [self.solve(path, "--tolerance", 1e-12)["z"] for path in paths.values()]
        for z in answers[1:]:
            for value, expected in zip(z, answers[0]):
                self.assertAlmostEqual(value, expected, delta=1e-9)

    def test_bench_takes_the_files_of_a_folder(self):
        self.succeed("bench", FOREIGN, "--solvers", "lemke", "--repeat", "1", "-o", self.folder / "run")
        texts = [path.read_text() for path in (self.folder / "run").rglob("*.jsonl")]
        lines = [json.loads(line) for text in texts for line in text.splitlines()]
        self.assertEqual(sorted(line["instance"] for line in lines),
                         ["exponential.mof", "kojshin", "kojshin.mof", "lcp4", "lcp4.mof"])
        self.assertEqual({line["outcome"] for line in lines if line["kind"] == "lcp"}, {"solved"})

    def test_formats_by_name(self):
        path = self.write("p.json", lcp())
        self.succeed("convert", path, self.folder / "model", "--to", "nl")
        self.succeed("convert", self.folder / "model", self.folder / "model2", "--from", "nl", "--to", "mof")
        self.succeed("convert", self.folder / "model2", self.folder / "back.json", "--from", "mof")
        back = parse_json((self.folder / "back.json").read_text())
        self.assertEqual((back["kind"], back["q"]), ("lcp", [-4, 1]))

    def test_names_beside_an_nl_file(self):
        self.succeed("convert", self.write("p.json", lcp(variables=["one", "two"])), self.folder / "p.nl")
        self.assertEqual(self.convert(self.folder / "p.nl")["variables"], ["one", "two"])
        self.succeed("convert", self.write("p.json", lcp()), self.folder / "p.nl")
        self.assertFalse((self.folder / "p.col").exists())
        self.assertNotIn("variables", self.convert(self.folder / "p.nl"))

    def test_names_beside_a_packed_nl_file(self):
        self.succeed("convert", self.write("p.json", lcp(variables=["one", "two"])), self.folder / "p.nl.gz")
        self.assertEqual((self.folder / "p.col").read_text(), "one\ntwo\n")
        self.assertEqual(self.convert(self.folder / "p.nl.gz")["variables"], ["one", "two"])

    def test_export_tells_of_the_file_of_names(self):
        written = self.succeed("export", "pendulum", "--format", "nl", "-o", self.folder / "out").split()
        self.assertEqual(sorted(written), sorted(map(str, (self.folder / "out").iterdir())))
        self.assertTrue(any(name.endswith(".col") for name in written))

    def test_names_that_agree_are_told_apart_in_mof(self):
        self.succeed("convert", self.write("p.json", lcp(variables=["x", "x"])), self.folder / "p.mof.json")
        self.assertEqual(self.convert(self.folder / "p.mof.json")["variables"], ["x", "x_"])


NL = (FOREIGN / "kojshin.nl").read_text()
MOF = (FOREIGN / "exponential.mof.json").read_text()


def nl(old, new):
    assert NL.count(old) >= 1, old
    return NL.replace(old, new, 1)


def mof(old, new):
    assert MOF.count(old) >= 1, old
    return MOF.replace(old, new, 1)


class Starts(CliTestCase):
    def test_a_start_in_a_file_is_used(self):
        """Of every stored .nl and .mof.json that has one, of no other."""
        used = 0
        files = sorted(Path(COLLECTIONS, "foreign").glob("*.*"))
        for path in files:
            if path.suffix == ".md":
                continue
            problem = self.convert(path)
            result = self.solve(path)
            self.assertEqual(result["start"], "stored" if "start" in problem else "nothing", path.name)
            self.assertEqual(self.solve(path, "--start", "zero")["start"], "nothing")
            used += "start" in problem
        self.assertGreaterEqual(used, 4)

    def test_a_start_at_the_answer_is_all_there_is_to_do(self):
        path = Path(COLLECTIONS, "foreign", "kojshin.nl")
        problem = self.convert(path)
        problem["start"] = self.solve(path, "--tolerance", "1e-12")["z"]
        for name in ("at.nl", "at.mof.json"):
            target = self.folder / name
            self.succeed("convert", self.write("at.json", problem), target)
            for solver in ("newton-fb", "josephy-newton"):
                result = self.solve(target, "--solver", solver)
                self.assertEqual((result["start"], result["iterations"]), ("stored", 0), (name, solver))


class Refusals(CliTestCase):
    def check(self, content, *words, name="bad.nl"):
        done = self.perp("convert", self.write(name, content), self.folder / "out.json")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("perp: "), done.stderr)
        for word in (name, *words):
            self.assertIn(word.lower(), done.stderr.lower())
        self.assertFalse((self.folder / "out.json").exists())


@with_cases({
    "binary": (nl("g3 1 1 0", "b3 1 1 0"), "line 1", "binary"),
    "no_nl_file": ("hello\n", "line 1", "header"),
    "empty": ("", "header"),
    "cut_in_the_header": (NL[:60], "ends before"),
    "cut_in_an_expression": (NL[:NL.index("C1")], "r segment"),
    "cut_in_a_body": (NL[:NL.index("v1")], "ends before"),
    "discrete_variables": (nl(" 0 0 0 0 0\t# discrete", " 0 1 0 0 0\t# discrete"), "line 7", "discrete"),
    "unknown_segment": (nl("O0 0", "Q0 0"), "segment", "q"),
    "objective": (nl("O0 0\nn0", "O0 0\nv1"), "objective"),
    "branch": (nl("o5\n", "o35\n"), "o35", "(if)"),
    "unknown_operation": (nl("o5\n", "o99\n"), "o99"),
    "too_large_a_variable": (nl("v1", "v9"), "v9"),
    "constraint_out_of_range": (nl("C3", "C4"), "constraint", "4"),
    "no_integer": (nl("J0 4", "J0 x"), "integer"),
    "no_number": (nl("n-6", "n-six"), "-six", "number"),
    "infinite_number": (nl("n-6", "n1e999"), "finite"),
    "inequality": (nl("5 1 1", "2 0"), "inequality"),
    "bounds_that_disagree": (nl("5 1 2", "5 2 2"), "5 2 2", "bounds"),
    "variable_complemented_twice": (nl("5 1 2", "5 1 1"), "already"),
    "variable_without_a_row": (nl("5 1 2", "4 0"), "variable 2", "no row"),
    "equation_too_many": (nl("5 1 2", "4 0").replace("b\n2 0\n2 0", "b\n2 0\n4 0"), "equations"),
    "crossed_bounds": (nl("b\n2 0", "b\n0 2 1"), "crossed"),
    "user_function": (nl("C0", "F0 1 1 f\nC0"), "functions"),
    "bounds_missing": (NL[:NL.index("b\n2 0")], "b segment"),
    "huge": (nl(" 4 4 1", " 4000000000 4 1"), "line 2"),
})
class BadNl(Refusals):
    pass


@with_cases({
    "objective": (mof('"feasibility"', '"min"'), "objective.sense"),
    "version": (mof('"minor": 7', '"minor": 12'), "version", "1.12"),
    "unknown_variable": (mof('"name": "y"\n   },\n   "set"', '"name": "w"\n   },\n   "set"'), "no such variable"),
    "variable_twice": (mof('"name": "y"', '"name": "x"'), "variables[1].name", "exists"),
    "integer_set": (mof('"type": "Interval"', '"type": "Integer"'), "constraints[1].set.type", "integer"),
    "unknown_function": (mof('"VectorNonlinearFunction"', '"VectorSplineFunction"'), "function"),
    "unknown_operator": (mof('"exp"', '"gamma"'), "gamma"),
    "later_node": (mof('"index": 2', '"index": 3'), "index"),
    "wrong_dimension": (mof('"dimension": 4', '"dimension": 6'), "dimension"),
    "complements_no_variable": (mof('"x",\n     "y"\n    ],\n    "node_list"', '2.0,\n     "y"\n    ],\n    "node_list"'),
                                "single variable"),
    "not_json": (MOF[:-5], "json"),
    "unmatched": (mof('"Complements"', '"Zeros"'), "bounds", "no row"),
    "infinite": (mof('"upper": 2.0', '"upper": 1e999'), "number"),
})
class BadMof(Refusals):
    def check(self, content, *words):
        super().check(content, *words, name="bad.mof.json")


class BadOutput(CliTestCase):
    def test_other_kinds_have_no_form_and_nothing_is_written(self):
        for kind in ("box_qp", "conic_qp", "friction_contact", "convex_contact"):
            for name in ("out.nl", "out.mof.json"):
                out = self.folder / name
                done = self.perp("convert", self.write("p.json", make_problem(kind)), out)
                self.assertEqual(done.returncode, 2)
                self.assertIn(kind, done.stderr)
                self.assertIn(name, done.stderr)
                self.assertFalse(out.exists())

    def test_a_sequence_has_one_format(self):
        done = self.perp("export", "box-stack", "--sequence", "--format", "nl", "-o", self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--sequence", done.stderr)


if __name__ == "__main__":
    unittest.main()
