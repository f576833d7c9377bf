"""The arrays of the exact search: allocated here, passed to every kernel, and resized by none.

F orders, n rows, C classes, K predictions, V levels (the nodes open at once between the root and a depth-two subtree).
A node at a level owns the stretch [offset, offset + m) of the arrays of that level; a split writes its two sides next
to each other into the level below.

Names in the kernels of the search
----------------------------------
control : int64 (CONTROL_FIELDS,), see the module `control`.
level : the level of the node, 0 to V - 1; offset, m : the start of its stretch, and its number of rows.
f : an order, 0 to F - 1; g : the order of a second split below one on f.
ahead : int64 (n + 1,), the reach of the rows before each position of order f at the level, see `RankedRows`.
frame : int64 (FRAME_FIELDS,), the scalars of an open node, see `stack`.
used : the features on the path to the node, as a mask of the bits in `PathRuleArrays.number`.
hard : whether leaves must have the minimum size, and splits the features that they need above them.
depth, leaves : the maximum depth and number of leaves of the node's tree.
ceiling : only cheaper trees of the node matter; known : a lower bound on their cost; both in scaled units.
best : the cost that both sides of a split must together stay below, without the split itself; in scaled units.
bounds : int64 (F,), lower bounds on the cost of the node, by the order at its root.
closed : int64 (F,), the minimum cost that was ruled out, by the order at the root; FAR for none.
ask : int64 (F,), the cost of a split on each order at the node; FAR if it is impossible or not allowed.
tree : int32 (S, 2), the best tree, see `SearchState`.
upper : the upper one of two classes; -1 with more classes, or with class costs.
n_cuts : the number of boundaries of the first order; width : the number of lanes of a pass.
"""

from typing import NamedTuple

import numpy as np

from .lanes import lanes_for_two
from .links import N_LINKS
from .references import by_reference
from .scalar import MANY_LANES, SLOTS

FAR = 1 << 60
"""A cost that no tree reaches, see `magnitude.LARGEST_SUM`: 'none' or 'unknown', only inside the kernels."""

MAX_CLASSES = 64
"""The maximum number of classes: a class is packed into six bits."""

SORTED_CELLS = 2_000_000
"""The number of cells of the orders that are sorted at once."""

JOINT_CUT, JOINT_COST, JOINT_ORDER = 0, 1, 3
"""Lines of `Scan.joint`; those of the second side follow the lines of the first."""
SPAN_FIELDS = 6
FRAME_FIELDS = 41
HEAP_FIELDS = 8
CONTROL_FIELDS = 22


class RankedRows(NamedTuple):
    """The rows, sorted in every order, level by level.

    Attributes
    ----------
    weight : int64 (n,); reach : int64 (n,), the maximum cost of a row: its weight, unless there are class costs or test
        costs.
    tested : int64 (n,), the factor of the test costs for each row.
    words : uint32 (V, F, n), the node's rows in each order as `row << 8 | class << 1`; ranks : int32 (V, F, n), their
        ranks.
    ahead : int64 (V, F, n + 1), the reach of the rows before each position; (1, 1, n + 1) if all weights and reaches
        are 1.
    stride : int64 (), 1 if `ahead` has a line for each level and order, else 0.
    twin, missing : int32 (F,), see `Orders`.
    side : uint8 (n,), scratch: 1 for rows on the second side of a split.
    """

    weight: np.ndarray
    reach: np.ndarray
    tested: np.ndarray
    words: np.ndarray
    ranks: np.ndarray
    ahead: np.ndarray
    stride: np.ndarray
    twin: np.ndarray
    missing: np.ndarray
    side: np.ndarray


