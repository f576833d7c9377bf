"""The cheapest tree whose splits cost less in deeper layers: a lower bound for diagrams with merged nodes.

A merged node of layer l has several copies in the unfolded tree. With its cost shared among the copies, the tree costs
no more than the diagram. The search is that over intervals of Brita, van der Linden and Demirovic (2025), with an
explicit stack. For an order and a threshold, L and R are the costs of the two sides, solved one layer deeper. Between
two known thresholds a < b, L grows by at most what the cells between them can cost, R falls likewise, and a threshold
between them costs at least L(a) + R(b). Only values below a ceiling are searched for; a result at or above it is a
lower bound.

Subsets are stored exactly, by their cells, with the bound that was proved for them.

level : the layer of an open node, 0 to D; n : its number of cells; ceiling : only cheaper trees are searched for.
slot : the line of a subset in the memory, -1 for none.
"""

import numpy as np

from .arrays import Int32Vector, Int64Matrix, Int64Vector, UInt64Matrix, UInt64Vector, int64
from .compiled import allocating_njit as njit
from .odd_cells import FAR, MergedRows
from .odd_stumps import STOP, WORK, TreeBound, class_bound, depth_two, divide, next_cut, stump
from .status import DONE, RUNNING, STOPPED

LEVEL, VALUE, ENTRIES = range(2, 5)
"""Words of the control array in addition to those of `odd_stumps`: the open node (-1 when done), the last result, and
the number of stored subsets."""

N, CEILING, BEST, ORDER, TOP, PHASE, CUT, LEFT, SLOT = range(9)
"""Fields of an open node: cells, ceiling, least known cost, current order, open intervals, next phase, the threshold
being evaluated, the cost of its low side, and the line of the memory for the subset, -1 for none."""

NEXT, LEFT_DONE, RIGHT_DONE = range(3)


