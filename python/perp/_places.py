"""Where the data and the program that belong to this module are."""
import os
import pathlib
import shutil

from . import _perp


def set_places() -> None:
    """Data: beside the module (a wheel), else what belongs to the program. Program: beside the module (a wheel),
    in the build tree, below the prefix where both are installed, or the first `perp` on the PATH; studies run it for
    their simulations."""
    here = pathlib.Path(__file__).resolve().parent
    data = here / "share" / "perp"
    programs = [os.environ.get("PERP", ""), str(here / "bin" / "perp"), str(here.parents[1] / "perp"),
                *(str(prefix / "bin" / "perp") for prefix in here.parents[3:4]), shutil.which("perp") or ""]
    program = next((p for p in programs if p and os.path.isfile(p) and os.access(p, os.X_OK)), "")
    _perp.set_places(str(data) if data.is_dir() else "", program)
