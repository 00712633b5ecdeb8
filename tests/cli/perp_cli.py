"""What the tests of the command line share: running perp, scratch folders, strict JSON, schemas, small problems.

Environment: PERP, the program (default build/release/perp), and PERP_ROOT, the repository (default: found from
this file).
"""
import copy
import json
import os
import re
import struct
import subprocess
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path

import jsonschema

ROOT = Path(os.environ.get("PERP_ROOT") or Path(__file__).resolve().parents[2]).resolve()
PERP = os.path.abspath(os.environ.get("PERP") or ROOT / "build" / "release" / "perp")
COLLECTIONS = ROOT / "problems" / "collections"
SCHEMAS = ROOT / "problems" / "io" / "schema"


def is_sanitized():
    """Whether perp is built with the address sanitizer, which reserves more memory than any limit allows."""
    return os.path.exists(PERP) and b"__asan_init" in Path(PERP).read_bytes()


needs_memory_limits = unittest.skipIf(is_sanitized(), "the address sanitizer does not run under a memory limit")

def page_data(path):
    """What the page of a report is made of."""
    return parse_json(re.search(r'<script type="application/json" id="perp-data">(.*?)</script>', Path(path).read_text(), re.S).group(1))


def page_records(data):
    """The records of a page, each a dictionary; `flags` as the names of those that are set."""
    lists = {"suite": "suites", "group": "groups", "problem": "problems", "kind": "kinds", "solver": "solvers", "base": "solvers", "mode": "modes",
             "outcome": "outcomes", "claimed": "outcomes", "message": "messages", "worst": "messages", "machine": "machines",
             **dict.fromkeys(("settings", "label", "source", "given", "plugin"), "settings")}
    names = ["right", "refused", "knownEnd", "gaveUp", "vacuous", "ownTimes", "main"]
    told = data["records"]
    rows = [dict(zip(told["columns"], row)) for row in told["rows"]]
    return [{name: {flag for k, flag in enumerate(names) if value >> k & 1} if name == "flags"
             else told["words"][lists[name]][value] if name in lists else value for name, value in row.items()} for row in rows]


REMOVE = object()  # as a value of make_problem: leave the field out
INFINITY = float("inf")

PROBLEMS = {
    "lcp": {"M": {"shape": [2, 2], "dense": [[2, 1], [1, 2]]}, "q": [-4, 1]},
    "mlcp": {"M": {"shape": [2, 2], "row": [0, 0, 1], "col": [0, 1, 0], "value": [2, -1, 1]}, "q": [-3, 0],
             "lower": ["-inf", -0.5], "upper": ["inf", 0.5]},
    "mcp": {"graph": {"nodes": [["var", 0], ["var", 1], ["par", 0], ["mul", 0, 0], ["add", 3, 1], ["sub", 4, 2],
                                ["const", 1], ["add", 1, 6]],
                      "outputs": [5, 7], "parameters": [4]},
            "lower": [0, 0], "upper": ["inf", "inf"]},
    "box_qp": {"H": {"shape": [2, 2], "dense": [[2, 0], [0, 2]]}, "c": [-2, -6], "lower": [0, 0], "upper": ["inf", 2]},
    "conic_qp": {"P": {"shape": [2, 2], "dense": [[2, 0], [0, 2]]}, "c": [-2, -6],
                 "A": {"shape": [3, 2], "dense": [[1, 1], [-1, 0], [0, -1]]}, "b": [2, 0, 0],
                 "cones": [{"type": "zero", "size": 1}, {"type": "nonnegative", "size": 2}]},
    "friction_contact": {"n": 3, "dimension": 3, "mu": [0.5], "q": [-1, 2, 0],
                         "W": {"shape": [3, 3], "dense": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}},
    "convex_contact": {"n": 3, "A": {"shape": [3, 3], "dense": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]},
                       "J": {"shape": [3, 3], "dense": [[0, 0, 1], [1, 0, 0], [0, 1, 0]]},
                       "R": [1, 1, 1], "bias": [0, 0, 0], "mu": [0.5], "v_star": [2, 0, -1]},
}


def make_problem(kind, changes=(), /, **more):
    """A small valid problem of the kind, changed; a change to REMOVE leaves the field out."""
    problem = {"format": "perp-problem", "version": 1, "kind": kind, "name": f"small {kind}", "n": 2}
    problem.update(copy.deepcopy(PROBLEMS[kind]))
    problem.update(changes)
    problem.update(more)
    return {name: value for name, value in problem.items() if value is not REMOVE}


def lcp(**changes):
    return make_problem("lcp", **changes)


