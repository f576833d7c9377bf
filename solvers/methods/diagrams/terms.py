"""Weighted sums: the terms that a table offers, scaled to [0, 1], and the required margin of a sum.

A term is a column of numbers, dates, ordered levels or two levels, or one level of a category. Scaled to its range in
the table, all terms have equal weight, so the distance between the two sides of a split can be compared with its
weights: the *margin* is the gap between the largest sum on the low side and the smallest on the high side, divided by
the sum of the absolute weights. A split whose margin is below `LEAST_MARGIN` depends on rounding; it is not used.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...problem import Dataset, LinearPredicate, Op, Orders, Problem, question_orders
from ...problem.predicate import simple_threshold
from ..trees.tree_of_splits import rank_question
from .draft import Question

LEAST_MARGIN = 1e-4
"""The least margin of a weighted sum: the paper's epsilon, which it adds for weights of at most 1 each."""

DIGITS = 4
"""Significant digits to which weights are rounded, if the rounded split divides the rows equally."""


@dataclass(frozen=True)
class Term:
    """One term: its order of splits, its column, its level or `None`, and its scale."""

    order: int
    column: int
    level: int | None
    low: float
    span: float


@dataclass(frozen=True)
class Terms:
    """All terms of a table; constant ones are omitted."""

    problem: Problem
    orders: Orders
    terms: tuple[Term, ...]

    def __len__(self) -> int:
        return len(self.terms)

    @cached_property
    def scaled(self) -> np.ndarray:
        """The scaled terms of all rows, in [0, 1], float64 (n_samples, n_terms)."""
        dataset = self.problem.dataset
        values = [(_values(dataset, term.column, term.level) - term.low) / term.span for term in self.terms]
        return np.array(values).reshape(len(self.terms), dataset.n_samples).T

    def find(self, column: int, level: int | None) -> int | None:
        """The position of a term; `None` if there is none."""
        for i, term in enumerate(self.terms):
            if (term.column, term.level) == (column, level):
                return i
        return None

    def weights(self, question: Question) -> np.ndarray | None:
        """A split's weights in scaled terms, float64 (n_terms,) of absolute sum 1; `None` if it has no such weights.

        For a split on one level, yes and no are swapped: the rows of the level have the larger sum.
        """
        schema = self.problem.dataset.schema
        weights = np.zeros(len(self))
        if isinstance(question, LinearPredicate):
            parts = [(schema.index(name), level, weight) for name, level, weight in question.terms]
        elif question.op is Op.MISSING:
            return None
        else:
            column = schema.index(question.column)
            by_level = question.op is Op.IS and self.find(column, None) is None
            parts = [(column, int(question.operand) if by_level else None, 1.0)]
        for column, level, weight in parts:
            at = self.find(column, level)
            if at is None:
                return None
            weights[at] = weight * self.terms[at].span
        size = np.abs(weights).sum()
        return weights / size if size > 0 else None

    def margin(self, question: Question, rows: np.ndarray) -> float:
        """The margin of a split for rows (positions); infinite if all are on one side, or if it is not a sum."""
        if not isinstance(question, LinearPredicate):
            return np.inf
        dataset = self.problem.dataset
        X = dataset.X[rows]
        yes, total = question.holds(dataset.schema, X), question.values(dataset.schema, X)
        weights = [
            abs(weight) * self.terms[at].span
            for name, level, weight in question.terms
            if (at := self.find(dataset.schema.index(name), level)) is not None
        ]
        if yes.all() or not yes.any() or not weights:
            return np.inf
        return float((total[~yes].min() - total[yes].max()) / sum(weights))

    def question(self, weights: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[Question, bool] | None:
        """The split with these weights that separates rows, in the user's units, and whether its yes side is low.

        The weights, float64 (n_terms,), are those of scaled terms; `low` and `high` are the rows (positions) with the
        smaller and with the larger sums, neither empty. `None` if it does not separate the rows by the least margin. A
        sum of one term becomes a split on its column.
        """
        support = np.flatnonzero(weights)
        if len(support) == 0:
            return None
        if len(support) == 1:
            return self._single(int(support[0]), low, high)
        largest = np.abs(weights).max()
        for digits in (DIGITS, None):
            predicate = self._sum(support, weights / largest, low, high, digits)
            if predicate is not None:
                return predicate, True
        return None

    def _single(self, at: int, low: np.ndarray, high: np.ndarray) -> tuple[Question, bool] | None:
        """A split on one term, with its threshold chosen as for all univariate splits."""
        term = self.terms[at]
        rank = self.orders.rank[term.order]
        first, second = (low, high) if rank[low].max() < rank[high].min() else (high, low)
        if rank[first].max() >= rank[second].min():
            return None
        rows = np.concatenate((low, high))
        predicate, low_is_yes = rank_question(self.problem, self.orders, rows, term.order, int(rank[first].max()))
        return predicate, low_is_yes == (first is low)

    def _sum(
        self, support: np.ndarray, weights: np.ndarray, low: np.ndarray, high: np.ndarray, digits: int | None
    ) -> LinearPredicate | None:
        dataset = self.problem.dataset
        terms = [self.terms[at] for at in support]
        per_unit = [float(weights[at] / self.terms[at].span) for at in support]
        if digits is not None:
            per_unit = [float(f"{weight:.{digits}g}") for weight in per_unit]
        levels = tuple(term.level for term in terms)
        names = tuple(dataset.schema.columns[term.column].name for term in terms)
        heavier = bool(self.problem.weights[low].sum() >= self.problem.weights[high].sum())
        draft = LinearPredicate(names, tuple(per_unit), 0.0, heavier, levels if set(levels) != {None} else ())
        total = draft.values(dataset.schema, dataset.X)
        least, most = float(total[low].max()), float(total[high].min())
        if not least < most:
            return None
        threshold = simple_threshold(least, most)
        predicate = LinearPredicate(names, draft.weights, threshold, heavier, draft.levels)
        return predicate if self.margin(predicate, np.concatenate((low, high))) >= LEAST_MARGIN else None


def terms_of(problem: Problem, columns: Collection[int] | None = None) -> Terms:
    """The terms of a problem's table, for all columns or only for these (positions).

    Missing values must have a fill value.
    """
    dataset, orders = problem.dataset, question_orders(problem.dataset)
    terms = []
    for i, spec in enumerate(orders.orders):
        column = int(orders.column[i])
        if spec.op is Op.MISSING or (columns is not None and column not in columns):
            continue
        level = spec.level if spec.op is Op.IS else None
        values = _values(dataset, column, level)
        low, span = float(values.min()), float(values.max()) - float(values.min())
        if 0 < span < np.inf:
            terms.append(Term(i, column, level, low, span))
    return Terms(problem, orders, tuple(terms))


def _values(dataset: Dataset, column: int, level: int | None) -> np.ndarray:
    """The values of a term, with missing values filled in if the policy says so."""
    x = dataset.filled(column)
    return x if level is None else (x == level).astype(np.float64)


def widest(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, float]:
    """The weights that separate two sets of points by the widest margin, by a linear program, and their margin.

    The sets are float64 (n_low, n_terms) and (n_high, n_terms), neither empty, and the weights float64 (n_terms,), of
    absolute sum at most 1. The margin is 0 if the sets are not separable.
    """
    from scipy.optimize import linprog

    low, high = np.unique(low, axis=0), np.unique(high, axis=0)
    d = low.shape[1]
    # p - q are the weights, then threshold t and gap: w x + gap / 2 <= t on the low side, w x - gap / 2 >= t on high
    below = np.hstack((low, -low, -np.ones((len(low), 1)), np.full((len(low), 1), 0.5)))
    above = np.hstack((-high, high, np.ones((len(high), 1)), np.full((len(high), 1), 0.5)))
    size = np.concatenate((np.ones(2 * d), (0, 0)))[None]
    limit = np.concatenate((np.zeros(len(low) + len(high)), (1,)))
    goal = np.zeros(2 * d + 2)
    goal[-1] = -1
    bounds = [(0, 1)] * (2 * d) + [(-1, 1), (0, None)]
    solved = linprog(goal, np.vstack((below, above, size)), limit, bounds=bounds, method="highs")
    if solved.x is None:
        return np.zeros(d), 0.0
    weights = solved.x[:d] - solved.x[d : 2 * d]
    weights[np.abs(weights) < 1e-9] = 0.0
    return weights, float(solved.x[-1])
