"""Bad input and bad usage: exit code 2, one line on stderr that names the file and the fault, nothing half-written."""
import gzip
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import PERP, REMOVE, CliTestCase, lcp, make_problem, needs_memory_limits, with_cases  # noqa: E402

GOOD_TEXT = json.dumps(lcp())


def with_literal(kind, field, literal):
    """The text of a problem whose field holds something that Python would not write."""
    return json.dumps(make_problem(kind, {field: "@"})).replace('"@"', literal)


def dense(*rows):
    return {"shape": [len(rows), len(rows[0])], "dense": [list(row) for row in rows]}


def sparse(row, col, value, shape=(2, 2)):
    return {"shape": list(shape), "row": row, "col": col, "value": value}


def graph(*nodes, outputs=(0, 1), **more):
    return {"nodes": [list(node) for node in nodes], "outputs": list(outputs), **more}


class BadInputTestCase(CliTestCase):
    def refuse(self, *arguments, words=(), file=None, **options):
        """Runs perp and expects the refusal that is promised, with the words and the file's name in it."""
        done = self.perp(*arguments, **options)
        self.assertEqual(done.returncode, 2, f"exit code; stderr: {done.stderr!r}, stdout: {done.stdout[:300]!r}")
        self.assertEqual(done.stdout, "", "stdout is not empty")
        self.assertTrue(done.stderr.startswith("perp: "), done.stderr)
        self.assertTrue(done.stderr.endswith("\n"), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertLess(len(done.stderr), 1000, "the message is too long to be read")
        for word in [*words, *([file] if file else [])]:
            self.assertIn(word.lower(), done.stderr.lower())

    def check(self, content, *words, name="bad.json"):
        """`perp solve` refuses the file."""
        self.refuse("solve", self.write(name, content), words=words, file=name)


@with_cases({
    "malformed_json": ('{"format": "perp-problem" "version": 1}', "json", "line 1"),
    "truncated_json": (GOOD_TEXT[:-20], "json", "line 1"),
    "json_cut_in_a_number": (GOOD_TEXT[:GOOD_TEXT.index("[-4") + 2], "json"),
    "text_after_the_object": (GOOD_TEXT + " {}", "json"),
    "trailing_comma": (GOOD_TEXT[:-1] + ",}", "json"),
    "comment": ("// remark\n" + GOOD_TEXT, "json"),
    "single_quotes": (GOOD_TEXT.replace('"', "'"), "json"),
    "empty_file": ("", "empty"),
    "white_space_only": (" \n\t\r\n ", "empty"),
    "top_level_array": ("[1, 2, 3]", "object"),
    "top_level_number": ("42", "object"),
    "top_level_string": ('"perp-problem"', "object"),
    "top_level_null": ("null", "object"),
    "empty_object": ("{}", "format", "missing"),
    "binary_noise": (random.Random(1).randbytes(4096), "json"),
    "binary_noise_in_an_object": (b'{"' + random.Random(2).randbytes(4096), "json"),
    "zero_bytes": (bytes(4096), "json"),
    "invalid_utf8_in_the_name": (GOOD_TEXT.encode().replace(b"small", b"sm\xff\xfell"), "json"),
    "arrays_nested_a_million_deep": ("[" * 10**6, "nest"),
    "objects_nested_a_million_deep": ('{"a":' * 10**6, "nest"),
    "closed_arrays_nested_a_million_deep": ("[" * 10**6 + "]" * 10**6, "nest"),
    "million_deep_in_source": (GOOD_TEXT[:-1] + ', "source": {"a": ' + "[" * 10**6 + "]" * 10**6 + "}}", "nest"),
})
class TestNotAProblemFile(BadInputTestCase):
    def test_truncated_gzip(self):
        whole = gzip.compress(json.dumps(lcp(source={"noise": random.Random(3).randbytes(3000).hex()})).encode())
        self.check(whole[:-400], "gz", name="bad.json.gz")

    def test_gzip_without_its_end_mark(self):
        self.check(gzip.compress(GOOD_TEXT.encode())[:-8], "gz", name="bad.json.gz")

    def test_damaged_gzip(self):
        data = bytearray(gzip.compress(json.dumps(lcp(source={"noise": "ab" * 4000})).encode()))
        data[-6] ^= 0xFF  # in the checksum
        self.check(bytes(data), "gz", name="bad.json.gz")

    def test_gzip_of_malformed_json(self):
        self.check(gzip.compress(b'{"format": '), "json", name="bad.json.gz")

    def test_directory(self):
        (self.folder / "folder.json").mkdir()
        self.refuse("solve", self.folder / "folder.json", words=["directory"], file="folder.json")

    def test_no_such_file(self):
        self.refuse("solve", self.folder / "none.json", words=["no such file"], file="none.json")

    def test_file_below_a_file(self):
        self.write("good.json", lcp())
        self.refuse("solve", self.folder / "good.json" / "none.json", file="none.json")

    def test_other_format_with_an_ending_that_is_not_read(self):
        self.check("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 3.0\n", name="bad.mtx")

    def test_json_with_the_ending_of_siconos(self):
        self.check(GOOD_TEXT, "siconos", name="bad.dat")

    def test_truncated_siconos_text(self):
        self.check("2\n0\n2\n2\n2 2\n1 1\n1", name="bad.dat")

    def test_siconos_sizes_disagree(self):
        self.check("2\n0\n2\n2\n3 3\n1 1 1\n1 1 1\n1 1 1\n-1 -1\n", name="bad.dat")

    def test_unknown_format_to_read(self):
        path = self.write("good.json", lcp())
        self.refuse("solve", path, "--from", "fortran", words=["fortran"])

    def test_standard_input_is_named(self):
        self.refuse("solve", "-", stdin='{"format": "perp-problem"}', words=["version"], file="standard input")

    def test_empty_standard_input(self):
        self.refuse("solve", "-", words=["empty"], file="standard input")

    def test_a_name_that_no_file_can_have(self):
        name = "a" * 300
        for verb in (("bench", name, "-o", self.folder / "out"), ("simulate", name), ("solve", name)):
            with self.subTest(verb=verb[0]):
                self.refuse(*verb, words=[f"perp: {name}: "])

    def test_line_break_in_the_file_name(self):
        self.refuse("solve", self.write("bad\nname.json", "{}"), words=["format"], file="name.json")


@with_cases({
    **{f"missing_{field}": (lcp(**{field: REMOVE}), field, "missing")
       for field in ("format", "version", "kind", "name", "n", "M", "q")},
    "n_as_a_capital": (lcp(n=REMOVE, N=2), '"n": is missing; there is "n", did you mean "n"?'),
    "q_as_a_capital": (lcp(Q=[1, 2]), '"q": unknown field; did you mean "q"?'),
    "format_wrong": (lcp(format="perp-suite"), "format"),
    "format_a_number": (lcp(format=1), "format"),
    "version_2": (lcp(version=2), "version"),
    "version_0": (lcp(version=0), "version"),
    "version_as_text": (lcp(version="1"), "version"),
    "version_fractional": (lcp(version=1.5), "version"),
    "version_null": (lcp(version=None), "version"),
    "unknown_kind": (lcp(kind="nlcp"), "kind", "lcp"),
    "kind_a_number": (lcp(kind=3), "kind"),
    "name_a_number": (lcp(name=3), "name"),
    "n_that_disagrees": (lcp(n=3), '"n"'),
    "n_negative": (lcp(n=-2), '"n"'),
    "n_fractional": (lcp(n=2.5), '"n"'),
    "n_with_a_decimal_point": (lcp(n=2.0), '"n"'),
    "n_as_text": (lcp(n="2"), '"n"'),
    "n_beyond_an_int": (lcp(n=2**32 + 2), '"n"'),
    "n_beyond_64_bits": (lcp(n=2**64 + 2), '"n"'),
    "unknown_field": (lcp(tolerence=1e-8), "tolerence", "unknown"),
    "field_of_another_kind": (lcp(lower=[0, 0]), "lower", "unknown"),
    "field_in_the_wrong_case": (lcp(Q=[1, 2]), '"Q"'),
    "unknown_field_with_a_line_break": (lcp(**{"a\nb": 1}), "unknown"),
    "unknown_field_of_a_matrix": (lcp(M={**dense([2, 1], [1, 2]), "rows": 2}), "M", "rows"),
    "unknown_field_of_the_solution": (lcp(solution={"z": [2, 0], "w": [0, 3]}), "solution", "w"),
    "unknown_field_of_a_contact": (lcp(contacts=[{"body_c": "x"}]), "contacts[0]", "body_c"),
    "duplicated_field": (GOOD_TEXT[:-1] + ', "q": [-4, 1]}', '"q"', "twice"),
    "duplicated_field_of_a_matrix": (GOOD_TEXT.replace('"shape"', '"shape": [2, 2], "shape"'), "shape", "twice"),
    "duplicated_field_in_source": (GOOD_TEXT[:-1] + ', "source": {"h": 1, "h": 2}}', '"h"', "twice"),
    "source_not_an_object": (lcp(source="somewhere"), "source"),
    "start_too_short": (lcp(start=[1]), "start"),
    "start_with_null": (lcp(start=[1, None]), "start"),
    "solution_too_long": (lcp(solution={"z": [2, 0, 0]}), "solution"),
    "solution_without_z": (lcp(solution={}), "solution", "z"),
    "solution_with_a_dual": (lcp(solution={"z": [2, 0], "dual": [1]}), "solution", "dual"),
    "variables_too_few": (lcp(variables=["a"]), "variables"),
    "variables_not_text": (lcp(variables=["a", 2]), "variables"),
    "contact_point_of_four": (lcp(contacts=[{"point": [0, 0, 0, 1]}]), "contacts[0]", "point"),
    "contacts_not_a_list": (lcp(contacts={"name": "x"}), "contacts"),
})
class TestFields(BadInputTestCase):
    pass


@with_cases({
    "q_too_short": (lcp(q=[-4]), '"q'),
    "q_too_long": (lcp(q=[-4, 1, 1]), '"q'),
    "q_empty": (lcp(q=[]), '"q'),
    "q_a_number": (lcp(q=-4), '"q'),
    "q_an_object": (lcp(q={"0": -4}), '"q'),
    "q_with_text": (lcp(q=["-4", "1"]), '"q'),
    "q_with_inf": (lcp(q=["inf", 1]), '"q'),
    "q_with_null": (lcp(q=[-4, None]), '"q', "null"),
    "q_with_true": (lcp(q=[True, 1]), '"q'),
    "q_nested": (lcp(q=[[-4], [1]]), '"q'),
    "q_nested_after_a_number": (lcp(q=[-4, [1]]), '"q'),
    "nan_literal": (with_literal("lcp", "q", "[NaN, 1]"), "json", "line 1"),
    "infinity_literal": (with_literal("lcp", "q", "[Infinity, 1]"), "json", "line 1"),
    "minus_infinity_literal": (with_literal("lcp", "q", "[-4, -Infinity]"), "json", "line 1"),
    "number_beyond_a_double": (with_literal("lcp", "q", "[1e400, 1]"), "double"),
    "negative_number_beyond_a_double": (with_literal("lcp", "q", "[-4, -1e400]"), "double"),
    "number_beyond_a_double_without_exponent": (with_literal("lcp", "q", "[1" + "0" * 400 + ", 1]"), "double"),
    "hexadecimal_number": (with_literal("lcp", "q", "[0x10, 1]"), "json"),
    "number_with_a_leading_plus": (with_literal("lcp", "q", "[+4, 1]"), "json"),
    "number_without_a_leading_zero": (with_literal("lcp", "q", "[.5, 1]"), "json"),
    "matrix_a_list": (lcp(M=[[2, 1], [1, 2]]), '"M'),
    "matrix_without_shape": (lcp(M={"dense": [[2, 1], [1, 2]]}), "M.shape", "missing"),
    "matrix_without_entries": (lcp(M={"shape": [2, 2]}), "M.", "missing"),
    "matrix_dense_and_sparse": (lcp(M={**dense([2, 1], [1, 2]), "row": [], "col": [], "value": []}), "M."),
    "matrix_of_the_wrong_size": (lcp(M=dense([2, 1, 0], [1, 2, 0], [0, 0, 1])), '"M'),
    "matrix_not_square": (lcp(M=dense([2, 1, 0], [1, 2, 0])), '"M'),
    "shape_of_three": (lcp(M={"shape": [2, 2, 2], "dense": [[2, 1], [1, 2]]}), "M.shape"),
    "shape_negative": (lcp(M={"shape": [-2, 2], "dense": []}), "M.shape"),
    "shape_fractional": (lcp(M={"shape": [2.5, 2], "dense": [[2, 1], [1, 2]]}), "M.shape"),
    "shape_huge_and_dense": (lcp(M={"shape": [100000000, 100000000], "dense": []}), "M"),
    "shape_beyond_an_int": (lcp(M=sparse([], [], [], [2**32 + 2, 2**32 + 2])), "M.shape"),
    "dense_ragged": (lcp(M={"shape": [2, 2], "dense": [[2, 1], [1]]}), "M.dense[1]"),
    "dense_row_too_long": (lcp(M={"shape": [2, 2], "dense": [[2, 1], [1, 2, 3]]}), "M.dense[1]"),
    "dense_row_missing": (lcp(M={"shape": [2, 2], "dense": [[2, 1]]}), "M.dense"),
    "dense_flat": (lcp(M={"shape": [2, 2], "dense": [2, 1, 1, 2]}), "M.dense"),
    "dense_with_text": (lcp(M={"shape": [2, 2], "dense": [[2, "1"], [1, 2]]}), "M.dense[0]"),
    "row_too_short": (lcp(M=sparse([0], [0, 1], [2, 2])), '"M', "row"),
    "col_too_short": (lcp(M=sparse([0, 1], [0], [2, 2])), '"M', "col"),
    "value_too_short": (lcp(M=sparse([0, 1], [0, 1], [2])), '"M', "value"),
    "value_missing": (lcp(M={"shape": [2, 2], "row": [0], "col": [0]}), "M.value", "missing"),
    "row_out_of_range": (lcp(M=sparse([0, 2], [0, 1], [2, 2])), "M.row", "2"),
    "col_out_of_range": (lcp(M=sparse([0, 1], [0, 2], [2, 2])), "M.col", "2"),
    "row_negative": (lcp(M=sparse([0, -1], [0, 1], [2, 2])), "M.row", "-1"),
    "col_negative": (lcp(M=sparse([0, 1], [-1, 1], [2, 2])), "M.col", "-1"),
    "row_fractional": (lcp(M=sparse([0, 0.5], [0, 1], [2, 2])), "M.row", "integer"),
    "col_with_a_decimal_point": (lcp(M=sparse([0, 1], [0, 1.0], [2, 2])), "M.col", "integer"),
    "row_beyond_an_int": (lcp(M=sparse([0, 2**32], [0, 1], [2, 2])), "M.row"),
    "row_beyond_64_bits": (lcp(M=sparse([0, 2**64], [0, 1], [2, 2])), "M.row"),
    "row_with_text": (lcp(M=sparse([0, "1"], [0, 1], [2, 2])), "M.row"),
    "value_with_inf": (lcp(M=sparse([0, 1], [0, 1], [2, "inf"])), "M.value"),
    "entries_that_add_up_to_infinity": (lcp(M=sparse([0, 0], [0, 0], [1.7e308, 1.7e308])), '"M', "finite"),
})
class TestVectorsAndMatrices(BadInputTestCase):
    @needs_memory_limits
    def test_huge_sparse_shape_takes_no_memory(self):
        path = self.write("bad.json", lcp(M=sparse([], [], [], [99_000_000, 99_000_000])))
        limit = 300 * 2**20
        self.refuse("solve", path, words=["M"], file="bad.json",
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))