def tree_bound(cells: MergedRows, charge: np.ndarray, memory: int) -> TreeBound:
    """Create a search for trees with one layer per entry of `charge`, int64 (D,); `memory` : bytes for subsets."""
    depth, (n_orders, m) = len(charge), cells.rank.shape
    n_classes = cells.price.shape[1]
    ids = np.zeros((depth + 1, n_orders, m), np.int32)
    ids[0] = cells.ids
    n_words = (m + 63) // 64 + 1
    room = 1 << max(4, int(np.log2(max(32, memory // (8 * n_words + 16)))))
    ordered = np.sort(cells.price, axis=1)
    return TreeBound(
        np.zeros(5, np.int64),
        np.append(charge, 0).astype(np.int64),
        ids,
        np.zeros((depth + 1, 9), np.int64),
        np.zeros((depth + 1, m + 2, 6), np.int64),
        np.zeros(m, bool),
        ordered[:, -1].copy(),
        np.zeros(n_classes, np.int64),
        np.zeros(n_classes, np.int64),
        cells.price.argmin(axis=1).astype(np.int64),
        ordered[:, min(1, n_classes - 1)].copy(),
        np.zeros((room, n_words), np.uint64),
        np.full((room, 2), -1, np.int64),
        np.zeros(n_words, np.uint64),
        np.zeros((2, n_classes), np.int64),
    )


@njit(cache=True, nogil=True)
def _find(words: UInt64Matrix, held: Int64Matrix, key: UInt64Vector, mask: int) -> int:
    """The line of a subset, or a free line for it, or -1 if there is no room near it.

    words, held, key : see `TreeBound`; mask : the number of lines, a power of two, less 1.
    """
    h = np.uint64(1469598103934665603)
    for w in key:
        h = (h ^ w) * np.uint64(1099511628211)
        h ^= h >> np.uint64(29)
    at = int64(h & np.uint64(mask))
    for _ in range(16):
        if held[at, 0] < 0:
            return at
        same = True
        for k in range(len(key)):
            if words[at, k] != key[k]:
                same = False
                break
        if same:
            return at
        at = (at + 1) & mask
    return int64(-1)


@njit(cache=True, nogil=True)
def _key(ids: Int32Vector, n: int, level: int, key: UInt64Vector) -> None:
    """Write a subset, the first n cells of `ids`, int32 (m,), and its level as a `key`, uint64 (W + 1,)."""
    key[:] = 0
    for j in range(n):
        i = ids[j]
        key[i >> 6] |= np.uint64(1) << np.uint64(i & 63)
    key[len(key) - 1] = np.uint64(level)


@njit(cache=True, nogil=True)
def begin(cells: MergedRows, search: TreeBound, ceiling: int) -> None:
    """Open the root, with all cells and a ceiling."""
    search.control[LEVEL] = -1
    _enter(cells, search, 0, cells.price.shape[0], ceiling)


@njit(cache=True, nogil=True)
def _affordable(charge: Int64Vector, level: int, room: int) -> int:
    """The number of layers of splits, from a level on, that cost less than `room` together.

    charge : int64 (D + 1,).
    """
    n, last = 0, len(charge) - 1
    while level + n < last and charge[level + n] < room:
        room -= charge[level + n]
        n += 1
    return n


@njit(cache=True, nogil=True)
def _enter(cells: MergedRows, search: TreeBound, level: int, n: int, ceiling: int) -> None:
    """Solve the first n cells of a level and write the value if this is simple; otherwise open the node."""
    price, ids, control = cells.price, search.ids[level], search.control
    totals, gaps, charge = search.totals, search.gaps, search.charge
    totals[:] = 0
    gaps[:] = 0
    line = ids[0]
    for j in range(n):
        i = line[j]
        for k in range(len(totals)):
            totals[k] += price[i, k]
        gaps[search.cheapest[i]] += search.regret[i]
    control[WORK] += n
    leaf, layers = totals.min(), len(charge) - 1 - level
    best = min(leaf, ceiling)
    last = charge[len(charge) - 2] if layers > 1 else FAR
    # lower bound if any split is used; the splits of a path must also cost less than the best tree
    least = class_bound(gaps, charge[level], last) if layers else leaf
    layers = min(layers, _affordable(charge, level, best))
    if least >= best or layers == 0:
        control[VALUE] = leaf if leaf <= ceiling else max(ceiling, min(leaf, least))
        return
    if layers == 1:
        control[WORK] += n * len(ids)
        control[VALUE] = min(best, charge[level] + stump(cells, search, level, n, leaf))
        return
    slot = int64(-1)
    _key(line, n, level, search.key)
    slot = _find(search.words, search.held, search.key, len(search.held) - 1)
    if slot >= 0:
        if search.held[slot, 0] < 0:
            search.words[slot, :] = search.key
            search.held[slot, 0], search.held[slot, 1] = least, 0
            control[ENTRIES] += 1
        # an exact cost, or a lower bound that reaches the best cost, settles the subset
        elif search.held[slot, 1] or search.held[slot, 0] >= best:
            control[VALUE] = search.held[slot, 0] if search.held[slot, 1] else min(leaf, search.held[slot, 0])
            return
    if layers == 2:
        value = depth_two(cells, search, level, n, best)
        if not control[STOP]:
            _remember(search, slot, value, ceiling)
        control[VALUE] = value
        return
    control[LEVEL] = level
    frame = search.frames[level]
    frame[N], frame[CEILING], frame[BEST], frame[SLOT] = n, ceiling, best, slot
    frame[ORDER], frame[TOP], frame[PHASE] = -1, 0, NEXT


@njit(cache=True, nogil=True)
def _remember(search: TreeBound, slot: int, value: int, ceiling: int) -> None:
    """Store what was proved for a subset: its cost `value`, or that it is at least the ceiling."""
    if slot >= 0:
        if value < ceiling:
            search.held[slot, 0], search.held[slot, 1] = value, 1
        else:
            search.held[slot, 0] = max(search.held[slot, 0], value)


@njit(cache=True, nogil=True)
def _side(cells: MergedRows, search: TreeBound, level: int, take_low: bool) -> int:
    """Copy the cells of one side (low if `take_low`) to the next level in every order; return their number."""
    frame = search.frames[level]
    n, line = frame[N], search.ids[level, frame[ORDER]]
    for j in range(n):
        search.low[line[j]] = (j < frame[CUT]) == take_low
    size = 0
    for f in range(search.ids.shape[1]):
        source, target = search.ids[level, f], search.ids[level + 1, f]
        size = 0
        for j in range(n):
            i = source[j]
            # write always and advance only for cells of this side: no branch to predict
            target[size] = i
            size += search.low[i]
    search.control[WORK] += n * search.ids.shape[1]
    return size


@njit(cache=True, nogil=True)
def _advance(cells: MergedRows, search: TreeBound, level: int) -> None:
    """Take one step at an open node."""
    frame, intervals, control = search.frames[level], search.intervals[level], search.control
    first, n = search.charge[level], frame[N]
    if frame[PHASE] == NEXT:
        if frame[TOP] == 0:
            frame[ORDER] += 1
            if frame[ORDER] == search.ids.shape[1]:
                _remember(search, frame[SLOT], frame[BEST], frame[CEILING])
                control[VALUE], control[LEVEL] = frame[BEST], level - 1
                return
            intervals[0, 0], intervals[0, 1] = 0, n
            intervals[0, 2:] = 0
            frame[TOP] = 1
        top = frame[TOP] - 1
        part, room = intervals[top], frame[BEST] - first
        line, rank = search.ids[level, frame[ORDER]], cells.rank[frame[ORDER]]
        cut = next_cut(rank, line, n, part, search.most, room)
        if cut < 0:
            frame[TOP] = top
            return
        frame[CUT], frame[PHASE] = cut, LEFT_DONE
        # L at or above this ceiling also rules out (cut, b): the high side there costs at least R(b)
        _enter(cells, search, level + 1, _side(cells, search, level, True), room - part[5])
        return
    part, room = intervals[frame[TOP] - 1], frame[BEST] - first
    if frame[PHASE] == LEFT_DONE:
        frame[LEFT], frame[PHASE] = max(part[2], control[VALUE]), RIGHT_DONE
        # R at or above this ceiling also rules out (a, cut): the low side there costs at least L(a)
        _enter(cells, search, level + 1, _side(cells, search, level, False), room - part[2])
        return
    left, right = frame[LEFT], max(part[5], control[VALUE])
    # only values below their ceilings are costs; the others are lower bounds
    if left < room - part[5] and right < room - part[2]:
        frame[BEST] = min(frame[BEST], first + left + right)
    frame[PHASE] = NEXT
    frame[TOP] = divide(intervals, frame[TOP] - 1, frame[CUT], left, right, frame[BEST] - first)


@njit(cache=True, nogil=True)
def resume(cells: MergedRows, search: TreeBound, budget: int) -> int:
    """Continue for about `budget` scanned elements; return DONE, RUNNING or STOPPED.

    When done, `control[VALUE]` is the least cost of a tree if it is below the ceiling, otherwise a lower bound.
    """
    control = search.control
    end = control[WORK] + budget
    while control[LEVEL] >= 0:
        if control[STOP]:
            return STOPPED
        if control[WORK] >= end:
            return RUNNING
        control[WORK] += 1
        _advance(cells, search, control[LEVEL])
    return STOPPED if control[STOP] else DONE
