"""Where the thresholds of a column may lie."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from solvers.constraints.base import Constraint, Each, Finding, Severity, Topic, parameter
from solvers.constraints.fields import FieldType
from solvers.constraints.rules import Rule, ThresholdRange
from solvers.constraints.values import Number, column_position, matrix_value, shown, written_value
from solvers.diagram import Diagram
from solvers.errors import ConstraintError
from solvers.language import tr
from solvers.problem import Dataset, Kind, Op, Predicate, Problem


@dataclass(frozen=True)
class ThresholdsWithin(Constraint):
    """The thresholds of a column lie in a range."""

    kind = "thresholds-within"
    title = "Range of thresholds"
    summary = "The column is only compared with values in this range, where its thresholds make sense."
    formula = r"a \le \theta \le b \quad \text{for every question } x_c \le \theta"
    source = "Nanfack, Temple and Frénay (2023), table 1: range of threshold splits of continuous features"
    topic = Topic.FEATURES

    column: str = parameter(FieldType.COLUMN, "Column", "Numbers, dates, or levels in order.")
    low: Number | str | None = parameter(FieldType.VALUE, "From", of="column", default=None)
    high: Number | str | None = parameter(
        FieldType.VALUE, "To", "Included, as the other end is.", of="column", default=None
    )

    def fault(self) -> str:
        """There must be an end."""
        return tr("At least one end of the range is needed.") if self.low is None and self.high is None else ""

    def words(self, dataset: Dataset | None = None) -> str:
        """'thresholds of age lie between 40 and 70'."""
        low, high = (None if end is None else shown(end) for end in (self.low, self.high))
        span = (
            tr("at most {high}", high=high)
            if low is None
            else tr("at least {low}", low=low)
            if high is None
            else tr("between {low} and {high}", low=low, high=high)
        )
        return tr("thresholds of {column} are {span}", column=self.column, span=span)

    def _ends(self, dataset: Dataset) -> tuple[float, float]:
        column = dataset.schema.columns[column_position(dataset, self.column)]
        if column.kind in (Kind.CATEGORICAL, Kind.BINARY):
            raise ConstraintError(tr("'{column}' has no thresholds: its levels have no order.", column=self.column))
        low = -np.inf if self.low is None else matrix_value(column, self.low)
        high = np.inf if self.high is None else matrix_value(column, self.high)
        if self.low is not None and self.high is not None and low > high:
            raise ConstraintError(
                tr(
                    "The range of '{column}' is empty: {low} to {high}.",
                    column=self.column,
                    low=shown(self.low),
                    high=shown(self.high),
                )
            )
        return low, high

    def findings(self, problem: Problem) -> Iterator[Finding]:
        """The ends must be values of the column; a note where no threshold is left."""
        low, high = self._ends(problem.dataset)
        values = problem.dataset.X[:, column_position(problem.dataset, self.column)]
        known = values[~np.isnan(values)]
        if not ((known > low).any() and (known <= high).any()):
            yield Finding(
                Severity.NOTE, tr("No threshold of '{column}' in this range separates any rows.", column=self.column)
            )

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The questions whose threshold is outside."""
        low, high = self._ends(dataset)
        found = []
        for i, node in diagram.splits:
            predicate = node.predicate
            # a question that combines columns has no threshold of this one
            fits = isinstance(predicate, Predicate) and (predicate.op is not Op.LE or low <= predicate.operand <= high)
            if self.column in predicate.columns and not fits:
                found.append(tr("node {i} asks '{words}'", i=i, words=predicate.words(diagram.schema)))
        return tuple(found)

    def weaker(self, problem: Problem) -> Sequence[Constraint]:
        """The range with one more value of the column on either side, with two more, and so on until it has all."""
        low, high = self._ends(problem.dataset)
        column = problem.dataset.schema[self.column]
        values = np.unique(problem.dataset.X[:, problem.dataset.schema.index(self.column)])
        below, above = values[values < low][::-1], values[values > high]

        def end(now: Number | str | None, beyond: np.ndarray, i: int) -> Number | str | None:
            if not len(beyond):
                return now
            return written_value(column, float(beyond[min(i, len(beyond) - 1)]))

        steps = range(max(len(below), len(above)))
        return Each(steps, lambda i: replace(self, low=end(self.low, below, i), high=end(self.high, above, i)))

    def rules(self, problem: Problem) -> tuple[Rule, ...]:
        """A range of the column."""
        return (ThresholdRange(column_position(problem.dataset, self.column), *self._ends(problem.dataset)),)
