"""An installation is complete: the program finds its data, and another project builds against it."""
import json
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from tree import BUILD, CMAKE, ROOT, eigen_layout, run  # noqa: E402


class Installation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="perp-install-"))
        cls.prefix = cls.folder / "prefix"
        cls.installed = run(CMAKE, "--install", BUILD, "--prefix", cls.prefix)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def consume(self, name, *options):
        self.assertEqual(self.installed.returncode, 0, self.installed.stderr)
        build = self.folder / name
        configured = run(CMAKE, "-G", "Ninja", "-S", ROOT / "tests/consumer", "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                         "-DCMAKE_BUILD_TYPE=Release", *options)
        self.assertEqual(configured.returncode, 0, configured.stderr)
        return build, run(CMAKE, "--build", build)

    def test_consumer_builds_and_runs(self):
        build, built = self.consume("consumer")
        self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
        ran = run(build / "consumer")
        self.assertEqual(ran.returncode, 0, ran.stdout)
        self.assertTrue(ran.stdout.startswith("solved"), ran.stdout)

    def test_consumer_may_use_another_instruction_set(self):
        """Eigen aligns and allocates by the instruction set unless the targets tell it how."""
        build, built = self.consume("native", "-DCMAKE_CXX_FLAGS=-march=native")
        self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
        ran = run(build / "consumer")
        self.assertEqual(ran.returncode, 0, ran.stdout)
        self.assertTrue(ran.stdout.startswith("solved"), ran.stdout)

    def test_another_layout_of_eigen_is_refused(self):
        """When a file is compiled, and not by a crash."""
        def compiled(*flags):
            return run("c++", "-std=c++20", "-fsyntax-only", f"-I{self.prefix}/include", "-isystem/usr/include/eigen3",
                       *flags, ROOT / "tests/consumer/main.cpp")
        self.assertEqual(compiled(*eigen_layout()).returncode, 0)
        for flags in ((), ("-mavx2",), ("-DEIGEN_MAX_ALIGN_BYTES=32", "-DEIGEN_MAX_STATIC_ALIGN_BYTES=32")):
            other = compiled(*flags)
            self.assertNotEqual(other.returncode, 0, flags)
            self.assertIn("link perp's CMake targets", other.stderr)

    def test_the_documents_nonlinear_problem(self):
        text = (ROOT / "docs/how-to/adding.md").read_text()
        section = text[text.index("## A nonlinear problem"):]
        project = self.folder / "beads"
        project.mkdir()
        for language, file in (("cpp", "beads.cpp"), ("cmake", "CMakeLists.txt")):
            (project / file).write_text(re.search(rf"^```{language}\n(.*?)^```", section, re.M | re.S)[1])
        configured = run(CMAKE, "-G", "Ninja", "-S", project, "-B", project, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                         "-DCMAKE_BUILD_TYPE=Release")
        self.assertEqual(configured.returncode, 0, configured.stderr)
        built = run(CMAKE, "--build", project)
        self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
        printed = run(project / "beads", cwd=project).stdout
        self.assertTrue(printed.startswith("solved"), printed)
        # 0.2 is the first one's stop; the second is as far from it as 5 N stretch the spring.
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if 10 * middle + 200 * middle ** 3 < 5 else (low, middle)
        for file in ("beads.json", "beads.nl"):
            solved = run(self.prefix / "bin" / "perp", "solve", project / file, "--tolerance", "1e-10", "--json")
            z = json.loads(solved.stdout)["z"]
            self.assertAlmostEqual(z[0], 0.2, delta=1e-12)
            self.assertAlmostEqual(z[1], 0.2 + low, delta=1e-9)

    def test_the_documents_shared_library(self):
        """Its two files and no others, built against the installed header; then the commands of the page."""
        section = (ROOT / "docs/how-to/adding.md").read_text().split("## A shared library\n", 1)[1].split("\n## ", 1)[0]
        project = self.folder / "mine"
        project.mkdir()
        for language, file in (("c", "mine.c"), ("cmake", "CMakeLists.txt")):
            (project / file).write_text(re.search(rf"^```{language}\n(.*?)^```", section, re.M | re.S)[1])
        build = project / "build"
        configured = run(CMAKE, "-G", "Ninja", "-S", project, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.assertEqual(configured.returncode, 0, configured.stderr)
        self.assertEqual(run(CMAKE, "--build", build).returncode, 0)
        perp, library = self.prefix / "bin/perp", build / "libmine.so"
        self.assertIn("mine", run(perp, "list", "solvers", "--plugin", library).stdout)
        problem = ROOT / "problems/collections/siconos/lcp/lcp_mmc.json"
        solved = run(perp, "solve", problem, "--plugin", library, "--solver", "mine", "--set", "omega=1.3", "--json")
        self.assertEqual(json.loads(solved.stdout)["status"], "solved", solved.stderr)
        benched = run(perp, "bench", problem, "--plugin", library, "--solvers", "mine,lemke", "-o", project / "out")
        self.assertEqual(benched.returncode, 0, benched.stderr)
        records = [json.loads(line) for line in (project / "out/records.jsonl").read_text().splitlines()]
        self.assertEqual({(r["solver"], r["outcome"]) for r in records}, {("mine", "solved"), ("lemke", "solved")})

    def test_what_the_page_on_adding_adds_builds_and_runs(self):
        """A solver, a strategy, a gap and a law: the files of the page, and its line in each list."""
        text = (ROOT / "docs/how-to/adding.md").read_text()

        def blocks(title):
            section = text[text.index(f"## {title}\n"):].split("\n## ", 1)[0]
            return re.findall(r"^```cpp\n(.*?)^```", section, re.M | re.S)

        project = self.folder / "added"
        solver_header, solver, solver_line = blocks("A solver in C++")
        strategy, strategy_line = blocks("A strategy")
        gap_header, gap, gap_line = blocks("A gap")
        law_header, law, law_line = blocks("A contact law")

        def with_line(file, mark, line, include=""):
            changed = (ROOT / file).read_text()
            self.assertEqual(changed.count(mark), 1, file)
            return include + changed.replace(mark, mark + "\n" + line)

        headers = {
            "perp/solvers/projection/simple_gauss_seidel.hpp": solver_header,
            "perp/formulations/gap/ball/ball_gap.hpp": gap_header,
            "perp/formulations/law/frictionless/frictionless_law.hpp": law_header,
            "perp/solvers/strategies/strategy.hpp": with_line(
                "solvers/strategies/strategy.hpp", "std::unique_ptr<Strategy> make_first(const SolverExpression&, const Workshop&);",
                "std::unique_ptr<Strategy> make_twice(const SolverExpression& e, const Workshop& workshop);")}
        sources = {
            "solver.cpp": solver, "strategy.cpp": strategy, "gap.cpp": gap, "law.cpp": law,
            "registry.cpp": with_line("solvers/registry.cpp", "registry = {", solver_line,
                                      "#include <perp/solvers/projection/simple_gauss_seidel.hpp>\n"),
            "strategies.cpp": with_line("solvers/strategies/strategy.cpp", "list = {", strategy_line),
            "gaps.cpp": with_line("formulations/gap/gaps.cpp", "list = {", gap_line,
                                  "#include <perp/formulations/gap/ball/ball_gap.hpp>\n"),
            "laws.cpp": with_line("formulations/law/laws.cpp", "list = {", law_line,
                                  "#include <perp/formulations/law/frictionless/frictionless_law.hpp>\n"),
            "main.cpp": (ROOT / "tests/consumer/added.cpp").read_text(),
            "CMakeLists.txt": (ROOT / "tests/consumer/added.cmake").read_text()}
        for file, content in {**{f"include/{k}": v for k, v in headers.items()}, **sources}.items():
            (project / file).parent.mkdir(parents=True, exist_ok=True)
            (project / file).write_text(content)
        self.assertEqual(self.installed.returncode, 0, self.installed.stderr)
        configured = run(CMAKE, "-G", "Ninja", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                         "-DCMAKE_BUILD_TYPE=Release")
        self.assertEqual(configured.returncode, 0, configured.stderr)
        built = run(CMAKE, "--build", project / "build")
        self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
        ran = run(project / "build" / "added")
        self.assertEqual((ran.returncode, ran.stdout), (0, "solver\nstrategy\ngap\nlaw\n"), ran.stderr)

    def test_installed_program_uses_installed_data(self):
        program = self.prefix / "bin" / "perp"
        listed = run(program, "list", "suites", env={"PATH": "/usr/bin:/bin"})
        self.assertIn("contact-lcp", listed.stdout)
        ran = run(program, "bench", "literature", "--repeat", "1", "-o", self.folder / "records")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("literature", ran.stdout)
        records = (self.folder / "records" / "records.jsonl").read_text().splitlines()
        self.assertEqual(len(records), 24)
        ran = run(program, "export", "--collection", self.folder / "collection", "--quick")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual((self.folder / "collection/licences/perp-LICENSE").read_text(), (ROOT / "LICENSE").read_text())

    def test_no_header_names_a_path_of_the_build(self):
        for header in self.prefix.rglob("*.hpp"):
            self.assertNotIn(str(ROOT), header.read_text(), header)


if __name__ == "__main__":
    unittest.main()
