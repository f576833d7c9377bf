"""Multivariate splits: one separating hyperplane per place, equations (13) and (14) of Florio et al. (2023).

With x the terms of a row in ticks, `TICKS` for the range of a column, the weights a = p - q of absolute sum at most 1,
and the threshold b,

    sum over j of a_j x_j + e <= b + M (1 - w-)        sum over j of a_j x_j >= b - M (1 - w+)

The paper bounds each weight by 1; here their absolute sum is bounded: every hyperplane can be scaled so, and then e is
the margin itself. The coefficients are integers, so x is rounded, and e is `LEAST_MARGIN` reduced by half a tick for
the sums of each side. So no split with the margin is lost, and proofs hold for these splits; solutions that violate the
margin are rejected. With b between -TICKS sum of q and TICKS sum of p + e, M = max over j of max(x_j, TICKS - x_j) + e
is the largest possible violation of a row. With a limit on the columns of a split, or constraints on columns,
`uses[v, column]` is 1 if a column has a weight, like e in equation (16).
"""

from collections.abc import Collection
from typing import ClassVar

import numpy as np

from ....constraints.rules import PrecedenceRule, Rules, Sum
from ....problem import Problem
from ...cases import cases_of
from ...mip.thresholds import Given
from ...permitted import permitted_columns
from ..draft import Question, plain_yes
from ..terms import LEAST_MARGIN, Terms, terms_of, widest
from .network import HIGH, LOW, Network

TICKS = 100_000
"""The resolution of terms in the model: this many integer ticks for the range of a column."""

MARGIN = 9
"""The margin in ticks, `TICKS * LEAST_MARGIN`, less one: rounding moves the sums of a side by at most half a tick."""

TRACE = 1e-6
"""Weights below this are rounding errors of a solver."""


