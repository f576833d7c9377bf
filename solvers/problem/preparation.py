"""Preparation of a table in steps, which are saved, applied to a second file, and exported with the model.

    preparation = Preparation((Replace("crp", ("-99",)), Cut("stay", (7,), ("short", "long"))))
    prepared = preparation.apply(read_table("export.csv"))

A second file, and new rows for prediction, are also raw: the same steps prepare them. Each kind of step is one class,
whose fields define its checks, its JSON and its form on the screen.

>>> KeepRows("age", "is at least", ("18",)).words()
"keep rows where 'age' is at least 18"

A new kind needs one class here, its place in the union `Step`, and an export in `solvers/diagram/step_lines.py` and
`sql_preparation.py`.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple, get_args

import msgspec
import numpy as np
import pandas as pd
from msgspec import NODEFAULT, Meta

from ..errors import DataError
from .columns import Kind, parse_dates
from .json_text import read_json
from .number_spellings import are_dates_of_either_order, at_limit, limits_among
from .tables import Cells, Numbers, Table, cells_of
from .texts import (
    Texts,
    abbreviate,
    as_met,
    composed,
    format_list,
    format_number,
    is_missing_mark,
    nearest,
    parse_numbers,
    quoted,
    respelled,
    suggestion,
)


class Sheet:
    """A table that steps change in place.

    Attributes
    ----------
    n_rows : the number of rows of the original table.
    columns : the remaining cells by the current names of the columns, in order.
    rows : int64 (n_remaining,), the positions of the remaining rows in the original table.
    source : the original name of each column, or `None` if a step made its cells.
    refused : by row position, why a cell of the row cannot be read by a step; such a cell then counts as missing. If
        `refused` is `None`, such a cell is an error.
    """

    def __init__(self, columns: Mapping[str, Cells], n_rows: int, refused: dict[int, str] | None = None) -> None:
        """Start with the columns of a `Table`, which are not changed."""
        self.columns, self.n_rows, self.refused = dict(columns), n_rows, refused
        self.rows = np.arange(n_rows)
        self.source: dict[str, str | None] = {name: name for name in columns}

    def cells(self, name: str) -> Cells:
        """The remaining cells of a column; raises `DataError` if there is none of this name."""
        if name not in self.columns:
            near = nearest(name, list(self.columns), 1.0)
            hint = f" Rename '{near[0]}' to '{name}' first." if near else ""
            raise DataError(f"There is no column '{name}'.{hint} There are: {abbreviate(list(self.columns))}.")
        return self.columns[name]

    def texts(self, name: str) -> Texts:
        """The same as texts."""
        return self.cells(name).texts

    def numbers(self, name: str) -> np.ndarray:
        """A column as float64 (n_remaining,), NaN if missing.

        Raises `DataError` if there is no such column, or a cell is text or infinite.
        """
        cells = self.cells(name)
        if isinstance(cells, Numbers):
            return cells.value
        self._refuse(name, cells, np.isnan(cells.number) & ~cells.missing, "holds text where a number must be")
        self._refuse(name, cells, np.isinf(cells.number), "holds an infinite value")
        number: np.ndarray = np.where(np.isinf(cells.number), np.nan, cells.number)[cells.code]
        return number

    def days(self, name: str) -> np.ndarray:
        """A column of dates in days since 1970-01-01, float64 (n_remaining,), NaN if missing.

        Raises `DataError` if there is no such column, or a cell is no date.
        """
        texts = self.texts(name)
        day = np.full(len(texts.text), np.nan)
        day[~texts.missing] = parse_dates(texts.present)
        self._refuse(name, texts, np.isnan(day) & ~texts.missing, "holds a value that is not a date such as 2024-05-31")
        days: np.ndarray = day[texts.code]
        return days

    def put(self, name: str, cells: Cells) -> None:
        """Give a column new cells; a new column comes last."""
        self.columns[name], self.source[name] = cells, None

    def respell(self, name: str, spelled: Callable[[str], str]) -> None:
        """Replace each text of a column."""
        texts = self.texts(name)
        self.put(name, respelled(texts.code, [spelled(text) for text in texts.text]))

    def rename(self, name: str, to: str) -> None:
        """Give a column another name; it keeps its position."""
        self.cells(name)
        if to != name:
            self.columns = {to if one == name else one: cells for one, cells in self.columns.items() if one != to}
            self.source = {to if one == name else one: came for one, came in self.source.items() if one != to}

    def keep(self, kept: np.ndarray) -> None:
        """Keep only some of the remaining rows, bool (n_remaining,)."""
        if not kept.all():
            self.rows = self.rows[kept]
            self.columns = {name: cells.take(kept) for name, cells in self.columns.items()}

    def _refuse(self, name: str, texts: Texts, bad: np.ndarray, what: str) -> None:
        """Reject the rows with some of the distinct texts, bool (n_texts,)."""
        rows = np.flatnonzero(bad[texts.code])
        if not len(rows):
            return
        if self.refused is None:
            first = texts.text[texts.code[rows[0]]]
            raise DataError(
                f"The column '{name}' {what} ('{first}' in row {self.rows[rows[0]] + 1}). Add a step before this one "
                f"that treats such values as missing, or correct the cell."
            )
        for row in rows.tolist():
            text = abbreviate([texts.text[texts.code[row]]], 1)
            self.refused.setdefault(int(self.rows[row]), f"The column '{name}' {what} ('{text}').")


def is_one_of(texts: Texts, values: tuple[str, ...]) -> np.ndarray:
    """Which distinct texts equal one of some values, as text or as number: '-99.0' is '-99'."""
    numbers = parse_numbers(values)
    same_text = np.array([text in values for text in texts.text], bool)
    return same_text | np.isin(parse_numbers(texts.text), numbers[np.isfinite(numbers)])


class EntryType(StrEnum):
    """The content of a field of a step."""

    COLUMN = "column"
    NAME = "name"
    VALUES = "values"
    NUMBERS = "numbers"
    CHOICE = "choice"


_MUST_BE = {
    EntryType.COLUMN: "the name of a column",
    EntryType.NAME: "a name",
    EntryType.VALUES: "a list of one or more values",
    EntryType.NUMBERS: "a list of one or more numbers such as 0.5",
}


class Entry(NamedTuple):
    """A field of a step.

    Attributes
    ----------
    name : in Python and JSON; type : its content.
    label, help : on the screen.
    optional : whether it may be omitted.
    choices : the values of a choice.
    unless : the values of the step's choice for which the field is not used.
    """

    name: str
    type: EntryType
    label: str
    help: str
    optional: bool
    choices: tuple[str, ...]
    unless: tuple[str, ...] = ()


def _entry(type: EntryType, label: str, help: str = "", unless: tuple[str, ...] = ()) -> Meta:
    return Meta(title=label, description=help, extra={"type": type, "unless": unless})


_NO_LEVELS = tuple(kind for kind in Kind if not kind.has_levels)
_Values = Annotated[tuple[str, ...], _entry(EntryType.VALUES, "Values")]


class Reading(NamedTuple):
    """How a column is read after the steps: its type, and its levels in order; `None` to infer them."""

    kind: Kind | None = None
    levels: tuple[str, ...] | None = None


class _Step(msgspec.Struct, frozen=True, tag_field="kind", omit_defaults=True, forbid_unknown_fields=True):
    """One change of a table.

    Attributes
    ----------
    title, summary : the name on the screen, and what the step does, in a sentence.
    made_by : the field with the name of the column whose cells the step makes; `None` if it changes no cell.
    """

    title: ClassVar[str]
    summary: ClassVar[str]
    made_by: ClassVar[str | None] = None

    def __post_init__(self) -> None:
        for entry, info in zip(self.entries(), msgspec.structs.fields(self), strict=True):
            value = getattr(self, entry.name)
            if not (entry.optional and value == info.default):
                msgspec.structs.force_setattr(self, entry.name, _clean(entry, get_args(info.type)[0], value))
        if fault := self.fault():
            raise DataError(fault)

    @classmethod
    def entries(cls) -> tuple[Entry, ...]:
        """The fields in order."""
        form = []
        for field in msgspec.structs.fields(cls):
            of, meta = get_args(field.type)
            choices = tuple(one.value for one in of) if isinstance(of, type) and issubclass(of, StrEnum) else ()
            about = (meta.extra["type"], meta.title, meta.description, field.default is not NODEFAULT, choices)
            form.append(Entry(field.name, *about, meta.extra["unless"]))
        return tuple(form)

    @property
    def kind(self) -> str:
        """The name of its kind in JSON."""
        return str(self.__struct_config__.tag)

    def fault(self) -> str:
        """Why the fields are inconsistent, in a sentence; '' if they are consistent."""
        return ""

    def words(self) -> str:
        """The step in words, such as "rename 'sex' to 'gender'"."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.words()

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns whose cells the step needs."""
        return tuple(getattr(self, entry.name) for entry in self.entries() if entry.type is EntryType.COLUMN)

    @property
    def makes(self) -> str | None:
        """The column whose cells the step makes; `None` if it changes no cell."""
        return None if self.made_by is None else str(getattr(self, self.made_by))

    @property
    def readings(self) -> Mapping[str, Reading]:
        """How columns are read after this step."""
        return {}

    def apply(self, sheet: Sheet) -> None:
        """Change the table.

        Raises `DataError` if a column does not exist, or a cell does not fit.
        """
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        """The JSON object that `step_from_json` reads; defaults are omitted."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        return {name: list(value) if isinstance(value, tuple) else value for name, value in data.items()}