IDENTITY = dense([1, 0, 0], [0, 1, 0], [0, 0, 1])


def cone(kind, size):
    return {"type": kind, "size": size}


@with_cases({
    **{f"{kind}_without_{field}": (make_problem(kind, {field: REMOVE}), f'"{field}"', "missing")
       for kind, fields in {"mlcp": ["M", "q", "lower", "upper"], "mcp": ["graph", "lower", "upper"],
                            "box_qp": ["H", "c", "lower", "upper"], "conic_qp": ["P", "c", "A", "b", "cones"],
                            "friction_contact": ["dimension", "W", "q", "mu"],
                            "convex_contact": ["A", "J", "R", "bias", "mu", "v_star"]}.items()
       for field in fields},
    "lower_above_upper": (make_problem("mlcp", lower=[0, 2], upper=[1, 1]), "lower[1]"),
    "lower_above_upper_in_a_box_qp": (make_problem("box_qp", lower=[0, 3]), "lower[1]"),
    "lower_above_upper_in_an_mcp": (make_problem("mcp", lower=[0, 3], upper=["inf", 2]), "lower[1]"),
    "lower_inf": (make_problem("mlcp", lower=["inf", 0], upper=["inf", 1]), "lower[0]", "inf"),
    "upper_minus_inf": (make_problem("mlcp", lower=["-inf", 0], upper=["-inf", 1]), "upper[0]", "inf"),
    "lower_another_word": (make_problem("mlcp", lower=["-Infinity", 0]), "lower[0]"),
    "upper_null": (make_problem("mlcp", upper=["inf", None]), "upper[1]"),
    "lower_too_short": (make_problem("mlcp", lower=["-inf"]), "lower"),
    "upper_too_long": (make_problem("mlcp", upper=["inf", 1, 1]), "upper"),
    "upper_infinity_literal": (with_literal("mlcp", "upper", "[Infinity, 0.5]"), "json"),
    "box_qp_not_symmetric": (make_problem("box_qp", H=dense([2, 1], [0, 2])), '"H"', "symmetric"),
    "box_qp_given_by_one_triangle": (
        make_problem("box_qp", H=sparse([0, 0, 1], [0, 1, 1], [2, 1, 2])), '"H"', "symmetric"),
    "conic_qp_not_symmetric": (make_problem("conic_qp", P=dense([2, 1], [0, 2])), '"P"', "symmetric"),
    "cones_do_not_add_up": (make_problem("conic_qp", cones=[cone("zero", 1), cone("nonnegative", 1)]), "cones", "2"),
    "cones_add_up_to_too_much": (make_problem("conic_qp", cones=[cone("second_order", 4)]), "cones", "4"),
    "cone_of_an_unknown_type": (make_problem("conic_qp", cones=[cone("zero", 1), cone("exponential", 2)]), "cones[1]"),
    "cone_of_size_0": (make_problem("conic_qp", cones=[cone("zero", 0), cone("zero", 3)]), "cones[0]", "size"),
    "cone_without_size": (make_problem("conic_qp", cones=[{"type": "zero"}]), "cones[0]", "size"),
    "cone_with_an_unknown_field": (
        make_problem("conic_qp", cones=[{**cone("zero", 3), "sise": 3}]), "cones[0]", "sise"),
    "conic_qp_b_too_short": (make_problem("conic_qp", b=[2, 0]), '"b"'),
    "conic_qp_dual_too_short": (make_problem("conic_qp", solution={"z": [0, 2], "dual": [1]}), "solution", "dual"),
    "mcp_forward_reference": (make_problem("mcp", graph=graph(["var", 0], ["neg", 2], ["var", 1])), "graph.nodes[1]"),
    "mcp_self_reference": (make_problem("mcp", graph=graph(["var", 0], ["neg", 1])), "graph.nodes[1]"),
    "mcp_unknown_operation": (make_problem("mcp", graph=graph(["var", 0], ["sinh", 0])), "graph.nodes[1]", "sinh"),
    "mcp_too_many_arguments": (make_problem("mcp", graph=graph(["var", 0], ["neg", 0, 0])), "graph.nodes[1]", "neg"),
    "mcp_too_few_arguments": (make_problem("mcp", graph=graph(["var", 0], ["add", 0])), "graph.nodes[1]", "add"),
    "mcp_norm_of_nothing": (make_problem("mcp", graph=graph(["var", 0], ["norm"])), "graph.nodes[1]"),
    "mcp_negative_argument": (make_problem("mcp", graph=graph(["var", 0], ["neg", -1])), "graph.nodes[1]"),
    "mcp_no_such_variable": (make_problem("mcp", graph=graph(["var", 0], ["var", 2])), "graph.nodes[1]"),
    "mcp_no_such_parameter": (make_problem("mcp", graph=graph(["var", 0], ["par", 0])), "graph.nodes[1]"),
    "mcp_constant_as_text": (make_problem("mcp", graph=graph(["var", 0], ["const", "1"])), "graph.nodes[1]"),
    "mcp_empty_node": (make_problem("mcp", graph=graph(["var", 0], [])), "graph.nodes[1]"),
    "mcp_no_such_output": (make_problem("mcp", graph=graph(["var", 0], outputs=[0, 1])), "graph.outputs"),
    "mcp_too_few_outputs": (make_problem("mcp", graph=graph(["var", 0], outputs=[0])), "graph.outputs"),
    "mcp_unknown_field_of_the_graph": (
        make_problem("mcp", graph=graph(["var", 0], ["var", 1], inputs=2)), "graph", "inputs"),
    "friction_contact_negative_mu": (make_problem("friction_contact", mu=[-0.5]), "mu[0]", "negative"),
    "friction_contact_W_beside_J": (
        make_problem("friction_contact", J=IDENTITY, M=IDENTITY),
        '"W"', "J"),
    "friction_contact_J_without_M": (
        make_problem("friction_contact", W=REMOVE, J=IDENTITY), '"M"', "missing"),
    "friction_contact_M_without_J": (
        make_problem("friction_contact", W=REMOVE, M=IDENTITY), "missing"),
    "friction_contact_dimension_4": (make_problem("friction_contact", dimension=4), "dimension"),
    "friction_contact_q_not_a_multiple": (make_problem("friction_contact", n=2, q=[-1, 2]), '"q"'),
    "friction_contact_negative_compliance": (make_problem("friction_contact", compliance=[0, -1, 0]), "compliance[1]"),
    "convex_contact_R_zero": (make_problem("convex_contact", R=[1, 0, 1]), "R[1]", "positive"),
    "convex_contact_negative_mu": (make_problem("convex_contact", mu=[-1]), "mu[0]", "negative"),
    "convex_contact_bias_too_short": (make_problem("convex_contact", bias=[0, 0]), "bias"),
    "convex_contact_A_not_symmetric": (
        make_problem("convex_contact", A=dense([1, 1, 0], [0, 1, 0], [0, 0, 1])), '"A"', "symmetric"),
})
class TestKinds(BadInputTestCase):
    pass


