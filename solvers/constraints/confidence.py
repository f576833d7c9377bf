"""Limits that hold with confidence: how many of so many rows show that a share is large enough, or two alike.

A share is shown to be at least p with confidence c by k of n independent rows where its exact lower limit, the p at
which k or more of n have the probability 1 - c, is at least p (Clopper and Pearson 1934, 'The use of confidence or
fiducial limits illustrated in the case of the binomial', Biometrika 26, 404-413; one-sided). The limit rises with k, so
that the constraint comes down to a whole number of rows. Two shares are shown to differ by at most d by the normal
approximation with the largest variance that shares have, 1/4, so that the limit stays linear in the counts.

Both speak of rows like those that were counted, and take the model as given: one that was chosen to keep the constraint
on the same rows keeps it less often on new ones. `solvers.sweeps.confirmation` chooses one that keeps it.
"""

import math
from bisect import bisect_left
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from solvers.errors import ConstraintError

DECIMALS = 10**9
"""What limits are rounded to, on the safe side."""


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
def needed(share: Fraction, n: int, confidence: Fraction) -> int:
    """The least k of n rows whose lower limit is at least `share`; n + 1 where even all n do not show it."""
    return bisect_left(range(n + 1), share, key=lambda k: lower_limit(k, n, confidence))


def margin(n_first: int, n_second: int, confidence: Fraction) -> Fraction:
    """How much further apart two shares may be than they are in so many rows, rounded up to nine decimals."""
    deviation = math.sqrt(1 / n_first + 1 / n_second) / 2
    return Fraction(math.ceil(NormalDist().inv_cdf(float(confidence)) * deviation * DECIMALS), DECIMALS)


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
    counted: np.ndarray = rows
    return counted
