"""Steps about the values of a column: levels that are one, values that say nothing, numbers that become levels."""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from solvers.problem.columns import Kind
from solvers.problem.preparation.base import CellsStep, ColumnStep, EntryType, Reading, entry, quoted
from solvers.problem.preparation.sheet import Sheet, retold, same_as
from solvers.problem.texts import format_number, is_missing_mark, listed


@dataclass(frozen=True)
class Replacement(CellsStep):
    """Some values of a column become another one."""

    values: tuple[str, ...] = entry(EntryType.VALUES, "Values")

    @property
    def becomes(self) -> str:
        """What the values become; '' for a missing value."""
        return ""

    def apply(self, sheet: Sheet) -> None:
        """Replace the values; a number is met in every spelling."""
        texts = sheet.texts(self.column)
        met = same_as(texts, self.values)
        if met.any():
            now = [self.becomes if hit else text for text, hit in zip(texts.text, met, strict=True)]
            sheet.put(self.column, retold(texts, now))


@dataclass(frozen=True)
class JoinLevels(Replacement):
    """Several levels, or classes of the outcome, are one."""

    kind: ClassVar[str] = "join"
    title: ClassVar[str] = "Join levels or classes"
    summary: ClassVar[str] = "Several values of a column count as one, under one name."

    to: str = entry(EntryType.NAME, "Together they are called")

    def fault(self) -> str:
        """A name that stands for a missing value."""
        if is_missing_mark(self.to):
            return f"'{self.to}' stands for a missing value. Choose another name, or the step 'Treat as missing'."
        return ""

    def words(self) -> str:
        """What is done."""
        others = quoted([value for value in self.values if value != self.to] or [self.to])
        return f"count {listed(others, 'and')} of '{self.column}' as '{self.to}'"

    @property
    def becomes(self) -> str:
        """The name of all."""
        return self.to


@dataclass(frozen=True)
class TreatAsMissing(Replacement):
    """Values that stand for 'not known'."""

    kind: ClassVar[str] = "missing"
    title: ClassVar[str] = "Treat values as missing"
    summary: ClassVar[str] = "Values such as -99 that stand for 'not known' count as missing."

    def words(self) -> str:
        """What is done."""
        return f"treat {listed(quoted(self.values), 'and')} of '{self.column}' as missing"


@dataclass(frozen=True)
class Cut(ColumnStep):
    """A column of numbers is cut into ranges."""

    kind: ClassVar[str] = "cut"
    title: ClassVar[str] = "Cut numbers at thresholds"
    summary: ClassVar[str] = "Numbers become ranges, for instance an outcome 'length of stay over 7 days'."

    thresholds: tuple[float, ...] = entry(
        EntryType.NUMBERS, "Thresholds", "A number that is equal to a threshold belongs to the range below."
    )
    names: tuple[str, ...] = entry(
        EntryType.VALUES, "Names of the ranges, lowest first", "By default 'up to 7' and 'over 7'.", default=()
    )
    to: str = entry(EntryType.NAME, "New column", "By default the column itself is cut.", default="")

    def fault(self) -> str:
        """Names that do not fit the thresholds."""
        n = len(self.thresholds) + 1
        if self.names and len(self.names) != n:
            return f"There are {n} ranges. They must have {n} different names. Got {len(self.names)}."
        if any(map(is_missing_mark, self.names)):
            return "A name of a range stands for a missing value. Choose another name."
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
        """What is done."""
        at = listed([format_number(limit) for limit in self.thresholds], "and")
        into = f" into '{self.to}'" if self.to not in ("", self.column) else ""
        named = f", called {listed(quoted(self.names), 'and')}" if self.names else ""
        return f"cut '{self.column}' at {at}{into}{named}"

    @property
    def makes(self) -> str:
        """The new column."""
        return self.to or self.column

    @property
    def readings(self) -> Mapping[str, Reading]:
        """The ranges in their order."""
        return {self.makes: Reading(Kind.BINARY if len(self.ranges) == 2 else Kind.ORDERED, self.ranges)}

    def apply(self, sheet: Sheet) -> None:
        """Find the range of each number."""
        texts, number = sheet.numbers(self.column)
        ranges = [
            "" if gone else self.ranges[bisect_left(self.thresholds, value)]
            for value, gone in zip(number.tolist(), texts.missing, strict=True)
        ]
        sheet.put(self.makes, retold(texts, ranges))