class Scan(NamedTuple):
    """Scratch of the depth-two solver, valid during one call; L is the number of lanes for two classes.

    Attributes
    ----------
    total : int64 (C,), the weight of each class at the node; tally : int64 (2, C), scratch of the scalar passes.
    costs : int64 (C, K), the cost per unit of weight by class and prediction; (0, 0) if every error costs 1.
    packed : uint32 (F, n + 1), the orders as the scans read them (see `lanes`).
    live : int32 (F,), the orders that can split the node; stump : int64 (F,), the cost of their best threshold,
        unscaled; hard_stump : int64 (F,), the cost of the best threshold that satisfies the minimum leaf size, in
        scaled units; FAR for none.
    ask : int64 (F,), the cost of a split on each order at the node; FAR if it is impossible or not allowed.
    fee : int64 (F,), the test cost of a second split per unit of `RankedRows.tested`; FAR if it is not allowed; 0
        without rules.
    n_blocks : int64 (F,), the number of blocks of each order (see `prepare`); behind : int64 (n,), scratch, or of
        length 0 with two classes.
    joint : int64 (5, L), the cut number, the costs of both sides, and their orders, by lane of a joint pass; slots :
        int64 (SLOTS,), its first orders; slot : int64 (F,), the slots of those that it left open, -1 for all others.
    cuts : int32 (n + 2,), the boundary positions of the first order; upper, worth : int64 (n + 2,), the weight of the
        upper class and the `RankedRows.tested` before each.
    least_left, least_right : int64 (n + 2,), lower bounds on the sides of each cut, see `savings.cost_of_sides`.
    spans : int64 (2, n + 2, SPAN_FIELDS), the open intervals of a sweep: of this round and of the next.
    chosen : int64 (L,), the cut number of each lane; load : int64 (2 * L,), the `RankedRows.tested` on its two sides.
    final : int64 (L,), the last cut number of a lane that represents an interval of cuts; `chosen` is the first.
    leaves : int64 (2 * L,), the costs of both sides of a lane as leaves; value, hard : int64 (2 * L,), their costs in
        scaled units, without and with the minimum leaf size; second : int64 (2 * L,), the orders of their splits, -1
        for none.
    links : int64 (N_LINKS,), the addresses in this process of the kernels that the problem needs, see `links`.
    """

    total: np.ndarray
    tally: np.ndarray
    costs: np.ndarray
    packed: np.ndarray
    live: np.ndarray
    stump: np.ndarray
    hard_stump: np.ndarray
    ask: np.ndarray
    fee: np.ndarray
    n_blocks: np.ndarray
    behind: np.ndarray
    joint: np.ndarray
    slots: np.ndarray
    slot: np.ndarray
    cuts: np.ndarray
    upper: np.ndarray
    worth: np.ndarray
    least_left: np.ndarray
    least_right: np.ndarray
    spans: np.ndarray
    chosen: np.ndarray
    load: np.ndarray
    final: np.ndarray
    leaves: np.ndarray
    value: np.ndarray
    second: np.ndarray
    hard: np.ndarray
    links: np.ndarray


class Lanes(NamedTuple):
    """Arrays of the lane scans, valid during one call of the depth-two solver.

    'lane' is an integer type of 16, 32 or 64 bits, L the number of lanes for two classes, and M is `MANY_LANES`. Arrays
    for more than two classes have length 0 with two classes.

    Attributes
    ----------
    left_prices, right_prices : lane (K, M), scratch.
    amount : lane (F, n), the weights of the orders as the scans read them (see `lanes`).
    info, size : lane (F, n), the orders as blocks (see `prepare`).
    place : lane (n,), the position of each row in the first order; places : lane (n * SLOTS,), in each first order of
        a joint pass.
    ends, whole : lane (2 * L,), see `lanes.scan_two_sized`.
    cut : lane (L,), sides, best : lane (4 * L,), before : lane ((n + 1) * L,), left_counts : lane (2 * C * M,),
        counts : lane (2 * C,), suffix : lane (2 * n * M,): see `lanes`.
    """

    left_prices: np.ndarray
    right_prices: np.ndarray
    amount: np.ndarray
    info: np.ndarray
    size: np.ndarray
    place: np.ndarray
    places: np.ndarray
    ends: np.ndarray
    whole: np.ndarray
    cut: np.ndarray
    sides: np.ndarray
    best: np.ndarray
    before: np.ndarray
    left_counts: np.ndarray
    counts: np.ndarray
    suffix: np.ndarray


