"""The splits of a node that may lead to a tree within a budget, with lower bounds for both sides.

Rows that every split sends to the same side form one *cell*, with a cost by prediction of which the least is 0.

Without a minimum leaf size, the least cost of a tree of given depth never falls when rows are added: the same tree
costs no less on a larger set. So as the first side grows along an order, its cost grows and the cost of the second side
falls, by at most what the moved rows can cost. Both facts rule out whole runs of boundaries.

index : int64 (m,), the cells of the node; m : their number; f : an order, 0 to n_orders - 1.
split : the split penalty; budget : the most that the split and both sides may cost together.
total : int64 (n_classes,), the cost of the node's or side's cells by prediction; ahead : int64 (n_classes,), scratch.
"""

from typing import NamedTuple

import numpy as np

from .arrays import Int64Cube, Int64Matrix, Int64Vector, int64
from .compiled import allocating_njit, njit

FAR = 1 << 60


class CellRows(NamedTuple):
    """The rows of a table, grouped into cells.

    rank : int32 (n_orders, n_cells); cost : int64 (n_cells, n_classes), with a minimum of 0 in each line.
    number, weight : int64 (n_cells,), the number of rows and their weight.
    least : int64 (2,), the minimum number of rows and the minimum weight of a side.
    """

    rank: np.ndarray
    cost: np.ndarray
    number: np.ndarray
    weight: np.ndarray
    least: np.ndarray


class Scratch(NamedTuple):
    """Scratch space of the kernels, overwritten by each call.

    local : int32 (n_orders, n_cells), ranks without gaps; n_ranks : int64 (n_orders,), their number.
    rank_of : int32 (n_orders, n_cells), the rank of each local rank; seen : int32 (largest rank + 2,).
    before, after, whole : int64 (n_orders, n_cells, n_classes), costs by local rank of the first side, the second side
        and the node.
    start : int64 (n_cells + 1,); sorted : int64 (n_cells,).
    found : int64 (n_orders * n_cells, 4), order, rank, and the costs of the sides or lower bounds for them.
    answers : int64 (n_orders * n_cells, 2), the predictions of the leaves on both sides.
    """

    local: np.ndarray
    n_ranks: np.ndarray
    rank_of: np.ndarray
    seen: np.ndarray
    before: np.ndarray
    after: np.ndarray
    whole: np.ndarray
    start: np.ndarray
    sorted: np.ndarray
    found: np.ndarray
    answers: np.ndarray


def scratch(cells: CellRows) -> Scratch:
    """Allocate scratch space for a table."""
    n_orders, n = cells.rank.shape
    n_classes = cells.cost.shape[1]
    return Scratch(
        np.zeros((n_orders, n), np.int32),
        np.zeros(n_orders, np.int64),
        np.zeros((n_orders, n), np.int32),
        np.zeros(int(cells.rank.max(initial=0)) + 2, np.int32),
        np.zeros((n_orders, n, n_classes), np.int64),
        np.zeros((n_orders, n, n_classes), np.int64),
        np.zeros((n_orders, n, n_classes), np.int64),
        np.zeros(n + 1, np.int64),
        np.zeros(n, np.int64),
        np.zeros((max(1, n_orders * n), 4), np.int64),
        np.zeros((max(1, n_orders * n), 2), np.int64),
    )


@njit(cache=True, nogil=True)
def _rank_locally(cells: CellRows, space: Scratch, index: Int64Vector) -> None:
    """Give the cells of a node ranks without gaps in each order."""
    m = len(index)
    for f in range(cells.rank.shape[0]):
        rank, seen = cells.rank[f], space.seen
        low, high = rank[index[0]], rank[index[0]]
        for i in range(m):
            low, high = min(low, rank[index[i]]), max(high, rank[index[i]])
        for r in range(low, high + 1):
            seen[r] = -1
        for i in range(m):
            seen[rank[index[i]]] = 0
        count = 0
        for r in range(low, high + 1):
            if seen[r] == 0:
                seen[r] = count
                space.rank_of[f, count] = r
                count += 1
        space.n_ranks[f] = count
        for i in range(m):
            space.local[f, i] = seen[rank[index[i]]]


