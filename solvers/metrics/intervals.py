"""Proportions with 95% intervals, computed by statsmodels. This module names the methods and their sources."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

Z95 = 1.959963984540054
"""The 97.5% point of the standard normal distribution."""


class Estimate(NamedTuple):
    """A figure with its 95% interval; all `None` if undefined."""

    value: float | None
    low: float | None
    high: float | None


NOTHING = Estimate(None, None, None)
"""The estimate of an undefined figure."""


class Rate(NamedTuple):
    """A proportion with its 95% Wilson interval.

    Attributes
    ----------
    value : the proportion, weighted if the rows have weights; `None` without rows.
    low, high : the ends of the interval, 0 to 1; `None` without rows.
    k, n : the number of rows with the property and of all rows; unweighted counts, even if rows have weights.
    size : the number of rows that the interval uses: `n`, or Kish's effective number if rows have weights.
    """

    value: float | None
    low: float | None
    high: float | None
    k: int
    n: int
    size: float

    @property
    def interval(self) -> tuple[float, float, float] | None:
        """The proportion and the ends of its interval; `None` if there are no rows."""
        if self.value is None or self.low is None or self.high is None:
            return None
        return self.value, self.low, self.high

    def less(self, expected: float) -> Estimate:
        """The proportion minus a constant, with the interval shifted accordingly."""
        return NOTHING if self.interval is None else Estimate(*(end - expected for end in self.interval))


def wilson(share: float, n: float) -> tuple[float, float]:
    """The 95% Wilson score interval of a proportion.

    Parameters
    ----------
    share : the observed proportion, 0 to 1.
    n : the number of independent rows (an effective number if rows have weights), more than 0.

    Returns
    -------
    The ends of the interval, within 0 to 1.

    References
    ----------
    Wilson (1927), 'Probable inference, the law of succession, and statistical inference', JASA 22, 209-212.
    """
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(share * n, n, method="wilson")
    # rounding may move these two ends just inside 0 to 1
    return 0.0 if share == 0 else low, 1.0 if share == 1 else high


def effective_size(weight: np.ndarray) -> float:
    """Kish's effective number of rows, (sum w)^2 / sum w^2; the number of rows if all weights are equal."""
    total = float(weight.sum())
    return total * total / float(weight @ weight) if len(weight) else 0.0


def variance_of_mean(values: np.ndarray, weight: np.ndarray) -> float:
    """The variance of the weighted mean of values, float (n_samples,); 0 for a single row."""
    n = effective_size(weight)
    if n <= 1:
        return 0.0
    mean = np.average(values, weights=weight)
    return float(np.average((values - mean) ** 2, weights=weight)) / (n - 1)


def weighted_mean(values: np.ndarray, weight: np.ndarray) -> Estimate:
    """The weighted mean of values, float (n_samples,), with the interval mean -+ 1.96 s / sqrt(n); none for one row."""
    mean = float(np.average(values, weights=weight))
    half = Z95 * math.sqrt(variance_of_mean(values, weight))
    return Estimate(mean, mean - half, mean + half) if effective_size(weight) > 1 else Estimate(mean, None, None)


def rate_of_counts(k: int, n: int) -> Rate:
    """The proportion `k` / `n` of unweighted rows."""
    return Rate(k / n, *wilson(k / n, n), k, n, n) if n else Rate(None, None, None, 0, 0, 0)


def rate(hits: np.ndarray, weight: np.ndarray | None = None, among: np.ndarray | None = None) -> Rate:
    """The proportion of rows that have a property.

    Parameters
    ----------
    hits : bool (n_samples,)
    weight : float (n_samples,), or `None` if every row counts once. With weights the proportion is weighted, and the
        interval uses Kish's effective number of rows, (sum w)^2 / sum w^2.
    among : bool (n_samples,), the rows that count; `None` for all.
    """
    if among is not None:
        hits, weight = hits[among], None if weight is None else weight[among]
    k, n = int(np.count_nonzero(hits)), len(hits)
    if weight is None or n == 0:
        return rate_of_counts(k, n)
    # exact at 0 and 1, where a quotient of sums may be rounded
    share = k / n if k in (0, n) else min(1.0, float(weight[hits].sum()) / float(weight.sum()))
    size = effective_size(weight)
    return Rate(share, *wilson(share, size), k, n, size)


def mean_of_rates(rates: Sequence[Rate]) -> Estimate:
    """The mean of independent proportions, with an interval derived from theirs.

    The distances to the ends are combined as roots of sums of squares: Zou and Donner (2008), 'Construction of
    confidence limits about effect measures', Statistics in Medicine 27, 1693-1702.
    """
    known = [interval for r in rates if (interval := r.interval) is not None]
    if not known:
        return NOTHING
    m = len(known)
    value = sum(share for share, _, _ in known) / m
    below = math.sqrt(sum((share - low) ** 2 for share, low, _ in known)) / m
    above = math.sqrt(sum((high - share) ** 2 for share, _, high in known)) / m
    return Estimate(value, max(0.0, value - below), min(1.0, value + above))


def difference(a: Rate, b: Rate) -> Estimate:
    """The difference a - b of two independent proportions, with Newcombe's interval.

    References
    ----------
    Newcombe (1998), 'Interval estimation for the difference between independent proportions', Statistics in Medicine
    17, 873-890, method 10.
    """
    if a.value is None or b.value is None:
        return NOTHING
    from statsmodels.stats.proportion import confint_proportions_2indep

    low, high = confint_proportions_2indep(a.value * a.size, a.size, b.value * b.size, b.size, method="newcomb")
    # rounding may move an end just outside -1 to 1
    return Estimate(a.value - b.value, max(-1.0, float(low)), min(1.0, float(high)))
