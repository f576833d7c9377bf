"""Local search over sets of features: exchange one feature at a time for the one that makes the table cheapest.

chosen : int32 (n_chosen or more,), of which the first `n_chosen` are the features of the set; without : the position of
    a feature that is left out, -1 for none; n_cells : the number of cells that they make; scratch : see `climb`.
"""

import numpy as np

from .arrays import Int32Matrix, Int32Vector, Int64Matrix, Int64Vector, int64
from .bdd_matchings import RowPoints
from .compiled import allocating_njit, njit


@njit(cache=True, nogil=True)
def climb(
    points: RowPoints, chosen: Int32Vector, n_chosen: int, scratch: tuple[Int32Vector, Int32Vector, Int64Matrix]
) -> int:
    """Complete a set of features greedily, then exchange single features until no exchange makes it cheaper.

    Parameters
    ----------
    points : see `bdd_matchings.RowPoints`.
    chosen : int32 (size,), in place; the first `n_chosen` are given. Has at most as many entries as there are features.
    scratch : int32 (n_points,), int32 (2 n_points + 2,), int64 (2 n_points + 2, n_classes).

    Returns
    -------
    The cost of the set less the cost of all features together.
    """
    size = len(chosen)
    cost = int64(0)
    for position in range(n_chosen, size):
        n_cells = divide(points, chosen, position, -1, scratch)
        chosen[position], cost = best_addition(points, chosen, position, -1, n_cells, scratch)
    if n_chosen == size:
        n_cells = divide(points, chosen, size, size - 1, scratch)
        chosen[size - 1], cost = best_addition(points, chosen, size, size - 1, n_cells, scratch)
    unchanged, position = 0, 0
    while unchanged < size:
        n_cells = divide(points, chosen, size, position, scratch)
        feature, other = best_addition(points, chosen, size, position, n_cells, scratch)
        unchanged += 1
        if other < cost:
            chosen[position], cost = feature, other
            unchanged = 1
        position = (position + 1) % size
    return cost


@allocating_njit(cache=True, nogil=True)
def costs_of(
    points: RowPoints, sets: Int32Matrix, scratch: tuple[Int32Vector, Int32Vector, Int64Matrix]
) -> Int64Vector:
    """The costs of `sets` of features, int32 (n, size), less the cost of all features together, int64 (n,)."""
    costs = np.zeros(len(sets), np.int64)
    cell, _, sums = scratch
    n_classes = points.regret.shape[1]
    for s in range(len(sets)):
        n_cells = divide(points, sets[s], sets.shape[1], -1, scratch)
        sums[:n_cells] = 0
        for i in range(len(cell)):
            for k in range(n_classes):
                sums[cell[i], k] += points.regret[i, k]
        costs[s] = add_least(sums, n_cells)
    return costs


@njit(cache=True, nogil=True)
def divide(
    points: RowPoints,
    chosen: Int32Vector,
    n_chosen: int,
    without: int,
    scratch: tuple[Int32Vector, Int32Vector, Int64Matrix],
) -> int:
    """Number the cells made by the first `n_chosen` features, find the cell of each point, and return their number."""
    cell, number, _ = scratch
    for i in range(len(cell)):
        cell[i] = 0
    n_cells = 1
    for j in range(n_chosen):
        if j == without:
            continue
        for at in range(2 * n_cells):
            number[at] = -1
        bits, n_new = points.bits[chosen[j]], 0
        for i in range(len(cell)):
            at = 2 * cell[i] + bits[i]
            if number[at] < 0:
                number[at] = n_new
                n_new += 1
            cell[i] = number[at]
        n_cells = n_new
    return n_cells


@njit(cache=True, nogil=True)
def best_addition(
    points: RowPoints,
    chosen: Int32Vector,
    n_chosen: int,
    without: int,
    n_cells: int,
    scratch: tuple[Int32Vector, Int32Vector, Int64Matrix],
) -> tuple[int, int]:
    """Return the feature, not yet in the set, that makes the cells cheapest, and their cost."""
    cell, _, sums = scratch
    n_features, n_points = points.bits.shape
    n_classes = points.regret.shape[1]
    best, least = -1, int64(-1)
    for f in range(n_features):
        taken = False
        for j in range(n_chosen):
            taken |= j != without and chosen[j] == f
        if taken:
            continue
        sums[: 2 * n_cells] = 0
        bits = points.bits[f]
        for i in range(n_points):
            at = 2 * cell[i] + bits[i]
            for k in range(n_classes):
                sums[at, k] += points.regret[i, k]
        cost = add_least(sums, 2 * n_cells)
        if best < 0 or cost < least:
            best, least = f, cost
    return best, least


@njit(cache=True, nogil=True)
def add_least(sums: Int64Matrix, n: int) -> int:
    """The sum of the minima of the first `n` lines of `sums`, int64 (n or more, n_classes)."""
    total = int64(0)
    for at in range(n):
        least = sums[at, 0]
        for k in range(1, sums.shape[1]):
            least = min(least, sums[at, k])
        total += least
    return total
