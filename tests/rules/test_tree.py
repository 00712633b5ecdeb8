"""Rules of the tree that a machine can check: direction of includes, citations, links, versions, sizes."""
import json
import re
import sys
import pathlib
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from cpp_sizes import classes_and_functions  # noqa: E402
from tree import BUILD, PERP, ROOT, eigen_layout, run, sources  # noqa: E402

ALLOWED = {
    "problems": {"problems"},
    "solvers": {"problems", "solvers"},
    "formulations": {"problems", "formulations"},
    "bench": {"problems", "solvers", "formulations", "bench"},
}


class Includes(unittest.TestCase):
    def test_stages_point_in_one_direction(self):
        for stage, allowed in ALLOWED.items():
            for path in sources(stage):
                for target in re.findall(r"#include [<\"]perp/(\w+)/", path.read_text()):
                    self.assertIn(target, allowed, f"{path.relative_to(ROOT)} includes perp/{target}")

    def test_folders_do_not_include_each_other(self):
        includes = {}
        for path in (p for stage in ALLOWED for p in sources(stage)):
            folder = str(path.parent.relative_to(ROOT))
            targets = re.findall(r"#include [<\"]perp/(\S+)/\w+\.hpp", path.read_text())
            # A folder and those in it are one: the list of what there is stands above.
            others = {t for t in targets if not f"{t}/".startswith(f"{folder}/") and not folder.startswith(f"{t}/")}
            includes.setdefault(folder, set()).update(others)

        def reached(folder, seen):
            for target in includes.get(folder, set()) - seen:
                seen.add(target)
                reached(target, seen)
            return seen

        for folder in includes:
            self.assertNotIn(folder, reached(folder, set()), f"{folder} includes itself by way of others")

    def test_a_wrong_include_does_not_compile(self):
        with tempfile.TemporaryDirectory() as folder:
            wrong = pathlib.Path(folder) / "wrong.cpp"
            wrong.write_text("#include <perp/solvers/registry.hpp>\n")
            roots = [f"-I{BUILD}/include/problems", f"-I{BUILD}/include/formulations", "-isystem/usr/include/eigen3",
                     *eigen_layout()]
            compiled = run("c++", "-std=c++20", "-fsyntax-only", *roots, wrong)
            self.assertNotEqual(compiled.returncode, 0)
            self.assertIn("perp/solvers/registry.hpp", compiled.stderr)
            right = run("c++", "-std=c++20", "-fsyntax-only", *roots, f"-I{BUILD}/include/solvers", wrong)
            self.assertEqual(right.returncode, 0, right.stderr)

    def test_the_example_of_the_readme_compiles(self):
        text = (ROOT / "README.md").read_text()
        examples = re.findall(r"^```cpp\n(.*?)^```$", text, re.S | re.M)
        self.assertEqual(len(examples), 1)
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "example.cpp"
            source.write_text(examples[0])
            roots = [f"-I{BUILD}/include/problems", f"-I{BUILD}/include/solvers", "-isystem/usr/include/eigen3", *eigen_layout()]
            compiled = run("c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", *roots, source)
            self.assertEqual((compiled.returncode, compiled.stderr), (0, ""))

    def test_every_header_is_guarded_and_says_what_it_is(self):
        for path in sources():
            if path.suffix == ".hpp":
                text = path.read_text()
                self.assertTrue(text.startswith("//"), path)
                self.assertIn("#pragma once", text, path)


class Citations(unittest.TestCase):
    def setUp(self):
        self.keys = set(re.findall(r"@\w+\{(\w+),", (ROOT / "docs/references.bib").read_text()))

    def test_every_key_is_in_the_bibliography(self):
        key = re.compile(r"\[((?:[A-Z]\w*?(?:19|20)\d\d[^\]]*?)(?:[;,] [^\]]*)?)\]")
        found = 0
        for path in list(sources()) + sorted((ROOT / "docs").rglob("*.md")):
            for group in key.findall(path.read_text()):
                for name in re.findall(r"\b[A-Z][A-Za-z]+(?:19|20)\d\d\b", group):
                    found += 1
                    self.assertIn(name, self.keys, f"{path.relative_to(ROOT)} cites {name}")
        self.assertGreater(found, 30)

    def test_solvers_and_families_name_a_known_source(self):
        listed = json.loads(run(PERP, "list", "--json").stdout)
        for item in listed["solvers"] + listed["families"]:
            self.assertIn(item["source"], self.keys, item["name"])


