"""The optimal tree of depth two of a node, over all pairs of orders and thresholds; see `sweep` for the bounds.

leaf : the cost of the node as a leaf, in scaled units; worth : the sum of `RankedRows.tested` at the node.
sized : whether leaves must have a minimum size.
"""

from .arrays import Int32Matrix, Int64Vector, Stretch, bool_, int64
from .compiled import njit
from .control import LEAST_ROWS, LEAST_WEIGHT, PRICED, RULED, SPLIT, UNIT
from .joint_pass import call_joint_pass, can_join, due, fill_slots, most_promising
from .links import JOINT_PASS, PACK, SIZED_SWEEP, SWEEP, by_address
from .path_rules import PathRuleArrays, charge, joined
from .prepare import (
    ALL_ROWS,
    FIRST_SIDE,
    call_pack,
    class_bound,
    count_classes,
    count_tested,
    least_cost_of_one,
    mark_sides,
    most_splits,
    split_price,
)
from .sized import sweep_sized
from .sweep import ABORTED, sweep
from .workspace import FAR, Lanes, RankedRows, Scan, SearchState

_call_sweep = by_address(sweep, 4)
_call_sized_sweep = by_address(sweep_sized, 4)


@njit(cache=True, nogil=True)
def depth_two(
    rows: RankedRows,
    scan: Scan,
    lanes: Lanes,
    state: SearchState,
    ruling: PathRuleArrays,
    stretch: Stretch,
    used: int,
    ceiling: int,
    known: int,
    depth: int,
    leaves: int,
    hard: bool,
) -> tuple[int, int]:
    """The optimal tree of depth at most two (or one) of a node, if it costs less than `ceiling`.

    Parameters
    ----------
    state : at the node's level, `tree` receives the tree in preorder if one is found; `inherited` has lower bounds by
        root order, which are read and raised to what is proved; `closed` is scratch. `STOP`, `SPLIT` and `UNIT` of
        `control` are read, `WORK` is counted up.
    used : the features on the path to the node, as a mask.
    ceiling : only trees with a lower cost matter; known : a lower bound of the optimum; depth : 1 or 2.
    leaves : the maximum number of leaves; hard : whether leaves must have the minimum size, and `needed` is enforced.

    Returns
    -------
    A cost below `ceiling` is the optimum; any other value is a lower bound of at least `ceiling`; ABORTED after a stop.
    Then the number of nodes of the tree, 0 if none was written.
    """
    level, offset, m = stretch
    tree, bounds, closed, control = state.tree[level], state.inherited[level], state.closed[level], state.control
    unit, price = control[UNIT], split_price(control, level)
    leaf = count_classes(rows, scan, level, offset, m) * unit
    # class bound: all but the heaviest classes, one per leaf, are misclassified
    known = max(known, class_bound(scan, depth, leaves) * unit)
    # a leaf is optimal if it meets the lower bound, or if a split costs as much as it can save
    if leaf <= known or leaf <= price or leaves < 2:
        return _leaf(tree, bounds, leaf, ceiling)
    few, beyond = most_splits(control, level, ceiling), FAR
    # a tree below the ceiling has at most `few` splits; a larger one costs at least `beyond`
    if few < 2:
        leaves, beyond = few + 1, few * control[SPLIT] + price
    if few == 0:
        known = max(known, beyond)
    if known >= ceiling:
        for f in range(len(bounds)):
            bounds[f] = max(bounds[f], known)
        return known, 0
    sized = hard and (control[LEAST_ROWS] > 1 or control[LEAST_WEIGHT] > 1)
    upper = call_pack(scan.links[PACK], (rows, scan, lanes, stretch, sized))
    worth = count_tested(rows, level, offset, m) if control[PRICED] else int64(0)
    if not _ask(scan, ruling, control, used, level, hard, worth):
        return _leaf(tree, bounds, leaf, ceiling)
    _hard_stumps(rows, scan, control, m, sized)
    stump = _least(scan.hard_stump, scan.ask, leaf)
    best = min(ceiling, stump)
    none = int64(-1)
    root, at, left_order, right_order = none, none, none, none
    n_orders = len(bounds)
    deep = depth == 2 and leaves > 2
    for f in range(n_orders):
        closed[f] = FAR if deep else min(FAR - 1, scan.hard_stump[f] + scan.ask[f])
        scan.slot[f] = -1
    jointly = deep and leaves > 3 and not sized and can_join(scan, control)
    while deep:
        f = most_promising(bounds, closed, scan.ask)
        # bound by root order, lowest first: no order that is left can be better
        if f < 0 or max(bounds[f], known) >= best:
            break
        if jointly and scan.slot[f] < 0 and due(control) and fill_slots(scan, bounds, closed, best):
            if call_joint_pass(scan.links[JOINT_PASS], (rows, scan, lanes, state, stretch, upper, best - price)):
                return ABORTED, 0
            continue
        ask, shown = scan.ask[f], FAR
        _fees(scan, ruling, control, joined(ruling, used, f), hard)
        by_lanes = sized and upper >= 0 and (control[LEAST_ROWS] <= 1 or control[LEAST_WEIGHT] <= 1)
        for only in range(-1 if leaves > 3 else 0, 0 if leaves > 3 else 2):
            if by_lanes:
                found, cut, left, right = _call_sized_sweep(
                    scan.links[SIZED_SWEEP],
                    (rows, scan, lanes, state, f, stretch, upper, best - ask, known - ask, only),
                )
            else:
                found, cut, left, right = _call_sweep(
                    scan.links[SWEEP],
                    (rows, scan, lanes, state, f, stretch, upper, best - ask, known - ask, only, sized, scan.slot[f]),
                )
            if found == ABORTED:
                return ABORTED, 0
            if found + ask < best:
                best, root, at, left_order, right_order = found + ask, f, cut, left, right
            # below FAR, which means 'not swept yet'
            shown = min(shown, FAR - 1, closed[f] + ask)
        closed[f] = shown
    value = best if best < ceiling else min(beyond, _shown(bounds, closed, scan.ask, known, ceiling, stump))
    most = min(stump + control[SPLIT], beyond)
    for f in range(n_orders):
        if scan.ask[f] >= FAR:
            bounds[f] = value
        elif closed[f] < FAR:
            # with more rows a split may separate none of these; then the tree without it, a split cheaper, is as good
            bounds[f] = max(bounds[f], min(closed[f], most))
    if best >= ceiling:
        return value, 0
    size = int64(0)
    if root >= 0:
        mark_sides(rows, scan, root, m, at)
        tree[0, 0], tree[0, 1] = root, rows.ranks[level, root, offset + at - 1]
        size += 1
    for side in range(ALL_ROWS + 1):
        if (side == ALL_ROWS) == (root < 0):
            order = left_order if side == FIRST_SIDE else right_order
            if side == ALL_ROWS:
                order = _best_stump(scan) if stump < leaf else none
            size = _write_side(rows, scan, state, size, order, stretch, side, sized)
    return value, size


