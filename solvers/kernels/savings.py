"""What a price of splits says about positions whose sides are not solved: a split must save what it costs.

A tree for rows that cost e as a leaf is this leaf, or it has a split. So it costs at least min(e, price), whatever its
depth; and where a side must be a leaf, it costs e. One pass over an order gives e for both sides of every position.
"""

from . import stack as field
from .arrays import Int64Vector, int64
from .compiled import njit
from .control import CHAIN, RULED, SPLIT, UNIT
from .links import by_address
from .prepare import leaf_cost
from .workspace import FAR, RankedRows, Scan, SearchState


@njit(cache=True, nogil=True)
def cost_of_sides(
    rows: RankedRows,
    scan: Scan,
    level: int,
    f: int,
    offset: int,
    m: int,
    unit: int,
    left_most: int,
    right_most: int,
) -> int:
    """What both sides of every boundary of an order cost at least: as leaves, but no more than the given most.

    Fills `scan.cuts` with the boundary positions (0 and m at the ends), `scan.least_left` and `scan.least_right`.

    Parameters
    ----------
    unit : what a unit of cost counts, see `control.UNIT`; left_most, right_most : the most that a first and a second
        side count, in that unit.

    Returns
    -------
    The number of boundaries.
    """
    words, ranks = rows.words[level, f, offset : offset + m], rows.ranks[level, f, offset : offset + m]
    cuts, least_left, least_right, tally = scan.cuts, scan.least_left, scan.least_right, scan.tally[0]
    weights, weighted, costs = rows.weight, rows.stride[()], scan.costs
    tally[:] = 0
    every, largest, count = int64(0), int64(0), int64(0)
    cuts[0] = 0
    for j in range(m - 1):
        label, weight = words[j] >> 1 & 63, weights[(words[j] >> 8) * weighted]
        tally[label] += weight
        every += weight
        largest = max(largest, tally[label])
        leaf = leaf_cost(costs, tally) if len(costs) else every - largest
        # written for every row and kept for a boundary
        cuts[count + 1], least_left[count + 1] = j + 1, min(leaf * unit, left_most)
        count += ranks[j] != ranks[j + 1]
    cuts[count + 1] = m
    tally[:] = 0
    every, largest = int64(0), int64(0)
    at = count
    for j in range(m - 1, 0, -1):
        label, weight = words[j] >> 1 & 63, weights[(words[j] >> 8) * weighted]
        tally[label] += weight
        every += weight
        largest = max(largest, tally[label])
        leaf = leaf_cost(costs, tally) if len(costs) else every - largest
        least_right[at] = min(leaf * unit, right_most)
        at -= ranks[j] != ranks[j - 1]
    return count


@njit(cache=True, nogil=True)
def shrink(rows: RankedRows, scan: Scan, state: SearchState, level: int, best: int) -> None:
    """Cut off from both ends of the interval what its sides as leaves rule out, see `savings`.

    What is left has first sides that cost at least `LEFT_FIRST`, and second ones that cost at least `RIGHT_FINAL`.
    """
    frame, split, record, cuts = state.frames[level], state.control[SPLIT], state.record[level], scan.cuts
    offset, m, unit, f = frame[field.OFFSET], frame[field.SIZE], state.control[UNIT], frame[field.ORDER]
    left_a, right_a = record[frame[field.AT_A], 0], record[frame[field.AT_A], 1]
    left_b, right_b = record[frame[field.AT_B], 0], record[frame[field.AT_B], 1]
    ahead = rows.ahead[level * rows.stride[()], f * rows.stride[()]]
    at_a, at_b = ahead[offset + frame[field.A]], ahead[offset + frame[field.B]]
    left_most = right_most = split
    if state.control[CHAIN]:
        left_most = FAR if frame[field.LEFT_LEAVES] == 1 else split
        right_most = FAR if frame[field.LEAVES] - frame[field.LEFT_LEAVES] == 1 else split
    n_cuts = cost_of_sides(rows, scan, level, f, offset, m, unit, left_most, right_most)
    frame[field.FIRST], frame[field.FINAL] = frame[field.B], frame[field.A]
    for c in range(1, n_cuts + 1):
        if not frame[field.A] < cuts[c] < frame[field.B]:
            continue
        at = ahead[offset + cuts[c]]
        left = max(scan.least_left[c], left_a, left_b - (at_b - at) * unit)
        right = max(scan.least_right[c], right_b, right_a - (at - at_a) * unit)
        if left + right < best and support(ahead, state.control, offset, m, cuts[c], left, right):
            if frame[field.FINAL] == frame[field.A]:
                frame[field.FIRST], frame[field.LEFT_FIRST] = cuts[c], scan.least_left[c]
            frame[field.FINAL], frame[field.RIGHT_FINAL] = cuts[c], scan.least_right[c]


call_shrink = by_address(shrink, 0)


@njit(inline="always")
def support(ahead: Int64Vector, control: Int64Vector, offset: int, m: int, cut: int, left: int, right: int) -> bool:
    """Whether both sides of a cut weigh more than they cost at least and a split; without path rules.

    Otherwise the tree of the other side alone costs all rows no more than the split and both trees.

    cut : a position, 1 to m - 1; left, right : what its sides cost at least, in the unit.
    """
    before, behind = ahead[offset + cut] - ahead[offset], ahead[offset + m] - ahead[offset + cut]
    unit, split = control[UNIT], control[SPLIT]
    return bool(control[RULED] or (before * unit > split + left and behind * unit > split + right))


@njit(inline="always")
def note_least(scan: Scan, frame: Int64Vector, position: int) -> None:
    """Keep what the sides of the chosen `position`, 1 to m - 1, cost at least, after `shrink`."""
    c = 1
    while scan.cuts[c] < position:
        c += 1
    frame[field.LEAST_LEFT], frame[field.LEAST_RIGHT] = scan.least_left[c], scan.least_right[c]
