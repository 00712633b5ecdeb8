"""The tutorials do what they say: every sh block is run as written, and prints what the text block behind it shows.

In a text block … stands for any text, alone in its line for any lines. All else must be there, word for word, whatever the blanks;
numbers must agree to three digits or be below 1e-6. The examples of docs/how-to/library.md are built and run in the same way.
"""
import os
import pathlib
import re
import tempfile
import unittest
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from tree import BUILD, PERP, ROOT, eigen_layout, run  # noqa: E402

NUMBER = r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))


def blocks(path):
    """(language, text) of the fences of a page."""
    return re.findall(r"^```(\w*)\n(.*?)^```", path.read_text(), re.M | re.S)


def agrees(expected, printed):
    """Whether a line is the one that is shown."""
    pattern, numbers = "", []
    for part in re.findall(rf"…|{NUMBER}|\s+|[^\s…\d]+|\d|.", expected.strip()):
        if part == "…":
            pattern += ".*"
        elif part.isspace():
            pattern += r"\s+"
        elif re.fullmatch(NUMBER, part):
            pattern += f"({NUMBER})"
            numbers.append(float(part))
        else:
            pattern += re.escape(part)
    found = re.fullmatch(pattern, printed.strip())
    return bool(found) and all(abs(a - b) <= 1e-3 * max(abs(a), abs(b)) or max(abs(a), abs(b)) < 1e-6
                               for a, b in zip(numbers, map(float, found.groups())))


def difference(expected, *streams):
    """What a text block shows and none of the streams prints, in words; empty if nothing. The order within a stream counts."""
    streams = [[line for line in stream.splitlines() if line.strip()] for stream in streams]
    skipping, skipped = set(), False
    for line in filter(str.strip, expected.splitlines()):
        if line.strip() == "…":
            skipping, skipped = set(range(len(streams))), True
            continue
        for which, stream in enumerate(streams):
            candidates = stream if which in skipping else stream[:1]
            found = next((k for k, printed in enumerate(candidates) if agrees(line, printed)), None)
            if found is not None:
                del stream[:found + 1]
                skipping.discard(which)
                break
        else:
            return f"shown, but not printed: {line}"
    left = [line for stream in streams for line in stream]
    return f"printed, but not shown: {left[0]}" if left and not skipped else ""


def linked(source, program, *includes):
    """Compiles a source and links it as the build tree links perp. @return what went wrong, or nothing"""
    roots = [f"-I{BUILD}/include/{stage}" for stage in ("problems", "solvers", "formulations", "bench")]
    object_file = program.with_suffix(".o")
    compiled = run("c++", "-std=c++20", "-O0", "-Wall", "-Wextra", *eigen_layout(), *includes, *roots, "-isystem/usr/include/eigen3",
                   "-c", source, "-o", object_file)
    if compiled.returncode != 0 or compiled.stderr:
        return compiled.stderr
    command = run("ninja", "-C", BUILD, "-t", "commands", "perp").stdout.splitlines()[-1]
    if source.name != "registry.cpp":  # a program of its own
        command = re.sub(r"\S+\.o ", "", command)
    command, count = re.subn(r" -o perp ", f" {object_file} -o {program} ", command)
    return run("bash", "-c", command, cwd=BUILD).stderr if count == 1 else f"no link of perp: {command}"


class Comparison(unittest.TestCase):
    def test_lines(self):
        self.assertTrue(agrees("solved, … iterations, residual 0.0e+00", "  solved,  12 iterations, residual 3.1e-12"))
        self.assertTrue(agrees("velocity (0.7558, 0, 0)", "velocity (0.755770, -1.1e-16, 2e-17)"))
        self.assertFalse(agrees("velocity (0.7558, 0, 0)", "velocity (0.7658, 0, 0)"))
        self.assertFalse(agrees("exit code 1", "exit code 2"))
        self.assertFalse(agrees("6/6 …", "5/6 0 1"))
        self.assertFalse(agrees("status solved", "status stalled"))

    def test_blocks(self):
        self.assertEqual(difference("a 1\nc\nb", "a 1\nb\n", "c\n"), "")
        self.assertEqual(difference("a\n…\nd", "a\nb\nc\nd\n"), "")
        self.assertIn("not printed: b", difference("b\na", "a\nb\n"))
        self.assertIn("not shown: b", difference("a", "a\nb\n"))
        self.assertIn("not printed: c", difference("a\n…\nc", "a\nb\n"))