class Hyperplanes:
    """Splits on weighted sums of columns."""

    oriented: ClassVar[bool] = False

    def __init__(self, problem: Problem, rules: Rules) -> None:
        self._problem = problem
        self._columns = permitted_columns(rules, problem.dataset.n_columns)
        self.terms: Terms = terms_of(problem, self._columns)
        self.cases = cases_of(problem, self.terms.scaled.T)
        self._x = self.terms.scaled[self.cases.first]
        self._of = np.array([term.column for term in self.terms.terms], np.int64)
        self._column_at = {column: i for i, column in enumerate(dict.fromkeys(self._of.tolist()))}
        most = problem.size.split_features
        self._most = None if most is None or most >= len(self._column_at) else most
        by_column = bool(rules.path or rules.tree or any(rule.tests for rule in rules.of(Sum)))
        self._counts = by_column or self._most is not None
        pairs = {(rule.upper, rule.lower, rule.source) for rule in rules.of(PrecedenceRule)}
        self._apart = [(a, b) for a, b, source in sorted(pairs) if a < b and (b, a, source) in pairs]

    def post(self, net: Network) -> None:
        """Post hyperplanes, and the rows on their two sides."""
        model, n_nodes, d = net.model, net.frame.n_nodes, len(self.terms)
        self._plus, self._minus = model.variables((n_nodes, d)), model.variables((n_nodes, d))
        self._threshold = model.variables((n_nodes,), low=-TICKS, high=TICKS + MARGIN)
        model.at_most([(1, self._plus), (1, self._minus), (-1, net.on[:, None])], 0)
        b = self._threshold[:, None]
        model.at_most([(-TICKS, self._minus), (-1, b)], 0)
        model.at_most([(1, b), (-TICKS, self._plus), (-MARGIN, net.on[:, None])], 0)
        ticks = np.rint(TICKS * self._x)
        large = np.maximum(ticks, TICKS - ticks).max(axis=1) + MARGIN
        for place in range(n_nodes):
            plus, minus = (np.broadcast_to(at[place], ticks.shape) for at in (self._plus, self._minus))
            b = np.full((len(self._x), 1), self._threshold[place])
            low, high = net.through[LOW, :, [place]].T, net.through[HIGH, :, [place]].T
            total = [(ticks, plus), (-ticks, minus), (-1, b)]
            model.at_most([*total, (large[:, None], low)], large - MARGIN)
            model.at_most([*((-f, at) for f, at in total), (large[:, None], high)], large)
        if self._counts:
            self._count_columns(net)

    def _count_columns(self, net: Network) -> None:
        """Post which columns have a weight, equation (16), and their largest number."""
        model = net.model
        member = [np.flatnonzero(self._of == column) for column in self._column_at]

        def value(x: np.ndarray) -> np.ndarray:
            size = x[self._plus] + x[self._minus]
            return np.array([(size[:, terms].sum(axis=1) > 0) for terms in member], float).T

        self._uses = model.variables((net.frame.n_nodes, len(member)), whole=True, value=value)
        for i, terms in enumerate(member):
            model.at_most([(1, self._plus[:, terms]), (1, self._minus[:, terms]), (-1, self._uses[:, [i]])], 0)
        if self._most is not None:
            model.at_most([(1, self._uses), (-self._most, net.on[:, None])], 0)
        for pair in self._apart:
            both = [self._column_at[column] for column in pair if column in self._column_at]
            if len(both) == 2:
                model.at_most([(1, self._uses[:, both])], 1)

    def asks_about(self, columns: Collection[int], place: int) -> np.ndarray:
        """The variables that are 1 if these columns have a weight."""
        at = [self._column_at[column] for column in columns if column in self._column_at]
        return np.asarray(self._uses[place, at][None])

    def question(
        self, values: np.ndarray, place: int, low: np.ndarray, high: np.ndarray
    ) -> tuple[Question, bool] | None:
        """The split that separates the rows by the widest margin, on the columns that have weights in the solution."""
        if not (len(low) and len(high)):
            passing = plain_yes(self._problem.dataset, self._columns)
            return None if passing is None else (passing, bool(len(low) or not len(high)))
        weights = values[self._plus[place]] - values[self._minus[place]]
        support = np.abs(weights) > TRACE
        if self._counts:
            used = values[self._uses[place]] > 0.5
            support = used[[self._column_at[column] for column in self._of.tolist()]]
        scaled = self.terms.scaled
        best = np.zeros(len(weights))
        best[support], margin = widest(scaled[np.ix_(low, support)], scaled[np.ix_(high, support)])
        return None if margin < LEAST_MARGIN else self.terms.question(best, low, high)

    def given(self, place: int, question: Question, rows: np.ndarray) -> tuple[Given, bool] | None:
        """Weights, and the threshold in the middle of the gap between the rows that reach the place."""
        dataset, d = self._problem.dataset, len(self.terms)
        yes = question.holds(dataset.schema, dataset.X[rows])
        if yes.all() or not yes.any():
            return self._written(place, np.zeros(d), MARGIN), bool(yes.all())
        weights = self.terms.weights(question)
        if weights is None:
            return None
        total = self.terms.scaled[rows] @ weights
        low_is_yes = bool(total[yes].max() < total[~yes].min())
        low, high = (yes, ~yes) if low_is_yes else (~yes, yes)
        below, above = float(total[low].max()), float(total[high].min())
        if above - below < LEAST_MARGIN:
            return None
        return self._written(place, weights, (TICKS * (below + above) + MARGIN) / 2), low_is_yes

    def _written(self, place: int, weights: np.ndarray, threshold: float) -> Given:
        return [
            (self._plus[place], np.maximum(weights, 0)),
            (self._minus[place], np.maximum(-weights, 0)),
            (self._threshold[[place]], np.array([threshold])),
        ]

    def flip_sides(self, values: Given) -> Given:
        """The weights with opposite signs."""
        (plus, p), (minus, q), (at, threshold) = values
        return [(plus, q), (minus, p), (at, MARGIN - threshold)]
