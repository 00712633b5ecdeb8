"""The wheel, made of this build, works in an environment of its own."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(os.environ["PERP_ROOT"])
CODE = """
import perp, sys, pathlib
assert pathlib.Path(perp.__file__).is_relative_to(sys.prefix), perp.__file__
assert pathlib.Path(perp.data_folder()).is_relative_to(sys.prefix), perp.data_folder()
problem = perp.lcp([[2.0, 1.0], [1.0, 2.0]], [-4.0, 1.0])
result = perp.solve(problem)
assert perp.verify(problem, result)
assert perp.simulate("box-stack", duration=0.05, parameters={"rows": 1}).solved.all()
assert perp.bench("literature", "lemke", quick=True, repeats=1) is not None
print(perp.__version__, result.status)
"""


class Wheel(unittest.TestCase):
    def run_(self, *command, cwd=None, **more):
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("PYTHONPATH", "PERP", "PERP_DATA")}
        ran = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=cwd, env=environment, **more)
        self.assertEqual(ran.returncode, 0, f"{command}\n{ran.stdout}\n{ran.stderr}")
        return ran.stdout

    def test_it_is_built_installed_and_used(self):
        with tempfile.TemporaryDirectory() as scratch:
            scratch = pathlib.Path(scratch)
            for name in ("first", "second"):
                self.run_(sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w",
                          scratch / name, "--config-settings", f"built={os.environ['PERP_BUILD']}", ROOT)
            (wheel,) = (scratch / "first").glob("perp-*.whl")
            self.assertEqual(wheel.read_bytes(), (scratch / "second" / wheel.name).read_bytes())
            names = zipfile.ZipFile(wheel).namelist()
            for name in ("perp/__init__.py", "perp/_perp.pyi", "perp/py.typed", "perp/bin/perp",
                         "perp/share/perp/problems/suites/qp.json"):
                self.assertIn(name, names)
            self.run_(sys.executable, "-m", "venv", "--system-site-packages", scratch / "env")
            python = scratch / "env" / "bin" / "python"
            self.run_(python, "-m", "pip", "install", "--no-index", "--no-deps", wheel)
            self.assertRegex(self.run_(python, "-c", CODE, cwd=scratch), r"\d solved$")
            self.assertRegex(self.run_(scratch / "env" / "bin" / "perp", "--version", cwd=scratch), r"^perp \d")


if __name__ == "__main__":
    unittest.main()
