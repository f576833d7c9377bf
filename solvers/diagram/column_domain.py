"""The values of a column that remain possible after some splits."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ..problem import Column, Op, Predicate


@dataclass(frozen=True)
class ColumnDomain:
    """An interval (low, high] of numbers or dates, or a set of levels; and whether known and missing values fit.

    `levels` is `None` for a column without levels; if `integral`, only integers are possible.
    """

    low: float = -math.inf
    high: float = math.inf
    levels: frozenset[int] | None = None
    known: bool = True
    missing: bool = True
    integral: bool = False

    @classmethod
    def whole(cls, column: Column, *, missing: bool = True, integral: bool = True) -> ColumnDomain:
        """All values of a column; optionally without missing values, or with fractions."""
        levels = frozenset(range(len(column.levels))) if column.kind.has_levels else None
        return cls(levels=levels, missing=missing, integral=integral and column.integral)

    @classmethod
    def had(cls, column: Column, *, missing: bool) -> ColumnDomain:
        """The values that occur in training rows: without levels that none of them has."""
        whole = cls.whole(column, missing=missing)
        return whole if whole.levels is None else replace(whole, levels=whole.levels.difference(column.unseen_levels))

    def within(self, predicate: Predicate, answer: bool) -> ColumnDomain:
        """The values of this domain for which a split has this result."""
        low, high, levels, known = self.low, self.high, self.levels, self.known
        if predicate.op is Op.MISSING:
            known = known and not answer
        elif levels is not None:
            value, is_level = predicate.operand, predicate.op is Op.IS
            levels = frozenset(k for k in levels if (k == value if is_level else k <= value) == answer)
        elif answer:
            high = min(high, predicate.operand)
        else:
            low = max(low, predicate.operand)
        return ColumnDomain(low, high, levels, known, self.missing and predicate.missing == answer, self.integral)

    @property
    def has_known(self) -> bool:
        """Whether the domain contains a known value."""
        if not self.known:
            return False
        if self.levels is not None:
            return bool(self.levels)
        if self.integral and math.isfinite(self.low):
            return math.floor(self.low) + 1 <= self.high
        return self.low < self.high

    def holds(self, value: float) -> bool:
        """Whether the domain contains a matrix value."""
        if math.isnan(value):
            return self.missing
        return self.known and (self.low < value <= self.high if self.levels is None else int(value) in self.levels)
