"""The properties of a column: name, type, levels and fill value.

A table is one float matrix: numbers as they are, dates as days since 1970-01-01, levels as their index in
`Column.levels`, and NaN for a missing value. `Schema` converts a raw table to that matrix and values back to text.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from ..errors import DataError
from ..magnitude import midpoint
from .number_spellings import read_as_trained
from .tables import Cells, Numbers, Table, as_table, cells_of
from .texts import (
    Spelling,
    Texts,
    abbreviate,
    composed,
    format_number,
    is_code,
    parse_numbers,
)

if TYPE_CHECKING:
    from .preparation import Preparation


_MONTH = re.compile(r"\d{4}-\d{2}")
_ZONED = re.compile(r".*[ T]\d.*(Z|UTC|[+-]\d{1,2}(:?\d{2})?)")


def clock_of(texts: Texts) -> str:
    """The `Column.clock` of date texts."""
    known = texts.present
    if known and all(map(_MONTH.fullmatch, known)):
        return "month"
    return "UTC" if any(map(_ZONED.fullmatch, known)) else ""


class Kind(StrEnum):
    """The type of a column."""

    NUMERIC = "numeric"
    BINARY = "binary"
    ORDERED = "ordered"
    CATEGORICAL = "categorical"
    DATE = "date"

    @property
    def has_levels(self) -> bool:
        """True if the values are indices into `Column.levels`."""
        return self in (Kind.BINARY, Kind.ORDERED, Kind.CATEGORICAL)


class MissingPolicy(StrEnum):
    """The meaning of a missing value, chosen once and stored with the model."""

    INFORMATION = "information"
    COMPLETE = "complete"
    IMPUTE = "impute"

    @property
    def words(self) -> str:
        """The policy in a sentence for the screen."""
        return {
            MissingPolicy.INFORMATION: (
                "A missing value is information: each split sends missing values to the better branch."
            ),
            MissingPolicy.COMPLETE: "Only complete rows are used. The model rejects rows with a missing value.",
            MissingPolicy.IMPUTE: (
                "The median or the most frequent level replaces a missing value. Splits may also use whether the value "
                "was missing."
            ),
        }[self]


class Unknown(StrEnum):
    """How to predict a row if a split reads a value that no training row has (`Column.never_had`)."""

    ERROR = "error"
    IGNORE = "ignore"

    @property
    def words(self) -> str:
        """The rule in a sentence."""
        return {
            Unknown.ERROR: "A row gets no prediction if a split needs a value that no training row has.",
            Unknown.IGNORE: (
                "A value that no training row has follows the condition of the split, although nothing was learned "
                "about it."
            ),
        }[self]


class Spellings(NamedTuple):
    """Lookup tables from texts to levels.

    A text matches a level if they are equal, or else if exactly one level is the same number ('1.0' is '1') or the same
    text in other letter case. Marks for missing values rank below equality: a level called 'unknown' stays a level.

    Attributes
    ----------
    exact : the level by text, without surrounding blanks.
    numbers : by number.
    letters : by casefolded text.
    """

    exact: dict[str, int]
    numbers: dict[float, int]
    letters: dict[str, int]


@dataclass(frozen=True, slots=True)
class Column:
    """A feature column.

    Attributes
    ----------
    name : the header of the column.
    kind : its type.
    levels : the texts of its levels in their order; empty for numbers and dates.
    fill : the median (numbers, dates, ordered levels) or most frequent level of the training rows, as a value of the
        matrix; `None` if every training value is missing.
    has_missing : whether the training rows have missing values here.
    integral : whether all values are integers, so that texts can omit the decimals.
    unseen_levels : the positions of levels that no training row has.
    clock : for dates, 'UTC' if the cells have a time zone, 'month' if they have no days, else ''.
    label, unit, family : the name for readers, the unit of numbers, and the family ('laboratory'); '' if there is none.
    """

    name: str
    kind: Kind
    levels: tuple[str, ...] = ()
    fill: float | None = None
    has_missing: bool = False
    integral: bool = False
    # not in the repr: fingerprints of problems use the other fields, and this one follows from the rows
    unseen_levels: tuple[int, ...] = field(default=(), repr=False)
    clock: str = field(default="", repr=False)
    label: str = field(default="", repr=False)
    unit: str = field(default="", repr=False)
    family: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if self.kind.has_levels and not self.levels:
            raise DataError(f"The column '{self.name}' is {self.kind} but has no levels.")
        if len(set(self.levels)) != len(self.levels):
            raise DataError(f"The column '{self.name}' names a level twice.")
        if self.kind is Kind.BINARY and len(self.levels) != 2:
            raise DataError(f"The column '{self.name}' is binary and must have 2 levels, but has {len(self.levels)}.")

    @property
    def title(self) -> str:
        """The name for readers: the label, or else the name."""
        return self.label or self.name

    def with_unit(self, text: str) -> str:
        """The text of a number, with the unit if there is one: '1.5 mmol/L', '40%'."""
        if not self.unit or self.kind is not Kind.NUMERIC:
            return text
        return f"{text}{'' if self.unit[0] in '%/' else ' '}{self.unit}"

    @property
    def heading(self) -> str:
        """The name for readers with the unit, as above a field: 'Lactate (mmol/L)'."""
        return f"{self.title} ({self.unit})" if self.unit and self.kind is Kind.NUMERIC else self.title

    def never_had(self, values: np.ndarray) -> np.ndarray:
        """Which values, float64 (n_samples,), no training row has, bool (n_samples,).

        These are a missing value if no training value is missing, a level without training rows, and infinity, which
        marks a text that is no value of the column. Numbers never count as unseen.
        """
        unseen: np.ndarray = np.isin(values, (*self.unseen_levels, math.inf))
        return unseen if self.has_missing else unseen | np.isnan(values)

    def format(self, value: float) -> str:
        """The text of a matrix value ('' if missing)."""
        if math.isnan(value):
            return ""
        if self.kind.has_levels:
            return self.levels[int(value)]
        if self.kind is Kind.DATE:
            # the day, and the time of day to the second unless it is midnight
            text = str(np.datetime64(0, "s") + np.timedelta64(round(value * 86400), "s"))
            if self.clock == "UTC":
                return f"{text.replace('T', ' ').removesuffix(':00')} UTC"
            return text.removesuffix("T00:00:00").replace("T", " ").removesuffix(":00")
        return format_number(value)

    def encode(self, raw: pd.Series | Cells, strict: bool = True) -> np.ndarray:
        """Convert the column to values of the matrix.

        Parameters
        ----------
        raw : texts or numbers, one per row, of a data frame or of a `Table`.
        strict : whether a text that is no value of the column is an error; if not, it becomes infinity.

        Returns
        -------
        float64 (n_samples,), NaN where missing.

        Raises
        ------
        DataError
            If `strict`: text in a column of numbers or dates, an infinite number, or an unknown level.
        """
        cells = cells_of(raw) if isinstance(raw, pd.Series) else raw
        if isinstance(cells, Numbers) and self.kind is Kind.NUMERIC:
            return cells.value
        texts = cells.texts
        if self.kind.has_levels:
            values = self._level_values(texts)
        elif self.kind is Kind.DATE:
            values = self._date_values(texts)
        else:
            no_number = np.isnan(texts.number) & ~texts.missing
            values = np.where(no_number | np.isinf(texts.number), math.inf, texts.number)
        bad = np.flatnonzero(np.isinf(values))
        if strict and len(bad):
            raise self._refusal(texts, bad)
        encoded: np.ndarray = values[texts.code]
        return encoded

    def spellings(self) -> Spellings:
        """Lookup tables from texts to the levels."""
        # codes are not numbers: '01067' is not '1067'
        is_of_codes = any(map(is_code, self.levels))
        numbers = [math.nan] * len(self.levels) if is_of_codes else parse_numbers(self.levels).tolist()
        letters = [composed(level).casefold() for level in self.levels]
        same_number, same_letters = Counter(numbers), Counter(letters)
        return Spellings(
            {composed(level): i for i, level in enumerate(self.levels)},
            {number: i for i, number in enumerate(numbers) if same_number[number] == 1 and not math.isnan(number)},
            {text: i for i, text in enumerate(letters) if same_letters[text] == 1},
        )

    def _level_values(self, texts: Texts) -> np.ndarray:
        """The level index of each distinct text, infinite if it is none."""
        exact, numbers, letters = self.spellings()
        values = np.full(len(texts.text), np.nan)
        for i, (text, number) in enumerate(zip(texts.text, parse_numbers(texts.text).tolist(), strict=True)):
            text = composed(text)
            if text in exact:
                values[i] = exact[text]
            elif texts.missing[i]:
                continue
            elif number in numbers and Decimal(text) == Decimal(self.levels[numbers[number]]):
                values[i] = numbers[number]
            else:
                values[i] = letters.get(text.casefold(), math.inf)
        return values

    def _date_values(self, texts: Texts) -> np.ndarray:
        """The days since 1970-01-01 of each distinct text, infinite if it is no date, or with or without a zone."""
        values = np.full(len(texts.text), np.nan)
        values[~texts.missing] = parse_dates(texts.present)
        if self.clock != "month":
            values[[bool(_MONTH.fullmatch(text)) for text in texts.text]] = math.nan
        zoned = np.array([bool(_ZONED.fullmatch(text)) for text in texts.text], bool)
        values[~texts.missing & (np.isnan(values) | (zoned != (self.clock == "UTC")))] = math.inf
        return values

    def _refusal(self, texts: Texts, bad: np.ndarray) -> DataError:
        """The error for distinct texts, at the positions `bad`, that are no values of the column."""
        words = bad[np.isnan(texts.number[bad])]
        first = int(words[0] if len(words) else bad[0])
        text, row = texts.text[first], texts.first_row(first)
        if self.kind.has_levels:
            return DataError(
                f"The column '{self.name}' has the level '{text}' in row {row}, which was not in the training data "
                f"(known levels: {abbreviate(self.levels, 8)}). Correct the cell, leave it empty, or merge the level "
                f"with a known one in a preparation step ('prepare' on the command line)."
            )
        if self.kind is Kind.NUMERIC and not len(words):
            return DataError(
                f"The column '{self.name}' has an infinite value in row {row}. Enter a number or leave the cell empty."
            )
        if self.kind is Kind.NUMERIC:
            limits = " To read limits as numbers, choose 'Read <0.5 as 0.5' (--parse-censored on the command line)."
            return DataError(
                f"The column '{self.name}' holds numbers, but {texts.count[words].sum()} of {len(texts)} rows have "
                f"text (first: '{text}' in row {row}). Correct the cells or leave them empty."
                f"{limits if text[0] in '<>≤≥' else ''}"
            )
        zoned = _ZONED.fullmatch(text) is not None
        if np.isnan(parse_dates([text])[0]) or zoned == (self.clock == "UTC"):
            return DataError(
                f"The column '{self.name}' holds dates, but row {row} has '{text}'. Write dates as year-month-day, "
                "leave the cell empty, or use --day-first or --month-first on the command line for dates such as "
                "03/04/2024."
            )
        if zoned:
            return DataError(
                f"The dates of the column '{self.name}' have no time zone, but row {row} has '{text}'. Write the date "
                "without a zone, in the local time of the training rows."
            )
        return DataError(
            f"The times of the column '{self.name}' have a time zone, but row {row} has '{text}' without one. Write "
            "the time with its zone, such as 2024-03-01 08:00+01:00."
        )


@dataclass(frozen=True)
class Schema:
    """The columns that a model reads, in the order of the matrix, and its policy for missing values.

    Attributes
    ----------
    columns, missing : the columns and the policy.
    preparation : the steps that made these columns from the raw table; `None` if there are none.
    spellings : by name, how raw columns with ambiguous cells were read.
    unused_families : the families of the table of which no column is used.
    left_out : the columns of the prepared table that are no features, without the outcome and the weights.
    """

    columns: tuple[Column, ...]
    missing: MissingPolicy = MissingPolicy.INFORMATION
    # not in the repr: fingerprints of problems include the rows that it made
    preparation: Preparation | None = field(default=None, repr=False)
    spellings: Mapping[str, Spelling] = field(default_factory=dict, repr=False)
    unused_families: frozenset[str] = field(default=frozenset(), repr=False, compare=False)
    left_out: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise DataError(f"The column '{twice}' appears twice. Column names must differ.")

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """The headers, in the order of the matrix."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def families(self) -> dict[str, tuple[str, ...]]:
        """The columns of each family, in the order of the matrix."""
        found: dict[str, tuple[str, ...]] = {}
        for column in self.columns:
            if column.family:
                found[column.family] = (*found.get(column.family, ()), column.name)
        return found

    def titles(self, names: Iterable[str]) -> tuple[str, ...]:
        """The names of columns for readers; other names, such as those of families, are unchanged."""
        return tuple(self[name].title if name in self._positions else name for name in names)

    def index(self, name: str) -> int:
        """The position of a column in the matrix."""
        try:
            return self._positions[name]
        except KeyError:
            raise DataError(f"There is no column '{name}'. Columns: {', '.join(self.names[:12])}.") from None

    def __getitem__(self, name: str) -> Column:
        return self.columns[self.index(name)]

    def fill(self, name: str) -> float | None:
        """The value that replaces a missing value of a column under the policy; `None` if missing values stay."""
        return self[name].fill if self.missing is MissingPolicy.IMPUTE else None

    def as_trained(self, table: Table, names: Collection[str]) -> Table:
        """A raw table with its cells read like those of the training rows.

        Parameters
        ----------
        table : the new rows.
        names : the columns that are needed; the others are unchanged.

        Raises
        ------
        DataError
            A cell is ambiguous, and the reading of the training rows is unknown; see `read_as_trained`.
        """
        whole = {column.name for column in self.columns if column.kind is Kind.NUMERIC and column.integral}
        return read_as_trained(table, self.spellings, names, whole)

    def never_had(self, names: Iterable[str], X: np.ndarray) -> np.ndarray:
        """Which rows of X have a value that no training row has in one of these columns, bool (n_samples,)."""
        met = np.zeros(len(X), bool)
        for name in names:
            met |= self[name].never_had(X[:, self.index(name)])
        return met

    def encode(
        self, rows: pd.DataFrame | Table, needed: frozenset[str] | None = None, strict: bool = True
    ) -> np.ndarray:
        """Convert a raw table to the float matrix of this schema; columns outside the schema are ignored.

        Parameters
        ----------
        rows : the table, headers as in the schema.
        needed : the required columns; the others become missing. By default all are required.
        strict : whether a text that is no value of its column is an error; if not, it becomes infinity.

        Returns
        -------
        float64 (n_samples, n_columns), C-contiguous, NaN where missing.

        Raises
        ------
        DataError
            A required column is absent, or a cell does not fit its column.
        """
        table = as_table(rows)
        out, raw = np.full((table.n_rows, len(self.columns)), np.nan), table.columns
        table.check_columns([composed(name) for name in self.names if needed is None or name in needed])
        for j, column in enumerate(self.columns):
            if composed(column.name) in raw and (needed is None or column.name in needed):
                out[:, j] = column.encode(raw[composed(column.name)], strict)
        return out