def _clean(entry: Entry, type: Any, value: Any) -> Any:
    """The value of a field, composed and without surrounding blanks; raises `DataError` if it does not fit."""
    if entry.type is EntryType.VALUES:
        type = tuple[str | float, ...]
    try:
        value = msgspec.convert(value, type, strict=entry.type is not EntryType.NUMBERS)
        if entry.type is EntryType.CHOICE:
            return value
        if isinstance(value, str):
            value = composed(value.strip())
        elif entry.type is EntryType.NUMBERS:
            value = tuple(sorted(set(filter(math.isfinite, value))))
        else:
            texts = (composed(one.strip()) if isinstance(one, str) else format_number(one) for one in value)
            value = tuple(dict.fromkeys(texts))
        if not value or value[0] == "":
            raise ValueError
    except ValueError:
        must_be = f"one of {', '.join(entry.choices)}" if entry.choices else _MUST_BE[entry.type]
        raise DataError(f"'{entry.label}' must be {must_be}, but is {value!r}.") from None
    return value


def _quote(values: tuple[str, ...], word: str) -> str:
    return format_list([f"'{value}'" for value in values], word)


class _ColumnStep(_Step, frozen=True):
    """A step that reads one column."""

    column: Annotated[str, _entry(EntryType.COLUMN, "Column")]


