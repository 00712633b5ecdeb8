"""Problems from and to files, also those of numpy and MATLAB."""
from __future__ import annotations

import itertools
import os
import pathlib
import re
from typing import Any, Iterable, Mapping

import numpy as np
import scipy.io
import scipy.sparse

from . import _perp

# The arrays that a kind must have, and those that it may have. The first kind whose arrays are there counts.
_KINDS: list[tuple[str, set[str], set[str]]] = [
    ("convex_contact", {"A", "J", "R", "bias", "mu", "v_star"}, set()),
    ("friction_contact", {"q", "mu", "W"}, {"compliance", "dimension"}),
    ("friction_contact", {"q", "mu", "J", "M"}, {"compliance", "dimension"}),
    ("conic_qp", {"P", "c", "A", "b", "cones"}, {"dual_solution"}),
    ("box_qp", {"H", "c"}, {"lower", "upper"}),
    ("mlcp", {"M", "q", "lower"}, {"upper"}),
    ("mlcp", {"M", "q", "upper"}, {"lower"}),
    ("lcp", {"M", "q"}, set()),
]
_FACTS = {"name", "start", "solution"}
# Parts of a sparse matrix NAME in an .npz file: NAME.data, NAME.indices, NAME.indptr, NAME.shape.
_PARTS = ("data", "indices", "indptr", "shape")


def from_arrays(arrays: Mapping[str, Any]) -> _perp.Problem:
    """A problem from its arrays by name: M, q (and lower, upper), H, c, P, c, A, b, cones, W (or J and M), q, mu, ...

    The names tell the kind. Vectors may be columns, as MATLAB has them. Names with a leading _ do not count.
    ValueError: arrays that make no kind, or a kind that does not take one of them."""
    given = {name: value for name, value in arrays.items() if not name.startswith("_")}
    for kind, needed, more in _KINDS:
        if not needed <= given.keys():
            continue
        unknown = given.keys() - needed - more - _FACTS
        if unknown:
            raise ValueError(f"{sorted(unknown)[0]}: is nothing of {kind}, which has "
                             + ", ".join(sorted(needed | more)))
        matrices = {"M", "H", "P", "A", "W", "J"}
        values = {name: value if name in matrices else _plain(name, value) for name, value in given.items()}
        return getattr(_perp, kind)(**values)
    raise ValueError("arrays: " + (", ".join(sorted(given)) or "none") + " make no kind of problem; an lcp has M and q")


def _plain(name: str, value: Any) -> Any:
    """A vector out of a row or column, a number or text out of an array of one."""
    if name == "name":
        return str(np.asarray(value).reshape(-1)[0])
    if name == "dimension":
        return int(np.asarray(value).reshape(-1)[0])
    if name == "cones":
        return [(str(np.asarray(kind).reshape(-1)[0]), int(np.asarray(size).reshape(-1)[0])) for kind, size in value]
    if scipy.sparse.issparse(value):
        value = value.toarray()
    array = np.asarray(value)
    flat = array.ndim == 0 or array.ndim == 2 and (1 in array.shape or array.size == 0)
    return array.reshape(-1) if flat else array


def to_arrays(problem: _perp.Problem) -> dict[str, Any]:
    """The numbers of a problem by name, as from_arrays takes them: arrays and CSC matrices."""
    if problem.kind == "mcp":
        raise ValueError("an mcp has no arrays: F is a function")
    arrays = dict(problem.fields)
    for fact in ("start", "solution", "dual_solution"):
        if getattr(problem, fact) is not None:
            arrays[fact] = getattr(problem, fact)
    if problem.name:
        arrays["name"] = problem.name
    return arrays