@njit(inline="always")
def _ask(
    scan: Scan, ruling: PathRuleArrays, control: Int64Vector, used: int, level: int, hard: bool, worth: int
) -> bool:
    """Write the cost of a split on each order at the node; return whether any is allowed."""
    ask, some, price = scan.ask, False, split_price(control, level)
    for f in range(len(ask)):
        ask[f] = price if scan.live[f] else FAR
    if control[RULED]:
        charge(ruling, used, level == 0, hard, worth * control[UNIT], ask)
    for f in range(len(ask)):
        some = some or ask[f] < FAR
    return some


@njit(inline="always")
def _fees(scan: Scan, ruling: PathRuleArrays, control: Int64Vector, used: int, hard: bool) -> None:
    """Write the test costs of the second splits below a path."""
    if control[RULED]:
        for g in range(len(scan.fee)):
            scan.fee[g] = 0
        charge(ruling, used, bool_(0), hard, int64(1), scan.fee)


@njit(inline="always")
def _leaf(tree: Int32Matrix, bounds: Int64Vector, leaf: int, ceiling: int) -> tuple[int, int]:
    """Make the node a leaf; return its cost and the number of nodes, 0 if it is not below the ceiling."""
    for f in range(len(bounds)):
        bounds[f] = leaf
    tree[0, 0] = tree[0, 1] = -1
    return leaf, 1 if leaf < ceiling else 0


