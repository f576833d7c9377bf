"""Likelihood ratios of predictions, and predictive values at another prevalence.

>>> positive, negative = likelihood_ratios(found=90, missed=10, alarms=20, spared=80)
>>> round(positive.value, 2), round(negative.value, 3)
(4.5, 0.125)
"""

from typing import NamedTuple

from ..errors import DataError
from .intervals import NOTHING, Estimate


class PredictiveValues(NamedTuple):
    """The positive predictive value (`ppv`) and the negative predictive value."""

    ppv: Estimate
    npv: Estimate


def likelihood_ratios(found: float, missed: float, alarms: float, spared: float) -> tuple[Estimate, Estimate]:
    """LR+ = sensitivity / (1 - specificity) and LR- = (1 - sensitivity) / specificity, with log-method intervals.

    The variance of ln LR+ is 1/found - 1/positives + 1/alarms - 1/negatives; that of ln LR- has the other two cells.
    If a cell is empty, the ends of the interval (and nothing else) are computed with 0.5 added to each cell.

    Parameters
    ----------
    found, missed : true positives and false negatives; effective numbers if rows have weights.
    alarms, spared : false positives and true negatives.

    Returns
    -------
    LR+ and LR-. A ratio with denominator 0 has value and high `None`, and a `low`: it is above that. If there are no
    positives or no negatives, all values are `None`.

    References
    ----------
    Simel, Samsa and Matchar (1991), 'Likelihood ratios with confidence: sample size estimation for diagnostic test
    studies', Journal of Clinical Epidemiology 44, 763-770.
    """
    if not (found + missed > 0 and alarms + spared > 0):
        return NOTHING, NOTHING
    return _ratio(found, missed, alarms, spared), _ratio(missed, found, spared, alarms)


def _ratio(a: float, b: float, c: float, d: float) -> Estimate:
    """(a / (a + b)) / (c / (c + d)) with its interval."""
    value = None if c == 0 else (a / (a + b)) / (c / (c + d))
    if value is None and a == 0:
        return NOTHING
    if a == 0 or c == 0:
        a, b, c, d = a + 0.5, b + 0.5, c + 0.5, d + 0.5
    from statsmodels.stats.proportion import confint_proportions_2indep

    ends = confint_proportions_2indep(a, a + b, c, c + d, compare="ratio", method="log")
    low, high = (float(end) for end in ends)
    if value is None:
        return Estimate(None, low, None)
    return Estimate(value, 0.0 if value == 0 else low, high)


def predictive_values(positive_ratio: Estimate, negative_ratio: Estimate, prevalence: float) -> PredictiveValues:
    """PPV and NPV at another prevalence, by Bayes' theorem.

    odds(PPV) = LR+ times the odds of the prevalence p, and odds(NPV) = (1 - p) / p / LR-. As p is fixed, the ends of
    the intervals follow from those of the ratios (the logit method).

    Parameters
    ----------
    positive_ratio, negative_ratio : from `likelihood_ratios`. They are assumed to hold at any prevalence.
    prevalence : p, more than 0 and less than 1.

    Raises
    ------
    DataError
        The prevalence is out of range.

    References
    ----------
    Mercaldo, Lau and Zhou (2007), 'Confidence intervals for predictive values with an emphasis to case-control
    studies', Statistics in Medicine 26, 2170-2183.
    """
    if not 0 < prevalence < 1:
        raise DataError(f"The prevalence must be more than 0 and less than 1, but is {prevalence:g}.")
    odds = prevalence / (1 - prevalence)
    ppv = Estimate(*(None if r is None else r * odds / (1 + r * odds) for r in _open(positive_ratio)))
    value, low, high = (None if r is None else 1 / (1 + r * odds) for r in _open(negative_ratio))
    return PredictiveValues(_close(ppv), _close(Estimate(value, high, low)))


def _open(ratio: Estimate) -> Estimate:
    """The ratio, with a very large value if its denominator is 0."""
    if ratio.value is None and ratio.low is not None:
        return Estimate(1e300, ratio.low, 1e300)
    return ratio


def _close(share: Estimate) -> Estimate:
    return Estimate(*(None if end is None else min(1.0, max(0.0, end)) for end in share))
