"""All splits of a dataset as rank orders, and as a 0/1 matrix.

Exact tree search uses orders. An *order* ranks the rows so that each of its splits is 'rank <= r'. A numeric column is
one order of its values. With missing values as information it is two: one with the missing first ('x <= t or missing',
and 'x is missing' at the first boundary), one with the missing last ('x <= t'); see Twala, Jones and Hand (2008), 'Good
methods for coping with missing data in decision trees'. A category of more than two levels is one order per level.

SAT, BDD and constraint-programming methods use the matrix; every bit has a description in words.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum

import numpy as np

from ..errors import DataError
from .columns import Column, Kind, MissingPolicy
from .dataset import Dataset
from .decimals import n_decimals
from .predicate import Op, Predicate, simple_threshold
from .threshold_set import ThresholdSet


class Where(IntEnum):
    """The position of missing values in an order."""

    NOWHERE = 0
    FIRST = 1
    LAST = 2
    FILLED = 3


@dataclass(frozen=True)
class Order:
    """One order.

    Attributes
    ----------
    column : the column that it ranks.
    op : `LE` for values in order, `IS` for one level against the rest, `MISSING` for missing against known.
    values : float64 (n_ranks,), the value of each rank (`LE`), NaN for the rank of the missing.
    level : the level of `IS`.
    where : the position of the missing values.
    twin : the position of the order that is the same for rows without missing values; -1 for none.
    """

    column: Column
    op: Op
    values: np.ndarray
    level: int
    where: Where
    twin: int


@dataclass(frozen=True)
class Orders:
    """All orders of a dataset.

    Attributes
    ----------
    orders : the orders that can split the rows.
    rank : int32 (n_orders, n_samples), C-contiguous; equal values have equal ranks, ranks start at 0 without gaps.
    column : int32 (n_orders,), the position of each order's column in the schema.
    twin : int32 (n_orders,)
    missing_rank : int32 (n_orders,), the rank of the missing values; -1 if they share a rank or there are none.
    chosen : for each order the ranks after which a threshold may lie; `None` for all.
    """

    orders: tuple[Order, ...]
    rank: np.ndarray
    column: np.ndarray
    twin: np.ndarray
    missing_rank: np.ndarray
    chosen: tuple[np.ndarray, ...] | None = None

    def __len__(self) -> int:
        return len(self.orders)

    def permits(self, order: int, within: ThresholdSet) -> np.ndarray:
        """After which ranks of an order a permitted threshold lies, bool (n_ranks - 1,).

        Splits without a threshold are permitted.
        """
        spec = self.orders[order]
        if spec.op is not Op.LE or spec.column.kind is Kind.BINARY:
            fits = np.ones(int(self.rank[order].max()), bool)
        else:
            fits = within.parting(spec.values)
        return fits if self.chosen is None else fits & np.isin(np.arange(len(fits)), self.chosen[order])

    def question(
        self, order: int, low: int, high: int, missing: bool, within: ThresholdSet | None = None
    ) -> tuple[Predicate, bool]:
        """The split between rank `low` and the next rank `high` present at a node.

        Parameters
        ----------
        order : the position of the order.
        low, high : neighbouring ranks of the node's rows; rows up to `low` are on the first side.
        missing : the side of missing values if the order itself does not decide it.
        within : the permitted thresholds of the column; some number between the two ranks is one of them.

        Returns
        -------
        The predicate, and whether its yes side is the side of the low ranks.
        """
        spec = self.orders[order]
        name = spec.column.name
        fill = spec.column.fill if spec.where is Where.FILLED else None
        if spec.op is Op.MISSING:
            return Predicate(name, Op.MISSING, None, True), True
        if spec.op is Op.IS:
            stay = missing if spec.where is Where.NOWHERE else spec.where is Where.FIRST
            if fill is not None:
                stay = int(fill) == spec.level
            return Predicate(name, Op.IS, float(spec.level), stay), True
        first, second = float(spec.values[low]), float(spec.values[high])
        if np.isnan(first) or np.isnan(second):
            return Predicate(name, Op.MISSING, None, True), bool(np.isnan(first))
        flipped = spec.column.kind is Kind.BINARY
        if flipped:
            first, second = second, first
        threshold = _threshold(spec.column, first, second)
        if within is not None:
            permitted = within.between(first, second, threshold)
            threshold = threshold if permitted is None else permitted
        if fill is not None:
            goes_low = (fill <= threshold) != flipped
        elif spec.where is Where.NOWHERE:
            goes_low = missing
        else:
            goes_low = spec.where is Where.FIRST
        if flipped:
            return Predicate(name, Op.IS, 1.0, goes_low), True
        return Predicate(name, Op.LE, threshold, goes_low), True


def question_orders(dataset: Dataset) -> Orders:
    """All splits that a tree may use on the dataset, under its policy for missing values.

    Returns
    -------
    Orders with `rank` (n_orders, n_samples); at most 2 per numeric column, 2 k + 1 per category of k levels.

    Raises
    ------
    DataError
        A value is missing under the policy 'complete cases', or under 'impute' in a column without a fill value.
    """
    specs: list[Order] = []
    ranks: list[np.ndarray] = []
    columns: list[int] = []
    for j, column in enumerate(dataset.schema.columns):
        base = len(specs)
        for spec, rank in _orders_of(column, dataset.X[:, j], dataset.filled(j), dataset.schema.missing, base):
            specs.append(spec)
            ranks.append(rank)
            columns.append(j)
    rank = np.empty((len(specs), dataset.n_samples), np.int32)
    for i in range(len(specs)):
        # release each array after copying it, which matters with millions of rows
        rank[i], ranks[i] = ranks[i], ranks[i][:0]
    missing_rank = np.full(len(specs), -1, np.int32)
    for i, spec in enumerate(specs):
        if spec.where is Where.FIRST and spec.op is Op.LE:
            missing_rank[i] = 0
        elif spec.where is Where.LAST and spec.op is Op.LE:
            missing_rank[i] = len(spec.values) - 1
    return Orders(
        tuple(specs), rank, np.array(columns, np.int32), np.array([s.twin for s in specs], np.int32), missing_rank
    )


def _orders_of(
    column: Column, raw: np.ndarray, x: np.ndarray, policy: MissingPolicy, base: int
) -> list[tuple[Order, np.ndarray]]:
    """The orders of a column from its raw and its filled values; `base` is the position of the first."""
    missing = np.isnan(raw)
    some = bool(missing.any())
    _check_missing(column, missing, policy)
    as_information = some and policy is MissingPolicy.INFORMATION
    filled = some and policy is MissingPolicy.IMPUTE
    known = ~np.isnan(x)
    present, place = np.unique(x[known], return_inverse=True)
    where = Where.FILLED if policy is MissingPolicy.IMPUTE and column.fill is not None else Where.NOWHERE
    out: list[tuple[Order, np.ndarray]] = []
    if column.kind is Kind.CATEGORICAL and len(present) > 1:
        # two levels need only one order
        for level in present[1:] if len(present) == 2 else present:
            twin = base + len(out)
            for side in (Where.LAST, Where.FIRST) if as_information else (where,):
                joins = side is Where.FIRST
                off = (x != level) & ~missing if joins else x != level
                order = Order(column, Op.IS, np.empty(0), int(level), side, twin if joins else -1)
                out.append((order, off.astype(np.int32)))
    elif len(present) > 1 or (as_information and len(present) == 1):
        values = present[::-1] if column.kind is Kind.BINARY else present
        rank = np.zeros(len(x), np.int32)
        rank[known] = place
        if column.kind is Kind.BINARY:
            rank = (len(present) - 1 - rank).astype(np.int32)
        if as_information:
            first = np.where(missing, 0, rank + 1).astype(np.int32)
            last = np.where(missing, len(present), rank).astype(np.int32)
            ahead, behind = np.concatenate(([np.nan], values)), np.concatenate((values, [np.nan]))
            out.append((Order(column, Op.LE, ahead, -1, Where.FIRST, -1), first))
            if len(present) > 1:
                out.append((Order(column, Op.LE, behind, -1, Where.LAST, base), last))
            return out
        out.append((Order(column, Op.LE, values, -1, where, -1), rank))
    asks_missing = filled or (as_information and column.kind is Kind.CATEGORICAL)
    if asks_missing and not missing.all():
        out.append((Order(column, Op.MISSING, np.empty(0), -1, Where.NOWHERE, -1), (~missing).astype(np.int32)))
    return out


def _check_missing(column: Column, missing: np.ndarray, policy: MissingPolicy) -> None:
    if not missing.any():
        return
    if policy is MissingPolicy.COMPLETE:
        raise DataError(
            f"The column '{column.name}' has missing values, but the policy is 'complete cases'. Drop these rows, or "
            "choose another policy for missing values."
        )
    if policy is MissingPolicy.IMPUTE and column.fill is None and not missing.all():
        raise DataError(f"The column '{column.name}' has missing values but no fill value.")


def _threshold(column: Column, low: float, high: float) -> float:
    """The threshold between two neighbouring values: a level, a day, or a short number."""
    if column.kind.has_levels:
        return low
    threshold = simple_threshold(low, high)
    if column.kind is Kind.DATE and math.floor(threshold) >= low:
        return float(math.floor(threshold))
    # between 17.3 and 17.4 of numbers with one decimal, 17.3 is the same split as 17.35, in the precision of the data
    precision = max(n_decimals(low), n_decimals(high))
    return low if 0 < precision < n_decimals(threshold) and column.kind is Kind.NUMERIC else threshold


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
    """
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
