"""The vector-lane scans, compared with their scalar oracle."""

import numba as nb
import numpy as np
import pytest

from solvers.kernels import scalar
from solvers.kernels.lanes import (
    MANY_LANES,
    count_for_two,
    count_jointly,
    count_jointly_for_two,
    count_many,
    lanes_for_two,
    scan_many,
    scan_two,
    scan_two_sized,
)
from solvers.kernels.scalar import SLOTS
from solvers.magnitude import width as width_of
from tests.case_count import case_count


def _counter(count):
    @nb.njit
    def compiled(words, amount, m, place, cut, before):
        count(words, amount, m, place, cut, before)

    return compiled


COUNTERS = {
    (two, slots): _counter(count)
    for two, slots, count in (
        (True, 1, count_for_two),
        (True, SLOTS, count_jointly_for_two),
        (False, 1, count_many),
        (False, SLOTS, count_jointly),
    )
}
"""Keys: whether there are two classes, and how many root orders share the lanes."""


@nb.njit
def _two(before, whole, n_blocks, sides, order, best):
    scan_two(before, whole, n_blocks, sides, order, best)


@nb.njit
def _sized(words, signed, by_weight, m, place, cut, sides, whole, least, order, best):
    scan_two_sized(words, signed, by_weight, m, place, cut, sides, whole, least, order, best)


@nb.njit
def _many(before, info, size, n_blocks, left_counts, counts, suffix, sides, order, best):
    scan_many(before, info, size, n_blocks, left_counts, counts, suffix, sides, order, best)


HEAVIEST = (500, 10**6, 10**12)
"""Weights for sums in 16, 32 and 64 bits."""


@pytest.mark.parametrize("seed", range(case_count(40)))
def test_two_class_lanes_equal_the_scalar_scan(seed):
    """Errors and orders of all lanes agree, with weights, in all lane types, over two successive orders."""
    rng = np.random.default_rng(seed)
    heaviest = HEAVIEST[seed % 3]
    lane = width_of(60 * heaviest)
    width = lanes_for_two(lane)
    sides = rng.integers(20 * heaviest, 30 * heaviest, (4, width)).astype(lane).ravel()
    fast = np.concatenate((sides[:width], sides[2 * width : 3 * width], np.full(2 * width, -1))).astype(lane)
    slow = fast.copy()
    for order in range(2):
        n_blocks = int(rng.integers(0, 20))
        before = rng.integers(-heaviest, heaviest, (n_blocks + 1, width)).cumsum(0).astype(lane).ravel()
        whole = rng.integers(-heaviest, heaviest, n_blocks).cumsum().astype(lane)
        _two(before, whole, n_blocks, sides, order, fast)
        scalar.scan_two(before, whole, n_blocks, sides, order, slow)
        assert fast.tolist() == slow.tolist()


@pytest.mark.parametrize("seed", range(case_count(40)))
def test_two_class_lanes_find_the_least_errors_of_both_sides(seed):
    """Blocks and signed sums give the minimum of each lane over all candidates on its rows."""
    rng = np.random.default_rng(seed)
    m, heaviest = int(rng.integers(1, 60)), HEAVIEST[seed % 3]
    lane = width_of(60 * heaviest)
    width = lanes_for_two(lane)
    place, row = rng.permutation(m), rng.permutation(m)
    cut = rng.integers(0, m + 1, width)
    label, weight, ends = rng.integers(0, 2, m), rng.integers(1, heaviest, m), rng.integers(0, 2, m)
    signed = np.where(label == 1, weight, -weight)[row]
    words = (row << 8 | label[row] << 1 | ends).astype(np.uint32)
    before = np.zeros((m + 2) * width, lane)
    COUNTERS[True, 1](words, signed.astype(lane), m, place.astype(lane), cut.astype(lane), before)
    left = place[:, None] < cut
    members = [left, ~left]
    sides = np.array([(weight * (label == k))[:, None] * side for side in members for k in (1, 0)]).sum(1)
    best = np.concatenate((np.minimum(*sides[:2]), np.minimum(*sides[2:]), np.full(2 * width, -1))).astype(lane)
    whole = signed.cumsum()[ends == 1].astype(lane)
    _two(before, whole, len(whole), sides.astype(lane).ravel(), 7, best)
    for side, member in enumerate(members):
        for k in range(width):
            answers = [weight[row] * member[row, k] * (label[row] == c) for c in range(2)]
            leaf = min(answers[0].sum(), answers[1].sum())
            stumps = [
                answers[first][: j + 1].sum() + answers[1 - first][j + 1 :].sum()
                for j in np.flatnonzero(ends)
                for first in range(2)
            ]
            assert best[side * width + k] == min([leaf, *stumps])
            assert best[(2 + side) * width + k] == (7 if stumps and min(stumps) < leaf else -1)


