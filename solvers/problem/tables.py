"""A raw table by column: plain numbers, or distinct texts with a code per row.

    table = read_table("patients.csv")
    table.columns["age"]           # Numbers(value=[62., 71., nan, ...])
    table.texts("sex")             # Texts(code=[0, 1, 0, ...], text=('f', 'm'))

Columns have no types here; `column_types` infers them, and `dataset_builder` makes a dataset.

A column of plain numbers is stored as float64, without a text per cell. It has one spelling: all cells have the same
number of decimals, or each is the shortest text of its number. So distinct texts are distinct numbers, and the text of
every cell can be restored. Any other column is stored as `Texts`, so that nothing in the file gets lost.

Data frames of pandas, polars, pyarrow and others become tables, too. Frames of other packages than pandas are read
through the Arrow protocol (`__arrow_c_stream__`), which gives the type of each column: the unit and zone of a time, the
order of an enumeration.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import DataError
from .texts import (
    Spelling,
    Texts,
    abbreviate,
    as_met,
    cell_text,
    composed,
    distinct_texts,
    format_number,
    nearest,
    quoted,
    reason,
)

SHORTEST, WITH_POINT = "shortest", "with point"
"""Spellings: as in `format_number` ('50', '1.5'), and with a point in integers, too ('50.0')."""

MOST_EXACT = 10**15
"""Numbers below this one have at most 15 digits before the point, which float64 keeps."""


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column of plain numbers.

    Attributes
    ----------
    value : float64 (n_samples,), NaN if missing; no value is infinite or minus zero.
    spelling : the spelling of all cells: one of the two above, or with this number of decimals ('.2f').
    mark : the text of cells without a number, '' or another mark for a missing value.
    """

    value: np.ndarray
    spelling: str = SHORTEST
    mark: str = ""

    def __len__(self) -> int:
        return len(self.value)

    @cached_property
    def texts(self) -> Texts:
        """The same column as texts."""
        code, different = pd.factorize(self.value, use_na_sentinel=False)
        return Texts(code.astype(np.int32), tuple(self.spelled(different)))

    @property
    def numbers(self) -> np.ndarray:
        """The same as `value`, as `Texts.numbers` gives it."""
        return self.value

    def cells(self, rows: slice | np.ndarray) -> list[str]:
        """The texts of some rows."""
        return self.spelled(self.value[rows])

    def take(self, rows: np.ndarray) -> Numbers:
        """The same column with some rows only."""
        return replace(self, value=self.value[rows])

    def spelled(self, values: np.ndarray) -> list[str]:
        """Some numbers as the column spells them."""
        named: dict[str, Callable[[float], str]] = {SHORTEST: format_number, WITH_POINT: repr}
        write = named.get(self.spelling, f"{{:{self.spelling}}}".format)
        return [self.mark if value != value else write(value) for value in values.tolist()]


Cells = Texts | Numbers
"""A column: texts, or only numbers."""


def numbers_of(value: np.ndarray) -> Numbers | None:
    """Typed numbers, int64 or float64, as a column; `None` if one is infinite, or has too many digits to be exact."""
    low, high = (value.min(), value.max()) if len(value) else (0, 0)
    if np.isnan(low):
        low, high = np.fmin.reduce(value), np.fmax.reduce(value)
    if high >= MOST_EXACT or low <= -MOST_EXACT:
        return None
    value = value.astype(np.float64, copy=False)
    # 0 and -0 are the same text
    return Numbers(value + 0.0 if np.signbit(value[value == 0]).any() else value)


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
        # names that look the same are equal, whatever their Unicode spelling
        object.__setattr__(self, "columns", dict(zip(headers(self.columns), self.columns.values(), strict=True)))
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
        return self.columns[name].texts

    def check_columns(self, names: Sequence[str], why: str = "The model needs these columns") -> None:
        """Check that the table has these columns.

        Raises `DataError`, which begins with `why`, names the absent ones and columns that may be meant.
        """
        absent = [name for name in names if name not in self.columns]
        if not absent:
            return
        wanted = set(names)
        others = [name for name in self.names if name not in wanted]
        hints = [f"'{found[0]}' may be '{name}'" for name in absent[:12] if (found := nearest(name, others, 0.8))]
        remedy = "rename the column in the file or with 'prepare' on the command line"
        hint = f" ({'; '.join(hints)}: {remedy})" if hints else ""
        raise DataError(f"{why}. The table lacks {quoted(absent)}{hint}. It has: {abbreviate(self.names)}.")

    def head(self, n_rows: int, n_columns: int | None = None) -> pd.DataFrame:
        """The first rows of the first columns, as texts."""
        rows = slice(n_rows)
        return pd.DataFrame({name: self.columns[name].cells(rows) for name in self.names[:n_columns]}, dtype=str)

    @property
    def frame(self) -> pd.DataFrame:
        """All cells as texts, for display and for other programs. Each call makes a new frame."""
        return self.head(self.n_rows)


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


