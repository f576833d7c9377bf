"""Consistent trees for subsets of the cases: least depth and fewest leaves, with a memory of all subsets met.

The cuts of an order are nested, and a part of a set never needs a deeper or larger tree than the set. So along an order
the answer for the low side rises from cut to cut while that for the high side falls: whether there is a cut with both
sides feasible is found by halving, and the fewest leaves by dividing the interval of cuts and dropping parts of which
the sum of both bounds is too large.

A set of cases lives on a level of `Stack`: its cases sorted by each order, and its bits as the key of the memory. The
search ends early where `STOP` is set or the memory is full. What was found out until then stays in the memory, so that
a second call goes on from there.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

STOP, USED, WORK, ENDED = range(4)
"""Words of the control array. STOP: set by the driver to end soon; USED: entries of the memory in use; WORK: cases
looked at; ENDED: why the last call ended early."""

DONE, STOPPED, FULL = range(3)
"""Values of ENDED."""

INF = 1 << 29
"""More leaves than there are, and the answer where no tree of the depth is consistent."""

FIRST, LAST, LOW, HIGH = range(4)
"""Words of an interval of cuts: the first and last cut, and bounds on the leaves of both sides of each of them."""

UNLIMITED = 1 << 20
"""A depth limit that is none. A tree of so many leaves is less deep than that, so a limit of `most - 1` is none."""

DEPTH_OF = -1
"""In the place of a depth limit: the entry is about the least depth, not about leaves."""


class Cases(NamedTuple):
    """What is told apart.

    rank : int32 (n_orders, n_cases); label : int32 (n_cases,), from 0 on; n_classes : int64 ().
    """

    rank: np.ndarray
    label: np.ndarray
    n_classes: np.ndarray


class Stack(NamedTuple):
    """The sets on the way from the root, a level each.

    listed : int32 (n_levels, n_orders, n_cases), the set sorted by each order, valid where `built`.
    key : uint64 (n_levels, n_words); count : int32 (n_levels, n_classes).
    size, present, built : int64 (n_levels,), the number of cases and of classes.
    order, begin, end : int64 (n_levels,), the part of the list of this order one level above that the set is.
    cut : int32 (n_levels, n_cases), the sizes of the low sides that the order at work offers.
    span : int64 (n_levels, 80, 4), intervals of cuts.
    """

    listed: np.ndarray
    key: np.ndarray
    count: np.ndarray
    size: np.ndarray
    present: np.ndarray
    built: np.ndarray
    order: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    cut: np.ndarray
    span: np.ndarray


class Memory(NamedTuple):
    """What is known of sets, an entry each, and a hash table of their numbers (-1: free).

    key : uint64 (n_entries, n_words); limit : int32, the depth limit or DEPTH_OF.
    low, high : int32, bounds on the answer; order, last : int32, the first split of a tree with `high`.
    slot : int32 (a power of two,)
    """

    key: np.ndarray
    limit: np.ndarray
    low: np.ndarray
    high: np.ndarray
    order: np.ndarray
    last: np.ndarray
    slot: np.ndarray


@njit(cache=True, nogil=True)
def find(memory, key, limit, control, insert):
    """The entry of a set under a depth limit; -1 where there is none, or no room to insert one."""
    h = np.uint64(limit + 2) * np.uint64(0x9E3779B97F4A7C15)
    for w in range(len(key)):
        h = (h ^ key[w]) * np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(29)
    mask = len(memory.slot) - 1
    at = np.int64((h * np.uint64(0x94D049BB133111EB)) >> np.uint64(33)) & mask
    while memory.slot[at] >= 0:
        e = memory.slot[at]
        if memory.limit[e] == limit:
            same = True
            for w in range(len(key)):
                if memory.key[e, w] != key[w]:
                    same = False
                    break
            if same:
                return np.int64(e)
        at = (at + 1) & mask
    if not insert:
        return np.int64(-1)
    e = control[USED]
    if e >= len(memory.limit):
        control[ENDED] = FULL
        return np.int64(-1)
    control[USED] = e + 1
    memory.slot[at] = e
    memory.key[e] = key
    memory.limit[e], memory.low[e], memory.high[e] = limit, 1, INF
    memory.order[e] = memory.last[e] = -1
    return np.int64(e)


@njit(cache=True, nogil=True)
def rebuild(memory, n_used, control):
    """Enter the first entries into an empty hash table."""
    control[USED] = 0
    for e in range(n_used):
        low, high, order, last = memory.low[e], memory.high[e], memory.order[e], memory.last[e]
        new = find(memory, memory.key[e].copy(), memory.limit[e], control, True)
        memory.low[new], memory.high[new], memory.order[new], memory.last[new] = low, high, order, last


@njit(cache=True, nogil=True)
def enter(cases, stack, control, level, order, begin, end):
    """Put a part of a list of the level above on a level: its key and its classes; the lists wait until needed."""
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
def build(cases, stack, control, level):
    """Sort the set of a level by all orders: what the lists above have of it, in their order."""
    if stack.built[level]:
        return
    stack.built[level] = 1
    order, key, n_all = stack.order[level], stack.key[level], stack.size[level - 1]
    for b in range(len(cases.rank)):
        source, target = stack.listed[level - 1, b], stack.listed[level, b]
        if b == order:
            target[: stack.size[level]] = source[stack.begin[level] : stack.end[level]]
            continue
        n = 0
        for i in range(n_all):
            row = source[i]
            target[n] = row
            n += np.int64((key[row >> 6] >> np.uint64(row & 63)) & np.uint64(1))
            if n == stack.size[level]:
                break
    control[WORK] += n_all * len(cases.rank)


@njit(cache=True, nogil=True)
def cuts(cases, stack, level, order):
    """List the sizes of the low sides that an order offers; their number."""
    rows, rank, n = stack.listed[level, order], cases.rank[order], 0
    for i in range(1, stack.size[level]):
        if rank[rows[i - 1]] != rank[rows[i]]:
            stack.cut[level, n] = i
            n += 1
    return n


@njit(cache=True, nogil=True)
def pure_run(cases, stack, level, order, backward):
    """How many cases from one end of an order can be cut off so that they are of one class."""
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
def parted_run(cases, stack, level, order, backward, known):
    """How many cases from one end of an order can be cut off so that one question tells their two classes apart.

    `known` of them are of one class.
    """
    rows, rank, size = stack.listed[level, order], cases.rank[order], stack.size[level]
    step, at = (-1, size - 1) if backward else (1, 0)
    best = known
    if best == size:
        return size
    first = cases.label[rows[at]]
    for b in range(len(cases.rank)):
        by = cases.rank[b]
        least_one = least_two = np.int32(1 << 30)
        most_one = most_two = np.int32(-1)
        second, n, group, ended = np.int32(-1), 0, np.int32(0), False
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
def parting(cases, stack, level):
    """The order and the size of the low side of a question that tells two classes apart; (-1, 0) for none."""
    for a in range(len(cases.rank)):
        n = pure_run(cases, stack, level, a, False)
        if n > 0 and n + pure_run(cases, stack, level, a, True) >= stack.size[level]:
            return a, n
    return -1, 0


@njit(cache=True, nogil=True)
def depth_two(cases, stack, control, level):
    """The fewest leaves of a tree of depth two: 3 or 4, INF for none; with order and size of the low side.

    One question does not do, as the caller knows.
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
def known_depth(memory, stack, control, level):
    """Bounds on the least depth of the set of a level from its classes and the memory."""
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
def note_depth(memory, stack, control, level, feasible, depth, order, size):
    """Remember that the set of a level has a tree of a depth, beginning with this split, or that it has none."""
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
def feasible(cases, stack, memory, control, level, depth):
    """Whether the set of a level has a consistent tree of at most this depth: 1, 0, or -1 where the search ended."""
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
                        if answer == 0:
                            first = middle + 1
                    else:
                        enter(cases, stack, control, level + 1, a, 0, size)
                        answer = feasible(cases, stack, memory, control, level + 1, depth - 1)
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
def least(stack, memory, control, level, limit):
    """What is known to be needed for the set of a level at least, in leaves."""
    known = np.int64(stack.present[level])
    if known > 1:
        for key in (limit, UNLIMITED):
            e = find(memory, stack.key[level], key, control, False)
            if e >= 0:
                known = max(known, np.int64(memory.low[e]))
    return known


