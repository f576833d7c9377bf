"""What is minimised, in whole numbers, so that methods agree exactly and not 'almost'.

By default the cost of a model is the weight of the rows that it gets wrong. It may also weigh errors by true and
predicted class, and charge for every split. Decimal fractions are scaled to whole numbers, so `cost / scale` is the
cost in the user's units; without weights, class costs and split cost it is the number of errors.

Example
-------
A missed patient costs 5, a false alarm 1, and a question must save at least half an error:
`Objective(class_costs=((0, 1), (5, 0)), split_cost=0.5)` for the classes (healthy, ill).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from math import gcd

import numpy as np

from solvers.errors import DataError, ShapeError
from solvers.problem.dataset import Dataset

MAX_DECIMALS = 6
LARGEST_TOTAL = 2**31 - 1
"""The largest cost that a problem may have, in whole units."""


@dataclass(frozen=True)
class ScaledCosts:
    """An objective in whole numbers.

    Attributes
    ----------
    weights : int64 (n_samples,), at least 1; weight_scale : the factor from the user's weights to these.
    class_costs : int64 (n_classes, n_classes), the cost of a unit of weight by true class (row) and predicted class.
    split_cost : the cost of a split.
    scale : the factor from the user's costs to whole units.
    """

    weights: np.ndarray
    weight_scale: int
    class_costs: np.ndarray
    split_cost: int
    scale: int

    @property
    def plain(self) -> bool:
        """Whether every error costs the weight of its row, whatever the classes."""
        n_classes = len(self.class_costs)
        return bool((self.class_costs == 1 - np.eye(n_classes, dtype=np.int64)).all())


@dataclass(frozen=True)
class Objective:
    """What a model is charged for. Of two models of equal cost the one with fewer splits is preferred.

    Attributes
    ----------
    class_costs : the cost of predicting class k for a row of class c, `class_costs[c][k]`, in errors; `None` for 1 off
        the diagonal and 0 on it.
    split_cost : what a question must save, in errors, to be worth asking.
    """

    class_costs: tuple[tuple[float, ...], ...] | None = None
    split_cost: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.split_cost < float("inf"):
            raise ShapeError(f"The cost of a split must be 0 or more. Got {self.split_cost}.")
        if self.class_costs is not None:
            matrix = np.array(self.class_costs, np.float64)
            if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
                raise ShapeError("Class costs must be a square table: a row a true class, a column a predicted class.")
            if not np.isfinite(matrix).all() or (matrix < 0).any():
                raise ShapeError("Class costs must be 0 or more.")
            object.__setattr__(self, "class_costs", tuple(tuple(float(c) for c in row) for row in matrix))

    def scaled(self, dataset: Dataset) -> ScaledCosts:
        """The objective in whole numbers for a dataset.

        Raises
        ------
        DataError
            Weights or costs have so many digits, or are so large, that whole numbers would overflow, or the class
            costs do not fit the classes.
        """
        n_classes = dataset.n_classes
        if self.class_costs is not None and len(self.class_costs) != n_classes:
            raise DataError(
                f"The class costs are for {len(self.class_costs)} classes; "
                f"the outcome '{dataset.outcome}' has {n_classes}."
            )
        weight = np.ones(dataset.n_samples) if dataset.weight is None else dataset.weight
        weights, weight_scale = _whole(weight, "Sample weights", least=1)
        matrix = 1 - np.eye(n_classes) if self.class_costs is None else np.array(self.class_costs)
        # the split cost in units of the scaled weights, so that one factor makes both whole
        entries = np.append(matrix.ravel(), self.split_cost * weight_scale)
        whole, cost_scale = _whole(entries, "Class costs and the cost of a split", least=0)
        largest = float(weights.sum()) * max(1, int(whole[:-1].max())) + float(whole[-1])
        if largest > LARGEST_TOTAL:
            raise DataError(
                f"Weights and costs add up to {largest:.3g} in their smallest unit; the limit is {LARGEST_TOTAL:.3g}. "
                f"Round them to fewer decimals."
            )
        return ScaledCosts(
            weights, weight_scale, whole[:-1].reshape(n_classes, n_classes), int(whole[-1]), weight_scale * cost_scale
        )


def _whole(values: np.ndarray, what: str, least: int) -> tuple[np.ndarray, int]:
    """Decimal fractions as whole numbers, and the factor between them (whole numbers are divided by none)."""
    for decimals in range(MAX_DECIMALS + 1):
        factor = 10**decimals
        scaled = np.rint(values * factor)
        if np.abs(scaled - values * factor).max() <= 1e-9 * factor and scaled.min() >= least:
            break
    else:
        raise DataError(
            f"{what} must have at most {MAX_DECIMALS} decimals. Round them, or multiply them by a constant."
        )
    whole = np.minimum(scaled, 2.0**62).astype(np.int64)
    common = gcd(factor, reduce(gcd, whole.tolist()))
    return whole // common, factor // common
