"""What there is to choose from: lists of dicts with `name`, `summary` and what else is known."""
from __future__ import annotations

from typing import Any

from . import _perp


def solvers() -> list[dict[str, Any]]:
    """Methods, with kinds, source and settings; registered ones included."""
    return _perp.catalogue("solvers")


def strategies() -> list[dict[str, Any]]:
    """What makes solvers of solvers, with usage."""
    return _perp.catalogue("strategies")


def plans() -> list[dict[str, Any]]:
    """The plans of `auto`, each an expression in `solver`."""
    return _perp.catalogue("plans")


def formulations() -> list[dict[str, Any]]:
    """Models of contact, with the kinds of problems they pose and their settings."""
    return _perp.catalogue("formulations")


def scenes() -> list[dict[str, Any]]:
    """Scenes by name."""
    return _perp.catalogue("scenes")


def families() -> list[dict[str, Any]]:
    """Families of problems, with sizes, parameters and members."""
    return _perp.catalogue("families")


def suites() -> list[dict[str, Any]]:
    """Suites of instances."""
    return _perp.catalogue("suites")


def studies() -> list[dict[str, Any]]:
    """Studies that come with perp."""
    return _perp.catalogue("studies")