class Rename(_ColumnStep, frozen=True, tag="rename"):
    """Give a column another name."""

    title: ClassVar[str] = "Rename a column"
    summary: ClassVar[str] = "Later steps and the model use the new name."
    made_by: ClassVar[str | None] = "to"

    to: Annotated[str, _entry(EntryType.NAME, "New name")]

    def words(self) -> str:
        """The step in words."""
        return f"rename '{self.column}' to '{self.to}'"

    def apply(self, sheet: Sheet) -> None:
        """Change the name."""
        sheet.rename(self.column, self.to)


class SetType(_ColumnStep, frozen=True, tag="type"):
    """Read a column as another type than the inferred one; its levels may get an order."""

    title: ClassVar[str] = "Set type and order of levels"
    summary: ClassVar[str] = (
        "The model reads the column as this type. List the levels of an ordered column, lowest first."
    )

    type: Annotated[Kind, _entry(EntryType.CHOICE, "Type")]
    levels: Annotated[tuple[str, ...], _entry(EntryType.VALUES, "Levels, lowest first", unless=_NO_LEVELS)] = ()

    def fault(self) -> str:
        """An error if there are levels for a type without levels, or not 2 for a binary column."""
        if self.levels and not self.type.has_levels:
            return f"A column of the type '{self.type}' has no levels. Leave them out, or choose 'ordered'."
        if self.levels and self.type is Kind.BINARY and len(self.levels) != 2:
            return f"A binary column has 2 levels, but {len(self.levels)} are listed. List 2, or choose 'ordered'."
        return ""

    def words(self) -> str:
        """The step in words."""
        levels = f": {' < '.join(self.levels)}" if self.levels else ""
        return f"read '{self.column}' as {self.type}{levels}"

    @property
    def readings(self) -> Mapping[str, Reading]:
        """The type and the levels."""
        ordered = self.type is Kind.ORDERED and self.levels
        return {self.column: _of_levels(self.levels) if ordered else Reading(self.type, self.levels or None)}

    def apply(self, sheet: Sheet) -> None:
        """Change no cell, but raise an error if the column does not exist."""
        sheet.cells(self.column)


