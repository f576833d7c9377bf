"""C4.5: at each node the split with the best gain ratio, without backtracking.

For a split of the rows of a node into two sides, the *gain* is the entropy of the classes (in bits) minus the weighted
mean of the entropies of the sides. The *gain ratio* is the gain divided by the entropy of the sides themselves. From
C4.5 we take

- the choice: the best gain ratio among the candidates whose gain is at least the average gain of all candidates, one
  candidate per question order (Quinlan 1993, section 2.2);
- within an order, the threshold of the largest gain, minus log2(number of thresholds) / (weight of the rows), the cost
  of encoding it (Quinlan 1996, section 2: Release 8);
- the minimum weight of a side: 2 rows, and for numeric splits a tenth of the average weight of a class if this is more,
  but at most 25.

Differences from C4.5: every split is binary, so a category is split one level against the rest. Missing values follow
the dataset's policy instead of being distributed in fractions. A split must have a positive gain. Depth and minimum
leaf size are limited instead of pruning by the pessimistic error, because the methods are compared at the same size. If
the number of leaves is limited, the node with the largest gain times weight is split first. Class costs do not change
the choice of splits, which is based on information; each leaf predicts the class with the lowest cost. If there is a
split penalty, splits that do not pay for it are pruned bottom-up.

Example
-------
Sides of 4 ill rows and of 1 ill and 3 healthy rows: the entropy is 0.954 before and 0.406 after, so the gain is 0.549.
The sides are equal in size and have an entropy of 1, so the gain ratio is also 0.549.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from ...problem import Kind, Op, Orders, Problem, ShapeKind
from ..base import Unsupported, only_trees
from ..search.context import SearchContext
from .cart import GreedyMethod
from .slots import depth_of
from .tree_of_splits import Splits, sides_of

LEAST_SIDE, MOST_SIDE = 2.0, 25.0
"""The minimum weight of a side, and its largest value for numeric splits, in rows of weight 1."""

BLOCK = 1_000_000
"""Class weights (orders x rows x classes) held at once: 8 MB per array."""

ROUNDING = 1e-9
"""Differences in entropy below this are rounding errors, in bits."""


@dataclass(frozen=True, slots=True)
class GainSplit:
    """The best split of one order at a node; `last` is the highest rank of the first side.

    The gain is in bits, after the cost of encoding the threshold. The ratio is the gain divided by the entropy of the
    sides.
    """

    order: int
    last: int
    gain: float
    ratio: float


class C45(GreedyMethod):
    """Quinlan's greedy tree as a baseline, with binary splits."""

    name = "c45"
    title = "C4.5"
    kinds = (ShapeKind.TREE,)
    summary = (
        "Greedy tree: each split has the best information gain ratio; binary splits, not pruned. A fast baseline "
        "without a proof."
    )
    source = (
        "Quinlan: C4.5: Programs for Machine Learning. Morgan Kaufmann, 1993; and Improved Use of Continuous "
        "Attributes in C4.5. JAIR 4, 1996, doi:10.1613/jair.279."
    )

    def refusals(self, problem: Problem) -> Iterable[Unsupported]:
        """Trees without domain constraints only."""
        return only_trees(self.title, problem)

    def splits(self, context: SearchContext, orders: Orders) -> Splits:
        """Split the open node of largest gain times weight until the size limit is reached or no split has a gain."""
        problem, size = context.problem, context.problem.size
        weight = problem.weights / problem.scaled.weight_scale
        most_leaves = 2**size.max_depth if size.max_leaf_nodes is None else size.max_leaf_nodes
        heap: list[tuple[float, int, GainSplit, np.ndarray]] = []
        splits: Splits = {}

        def open_node(slot: int, rows: np.ndarray) -> None:
            if depth_of(slot) < size.max_depth and not context.due():
                best = best_split(problem, orders, rows)
                if best is not None:
                    heappush(heap, (-best.gain * weight[rows].sum(), slot, best, rows))

        open_node(0, np.arange(problem.dataset.n_samples))
        while heap and len(splits) + 1 < most_leaves and not context.due():
            _, slot, best, rows = heappop(heap)
            splits[slot] = best.order, best.last
            for child, part in sides_of(orders.rank, splits, slot, rows):
                open_node(child, part)
        return splits


