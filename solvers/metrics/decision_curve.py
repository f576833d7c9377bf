"""Whether acting on a model does more good than acting on everyone or on no one.

Whoever acts at a risk of at least t holds that missing a case is worth (1 - t) / t false alarms. The net benefit puts
both on one scale, in cases found a person: found / n - alarms / n * t / (1 - t).

References
----------
Vickers and Elkin (2006), 'Decision curve analysis: a novel method for evaluating prediction models', Medical Decision
Making 26, 565-574.
"""

from dataclasses import dataclass

import numpy as np

from solvers.errors import DataError


@dataclass(frozen=True)
class DecisionCurve:
    """Net benefit over the threshold, in found cases a person.

    Attributes
    ----------
    thresholds : the risks from which one acts, each more than 0 and less than 1.
    model : of acting on those whose risk is at least the threshold.
    everyone : of acting on all. Acting on no one has net benefit 0.
    n, n_positive : the number of rows, and of those with the class.
    """

    thresholds: tuple[float, ...]
    model: tuple[float, ...]
    everyone: tuple[float, ...]
    n: int
    n_positive: int

    def useful(self, tolerance: float = 1e-12) -> tuple[bool, ...]:
        """At which thresholds the model does more good than acting on everyone and than acting on no one."""
        return tuple(
            model > max(everyone, 0.0) + tolerance for model, everyone in zip(self.model, self.everyone, strict=True)
        )


def decision_curve(
    risk: np.ndarray, positive: np.ndarray, thresholds: np.ndarray, weight: np.ndarray | None = None
) -> DecisionCurve:
    """The net benefit of a model's risks.

    Parameters
    ----------
    risk : float (n_samples,), what the model says, 0 to 1.
    positive : bool (n_samples,), who has the class.
    thresholds : float (n_thresholds,), each more than 0 and less than 1.
    weight : float (n_samples,), or `None` where every row counts once.

    Raises
    ------
    DataError
        There are no rows, or a threshold is out of range.
    """
    risk, thresholds = np.asarray(risk, np.float64), np.asarray(thresholds, np.float64)
    if not len(risk):
        raise DataError("A decision curve needs at least one row.")
    if not ((thresholds > 0) & (thresholds < 1)).all():
        raise DataError("Thresholds must be more than 0 and less than 1.")
    w = np.ones(len(risk)) if weight is None else weight
    w = w / w.sum()
    odds = thresholds / (1 - thresholds)
    # a risk of 3 / 10 is acted on at the threshold 0.3, whatever their last bits say
    acted = risk[:, None] >= thresholds[None, :] - 1e-9
    found = (w * positive) @ acted
    alarms = (w * ~positive) @ acted
    share = float(w @ positive)
    return DecisionCurve(
        tuple(thresholds.tolist()),
        tuple((found - alarms * odds).tolist()),
        tuple((share - (1 - share) * odds).tolist()),
        len(risk),
        int(positive.sum()),
    )
