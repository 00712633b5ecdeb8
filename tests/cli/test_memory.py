"""Every verb on large bad input: one line, in memory of a few times what was read (docs/reference/formats.md)."""
import os
import resource
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perp_cli import PERP, CliTestCase, is_sanitized, lcp, with_cases  # noqa: E402

# The worst text for a tree is "[],[],...": three bytes an element, which takes 40 to hold and twice that while an array grows.
TIMES = 30
PROGRAM = 64 << 20  # address space of perp that has read nothing: libraries for the most part
SECONDS = 60

NUMBERS = ",".join(["0.123456789"] * 400_000)
HEAD = '{"format":"perp-%s","version":1,"name":"x",'


def documents(name, text):
    return HEAD % name + text + "}"


# What is read, and the verb that reads it; each file has its fault behind some MB.
@with_cases({
    "numbers": ("info FILE", "x.json", documents("problem", f'"kind":"lcp","n":400000,"q":[{NUMBERS}],"zz":1')),
    "objects": ("solve FILE", "x.json", documents("problem", '"kind":"lcp","n":2,"contacts":[%s],"zz":1' % ",".join(['{"name":"abcdefgh"}'] * 200_000))),
    "empty_arrays": ("info FILE", "x.json", "[" + ",".join(["[]"] * 1_500_000) + "]"),
    "one_string": ("shrink FILE --solver lemke -o OUT", "x.json", '{"format":"' + "x" * 5_000_000 + '"}'),
    "many_names": ("info FILE", "x.json", "{" + ",".join(f'"k{i}":1' for i in range(300_000)) + "}"),
    "declared_size": ("info FILE", "x.json", documents("problem", '"kind":"lcp","n":900000000,"M":{"shape":[900000000,900000000],"row":[],"col":[],"value":[]},"q":[]')),
    "nl_one_line": ("convert FILE OUT.json", "x.nl", "g3 0 1 0\n" + " ".join(["1"] * 2_000_000)),
    "nl_declared_size": ("info FILE", "x.nl", "g3 0 1 0\n 900000000 900000000 0 0 900000000\n"),
    "qps_rows": ("convert FILE OUT.json", "x.qps", "NAME a\nROWS\n N obj\n" + "".join(f" L r{i}\n" for i in range(300_000)) + "COLUMNS\n x zz 1\n"),
    "siconos_numbers": ("info FILE", "x.dat", "1000000 " + "0 " * 2_500_000),
    "mof_variables": ("info FILE", "x.mof.json",
                      '{"name":"m","version":{"major":1,"minor":7},"variables":[%s],"objective":{"sense":"min"},"constraints":[]}'
                      % ",".join(f'{{"name":"v{i}"}}' for i in range(250_000))),
    "scene_bodies": ("simulate FILE", "x.json",
                     documents("scene", '"dimension":3,"bodies":[%s]' % ",".join(['{"name":"b","mass":"zz","shape":{"type":"sphere","radius":1}}'] * 80_000))),
    "scene_to_export": ("export FILE -o OUT", "x.json", documents("scene", '"dimension":3,"bodies":[%s]' % ",".join(["1"] * 1_000_000))),
    "suite_entries": ("bench FILE --solvers lemke -o OUT", "x.json",
                      documents("suite", '"description":"d","entries":[%s,{"family":"none","sizes":[1],"seeds":[1,1]}]'
                                % ",".join(['{"family":"psd","sizes":[3],"seeds":[1,1]}'] * 90_000))),
    "sequence_lines": ("bench FILE --solvers lemke -o OUT", "x.jsonl",
                       '{"format":"perp-sequence","version":1,"name":"s","shared":{}}\n' + '{"a":1}\n' * 500_000),
    "mtx_entries": ("info FILE --q FILE", "M.mtx", "%%MatrixMarket matrix coordinate real symmetric\n9 9 900000\n" + "2 1 1\n" * 400_000),
    "mtx_numbers": ("info FILE --q FILE", "M.mtx", "%%MatrixMarket matrix array real general\n1000000 2\n" + "0\n" * 1_500_000),
    "mtx_declared_size": ("info FILE --q FILE", "M.mtx", "%%MatrixMarket matrix coordinate real general\n900000000 900000000 1\n1 1 1\n"),
    "csv_rows": ("info FILE --q FILE", "M.csv", "1,2\n" * 500_000 + "1\n"),
    "csv_row": ("info FILE --q FILE", "M.csv", "1," * 1_500_000 + "x\n"),
    "records": ("report FILE -o OUT.html", "x.jsonl", '{"key":"a"}\n' * 400_000),
    "records_to_compare": ("compare FILE FILE", "x.jsonl", '{"key":"a"}\n' * 400_000),
    "study_runs": ("study FILE -o OUT", "x.json", documents("study", '"title":"t","description":"d","runs":[%s]' % ",".join(["{}"] * 1_000_000))),
})
class LargeBadInput(CliTestCase):
    def run_limited(self, command, bytes_read):
        """Runs perp with an address space in proportion to what it reads."""
        limit = PROGRAM + TIMES * bytes_read
        return subprocess.run([PERP, *command], capture_output=True, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL,
                              preexec_fn=None if is_sanitized() else lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))

    def check(self, command, name, text):
        path = str(self.write(name, text))
        words = [word.replace("FILE", path).replace("OUT", str(self.folder / "out")) for word in command.split()]
        done = self.run_limited(words, len(text))
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(name, done.stderr)
        self.assertNotIn("memory", done.stderr)
        self.assertEqual([p.name for p in self.folder.iterdir()], [name])

    def test_results(self):
        problem = str(self.write("p.json", lcp()))
        result = str(self.write("r.json", f'{{"z":[{NUMBERS}],"dual":3}}'))
        for command in (["verify", problem, result], ["solve", problem, "--start", result]):
            done = self.run_limited(command, len(NUMBERS))
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertRegex(done.stderr, r"^perp: .*r\.json: .*\n$")


class TheLimitBites(CliTestCase):
    """A program that takes more than it may does not pass the tests above."""

    @unittest.skipIf(is_sanitized(), "the sanitizers reserve more than any limit")
    def test_less_room_is_too_little(self):
        path = self.write("x.json", "[" + ",".join(["[]"] * 1_500_000) + "]")
        limit = PROGRAM + 4 * path.stat().st_size
        done = subprocess.run([PERP, "info", str(path)], capture_output=True, text=True, timeout=SECONDS,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertNotEqual(done.stderr.count("expected an object"), 1, done.stderr)


class OutOfMemory(CliTestCase):
    @unittest.skipIf(is_sanitized(), "the sanitizers reserve more than any limit")
    def test_a_tree_too_large_to_destroy(self):
        """The result of a million tries; what is built of it needs memory to be freed."""
        problem = str(self.write("p.json", lcp()))
        limit = 500 << 20
        done = subprocess.run([PERP, "solve", problem, "--solver", "repeat(1000000, pgs:max_iterations=1:relaxation=1e-9)", "--json"],
                              capture_output=True, text=True, timeout=SECONDS,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", "perp: out of memory\n"))


if __name__ == "__main__":
    unittest.main()
