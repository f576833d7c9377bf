"""The properties of a column: name, type, levels and fill value.

A table is one float matrix: numbers as they are, dates as days since 1970-01-01, levels as their index in
`Column.levels`, and NaN for a missing value.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..errors import DataError
from ..magnitude import midpoint
from .tables import Cells, Numbers, cells_of
from .texts import (
    Texts,
    abbreviate,
    composed,
    format_number,
    is_code,
    parse_numbers,
)

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
        if not all(map(self.has_level, self.unseen_levels)):
            raise DataError(f"The levels without rows of the column '{self.name}' must be some of its levels.")
        if self.fill is not None and self.kind.has_levels and not self.has_level(self.fill):
            raise DataError(f"The value that fills the column '{self.name}' must be one of its levels.")

    def has_level(self, value: float) -> bool:
        """Whether a value of the matrix is one of the levels."""
        return value == math.floor(value) and 0 <= value < len(self.levels)

    def has_date(self, value: float) -> bool:
        """Whether a value of the matrix can be written as a date."""
        try:
            self.format(value)
        except (OverflowError, ValueError):
            return False
        return True

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