def _of_levels(levels: tuple[str, ...]) -> Reading:
    """Levels in order; the order of two of them does not matter."""
    return Reading(Kind.BINARY if len(levels) == 2 else Kind.ORDERED, levels)


class Replace(_ColumnStep, frozen=True, tag="replace"):
    """Several values, such as levels or classes of the outcome, become one, or missing if `to` is empty."""

    title: ClassVar[str] = "Replace values"
    summary: ClassVar[str] = (
        "Several values become one level or class. Leave the new value empty to mark codes such as -99 as missing."
    )
    made_by: ClassVar[str | None] = "column"

    values: _Values
    to: Annotated[str, _entry(EntryType.NAME, "New value")] = ""

    def fault(self) -> str:
        """An error if the new value is a mark for a missing value."""
        if self.to and is_missing_mark(self.to):
            return f"'{self.to}' means a missing value. Leave the new value empty, or choose another one."
        return ""

    def words(self) -> str:
        """The step in words."""
        if not self.to:
            return f"treat {_quote(self.values, 'and')} of '{self.column}' as missing"
        others = tuple(value for value in self.values if value != self.to) or (self.to,)
        return f"count {_quote(others, 'and')} of '{self.column}' as '{self.to}'"

    def apply(self, sheet: Sheet) -> None:
        """Replace the values."""
        texts = sheet.texts(self.column)
        if (met := is_one_of(texts, self.values)).any():
            replaced = dict(zip(texts.text, met.tolist(), strict=True))
            sheet.respell(self.column, lambda text: self.to if replaced[text] else text)


class Form(StrEnum):
    """How to read the cells of a column."""

    DAY_FIRST = "day first"
    MONTH_FIRST = "month first"
    EXCHANGED = "day and month exchanged"
    LIMIT = "the limit"
    HALF = "half the limit"

    @property
    def is_date(self) -> bool:
        """Whether the cells are dates."""
        return self in _DATES


_DATES = {
    Form.DAY_FIRST: ("([0-9]{1,2})[./-]([0-9]{1,2})[./-]([0-9]{4})(.*)", (3, 2, 1)),
    Form.MONTH_FIRST: ("([0-9]{1,2})[./-]([0-9]{1,2})[./-]([0-9]{4})(.*)", (3, 1, 2)),
    Form.EXCHANGED: ("([0-9]{4})[./-]([0-9]{1,2})[./-]([0-9]{2})(.*)", (1, 3, 2)),
}
"""The pattern of a date in each order, and which of its groups are year, month and day; the fourth is the time."""


class ReadAs(_ColumnStep, frozen=True, tag="read"):
    """Cells are read as dates with the day or the month first, or as the number at a limit such as '<0.5'."""

    title: ClassVar[str] = "Read as date or number"
    summary: ClassVar[str] = (
        "Dates such as 03/04/2024 become year-month-day. Limits such as '<0.5' become the limit or half the limit."
    )
    made_by: ClassVar[str | None] = "column"

    form: Annotated[
        Form,
        _entry(
            EntryType.CHOICE,
            "Read as",
            "'day and month exchanged' corrects dates that were read in the wrong order.",
        ),
    ]
    values: Annotated[
        tuple[str, ...], _entry(EntryType.VALUES, "Limits", "The cells to convert, such as '<0.5'.", tuple(_DATES))
    ] = ()

    def fault(self) -> str:
        """An error if there are limits for dates, none for numbers, or a value that is no limit."""
        if self.form.is_date:
            return f"'{self.form}' takes no limits. Leave them out." if self.values else ""
        if not self.values:
            return f"'{self.form}' needs the cells to convert, such as '<0.5'."
        others = [value for value in self.values if at_limit(value) is None]
        return f"'{others[0]}' names no limit, such as '<0.5'. Leave it out." if others else ""

    def words(self) -> str:
        """The step in words."""
        if self.form.is_date:
            return f"read the dates of '{self.column}' ({self.form})"
        return f"read {quoted(self.values, 4)} of '{self.column}' as {self.form}"

    @property
    def date(self) -> tuple[str, tuple[int, int, int]]:
        """The pattern of a date, as a regular expression, and the positions of year, month and day among its groups."""
        return _DATES[self.form]

    @property
    def numbers(self) -> dict[str, str]:
        """The number that each limit becomes."""
        limits = {value: float(at_limit(value) or 0) for value in self.values}
        half = self.form is Form.HALF
        return {
            value: format_number(limit / 2 if half and value[0] in "<≤" else limit) for value, limit in limits.items()
        }

    def apply(self, sheet: Sheet) -> None:
        """Convert dates to year-month-day, or replace limits by numbers."""
        numbers = {} if self.form.is_date else self.numbers
        sheet.respell(self.column, self._iso if self.form.is_date else lambda text: numbers.get(text, text))

    def _iso(self, text: str) -> str:
        pattern, places = self.date
        found = re.fullmatch(pattern, text, re.DOTALL)
        if not found:
            return text
        year, month, day = (found[place] for place in places)
        return f"{year}-{month:0>2}-{day:0>2}{found[4]}"


