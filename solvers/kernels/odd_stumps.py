"""Trees with one or two layers of splits over the first cells of a line, and bounds that rule out most of them.

The cells of an open subset are listed in each order. A sweep over a list with prefix sums of costs finds the best
threshold. For two classes, one sum of cost differences suffices.

level : the layer of an open node, 0 to D; n : its number of cells; room : the cost that trees must stay below.
"""

from typing import NamedTuple

import numpy as np

from .arrays import Int32Vector, Int64Matrix, Int64Vector, int32, int64
from .compiled import allocating_njit as njit
from .odd_cells import FAR, MergedRows

STOP, WORK = 0, 1
"""Words of the control array of `odd_trees`: the stop signal, and the number of scanned elements."""


class TreeBound(NamedTuple):
    """The memory of a search.

    Attributes
    ----------
    control : int64 (5,); charge : int64 (D + 1,), the cost of a split by layer, non-increasing, with a final 0.
    ids : int32 (D + 1, F, m), the cells of the open nodes by rank; frames : int64 (D + 1, 9).
    intervals : int64 (D + 1, m + 2, 6), thresholds a and b, then the sides' costs L(a), R(a), L(b), R(b).
    low : bool (m,), the cells on the low side; most : int64 (m,), the largest cost of each cell.
    totals, gaps : int64 (C,), scratch: costs by class, and by class the least loss if it is never predicted.
    cheapest, regret : int64 (m,), the class that costs a cell nothing, and the cost of its next class.
    words, held : uint64 (room, W + 1), int64 (room, 2): subsets with their layers, and cost (-1 in a free line) and
        whether it is exact.
    key : uint64 (W + 1,), pre : int64 (2, C), scratch.
    """

    control: np.ndarray
    charge: np.ndarray
    ids: np.ndarray
    frames: np.ndarray
    intervals: np.ndarray
    low: np.ndarray
    most: np.ndarray
    totals: np.ndarray
    gaps: np.ndarray
    cheapest: np.ndarray
    regret: np.ndarray
    words: np.ndarray
    held: np.ndarray
    key: np.ndarray
    pre: np.ndarray


@njit(cache=True, nogil=True)
def class_bound(gaps: Int64Vector, first: int, later: int) -> int:
    """A lower bound on the cost of cells if any split is used: each class is given up or needs a split.

    With a set P of predicted classes there are at least |P| - 1 splits. The first costs `first` and the others at least
    `later`; each class outside P loses its entry of `gaps`, int64 (C,).
    """
    total, largest, second = int64(0), int64(0), int64(0)
    for gap in gaps:
        part = min(gap, later)
        total += part
        if part > largest:
            second = largest
            largest = part
        elif part > second:
            second = part
    # one class needs no split; the first split is charged in full, which pays for a second class
    return first + total - largest - second


@njit(cache=True, nogil=True)
def stump(cells: MergedRows, search: TreeBound, level: int, n: int, best: int) -> int:
    """The least cost of the cells with one split (not charged), or `best` if that is less."""
    rank, price, ids, tree_totals, pre = cells.rank, cells.price, search.ids[level], search.totals, search.pre[0]
    n_orders, n_classes = ids.shape[0], price.shape[1]
    two = n_classes == 2
    whole = tree_totals[1] - tree_totals[0] if two else int64(0)
    for f in range(n_orders):
        line, ranks = ids[f], rank[f]
        before = ranks[line[0]]
        if before == ranks[line[n - 1]]:
            continue
        if two:
            least, part = int64(0), int64(0)
            for j in range(n):
                i = line[j]
                if ranks[i] != before:
                    least = min(least, min(int64(0), part) + min(int64(0), whole - part))
                    before = ranks[i]
                part += price[i, 1] - price[i, 0]
            best = min(best, tree_totals[0] + least)
        else:
            pre[:] = 0
            for j in range(n):
                i = line[j]
                if ranks[i] != before:
                    low, high = pre[0], tree_totals[0] - pre[0]
                    for k in range(1, n_classes):
                        low = min(low, pre[k])
                        high = min(high, tree_totals[k] - pre[k])
                    best = min(best, low + high)
                    before = ranks[i]
                for k in range(n_classes):
                    pre[k] += price[i, k]
    return best


