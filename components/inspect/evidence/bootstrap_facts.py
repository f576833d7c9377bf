"""How stable a model is: models of drawn rows against the model at hand, as tables and a sentence."""

from itertools import pairwise

import numpy as np
import pandas as pd

from components.words.text import DASH, count, percent, points
from solvers.metrics import Rate, rate
from solvers.problem import Dataset
from solvers.sweeps.bootstrap import Bootstrap

_EDGES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
"""Of the groups of rows by how many models predict otherwise: none, up to 5%, ..."""

UNSTABLE = 0.2
"""A row is called unstable if more than this share of the models predicts otherwise."""


def _rate(k: int, n: int) -> Rate:
    return rate(np.arange(n) < k)


def same_root(found: Bootstrap) -> Rate:
    """The share of the models that begin with the same question."""
    return rate(np.array([fit.structure.root == found.model.root for fit in found.fits]))


def same_column(found: Bootstrap) -> Rate:
    """The share of the models whose first question is about the same column."""
    return rate(np.array([fit.structure.root_columns == found.model.root_columns for fit in found.fits]))


def unstable(found: Bootstrap) -> Rate:
    """The share of the rows for which more than `UNSTABLE` of the models predict otherwise."""
    return rate(np.array(found.changed) / len(found.fits) > UNSTABLE)


def mean_gap(found: Bootstrap) -> float:
    """How far the risks of the models are from those of the model at hand, on average."""
    return float(np.mean(found.gaps)) / len(found.fits)


def columns_used(found: Bootstrap, data: Dataset) -> pd.DataFrame:
    """The columns that some model asks about, with the share of models that do (`used`), the most used first.

    `own` says whether the model at hand asks about it.
    """
    lines = []
    for name in data.schema.names:
        own, k = name in found.model.features, sum(name in fit.structure.features for fit in found.fits)
        if k or own:
            lines.append((name, k, _rate(k, len(found.fits)), own))
    lines.sort(key=lambda line: -line[1])
    return pd.DataFrame(lines, columns=["name", "k", "used", "own"])


def changing_rows(found: Bootstrap, data: Dataset, most: int = 10) -> pd.DataFrame:
    """The rows whose prediction changes most often, by their numbers: class, share of models, mean gap of the risk."""
    n, changed = len(found.fits), np.array(found.changed)
    worst = [int(i) for i in np.argsort(-changed, kind="stable")[:most] if changed[i] > 0]
    return pd.DataFrame(
        {
            "truth": [data.classes[data.y[i]] for i in worst],
            "changed": [_rate(found.changed[i], n) for i in worst],
            "gap": [found.gaps[i] / n for i in worst],
        },
        index=[int(data.rows[i]) for i in worst],
    )


def rows_by_change(found: Bootstrap) -> dict[str, float]:
    """The share of the rows by the percentage of the models that predict otherwise; the first group is of none."""
    group = np.searchsorted(_EDGES, np.array(found.changed) / len(found.fits), side="left")
    names = ["0", *(f"{100 * low:.0f}{DASH}{100 * high:.0f}" for low, high in pairwise(_EDGES))]
    return {name: float((group == i).mean()) for i, name in enumerate(names)}


def stability_words(found: Bootstrap) -> str:
    """The most important of it, in words."""
    return (
        f"Of {count(len(found.fits), 'model')} learned from rows drawn anew, "
        f"{percent(same_column(found).value, 0)} begin with the same column, {percent(same_root(found).value, 0)} with "
        f"the very same question. For {percent(unstable(found).value)} of the rows more than one in "
        f"{round(1 / UNSTABLE)} of them predicts otherwise; the risk differs by {points(mean_gap(found))} points on "
        "average."
    )