@njit(inline="always")
def _shown(bounds: Int64Vector, closed: Int64Vector, ask: Int64Vector, known: int, ceiling: int, stump: int) -> int:
    """The lower bound proved without a tree below the ceiling: the minimum over the bounds of all root orders.

    stump : the cost of the best tree of depth at most one, in scaled units.
    """
    least = FAR
    for f in range(len(bounds)):
        if ask[f] < FAR:
            least = min(least, max(bounds[f], closed[f] if closed[f] < FAR else 0))
    # no tree was found below the ceiling, so the ceiling is a lower bound as well
    return min(max(least, known, ceiling), stump)


@njit(inline="always")
def _hard_stumps(rows: RankedRows, scan: Scan, control: Int64Vector, m: int, sized: bool) -> None:
    """Write the costs of the best thresholds with the minimum leaf size, in scaled units; FAR if there is none."""
    nothing, unit = int64(0), control[UNIT]
    for f in range(len(scan.live)):
        if not scan.live[f]:
            scan.hard_stump[f] = FAR
            continue
        errors = scan.stump[f]
        if sized:
            cost, where = least_cost_of_one(rows, scan, control, f, m, int64(ALL_ROWS), nothing, bool_(1))
            errors = cost - control[SPLIT] // unit if where >= 0 else FAR
        scan.hard_stump[f] = errors * unit if errors < FAR else FAR


@njit(inline="always")
def _least(stump: Int64Vector, ask: Int64Vector, leaf: int) -> int:
    """The minimum cost of a leaf or of one split; `stump` : int64 (F,), the cost of both sides, in scaled units."""
    least = leaf
    for f in range(len(stump)):
        least = min(least, stump[f] + ask[f])
    return least


@njit(inline="always")
def _best_stump(scan: Scan) -> int:
    """The first order among those whose single split costs least."""
    order = int64(0)
    for f in range(len(scan.ask)):
        if scan.hard_stump[f] + scan.ask[f] < scan.hard_stump[order] + scan.ask[order]:
            order = int64(f)
    return order


@njit(inline="always")
def _write_side(
    rows: RankedRows,
    scan: Scan,
    state: SearchState,
    size: int,
    order: int,
    stretch: Stretch,
    side: int,
    hard: bool,
) -> int:
    """Append the best single split on one order for one side, or a leaf; return the new number of nodes.

    size : the number of nodes so far; order : the order, -1 for a leaf; side : as in `least_cost_of_one`.
    """
    level, offset, m = stretch
    tree, control = state.tree[level], state.control
    where, toll, unit = int64(-1), int64(0), control[UNIT]
    if side == ALL_ROWS:
        toll = split_price(control, level) // unit - control[SPLIT] // unit
    if order >= 0:
        _, where = least_cost_of_one(rows, scan, control, order, m, side, toll, hard)
    tree[size, 0] = tree[size, 1] = -1
    if where < 0:
        return size + 1
    tree[size, 0] = order
    tree[size, 1] = rows.ranks[level, order, offset + where]
    for leaf in (size + 1, size + 2):
        tree[leaf, 0] = tree[leaf, 1] = -1
    return size + 3


call_depth_two = by_address(depth_two, 2)
