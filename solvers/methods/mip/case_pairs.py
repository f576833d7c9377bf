"""Monotone answers in linear programs: pairs of conceivable cases, followed as they turn out to be needed.

A model must be monotone on all conceivable cases, of which there are too many to follow. So a program follows none at
first. Where its solution answers two cases the wrong way round, the next one has both as cells that cost nothing, of
which the second may not be answered lower. Each program asks for less than the problem does, so its bound holds; and as
a question has the same threshold wherever it is asked (`Menu.question`), there are finitely many cases to tell apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...constraints.monotone import Box, MonotoneIn, whole_domain
from ...constraints.rules import FixedQuestion, Monotone, Rules
from ...diagram import ColumnDomain, Diagram
from ...problem import Dataset, Kind, Predicate, Problem, question_orders
from ..base import Unsupported
from .menu import menu_of

MOST_NEW = 8
"""How many pairs of cases are taken from one diagram for each constraint."""


@dataclass(frozen=True)
class CasePairs:
    """Pairs of conceivable cases.

    Attributes
    ----------
    values : float64 (n_pairs, 2, n_columns), what the cases hold; NaN where a value is missing.
    source : int64 (n_pairs,), the position of the constraint by which the second may not be answered lower.
    """

    values: np.ndarray
    source: np.ndarray

    @classmethod
    def none(cls, problem: Problem) -> CasePairs:
        """No pairs."""
        return cls(np.zeros((0, 2, problem.dataset.n_columns)), np.zeros(0, np.int64))

    def __len__(self) -> int:
        return len(self.source)

    @property
    def cases(self) -> np.ndarray:
        """The cases of all pairs, float64 (2 n_pairs, n_columns)."""
        return self.values.reshape(-1, self.values.shape[-1])

    def with_contradictions(self, problem: Problem, diagram: Diagram) -> CasePairs:
        """These and those by which a diagram breaks a constraint, where they are new."""
        known = {(pair.tobytes(), source) for pair, source in zip(self.values, self.source.tolist(), strict=True)}
        new = [(pair, source) for pair, source in _broken(problem, diagram) if (pair.tobytes(), source) not in known]
        if not new:
            return self
        values, source = zip(*new, strict=True)
        return CasePairs(np.concatenate((self.values, values)), np.concatenate((self.source, source)))


def _broken(problem: Problem, diagram: Diagram) -> Iterator[tuple[np.ndarray, int]]:
    """Some pairs of cases for each constraint that a diagram breaks, lower before upper, float64 (2, n_columns)."""
    for source, constraint in enumerate(problem.constraints):
        if isinstance(constraint, MonotoneIn):
            found = constraint.contradictions(diagram, problem.dataset)
            for (low, high), _ in zip(found, range(MOST_NEW), strict=False):
                yield _pair(problem.dataset, constraint.column, low, high), source


def _pair(dataset: Dataset, rising: str, low: Box, high: Box) -> np.ndarray:
    """A case of the one box that becomes one of the other by a larger value of one column, float64 (2, n_columns).

    No case is in both boxes, so their parts of the column lie one after the other.
    """
    pair = np.empty((2, dataset.n_columns))
    for j, name in enumerate(dataset.schema.names):
        first, second = (box.domains.get(name) or whole_domain(dataset, name) for box in (low, high))
        if name == rising:
            pair[0, j] = first.high if first.levels is None else min(first.levels)
            pair[1, j] = second.high if second.levels is None else max(second.levels)
        else:
            pair[:, j] = _common(first, second)
    return pair


def _common(a: ColumnDomain, b: ColumnDomain) -> float:
    """A value that fits both of two domains that meet."""
    if a.has_known and b.has_known:
        if a.levels is None or b.levels is None:
            if max(a.low, b.low) < min(a.high, b.high):
                return min(a.high, b.high)
        elif a.levels & b.levels:
            return float(min(a.levels & b.levels))
    return np.nan


def unsupported(problem: Problem, rules: Rules) -> Iterator[Unsupported]:
    """Fixed questions that part the rows as another one does and conceivable cases in another way."""
    fixed = [rule.predicate for rule in rules.of(FixedQuestion)]
    if len(fixed) < 2 or not rules.of(Monotone):
        return
    schema, menu = problem.dataset.schema, menu_of(problem, question_orders(problem.dataset), rules)
    standing: dict[tuple[int, int], Predicate] = {}
    for predicate in fixed:
        for family, cut, _ in menu.places(predicate)[:1]:
            other = standing.setdefault((family, cut), predicate)
            if other.value != predicate.value and schema[other.column].kind is not Kind.BINARY:
                yield Unsupported(
                    f"The fixed questions '{other.words(schema)}' and '{predicate.words(schema)}'",
                    "All rows answer them alike, but not all conceivable cases, of which monotone answers speak.",
                    "Fix the same question in both places, or remove the monotone constraint.",
                )
