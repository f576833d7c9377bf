"""The sweep of the depth-two solver under a minimum leaf size, for two classes.

For every position of the first split from `first` to `last`, the left side contains the rows before `first` (U) and
lies within the rows before `last` (V); the right side likewise. The least errors on U over all splits that leave enough
rows of V are a lower bound for the side (docs/methods/contree-bounds.md, minimum leaf size), exact for a single
position. One pass over an order (`lanes.scan_two_sized`) computes these bounds for many intervals of positions. The
sweep divides the interval of all positions, and divides parts again while their bounds are below the best cost.
"""

from .arrays import Int64Vector, Stretch, int64
from .compiled import njit
from .control import LEAST_ROWS, LEAST_WEIGHT, PRICED, SPLIT, STOP, UNIT, WORK
from .lanes import scan_two_sized
from .links import PLACE, SIZED_SCAN, by_address
from .prepare import weigh
from .second_orders import begin_with_leaves, in_units, keep_leaf, pay, weight_before
from .sweep import ABORTED, allowed, call_place_rows
from .workspace import FAR, Lanes, RankedRows, Scan, SearchState

FIRST, LAST, KEY = range(3)


@njit(cache=True, nogil=True)
def scan_sized(
    rows: RankedRows,
    scan: Scan,
    lanes: Lanes,
    f: int,
    stretch: Stretch,
    n_cuts: int,
    upper_class: int,
    control: Int64Vector,
) -> None:
    """Write lower bounds for both sides of every lane over all second orders; `upper_class` is the upper class."""
    level, offset, m = stretch
    ahead = rows.ahead[level * rows.stride[()], f * rows.stride[()]]
    width, split, whole, sides = len(scan.chosen), control[SPLIT] // control[UNIT], lanes.whole, lanes.sides
    by_weight = int64(control[LEAST_WEIGHT] > 1)
    every, every_upper = weight_before(scan, ahead, offset, n_cuts + 1, control), scan.total[upper_class]
    # costs count the rows on a side at every position (U), sizes count the rows on it at any position (V)
    for k in range(width):
        first, last = scan.chosen[k], scan.final[k]
        lanes.ends[k], lanes.ends[width + k] = scan.cuts[first], scan.cuts[last]
        upper, before = scan.upper[first], weight_before(scan, ahead, offset, first, control)
        lower = before - upper
        sides[k], sides[width + k] = upper + split, lower + split
        scan.leaves[k] = min(upper, lower)
        upper, until = every_upper - scan.upper[last], weight_before(scan, ahead, offset, last, control)
        lower = every - until - upper
        sides[2 * width + k], sides[3 * width + k] = upper + split, lower + split
        scan.leaves[width + k] = min(upper, lower)
        whole[k] = until if by_weight else scan.cuts[last]
        whole[width + k] = every - before if by_weight else m - scan.cuts[first]
        scan.load[k] = scan.worth[first]
        scan.load[width + k] = scan.worth[n_cuts + 1] - scan.worth[last]
    begin_with_leaves(scan, lanes, width)
    least, paid = max(control[LEAST_ROWS], control[LEAST_WEIGHT]), int64(0)
    for g in range(len(scan.live)):
        if scan.live[g] and scan.fee[g] < FAR:
            paid = pay(scan, lanes, scan.fee[g], paid, int64(width), int64(2))
            packed, amount = scan.packed[g], lanes.amount[g]
            scan_two_sized(packed, amount, by_weight, m, lanes.place, lanes.ends, sides, whole, least, g, lanes.best)
            control[WORK] += 2 * m
    in_units(scan, lanes, control, width)


_call_scan = by_address(scan_sized, 0, reads=True)


@njit(cache=True, nogil=True)
def sweep_sized(
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
) -> tuple[int, int, int, int]:
    """Sweep all positions of one first split under a minimum number of rows, or weight, per leaf.

    `known` : a lower bound, as in `sweep`.
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
    width = len(scan.chosen)
    now = int64(0)
    scan.spans[now, 0, FIRST], scan.spans[now, 0, LAST] = allowed(scan, ahead, offset, m, n_cuts, control)
    n_spans = int64(scan.spans[now, 0, FIRST] <= scan.spans[now, 0, LAST])
    scan.spans[now, 0, KEY] = known
    while n_spans > 0 and found > known:
        if control[STOP]:
            return int64(ABORTED), none, none, none
        taken, n_lanes = _divide(scan, now, n_spans, width)
        _call_scan(scan.links[SIZED_SCAN], (rows, scan, lanes, f, stretch, n_cuts, upper, control))
        keep_leaf(scan, control, int64(width), only)
        for k in range(n_lanes):
            cost = scan.value[k] + scan.value[width + k]
            # the bound of a single position is its exact cost
            if scan.chosen[k] == scan.final[k]:
                closed[f] = min(closed[f], cost)
                if cost < found:
                    found, at = cost, scan.cuts[scan.chosen[k]]
                    left_order, right_order = scan.second[k], scan.second[width + k]
        n_spans = _keep(scan, closed, f, now, n_spans, taken, n_lanes, found, width)
        now = 1 - now
    # the sweep ended early at the lower bound `known`, so the positions left cost at least `known`
    if found <= known:
        closed[f] = min(closed[f], max(known, 0))
    return found, at, left_order, right_order


@njit(inline="always")
def _divide(scan: Scan, now: int, n_spans: int, width: int) -> tuple[int, int]:
    """Divide the first intervals among the lanes; return the number of intervals taken and of lanes in use."""
    spans = scan.spans[now]
    taken = min(n_spans, width // 2)
    lane = 0
    for i in range(taken):
        first, last = spans[i, FIRST], spans[i, LAST]
        room = last - first + 1
        parts = min(room, width // taken + (1 if i < width % taken else 0))
        for t in range(parts):
            scan.chosen[lane] = first + room * t // parts
            scan.final[lane] = first + room * (t + 1) // parts - 1
            lane += 1
    for k in range(lane, width):
        scan.chosen[k], scan.final[k] = scan.chosen[lane - 1], scan.final[lane - 1]
    return taken, lane


@njit(inline="always")
def _keep(
    scan: Scan, closed: Int64Vector, f: int, now: int, n_spans: int, taken: int, n_lanes: int, best: int, width: int
) -> int:
    """Keep the parts whose lower bound is below `best`, and the waiting intervals; return their number."""
    spans, following, count = scan.spans[now], scan.spans[1 - now], int64(0)
    for k in range(n_lanes):
        key = scan.value[k] + scan.value[width + k]
        if scan.chosen[k] < scan.final[k]:
            if key < best:
                following[count, FIRST], following[count, LAST] = scan.chosen[k], scan.final[k]
                following[count, KEY] = key
                count += 1
            else:
                # the part is ruled out, so its lower bound also limits the bound of the order
                closed[f] = min(closed[f], key)
    for i in range(taken, n_spans):
        if spans[i, KEY] < best:
            for c in range(KEY + 1):
                following[count, c] = spans[i, c]
            count += 1
        else:
            closed[f] = min(closed[f], spans[i, KEY])
    return count
