"""Files that perp reads and writes: problems and their round trip, the documentation's examples, foreign text, the
lists, suites, run records and reports."""
import gzip
import importlib.util
import json
import math
import os
import random
import re
import shlex
import struct
import subprocess
import sys
import unittest
from pathlib import Path

import jsonschema

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import (COLLECTIONS, PROBLEMS, REMOVE, ROOT, SCHEMAS, CliTestCase, dense_rows, lcp,  # noqa: E402
                      make_problem, needs_memory_limits, page_data, page_records, parse_json, same_bits, schema_errors,
                      with_cases)

SICONOS = COLLECTIONS / "siconos"
SUITES = ROOT / "problems" / "suites"
KINDS = ["lcp", "mlcp", "mcp", "box_qp", "conic_qp", "friction_contact", "convex_contact"]
MATRICES = {"M", "H", "P", "A", "W", "J"}
MODULE = os.environ.get("PERP_BUILD") and os.path.join(os.environ["PERP_BUILD"], "python")  # of Python, if it is built


def entries_of(matrix):
    """A sparse matrix as {"row,column": value}; repeated entries add."""
    entries = {}
    for i, j, value in zip(matrix["row"], matrix["col"], matrix["value"]):
        place = f"{i},{j}"
        entries[place] = entries[place] + value if place in entries else value
    return entries


def differences(a, b, place=""):
    """Where two documents differ: numbers by their bits, sparse matrices entry by entry."""
    if isinstance(a, dict) and isinstance(b, dict):
        if "shape" in a and "value" in a and "value" in b:
            a, b = ({"shape": m["shape"], "entries": entries_of(m)} for m in (a, b))
        found = [f"{place}: {sorted(a)} against {sorted(b)}"] if a.keys() != b.keys() else []
        return found + [d for name in a.keys() & b.keys() for d in differences(a[name], b[name], f"{place}.{name}")]
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return [f"{place}: {len(a)} items against {len(b)}"]
        return [d for i, (x, y) in enumerate(zip(a, b)) for d in differences(x, y, f"{place}[{i}]")]
    if is_number(a) and is_number(b):
        same = a == b and (isinstance(a, int) and isinstance(b, int) or same_bits(a, b))
        return [] if same else [f"{place}: {a!r} against {b!r}"]
    return [] if type(a) is type(b) and a == b else [f"{place}: {a!r} against {b!r}"]


def load(path):
    return parse_json(Path(path).read_text())


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


class FormatTestCase(CliTestCase):
    def assert_survives(self, problem):
        """The problem is valid, and the same after .json -> .json.gz -> .json; returns the last text as an object."""
        self.assert_valid(problem, "problem")
        source = self.write("original.json", problem)
        packed, unpacked = self.folder / "packed.json.gz", self.folder / "unpacked.json"
        self.succeed("convert", source, packed)
        self.assertEqual(packed.read_bytes()[:2], b"\x1f\x8b")
        self.succeed("convert", packed, unpacked)
        self.assertEqual(gzip.decompress(packed.read_bytes()), unpacked.read_bytes())
        converted = load(unpacked)
        self.assert_valid(converted, "problem")
        self.assertEqual(differences(problem, converted), [])
        return converted


@with_cases({str(path.relative_to(COLLECTIONS).with_suffix("")).replace("/", "_"): (path,)
             for path in sorted(COLLECTIONS.rglob("*.json")) if not path.name.endswith(".mof.json")})
class TestCollections(FormatTestCase):
    def check(self, path):
        self.assert_survives(load(path))

    def test_there_are_some(self):
        self.assertGreaterEqual(len(list(COLLECTIONS.rglob("*.json"))), 20)


def random_doubles(count):
    """Finite doubles of all magnitudes."""
    noise = random.Random(5)
    values = (struct.unpack("<d", noise.randbytes(8))[0] for _ in iter(int, 1))
    return [next(x for x in values if math.isfinite(x)) for _ in range(count)]


HARD_DOUBLES = [-0.0, 0.0, 5e-324, -5e-324, 2.2250738585072014e-308, 2.225073858507201e-308, 1.7976931348623157e308,
                -1.7976931348623157e308, 0.1, 1 / 3, 1.0000000000000002, 9007199254740993.0, 1e22, 1e23,
                123456789012345680.0, 4.35, 0.3, 2.5e-5]