class Pages(unittest.TestCase):
    def pages(self):
        return [p for p in ROOT.rglob("*.md") if "build" not in p.relative_to(ROOT).parts[0] and "node_modules" not in p.parts]

    def test_relative_links_lead_somewhere(self):
        for page in self.pages():
            for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text()):
                if not re.match(r"\w+:", link):
                    self.assertTrue((page.parent / link).exists(), f"{page.relative_to(ROOT)} links to {link}")

    def test_docs_name_every_solver_family_and_suite(self):
        listed = json.loads(run(PERP, "list", "--json").stdout)
        text = "\n".join(p.read_text() for p in self.pages())
        for topic in ("solvers", "formulations", "scenes", "families", "suites"):
            self.assertGreater(len(listed[topic]), 0)
            for item in listed[topic]:
                self.assertTrue(f"`{item['name']}`" in text, f"{topic}: {item['name']} is in no page")

    def test_peers_are_documented_and_run_by_their_programs(self):
        """The catalogue is checked as text: it also holds where the libraries are missing."""
        text = (ROOT / "bench/peers/catalogue.cpp").read_text()
        peers = re.findall(r'\{\{"([\w-]+)",\s*"[^"]*",\s*"(\w*)"', text)
        self.assertGreater(len(peers), 20)
        page = (ROOT / "docs/reference/peers.md").read_text()
        keys = re.findall(r"@\w+\{(\w+),", (ROOT / "docs/references.bib").read_text())
        for name, source in peers:
            program = "".join(p.read_text() for p in (ROOT / "bench/peers").glob(f"{name.split('-')[0]}*_peer.cpp"))
            self.assertIn(f'"{name}"', program)
            self.assertIn(f"`{name}`", page)
            if source:
                self.assertIn(source, keys, name)

    def test_docs_name_every_member_of_a_family(self):
        rows = {row.split("|")[1].strip(): row for row in (ROOT / "docs" / "reference" / "families.md").read_text().splitlines()
                if row.startswith("| `")}
        for family in json.loads(run(PERP, "list", "families", "--json").stdout)["families"]:
            for member in family["members"]:
                problem, start = member["name"].rsplit("-", 1)
                self.assertIn(f"`{problem}`", rows, family["name"])
                row = rows[f"`{problem}`"]
                self.assertIn(start, row.split("|")[4].split(), member["name"])
                self.assertIn(f"[{member['source']}]", row)

    def test_settings_are_documented(self):
        """Every method has a table that results/make-docs makes; test_docs checks what it says."""
        pages = "".join(page.read_text() for page in (ROOT / "docs").rglob("*.md"))
        for solver in json.loads(run(PERP, "list", "solvers", "--json").stdout)["solvers"]:
            # auto is made of others; enumerate is a definition without settings of its own.
            if solver["name"] not in ("auto", "enumerate"):
                self.assertIn(f"<!-- made: settings {solver['name']} -->", pages)


class Versions(unittest.TestCase):
    def test_one_version_everywhere(self):
        version = re.search(r"project\(perp VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
        self.assertIn(version, run(PERP, "--version").stdout)
        self.assertIn(f"version: {version}", (ROOT / "CITATION.cff").read_text())
        self.assertIn(f"[{version}]", (ROOT / "CHANGELOG.md").read_text())


class Sizes(unittest.TestCase):
    def test_micro_benchmarks_have_names_of_their_own(self):
        # perp compare tells kernels by their names; and sources are compiled together.
        found = [name for path in sources("bench/micro")
                 for name in re.findall(r"^void (\w+)\(benchmark::State& state\)", path.read_text(), re.M)]
        self.assertIn("eigen_lu", found)
        self.assertEqual(sorted(found), sorted(set(found)))

    def test_files_stay_readable(self):
        for path in sources():
            self.assertLessEqual(len(path.read_text().splitlines()), 600, path.relative_to(ROOT))
            for number, line in enumerate(path.read_text().splitlines(), 1):
                self.assertLessEqual(len(line), 100, f"{path.relative_to(ROOT)}:{number}")

    # Rows of tables: every member is a column of a file or of a report.
    ROWS = {"Record", "SimulationRun", "GroupSummary"}

    def test_classes_and_functions_stay_small(self):
        found = {"class": 0, "function": 0}
        for path in (p for stage in ALLOWED for p in sources(stage)):
            for kind, what, size in classes_and_functions(path.read_text()):
                found[kind] += 1
                if what not in self.ROWS:
                    self.assertLessEqual(size, 20 if kind == "class" else 80, f"{path.relative_to(ROOT)}: {kind} {what}")
        self.assertGreater(found["class"], 500)
        self.assertGreater(found["function"], 3000)

    def test_sizes_are_counted(self):
        text = """
// class Commented { int a_; };
class Counted : public Base<int> {
 public:
  Counted(int a) : a_(a), b_{2} { run(); }
  void run() override;
  int size() const { return a_; }
  using Lists = std::vector<int>;
  struct Part {
    std::map<std::string, std::vector<int>> x, y;
  };

 private:
  static constexpr int kMost = 3;
  int a_ = 0, b_{1};
  std::function<void(int, int)> call_;
  std::vector<int>&starts_, &rows_;
};
void Counted::run() {
  if (a_) {
    call_(1, 2);
  }
}
"""
        found = list(classes_and_functions(text))
        self.assertIn(("class", "Part", 2), found)
        self.assertIn(("class", "Counted", 5), found)
        self.assertIn(("function", 19, 4), found)


if __name__ == "__main__":
    unittest.main()
