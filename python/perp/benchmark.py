"""Benchmarks and studies."""
from __future__ import annotations

import os
import tempfile
from typing import Any, Callable, Iterable, Union

from . import _perp
from .frames import read_records

Case = Union[_perp.Problem, _perp.Instance, str, "os.PathLike[str]"]


def bench(problems: Iterable[Case] | Case, solvers: Iterable[str] | str, *,
          folder: str | os.PathLike[str] | None = None, tolerance: float = 1e-8, time_limit: float = 60.0,
          memory_limit: float = 4096.0, repeats: int = 3, jobs: int = 1, starts: Iterable[str] = ("zero",),
          quick: bool = False, resume: bool = False, overwrite: bool = False, label: str = "",
          progress: Callable[[int, int, str, str, str], Any] | None = None, **settings: Any) -> Any:
    """Every problem with every solver, each solve in a process of its own; returns read_records() of them.

    problems: Problems, Instances, names of suites, files or folders. solvers: names, expressions, registered ones.
    folder: where records.jsonl goes (a temporary folder if None). tolerance: of the verifier's measure. time_limit: s,
    of one solve. memory_limit: MB. repeats: of what is solved, for medians. jobs: solves at once. starts: zero, stored,
    warm. progress(done, total, instance, solver, outcome) is called after each. Settings of solvers are further
    keywords; each goes to the solvers that have it.

    Nothing that a solver does ends the benchmark: it is solved, wrong, timed_out, out_of_memory, crashed, ... in the
    column outcome. ValueError: an unknown solver or setting, or records that are there already without resume or
    overwrite. Ctrl-C raises KeyboardInterrupt; records that were written are whole.

    With resume, a run that is recorded is not run again. A problem whose F is a function is known by its name, a
    registered solver by its source and the values it holds: another F needs another name."""
    listed = [problems] if isinstance(problems, (str, os.PathLike, _perp.Problem, _perp.Instance)) else problems
    given: list[Any] = [os.fspath(item) if isinstance(item, os.PathLike) else item for item in listed]
    names = [solvers] if isinstance(solvers, str) else list(solvers)

    def run(place: str) -> Any:
        file = _perp.run_benchmark(
            given, names, place, tolerance=tolerance, time_limit=time_limit, memory_limit=memory_limit, repeats=repeats,
            jobs=jobs, starts=list(starts), quick=quick, resume=resume, overwrite=overwrite, label=label,
            progress=progress, **settings)
        return read_records(file)

    if folder is not None:
        return run(os.fspath(folder))
    with tempfile.TemporaryDirectory(prefix="perp-") as scratch:
        return run(scratch)


def run_study(study: str | os.PathLike[str], folder: str | os.PathLike[str], *, quick: bool = False,
              resume: bool = False, overwrite: bool = False) -> str:
    """Runs a study by name or file, judges its claims and writes its report into the folder, which is returned.

    read_records, read_claims and read_tables show what it left. Simulations run by the perp program."""
    return _perp.run_study(os.fspath(study), os.fspath(folder), quick=quick, resume=resume, overwrite=overwrite)


def report(paths: Iterable[str | os.PathLike[str]] | str | os.PathLike[str], output: str | os.PathLike[str], *,
           title: str = "") -> str:
    """One HTML page of folders with records, recorded simulations or claims. Returns its name."""
    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    return _perp.write_report([os.fspath(path) for path in given], os.fspath(output), title)
