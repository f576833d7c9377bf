"""The search for the optimal tree of depth three or more: best-first branch and bound over split positions.

Each open node keeps a heap of intervals (order f, positions a < b) in which a better split may lie. A split at
position p of f costs L(p) + R(p), the optimal costs of its sides with one level less; L never decreases with p, R never
increases, and both change by at most the weight of the rows that change sides. The lowest key of the root, L(a) + R(b),
is always a lower bound on the optimum. docs/methods/contree-bounds.md has the bounds and their proofs.

The search is one loop over an explicit stack that can be interrupted and resumed between any two evaluations.
"""

from . import control as word
from . import stack
from .arrays import Int64Vector, int64
from .compiled import njit
from .depth_two import call_depth_two
from .links import DEPTH_TWO, SHRINK
from .path_rules import PathRuleArrays, joined
from .positions import middle_position
from .prepare import has_price, most_leaves, most_splits
from .savings import call_shrink, note_least
from .status import DONE, FULL, RUNNING, STOPPED
from .sweep import ABORTED
from .techniques import CEILINGS, ENDS, ROOTS, SHALLOW
from .workspace import Lanes, RankedRows, Scan, SearchState

LEFT_SIDE, RIGHT_SIDE, NO_SIDE = 0, 1, 2


@njit(cache=True, nogil=True)
def start(
    rows: RankedRows,
    scan: Scan,
    state: SearchState,
    ruling: PathRuleArrays,
    n: int,
    size: tuple[int, int, int, int, int, int, int],
    rules: tuple[bool, int, bool, int, bool],
    ceiling: int,
    known: int,
    gap: int,
    climb: int,
    purest_first: bool,
) -> None:
    """Open the root. Only trees cheaper than `ceiling` are searched for; `known` is a lower bound on the optimum.

    `climb` is the minimum step by which the ceiling of the root grows, 0 if it is `ceiling` from the start. `n` is the
    number of rows; the search ends if the incumbent minus the lower bound is at most `gap`. `size` is (depth, leaves,
    split penalty, how much less the first split costs, unit, minimum rows, minimum weight), 0 for no minimum weight.
    `rules` is (whether the ruling binds, the maximum test cost of a path per row, whether the ruling has `needed`
    features, the features above the root, whether one side of every split must be a leaf). `purest_first` : see
    `TreeSearch`.
    """
    control = state.control
    control[:] = 0
    depth, leaves, control[word.SPLIT], control[word.FREE], control[word.UNIT] = size[:5]
    control[word.LEAST_ROWS], control[word.LEAST_WEIGHT] = size[5:]
    control[word.RULED], control[word.PRICED], needing, used, control[word.CHAIN] = rules
    control[word.PUREST] = purest_first
    hard = control[word.LEAST_ROWS] > 1 or control[word.LEAST_WEIGHT] > 1 or needing > 0
    control[word.COST], control[word.BOUND], control[word.GAP], control[word.LEVEL] = ceiling, known, gap, 0
    # a split that separates no rows is removed, but splits that need it would remain allowed below: a lower bound
    # under `needed` is not valid for the sides of a split
    known = 0 if needing else known
    for f in range(state.inherited.shape[1]):
        state.inherited[0, f] = known
    top = int64(0)
    stack.open_node(rows, scan, state, ruling, (top, top, n), depth, leaves, used, ceiling, known, hard)
    control[word.CLIMB] = climb
    stack.raise_ceiling(state)


@njit(cache=True, nogil=True)
def resume(rows: RankedRows, scan: Scan, lanes: Lanes, state: SearchState, ruling: PathRuleArrays, budget: int) -> int:
    """Continue for about `budget` scanned elements.

    Returns
    -------
    RUNNING, DONE (incumbent and lower bound differ by at most the gap), STOPPED, or FULL (needs larger arrays, see
    `grown`).
    """
    control = state.control
    until = control[word.WORK] + budget
    while control[word.WORK] < until:
        if control[word.STOP]:
            return STOPPED
        level = control[word.LEVEL]
        if level < 0:
            if control[word.ALONE] or not stack.raise_ceiling(state):
                return DONE
            continue
        frame = state.frames[level]
        if frame[stack.N_RECORD] >= state.record.shape[1] - 1 or frame[stack.N_HEAP] >= state.heap.shape[1] - 2:
            return FULL
        frame[stack.NEXT_SIDE] = NO_SIDE
        if frame[stack.STAGE] == stack.SELECT:
            if level == 0 and control[word.ALONE]:
                return DONE
            if not select(rows, scan, state, level, True):
                stack.close_node(state, level)
        elif frame[stack.STAGE] == stack.CHOSEN:
            _ask_left(rows, state, level)
        elif frame[stack.STAGE] == stack.LEFT_SOLVED:
            _take_side(state, level, LEFT_SIDE)
            _ask_side(state, level, RIGHT_SIDE)
        elif frame[stack.STAGE] == stack.RIGHT_SOLVED:
            _take_side(state, level, RIGHT_SIDE)
            _settle(state, level)
        elif frame[stack.STAGE] == stack.HARD_LEFT_SOLVED:
            stack.keep_first_side(state, level)
            _note_hard_bounds(state, level, LEFT_SIDE)
            left = frame[stack.RETURNED]
            if left + frame[stack.RIGHT] < _budget(state, level):
                _ask_hard_right(state, level)
            else:
                _combine(state, level, left, frame[stack.RIGHT])
        else:
            _note_hard_bounds(state, level, RIGHT_SIDE)
            _combine(state, level, frame[stack.HARD_LEFT], frame[stack.RETURNED])
        if frame[stack.NEXT_SIDE] != NO_SIDE:
            # the only call of `_solve`: each further call would be compiled in full again
            _solve(rows, scan, lanes, state, ruling, level)
    return RUNNING