@with_cases({
    "no_verb": ((),),
    "unknown_verb": (("frobnicate",), "frobnicate"),
    "unknown_option_before_the_verb": (("--frobnicate",), "--frobnicate"),
    "list_unknown_topic": (("list", "sollvers"), "sollvers"),
    "solve_without_a_file": (("solve",), "FILE"),
    "solve_two_files": (("solve", "GOOD", "other.json"), "other.json"),
    "solve_unknown_option": (("solve", "GOOD", "--frobnicate"), "--frobnicate"),
    "solve_unknown_words_in_their_order": (("solve", "GOOD", "--frob", "x", "--nicate"), "--frob x --nicate"),
    "unknown_solver": (("solve", "GOOD", "--solver", "lemkee"), "lemkee", "lemke,"),
    "empty_exec_command": (("solve", "GOOD", "--solver", "exec:"), "exec"),
    "unknown_setting": (("solve", "GOOD", "--set", "pivot_tol=1"), "pivot_tol", "pivot_tolerance"),
    "setting_of_a_named_solver": (("solve", "GOOD", "--solver", "enumerate", "--set", "covering=unit"), "covering"),
    "setting_not_a_number": (("solve", "GOOD", "--set", "pivot_tolerance=small"), "pivot_tolerance", "small"),
    "setting_negative": (("solve", "GOOD", "--set", "pivot_tolerance=-1"), "pivot_tolerance", "-1"),
    "setting_nan": (("solve", "GOOD", "--set", "pivot_tolerance=nan"), "pivot_tolerance", "nan"),
    "setting_with_a_tail": (("solve", "GOOD", "--set", "pivot_tolerance=1e-9x"), "pivot_tolerance", "1e-9x"),
    "setting_empty": (("solve", "GOOD", "--set", "pivot_tolerance="), "pivot_tolerance"),
    "setting_not_a_flag": (("solve", "GOOD", "--set", "refactor_always=maybe"), "refactor_always", "maybe"),
    "setting_fractional_count": (("solve", "GOOD", "--set", "max_iterations=1.5"), "max_iterations", "1.5"),
    "covering_of_the_wrong_length": (("solve", "GOOD", "--set", "covering=1,2,3"), "covering"),
    "covering_that_is_none": (("solve", "GOOD", "--set", "covering=ones"), "covering"),
    "set_without_equals": (("solve", "GOOD", "--set", "pivot_tolerance"), "--set", "pivot_tolerance"),
    "set_without_key": (("solve", "GOOD", "--set", "=1"), "--set"),
    "tolerance_negative": (("solve", "GOOD", "--tolerance", "-1"), "--tolerance", "-1"),
    "tolerance_not_a_number": (("solve", "GOOD", "--tolerance", "small"), "--tolerance", "small"),
    "tolerance_nan": (("solve", "GOOD", "--tolerance", "nan"), "--tolerance", "nan"),
    "tolerance_infinite": (("solve", "GOOD", "--tolerance", "inf"), "--tolerance", "inf"),
    "max_iterations_negative": (("solve", "GOOD", "--max-iterations", "-1"), "--max-iterations", "-1"),
    "max_iterations_fractional": (("solve", "GOOD", "--max-iterations", "2.5"), "--max-iterations", "2.5"),
    "time_limit_negative": (("solve", "GOOD", "--time-limit", "-1"), "--time-limit", "-1"),
    "trace_into_no_folder": (("solve", "GOOD", "--trace", "/nonexistent/trace.csv"), "/nonexistent/trace.csv"),
    "start_no_such_file": (("solve", "GOOD", "--start", "none.json"), "none.json", "no such file"),
    "verify_tolerance_negative": (("verify", "GOOD", "GOOD", "--tolerance", "-1"), "--tolerance", "-1"),
    "verify_one_file": (("verify", "GOOD"), "RESULT"),
    "convert_one_file": (("convert", "GOOD"), "OUT"),
    "convert_to_an_unknown_ending": (("convert", "GOOD", "OUT/p.xyz"), "p.xyz", "ending"),
    "convert_to_a_text_format": (("convert", "GOOD", "OUT/p.dat"), "p.dat"),
    "convert_to_an_unknown_format": (("convert", "GOOD", "OUT/p.json", "--to", "fortran"), "fortran"),
    "convert_from_an_unknown_format": (("convert", "GOOD", "OUT/p.json", "--from", "fortran"), "fortran"),
    "export_unknown_name": (("export", "ladder", "-o", "OUT"), "ladder", "box-stack"),
    "export_without_name": (("export", "-o", "OUT"), "NAME"),
    "export_without_folder": (("export", "psd"), "-o"),
    "export_unknown_param": (("export", "contact-stack", "--param", "nu=1", "-o", "OUT"), "nu", "contact-stack"),
    "export_param_of_a_family_without": (("export", "psd", "--param", "mu=1", "-o", "OUT"), "mu", "psd"),
    "export_param_without_equals": (("export", "contact-stack", "--param", "mu", "-o", "OUT"), "--param", "mu"),
    "export_param_not_a_number": (("export", "contact-stack", "--param", "mu=high", "-o", "OUT"), "mu", "high"),
    "export_param_infinite": (("export", "contact-stack", "--param", "mu=inf", "-o", "OUT"), "mu", "inf"),
    "export_negative_mu": (("export", "contact-stack", "--size", "1", "--param", "mu=-1", "-o", "OUT"), "mu", "-1"),
    "export_size_too_small": (("export", "no-solution", "--size", "1", "-o", "OUT"), "size", "no-solution"),
    "export_size_negative": (("export", "psd", "--size", "-1", "-o", "OUT"), "--size", "-1"),
    "export_size_fractional": (("export", "psd", "--size", "2.5", "-o", "OUT"), "--size", '"2.5" is not a whole number'),
    "export_seed_not_a_number": (("export", "psd", "--size", "2", "--seed", "x", "-o", "OUT"), "--seed", "x"),
    "export_seed_negative": (("export", "psd", "--size", "2", "--seed", "-1", "-o", "OUT"), "--seed", '"-1" is not a whole number'),
    "export_unknown_format": (("export", "psd", "--size", "2", "--format", "fortran", "-o", "OUT"), "fortran"),
    "export_kind_that_is_not_the_familys": (("export", "psd", "--size", "2", "--kind", "box", "-o", "OUT"), "box"),
    "export_unknown_member": (("export", "mcp-classics", "--member", "josephy-9", "-o", "OUT"), "josephy-9"),
    "export_member_of_a_family_without": (("export", "psd", "--member", "a", "-o", "OUT"), "member", "psd"),
    "export_size_of_a_member_with_one": (("export", "mcp-classics", "--member", "billups-zero", "--size", "2",
                                          "-o", "OUT"), "size", "billups-zero"),
    "bench_without_folder": (("bench", "GOOD"), "-o"),
    "bench_unknown_suite": (("bench", "contact-lpc", "-o", "OUT"), "contact-lpc", "contact-lcp"),
    "bench_unknown_solver": (("bench", "GOOD", "--solvers", "lemke,simplex", "-o", "OUT"), "simplex"),
    "bench_unknown_setting": (("bench", "GOOD", "--set", "pivot_tol=1", "-o", "OUT"), "pivot_tol"),
    "bench_bad_setting_value": (("bench", "GOOD", "--set", "pivot_tolerance=x", "-o", "OUT"), "pivot_tolerance"),
    "bench_set_without_equals": (("bench", "GOOD", "--set", "pivot_tolerance", "-o", "OUT"), "--set"),
    "bench_shard_above": (("bench", "GOOD", "--shard", "3/2", "-o", "OUT"), "--shard", "3/2"),
    "bench_shard_zero": (("bench", "GOOD", "--shard", "0/2", "-o", "OUT"), "--shard", "0/2"),
    "bench_shard_of_zero": (("bench", "GOOD", "--shard", "1/0", "-o", "OUT"), "--shard", "1/0"),
    "bench_shard_not_a_pair": (("bench", "GOOD", "--shard", "1", "-o", "OUT"), "--shard"),
    "bench_shard_with_a_tail": (("bench", "GOOD", "--shard", "1/2x", "-o", "OUT"), "--shard", "1/2x"),
    "bench_shard_text": (("bench", "GOOD", "--shard", "a/b", "-o", "OUT"), "--shard", "a/b"),
    "bench_shard_too_large": (("bench", "GOOD", "--shard", "4294967297/4294967297", "-o", "OUT"), "--shard"),
    "bench_bad_option_of_a_strategy": (("bench", "GOOD", "--solvers", "lemke,first(lemke, try(lemke, share=abc))",
                                        "-o", "OUT"), "share=abc"),
    "bench_bad_text_of_a_setting": (("bench", "GOOD", "--solvers", "lemke:covering=abc", "-o", "OUT"), "covering"),
    "bench_without_an_unknown_part": (("bench", "GOOD", "--solvers", "without(auto, part=lemkee)", "-o", "OUT"),
                                      "lemkee"),
    "export_more_steps_than_memory_holds": (("export", "box-on-ramp", "--steps", "1:999999999", "-o", "OUT"),
                                            "--steps", "100000"),
    "bench_empty_part_of_starts": (("bench", "GOOD", "--start", "zero,,warm", "-o", "OUT"), "--start", "empty part"),
    "simulate_formulation_option_twice": (("simulate", "box-on-ramp", "--formulation", "stewart-trinkle:edges=8,edges=4"),
                                          "edges", "given twice"),
    "study_report_of_a_shard": (("study", "main", "--shard", "1/2", "--report", "-o", "OUT"), "--report", "--shard"),
    "simulate_empty_part_of_steps": (("simulate", "box-on-ramp", "--step", "0.01,"), "--step", "empty part"),
    "simulate_negative_step": (("simulate", "box-on-ramp", "--step", "0.01,-1"), "--step", '"-1"'),
    "bench_empty_output": (("bench", "GOOD", "-o", ""), "--output", "empty"),
    "solve_bad_option_that_is_not_reached": (("solve", "GOOD", "--solver", "first(lemke, try(lemke, within=abc))"),
                                             "within=abc"),
    "solve_too_many_edges": (("solve", "GOOD", "--solver", "reduce(lemke, to=pyramid:100000000)"), "100000000"),
    "solve_empty_trace": (("solve", "GOOD", "--trace", ""), "--trace", "empty"),
    "simulate_empty_record": (("simulate", "box-on-ramp", "--record", ""), "--record", "empty"),
    "export_of_no_name": (("export", "contact-stak", "-o", "OUT"), "contact-stak", "perp list families"),
    "bench_tolerance_negative": (("bench", "GOOD", "--tolerance", "-1", "-o", "OUT"), "--tolerance", "-1"),
    "bench_no_time": (("bench", "GOOD", "--time-limit", "0", "-o", "OUT"), "--time-limit", "0"),
    "bench_no_memory": (("bench", "GOOD", "--memory-limit", "-5", "-o", "OUT"), "--memory-limit", "-5"),
    "bench_no_jobs": (("bench", "GOOD", "--jobs", "0", "-o", "OUT"), "--jobs", "0"),
    "bench_no_repeats": (("bench", "GOOD", "--repeat", "0", "-o", "OUT"), "--repeat", "0"),
    "bench_half_a_repeat": (("bench", "GOOD", "--repeat", "1.5", "-o", "OUT"), "--repeat", "\"1.5\" is not a whole number"),
    "proximal_too_large": (("solve", "GOOD", "--solver", "proximal(lemke, rho=1.7e308)"), "proximal", "rho=1.7e+308"),
    "bench_empty_folder": (("bench", "EMPTY", "-o", "OUT"), "empty"),
    "report_without_output": (("report", "EMPTY"), "-o"),
    "report_no_such_folder": (("report", "nowhere", "-o", "OUT/r.html"), "nowhere"),
    "report_empty_folder": (("report", "EMPTY", "-o", "OUT/r.html"), "empty"),
})
class TestUsage(BadInputTestCase):
    def check(self, arguments, *words):
        good = self.write("good.json", lcp())
        out = self.folder / "out"
        out.mkdir()
        empty = self.folder / "empty"
        empty.mkdir()
        places = {"GOOD": good, "OUT": out, "OUT/p.xyz": out / "p.xyz", "OUT/p.dat": out / "p.dat",
                  "OUT/p.json": out / "p.json", "OUT/r.html": out / "r.html", "EMPTY": empty}
        self.refuse(*(places.get(word, word) for word in arguments), words=words, cwd=self.folder)
        self.assertEqual(list(out.iterdir()), [], "a refused command wrote something")


