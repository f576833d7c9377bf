"""What is known of a column apart from its values: its name, its type, its levels, and what stands for a missing value.

A table is held as one float matrix: numbers as they are, dates as days since 1970-01-01, levels as their index in
`Column.levels`, and NaN for a missing value. `Schema` turns a raw table into that matrix and back into words.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import pandas as pd

from solvers.errors import DataError


class Kind(StrEnum):
    """The type of a column."""

    NUMERIC = "numeric"
    BINARY = "binary"
    ORDERED = "ordered"
    CATEGORICAL = "categorical"
    DATE = "date"

    @property
    def has_levels(self) -> bool:
        """True where the values are indices into `Column.levels`."""
        return self in (Kind.BINARY, Kind.ORDERED, Kind.CATEGORICAL)


class MissingPolicy(StrEnum):
    """What a missing value means, chosen once and carried with the model."""

    INFORMATION = "information"
    COMPLETE = "complete"
    IMPUTE = "impute"

    @property
    def words(self) -> str:
        """The policy in a sentence for the screen."""
        return {
            MissingPolicy.INFORMATION: "A missing value is information: each question sends it to the side that is best.",
            MissingPolicy.COMPLETE: "Only complete rows are used; the model refuses a case with a missing value.",
            MissingPolicy.IMPUTE: "A missing value counts as the median or the most frequent level, "
            "and whether it was missing may be asked.",
        }[self]


MISSING_MARKS = frozenset({"", "?", "na", "n/a", "#n/a", "nan", "null", "none", "missing", ".", "-", "--", "unknown"})
"""Texts that stand for a missing value, in lower case and without blanks around."""


@dataclass(frozen=True, slots=True)
class Column:
    """A feature as the user knows it.

    Attributes
    ----------
    name : the header of the column.
    kind : its type.
    levels : the texts of its levels in their order; empty for numbers and dates.
    fill : the median (numbers, dates, ordered levels) or most frequent level of the training rows, as a value of the
        matrix; `None` where every training value is missing.
    has_missing : whether the training rows have missing values here.
    integral : whether all values are whole numbers, so that words can leave out the decimals.
    """

    name: str
    kind: Kind
    levels: tuple[str, ...] = ()
    fill: float | None = None
    has_missing: bool = False
    integral: bool = False

    def __post_init__(self) -> None:
        if self.kind.has_levels and not self.levels:
            raise DataError(f"The column '{self.name}' is {self.kind} but has no levels.")
        if len(set(self.levels)) != len(self.levels):
            raise DataError(f"The column '{self.name}' names a level twice.")
        if self.kind is Kind.BINARY and len(self.levels) != 2:
            raise DataError(f"The column '{self.name}' is binary and must have 2 levels. Got {len(self.levels)}.")

    def format(self, value: float) -> str:
        """The value of the matrix in the user's words ('' where it is missing)."""
        if math.isnan(value):
            return ""
        if self.kind.has_levels:
            return self.levels[int(value)]
        if self.kind is Kind.DATE:
            stamp = pd.Timestamp(0) + pd.Timedelta(days=value)
            return stamp.strftime("%Y-%m-%d" if value == math.floor(value) else "%Y-%m-%d %H:%M")
        return format_number(value)

    def encode(self, raw: pd.Series) -> np.ndarray:
        """The column as values of the matrix.

        Parameters
        ----------
        raw : texts or numbers, one a row.

        Returns
        -------
        float64 (n_samples,), NaN where missing.

        Raises
        ------
        DataError
            A text in a numeric column, an infinite number, or a level that the column does not know.
        """
        if self.kind.has_levels:
            return self._encode_levels(raw)
        if self.kind is Kind.DATE:
            return self._encode_dates(raw)
        return self._encode_numbers(raw)

    def _encode_levels(self, raw: pd.Series) -> np.ndarray:
        code = {level: float(i) for i, level in enumerate(self.levels)}
        out = np.full(len(raw), np.nan)
        for i, cell in enumerate(raw):
            text = cell_text(cell)
            if text in code:
                out[i] = code[text]
            elif not is_missing_mark(text):
                known = ", ".join(self.levels[:8]) + (", ..." if len(self.levels) > 8 else "")
                raise DataError(
                    f"The column '{self.name}' has the level '{text}' in row {i + 1}, which the model has never seen "
                    f"(it knows: {known}). Correct the cell or leave it empty."
                )
        return out

    def _encode_dates(self, raw: pd.Series) -> np.ndarray:
        texts = raw.map(cell_text)
        blank = texts.map(is_missing_mark).to_numpy(bool)
        stamps = pd.to_datetime(texts.where(~blank), errors="coerce", format="mixed")
        bad = stamps.isna().to_numpy() & ~blank
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            raise DataError(
                f"The column '{self.name}' holds dates, but row {row + 1} has '{texts.iloc[row]}'. "
                f"Write dates as year-month-day or leave the cell empty."
            )
        return days_since_epoch(stamps)

    def _encode_numbers(self, raw: pd.Series) -> np.ndarray:
        if raw.dtype.kind in "iufb":
            out = raw.to_numpy(np.float64, copy=True)
        else:
            out = np.empty(len(raw))
            for i, cell in enumerate(raw):
                text = cell_text(cell)
                if is_missing_mark(text):
                    out[i] = np.nan
                    continue
                try:
                    out[i] = float(text)
                except ValueError:
                    raise DataError(
                        f"The column '{self.name}' holds numbers, but row {i + 1} has the text '{text}'. "
                        f"Correct the cell or leave it empty."
                    ) from None
        infinite = np.flatnonzero(np.isinf(out))
        if len(infinite):
            raise DataError(
                f"The column '{self.name}' has an infinite value in row {infinite[0] + 1}. "
                f"Put a number there or leave the cell empty."
            )
        return out


