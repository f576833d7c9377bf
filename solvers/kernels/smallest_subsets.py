"""Consistent trees for subsets of the rows: least depth and fewest leaves, with a memory of all subsets visited.

A set has a level of `SetStack`: its rows sorted by each order, and its bits as the key in the memory. Scans find the
longest runs at either end of an order that contain one class, or two classes that one split separates. Rows here are
distinct rows ("cases" in names). Along an order the result of the low side rises from threshold to threshold, and that
of the high side falls (docs/methods/smallest-tree.md): bisection finds a feasible threshold, and intervals of
thresholds whose two bounds have too large a sum are dropped. The search ends early if `STOP` is set or the memory is
full. The memory keeps its results, so a second call resumes there.

control : int64 (4,), see below; level : the level of a set on `SetStack`; order : the number of a split order.
depth : the depth limit; limit : the same, or UNLIMITED; with DEPTH_OF the entry holds bounds on the least depth.
most : the largest number of leaves of interest; e : the number of a memory entry.
backward : whether the run starts at the high ranks.
"""

from typing import NamedTuple

import numpy as np

from .arrays import Int64Vector, UInt64Vector, int32, int64
from .compiled import njit
from .status import FULL, STOPPED

STOP, USED, WORK, ENDED = range(4)
"""Words of the control array. STOP: set by the driver to end soon; USED: memory entries in use; WORK: rows scanned;
ENDED: the status with which the last call ended."""

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


@njit(cache=True, nogil=True)
def known_depth(memory: Memory, stack: SetStack, control: Int64Vector, level: int) -> tuple[int, int]:
    """Bounds on the least depth of the set of a level, from its classes and the memory."""
    # a tree of depth d has at most 2^d leaves, so it separates at most 2^d classes
    low, n = 0, 1
    while n < stack.present[level]:
        low, n = low + 1, 2 * n
    high = 0 if low == 0 else INF
    if high:
        e = find(memory, stack.key[level], DEPTH_OF, control, False)
        if e >= 0:
            low, high = max(low, memory.low[e]), memory.high[e]
    return low, high


@njit(cache=True, nogil=True)
def note_depth(
    memory: Memory, stack: SetStack, control: Int64Vector, level: int, feasible: bool, depth: int, order: int, size: int
) -> int:
    """Record that the set of a level has a tree of this depth with this first split, or that it has none.

    feasible : whether it has one; size : the number of rows on the low side of the split.

    Returns
    -------
    1 or 0 as `feasible`, or -1 if the memory is full.
    """
    e = find(memory, stack.key[level], DEPTH_OF, control, True)
    if e < 0:
        return -1
    if not feasible:
        memory.low[e] = max(memory.low[e], depth + 1)
        return 0
    memory.high[e] = depth
    memory.order[e] = order
    memory.last[e] = stack.listed[level, order, size - 1]
    return 1


@njit(cache=True, nogil=True)
def feasible(cases: CaseArrays, stack: SetStack, memory: Memory, control: Int64Vector, level: int, depth: int) -> int:
    """Whether the set of a level has a consistent tree of depth at most `depth`: 1, 0, or -1 if the search ended."""
    low, high = known_depth(memory, stack, control, level)
    if high <= depth:
        return 1
    if low > depth:
        return 0
    if control[STOP]:
        control[ENDED] = STOPPED
        return -1
    build(cases, stack, control, level)
    a, size = parting(cases, stack, level)
    if a >= 0:
        return note_depth(memory, stack, control, level, True, 1, a, size)
    if depth == 1:
        return note_depth(memory, stack, control, level, False, 1, 0, 1)
    leaves, a, size = depth_two(cases, stack, control, level)
    if leaves < INF:
        return note_depth(memory, stack, control, level, True, 2, a, size)
    if depth > 2:
        for a in range(len(cases.rank)):
            first, last = 0, cuts(cases, stack, level, a) - 1
            while first <= last:
                middle = (first + last) // 2
                size = stack.cut[level, middle]
                answer, high_first = 1, 2 * size < stack.size[level]
                for side in range(2):
                    if (side == 0) == high_first:
                        enter(cases, stack, control, level + 1, a, size, stack.size[level])
                        answer = feasible(cases, stack, memory, control, level + 1, depth - 1)
                        # an infeasible high side rules out all lower thresholds, whose high sides contain it
                        if answer == 0:
                            first = middle + 1
                    else:
                        enter(cases, stack, control, level + 1, a, 0, size)
                        answer = feasible(cases, stack, memory, control, level + 1, depth - 1)
                        # an infeasible low side rules out all higher thresholds
                        if answer == 0:
                            last = middle - 1
                    if answer < 0:
                        return -1
                    if answer == 0:
                        break
                if answer:
                    return note_depth(memory, stack, control, level, True, depth, a, size)
    return note_depth(memory, stack, control, level, False, depth, 0, 1)


@njit(cache=True, nogil=True)
def least(stack: SetStack, memory: Memory, control: Int64Vector, level: int, limit: int) -> int:
    """A lower bound on the leaves of the set of a level, from its classes and the memory."""
    # each class needs a leaf; a bound without a depth limit also holds with one
    known = int64(stack.present[level])
    if known > 1:
        for key in (limit, UNLIMITED):
            e = find(memory, stack.key[level], key, control, False)
            if e >= 0:
                known = max(known, int64(memory.low[e]))
    return known


