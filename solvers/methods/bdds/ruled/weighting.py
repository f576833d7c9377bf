"""An integer weighted sum of the cost and the limited sums of a BDD.

For multipliers p >= 0 and a positive factor, a BDD that satisfies all limits and costs at most K has

    factor * (p_0 * cost + p . sums)  <=  factor * (p_0 * K + p . limits)

so sets of splits whose best table exceeds the right side on the left are excluded. The minimum of the left side over
all tables is found like the least cost. The value of each distinct row is rounded down to an integer, and so is the
right side at the end: rounding the left side down can only let more sets through.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor

import numpy as np

from ....magnitude import LARGEST_TOTAL, LARGEST_WEIGHTED, sum_of
from ...features import Features
from ...multipliers import CuttingPlanes
from .rules import Posted

NO_SHARE = 2**62
"""The share for quantities whose tests are not weighted."""


@dataclass(frozen=True)
class Weighting:
    """An integer weighted sum.

    Attributes
    ----------
    posted : the problem and its rules.
    multiplier : int64 (1 + Q,), with the cost first; factor : of all of them.
    value : int64 (n_rows, n_classes), the amount a distinct row adds by predicted class.
    share : int64 (2 + Q,), by quantity of `kernels.bdd_rules`: units of tests that count as 1.
    """

    posted: Posted
    multiplier: np.ndarray
    factor: Fraction
    value: np.ndarray
    share: np.ndarray

    def budget(self, most_cost: int) -> int:
        """The largest weighted sum of a BDD that satisfies all limits and costs at most `most_cost`."""
        return floor(self._unit * most_cost + self._limits)

    def bound(self, least: int) -> int:
        """The least cost of a BDD that satisfies all limits, if no table has a weighted sum below `least`."""
        return ceil((least - self._limits) / self._unit)

    @property
    def _unit(self) -> Fraction:
        """The weight of a unit of cost."""
        return self.factor * int(self.multiplier[0])

    @cached_property
    def _limits(self) -> Fraction:
        """The weighted sum of the limits."""
        total = Fraction(0)
        limits, multipliers = self.posted.limits[1:].tolist(), self.multiplier[1:].tolist()
        for limit, multiplier, share in zip(limits, multipliers, self.share[2:].tolist(), strict=True):
            total += self.factor * multiplier * limit
            if 0 < share < NO_SHARE:
                total += Fraction(limit, share)
        return total

    @cached_property
    def features(self) -> Features:
        """The features with weighted sums as costs."""
        features = self.posted.features
        return replace(features, cases=replace(features.cases, cost=self.value))


def planes_of(posted: Posted) -> CuttingPlanes:
    """The proposals of multipliers for a problem; weighted sums span a quarter of 32 bits if this is precise enough."""
    spread = np.abs(posted.value.astype(float)).max(axis=2).sum(axis=0)
    return CuttingPlanes(posted.limits, spread, posted.problem.scale, (LARGEST_TOTAL // 2, LARGEST_WEIGHTED))


def weighting(posted: Posted, multiplier: np.ndarray) -> Weighting:
    """The weighted sum with these multipliers, without tests, reduced so that regrets of rows stay within 32 bits."""
    by_row = posted.value.transpose(0, 2, 1) @ multiplier
    largest = int(np.abs(posted.value).max(axis=2).sum(axis=0) @ multiplier)
    parts = max(1, -(-largest // (LARGEST_TOTAL // 4))) if multiplier[1:].any() else 1
    share = np.array([0, 0, *(0 if rule.tests is None else NO_SHARE for rule in posted.rules.sums)], np.int64)
    return Weighting(posted, multiplier, Fraction(1, parts), by_row // parts, share)


def with_tests(plain: Weighting) -> Iterator[Weighting]:
    """The plain weighting, then variants in finer units that weight tests by integer shares, with growing weights.

    The multiplier of such a sum is one over an integer. All values stay below `LARGEST_WEIGHTED`.
    """
    posted = plain.posted
    total = max(1, int(posted.value[:, 0].max(axis=1).sum()))
    unit = plain.factor * int(plain.multiplier[0])
    spread = sum_of(np.abs(plain.value).max(axis=1))
    finer = max(1, min(floor(LARGEST_TOTAL / (unit * total)), LARGEST_WEIGHTED // max(1, spread)))
    yield plain
    for power in range(-6, 5):
        share = plain.share.copy()
        for q, rule in enumerate(posted.rules.sums, 2):
            if rule.tests is not None:
                share[q] = max(1, floor(Fraction(rule.most(1)) / (Fraction(2) ** power * finer * unit * total)))
        yield Weighting(posted, plain.multiplier, plain.factor * finer, plain.value * finer, share)


def sums_of(weighting: Weighting, chosen: np.ndarray) -> np.ndarray:
    """Cost and sums of the table of least weighted sum, int64 (1 + Q,), without tests."""
    posted = weighting.posted
    cell = np.zeros(len(posted.value), np.int64)
    for f in chosen:
        cell = 2 * cell + posted.features.rows[:, f]
    weighted = np.zeros((2 ** len(chosen), weighting.value.shape[1]), np.int64)
    np.add.at(weighted, cell, weighting.value)
    label = weighted.argmin(axis=1)[cell]
    return np.asarray(posted.value[np.arange(len(cell)), :, label].sum(axis=0))
