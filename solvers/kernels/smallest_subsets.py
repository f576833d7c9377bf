"""Consistent trees for subsets of the rows: least depth and fewest leaves, with a memory of all subsets visited.

The low sides of an order are nested, and a subset never needs a deeper or larger tree than the set. So along an order
the result of the low side rises from threshold to threshold, and that of the high side falls. Bisection therefore finds
whether a threshold with two feasible sides exists. The fewest leaves are found by dividing the interval of thresholds
and dropping parts whose two lower bounds have too large a sum.

The search ends early if `STOP` is set or the memory is full. The memory keeps its results, so a second call resumes
there.

depth : the depth limit; most : the largest number of leaves of interest; e : the number of a memory entry.
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