class SearchState(NamedTuple):
    """The open nodes of the search, from which it can be resumed.

    Attributes
    ----------
    inherited : int64 (V + 1, F), lower bounds on a node by the order at its root, as input and output.
    closed : int64 (V + 1, F), the minimum cost that was ruled out, by root order; FAR for none.
    ask : int64 (V, F), the cost of a split on each order at each open node; FAR if it is impossible or not allowed.
    frames : int64 (V, FRAME_FIELDS), the scalars of each open node.
    heap : int64 (V, H, HEAP_FIELDS), the open intervals of each open node, a binary heap by key.
    record : int64 (V, R, 2), lower bounds on both sides of the evaluated positions.
    record_by_order : int64 (V, R, 4, F), the same by the order at the root of each side, without and with the minimum
        leaf size; (V, R, 2, F) if no node is hard.
    tree, kept : int32 (V + 1, S, 2), trees in preorder: (order, last rank of the first side), (-1, -1) for a leaf.
    size, kept_size : int64 (V + 1,), the number of their nodes.
    purest : int64 (V, 2, F), the position of the purest split of each order at a node, and its purity from 0 to the
        number of rows; 0 if they are not wanted.
    control : int64 (CONTROL_FIELDS,), shared with the driver (see `search`).
    """

    inherited: np.ndarray
    closed: np.ndarray
    ask: np.ndarray
    frames: np.ndarray
    heap: np.ndarray
    record: np.ndarray
    record_by_order: np.ndarray
    tree: np.ndarray
    kept: np.ndarray
    size: np.ndarray
    kept_size: np.ndarray
    purest: np.ndarray
    control: np.ndarray


for _kind in (RankedRows, Scan, SearchState):
    by_reference(_kind)
by_reference(Lanes, sealed=True)