def parse_dates(texts: Sequence[str]) -> np.ndarray:
    """Parse ISO dates and times to float64 days since 1970-01-01 (UTC if a zone is given); NaN if a text is no date.

    A month without a day, such as '2024-02', is valid only if no text has a day; it means the first of the month.
    """
    months = [bool(_MONTH.fullmatch(text)) for text in texts]
    if any(months) and not all(months):
        texts = ["" if month else text for month, text in zip(months, texts, strict=True)]
    known = [text.replace(" UTC", "Z") for text in texts]
    stamps = pd.to_datetime(pd.Series(known, dtype=object), format="ISO8601", utc=True, errors="coerce")
    micros = stamps.dt.tz_localize(None).to_numpy("datetime64[us]")
    days: np.ndarray = (micros - np.datetime64(0, "us")) / np.timedelta64(1, "D")
    return days


def fitted(schema: Schema, X: np.ndarray, count: np.ndarray | None = None) -> Schema:
    """The schema with `fill`, `has_missing`, `integral` and `unseen_levels` of every column set from training rows.

    The rows are X, float64 (n_samples, n_columns); `count` is the multiplicity of each row, int64 (n_samples,), by
    default 1.
    """
    columns = (fitted_column(column, X[:, j], count) for j, column in enumerate(schema.columns))
    return replace(schema, columns=tuple(columns))


