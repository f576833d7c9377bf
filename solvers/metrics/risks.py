"""Quality of predicted risks: Brier score, area under the ROC curve, calibration.

The predicted risk of a row is the proportion of the class among the training rows of its leaf. All rows of a leaf have
the same risk, so calibration compares, leaf by leaf, the predicted risk with the observed frequency.
"""

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..diagram import Diagram, NodeId
from ..errors import DataError
from ..problem import Dataset
from .counts import labels_of
from .intervals import NOTHING, Z95, Estimate, Rate, rate, variance_of_mean, weighted_mean

GROUPS = 10
SMALL = 20
"""Proportions of fewer rows than this are called uncertain."""

_CLOSE = 1e-9
"""Risks that differ by less are equal."""


class Brier(NamedTuple):
    """The Brier score: `score` with a 95% interval, and `reference`, that of predicting the prevalence."""

    score: Estimate
    reference: float | None


@dataclass(frozen=True, slots=True)
class CalibrationPoint:
    """Rows with one risk, or with similar risks.

    Attributes
    ----------
    node : the leaf; `None` for a group of similar risks.
    risk : the predicted risk (the mean if risks differ).
    learned_from : the weight of the training rows that the risk is based on; `None` for a group.
    observed : the observed frequency of the class.
    """

    node: NodeId | None
    risk: float
    learned_from: float | None
    observed: Rate


class CalibrationBand(NamedTuple):
    """Where the true frequency at each risk may lie, with 95% confidence for all risks simultaneously.

    Between two risks, the lower end is that of the one before, and the upper end that of the one after.

    Attributes
    ----------
    risks : the distinct risks of the rows, ascending.
    low, high : the ends, 0 to 1, both ascending; `low` above `high` shows that frequencies do not rise with risk.
    """

    risks: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    def at(self, risk: float) -> tuple[float, float]:
        """The ends at any risk."""
        before, after = bisect_right(self.risks, risk + _CLOSE) - 1, bisect_left(self.risks, risk - _CLOSE)
        return self.low[before] if before >= 0 else 0.0, self.high[after] if after < len(self.risks) else 1.0

    @property
    def outside(self) -> tuple[float, ...]:
        """The risks outside the band: they differ by more than chance explains in a calibrated model."""
        ends = zip(self.risks, self.low, self.high, strict=True)
        return tuple(risk for risk, low, high in ends if not low - _CLOSE <= risk <= high + _CLOSE)


@dataclass(frozen=True)
class RiskCalibration:
    """Predicted risks compared with observed frequencies.

    Attributes
    ----------
    of_class : the index of the class of the risks.
    points : in ascending order of risk, including leaves without rows.
    expected : the mean predicted risk.
    observed : the observed frequency of the class.
    in_the_large : observed minus expected, 0 if the model is right on average. The interval is that of the observed
        frequency; the risks are taken as fixed.
    band : of the calibration curve, see `calibration_band`.
    """

    of_class: int
    points: tuple[CalibrationPoint, ...]
    expected: float
    observed: Rate
    in_the_large: Estimate
    band: CalibrationBand


def brier(shares: np.ndarray, y: np.ndarray, of_class: int | None, weight: np.ndarray | None = None) -> Brier:
    """The mean squared difference between risks and outcomes, 0 is best.

    Parameters
    ----------
    shares : float64 (n_samples, n_classes), the risks of each class.
    y : int (n_samples,), the outcomes, as indices of the same classes.
    of_class : the class of the risks; `None` to add up the squares over all classes.
    weight : float (n_samples,), or `None` if every row counts once.

    References
    ----------
    Brier (1950), 'Verification of forecasts expressed in terms of probability', Monthly Weather Review 78, 1-3; for all
    classes, equation 2. The interval is that of a mean, score -+ 1.96 s / sqrt(n).
    """
    if not len(y):
        return Brier(NOTHING, None)
    happened = np.eye(shares.shape[1])[y]
    if of_class is not None:
        shares, happened = shares[:, [of_class]], happened[:, [of_class]]
    squares = ((shares - happened) ** 2).sum(1)
    w = np.ones(len(y)) if weight is None else weight
    known = np.average(happened, axis=0, weights=w)
    reference = float(np.average(((known - happened) ** 2).sum(1), weights=w))
    score = weighted_mean(squares, w)
    return Brier(score if score.low is None else score._replace(low=max(0.0, score.low)), reference)


def roc_area(risk: np.ndarray, positive: np.ndarray, weight: np.ndarray | None = None) -> Estimate:
    """The area under the ROC curve: how often a positive row has a higher risk than a negative one, ties counting half.

    Parameters
    ----------
    risk : float (n_samples,)
    positive : bool (n_samples,)
    weight : float (n_samples,), or `None`.

    Returns
    -------
    The area with the interval of DeLong's variance, computed on the logit scale so that it stays within 0 and 1; `None`
    if all rows are positive or all are negative. At 0 and 1 the variance is 0, and the ends are `None`.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), 'Comparing the areas under two or more correlated receiver operating
    characteristic curves: a nonparametric approach', Biometrics 44, 837-845.
    """
    w = np.ones(len(risk)) if weight is None else weight
    if positive.all() or not positive.any():
        return NOTHING
    above = _placements(risk[positive], risk[~positive], w[~positive])
    below = 1 - _placements(risk[~positive], risk[positive], w[positive])
    area = float(np.average(above, weights=w[positive]))
    variance = variance_of_mean(above, w[positive]) + variance_of_mean(below, w[~positive])
    if not 0 < area < 1 or not variance > 0:
        return Estimate(area, None, None)
    middle = math.log(area / (1 - area))
    half = Z95 * math.sqrt(variance) / (area * (1 - area))
    return Estimate(area, *(1 / (1 + math.exp(-end)) for end in (middle - half, middle + half)))