@njit(cache=True, nogil=True)
def settle(cases, stack, memory, level, e, control):
    """Enter what few questions do: exact answers up to four leaves, and a first bound for the others."""
    a, size = parting(cases, stack, level)
    leaves = 2 if a >= 0 else INF
    if a < 0:
        leaves, a, size = depth_two(cases, stack, control, level)
    if leaves < INF:
        # without a tree of three leaves, which has depth two at most, four are the fewest at any depth
        memory.low[e] = memory.high[e] = leaves
        memory.order[e], memory.last[e] = a, stack.listed[level, a, size - 1]
    else:
        memory.low[e] = max(4, stack.present[level])


@njit(cache=True, nogil=True)
def fewest(cases, stack, memory, control, level, limit, most):
    """The fewest leaves of a consistent tree of at most this depth for the set of a level, if they are at most `most`.

    Returns
    -------
    The number; a lower bound above `most` where they are more; INF where there is no tree; -1 where the search ended.
    """
    if stack.present[level] == 1 or stack.present[level] > most:
        return stack.present[level]
    if limit < UNLIMITED:
        answer = feasible(cases, stack, memory, control, level, limit)
        if answer <= 0:
            return INF if answer == 0 else -1
        if limit >= most - 1:
            limit = UNLIMITED
    e = find(memory, stack.key[level], limit, control, True)
    if e < 0:
        return -1
    if memory.low[e] > most or memory.low[e] == memory.high[e]:
        return np.int64(memory.low[e])
    if control[STOP]:
        control[ENDED] = STOPPED
        return -1
    build(cases, stack, control, level)
    if memory.low[e] == 1:
        settle(cases, stack, memory, level, e, control)
        if memory.low[e] > most or memory.low[e] == memory.high[e]:
            return np.int64(memory.low[e])
    span, whole, below = stack.span[level], stack.size[level], limit if limit == UNLIMITED else limit - 1
    for a in range(len(cases.rank)):
        span[0, FIRST], span[0, LAST], n = 0, cuts(cases, stack, level, a) - 1, 1
        span[0, LOW], span[0, HIGH] = 1, 1
        while n:
            n -= 1
            first, last, low, high = span[n, FIRST], span[n, LAST], span[n, LOW], span[n, HIGH]
            best = min(most, np.int64(memory.high[e]) - 1)
            if first > last or low + high > best:
                continue
            middle = (first + last) // 2
            size = stack.cut[level, middle]
            high_first = 2 * size < whole
            if high_first:
                enter(cases, stack, control, level + 1, a, 0, size)
                low_side = max(low, least(stack, memory, control, level + 1, below))
                high_side = high
            else:
                enter(cases, stack, control, level + 1, a, size, whole)
                high_side = max(high, least(stack, memory, control, level + 1, below))
                low_side = low
            for turn in range(2):
                if low_side + high_side > best:
                    break
                if (turn == 0) == high_first:
                    enter(cases, stack, control, level + 1, a, size, whole)
                    found = fewest(cases, stack, memory, control, level + 1, below, best - low_side)
                    high_side = max(high_side, found)
                else:
                    enter(cases, stack, control, level + 1, a, 0, size)
                    found = fewest(cases, stack, memory, control, level + 1, below, best - high_side)
                    low_side = max(low_side, found)
                if found < 0:
                    return -1
            if low_side + high_side <= best:
                memory.high[e] = low_side + high_side
                memory.order[e], memory.last[e] = a, stack.listed[level, a, size - 1]
                if memory.low[e] == memory.high[e]:
                    return np.int64(memory.low[e])
            span[n, FIRST], span[n, LAST], span[n, LOW], span[n, HIGH] = first, middle - 1, low, high_side
            n += 1
            span[n, FIRST], span[n, LAST], span[n, LOW], span[n, HIGH] = middle + 1, last, low_side, high
            n += 1
    memory.low[e] = memory.high[e] if memory.high[e] <= most else max(memory.low[e], most + 1)
    return np.int64(memory.low[e])
