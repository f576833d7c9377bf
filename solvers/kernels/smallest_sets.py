"""Sets of rows on the path from the root of a tree, the splits that suffice for small trees, and a memory of bounds.

A set has a level of `SetStack`: its rows sorted by each order, and its bits as the key in the memory. Scans find the
longest runs at either end of an order that contain one class, or two classes that one split separates. Rows here are
distinct rows ("cases" in names).

control : int64 (4,), see below; level : the level of a set on `SetStack`; order : the number of a split order.
limit : the depth limit, or UNLIMITED; with DEPTH_OF the entry holds bounds on the least depth.
backward : whether the run starts at the high ranks.
"""

from typing import NamedTuple

import numpy as np

from .arrays import Int64Vector, UInt64Vector, int32, int64
from .compiled import njit

STOP, USED, WORK, ENDED = range(4)
"""Words of the control array. STOP: set by the driver to end soon; USED: memory entries in use; WORK: rows scanned;
ENDED: why the last call ended early."""

DONE, STOPPED, FULL = range(3)
"""Values of ENDED."""

INF = 1 << 29
"""More than any number of leaves; also the result if no tree of the depth is consistent (without training errors)."""

FIRST, LAST, LOW, HIGH = range(4)
"""Fields of an interval of thresholds: the first and last, and lower bounds on the leaves of both sides of each."""

UNLIMITED = 1 << 20
"""No depth limit. A tree of n leaves has depth at most n - 1, so a limit of `most - 1` is no limit either."""

DEPTH_OF = -1
"""Used as a depth limit: the entry is about the least depth, not about leaves."""


class CaseArrays(NamedTuple):
    """The distinct rows and their classes.

    rank : int32 (n_orders, n_cases); label : int32 (n_cases,), classes from 0; n_classes : int64 ().
    """

    rank: np.ndarray
    label: np.ndarray
    n_classes: np.ndarray


class SetStack(NamedTuple):
    """The sets on the path from the root, one per level.

    listed : int32 (n_levels, n_orders, n_cases), the set sorted by each order, valid if `built`.
    key : uint64 (n_levels, n_words), the set, one bit per row; count : int32 (n_levels, n_classes), its rows by class.
    size, present : int64 (n_levels,), its number of rows and of classes; built : int64 (n_levels,), whether `listed` is
        filled.
    order, begin, end : int64 (n_levels,), the set as a range of the list of this order one level above.
    cut : int32 (n_levels, n_cases), the low-side sizes of the thresholds of the current order.
    span : int64 (n_levels, 80, 4), intervals of thresholds.
    """

    listed: np.ndarray
    key: np.ndarray
    count: np.ndarray  # type: ignore[assignment]  # tuples have a method of this name
    size: np.ndarray
    present: np.ndarray
    built: np.ndarray
    order: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    cut: np.ndarray
    span: np.ndarray


class Memory(NamedTuple):
    """Known bounds, one entry per set and limit, and a hash table of entry numbers (-1: free).

    key : uint64 (n_entries, n_words), the set, one bit per row; limit : int32 (n_entries,), the depth limit or
        DEPTH_OF.
    low, high : int32 (n_entries,), bounds on the result; order, last : int32 (n_entries,), the first split of a tree
        with `high`: the order, and the last row of its low side.
    slot : int32 (a power of two,), the entry numbers.
    """

    key: np.ndarray
    limit: np.ndarray
    low: np.ndarray
    high: np.ndarray
    order: np.ndarray
    last: np.ndarray
    slot: np.ndarray


@njit(cache=True, nogil=True)
def find(memory: Memory, key: UInt64Vector, limit: int, control: Int64Vector, insert: bool) -> int:
    """Return the entry of a set under a depth limit, or -1 if there is none or no room to `insert` one.

    key : uint64 (n_words,), the set, one bit per row.
    """
    h = np.uint64(limit + 2) * np.uint64(0x9E3779B97F4A7C15)
    for w in range(len(key)):
        h = (h ^ key[w]) * np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(29)
    mask = len(memory.slot) - 1
    at = int64((h * np.uint64(0x94D049BB133111EB)) >> np.uint64(33)) & mask
    while memory.slot[at] >= 0:
        e = memory.slot[at]
        if memory.limit[e] == limit:
            same = True
            for w in range(len(key)):
                if memory.key[e, w] != key[w]:
                    same = False
                    break
            if same:
                return int64(e)
        at = (at + 1) & mask
    if not insert:
        return int64(-1)
    e = control[USED]
    if e >= len(memory.limit):
        control[ENDED] = FULL
        return int64(-1)
    control[USED] = e + 1
    memory.slot[at] = e
    for w in range(len(key)):
        memory.key[e, w] = key[w]
    memory.limit[e], memory.low[e], memory.high[e] = limit, 1, INF
    memory.order[e] = memory.last[e] = -1
    return int64(e)


@njit(cache=True, nogil=True)
def rebuild(memory: Memory, n_used: int, control: Int64Vector) -> None:
    """Insert the first `n_used` entries into an empty hash table."""
    control[USED] = 0
    for e in range(n_used):
        low, high, order, last = memory.low[e], memory.high[e], memory.order[e], memory.last[e]
        new = find(memory, memory.key[e], int64(memory.limit[e]), control, True)
        memory.low[new], memory.high[new], memory.order[new], memory.last[new] = low, high, order, last


