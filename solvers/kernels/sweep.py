"""The sweep of the depth-two solver: all positions of one first split.

A sweep evaluates many positions at once (see `lanes`) and keeps the intervals between them that may still contain a
better position, by the monotone bound (docs/methods/contree-bounds.md). With at most three leaves, one side must stay a
leaf, and each choice of that side is a sweep of its own. In 'hard' sweeps, with a minimum leaf size, the costs without
the minimum are lower bounds.

now : the half of `Scan.spans` with the intervals of this round, 0 or 1; n_spans : their number; taken : how many of
    them, the first ones, get lanes in this round.
n_lanes : the number of lanes in use; k : a lane, 0 to width - 1.
only : the side that must stay a leaf, 0 for the left one, 1 for the right one, -1 for neither.
slot : the slot of the order in a joint pass, 0 to SLOTS - 1.
"""

from .arrays import ROW, Int64Matrix, Int64Vector, Stretch, bool_, int64, uint64
from .compiled import njit
from .control import LEAST_ROWS, LEAST_WEIGHT, PRICED, SPLIT, STOP, UNIT, WORK
from .links import PLACE, SECOND_ORDERS, WEIGH, by_address
from .prepare import SECOND_SIDE, least_cost_of_one, mark_sides, weigh
from .scalar import MANY_LANES, SLOTS
from .second_orders import call_second_orders, call_weigh_sides, keep_leaf, weight_before
from .techniques import ENDS, LANES
from .workspace import FAR, JOINT_COST, JOINT_CUT, JOINT_ORDER, Lanes, RankedRows, Scan, SearchState

ABORTED = -FAR
A, B, LEFT_A, RIGHT_B, FIRST, LAST = range(6)
"""The fields of an open interval."""


@njit(cache=True, nogil=True)
def sweep(
    rows: RankedRows,
    scan: Scan,
    lanes: Lanes,
    state: SearchState,
    f: int,
    stretch: Stretch,
    upper: int,
    best: int,
    known: int,
    only: int,
    hard: bool,
    slot: int,
) -> tuple[int, int, int, int]:
    """All positions of one first split; costs are sums of both sides in scaled units, without the first split.

    Parameters
    ----------
    upper : the upper one of two classes, -1 for more classes.
    best : only positions with a lower cost matter; known : a lower bound for all positions.
    only : the side that must stay a leaf: 0 left, 1 right, -1 neither.
    hard : whether leaves must have the minimum size.
    slot : the slot of the order in the preceding joint pass (see `joint_pass`), -1 for none.

    Returns
    -------
    The best cost (at least `best` if nothing better was found, ABORTED after a stop), its position and the orders of
    both sides. `closed[f]` becomes the minimum cost that remains for any other position.
    """
    level, offset, m = stretch
    closed, control = state.closed[level], state.control
    ahead = rows.ahead[level * rows.stride[()], f * rows.stride[()]]
    n_cuts = call_place_rows(scan.links[PLACE], (scan, lanes, f, m, int64(-1)))
    if control[PRICED]:
        weigh(rows, scan, f, m)
    closed[f] = FAR - 1
    none = int64(-1)
    found, at, left_order, right_order = best, none, none, none
    now, n_spans = int64(0), int64(1)
    width = int64(len(scan.chosen) if upper >= 0 else MANY_LANES)
    _put_span(scan.spans[now], int64(0), int64(0), n_cuts + 1, int64(0), int64(0))
    lowest, highest = allowed(scan, ahead, offset, m, n_cuts, control) if hard else (int64(1), n_cuts)
    while n_spans > 0:
        if control[STOP]:
            return int64(ABORTED), none, none, none
        n_spans = _filter(scan, closed, f, now, n_spans, found, lowest, highest)
        # no position is below `known`, so the sweep can end early
        if n_spans == 0 or found <= known:
            break
        if slot >= 0:
            n_lanes, taken = _take_joint(scan, slot, n_cuts, width)
            slot = int64(-1)
        else:
            n_lanes, taken = _choose(scan, now, n_spans, width)
            for k in range(width):
                scan.load[k] = scan.worth[scan.chosen[k]]
                scan.load[width + k] = scan.worth[n_cuts + 1] - scan.load[k]
            call_weigh_sides(scan.links[WEIGH], (rows, scan, lanes, f, stretch, upper, int64(-1), control))
            call_second_orders(scan.links[SECOND_ORDERS], (scan, lanes, m, upper, int64(0), control))
        keep_leaf(scan, control, width, only)
        for k in range(n_lanes):
            cost = scan.value[k] + scan.value[width + k]
            # the cost without the minimum leaf size is a lower bound: other lanes need no exact cost
            if hard and cost < found:
                _evaluate_hard(rows, scan, control, f, m, k, width, only)
                cost = scan.hard[k] + scan.hard[width + k]
            closed[f] = min(closed[f], cost)
            if cost < found:
                found, at = cost, scan.cuts[scan.chosen[k]]
                left_order, right_order = scan.second[k], scan.second[width + k]
        n_spans = _divide(scan, now, n_spans, taken, n_lanes, width)
        now = 1 - now
    if found <= known:
        closed[f] = min(closed[f], max(known, 0))
    return found, at, left_order, right_order


