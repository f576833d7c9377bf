"""Bounds from the split penalty for positions whose sides are not solved: a split must save what it costs.

A tree for rows that cost e as a leaf is this leaf or has a split. So it costs at least min(e, penalty) at any depth,
and e if the side must be a leaf. One pass over an order computes e for both sides of every position.
"""

from . import stack as field
from .arrays import Int64Vector, int64
from .compiled import njit
from .control import CHAIN, RULED, SPLIT, UNIT
from .links import by_address
from .prepare import leaf_cost, split_price
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
    """Lower bounds for both sides of every boundary of an order: their costs as leaves, clipped to the given maxima.

    Fills `scan.cuts` with the boundary positions (0 and m at the ends), and `scan.least_left` and `scan.least_right`.

    Parameters
    ----------
    unit : see `control.UNIT`; left_most, right_most : the maximum bound of a first and a second side, in scaled units:
        the split penalty, or FAR for a side that must be a leaf.

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
        # written for every row, kept only at a boundary: no branch on the data
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
    """Shrink the interval from both ends to the positions that the bounds of `cost_of_sides` do not exclude.

    In the remaining interval, first sides cost at least `LEFT_FIRST` and second sides at least `RIGHT_FINAL`.
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
        # leaf bound, monotone bound from the near end, Lipschitz bound from the far end (contree-bounds.md)
        left = max(scan.least_left[c], left_a, left_b - (at_b - at) * unit)
        right = max(scan.least_right[c], right_b, right_a - (at - at_a) * unit)
        # only these positions can be better: the ends of the interval move to the first and the last of them
        if left + right < best and support(ahead, state.control, level, offset, m, cuts[c], left, right):
            if frame[field.FINAL] == frame[field.A]:
                frame[field.FIRST], frame[field.LEFT_FIRST] = cuts[c], scan.least_left[c]
            frame[field.FINAL], frame[field.RIGHT_FINAL] = cuts[c], scan.least_right[c]


call_shrink = by_address(shrink, 0)


@njit(inline="always")
def support(
    ahead: Int64Vector, control: Int64Vector, level: int, offset: int, m: int, cut: int, left: int, right: int
) -> bool:
    """Whether both sides of a cut have more weight than their lower bound plus a split penalty; true with path rules.

    If not, the tree of the other side alone costs no more for all rows than the split with both trees (support bound).

    cut : a position, 1 to m - 1; left, right : lower bounds of its sides, in scaled units.
    """
    before, behind = ahead[offset + cut] - ahead[offset], ahead[offset + m] - ahead[offset + cut]
    unit, split = control[UNIT], split_price(control, level)
    return bool(control[RULED] or (before * unit > split + left and behind * unit > split + right))


@njit(inline="always")
def note_least(scan: Scan, frame: Int64Vector, position: int) -> None:
    """Copy the lower bounds of both sides of the chosen `position`, 1 to m - 1, into the frame, after `shrink`."""
    c = 1
    while scan.cuts[c] < position:
        c += 1
    frame[field.LEAST_LEFT], frame[field.LEAST_RIGHT] = scan.least_left[c], scan.least_right[c]
