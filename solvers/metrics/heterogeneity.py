"""Heterogeneity of a proportion between centres: Cochran's Q and I squared."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .intervals import Rate


class Heterogeneity(NamedTuple):
    """How much a proportion differs between centres.

    Attributes
    ----------
    n : the number of centres with rows.
    q : Cochran's Q, the sum of squared distances of the centres from their mean, in units of their standard errors.
    p : the probability of a Q at least as large if all centres had the same proportion.
    i2 : the proportion of the variation that chance does not explain, 0 to 1.
    """

    n: int
    q: float
    p: float
    i2: float


def heterogeneity(shares: Sequence[Rate]) -> Heterogeneity | None:
    """The heterogeneity of a proportion between centres, by unweighted counts; `None` if fewer than two have rows.

    Each proportion is transformed to its log odds, ln((k + 1/2) / (n - k + 1/2)), with the variance
    1/(k + 1/2) + 1/(n - k + 1/2).

    References
    ----------
    Cochran (1954), 'The combination of estimates from different experiments', Biometrics 10, 101-129; Higgins and
    Thompson (2002), 'Quantifying heterogeneity in a meta-analysis', Statistics in Medicine 21, 1539-1558; the scale as
    in Debray et al. (2017), 'A guide to systematic review and meta-analysis of prediction model performance', BMJ 356,
    i6460.
    """
    known = [share for share in shares if share.n]
    if len(known) < 2:
        return None
    from statsmodels.stats.meta_analysis import combine_effects

    right = np.array([share.k for share in known]) + 0.5
    wrong = np.array([share.n - share.k for share in known]) + 0.5
    odds = np.log(right / wrong)
    if np.ptp(odds) == 0:
        return Heterogeneity(len(known), 0.0, 1.0, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = combine_effects(odds, 1 / right + 1 / wrong)
    return Heterogeneity(len(known), float(found.q), float(found.test_homogeneity().pvalue), max(0.0, float(found.i2)))
