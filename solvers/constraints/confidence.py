"""Limits that hold with confidence: how many of n rows show that a share is large enough, or that two shares are close.

k of n independent rows show with confidence c that a share is at least p if its exact lower limit is at least p. This
limit is the p at which k or more of n have probability 1 - c (Clopper and Pearson 1934, 'The use of confidence or
fiducial limits illustrated in the case of the binomial', Biometrika 26, 404-413; one-sided). It rises with k, so the
constraint becomes a minimum number of rows. For the difference of two shares we use the normal approximation with the
largest variance of a share, 1/4, which keeps the limit linear in the counts.

For a predictive value, the model decides which rows are counted, and the exact limit is not linear in the counts: as a
function of k correct predictions, the permitted number of wrong ones is convex. We replace it by lines below that curve
(`AnswerLines`). They permit no counts whose exact limit is too small, and reject a few whose limit is large enough.

All limits are for rows from the same population, and for a fixed model. A model chosen to satisfy the constraint on the
same rows satisfies it less often on new ones; `solvers.study.confirmation` chooses one with confirmation.
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
"""Limits are rounded to multiples of its inverse, in the conservative direction."""

FINENESS = 4
"""Slopes of lines are this many times finer than one of all possible correct predictions."""

MOST_COUNTS = 4096
"""The maximum number of counts of a line to evaluate; if there are more, some represent their neighbours."""


@lru_cache(maxsize=4096)
def lower_limit(k: int, n: int, confidence: Fraction) -> Fraction:
    """The lower limit of a share if k of n rows have the property, rounded down to nine decimals.

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
    """The smallest k of n rows whose lower limit is at least `share`; n + 1 if even k = n does not reach it."""
    return bisect_left(range(n + 1), share, key=lambda k: lower_limit(k, n, confidence))


def margin(n_first: int, n_second: int, confidence: Fraction) -> Fraction:
    """The margin to add to the observed difference of two shares, rounded up to nine decimals."""
    deviation = math.sqrt(1 / n_first + 1 / n_second) / 2
    return Fraction(math.ceil(NormalDist().inv_cdf(float(confidence)) * deviation * DECIMALS), DECIMALS)


class Line(NamedTuple):
    """k correct and w wrong predictions are permitted if wrong * w <= right * (k - least)."""

    wrong: int
    right: int
    least: int

    def passes(self, k: int, w: int) -> bool:
        """Whether these counts satisfy the line; they may be in any unit that `least` has too."""
        return self.wrong * w <= self.right * (k - self.least)


@dataclass(frozen=True)
class AnswerLines:
    """Lines from the strictest to the loosest: counts that satisfy one satisfy all later ones.

    Line number i allows w <= r (k - A) with the slope r = i / (4 n_right) and

        A = ceil(z / 2 * sqrt(n_right / 2 * (1 + 1 / r)) + 2 / (3 r)),

    where z is the normal quantile of the confidence. A falls as r rises, which orders the lines. At n_right / 2 correct
    predictions the line touches the normal approximation of the limit. It need not be exact: for a share we use the
    loosest line all of whose counts show that share. Before the first line that permits an error there are lines that
    permit none, with any `least`.

    Attributes
    ----------
    n_right, n_wrong : rows of the predicted class, and all others: the maximum of correct and of wrong predictions.
    confidence : at least 1/2, below 1.
    """

    n_right: int
    n_wrong: int
    confidence: Fraction

    def numbered(self, i: int) -> Line:
        """Line number i, from 1."""
        odds = FINENESS * self.n_right / i
        deviation = NormalDist().inv_cdf(float(self.confidence)) * math.sqrt(self.n_right / 2 * (1 + odds)) / 2
        return Line(FINENESS * self.n_right, i, math.ceil(deviation + odds * 2 / 3))

    def showing(self, share: Fraction) -> Line:
        """The loosest line all of whose counts show that at least this share of the predictions is correct."""
        if not share:
            return Line(0, 1, 0)
        numbers = _numbers(self)
        if after := bisect_left(numbers, True, key=lambda i: _evaluate_line(self, i) < share):
            return self.numbered(numbers[after - 1])
        alone = bisect_left(range(1, self.n_right + 1), share, key=lambda k: lower_limit(k, k, self.confidence)) + 1
        return Line(self.n_right + 1, 1, max(alone, self.numbered(numbers[0]).least if numbers else 1))

    def shown(self, k: int, w: int) -> Fraction:
        """The largest share whose line k correct and w wrong predictions satisfy; at most the exact limit."""
        numbers = _numbers(self)
        at = bisect_left(numbers, True, key=lambda i: self.numbered(i).passes(k, w))
        if k and not at and not w:
            return lower_limit(k, k, self.confidence)
        return _evaluate_line(self, numbers[at]) if k and at < len(numbers) else Fraction(0)


@lru_cache(maxsize=256)
def _numbers(lines: AnswerLines) -> range:
    """The numbers of the lines that permit errors if enough predictions are correct, up to one that permits all."""
    if not lines.n_right * lines.n_wrong:
        return range(0)
    every = range(1, min(FINENESS * lines.n_right * (lines.n_wrong + 1), 2**60) + 1)
    return every[bisect_left(every, True, key=lambda i: lines.numbered(i).passes(lines.n_right, 1)) :]


@lru_cache(maxsize=4096)
def _evaluate_line(lines: AnswerLines, i: int) -> Fraction:
    """The share that all counts satisfying a line show: the minimum of their lower limits.

    Among counts with the same number of wrong predictions, the one with the fewest correct ones has the smallest limit.
    """
    from scipy.stats import beta

    line, end = lines.numbered(i), lines.n_wrong + 1
    first = np.arange(end) if end <= MOST_COUNTS else np.unique(np.geomspace(1, end, MOST_COUNTS).astype(np.int64)) - 1
    k = line.least - -first * line.wrong // i
    k = k[k <= lines.n_right]
    w = (np.append(first[1:], end) - 1)[: len(k)]
    return Fraction(math.floor(beta.ppf(float(1 - lines.confidence), k, w + 1).min() * DECIMALS), DECIMALS)


def with_confidence(words: str, confidence: Fraction | None) -> str:
    """The words of a limit, with its confidence."""
    if confidence is None:
        return words
    return f"{words}, with {percent(confidence)} confidence"


def describe_at_least(confidence: Fraction | None) -> str:
    """The suffix for a share that is a lower confidence limit; '' for a share of the rows themselves."""
    return "" if confidence is None else f" at least, with {percent(confidence)} confidence"


def in_rows(weights: np.ndarray, scale: int) -> np.ndarray:
    """Convert weights to rows, int64 (n,), from integer units of which a row has `scale`.

    Raises
    ------
    ConstraintError
        The weights are not whole numbers of rows.
    """
    rows, rest = np.divmod(weights, scale)
    if rest.any():
        raise ConstraintError(
            "With a confidence, a limit counts rows, but the weights of these rows are not whole numbers. "
            "Leave the confidence empty, or solve without weights."
        )
    return rows