@njit(inline="always")
def allowed(scan: Scan, ahead: Int64Vector, offset: int, m: int, n_cuts: int, control: Int64Vector) -> tuple[int, int]:
    """The first and the last cut that leave both sides the minimum leaf size."""
    rows_needed, weight_needed, cuts = control[LEAST_ROWS], control[LEAST_WEIGHT], scan.cuts
    every = weight_before(scan, ahead, offset, n_cuts + 1, control)
    first, last = int64(1), n_cuts
    while first <= n_cuts and (
        cuts[first] < rows_needed or weight_before(scan, ahead, offset, first, control) < weight_needed
    ):
        first += 1
    while last >= 1 and (
        m - cuts[last] < rows_needed or every - weight_before(scan, ahead, offset, last, control) < weight_needed
    ):
        last -= 1
    return first, last


@njit(inline="always")
def _evaluate_hard(
    rows: RankedRows, scan: Scan, control: Int64Vector, f: int, m: int, k: int, width: int, only: int
) -> None:
    """Write the costs of both sides of a lane under the minimum leaf size to `scan.hard`, their orders to `second`.

    The order that is best without the minimum comes first: if its cost stays the same, no other order can be better.
    """
    unit = control[UNIT]
    counted = control[SPLIT] % unit
    mark_sides(rows, scan, f, m, scan.cuts[scan.chosen[k]])
    for side in range(SECOND_SIDE + 1):
        at = side * width + k
        favourite, relaxed = scan.second[at], scan.value[at]
        scan.hard[at] = scan.leaves[at] * unit
        scan.second[at] = -1
        if favourite < 0 or side == only:
            continue
        for turn in range(-1, len(scan.live)):
            g = favourite if turn < 0 else turn
            if not scan.live[g] or (turn >= 0 and g == favourite) or scan.fee[g] >= FAR:
                continue
            toll = scan.fee[g] * scan.load[at]
            cost, where = least_cost_of_one(rows, scan, control, g, m, side, toll, bool_(1))
            cost = cost * unit + counted if where >= 0 else FAR
            control[WORK] += 2 * m
            if cost < scan.hard[at]:
                scan.hard[at] = cost
                scan.second[at] = g
            # the cost without the minimum is a lower bound, and it is reached
            if scan.hard[at] == relaxed:
                break