class TestRoundTrip(FormatTestCase):
    def test_hard_doubles_in_a_vector(self):
        n = len(HARD_DOUBLES)
        self.assert_survives(lcp(n=n, M={"shape": [n, n], "row": [], "col": [], "value": []}, q=HARD_DOUBLES))

    def test_random_doubles_in_a_vector(self):
        n = 2000
        self.assert_survives(lcp(n=n, M={"shape": [n, n], "row": [], "col": [], "value": []}, q=random_doubles(n)))

    def test_hard_doubles_in_a_dense_matrix(self):
        n = len(HARD_DOUBLES)
        rows = [HARD_DOUBLES[i:] + HARD_DOUBLES[:i] for i in range(n)]
        converted = self.assert_survives(lcp(n=n, M={"shape": [n, n], "dense": rows}, q=[0] * n))
        self.assertIn("dense", converted["M"])

    def test_hard_doubles_in_a_sparse_matrix(self):
        n = len(HARD_DOUBLES)
        order = list(range(n))
        random.Random(6).shuffle(order)
        converted = self.assert_survives(
            lcp(n=n, M={"shape": [n, n], "row": order, "col": order[::-1], "value": HARD_DOUBLES}, q=[0] * n))
        self.assertIn("row", converted["M"])

    def test_hard_doubles_elsewhere(self):
        low = [-1.7976931348623157e308, -0.0, "-inf", 5e-324, 0.1]
        high = [1.7976931348623157e308, 0.0, "inf", 2e-323, "inf"]
        self.assert_survives(make_problem(
            "mlcp", n=5, M={"shape": [5, 5], "row": [], "col": [], "value": []}, q=[0] * 5, lower=low, upper=high,
            start=HARD_DOUBLES[:5], solution={"z": HARD_DOUBLES[5:10]},
            contacts=[{"gap": 5e-324, "point": [-0.0, 0.1, 1e23]}],
            source={"h": 5e-324, "scales": HARD_DOUBLES}, **{"x-scales": HARD_DOUBLES}))

    def test_hard_constants_and_parameters_of_an_mcp(self):
        nodes = [["const", x] for x in HARD_DOUBLES] + [["var", 0], ["var", 1]]
        n = len(HARD_DOUBLES)
        graph = {"nodes": nodes, "outputs": [n, n + 1], "parameters": HARD_DOUBLES}
        self.assert_survives(make_problem("mcp", graph=graph))

    def test_number_as_text_of_many_digits(self):
        text = json.dumps(lcp(q=["@", 1])).replace('"@"', "-0.1000000000000000055511151231257827021181583404541015625")
        self.assertEqual(self.convert(self.write("p.json", text))["q"], [-0.1, 1])

    def test_tiny_number_rounds_to_zero(self):
        text = json.dumps(lcp(q=["@", 1])).replace('"@"', "1e-400")
        self.assertEqual(self.convert(self.write("p.json", text))["q"], [0, 1])

    def test_source(self):
        self.assert_survives(lcp(source={
            "scene": "box-stack", "step": 3, "time": 0.03, "h": 0.01, "big": 2**53 + 1, "negative": -7, "flag": True,
            "nothing": None, "list": [1, 2.5, "three", [4, 5], {"six": 6}], "integers": [1, 2, 3], "empty": {},
            "none": [], "nested": {"a": {"b": {"c": [None, False]}}}}))

    def test_integers_of_source_stay_integers(self):
        source = self.assert_survives(lcp(source={"step": 3, "list": [1, 2]}))["source"]
        self.assertEqual((json.dumps(source["step"]), json.dumps(source["list"])), ("3", "[1, 2]"))

    def test_large_integers_of_source(self):
        numbers = {"int64": -2**63, "seed": 2**63 - 1, "list": [2**53 + 1, 2**63 - 1, -2**53 - 1]}
        self.assert_survives(lcp(source=numbers))

    def test_long_integers_of_source(self):
        """What the document says of integers in source and x-...: those of up to 18 digits are kept, except beside others."""
        long = 2**53 + 1
        kept = self.assert_survives(lcp(source={"a": [999999999999999999, -999999999999999999], "text": "9" * 40}, **{"x-a": long}))
        self.assertEqual(kept["source"]["text"], "9" * 40)
        changed = self.convert(self.write("p.json", lcp(source={"mixed": [long, 1.5], "longer": 2**64 + 1}, **{"x-a": [2**64 + 1]})))
        self.assertEqual((changed["source"], changed["x-a"]), ({"mixed": [2.0**53, 1.5], "longer": 2.0**64}, [2.0**64]))

    def test_integers_that_are_no_doubles(self):
        done = self.perp("info", self.write("p.json", lcp(q=[2**53 + 1, 1])))
        self.assertEqual(done.returncode, 2)
        self.assertIn("9007199254740993 is not exactly a double", done.stderr)
        self.assertEqual(self.convert(self.write("p.json", lcp(q=[2**53 + 1, 1.5])))["q"], [2.0**53, 1.5])

    def test_extensions(self):
        self.assert_survives(lcp(**{"x-": 1, "x-note": "mine", "x-data": {"deep": [[1], [2.5]]}, "x-null": None}))

    def test_start_and_solution(self):
        self.assert_survives(lcp(start=[0.1, -0.0], solution={"z": [2, 5e-324]}))

    def test_dual_of_a_conic_qp(self):
        self.assert_survives(make_problem("conic_qp", solution={"z": [0, 2], "dual": [0.1, 0.2, 0.3]}))

    def test_names(self):
        strange = ["", "a \"quoted\" \\ name", "line\nbreak\ttab", "\u00e4\u22a5\U0001d53d", "\u0001", "</script>"]
        for name in strange:
            with self.subTest(name):
                self.assert_survives(lcp(name=name, variables=[name, "other"]))

    def test_escaped_names(self):
        text = json.dumps(lcp(name="@")).replace("@", r"\u22a5 \/ \ud835\udd3d")
        self.assertEqual(self.convert(self.write("p.json", text))["name"], "\u22a5 / \U0001d53d")

    def test_contacts(self):
        contact = {"name": "c0", "body_a": "box", "body_b": "ground", "point": [0.1, 0.2, 0.3], "normal": [0, 0, 1],
                   "tangents": [[1, 0, 0], [0, 1, 0]], "gap": -1e-6}
        plane = {"body_a": "disc", "point": [0.1, 0.2], "normal": [0, 1], "tangents": [[1, 0]]}
        self.assert_survives(lcp(contacts=[contact, plane, {}]))

    def test_repeated_entries_add(self):
        matrix = {"shape": [2, 2], "row": [0, 1, 0, 0], "col": [0, 1, 0, 1], "value": [1.5, 2, 0.25, -1]}
        self.assertEqual(dense_rows(self.assert_survives(lcp(M=matrix))["M"]), [[1.75, -1], [0, 2]])

    def test_no_entries(self):
        self.assert_survives(lcp(M={"shape": [2, 2], "row": [], "col": [], "value": []}))

    def test_no_unknowns(self):
        for matrix in ({"shape": [0, 0], "dense": []}, {"shape": [0, 0], "row": [], "col": [], "value": []}):
            self.assert_survives(lcp(n=0, M=matrix, q=[]))

    def test_friction_contact_by_operator(self):
        identity = {"shape": [3, 3], "row": [0, 1, 2], "col": [0, 1, 2], "value": [1, 1, 1]}
        jacobian = {"shape": [3, 4], "row": [0, 1, 2], "col": [1, 2, 3], "value": [0.1, 0.2, 0.3]}
        mass = {"shape": [4, 4], "row": [0, 1, 2, 3], "col": [0, 1, 2, 3], "value": [1, 2, 3, 4]}
        problem = make_problem("friction_contact", W=identity, compliance=[0.1, 0, 1e-9])
        self.assert_survives(problem)
        del problem["W"]
        self.assert_survives({**problem, "J": jacobian, "M": mass})

    def test_friction_contact_in_the_plane(self):
        self.assert_survives(make_problem("friction_contact", n=2, dimension=2, q=[-1, 2],
                                          W={"shape": [2, 2], "dense": [[1, 0.5], [0, 1]]}))

    def test_order_of_members_and_layout_do_not_matter(self):
        problem = lcp()
        text = json.dumps(dict(reversed(problem.items())), indent="\t").replace("\n", "\r\n")
        self.assertEqual(differences(problem, self.convert(self.write("p.json", text))), [])

    def test_convert_from_standard_input(self):
        out = self.folder / "out.json"
        self.succeed("convert", "-", out, stdin=json.dumps(lcp()))
        self.assertEqual(differences(lcp(), load(out)), [])

    def test_convert_to_standard_output(self):
        """The bytes that a file of that format has."""
        source = self.write("original.json", lcp())
        for to, ending in (("perp", ".json"), ("mof", ".mof.json"), ("nl", ".nl")):
            file = self.folder / f"file{ending}"
            self.succeed("convert", source, file)
            self.assertEqual(self.succeed("convert", source, "-", "--to", to), file.read_text())
        self.assertEqual(self.succeed("convert", source, "-"), (self.folder / "file.json").read_text())
        self.assertEqual(list(self.folder.glob("-*")), [])

    def test_convert_by_named_formats(self):
        out = self.folder / "out.problem"
        self.succeed("convert", self.write("in.problem", lcp()), out, "--from", "perp", "--to", "perp")
        self.assertEqual(differences(lcp(), load(out)), [])

    def test_convert_a_file_onto_itself(self):
        path = self.write("p.json", lcp())
        self.succeed("convert", path, path)
        self.assertEqual(differences(lcp(), load(path)), [])
        self.assert_no_leftovers()