@njit(cache=True, nogil=True)
def settle(cases: CaseArrays, stack: SetStack, memory: Memory, level: int, e: int, control: Int64Vector) -> None:
    """Enter the exact result if four leaves suffice, and a first lower bound otherwise."""
    a, size = parting(cases, stack, level)
    leaves = 2 if a >= 0 else INF
    if a < 0:
        leaves, a, size = depth_two(cases, stack, control, level)
    if leaves < INF:
        # exact at any depth: a tree of three leaves has depth at most two, so four are the fewest if it is not found
        memory.low[e] = memory.high[e] = leaves
        memory.order[e], memory.last[e] = a, stack.listed[level, a, size - 1]
    else:
        # lower bound: three leaves do not suffice, but four may in a tree of depth three
        memory.low[e] = max(4, stack.present[level])


@njit(cache=True, nogil=True)
def begin(
    cases: CaseArrays, stack: SetStack, memory: Memory, control: Int64Vector, level: int, limit: int, most: int
) -> tuple[int, int, int]:
    """Solve without search for the fewest leaves of the set of a level if possible; otherwise prepare the search.

    Returns
    -------
    The result as of `fewest`, or 0 if a search is needed; the entry; and the limit to search under.
    """
    present = int64(stack.present[level])
    none = int64(-1)
    if present == 1 or present > most:
        return present, none, limit
    if limit < UNLIMITED:
        answer = feasible(cases, stack, memory, control, level, limit)
        if answer <= 0:
            return int64(INF) if answer == 0 else none, none, limit
        # a tree with at most `most` leaves has depth at most `most - 1`
        if limit >= most - 1:
            limit = UNLIMITED
    e = find(memory, stack.key[level], limit, control, True)
    if e < 0:
        return none, none, limit
    if memory.low[e] > most or memory.low[e] == memory.high[e]:
        return int64(memory.low[e]), e, limit
    if control[STOP]:
        control[ENDED] = STOPPED
        return none, none, limit
    build(cases, stack, control, level)
    if memory.low[e] == 1:
        settle(cases, stack, memory, level, e, control)
        if memory.low[e] > most or memory.low[e] == memory.high[e]:
            return int64(memory.low[e]), e, limit
    return int64(0), e, limit


@njit(cache=True, nogil=True)
def fewest(
    cases: CaseArrays, stack: SetStack, memory: Memory, control: Int64Vector, level: int, limit: int, most: int
) -> int:
    """The fewest leaves of a consistent tree of depth at most `limit` for the set of a level, if at most `most`.

    Returns
    -------
    The number; or a lower bound above `most` if more are needed; INF if there is no tree; -1 if the search ended.
    """
    answer, e, limit = begin(cases, stack, memory, control, level, limit, most)
    if answer != 0:
        return answer
    span, whole, below = stack.span[level], stack.size[level], limit if limit == UNLIMITED else limit - 1
    for a in range(len(cases.rank)):
        span[0, FIRST], span[0, LAST], n = 0, cuts(cases, stack, level, a) - 1, 1
        span[0, LOW], span[0, HIGH] = 1, 1
        while n:
            n -= 1
            first, last, low, high = span[n, FIRST], span[n, LAST], span[n, LOW], span[n, HIGH]
            # only trees smaller than the incumbent count; low + high bounds every threshold of the interval
            best = min(most, int64(memory.high[e]) - 1)
            if first > last or low + high > best:
                continue
            middle = (first + last) // 2
            size = stack.cut[level, middle]
            high_first, low_side, high_side = 2 * size < whole, low, high
            # a lower bound of the smaller side leaves fewer leaves to the larger one
            if high_first:
                enter(cases, stack, control, level + 1, a, 0, size)
                low_side = max(low, least(stack, memory, control, level + 1, below))
            else:
                enter(cases, stack, control, level + 1, a, size, whole)
                high_side = max(high, least(stack, memory, control, level + 1, below))
            for turn in range(2):
                if low_side + high_side > best:
                    break
                upper = (turn == 0) == high_first
                enter(cases, stack, control, level + 1, a, size if upper else 0, whole if upper else size)
                left = best - (low_side if upper else high_side)
                found = fewest(cases, stack, memory, control, level + 1, below, left)
                if found < 0:
                    return -1
                if upper:
                    high_side = max(high_side, found)
                else:
                    low_side = max(low_side, found)
            if low_side + high_side <= best:
                memory.high[e] = low_side + high_side
                memory.order[e], memory.last[e] = a, stack.listed[level, a, size - 1]
                if memory.low[e] == memory.high[e]:
                    return int64(memory.low[e])
            # below the middle the high side only grows, above it the low side: their bounds carry over
            span[n, FIRST], span[n, LAST], span[n, LOW], span[n, HIGH] = first, middle - 1, low, high_side
            n += 1
            span[n, FIRST], span[n, LAST], span[n, LOW], span[n, HIGH] = middle + 1, last, low_side, high
            n += 1
    # all thresholds are ruled out: the incumbent is optimal, or more than `most` leaves are needed
    memory.low[e] = memory.high[e] if memory.high[e] <= most else max(memory.low[e], most + 1)
    return int64(memory.low[e])
