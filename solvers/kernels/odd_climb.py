"""Local search for decision diagrams: exact re-optimisation of single nodes, insertion of splits, and perturbation.

A *move* gives one node the best split and targets, or inserts the best stump into an arc if the next layer has an
unused slot, while the rest of the diagram stays fixed. Moves are tried in random order until none improves; then one or
two nodes are perturbed, and after many failures the search restarts. docs/methods/odd-search.md has the formula of a
move. All limits count scanned elements, not time, so results are reproducible.

others : the cost of the cells that are not marked; order, last : a split.
"""

import numpy as np

from .arrays import Int64Matrix, Int64Vector, UInt64Vector, int32, int64
from .bits import popcount
from .compiled import allocating_njit as njit
from .odd_cells import (
    COST,
    HIGH,
    LAST,
    LOW,
    NONE,
    ORDER,
    VIOLATION,
    Climb,
    ConstraintArrays,
    MergedRows,
    SkeletonArrays,
    Targets,
    active,
    draw,
    fill_closures,
    fill_values,
    members,
    questions_cost,
)
from .odd_rules import faults, ruled_sweep
from .workspace import FAR

(
    STOP,
    WORK,
    BEST,
    BEST_FAULTS,
    FOUND,
    NOW,
    NOW_FAULTS,
    KEPT,
    KEPT_FAULTS,
    PLACE,
    SINCE,
    FAILURES,
    MODE,
    STARTS,
    SLACK,
    RUN,
    RUN_FAULTS,
) = range(17)
"""Words of the control array: the stop signal; work done; cost and violation of the best diagram, and how often it
changed; those of the current diagram, and of the one that perturbations start from; the place in the list of moves, and
the number of moves in a row without improvement; failures since the best of this start; the next step; starts so far;
the tolerance within which a worse result is kept; and cost and violation of the best of this start."""

WORDS = 17

START, DESCEND = 0, 1
OVERHEAD = 400
"""Work of a move, in addition to the elements that it scans."""

PATIENCE = 60
"""Descents in a row without a new best before the search restarts."""


def climber(cells: MergedRows, frame: SkeletonArrays, demands: ConstraintArrays, seed: int, slack: int) -> Climb:
    """Create a local search that has not begun."""
    (m, n_classes), n_nodes, n_sums = cells.price.shape, len(frame.layer), len(cells.limits)
    n = n_classes + int(np.bincount(frame.layer).max())
    control = np.zeros(WORDS, np.int64)
    control[[BEST, BEST_FAULTS]] = FAR
    control[SLACK] = slack
    nodes = np.full((n_nodes, 4), NONE, np.int64)
    to = Targets(
        np.zeros(n, np.int64),
        np.zeros((m, n), np.int64),
        np.zeros((n_sums, m, n), np.int64),
        np.zeros(n, np.int64),
        np.zeros((n, n), np.int64),
        np.zeros(2, np.int64),
    )
    return Climb(
        cells,
        frame,
        demands,
        to,
        control,
        np.array([(seed * 2862933555777941757 + 3037000493) % 2**64 | 1], np.uint64),
        nodes,
        nodes.copy(),
        nodes.copy(),
        np.arange(3 * n_nodes),
        np.zeros((n_nodes, m), np.int64),
        np.zeros((n_sums, n_nodes, m), np.int64),
        np.zeros(n_nodes, np.int64),
        np.zeros(m, bool),
        np.zeros((2 + 2 * n_sums, n), np.int64),
        np.zeros(6, np.int64),
        nodes.copy(),
    )


@njit(cache=True, nogil=True)
def fill_targets(climb: Climb, layer: int, base: int) -> None:
    """Write the targets of a node of a layer; `base` : the nodes in use without its arcs, as bits."""
    cells, frame, to, nodes, closure = climb.cells, climb.frame, climb.to, climb.nodes, climb.closure
    here, val, total = climb.here, climb.val, climb.total
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
            to.price[a, b] = FAR if a == b and a < n else questions_cost(frame, popcount(mask))
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
            choice[COST], choice[ORDER], choice[LAST] = cost, order, last
            choice[LOW] = to.arc[a] if a < n else to.arc[best_low]
            choice[HIGH] = to.arc[b] if b < n else to.arc[best_high]
    return ties


@njit(cache=True, nogil=True)
def sweep(climb: Climb, root: bool, others: int) -> int:
    """Find the best split for the marked cells; `climb.choice` holds the choice to beat, and receives a better one.

    root : whether the node is the root.

    Returns
    -------
    The number of scanned elements.
    """
    cells, frame, to, here = climb.cells, climb.frame, climb.to, climb.here
    random, choice, pre, whole = climb.random, climb.choice, climb.space[0], climb.space[1]
    n_orders, m = cells.rank.shape
    size = to.size[1]
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
        if root and not frame.at_root[f]:
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


