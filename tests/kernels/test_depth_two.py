"""Trees of depth two on tables of many positions: joint passes over root orders, and second orders that are skipped."""

import numpy as np
import pytest

from solvers.kernels.tree_search import TreeSearch
from tests.case_count import case_count


def stump(rank: np.ndarray, by_class: np.ndarray, rows: np.ndarray, split: int = 0, least: int = 1) -> int:
    """The least cost of some rows with at most one split, by plain numpy; by_class : int (C, n), rows : bool (n,)."""
    inside = by_class[:, rows]
    cheapest = inside.sum() - inside.sum(1).max()
    for order in rank[:, rows]:
        by_rank = np.argsort(order, kind="stable")
        low = inside[:, by_rank].cumsum(1)[:, :-1]
        right = low.max(0) + (inside.sum(1)[:, None] - low).max(0)
        size = np.arange(1, len(order))
        parts = (np.diff(order[by_rank]) > 0) & (np.minimum(size, len(order) - size) >= least)
        if parts.any():
            cheapest = min(cheapest, inside.sum() - right[parts].max() + split)
    return int(cheapest)


def least_by_order(
    rank: np.ndarray, by_class: np.ndarray, split: int = 0, least: int = 1, leaves: int = 4
) -> list[int]:
    """The least cost of a tree of depth two by the order at its root; the weight of all rows if it has none."""
    found = []
    for order in rank:
        best = int(by_class.sum())
        for last in np.unique(order)[:-1]:
            sides = [order <= last, order > last]
            if min(side.sum() for side in sides) < least:
                continue
            whole = [stump(rank, by_class, side, split, least) for side in sides]
            leaf = [int(by_class[:, side].sum() - by_class[:, side].sum(1).max()) for side in sides]
            two = whole[0] + whole[1] if leaves == 4 else min(leaf[0] + whole[1], whole[0] + leaf[1])
            best = min(best, two + split)
        found.append(best)
    return found


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
    by_order = least_by_order(rank, np.eye(n_classes, dtype=np.int64)[:, label] * weight)
    leaf = weight.sum() - np.bincount(label, weight).max()
    optimum, none = int(min(*by_order, leaf)), np.full(n_orders, -1, np.int32)
    for ceiling in (int(leaf) + 1, optimum + 1, optimum):
        search = TreeSearch(rank, label, weight, none, none, n_classes, 2, ceiling)
        assert search.advance()
        assert (search.cost, search.bound) == (optimum, optimum) and (search.found > 0) == (optimum < ceiling)
        # bounds need hold only up to the optimum of the node: a tree may leave out the split
        assert all(search._state.inherited[0] <= np.array(by_order))


@pytest.mark.parametrize("seed", range(case_count(12)))
def test_optimum_of_depth_two_among_many_rows(seed):
    """Two and three classes, weights, a split penalty, three leaves, minimum leaf sizes and units."""
    rng = np.random.default_rng(seed)
    n, n_orders, n_classes = int(rng.integers(66, 90)), int(rng.integers(3, 6)), 2 + seed % 2
    levels = int(rng.choice([12, 200, 200]))  # more thresholds than lanes leave intervals open
    rank = rng.integers(0, levels, (n_orders, n))
    rank = np.array([np.unique(order, return_inverse=True)[1] for order in rank], np.int32)
    label = ((rank[0] > levels // 2) ^ (rank[1] > levels // 3)).astype(int) + (n_classes == 3) * (rank[2] == 0)
    label = np.where(rng.random(n) < 0.2, rng.integers(0, n_classes, n), label).clip(0, n_classes - 1)
    weight = rng.integers(1, 5 if seed % 3 else 2, n)
    split, leaves = int(rng.choice([0, 0, 3])), int(rng.choice([3, 4, 4]))
    least, unit = int(rng.choice([1, 1, 9])), int(rng.choice([1, 4]))
    by_class = np.zeros((n_classes, n), int)
    by_class[label, np.arange(n)] = weight
    best = stump(rank, by_class, np.ones(n, bool), split, least)
    best = min(best, *least_by_order(rank, by_class, split, least, leaves))
    nothing = np.full(n_orders, -1, np.int32)
    given = rank, label, weight, nothing, nothing, n_classes, 2
    limits = {"leaves": leaves, "split": split, "least_rows": least, "unit": unit}
    for ceiling in (int(weight.sum()) + 1, int(best), int(best) + 1):
        search = TreeSearch(*given, ceiling=ceiling * unit, **limits)
        search.advance()
        assert search.bound == search.cost
        assert search.cost // unit == best if search.found else ceiling <= best
        assert (search.found > 0) == (ceiling > best)