@njit(inline="always")
def _take_joint(scan: Scan, slot: int, n_cuts: int, width: int) -> tuple[int, int]:
    """Take the results of a joint pass for an order as the first lanes; return the numbers of lanes and intervals."""
    n_lanes = min(n_cuts, width // SLOTS)
    for i in range(n_lanes):
        k = i * SLOTS + slot
        scan.chosen[i] = scan.joint[JOINT_CUT, k]
        for side in range(2):
            scan.value[side * width + i] = scan.joint[JOINT_COST + side, k]
            scan.second[side * width + i] = scan.joint[JOINT_ORDER + side, k]
    return n_lanes, int64(1)


@njit(cache=True, nogil=True)
def place_rows(scan: Scan, lanes: Lanes, f: int, m: int, slot: int) -> int:
    """Make an order the first one: write the position of each row, the boundaries and the weights before them.

    Fills `lanes.place` (`places` if `slot` is at least 0), `cuts` with the boundary positions (0 and m at the ends),
    and `upper` with the weight before each boundary: of the upper class, or of all classes if there are more than two.

    Returns
    -------
    The number of boundaries.
    """
    packed, amount, cuts, upper = scan.packed[f], lanes.amount[f], scan.cuts, scan.upper
    place, step, first = lanes.place, uint64(1), uint64(0)
    if slot >= 0:
        place, step, first = lanes.places, uint64(SLOTS), uint64(slot)
    cuts[0], upper[0] = 0, 0
    count, total = 0, 0
    for j in range(m):
        word = packed[j]
        place[(word >> ROW) * step + first] = j
        total += max(amount[j], 0)
        # written for every row, kept only at a boundary: a branch would be mispredicted
        cuts[count + 1], upper[count + 1] = j + 1, total
        count += word >> 7 & 1
    cuts[count + 1], upper[count + 1] = m, total
    return count


call_place_rows = by_address(place_rows, 1, reads=True)


@njit(inline="always")
def _filter(
    scan: Scan, closed: Int64Vector, f: int, now: int, n_spans: int, best: int, lowest: int, highest: int
) -> int:
    """Drop the open intervals without a position below `best`; write the first and last allowed cut of the others.

    lowest, highest : the first and the last cut that the minimum leaf size allows.
    """
    spans = scan.spans[now]
    kept = 0
    for i in range(n_spans):
        a, b, left_a, right_b = spans[i, A], spans[i, B], spans[i, LEFT_A], spans[i, RIGHT_B]
        # monotone bound: every position of the interval costs at least L(a) + R(b)
        if ENDS and left_a + right_b >= best:
            closed[f] = min(closed[f], left_a + right_b)
            continue
        first, last = max(a + 1, lowest), min(b - 1, highest)
        if first > a + 1 or last < b - 1:
            closed[f] = min(closed[f], best)
        if first <= last:
            for c in range(FIRST):
                spans[kept, c] = spans[i, c]
            spans[kept, FIRST], spans[kept, LAST] = first, last
            kept += 1
    return kept


@njit(inline="always")
def _choose(scan: Scan, now: int, n_spans: int, width: int) -> tuple[int, int]:
    """Spread `width` lanes over the open intervals; return the numbers of lanes in use and of intervals served."""
    spans, most = scan.spans[now], width if LANES else int64(1)
    taken = min(n_spans, most)
    lane = 0
    for i in range(taken):
        first, last = spans[i, FIRST], spans[i, LAST]
        room = last - first + 1
        points = min(room, most // taken + (1 if i < most % taken else 0))
        for t in range(points):
            scan.chosen[lane] = first + (room * (2 * t + 1)) // (2 * points)
            lane += 1
    for k in range(lane, width):
        scan.chosen[k] = scan.chosen[lane - 1]
    return lane, taken


@njit(inline="always")
def _put_span(spans: Int64Matrix, i: int, a: int, b: int, left_a: int, right_b: int) -> None:
    """Write an interval of a sweep and the costs at its ends.

    spans : int64 (n + 2, SPAN_FIELDS), the intervals of a round; i : the number of this one; a, b : the numbers of the
        cuts at its ends, 0 to n_cuts + 1; left_a, right_b : the minimum costs of the first side at a and of the second
        side at b, in scaled units.
    """
    spans[i, A], spans[i, B], spans[i, LEFT_A], spans[i, RIGHT_B] = a, b, left_a, right_b


@njit(inline="always")
def _divide(scan: Scan, now: int, n_spans: int, taken: int, n_lanes: int, width: int) -> int:
    """Replace the served intervals by those between their evaluated positions; the others wait for the next round."""
    spans, following, value = scan.spans[now], scan.spans[1 - now], scan.value
    count, lane = int64(0), int64(0)
    for i in range(n_spans):
        a, left = spans[i, A], spans[i, LEFT_A]
        while i < taken and lane < n_lanes and scan.chosen[lane] <= spans[i, LAST]:
            _put_span(following, count, a, scan.chosen[lane], left, value[width + lane])
            count += 1
            a, left = scan.chosen[lane], value[lane]
            lane += 1
        _put_span(following, count, a, spans[i, B], left, spans[i, RIGHT_B])
        count += 1
    return count
