"""A raw table by column: plain numbers, or distinct texts with a code per row.

    table = read_table("patients.csv")
    table.cells("age")             # Numbers(value=[62., 71., nan, ...])
    table.texts("sex")             # Texts(code=[0, 1, 0, ...], text=('f', 'm'))

Columns have no types here; `column_types` infers them, and `dataset_builder` makes a dataset.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from .frames import headers, with_headers
from .plain_numbers import Cells, Numbers, numbers_of
from .texts import Spelling, Texts, cell_text, composed, distinct_texts


@dataclass(frozen=True, eq=False)
class Table:
    """A raw table of plain numbers and texts.

    A table is immutable: changes return another table, which shares the unchanged columns.

    Attributes
    ----------
    name : the file's name without its extension.
    columns : the cells by column, at least one column; '' for empty cells, numbers and dates in plain spelling ('1.5',
        '2024-01-31'), and no blanks around texts.
    separator : the separator of fields (' ' for runs of blanks); `None` if the source is no text file.
    encoding : the character encoding; `None` if the source is no text file.
    has_header : whether the first line gave the names; if not, the columns are named '0', '1', ...
    notes : sentences about unusual findings.
    spellings : by name, how columns with ambiguous cells were read.
    chosen : the user's choice for ambiguous cells.
    levels : the levels of columns that the source declares to be ordered, low first.
    """

    name: str
    columns: Mapping[str, Cells]
    separator: str | None = None
    encoding: str | None = None
    has_header: bool = True
    notes: tuple[str, ...] = ()
    spellings: Mapping[str, Spelling] = field(default_factory=dict)
    chosen: Spelling = field(default_factory=Spelling)
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # texts that look the same are equal, whatever their Unicode spelling
        names = headers(self.columns)
        if names == list(self.columns) and all(_is_composed(cells) for cells in self.columns.values()):
            return
        columns: dict[str, Cells] = {}
        for name, cells in zip(names, self.columns.values(), strict=True):
            columns[name] = cells.composed() if isinstance(cells, Texts) else cells
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "spellings", {composed(name): value for name, value in self.spellings.items()})
        object.__setattr__(self, "levels", {composed(name): value for name, value in self.levels.items()})

    @property
    def n_rows(self) -> int:
        """The number of rows, without the header."""
        return len(next(iter(self.columns.values()), ()))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.columns)

    def texts(self, name: str) -> Texts:
        """A column as distinct texts with a code per row; raises `KeyError` if there is none of this name."""
        return texts_of(self.columns[name])

    def head(self, n_rows: int, n_columns: int | None = None) -> pd.DataFrame:
        """The first rows of the first columns, as texts."""
        rows = slice(n_rows)
        return pd.DataFrame({name: self.columns[name].cells(rows) for name in self.names[:n_columns]}, dtype=str)

    @property
    def frame(self) -> pd.DataFrame:
        """All cells as texts, for display and for other programs. Each call makes a new frame."""
        return self.head(self.n_rows)


def _is_composed(cells: Cells) -> bool:
    return isinstance(cells, Numbers) or all(text.isascii() or composed(text) == text for text in cells.text)


def texts_of(cells: Cells) -> Texts:
    """A column as distinct texts."""
    return cells.texts if isinstance(cells, Numbers) else cells


def as_table(rows: Any) -> Table:
    """Return a table unchanged, or convert a data frame."""
    return rows if isinstance(rows, Table) else table_of_frame(rows, "rows")


def table_of_frame(frame: Any, name: str) -> Table:
    """A table from a data frame of any types; its numbers stay numbers.

    Parameters
    ----------
    frame : the rows, of pandas, polars or another package with Arrow support; its headers become texts.
    name : the name of the table.

    Raises
    ------
    DataError
        Two columns have the same name.
    """
    frame = with_headers(frame)
    columns = {header: cells_of(frame.iloc[:, j]) for j, header in enumerate(frame.columns)}
    return Table(name=name, columns=columns)


def cells_of(raw: pd.Series) -> Cells:
    """A column of a data frame: numbers if it has nothing else, or else texts of all cells.

    Raises `CellTypeError` if a cell is a list, dict or array.
    """
    if raw.dtype == object:
        raw = raw.infer_objects()
    if isinstance(raw.dtype, np.dtype) and raw.dtype.kind in "iuf":
        wide = raw.dtype.kind == "f" or raw.dtype.itemsize < 8
        numbers = numbers_of(raw.to_numpy(np.float64) if wide else raw.to_numpy())
        if numbers is not None:
            return numbers
    if raw.dtype == object and pd.api.types.infer_dtype(raw, skipna=True) == "mixed-integer":
        # equal objects may differ as texts, such as 1 and True
        raw = raw.map(cell_text)
    return distinct_texts(raw)
