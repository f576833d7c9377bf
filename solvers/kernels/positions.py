"""Choice of the position in an open interval that is evaluated next."""

from . import stack as field
from .arrays import Int32Vector, UInt32Vector, int64
from .compiled import njit
from .control import LEAST_ROWS, LEAST_WEIGHT
from .prepare import has_price
from .stack import shut
from .workspace import RankedRows, SearchState


@njit(inline="always")
def middle_position(rows: RankedRows, state: SearchState, level: int, best: int) -> int:
    """Return the boundary nearest to the middle of the positions left by the bounds, or -1 if there is none.

    In an interval of all positions, it is the one nearest to the purest split if that is wanted.

    The positions left lie between `FIRST` and `FINAL`.

    `best` : the cost that the two sides together must stay below.
    """
    frame = state.frames[level]
    f, a, b, offset = frame[field.ORDER], frame[field.A], frame[field.B], frame[field.OFFSET]
    first, last = frame[field.FIRST], frame[field.FINAL]
    if frame[field.HARD]:
        # each side must have the minimum rows and weight of a leaf
        m, control = frame[field.SIZE], state.control
        first, last = max(first, control[LEAST_ROWS]), min(last, m - control[LEAST_ROWS])
        first, last = _heavy(rows, rows.words[level, f], offset, m, first, last, control[LEAST_WEIGHT])
    # positions outside `first` to `last` cost at least `best` plus the split: this bounds the order
    if first > a + 1 or last < b - 1:
        shut(state, level, f, best + state.ask[level, f])
    if first > last:
        return -1
    middle = (first + last) >> 1
    if has_price(state.control):
        # a side near an end has nearly all rows: the middle of the whole interval gives better bounds for less work
        middle = max(first, min(last, (a + b) >> 1))
    purest = state.purest[level, 0, f]
    if purest > 0 and b - a == frame[field.SIZE]:
        middle = max(first, min(last, purest))
    return nearest_boundary(rows.ranks[level, f, offset:], middle, first, last)


@njit(inline="always")
def nearest_boundary(ranks: Int32Vector, middle: int, first: int, last: int) -> int:
    """Return the position nearest to `middle`, from `first` to `last`, at which the rank changes; -1 for none.

    ranks : int32 (m or more,), the ranks of the rows of a node in an order.
    """
    low, high = middle, middle + 1
    while low >= first or high <= last:
        if low >= first:
            if ranks[low - 1] != ranks[low]:
                return low
            low -= 1
        if high <= last:
            if ranks[high - 1] != ranks[high]:
                return high
            high += 1
    return -1


@njit(inline="always")
def _heavy(
    rows: RankedRows, words: UInt32Vector, offset: int, m: int, first: int, last: int, least: int
) -> tuple[int, int]:
    """Return the first and last position, within `first` to `last`, that leave both sides a weight of at least `least`.

    words : uint32 (n,), an order at the node's level.
    """
    if least <= 1 or first > last:
        return first, last
    before, behind = int64(0), int64(0)
    for j in range(first):
        before += rows.weight[words[offset + j] >> 8]
    for j in range(last, m):
        behind += rows.weight[words[offset + j] >> 8]
    while first <= last and before < least:
        before += rows.weight[words[offset + first] >> 8]
        first += 1
    while first <= last and behind < least:
        last -= 1
        behind += rows.weight[words[offset + last] >> 8]
    return first, last
