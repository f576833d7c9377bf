"""A table that was read, as files: numbers and codes as plain arrays of numpy, everything else as JSON.

The process that writes them has parsed a file that may be hostile. So the process that reads them back runs no code of
theirs (no pickle), and checks every size, number and code before anything uses it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import numpy as np

from solvers.errors import EspalierError, RunError
from solvers.problem import ColumnReport, Table
from solvers.problem.plain_numbers import Cells, Numbers
from solvers.problem.texts import Texts
from solvers.run.json_types import from_json, to_json

FILES = ("table.json", "numbers.npy", "codes.npy")
_JSON, _NUMBERS, _CODES = FILES
_PLAIN = [one.name for one in fields(Table) if one.name != "columns"]


class ReadTable(NamedTuple):
    """A table and what its columns look like; no reports where no types were wanted."""

    table: Table
    reports: tuple[ColumnReport, ...]


def write_table(folder: Path, read: ReadTable) -> None:
    """Write a table to a folder, as `FILES`."""
    table = read.table
    described = {
        "table": {name: to_json(getattr(table, name)) for name in _PLAIN},
        "columns": [_described(name, cells) for name, cells in table.columns.items()],
        "reports": to_json(read.reports),
    }
    numbers = [cells.value for cells in table.columns.values() if isinstance(cells, Numbers)]
    codes = [part.code for cells in table.columns.values() if isinstance(cells, Texts) for part in _with_raw(cells)]
    _write_rows(folder / _NUMBERS, numbers, np.dtype("<f8"), table.n_rows)
    _write_rows(folder / _CODES, codes, np.dtype("<i8"), table.n_rows)
    # texts may hold halves of pairs of UTF-16, which JSON can only spell
    (folder / _JSON).write_text(json.dumps(described, ensure_ascii=True), "ascii")


def read_table_files(folder: Path, name: str) -> ReadTable:
    """The table that `write_table` wrote to a folder.

    Raises
    ------
    RunError
        A file is missing, or holds what no table has. `name` is what the message calls the table.
    """
    try:
        described = json.loads((folder / _JSON).read_text("ascii"))
        hints = get_type_hints(Table)
        plain = {field: from_json(hints[field], described["table"][field]) for field in _PLAIN}
        n_columns = len(described["columns"])
        numbers = _read_rows(folder / _NUMBERS, np.dtype("<f8"))
        codes = _read_rows(folder / _CODES, np.dtype("<i8"))
        n_arrays = n_columns + sum("raw" in column for column in described["columns"])
        if not n_columns or n_arrays != len(numbers) + len(codes) or numbers.shape[1] != codes.shape[1]:
            raise ValueError("the numbers of columns or rows differ")
        values = {True: iter(numbers), False: iter(codes)}
        columns = {from_json(str, one["name"]): _cells(one, values["spelling" in one]) for one in described["columns"]}
        if len(columns) != n_columns:
            raise ValueError("two columns have one name")
        return ReadTable(Table(columns=columns, **plain), from_json(tuple[ColumnReport, ...], described["reports"]))
    except (OSError, EOFError, KeyError, TypeError, ValueError, StopIteration, RecursionError, EspalierError):
        raise RunError(
            f"The process that read '{name}' left a damaged result. Nothing else is lost; try again."
        ) from None


def _described(name: str, cells: Cells) -> dict[str, Any]:
    if isinstance(cells, Numbers):
        return {"name": name, "spelling": cells.spelling, "mark": cells.mark}
    return {"name": name, "text": cells.text} | ({} if cells.raw is None else {"raw": cells.raw.text})


def _with_raw(cells: Texts) -> list[Texts]:
    """A column, and its cells as the source spells them if they were put in plain spelling."""
    return [cells] if cells.raw is None else [cells, cells.raw]


def _cells(described: dict[str, Any], arrays: Iterator[np.ndarray]) -> Cells:
    """A column of the next arrays, checked: compiled loops and formats take its values as they are."""
    values = next(arrays)
    if "spelling" in described:
        spelling, mark = from_json(str, described["spelling"]), from_json(str, described["mark"])
        cells = Numbers(values, spelling, mark)
        if np.isinf(values).any() or np.signbit(values[values == 0]).any():
            raise ValueError("a number is infinite, or minus zero")
        cells.cells(slice(1))
        return cells
    raw = _texts(next(arrays), described["raw"]) if "raw" in described else None
    return replace(_texts(values, described["text"]), raw=raw)


def _texts(values: np.ndarray, written: Any) -> Texts:
    text = from_json(tuple[str, ...], written)
    if (len(values) and not (values.min() >= 0 and values.max() < len(text))) or len(set(text)) < len(text):
        raise ValueError("a code stands for no text, or two for one")
    return Texts(values, text)


def _write_rows(file: Path, rows: Sequence[np.ndarray], kind: np.dtype[Any], n_columns: int) -> None:
    """Write arrays of equal length as the rows of one, without a copy of all of them in memory."""
    head = {"descr": kind.str, "fortran_order": False, "shape": (len(rows), n_columns)}
    with file.open("wb") as out:
        np.lib.format.write_array_header_1_0(out, head)
        for row in rows:
            out.write(np.ascontiguousarray(row, kind).data)


def _read_rows(file: Path, kind: np.dtype[Any]) -> np.ndarray:
    """An array of two dimensions of this type; `ValueError` where it is another, or shorter than its head says."""
    with file.open("rb") as source:
        if np.lib.format.read_magic(source) != (1, 0):
            raise ValueError("another version of the format")
        shape, by_columns, found = np.lib.format.read_array_header_1_0(source)
        rest = file.stat().st_size - source.tell()
        if by_columns or found != kind or len(shape) != 2 or min(shape) < 0:
            raise ValueError("another kind of array")
        if shape[0] * shape[1] * kind.itemsize != rest:
            raise ValueError("the array is not as long as its head says")
        return np.fromfile(source, kind).reshape(shape)
