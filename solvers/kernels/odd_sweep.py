"""The exact best split of one node while the rest of a diagram stays fixed.

The rows of the node are swept in each order. With the cost of a row at every target known, prefix sums give the cost of
sending the low ranks to target a and the high ranks to target b:

    P_a(threshold) + T_b - P_b(threshold) + the cost of the splits that are then in use

where P_a is the cost at a of the rows up to the threshold and T_b the cost of all rows at b. Targets are the terminals
of the classes and the nodes of the next layer.

random : uint64 (1,), the state of the generator; choice : int64 (6,), the best so far, see `COST`.
others : the cost of the cells that are not marked; order, last : a split.
"""

from typing import NamedTuple

import numpy as np

from .arrays import BoolVector, Int64Cube, Int64Matrix, Int64Vector, UInt64Vector, int32, int64
from .compiled import allocating_njit as njit
from .odd_cells import FAR, NONE, ORDER, MergedRows, SkeletonArrays, count, questions_cost

COST, VIOLATION = 0, 5
"""Fields of a choice: cost, order, last rank, low arc, high arc, violation."""


class Targets(NamedTuple):
    """The possible targets of a node's rows: nodes first, then classes.

    Attributes
    ----------
    arc : int64 (T,), the arcs.
    cost : int64 (m, T), the cost of each cell at each target.
    sums : int64 (S, m, T), what it adds to the sums there.
    inflow : int64 (T,), the rows that reach the target by other arcs; FAR for classes.
    price : int64 (T + 1, T + 1), the cost of splits for each pair of targets, with all classes as one entry after the
        nodes; FAR if the pair is not permitted.
    size : int64 (2,), the number of nodes among the targets, and of targets.
    """

    arc: np.ndarray
    cost: np.ndarray
    sums: np.ndarray
    inflow: np.ndarray
    price: np.ndarray
    size: np.ndarray


def target_space(m: int, n_classes: int, widest: int, n_sums: int) -> Targets:
    """Allocate space for the targets of any node."""
    n = n_classes + widest
    return Targets(
        np.zeros(n, np.int64),
        np.zeros((m, n), np.int64),
        np.zeros((n_sums, m, n), np.int64),
        np.zeros(n, np.int64),
        np.zeros((n, n), np.int64),
        np.zeros(2, np.int64),
    )


@njit(cache=True, nogil=True)
def fill_targets(
    cells: MergedRows,
    frame: SkeletonArrays,
    nodes: Int64Matrix,
    layer: int,
    base: int,
    closure: Int64Vector,
    here: BoolVector,
    val: Int64Matrix,
    total: Int64Cube,
    to: Targets,
) -> None:
    """Write the targets of a node of a layer; `base` : the nodes in use without its arcs, as bits."""
    m, n_classes = cells.price.shape
    last = layer + 2 == len(frame.first)
    begin = frame.first[layer + 1]
    n = 0
    if not last:
        for u in range(begin, frame.first[layer + 2]):
            if nodes[u, ORDER] != NONE:
                to.arc[n] = u - begin
                n += 1
    for k in range(n_classes):
        to.arc[n + k] = ~k
    to.size[0], to.size[1] = n, n + n_classes
    for a in range(n + 1):
        for b in range(n + 1):
            mask = base
            if a < n:
                mask |= closure[begin + to.arc[a]]
            if b < n:
                mask |= closure[begin + to.arc[b]]
            to.price[a, b] = FAR if a == b and a < n else questions_cost(frame, count(mask))
    n_sums = len(cells.limits)
    for i in range(m):
        if not here[i]:
            continue
        for t in range(n):
            to.cost[i, t] = val[begin + to.arc[t], i]
            for s in range(n_sums):
                to.sums[s, i, t] = total[s, begin + to.arc[t], i]
        for k in range(n_classes):
            to.cost[i, n + k] = cells.price[i, k]
            for s in range(n_sums):
                to.sums[s, i, n + k] = cells.sums[s, i, k]


