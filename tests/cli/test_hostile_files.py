"""Files made to do harm: one line that names the file, exit code 2, in bounded time and memory; or a right answer."""
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import PERP, REMOVE, CliTestCase, is_sanitized, lcp, make_problem, parse_json, with_cases  # noqa: E402

HOSTILE = Path(__file__).resolve().parents[1] / "hostile"
SECONDS = 20  # generous: each takes a fraction of one, also with the sanitizers
MEGABYTES = 256  # resident; the files are of some KB, and some may stand for 32 MB of text
SANITIZED = is_sanitized()  # then the memory is not that of perp


class HostileTestCase(CliTestCase):
    def run_bounded(self, *arguments):
        """Exit code, stdout and stderr, as bytes, of a run that keeps the bounds."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen([PERP, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=out, stderr=err)
            late = threading.Timer(SECONDS, process.kill)
            late.start()
            _, status, usage = os.wait4(process.pid, 0)
            ended_in_time = late.is_alive()
            late.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertTrue(ended_in_time, f"perp {arguments[0]} does not end")
            if not SANITIZED:  # before it becomes perp, the process has the memory of this one
                own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                self.assertLess(usage.ru_maxrss / 1024, max(MEGABYTES, own + 20), "resident memory in MB")
            out.seek(0), err.seek(0)
            return process.returncode, out.read(), err.read()

    def refuse(self, *arguments, words=()):
        """Expects the refusal; the file's name is among the words."""
        code, out, err = self.run_bounded(*arguments)
        self.assertEqual((code, out), (2, b""), err)
        text = err.decode()  # UTF-8
        self.assertTrue(text.startswith("perp: ") and text.endswith("\n"), text)
        self.assertEqual(len(text.splitlines()), 1, text)
        self.assertTrue(text[:-1].isprintable(), text)
        self.assertLess(len(text), 1000)
        for word in words:
            self.assertIn(word, text)

    def check(self, name, content, *words):
        path = self.write(name, content)
        for verb in (["info", path], ["convert", path, self.folder / "out.json"]):
            self.refuse(*verb, words=[name, *words])
        self.assertEqual([p.name for p in self.folder.iterdir()], [name])

    def accept(self, *arguments):
        code, out, err = self.run_bounded(*arguments)
        self.assertEqual(code, 0, err)
        return out.decode()


def siconos_mlcp(ends, n=0, m=1):
    """An MLCP of n equations and m inequalities whose blocks end where they should not (Siconos' layout)."""
    size = n + m
    matrix = " ".join(["0", *[str(size)] * 4, *["1"] * size * size])
    return f"1 0 {n} {m} {ends} 1 {matrix} {' '.join(['1'] * size)}\n"


# An LCP of size 4 with one block of 2 x 2 columns, by blocks: what the reader must not believe.
def siconos_blocks(rows="4", cols="4", starts="0 1", indices="0", counts="1 1 1", values=16):
    return f"4 1 4 4 {counts} {rows} {cols} 2 1 {starts} {indices} 0 {'1 ' * values} 0 0 0 0\n"


RELAY = "2 0 2 2 2 2  2 1 1 2  -1 -1  -1 -1  1 1"