@njit(cache=True, nogil=True)
def whole_cost(climb: Climb) -> int:
    """The cost of the current diagram, from the values of its root."""
    total = int64(0)
    for i in range(len(climb.here)):
        total += climb.val[0, i]
    return total + questions_cost(climb.frame, popcount(active(climb.frame, climb.nodes, -1, -1)))


@njit(cache=True, nogil=True)
def _assess(climb: Climb) -> None:
    """Write values, cost and violation of the current diagram."""
    fill_values(climb, len(climb.frame.first) - 2)
    climb.control[NOW] = whole_cost(climb)
    climb.control[NOW_FAULTS] = faults(climb, climb.nodes) if climb.demands.any else 0


@njit(cache=True, nogil=True)
def _begin(climb: Climb) -> None:
    """Create a diagram to start from: a stump to grow, or for every third start a random one."""
    nodes, random = climb.nodes, climb.random
    nodes[:, :] = NONE
    n_classes = climb.cells.price.shape[1]
    _draw_node(climb, int64(0))
    if climb.control[STARTS] % 3 == 2 and not climb.demands.any:
        for v in range(len(nodes) - 1, -1, -1):
            if draw(random) % 2 or v == 0:
                _draw_node(climb, v)
    else:
        nodes[0, LOW], nodes[0, HIGH] = ~int64(0), ~int64(n_classes - 1)
    climb.control[STARTS] += 1
    _assess(climb)
    _forget(climb)


@njit(cache=True, nogil=True)
def _forget(climb: Climb) -> None:
    """Reset the state of a start; only the best diagram is kept."""
    control = climb.control
    control[KEPT] = control[KEPT_FAULTS] = control[RUN] = control[RUN_FAULTS] = FAR
    control[FAILURES] = control[SINCE] = control[PLACE] = 0
    control[MODE] = DESCEND
    _shuffle(climb.moves, climb.random)


@njit(cache=True, nogil=True)
def _draw_arc(climb: Climb, v: int, other: int) -> int:
    """Draw a target for a node among the classes and the nodes of the next layer, except `other`, the other arc."""
    frame, n_classes = climb.frame, climb.cells.price.shape[1]
    layer = frame.layer[v]
    begin, end = frame.first[layer + 1], frame.first[layer + 1]
    if layer + 2 < len(frame.first):
        end = frame.first[layer + 2]
    for _ in range(8):
        drawn = draw(climb.random) % (end - begin + n_classes)
        if drawn >= end - begin:
            return ~(drawn - (end - begin))
        if climb.nodes[begin + drawn, ORDER] != NONE and drawn != other:
            return drawn
    return ~int64(draw(climb.random) % n_classes)


@njit(cache=True, nogil=True)
def _draw_node(climb: Climb, v: int) -> None:
    """Give a node a random split and targets; the root gets a permitted order."""
    cells, n_orders = climb.cells, climb.cells.rank.shape[0]
    for _ in range(20):
        order = draw(climb.random) % n_orders if n_orders else int64(0)
        if v > 0 or climb.frame.at_root[order]:
            break
    climb.nodes[v, ORDER] = order
    climb.nodes[v, LAST] = 0
    if n_orders:
        # the rank of a random cell, so thresholds near many cells are likelier
        rank = cells.rank[order, draw(climb.random) % cells.rank.shape[1]]
        climb.nodes[v, LAST] = max(0, min(int64(rank), int64(cells.rank[order].max()) - 1))
    climb.nodes[v, LOW] = _draw_arc(climb, v, int64(NONE))
    climb.nodes[v, HIGH] = _draw_arc(climb, v, climb.nodes[v, LOW])


@njit(cache=True, nogil=True)
def _disturb(climb: Climb) -> None:
    """Change one or two used nodes at random: the split, a target, or both."""
    for _ in range(1 + draw(climb.random) % 2):
        used = active(climb.frame, climb.nodes, -1, -1)
        skipped = draw(climb.random) % popcount(used)
        v = 0
        while not used >> v & 1 or skipped > 0:
            skipped -= used >> v & 1
            v += 1
        before = climb.nodes[v].copy()
        _draw_node(climb, v)
        kind = draw(climb.random) % 4
        if kind == 0:
            climb.nodes[v, LOW], climb.nodes[v, HIGH] = before[LOW], before[HIGH]
        elif kind == 1:
            climb.nodes[v, ORDER], climb.nodes[v, LAST] = before[ORDER], before[LAST]
        elif kind == 2:
            side = LOW + draw(climb.random) % 2
            if climb.nodes[v, side] != before[LOW + HIGH - side] or before[LOW + HIGH - side] < 0:
                climb.nodes[v, ORDER], climb.nodes[v, LAST] = before[ORDER], before[LAST]
                climb.nodes[v, LOW + HIGH - side] = before[LOW + HIGH - side]
    _assess(climb)


@njit(cache=True, nogil=True)
def _shuffle(moves: Int64Vector, random: UInt64Vector) -> None:
    """Shuffle the `moves`, int64 (3 V,)."""
    for k in range(len(moves) - 1, 0, -1):
        other = draw(random) % (k + 1)
        moves[k], moves[other] = moves[other], moves[k]


