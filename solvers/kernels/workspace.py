"""The arrays in which the exact search works: allocated by `allocate`, handed to every kernel, resized by none.

F question orders, n rows, C classes, V levels (the nodes open at once between the root and a depth-two subtree). A
node at a level owns the stretch [offset, offset + m) of that level's arrays; a split writes its two sides next to each
other into the level below.

What kernels of the search mean by a name
-----------------------------------------
control : int64 (CONTROL_FIELDS,), see the module `control`.
level : that of the node, 0 to V - 1; offset, m : where its stretch begins, and its number of rows.
f : a question order, 0 to F - 1; g : the same, for a second question below one of order f.
ahead : int64 (n + 1,), the reach of the rows before each position of order f at the level, see `RankedRows`.
frame : int64 (FRAME_FIELDS,), the scalars of an open node, see `stack`.
used : the columns on the path to the node, as a mask of the bits in `PathRuleArrays.number`.
hard : whether leaves must have the minimum size, and questions what they need above them.
depth, leaves : the most questions on a path of the node's tree, and its most leaves.
ceiling : only trees of the node that cost less matter; known : a lower bound of what they cost; both in the unit.
best : what both sides of a split must cost less than together, without the split, to be of interest; in the unit.
bounds : int64 (F,), lower bounds of what the node costs, by the order at its root.
closed : int64 (F,), the least cost that was ruled out, by the order at the root; FAR for nothing.
ask : int64 (F,), what a question of each order costs at the node, FAR where it cannot or may not be asked.
tree : int32 (S, 2), the tree that is found, see `SearchState`.
upper : the class that counts as the upper one of two, -1 where there are more, or class costs.
n_cuts : the boundaries of the first order; width : the lanes of a pass.
"""

from typing import NamedTuple

import numpy as np

from .lanes import lanes_for_two
from .links import N_LINKS
from .references import by_reference
from .scalar import MANY_LANES, SLOTS

FAR = 1 << 60
"""A cost that no tree reaches, see `magnitude.LARGEST_SUM`: 'nothing known' inside the kernels, never outside them."""

MAX_CLASSES = 64
"""A class is packed into six bits."""

SORTED_CELLS = 2_000_000
"""How many cells of an order are sorted at once."""

SPAN_FIELDS = 6
FRAME_FIELDS = 41
HEAP_FIELDS = 8
CONTROL_FIELDS = 20


