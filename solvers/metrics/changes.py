"""Which rows two models treat differently, for instance the greedy and the optimal tree."""

from dataclasses import dataclass

import numpy as np

from ..problem import Dataset
from .performance import checked_predictions


@dataclass(frozen=True)
class Changes:
    """The rows whose prediction differs between model a and model b. Rows are counted once each.

    Attributes
    ----------
    n : the number of rows that were compared.
    changed : positions of the rows that are predicted differently, int64 (n_changed,), sorted.
    gained : positions of the rows that a gets wrong and b right.
    lost : positions of the rows that a gets right and b wrong.
    table : int64 (n_classes, n_classes), rows by the class that a (row) and b (column) predicts.
    """

    n: int
    changed: np.ndarray
    gained: np.ndarray
    lost: np.ndarray
    table: np.ndarray

    @property
    def n_changed(self) -> int:
        """The number of rows that are predicted differently."""
        return len(self.changed)

    @property
    def net(self) -> int:
        """How many errors fewer b makes (negative: more)."""
        return len(self.gained) - len(self.lost)


def changes(dataset: Dataset, predicted_a: np.ndarray, predicted_b: np.ndarray) -> Changes:
    """Compare the predictions of two models for the same rows.

    Parameters
    ----------
    dataset : the rows.
    predicted_a, predicted_b : int (n_samples,), class indices.

    Raises
    ------
    DataError
        There is not one prediction a row, or one is no class.
    """
    a, b = checked_predictions(dataset, predicted_a), checked_predictions(dataset, predicted_b)
    right_a, right_b = a == dataset.y, b == dataset.y
    table = np.zeros((dataset.n_classes, dataset.n_classes), np.int64)
    np.add.at(table, (a, b), 1)
    return Changes(
        n=dataset.n_samples,
        changed=np.flatnonzero(a != b),
        gained=np.flatnonzero(~right_a & right_b),
        lost=np.flatnonzero(right_a & ~right_b),
        table=table,
    )