def _placements(risk: np.ndarray, others: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """For each risk, the weighted proportion of other risks below it, ties counting half."""
    order = np.argsort(others, kind="stable")
    sums = np.concatenate(([0.0], np.cumsum(weight[order])))
    sorted_others = others[order]
    below, upto = (sums[np.searchsorted(sorted_others, risk, side)] for side in ("left", "right"))
    placements: np.ndarray = (below + upto) / 2 / sums[-1]
    return placements


def leaf_calibration(diagram: Diagram, dataset: Dataset, of_class: int) -> RiskCalibration:
    """One point per leaf: its predicted risk and the observed frequency in these rows.

    Parameters
    ----------
    diagram : the model; its leaves hold the counts of the training rows.
    dataset : the rows, for instance held-out ones.
    of_class : the class, as an index into the diagram's classes.

    Raises
    ------
    DataError
        There is no such class, or the dataset has an outcome that the diagram does not have.
    """
    if not 0 <= of_class < len(diagram.classes):
        raise DataError(f"The class must be one of the {len(diagram.classes)} of the model, but is {of_class}.")
    at, y = diagram.apply(dataset), labels_of(diagram, dataset)
    points = []
    for i, leaf in diagram.leaves:
        total = float(sum(leaf.counts))
        observed = rate(y == of_class, dataset.weight, at == i)
        points.append(CalibrationPoint(i, leaf.shares[of_class], total, observed))
    risks = diagram.predict_proba(dataset)[:, of_class]
    return _calibration(of_class, points, risks, y == of_class, dataset.weight)


def grouped_calibration(
    risk: np.ndarray, positive: np.ndarray, of_class: int, weight: np.ndarray | None = None
) -> RiskCalibration:
    """One point per group of similar risks, for risks of several models.

    There are at most `GROUPS` groups of about equal size; rows with equal risks stay in one group.

    Parameters
    ----------
    risk : float (n_samples,)
    positive : bool (n_samples,), whether the class was observed.
    of_class : its index.
    weight : float (n_samples,), or `None`.
    """
    known = np.sort(risk)
    cuts = np.unique(known[(np.arange(1, GROUPS) * len(known)) // GROUPS]) if len(known) else known
    group = np.searchsorted(cuts, risk, side="left")
    points = []
    for g in np.unique(group):
        here = group == g
        mean = float(np.average(risk[here], weights=None if weight is None else weight[here]))
        points.append(CalibrationPoint(None, mean, None, rate(positive, weight, here)))
    return _calibration(of_class, points, risk, positive, weight)


def _calibration(
    of_class: int, points: list[CalibrationPoint], risk: np.ndarray, positive: np.ndarray, weight: np.ndarray | None
) -> RiskCalibration:
    expected = float(np.average(risk, weights=weight))
    observed = rate(positive, weight)
    in_order = tuple(sorted(points, key=lambda point: point.risk))
    band = calibration_band(risk, positive, weight)
    return RiskCalibration(of_class, in_order, expected, observed, observed.less(expected), band)


def calibration_band(risk: np.ndarray, positive: np.ndarray, weight: np.ndarray | None = None) -> CalibrationBand:
    """The simultaneous 95% band of the true frequency by risk, assuming that it does not decrease with the risk.

    Under this assumption, the rows of a run of neighbouring risks bound it from below at all higher risks, and from
    above at all lower ones. For each run of the m distinct risks, both ends are exact binomial limits (Clopper and
    Pearson 1934) at the level 0.05 / (m (m + 1)), so that all m (m + 1) of them hold together with 95% confidence for
    any number of rows; the band uses the tightest limits. A calibrated model leaves the band with a probability of at
    most 5%.

    Parameters
    ----------
    risk : float (n_samples,), taken as fixed.
    positive : bool (n_samples,), whether the row has the class.
    weight : float (n_samples,), or `None`; with weights, the effective number of rows is used (`effective_size`), which
        is approximate.

    References
    ----------
    Dimitriadis, Dümbgen, Henzi, Puke and Ziegel (2023), 'Honest calibration assessment for binary outcome predictions',
    Biometrika 110, 663-680.
    """
    from statsmodels.stats.proportion import proportion_confint

    risks, place = np.unique(risk, return_inverse=True)
    m, w = len(risks), np.ones(len(risk)) if weight is None else weight
    sums = (np.concatenate(([0.0], np.cumsum(np.bincount(place, part, m)))) for part in (w, w * w, w * positive))
    first, last = np.triu_indices(m)
    total, squares, hits = (upto[last + 1] - upto[first] for upto in sums)
    n = total**2 / squares
    k = np.clip(n * hits / total, 0, n)
    each = (1 - 0.95) / (m * (m + 1)) if m else 0.0
    low, high = np.zeros(m), np.ones(m)
    least, most = proportion_confint(k, n, alpha=2 * each, method="beta")
    np.maximum.at(low, last, least)
    np.minimum.at(high, first, most)
    low, high = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
    return CalibrationBand(*(tuple(part.tolist()) for part in (risks, low, high)))