def fitted_column(column: Column, values: np.ndarray, count: np.ndarray | None = None) -> Column:
    """The column with the properties of its training values, float64 (n_samples,).

    For dates and ordered levels, the median is the lower of the two middle values, so that it is a value of the column.
    """
    missing = np.isnan(values)
    known = values[~missing] if missing.any() else values
    count = None if count is None else count[~missing]
    between = column.kind is Kind.NUMERIC
    if not len(known):
        fill = None
    elif column.kind in (Kind.BINARY, Kind.CATEGORICAL):
        fill = float(np.bincount(known.astype(np.int64), count).argmax())
    else:
        fill = median(known, count, between=between)
    integral = column.kind in (Kind.NUMERIC, Kind.DATE) and bool(np.all(known == np.floor(known)))
    unseen = tuple(np.setdiff1d(np.arange(len(column.levels)), known).tolist()) if column.levels else ()
    return replace(column, fill=fill, has_missing=bool(missing.any()), integral=integral, unseen_levels=unseen)


def median(values: np.ndarray, count: np.ndarray | None = None, *, between: bool = True) -> float:
    """The median of values, each `count` times; of two middle values the mean, or the lower one if not `between`.

    No sum overflows.
    """
    if count is None:
        # finding one position is several times as fast as finding two
        parted = np.partition(values, middle := len(values) // 2)
        high = parted[middle]
        low = high if len(values) % 2 else parted[:middle].max()
    else:
        low, high = (s * np.quantile(s * values, 0.5, method="inverted_cdf", weights=count) for s in (1, -1))
    return midpoint(float(low), float(high)) if between else float(low)
