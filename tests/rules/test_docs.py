"""Measured tables of the documents are those that results/make-docs makes of the published runs."""
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from tree import PERP, ROOT, run  # noqa: E402

MADE = re.compile(r"<!-- made: (?!end)")


class MadeDocuments(unittest.TestCase):
    def copy(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        tree = pathlib.Path(scratch.name) / "perp"
        for name in ("docs", "results", "formulations"):
            ignored = lambda folder, names, top=ROOT / name: [  # noqa: E731
                n for n in names if top.name == "results" and (pathlib.Path(folder) / n).is_dir()]
            shutil.copytree(ROOT / name, tree / name, ignore=ignored)
        shutil.copy(ROOT / "README.md", tree)
        return tree

    def test_they_are_up_to_date(self):
        checked = run(ROOT / "results" / "make-docs", "--check")
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        documents = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
        self.assertGreaterEqual(sum(len(MADE.findall(path.read_text())) for path in documents), 2)

    def test_a_figure_changed_by_hand_is_found_and_made_good(self):
        tree = self.copy()
        path = tree / "README.md"
        before = path.read_text()
        block = re.search(r"<!-- made: table.*?<!-- made: end -->", before, re.S).group(0)
        changed = re.sub(r"(\d+/\d+), (\d)", lambda m: f"{m[1]}, {9 - int(m[2])}", block, count=1)  # no digit stays as it is
        self.assertNotEqual(changed, block)
        path.write_text(before.replace(block, changed))
        drawing = next((tree / "docs" / "figures").glob("*.svg"))
        drawn = drawing.read_text()
        drawing.write_text(drawn.replace("</svg>", " </svg>"))
        checked = run(tree / "results" / "make-docs", "--check")
        self.assertEqual((checked.returncode, sorted(checked.stdout.splitlines())),
                         (1, ["differs: README.md", f"differs: docs/figures/{drawing.name}"]))
        self.assertEqual(run(tree / "results" / "make-docs").returncode, 0)
        self.assertEqual((path.read_text(), drawing.read_text()), (before, drawn))

    def test_lists_follow_the_program(self):
        """A name that is no longer in a list of what there is, or a help text that was changed by hand, is found."""
        for name, before, after in (("methods.md", "| `psd` |", "| `psdd` |"), ("commands.md", "Solve a problem", "Solves a problem")):
            tree = self.copy()
            path = tree / "docs" / "reference" / name
            text = path.read_text()
            self.assertIn(before, text)
            path.write_text(text.replace(before, after))
            checked = run(tree / "results" / "make-docs", "--check")
            self.assertEqual((checked.returncode, checked.stdout), (1, f"differs: docs/reference/{name}\n"))

    def test_the_index_lists_every_page_once(self):
        listed = re.findall(r"^\* \[[^\]]*\]\(([^)]*\.(?:md|ipynb))\): \S.*[^.]*$", (ROOT / "docs" / "index.md").read_text(), re.M)
        listed = [(ROOT / "docs" / link).resolve().relative_to(ROOT.resolve()).as_posix() for link in listed]
        self.assertEqual(sorted(listed), sorted(set(listed)))
        tracked = run("git", "ls-files", cwd=ROOT).stdout.split() or [p.relative_to(ROOT).as_posix() for p in (ROOT / "docs").rglob("*")]
        pages = {name for name in tracked
                 if re.fullmatch(r"docs/.*\.(md|ipynb)|(formulations|problems|tests|bench)/.*\.md|results/README\.md|CHANGELOG\.md", name)}
        self.assertEqual(pages - {"docs/index.md"} - set(listed), set())

    def test_no_measured_time_stands_outside_of_them(self):
        """Times of milliseconds and less are always measured."""
        pages = [path for folder in ("docs", "formulations", "solvers", "problems", "bench", "results")
                 for path in (ROOT / folder).glob("**/*.md") if not re.match(r"\d{4}-", path.name)]
        for path in [ROOT / "README.md", *pages]:
            if "build" in path.relative_to(ROOT).parts[:1] or "node_modules" in path.parts:
                continue
            text = re.sub(r"^<!-- made: (?!end).*?^<!-- made: end -->$", "", path.read_text(), flags=re.S | re.M)
            text = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)
            with self.subTest(path.relative_to(ROOT)):
                self.assertEqual(re.findall(r".{0,40}\d ?(?:ms|µs|us|ns)\b", text), [])
                self.assertEqual(re.findall(r".{0,40}\bXeon\b.{0,40}", text), [])  # the machine of a figure

    def test_publishing(self):
        tree = self.copy()
        study = tree / "study.json"
        study.write_text('{"format": "perp-study", "version": 1, "name": "small", "title": "t", "description": "d", "runs": [{"name": "a", '
                         '"suites": ["qp"], "entries": "quick", "solvers": ["auto"], "tolerance": 1e-8, "time_limit": 2, "repeat": 1}], '
                         '"tables": [{"name": "qp", "title": "QPs", "records": ["a"], "by": ["problems"], '
                         '"columns": [{"head": "solved", "cell": "{solved}/{all}"}]}]}')
        publish = tree / "results" / "publish"
        self.assertNotEqual(run(publish, tree / "out").returncode, 0)
        self.assertEqual(run(PERP, "study", study, "-o", tree / "out").returncode, 0)
        published = run(publish, tree / "out", "2000-01-01")
        if not shutil.which("chromium"):  # nobody has seen the page: nothing is published
            self.assertIn("apt-get install chromium", published.stderr)
            self.assertEqual(list((tree / "results").glob("2000*")), [])
            return
        self.assertEqual(published.returncode, 0, published.stderr)
        names = sorted(path.name for path in (tree / "results").glob("2000*"))
        self.assertEqual(names, [f"2000-01-01-small.{ending}" for ending in ("html", "json", "jsonl.gz", "md")])
        self.assertRegex((tree / "results" / names[3]).read_text(), r"\| box-qp \| \d+/\d+ \|")
        again = run(publish, tree / "out", "2000-01-01")
        self.assertNotEqual(again.returncode, 0)
        self.assertIn("already", again.stderr)
        report = run(PERP, "report", tree / "results" / names[2], "-o", tree / "r.html")
        self.assertEqual(report.returncode, 0, report.stderr)
        records = tree / "out" / "records.jsonl"
        records.write_text("".join(records.read_text().splitlines(keepends=True)[1:]))
        refused = run(publish, tree / "out", "2000-01-02")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("1 of", refused.stderr)


if __name__ == "__main__":
    unittest.main()