@with_cases({kind: (kind,) for kind in KINDS})
class TestKinds(FormatTestCase):
    def check(self, kind):
        converted = self.assert_survives(make_problem(kind))
        for name in MATRICES & PROBLEMS[kind].keys():
            self.assertEqual("dense" in converted[name], "dense" in PROBLEMS[kind][name])
        facts = parse_json(self.succeed("info", self.write("p.json", make_problem(kind)), "--json"))
        self.assertEqual((facts["kind"], facts["n"]), (kind, make_problem(kind)["n"]))


DOCUMENT = ROOT / "docs" / "reference" / "formats.md"


def documented(language):
    """The blocks of the document in a language."""
    return re.findall(rf"```{language}\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)


def documented_problems():
    return [parse_json(text) for text in documented("json")]


@with_cases({kind: (kind,) for kind in KINDS})
class TestDocumentation(FormatTestCase):
    """Every json block of docs/reference/formats.md is a problem that perp takes."""

    def check(self, kind):
        problems = [problem for problem in documented_problems() if problem["kind"] == kind]
        self.assertNotEqual(problems, [], "docs/reference/formats.md shows none of this kind")
        for problem in problems:
            self.assert_survives(problem)
            path = self.write("documented.json", problem)
            self.assertIn(kind, self.succeed("info", path))
            answer = self.write("answer.json", problem["solution"])
            self.succeed("verify", path, answer)

    def test_every_block_is_of_a_known_kind(self):
        self.assertEqual({problem["kind"] for problem in documented_problems()}, set(KINDS))

    def test_result_shown_is_valid(self):
        shown = [text for text in documented("js") if '"route"' in text]
        self.assertEqual(len(shown), 1)
        self.assert_valid(parse_json(shown[0]), "result")

    def test_suite_shown_is_valid(self):
        shown = [text for text in documented("js") if "perp-suite" in text]
        self.assertEqual(len(shown), 1)
        self.assert_valid(parse_json(shown[0]), "suite")

    def test_verdict_shown_is_the_programs(self):
        shown = [parse_json(text) for text in documented("js") if '"solved": true' in text]
        problem = next(problem for problem in documented_problems() if problem["name"] == "sliding block")
        told = self.succeed("verify", self.write("p.json", problem), self.write("r.json", problem["solution"]), "--json")
        self.assertEqual(shown, [parse_json(told)])
        self.assert_valid(shown[0], "verdict")

    def test_siconos_texts_shown_are_read(self):
        shown = documented("text")
        self.assertEqual(len(shown), 2)
        for text in shown:
            problem = self.convert(self.write("p.dat", text))
            self.assertEqual((problem["kind"], problem["q"], dense_rows(problem["M"])), ("lcp", [-4, 1], [[2, 1], [0, 3]]))

    def test_message_shown_is_the_programs(self):
        """`mine.json: q: ...` under Errors is what perp says of such a file."""
        shown = re.search(r"`mine\.json: ([^`]*)`", DOCUMENT.read_text().replace("\n", " ")).group(1)
        done = self.perp("solve", self.write("mine.json", lcp(q=[-4, 1, 1])))
        self.assertIn(shown, done.stderr)


@with_cases({path.stem: (path,) for path in sorted((SICONOS / "text").glob("*.dat"))})
class TestSiconos(FormatTestCase):
    """A text file becomes what the JSON beside it says, bit for bit."""

    def check(self, path):
        converted = self.convert(path)
        self.assert_valid(converted, "problem")
        kind = "lcp" if (SICONOS / "lcp" / f"{path.stem}.json").exists() else "mlcp"
        stored = load(SICONOS / kind / f"{path.stem}.json")
        self.assertEqual((converted["kind"], converted["name"], converted["n"]), (kind, path.stem, stored["n"]))
        self.assertEqual(dense_rows(converted["M"]), dense_rows(stored["M"]))
        for name in ("q", "lower", "upper"):
            self.assertEqual(differences(stored.get(name), converted.get(name)), [])

    def test_there_are_some(self):
        self.assertGreaterEqual(len(list((SICONOS / "text").glob("*.dat"))), 7)

    def test_named_format(self):
        text = (SICONOS / "text" / "lcp_deudeu.dat").read_text()
        out = self.folder / "out.json"
        self.succeed("convert", self.write("numbers.in", text), out, "--from", "siconos")
        self.assertEqual(load(out)["n"], 2)

    def test_friction_contact(self):
        text = "3\n1\n0\n3\n3\n3 3\n1 4 7\n2 5 8\n3 6 9\n-1 2 0.5\n0.3\nremarks\n"
        problem = self.convert(self.write("p.dat", text))
        self.assertEqual((problem["kind"], problem["dimension"], problem["mu"]), ("friction_contact", 3, [0.3]))
        self.assertEqual(dense_rows(problem["W"]), [[1, 2, 3], [4, 5, 6], [7, 8, 9]])
        self.assertEqual(problem["q"], [-1, 2, 0.5])

    def test_friction_contact_in_sparse_blocks(self):
        text = "3 1\n1 3 3\n1 1 1\n3 3\n2 1\n0 1 0\n0 1 4 7 2 5 8 3 6 9\n-1 2 0.5\n0.3\n"
        problem = self.convert(self.write("p.dat", text))
        self.assertEqual(dense_rows(problem["W"]), [[1, 2, 3], [4, 5, 6], [7, 8, 9]])

    def test_mlcp(self):
        problem = self.convert(self.write("p.dat", "1 0\n1 1\n0 1 2\n0 1\n0 2 2 2 2\n2 1 -1 0\n-3 0\n"))
        self.assertEqual((problem["kind"], problem["lower"], problem["upper"]), ("mlcp", ["-inf", 0], ["inf", "inf"]))
        self.assertEqual(dense_rows(problem["M"]), [[2, -1], [1, 0]])

    def test_mlcp_given_by_its_parts_alone(self):
        done = self.perp("info", self.write("p.dat", "0 1\n1 1\n0 1 2\n0 1\n2 1 -1 0 -3 0\n"))
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_global_friction_contact(self):
        mass, jacobian = "0 3 3 3 3\n1 0 0 0 1 0 0 0 1\n", "0 3 2 3 2\n1 0 0 0 1 0\n"
        problem = self.convert(self.write("p.dat", f"2 1\n{mass}{jacobian}1 2 0\n-1 0\n0.5\n"))
        self.assertEqual((problem["kind"], problem["q"], problem["mu"]), ("friction_contact", [0, 2], [0.5]))
        self.assertEqual(dense_rows(problem["J"]), [[1, 0, 0], [0, 1, 0]])

    def test_one_size_alone_is_refused(self):
        done = self.perp("info", self.write("p.dat", "2\n0\n2\n2\n2 0 1 3\n-4 1\n"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("the matrix has two sizes that disagree", done.stderr)

    def test_dense_entries_run_down_the_columns(self):
        problem = self.convert(self.write("p.dat", "2\n0\n2\n2\n2 2\n1 3\n2 4\n-1 -1\n"))
        self.assertEqual(dense_rows(problem["M"]), [[1, 2], [3, 4]])


EVERYTHING = {"name": "two loads", "start": [-0.0, 1], "solution": {"z": [2, 0]}, "variables": ["a", "b"],
              "contacts": [{"name": "c"}], "source": {"by": "hand"}, "x-mine": 1}


def documented_as_lost(section):
    """The members that the Lost: of a section names before its first semicolon or full stop, and x-mine of x-..."""
    text = next(part for part in DOCUMENT.read_text().split("\n## ") if part.startswith(section))
    words = re.search(r"\*\*Lost:\*\*([^;.]*)[;.]", text).group(1)
    return {"x-mine" if name == "x-…" else name for name in re.findall(r"`([^`]+)`", words)}


class TestLost(FormatTestCase):
    """What the document says is lost on the way to another format and back, and nothing else."""

    def back(self, problem, name):
        self.succeed("convert", self.write("everything.json", problem), self.folder / name)
        return self.convert(self.folder / name, "back.json")

    def lost(self, problem, found):
        same = {key for key in problem if key in found and (
            dense_rows(problem[key]) == dense_rows(found[key]) if key in MATRICES else problem[key] == found[key])}
        return problem.keys() - same

    def test_mof_and_nl(self):
        problem = make_problem("lcp", EVERYTHING)
        for section, name in (("MathOptFormat", "p.mof.json"), ("AMPL .nl", "p.nl")):
            self.assertEqual(self.lost(problem, self.back(problem, name)), documented_as_lost(section))

    def test_matrix_market(self):
        for problem in (make_problem("lcp", EVERYTHING), {**partitioned(), **EVERYTHING}):
            lost = self.lost(problem, self.back(problem, "p.mtx"))
            self.assertEqual(lost, documented_as_lost("Matrix Market\n") & problem.keys())

    def test_fclib(self):
        problem = make_problem("friction_contact", EVERYTHING, start=[1, -0.0, 0], variables=["n", "s", "t"],
                               solution={"z": [1, -0.5, 0]})
        found = self.back(problem, "p.hdf5")
        self.assertEqual(self.lost(problem, found), documented_as_lost("FCLIB"))
        self.assertEqual((found["name"], found["source"]["title"], "dense" in found["W"]), ("p", "two loads", False))
        found = self.back(make_problem("friction_contact", compliance=[0, 0.5, 0]), "q.hdf5")
        self.assertEqual(dense_rows(found["W"]), [[1, 0, 0], [0, 1.5, 0], [0, 0, 1]])
        self.assertNotIn("compliance", found)

    def test_signs_of_zeros_and_storage(self):
        problem = lcp(M={"shape": [2, 2], "dense": [[2, -0.0], [1, 2]]}, q=[-4, -0.0], start=[-0.0, 1])
        for name in ("p.mof.json", "p.nl"):
            found = self.back(problem, name)
            self.assertEqual(("dense" in found["M"], str(found["q"][1]), str(found["start"][0])), (False, "0.0", "-0.0"))
        found = self.back(problem, "p.mtx")
        self.assertEqual(("dense" in found["M"], str(found["q"][1])), (True, "-0.0"))

    def test_names_in_nl(self):
        problem = lcp(name="a \u00e4b", variables=["\u00e4", "b"])
        self.assertEqual(self.lost(problem, self.back(problem, "p.nl")), {"name"})
        text = self.succeed("convert", self.write("p.json", problem), "-", "--to", "nl")
        self.assertEqual(text.split("\n")[0], "g3 1 1 0\t# problem a   b")
        read = self.succeed("convert", "-", "-", "--from", "nl", stdin=text)
        self.assertNotIn("variables", parse_json(read))

    def test_parameters_and_kinds(self):
        for name in ("p.mof.json", "p.nl"):
            self.assertNotIn("parameters", self.back(make_problem("mcp"), name)["graph"])
            problem = make_problem("mlcp", lower=[0, 0], upper=["inf", "inf"])
            self.assertEqual(self.back(problem, name)["kind"], "lcp")

    @unittest.skipUnless(MODULE and (Path(MODULE) / "perp").is_dir(), "the Python module is not built")
    @unittest.skipUnless(all(importlib.util.find_spec(name) for name in ("numpy", "scipy")), "numpy and scipy are not installed")
    def test_numpy_and_matlab(self):
        code = "import perp, sys; perp.write(perp.read(sys.argv[1]), sys.argv[2]); perp.write(perp.read(sys.argv[2]), sys.argv[3])"
        for problem in (make_problem("lcp", EVERYTHING), {**partitioned(), **EVERYTHING, "solution": {"z": [0, 1], "dual": [0, 0, 0]}}):
            for ending in ("npz", "mat"):
                files = [self.write("p.json", problem), self.folder / f"p.{ending}", self.folder / "back.json"]
                subprocess.run([sys.executable, "-c", code, *map(str, files)], check=True, timeout=120,
                               env={**os.environ, "PYTHONPATH": MODULE})
                lost = self.lost(problem, load(files[2]))
                self.assertEqual(lost, documented_as_lost("NumPy and MATLAB") & problem.keys())


IDENTITY = PROBLEMS["friction_contact"]["W"]
ONE_SIDED = {"shape": [2, 2], "dense": [[2, 1], [0, 2]]}
BLOCK = {"n": 2, "P": {"shape": [2, 2], "row": [0], "col": [0], "value": [1]}, "c": [0, 0],
         "A": {"shape": [3, 2], "dense": [[1, -1], [0, 1], [0, -1]]}, "b": [-1, 2, 0],
         "cones": [{"type": "zero", "size": 1}, {"type": "nonnegative", "size": 2}]}


def partitioned(**changes):
    """A conic_qp with a partition, changed."""
    partition = {"velocities": {"unknowns": [0], "blocks": [1], "rows": [0]},
                 "contacts": {"unknowns": [1], "sizes": [1], "rows": [2]}, "total": 1}
    return make_problem("conic_qp", BLOCK, partition={**partition, **changes})


REFUSED = {
    "unknown_field": lcp(tolerence=1),
    "missing_q": lcp(q=REMOVE),
    "format": lcp(format="perp-result"),
    "version": lcp(version=2),
    "version_as_text": lcp(version="1"),
    "kind": lcp(kind="nlcp"),
    "n_negative": lcp(n=-1),
    "n_fractional": lcp(n=1.5),
    "q_with_text": lcp(q=["-4", 1]),
    "q_with_inf": lcp(q=["inf", 1]),
    "q_with_null": lcp(q=[None, 1]),
    "q_nested": lcp(q=[[-4], 1]),
    "negative_index": lcp(M={"shape": [2, 2], "row": [-1], "col": [0], "value": [1]}),
    "fractional_index": lcp(M={"shape": [2, 2], "row": [0.5], "col": [0], "value": [1]}),
    "value_missing": lcp(M={"shape": [2, 2], "row": [0], "col": [0]}),
    "shape_of_three": lcp(M={"shape": [2, 2, 2], "row": [], "col": [], "value": []}),
    "dense_and_sparse": lcp(M={"shape": [2, 2], "dense": [[1, 0], [0, 1]], "row": [], "col": [], "value": []}),
    "field_of_another_kind": lcp(lower=[0, 0]),
    "bound_another_word": make_problem("mlcp", lower=["-infinity", 0]),
    "mcp_unknown_operation": make_problem("mcp", graph={"nodes": [["var", 0], ["sinh", 0]], "outputs": [0, 1]}),
    "mcp_too_many_arguments": make_problem("mcp", graph={"nodes": [["var", 0], ["neg", 0, 0]], "outputs": [0, 1]}),
    "mcp_too_few_arguments": make_problem("mcp", graph={"nodes": [["var", 0], ["add", 0]], "outputs": [0, 1]}),
    "mcp_negative_argument": make_problem("mcp", graph={"nodes": [["var", 0], ["neg", -1]], "outputs": [0, 1]}),
    "cone_type": make_problem("conic_qp", cones=[{"type": "exponential", "size": 3}]),
    "cone_size": make_problem("conic_qp", cones=[{"type": "zero", "size": 0}, {"type": "zero", "size": 3}]),
    "dimension": make_problem("friction_contact", dimension=4),
    "W_beside_J": make_problem("friction_contact", J=IDENTITY, M=IDENTITY),
    "J_without_M": make_problem("friction_contact", W=REMOVE, J=IDENTITY),
    "solution_without_z": lcp(solution={}),
    "contact_unknown_field": lcp(contacts=[{"body_c": "x"}]),
    "contact_point_of_four": lcp(contacts=[{"point": [0, 0, 0, 0]}]),
    "source_a_string": lcp(source="here"),
    "R_zero": make_problem("convex_contact", R=[0, 1, 1]),
    "R_negative": make_problem("convex_contact", R=[-1, 1, 1]),
    "mu_negative": make_problem("friction_contact", mu=[-0.5]),
    "mu_negative_of_convex_contact": make_problem("convex_contact", mu=[-0.5]),
    "compliance_negative": make_problem("friction_contact", compliance=[-5, 0, 0]),
    **{f"dual_of_{kind}": make_problem(kind, solution={"z": [0] * make_problem(kind)["n"], "dual": [0]})
       for kind in KINDS if kind != "conic_qp"},
    "lower_inf": make_problem("mlcp", lower=["inf", 0], upper=["inf", "inf"]),
    "upper_minus_inf": make_problem("box_qp", lower=["-inf", 0], upper=["-inf", 1]),
    "partition_block_of_no_size": partitioned(velocities={"unknowns": [0], "blocks": [0, 1], "rows": [0]}),
    "partition_contact_of_no_size": partitioned(contacts={"unknowns": [1], "sizes": [0, 1], "rows": [2]}),
    "partition_total_negative": partitioned(total=-1),
    "partition_row_listed_twice": partitioned(bounds=[1, 1]),
    "n_too_large": lcp(n=10**8 + 1),
    "shape_too_large": lcp(M={"shape": [10**8 + 1, 2], "row": [], "col": [], "value": []}),
    "q_beyond_a_double": lcp(q=[10**400, 1]),
    "source_beyond_a_double": lcp(source={"a": [{"b": 10**400}]}),
    "extension_beyond_a_double": lcp(**{"x-a": [10**400]}),
    "top_level_array": [],
}


@with_cases({name: (document,) for name, document in REFUSED.items()})
class TestSchemaAndProgramAgree(FormatTestCase):
    def check(self, document):
        self.assertNotEqual(schema_errors(document, "problem"), [], "the schema lets it pass")
        self.assertEqual(self.perp("info", self.write("p.json", document)).returncode, 2, "the program lets it pass")


ACCEPTED = {
    "mu_zero": make_problem("friction_contact", mu=[0], compliance=[0, -0.0, 1]),
    "mu_zero_of_convex_contact": make_problem("convex_contact", mu=[-0.0], R=[5e-324, 1, 1]),
    "empty_dual": lcp(solution={"z": [2, 0], "dual": []}),
    "dual": make_problem("conic_qp", solution={"z": [0, 2], "dual": [-1, 0, 0]}),
    "partition": partitioned(),
    "infinite_bounds": make_problem("mlcp", lower=["-inf", "-inf"], upper=["inf", "inf"]),
    "largest_doubles": lcp(q=[-1.7976931348623157e308, 1.7976931348623157e308], source={"a": 1.7976931348623157e308}),
    "anything_of_your_own": lcp(source={"a": [None, True, "inf", {"b": [[]]}]}, **{"x-a": "inf", "x-b": None}),
}


@with_cases({name: (document,) for name, document in ACCEPTED.items()})
class TestSchemaAndProgramAccept(FormatTestCase):
    def check(self, document):
        self.assert_valid(document, "problem")
        self.succeed("info", self.write("p.json", document))


# What formats.md says the schema cannot express.
BEYOND = {
    "a member given twice": json.dumps(lcp())[:-1] + ', "q": [-4, 1]}',
    "nesting deeper than 100 levels": json.dumps(lcp(source="@")).replace('"@"', '{"a":' * 100 + "1" + "}" * 100),
    "an integer written `3.0`": lcp(n=2.0),
    "an integer that is no double": lcp(q=[2**53 + 1, 1]),
    "sizes that disagree": lcp(q=[-4, 1, 1]),
    "an index out of range": lcp(M={"shape": [2, 2], "row": [2], "col": [0], "value": [1]}),
    "an argument in a graph that is no earlier node":
        make_problem("mcp", graph={"nodes": [["neg", 1], ["var", 0]], "outputs": [0, 1]}),
    "a lower bound above its upper bound": make_problem("mlcp", lower=[1, 0], upper=[0, 1]),
    "a matrix that is not symmetric": make_problem("box_qp", H=ONE_SIDED),
    "not positive definite": make_problem("convex_contact", A={"shape": [3, 3], "row": [], "col": [], "value": []}),
    "entries of R that differ for the two tangents of a contact": make_problem("convex_contact", R=[1, 1, 2]),
    "repeated entries that add up to infinity":
        lcp(M={"shape": [2, 2], "row": [0, 0], "col": [0, 0], "value": [1e308, 1e308]}),
    "a partition that does not fit the numbers": partitioned(bounds=[0]),
}


@with_cases({re.sub(r"\W+", "_", name): (name, given) for name, given in BEYOND.items()})
class TestBeyondTheSchema(FormatTestCase):
    def check(self, name, given):
        self.assertIn(name, " ".join(DOCUMENT.read_text().split()))
        text = given if isinstance(given, str) else json.dumps(given)
        self.assertEqual(schema_errors(json.loads(text), "problem"), [], "the schema tells it")
        self.assertEqual(self.perp("info", self.write("p.json", text)).returncode, 2, "the program lets it pass")


class TestSchemas(FormatTestCase):
    def test_schemas_are_schemas(self):
        paths = list(SCHEMAS.glob("*.json"))
        self.assertGreaterEqual(len(paths), 4)
        for path in paths:
            with self.subTest(path.name):
                jsonschema.Draft202012Validator.check_schema(load(path))


class TestFamilies(FormatTestCase):
    def test_every_family_exports_valid_problems(self):
        families = parse_json(self.succeed("list", "families", "--json"))["families"]
        self.assertGreaterEqual(len(families), 12)
        for family in families:
            with self.subTest(family["name"]):
                out = self.folder / family["name"]
                size = () if family["members"] else ("--size", 3)
                seed = ("--seed", 2) if family["seeded"] else ()
                names = self.succeed("export", family["name"], *size, *seed, "-o", out).split()
                self.assertEqual(sorted(str(path) for path in out.iterdir()), sorted(names))
                self.assertEqual(len(names), max(1, len(family["members"])))
                problem = load(names[0])
                self.assertEqual(problem["source"]["family"], family["name"])
                self.assert_survives(problem)

    def test_default_sizes(self):
        families = parse_json(self.succeed("list", "families", "--json"))["families"]
        names = self.succeed("export", *(f["name"] for f in families), "-o", self.folder).split()
        self.assertEqual(len(names), sum(max(1, len(f["members"])) for f in families))
        for name in names[::7]:
            with self.subTest(os.path.basename(name)):
                facts = parse_json(self.succeed("info", name, "--json"))
                self.assertGreater(facts["n"], 0)

    def test_members_by_pattern(self):
        names = self.succeed("export", "mcp-classics", "--member", "hs3?-*", "--member", "bratu-zeros",
                             "-o", self.folder).split()
        self.assertEqual([os.path.basename(name) for name in names],
                         ["hs34-standard.json", "hs34-multipliers.json", "hs35-standard.json", "hs38-standard.json",
                          "hs38-corner.json", "bratu-zeros.json"])
        source = load(names[2])["source"]
        self.assertEqual((source["member"], source["reference"]), ("hs35-standard", "HockSchittkowski1981"))
        self.assertEqual(load(names[2])["start"], [0.5, 0.5, 0.5, 0])

    def test_size_of_a_member(self):
        name, = self.succeed("export", "mcp-classics", "--member", "bratu-zeros", "--size", 4, "-o", self.folder).split()
        self.assertEqual(os.path.basename(name), "bratu-zeros-4.json")
        self.assertEqual(load(name)["n"], 16)

    def test_same_bits_twice(self):
        for folder in ("a", "b"):
            self.succeed("export", "contact-pile", "psd", "--size", 4, "--seed", 3, "--seeds", 2,
                         "-o", self.folder / folder)
        for path in (self.folder / "a").iterdir():
            self.assertEqual(path.read_bytes(), (self.folder / "b" / path.name).read_bytes())

    def test_seeds_follow(self):
        names = self.succeed("export", "psd", "--size", 2, "--seed", 5, "--seeds", 3, "-o", self.folder).split()
        self.assertEqual([os.path.basename(name) for name in names], ["psd-2-5.json", "psd-2-6.json", "psd-2-7.json"])
        self.assertEqual(len({Path(name).read_text() for name in names}), 3)

    def test_parameters_are_kept(self):
        name, = self.succeed("export", "contact-stack", "--size", 2, "--param", "mu=0.25", "-o", self.folder).split()
        self.assertEqual(load(name)["source"]["mu"], 0.25)

    def test_compressed(self):
        name, = self.succeed("export", "psd", "--size", 2, "--gzip", "-o", self.folder).split()
        self.assertTrue(name.endswith("psd-2-1.json.gz"))
        self.assert_valid(parse_json(gzip.decompress(Path(name).read_bytes()).decode()), "problem")

    def test_named_kind_and_format(self):
        name, = self.succeed("export", "psd", "--size", 2, "--kind", "lcp", "--format", "perp",
                             "-o", self.folder).split()
        self.assertEqual(load(name)["kind"], "lcp")

    def test_largest_seed(self):
        seed = 2**63 - 2
        names = self.succeed("export", "psd", "--size", 2, "--seed", seed, "-o", self.folder).split()
        self.assertEqual([os.path.basename(name) for name in names], [f"psd-2-{seed}.json"])
        self.assertEqual(load(names[0])["source"]["seed"], seed)
        for too_large in (2**63, 2**64 - 1):
            self.assertEqual(self.perp("export", "psd", "--size", 2, "--seed", too_large, "-o", self.folder).returncode, 2)


class TestLists(FormatTestCase):
    TOPICS = ["solvers", "strategies", "plans", "peers", "formulations", "compositions", "scenes", "families", "suites", "studies"]

    def test_list_is_one_document(self):
        document = parse_json(self.succeed("list", "--json"))
        self.assertEqual(list(document), self.TOPICS)

    def test_one_topic(self):
        whole = parse_json(self.succeed("list", "--json"))
        for topic in self.TOPICS:
            with self.subTest(topic):
                more = {"solvers": ["peers"], "formulations": ["compositions"]}
                listed = [topic, *more.get(topic, [])]
                self.assertEqual(parse_json(self.succeed("list", topic, "--json")), {name: whole[name] for name in listed})

    def test_names_are_unique_and_explained(self):
        for topic, items in parse_json(self.succeed("list", "--json")).items():
            names = [item["name"] for item in items]
            self.assertEqual(len(set(names)), len(names), topic)
            told = self.succeed("list", topic)
            for item in items:
                self.assertTrue(item["summary"].strip(), item["name"])
                self.assertIn(item["name"], told)

    def test_scenes_have_the_parameters_of_their_files(self):
        text = self.succeed("list", "scenes")
        for scene in parse_json(self.succeed("list", "scenes", "--json"))["scenes"]:
            with self.subTest(scene["name"]):
                names = load(ROOT / "problems" / "scenes" / f"{scene['name']}.json").get("parameters", {})
                self.assertEqual(sorted(p["name"] for p in scene["parameters"]), sorted(names))
                for parameter in scene["parameters"]:
                    self.assertIn(f"{parameter['name']}={parameter['default']:.6g}", text)

    def test_families_name_size_and_parameters(self):
        lines = self.succeed("list", "families").split("\n")
        for family in parse_json(self.succeed("list", "families", "--json"))["families"]:
            with self.subTest(family["name"]):
                below = lines[next(i for i, line in enumerate(lines) if line.split()[:1] == [family["name"]]) + 1]
                if family["members"]:
                    self.assertIn(family["members"][0]["name"], below)
                else:
                    self.assertIn(f"--size {family['size']} (default {family['default_size']})", below)
                for parameter in family["parameters"]:
                    self.assertIn(f"{parameter['name']}={parameter['default']:.6g}", below)

    def test_every_suite_file_is_listed(self):
        suites = [suite["name"] for suite in parse_json(self.succeed("list", "suites", "--json"))["suites"]]
        self.assertEqual(sorted(load(path)["name"] for path in SUITES.glob("*.json")), suites)

    def test_settings_are_explained(self):
        for solver in parse_json(self.succeed("list", "solvers", "--json"))["solvers"]:
            self.assertTrue(solver["kinds"], solver["name"])
            for setting in solver["settings"]:
                self.assertTrue(setting["doc"].strip(), f"{solver['name']}: {setting['name']}")


@with_cases({path.stem.replace("-", "_"): (path,) for path in sorted(SUITES.glob("*.json"))})
class TestStoredSuites(FormatTestCase):
    def check(self, path):
        self.assert_valid(load(path), "suite")
        # A shard that holds nothing: the suite is read and its instances are counted out, and none is run. The large
        # scenes of these would be simulated for that: bench/run does so.
        quick = ["--quick"] if path.stem in ("steps", "max-dissipation-long") else []
        done = self.perp("bench", path, *quick, "--shard", "1000000/1000000", "-o", self.folder / "out")
        self.assertEqual((done.returncode, done.stderr.split(",")[0]), (0, "0 runs"))


TINY = {"format": "perp-suite", "version": 1, "name": "tiny", "description": "A few small problems", "entries": [
    {"family": "psd", "sizes": [3, 4], "seeds": [1, 2]},
    {"family": "contact-stack", "sizes": [1], "seeds": [1, 1], "parameters": {"mu": 0.5}},
    {"family": "infeasible", "sizes": [4], "seeds": [1, 1]},
    {"files": ["collections/siconos/lcp/lcp_CPS_3.json"], "tier": "full"}]}
INSTANCES = 7  # of TINY; one of them is of tier full


class BenchTestCase(FormatTestCase):
    def bench(self, *arguments, what=None, out="records", code=0):
        """Runs perp bench on TINY or on `what`; returns the number of runs it tells and all records in the folder."""
        what = what or self.write("tiny.json", TINY)
        old = () if "--resume" in arguments else ("--overwrite",)
        done = self.perp("bench", what, *arguments, *old, "-o", self.folder / out)
        self.assertEqual(done.returncode, code, done.stderr)
        return int(re.search(r"(\d+) runs", done.stderr).group(1)), self.records(out)

    def records(self, out="records"):
        return [parse_json(line) for path in sorted((self.folder / out).glob("*.jsonl"))
                for line in path.read_text().splitlines()]

    def assert_records(self, records):
        for record in records:
            self.assert_valid(record, "record")


class TestBench(BenchTestCase):
    def test_records(self):
        runs, records = self.bench("--solvers", "lemke,enumerate", "--repeat", "3")
        self.assertEqual((runs, len(records)), (2 * INSTANCES, 2 * INSTANCES))
        self.assert_valid(TINY, "suite")
        self.assert_records(records)
        self.assertEqual(len({record["key"] for record in records}), len(records))
        self.assertEqual({record["suite"] for record in records}, {"tiny"})
        self.assertEqual({record["solver"] for record in records}, {"lemke", "enumerate"})

    def test_outcomes(self):
        """The path ends on a ray where there is no solution; the proof is another solver's."""
        _, records = self.bench("--solvers", "lemke,certify(lemke)", "--repeat", "1")
        for solver, infeasible in (("lemke", "ray"), ("certify(lemke)", "infeasible")):
            outcomes = {record["instance"]: record["outcome"] for record in records if record["solver"] == solver}
            self.assertEqual(outcomes, {"psd-3-1": "solved", "psd-3-2": "solved", "psd-4-1": "solved", "psd-4-2": "solved",
                                        "contact-stack-1-1": "solved", "infeasible-4-1": infeasible, "lcp_CPS_3": "ray"})

    def test_families_and_files_are_told_apart(self):
        _, records = self.bench("--solvers", "lemke", "--repeat", "1")
        facts = {record["instance"]: (record["family"], record["seed"]) for record in records}
        self.assertEqual((facts["psd-4-2"], facts["lcp_CPS_3"]), (("psd", 2), ("", None)))

    def test_every_repeat_is_recorded(self):
        _, records = self.bench("--solvers", "lemke", "--repeat", "3")
        for record in records:
            times, solved = record["times"]["solve_all"], record["outcome"] == "solved"
            self.assertEqual(len(times), 3 if solved else 1, record["instance"])  # what fails is not repeated
            self.assertEqual(record["times"]["solve"], sorted(times)[1 if solved else 0])

    def test_settings_are_recorded_and_part_of_the_key(self):
        keys = [{record["key"] for record in self.bench("--solvers", "lemke", "--repeat", "1", *arguments, out=out)[1]}
                for out, arguments in (("a", ()), ("b", ("--set", "row_tolerance=1e-9")), ("c", ("--tolerance", "1e-6")))]
        self.assertEqual(len(keys[0] | keys[1] | keys[2]), 3 * INSTANCES)
        self.assertEqual({json.dumps(record["settings"]) for record in self.records("b")}, {'{"row_tolerance": "1e-9"}'})
        self.assertEqual({record["tolerance"] for record in self.records("c")}, {1e-6})

    def test_quick(self):
        runs, records = self.bench("--quick", "--repeat", "1")
        self.assertEqual(runs, INSTANCES - 1)
        self.assertNotIn("lcp_CPS_3", {record["instance"] for record in records})

    def test_resume_repeats_nothing(self):
        _, before = self.bench("--repeat", "1")
        runs, after = self.bench("--repeat", "1", "--resume")
        self.assertEqual((runs, after), (0, before))

    def test_resume_runs_what_is_missing(self):
        self.bench("--quick", "--repeat", "1")
        runs, records = self.bench("--repeat", "1", "--resume")
        self.assertEqual((runs, len(records)), (1, INSTANCES))

    def test_resume_after_a_cut_line(self):
        """A sweep that was killed while it wrote can go on."""
        _, records = self.bench("--repeat", "1")
        path = self.folder / "records" / "records.jsonl"
        path.write_text(path.read_text()[:-200])
        done = self.perp("bench", self.folder / "tiny.json", "--repeat", "1", "--resume", "-o", self.folder / "records")
        self.assertEqual((done.returncode, done.stderr.split(",")[0]), (0, "1 runs"), done.stderr)
        self.assertEqual({record["key"] for record in self.records()}, {record["key"] for record in records})

    def test_shards_make_the_whole(self):
        _, whole = self.bench("--solvers", "lemke,enumerate", "--repeat", "1")
        runs = [self.bench("--solvers", "lemke,enumerate", "--repeat", "1", "--shard", shard, out="shards")[0]
                for shard in ("1/2", "2/2")]
        shards = self.records("shards")
        self.assertEqual((sum(runs), len(shards)), (len(whole), len(whole)))
        self.assertEqual({record["key"] for record in shards}, {record["key"] for record in whole})
        self.assertLessEqual(abs(runs[0] - runs[1]), 2)

    def test_a_shard_has_all_solvers_of_its_problems(self):
        """Else a shard could have one solver alone, and reports would compare machines."""
        self.bench("--solvers", "lemke,enumerate", "--repeat", "1", "--shard", "1/2", out="half")
        solvers = {}
        for record in self.records("half"):
            solvers.setdefault(record["instance"], set()).add(record["solver"])
        self.assertGreater(len(solvers), 1)
        self.assertEqual(set(map(frozenset, solvers.values())), {frozenset(("lemke", "enumerate"))})

    def test_jobs_at_once_make_the_same_records(self):
        def facts(out):
            return {(r["key"], r["outcome"], r["iterations"], json.dumps(r["residuals"])) for r in self.records(out)}
        self.bench("--repeat", "1", "--jobs", "1", out="one")
        self.bench("--repeat", "1", "--jobs", "4", out="four")
        self.assertEqual(facts("one"), facts("four"))

    def test_folder_of_problems(self):
        self.write("mine/a.json", lcp())
        self.write("mine/deep/b.json.gz", gzip.compress(json.dumps(make_problem("mlcp")).encode()))
        runs, records = self.bench("--repeat", "1", what=self.folder / "mine")
        self.assertEqual((runs, {record["instance"] for record in records}), (2, {"a", "b"}))
        self.assertEqual({record["suite"] for record in records}, {"mine"})
        self.assert_records(records)

    def test_one_problem_file(self):
        runs, records = self.bench("--repeat", "1", what=self.write("mine.json", lcp()))
        self.assertEqual((runs, records[0]["instance"], records[0]["outcome"]), (1, "mine", "solved"))

    def test_progress_is_not_drawn_into_a_file(self):
        done = self.perp("bench", self.write("tiny.json", TINY), "--repeat", "1", "-o", self.folder / "out")
        self.assertNotIn("\r", done.stderr)
        self.assertNotIn("\033", done.stdout + done.stderr)


class TestMisbehavingSolvers(BenchTestCase):
    """A run that goes wrong is recorded as what it is, and the sweep goes on."""

    def sweep(self, solver, *arguments):
        """The two records of a misbehaving solver, after those of lemke beside it were found to be right."""
        for name in ("a", "b"):
            self.write(f"mine/{name}.json", lcp(name=name))
        runs, records = self.bench("--solvers", f"{solver},lemke", "--repeat", "1", *arguments,
                                   what=self.folder / "mine")
        self.assertEqual((runs, len(records)), (4, 4))
        self.assertEqual([r["outcome"] for r in records if r["solver"] == "lemke"], ["solved", "solved"])
        bad = [record for record in records if record["solver"] != "lemke"]
        self.assert_records(bad)
        return bad

    def program(self, text):
        return f"exec:{shlex.quote(sys.executable)} {shlex.quote(str(self.write('program.py', text)))} 2>/dev/null"

    def test_crash(self):
        for record in self.sweep("exec:kill -SEGV $$"):
            self.assertIn(record["outcome"], ("crashed", "numerical_error"))
            self.assertIn("signal 11", record["message"])

    def test_hang(self):
        for record in self.sweep("exec:sleep 60", "--time-limit", "1"):
            self.assertIn(record["outcome"], ("timed_out", "time_limit"))
            self.assertGreaterEqual(record["times"]["wall"], 1)
            self.assertLess(record["times"]["wall"], 3)

    @needs_memory_limits
    def test_memory(self):
        eater = self.program("parts = []\nwhile True:\n    parts.append(bytearray(10**7))\n")
        for record in self.sweep(eater, "--memory-limit", "300", "--time-limit", "20"):
            self.assertIn(record["outcome"], ("out_of_memory", "crashed", "numerical_error"))
            self.assertNotEqual(record["message"], "")
            self.assertGreater(record["peak_memory_mb"], 100)
            self.assertLess(record["peak_memory_mb"], 400)

    def test_wrong_claim(self):
        for record in self.sweep(self.program("print('{\"status\": \"solved\", \"z\": [0, 0]}')")):
            self.assertEqual((record["outcome"], record["claimed"]), ("wrong", "solved"))

    def test_wrong_claim_at_a_loose_setting(self):
        """What counts is the tolerance that the record tells."""
        liar = self.program("print('{\"status\": \"solved\", \"z\": [1.9, 0]}')")
        for record in self.sweep(liar, "--set", "tolerance=1"):
            self.assertEqual((record["outcome"], record["tolerance"]), ("wrong", 1e-8))

    def test_garbage(self):
        for record in self.sweep(self.program("print('garbage')")):
            self.assertEqual(record["outcome"], "numerical_error")

    @needs_memory_limits
    def test_memory_of_a_solver_of_perp(self):
        self.write("mine/zzz.json", lcp())
        self.succeed("export", "psd", "--size", 1200, "-o", self.folder / "mine")
        _, records = self.bench("--solvers", "lemke", "--repeat", "1", "--memory-limit", "20",
                                what=self.folder / "mine")
        self.assertEqual({record["instance"]: record["outcome"] for record in records},
                         {"psd-1200-1": "out_of_memory", "zzz": "solved"})
        self.assert_records(records)

    def test_time_limit_of_a_solver_of_perp(self):
        self.succeed("export", "murty", "--size", 30, "-o", self.folder / "slow")
        _, records = self.bench("--solvers", "lemke", "--repeat", "1", "--time-limit", "0.3", what=self.folder / "slow")
        self.assertEqual([record["outcome"] for record in records], ["time_limit"])
        self.assert_records(records)


class TestReport(BenchTestCase):
    def report(self, *folders):
        out = self.folder / "html" / "report.html"
        out.parent.mkdir(exist_ok=True)
        self.succeed("report", *(self.folder / name for name in folders), "-o", out)
        self.assertEqual([path.name for path in out.parent.iterdir()], ["report.html"])
        return out.read_text()

    def test_one_file(self):
        self.bench("--solvers", "lemke", "--repeat", "1")
        page = self.report("records")
        self.assertTrue(page.startswith("<!DOCTYPE html>"))
        self.assertTrue(page.rstrip().endswith("</html>"))

    def rows(self, *folders):
        self.report(*folders)
        return page_records(page_data(self.folder / "html" / "report.html"))

    def test_groups_and_outcomes(self):
        self.bench("--solvers", "lemke", "--repeat", "1")
        rows = self.rows("records")
        self.assertEqual(len(rows), INSTANCES)
        self.assertEqual({row["suite"] for row in rows}, {"tiny"})
        self.assertLessEqual({"psd", "contact-stack", "infeasible"}, {row["group"] for row in rows})
        self.assertEqual(sum(row["outcome"] == "solved" for row in rows), INSTANCES - 2)
        self.assertTrue(all("knownEnd" in row["flags"] for row in rows if row["group"] == "infeasible"))

    def test_failures(self):
        self.bench("--solvers", "lemke,exec:kill -SEGV $$", "--repeat", "1")
        rows = self.rows("records")
        self.assertIn(("lemke", "lcp_CPS_3", "ray"), {(row["base"], row["problem"], row["outcome"]) for row in rows})
        crashed = [row for row in rows if "kill -SEGV" in row["solver"]]
        self.assertEqual({row["outcome"] for row in crashed}, {"crashed"})
        self.assertTrue(all("signal 11" in row["message"] for row in crashed))

    def test_shards_are_one_sweep(self):
        for shard in ("1/2", "2/2"):
            self.bench("--repeat", "1", "--shard", shard, out="shards")
        self.assertEqual(len(self.rows("shards")), INSTANCES)

    def test_two_folders(self):
        self.bench("--repeat", "1", "--shard", "1/2", out="a")
        self.bench("--repeat", "1", "--shard", "2/2", out="b")
        self.assertEqual(len(self.rows("a", "b")), INSTANCES)

    def test_title(self):
        self.bench("--repeat", "1")
        out = self.folder / "report.html"
        self.succeed("report", self.folder / "records", "--title", "Mine & <yours>", "-o", out)
        self.assertIn("<title>Mine &amp; &lt;yours&gt;</title>", out.read_text())


if __name__ == "__main__":
    unittest.main()
