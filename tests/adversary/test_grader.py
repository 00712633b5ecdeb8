"""The second grader agrees with the verifier, and would not if it lied."""
import os
import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
try:
    import mpmath  # noqa: F401
    from measures import measure
except ImportError:
    measure = None


@unittest.skipUnless(measure, "python3-mpmath is not installed")
class TestGrader(unittest.TestCase):
    def test_it_agrees_on_suites(self):
        done = subprocess.run([sys.executable, str(HERE / "grade"), "literature", "conic", "friction", "compliant", "mcp-classics", "qp",
                               "--limit", "12"], capture_output=True, text=True, env=os.environ, timeout=400)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        graded = [int(n) for n in re.findall(r": (\d+) answers graded", done.stdout)]
        self.assertEqual(len(graded), 6, done.stdout)
        self.assertGreater(sum(graded), 40, done.stdout)

    def test_measures_in_closed_form(self):
        dense = {"shape": [2, 2], "dense": [[2, 1], [1, 2]]}
        lcp = {"kind": "lcp", "n": 2, "M": dense, "q": [-4, 1]}
        self.assertEqual(measure(lcp, {"z": [2, 0]}, 1e-8), 0)
        self.assertEqual(measure(lcp, {"z": [2, -0.5]}, 1e-8), 0.5)
        self.assertEqual(measure(lcp, {"z": [None, 0]}, 1e-8), float("inf"))
        # Cancels: (2^70 + z) - 2^70
        graph = {"nodes": [["var", 0], ["const", 2.0 ** 70], ["add", 1, 0], ["sub", 2, 1]], "outputs": [3]}
        mcp = {"kind": "mcp", "n": 1, "graph": graph, "lower": ["-inf"], "upper": ["inf"]}
        self.assertEqual(measure(mcp, {"z": [3]}, 1e-8), 3)
        # Held by its bound although 1/z - 5 > 0 there has no value.
        pole = {"nodes": [["const", 1], ["var", 0], ["div", 0, 1], ["const", 5], ["sub", 2, 3]], "outputs": [4]}
        self.assertEqual(measure({**mcp, "graph": pole, "lower": [0]}, {"z": [1e-12]}, 1e-8), float("inf"))
        slider = {"kind": "friction_contact", "n": 3, "dimension": 3, "mu": [0.5], "q": [-1, 2, 0],
                  "W": {"shape": [3, 3], "dense": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}}
        self.assertLess(measure(slider, {"z": [1, -0.5, 0]}, 1e-8), 1e-40)
        self.assertAlmostEqual(float(measure({**slider, "mu": [0.0]}, {"z": [1, 0, 0]}, 1e-8)), 0)
        self.assertGreater(measure(slider, {"z": [1, 0.5, 0]}, 1e-8), 0.1)
        conic = {"kind": "conic_qp", "n": 2, "P": {"shape": [2, 2], "row": [], "col": [], "value": []}, "c": [1, 0],
                 "A": {"shape": [4, 2], "dense": [[0, 1], [-1, 0], [0, -1], [0, 0]]}, "b": [3, 0, 0, 4],
                 "cones": [{"type": "zero", "size": 1}, {"type": "second_order", "size": 3}]}
        self.assertLess(measure(conic, {"z": [5, 3], "dual": [-0.6, 1, -0.6, -0.8]}, 1e-8), 1e-15)
        self.assertAlmostEqual(float(measure(conic, {"z": [5, 3], "dual": [-0.6, 1, -0.6, -0.7]}, 1e-8)), 0.1, 1)
        soft = {"kind": "convex_contact", "n": 3, "A": {"shape": [3, 3], "dense": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]},
                "J": {"shape": [3, 3], "dense": [[0, 0, 1], [1, 0, 0], [0, 1, 0]]}, "R": [1, 1, 1], "bias": [0, 0, 0], "mu": [0.5],
                "v_star": [2, 0, -1]}
        self.assertLess(measure(soft, {"z": [1.6, 0, -0.2]}, 1e-8), 1e-15)
        self.assertGreater(measure(soft, {"z": [1.6, 0, -0.1]}, 1e-8), 1e-2)


if __name__ == "__main__":
    unittest.main()
