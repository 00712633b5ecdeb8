"""The types that the module declares are those that it has."""
import ast
import inspect
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import perp
from perp import _perp

PACKAGE = pathlib.Path(os.environ["PERP_ROOT"]) / "python" / "perp"
USE = """
import numpy as np
import perp

problem: perp.Problem = perp.lcp(np.eye(2), [1.0, -1.0])
result: perp.Result = perp.solve(problem, "lemke", tolerance=1e-10, ties="lexicographic")
z: np.ndarray = result.z
solved: bool = perp.verify(problem, result).solved
steps: int = perp.simulate("box-stack", duration=0.1).steps
"""


class Types(unittest.TestCase):
    def declared(self):
        """Names of the stub, and of each class of it."""
        names = {}
        for node in ast.parse((PACKAGE / "_perp.pyi").read_text()).body:
            if isinstance(node, ast.ClassDef):
                names[node.name] = {n.name for n in node.body if isinstance(n, ast.FunctionDef)} | {
                    n.target.id for n in node.body if isinstance(n, ast.AnnAssign)}
            elif isinstance(node, ast.FunctionDef):
                names[node.name] = node
            elif isinstance(node, ast.AnnAssign):
                names[node.target.id] = None
        return names

    def test_every_name_is_declared_and_there(self):
        declared = self.declared()
        there = {name for name in dir(_perp) if not name.startswith("__")}
        self.assertEqual(there - declared.keys(), set())
        self.assertEqual(declared.keys() - there - {"__version__"}, set())
        for name, members in declared.items():
            if isinstance(members, set) and inspect.isclass(getattr(_perp, name)):
                own = {m for m in vars(getattr(_perp, name)) if not m.startswith("_")}
                self.assertEqual({m for m in members if not m.startswith("_")}, own, name)

    def test_parameters_are_those_of_the_functions(self):
        for name, node in self.declared().items():
            if not isinstance(node, ast.FunctionDef):
                continue
            signature = getattr(_perp, name).__doc__.splitlines()[0]
            for argument in node.args.args + node.args.kwonlyargs:
                if name not in ("set_places",):
                    self.assertIn(f"{argument.arg}: ", signature, name)

    def test_everything_that_is_offered_is_documented(self):
        for name in perp.__all__:
            if name != "__version__":
                self.assertTrue((inspect.getdoc(getattr(perp, name)) or "").strip(), name)

    def test_a_type_checker_agrees(self):
        ran = subprocess.run([sys.executable, "-m", "mypy", "--ignore-missing-imports", "--no-incremental", PACKAGE],
                             capture_output=True, text=True, cwd=PACKAGE.parent)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "use.py"
            for text, wanted in ((USE, 0), (USE + "wrong: int = perp.lcp(np.eye(2), [1.0])\n", 1)):
                file.write_text(text)
                ran = subprocess.run([sys.executable, "-m", "mypy", "--ignore-missing-imports", "--cache-dir", folder,
                                      file], capture_output=True, text=True, cwd=folder)
                self.assertEqual(ran.returncode, wanted, ran.stdout + ran.stderr)


if __name__ == "__main__":
    unittest.main()
