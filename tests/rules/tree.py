"""Where the tests of the tree find things."""
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(os.environ.get("PERP_ROOT", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("PERP_BUILD", ROOT / "build" / "release"))
PERP = os.environ.setdefault("PERP", str(BUILD / "perp"))  # results/make-docs asks for it too
CMAKE = os.environ.get("CMAKE_COMMAND", "cmake")
STAGES = ("problems", "solvers", "formulations", "bench")


def run(*command, **options):
    """Runs a command; returns what subprocess.run returns, output as text."""
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)


def eigen_layout():
    """The definitions that every file with Eigen is compiled with."""
    text = (ROOT / "cmake/PerpTargets.cmake").read_text()
    return ["-D" + word for word in re.search(r"set\(PERP_EIGEN_LAYOUT ([^)]*)\)", text)[1].split()]


def sources(*stages):
    """All C++ files below the stages."""
    for stage in stages or STAGES:
        for path in sorted((ROOT / stage).rglob("*.[ch]pp")):
            yield path
