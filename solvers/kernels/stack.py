"""The open nodes of the search: their fields, the heap of their intervals, and how they are opened and closed.

a, b : the ends of an open interval of positions of an order, 0 to m, both excluded; at_a, at_b : their entries in the
    node's `SearchState.record`.
CEILING, LIMIT : the search looks for trees of the node below CEILING; trees below LIMIT are of use. They differ only
    at the root, whose ceiling grows up to its limit, see `raise_ceiling`.
"""

from .arrays import ROW, Int64Vector, Stretch, int64, uint64
from .compiled import njit
from .control import BOUND, CHAIN, CLIMB, COST, FOUND, GAP, LEVEL, PRICED, PUREST, RULED, SPLIT, UNIT
from .path_rules import PathRuleArrays, charge
from .prepare import (
    class_bound,
    count_classes,
    count_tested,
    find_purest,
    has_price,
    most_leaves,
    most_splits,
    split_price,
    splits,
)
from .techniques import SHALLOW
from .workspace import FAR, HEAP_FIELDS, RankedRows, Scan, SearchState

KEY, WIDTH, ORDER, A, B, AT_A, AT_B, LEFT_LEAVES = range(HEAP_FIELDS)
"""The fields of an interval on the heap, and of the current one in its frame."""
OFFSET, SIZE, DEPTH, CEILING, BEST, LEAF, STAGE, N_HEAP, N_RECORD = range(8, 17)
AT, LAST, LEFT, RIGHT, LEFT_CEILING, RIGHT_CEILING, RETURNED = range(17, 24)
LEAVES, HARD, NEXT_SIDE, NEXT_CEILING, NEXT_KNOWN, NEXT_HARD, USED, SINGLE = range(24, 32)
FIRST, FINAL, BEYOND, LEAST_LEFT, LEAST_RIGHT, LEFT_FIRST, RIGHT_FINAL, HARD_LEFT, LIMIT = range(32, 41)
SELECT, CHOSEN, LEFT_SOLVED, RIGHT_SOLVED, HARD_LEFT_SOLVED, HARD_RIGHT_SOLVED = range(6)


@njit(cache=True, nogil=True)
def open_node(
    rows: RankedRows,
    scan: Scan,
    state: SearchState,
    ruling: PathRuleArrays,
    stretch: Stretch,
    depth: int,
    leaves: int,
    used: int,
    ceiling: int,
    known: int,
    hard: bool,
) -> None:
    """Open a node at its level; `inherited[level]` contains its lower bounds by root order.

    If all rows are on one side of a split, that side is a node with one level less. A tree for it is also a tree for
    this node, so it costs at least `known`. With test costs it costs at least `known` minus the maximum test cost of a
    split, because tests that the split pays for are free below it.

    If the ceiling allows fewer splits than the depth, trees deeper than that number cost at least `BEYOND`, and are not
    searched for.
    """
    level, offset, m = stretch
    unit = state.control[UNIT]
    leaf = count_classes(rows, scan, level, offset, m) * unit
    known = max(known, class_bound(scan, depth, leaves) * unit)
    frame, inherited = state.frames[level], state.inherited[level]
    few = most_splits(state.control, level, ceiling)
    frame[BEYOND] = few * state.control[SPLIT] + split_price(state.control, level) if few < depth else FAR
    depth = min(depth, few)
    leaves = most_leaves(state.control, depth, leaves)
    frame[OFFSET], frame[SIZE], frame[DEPTH], frame[CEILING], frame[LIMIT] = offset, m, depth, ceiling, ceiling
    frame[LEAF] = frame[BEST] = leaf
    frame[LEAVES], frame[HARD], frame[USED] = leaves, hard, used
    frame[STAGE], frame[N_HEAP], frame[N_RECORD] = SELECT, 0, 2
    state.tree[level, 0, 0] = state.tree[level, 0, 1] = -1
    state.size[level] = 1
    dearest = ask_orders(rows, state, ruling, level, offset, m, used, hard)
    if state.control[PUREST]:
        if depth > SHALLOW + 1:
            find_purest(rows, scan, stretch, state.ask[level], state.purest[level])
        else:
            # each side is one call of the depth-two solver, which is too fast to gain from it
            state.purest[level, :, :] = 0
    record, by_order = state.record[level], state.record_by_order[level]
    whole = max(0, known - dearest)
    record[0, 0], record[0, 1], record[1, 0], record[1, 1] = 0, whole, whole, 0
    for f in range(len(inherited)):
        inherited[f] = max(inherited[f], known)
        whole = max(0, inherited[f] - dearest)
        by_order[0, 0, f], by_order[0, 1, f] = 0, whole
        by_order[1, 0, f], by_order[1, 1, f] = whole, 0
        if hard:
            by_order[0, 2, f], by_order[0, 3, f] = 0, whole
            by_order[1, 2, f], by_order[1, 3, f] = whole, 0
    open_intervals(state, level)
    if level == 0:
        state.control[COST] = best = to_beat(frame)
        if best < ceiling:
            state.control[FOUND] += 1


