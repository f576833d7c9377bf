"""Monotonicity constraints: predictions that never fall, or never rise, with a column."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ..diagram import ColumnDomain, Diagram, Leaf
from ..errors import ConstraintError
from ..problem import Dataset, Kind, LinearPredicate, Problem
from . import rules
from .base import ConstraintRecord, Finding, Topic, parameter
from .fields import FieldType
from .values import class_position, column_position

RISING, FALLING = "rising", "falling"


@dataclass(frozen=True)
class Box:
    """The feature values of one path to a leaf; columns without a split are unrestricted."""

    leaf: int
    label: int
    domains: dict[str, ColumnDomain]


def boxes(diagram: Diagram, dataset: Dataset) -> Iterator[Box]:
    """Every path to a leaf that some possible row takes.

    A missing value is possible if the training rows have one.
    """
    todo: list[tuple[int, dict[str, ColumnDomain]]] = [(0, {})]
    while todo:
        at, domains = todo.pop()
        node = diagram.nodes[at]
        if isinstance(node, Leaf):
            yield Box(at, node.label, domains)
            continue
        if isinstance(node.predicate, LinearPredicate):
            raise ConstraintError("Monotonicity is not checked for splits that combine columns.")
        name = node.predicate.column
        before = domains.get(name) or whole_domain(dataset, name)
        for answer, child in ((True, node.yes), (False, node.no)):
            after = before.within(node.predicate, answer)
            if after.has_known or after.missing:
                todo.append((child, {**domains, name: after}))


def whole_domain(dataset: Dataset, name: str) -> ColumnDomain:
    """All possible values of a column, missing included if the training rows have missing values."""
    j = dataset.schema.index(name)
    missing = bool(np.isnan(dataset.X[:, j]).any())
    return ColumnDomain.whole(dataset.schema.columns[j], missing=missing, integral=False)


def _meet(a: ColumnDomain, b: ColumnDomain) -> bool:
    """Whether the domains share a value, or both include missing."""
    if a.missing and b.missing:
        return True
    if not (a.has_known and b.has_known):
        return False
    if a.levels is not None and b.levels is not None:
        return bool(a.levels & b.levels)
    return max(a.low, b.low) < min(a.high, b.high)


def has_smaller(a: ColumnDomain, b: ColumnDomain) -> bool:
    """Whether some known value of `a` is smaller than some known value of `b`."""
    if not (a.has_known and b.has_known):
        return False
    if a.levels is not None and b.levels is not None:
        return min(a.levels) < max(b.levels)
    return a.low < b.high


class MonotoneIn(ConstraintRecord, frozen=True, tag="monotone"):
    """If this feature increases and all else is equal, the prediction never decreases (or never increases).

    The constraint covers all possible rows, not only those of the table: two leaves violate it if raising the column
    moves some row from one to the other and the prediction changes in the wrong direction. It does not apply to missing
    values of the column itself.
    """

    kind = "monotone"
    title = "Monotone in a feature"
    formula = r"x_c \le x'_c,\; x_{-c} = x'_{-c} \;\Rightarrow\; \hat y(x) \preceq \hat y(x')"
    source = "Ben-David (1995), 'Monotonicity maintenance in information-theoretic machine learning algorithms'"
    topic = Topic.FEATURES
    sees_answers = True

    column: Annotated[str, parameter(FieldType.COLUMN, "Column", "Numbers, dates, levels in order, or two levels.")]
    direction: Annotated[
        str,
        parameter(
            FieldType.CHOICE,
            "Direction",
            choices=((RISING, "prediction never decreases"), (FALLING, "prediction never increases")),
        ),
    ] = RISING
    order: Annotated[
        tuple[str, ...],
        parameter(
            FieldType.CLASSES,
            "Classes, low to high",
            "Leave empty for the order of the data. With two classes, the positive class is higher.",
        ),
    ] = ()

    def words(self, dataset: Dataset | None = None) -> str:
        """The sentence, such as 'if age increases, all else equal, the prediction never decreases'."""
        never = "decreases" if self.direction == RISING else "increases"
        order = self.order or (() if dataset is None else tuple(dataset.classes[k] for k in self._ranked(dataset)))
        scale = f" ({' < '.join(order)})" if order else ""
        return f"if {self.column} increases, all else equal, the prediction{scale} never {never}"

    def _ranked(self, dataset: Dataset) -> tuple[int, ...]:
        """The positions of the classes, from the lowest to the highest prediction."""
        if self.order:
            return tuple(class_position(dataset, name) for name in self.order)
        ranked = tuple(range(dataset.n_classes))
        return ranked[::-1] if dataset.n_classes == 2 and dataset.positive == 0 else ranked

    def findings(self, problem: Problem) -> Iterator[Finding]:
        """Errors if the column has no order or the order lacks classes; a note on the order of two levels."""
        dataset = problem.dataset
        column = dataset.schema.columns[column_position(dataset, self.column)]
        if column.kind is Kind.CATEGORICAL:
            raise ConstraintError(f"The levels of '{self.column}' have no order. Choose another feature.")
        if self.order and set(self.order) != set(dataset.classes):
            lacking = [name for name in dataset.classes if name not in self.order]
            raise ConstraintError(f"The order must list all classes. Missing: {', '.join(lacking)}.")
        if column.kind is Kind.BINARY:
            text = f"'{self.column}' increases from {column.levels[0]} to {column.levels[1]}."
            yield Finding.note(text, "column")

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The pairs of leaves that violate the constraint."""
        found = {
            (low.leaf, high.leaf): (
                f"leaf {low.leaf} predicts '{dataset.classes[low.label]}', and with larger {self.column} "
                f"leaf {high.leaf} predicts '{dataset.classes[high.label]}'"
            )
            for low, high in self.contradictions(diagram, dataset)
        }
        return tuple(found.values())

    def contradictions(self, diagram: Diagram, dataset: Dataset) -> Iterator[tuple[Box, Box]]:
        """Pairs of paths such that raising the column moves some row from the first to the second, against the rule."""
        rank = {label: i for i, label in enumerate(self._ranked(dataset))}
        sign = 1 if self.direction == RISING else -1
        everything = list(boxes(diagram, dataset))
        whole = whole_domain(dataset, self.column)
        for low in everything:
            for high in everything:
                if sign * (rank[high.label] - rank[low.label]) < 0 and self._rises(low, high, whole):
                    yield low, high

    def _rises(self, low: Box, high: Box, whole: ColumnDomain) -> bool:
        """Whether raising the column moves some row of `low` to `high`."""
        if not has_smaller(low.domains.get(self.column, whole), high.domains.get(self.column, whole)):
            return False
        others = (low.domains.keys() & high.domains.keys()) - {self.column}
        return all(_meet(low.domains[name], high.domains[name]) for name in others)

    def rules(self, problem: Problem) -> tuple[rules.Rule, ...]:
        """The direction of the column."""
        dataset = problem.dataset
        column = column_position(dataset, self.column)
        return (rules.Monotone(column, self._ranked(dataset), self.direction == RISING),)
