"""Steps that make a column of two others: their difference, their ratio, the days between two dates."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from solvers.problem.preparation.base import EntryType, Step, entry
from solvers.problem.preparation.sheet import Sheet, paired
from solvers.problem.texts import Texts, format_number


@dataclass(frozen=True)
class Combination(Step):
    """A number from two columns, missing where either is, or where it is not finite.

    Attributes
    ----------
    dates : whether it reads dates, in days, and not numbers.
    operation : of the first number and the second; of dates the other way round.
    """

    dates: ClassVar[bool] = False
    operation: ClassVar[np.ufunc] = np.subtract

    first: str = entry(EntryType.COLUMN, "First column")
    second: str = entry(EntryType.COLUMN, "Second column")
    to: str = entry(EntryType.NAME, "New column")

    @property
    def reads(self) -> tuple[str, ...]:
        """Both columns."""
        return self.first, self.second

    @property
    def makes(self) -> str:
        """The new column."""
        return self.to

    def apply(self, sheet: Sheet) -> None:
        """Make the column, one computation a pair of different cells."""
        read = sheet.days if self.dates else sheet.numbers
        (left, one), (right, two) = read(self.first), read(self.second)
        a, b, code = paired(left, right)
        with np.errstate(all="ignore"):
            pair = (two[b], one[a]) if self.dates else (one[a], two[b])
            values, place = np.unique(self.operation(*pair) + 0.0, return_inverse=True)
        texts = tuple(format_number(value) if np.isfinite(value) else "" for value in values.tolist())
        known = tuple(dict.fromkeys(texts))
        position = np.array([known.index(text) if not text else i for i, text in enumerate(texts)], np.int64)
        sheet.put(self.to, Texts(position[place.ravel()][code], known))


@dataclass(frozen=True)
class Difference(Combination):
    """What one number is more than another."""

    kind: ClassVar[str] = "difference"
    title: ClassVar[str] = "Difference of two columns"
    summary: ClassVar[str] = "A new column: the first number minus the second."

    def words(self) -> str:
        """What is done."""
        return f"make '{self.to}': '{self.first}' minus '{self.second}'"


@dataclass(frozen=True)
class Ratio(Combination):
    """One number divided by another."""

    kind: ClassVar[str] = "ratio"
    title: ClassVar[str] = "Ratio of two columns"
    summary: ClassVar[str] = "A new column: the first number divided by the second; missing where that is 0."
    operation: ClassVar[np.ufunc] = np.divide

    def words(self) -> str:
        """What is done."""
        return f"make '{self.to}': '{self.first}' divided by '{self.second}'"


@dataclass(frozen=True)
class DaysBetween(Combination):
    """The days from one date to another."""

    kind: ClassVar[str] = "days"
    title: ClassVar[str] = "Days between two dates"
    summary: ClassVar[str] = "A new column: the days from the first date to the second."
    dates: ClassVar[bool] = True

    def words(self) -> str:
        """What is done."""
        return f"make '{self.to}': the days from '{self.first}' to '{self.second}'"
