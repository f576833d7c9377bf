"""All second splits of the lanes: the least costs of both sides, from one pass over each order.

A lane represents a position of one first split, or of several first splits in turn (see `joint_pass`). `weigh_sides`
writes the weights of the sides for each first split, before `scan_second_orders` scans all lanes together.
"""

from .arrays import Int64Vector, LaneMatrix, Stretch, int64
from .compiled import njit
from .control import PRICED, SPLIT, UNIT, WORK
from .lanes import (
    CANDIDATE,
    count_for_two,
    count_jointly,
    count_jointly_for_two,
    count_many,
    scan_many,
    scan_two,
)
from .links import by_address
from .prepare import leaf_cost
from .scalar import MANY_LANES, SLOTS
from .workspace import FAR, Lanes, RankedRows, Scan


@njit(inline="always")
def weight_before(scan: Scan, ahead: Int64Vector, offset: int, cut_number: int, control: Int64Vector) -> int:
    """The weight of the rows before a position, if there are no class costs: their largest cost less the split prices.

    cut_number : the index of the position in `Scan.cuts`, 0 to n_cuts + 1.
    """
    return ahead[offset + scan.cuts[cut_number]] - ahead[offset] - control[PRICED] * scan.worth[cut_number]


@njit(cache=True, nogil=True)
def weigh_sides(
    rows: RankedRows, scan: Scan, lanes: Lanes, f: int, stretch: Stretch, upper: int, slot: int, control: Int64Vector
) -> None:
    """Write the weights of both sides of the lanes of one first split, and their costs as leaves.

    If `slot` is at least 0, only the lanes of this slot of a joint pass; otherwise all lanes. Reads `chosen`, and what
    `place_rows` wrote for the order.
    """
    first, step = (slot, int64(SLOTS)) if slot >= 0 else (int64(0), int64(1))
    if upper >= 0:
        level, offset, _ = stretch
        ahead = rows.ahead[level * rows.stride[()], f * rows.stride[()]]
        _weigh_two(scan, lanes, ahead, offset, upper, first, step, control)
    else:
        _weigh_many(scan, lanes, f, first, step, control)


call_weigh_sides = by_address(weigh_sides, 0, reads=True)


@njit(inline="always")
def _weigh_two(
    scan: Scan,
    lanes: Lanes,
    ahead: Int64Vector,
    offset: int,
    upper_class: int,
    first: int,
    step: int,
    control: Int64Vector,
) -> None:
    """`weigh_sides` for two classes: lanes from `first` on in steps of `step`; `upper_class` is the upper class."""
    width, split, sides = len(scan.chosen), control[SPLIT] // control[UNIT], lanes.sides
    every, every_upper = 0, scan.total[upper_class]
    for c in range(len(scan.total)):
        every += scan.total[c]
    for k in range(first, width, step):
        lanes.cut[k] = scan.cuts[scan.chosen[k]]
        upper = scan.upper[scan.chosen[k]]
        lower = weight_before(scan, ahead, offset, scan.chosen[k], control) - upper
        sides[k], sides[width + k] = upper + split, lower + split
        scan.leaves[k] = min(upper, lower)
        upper, lower = every_upper - upper, every - every_upper - lower
        sides[2 * width + k], sides[3 * width + k] = upper + split, lower + split
        scan.leaves[width + k] = min(upper, lower)


@njit(inline="always")
def _weigh_many(scan: Scan, lanes: Lanes, f: int, first: int, step: int, control: Int64Vector) -> None:
    """`weigh_sides` for any number of classes: lanes from `first` on in steps of `step`."""
    info, size, left, right = lanes.info[f], lanes.size[f], scan.tally[0], scan.tally[1]
    split, every, costs, block, behind = control[SPLIT] // control[UNIT], 0, scan.costs, 0, 0
    for c in range(len(scan.total)):
        left[c], right[c] = 0, scan.total[c]
        every += scan.total[c]
    for k in range(first, MANY_LANES, step):
        lanes.cut[k] = scan.cuts[scan.chosen[k]]
        before = scan.upper[scan.chosen[k]]
        while behind + size[block] <= before:
            left[info[block] >> 1] += size[block]
            right[info[block] >> 1] -= size[block]
            behind += size[block]
            block += 1
        # a position that is not a candidate lies within a block
        label, part = info[block] >> 1, before - behind
        left[label] += part
        right[label] -= part
        scan.leaves[k], scan.leaves[MANY_LANES + k] = leaf_cost(costs, left), leaf_cost(costs, right)
        lanes.sides[k], lanes.sides[MANY_LANES + k] = before + split, every - before + split
        left[label] -= part
        right[label] += part