@njit(cache=True, nogil=True)
def select(rows: RankedRows, scan: Scan, state: SearchState, level: int, first: bool) -> bool:
    """Choose the next position to evaluate; False if no remaining position can be better.

    `first` : no other position of the node is being evaluated, so the lowest key is a lower bound on its cost.
    """
    frame = state.frames[level]
    while frame[stack.N_HEAP] > 0:
        best = min(frame[stack.CEILING], frame[stack.BEST])
        stack.pop(state, level)
        f, key = frame[stack.ORDER], frame[stack.KEY]
        if level == 0 and first:
            state.control[word.BOUND] = max(state.control[word.BOUND], min(best, key))
            if stack.to_beat(frame) - state.control[word.BOUND] <= state.control[word.GAP]:
                stack.shut(state, level, f, key)
                frame[stack.N_HEAP] = 0
                return False
        if key >= best:
            stack.shut(state, level, f, key)
            continue
        frame[stack.FIRST], frame[stack.FINAL] = frame[stack.A] + 1, frame[stack.B] - 1
        if has_price(state.control) or state.control[word.CHAIN]:
            call_shrink(scan.links[SHRINK], (rows, scan, state, level, best - state.ask[level, f]))
        position = middle_position(rows, state, level, best - state.ask[level, f])
        if position > 0:
            if has_price(state.control) or state.control[word.CHAIN]:
                note_least(scan, frame, position)
            frame[stack.AT], frame[stack.STAGE] = position, stack.CHOSEN
            return True
    return False


@njit(inline="always")
def _ask_left(rows: RankedRows, state: SearchState, level: int) -> None:
    """Split the rows at the chosen position and request the first side."""
    frame = state.frames[level]
    f, a, b, at = frame[stack.ORDER], frame[stack.A], frame[stack.B], frame[stack.AT]
    offset, m = frame[stack.OFFSET], frame[stack.SIZE]
    record = state.record[level]
    best = _budget(state, level)
    left_a, right_a = record[frame[stack.AT_A], 0], record[frame[stack.AT_A], 1]
    left_b, right_b = record[frame[stack.AT_B], 0], record[frame[stack.AT_B], 1]
    ahead = rows.ahead[level * rows.stride[()], f * rows.stride[()]]
    to_a = (ahead[offset + at] - ahead[offset + a]) * state.control[word.UNIT]
    to_b = (ahead[offset + b] - ahead[offset + at]) * state.control[word.UNIT]
    frame[stack.LEFT] = max(left_a, left_b - to_b, frame[stack.LEAST_LEFT])
    frame[stack.RIGHT] = max(right_b, right_a - to_a, frame[stack.LEAST_RIGHT])
    frame[stack.LEFT_CEILING] = best - (max(right_b, frame[stack.RIGHT_FINAL]) if CEILINGS else 0)
    frame[stack.RIGHT_CEILING] = best - (max(left_a, frame[stack.LEFT_FIRST]) if CEILINGS else 0)
    frame[stack.LAST] = rows.ranks[level, f, offset + at - 1]
    by_order = state.record_by_order[level]
    new = frame[stack.N_RECORD]
    for g in range(by_order.shape[2]):
        by_order[new, 0, g] = max(by_order[frame[stack.AT_A], 0, g], by_order[frame[stack.AT_B], 0, g] - to_b)
        by_order[new, 1, g] = max(by_order[frame[stack.AT_B], 1, g], by_order[frame[stack.AT_A], 1, g] - to_a)
        if frame[stack.HARD]:
            by_order[new, 2, g] = by_order[frame[stack.AT_B], 2, g] - to_b
            by_order[new, 3, g] = by_order[frame[stack.AT_A], 3, g] - to_a
    state.control[word.NODES] += 1
    if frame[stack.LEFT] < frame[stack.LEFT_CEILING] or frame[stack.RIGHT] < frame[stack.RIGHT_CEILING]:
        stack.split_rows(rows, level, offset, m, f, at)
        state.control[word.WORK] += m * rows.words.shape[1]
    ranks = rows.ranks[level, f]
    frame[stack.SINGLE] = ranks[offset + at - 1] == ranks[offset + a] and ranks[offset + at] == ranks[offset + b - 1]
    if frame[stack.HARD] and frame[stack.SINGLE] and frame[stack.LEFT] + frame[stack.RIGHT] < best:
        # costs without the minimum leaf size would only bound the rest of the interval, which is empty
        frame[stack.STAGE] = stack.HARD_LEFT_SOLVED
        _ask(frame, LEFT_SIDE, best - frame[stack.RIGHT], frame[stack.LEFT], True)
        return
    _ask_side(state, level, LEFT_SIDE)


