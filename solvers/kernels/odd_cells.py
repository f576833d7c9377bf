"""Decision diagrams in arrays: rows merged into cells, nodes in layers, and the paths of rows.

A diagram is int64 (V, 4), one line per node: order and last low rank of its split, then the targets of low and high
ranks. Nodes are numbered by layers as in `SkeletonArrays`. An arc is a slot of the next layer, or ~k for the terminal
of class k. An order of -1 marks a slot without a split. Orders from F on are *passing* splits, which send all rows to
the target of low ranks.

nodes : int64 (V, 4), a diagram; v : a node, 0 to V - 1; layer : 0 to D - 1; side : 0 for low ranks, 1 for high ranks.
here : bool (m,), the marked cells; i : a cell, 0 to m - 1.
val : int64 (V, m), total : int64 (S, V, m), see `fill_values`; closure : int64 (V,), see `fill_closures`.
"""

from typing import NamedTuple

import numpy as np

from .arrays import BoolVector, Int32Matrix, Int64Cube, Int64Matrix, Int64Vector, int64
from .compiled import allocating_njit as njit

ORDER, LAST, LOW, HIGH = 0, 1, 2, 3
NONE = -1
FAR = int64(2**60)
"""More than any cost."""

MOST_NODES = 62
"""The most slots of a frame: sets of nodes are the bits of one word."""


class MergedRows(NamedTuple):
    """Rows, merged into one cell if every split sends them to the same side.

    Attributes
    ----------
    rank : int32 (F, m), equal for equal values, from 0 without gaps; ids : int32 (F, m), the cells sorted by rank.
    price : int64 (m, C), the cost of a cell at the terminal of each class, at least 0.
    rows, weight : int64 (m,), the number and the weight of the rows of each cell.
    sums : int64 (S, m, C), what a cell adds to each limited sum at the terminal of each class.
    limits : int64 (S,), upper limits of the sums.
    """

    rank: np.ndarray
    ids: np.ndarray
    price: np.ndarray
    rows: np.ndarray
    weight: np.ndarray
    sums: np.ndarray
    limits: np.ndarray


class SkeletonArrays(NamedTuple):
    """A skeleton and the costs of splits.

    Attributes
    ----------
    first : int64 (D + 1,), the first node of each layer, then the number of nodes.
    layer : int64 (V,), the layer of each node.
    split : the split penalty; free : 1 if the first split costs nothing, else 0.
    most : the maximum number of splits.
    passing : the number P of passing splits.
    at_root : bool (F + P,), the orders that the root may use.
    """

    first: np.ndarray
    layer: np.ndarray
    split: int
    free: int
    most: int
    passing: int
    at_root: np.ndarray


@njit(cache=True, nogil=True)
def count(mask: int) -> int:
    """The number of nodes in a set, given as the bits of `mask`."""
    n = int64(0)
    while mask:
        mask &= mask - 1
        n += 1
    return n


@njit(cache=True, nogil=True)
def questions_cost(frame: SkeletonArrays, n: int) -> int:
    """The cost of `n` splits, or FAR if there are more than permitted."""
    if n > frame.most:
        return FAR
    return frame.split * max(int64(0), n - frame.free)


@njit(cache=True, nogil=True)
def fill_values(
    cells: MergedRows, frame: SkeletonArrays, nodes: Int64Matrix, layer: int, val: Int64Matrix, total: Int64Cube
) -> None:
    """Write what each cell costs, and adds to the sums, from each node of a layer and of all layers above."""
    # reading attributes once and calling nothing in the loops is 20 times faster at this optimisation level
    rank, price, sums, first = cells.rank, cells.price, cells.sums, frame.first
    n_orders, m, n_sums = rank.shape[0], price.shape[0], len(cells.limits)
    for v in range(first[layer + 1] - 1, -1, -1):
        order, last = nodes[v, ORDER], nodes[v, LAST]
        if order == NONE:
            continue
        below = first[frame.layer[v] + 1]
        passes = order >= n_orders
        for side in range(2):
            arc = nodes[v, LOW + side]
            for i in range(m):
                if (passes or rank[order, i] <= last) == (side == 0):
                    val[v, i] = price[i, ~arc] if arc < 0 else val[below + arc, i]
            for s in range(n_sums):
                for i in range(m):
                    if (passes or rank[order, i] <= last) == (side == 0):
                        total[s, v, i] = sums[s, i, ~arc] if arc < 0 else total[s, below + arc, i]


@njit(inline="always")
def step(rank: Int32Matrix, first: Int64Vector, nodes: Int64Matrix, v: int, layer: int, i: int) -> int:
    """The target of cell i at node v of a layer: a node of the next layer, or ~k for the terminal of class k.

    rank : int32 (F, m), first : int64 (D + 1,), as in `MergedRows` and `SkeletonArrays`.
    """
    order = nodes[v, ORDER]
    low = order >= len(rank) or rank[order, i] <= nodes[v, LAST]
    arc = nodes[v, LOW] if low else nodes[v, HIGH]
    return first[layer + 1] + arc if arc >= 0 else arc


@njit(cache=True, nogil=True)
def members(cells: MergedRows, frame: SkeletonArrays, nodes: Int64Matrix, v: int, side: int, here: BoolVector) -> int:
    """Mark the cells that reach a node (side -1) or take its low (0) or high (1) arc; return their number."""
    rank, first, layers = cells.rank, frame.first, frame.layer
    n_orders, n, layer = rank.shape[0], 0, layers[v]
    for i in range(len(here)):
        at, above = int64(0), 0
        while at >= 0 and above < layer:
            at = step(rank, first, nodes, at, above, i)
            above += 1
        inside = at == v
        if inside and side >= 0:
            order = nodes[v, ORDER]
            inside = (order >= n_orders or rank[order, i] <= nodes[v, LAST]) == (side == 0)
        here[i] = inside
        n += inside
    return n


@njit(cache=True, nogil=True)
def active(frame: SkeletonArrays, nodes: Int64Matrix, v: int, side: int) -> int:
    """The nodes reached from the root, as bits.

    Ignores the arcs of node v (side -1), or its low (0) or high (1) arc; v = -1 ignores none.
    """
    mask = int64(1)
    for u in range(len(nodes)):
        if mask >> u & 1:
            below = frame.first[frame.layer[u] + 1]
            for k in range(2):
                arc = nodes[u, LOW + k]
                if arc >= 0 and not (u == v and (side < 0 or side == k)):
                    mask |= int64(1) << (below + arc)
    return mask


@njit(cache=True, nogil=True)
def fill_closures(frame: SkeletonArrays, nodes: Int64Matrix, closure: Int64Vector) -> None:
    """Write the set of nodes reached from each node, including itself, as bits."""
    for v in range(len(nodes) - 1, -1, -1):
        closure[v] = int64(1) << v
        if nodes[v, ORDER] != NONE:
            below = frame.first[frame.layer[v] + 1]
            for k in range(2):
                if nodes[v, LOW + k] >= 0:
                    closure[v] |= closure[below + nodes[v, LOW + k]]