@njit(cache=True, nogil=True)
def _sort_by(cells: CellRows, space: Scratch, f: int, m: int) -> None:
    """Sort the positions of a node's cells by their local rank in an order, and find where each rank starts."""
    start, n_ranks = space.start, space.n_ranks[f]
    for r in range(n_ranks + 1):
        start[r] = 0
    for i in range(m):
        start[space.local[f, i] + 1] += 1
    for r in range(n_ranks):
        start[r + 1] += start[r]
    for i in range(m):
        r = space.local[f, i]
        space.sorted[start[r]] = i
        start[r] += 1
    for r in range(n_ranks, 0, -1):
        start[r] = start[r - 1]
    start[0] = 0


@njit(cache=True, nogil=True)
def _add_up(cells: CellRows, index: Int64Vector, total: Int64Vector) -> tuple[int, int]:
    """Return the number and the weight of a node's rows, and add their costs by prediction to `total`."""
    number, weight = int64(0), int64(0)
    for i in range(len(index)):
        number += cells.number[index[i]]
        weight += cells.weight[index[i]]
        for k in range(len(total)):
            total[k] += cells.cost[index[i], k]
    return number, weight


@allocating_njit(cache=True, nogil=True)
def single_splits(cells: CellRows, space: Scratch, index: Int64Vector, split: int, budget: int) -> int:
    """Find the splits into two leaves with different predictions within the budget.

    Parameters
    ----------
    index : int64 (m,), the cells of the node; split : the split penalty.

    Returns
    -------
    The number of splits written to `space.found`.
    """
    m, n_classes = len(index), cells.cost.shape[1]
    _rank_locally(cells, space, index)
    total = np.zeros(n_classes, np.int64)
    number, weight = _add_up(cells, index, total)
    first = np.zeros(n_classes, np.int64)
    n_found = 0
    for f in range(cells.rank.shape[0]):
        if space.n_ranks[f] < 2:
            continue
        _sort_by(cells, space, f, m)
        first[:] = 0
        n_first, w_first = int64(0), int64(0)
        for r in range(space.n_ranks[f] - 1):
            for at in range(space.start[r], space.start[r + 1]):
                cell = index[space.sorted[at]]
                n_first += cells.number[cell]
                w_first += cells.weight[cell]
                for k in range(n_classes):
                    first[k] += cells.cost[cell, k]
            if min(n_first, number - n_first) < cells.least[0] or min(w_first, weight - w_first) < cells.least[1]:
                continue
            a, b = 0, 0
            for k in range(1, n_classes):
                if first[k] < first[a]:
                    a = k
                if total[k] - first[k] < total[b] - first[b]:
                    b = k
            if a != b and first[a] + total[b] - first[b] + split <= budget:
                found = space.found[n_found]
                found[0], found[1] = f, space.rank_of[f, r]
                found[2], found[3] = first[a], total[b] - first[b]
                space.answers[n_found, 0], space.answers[n_found, 1] = a, b
                n_found += 1
    return n_found


@njit(cache=True, nogil=True)
def _least_of_order(table: Int64Matrix, n_ranks: int, total: Int64Vector, ahead: Int64Vector, split: int) -> int:
    """The least cost of one split by an order.

    table : int64 (n_cells, n_classes), whose first `n_ranks` lines are the costs by local rank.
    """
    n_classes, least = len(total), int64(FAR)
    ahead[:] = 0
    for r in range(n_ranks - 1):
        first, second = int64(FAR), int64(FAR)
        for k in range(n_classes):
            ahead[k] += table[r, k]
            first = min(first, ahead[k])
            second = min(second, total[k] - ahead[k])
        least = min(least, first + second)
    return least + split


@njit(cache=True, nogil=True)
def _least_below(
    table: Int64Cube,
    n_ranks: Int64Vector,
    total: Int64Vector,
    ahead: Int64Vector,
    split: int,
    most: int,
    floor: Int64Vector,
    fallen: int,
) -> int:
    """The least cost of a leaf or of one split if it is at most `most`, and otherwise some value above `most`.

    table : int64 (n_orders, n_cells, n_classes), the costs by local rank; n_ranks : int64 (n_orders,), their number.
    floor : int64 (n_orders,), minus `fallen` a lower bound for each order, updated for each order that is scanned.
    """
    least = total[0]
    for k in range(1, len(total)):
        least = min(least, total[k])
    if least <= split:
        return least
    for g in range(len(n_ranks)):
        # an order is scanned only if its lower bound may still beat the best tree
        if floor[g] - fallen <= min(most, least - 1):
            value = _least_of_order(table[g], n_ranks[g], total, ahead, split)
            floor[g] = value + fallen
            least = min(least, value)
    return least