@njit(inline="always")
def _budget(state: SearchState, level: int) -> int:
    """The cost that both sides together must stay below."""
    frame = state.frames[level]
    return min(frame[stack.CEILING], frame[stack.BEST]) - state.ask[level, frame[stack.ORDER]]


@njit(inline="always")
def _ask_side(state: SearchState, level: int, side: int) -> None:
    """Request the solution of a `side`, LEFT_SIDE or RIGHT_SIDE, if it can belong to a better tree."""
    frame = state.frames[level]
    frame[stack.STAGE] = stack.LEFT_SOLVED + side
    known, ceiling = frame[stack.LEFT + side], frame[stack.LEFT_CEILING + side]
    if known < ceiling:
        _ask(frame, side, ceiling, known, False)


@njit(inline="always")
def _take_side(state: SearchState, level: int, side: int) -> None:
    """Record the cost of a `side` and its bounds by root order before the other side overwrites the level below."""
    frame = state.frames[level]
    if frame[stack.LEFT + side] < frame[stack.LEFT_CEILING + side]:
        by_order, bounds = state.record_by_order[level, frame[stack.N_RECORD], side], state.inherited[level + 1]
        for g in range(len(bounds)):
            by_order[g] = bounds[g]
        frame[stack.LEFT + side] = frame[stack.RETURNED]
        if side == LEFT_SIDE and frame[stack.LEFT] < frame[stack.LEFT_CEILING] and not frame[stack.HARD]:
            stack.keep_first_side(state, level)


@njit(cache=True, nogil=True)
def _settle(state: SearchState, level: int) -> None:
    """Combine the solved sides; a hard node first solves them with the minimum leaf size if they can be better."""
    frame, best = state.frames[level], _budget(state, level)
    if frame[stack.HARD] and frame[stack.LEFT] + frame[stack.RIGHT] < best:
        # the costs without the minimum leaf size are lower bounds
        frame[stack.STAGE] = stack.HARD_LEFT_SOLVED
        _ask(frame, LEFT_SIDE, best - frame[stack.RIGHT], frame[stack.LEFT], True)
    else:
        _combine(state, level, frame[stack.LEFT], frame[stack.RIGHT])


@njit(inline="always")
def _ask_hard_right(state: SearchState, level: int) -> None:
    """Request the second side with the minimum leaf size."""
    frame, best = state.frames[level], _budget(state, level)
    frame[stack.STAGE] = stack.HARD_RIGHT_SOLVED
    left = frame[stack.HARD_LEFT] if frame[stack.SINGLE] else frame[stack.LEFT]
    _ask(frame, RIGHT_SIDE, best - left, frame[stack.RIGHT], True)


@njit(inline="always")
def _note_hard_bounds(state: SearchState, level: int, side: int) -> None:
    """Record the bounds by root order of a `side` that was solved with the minimum leaf size."""
    by_order = state.record_by_order[level, state.frames[level, stack.N_RECORD], 2 + side]
    bounds = state.inherited[level + 1]
    for g in range(len(bounds)):
        by_order[g] = max(by_order[g], bounds[g])


@njit(inline="always")
def _ask(frame: Int64Vector, side: int, ceiling: int, known: int, hard: bool) -> None:
    """Request that a `side`, LEFT_SIDE or RIGHT_SIDE, is solved next."""
    frame[stack.NEXT_SIDE], frame[stack.NEXT_CEILING] = side, ceiling
    frame[stack.NEXT_KNOWN], frame[stack.NEXT_HARD] = known, hard