@njit(cache=True, nogil=True)
def draw(random: UInt64Vector) -> int:
    """A pseudo-random number of 31 bits (Marsaglia 2003, 'Xorshift RNGs')."""
    x = random[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    random[0] = x
    return int64(x >> np.uint64(33))


@njit(cache=True, nogil=True)
def _pairs(
    to: Targets,
    pre: Int64Vector,
    whole: Int64Vector,
    order: int,
    last: int,
    ties: int,
    random: UInt64Vector,
    choice: Int64Vector,
) -> int:
    """Write the best pair of targets for a threshold to `choice` if it is better; ties are drawn at random.

    pre, whole : int64 (T,), the cost at each target of the cells up to the threshold, and of all cells; ties : the
        number of equally good choices so far, which is returned.
    """
    n, size = to.size[0], to.size[1]
    best_low, best_high = n, n
    for t in range(n + 1, size):
        if pre[t] < pre[best_low]:
            best_low = t
        if whole[t] - pre[t] < whole[best_high] - pre[best_high]:
            best_high = t
    least_low, least_high = pre[best_low], whole[best_high] - pre[best_high]
    for t in range(n):
        least_low = min(least_low, pre[t])
        least_high = min(least_high, whole[t] - pre[t])
    # lower bound of all pairs: the cheapest target of each side, and two classes need the fewest splits
    if least_low + least_high + to.price[n, n] > choice[COST]:
        return ties
    for a in range(n + 1):
        low = pre[a] if a < n else pre[best_low]
        # lower bound with target a: the cheapest high side, without further splits for it
        if low + least_high + to.price[a, n] > choice[COST]:
            continue
        for b in range(n + 1):
            cost = low + to.price[a, b] + (whole[b] - pre[b] if b < n else whole[best_high] - pre[best_high])
            if cost > choice[COST] or to.price[a, b] >= FAR:
                continue
            if cost == choice[COST]:
                ties += 1
                if draw(random) % ties:
                    continue
            else:
                ties = 1
            choice[0], choice[1], choice[2] = cost, order, last
            choice[3] = to.arc[a] if a < n else to.arc[best_low]
            choice[4] = to.arc[b] if b < n else to.arc[best_high]
    return ties


@njit(cache=True, nogil=True)
def sweep(
    cells: MergedRows,
    frame: SkeletonArrays,
    root: bool,
    here: BoolVector,
    to: Targets,
    others: int,
    skip: int,
    random: UInt64Vector,
    space: Int64Matrix,
    choice: Int64Vector,
) -> int:
    """Find the best split for the marked cells; `choice` holds the choice to beat, and receives a better one.

    Parameters
    ----------
    root : whether the node is the root.
    skip : the percentage of orders that are skipped at random.
    space : int64 (2, T), scratch.

    Returns
    -------
    The number of scanned elements.
    """
    n_orders, m = cells.rank.shape
    size = to.size[1]
    pre, whole = space[0], space[1]
    whole[:size] = 0
    n_here = 0
    for i in range(m):
        if here[i]:
            n_here += 1
            for t in range(size):
                whole[t] += to.cost[i, t]
    choice[COST] -= others
    ties, work = int64(0), int64(0)
    for f in range(n_orders):
        if (root and not frame.at_root[f]) or (skip and draw(random) % 100 < skip):
            continue
        pre[:size] = 0
        before = int32(-1)
        for j in range(m):
            i = cells.ids[f, j]
            if not here[i]:
                continue
            rank = cells.rank[f, i]
            if rank != before and before >= 0:
                ties = _pairs(to, pre, whole, f, before, ties, random, choice)
            before = rank
            for t in range(size):
                pre[t] += to.cost[i, t]
        work += m + n_here * (size + 2)
    for f in range(n_orders, n_orders + frame.passing):
        if not root or frame.at_root[f]:
            pre[:size] = whole[:size]
            # the high side has no rows, so any class will do
            ties = _pairs(to, pre, whole, f, int32(0), ties, random, choice)
    choice[COST] += others
    return work