class RankedRows(NamedTuple):
    """The rows, sorted in every order, level by level.

    Attributes
    ----------
    weight : int64 (n,); reach : int64 (n,), what a row can cost at most: its weight, unless there are class costs or
        prices of questions.
    tested : int64 (n,), how much the price of a question counts for each row.
    words : uint32 (V, F, n), the node's rows in each order as `row << 8 | class << 1`; ranks : int32 (V, F, n), their
        ranks in it.
    ahead : int64 (V, F, n + 1), the reach of the rows before each position; (1, 1, n + 1) where all are 1.
    stride : int64 (), 1 where `ahead` has a row for each level and order, else 0.
    twin, missing : int32 (F,), see `Orders`.
    side : uint8 (n,), scratch: which rows go to the second side of a split.
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
    costs : int64 (C, K), the cost of a unit of weight by class and prediction; (0, 0) where every error costs 1.
    packed : uint32 (F, n + 1), the orders as the scans read them (see `lanes`).
    live : int32 (F,), the orders that can split the node; stump : int64 (F,), the errors of their best threshold;
        hard_stump : int64 (F,), what the best threshold that leaves the minimum leaf size costs, in the unit; FAR for
        none.
    ask : int64 (F,), what a question of each order costs at the node, FAR where it cannot or may not be asked.
    fee : int64 (F,), its price a unit of `RankedRows.tested` as the second question, FAR where it may not be asked; 0
        without rules.
    n_blocks : int64 (F,), the blocks of each order (see `prepare`); behind : int64 (n,), scratch, or of length 0 where
        there are two classes.
    joint : int64 (5, L), the cut number, the costs of both sides and their orders of each lane of a joint pass; slots :
        int64 (SLOTS,), its first orders; slot : int64 (F,), the slot of those that it left open, -1 for all others.
    cuts : int32 (n + 2,), the boundary positions of the first order; upper, worth : int64 (n + 2,), the weight of the
        upper class and the `RankedRows.tested` before each.
    least_left, least_right : int64 (n + 2,), what the sides of each cut cost at least, see `savings.cost_of_sides`.
    spans : int64 (2, n + 2, SPAN_FIELDS), the open intervals of a sweep: this round's and the next's.
    chosen : int64 (L,), the cut number of each lane; load : int64 (2 * L,), the `RankedRows.tested` on its two sides.
    final : int64 (L,), the last cut number of a lane that stands for an interval of them, `chosen` being the first.
    leaves : int64 (2 * L,), what both sides of a lane cost as leaves; value, hard : int64 (2 * L,), what they cost in
        the unit, and under the minimum leaf size; second : int64 (2 * L,), the orders of their questions, -1 for none.
    links : int64 (N_LINKS,), the addresses of the kernels in this process that the problem needs, see `links`.
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
    """What the lane scans read and write, valid during one call of the depth-two solver.

    'lane' stands for integers of 16, 32 or 64 bits, L for the number of lanes for two classes, M for `MANY_LANES`. What
    is only for more than two classes has length 0 where there are two.

    Attributes
    ----------
    left_prices, right_prices : lane (K, M), scratch.
    amount : lane (F, n), the weights of the orders as the scans read them (see `lanes`).
    info, size : lane (F, n), the orders as blocks (see `prepare`).
    place : lane (n,), the place of each row in the first order; places : lane (n * SLOTS,), in those of a joint pass.
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
    """The open nodes of the search; what makes it resumable.

    Attributes
    ----------
    inherited : int64 (V + 1, F), lower bounds of a node by the order at its root, going in and coming out.
    closed : int64 (V + 1, F), the least cost that was ruled out, by root order; FAR for nothing.
    ask : int64 (V, F), what a question of each order costs at each open node, FAR where it cannot or may not be asked.
    frames : int64 (V, FRAME_FIELDS), the scalars of each open node.
    heap : int64 (V, H, HEAP_FIELDS), the open intervals of each open node, a binary heap by key.
    record : int64 (V, R, 2), lower bounds left and right of the evaluated positions.
    record_by_order : int64 (V, R, 4, F), the same by the order at the root of each side, and the same under a minimum
        leaf size; (V, R, 2, F) where nothing makes a node hard.
    tree, kept : int32 (V + 1, S, 2), trees in preorder: (order, last rank of the first side), (-1, -1) for a leaf.
    size, kept_size : int64 (V + 1,), the number of their nodes.
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
    """The rows of the root in level 0, and room for the levels below.

    Parameters
    ----------
    rank : int32 (F, n); label : int (n,); weight : int (n,); twin, missing : int32 (F,); levels : V; reach : int (n,),
        the weights by default; tested : int (n,), 0 by default.

    Notes
    -----
    Everything is copied: a read-only array has another type for numba, which would compile all kernels once more.
    """
    n_orders, n = rank.shape
    words = np.empty((levels, n_orders, n), np.uint32)
    ranks = np.empty((levels, n_orders, n), np.int32)
    # equal ranks by class, and so they stay in every part of the rows: the multi-class scan needs it
    by_class = np.argsort(label, kind="stable")
    # numpy sorts short integers by their digits, five times as fast
    kind = np.uint16 if rank.max(initial=0) < 1 << 16 else np.int32
    reach = weight if reach is None else reach
    weighted = bool((weight != 1).any() or (reach != 1).any())
    if weighted:
        ahead = np.zeros((levels, n_orders, n + 1), np.int64)
    else:
        ahead = np.arange(n + 1, dtype=np.int64).reshape(1, 1, n + 1)
    # a few orders at a time, since positions have 64 bits
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
    """Scratch for the depth-two solver; `lane` are the integers in which the costs of all rows can be added up."""
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
    """Room for the open nodes; `grown` makes more when the search asks for it.

    `shares` is the largest number of ways in which a node can share out its leaves; `room` the number of intervals a
    node that are provided for at first, besides those that it starts with; `hard` says whether nodes are hard.
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
        control=np.zeros(CONTROL_FIELDS, np.int64),
    )


def grown(state: SearchState) -> SearchState:
    """The same state with twice the room for intervals and records."""

    def twice(array: np.ndarray) -> np.ndarray:
        return np.concatenate((array, np.zeros_like(array)), axis=1)

    return state._replace(
        heap=twice(state.heap), record=twice(state.record), record_by_order=twice(state.record_by_order)
    )
