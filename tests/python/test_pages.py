"""Python in the pages runs as it stands there."""
import os
import pathlib
import re
import unittest

ROOT = pathlib.Path(os.environ["PERP_ROOT"])


class Pages(unittest.TestCase):
    def run_blocks(self, page, least):
        blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(), re.S | re.M)
        self.assertGreaterEqual(len(blocks), least)
        names = {}
        for block in blocks:
            exec(compile(block, page, "exec"), names)  # one after the other, as a reader would
        return names

    def test_the_page_on_python(self):
        self.run_blocks("docs/how-to/python.md", 7)

    def test_the_readme(self):
        names = self.run_blocks("README.md", 1)
        self.assertTrue(names["result"].solved)
        self.assertEqual(set(names["records"].outcome), {"solved"})
        block = re.search(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.S | re.M).group(1)
        self.assertEqual(len(block.splitlines()), 5)


if __name__ == "__main__":
    unittest.main()
