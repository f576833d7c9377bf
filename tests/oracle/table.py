"""A table as the oracle reads it: rows of plain numbers, and all possible splits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any, NamedTuple

from solvers.diagram import Diagram, Leaf
from solvers.problem import Dataset, Kind, MissingPolicy

Tree = tuple
"""`(label,)` or `(split, tree of the yes side, tree of the no side)`."""


Answers = tuple[bool, ...]
"""The branches from the root to a position of a tree."""


class Question(NamedTuple):
    """A split on a column: '<=' a threshold, 'is' a level, or 'is missing'; `missing` is the branch of no value."""

    column: int
    op: str
    value: float
    missing: bool

    def answer(self, value: float | None) -> bool:
        """The branch of a value; `None` is missing."""
        if value is None:
            return self.missing
        if self.op == "is missing":
            return False
        return value == self.value if self.op == "is" else value <= self.value


class Table:
    """The cells of a dataset, `None` if missing; all rows are the bits of a number."""

    def __init__(self, dataset: Dataset) -> None:
        self.columns, self.policy = dataset.schema.columns, dataset.schema.missing
        self.names = [column.name for column in self.columns]
        self.families = {one.family: [c.name for c in self.columns if c.family == one.family] for one in self.columns}
        self.rows = [[None if math.isnan(v) else v for v in row] for row in dataset.X.tolist()]
        self.y, self.n, self.n_classes = dataset.y.tolist(), len(dataset.y), dataset.n_classes
        self.classes, self.positive = list(dataset.classes), dataset.positive
        self.groups = {g.name: (list(g.levels), g.codes.tolist()) for g in dataset.groups}
        self.numbers = dataset.rows.tolist()
        self._yes: dict[Question, int] = {}

    def values(self, column: int) -> list[float | None]:
        """The cells of a column."""
        return [row[column] for row in self.rows]

    def has_missing(self, column: int) -> bool:
        """Whether any cell of a column is missing."""
        return None in self.values(column)

    def yes(self, question: Question) -> int:
        """The rows on the yes side."""
        if question not in self._yes:
            cells = self.values(question.column)
            self._yes[question] = sum(1 << i for i, cell in enumerate(cells) if question.answer(cell))
        return self._yes[question]

    def same(self, one: Question, two: Question) -> bool:
        """Whether two splits are the same; the branch of missing values only matters if there are missing values."""
        return one[:3] == two[:3] and (one.missing == two.missing or not self.has_missing(one.column))

    def questions(
        self, ranges: Iterable[Any] = (), further: Iterable[Question] = (), rounded: Iterable[Any] = ()
    ) -> list[Question]:
        """Every split, with thresholds between any two neighbouring values, within ranges and on grids of constraints.

        A threshold may be any number from a value up to the next one. Here it is the value itself, or the lower end of
        a range that excludes the value; one number between two values is enough, even if leaves are compared.
        """
        found: dict[tuple, Question] = {}
        units = {self.names.index(name): Fraction(unit) for c in rounded for name, unit in c.units.items()}
        for column in range(len(self.columns)):
            for question in self._of_column(column, list(ranges), units.get(column)):
                found.setdefault((*question[:3], question.missing and self.has_missing(column)), question)
        for question in further:
            limits = self._range(question.column, list(ranges))
            unit = units.get(question.column)
            fits = limits[0] <= question.value <= limits[1]
            if question.op != "<=" or (fits and (unit is None or Fraction(str(question.value)) % unit == 0)):
                found.setdefault((*question[:3], question.missing and self.has_missing(question.column)), question)
        return list(found.values())

    def _range(self, column: int, ranges: list[Any]) -> tuple[float, float]:
        own = [c for c in ranges if c.column == self.names[column]]
        lows = [self.number(column, c.low) for c in own if c.low is not None]
        highs = [self.number(column, c.high) for c in own if c.high is not None]
        return max(lows, default=-math.inf), min(highs, default=math.inf)

    def _of_column(self, column: int, ranges: list[Any], unit: Fraction | None) -> Iterator[Question]:
        kind, fill = self.columns[column].kind, self.columns[column].fill
        filled = {fill} if self.policy is MissingPolicy.IMPUTE and self.has_missing(column) and fill is not None else {}
        known = sorted({v for v in self.values(column) if v is not None} | set(filled))
        low, high = self._range(column, ranges)
        if kind is Kind.BINARY:
            yield from self._each_missing(column, "is", 1.0)
        elif kind is Kind.CATEGORICAL:
            for level in known:
                yield from self._each_missing(column, "is", level)
        else:
            for value, following in zip(known, [*known, math.inf][1:], strict=True):
                threshold = max(value, low)
                if unit is not None:
                    threshold = float(math.ceil(Fraction(str(threshold)) / unit) * unit)
                if threshold < following and threshold <= high:
                    yield from self._each_missing(column, "<=", threshold)
        if self.has_missing(column):
            yield Question(column, "is missing", math.inf, True)

    def _each_missing(self, column: int, op: str, value: float) -> Iterator[Question]:
        fill = self.columns[column].fill
        if self.policy is MissingPolicy.IMPUTE and fill is not None:
            yield Question(column, op, value, Question(column, op, value, False).answer(fill))
        else:
            yield Question(column, op, value, False)
            if self.policy is MissingPolicy.INFORMATION and self.has_missing(column):
                yield Question(column, op, value, True)

    def number(self, column: int, value: object) -> float:
        """A value in the user's notation as a number of the matrix."""
        kind, levels = self.columns[column].kind, self.columns[column].levels
        if kind is Kind.DATE and isinstance(value, str):
            return (datetime.fromisoformat(value) - datetime(1970, 1, 1)) / timedelta(days=1)
        if kind.has_levels:
            return float(levels.index(str(value)))
        return float(Fraction(value))


def fixed_questions(
    top: Any, table: Table, place: tuple[bool, ...] = ()
) -> Iterator[tuple[tuple[bool, ...], Question]]:
    """The splits of a fixed top, each with the branches that lead to it."""
    column = table.names.index(top.column)
    if top.op == "is missing":
        yield place, Question(column, "is missing", math.inf, True)
    else:
        value = table.number(column, top.value)
        missing, fill = bool(top.missing), table.columns[column].fill
        if table.policy is MissingPolicy.IMPUTE and fill is not None:
            missing = Question(column, str(top.op), value, False).answer(fill)
        yield place, Question(column, str(top.op), value, missing)
    for answer, below in ((True, top.yes), (False, top.no)):
        if below is not None:
            yield from fixed_questions(below, table, (*place, answer))


def tree_of(diagram: Diagram, table: Table, node: int = 0) -> Tree:
    """A diagram of the program as a tree of the oracle; nodes with several paths are repeated."""
    place = diagram.nodes[node]
    if isinstance(place, Leaf):
        return (int(place.label),)
    predicate = place.predicate
    value = math.inf if predicate.value is None else float(predicate.value)
    missing = True if str(predicate.op) == "is missing" else bool(predicate.missing)
    question = Question(table.names.index(predicate.column), str(predicate.op), value, missing)
    return question, tree_of(diagram, table, place.yes), tree_of(diagram, table, place.no)


def n_questions(tree: Tree) -> int:
    """The number of splits of a tree."""
    return 0 if len(tree) == 1 else 1 + n_questions(tree[1]) + n_questions(tree[2])


def answers(tree: Tree, table: Table) -> list[int]:
    """The prediction for each row."""
    labels = []
    for row in table.rows:
        at = tree
        while len(at) > 1:
            at = at[1] if at[0].answer(row[at[0].column]) else at[2]
        labels.append(at[0])
    return labels