def as_pandas(data: Any) -> Any:
    """Convert a frame or series of another package, or with Arrow columns, to pandas; return anything else unchanged.

    Raises
    ------
    DataError
        A column has a type that Arrow does not support, or the frame is a polars LazyFrame.
    """
    if isinstance(data, pd.DataFrame):
        arrow = [isinstance(dtype, pd.ArrowDtype) for dtype in data.dtypes]
        if not any(arrow):
            return data
        columns = range(data.shape[1])
        read = _read(data.loc[:, arrow].set_axis([str(j) for j in columns if arrow[j]], axis=1)).set_axis(data.index)
        parts = [read[str(j)] if arrow[j] else data.iloc[:, j] for j in columns]
        return pd.concat(parts, axis=1).set_axis(data.columns, axis=1)
    if isinstance(data, pd.Series) or not hasattr(data, "__arrow_c_stream__"):
        if type(data).__name__ == "LazyFrame":
            raise DataError("A LazyFrame holds no rows yet. Call collect() and pass the result.")
        return data
    return _read(data) if hasattr(data, "columns") else _read({"": data})[""].rename(getattr(data, "name", None))


def _read(data: Any) -> pd.DataFrame:
    """The data of the Arrow protocol, as a frame."""
    try:
        if isinstance(data, dict):
            data = {name: pa.chunked_array(column) for name, column in data.items()}
        return pa.table(data).to_pandas(ignore_metadata=True)
    except (pa.ArrowException, ValueError) as error:
        raise DataError(
            f"A column of the data frame has a type that Arrow cannot convert ({reason(error)}). Cast it to numbers, "
            f"dates, texts or categories."
        ) from None


def headers(names: Iterable[object]) -> list[str]:
    """The headers of a frame as texts: years and dates as printed, texts in one Unicode spelling (NFC).

    Raises
    ------
    DataError
        Two headers are the same text.
    """
    texts = [composed(str(name)) for name in names]
    if len(set(texts)) < len(texts):
        twice = next(text for text in texts if texts.count(text) > 1)
        places = " and ".join(str(j) for j, text in enumerate(texts, 1) if text == twice)
        raise DataError(f"The column '{twice}' appears twice (columns {places}). Column names must differ: rename one.")
    return texts


def with_headers(frame: Any) -> pd.DataFrame:
    """A frame of any package as a pandas frame with text headers.

    Raises
    ------
    DataError
        See `headers` and `as_pandas`.
    """
    frame = as_pandas(frame)
    names = headers(frame.columns)
    return frame if list(frame.columns) == names else frame.set_axis(names, axis=1)


def header_names(header: Sequence[str]) -> tuple[list[str], list[str]]:
    """The names in a header: on one line, by position if empty, and repeated ones numbered; and notes on them."""
    names = [" ".join(name.split()) or f"column {j}" for j, name in enumerate(header, 1)]
    nameless = [name for name, given in zip(names, header, strict=True) if not given.strip()]
    names, notes = number_repeated(names)
    if nameless:
        notes.insert(0, f"Columns without a name in the header are called {quoted(nameless, 5)}.")
    return names, notes


