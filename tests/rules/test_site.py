"""docs/site makes a site of the pages whose links are whole, and finds what is not."""
import importlib.machinery
import importlib.util
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from tree import ROOT, run  # noqa: E402

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("perp_site", str(ROOT / "docs" / "site"))
site = importlib.util.module_from_spec(importlib.util.spec_from_loader("perp_site", loader))
loader.exec_module(site)

HEAD = '<meta name="generator" content="perp-page">'


class Checks(unittest.TestCase):
    def faults(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                (pathlib.Path(folder) / name.replace("_", ".")).write_text(text)
            return site.faults_of(folder)

    def test_dead_links_and_anchors(self):
        self.assertEqual(self.faults(a_html=f'{HEAD}<h1 id="x">A</h1><a href="b.html#y">b</a><a href="#x">x</a>',
                                     b_html=f'{HEAD}<h2 id="y">B</h2><a href="https://example.org">elsewhere</a>'), [])
        self.assertEqual(self.faults(a_html=f'{HEAD}<a href="b.html#z">b</a><a href="c.html">c</a><img src="d.png"><a href="#x">x</a>',
                                     b_html=f'{HEAD}<h2 id="y">B</h2>'),
                         ["a.html: b.html#z names no anchor of that page", "a.html: c.html leads nowhere",
                          "a.html: #x names no anchor of that page", "a.html: d.png leads nowhere"])

    def test_requests_to_other_hosts(self):
        found = self.faults(a_html=f'{HEAD}<script src="https://cdn.example.org/x.js"></script><img src="//example.org/y.png">',
                            b_css="@font-face { src: url(https://fonts.example.org/f.woff) }",
                            c_svg='<svg xmlns="http://www.w3.org/2000/svg"><image href="http://example.org/z.png"/></svg>')
        self.assertEqual(len(found), 4, found)
        self.assertTrue(all("another host" in line for line in found), found)

    def test_markdown_is_read_as_on_github(self):
        self.assertEqual(site.staged_text("Words:\n* one\n  more\n  * inner\n* two\n\n| a |\n|---|\n| `b\\|c` |"),
                         "Words:\n\n* one\n  more\n    * inner\n* two\n\n| a |\n|---|\n| `b|c` |")
        self.assertEqual(site.staged_text("Words\n| a |\n|---|"), "Words\n\n| a |\n|---|")
        self.assertEqual(site.staged_text("```\nx\n* y\n```"), "```\nx\n* y\n```")


@unittest.skipUnless(shutil.which("mkdocs"), "mkdocs is not installed")
class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name) / "site"
        cls.made = run(ROOT / "docs" / "site", cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_it_is_made_without_faults(self):
        self.assertEqual((self.made.returncode, self.made.stderr), (0, ""), self.made.stdout + self.made.stderr)
        pages = {path.relative_to(self.folder).with_suffix(".md").as_posix() for path in self.folder.rglob("*.html")}
        for page in (ROOT / "docs").rglob("*.md"):
            self.assertIn(page.relative_to(ROOT).as_posix(), pages)
        self.assertIn("formulations/law/pyramid/index.md", pages)  # its README.md

    def test_the_navigation_has_the_order_of_the_index(self):
        page = (self.folder / "docs/index.html").read_text()
        navigation = page[page.index('<nav class="pages"'):page.index("</nav>")]
        shown = re.findall(r'href="([^"#]*)"', navigation)
        index = [link for link in re.findall(r"^\* \[[^\]]*\]\(([^)]*)\.(?:md|ipynb)\)", (ROOT / "docs/index.md").read_text(), re.M)]
        self.assertEqual(shown[2:], [re.sub(r"README\.html$", "index.html", link + ".html") for link in index])

    def test_tables_and_lists_are_whole(self):
        """As many of them as the pages have, so that none is shown as plain text."""
        for page in sorted((ROOT / "docs").rglob("*.md")):
            text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
            made = (self.folder / page.relative_to(ROOT).with_suffix(".html")).read_text()
            main = made[made.index("<main>"):made.index("</main>")]
            with self.subTest(page.name):
                self.assertEqual(main.count("<table>"), len(re.findall(r"^\|[ :|-]+\|$", text, re.M)))
                self.assertGreaterEqual(main.count("<li>"), len(re.findall(r"^\* ", text, re.M)))

    def test_search_finds_what_is_in_a_page(self):
        index = (self.folder / "search_index.js").read_text()
        self.assertTrue(index.startswith("var perpIndex = ["))
        for word in ("docs/tutorials/first-problem.html", "secondary ray", "Coulomb"):
            self.assertIn(word, index)

    def test_other_folders_are_not_replaced(self):
        other = self.folder.parent / "other"
        other.mkdir()
        (other / "mine.txt").write_text("mine")
        refused = run(ROOT / "docs" / "site", other)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("something else", refused.stderr)
        self.assertEqual((other / "mine.txt").read_text(), "mine")


if __name__ == "__main__":
    unittest.main()
