"""Compare two models on the same rows, and test whether the difference could be chance.

Only the rows that exactly one of the models predicts correctly matter. The interval of the difference is Newcombe's
for paired proportions; the test is McNemar's exact test.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..errors import DataError
from .intervals import NOTHING, Estimate, rate


@dataclass(frozen=True, slots=True)
class Paired:
    """Two models on the same rows.

    Attributes
    ----------
    n : the number of rows.
    gained : the number of rows that only the second model predicts correctly.
    lost : the number of rows that only the first model predicts correctly.
    difference : the accuracy of the second minus that of the first, with its 95% interval; all `None` without rows.
    p : the probability that two equally good models differ at least as much (two-sided, exact); `None` without rows, or
        if rows have weights.
    """

    n: int
    gained: int
    lost: int
    difference: Estimate
    p: float | None


def paired(first: np.ndarray, second: np.ndarray, weight: np.ndarray | None = None) -> Paired:
    """Compare which of the same rows two models predict correctly.

    Parameters
    ----------
    first, second : bool (n_samples,), whether each row is predicted correctly.
    weight : float (n_samples,), or `None` if every row counts once. With weights the proportions are weighted, and the
        interval uses Kish's effective number of rows.

    Raises
    ------
    DataError
        The lengths differ.
    """
    first, second = np.asarray(first, bool), np.asarray(second, bool)
    if first.shape != second.shape or first.ndim != 1:
        raise DataError(f"Both models must predict the same rows, but have {first.shape} and {second.shape}.")
    n, gained, lost = len(first), int((second & ~first).sum()), int((first & ~second).sum())
    if n == 0:
        return Paired(0, 0, 0, NOTHING, None)
    p = mcnemar(gained, lost) if weight is None else None
    return Paired(n, gained, lost, _difference(first, second, weight), p)


def mcnemar(gained: int, lost: int) -> float:
    """The exact two-sided p-value of McNemar's test, by statsmodels; 1 if the models differ in no row.

    References
    ----------
    McNemar (1947), 'Note on the sampling error of the difference between correlated proportions or percentages',
    Psychometrika 12, 153-157; the exact form is the sign test.
    """
    from statsmodels.stats.contingency_tables import mcnemar as exact_test

    return float(exact_test([[0, gained], [lost, 0]], exact=True).pvalue)


def _difference(first: np.ndarray, second: np.ndarray, weight: np.ndarray | None) -> Estimate:
    """The second proportion minus the first, with an interval for paired proportions that statsmodels lacks.

    References
    ----------
    Newcombe (1998), 'Improved confidence intervals for the difference between binomial proportions based on paired
    data', Statistics in Medicine 17, 2635-2650, method 10.
    """
    a, b = rate(second, weight), rate(first, weight)
    assert a.interval is not None and b.interval is not None
    (share_a, low_a, high_a), (share_b, low_b, high_b) = a.interval, b.interval
    cells = (second & first, second & ~first, first & ~second, ~second & ~first)
    both, only_a, only_b, neither = (rate(cell, weight).value or 0.0 for cell in cells)
    phi = _correlation(both * a.size, only_a * a.size, only_b * a.size, neither * a.size)
    below = _distance(share_a - low_a, high_b - share_b, phi)
    above = _distance(high_a - share_a, share_b - low_b, phi)
    value = only_a - only_b
    return Estimate(value, max(-1.0, value - below), min(1.0, value + above))


def _correlation(both: float, only_a: float, only_b: float, neither: float) -> float:
    """The correlation (phi) of the two; positive values are continuity-corrected as in Newcombe's method 10."""
    margins = (both + only_a) * (only_b + neither) * (both + only_b) * (only_a + neither)
    if margins <= 0:
        return 0.0
    excess = both * neither - only_a * only_b
    if excess > 0:
        excess = max(0.0, excess - (both + only_a + only_b + neither) / 2)
    return excess / math.sqrt(margins)


def _distance(own: float, other: float, phi: float) -> float:
    return math.sqrt(max(0.0, own * own - 2 * phi * own * other + other * other))
