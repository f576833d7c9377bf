"""A weighted sum of the cost and the limited sums, and the multipliers that give the best lower bound.

For multipliers p >= 0, a BDD that satisfies all limits has

    unit * cost + p . sums  <=  unit * (most cost) + p . limits

so sets of splits whose best table exceeds the right side on the left are excluded. The minimum of the left side over
all tables is found like the least cost. The value of each distinct row is rounded down to an integer, and so is the
right side at the end: rounding the left side down can only let more sets through.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import floor, lcm

import numpy as np

from ....magnitude import LARGEST_TOTAL, LARGEST_WEIGHTED, sum_of
from ...features import Features
from ...multipliers import highest_bound
from ..subsets.sets import SetSearch
from .rules import Posted

ROUNDS = 15
"""The number of multipliers tried."""

NO_SHARE = 2**62
"""The share for quantities whose tests are not weighted."""

PRECISE = 8
"""Largest unit per distinct row: rounding down then loses at most 1/8 of a cost unit over all rows."""


@dataclass(frozen=True)
class Weighting:
    """An integer weighted sum.

    Attributes
    ----------
    posted : the problem and its rules.
    unit : weight of a unit of cost; multiplier : weight of a unit of each sum.
    value : int64 (n_rows, n_classes), the amount a distinct row adds by predicted class.
    share : int64 (2 + Q,), by quantity of `kernels.bdd_rules`: units of tests that count as 1.
    """

    posted: Posted
    unit: Fraction
    multiplier: tuple[Fraction, ...]
    value: np.ndarray
    share: np.ndarray

    def budget(self, most_cost: int) -> int:
        """The largest weighted sum of a BDD that satisfies all limits and costs at most `most_cost`."""
        return floor(self.unit * most_cost + self._limits)

    def bound(self, least: int) -> int:
        """The least cost of a BDD that satisfies all limits, if no table has a weighted sum below `least`."""
        return int(-floor((self._limits - least) / self.unit))

    @cached_property
    def _limits(self) -> Fraction:
        """The weighted sum of the limits."""
        pairs = zip(self.multiplier, self.posted.limits[1:].tolist(), strict=True)
        return sum((multiplier * limit for multiplier, limit in pairs), Fraction(0))

    @cached_property
    def features(self) -> Features:
        """The features with weighted sums as costs."""
        features = self.posted.features
        return replace(features, cases=replace(features.cases, cost=self.value))


def weighting(posted: Posted, real: np.ndarray) -> Weighting:
    """The weighted sum with real multipliers, in units of cost per unit of each sum, within 32 bits."""
    total = max(1, int(posted.value[:, 0].max(axis=1).sum()))
    spread = np.abs(posted.value[:, 1:].astype(float)).max(axis=2).sum(axis=0)
    real = np.where(real > 0, real, 0.0)
    plain = not real.any()
    largest = total + float(real @ spread)
    # costs and sums span a quarter of 32 bits in each direction, so regrets of rows stay within 32 bits
    room = Fraction(LARGEST_TOTAL / 4 / largest)
    unit = Fraction(1) if plain else room if room < 1 else Fraction(min(floor(room), PRECISE * len(posted.value)))
    fractions = [Fraction(float(one)) * unit for one in real]
    share = np.full(2 + len(fractions), NO_SHARE, np.int64)
    share[:2] = 0
    for q, rule in enumerate(posted.rules.sums):
        if rule.tests is None:
            share[q + 2] = 0
        else:
            fractions[q] = Fraction(0)
    # one common denominator: sums of products may exceed 64 bits before the division
    parts = lcm(unit.denominator, *(fraction.denominator for fraction in fractions))
    value = posted.value[:, 0].astype(object) * int(unit * parts)
    for q, fraction in enumerate(fractions, 1):
        if fraction and posted.value[:, q].any():
            value = value + posted.value[:, q].astype(object) * int(fraction * parts)
    whole = (value // parts).astype(np.int64)
    return Weighting(posted, unit, tuple(fractions), whole, share)


def with_tests(plain: Weighting) -> Iterator[Weighting]:
    """The plain weighting, then variants in finer units that weight tests by integer shares, with growing weights.

    The multiplier of such a sum is one over an integer. All values stay below `LARGEST_WEIGHTED`.
    """
    posted = plain.posted
    total = max(1, int(posted.value[:, 0].max(axis=1).sum()))
    spread = sum_of(np.abs(plain.value).max(axis=1))
    finer = max(1, min(floor(LARGEST_TOTAL / (plain.unit * total)), LARGEST_WEIGHTED // max(1, spread)))
    tested = [(q, rule) for q, rule in enumerate(posted.rules.sums) if rule.tests is not None]
    yield plain
    for power in range(-6, 5):
        share, multiplier = plain.share.copy(), [p * finer for p in plain.multiplier]
        for q, rule in tested:
            worth = Fraction(2) ** power * finer * plain.unit * total
            share[q + 2] = max(1, floor(Fraction(rule.most(1)) / worth))
            multiplier[q] = Fraction(1, int(share[q + 2]))
        yield Weighting(posted, plain.unit * finer, tuple(multiplier), plain.value * finer, share)


def steps(posted: Posted, size: int, rng: np.random.Generator) -> Iterator[tuple[Weighting, np.ndarray]]:
    """Successive weightings, each with a good set of `size` features, that approach the best lower bound.

    Cutting planes: each set gives a table, and a small linear program over all of them proposes the next multipliers.
    They are proposals only, since sets come from a local search; each weighting is a valid bound in itself.
    """
    n_sums = len(posted.limits) - 1
    real = np.zeros(n_sums)
    cuts: list[np.ndarray] = []
    for _ in range(ROUNDS if n_sums else 1):
        current = weighting(posted, real)
        search = SetSearch(current.features, size)
        for _ in range(min(4, search.climbs)):
            search.climb(rng)
        yield current, search.best
        if not n_sums:
            return
        cuts.append(_sums(posted, current, search.best))
        known, most = np.array(cuts), float(posted.value[:, 0].max(axis=1).sum()) + 1.0
        proposal = highest_bound(known[:, 0], known[:, 1:] - posted.limits[1:], most)
        if proposal is None or np.allclose(proposal[1], real, rtol=1e-6):
            return
        real = proposal[1]


def _sums(posted: Posted, weighting: Weighting, chosen: np.ndarray) -> np.ndarray:
    """Cost and sums of the table of least weighted sum, float64 (1 + Q,), without tests."""
    cell = np.zeros(len(posted.value), np.int64)
    for f in chosen:
        cell = 2 * cell + posted.features.rows[:, f]
    weighted = np.zeros((2 ** len(chosen), weighting.value.shape[1]), np.int64)
    np.add.at(weighted, cell, weighting.value)
    label = weighted.argmin(axis=1)[cell]
    return np.asarray(posted.value[np.arange(len(cell)), :, label].astype(float).sum(axis=0))
