"""Public headers: what is installed, that each compiles by itself, and what doxygen says of them."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from tree import BUILD, CMAKE, ROOT, eigen_layout, run  # noqa: E402

UMBRELLAS = {"problems": "problems", "solvers": "solvers", "formulations": "formulations", "simulation": "bench/simulation"}


def included(header):
    """The headers of perp that a file includes, as paths below the root of the tree."""
    return re.findall(r"^#include [<\"]perp/([^>\"]+)[>\"]", (ROOT / header).read_text(), re.M)


def public_headers():
    """What the umbrellas include, directly or not; counted here once more, apart from cmake/PerpHeaders.cmake."""
    found, open_ = set(), [f"{folder}/public.hpp" for folder in UMBRELLAS.values()]
    while open_:
        new = set(included(open_.pop())) - found
        found |= new
        open_ += new
    return found


def compiled(source):
    roots = [f"-I{BUILD}/include/{stage}" for stage in ("problems", "solvers", "formulations", "bench")]
    return run("c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", *roots,
               "-isystem/usr/include/eigen3", *eigen_layout(), source)


class PublicHeaders(unittest.TestCase):
    def test_no_other_header_is_installed(self):
        with tempfile.TemporaryDirectory(prefix="perp-headers-") as folder:
            installed = run(CMAKE, "--install", BUILD, "--prefix", folder, "--component", "dev")
            self.assertEqual(installed.returncode, 0, installed.stderr)
            root = pathlib.Path(folder) / "include"
            files = {str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()}
        expected = {f"perp/{header}" for header in public_headers()} | {f"perp/{name}.hpp" for name in UMBRELLAS}
        self.assertEqual(files, expected | {"perp_plugin.h"})
        self.assertNotIn("perp/problems/io/nl.hpp", files)

    def test_no_public_header_includes_one_of_the_program(self):
        for header in public_headers():
            self.assertTrue(header.startswith(("problems/", "solvers/", "formulations/", "bench/simulation/")), header)

    def test_sources_do_not_include_the_umbrellas(self):
        """They are for programs that use perp; a source includes what it needs."""
        for path in (p for stage in ("problems", "solvers", "formulations", "bench") for p in (ROOT / stage).rglob("*.[ch]pp")):
            self.assertIsNone(re.search(r"#include [<\"]perp/\w+\.hpp|/public\.hpp[>\"]", path.read_text()), path)

    def test_each_compiles_by_itself(self):
        """A source that includes its own header first has shown it in every build; the others are compiled here."""
        texts = [f"#include <perp/{name}.hpp>\n" for name in UMBRELLAS]
        proven = 0
        for header in sorted(public_headers()):
            source = (ROOT / header).with_suffix(".cpp")
            first = re.search(r"^#include (.*)$", source.read_text(), re.M) if source.exists() else None
            if first and first[1] == f"<perp/{header}>":
                proven += 1
            else:
                texts.append(f"#include <perp/{header}>\n")
        self.assertGreater(proven, 100)
        with tempfile.TemporaryDirectory(prefix="perp-headers-") as folder:
            sources = []
            for number, text in enumerate(texts):
                sources.append(pathlib.Path(folder) / f"{number}.cpp")
                sources[-1].write_text(text)
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                for text, result in zip(texts, pool.map(compiled, sources)):
                    self.assertEqual((result.returncode, result.stderr), (0, ""), text)

    def test_doxygen_has_no_complaint(self):
        doxygen = shutil.which("doxygen")
        if not doxygen:
            self.skipTest("doxygen is not installed")
        with tempfile.TemporaryDirectory(prefix="perp-doxygen-") as folder:
            made = run(CMAKE, "-D", f"SOURCE={ROOT}", "-D", f"OUTPUT={folder}", "-D", f"DOXYGEN={doxygen}", "-P",
                       ROOT / "cmake/PerpDoxygen.cmake")
            self.assertEqual(made.returncode, 0, made.stderr)
            page = (pathlib.Path(folder) / "html/classperp_1_1Lemke.html").read_text()
            self.assertIn("solvers/pivoting/lemke.hpp", page)


if __name__ == "__main__":
    unittest.main()