@njit(cache=True, nogil=True)
def scan_second_orders(scan: Scan, lanes: Lanes, m: int, upper: int, jointly: int, control: Int64Vector) -> None:
    """Write the least cost of both sides of every lane over all second orders, in units, with splits counted.

    Parameters
    ----------
    m : the number of rows of the node; upper : the upper of two classes, -1 for more classes.
    jointly : 1 if the lanes belong to several first splits in turn, whose row positions are in `places`.
    """
    width = int64(len(scan.chosen) if upper >= 0 else MANY_LANES)
    begin_with_leaves(scan, lanes, width)
    paid = int64(0)
    for g in range(len(scan.live)):
        if not scan.live[g] or scan.fee[g] >= FAR:
            continue
        packed, amount, n_blocks = scan.packed[g], lanes.amount[g], scan.n_blocks[g]
        if upper >= 0:
            paid = pay(scan, lanes, scan.fee[g], paid, width, int64(2))
            control[WORK] += m
            if jointly:
                count_jointly_for_two(packed, amount, m, lanes.places, lanes.cut, lanes.before)
            else:
                count_for_two(packed, amount, m, lanes.place, lanes.cut, lanes.before)
            scan_two(lanes.before, lanes.size[g], n_blocks, lanes.sides, g, lanes.best)
            continue
        paid = pay(scan, lanes, scan.fee[g], paid, width, int64(1))
        control[WORK] += m + 6 * n_blocks
        if jointly:
            count_jointly(packed, amount, m, lanes.places, lanes.cut, lanes.before)
        else:
            count_many(packed, amount, m, lanes.place, lanes.cut, lanes.before)
        if len(scan.costs):
            _scan_costs(scan, lanes, g, control)
            continue
        for k in range(len(lanes.left_counts)):
            lanes.left_counts[k] = 0
        for k in range(len(lanes.counts)):
            lanes.counts[k] = 0
        scan_many(
            lanes.before,
            lanes.info[g],
            lanes.size[g],
            n_blocks,
            lanes.left_counts,
            lanes.counts,
            lanes.suffix,
            lanes.sides,
            g,
            lanes.best,
        )
    in_units(scan, lanes, control, width)


call_second_orders = by_address(scan_second_orders, 0, reads=True)


@njit(inline="always")
def begin_with_leaves(scan: Scan, lanes: Lanes, width: int) -> None:
    """Start with both sides of every lane as leaves."""
    for k in range(2 * width):
        lanes.best[k] = scan.leaves[k]
        lanes.best[2 * width + k] = -1


@njit(inline="always")
def in_units(scan: Scan, lanes: Lanes, control: Int64Vector, width: int) -> None:
    """Write the costs of the sides of all lanes in units, with splits counted, and the orders of their splits."""
    unit = control[UNIT]
    counted = control[SPLIT] % unit
    for k in range(2 * width):
        order = lanes.best[2 * width + k]
        scan.value[k], scan.second[k] = lanes.best[k] * unit + (counted if order >= 0 else 0), order


@njit(inline="always")
def keep_leaf(scan: Scan, control: Int64Vector, width: int, only: int) -> None:
    """Keep the sides `only` (0 or 1) of all lanes as leaves; -1 for none."""
    if only >= 0:
        for k in range(only * width, (only + 1) * width):
            scan.value[k], scan.second[k] = scan.leaves[k] * control[UNIT], -1


@njit(cache=True, nogil=True)
def pay(scan: Scan, lanes: Lanes, fee: int, paid: int, width: int, parts: int) -> int:
    """Charge every lane `fee` instead of `paid` for its two sides, in each of their `parts`; return `fee`.

    fee, paid : the price of a second split per unit of `RankedRows.tested`; parts : 2 if a side has one weight for each
        of two classes.
    """
    if fee != paid:
        for side in range(2):
            for k in range(side * width, (side + 1) * width):
                for part in range(parts):
                    lanes.sides[(side * (parts - 1) + part) * width + k] += (fee - paid) * scan.load[k]
    return fee


@njit(inline="always")
def _scan_costs(scan: Scan, lanes: Lanes, g: int, control: Int64Vector) -> None:
    """Scan one order as the second split, with error costs by true and predicted class; a plain `lanes.scan_many`.

    A prefix costs its least over all predictions. Any block may change which one that is, so the costs of all
    predictions are kept.
    """
    before, info, size, suffix = lanes.before, lanes.info[g], lanes.size[g], lanes.suffix
    left, right, best, width = lanes.left_prices, lanes.right_prices, lanes.best, MANY_LANES
    n_blocks, split, fee, load = scan.n_blocks[g], control[SPLIT] // control[UNIT], scan.fee[g], scan.load
    for forward in range(2):
        left[:] = 0
        right[:] = 0
        for turn in range(n_blocks):
            i = turn if forward else n_blocks - 1 - turn
            low, high = 2 * i * width, (2 * i + 1) * width
            if not forward:
                for k in range(width):
                    suffix[low + k], suffix[high + k] = _least(left, k), _least(right, k)
            for c in range(len(left)):
                price = scan.costs[info[i] >> 1, c]
                for k in range(width):
                    inside = before[(i + 1) * width + k] - before[i * width + k]
                    left[c, k] += price * inside
                    right[c, k] += price * (size[i] - inside)
            if forward and info[i] & CANDIDATE:
                for k in range(width):
                    cost = int64(_least(left, k)) + suffix[low + k] + split + fee * load[k]
                    if cost < best[k]:
                        best[k], best[2 * width + k] = cost, g
                    cost = int64(_least(right, k)) + suffix[high + k] + split + fee * load[width + k]
                    if cost < best[width + k]:
                        best[width + k], best[3 * width + k] = cost, g


@njit(inline="always")
def _least(prices: LaneMatrix, k: int) -> int:
    """The least cost of lane `k` (0 to M - 1) over all predictions; `prices` : lane (K, M)."""
    least = prices[0, k]
    for c in range(1, len(prices)):
        least = min(least, prices[c, k])
    return least
