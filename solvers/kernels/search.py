"""The search for the optimal tree of depth three and more: branch and bound over split positions, best first.

Each open node keeps a heap of intervals (order f, positions a < b) in which a better split may lie. A split at
position p of f costs L(p) + R(p), the optimal costs of its sides at one level less. L does not decrease with p, R does
not increase, and both change by at most the weight of the rows that change side. From the evaluated ends of an
interval follow the bounds that prune it; see docs/methods/contree.md for their proofs. With T the cost to beat:

- every p in (a, b) costs at least L(a) + R(b): the key of the interval;
- near a it costs at least L(a) + R(a) - weight(a..p), near b at least L(b) + R(b) - weight(p..b);
- only L(p) < T - R(b) and R(p) < T - L(a) are worth knowing exactly: a side that reaches its ceiling rules out one half
  of the interval for good, so the two sides are solved independently;
- the bounds of a side by the order at its root pass to the sides of neighbouring positions in the same way.

The interval with the least key comes first, so the least key of the root is a lower bound of the optimum at any time.
The search is one loop over an explicit stack that can be left and resumed between any two evaluations.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from solvers.kernels.control import (
    BOUND,
    COST,
    FOUND,
    GAP,
    LEAST_ROWS,
    LEAST_WEIGHT,
    LEVEL,
    NODES,
    PAIRS,
    SPLIT,
    STOP,
    WORK,
)
from solvers.kernels.depth_two import depth_two
from solvers.kernels.prepare import class_bound, count_classes, splits
from solvers.kernels.sweep import ABORTED
from solvers.kernels.workspace import FAR, HEAP_FIELDS, Rows, Scan, State

RUNNING, DONE, STOPPED, FULL = 0, 1, 2, 3

OFFSET, SIZE, DEPTH, CEILING, KNOWN, BEST, LEAF, STAGE, N_HEAP, N_RECORD = range(10)
KEY, ORDER, A, B, AT_A, AT_B, AT, LAST, LEFT, RIGHT, LEFT_CEILING, RIGHT_CEILING, RETURNED = range(10, 23)
LEAVES, LEFT_LEAVES, HARD = 23, 24, 25
SELECT, LEFT_SOLVED, RIGHT_SOLVED, HARD_LEFT_SOLVED, HARD_RIGHT_SOLVED = range(5)


@njit(cache=True, nogil=True)
def start(rows: Rows, scan: Scan, state: State, n, size, ceiling, known, gap):
    """Open the root. Only trees cheaper than `ceiling` are looked for; `known` is a lower bound of the optimum.

    `size` is (depth, leaves, split, least rows, least weight).
    """
    control = state.control
    control[:] = 0
    depth, leaves, control[SPLIT], control[LEAST_ROWS], control[LEAST_WEIGHT] = size
    hard = control[LEAST_ROWS] > 1 or control[LEAST_WEIGHT] > 1
    control[COST], control[BOUND], control[GAP], control[LEVEL] = ceiling, known, gap, 0
    for f in range(state.inherited.shape[1]):
        state.inherited[0, f] = known
    _open(rows, scan, state, 0, 0, n, depth, leaves, ceiling, known, hard)


@njit(cache=True, nogil=True)
def resume(rows: Rows, scan: Scan, state: State, budget):
    """Go on for about `budget` scanned elements.

    Returns
    -------
    RUNNING, DONE (incumbent and bound have met, or are within the gap), STOPPED, or FULL (needs more room, see
    `grown`).
    """
    control = state.control
    until = control[WORK] + budget
    while control[WORK] < until:
        if control[STOP]:
            return STOPPED
        level = control[LEVEL]
        if level < 0:
            return DONE
        frame = state.frames[level]
        if frame[N_RECORD] >= state.record.shape[1] - 1 or frame[N_HEAP] >= state.heap.shape[1] - 2:
            return FULL
        if frame[STAGE] == SELECT:
            if not _select(rows, state, level):
                _close(state, level)
                continue
            _solve_left(rows, scan, state, level)
        elif frame[STAGE] == LEFT_SOLVED:
            _take_left(state, level)
            _solve_right(rows, scan, state, level)
        elif frame[STAGE] == RIGHT_SOLVED:
            _take_right(state, level)
            if frame[STAGE] == HARD_LEFT_SOLVED:
                _solve_hard_left(rows, scan, state, level)
        elif frame[STAGE] == HARD_LEFT_SOLVED:
            _keep_left(state, level)
            _solve_hard_right(rows, scan, state, level)
        else:
            _combine(state, level, state.record[level, frame[N_RECORD], 2], frame[RETURNED])
    return RUNNING


@njit(cache=True, nogil=True)
def _open(rows: Rows, scan: Scan, state: State, level, offset, m, depth, leaves, ceiling, known, hard):
    """Make a node the open one of its level; `inherited[level]` holds its bounds by root order."""
    every, largest = count_classes(rows, scan.total, level, offset, m)
    known = max(known, class_bound(scan.total, depth, leaves))
    frame, inherited = state.frames[level], state.inherited[level]
    frame[OFFSET], frame[SIZE], frame[DEPTH], frame[CEILING], frame[KNOWN] = offset, m, depth, ceiling, known
    frame[LEAF] = frame[BEST] = every - largest
    frame[LEAVES], frame[HARD] = leaves, hard
    frame[STAGE], frame[N_HEAP], frame[N_RECORD] = SELECT, 0, 2
    state.tree[level, 0, 0] = state.tree[level, 0, 1] = -1
    state.size[level] = 1
    record, by_order = state.record[level], state.record_by_order[level]
    record[0, 0], record[0, 1], record[1, 0], record[1, 1] = 0, known, known, 0
    record[0, 2], record[0, 3], record[1, 2], record[1, 3] = 0, known, known, 0
    best = min(ceiling, frame[BEST])
    for f in range(len(inherited)):
        inherited[f] = max(inherited[f], known)
        by_order[0, 0, f], by_order[0, 1, f] = 0, inherited[f]
        by_order[1, 0, f], by_order[1, 1, f] = inherited[f], 0
        state.closed[level, f] = FAR
    for f in range(len(inherited)):
        if leaves > 1 and splits(rows, f, level, offset, m):
            if inherited[f] < best:
                first, last = _shares(depth, leaves)
                for left_leaves in range(first, last + 1):
                    _push(state, level, inherited[f], m, f, 0, m, 0, 1, left_leaves)
            else:
                state.closed[level, f] = inherited[f]
    if level == 0:
        state.control[COST] = best
        if best < ceiling:
            state.control[FOUND] += 1


@njit(cache=True, nogil=True)
def _shares(depth, leaves):
    """The least and the largest number of leaves that the first side may be given, so that no leaf is wasted."""
    most = 1 << (depth - 1)
    if leaves >= 2 * most:
        return most, most
    return max(1, leaves - most), min(most, leaves - 1)


@njit(cache=True, nogil=True)
def _push(state: State, level, key, width, f, a, b, at_a, at_b, left_leaves):
    """Put an interval on the heap: least key first, then the widest."""
    heap = state.heap[level]
    i = state.frames[level, N_HEAP]
    state.frames[level, N_HEAP] += 1
    while i > 0:
        up = (i - 1) >> 1
        if heap[up, 0] < key or (heap[up, 0] == key and heap[up, 1] >= width):
            break
        for c in range(HEAP_FIELDS):
            heap[i, c] = heap[up, c]
        i = up
    heap[i, 0], heap[i, 1], heap[i, 2], heap[i, 3], heap[i, 4] = key, width, f, a, b
    heap[i, 5], heap[i, 6], heap[i, 7] = at_a, at_b, left_leaves


@njit(cache=True, nogil=True)
def _pop(state: State, level):
    """Take the first interval into the frame."""
    heap, frame = state.heap[level], state.frames[level]
    frame[KEY], frame[ORDER], frame[A], frame[B] = heap[0, 0], heap[0, 2], heap[0, 3], heap[0, 4]
    frame[AT_A], frame[AT_B], frame[LEFT_LEAVES] = heap[0, 5], heap[0, 6], heap[0, 7]
    frame[N_HEAP] -= 1
    last = frame[N_HEAP]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= last:
            break
        if child + 1 < last and (
            heap[child + 1, 0] < heap[child, 0]
            or (heap[child + 1, 0] == heap[child, 0] and heap[child + 1, 1] > heap[child, 1])
        ):
            child += 1
        if heap[last, 0] < heap[child, 0] or (heap[last, 0] == heap[child, 0] and heap[last, 1] >= heap[child, 1]):
            break
        for c in range(HEAP_FIELDS):
            heap[i, c] = heap[child, c]
        i = child
    for c in range(HEAP_FIELDS):
        heap[i, c] = heap[last, c]


@njit(cache=True, nogil=True)
def _shut(state: State, level, f, cost):
    """Remember the least cost that was ruled out for a root order."""
    state.closed[level, f] = min(state.closed[level, f], cost)


@njit(cache=True, nogil=True)
def _select(rows: Rows, state: State, level):
    """Choose the next position to evaluate; False where nothing is left that could be better."""
    frame = state.frames[level]
    while frame[N_HEAP] > 0:
        best = min(frame[CEILING], frame[BEST])
        _pop(state, level)
        f, key = frame[ORDER], frame[KEY]
        if level == 0:
            state.control[BOUND] = max(state.control[BOUND], min(best, key))
            if best - key <= state.control[GAP]:
                _shut(state, level, f, key)
                frame[N_HEAP] = 0
                return False
        if key >= best:
            _shut(state, level, f, key)
            continue
        position = _position(rows, state, level, best - state.control[SPLIT])
        if position > 0:
            frame[AT] = position
            return True
    return False


@njit(cache=True, nogil=True)
def _position(rows: Rows, state: State, level, best):
    """The boundary nearest to the middle of what the bounds leave of the interval; -1 where there is none.

    `best` is what the two sides together must stay below.
    """
    frame = state.frames[level]
    f, a, b, offset = frame[ORDER], frame[A], frame[B], frame[OFFSET]
    ahead = rows.ahead[level * rows.stride[()], f * rows.stride[()]]
    ranks = rows.ranks[level, f]
    record = state.record[level]
    first, last = a + 1, b - 1
    if frame[HARD]:
        m, control = frame[SIZE], state.control
        first, last = max(first, control[LEAST_ROWS]), min(last, m - control[LEAST_ROWS])
        while first <= last and ahead[offset + first] - ahead[offset] < control[LEAST_WEIGHT]:
            first += 1
        while first <= last and ahead[offset + m] - ahead[offset + last] < control[LEAST_WEIGHT]:
            last -= 1
    reach = record[frame[AT_A], 0] + record[frame[AT_A], 3] - best
    if reach >= 0:
        while first <= last and ahead[offset + first] - ahead[offset + a] <= reach:
            first += 1
    reach = record[frame[AT_B], 2] + record[frame[AT_B], 1] - best
    if reach >= 0:
        while first <= last and ahead[offset + b] - ahead[offset + last] <= reach:
            last -= 1
    if first > a + 1 or last < b - 1:
        _shut(state, level, f, best + state.control[SPLIT])
    low = (first + last) >> 1
    high = low + 1
    while low >= first or high <= last:
        if low >= first:
            if ranks[offset + low - 1] != ranks[offset + low]:
                return low
            low -= 1
        if high <= last:
            if ranks[offset + high - 1] != ranks[offset + high]:
                return high
            high += 1
    return -1


@njit(cache=True, nogil=True)
def _solve_left(rows: Rows, scan: Scan, state: State, level):
    """Split the rows at the chosen position and begin with the first side."""
    frame = state.frames[level]
    f, a, b, at, offset, m = frame[ORDER], frame[A], frame[B], frame[AT], frame[OFFSET], frame[SIZE]
    record = state.record[level]
    best = min(frame[CEILING], frame[BEST]) - state.control[SPLIT]
    left_a, right_a = record[frame[AT_A], 0], record[frame[AT_A], 1]
    left_b, right_b = record[frame[AT_B], 0], record[frame[AT_B], 1]
    ahead = rows.ahead[level * rows.stride[()], f * rows.stride[()]]
    to_a = ahead[offset + at] - ahead[offset + a]
    to_b = ahead[offset + b] - ahead[offset + at]
    frame[LEFT] = max(left_a, left_b - to_b)
    frame[RIGHT] = max(right_b, right_a - to_a)
    frame[LEFT_CEILING] = best - right_b
    frame[RIGHT_CEILING] = best - left_a
    frame[LAST] = rows.ranks[level, f, offset + at - 1]
    by_order = state.record_by_order[level]
    new = frame[N_RECORD]
    for g in range(by_order.shape[2]):
        by_order[new, 0, g] = max(by_order[frame[AT_A], 0, g], by_order[frame[AT_B], 0, g] - to_b)
        by_order[new, 1, g] = max(by_order[frame[AT_B], 1, g], by_order[frame[AT_A], 1, g] - to_a)
    state.control[NODES] += 1
    if frame[LEFT] < frame[LEFT_CEILING] or frame[RIGHT] < frame[RIGHT_CEILING]:
        _split(rows, level, offset, m, f, at)
        state.control[WORK] += m * rows.words.shape[1]
    frame[STAGE] = LEFT_SOLVED
    frame[RETURNED] = frame[LEFT]
    if frame[LEFT] < frame[LEFT_CEILING]:
        _solve(rows, scan, state, level, 0, frame[LEFT_CEILING], frame[LEFT], False)


@njit(cache=True, nogil=True)
def _take_left(state: State, level):
    """Note the result of the first side before the second overwrites the level below."""
    frame = state.frames[level]
    if frame[LEFT] < frame[LEFT_CEILING]:
        by_order, bounds = state.record_by_order[level, frame[N_RECORD], 0], state.inherited[level + 1]
        for g in range(len(bounds)):
            by_order[g] = bounds[g]
        frame[LEFT] = frame[RETURNED]
        if frame[LEFT] < frame[LEFT_CEILING] and not frame[HARD]:
            _keep_left(state, level)


@njit(cache=True, nogil=True)
def _keep_left(state: State, level):
    """Keep the tree of the first side; in a hard node also its cost."""
    frame = state.frames[level]
    if frame[STAGE] == HARD_LEFT_SOLVED:
        state.record[level, frame[N_RECORD], 2] = frame[RETURNED]
    size = state.size[level + 1]
    state.kept_size[level] = size
    kept, tree = state.kept[level], state.tree[level + 1]
    for i in range(size):
        kept[i, 0], kept[i, 1] = tree[i, 0], tree[i, 1]


@njit(cache=True, nogil=True)
def _solve_right(rows: Rows, scan: Scan, state: State, level):
    """Go on with the second side."""
    frame = state.frames[level]
    frame[STAGE] = RIGHT_SOLVED
    frame[RETURNED] = frame[RIGHT]
    if frame[RIGHT] < frame[RIGHT_CEILING]:
        _solve(rows, scan, state, level, 1, frame[RIGHT_CEILING], frame[RIGHT], False)


@njit(cache=True, nogil=True)
def _take_right(state: State, level):
    """Both sides are solved. A hard node solves them again with the minimum leaf size, if they could be better."""
    frame = state.frames[level]
    best = min(frame[CEILING], frame[BEST]) - state.control[SPLIT]
    if frame[RIGHT] < frame[RIGHT_CEILING]:
        by_order, bounds = state.record_by_order[level, frame[N_RECORD], 1], state.inherited[level + 1]
        for g in range(len(bounds)):
            by_order[g] = bounds[g]
        frame[RIGHT] = frame[RETURNED]
    if frame[HARD] and frame[LEFT] + frame[RIGHT] < best:
        frame[STAGE] = HARD_LEFT_SOLVED
    else:
        _combine(state, level, frame[LEFT], frame[RIGHT])


@njit(cache=True, nogil=True)
def _solve_hard_left(rows: Rows, scan: Scan, state: State, level):
    """Solve the first side with the minimum leaf size; what it costs without is a lower bound."""
    frame = state.frames[level]
    best = min(frame[CEILING], frame[BEST]) - state.control[SPLIT]
    _solve(rows, scan, state, level, 0, best - frame[RIGHT], frame[LEFT], True)


@njit(cache=True, nogil=True)
def _solve_hard_right(rows: Rows, scan: Scan, state: State, level):
    """Solve the second side with the minimum leaf size."""
    frame = state.frames[level]
    best = min(frame[CEILING], frame[BEST]) - state.control[SPLIT]
    frame[STAGE] = HARD_RIGHT_SOLVED
    _solve(rows, scan, state, level, 1, best - frame[LEFT], frame[RIGHT], True)


@njit(cache=True, nogil=True)
def _solve(rows: Rows, scan: Scan, state: State, level, side, ceiling, known, hard):
    """Solve a side at once if depth two remains, else open it; the result comes into `RETURNED` of the parent.

    Bounds by root order are those without a minimum leaf size: they hold with it, but not the other way round, so what
    comes out of a hard side is not passed on.
    """
    frame, below = state.frames[level], level + 1
    bounds, by_order = state.inherited[below], state.record_by_order[level, frame[N_RECORD], side]
    for g in range(len(bounds)):
        bounds[g] = by_order[g]
    depth = frame[DEPTH] - 1
    offset, m, leaves = frame[OFFSET], frame[AT], frame[LEFT_LEAVES]
    if side == 1:
        most = 1 << depth
        offset, m = frame[OFFSET] + frame[AT], frame[SIZE] - frame[AT]
        leaves = most if frame[LEAVES] >= 2 * most else frame[LEAVES] - leaves
    if depth > 2:
        _open(rows, scan, state, below, offset, m, depth, leaves, ceiling, known, hard)
        state.control[LEVEL] = below
        return
    state.control[PAIRS] += 1
    tree = state.tree[below]
    closed = state.closed[below]
    value, size = depth_two(
        rows, scan, tree, bounds, closed, state.control, below, offset, m, ceiling, known, depth, leaves, hard
    )
    if value == ABORTED:
        return
    frame[RETURNED] = value
    state.size[below] = size


@njit(cache=True, nogil=True)
def _combine(state: State, level, left, right):
    """The costs of both sides are known: keep a better tree, record the position, put the halves of the interval back.

    `left` and `right` are the costs that count: in a hard node with the minimum leaf size, as far as they were solved.
    """
    frame = state.frames[level]
    f, a, b, at, new = frame[ORDER], frame[A], frame[B], frame[AT], frame[N_RECORD]
    best, split = min(frame[CEILING], frame[BEST]), state.control[SPLIT]
    if left + right + split < best:
        frame[BEST] = best = left + right + split
        _keep(state, level, f)
        if level == 0:
            state.control[COST] = best
            state.control[FOUND] += 1
    _shut(state, level, f, left + right + split)
    record = state.record[level]
    record[new, 0], record[new, 1], record[new, 2], record[new, 3] = frame[LEFT], frame[RIGHT], left, right
    frame[N_RECORD] += 1
    frame[STAGE] = SELECT
    _put_back(state, level, best, record[frame[AT_A], 0] + frame[RIGHT] + split, a, at, frame[AT_A], new)
    _put_back(state, level, best, frame[LEFT] + record[frame[AT_B], 1] + split, at, b, new, frame[AT_B])


@njit(cache=True, nogil=True)
def _put_back(state: State, level, best, key, a, b, at_a, at_b):
    """Keep one half of the interval at work, unless its key rules it out."""
    frame = state.frames[level]
    key = max(key, frame[KEY])
    if key < best:
        _push(state, level, key, b - a, frame[ORDER], a, b, at_a, at_b, frame[LEFT_LEAVES])
    else:
        _shut(state, level, frame[ORDER], key)


@njit(cache=True, nogil=True)
def _keep(state: State, level, f):
    """Write the new best tree of a node: its root, the kept first side, the second side."""
    tree, kept, right = state.tree[level], state.kept[level], state.tree[level + 1]
    tree[0, 0], tree[0, 1] = f, state.frames[level, LAST]
    size = 1
    for i in range(state.kept_size[level]):
        tree[size, 0], tree[size, 1] = kept[i, 0], kept[i, 1]
        size += 1
    for i in range(state.size[level + 1]):
        tree[size, 0], tree[size, 1] = right[i, 0], right[i, 1]
        size += 1
    state.size[level] = size


@njit(cache=True, nogil=True)
def _close(state: State, level):
    """A node is finished: hand its value and its bounds by root order to the level above."""
    frame, bounds, closed = state.frames[level], state.inherited[level], state.closed[level]
    if frame[BEST] < frame[CEILING]:
        value = frame[BEST]
    else:
        value = FAR
        for f in range(len(bounds)):
            if closed[f] < FAR:
                value = min(value, max(bounds[f], closed[f]))
        value = min(frame[LEAF], max(value, frame[CEILING]))
    for f in range(len(bounds)):
        bounds[f] = max(bounds[f], closed[f]) if closed[f] < FAR else value
    state.control[LEVEL] = level - 1
    if level > 0:
        state.frames[level - 1, RETURNED] = value
    elif frame[N_HEAP] == 0:
        best = min(frame[CEILING], frame[BEST])
        if best - state.control[BOUND] > state.control[GAP]:
            state.control[BOUND] = best


@njit(cache=True, nogil=True)
def _split(rows: Rows, level, offset, m, f, at):
    """Write the two sides of a split into the level below, every order kept sorted."""
    side, below = rows.side, level + 1
    words = rows.words[level, f]
    for j in range(m):
        side[words[offset + j] >> 8] = j >= at
    middle = offset + at
    for g in range(rows.words.shape[1]):
        source, ranks = rows.words[level, g], rows.ranks[level, g]
        target, target_ranks = rows.words[below, g], rows.ranks[below, g]
        low, high = offset, middle
        for j in range(offset, offset + m):
            word = source[j]
            second = np.int64(side[word >> 8])
            place = low + (high - low) * second  # as a choice it became a branch, mispredicted half of the time
            target[place] = word
            target_ranks[place] = ranks[j]
            low += 1 - second
            high += second
    if rows.stride[()]:
        for g in range(rows.words.shape[1]):
            ahead, target = rows.ahead[below, g], rows.words[below, g]
            total = 0
            for j in range(offset, offset + m):
                ahead[j] = total
                total += rows.weight[target[j] >> 8]
            ahead[offset + m] = total