@pytest.mark.parametrize("seed", range(case_count(40)))
def test_sized_lanes_equal_the_scalar_scan(seed):
    """Bounds and orders of all lanes agree, for minima of rows and of weight, in all lane types."""
    rng = np.random.default_rng(seed)
    m, heaviest, by_weight = int(rng.integers(1, 60)), HEAVIEST[seed % 3], seed // 2 % 2
    lane = width_of(60 * heaviest)
    width = lanes_for_two(lane)
    place = rng.permutation(m).astype(lane)
    cut = np.sort(rng.integers(0, m + 1, (2, width)), axis=0)
    label, weight = rng.integers(0, 2, m), rng.integers(1, heaviest, m)
    costs = [place[:, None] < cut[0], place[:, None] >= cut[1]]
    sides = np.array([(weight * (label == k))[:, None] * side for side in costs for k in (1, 0)])
    sides = sides.sum(1).astype(lane).ravel()
    counts = [place[:, None] < cut[1], place[:, None] >= cut[0]]
    heft = weight if by_weight else np.ones(m, int)
    whole = np.array([(heft[:, None] * side).sum(0) for side in counts]).astype(lane).ravel()
    least = int(rng.integers(1, heft.sum() // 3 + 2))
    fast = np.concatenate((sides[:width], sides[2 * width : 3 * width], np.full(2 * width, -1))).astype(lane)
    slow = fast.copy()
    for order in range(2):
        row = rng.permutation(m)
        words = (row << 8 | label[row] << 1 | rng.integers(0, 2, m)).astype(np.int32)
        signed = np.where(label == 1, weight, -weight)[row].astype(lane)
        given = by_weight, m, place, cut.astype(lane).ravel(), sides, whole, least, order
        _sized(words, signed, *given, fast)
        scalar.scan_two_sized(words, signed, *given, slow)
        assert fast.tolist() == slow.tolist()


@pytest.mark.parametrize("seed", range(case_count(40)))
@pytest.mark.parametrize(("two", "slots"), COUNTERS)
def test_block_counts_equal_the_scalar_scan(two, slots, seed):
    """The running sums of all lanes agree, with weights, in all lane types, for one root order and for several."""
    rng = np.random.default_rng(seed)
    m, heaviest = int(rng.integers(1, 60)), HEAVIEST[seed % 3]
    lane = width_of(60 * heaviest)
    lanes = lanes_for_two(lane) if two else MANY_LANES
    place, row = np.array([rng.permutation(m) for _ in range(slots)]).T.ravel().astype(lane), rng.permutation(m)
    cut = rng.integers(0, m + 1, lanes).astype(lane)
    words = (row << 8 | rng.integers(0, 2, m)).astype(np.uint32)
    amount = rng.integers(-heaviest if two else 1, heaviest, m).astype(lane)
    fast = np.zeros((m + 1) * lanes, lane)
    slow = fast.copy()
    COUNTERS[two, slots](words, amount, m, place, cut, fast)
    scalar.count_blocks(words, amount, m, place, cut, slow, lanes, slots)
    assert fast.tolist() == slow.tolist()


@pytest.mark.parametrize("seed", range(case_count(40)))
def test_many_class_lanes_equal_the_scalar_scan(seed):
    """Errors and orders of all lanes agree for two to seven classes, in all lane types."""
    rng = np.random.default_rng(seed)
    n_classes, n_blocks, heaviest = 2 + seed % 6, int(rng.integers(1, 40)), HEAVIEST[seed % 3] // 10
    lane = width_of(40 * MANY_LANES * heaviest)
    inside = rng.integers(0, heaviest, (n_blocks, MANY_LANES)).cumsum(1)
    before = np.concatenate((np.zeros((1, MANY_LANES)), inside.cumsum(0))).astype(lane).ravel()
    size = (inside[:, -1] + rng.integers(0, heaviest, n_blocks)).astype(lane)
    info = (rng.integers(0, n_classes, n_blocks) << 1 | rng.integers(0, 2, n_blocks)).astype(lane)
    left = inside.sum(0)
    sides = np.concatenate((left, size.sum() - left)).astype(lane)
    fast = np.concatenate((sides, np.full(2 * MANY_LANES, -1))).astype(lane)
    slow = fast.copy()
    scratch = (
        np.zeros(2 * n_classes * MANY_LANES, lane),
        np.zeros(2 * n_classes, lane),
        np.zeros(2 * n_blocks * MANY_LANES, lane),
    )
    scalar.scan_many(before, info, size, n_blocks, *scratch, sides, 5, slow)
    _many(before, info, size, n_blocks, *scratch, sides, 5, fast)
    assert fast.tolist() == slow.tolist()