@njit(cache=True, nogil=True)
def _two_stumps(
    cells: MergedRows, search: TreeBound, level: int, n: int, totals: Int64Matrix, leaves: Int64Vector
) -> None:
    """Write the least costs of both sides with at most one split each.

    totals : int64 (2, C), the costs of the sides by class; leaves : int64 (2,), their costs as leaves, then the result.
    """
    rank, price, ids, low, pre = cells.rank, cells.price, search.ids[level], search.low, search.pre
    charge = search.charge[level + 1]
    n_orders, n_classes = ids.shape[0], price.shape[1]
    best0, best1 = leaves[0], leaves[1]
    if n_classes == 2:
        whole0, whole1 = totals[0, 1] - totals[0, 0], totals[1, 1] - totals[1, 0]
        zero = int64(0)
        for f in range(n_orders):
            line, ranks = ids[f], rank[f]
            if ranks[line[0]] == ranks[line[n - 1]]:
                continue
            part0, part1, least0, least1 = zero, zero, zero, zero
            before0, before1 = int32(-1), int32(-1)
            for j in range(n):
                i = line[j]
                r = ranks[i]
                d = price[i, 1] - price[i, 0]
                if low[i]:
                    if r != before0:
                        least0 = min(least0, min(zero, part0) + min(zero, whole0 - part0))
                        before0 = r
                    part0 += d
                else:
                    if r != before1:
                        least1 = min(least1, min(zero, part1) + min(zero, whole1 - part1))
                        before1 = r
                    part1 += d
            best0 = min(best0, charge + totals[0, 0] + least0)
            best1 = min(best1, charge + totals[1, 0] + least1)
    else:
        for f in range(n_orders):
            line, ranks = ids[f], rank[f]
            if ranks[line[0]] == ranks[line[n - 1]]:
                continue
            pre[0, :] = 0
            pre[1, :] = 0
            before0, before1 = int32(-1), int32(-1)
            for j in range(n):
                i = line[j]
                r = ranks[i]
                side = 0 if low[i] else 1
                if r != (before0 if side == 0 else before1):
                    first, second = pre[side, 0], totals[side, 0] - pre[side, 0]
                    for k in range(1, n_classes):
                        first = min(first, pre[side, k])
                        second = min(second, totals[side, k] - pre[side, k])
                    if side == 0:
                        best0 = min(best0, charge + first + second)
                        before0 = r
                    else:
                        best1 = min(best1, charge + first + second)
                        before1 = r
                for k in range(n_classes):
                    pre[side, k] += price[i, k]
    leaves[0], leaves[1] = best0, best1


@njit(cache=True, nogil=True)
def next_cut(rank: Int32Vector, line: Int32Vector, n: int, part: Int64Vector, most: Int64Vector, room: int) -> int:
    """The threshold nearest the middle of an interval that bounds do not rule out, or -1 if there is none.

    Moving from a to p lowers the cost by at most what the cells between them can cost, and likewise from b. So p is
    ruled out while this amount is at most that by which the cost at a, or at b, exceeds the room.

    rank : int32 (m,), the ranks in an order; line : int32 (m,), the cells in this order.
    part : int64 (6,), see `TreeBound.intervals`; most : int64 (m,), the largest cost of each cell.
    """
    # lower bound of the interval: L(a) + R(b)
    if part[2] + part[5] >= room:
        return int64(-1)
    a, b = part[0], part[1]
    slack_low = part[2] + part[3] - room if a > 0 else int64(-1)
    slack_high = part[4] + part[5] - room if b < n else int64(-1)
    first, last = a + 1, b - 1
    while first <= last and slack_low >= 0:
        slack_low -= most[line[first - 1]]
        if slack_low < 0:
            break
        first += 1
    while first <= last and slack_high >= 0:
        slack_high -= most[line[last]]
        if slack_high < 0:
            break
        last -= 1
    if first > last:
        return int64(-1)
    middle = (first + last) // 2
    for step in range(last - first + 1):
        for p in (middle - step, middle + step):
            if first <= p <= last and rank[line[p - 1]] != rank[line[p]]:
                return int64(p)
    return int64(-1)


