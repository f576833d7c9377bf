"""Decision curves: whether acting on a model has higher net benefit than treating everyone or no one.

Acting at a risk of at least t implies that one missed case is worth (1 - t) / t false alarms. Net benefit combines
both, in true positives per person: found / n - alarms / n * t / (1 - t). It is the mean of the row contributions
(1, -t / (1 - t) or 0), so its interval at each threshold is that of a mean, -+ 1.96 s / sqrt(n).

References
----------
Vickers and Elkin (2006), 'Decision curve analysis: a novel method for evaluating prediction models', Medical Decision
Making 26, 565-574. Pfeiffer and Gail (2020), 'Estimating the decision curve and its precision from three study
designs', Biometrical Journal 62, 764-776, for the variance.
"""

from dataclasses import dataclass

import numpy as np

from ..errors import DataError
from .intervals import Estimate, weighted_mean

ROUNDING = 1e-12
"""A gain up to this counts as 0."""


@dataclass(frozen=True)
class DecisionCurve:
    """Net benefit by threshold, in true positives per person.

    Attributes
    ----------
    thresholds : treatment thresholds (risks), each at least 0 and less than 1.
    model : net benefit of treating those whose risk is at least the threshold, with its 95% interval.
    everyone : net benefit of treating everyone. Treating no one has net benefit 0.
    gain : the net benefit of the model minus the better of treat-all and treat-none.
    n : the number of rows.
    """

    thresholds: tuple[float, ...]
    model: tuple[Estimate, ...]
    everyone: tuple[float, ...]
    gain: tuple[Estimate, ...]
    n: int

    def useful(self) -> tuple[bool, ...]:
        """For each threshold, whether the model has higher net benefit than treat-all and treat-none."""
        return tuple(gain.value is not None and gain.value > ROUNDING for gain in self.gain)

    def surely_useful(self) -> tuple[bool, ...]:
        """For each threshold, whether the whole interval of the gain is above 0."""
        return tuple(gain.low is not None and gain.low > ROUNDING for gain in self.gain)


def acted_on(risk: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """Whether the risk of each row is at least each threshold, bool (n_samples, n_thresholds)."""
    # a risk of 3 / 10 reaches the threshold 0.3 despite rounding
    return risk[:, None] >= thresholds[None, :] - 1e-9


def decision_curve(
    risk: np.ndarray, positive: np.ndarray, thresholds: np.ndarray, weight: np.ndarray | None = None
) -> DecisionCurve:
    """Compute the net benefit of a model's risks.

    Parameters
    ----------
    risk : float (n_samples,), the predicted risk, 0 to 1.
    positive : bool (n_samples,), whether the row has the class.
    thresholds : float (n_thresholds,), each at least 0 and less than 1; at 0, treat-all has the prevalence.
    weight : float (n_samples,), or `None` if every row counts once.

    Raises
    ------
    DataError
        There are no rows, or a threshold is out of range.
    """
    risk, thresholds = np.asarray(risk, np.float64), np.asarray(thresholds, np.float64)
    if not len(risk):
        raise DataError("A decision curve needs at least one row.")
    if not ((thresholds >= 0) & (thresholds < 1)).all():
        raise DataError("Thresholds must be at least 0 and less than 1.")
    w = np.ones(len(risk)) if weight is None else weight
    model, everyone, gain = [], [], []
    for threshold, treated in zip(thresholds.tolist(), acted_on(risk, thresholds).T, strict=True):
        worth = np.where(positive, 1.0, -threshold / (1 - threshold))
        model.append(weighted_mean(worth * treated, w))
        everyone.append(float(np.average(worth, weights=w)))
        # the difference from treat-all comes from the untreated rows
        gain.append(weighted_mean(-worth * ~treated, w) if everyone[-1] > 0 else model[-1])
    return DecisionCurve(tuple(thresholds.tolist()), tuple(model), tuple(everyone), tuple(gain), len(risk))
