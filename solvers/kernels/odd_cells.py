"""Decision diagrams in arrays: rows merged into cells, nodes in layers, and the paths of rows.

A diagram is int64 (V, 4), one line per node: order and last low rank of its split, then the targets of low and high
ranks. Nodes are numbered by layers as in `SkeletonArrays`. An arc is a slot of the next layer, or ~k for the terminal
of class k. An order of -1 marks a slot without a split. Orders from F on are *passing* splits, which send all rows to
the target of low ranks.

nodes : int64 (V, 4), a diagram; v : a node, 0 to V - 1; layer : 0 to D - 1; side : 0 for low ranks, 1 for high ranks.
i : a cell, 0 to m - 1.
"""

from typing import NamedTuple

import numpy as np

from .arrays import Int32Matrix, Int64Matrix, Int64Vector, UInt64Vector, int64
from .compiled import allocating_njit as njit
from .workspace import FAR

ORDER, LAST, LOW, HIGH = 0, 1, 2, 3
NONE = -1
COST, VIOLATION = 4, 5
"""Fields of a choice in addition to those of a node."""

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


class CostTables(NamedTuple):
    """The costs of sets of columns (bits), by table.

    Attributes
    ----------
    own : int64 (P, B), the cost of each column; members, shared : int64 (P, G), columns (bits) with a shared cost, and
        this cost.
    """

    own: np.ndarray
    members: np.ndarray
    shared: np.ndarray


class ConstraintArrays(NamedTuple):
    """The constraints; there are F orders and P passing splits, which send all rows to one side.

    Attributes
    ----------
    any : whether there are any constraints.
    node_rows : the minimum rows of a node; leaf_rows, leaf_weight : of a terminal in use.
    leaves : the maximum number of terminals in use.
    bit : int64 (F + P,), the column of each order, as a bit number.
    barred, needed : int64 (F + P,), the columns (bits) that must not, or must, be used above a node of the order on
        every path.
    paths : the costs of the columns of a path, one table for each entry of limit; limit : int64, upper limits.
    few : int64 (N, 2), a set of columns (bits), and how many of them may be used.
    must : columns (bits) that must be used above different predictions.
    chain : whether one side of every split must be a terminal.
    fixed : int64 (K, 3), required splits: the required split above (-1: this is the root), the side that leads to it,
        and the order.
    pairs : int64 (Q, 3), height : int64 (R, C), see `pairs.broken_pairs`.
    per_leaf : int64 (S,), what each terminal in use adds to a sum.
    tests : the costs of the columns of a path, one table for each entry of tested; tested : int64 (T,), the sums that
        they are added to; paying : int64 (T, m), how often each cell adds them.
    """

    any: bool
    node_rows: int
    leaf_rows: int
    leaf_weight: int
    leaves: int
    bit: np.ndarray
    barred: np.ndarray
    needed: np.ndarray
    paths: CostTables
    limit: np.ndarray
    few: np.ndarray
    must: int
    chain: bool
    fixed: np.ndarray
    pairs: np.ndarray
    height: np.ndarray
    per_leaf: np.ndarray
    tests: CostTables
    tested: np.ndarray
    paying: np.ndarray


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


class Climb(NamedTuple):
    """A local search: the problem and the memory.

    Attributes
    ----------
    cells, frame, demands, to : the rows, the skeleton, the constraints, and space for the targets of a node.
    control : int64 (WORDS,), see `odd_climb`; random : uint64 (1,), the state of the generator.
    nodes, kept, best : int64 (V, 4), the current diagram, the one that perturbations start from, and the best.
    moves : int64 (3 V,), the order of the moves: v re-optimises node v, V + 2 v + k inserts into arc k of node v.
    val : int64 (V, m), total : int64 (S, V, m), see `fill_values`.
    closure : int64 (V,), the nodes reached from each node, itself included, as bits; here : bool (m,), marked cells.
    space : int64 (2 + 2 S, T), scratch; choice : int64 (6,), the best so far, see `COST`; tried : int64 (V, 4).
    """

    cells: MergedRows
    frame: SkeletonArrays
    demands: ConstraintArrays
    to: Targets
    control: np.ndarray
    random: np.ndarray
    nodes: np.ndarray
    kept: np.ndarray
    best: np.ndarray
    moves: np.ndarray
    val: np.ndarray
    total: np.ndarray
    closure: np.ndarray
    here: np.ndarray
    space: np.ndarray
    choice: np.ndarray
    tried: np.ndarray


@njit(cache=True, nogil=True)
def questions_cost(frame: SkeletonArrays, n: int) -> int:
    """The cost of `n` splits, or FAR if there are more than permitted."""
    if n > frame.most:
        return FAR
    return frame.split * max(int64(0), n - frame.free)


@njit(cache=True, nogil=True)
def fill_values(climb: Climb, layer: int) -> None:
    """Write what each cell costs, and adds to the sums, from each node of a layer and of all layers above."""
    # reading attributes once and calling nothing in the loops is 20 times faster at this optimisation level
    cells, layers, first = climb.cells, climb.frame.layer, climb.frame.first
    rank, price, sums, nodes, val, total = cells.rank, cells.price, cells.sums, climb.nodes, climb.val, climb.total
    n_orders, m, n_sums = rank.shape[0], price.shape[0], len(cells.limits)
    for v in range(first[layer + 1] - 1, -1, -1):
        order, last = nodes[v, ORDER], nodes[v, LAST]
        if order == NONE:
            continue
        below = first[layers[v] + 1]
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
def members(climb: Climb, v: int, side: int) -> int:
    """Mark the cells that reach a node (side -1) or take its low (0) or high (1) arc; return their number."""
    rank, first, nodes, here = climb.cells.rank, climb.frame.first, climb.nodes, climb.here
    n_orders, n, layer = rank.shape[0], 0, climb.frame.layer[v]
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
def fill_closures(climb: Climb) -> None:
    """Write the set of nodes reached from each node, including itself, as bits."""
    frame, nodes, closure = climb.frame, climb.nodes, climb.closure
    for v in range(len(nodes) - 1, -1, -1):
        closure[v] = int64(1) << v
        if nodes[v, ORDER] != NONE:
            below = frame.first[frame.layer[v] + 1]
            for k in range(2):
                if nodes[v, LOW + k] >= 0:
                    closure[v] |= closure[below + nodes[v, LOW + k]]


@njit(cache=True, nogil=True)
def draw(random: UInt64Vector) -> int:
    """A pseudo-random number of 31 bits (Marsaglia 2003, 'Xorshift RNGs')."""
    x = random[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    random[0] = x
    return int64(x >> np.uint64(33))