class Cut(_ColumnStep, frozen=True, tag="cut"):
    """A column of numbers becomes levels."""

    title: ClassVar[str] = "Cut numbers at thresholds"
    summary: ClassVar[str] = "Numbers become ranges, for instance the outcome 'stay over 7 days'."
    made_by: ClassVar[str | None] = "column"

    thresholds: Annotated[
        tuple[float, ...],
        _entry(EntryType.NUMBERS, "Thresholds", "A number equal to a threshold belongs to the range below."),
    ]
    names: Annotated[
        tuple[str, ...],
        _entry(EntryType.VALUES, "Range names, lowest first", "By default 'up to 7' and 'over 7'."),
    ] = ()

    def fault(self) -> str:
        """An error if the names do not fit the thresholds."""
        n = len(self.thresholds) + 1
        if self.names and len(self.names) != n:
            return f"There are {n} ranges. They must have {n} different names, but have {len(self.names)}."
        if any(map(is_missing_mark, self.names)):
            return "A name of a range means a missing value. Choose another name."
        return ""

    @property
    def ranges(self) -> tuple[str, ...]:
        """The names of the ranges, the lowest first."""
        if self.names:
            return self.names
        limits = [format_number(limit) for limit in self.thresholds]
        between = (f"over {low} up to {high}" for low, high in pairwise(limits))
        return f"up to {limits[0]}", *between, f"over {limits[-1]}"

    def words(self) -> str:
        """The step in words."""
        at = format_list([format_number(limit) for limit in self.thresholds], "and")
        named = f", called {_quote(self.names, 'and')}" if self.names else ""
        return f"cut '{self.column}' at {at}{named}"

    @property
    def readings(self) -> Mapping[str, Reading]:
        """The ranges in their order."""
        return {self.column: _of_levels(self.ranges)}

    def apply(self, sheet: Sheet) -> None:
        """Find the range of each number."""
        numbers = sheet.numbers(self.column)
        place = np.where(np.isnan(numbers), -1, np.searchsorted(self.thresholds, numbers))
        sheet.put(self.column, as_met(place, [*self.ranges, ""]))


class Condition(StrEnum):
    """The condition on the rows to keep."""

    IS = "is"
    IS_NOT = "is not"
    AT_MOST = "is at most"
    AT_LEAST = "is at least"
    BELOW = "is less than"
    ABOVE = "is more than"
    KNOWN = "is known"

    @property
    def compares(self) -> bool:
        """Whether it compares numbers or dates."""
        return self in _COMPARISONS

    @property
    def sign(self) -> str:
        """The operator of a condition that compares, in Python, JavaScript and SQL."""
        return _COMPARISONS[self][0]


_COMPARISONS = {
    Condition.AT_MOST: ("<=", np.less_equal),
    Condition.AT_LEAST: (">=", np.greater_equal),
    Condition.BELOW: ("<", np.less),
    Condition.ABOVE: (">", np.greater),
}