@njit(inline="always")
def _solve(rows: RankedRows, scan: Scan, lanes: Lanes, state: SearchState, ruling: PathRuleArrays, level: int) -> None:
    """Solve the requested side: at once if depth two remains, else open it. The result is stored in `RETURNED`.

    Bounds by root order without a minimum leaf size are also valid with it, but not vice versa.
    """
    frame, below = state.frames[level], level + 1
    side, ceiling, known = frame[stack.NEXT_SIDE], frame[stack.NEXT_CEILING], frame[stack.NEXT_KNOWN]
    hard = frame[stack.NEXT_HARD] == 1
    bounds, by_order = state.inherited[below], state.record_by_order[level, frame[stack.N_RECORD], side]
    for g in range(len(bounds)):
        bounds[g] = by_order[g] if ROOTS else 0
    if ROOTS and hard and frame[stack.DEPTH] == SHALLOW + 1:
        by_order = state.record_by_order[level, frame[stack.N_RECORD], 2 + side]
        for g in range(len(bounds)):
            bounds[g] = max(bounds[g], by_order[g])
    depth, used = frame[stack.DEPTH] - 1, joined(ruling, frame[stack.USED], frame[stack.ORDER])
    offset, m, leaves = frame[stack.OFFSET], frame[stack.AT], frame[stack.LEFT_LEAVES]
    if side == RIGHT_SIDE:
        most = 1 << depth
        offset, m = frame[stack.OFFSET] + frame[stack.AT], frame[stack.SIZE] - frame[stack.AT]
        leaves = most if frame[stack.LEAVES] >= 2 * most else frame[stack.LEAVES] - leaves
    if depth > SHALLOW and most_splits(state.control, below, ceiling) > SHALLOW:
        stack.open_node(rows, scan, state, ruling, (below, offset, m), depth, leaves, used, ceiling, known, hard)
        state.control[word.LEVEL] = below
        return
    state.control[word.PAIRS] += 1
    shape = used, ceiling, known, min(depth, SHALLOW), most_leaves(state.control, int64(SHALLOW), leaves), hard
    value, size = call_depth_two(scan.links[DEPTH_TWO], (rows, scan, lanes, state, ruling, (below, offset, m), *shape))
    if value == ABORTED:
        return
    frame[stack.RETURNED] = value
    state.size[below] = size


@njit(cache=True, nogil=True)
def _combine(state: SearchState, level: int, left: int, right: int) -> None:
    """Keep a better tree, record the evaluated position, and push both halves of its interval.

    `left` and `right` are the costs of the sides: in a hard node with the minimum leaf size, if solved with it.
    """
    frame = state.frames[level]
    f, a, b, at, new = frame[stack.ORDER], frame[stack.A], frame[stack.B], frame[stack.AT], frame[stack.N_RECORD]
    best, split = min(frame[stack.CEILING], frame[stack.BEST]), state.ask[level, f]
    if left + right + split < best or (left + right + split < stack.to_beat(frame) and _exact(frame)):
        frame[stack.BEST] = left + right + split
        best = min(frame[stack.CEILING], frame[stack.BEST])
        stack.keep_tree(state, level, f)
        if level == 0:
            state.control[word.COST] = frame[stack.BEST]
            state.control[word.FOUND] += 1
    stack.shut(state, level, f, left + right + split)
    state.record[level, new, 0], state.record[level, new, 1] = frame[stack.LEFT], frame[stack.RIGHT]
    frame[stack.N_RECORD] += 1
    frame[stack.STAGE] = stack.SELECT
    _put_back(state, level, best, a, at, frame[stack.AT_A], new)
    _put_back(state, level, best, at, b, new, frame[stack.AT_B])


@njit(inline="always")
def _exact(frame: Int64Vector) -> bool:
    """Whether the exact costs and the trees of both sides are known."""
    solved = frame[stack.LEFT] < frame[stack.LEFT_CEILING] and frame[stack.RIGHT] < frame[stack.RIGHT_CEILING]
    return bool(frame[stack.STAGE] == stack.RIGHT_SOLVED and solved and not frame[stack.HARD])


@njit(inline="always")
def _put_back(state: SearchState, level: int, best: int, a: int, b: int, at_a: int, at_b: int) -> None:
    """Push one half of the current interval if its key is below `best`, the cost to beat at the node."""
    frame, record = state.frames[level], state.record[level]
    f, key = frame[stack.ORDER], frame[stack.KEY]
    if ENDS:
        key = max(key, record[at_a, 0] + record[at_b, 1] + state.ask[level, f])
    if key < best:
        stack.push(state, level, key, b - a, f, a, b, at_a, at_b, frame[stack.LEFT_LEAVES])
    else:
        stack.shut(state, level, f, key)