@njit(cache=True, nogil=True)
def divide(intervals: Int64Matrix, top: int, cut: int, left: int, right: int, room: int) -> int:
    """Replace an interval by its parts on both sides of the threshold if their lower bounds leave room.

    top : the line of the interval, the last one; cut : the threshold, 0 to n; left, right : the costs of its sides;
        room : the cost that both sides must stay below.
    """
    a, b = intervals[top, 0], intervals[top, 1]
    la, ra, lb, rb = intervals[top, 2], intervals[top, 3], intervals[top, 4], intervals[top, 5]
    # lower bounds of the parts: L at the lower end plus R at the upper end
    if la + right < room:
        intervals[top, 0], intervals[top, 1] = a, cut
        intervals[top, 2], intervals[top, 3], intervals[top, 4], intervals[top, 5] = la, ra, left, right
        top += 1
    if left + rb < room:
        intervals[top, 0], intervals[top, 1] = cut, b
        intervals[top, 2], intervals[top, 3], intervals[top, 4], intervals[top, 5] = left, right, lb, rb
        top += 1
    return top


@njit(cache=True, nogil=True)
def depth_two(cells: MergedRows, search: TreeBound, level: int, n: int, best: int) -> int:
    """The least cost of the cells with two layers of splits, or `best` if that is less."""
    rank, price, ids, most, control = cells.rank, cells.price, search.ids[level], search.most, search.control
    low, intervals, first, later = search.low, search.intervals[level], search.charge[level], search.charge[level + 1]
    cheapest, regret = search.cheapest, search.regret
    n_orders, n_classes = ids.shape[0], price.shape[1]
    sides = np.zeros((2, n_classes), np.int64)
    lost = np.zeros((2, n_classes), np.int64)
    leaves = np.zeros(2, np.int64)
    for f in range(n_orders):
        line, ranks = ids[f], rank[f]
        if ranks[line[0]] == ranks[line[n - 1]]:
            continue
        intervals[0, 0], intervals[0, 1] = 0, n
        intervals[0, 2:] = 0
        top = 1
        while top:
            if control[STOP]:
                return best
            top -= 1
            la, rb = intervals[top, 2], intervals[top, 5]
            room = best - first
            p = next_cut(ranks, line, n, intervals[top], most, room)
            if p < 0:
                continue
            sides[:, :] = 0
            lost[:, :] = 0
            for j in range(n):
                i = line[j]
                side = 0 if j < p else 1
                low[i] = side == 0
                for k in range(n_classes):
                    sides[side, k] += price[i, k]
                lost[side, cheapest[i]] += regret[i]
            control[WORK] += n
            # lower bounds of both sides: as a leaf or by `class_bound`, and at least those of the interval's ends
            l0 = max(la, min(sides[0].min(), class_bound(lost[0], later, FAR)))
            r0 = max(rb, min(sides[1].min(), class_bound(lost[1], later, FAR)))
            if l0 + r0 < room:
                leaves[0], leaves[1] = sides[0].min(), sides[1].min()
                _two_stumps(cells, search, level, n, sides, leaves)
                control[WORK] += n * n_orders
                l0, r0 = leaves[0], leaves[1]
                best = min(best, first + l0 + r0)
            top = divide(intervals, top, p, l0, r0, best - first)
    return best