def with_cases(table, method="check"):
    """Class decorator: a test of its own, test_NAME, for each row NAME: (arguments of `method`)."""
    def add_tests(cls):
        for name, arguments in table.items():
            def test(self, arguments=arguments):
                getattr(self, method)(*arguments)
            test.__name__ = f"test_{name}"
            test.__qualname__ = f"{cls.__name__}.{test.__name__}"
            if hasattr(cls, test.__name__):
                raise ValueError(f"{test.__qualname__} is defined twice")
            setattr(cls, test.__name__, test)
        return cls
    return add_tests


def parse_json(text):
    """One JSON document in the strict sense: no NaN, no Infinity, no member given twice."""
    def unique(pairs):
        members = dict(pairs)
        if len(members) != len(pairs):
            raise ValueError(f"a member is given twice: {[name for name, _ in pairs]}")
        return members

    def refuse(constant):
        raise ValueError(f"{constant} is not JSON")

    return json.loads(text, object_pairs_hook=unique, parse_constant=refuse)


def schema_errors(document, schema):
    """What the schema (problem, result, record, scene, sequence, suite, collection or answer) says against the document, one line each."""
    rules = json.loads((SCHEMAS / f"perp-{schema}.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(rules)
    return [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(document)]


def dense_rows(matrix):
    """The rows of a matrix in either storage, as exact fractions; repeated entries add."""
    rows, columns = matrix["shape"]
    if "dense" in matrix:
        return [[Fraction(value) for value in row] for row in matrix["dense"]]
    result = [[Fraction(0)] * columns for _ in range(rows)]
    for i, j, value in zip(matrix["row"], matrix["col"], matrix["value"]):
        result[i][j] += Fraction(value)
    return result


def product(rows, vector):
    return [sum((a * Fraction(x) for a, x in zip(row, vector)), Fraction(0)) for row in rows]


def transpose(rows):
    return [list(column) for column in zip(*rows)]


def bounds_of(problem):
    """Lower and upper bounds of an lcp, mlcp or box_qp."""
    n = problem["n"]
    return ([float(x) for x in problem.get("lower", [0] * n)], [float(x) for x in problem.get("upper", ["inf"] * n)])


def natural_residual(problem, z):
    """max |mid(z - l, z - u, Mz + q)| in exact arithmetic; also of a box_qp (H, c)."""
    matrix, constant = (problem["H"], problem["c"]) if problem["kind"] == "box_qp" else (problem["M"], problem["q"])
    value = [f + Fraction(q) for f, q in zip(product(dense_rows(matrix), z), constant)]

    def mid(x, low, high, f):
        x = Fraction(x)
        return sorted([INFINITY if low == -INFINITY else x - Fraction(low),
                       -INFINITY if high == INFINITY else x - Fraction(high), f])[1]

    return float(max((abs(mid(*row)) for row in zip(z, *bounds_of(problem), value)), default=0))


def same_bits(a, b):
    return struct.pack("<d", a) == struct.pack("<d", b)


class CliTestCase(unittest.TestCase):
    """A test with a scratch folder, self.folder."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="perp-test-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def write(self, name, content):
        """A file in the scratch folder from bytes, text or something to be written as JSON."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not isinstance(content, (bytes, str)):
            content = json.dumps(content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def perp(self, *arguments, stdin="", **options):
        """Runs perp; returns what subprocess.run does, with the output as text."""
        done = subprocess.run([PERP, *map(str, arguments)], capture_output=True, timeout=300, check=False,
                              input=stdin if isinstance(stdin, bytes) else stdin.encode(), **options)
        done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
        return done

    def succeed(self, *arguments, **options):
        """Runs perp and expects exit code 0; returns what went to stdout."""
        done = self.perp(*arguments, **options)
        self.assertEqual(done.returncode, 0, f"perp {' '.join(map(str, arguments))}: {done.stderr}{done.stdout}")
        return done.stdout

    def convert(self, source, target="converted.json"):
        """The problem that perp convert makes of a file."""
        path = self.folder / target
        self.succeed("convert", source, path)
        return parse_json(path.read_text())

    def solve(self, problem, *arguments, code=0, **options):
        """The result of perp solve --json, checked against the schema; `problem` is a path or an object."""
        path = self.write("problem.json", problem) if isinstance(problem, dict) else problem
        done = self.perp("solve", path, "--json", *arguments, **options)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        result = parse_json(done.stdout)
        self.assert_valid(result, "result")
        return result

    def assert_valid(self, document, schema):
        self.assertEqual(schema_errors(document, schema), [])

    def assert_no_leftovers(self):
        """No temporary file anywhere in the scratch folder."""
        self.assertEqual([str(path) for path in self.folder.rglob("*.tmp*")], [])