@njit(cache=True, nogil=True)
def _move(cells: CellRows, space: Scratch, cell: int, i: int, first: Int64Vector, rest: Int64Vector) -> int:
    """Move a cell from the second side to the first; return by how much the second side's cost may fall.

    cell, i : its number, and its position in the node; first, rest : int64 (n_classes,), the costs of the sides by
        prediction.
    """
    reach = int64(0)
    for k in range(cells.cost.shape[1]):
        cost = cells.cost[cell, k]
        if cost:
            reach = max(reach, cost)
            first[k] += cost
            rest[k] -= cost
            for g in range(cells.rank.shape[0]):
                space.before[g, space.local[g, i], k] += cost
                space.after[g, space.local[g, i], k] -= cost
    return reach


@allocating_njit(cache=True, nogil=True)
def double_splits(cells: CellRows, space: Scratch, index: Int64Vector, split: int, budget: int) -> int:
    """Find the splits whose sides, each with at most one further split, may stay within the budget.

    Returns
    -------
    The number of splits written to `space.found`. Minimum leaf sizes apply to the two sides only, not to leaves below
    them, so the costs of the sides are lower bounds.
    """
    m, n_orders, n_classes = len(index), cells.rank.shape[0], cells.cost.shape[1]
    _rank_locally(cells, space, index)
    first, total = np.zeros(n_classes, np.int64), np.zeros(n_classes, np.int64)
    rest, ahead = np.zeros(n_classes, np.int64), np.zeros(n_classes, np.int64)
    # lower bounds by order: of the first side, and of the second side plus `fallen`
    floor_first, floor_rest = np.zeros(n_orders, np.int64), np.zeros(n_orders, np.int64)
    number, weight = _add_up(cells, index, total)
    for g in range(n_orders):
        space.whole[g, : space.n_ranks[g]] = 0
        for i in range(m):
            for k in range(n_classes):
                space.whole[g, space.local[g, i], k] += cells.cost[index[i], k]
    n_found, left = 0, budget - split
    for f in range(n_orders):
        if space.n_ranks[f] < 2:
            continue
        _sort_by(cells, space, f, m)
        for g in range(n_orders):
            space.before[g, : space.n_ranks[g]] = 0
            space.after[g, : space.n_ranks[g]] = space.whole[g, : space.n_ranks[g]]
        first[:], floor_first[:], floor_rest[:] = 0, 0, 0
        rest[:] = total
        n_first, w_first, fallen = int64(0), int64(0), int64(0)
        for r in range(space.n_ranks[f] - 1):
            for at in range(space.start[r], space.start[r + 1]):
                i = space.sorted[at]
                n_first += cells.number[index[i]]
                w_first += cells.weight[index[i]]
                fallen += _move(cells, space, index[i], i, first, rest)
            if min(n_first, number - n_first) < cells.least[0] or min(w_first, weight - w_first) < cells.least[1]:
                continue
            # lower bound of the second side: as a leaf, or the last known cost of a split less what moved since
            second = rest.min()
            for g in range(n_orders):
                second = min(second, floor_rest[g] - fallen)
            most = left - max(0, second)
            one = _least_below(space.before, space.n_ranks, first, ahead, split, most, floor_first, 0)
            if one > left:
                # the first side only grows from here on; with most < left the value above `most` proves nothing
                if most == left:
                    break
                continue
            if one > most:
                continue
            two = _least_below(space.after, space.n_ranks, rest, ahead, split, left - one, floor_rest, fallen)
            if one + two <= left:
                found = space.found[n_found]
                found[0], found[1], found[2], found[3] = f, space.rank_of[f, r], one, two
                n_found += 1
    return n_found
