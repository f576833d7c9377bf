"""The 0/1 matrix for SAT, BDD and constraint-programming methods; every bit has a description in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ..errors import ShapeError
from .dataset import Dataset
from .orders import Orders, Where, question_orders
from .predicate import Op, Predicate
from .threshold_set import ThresholdSet


class Thresholds(StrEnum):
    """Which thresholds of a numeric column become bits."""

    ALL = "all"
    QUANTILES = "quantiles"


@dataclass(frozen=True)
class BinaryView:
    """A dataset as binary features.

    Attributes
    ----------
    dataset : the table.
    predicates : the splits, one per bit.
    family : int32 (n_predicates,), the column of each split; constraints refer to columns.
    bits : uint8 (n_samples, n_predicates), C-contiguous, read-only: 1 for the yes side.
    """

    dataset: Dataset
    predicates: tuple[Predicate, ...]
    family: np.ndarray
    bits: np.ndarray

    @property
    def names(self) -> tuple[str, ...]:
        """The splits in words."""
        return tuple(predicate.words(self.dataset.schema) for predicate in self.predicates)


def binary_view(
    dataset: Dataset,
    thresholds: Thresholds = Thresholds.ALL,
    bins: int = 10,
    within: Mapping[int, ThresholdSet] | None = None,
    orders: Orders | None = None,
) -> BinaryView:
    """All splits of a dataset as bits, without constant and repeated ones.

    Under the policy 'impute', a threshold and 'is missing' can divide the rows equally. Both are kept: constraints
    treat them differently.

    Parameters
    ----------
    dataset : the table.
    thresholds : every midpoint between neighbouring values, or the midpoints nearest to the quantiles.
    bins : the number of quantile bins of a numeric column; at least 2.
    within : the permitted thresholds of a column (its position); by default all.
    orders : the splits as rank orders; by default all of the dataset.

    Returns
    -------
    BinaryView; categories are one bit per level ('one-hot'), ordered levels and numbers one bit per threshold.

    Raises
    ------
    ShapeError
        `thresholds` are quantiles, and `bins` is less than 2.
    """
    if thresholds is Thresholds.QUANTILES and bins < 2:
        raise ShapeError(f"The number of bins must be at least 2, but is {bins}.")
    orders = orders or question_orders(dataset)
    predicates: list[Predicate] = []
    family: list[int] = []
    columns: list[np.ndarray] = []
    seen: set[tuple[int, bool, bytes]] = set()
    for i, column in enumerate(orders.column.tolist()):
        permitted = (within or {}).get(column)
        permits = orders.permits(i, permitted or ThresholdSet())
        for low in (low for low in _boundaries(orders, i, thresholds, bins) if permits[low]):
            bit = orders.rank[i] <= low
            larger = bool(2 * bit.sum() > len(bit))
            predicate, low_is_yes = orders.question(i, low, low + 1, missing=larger, within=permitted)
            bit = (bit if low_is_yes else ~bit).astype(np.uint8)
            key = (column, predicate.op is Op.MISSING, bit.tobytes())
            if key not in seen:
                seen.add(key)
                predicates.append(predicate)
                family.append(column)
                columns.append(bit)
    bits = np.array(columns, np.uint8).reshape(len(columns), dataset.n_samples).T.copy()
    bits.flags.writeable = False
    return BinaryView(dataset, tuple(predicates), np.array(family, np.int32), bits)


def _boundaries(orders: Orders, i: int, thresholds: Thresholds, bins: int) -> list[int]:
    rank, spec = orders.rank[i], orders.orders[i]
    n_ranks = int(rank.max()) + 1
    every = list(range(n_ranks - 1))
    if thresholds is Thresholds.ALL or spec.op is not Op.LE or n_ranks <= bins:
        return every
    known = np.sort(rank[rank != orders.missing_rank[i]])
    cuts = {int(known[len(known) * q // bins - 1]) for q in range(1, bins)}
    if spec.where is Where.FIRST:
        cuts.add(0)
    return sorted(cut for cut in cuts if cut < n_ranks - 1)