@njit(cache=True, nogil=True)
def open_intervals(state: SearchState, level: int) -> None:
    """Push an interval of all positions of each order that may be the root of a tree below the ceiling.

    The purest order counts as the widest, and comes first among equal bounds.
    """
    frame, ask, inherited, zero = state.frames[level], state.ask[level], state.inherited[level], int64(0)
    best, leaves, m = min(frame[CEILING], frame[BEST]), frame[LEAVES], frame[SIZE]
    if has_price(state.control) and frame[LEAF] <= split_price(state.control, level):
        leaves = 1  # no split can save its penalty
    for f in range(len(ask)):
        state.closed[level, f] = FAR
        if leaves > 1 and ask[f] < FAR:
            if inherited[f] < best:
                first, last = shares(frame[DEPTH], leaves)
                # one leaf on one side, all others on the other
                step = max(1, last - first) if state.control[CHAIN] else 1
                for left_leaves in range(first, last + 1, step):
                    width = m + state.purest[level, 1, f]
                    push(state, level, inherited[f], width, f, zero, m, zero, zero + 1, left_leaves)
            else:
                state.closed[level, f] = inherited[f]


@njit(inline="always")
def to_beat(frame: Int64Vector) -> int:
    """The cost to beat: only cheaper trees of the node are of use."""
    return min(frame[LIMIT], frame[BEST])


