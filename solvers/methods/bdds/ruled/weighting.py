"""A weighted sum of the cost and of the limited sums, and the multipliers with which it bounds best.

For multipliers p of at least 0 a BDD that keeps all limits has

    unit * cost + p . sums  <=  unit * (most cost) + p . limits

so the sets of questions whose best table has more than that on the left need not be looked at. On the left the least
over all tables is found as the least cost is. Each distinct row is rounded down to whole numbers, and so is the right
side at the end: what is left out of the left side can only let more sets through.
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
from ..subsets.search import SetSearch
from .rules import Posted

ROUNDS = 15
"""Multipliers tried."""

NO_SHARE = 2**62
"""The share of tests that count for nothing."""

PRECISE = 8
"""The weighted sum of a row is rounded to so many parts of what is lost a row in all."""


@dataclass(frozen=True)
class Weighting:
    """A weighted sum in whole numbers.

    Attributes
    ----------
    posted : what is asked.
    unit : what a unit of cost adds; multiplier : what a unit of each sum adds.
    value : int64 (n_rows, n_classes), what a distinct row adds by its answer.
    share : int64 (2 + Q,), by quantity of `kernels.bdd_rules`: units of tests for 1.
    """

    posted: Posted
    unit: Fraction
    multiplier: tuple[Fraction, ...]
    value: np.ndarray
    share: np.ndarray

    def budget(self, most_cost: int) -> int:
        """The largest weighted sum of a BDD that keeps all limits and costs at most so much."""
        return floor(self.unit * most_cost + self._limits)

    def bound(self, least: int) -> int:
        """The least cost of a BDD that keeps all limits, where no table has a smaller weighted sum than this."""
        return int(-floor((self._limits - least) / self.unit))

    @cached_property
    def _limits(self) -> Fraction:
        """The weighted sum of the limits."""
        pairs = zip(self.multiplier, self.posted.limits[1:].tolist(), strict=True)
        return sum((multiplier * limit for multiplier, limit in pairs), Fraction(0))

    @cached_property
    def features(self) -> Features:
        """The features with weighted sums for costs."""
        features = self.posted.features
        return replace(features, cases=replace(features.cases, cost=self.value))


def weighting(posted: Posted, real: np.ndarray) -> Weighting:
    """The weighted sum with real multipliers, in units of cost a unit of each sum, as far as 32 bits go."""
    total = max(1, int(posted.value[:, 0].max(axis=1).sum()))
    spread = np.abs(posted.value[:, 1:].astype(float)).max(axis=2).sum(axis=0)
    real = np.where(real > 0, real, 0.0)
    plain = not real.any()
    largest = total + float(real @ spread)
    # costs and sums spread by a quarter of 32 bits each way, so that what rows cost beyond their best stays within
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
    # all with the denominator of the finest: sums of products may exceed 64 bits before they are divided
    parts = lcm(unit.denominator, *(fraction.denominator for fraction in fractions))
    value = posted.value[:, 0].astype(object) * int(unit * parts)
    for q, fraction in enumerate(fractions, 1):
        if fraction and posted.value[:, q].any():
            value = value + posted.value[:, q].astype(object) * int(fraction * parts)
    whole = (value // parts).astype(np.int64)
    return Weighting(posted, unit, tuple(fractions), whole, share)


def with_tests(plain: Weighting) -> Iterator[Weighting]:
    """The same with the tests of sums, which count by whole shares, in finer units, dearer from one to the next.

    The multiplier of such a sum is one over a whole number. All this stays below `LARGEST_WEIGHTED`.
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
    """Weightings one after the other, each with a set of `size` features that is good for it, towards the best bound.

    By cutting planes: each set gives a table, and a small linear program over all of them proposes the next
    multipliers. They are proposals, since sets come from a local search; each weighting bounds as it is.
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