@with_cases({
    "ends_beyond_the_problem": ("x.dat", siconos_mlcp("0 900000"), "blocks"),
    "ends_that_fall": ("x.dat", siconos_mlcp("0 60 0 1"), "blocks"),
    "ends_that_fall_inside": ("x.dat", siconos_mlcp("0 2 1 3", 1, 2), "blocks"),
    "first_end_not_0": ("x.dat", siconos_mlcp("1"), "blocks"),
    "mlcp_larger_than_the_file": ("x.dat", "1 0 999999 999999 0 1999998 1 0 0 0 0 0", "within q"),
    "mlcp_without_its_matrix_again": ("x.dat", siconos_mlcp("0 1").replace("1 0", "1 1", 1), "A, B, C and D"),
    "row_ends_beyond": ("x.dat", siconos_blocks(rows="40"), "block rows"),
    "row_ends_that_fall": ("x.dat", "4 1 4 4 1 2 1  40 4  4  3 1  0 1 1  0 0 " + "1 " * 30, "block rows"),
    "column_ends_beyond": ("x.dat", siconos_blocks(cols="9"), "block columns"),
    "no_block_columns": ("x.dat", "4 1 4 4 0 1 0  4  2 0 0 0  0 0 0 0\n", "block columns"),
    "row_starts_that_fall": ("x.dat", "4 1 4 4 1 2 1  2 4  4  3 1  0 5 1  0 0 " + "1 " * 16, "row starts"),
    "row_starts_behind_0": ("x.dat", siconos_blocks(starts="1 1"), "row starts"),
    "block_index_beyond": ("x.dat", siconos_blocks(indices="7"), "block index"),
    "block_counts_that_disagree": ("x.dat", siconos_blocks(counts="900000 1 1"), "disagree"),
    "block_rows_larger_than_the_file": ("x.dat", "4 1 4 4 1 900000 1  0 0 0 0 0", "block rows"),
    "block_cut": ("x.dat", siconos_blocks(values=4), "a block"),
    "dense_larger_than_the_file": ("x.dat", "999999 0 999999 999999 999999 999999 1 1", "within q"),
    "lcp_size_nan": ("x.dat", "nan 0 nan nan nan nan 1 1", "siconos"),
    "relay_one_short": ("x.dat", RELAY[:-2], "3 numbers are left over"),
    "relay_one_long": ("x.dat", RELAY + " 1", "5 numbers are left over"),
    "relay_misspelt": ("x.dat", RELAY.replace(" -1 -1  1 1", " -1 -1,0 1 1"), "left over"),
    "number_misspelt_behind_an_lcp": ("x.dat", RELAY[:-12] + " 1,0", '"1,0" is no number'),
})
class SiconosText(HostileTestCase):
    """The ideas are from Siconos' test data (Apache-2.0) mutated; these files are made here."""

    def test_what_is_right_is_still_read(self):
        for text, kind in ((RELAY, "mlcp"), (RELAY[:-12], "lcp"), (RELAY[:-12] + "\n-- a remark of 1990\n", "lcp"),
                           (siconos_blocks(), "lcp"), (siconos_mlcp("0 3", 1, 2), "mlcp")):
            self.assertIn(kind, self.accept("info", self.write("x.dat", text)), text)


def sparse(rows, cols):
    return {"shape": [rows, cols], "row": [], "col": [], "value": []}


def operator(J, M, **changes):
    return make_problem("friction_contact", W=REMOVE, J=J, M=M, **changes)


MASS = {"shape": [3, 3], "dense": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}
HUGE = 10**8

NL_HEADER = """g3 1 1 0 # problem x
 {0} {1} 0 0 0
 0 0 0 0 0 0
 0 0
 0 0 0
 0 0 0 1
 0 0 0 0 0
 0 0
 0 0
 0 0 0 0 0
"""