class KeepRows(_ColumnStep, frozen=True, tag="keep"):
    """Only rows that satisfy a condition remain; a missing value equals no value, and no comparison with it holds."""

    title: ClassVar[str] = "Filter rows"
    summary: ClassVar[str] = "Drops all other rows. The model makes no prediction for them."

    condition: Annotated[Condition, _entry(EntryType.CHOICE, "Condition")]
    values: Annotated[
        tuple[str, ...],
        _entry(EntryType.VALUES, "Values", "Levels, or one number or date such as 2024-05-31.", (Condition.KNOWN,)),
    ] = ()

    def fault(self) -> str:
        """An error if the values do not fit the condition."""
        if self.condition is Condition.KNOWN:
            return "'is known' takes no values. Leave them out." if self.values else ""
        if not self.values:
            return f"'{self.condition}' needs a value."
        if not self.condition.compares:
            return ""
        if len(self.values) > 1:
            return f"'{self.condition}' needs one value, but has {len(self.values)}."
        if math.isfinite(self.limit):
            return ""
        return (
            f"'{self.condition}' needs a number such as 0.5, or a date such as 2024-05-31, but has '{self.values[0]}'."
        )

    @property
    def is_date(self) -> bool:
        """Whether it compares dates."""
        return self.condition.compares and math.isnan(parse_numbers(self.values)[0])

    @property
    def limit(self) -> float:
        """The number to compare with, or the date in days since 1970-01-01."""
        return float((parse_dates if self.is_date else parse_numbers)(self.values)[0])

    def words(self) -> str:
        """The step in words."""
        word = "and" if self.condition is Condition.IS_NOT else "or"
        values = self.values[0] if self.condition.compares else _quote(self.values, word)
        return f"keep rows where '{self.column}' {self.condition} {values}".rstrip()

    def apply(self, sheet: Sheet) -> None:
        """Drop the other rows."""
        if self.condition.compares:
            value = sheet.days(self.column) if self.is_date else sheet.numbers(self.column)
            sheet.keep(_COMPARISONS[self.condition][1](value, self.limit))
            return
        texts = sheet.texts(self.column)
        is_known = self.condition is Condition.KNOWN
        kept = ~texts.missing if is_known else is_one_of(texts, self.values) == (self.condition is Condition.IS)
        sheet.keep(kept[texts.code])


class Operation(StrEnum):
    """How to combine two columns."""

    MINUS = "minus"
    DIVIDED = "divided by"
    DAYS = "days to"


class Combine(_Step, frozen=True, tag="combine"):
    """A new column of numbers from two others, missing if either is missing or the result is not finite."""

    title: ClassVar[str] = "Combine two columns"
    summary: ClassVar[str] = "Adds a column: difference or ratio of two numbers, or days between two dates."
    made_by: ClassVar[str | None] = "to"

    first: Annotated[str, _entry(EntryType.COLUMN, "First column")]
    operation: Annotated[Operation, _entry(EntryType.CHOICE, "Operation")]
    second: Annotated[str, _entry(EntryType.COLUMN, "Second column")]
    to: Annotated[str, _entry(EntryType.NAME, "New column")]

    def words(self) -> str:
        """The step in words."""
        if self.operation is Operation.DAYS:
            return f"make '{self.to}': the days from '{self.first}' to '{self.second}'"
        return f"make '{self.to}': '{self.first}' {self.operation} '{self.second}'"

    @property
    def formula(self) -> tuple[str, str, str]:
        """A column, '-' or '/', and a column: the days to the second date are the second minus the first."""
        if self.operation is Operation.DAYS:
            return self.second, "-", self.first
        return self.first, "/" if self.operation is Operation.DIVIDED else "-", self.second

    def apply(self, sheet: Sheet) -> None:
        """Make the column."""
        one, sign, two = self.formula
        read = sheet.days if self.operation is Operation.DAYS else sheet.numbers
        first, second = read(one), read(two)
        with np.errstate(all="ignore"):
            result = first / second if sign == "/" else first - second
        sheet.put(self.to, cells_of(pd.Series(np.where(np.isfinite(result), result, np.nan))))


Step = Replace | ReadAs | Cut | Rename | SetType | KeepRows | Combine
"""A kind of step."""

STEPS: dict[str, type[Step]] = {str(cls.__struct_config__.tag): cls for cls in get_args(Step)}
"""The classes by their name in JSON, in the order in which the screen lists them."""