class TestStart(BadInputTestCase):
    def refuse_start(self, start, *words):
        path = self.write("good.json", lcp())
        self.refuse("solve", path, "--start", self.write("start.json", start), words=words, file="start.json")

    def test_wrong_length(self):
        self.refuse_start({"z": [1, 2, 3]}, '"z"')

    def test_without_z(self):
        self.refuse_start({"x": [1, 2]}, '"z"', "missing")

    def test_with_text(self):
        self.refuse_start({"z": [1, "2"]}, "z")

    def test_with_null(self):
        self.refuse_start({"z": [1, None]}, '"z[1]"', "null")

    def test_with_a_dual_of_wrong_length(self):
        path = self.write("cone.json", make_problem("conic_qp"))
        start = self.write("start.json", {"z": [0] * make_problem("conic_qp")["n"], "dual": [0] * 99})
        self.refuse("solve", path, "--start", start, words=['"dual"', "99"], file="start.json")

    def test_malformed(self):
        self.refuse_start('{"z": [1, 2', "json")

    def test_stored_without_one(self):
        path = self.write("good.json", lcp())
        self.refuse("solve", path, "--start", "stored", words=["start", "stored"], file="good.json")


class TestVerify(BadInputTestCase):
    def refuse_result(self, result, *words, problem=None):
        path = self.write("good.json", problem or lcp())
        self.refuse("verify", path, self.write("result.json", result), words=words, file="result.json")

    def test_without_z(self):
        self.refuse_result({"status": "solved"}, '"z"', "missing")

    def test_z_too_short(self):
        self.refuse_result({"z": [2]}, '"z"')

    def test_z_too_long(self):
        self.refuse_result({"z": [2, 0, 0]}, '"z"')

    def test_z_with_text(self):
        self.refuse_result({"z": ["2", "0"]}, "z")

    def test_z_a_number(self):
        self.refuse_result({"z": 2}, "z")

    def test_z_with_nan(self):
        self.refuse_result('{"z": [NaN, 0]}', "json")

    def test_z_given_twice(self):
        self.refuse_result('{"z": [2, 0], "z": [0, 0]}', "z", "twice")

    def test_result_an_array(self):
        self.refuse_result([2, 0], "object")

    def test_result_malformed(self):
        self.refuse_result('{"z": [2, 0]', "json")

    def test_result_empty(self):
        self.refuse_result("", "empty")

    def test_result_missing(self):
        path = self.write("good.json", lcp())
        self.refuse("verify", path, self.folder / "none.json", words=["no such file"], file="none.json")

    def test_dual_too_short(self):
        self.refuse_result({"z": [0, 2], "dual": [1]}, "dual", problem=make_problem("conic_qp"))


