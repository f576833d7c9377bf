"""Shares with the interval in which they may truly lie."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

Z95 = 1.959963984540054
"""The 97.5 % point of the standard normal distribution."""


class Estimate(NamedTuple):
    """A figure with its 95 % interval; all `None` where there is nothing to measure it on."""

    value: float | None
    low: float | None
    high: float | None


NOTHING = Estimate(None, None, None)
"""Where there is nothing to measure a figure on."""


class Rate(NamedTuple):
    """A share with its 95 % Wilson interval.

    Attributes
    ----------
    value : the share, weighted where the rows have weights; `None` where there are no rows.
    low, high : the ends of the interval, 0 to 1; `None` where there are no rows.
    k, n : how many rows have the property, of how many rows; plain counts, also where rows have weights.
    """

    value: float | None
    low: float | None
    high: float | None
    k: int
    n: int

    @property
    def interval(self) -> tuple[float, float, float] | None:
        """The share and the ends of its interval; `None` where there are no rows."""
        if self.value is None or self.low is None or self.high is None:
            return None
        return self.value, self.low, self.high

    def less(self, expected: float) -> Estimate:
        """The share less a figure that is taken as it is, with the interval of the share."""
        return NOTHING if self.interval is None else Estimate(*(end - expected for end in self.interval))


def wilson(share: float, n: float) -> tuple[float, float]:
    """The 95 % Wilson score interval of a share.

    Parameters
    ----------
    share : the observed share, 0 to 1.
    n : the number of independent rows (an effective number where rows have weights), more than 0.

    Returns
    -------
    Its ends, within 0 to 1.

    References
    ----------
    Wilson (1927), 'Probable inference, the law of succession, and statistical inference', JASA 22, 209-212.
    """
    z2 = Z95 * Z95
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = Z95 / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    # at the ends the formula gives 0 and 1 exactly, but for rounding
    low = 0.0 if share == 0 else max(0.0, centre - half)
    high = 1.0 if share == 1 else min(1.0, centre + half)
    return low, high


def effective_size(weight: np.ndarray) -> float:
    """Kish's effective number of rows, (sum w)^2 / sum w^2: as many as there are where all weigh the same."""
    total = float(weight.sum())
    return total * total / float(weight @ weight) if len(weight) else 0.0


def rate(hits: np.ndarray, weight: np.ndarray | None = None, among: np.ndarray | None = None) -> Rate:
    """The share of rows that have a property.

    Parameters
    ----------
    hits : bool (n_samples,)
    weight : float (n_samples,), or `None` where every row counts once. With weights the share is weighted, and the
        interval uses Kish's effective number of rows, (sum w)^2 / sum w^2.
    among : bool (n_samples,), the rows that count; `None` for all.
    """
    if among is not None:
        hits, weight = hits[among], None if weight is None else weight[among]
    k, n = int(np.count_nonzero(hits)), len(hits)
    if n == 0:
        return Rate(None, None, None, 0, 0)
    if weight is None:
        return Rate(k / n, *wilson(k / n, n), k, n)
    # exact at the ends, where a quotient of sums could be off by the last bit
    share = k / n if k in (0, n) else min(1.0, float(weight[hits].sum()) / float(weight.sum()))
    return Rate(share, *wilson(share, effective_size(weight)), k, n)


def mean_of_rates(rates: Sequence[Rate]) -> Estimate:
    """The mean of independent shares, with the interval that follows from theirs.

    The distances of the ends are combined as roots of sums of squares: Zou and Donner (2008), 'Construction of
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
    """a - b of two independent shares, with Newcombe's interval.

    References
    ----------
    Newcombe (1998), 'Interval estimation for the difference between independent proportions', Statistics in Medicine
    17, 873-890, method 10.
    """
    if a.interval is None or b.interval is None:
        return NOTHING
    (share_a, low_a, high_a), (share_b, low_b, high_b) = a.interval, b.interval
    value = share_a - share_b
    below = math.hypot(share_a - low_a, high_b - share_b)
    above = math.hypot(high_a - share_a, share_b - low_b)
    return Estimate(value, max(-1.0, value - below), min(1.0, value + above))
