"""Records, claims and tables of benchmarks and studies as data frames."""
from __future__ import annotations

import gzip
import json
import os
import pathlib
import zlib
from typing import Any

from . import _perp

# Columns of a record, and where they stand in it.
_COLUMNS = {
    "suite": "suite", "instance": "instance", "family": "family", "kind": "kind", "n": "n", "contacts": "contacts",
    "solver": "solver", "label": "label", "start": "mode", "outcome": "outcome", "claimed": "claimed",
    "certificate": "certificate", "measure": "x-measure", "tolerance": "tolerance", "iterations": "iterations",
    "total": "times.total", "setup": "times.setup", "solve": "times.solve", "wall": "times.wall",
    "peak_memory_mb": "peak_memory_mb", "time_limit": "time_limit", "sequence": "sequence", "position": "position",
    "seed": "seed", "failed_repeats": "failed_repeats", "message": "message", "version": "program.version", "cpu": "machine.cpu", "key": "key",
}


def _frame(rows: list[dict[str, Any]]) -> Any:
    """A pandas.DataFrame if pandas is there, else the list of dicts."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


def _at(record: dict[str, Any], place: str) -> Any:
    value: Any = record
    for word in place.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(word)
    return value


def _lines(path: pathlib.Path) -> list[dict[str, Any]]:
    records = []
    number = 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    break  # a killed run has left it
                record = json.loads(line.decode("utf-8"))
                if not isinstance(record, dict) or not isinstance(record.get("key", ""), str):
                    raise ValueError("not a run record")
                records.append(record)
    except (EOFError, OSError, zlib.error) as error:
        raise _perp.InputError(f"{path}: cannot be read ({error})") from None
    except ValueError as error:
        raise _perp.InputError(f"{path}: line {number}: {error}") from None
    return records


def read_records(*paths: str | os.PathLike[str]) -> Any:
    """Run records of folders or files (.jsonl, .jsonl.gz): a data frame, one row a solve; times in s.

    Without pandas: a list of dicts. Of records with the same key the last one counts. Column settings is a dict.
    InputError names file and line."""
    rows: dict[str, dict[str, Any]] = {}
    for given in paths:
        path = pathlib.Path(given)
        files = sorted(p for p in path.glob("*.jsonl*") if p.name.endswith((".jsonl", ".jsonl.gz"))) \
            if path.is_dir() else [path]
        if not files:
            raise _perp.InputError(f"{path}: has no records (*.jsonl)")
        for file in files:
            if not file.is_file():
                raise _perp.InputError(f"{file}: cannot be opened")
            for record in _lines(file):
                if record.get("format") != "perp-record":
                    continue
                row = {name: _at(record, place) for name, place in _COLUMNS.items()}
                row["settings"] = record.get("settings", {})
                rows[record.get("key", "")] = row
    return _frame(list(rows.values()))


def read_claims(folder: str | os.PathLike[str]) -> Any:
    """The claims of a study that was run, with their verdicts: one row a claim."""
    rows = []
    files = sorted(pathlib.Path(folder).glob("claims/*.json"))
    if not files:
        raise _perp.InputError(f"{os.fspath(folder)}: has no claims (claims/*.json)")
    for file in files:
        document = json.loads(file.read_text(encoding="utf-8"))
        for claim in document.get("claims", []):
            rows.append({"table": document.get("name", file.stem), **claim})
    return _frame(rows)


def read_tables(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """The tables of a study that was run, by name: data frames of texts."""
    tables = {}
    for file in sorted(pathlib.Path(folder).glob("tables/*.json")):
        document = json.loads(file.read_text(encoding="utf-8"))
        tables[file.stem] = _frame([dict(zip(document["head"], row)) for row in document["rows"]])
    return tables