BAD_FILES = {
    "malformed": ('{"format": ', "json"),
    "truncated": (GOOD_TEXT[:-20], "json"),
    "unknown_field": (lcp(tolerence=1), "tolerence"),
    "duplicated_field": (GOOD_TEXT[:-1] + ', "q": [-4, 1]}', '"q"', "twice"),
    "nan": (with_literal("lcp", "q", "[NaN, 1]"), "json"),
    "ragged": (lcp(M={"shape": [2, 2], "dense": [[2, 1], [1]]}), "M.dense[1]"),
    "version_2": (lcp(version=2), "version"),
    "empty": ("", "empty"),
    "deep": ("[" * 10**6, "nest"),
    "not_symmetric": (make_problem("box_qp", H=dense([2, 1], [0, 2])), "symmetric"),
}


@with_cases({f"{verb}_{name}": (verb, *BAD_FILES[name])
             for verb, names in {"info": BAD_FILES, "verify": BAD_FILES, "convert": BAD_FILES,
                                 "bench": ["malformed", "unknown_field", "ragged"]}.items()
             for name in names})
class TestOtherVerbs(BadInputTestCase):
    """What `solve` refuses in a file, the other verbs refuse alike."""

    def check(self, verb, content, *words):
        bad = self.write("bad.json", content)
        result = self.write("result.json", {"z": [2, 0]})
        out = self.folder / "out.json"
        arguments = {"info": [bad], "verify": [bad, result], "convert": [bad, out], "bench": [bad, "-o", out]}
        self.refuse(verb, *arguments[verb], words=words, file="bad.json")
        self.assertFalse(out.is_file())
        self.assert_no_leftovers()

    def test_info_no_such_file(self):
        self.refuse("info", self.folder / "none.json", words=["no such file"], file="none.json")

    def test_convert_no_such_file(self):
        self.refuse("convert", self.folder / "none.json", self.folder / "out.json",
                    words=["no such file"], file="none.json")
        self.assertFalse((self.folder / "out.json").exists())


