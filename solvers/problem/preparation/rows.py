"""The step that leaves only some rows of a table."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from solvers.problem.columns import parse_dates
from solvers.problem.preparation.base import ColumnStep, EntryType, entry, quoted
from solvers.problem.preparation.sheet import Sheet, same_as
from solvers.problem.texts import listed, parse_numbers


class Condition(StrEnum):
    """What must hold for a row to be kept."""

    IS = "is"
    IS_NOT = "is not"
    AT_MOST = "is at most"
    AT_LEAST = "is at least"
    BELOW = "is less than"
    ABOVE = "is more than"
    KNOWN = "is known"

    @property
    def compares(self) -> bool:
        """Whether it is about the size of a number, or about what is earlier."""
        return self in _SIGNS

    @property
    def sign(self) -> str:
        """How one that compares is spelled in Python, SQL and the languages of C's family."""
        return _SIGNS[self]


_SIGNS = {Condition.AT_MOST: "<=", Condition.AT_LEAST: ">=", Condition.BELOW: "<", Condition.ABOVE: ">"}


@dataclass(frozen=True)
class KeepRows(ColumnStep):
    """Rows for which something holds; a missing value is none of the values, and neither more nor less than any."""

    kind: ClassVar[str] = "keep"
    title: ClassVar[str] = "Keep some rows"
    summary: ClassVar[str] = "All other rows are left out; a model gives no answer for such a row."

    condition: str = entry(EntryType.CHOICE, "Keep rows where it", choices=tuple(one.value for one in Condition))
    values: tuple[str, ...] = entry(
        EntryType.VALUES, "Values", "Levels, or one number or date such as 2024-05-31.", default=()
    )

    def fault(self) -> str:
        """Values that the condition cannot take."""
        if Condition(self.condition) is Condition.KNOWN:
            return "'is known' takes no values. Leave them out." if self.values else ""
        if not self.values:
            return f"'{self.condition}' needs a value."
        if not Condition(self.condition).compares:
            return ""
        if len(self.values) > 1:
            return f"'{self.condition}' needs one value. Got {len(self.values)}."
        if np.isfinite(self.limit):
            return ""
        return f"'{self.condition}' needs a number such as 0.5, or a date such as 2024-05-31. Got '{self.values[0]}'."

    @property
    def is_date(self) -> bool:
        """Whether dates are compared."""
        return Condition(self.condition).compares and bool(np.isnan(parse_numbers(self.values)[0]))

    @property
    def limit(self) -> float:
        """What is compared with: a number, or a date in days since 1970-01-01."""
        return float((parse_dates if self.is_date else parse_numbers)(self.values)[0])

    def words(self) -> str:
        """What is done."""
        word = "and" if Condition(self.condition) is Condition.IS_NOT else "or"
        values = list(self.values) if Condition(self.condition).compares else quoted(self.values)
        return f"keep rows where '{self.column}' {self.condition} {listed(values or [''], word)}".rstrip()

    def apply(self, sheet: Sheet) -> None:
        """Leave out the other rows."""
        texts, kept = sheet.texts(self.column), Condition(self.condition)
        if kept.compares:
            texts, value = sheet.days(self.column) if self.is_date else sheet.numbers(self.column)
            with np.errstate(invalid="ignore"):
                holds = _COMPARE[kept](value, self.limit)
        elif kept is Condition.KNOWN:
            holds = ~texts.missing
        else:
            holds = same_as(texts, self.values) == (kept is Condition.IS)
        sheet.keep(holds[texts.code])


_COMPARE = {
    Condition.AT_MOST: np.less_equal,
    Condition.AT_LEAST: np.greater_equal,
    Condition.BELOW: np.less,
    Condition.ABOVE: np.greater,
}
