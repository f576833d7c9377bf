"""Limits that hold with confidence: how many of n rows show that a share is large enough, or that two are alike.

A share is shown to be at least p with confidence c by k of n independent rows where its exact lower limit, the p at
which k or more of n have the probability 1 - c, is at least p (Clopper and Pearson 1934, 'The use of confidence or
fiducial limits illustrated in the case of the binomial', Biometrika 26, 404-413; one-sided). The limit rises with k, so
that the constraint comes down to a whole number of rows. Two shares are shown to differ by at most d by the normal
approximation with the largest variance that shares have, 1/4, so that the limit stays linear in the counts.

Of a predictive value the rows that are counted depend on the model, so that the exact limit is no line in its counts:
with k right answers, the number that may be wrong bends upwards. Lines below the bend take its place
(`AnswerLines`), which let pass no count of which the exact limit is too small, and a little fewer than all others.

All speak of rows like those that were counted, and take the model as given: one that was chosen to keep the constraint
on the same rows keeps it less often on new ones. `solvers.sweeps.confirmation` chooses one that keeps it.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from ..errors import ConstraintError
from .values import percent

DECIMALS = 10**9
"""What limits are rounded to, on the safe side."""

FINENESS = 4
"""Slopes of lines are this many times finer than one right answer of all that there can be."""

MOST_COUNTS = 4096
"""So many counts of a line are looked at; where there are more, some stand for those beside them."""


@lru_cache(maxsize=4096)
def lower_limit(k: int, n: int, confidence: Fraction) -> Fraction:
    """What a share is at least, where k of n rows have the property, rounded down to nine decimals.

    Parameters
    ----------
    k, n : 0 <= k <= n, n at least 1.
    confidence : above 0, below 1.
    """
    from scipy.stats import beta

    if k == 0:
        return Fraction(0)
    return Fraction(math.floor(float(beta.ppf(float(1 - confidence), k, n - k + 1)) * DECIMALS), DECIMALS)


@lru_cache(maxsize=4096)
def need(share: Fraction, n: int, confidence: Fraction) -> int:
    """The least k of n rows whose lower limit is at least `share`; n + 1 where even all n do not show it."""
    return bisect_left(range(n + 1), share, key=lambda k: lower_limit(k, n, confidence))


def margin(n_first: int, n_second: int, confidence: Fraction) -> Fraction:
    """How much further apart two shares may be than they are in these rows, rounded up to nine decimals."""
    deviation = math.sqrt(1 / n_first + 1 / n_second) / 2
    return Fraction(math.ceil(NormalDist().inv_cdf(float(confidence)) * deviation * DECIMALS), DECIMALS)


class Line(NamedTuple):
    """With k right answers w may be wrong where wrong * w <= right * (k - least)."""

    wrong: int
    right: int
    least: int

    def passes(self, k: int, w: int) -> bool:
        """Whether a model with such answers is below it; they may be in any unit if `least` is."""
        return self.wrong * w <= self.right * (k - self.least)


@dataclass(frozen=True)
class AnswerLines:
    """Lines from the strictest to the loosest: what passes one passes all that come after it.

    Line number i allows w <= r (k - A) with the slope r = i / (4 n_right) and

        A = ceil(z / 2 * sqrt(n_right / 2 * (1 + 1 / r)) + 2 / (3 r)),

    z being the normal quantile of the confidence. A falls as r rises, which puts the lines in their order. Where half
    of the class is right it touches the normal approximation of the limit; it need not be exact, as a share is shown by
    the loosest line of which every count shows it. Before the first line that allows a wrong answer come those that
    allow none, and may begin anywhere.

    Attributes
    ----------
    n_right, n_wrong : rows of the class of the answer, and all others: how many answers can be right, and wrong.
    confidence : at least 1/2, below 1.
    """

    n_right: int
    n_wrong: int
    confidence: Fraction

    def numbered(self, i: int) -> Line:
        """Line number i, from 1 on."""
        odds = FINENESS * self.n_right / i
        deviation = NormalDist().inv_cdf(float(self.confidence)) * math.sqrt(self.n_right / 2 * (1 + odds)) / 2
        return Line(FINENESS * self.n_right, i, math.ceil(deviation + odds * 2 / 3))

    def showing(self, share: Fraction) -> Line:
        """The loosest line of which every count shows that the answer is right in at least this share."""
        if not share:
            return Line(0, 1, 0)
        numbers = _numbers(self)
        if after := bisect_left(numbers, True, key=lambda i: _evaluate_line(self, i) < share):
            return self.numbered(numbers[after - 1])
        alone = bisect_left(range(1, self.n_right + 1), share, key=lambda k: lower_limit(k, k, self.confidence)) + 1
        return Line(self.n_right + 1, 1, max(alone, self.numbered(numbers[0]).least if numbers else 1))

    def shown(self, k: int, w: int) -> Fraction:
        """The largest share of which k right answers and w wrong ones pass the line; no more than the exact limit."""
        numbers = _numbers(self)
        at = bisect_left(numbers, True, key=lambda i: self.numbered(i).passes(k, w))
        if k and not at and not w:
            return lower_limit(k, k, self.confidence)
        return _evaluate_line(self, numbers[at]) if k and at < len(numbers) else Fraction(0)


@lru_cache(maxsize=256)
def _numbers(lines: AnswerLines) -> range:
    """The numbers of the lines that allow a wrong answer where enough are right, up to one that allows them all."""
    if not lines.n_right * lines.n_wrong:
        return range(0)
    every = range(1, min(FINENESS * lines.n_right * (lines.n_wrong + 1), 2**60) + 1)
    return every[bisect_left(every, True, key=lambda i: lines.numbered(i).passes(lines.n_right, 1)) :]


@lru_cache(maxsize=4096)
def _evaluate_line(lines: AnswerLines, i: int) -> Fraction:
    """What all counts that pass a line show: the least of their lower limits.

    Of the counts with as many wrong answers the one with the fewest right ones shows least.
    """
    from scipy.stats import beta

    line, end = lines.numbered(i), lines.n_wrong + 1
    first = np.arange(end) if end <= MOST_COUNTS else np.unique(np.geomspace(1, end, MOST_COUNTS).astype(np.int64)) - 1
    k = line.least - -first * line.wrong // i
    k = k[k <= lines.n_right]
    w = (np.append(first[1:], end) - 1)[: len(k)]
    return Fraction(math.floor(beta.ppf(float(1 - lines.confidence), k, w + 1).min() * DECIMALS), DECIMALS)


def with_confidence(words: str, confidence: Fraction | None) -> str:
    """The words of a limit, with the confidence with which it is to hold."""
    if confidence is None:
        return words
    return f"{words}, with {percent(confidence)} confidence"


def describe_at_least(confidence: Fraction | None) -> str:
    """What stands behind a share that is a lower limit; '' where it is the share of the rows themselves."""
    return "" if confidence is None else f" at least, with {percent(confidence)} confidence"


def in_rows(weights: np.ndarray, scale: int) -> np.ndarray:
    """Weights in rows, int64 (n,), from whole units of which a row has `scale`.

    Raises
    ------
    ConstraintError
        They are not whole numbers of rows.
    """
    rows, rest = np.divmod(weights, scale)
    if rest.any():
        raise ConstraintError(
            "With confidence a limit counts rows, and the weights of these rows are not whole numbers. "
            "Leave the confidence empty, or solve without weights."
        )
    return rows
