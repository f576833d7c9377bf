"""Joint passes over several root orders, compared with all pairs of thresholds on tables of many positions."""

import numpy as np
import pytest

from solvers.kernels.tree_search import TreeSearch
from tests.case_count import case_count


def least_of_one(rank: np.ndarray, gain: np.ndarray, rows: np.ndarray) -> int:
    """The least cost of a leaf or of a single threshold for some rows; gain : int (n, C), their weight by class."""
    total = gain[rows].sum(0)
    least = total.sum() - total.max()
    for order in rank:
        sorted_rows = rows[order[rows].argsort(kind="stable")]
        before = gain[sorted_rows].cumsum(0)[:-1][np.diff(order[sorted_rows]) > 0]
        if len(before):
            least = min(least, total.sum() - (before.max(1) + (total - before).max(1)).max())
    return int(least)


def least_by_order(rank: np.ndarray, gain: np.ndarray) -> list[int]:
    """The least cost of a tree of depth two by the order at its root."""
    every = np.arange(rank.shape[1])
    return [
        min(
            least_of_one(rank, gain, every[order <= last]) + least_of_one(rank, gain, every[order > last])
            for last in np.unique(order)[:-1]
        )
        for order in rank
    ]


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("seed", range(case_count(60, fewest=20)))
def test_joint_passes_miss_no_position(seed: int, n_classes: int) -> None:
    """Cost and bounds by root order are correct even if the best position is between those that a pass examines."""
    rng = np.random.default_rng(seed)
    n, n_orders = int(rng.integers(30, 90)), int(rng.integers(3, 7))
    values = rng.integers(0, int(rng.choice([12, 1000])), (n_orders, n))
    rank = np.array([np.unique(row, return_inverse=True)[1] for row in values], np.int32)
    # two thresholds of two orders, anywhere, and some rows that follow neither
    first, second = (rank[f] > rng.integers(1, rank[f].max() + 1) for f in rng.permutation(n_orders)[:2])
    label = np.where(rng.random(n) < rng.choice([0.02, 0.1, 0.3]), rng.integers(0, n_classes, n), first + 2 * second)
    label = label % n_classes
    weight = rng.integers(1, 6, n) if seed % 2 else np.ones(n, np.int64)
    by_order = least_by_order(rank, np.eye(n_classes, dtype=np.int64)[label] * weight[:, None])
    leaf = weight.sum() - np.bincount(label, weight).max()
    optimum, none = int(min(*by_order, leaf)), np.full(n_orders, -1, np.int32)
    for ceiling in (int(leaf) + 1, optimum + 1, optimum):
        search = TreeSearch(rank, label, weight, none, none, n_classes, 2, ceiling)
        assert search.advance()
        assert (search.cost, search.bound) == (optimum, optimum) and (search.found > 0) == (optimum < ceiling)
        # bounds need hold only up to the optimum of the node: a tree may leave out the split
        assert all(search._state.inherited[0] <= np.array(by_order))