@with_cases({
    "operator_huge": ("x.json", operator(sparse(3, HUGE), sparse(HUGE, HUGE)), '"M.shape"'),
    "operator_of_no_contact_huge": ("x.json", operator(
        sparse(0, HUGE), sparse(HUGE, HUGE), n=0, q=[], mu=[]), '"M.shape"'),
    "operator_columns_disagree": ("x.json", operator(sparse(3, HUGE), MASS), '"J.shape"'),
    "mass_indefinite": ("x.json", operator(MASS, {"shape": [3, 3], "dense": [[1, 0, 0], [0, -1, 0], [0, 0, 1]]}),
                        '"M"', "positive definite"),
    "dense_rows_empty": ("x.json", lcp(n=2000, q=[0] * 2000, M={"shape": [2000, 2000], "dense": [[]] * 2000}),
                         '"M.dense[0]"'),
    "dense_last_row_short": ("x.json", lcp(M={"shape": [2, 2], "dense": [[1, 1], [1]]}), '"M.dense[1]"'),
    "conic_rows_huge": ("x.json", make_problem("conic_qp", A=sparse(HUGE, 2)), '"A.shape"'),
    "cones_beyond_an_int": ("x.json", make_problem(
        "conic_qp", cones=[{"type": "second_order", "size": HUGE}] * 43), '"cones"'),
    "nl_rows_huge": ("x.nl", NL_HEADER.format(10**7, 10**7) + "x0\n", "do not fit"),
    "nl_variables_huge": ("x.nl", NL_HEADER.format(10**7, 0) + "x0\n", "do not fit"),
    "gzip_bomb": ("x.json.gz", gzip.compress(b" " * 10**6) * 200, "unpack"),
    "gzip_and_more": ("x.json.gz", gzip.compress(json.dumps(lcp()).encode()) + b"more", "gzip"),
})
class DeclaredSizes(HostileTestCase):
    """Sizes are claims: what the file does not hold is not made room for."""

    def test_gzip_in_parts_and_padded(self):
        text = json.dumps(lcp()).encode()
        path = self.write("x.json.gz", gzip.compress(text[:40]) + gzip.compress(text[40:]) + bytes(512))
        self.accept("solve", path)

    def test_devices_are_no_problem_files(self):
        for device in ("/dev/zero", "/dev/null"):
            self.refuse("info", device, words=[device, "device"])


def sequence(shared, lines):
    header = {"format": "perp-sequence", "version": 1, "name": "s", "shared": shared}
    return "\n".join([json.dumps(header), *lines, ""])


