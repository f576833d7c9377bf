"""Steps that read cells otherwise than they are spelled: numbers at a limit, and dates with day or month first."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from solvers.problem.number_spellings import are_dates_of_either_order
from solvers.problem.plain_numbers import Cells
from solvers.problem.preparation.base import CellsStep, EntryType, Step, entry, quoted
from solvers.problem.preparation.sheet import Sheet, retold
from solvers.problem.preparation.values import JoinLevels, TreatAsMissing
from solvers.problem.sources.comparators import at_limit, limits_among
from solvers.problem.texts import Texts, abbreviated, format_number

THE_LIMIT, HALF = "the limit", "half the limit"
DAY_FIRST, MONTH_FIRST, DAY_SECOND = "day, month, year", "month, day, year", "year, day, month"

_FORMS = {
    DAY_FIRST: ("([0-9]{1,2})[./-]([0-9]{1,2})[./-]([0-9]{4})(.*)", (3, 2, 1)),
    MONTH_FIRST: ("([0-9]{1,2})[./-]([0-9]{1,2})[./-]([0-9]{4})(.*)", (3, 1, 2)),
    DAY_SECOND: ("([0-9]{4})[./-]([0-9]{1,2})[./-]([0-9]{2})(.*)", (1, 3, 2)),
}
"""What a date looks like in each order, and which of its groups are year, month and day; the fourth is the time."""


@dataclass(frozen=True)
class ReadLimits(CellsStep):
    """Cells that say only below or above what a value lies become numbers."""

    kind: ClassVar[str] = "limits"
    title: ClassVar[str] = "Read '<0.5' as a number"
    summary: ClassVar[str] = "Cells that say only below or above which limit a value lies become numbers."

    values: tuple[str, ...] = entry(EntryType.VALUES, "Values")
    number: str = entry(
        EntryType.CHOICE,
        "Number",
        "What lies above a limit, such as '>1000', is read as the limit in any case.",
        choices=(THE_LIMIT, HALF),
    )

    def fault(self) -> str:
        """A value that names no limit."""
        others = [value for value in self.values if at_limit(value) is None]
        return f"'{others[0]}' names no limit, such as '<0.5'. Leave it out." if others else ""

    def words(self) -> str:
        """What is done."""
        return f"read {abbreviated(quoted(self.values), 4)} of '{self.column}' as {self.number}"

    @property
    def parts(self) -> tuple[JoinLevels, ...]:
        """Each value becomes its number."""
        numbers = ((value, float(at_limit(value) or 0)) for value in self.values)
        half = self.number == HALF
        return tuple(
            JoinLevels(self.column, (value,), format_number(limit / 2 if half and value[0] in "<≤" else limit))
            for value, limit in numbers
        )

    def apply(self, sheet: Sheet) -> None:
        """Replace the values, all in one pass."""
        texts = sheet.texts(self.column)
        numbers = {value.strip(): part.to for part in self.parts for value in part.values}
        sheet.put(self.column, retold(texts, [numbers.get(text, text) for text in texts.text]))


@dataclass(frozen=True)
class ReadDates(CellsStep):
    """Dates are read with the day or the month first; those that are spelled otherwise stay."""

    kind: ClassVar[str] = "dates"
    title: ClassVar[str] = "Read dates"
    summary: ClassVar[str] = "Dates such as 03/04/2024 become year-month-day; or day and month change places."

    order: str = entry(
        EntryType.CHOICE,
        "Order",
        "'year, day, month' exchanges day and month of dates that are year-month-day already.",
        choices=(DAY_FIRST, MONTH_FIRST, DAY_SECOND),
    )

    def words(self) -> str:
        """What is done."""
        return f"read the dates of '{self.column}' as {self.order}"

    @property
    def spelling(self) -> tuple[str, tuple[int, int, int]]:
        """What a date looks like, as a regular expression, and the places of year, month and day among its groups."""
        return _FORMS[self.order]

    def apply(self, sheet: Sheet) -> None:
        """Spell each different date as year-month-day."""
        texts = sheet.texts(self.column)
        sheet.put(self.column, retold(texts, map(self._spelled, texts.text)))

    def _spelled(self, text: str) -> str:
        pattern, places = self.spelling
        found = re.fullmatch(pattern, text, re.DOTALL)
        if not found:
            return text
        year, month, day = (found[place] for place in places)
        return f"{year}-{month:0>2}-{day:0>2}{found[4]}"


def steps_that_read(name: str, cells: Cells) -> Iterator[Step]:
    """The steps by which a column becomes one of numbers or dates, where it may be either and is not read as such."""
    if not isinstance(cells, Texts):
        return
    if values := limits_among(cells):
        yield TreatAsMissing(name, values)
        yield ReadLimits(name, values, THE_LIMIT)
        if any(value[0] in "<≤" for value in values):
            yield ReadLimits(name, values, HALF)
    if are_dates_of_either_order(cells):
        yield ReadDates(name, DAY_FIRST)
        yield ReadDates(name, MONTH_FIRST)
