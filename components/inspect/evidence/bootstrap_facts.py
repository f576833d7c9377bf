"""How stable a model is: what models of drawn rows ask and answer, against the model at hand."""

from itertools import pairwise
from statistics import median
from typing import NamedTuple

import numpy as np

from components.words.text import DASH, count, percent, points
from solvers.metrics import Rate, rate
from solvers.problem import Dataset
from solvers.sweeps.bootstrap import Bootstrap

_EDGES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
"""Of the groups of rows by how many models answer otherwise: none, up to 5 %, ..."""

UNSTABLE = 0.2
"""A row is called unstable where more than this share of the models answers otherwise."""


class FeatureUse(NamedTuple):
    """A column, in how many of the models it is asked about, and whether the model at hand asks about it."""

    name: str
    used: Rate
    own: bool


class Wavering(NamedTuple):
    """A row whose answer changes often: its number in the file, its class, and how many models answer otherwise."""

    row: int
    truth: str
    changed: Rate
    gap: float


class StabilityFacts(NamedTuple):
    """What is shown of stability.

    Attributes
    ----------
    models : how many there are.
    same_root, same_column : of them, those that begin with the same question, or with the same column.
    features : the columns that some model asks about, the most used first.
    questions : the fewest, the median and the most; `own_questions` of the model at hand.
    proved : how many were proved to be optimal.
    bins : groups of rows by the share of the models that answer otherwise, with their share of the rows.
    unstable : the share of the rows for which more than `UNSTABLE` of the models answer otherwise.
    wavering : the rows whose answer changes most often, at most ten.
    mean_gap : how far the risks of the models are from that of the model at hand, on average.
    """

    models: int
    same_root: Rate
    same_column: Rate
    features: tuple[FeatureUse, ...]
    questions: tuple[int, float, int]
    own_questions: int
    proved: int
    bins: tuple[tuple[str, float], ...]
    unstable: Rate
    wavering: tuple[Wavering, ...]
    mean_gap: float

    @property
    def sentence(self) -> str:
        """The most important of it, in words."""
        return (
            f"Of {count(self.models, 'model')} learned from rows drawn anew, "
            f"{percent(self.same_column.value, 0)} begin with the same column, "
            f"{percent(self.same_root.value, 0)} with the very same question. For "
            f"{percent(self.unstable.value)} of the rows more than one in {round(1 / UNSTABLE)} of them "
            f"answers otherwise; the risk differs by {points(self.mean_gap)} points on average."
        )


def stability_facts(found: Bootstrap, data: Dataset) -> StabilityFacts | None:
    """Stability in figures; `None` before the first model."""
    fits = found.fits
    if not fits:
        return None
    n = len(fits)
    used = {name: sum(name in fit.structure.features for fit in fits) for name in data.schema.names}
    features = [
        FeatureUse(name, _rate(k, n), name in found.model.features)
        for name, k in used.items()
        if k or name in found.model.features
    ]
    sizes = [fit.structure.questions for fit in fits]
    changed = np.array(found.changed) / n
    gaps = np.array(found.gaps) / n
    worst = [int(i) for i in np.argsort(-changed, kind="stable")[:10] if changed[i] > 0]
    return StabilityFacts(
        n,
        _rate(sum(fit.structure.root == found.model.root for fit in fits), n),
        _rate(sum(fit.structure.root_columns == found.model.root_columns for fit in fits), n),
        tuple(sorted(features, key=lambda use: -use.used.k)),
        (min(sizes), median(sizes), max(sizes)),
        found.model.questions,
        sum(fit.proved for fit in fits),
        _bins(changed),
        rate(changed > UNSTABLE),
        tuple(
            Wavering(int(data.rows[i]), data.classes[data.y[i]], _rate(found.changed[i], n), float(gaps[i]))
            for i in worst
        ),
        float(gaps.mean()),
    )


def _rate(k: int, n: int) -> Rate:
    return rate(np.arange(n) < k)


def _bins(changed: np.ndarray) -> tuple[tuple[str, float], ...]:
    """The share of the rows in each group; the first is of those that no model answers otherwise."""
    group = np.searchsorted(_EDGES, changed, side="left")
    names = ["0", *(f"{100 * low:.0f}{DASH}{100 * high:.0f}" for low, high in pairwise(_EDGES))]
    return tuple((name, float((group == i).mean())) for i, name in enumerate(names))