class Tutorials(unittest.TestCase):
    def follow(self, path):
        with tempfile.TemporaryDirectory() as scratch:
            folder, programs = pathlib.Path(scratch) / "mine", pathlib.Path(scratch) / "programs"
            folder.mkdir()
            programs.mkdir()
            (folder / "problems").symlink_to(ROOT / "problems")
            environment = dict(os.environ, PATH=f"{programs}:{pathlib.Path(PERP).parent}:{os.environ['PATH']}")
            ran, code, shown = None, [], 0
            for language, text in blocks(path):
                if language == "sh":
                    ran = run("bash", "-euo", "pipefail", "-c", text, cwd=folder, env=environment)
                    self.assertEqual(ran.returncode, 0, f"{text}\n{ran.stdout}\n{ran.stderr}")
                elif language == "text" and ran:
                    wrong = difference(text, ran.stdout, ran.stderr)
                    self.assertEqual(wrong, "", f"{wrong}\n\n{ran.stdout}\n{ran.stderr}")
                    ran, shown = None, shown + 1
                elif language == "cpp":
                    code.append(text)
                    if len(code) == 2:
                        self.assertEqual(self.with_solver(programs, path, *code), "")
            return shown

    def with_solver(self, programs, path, header, line):
        """perp with a solver more: a header and a line in the list, linked before the library that has the list."""
        name = re.search(r"write the file `(solvers/\S+)`", path.read_text())[1]
        include = re.search(r"add `(#include <perp/(\S+)>)`", path.read_text())
        self.assertEqual(include[2], name)
        (programs / "perp_headers" / "perp" / name).parent.mkdir(parents=True)
        (programs / "perp_headers" / "perp" / name).write_text(header)
        registry = (ROOT / "solvers/registry.cpp").read_text()
        self.assertEqual(registry.count("registry = {"), 1)
        (programs / "registry.cpp").write_text(f"{include[1]}\n" + registry.replace("registry = {", f"registry = {{\n{line}"))
        return linked(programs / "registry.cpp", programs / "perp", f"-I{programs}/perp_headers")

    def test_there_are_four(self):
        self.assertEqual([path.stem for path in TUTORIALS], ["first-problem", "first-scene", "first-solver", "first-study"])

    def test_first_problem(self):
        self.assertGreaterEqual(self.follow(ROOT / "docs/tutorials/first-problem.md"), 5)

    def test_first_solver(self):
        self.assertGreaterEqual(self.follow(ROOT / "docs/tutorials/first-solver.md"), 5)

    def test_first_scene(self):
        self.assertGreaterEqual(self.follow(ROOT / "docs/tutorials/first-scene.md"), 5)

    def test_first_study(self):
        self.assertGreaterEqual(self.follow(ROOT / "docs/tutorials/first-study.md"), 3)

    def test_how_to_run_benchmarks(self):
        self.assertEqual(self.follow(ROOT / "docs/how-to/benchmarks.md"), 1)

    def test_how_to_export(self):
        self.follow(ROOT / "docs/how-to/exporting.md")

    def test_they_are_short(self):
        for path in TUTORIALS:
            prose = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S)
            with self.subTest(path.stem):
                self.assertTrue(300 <= len(prose.split()) <= 900, len(prose.split()))


class Library(unittest.TestCase):
    """Every example of the page on the libraries is a program; it prints what is shown behind it."""

    def test_every_example_builds_and_prints_what_is_shown(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            ran, count = None, 0
            for language, text in blocks(ROOT / "docs/how-to/library.md"):
                if language == "cpp":
                    count += 1
                    source = folder / f"example_{count}.cpp"
                    source.write_text(text)
                    self.assertEqual(linked(source, folder / f"example_{count}"), "", text)
                    ran = run(folder / f"example_{count}", cwd=folder)
                    self.assertEqual(ran.returncode, 0, f"{text}\n{ran.stdout}\n{ran.stderr}")
                elif language == "text" and ran:
                    wrong = difference(text, ran.stdout, ran.stderr)
                    self.assertEqual(wrong, "", f"{wrong}\n\n{ran.stdout}\n{ran.stderr}")
                    ran = None
                elif language == "json":
                    (folder / re.search(r'"name": "([\w-]+)"', text)[1]).with_suffix(".json").write_text(text)
            self.assertGreaterEqual(count, 4)


if __name__ == "__main__":
    unittest.main()
