"""Constraints on the thresholds of a column."""

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Annotated

import numpy as np
from msgspec.structs import replace

from ..diagram import Diagram
from ..errors import ConstraintError
from ..problem import Dataset, Kind, Op, Predicate, Problem
from ..problem.texts import format_list
from ..problem.threshold_set import ThresholdSet
from .base import Constraint, ConstraintRecord, Finding, LazySequence, Topic, parameter
from .fields import FINEST_UNIT, ByColumn, FieldType
from .rules import Rule, ThresholdRange
from .values import Number, column_position, exact, matrix_value, shown, written_value

_End = Number | str | None
_NAMED = 4
"""The number of columns whose units `words` lists; the form and JSON list all."""


class _Thresholds(Constraint):
    """The permitted thresholds of some columns."""

    topic = Topic.FEATURES

    @abstractmethod
    def _permitted(self, dataset: Dataset) -> dict[str, ThresholdSet]:
        """The permitted thresholds by column; raises `ConstraintError` if a column can have none."""

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The splits with other thresholds; a split that combines columns has no threshold of a single one."""
        permitted, found = self._permitted(dataset), []
        for i, node in diagram.splits:
            predicate = node.predicate
            for name in permitted.keys() & set(predicate.columns):
                fits = isinstance(predicate, Predicate) and (
                    predicate.op is not Op.LE or predicate.operand in permitted[name]
                )
                if not fits:
                    found.append(f"node {i} has the split '{predicate.words(diagram.schema)}'")
        return tuple(found)

    def rules(self, problem: Problem) -> tuple[Rule, ...]:
        """The thresholds of each column."""
        data = problem.dataset
        return tuple(ThresholdRange(column_position(data, name), one) for name, one in self._permitted(data).items())


class ThresholdsWithin(_Thresholds, ConstraintRecord, frozen=True):
    """All thresholds of this feature lie in this range."""

    title = "Threshold range"
    formula = r"a \le \theta \le b \quad \text{for every question } x_c \le \theta"
    source = "Nanfack, Temple and Frénay (2023), table 1: range of threshold splits of continuous features"

    column: Annotated[str, parameter(FieldType.COLUMN, "Column", "Numbers, dates, or levels in order.")]
    low: Annotated[_End, parameter(FieldType.VALUE, "From", of="column")] = None
    high: Annotated[_End, parameter(FieldType.VALUE, "To", "Both ends are included.", of="column")] = None

    def fault(self) -> str:
        """At least one end is required."""
        return "Enter at least one end of the range." if self.low is None and self.high is None else ""

    def words(self, dataset: Dataset | None = None) -> str:
        """The sentence, such as 'thresholds of age are between 40 and 70'."""
        low, high = (None if end is None else shown(end) for end in (self.low, self.high))
        span = f"at most {high}" if low is None else f"at least {low}" if high is None else f"between {low} and {high}"
        return f"thresholds of {self.column} are {span}"

    def _ends(self, dataset: Dataset) -> tuple[float, float]:
        column = dataset.schema.columns[column_position(dataset, self.column)]
        if column.kind in (Kind.CATEGORICAL, Kind.BINARY):
            raise ConstraintError(f"'{self.column}' has no thresholds: its levels have no order.")
        low = -np.inf if self.low is None else matrix_value(column, self.low)
        high = np.inf if self.high is None else matrix_value(column, self.high)
        if self.low is not None and self.high is not None and low > high:
            raise ConstraintError(f"The range of '{self.column}' is empty: {shown(self.low)} to {shown(self.high)}.")
        return low, high

    def _permitted(self, dataset: Dataset) -> dict[str, ThresholdSet]:
        return {self.column: ThresholdSet(*self._ends(dataset))}

    def findings(self, problem: Problem) -> Iterator[Finding]:
        """An error if an end is no value of the column; a note if no threshold in the range separates rows."""
        low, high = self._ends(problem.dataset)
        values = problem.dataset.filled(column_position(problem.dataset, self.column))
        known = values[~np.isnan(values)]
        if not ((known > low).any() and (known <= high).any()):
            yield Finding.note(f"No threshold of '{self.column}' in this range separates any rows.")

    def weaker(self, problem: Problem) -> Sequence[Constraint]:
        """The range extended by one value of the column on either side, by two, and so on up to all values."""
        low, high = self._ends(problem.dataset)
        column = problem.dataset.schema[self.column]
        values = np.unique(problem.dataset.filled(problem.dataset.schema.index(self.column)))
        below, above = values[values < low][::-1], values[values > high]

        def end(now: _End, beyond: np.ndarray, i: int) -> _End:
            if not len(beyond):
                return now
            return written_value(column, float(beyond[min(i, len(beyond) - 1)]))

        steps = range(max(len(below), len(above)))
        return LazySequence(steps, lambda i: replace(self, low=end(self.low, below, i), high=end(self.high, above, i)))


class RoundThresholds(_Thresholds, ConstraintRecord, frozen=True):
    """Thresholds are multiples of a unit, such as 50, 55 or 60 for age."""

    title = "Round thresholds"
    formula = r"\theta \in \{0, \pm u_c, \pm 2 u_c, \dots\} \quad \text{for every question } x_c \le \theta"
    source = "A restriction of the thresholds of Nanfack, Temple and Frénay (2023), table 1"

    units: Annotated[
        ByColumn, parameter(FieldType.UNITS, "Units", "Unit of each feature. Other features have any threshold.")
    ]

    def fault(self) -> str:
        """At least one column is required."""
        return "" if self.units else "Choose at least one feature and its unit."

    def words(self, dataset: Dataset | None = None) -> str:
        """The sentence, such as 'thresholds are multiples of 5 for age and of 0.5 for lactate'; at most 5 columns."""
        first = list(self.units.items())[: _NAMED if len(self.units) > _NAMED + 1 else None]
        each = [f"of {shown(unit)} for {column}" for column, unit in first]
        if more := len(self.units) - len(first):
            each.append(f"of a unit each for {more} more features")
        return f"thresholds are multiples {format_list(each, 'and')}"

    def _permitted(self, dataset: Dataset) -> dict[str, ThresholdSet]:
        permitted = {}
        for name, unit in self.units.items():
            j = column_position(dataset, name)
            if dataset.schema.columns[j].kind is not Kind.NUMERIC:
                raise ConstraintError(f"'{name}' is not numeric, so it has no round thresholds.")
            permitted[name] = ThresholdSet(unit=Fraction(unit))
            if not permitted[name].covers(dataset.filled(j)):
                raise ConstraintError(
                    f"The unit {shown(unit)} is too fine for '{name}': its multiples have more than 15 digits."
                )
        return permitted

    def findings(self, problem: Problem) -> Iterator[Finding]:
        """An error if a column is not numeric; a note if no multiple of its unit separates rows."""
        for name, permitted in self._permitted(problem.dataset).items():
            values = np.unique(problem.dataset.filled(column_position(problem.dataset, name)))
            if not permitted.parting(values[~np.isnan(values)]).any():
                yield Finding.note(f"No multiple of {shown(self.units[name])} separates any rows by '{name}'.")

    def weaker(self, problem: Problem) -> Sequence[Constraint]:
        """Units a half or a fifth as large, so that they become 1, 2, 5 or 10 times a power of ten, twelve times."""
        finer = [self.units]
        for _ in range(12):
            finer.append({name: _finer(unit) for name, unit in finer[-1].items()})
        return LazySequence(finer[1:], lambda units: replace(self, units=units))


def round_thresholds(dataset: Dataset) -> RoundThresholds | None:
    """Round thresholds for all numeric columns of a table; `None` if it has none.

    The unit of a column is the largest of 1, 2 and 5 times a power of ten that is at most a tenth of the range of the
    central 90% of its values. It is at least 1 if all values are integers.
    """
    units: ByColumn = {}
    for column, values in zip(dataset.schema.columns, dataset.X.T, strict=True):
        known = values[~np.isnan(values)]
        if column.kind is not Kind.NUMERIC or not len(known):
            continue
        largest = float(np.abs(known).max()) or 1.0
        # in units of the largest value, so that no difference overflows
        low, high = np.quantile(known / largest, (0.05, 0.95))
        spread = (float(high - low) or float(np.ptp(known / largest))) * largest
        if not 0 < spread < math.inf:
            continue
        power = math.floor(math.log10(spread / 10))
        unit = max(Fraction(digit) * Fraction(10) ** power for digit in (1, 2, 5) if digit * 10.0**power <= spread / 10)
        unit = max(unit, Fraction(1)) if column.integral else max(unit, FINEST_UNIT)
        if ThresholdSet(unit=unit).covers(known):
            units[column.name] = exact(unit)
    return RoundThresholds(units) if units else None


def _finer(unit: Number) -> Number:
    """A half or a fifth of a unit, whichever is rounder; the unit itself if the result would be too fine to write."""
    digits = str(int(unit / FINEST_UNIT)).rstrip("0")
    smaller = Fraction(unit) / (5 if digits.endswith("5") else 2)
    return exact(smaller) if (smaller / FINEST_UNIT).denominator == 1 else unit