def read(path: str | os.PathLike[str], format: str = "") -> _perp.Problem:
    """A problem from a file: every format that perp knows, .npz of numpy and .mat of MATLAB (to version 7).

    In .npz and .mat stand the arrays of from_arrays; a sparse matrix M of an .npz is M.data, M.indices, M.indptr and
    M.shape (compressed columns). InputError names the file and the fault."""
    text = os.fspath(path)
    if format or not text.endswith((".npz", ".mat")):
        return _perp.read(text, format)
    try:
        arrays = _read_npz(text) if text.endswith(".npz") else _read_mat(text)
        return from_arrays(arrays)
    except FileNotFoundError:
        raise _perp.InputError(f"{text}: cannot be opened") from None
    except _perp.InputError:
        raise
    except Exception as error:  # what numpy and scipy raise for broken files is anything
        raise _perp.InputError(f"{text}: {str(error).splitlines()[0] if str(error) else type(error).__name__}") from error


def _read_npz(path: str) -> dict[str, Any]:
    with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
        plain = {name: file[name] for name in file.files}
    arrays = {name: value for name, value in plain.items() if "." not in name}
    for matrix in {name.partition(".")[0] for name in plain if "." in name}:
        missing = [part for part in _PARTS if f"{matrix}.{part}" not in plain]
        if missing:
            raise ValueError(f"{matrix}.{missing[0]}: is missing")
        data, indices, indptr, shape = (plain[f"{matrix}.{part}"] for part in _PARTS)
        for part, whole in (("indices", indices), ("indptr", indptr), ("shape", shape)):
            if whole.dtype.kind not in "iu":
                raise ValueError(f"{matrix}.{part}: expected integers")
        arrays[matrix] = scipy.sparse.csc_matrix((data, indices, indptr), shape=tuple(shape))
    return arrays


def _read_mat(path: str) -> dict[str, Any]:
    return scipy.io.loadmat(path)


def write(problem: _perp.Problem, path: str | os.PathLike[str], format: str = "") -> list[str]:
    """Writes a problem by the file's ending (.npz and .mat as read() takes them), or in the format of perp that is named.
    Returns the files written; nothing is left half-written."""
    text = os.fspath(path)
    if format or not text.endswith((".npz", ".mat")):
        return _perp.write(problem, text, format)
    arrays = to_arrays(problem)
    temporary = f"{text}.{os.getpid()}.tmp{pathlib.Path(text).suffix}"
    try:
        if text.endswith(".npz"):
            np.savez_compressed(temporary, **_flat(arrays))
        else:
            if "cones" in arrays:
                arrays["cones"] = np.array([list(cone) for cone in arrays["cones"]], dtype=object)
            scipy.io.savemat(temporary, arrays, do_compression=True)
        os.replace(temporary, text)
    except OSError as error:
        raise _perp.InputError(f"{text}: cannot be written ({error.strerror})") from error
    finally:
        pathlib.Path(temporary).unlink(missing_ok=True)
    return [text]


def _flat(arrays: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in arrays.items():
        if scipy.sparse.issparse(value):
            parts = (value.data, value.indices, value.indptr, np.array(value.shape))
            flat.update({f"{name}.{part}": array for part, array in zip(_PARTS, parts)})
        elif name == "cones":
            flat[name] = np.array([[kind, str(size)] for kind, size in value])
        else:
            flat[name] = value
    return flat


def export(problems: Iterable[_perp.Problem], folder: str | os.PathLike[str], format: str = "perp") -> list[str]:
    """Writes problems into a folder, one file each under its name. Returns the files written."""
    ending = {"perp": ".json", "mof": ".mof.json", "nl": ".nl", "mtx": ".mtx", "fclib": ".hdf5", "npz": ".npz",
              "mat": ".mat"}.get(format)
    if ending is None:
        raise ValueError(f"format: \"{format}\" is not written")
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    written: list[str] = []
    names: set[str] = set()
    for number, problem in enumerate(problems, 1):
        name = re.sub(r"[^\w.+-]", "-", problem.name) or f"problem-{number}"
        if name in names:
            name = next(n for k in itertools.count(number) if (n := f"{name}-{k}") not in names)
        names.add(name)
        written += write(problem, os.path.join(folder, name + ending), format if format not in ("npz", "mat") else "")
    return written