def step_from_json(data: Any) -> Step:
    """Read a step from its JSON object; raises `DataError` if the kind, a field or a value is invalid."""
    if not isinstance(data, Mapping) or "kind" not in data:
        raise DataError(f'A step must be an object with a "kind", but is {data!r}.')
    name = data["kind"]
    if not isinstance(name, str) or name not in STEPS:
        raise DataError(f"There is no step of the kind '{name}'. {suggestion(name, STEPS, 'There are')}")
    entries, fields = STEPS[name].entries(), {key: value for key, value in data.items() if key != "kind"}
    known = [entry.name for entry in entries]
    for key in fields:
        if key not in known:
            raise DataError(f"'{name}' has no field '{key}'. Its fields: {', '.join(known)}.")
    for entry in entries:
        if not entry.optional and fields.get(entry.name) is None:
            raise DataError(f"'{name}' needs the field '{entry.name}' ({entry.label.lower()}).")
    return STEPS[name](**fields)


def steps_that_read(name: str, cells: Cells) -> Iterator[Step]:
    """The steps that read a column as numbers or dates, if it may contain these but its inferred type differs."""
    if not isinstance(cells, Texts):
        return
    if values := limits_among(cells):
        yield Replace(name, values)
        yield ReadAs(name, Form.LIMIT, values)
        if any(value[0] in "<≤" for value in values):
            yield ReadAs(name, Form.HALF, values)
    if are_dates_of_either_order(cells):
        yield ReadAs(name, Form.DAY_FIRST)
        yield ReadAs(name, Form.MONTH_FIRST)


FORMAT, VERSION = "espalier-preparation", 1


class PreparedTable(NamedTuple):
    """A table after the steps.

    Attributes
    ----------
    table : its cells.
    rows : int64 (n_rows,), the positions of its rows in the raw table.
    readings : the types and levels that the steps set, by column.
    n_left_out : the number of rows that steps dropped.
    same : the columns whose cells no step changed.
    """

    table: Table
    rows: np.ndarray
    readings: Mapping[str, Reading]
    n_left_out: int = 0
    same: frozenset[str] = frozenset()


