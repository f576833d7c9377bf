"""The sensitivity and specificity that trees can have together: proved points, and what they exclude.

A tree that minimises `w` times the missed rows plus `v` times the false alarms (w, v > 0) has the most sensitivity of
all trees with its specificity, and no tree has less weighted cost. So each such search gives a point of the curve and
a line beyond which there is no tree. The weights follow from the line through two neighbouring points
(Aneja and Nair: Bicriteria Transportation Problem, Management Science 25(1), 1979).
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from itertools import product

import numpy as np

from ..constraints import Constraint, MaxFalseAlarms, MaxMissed, MinSensitivity, MinSpecificity
from ..constraints.rules import Sum
from ..constraints.values import positive_class, weights_of
from .answers import RateCurve, RatePoint
from .inquiry import Inquiry
from .relaxable import RelaxableConstraint

MOST_POINTS = 12
"""Maximum number of searches for points."""

TIME_SHARE, LONGEST = 0.3, 20.0
"""The curve takes at most this share of the time of the explanation, and at most these seconds."""

FINEST = 200
"""Largest denominator of a ratio of weights, so that costs stay small."""

MISSED, FALSE_ALARMS = (MinSensitivity, MaxMissed), (MinSpecificity, MaxFalseAlarms)

_Sums = tuple[int, int]
"""Missed rows and false alarms, in integer units of weight."""


def rate_curve(
    inquiry: Inquiry,
    relaxables: Sequence[RelaxableConstraint],
    lasting: Sequence[RelaxableConstraint],
    tell: Callable[[RateCurve], None],
) -> None:
    """Find points under the lasting constraints alone, report each, and rule out pairs of limits beyond the curve.

    Nothing is done unless one of the constraints limits the missed rows or the false alarms among all rows.
    """
    kinds = MISSED + FALSE_ALARMS
    found = [one for one in relaxables if isinstance(one.constraint, kinds) and one.constraint.who is None]
    if found:
        _Curve(inquiry, found, lasting, tell).run()


class _Curve:
    """The state of one curve."""

    def __init__(
        self,
        inquiry: Inquiry,
        found: Sequence[RelaxableConstraint],
        lasting: Sequence[RelaxableConstraint],
        tell: Callable[[RateCurve], None],
    ) -> None:
        self.inquiry, self.lasting, self.tell = inquiry, lasting, tell
        data = inquiry.problem.dataset
        classes = [positive_class(data, getattr(one.constraint, "positive", None)) for one in found]
        self.positive = classes[0]
        same = [one for one, positive in zip(found, classes, strict=True) if positive == self.positive]
        self.missed = [one for one in same if isinstance(one.constraint, MISSED)]
        self.false_alarms = [one for one in same if isinstance(one.constraint, FALSE_ALARMS)]
        self.asked = [
            min((self._limit(one.constraint) for one in limits), default=None)
            for limits in (self.missed, self.false_alarms)
        ]
        self.weights, self.unit = weights_of(data)
        self.is_positive = data.y == self.positive
        self.totals = self._weight(self.is_positive), self._weight(~self.is_positive)
        self.points: dict[_Sums, RatePoint] = {}

    def run(self) -> None:
        """Search between the two neighbours that are furthest apart, as long as time permits."""
        inquiry, (positives, negatives) = self.inquiry, self.totals
        end = inquiry.clock.elapsed + min(LONGEST, TIME_SHARE * inquiry.left)
        edges: list[tuple[bool, int, _Sums, _Sums]] = []

        def open_between(first: _Sums, last: _Sums) -> None:
            if first[0] < last[0] and first[1] > last[1]:
                # first where the constraints ask, then the widest gap
                sides = zip((first[0], last[1]), self.asked, (last[0], first[1]), strict=True)
                asked = any(limit is not None and low < limit < high for low, limit, high in sides)
                heappush(edges, (not asked, (first[0] - last[0]) * (first[1] - last[1]), first, last))

        open_between((0, negatives), (positives, 0))
        while edges and len(self.points) < MOST_POINTS and inquiry.clock.elapsed < end:
            *_, first, last = heappop(edges)
            ratio = Fraction(first[1] - last[1], last[0] - first[0]).limit_denominator(FINEST)
            weights = max(ratio.numerator, 1), ratio.denominator
            sums = self._solve(weights, end - inquiry.clock.elapsed)
            if sums is None:
                break
            self._take(sums, weights)
            if _cost(sums, weights) < min(_cost(first, weights), _cost(last, weights)):
                open_between(first, sums)
                open_between(sums, last)

    def _solve(self, weights: _Sums, seconds: float) -> _Sums | None:
        """Missed rows and false alarms of the proved best tree for these costs; `None` without a proof in time."""
        costs = np.zeros((self.inquiry.problem.dataset.n_classes,) * 2)
        costs[self.positive], costs[:, self.positive], costs[self.positive, self.positive] = *weights, 0
        diagram = self.inquiry.cheapest(tuple(map(tuple, costs.tolist())), self.lasting, seconds)
        if diagram is None:
            return None
        called = diagram.predict(self.inquiry.problem.dataset) == self.positive
        return self._weight(self.is_positive & ~called), self._weight(~self.is_positive & called)

    def _weight(self, rows: np.ndarray) -> int:
        return int(self.weights[rows].sum())

    def _take(self, sums: _Sums, weights: _Sums) -> None:
        """Store a proved point, rule out the limits that its line excludes, and report the curve."""
        for missed, false_alarms in product(self.missed, self.false_alarms):
            limits = self._limit(missed.constraint), self._limit(false_alarms.constraint)
            if _cost(limits, weights) < _cost(sums, weights):
                self.inquiry.rule_out([missed, false_alarms, *self.lasting])
        self.points[sums] = RatePoint(sums[0] / self.unit, sums[1] / self.unit, weights[0] / weights[1])
        positives, negatives = (total / self.unit for total in self.totals)
        asked = (None if limit is None else limit / self.unit for limit in self.asked)
        points = tuple(self.points[known] for known in sorted(self.points))
        self.tell(RateCurve(positives, negatives, points, *asked))

    def _limit(self, constraint: Constraint) -> int:
        """The largest permitted sum."""
        (rule,) = constraint.rules(self.inquiry.problem)
        assert isinstance(rule, Sum), "these constraints limit one sum"
        return rule.limit


def _cost(sums: _Sums, weights: _Sums) -> int:
    return weights[0] * sums[0] + weights[1] * sums[1]