def suite(*entries, **changes):
    return {"format": "perp-suite", "version": 1, "name": "tiny", "description": "", "entries": list(entries),
            **changes}


PSD = {"family": "psd", "sizes": [2], "seeds": [1, 1]}


@with_cases({
    "malformed": ('{"format": "perp-suite", "version": 1,', "json"),
    "version_2": (suite(PSD, version=2), "version"),
    "unknown_field": (suite(PSD, tiers=[]), "tiers"),
    "unknown_field_of_an_entry": (suite({**PSD, "seed": 1}), "seed"),
    "unknown_family": (suite({**PSD, "family": "ladder"}), "family", "ladder"),
    "unknown_parameter": (suite({**PSD, "parameters": {"mu": 1}}), "mu"),
    "unknown_tier": (suite({**PSD, "tier": "slow"}), "tier"),
    "one_seed": (suite({**PSD, "seeds": [1]}), "seeds"),
    "seeds_backwards": (suite({**PSD, "seeds": [2, 1]}), "seeds"),
    "negative_seed": (suite({**PSD, "seeds": [-1, 1]}), "seeds"),
    "size_0": (suite({**PSD, "sizes": [0]}), "size"),
    "size_too_small": (suite({"family": "no-solution", "sizes": [1], "seeds": [1, 1]}), "size"),
    "size_fractional": (suite({**PSD, "sizes": [2.5]}), "sizes"),
    "no_member_matches": (suite({"family": "mcp-classics", "members": ["ladder-*"]}), "members", "ladder"),
    "members_of_a_family_without": (suite({**PSD, "members": ["*"]}), "members", "psd"),
    "members_not_text": (suite({"family": "mcp-classics", "members": [1]}), "members"),
    "no_members_of_a_family_with": (suite({**PSD, "family": "mcp-classics"}), "member"),
    "no_file_matches": (suite({"files": ["collections/nowhere/*.json"]}), "files", "nowhere"),
    "no_name": ({k: v for k, v in suite(PSD).items() if k != "name"}, "name", "missing"),
    "no_description": ({k: v for k, v in suite(PSD).items() if k != "description"}, "description", "missing"),
    "entries_not_a_list": (suite(entries={}), "entries"),
    "empty_name": (suite(PSD, name=""), '"name"', "empty"),
    "no_sizes": (suite({**PSD, "sizes": []}), '"entries[0].sizes"', "empty"),
    "no_members": (suite({"family": "mcp-classics", "members": []}), '"entries[0].members"', "empty"),
    "no_files": (suite({"files": []}), '"entries[0].files"', "empty"),
    "which_entry": (suite(PSD, PSD, {**PSD, "tier": "slow"}), '"entries[2].tier"'),
    "parameter_no_number": (suite({**PSD, "parameters": {"mu": "1"}}), '"entries[0].parameters.mu"', "number"),
    "unknown_formulation": (suite({"scene": "box-on-ramp", "formulation": "pyramids", "steps": [1, 2]}),
                            '"entries[0].formulation"', "pyramids"),
    "formulation_that_the_scene_cannot_have": (
        suite({"scene": "four-ellipsoids", "formulation": "closed-form-gap", "steps": [1, 2]}),
        '"entries[0].formulation"'),
})
class TestSuites(BadInputTestCase):
    def check(self, content, *words):
        path = self.write("suite.json", content)
        self.refuse("bench", path, "-o", self.folder / "out", words=words, file="suite.json")


