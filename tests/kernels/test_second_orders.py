"""Second orders that a sweep skips: the optimum of depth two stays that of brute force."""

import numpy as np
import pytest

from solvers.kernels.tree_search import TreeSearch
from tests.case_count import case_count


def _stump(rank, by_class, rows, split, least):
    """The least cost of some rows with at most one split, by plain numpy."""
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
    return cheapest


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
    best = _stump(rank, by_class, np.ones(n, bool), split, least)
    for order in rank:
        for last in np.unique(order)[:-1]:
            sides = [order <= last, order > last]
            if min(side.sum() for side in sides) < least:
                continue
            whole = [_stump(rank, by_class, side, split, least) for side in sides]
            leaf = [by_class[:, side].sum() - by_class[:, side].sum(1).max() for side in sides]
            two = whole[0] + whole[1] if leaves == 4 else min(leaf[0] + whole[1], whole[0] + leaf[1])
            best = min(best, two + split)
    nothing = np.full(n_orders, -1, np.int32)
    given = rank, label, weight, nothing, nothing, n_classes, 2
    limits = {"leaves": leaves, "split": split, "least_rows": least, "unit": unit}
    for ceiling in (int(weight.sum()) + 1, int(best), int(best) + 1):
        search = TreeSearch(*given, ceiling=ceiling * unit, **limits)
        search.advance()
        assert search.bound == search.cost
        assert search.cost // unit == best if search.found else ceiling <= best
        assert (search.found > 0) == (ceiling > best)
