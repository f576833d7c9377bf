"""Pack a node's rows for the depth-two solver, and find the best single threshold of every order on the way."""

from __future__ import annotations

from numba import njit

from solvers.kernels.lanes import BOUNDARY, CANDIDATE
from solvers.kernels.workspace import FAR, Rows, Scan


@njit(cache=True, nogil=True)
def count_classes(rows: Rows, total, level, offset, m):
    """Fill `total` int64 (C,) with the weight of each class at a node; return the weight of all and of the largest."""
    total[:] = 0
    for j in range(offset, offset + m):
        row = rows.ids[level, 0, j]
        total[rows.label[row]] += rows.weight[row]
    every, largest = 0, 0
    for k in range(len(total)):
        every += total[k]
        largest = max(largest, total[k])
    return every, largest


@njit(cache=True, nogil=True)
def class_bound(total, depth):
    """The least cost of any tree of this depth: all but its 2^depth heaviest classes have no leaf.

    `total` int64 (C,) is the weight of each class; it is read only.
    """
    n_classes = len(total)
    leaves = 1 << min(depth, 7)
    if n_classes <= leaves:
        return 0
    lost = 0
    for k in range(n_classes):
        heavier = 0
        for other in range(n_classes):
            heavier += total[other] > total[k] or (total[other] == total[k] and other < k)
        if heavier >= leaves:
            lost += total[k]
    return lost


@njit(cache=True, nogil=True)
def repeats_twin(rows: Rows, f, level, offset, m):
    """Whether an order is the same as its twin here, since no value of its column is missing at the node."""
    twin = rows.twin[f]
    if twin < 0:
        return False
    if rows.missing[f] >= 0:
        return rows.ranks[level, f, offset + m - 1] != rows.missing[f]
    return _zeros(rows.ranks[level, f], offset, m) == _zeros(rows.ranks[level, twin], offset, m)


@njit(cache=True, nogil=True)
def _zeros(ranks, offset, m):
    low, high = 0, m
    while low < high:
        middle = (low + high) >> 1
        if ranks[offset + middle] == 0:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def splits(rows: Rows, f, level, offset, m):
    """Whether an order has two different ranks at a node and is not the repetition of its twin."""
    ranks = rows.ranks[level, f]
    return ranks[offset] != ranks[offset + m - 1] and not repeats_twin(rows, f, level, offset, m)


@njit(cache=True, nogil=True)
def pack(rows: Rows, scan: Scan, level, offset, m):
    """Pack the orders of a node and find their best single thresholds.

    Reads `scan.total`. Fills `scan.code`, `local`, `packed`, `amount`, `live`, `stump` (FAR where an order cannot
    split).

    Returns
    -------
    The number of classes present, and the least error of a single threshold (FAR if there is none).
    """
    present = 0
    for k in range(len(scan.code)):
        if scan.total[k] > 0:
            scan.code[k] = present
            present += 1
        else:
            scan.code[k] = -1
    first = rows.ids[level, 0]
    for j in range(m):
        scan.local[first[offset + j]] = j
    least = FAR
    for f in range(rows.ids.shape[1]):
        scan.live[f] = splits(rows, f, level, offset, m)
        scan.stump[f] = FAR
        if scan.live[f]:
            _pack_order(rows, scan, f, level, offset, m, present == 2)
            scan.stump[f] = _best_threshold_error(scan, f, m, present)
            least = min(least, scan.stump[f])
    return present, least


@njit(cache=True, nogil=True)
def _pack_order(rows: Rows, scan: Scan, f, level, offset, m, two):
    ids = rows.ids[level, f]
    ranks = rows.ranks[level, f]
    packed = scan.packed[f]
    amount = scan.amount[f]
    group, before, boundary = -2, -1, -1
    for j in range(m):
        row = ids[offset + j]
        label = scan.code[rows.label[row]]
        weight = rows.weight[row]
        amount[j] = weight if label == 1 or not two else -weight
        word = scan.local[row] << 8 | label << 1
        group = label if group == -2 or group == label else -1
        if j + 1 == m or ranks[offset + j] != ranks[offset + j + 1]:
            if boundary >= 0 and (group == -1 or before != group):
                packed[boundary] |= CANDIDATE
            if j + 1 < m:
                word |= BOUNDARY
            boundary, before, group = j, group, -2
        packed[j] = word


@njit(cache=True, nogil=True)
def _best_threshold_error(scan: Scan, f, m, present):
    packed, amount = scan.packed[f], scan.amount[f]
    if present == 2:
        whole, least = 0, FAR
        for j in range(m):
            whole += amount[j]
        upper = 0
        for k in range(len(scan.code)):
            if scan.code[k] == 1:
                upper = scan.total[k]
        lower = upper - whole
        total = 0
        for j in range(m):
            total += amount[j]
            if packed[j] & CANDIDATE:
                least = min(least, upper - total, lower + total)
        return min(least, upper, lower)
    return least_error_of_one(scan, f, m, present, FAR, True)[0]


@njit(cache=True, nogil=True)
def least_error_of_one(scan: Scan, f, m, present, cut, low_side):
    """The best single threshold of one order for the rows of one side of a first question, in plain scalar code.

    Parameters
    ----------
    cut : rows with `place < cut` are on the low side; FAR for all rows.
    low_side : which side is asked about.

    Returns
    -------
    The least error, and the position (0 to m - 1) behind which the threshold lies; -1 where a leaf is as good.
    """
    packed, amount = scan.packed[f], scan.amount[f]
    rest, done = scan.tally[0], scan.tally[1]
    for k in range(present):
        rest[k] = done[k] = 0
    every, largest = 0, 0
    for j in range(m):
        if cut == FAR or (scan.place[packed[j] >> 8] < cut) == low_side:
            weight = abs(amount[j])
            rest[packed[j] >> 1 & 63] += weight
            every += weight
    for k in range(present):
        largest = max(largest, rest[k])
    least, where = every - largest, -1
    for j in range(m):
        if cut == FAR or (scan.place[packed[j] >> 8] < cut) == low_side:
            label, weight = packed[j] >> 1 & 63, abs(amount[j])
            rest[label] -= weight
            done[label] += weight
        if packed[j] & CANDIDATE:
            left, right = 0, 0
            for k in range(present):
                left = max(left, done[k])
                right = max(right, rest[k])
            if every - left - right < least:
                least, where = every - left - right, j
    return least, where