def sorted_rows(
    rank: np.ndarray,
    label: np.ndarray,
    weight: np.ndarray,
    twin: np.ndarray,
    missing: np.ndarray,
    levels: int,
    reach: np.ndarray | None = None,
    tested: np.ndarray | None = None,
) -> RankedRows:
    """The rows of the root in level 0, and empty arrays for the levels below.

    Parameters
    ----------
    rank : int32 (F, n); label : int (n,); weight : int (n,); twin, missing : int32 (F,); levels : V; reach : int (n,),
        the weights by default; tested : int (n,), 0 by default.

    Notes
    -----
    All arrays are copied: for numba, a read-only array has another type, so all kernels would be compiled again.
    """
    n_orders, n = rank.shape
    words = np.empty((levels, n_orders, n), np.uint32)
    ranks = np.empty((levels, n_orders, n), np.int32)
    # rows of equal rank are sorted by class, and stay so in every subset: the multi-class scan needs this order
    by_class = np.argsort(label, kind="stable")
    # numpy uses a radix sort for 16-bit integers, five times as fast
    kind = np.uint16 if rank.max(initial=0) < 1 << 16 else np.int32
    reach = weight if reach is None else reach
    weighted = bool((weight != 1).any() or (reach != 1).any())
    if weighted:
        ahead = np.zeros((levels, n_orders, n + 1), np.int64)
    else:
        ahead = np.arange(n + 1, dtype=np.int64).reshape(1, 1, n + 1)
    # a few orders at a time to save memory: positions have 64 bits
    size = max(1, SORTED_CELLS // n)
    for part in (slice(f, f + size) for f in range(0, n_orders, size)):
        sorted_ids = by_class[np.argsort(rank[part, by_class].astype(kind), axis=1, kind="stable")]
        words[0, part] = sorted_ids << 8 | np.asarray(label)[sorted_ids] << 1
        ranks[0, part] = np.take_along_axis(rank[part], sorted_ids, axis=1)
        if weighted:
            np.cumsum(reach[sorted_ids], axis=1, out=ahead[0, part, 1:])
    return RankedRows(
        np.array(weight, np.int64),
        np.array(reach, np.int64),
        np.zeros(n, np.int64) if tested is None else np.array(tested, np.int64),
        words,
        ranks,
        ahead,
        np.array(int(weighted), np.int64),
        np.array(twin, np.int32),
        np.array(missing, np.int32),
        np.zeros(n, np.uint8),
    )


def scan_space(
    n_orders: int, n: int, n_classes: int, lane: np.dtype, costs: np.ndarray | None = None
) -> tuple[Scan, Lanes]:
    """Scratch for the depth-two solver; `lane` is an integer type that can hold the total cost of all rows."""
    costs = np.zeros((0, 0), np.int64) if costs is None else np.array(costs, np.int64)
    width = lanes_for_two(lane)
    wide = n if n_classes > 2 or len(costs) else 0
    scan = Scan(
        total=np.zeros(n_classes, np.int64),
        tally=np.zeros((2, n_classes), np.int64),
        costs=costs,
        packed=np.zeros((n_orders, n + 1), np.uint32),
        live=np.zeros(n_orders, np.int32),
        stump=np.zeros(n_orders, np.int64),
        hard_stump=np.zeros(n_orders, np.int64),
        ask=np.zeros(n_orders, np.int64),
        fee=np.zeros(n_orders, np.int64),
        n_blocks=np.zeros(n_orders, np.int64),
        behind=np.empty(wide, np.int64),
        joint=np.zeros((5, width), np.int64),
        slots=np.zeros(SLOTS, np.int64),
        slot=np.full(n_orders, -1, np.int64),
        cuts=np.empty(n + 2, np.int32),
        upper=np.empty(n + 2, np.int64),
        worth=np.zeros(n + 2, np.int64),
        least_left=np.zeros(n + 2, np.int64),
        least_right=np.zeros(n + 2, np.int64),
        spans=np.empty((2, n + 2, SPAN_FIELDS), np.int64),
        chosen=np.zeros(width, np.int64),
        load=np.zeros(2 * width, np.int64),
        final=np.zeros(width, np.int64),
        leaves=np.zeros(2 * width, np.int64),
        value=np.zeros(2 * width, np.int64),
        second=np.zeros(2 * width, np.int64),
        hard=np.zeros(2 * width, np.int64),
        links=np.zeros(N_LINKS, np.int64),
    )
    return scan, Lanes(
        left_prices=np.zeros((costs.shape[1], MANY_LANES), lane),
        right_prices=np.zeros((costs.shape[1], MANY_LANES), lane),
        amount=np.empty((n_orders, n), lane),
        info=np.empty((n_orders, wide), lane),
        size=np.empty((n_orders, n), lane),
        place=np.empty(n, lane),
        places=np.empty(n * SLOTS, lane),
        ends=np.zeros(2 * width, lane),
        whole=np.zeros(2 * width, lane),
        cut=np.zeros(width, lane),
        sides=np.zeros(4 * width, lane),
        best=np.zeros(4 * width, lane),
        before=np.zeros((n + 1) * width, lane),
        left_counts=np.zeros(2 * n_classes * MANY_LANES, lane),
        counts=np.zeros(2 * n_classes, lane),
        suffix=np.zeros(2 * wide * MANY_LANES, lane),
    )


def search_state(
    n_orders: int, n: int, depth: int, levels: int, shares: int = 1, room: int = 256, hard: bool = False
) -> SearchState:
    """Allocate arrays for the open nodes; `grown` enlarges them if the search returns FULL.

    `shares` is the maximum number of distributions of a node's leaves to its two sides; `room` the initial capacity for
    intervals per node, in addition to those at its start; `hard` whether nodes can be hard.
    """
    room += n_orders * shares + 3
    nodes = min(2 ** (depth + 1), 2 * n + 1)
    return SearchState(
        inherited=np.zeros((levels + 1, n_orders), np.int64),
        closed=np.zeros((levels + 1, n_orders), np.int64),
        ask=np.zeros((levels, n_orders), np.int64),
        frames=np.zeros((levels, FRAME_FIELDS), np.int64),
        heap=np.zeros((levels, room, HEAP_FIELDS), np.int64),
        record=np.zeros((levels, room, 2), np.int64),
        record_by_order=np.zeros((levels, room, 4 if hard else 2, n_orders), np.int64),
        tree=np.full((levels + 1, nodes, 2), -1, np.int32),
        kept=np.full((levels + 1, nodes, 2), -1, np.int32),
        size=np.ones(levels + 1, np.int64),
        kept_size=np.ones(levels + 1, np.int64),
        purest=np.zeros((levels, 2, n_orders), np.int64),
        control=np.zeros(CONTROL_FIELDS, np.int64),
    )


def grown(state: SearchState) -> SearchState:
    """The same state with twice the capacity for intervals and records."""

    def twice(array: np.ndarray) -> np.ndarray:
        return np.concatenate((array, np.zeros_like(array)), axis=1)

    return state._replace(
        heap=twice(state.heap), record=twice(state.record), record_by_order=twice(state.record_by_order)
    )
