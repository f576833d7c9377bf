"""A small handwritten dataset for the tests of the metrics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from solvers.metrics import Diagnosis, diagnosis
from solvers.problem import Column, Dataset, Group, Kind, Schema


def table(
    y: Sequence[int],
    *,
    x: Sequence[float] | None = None,
    classes: tuple[str, ...] = ("no", "yes"),
    positive: int | None = 1,
    weight: Sequence[float] | None = None,
    groups: tuple[Group, ...] = (),
) -> Dataset:
    """A dataset with one numeric column `x` (by default 0, 1, 2, ...)."""
    values = np.array(range(len(y)) if x is None else x, float)
    schema = Schema((Column("x", Kind.NUMERIC, has_missing=bool(np.isnan(values).any())),))
    weight = None if weight is None else np.array(weight, float)
    return Dataset("table", schema, values[:, None], np.array(y), classes, "y", positive, weight, groups)


def performance(dataset: Dataset, predicted: np.ndarray) -> Diagnosis:
    """The figures of predictions for the positive class, without risks."""
    return diagnosis(dataset, predicted, np.zeros((dataset.n_samples, dataset.n_classes)), dataset.positive)