@njit(cache=True, nogil=True)
def raise_ceiling(state: SearchState) -> bool:
    """Restart with the root ceiling at 1.5 times the lower bound, at least a step higher; False if it cannot.

    The lower bound is the former ceiling, because no tree costs less.
    """
    frame, control = state.frames[0], state.control
    if control[CLIMB] == 0 or to_beat(frame) - control[BOUND] <= control[GAP]:
        return False
    unit, bound = control[UNIT], control[BOUND]
    ceiling = bound + max(control[CLIMB], bound >> 1)
    frame[CEILING] = min(to_beat(frame), (ceiling + unit - 1) // unit * unit)
    frame[STAGE], frame[N_HEAP], frame[N_RECORD], control[LEVEL] = SELECT, 0, 2, 0
    open_intervals(state, int64(0))
    return True


@njit(cache=True, nogil=True)
def ask_orders(
    rows: RankedRows, state: SearchState, ruling: PathRuleArrays, level: int, offset: int, m: int, used: int, hard: bool
) -> int:
    """Write the cost of a split on each order at a node; return the maximum test cost among them."""
    control, ask, price = state.control, state.ask[level], split_price(state.control, level)
    for f in range(len(ask)):
        ask[f] = price if splits(rows, f, level, offset, m) else FAR
    dearest = int64(0)
    if control[RULED]:
        worth = count_tested(rows, level, offset, m) if control[PRICED] else int64(0)
        charge(ruling, used, level == 0, hard, worth * control[UNIT], ask)
        for f in range(len(ask)):
            dearest = max(dearest, ask[f] - price if ask[f] < FAR else 0)
    return dearest


@njit(inline="always")
def shares(depth: int, leaves: int) -> tuple[int, int]:
    """The minimum and maximum number of leaves of the first side, so that no leaf is wasted."""
    most = 1 << (depth - 1)
    if leaves >= 2 * most:
        return most, most
    return max(1, leaves - most), min(most, leaves - 1)


@njit(cache=True, nogil=True)
def push(
    state: SearchState, level: int, key: int, width: int, f: int, a: int, b: int, at_a: int, at_b: int, left_leaves: int
) -> None:
    """Push an interval on the heap: lowest key first, then the widest.

    key : a lower bound on the cost of a split in the interval, in scaled units; width : b - a; left_leaves : the
        maximum number of leaves of the first side.
    """
    heap = state.heap[level]
    i = state.frames[level, N_HEAP]
    state.frames[level, N_HEAP] += 1
    while i > 0:
        up = (i - 1) >> 1
        if heap[up, KEY] < key or (heap[up, KEY] == key and heap[up, WIDTH] >= width):
            break
        for c in range(HEAP_FIELDS):
            heap[i, c] = heap[up, c]
        i = up
    heap[i, KEY], heap[i, WIDTH], heap[i, ORDER], heap[i, A], heap[i, B] = key, width, f, a, b
    heap[i, AT_A], heap[i, AT_B], heap[i, LEFT_LEAVES] = at_a, at_b, left_leaves


@njit(inline="always")
def pop(state: SearchState, level: int) -> None:
    """Remove the first interval from the heap and copy it to the frame."""
    heap, frame = state.heap[level], state.frames[level]
    for c in range(HEAP_FIELDS):
        frame[c] = heap[0, c]
    frame[N_HEAP] -= 1
    last = frame[N_HEAP]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= last:
            break
        if child + 1 < last and (
            heap[child + 1, KEY] < heap[child, KEY]
            or (heap[child + 1, KEY] == heap[child, KEY] and heap[child + 1, WIDTH] > heap[child, WIDTH])
        ):
            child += 1
        equal = heap[last, KEY] == heap[child, KEY]
        if heap[last, KEY] < heap[child, KEY] or (equal and heap[last, WIDTH] >= heap[child, WIDTH]):
            break
        for c in range(HEAP_FIELDS):
            heap[i, c] = heap[child, c]
        i = child
    for c in range(HEAP_FIELDS):
        heap[i, c] = heap[last, c]


@njit(inline="always")
def shut(state: SearchState, level: int, f: int, cost: int) -> None:
    """Record the minimum `cost`, including the split, that was ruled out for a root order."""
    state.closed[level, f] = min(state.closed[level, f], cost)


@njit(inline="always")
def keep_first_side(state: SearchState, level: int) -> None:
    """Keep the tree of the first side; in a hard node also its cost."""
    frame = state.frames[level]
    if frame[STAGE] == HARD_LEFT_SOLVED:
        frame[HARD_LEFT] = frame[RETURNED]
    size = state.size[level + 1]
    state.kept_size[level] = size
    kept, tree = state.kept[level], state.tree[level + 1]
    for i in range(size):
        kept[i, 0], kept[i, 1] = tree[i, 0], tree[i, 1]


@njit(inline="always")
def keep_tree(state: SearchState, level: int, f: int) -> None:
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


@njit(inline="always")
def close_node(state: SearchState, level: int) -> None:
    """Finish a node: pass its value and its lower bounds by root order to the level above."""
    frame, bounds, closed = state.frames[level], state.inherited[level], state.closed[level]
    if frame[BEST] < frame[CEILING]:
        value = frame[BEST]
    else:
        value = FAR
        for f in range(len(bounds)):
            if closed[f] < FAR:
                value = min(value, max(bounds[f], closed[f]))
        value = min(frame[LEAF], frame[BEYOND], max(value, frame[CEILING]))
    # positions that no optimum needs were excluded (support bound). Path rules exclude none, but with them both sides
    # of a split that separates no rows here may pay for the same splits if there are more rows
    most = FAR
    if has_price(state.control):
        most = min(value + (state.control[SPLIT] if state.control[RULED] else 0), frame[BEYOND])
    for f in range(len(bounds)):
        bounds[f] = max(bounds[f], min(closed[f], most)) if closed[f] < FAR else value
    state.control[LEVEL] = level - 1
    if level > 0:
        state.frames[level - 1, RETURNED] = value
    elif frame[N_HEAP] == 0 and to_beat(frame) - state.control[BOUND] > state.control[GAP]:
        state.control[BOUND] = min(frame[CEILING], frame[BEST])


@njit(cache=True, nogil=True)
def split_rows(rows: RankedRows, level: int, offset: int, m: int, f: int, at: int) -> None:
    """Write both sides of a split after `at` rows of an order into the level below; every order stays sorted."""
    side, words = rows.side, rows.words[level, f, offset : offset + m]
    for j in range(m):
        side[words[j] >> ROW] = j >= at
    divide_rows(rows, level, offset, m, at)


@njit(cache=True, nogil=True)
def divide_rows(rows: RankedRows, level: int, offset: int, m: int, at: int) -> None:
    """Write the rows of a node into the level below by `rows.side`: `at` rows of the first side, then the others."""
    side, below, end = rows.side, level + 1, offset + m
    for g in range(rows.words.shape[1]):
        source, ranks = rows.words[level, g, offset:end], rows.ranks[level, g, offset:end]
        target, target_ranks = rows.words[below, g, offset:end], rows.ranks[below, g, offset:end]
        low, high = uint64(0), uint64(at)
        for j in range(m):
            word = source[j]
            second = uint64(side[word >> ROW])
            place = low + (high - low) * second  # a conditional became a branch, mispredicted half of the time
            target[place] = word
            target_ranks[place] = ranks[j]
            low += uint64(1) - second
            high += second
    if rows.stride[()]:
        for g in range(rows.words.shape[1]):
            ahead, target = rows.ahead[below, g], rows.words[below, g]
            total = 0
            for j in range(offset, offset + m):
                ahead[j] = total
                total += rows.reach[target[j] >> 8]
            ahead[offset + m] = total