def best_split(problem: Problem, orders: Orders, rows: np.ndarray) -> GainSplit | None:
    """C4.5's choice among the question orders for rows (positions); `None` if no split has a gain."""
    dataset = problem.dataset
    if (dataset.y[rows] == dataset.y[rows[0]]).all():
        return None
    candidates = list(_candidates(problem, orders, rows))
    if not candidates:
        return None
    average = sum(candidate.gain for candidate in candidates) / len(candidates)
    able = [c for c in candidates if c.gain >= average - ROUNDING and c.gain > ROUNDING]
    return max(able, key=lambda candidate: candidate.ratio, default=None)


def _candidates(problem: Problem, orders: Orders, rows: np.ndarray) -> Iterator[GainSplit]:
    """The best split of each order that has one, computed in blocks of orders."""
    dataset = problem.dataset
    by_class = np.zeros((len(rows), dataset.n_classes))
    by_class[np.arange(len(rows)), dataset.y[rows]] = problem.weights[rows]
    scale = problem.scaled.weight_scale
    least = np.full(len(orders), LEAST_SIDE)
    numeric = [spec.op is Op.LE and spec.column.kind is not Kind.BINARY for spec in orders.orders]
    least[numeric] = np.clip(0.1 * by_class.sum() / scale / dataset.n_classes, LEAST_SIDE, MOST_SIDE)
    least = np.maximum(least * scale, problem.min_weight_leaf)
    gone = np.isnan(dataset.X[rows]).any(axis=0)
    # if no value is missing, an order and its twin have the same splits, which must not enter the average twice
    candidates = np.flatnonzero((orders.twin < 0) | gone[orders.column])
    size = max(1, BLOCK // by_class.size)
    for start in range(0, len(candidates), size):
        block = candidates[start : start + size]
        rank = orders.rank[np.ix_(block, rows)]
        yield from _block_candidates(block, rank, by_class, least[block], problem.size.min_samples_leaf, scale)


def _block_candidates(
    block: np.ndarray, rank: np.ndarray, by_class: np.ndarray, least: np.ndarray, least_rows: int, scale: int
) -> Iterator[GainSplit]:
    """The best split of each order of a block.

    Parameters
    ----------
    block : int64 (b,), positions of the orders.
    rank : int32 (b, n), the ranks of the rows of the node.
    by_class : float64 (n, k), the integer weight of each row in the column of its class; its sums are exact.
    least : float64 (b,), the minimum weight of a side; least_rows : its minimum number of rows.
    scale : the weight of one row.
    """
    by_rank = np.argsort(rank, axis=1)
    rank = np.take_along_axis(rank, by_rank, axis=1)
    low = by_class[by_rank].cumsum(axis=1)[:, :-1]
    total = by_class.sum(axis=0)
    n = total.sum()
    n_low = low.sum(axis=2)
    able = (rank[:, :-1] < rank[:, 1:]) & (n_low >= least[:, None]) & (n - n_low >= least[:, None])
    rows_low = np.arange(1, len(by_class))
    able &= (rows_low >= least_rows) & (len(by_class) - rows_low >= least_rows)
    within = _bits(low).sum(axis=2) + _bits(total - low).sum(axis=2)
    between = _bits(n_low) + _bits(n - n_low)
    gain = np.where(able, (_bits(total).sum() - _bits(n) - within + between) / n, -np.inf)
    for i, at in enumerate(gain.argmax(axis=1)):
        if tries := int(able[i].sum()):
            net = float(gain[i, at] - np.log2(tries) / (n / scale))
            yield GainSplit(int(block[i]), int(rank[i, at]), net, net * n / float(between[i, at] - _bits(n)))


def _bits(weight: np.ndarray) -> np.ndarray:
    """-w log2 w, elementwise, 0 for 0."""
    return -weight * np.log2(np.where(weight > 0, weight, 1.0))