class Quadratic(HostileTestCase):
    """Short files that ask for work or output by the square of their length."""

    def test_shared_fields_in_every_line(self):
        n = 200
        shared = lcp(n=n, q=[1] * n, M={"shape": [n, n], "dense": [[0] * n] * n})
        path = self.write("x.jsonl", sequence(shared, ["{}"] * 20_000))
        self.refuse("bench", path, "--solvers", "lemke", "-o", self.folder / "run", words=["x.jsonl, line", "shared"])

    def test_equal_names_in_mof(self):
        n = 10_000
        path = self.write("x.json", lcp(n=n, q=[0] * n, M=sparse(n, n), variables=["x"] * n))
        self.accept("convert", path, self.folder / "x.mof.json")
        names = [v["name"] for v in parse_json((self.folder / "x.mof.json").read_text())["variables"]]
        self.assertEqual(len(set(names)), n)

    def test_long_names_in_mof(self):
        path = self.write("x.json", lcp(variables=["x" * 10**6, "y"]))
        self.refuse("convert", path, self.folder / "x.mof.json", words=["x.mof.json", "variables[0]"])

    def test_many_members(self):
        members = {f"x-{i}": 0 for i in range(100_000)}
        self.accept("info", self.write("x.json", lcp(**members)))
        text = json.dumps(lcp(**members))[:-1] + ', "x-99998": 1}'
        self.refuse("info", self.write("y.json", text), words=["y.json", '"x-99998" appears twice'])

    @staticmethod
    def shared_sum(n):
        """F_i = the same sum of all variables, as an mcp."""
        nodes = [["var", i] for i in range(n)]
        nodes += [["add", 0, 1]] + [["add", n + i - 2, i] for i in range(2, n)]
        nodes += [["mul", len(nodes) - 1, len(nodes) - 1]]
        return make_problem("mcp", n=n, lower=[0] * n, upper=["inf"] * n,
                            graph={"nodes": nodes, "outputs": [len(nodes) - 1] * n})

    def test_rows_of_nl_that_share_a_sum(self):
        """As an lcp it would have n^2 entries: it stays an mcp."""
        n = 4000
        body = "".join(f"C{i}\nv{n}\n" for i in range(n))
        linear = "".join(f"{j} 1\n" for j in range(n))
        text = (NL_HEADER.format(n, n) + f"V{n} {n} 0\n{linear}n0\n{body}r\n"
                + "".join(f"5 1 {i + 1}\n" for i in range(n)) + "b\n" + "2 0\n" * n)
        path = self.write("x.nl", text)
        self.assertIn("mcp", self.accept("info", path))
        self.accept("convert", path, self.folder / "x.json")
        self.assertLess((self.folder / "x.json").stat().st_size, 10 * len(text))

    def test_nl_is_not_written_where_all_rows_share_all(self):
        path = self.write("x.json", self.shared_sum(4000))
        self.refuse("convert", path, self.folder / "x.nl", words=["x.nl", "graph"])
        self.accept("convert", path, self.folder / "x.mof.json")

    def test_dense_jacobian_obeys_the_time_limit(self):
        path = self.write("x.json", self.shared_sum(2500))
        for solver in ("newton-fb", "josephy-newton", "auto"):
            code, out, err = self.run_unbounded_memory("solve", path, "--time-limit", "0.1", "--solver", solver, "--json")
            self.assertEqual(err, b"")
            self.assertLess(parse_json(out.decode())["times"]["setup"], 5)
            self.assertIn(code, (0, 1))

    def run_unbounded_memory(self, *arguments):
        done = subprocess.run([PERP, *map(str, arguments)], capture_output=True, timeout=SECONDS, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_ties_obey_the_time_limit(self):
        n = 60_000
        path = self.write("x.json", lcp(n=n, q=[-1] * n, M=sparse(n, n)))
        for solver in ("lemke", "auto"):
            code, out, err = self.run_bounded("solve", path, "--time-limit", "0.2", "--solver", solver, "--json")
            self.assertEqual((code, err), (1, b""))
            self.assertNotEqual(parse_json(out.decode())["status"], "solved")


ESCAPES = "a\x1b[31m\x07\u202eb\u2028c\td"


class ForeignText(HostileTestCase):
    """What a file puts into a message is short, printable and on one line."""

    def test_names_that_are_not_utf8(self):
        nl = NL_HEADER.format(1, 1).encode() + b"r\n5 1 1\nb\n2 0\nC0\nn0\nJ0 1\n0 1\n"
        qps = b"NAME a\nROWS\n N c\nCOLUMNS\n x c -4\nBOUNDS\n UP B x 1\nENDATA\n"
        for name, content, field in (("x.nl", nl.replace(b"problem x", b"problem \xff\xfe"), '"name"'),
                                     ("x.qps", qps.replace(b"NAME a", b"NAME \xc3("), '"name"'),
                                     ("x.qps", qps.replace(b"x", b"\xed\xa0\x80"), '"variables[0]"')):
            self.check(name, content, field, "UTF-8")
            (self.folder / name).unlink()
        self.write("x.nl", nl)
        self.write("x.col", b"\xff\n")
        self.refuse("info", self.folder / "x.nl", words=["x.nl", '"variables[0]"', "UTF-8"])
        self.write("x.col", "größe\n".encode())
        self.accept("convert", self.folder / "x.nl", self.folder / "x.json")
        self.assertEqual(parse_json((self.folder / "x.json").read_text())["variables"], ["größe"])

    def test_a_file_whose_own_name_is_not_utf8(self):
        path = os.fsencode(self.folder) + b"/\xff\x1b[31m.dat"
        with open(path, "wb") as file:
            file.write(RELAY.encode())
        done = subprocess.run([PERP, "convert", path, self.folder / "x.json"], capture_output=True, timeout=SECONDS)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(parse_json((self.folder / "x.json").read_bytes().decode())["name"], "\ufffd\x1b[31m")
        self.assertTrue(self.accept("info", self.folder / "x.json").replace("\n", "").isprintable())

    def test_long_words(self):
        word = "Z" * 100_000
        qps = f"NAME\nROWS\n N c\n {word}\nENDATA\n"
        for name, content in (("x.qps", qps), ("x.qps", qps.replace(" N c\n ", "")), ("x.nl", f"g3\n {word}\n"),
                              ("x.nl", f"g3 1\n 1 1\n{word}\n" + NL_HEADER.format(1, 1)), ("x.dat", word),
                              ("x.json", {word: 1}), ("x.json", lcp(**{word: 1})), ("x.json", lcp(kind=word)),
                              ("x.mof.json", {"version": {"major": 1, "minor": 7}, "variables": [{"name": word}] * 2}),
                              ("x.json", make_problem("mcp", graph={"nodes": [[word, 0]], "outputs": [0, 0]}))):
            self.refuse("info", self.write(name, content), words=[name])

    def test_escapes(self):
        qps = f"NAME\nROWS\n N c\n {ESCAPES}\nENDATA\n"
        for name, content in (("x.qps", qps), ("x.nl", f"g3\n {ESCAPES}\n"), ("x.json", lcp(**{ESCAPES: 1})),
                              ("x.json", make_problem("mcp", graph={"nodes": [[ESCAPES, 0]], "outputs": [0, 0]})),
                              ("x.json", '{"a' + ESCAPES + '": 1}'), ("x.dat", ESCAPES), (f"{ESCAPES}.json", "{}")):
            self.refuse("info", self.write(name, content))
        self.refuse("info", self.folder / f"none{ESCAPES}.json", words=["no such file"])
        self.refuse(f"verb{ESCAPES}")
        self.refuse("info", f"--{ESCAPES}")

    def test_names_on_the_terminal(self):
        path = self.write("x.json", lcp(name=ESCAPES, variables=[ESCAPES * 100, "b"], solution={"z": [2, 0]}))
        result = self.write("r.json", {"z": [2, 1]})
        for arguments in (["info", path], ["solve", path]):
            self.assertTrue(self.accept(*arguments).replace("\n", "").isprintable(), arguments)
        code, out, _ = self.run_bounded("verify", path, result)
        self.assertEqual(code, 1)
        self.assertTrue(out.decode().replace("\n", "").isprintable())


class Fclib(HostileTestCase):
    """More of these, made with the library itself, in tests/fast/fclib_test.cpp."""

    @staticmethod
    def has_hdf5():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.json"
            path.write_text(json.dumps(make_problem("friction_contact")))
            return subprocess.run([PERP, "convert", path, path.with_suffix(".hdf5")], capture_output=True).returncode == 0

    def test_a_byte_that_ends_the_library(self):
        self.refuse("info", HOSTILE / "fclib_one_byte.hdf5.gz", words=["fclib_one_byte.hdf5.gz"])

    def test_damaged_bytes_anywhere(self):
        """Whatever becomes of a file: an answer or a refusal."""
        if not self.has_hdf5():
            return
        self.succeed("convert", self.write("p.json", make_problem("friction_contact")), self.folder / "p.hdf5")
        whole = (self.folder / "p.hdf5").read_bytes()
        for at in range(8, len(whole), 397):
            path = self.write("x.hdf5", whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1:])
            code, _, err = self.run_bounded("info", path)
            self.assertIn(code, (0, 2), err)
            self.assertEqual(err.count(b"\n"), code // 2, err)

    def test_what_could_not_be_read_is_not_written(self):
        for mass in ([[1, 2, 0], [2, 1, 0], [0, 0, 1]], [[1e-308, 0, 0], [0, 1e308, 0], [0, 0, 1e-320]]):
            path = self.write("x.json", operator(MASS, {"shape": [3, 3], "dense": mass}, q=[1e308, 1e308, 1e308]))
            code, out, err = self.run_bounded("convert", path, self.folder / "x.hdf5")
            if code == 0:
                self.accept("info", self.folder / "x.hdf5")
                (self.folder / "x.hdf5").unlink()
            else:
                self.assertEqual((code, out, err.count(b"\n")), (2, b"", 1), err)
            self.assertEqual([p.name for p in self.folder.iterdir()], ["x.json"])


if __name__ == "__main__":
    unittest.main()
