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
from typing import Any, NamedTuple, get_type_hints

import numpy as np
import pyarrow as pa

from ..problem import ColumnReport, Table
from ..problem.tables import Cells, Numbers
from ..problem.texts import Texts
from .json_types import from_json, to_json
from .wire import refuse_damaged

FILES = ("table.json", "cells.arrow")
_JSON, _CELLS = FILES
_PLAIN = [one.name for one in fields(Table) if one.name != "columns"]


class ReadTable(NamedTuple):
    """A table and the reports on its columns; no reports if no types were requested."""

    table: Table
    reports: tuple[ColumnReport, ...]


def write_table(folder: Path, read: ReadTable, *, packed: bool = False) -> None:
    """Write a table to a folder, as `FILES`; `packed` files are smaller."""
    table = read.table
    described = {
        "table": {name: to_json(getattr(table, name)) for name in _PLAIN},
        "columns": [_describe(name, cells) for name, cells in table.columns.items()],
        "reports": to_json(read.reports),
    }
    arrays = [pa.array(values) for cells in table.columns.values() for values in _arrays(cells)]
    batch = pa.RecordBatch.from_arrays(arrays, [str(j) for j in range(len(arrays))])
    options = pa.ipc.IpcWriteOptions(compression="zstd" if packed else None)
    with pa.ipc.new_file(folder / _CELLS, batch.schema, options=options) as out:
        out.write_batch(batch)
    # texts may contain lone UTF-16 surrogates, which only JSON escapes can represent
    (folder / _JSON).write_text(json.dumps(described, ensure_ascii=True), "ascii")


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
    described = json.loads((folder / _JSON).read_text("ascii"))
    hints = get_type_hints(Table)
    plain = {field: from_json(hints[field], described["table"][field]) for field in _PLAIN}
    n_columns = len(described["columns"])
    with pa.ipc.open_file((folder / _CELLS).read_bytes()) as file:
        batch = file.get_batch(0)
    # without this, memory offsets in the file are trusted
    batch.validate(full=True)
    arrays = chain(batch.columns, repeat(None))
    columns = {from_json(str, one["name"]): _cells(one, arrays) for one in described["columns"]}
    if next(arrays) is not None or not n_columns:
        raise ValueError("the numbers of columns differ")
    if len(columns) != n_columns:
        raise ValueError("two columns have one name")
    return ReadTable(Table(columns=columns, **plain), from_json(tuple[ColumnReport, ...], described["reports"]))


def _describe(name: str, cells: Cells) -> dict[str, Any]:
    if isinstance(cells, Numbers):
        return {"name": name, "spelling": cells.spelling, "mark": cells.mark}
    return {"name": name, "text": cells.text} | ({} if cells.raw is None else {"raw": cells.raw.text})


def _arrays(cells: Cells) -> list[np.ndarray]:
    """The numbers of a column, or its codes and those of its cells as spelled in the source."""
    if isinstance(cells, Numbers):
        return [cells.value]
    return [cells.code] if cells.raw is None else [cells.code, cells.raw.code]


def _cells(described: dict[str, Any], arrays: Iterator[pa.Array]) -> Cells:
    """A column from the next arrays, checked, because compiled loops and formats do not check its values."""
    if "spelling" in described:
        spelling, mark = from_json(str, described["spelling"]), from_json(str, described["mark"])
        cells = Numbers(_values(next(arrays), np.float64), spelling, mark)
        if np.isinf(cells.value).any() or np.signbit(cells.value[cells.value == 0]).any():
            raise ValueError("a number is infinite, or minus zero")
        cells.cells(slice(1))
        return cells
    texts = _texts(next(arrays), described["text"])
    return replace(texts, raw=_texts(next(arrays), described["raw"])) if "raw" in described else texts


def _texts(array: pa.Array, written: Any) -> Texts:
    code = _values(array, np.int64 if array.type == pa.int64() else np.int32)
    text = from_json(tuple[str, ...], written)
    if (len(code) and not (code.min() >= 0 and code.max() < len(text))) or len(set(text)) < len(text):
        raise ValueError("a code has no text, or two codes have one text")
    return Texts(code, text)


def _values(array: pa.Array, kind: type) -> np.ndarray:
    if array.type != pa.from_numpy_dtype(kind) or array.null_count:
        raise ValueError("a different kind of array")
    values: np.ndarray = array.to_numpy()
    return values