@njit(cache=True, nogil=True)
def _move(climb: Climb, move: int) -> bool:
    """Try one `move`, see `ClimbMemory.moves`; return whether the diagram improved."""
    nodes, frame, control, choice = climb.nodes, climb.frame, climb.control, climb.choice
    n = len(nodes)
    v, side = (move, -1) if move < n else ((move - n) // 2, (move - n) % 2)
    used = active(frame, nodes, -1, -1)
    if not used >> v & 1 or nodes[v, ORDER] == NONE:
        return False
    layer, target = frame.layer[v], v
    base = active(frame, nodes, v, side)
    if side >= 0:
        if layer + 2 >= len(frame.first) or (side == 1 and nodes[v, ORDER] >= climb.cells.rank.shape[0]):
            return False
        target = -1
        for u in range(frame.first[layer + 1], frame.first[layer + 2]):
            if not used >> u & 1:
                target = u
                break
        if target < 0:
            return False
        layer += 1
        base |= int64(1) << target
    here = members(climb, v, side)
    control[WORK] += OVERHEAD + 4 * len(climb.here)
    if here == 0:
        return False
    fill_closures(climb)
    fill_targets(climb, layer, base)
    others = int64(0)
    for i in range(len(climb.here)):
        if not climb.here[i]:
            others += climb.val[0, i]
    choice[COST], choice[VIOLATION] = control[NOW], control[NOW_FAULTS]
    choice[ORDER] = NONE
    if climb.demands.any:
        climb.tried[:] = nodes
        control[WORK] += ruled_sweep(climb, target, v if side >= 0 else -1, side, others)
    else:
        control[WORK] += sweep(climb, target == 0, others)
    if choice[ORDER] == NONE:
        return False
    better = choice[VIOLATION] < control[NOW_FAULTS] or (
        choice[VIOLATION] == control[NOW_FAULTS] and choice[COST] < control[NOW]
    )
    if side >= 0:
        if not better:
            return False
        nodes[v, LOW + side] = target - frame.first[layer]
    for k in range(4):
        nodes[target, k] = choice[k]
    control[NOW], control[NOW_FAULTS] = choice[COST], choice[VIOLATION]
    fill_values(climb, layer)
    return better


@njit(cache=True, nogil=True)
def _is_better(control: Int64Vector, one: int, other: int) -> bool:
    """Whether a diagram violates less than another, or costs less; their costs are these words, violations follow."""
    if control[one + 1] != control[other + 1]:
        return control[one + 1] < control[other + 1]
    return control[one] < control[other]


@njit(cache=True, nogil=True)
def _arrive(climb: Climb) -> None:
    """End a descent: keep the result, or return to the kept diagram."""
    control = climb.control
    worse = control[NOW_FAULTS] > control[KEPT_FAULTS] or (
        control[NOW_FAULTS] == control[KEPT_FAULTS] and control[NOW] > control[KEPT] + control[SLACK]
    )
    if worse:
        climb.nodes[:] = climb.kept
    else:
        climb.kept[:] = climb.nodes
        control[KEPT], control[KEPT_FAULTS] = control[NOW], control[NOW_FAULTS]
    control[FAILURES] += 1
    if _is_better(control, NOW, RUN):
        control[RUN], control[RUN_FAULTS], control[FAILURES] = control[NOW], control[NOW_FAULTS], 0


@njit(cache=True, nogil=True)
def _record(climb: Climb) -> None:
    """Keep the current diagram if it is the best so far."""
    control = climb.control
    if _is_better(control, NOW, BEST):
        control[BEST], control[BEST_FAULTS] = control[NOW], control[NOW_FAULTS]
        climb.best[:] = climb.nodes
        control[FOUND] += 1


@njit(cache=True, nogil=True)
def climb_on(climb: Climb, budget: int) -> None:
    """Continue a local search for about `budget` scanned elements."""
    control = climb.control
    end = control[WORK] + budget
    while control[WORK] < end and not control[STOP]:
        control[WORK] += 1
        if control[MODE] == START:
            _begin(climb)
            _record(climb)
        elif control[SINCE] < len(climb.moves):
            move = climb.moves[control[PLACE]]
            control[PLACE] += 1
            if control[PLACE] == len(climb.moves):
                control[PLACE] = 0
                _shuffle(climb.moves, climb.random)
            if _move(climb, move):
                control[SINCE] = 0
                _record(climb)
            else:
                control[SINCE] += 1
        else:
            _arrive(climb)
            if control[FAILURES] > PATIENCE:
                control[MODE] = START
            else:
                _disturb(climb)
                control[SINCE] = 0


@njit(cache=True, nogil=True)
def take(climb: Climb, nodes: Int64Matrix) -> None:
    """Start the next descent from a given diagram."""
    climb.nodes[:] = nodes
    _assess(climb)
    _record(climb)
    _forget(climb)