@dataclass(frozen=True)
class Schema:
    """The columns that a model reads, in the order of the matrix, and its policy for missing values."""

    columns: tuple[Column, ...]
    missing: MissingPolicy = MissingPolicy.INFORMATION

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise DataError(f"The column '{twice}' appears twice. Column names must differ.")
        object.__setattr__(self, "_index", {name: i for i, name in enumerate(names)})

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """The headers, in the order of the matrix."""
        return tuple(column.name for column in self.columns)

    def index(self, name: str) -> int:
        """The position of a column in the matrix."""
        try:
            return self._index[name]
        except KeyError:
            raise DataError(f"There is no column '{name}'. Columns: {', '.join(self.names[:12])}.") from None

    def __getitem__(self, name: str) -> Column:
        return self.columns[self.index(name)]

    def encode(self, frame: pd.DataFrame, needed: frozenset[str] | None = None) -> np.ndarray:
        """A raw table as the float matrix of this schema; columns that the schema lacks are ignored.

        Parameters
        ----------
        frame : the table, headers as in the schema.
        needed : the columns that must be there; the others are left missing. By default all.

        Returns
        -------
        float64 (n_samples, n_columns), C-contiguous, NaN where missing.

        Raises
        ------
        DataError
            A needed column is not there, or a cell does not fit its column.
        """
        out = np.full((len(frame), len(self.columns)), np.nan)
        have = {str(name): name for name in frame.columns}
        absent = [c.name for c in self.columns if c.name not in have and (needed is None or c.name in needed)]
        if absent:
            raise DataError(
                f"The table lacks the column{'s' if len(absent) > 1 else ''} {', '.join(repr(n) for n in absent)}, "
                f"which the model asks for. It has: {', '.join(list(have)[:12])}."
            )
        for j, column in enumerate(self.columns):
            if column.name in have and (needed is None or column.name in needed):
                out[:, j] = column.encode(frame[have[column.name]])
        return out


def cell_text(cell: object) -> str:
    """A cell as the text that it stands for: no blanks around, whole floats without '.0', '' for a missing value."""
    if isinstance(cell, str):
        return cell.strip()
    if cell is None or cell is pd.NaT or cell is pd.NA:
        return ""
    if isinstance(cell, bool | np.bool_):
        return "true" if cell else "false"
    if isinstance(cell, float | np.floating):
        return "" if math.isnan(cell) else format_number(float(cell))
    return str(cell)


def is_missing_mark(text: str) -> bool:
    """Whether a stripped text is one of the usual marks for a missing value."""
    return text.lower() in MISSING_MARKS


def days_since_epoch(stamps: pd.Series) -> np.ndarray:
    """Dates as float64 days since 1970-01-01, NaN where missing."""
    return ((stamps - pd.Timestamp(0)) / pd.Timedelta(days=1)).to_numpy(np.float64)


def format_number(value: float) -> str:
    """The shortest text that reads back as the same number, whole numbers without a decimal point."""
    if value == math.floor(value) and abs(value) < 1e15:
        return str(int(value))
    return repr(float(value))