def number_repeated(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names with repeated ones numbered, such as 'crp', 'crp (2)', and notes on them.

    The result has no equal names.
    """
    taken, numbered = set(names), []
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        one = name
        if seen[name] > 1:
            while (one := f"{name} ({seen[name]})") in taken:
                seen[name] += 1
            taken.add(one)
        numbered.append(one)
    again = [one for one, name in zip(numbered, names, strict=True) if one != name]
    return numbered, [f"Repeated column names are numbered: {quoted(again)}."] if again else []


def free_name(name: str, taken: Sequence[str]) -> str:
    """A name that is not taken: the given one, with underscores appended if needed."""
    while name in taken:
        name += "_"
    return name


_PLAIN = r"^-?(?:0|[1-9]\d*)(?:\.\d+)?$"
_MOST_DIGITS = 15
_LEAST = 1e-4
"""From this size on, numbers of at most 15 digits print without exponent: 0.00001 prints as 1e-05."""
_TOGETHER = 1 << 17
"""Approximate number of cells to process together: each call takes as long as hundreds of cells."""


def cells_of_texts(columns: list[pa.ChunkedArray]) -> list[Cells]:
    """The cells of text columns of equal length, with null for empty cells.

    The function empties the list, so that the memory of each column is free once its cells are made.
    """
    cells: list[Cells] = []
    step = max(_TOGETHER // max(len(columns[0]), 1), 1)
    while columns:
        some = [pa.concat_arrays(column.chunks) for column in columns[:step]]
        del columns[:step]
        for texts, numbers in zip(some, _numbers(some), strict=True):
            if numbers is None:
                encoded = texts.dictionary_encode()
                code = encoded.indices.fill_null(-1).to_numpy()
                cells.append(cells_of_codes(code, encoded.dictionary.to_pylist()))
            else:
                cells.append(numbers)
    return cells


def cells_of_codes(code: np.ndarray, texts: Sequence[str]) -> Cells:
    """The cells of a dictionary-encoded column.

    Parameters
    ----------
    code : int32 (n_samples,), the position in `texts` of each cell, -1 if it is empty.
    texts : the distinct texts.
    """
    distinct = as_met(code, [*texts, ""])
    return _numbers_among(distinct) or distinct


def _numbers_among(texts: Texts) -> Numbers | None:
    """A column of plain numbers and at most one mark for missing values; `None` if it has other texts."""
    marks = np.flatnonzero(texts.missing).tolist()
    if len(marks) > 1:
        return None
    (numbers,) = _numbers([pa.array([None if i in marks else text for i, text in enumerate(texts.text)], pa.string())])
    mark = texts.text[marks[0]] if marks else ""
    return numbers and Numbers(numbers.value[texts.code], numbers.spelling, mark)


def _numbers(columns: list[pa.Array]) -> list[Numbers | None]:
    """Columns of texts as numbers, null as NaN; `None` if a cell is no plain number, or the spellings differ."""
    numbers: list[Numbers | None] = [None] * len(columns)
    shape = (len(columns), -1)
    cells = pa.concat_arrays(columns)
    plain = pc.match_substring_regex(cells, _PLAIN).fill_null(True)
    length = pc.binary_length(cells).fill_null(0).to_numpy()
    if length.max(initial=0) > _MOST_DIGITS:
        plain = pc.and_(plain, pc.less_equal(pc.count_substring_regex(cells, r"\d").fill_null(0), _MOST_DIGITS))
    good = plain.to_numpy(zero_copy_only=False).reshape(shape).all(axis=1) & length.reshape(shape).any(axis=1)
    places = np.flatnonzero(good).tolist()
    if not places:
        return numbers
    if len(places) < len(columns):
        cells, length = pa.concat_arrays([columns[j] for j in places]), length.reshape(shape)[places].ravel()
    shape = (len(places), -1)
    values = cells.cast(pa.float64()).to_numpy(zero_copy_only=False).reshape(shape)
    point = pc.find_substring(cells, ".").fill_null(-1).to_numpy()
    decimals = np.where(point < 0, 0, length - point - 1).reshape(shape)
    zero_at_end = pc.ends_with(cells, "0").fill_null(False).to_numpy(zero_copy_only=False).reshape(shape)
    empty = np.isnan(values)
    fewest, most = np.where(empty, _MOST_DIGITS, decimals).min(axis=1), decimals.max(axis=1)
    tiny = ((np.abs(values) < _LEAST) & (values != 0)).any(axis=1)
    minus_zero = (np.signbit(values) & (values == 0)).any(axis=1)
    ends = (zero_at_end & (decimals > 0)).any(axis=1)
    needless = (zero_at_end & (decimals > 1)).any(axis=1) | (fewest == 0)
    for k, j in enumerate(places):
        if minus_zero[k] or (fewest[k] < most[k] and (tiny[k] or (ends[k] and needless[k]))):
            continue
        spelling = f".{most[k]}f" if fewest[k] == most[k] else WITH_POINT if ends[k] else SHORTEST
        numbers[j] = Numbers(values[k], spelling)
    return numbers
