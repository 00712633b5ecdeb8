"""README's commands do what it says: every sh block is run as written, from a copy of the tree."""
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from tree import PERP, ROOT, run  # noqa: E402


class Readme(unittest.TestCase):
    def test_every_shell_block_runs(self):
        blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
        self.assertEqual([len(block.splitlines()) for block in blocks], [5])
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder) / "perp"
            tree.mkdir()
            for name in ("problems", "docs"):
                shutil.copytree(ROOT / name, tree / name)
            environment = dict(os.environ, PATH=f"{pathlib.Path(PERP).parent}:{os.environ['PATH']}")
            for block in blocks:
                ran = run("bash", "-euo", "pipefail", "-c", block, cwd=tree, env=environment)
                self.assertEqual(ran.returncode, 0, f"{block}\n{ran.stdout}\n{ran.stderr}")

    def test_it_is_read_in_ten_minutes(self):
        words = [w for w in (ROOT / "README.md").read_text().split() if re.search(r"\w", w)]
        self.assertLessEqual(len(words), 700)

    def test_the_two_commands_exist_and_explain_themselves(self):
        text = (ROOT / "README.md").read_text()
        for command in ("./bench/run", "./tests/run"):
            self.assertIn(command, text)
            self.assertTrue(os.access(ROOT / command, os.X_OK))
        refused = run(ROOT / "bench/run", "--nonsense")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("usage", refused.stderr)


if __name__ == "__main__":
    unittest.main()
