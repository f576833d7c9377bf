"""A first pass for several first orders at once, which prunes most of them with few lanes.

A few positions of an order often show that none is good enough, because its sides cost far more than the best tree. So
four orders share the lanes of one pass over all second orders: lane k belongs to slot `k % SLOTS`, and each order costs
a quarter of a pass. Orders that stay open start their sweep with the results of their lanes.

Whether joint passes pay is learned: while the share of orders that stay open is high, one is tried only now and then.
"""

from .arrays import Int64Vector, Stretch, int64
from .compiled import njit
from .control import OPEN_SHARE, RULED, STOP, WAITED
from .links import PLACE, SECOND_ORDERS, WEIGH, by_address
from .prepare import has_price, split_price
from .scalar import MANY_LANES, SLOTS
from .second_orders import call_second_orders, call_weigh_sides
from .sweep import call_place_rows
from .techniques import ENDS, LANES
from .workspace import FAR, JOINT_COST, JOINT_CUT, JOINT_ORDER, Lanes, RankedRows, Scan, SearchState

FEWEST = 3
"""The minimum number of orders in a joint pass."""
MOST_OPEN = 960
"""A joint pass pays while fewer than this many of 1,024 orders stay open, because those reuse its results."""
PATIENCE = 16
"""The number of sweeps before a joint pass is tried again."""
MEMORY = 32
"""The number of orders in the moving average of open orders."""


@njit(inline="always")
def can_join(scan: Scan, control: Int64Vector) -> bool:
    """Whether orders may share a pass: all second splits cost the same, and every error costs its weight."""
    return bool(LANES and not (has_price(control) or control[RULED] or len(scan.costs)))


@njit(inline="always")
def due(control: Int64Vector) -> bool:
    """Whether to make a joint pass now."""
    if control[OPEN_SHARE] < MOST_OPEN or control[WAITED] >= PATIENCE:
        control[WAITED] = 0
        return True
    control[WAITED] += 1
    return False


@njit(inline="always")
def most_promising(bounds: Int64Vector, closed: Int64Vector, ask: Int64Vector) -> int:
    """The order with the lowest bound among those not yet swept, -1 for none."""
    best = int64(-1)
    for f in range(len(bounds)):
        if ask[f] < FAR and closed[f] == FAR and (best < 0 or bounds[f] < bounds[best]):
            best = f
    return best


@njit(inline="always")
def fill_slots(scan: Scan, bounds: Int64Vector, closed: Int64Vector, best: int) -> bool:
    """Fill the slots with the unswept orders of lowest bound, all below `best`; return whether there are enough."""
    scan.slot[:] = -1
    count = int64(0)
    while count < SLOTS:
        order = most_promising(bounds, closed, scan.ask)
        if order < 0 or bounds[order] >= best:
            break
        scan.slots[count], scan.slot[order] = order, count
        closed[order] = FAR - 1  # not FAR: `most_promising` must not find it again
        count += 1
    for s in range(count):
        closed[scan.slots[s]] = FAR
    if count < FEWEST:
        for s in range(count):
            scan.slot[scan.slots[s]] = -1
        return False
    for s in range(count, SLOTS):
        scan.slots[s] = scan.slots[count - 1]
    return True


@njit(cache=True, nogil=True)
def joint_pass(
    rows: RankedRows, scan: Scan, lanes: Lanes, state: SearchState, stretch: Stretch, upper: int, best: int
) -> int:
    """Evaluate some positions of the orders in `scan.slots`; costs are sums of both sides, without the first split.

    For each pruned order, `closed` becomes the minimum cost that remains, and `scan.slot` becomes -1. For the others,
    `scan.joint` holds the evaluated lanes.

    Parameters
    ----------
    upper : the upper one of two classes, -1 for more classes.
    best : only positions with a lower cost matter.

    Returns
    -------
    1 after a stop, else 0.
    """
    level, _, m = stretch
    closed, control = state.closed[level], state.control
    if control[STOP]:
        return int64(1)
    width = int64(len(scan.chosen) if upper >= 0 else MANY_LANES)
    points = width // SLOTS
    for s in range(SLOTS):
        f = scan.slots[s]
        n_cuts = call_place_rows(scan.links[PLACE], (scan, lanes, f, m, int64(s)))
        # an order without boundaries has one lane, with all rows on the right
        used = max(1, min(points, n_cuts))
        for i in range(points):
            number = min(n_cuts, 1 + n_cuts * (2 * min(i, used - 1) + 1) // (2 * used))
            scan.chosen[i * SLOTS + s] = number
        call_weigh_sides(scan.links[WEIGH], (rows, scan, lanes, f, stretch, upper, int64(s), control))
        scan.joint[JOINT_CUT, s] = n_cuts
    call_second_orders(scan.links[SECOND_ORDERS], (scan, lanes, m, upper, int64(1), control))
    floor = best
    for k in range(width):
        floor = min(floor, scan.value[k] + scan.value[width + k])
    for s in range(SLOTS):
        f, n_cuts = scan.slots[s], scan.joint[JOINT_CUT, s]
        if scan.slot[f] != s:
            continue
        # FAR: stays open; else no position is below the best lane of this pass, so it is pruned
        least = _least_left(scan, n_cuts, s, min(points, n_cuts), best, floor, width)
        if least < FAR:
            closed[f], scan.slot[f] = min(FAR - 1, least + split_price(control, level)), -1
        control[OPEN_SHARE] += ((least == FAR) * 1024 - control[OPEN_SHARE]) // MEMORY
    for k in range(width):
        scan.joint[JOINT_CUT, k] = scan.chosen[k]
        for side in range(2):
            scan.joint[JOINT_COST + side, k] = scan.value[side * width + k]
            scan.joint[JOINT_ORDER + side, k] = scan.second[side * width + k]
    return int64(0)


@njit(inline="always")
def _least_left(scan: Scan, n_cuts: int, slot: int, n_lanes: int, best: int, floor: int, width: int) -> int:
    """The minimum cost that remains for an order; FAR if a position may be below `floor`, the best of all lanes.

    Monotone bound: a position between two lanes costs at least the first side at the left one plus the second side at
    the right one.

    n_lanes : the number of different lanes of the order.
    """
    least = FAR - 1
    number, left = int64(0), int64(0)
    for i in range(n_lanes + 1):
        next_number, next_left, next_right = n_cuts + 1, int64(0), int64(0)
        if i < n_lanes:
            k = i * SLOTS + slot
            next_number, next_left, next_right = scan.chosen[k], scan.value[k], scan.value[width + k]
            if next_left + next_right < best:
                return FAR
            least = min(least, next_left + next_right)
        if next_number > number + 1:
            # monotone bound: L does not decrease and R does not increase with the position
            if not ENDS or left + next_right < floor:
                return FAR
            least = min(least, left + next_right)
        number, left = next_number, next_left
    return least


call_joint_pass = by_address(joint_pass, 1)
