"""A table that was read, as files: numbers and codes as an Arrow file, everything else as JSON.

The process that writes them has parsed a file that may be hostile. So the process that reads them back executes nothing
from them (no pickle), and checks every size, number and code before use.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import chain, repeat
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
from msgspec.structs import asdict

from ..problem import ColumnReport, Table
from ..problem.tables import Cells, Numbers
from ..problem.texts import Spelling, Texts
from .records import from_plain, to_plain
from .wire import refuse_damaged

FILES = ("table.json", "cells.arrow")
_JSON, _CELLS = FILES


class _NumbersRecord(msgspec.Struct, frozen=True, tag="numbers", forbid_unknown_fields=True):
    """A column of numbers without them."""

    name: str
    spelling: str
    mark: str


class _TextsRecord(msgspec.Struct, frozen=True, tag="texts", forbid_unknown_fields=True):
    """A column of texts without its codes; `raw` are the texts as spelled in the source, if they differ."""

    name: str
    text: tuple[str, ...]
    raw: tuple[str, ...] | None = None


class _TableRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table without its cells, and the reports on its columns."""

    name: str
    separator: str | None
    encoding: str | None
    has_header: bool
    notes: tuple[str, ...]
    spellings: dict[str, Spelling]
    chosen: Spelling
    levels: dict[str, tuple[str, ...]]
    columns: tuple[_NumbersRecord | _TextsRecord, ...]
    reports: tuple[ColumnReport, ...]


class ReadTable(NamedTuple):
    """A table and the reports on its columns; no reports if no types were requested."""

    table: Table
    reports: tuple[ColumnReport, ...]


def write_table(folder: Path, read: ReadTable, *, packed: bool = False) -> None:
    """Write a table to a folder, as `FILES`; `packed` files are smaller."""
    table = read.table
    parts = {one.name: getattr(table, one.name) for one in fields(table)}
    columns = tuple(_describe(name, cells) for name, cells in table.columns.items())
    record = _TableRecord(**parts | {"columns": columns, "reports": read.reports})
    arrays = [pa.array(values) for cells in table.columns.values() for values in _arrays(cells)]
    batch = pa.RecordBatch.from_arrays(arrays, [str(j) for j in range(len(arrays))])
    options = pa.ipc.IpcWriteOptions(compression="zstd" if packed else None)
    with pa.ipc.new_file(folder / _CELLS, batch.schema, options=options) as out:
        out.write_batch(batch)
    # texts may contain lone UTF-16 surrogates, which only JSON escapes can represent
    (folder / _JSON).write_text(json.dumps(to_plain(record), ensure_ascii=True), "ascii")


def read_table_files(folder: Path, name: str) -> ReadTable:
    """The table that `write_table` wrote to a folder.

    Raises
    ------
    RunError
        A file is missing or invalid for a table. `name` is the table's name in the message.
    """
    with refuse_damaged(f"The result of the process that read '{name}'", "Nothing else is lost. Try again."):
        return table_in(folder)


def table_in(folder: Path) -> ReadTable:
    """The same; raises an error that `refuse_damaged` converts."""
    record = from_plain(_TableRecord, json.loads((folder / _JSON).read_text("ascii")))
    with pa.ipc.open_file((folder / _CELLS).read_bytes()) as file:
        batch = file.get_batch(0)
    # without this, memory offsets in the file are trusted
    batch.validate(full=True)
    arrays = chain(batch.columns, repeat(None))
    columns = {one.name: _cells(one, arrays) for one in record.columns}
    if next(arrays) is not None or not columns:
        raise ValueError("the numbers of columns differ")
    if len(columns) != len(record.columns):
        raise ValueError("two columns have one name")
    parts = asdict(record) | {"columns": columns}
    return ReadTable(Table(**{one.name: parts[one.name] for one in fields(Table)}), record.reports)


def _describe(name: str, cells: Cells) -> _NumbersRecord | _TextsRecord:
    if isinstance(cells, Numbers):
        return _NumbersRecord(name, cells.spelling, cells.mark)
    return _TextsRecord(name, cells.text, None if cells.raw is None else cells.raw.text)


def _arrays(cells: Cells) -> list[np.ndarray]:
    """The numbers of a column, or its codes and those of its cells as spelled in the source."""
    if isinstance(cells, Numbers):
        return [cells.value]
    return [cells.code] if cells.raw is None else [cells.code, cells.raw.code]


def _cells(column: _NumbersRecord | _TextsRecord, arrays: Iterator[pa.Array]) -> Cells:
    """A column from the next arrays, checked, because compiled loops and formats do not check its values."""
    if isinstance(column, _NumbersRecord):
        cells = Numbers(_values(next(arrays), np.float64), column.spelling, column.mark)
        if np.isinf(cells.value).any() or np.signbit(cells.value[cells.value == 0]).any():
            raise ValueError("a number is infinite, or minus zero")
        cells.cells(slice(1))
        return cells
    texts = _texts(next(arrays), column.text)
    return texts if column.raw is None else replace(texts, raw=_texts(next(arrays), column.raw))


def _texts(array: pa.Array, text: tuple[str, ...]) -> Texts:
    code = _values(array, np.int64 if array.type == pa.int64() else np.int32)
    if (len(code) and not (code.min() >= 0 and code.max() < len(text))) or len(set(text)) < len(text):
        raise ValueError("a code has no text, or two codes have one text")
    return Texts(code, text)


def _values(array: pa.Array, kind: type) -> np.ndarray:
    if array.type != pa.from_numpy_dtype(kind) or array.null_count:
        raise ValueError("a different kind of array")
    values: np.ndarray = array.to_numpy()
    return values
