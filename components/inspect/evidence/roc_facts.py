"""The ROC curve of a model: its thresholds, and the point of its predictions."""

from typing import NamedTuple

import numpy as np

from components.inspect.evidence.risk_facts import ScoredRows
from solvers.metrics import Estimate
from solvers.metrics.risks import roc_area


class RocPoints(NamedTuple):
    """False alarms and sensitivity, 0 to 1, at each predicted risk and at the predictions; the area under the curve."""

    false_alarms: tuple[float, ...]
    sensitivity: tuple[float, ...]
    predictions: tuple[float, float]
    area: Estimate


def roc_points(found: ScoredRows, of_class: int) -> RocPoints | None:
    """The curve of a class; `None` unless there are rows of this class and of others."""
    from sklearn.metrics import roc_curve

    data, risk = found.data, found.shares[:, of_class]
    positive = data.y == of_class
    if positive.all() or not positive.any():
        return None
    x, y, _ = roc_curve(positive, risk, sample_weight=data.weight, drop_intermediate=False)
    called, w = found.predicted == of_class, data.row_weights
    alarms, hits = (float(np.average(called[part], weights=w[part])) for part in (~positive, positive))
    return RocPoints(tuple(x.tolist()), tuple(y.tolist()), (alarms, hits), roc_area(risk, positive, data.weight))
