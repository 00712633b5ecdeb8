"""Solvers and formulations written in Python."""
from __future__ import annotations

import hashlib
import inspect
import math
import os
import pickle
from typing import Any, Callable, Iterable

from . import _perp

# Names of parameters beside which the settings of a solver are keywords: they would never reach it.
_OF_CALLS = frozenset({"problem", "problems", "solver", "solvers", "threads", "start", "start_dual", "observer", "folder",
                       "memory_limit", "repeats", "jobs", "starts", "quick", "resume", "overwrite", "label", "progress"})

imported = ""  # the file that --import runs now: solvers of benchmarks name it in their records


def _settings(function: Callable[..., Any]) -> dict[str, Any]:
    """Keyword-only parameters with their defaults."""
    settings = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
            continue
        if parameter.default is inspect.Parameter.empty:
            raise ValueError(f"setting \"{name}\": has no default")
        if isinstance(parameter.default, float) and math.isnan(parameter.default):
            raise ValueError(f"setting \"{name}\": the default is no number")
        if type(parameter.default) is int and abs(parameter.default) >= 2**31:
            raise ValueError(f"setting \"{name}\": {parameter.default} is too large for a whole number; make it a float")
        if name in _OF_CALLS:
            raise ValueError(f"setting \"{name}\": perp.solve or perp.bench has a parameter of this name")
        settings[name] = parameter.default
    return settings


def _hash(function: Callable[..., Any]) -> str:
    """Of the source and of the values that belong to the function (defaults, what a closure holds), so that records of
    different versions are told apart. Values that cannot be pickled make it another version every time."""
    try:
        text = inspect.getsource(function).encode()
    except (OSError, TypeError):
        text = b""
    try:
        held = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
        owner = getattr(getattr(function, "__self__", None), "__dict__", None)
        values = (held, getattr(function, "__defaults__", None), getattr(function, "__kwdefaults__", None), owner)
        text += pickle.dumps(values)
    except Exception:  # whatever an object raises that does not want to be pickled
        text += os.urandom(16)
    return hashlib.sha256(text).hexdigest()[:16]


def register_solver(name: str, function: Callable[..., Any], kinds: Iterable[str] | str, *, summary: str = "",
                    uses_start: bool = True) -> None:
    """Makes a function a solver that `solve`, `Session`, `bench`, `simulate` and strategies know by name.

    function(problem, start, limits, *, SETTING=DEFAULT, ...) gets the Problem, a start (n numbers or None) and
    limits (a dict: tolerance, max_iterations, time_limit in s or 0). It returns
      z             n numbers: it claims to have solved the problem;
      a dict        with z, dual, status, iterations, message (all but z optional; without z, say a status);
      None          it has given up.
    Keyword-only parameters are its settings. What it raises is a row with status numerical_error in a benchmark, and
    an exception of `solve`. Every answer is verified.

    kinds: the kinds of problems it takes, or one kind. A name may be registered again; one of perp's own is a ValueError."""
    taken = [kinds] if isinstance(kinds, str) else list(kinds)
    _perp.register_method(name, function, taken, summary or (inspect.getdoc(function) or "").partition("\n")[0],
                          uses_start, _settings(function), _hash(function), imported)


def solver(name: str, kinds: Iterable[str] | str, *, summary: str = "",
           uses_start: bool = True) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator that makes a function a solver: register_solver(name, function, kinds).

    function(problem, start, limits, *, SETTING=DEFAULT) gets a Problem, n numbers or None, and the dict limits with
    tolerance, max_iterations and time_limit. It returns z, or a dict with z, dual, status, iterations and message,
    or None if it gives up. help(perp.register_solver) tells more."""
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        register_solver(name, function, kinds, summary=summary, uses_start=uses_start)
        return function
    return register


def register_formulation(name: str, maker: Callable[..., Any]) -> None:
    """Makes a class a formulation that `simulate` knows by name (with options: "name:key=value").

    maker(**options) returns an object with
      begin(scene, state, h)   -> Stage or StepResult: begins a step of h seconds;
      advance(z)               -> Stage or StepResult: goes on with the answer of the last stage;
      treats                   optional: features of scenes beside plain contact, for example ["restitution"];
      refusal(scene)           optional: why it cannot treat a scene, or None.
    Every stage is solved and verified by whoever simulates."""
    _perp.register_model(name, maker)


def formulation(name: str) -> Callable[[type], type]:
    """Decorator of a class: register_formulation."""
    def register(maker: type) -> type:
        register_formulation(name, maker)
        return maker
    return register
