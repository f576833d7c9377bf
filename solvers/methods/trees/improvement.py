"""A greedy tree made better from the bottom up: a good incumbent long before the whole search is done.

Below each node the subtree of height 2 is replaced by the optimal one for the node's rows, then those of height 3, and
so on up to the children of the root. Each of these searches is small, and none can make the tree worse. With a limit on
leaves a subtree may use its own leaves and those that no other subtree uses.

Greedy trees choose their upper splits badly, too, which this does not mend; but the search that follows starts with a
much lower cost to beat. (Kiossou et al. 2022, 'Time Constrained DL8.5 Using Limited Discrepancy Search', improve early
incumbents by another order of the search itself.)
"""

from collections.abc import Callable, Iterator

import numpy as np

from solvers.methods.trees.exact_search import Splits, WeightedRows, leaf_cost, splits_of, tree_search
from solvers.methods.trees.path_rules import Asking
from solvers.problem import Orders, Problem

MOST_WORK = 200_000_000
"""Elements that one subtree may scan, some tenths of a second; counted, not timed, so that results repeat."""


def polished(
    problem: Problem,
    orders: Orders,
    rows: WeightedRows,
    splits: Splits,
    due: Callable[[], bool],
    asked: Asking | None = None,
) -> Iterator[Splits]:
    """Better and better trees, each one yielded when it is found, until it is `due`.

    The first one is within the shape of the problem and the path rules of `asked`, which has no fixed questions;
    without rules `orders` are all questions, otherwise `asked.searched`.
    """
    splits = dict(splits)
    depth = problem.size.max_depth
    for height in range(2, depth):
        layer = depth - height
        for slot in range(2**layer - 1, 2 ** (layer + 1) - 1):
            index = _rows_at(orders, splits, slot)
            if due() or not len(index):
                continue
            below = _below(splits, slot)
            spare = None
            if problem.size.max_leaf_nodes is not None:
                spare = problem.size.max_leaf_nodes - len(splits) + len(below)
            ceiling = _cost(problem, orders, rows, splits, slot, index)
            if ceiling == 0:
                continue
            search = tree_search(
                problem,
                orders,
                rows,
                ceiling=ceiling,
                index=index,
                depth=height,
                leaves=spare,
                ruling=None if asked is None else asked.ruling_at(slot),
                used=0 if asked is None else asked.used(splits, slot),
            )
            while not search.advance() and search.stats["elements scanned"] < MOST_WORK and not due():
                pass
            if search.found:
                for old in below:
                    del splits[old]
                splits.update(splits_of(search, slot))
                yield dict(splits)


def _rows_at(orders: Orders, splits: Splits, slot: int) -> np.ndarray:
    """The rows that reach a slot, int64 (n,); none where the tree ends above it."""
    if slot == 0:
        return np.arange(orders.rank.shape[1])
    parent = (slot - 1) // 2
    if parent not in splits:
        return np.empty(0, np.int64)
    order, last = splits[parent]
    above = _rows_at(orders, splits, parent)
    low = orders.rank[order, above] <= last
    return np.asarray(above[low] if slot % 2 else above[~low])


def _below(splits: Splits, slot: int) -> list[int]:
    """The slots of the splits of a subtree."""
    return [slot, *_below(splits, 2 * slot + 1), *_below(splits, 2 * slot + 2)] if slot in splits else []


def _cost(problem: Problem, orders: Orders, rows: WeightedRows, splits: Splits, slot: int, index: np.ndarray) -> int:
    """The cost of a subtree for the rows that reach it, in the units of the weighted rows."""
    if slot not in splits:
        return leaf_cost(rows, index)
    order, last = splits[slot]
    low = orders.rank[order, index] <= last
    first = _cost(problem, orders, rows, splits, 2 * slot + 1, index[low])
    return problem.split_cost + first + _cost(problem, orders, rows, splits, 2 * slot + 2, index[~low])
