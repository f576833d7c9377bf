"""The stability of a model: models of bootstrap samples compared with this model."""

import numpy as np
import pandas as pd

from solvers.metrics import Rate, rate
from solvers.problem import Dataset
from solvers.sweeps.bootstrap import Bootstrap

UNSTABLE = 0.2
"""A row is unstable if its prediction changes in more than this share of the models."""


def _rate(k: int, n: int) -> Rate:
    return rate(np.arange(n) < k)


def same_root(found: Bootstrap) -> Rate:
    """The share of the models with the same first split."""
    return rate(np.array([fit.structure.root == found.model.root for fit in found.fits]))


def same_column(found: Bootstrap) -> Rate:
    """The share of the models with the same feature in the first split."""
    return rate(np.array([fit.structure.root_columns == found.model.root_columns for fit in found.fits]))


def unstable(found: Bootstrap) -> Rate:
    """The share of the rows whose prediction changes in more than `UNSTABLE` of the models."""
    return rate(np.array(found.changed) / len(found.fits) > UNSTABLE)


def mean_difference(found: Bootstrap) -> float:
    """The mean absolute difference between the risks of the models and of this model."""
    return float(np.mean(found.gaps)) / len(found.fits)


def columns_used(found: Bootstrap, data: Dataset) -> pd.DataFrame:
    """The features of the models, with the share of models that use each (`used`), the most used first.

    `own` says whether this model uses it.
    """
    lines = []
    for name in data.schema.names:
        own, k = name in found.model.features, sum(name in fit.structure.features for fit in found.fits)
        if k or own:
            lines.append((name, k, _rate(k, len(found.fits)), own))
    lines.sort(key=lambda line: -line[1])
    return pd.DataFrame(lines, columns=["name", "k", "used", "own"])


def changing_rows(found: Bootstrap, data: Dataset, most: int = 10) -> pd.DataFrame:
    """The rows whose prediction changes most often: class, share of models, mean difference of the risk."""
    n, changed = len(found.fits), np.array(found.changed)
    worst = [int(i) for i in np.argsort(-changed, kind="stable")[:most] if changed[i] > 0]
    return pd.DataFrame(
        {
            "truth": [data.classes[data.y[i]] for i in worst],
            "changed": [_rate(found.changed[i], n) for i in worst],
            "difference": [found.gaps[i] / n for i in worst],
        },
        index=[int(data.rows[i]) for i in worst],
    )
