"""The notebooks of docs/notebooks run from the first cell to the last."""
import os
import pathlib
import tempfile
import unittest

import nbformat
from nbconvert.preprocessors import CellExecutionError, ExecutePreprocessor

NOTEBOOKS = sorted((pathlib.Path(os.environ["PERP_ROOT"]) / "docs" / "notebooks").glob("*.ipynb"))


class Notebooks(unittest.TestCase):
    def test_they_run(self):
        self.assertEqual([path.stem for path in NOTEBOOKS], ["add-a-solver", "export-instances", "run-benchmarks"])
        for path in NOTEBOOKS:
            with self.subTest(path.stem), tempfile.TemporaryDirectory() as folder:
                notebook = nbformat.read(path, as_version=4)
                try:
                    ExecutePreprocessor(timeout=300).preprocess(notebook, {"metadata": {"path": folder}})
                except CellExecutionError as error:
                    self.fail(str(error))

    def test_they_are_kept_without_outputs(self):
        for path in NOTEBOOKS:
            for cell in nbformat.read(path, as_version=4).cells:
                self.assertFalse(cell.get("outputs"), path)

    def test_a_cell_that_fails_is_found(self):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("import perp; assert not perp.lcp([[1]], [1])")])
        with self.assertRaises(CellExecutionError):
            ExecutePreprocessor(timeout=60).preprocess(notebook, {})


if __name__ == "__main__":
    unittest.main()
