"""Consistent trees for subsets of the cases: least depth and fewest leaves, with a memory of all subsets met.

The cuts of an order are nested, and a part of a set never needs a deeper or larger tree than the set. So along an order
the answer for the low side rises from cut to cut while that for the high side falls: whether there is a cut with both
sides feasible is found by halving, and the fewest leaves by dividing the interval of cuts and dropping parts of which
the sum of both bounds is too large.

The search ends early where `STOP` is set or the memory is full. What was found out until then stays in the memory, so
that a second call goes on from there.

depth : the largest depth; most : the most leaves that are of interest; e : the number of an entry of the memory.
"""

from .arrays import Int64Vector, int64
from .compiled import njit
from .smallest_sets import (
    DEPTH_OF,
    ENDED,
    FIRST,
    HIGH,
    INF,
    LAST,
    LOW,
    STOP,
    STOPPED,
    UNLIMITED,
    CaseArrays,
    Memory,
    SetStack,
    build,
    cuts,
    depth_two,
    enter,
    find,
    parting,
)


@njit(cache=True, nogil=True)
def known_depth(memory: Memory, stack: SetStack, control: Int64Vector, level: int) -> tuple[int, int]:
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
def note_depth(
    memory: Memory, stack: SetStack, control: Int64Vector, level: int, feasible: bool, depth: int, order: int, size: int
) -> int:
    """Remember that the set of a level has a tree of a depth, beginning with this split, or that it has none.

    feasible : whether it has one; size : the cases on the low side of the split.
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
def least(stack: SetStack, memory: Memory, control: Int64Vector, level: int, limit: int) -> int:
    """What is known to be needed for the set of a level at least, in leaves."""
    known = int64(stack.present[level])
    if known > 1:
        for key in (limit, UNLIMITED):
            e = find(memory, stack.key[level], key, control, False)
            if e >= 0:
                known = max(known, int64(memory.low[e]))
    return known


@njit(cache=True, nogil=True)
def settle(cases: CaseArrays, stack: SetStack, memory: Memory, level: int, e: int, control: Int64Vector) -> None:
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
def begin(
    cases: CaseArrays, stack: SetStack, memory: Memory, control: Int64Vector, level: int, limit: int, most: int
) -> tuple[int, int, int]:
    """Answer what needs no search for the fewest leaves of the set of a level, and prepare the search otherwise.

    Returns
    -------
    The answer as that of `fewest`, 0 where it has to be searched for; the entry; and the limit to search under.
    """
    present = int64(stack.present[level])
    none = int64(-1)
    if present == 1 or present > most:
        return present, none, limit
    if limit < UNLIMITED:
        answer = feasible(cases, stack, memory, control, level, limit)
        if answer <= 0:
            return int64(INF) if answer == 0 else none, none, limit
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
    """The fewest leaves of a consistent tree of at most this depth for the set of a level, if they are at most `most`.

    Returns
    -------
    The number; a lower bound above `most` where they are more; INF where there is no tree; -1 where the search ended.
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
            best = min(most, int64(memory.high[e]) - 1)
            if first > last or low + high > best:
                continue
            middle = (first + last) // 2
            size = stack.cut[level, middle]
            high_first, low_side, high_side = 2 * size < whole, low, high
            # what is known of the smaller side leaves less to the larger one
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
            span[n, FIRST], span[n, LAST], span[n, LOW], span[n, HIGH] = first, middle - 1, low, high_side
            n += 1
            span[n, FIRST], span[n, LAST], span[n, LOW], span[n, HIGH] = middle + 1, last, low_side, high
            n += 1
    memory.low[e] = memory.high[e] if memory.high[e] <= most else max(memory.low[e], most + 1)
    return int64(memory.low[e])