class TestNothingHalfWritten(BadInputTestCase):
    """A command that fails leaves no output file, an existing one as it was, and no temporary file."""

    OLD = "what was there before\n"

    def tearDown(self):
        self.assert_no_leftovers()

    def test_a_signal_waits_for_the_file_that_is_written(self):
        """Most of the time of this export is writing."""
        for k in range(8):
            out = self.folder / f"out{k}"
            with subprocess.Popen([PERP, "export", "psd", "--size", "500", "--seeds", "400", "-o", str(out)], stdout=subprocess.DEVNULL) as running:
                while not out.exists() and running.poll() is None:
                    time.sleep(0.01)
                time.sleep(0.1 + 0.013 * k)
                running.send_signal(signal.SIGINT if k % 2 else signal.SIGTERM)
            self.assertEqual(running.returncode, -signal.SIGINT if k % 2 else -signal.SIGTERM)
            self.assertEqual([p.name for p in out.iterdir() if ".tmp" in p.name], [])
            shutil.rmtree(out)

    def refuse_writing(self, out, *arguments, words=(), **options):
        """The command fails with no `out` and with an `out` from before."""
        self.refuse(*arguments, words=words, **options)
        self.assertFalse(out.exists())
        self.write(out.relative_to(self.folder), self.OLD)
        self.refuse(*arguments, words=words, **options)
        self.assertEqual(out.read_text(), self.OLD)

    def no_room(self):
        """As on a full disk: writing more than 4 kB fails."""
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    def large_problem(self):
        noise = random.Random(4)
        return self.write("large.json", lcp(source={"noise": [noise.random() for _ in range(5000)]}))

    def test_convert_malformed(self):
        out = self.folder / "out.json"
        self.refuse_writing(out, "convert", self.write("bad.json", GOOD_TEXT[:-3]), out)

    def test_convert_malformed_to_gzip(self):
        out = self.folder / "out.json.gz"
        self.refuse_writing(out, "convert", self.write("bad.json", GOOD_TEXT[:-3]), out)

    def test_convert_to_an_unknown_ending(self):
        out = self.folder / "out.mps"
        self.refuse_writing(out, "convert", self.write("good.json", lcp()), out, words=["out.mps"])

    def test_convert_a_file_onto_itself_malformed(self):
        bad = self.write("bad.json", GOOD_TEXT[:-3])
        self.refuse("convert", bad, bad)
        self.assertEqual(bad.read_text(), GOOD_TEXT[:-3])

    def test_convert_without_room(self):
        out = self.folder / "out.json"
        self.refuse_writing(out, "convert", self.large_problem(), out, words=["out.json", "written"],
                            preexec_fn=self.no_room, restore_signals=False)

    def test_convert_to_gzip_without_room(self):
        out = self.folder / "out.json.gz"
        self.refuse_writing(out, "convert", self.large_problem(), out, words=["out.json.gz", "written"],
                            preexec_fn=self.no_room, restore_signals=False)

    def test_convert_into_no_folder(self):
        out = self.folder / "nowhere" / "out.json"
        self.refuse("convert", self.write("good.json", lcp()), out, words=["nowhere"], file="out.json")
        self.assertFalse(out.parent.exists())

    def test_convert_onto_a_folder(self):
        out = self.folder / "out.json"
        out.mkdir()
        self.refuse("convert", self.write("good.json", lcp()), out, file="out.json")
        self.assertEqual(list(out.iterdir()), [])

    def test_export_with_one_unknown_family(self):
        out = self.folder / "out"
        self.refuse("export", "psd", "ladder", "--size", "2", "-o", out, words=["ladder"])
        self.assertFalse(out.exists())

    def test_export_with_a_param_of_one_family_only(self):
        out = self.folder / "out"
        self.refuse("export", "contact-stack", "psd", "--size", "2", "--param", "mu=0.3", "-o", out, words=["mu"])
        self.assertEqual(list(out.rglob("*")), [])

    def test_export_with_a_size_that_one_family_refuses(self):
        out = self.folder / "out"
        self.refuse("export", "psd", "no-solution", "--size", "1", "-o", out, words=["size", "no-solution"])
        self.assertEqual(list(out.rglob("*")), [])

    def test_export_of_another_kind(self):
        out = self.folder / "out"
        self.refuse("export", "psd", "--size", "2", "--kind", "box_qp", "-o", out, words=["kind", "box_qp"])
        self.refuse("export", "psd", "mcp-classics", "--kind", "lcp", "-o", out, words=["kind", "mcp-classics", "lcp"])
        self.assertFalse(out.exists())

    def test_curvature_below_all_normal_numbers_ends(self):
        problem = self.write("problem.json", {"format": "perp-problem", "version": 1, "name": "z", "kind": "box_qp", "n": 2, "c": [1, 0],
                                              "H": {"shape": [2, 2], "dense": [[5e-324, 0], [0, 1]]}, "lower": ["-inf", "-inf"],
                                              "upper": ["inf", 5]})
        self.assertIn(self.perp("solve", problem, "--time-limit", 2).returncode, (0, 1))

    def test_data_folder_that_is_missing(self):
        for arguments in (("list", "suites"), ("bench", "literature", "-o", self.folder / "out")):
            done = subprocess.run([PERP, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False,
                                  env={**os.environ, "PERP_DATA": "/nonexistent"})
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr, "perp: PERP_DATA: /nonexistent: no such folder\n")

    def test_export_without_room(self):
        out = self.folder / "out" / "psd-50-1.json"
        self.refuse_writing(out, "export", "psd", "--size", "50", "-o", out.parent, words=["psd-50-1.json"],
                            preexec_fn=self.no_room, restore_signals=False)

    def test_export_onto_a_file(self):
        out = self.write("out", self.OLD)
        self.refuse("export", "psd", "--size", "2", "-o", out, file="out")
        self.assertEqual(out.read_text(), self.OLD)

    def test_bench_onto_a_file(self):
        out = self.write("out", self.OLD)
        self.refuse("bench", self.write("good.json", lcp()), "-o", out, file="out")
        self.assertEqual(out.read_text(), self.OLD)

    def test_bench_refused_keeps_the_records(self):
        records = self.write("out/records.jsonl", self.OLD)
        self.refuse("bench", "no-such-suite", "--overwrite", "-o", records.parent, words=["no-such-suite"])
        self.assertEqual(records.read_text(), self.OLD)

    def test_bench_with_a_bad_setting_keeps_the_records(self):
        records = self.write("out/records.jsonl", self.OLD)
        self.refuse("bench", self.write("good.json", lcp()), "--set", "pivot_tol=1", "-o", records.parent,
                    words=["pivot_tol"])
        self.assertEqual(records.read_text(), self.OLD)

    def test_simulate_with_a_bad_solver_keeps_the_record(self):
        out = self.folder / "run"
        self.succeed("simulate", "box-on-ramp", "--duration", "0.05", "--record", out)
        before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
        for solver in ("try(lemke, share=abc)", "lemke:covering=abc", "first(lemke, reduce(lemke, to=x))"):
            self.refuse("simulate", "box-on-ramp", "--duration", "0.05", "--record", out, "--solver", solver)
            self.assertEqual({path: path.read_bytes() for path in out.rglob("*") if path.is_file()}, before)

    def test_report_of_something_else(self):
        self.write("records/records.jsonl", '{"format": "perp-suite"}\n')
        out = self.folder / "out.html"
        self.refuse_writing(out, "report", self.folder / "records", "-o", out, words=["line 1"], file="records.jsonl")

    def test_report_of_a_truncated_record(self):
        self.write("records/records.jsonl", '{"format": "perp-record", "vers')
        out = self.folder / "out.html"
        self.refuse_writing(out, "report", self.folder / "records", "-o", out, words=["line 1"], file="records.jsonl")

    def test_report_of_an_empty_file(self):
        out = self.folder / "out.html"
        self.refuse_writing(out, "report", self.write("records.jsonl", ""), "-o", out, words=["no run records"],
                            file="records.jsonl")

    def test_convert_of_matrices_to_standard_output(self):
        self.refuse("convert", self.write("good.json", lcp()), "-", "--to", "mtx", words=["standard output", "mtx"])

    def test_report_of_nothing(self):
        out = self.folder / "out.html"
        self.refuse_writing(out, "report", self.folder / "nowhere", "-o", out, words=["nowhere"])

    def test_report_without_room(self):
        self.succeed("bench", self.write("good.json", lcp()), "--repeat", "1", "-o", self.folder / "records")
        out = self.folder / "out.html"
        self.refuse_writing(out, "report", self.folder / "records", "--title", "long " * 2000, "-o", out,
                            words=["out.html", "written"], preexec_fn=self.no_room, restore_signals=False)

    def test_trace_without_room(self):
        self.succeed("export", "murty", "--size", "14", "-o", self.folder)
        out = self.folder / "trace.csv"
        self.refuse_writing(out, "solve", self.folder / "murty-14.json", "--trace", out, "--max-iterations", "1000",
                            words=["trace.csv", "written"], preexec_fn=self.no_room, restore_signals=False)


if __name__ == "__main__":
    unittest.main()