class Preparation(msgspec.Struct, frozen=True, dict=True, forbid_unknown_fields=True):
    """The steps, in order."""

    steps: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "steps", tuple(self.steps))

    def __bool__(self) -> bool:
        return bool(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def words(self) -> tuple[str, ...]:
        """The steps in words."""
        return tuple(step.words() for step in self.steps)

    @cached_property
    def readings(self) -> Mapping[str, Reading]:
        """The types and levels that the steps set, by the name of the column after all steps."""
        readings: dict[str, Reading] = {}
        for step in self.steps:
            former = readings.pop(step.reads[0] if isinstance(step, Rename) else step.makes or "", Reading())
            # new cells may have other levels; a type that was set without levels remains
            if former.kind and step.makes and (isinstance(step, Rename) or former.levels is None):
                readings[step.makes] = former
            readings |= step.readings
        return readings

    def apply(self, table: Table, refused: dict[int, str] | None = None, *, check: bool = True) -> PreparedTable:
        """Prepare a table.

        Parameters
        ----------
        table : the raw rows.
        refused : filled with the reason why a row has a cell that does not fit, by row position; such a cell counts as
            missing. By default it is an error.
        check : whether a new column that replaces an existing one is an error. The steps from `leading_to` do not read
            that one.

        Raises
        ------
        DataError
            A column does not exist, a new column already exists, or a cell does not fit: the message names the step,
            the column and the row, and says what to do.
        """
        if not self.steps:
            return PreparedTable(table, np.arange(table.n_rows), {}, same=frozenset(table.names))
        sheet = self._applied(Sheet(table.columns, table.n_rows, refused), check)
        levels = {name: table.levels[raw] for name, raw in sheet.source.items() if raw and raw in table.levels}
        prepared = replace(table, columns=sheet.columns, levels=levels)
        n_left_out = table.n_rows - prepared.n_rows
        same = [name for name, raw in sheet.source.items() if raw == name and not n_left_out]
        return PreparedTable(prepared, sheet.rows, self.readings, n_left_out, frozenset(same))

    def _applied(self, sheet: Sheet, check: bool) -> Sheet:
        for number, step in enumerate(self.steps, start=1):
            try:
                if check and step.makes and step.makes not in step.reads and step.makes in sheet.source:
                    raise DataError(f"There is a column '{step.makes}' already. Choose another name.")
                step.apply(sheet)
                if not len(sheet.rows) and sheet.n_rows and sheet.refused is None:
                    raise DataError("No row is left. Undo the step, or choose other values.")
            except DataError as error:
                raise DataError(f"Step {number} of the preparation ({step.words()}): {error}") from None
        return sheet

    def leading_to(self, names: Iterable[str], outcome: str) -> "Preparation":
        """The steps that a model needs for new rows: those that make these columns, and those that drop rows.

        Steps that drop rows by their outcome are not needed: new rows have none.
        """
        wanted, of_outcome = set(names), {outcome}
        needed: list[Step] = []
        for step in reversed(self.steps):
            if step.makes in of_outcome:
                of_outcome = (of_outcome - {step.makes}) | set(step.reads)
            if step.makes in wanted:
                needed.append(step)
                wanted = (wanted - {step.makes}) | set(step.reads)
            elif isinstance(step, KeepRows) and (step.column in wanted or step.column not in of_outcome):
                needed.append(step)
                wanted |= set(step.reads)
        return Preparation(tuple(reversed(needed)))

    def name_under(self, name: str, other: "Preparation") -> str:
        """The name of a column after other steps, which may begin with the same ones."""
        pairs = zip(self.steps, other.steps, strict=False)
        same = next((i for i, (mine, others) in enumerate(pairs) if mine != others), min(len(self), len(other)))
        for step in reversed(self.steps[same:]):
            if isinstance(step, Rename) and name == step.to:
                name = step.column
        for step in other.steps[same:]:
            if isinstance(step, Rename) and name == step.column:
                name = step.to
        return name

    def origins(self, name: str) -> frozenset[str]:
        """The other columns after all steps that a column derives from, or that derive from the same raw columns.

        If the column is the outcome, they are unknown for new rows, so they are not features.
        """
        # the raw columns behind each column, and the columns that a step made
        raw: dict[str, frozenset[str]] = {}
        for step in self.steps:
            if step.makes is None:
                continue
            sources = {one: raw.get(one, frozenset({one})) for one in step.reads}
            raw |= sources
            raw[step.makes] = frozenset().union(*sources.values())
            if isinstance(step, Rename) and step.column != step.to:
                del raw[step.column]
        of_outcome = raw.get(name, frozenset({name}))
        return frozenset(one for one, behind in raw.items() if one != name and behind <= of_outcome)

    def raw(self, names: Iterable[str]) -> tuple[str, ...]:
        """The columns of the raw table that these columns, and the remaining rows, depend on."""
        wanted = dict.fromkeys(names)
        for step in reversed(self.steps):
            if step.makes in wanted:
                del wanted[step.makes]
            elif step.makes is not None:
                continue
            wanted |= dict.fromkeys(step.reads)
        return tuple(wanted)

    def to_json(self) -> list[dict[str, Any]]:
        """The JSON list that `Preparation.from_json` reads."""
        return [step.to_json() for step in self.steps]

    @classmethod
    def from_json(cls, data: Any, what: str = "The list of steps") -> "Preparation":
        """The steps of a JSON list, or of an object with one under 'steps'; `what` names it in errors.

        Raises `DataError` if it is neither, or a step is invalid; the message says which.
        """
        if isinstance(data, dict):
            version = data.get("version", VERSION)
            if version != VERSION:
                raise DataError(f"{what} has the version {version!r}; this program reads version {VERSION}.")
            data = data.get("steps")
        if not isinstance(data, list):
            raise DataError(f"{what} must be a JSON list of steps, or an object with one under 'steps'.")
        steps = []
        for number, one in enumerate(data, start=1):
            try:
                steps.append(step_from_json(one))
            except DataError as error:
                raise DataError(f"{what}, step {number}: {error}") from None
        return cls(tuple(steps))

    def text(self) -> str:
        """The steps as the text of a file."""
        data = {"format": FORMAT, "version": VERSION, "steps": self.to_json()}
        return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def preparation_of(text: str | bytes, what: str = "The list of steps") -> Preparation:
    """The steps of a JSON text; raises `DataError` like `Preparation.from_json`."""
    try:
        data = read_json(text)
    except ValueError as error:
        raise DataError(f"{what} is not valid JSON: {error}.") from None
    return Preparation.from_json(data, what)


def read_preparation(path: Path | str) -> Preparation:
    """The steps of a file.

    Raises
    ------
    DataError
        There is no such file, or it has no valid steps; the message says which step is invalid.
    """
    try:
        content = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise DataError(
            f"The steps in '{path}' cannot be read ({error}). Name a file that the Data screen saved."
        ) from None
    return preparation_of(content, f"The file '{path}'")