@njit(cache=True, nogil=True)
def enter(
    cases: CaseArrays, stack: SetStack, control: Int64Vector, level: int, order: int, begin: int, end: int
) -> None:
    """Enter rows `begin` to `end` - 1 of a list of the level above as a set; `build` sorts it when needed."""
    rows, key, count = stack.listed[level - 1, order], stack.key[level], stack.count[level]
    key[:] = 0
    count[:] = 0
    for i in range(begin, end):
        row = rows[i]
        key[row >> 6] |= np.uint64(1) << np.uint64(row & 63)
        count[cases.label[row]] += 1
    present = 0
    for c in range(len(count)):
        present += count[c] > 0
    stack.size[level], stack.present[level], stack.built[level] = end - begin, present, 0
    stack.order[level], stack.begin[level], stack.end[level] = order, begin, end
    control[WORK] += end - begin


@njit(cache=True, nogil=True)
def build(cases: CaseArrays, stack: SetStack, control: Int64Vector, level: int) -> None:
    """Sort the set of a level by all orders, by filtering the lists of the level above."""
    if stack.built[level]:
        return
    stack.built[level] = 1
    order, key, n_all = stack.order[level], stack.key[level], stack.size[level - 1]
    for b in range(len(cases.rank)):
        source, target = stack.listed[level - 1, b], stack.listed[level, b]
        if b == order:
            for i in range(stack.size[level]):
                target[i] = source[stack.begin[level] + i]
            continue
        n = 0
        for i in range(n_all):
            row = source[i]
            target[n] = row
            n += int64((key[row >> 6] >> np.uint64(row & 63)) & np.uint64(1))
            if n == stack.size[level]:
                break
    control[WORK] += n_all * len(cases.rank)


@njit(cache=True, nogil=True)
def cuts(cases: CaseArrays, stack: SetStack, level: int, order: int) -> int:
    """List the low-side sizes of the thresholds of an order; return their number."""
    rows, rank, n = stack.listed[level, order], cases.rank[order], 0
    for i in range(1, stack.size[level]):
        if rank[rows[i - 1]] != rank[rows[i]]:
            stack.cut[level, n] = i
            n += 1
    return n


@njit(cache=True, nogil=True)
def pure_run(cases: CaseArrays, stack: SetStack, level: int, order: int, backward: bool) -> int:
    """The number of rows that a threshold can cut off at one end of an order so that they are of one class."""
    rows, rank, size = stack.listed[level, order], cases.rank[order], stack.size[level]
    step, at = (-1, size - 1) if backward else (1, 0)
    first, n, group = cases.label[rows[at]], 0, 0
    for i in range(size):
        row = rows[at + step * i]
        if i > 0 and rank[row] != group:
            n = i
        group = rank[row]
        if cases.label[row] != first:
            return n
    return size


@njit(cache=True, nogil=True)
def parted_run(cases: CaseArrays, stack: SetStack, level: int, order: int, backward: bool, known: int) -> int:
    """The number of rows that a threshold can cut off at one end of an order so that one more split separates them.

    The rows then have at most two classes. `known` of them are of one class (`pure_run`).
    """
    rows, rank, size = stack.listed[level, order], cases.rank[order], stack.size[level]
    step, at = (-1, size - 1) if backward else (1, 0)
    best = known
    if best == size:
        return size
    first = cases.label[rows[at]]
    for b in range(len(cases.rank)):
        by = cases.rank[b]
        least_one = least_two = int32(1 << 30)
        most_one = most_two = int32(-1)
        second, n, group, ended = int32(-1), 0, int32(0), False
        for i in range(size):
            row = rows[at + step * i]
            if i > 0 and rank[row] != group:
                n = i
            group = rank[row]
            value, label = by[row], cases.label[row]
            if label == first:
                least_one, most_one = min(least_one, value), max(most_one, value)
            elif second < 0 or label == second:
                second = label
                least_two, most_two = min(least_two, value), max(most_two, value)
            else:
                ended = True
            if ended or (second >= 0 and most_one >= least_two and most_two >= least_one):
                ended = True
                break
        if not ended:
            return size
        best = max(best, n)
    return best


@njit(cache=True, nogil=True)
def parting(cases: CaseArrays, stack: SetStack, level: int) -> tuple[int, int]:
    """Return order and low-side size of a split that separates two classes, or (-1, 0) if there is none."""
    for a in range(len(cases.rank)):
        n = pure_run(cases, stack, level, a, False)
        if n > 0 and n + pure_run(cases, stack, level, a, True) >= stack.size[level]:
            return a, n
    return -1, 0


@njit(cache=True, nogil=True)
def depth_two(cases: CaseArrays, stack: SetStack, control: Int64Vector, level: int) -> tuple[int, int, int]:
    """The fewest leaves of a consistent tree of depth two (3, 4, or INF for none), with order and low-side size.

    The caller knows that a single split does not suffice.
    """
    size, leaves, order, low = stack.size[level], INF, -1, 0
    for a in range(len(cases.rank)):
        pure_low, pure_high = pure_run(cases, stack, level, a, False), pure_run(cases, stack, level, a, True)
        part_low = parted_run(cases, stack, level, a, False, pure_low)
        part_high = parted_run(cases, stack, level, a, True, pure_high)
        control[WORK] += size * 2
        if pure_low > 0 and pure_low + part_high >= size:
            return 3, a, pure_low
        if pure_high > 0 and pure_high + part_low >= size:
            return 3, a, size - pure_high
        if leaves == INF and part_low > 0 and part_low + part_high >= size:
            leaves, order, low = 4, a, part_low
    return leaves, order, low
