"""Local search for decision diagrams: exact re-optimisation of single nodes, insertion of splits, and perturbation.

A *move* gives one node the best split and targets (`odd_sweep`), or inserts the best stump into an arc if the next
layer has an unused slot. Moves are tried in random order until none improves. The result is kept if it is not much
worse than the previous one. Then one or two nodes are perturbed, and the descent repeats; after many failures the
search restarts. All limits count scanned elements, not time, so results are reproducible.
"""

from typing import NamedTuple

import numpy as np

from .arrays import Int64Matrix, Int64Vector, UInt64Vector, int64
from .compiled import allocating_njit as njit
from .odd_cells import (
    FAR,
    HIGH,
    LAST,
    LOW,
    NONE,
    ORDER,
    MergedRows,
    SkeletonArrays,
    active,
    count,
    fill_closures,
    fill_values,
    members,
    questions_cost,
)
from .odd_rules import ConstraintArrays, faults, ruled_sweep
from .odd_sweep import COST, VIOLATION, Targets, draw, fill_targets, sweep

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


class ClimbMemory(NamedTuple):
    """The memory of a local search.

    Attributes
    ----------
    control : int64 (WORDS,), see the words above; random : uint64 (1,), the state of the generator.
    nodes, kept, best : int64 (V, 4), the current diagram, the one that perturbations start from, and the best.
    moves : int64 (3 V,), the order of the moves: v re-optimises node v, V + 2 v + k inserts into arc k of node v.
    val : int64 (V, m), total : int64 (S, V, m), see `fill_values`.
    closure : int64 (V,); here : bool (m,); space : int64 (2 + 2 S, T); choice : int64 (6,); tried : int64 (V, 4).
    """

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


def climber(n_nodes: int, m: int, n_classes: int, n_sums: int, widest: int, seed: int, slack: int) -> ClimbMemory:
    """Create a local search that has not begun."""
    control = np.zeros(WORDS, np.int64)
    control[[BEST, BEST_FAULTS]] = FAR
    control[SLACK] = slack
    nodes = np.full((n_nodes, 4), NONE, np.int64)
    return ClimbMemory(
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
        np.zeros((2 + 2 * n_sums, n_classes + widest), np.int64),
        np.zeros(6, np.int64),
        nodes.copy(),
    )


@njit(cache=True, nogil=True)
def whole_cost(cells: MergedRows, frame: SkeletonArrays, nodes: Int64Matrix, val: Int64Matrix) -> int:
    """The cost of a diagram, from the values of its root."""
    total = int64(0)
    for i in range(cells.price.shape[0]):
        total += val[0, i]
    return total + questions_cost(frame, count(active(frame, nodes, -1, -1)))


@njit(cache=True, nogil=True)
def _assess(cells: MergedRows, frame: SkeletonArrays, demands: ConstraintArrays, climb: ClimbMemory) -> None:
    """Write values, cost and violation of the current diagram."""
    fill_values(cells, frame, climb.nodes, len(frame.first) - 2, climb.val, climb.total)
    climb.control[NOW] = whole_cost(cells, frame, climb.nodes, climb.val)
    climb.control[NOW_FAULTS] = faults(cells, frame, demands, climb.nodes) if demands.any else 0


@njit(cache=True, nogil=True)
def _begin(cells: MergedRows, frame: SkeletonArrays, demands: ConstraintArrays, climb: ClimbMemory) -> None:
    """Create a diagram to start from: a stump to grow, or for every third start a random one."""
    nodes, random = climb.nodes, climb.random
    nodes[:, :] = NONE
    n_classes = cells.price.shape[1]
    _draw_node(cells, frame, climb, int64(0))
    if climb.control[STARTS] % 3 == 2 and not demands.any:
        for v in range(len(nodes) - 1, -1, -1):
            if draw(random) % 2 or v == 0:
                _draw_node(cells, frame, climb, v)
    else:
        nodes[0, LOW], nodes[0, HIGH] = ~int64(0), ~int64(n_classes - 1)
    climb.control[STARTS] += 1
    _assess(cells, frame, demands, climb)
    _forget(climb)


@njit(cache=True, nogil=True)
def _forget(climb: ClimbMemory) -> None:
    """Reset the state of a start; only the best diagram is kept."""
    control = climb.control
    control[KEPT] = control[KEPT_FAULTS] = control[RUN] = control[RUN_FAULTS] = FAR
    control[FAILURES] = control[SINCE] = control[PLACE] = 0
    control[MODE] = DESCEND
    _shuffle(climb.moves, climb.random)


@njit(cache=True, nogil=True)
def _draw_arc(cells: MergedRows, frame: SkeletonArrays, climb: ClimbMemory, v: int, other: int) -> int:
    """Draw a target for a node among the classes and the nodes of the next layer, except `other`, the other arc."""
    layer, n_classes = frame.layer[v], cells.price.shape[1]
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
def _draw_node(cells: MergedRows, frame: SkeletonArrays, climb: ClimbMemory, v: int) -> None:
    """Give a node a random split and targets; the root gets a permitted order."""
    n_orders = cells.rank.shape[0]
    for _ in range(20):
        order = draw(climb.random) % n_orders if n_orders else int64(0)
        if v > 0 or frame.at_root[order]:
            break
    climb.nodes[v, ORDER] = order
    climb.nodes[v, LAST] = 0
    if n_orders:
        # the rank of a random cell, so thresholds near many cells are likelier
        rank = cells.rank[order, draw(climb.random) % cells.rank.shape[1]]
        climb.nodes[v, LAST] = max(0, min(int64(rank), int64(cells.rank[order].max()) - 1))
    climb.nodes[v, LOW] = _draw_arc(cells, frame, climb, v, int64(NONE))
    climb.nodes[v, HIGH] = _draw_arc(cells, frame, climb, v, climb.nodes[v, LOW])


@njit(cache=True, nogil=True)
def _disturb(cells: MergedRows, frame: SkeletonArrays, demands: ConstraintArrays, climb: ClimbMemory) -> None:
    """Change one or two used nodes at random: the split, a target, or both."""
    for _ in range(1 + draw(climb.random) % 2):
        used = active(frame, climb.nodes, -1, -1)
        skipped = draw(climb.random) % count(used)
        v = 0
        while not used >> v & 1 or skipped > 0:
            skipped -= used >> v & 1
            v += 1
        before = climb.nodes[v].copy()
        _draw_node(cells, frame, climb, v)
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
    _assess(cells, frame, demands, climb)


@njit(cache=True, nogil=True)
def _shuffle(moves: Int64Vector, random: UInt64Vector) -> None:
    """Shuffle the `moves`, int64 (3 V,)."""
    for k in range(len(moves) - 1, 0, -1):
        other = draw(random) % (k + 1)
        moves[k], moves[other] = moves[other], moves[k]


@njit(cache=True, nogil=True)
def _move(
    cells: MergedRows, frame: SkeletonArrays, demands: ConstraintArrays, climb: ClimbMemory, to: Targets, move: int
) -> bool:
    """Try one `move`, see `ClimbMemory.moves`; return whether the diagram improved."""
    nodes, control, choice = climb.nodes, climb.control, climb.choice
    n = len(nodes)
    v, side = (move, -1) if move < n else ((move - n) // 2, (move - n) % 2)
    used = active(frame, nodes, -1, -1)
    if not used >> v & 1 or nodes[v, ORDER] == NONE:
        return False
    layer, target = frame.layer[v], v
    base = active(frame, nodes, v, side)
    if side >= 0:
        if layer + 2 >= len(frame.first) or (side == 1 and nodes[v, ORDER] >= cells.rank.shape[0]):
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
    here = members(cells, frame, nodes, v, side, climb.here)
    control[WORK] += OVERHEAD + 4 * len(climb.here)
    if here == 0:
        return False
    fill_closures(frame, nodes, climb.closure)
    fill_targets(cells, frame, nodes, layer, base, climb.closure, climb.here, climb.val, climb.total, to)
    others = int64(0)
    for i in range(len(climb.here)):
        if not climb.here[i]:
            others += climb.val[0, i]
    choice[COST], choice[VIOLATION] = control[NOW], control[NOW_FAULTS]
    choice[1] = NONE
    if demands.any:
        climb.tried[:] = nodes
        arc = v if side >= 0 else -1
        control[WORK] += ruled_sweep(
            cells,
            frame,
            demands,
            target,
            arc,
            side,
            climb.here,
            to,
            others,
            climb.total,
            climb.tried,
            climb.random,
            climb.space,
            choice,
        )
    else:
        control[WORK] += sweep(cells, frame, target == 0, climb.here, to, others, 0, climb.random, climb.space, choice)
    if choice[1] == NONE:
        return False
    better = choice[VIOLATION] < control[NOW_FAULTS] or (
        choice[VIOLATION] == control[NOW_FAULTS] and choice[COST] < control[NOW]
    )
    if side >= 0:
        if not better:
            return False
        nodes[v, LOW + side] = target - frame.first[layer]
    for k in range(4):
        nodes[target, k] = choice[1 + k]
    control[NOW], control[NOW_FAULTS] = choice[COST], choice[VIOLATION]
    fill_values(cells, frame, nodes, layer, climb.val, climb.total)
    return better


@njit(cache=True, nogil=True)
def _arrive(climb: ClimbMemory) -> None:
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
    if control[NOW_FAULTS] < control[RUN_FAULTS] or (
        control[NOW_FAULTS] == control[RUN_FAULTS] and control[NOW] < control[RUN]
    ):
        control[RUN], control[RUN_FAULTS], control[FAILURES] = control[NOW], control[NOW_FAULTS], 0


@njit(cache=True, nogil=True)
def _record(climb: ClimbMemory) -> None:
    """Keep the current diagram if it is the best so far."""
    control = climb.control
    if control[NOW_FAULTS] < control[BEST_FAULTS] or (
        control[NOW_FAULTS] == control[BEST_FAULTS] and control[NOW] < control[BEST]
    ):
        control[BEST], control[BEST_FAULTS] = control[NOW], control[NOW_FAULTS]
        climb.best[:] = climb.nodes
        control[FOUND] += 1


@njit(cache=True, nogil=True)
def climb_on(
    cells: MergedRows, frame: SkeletonArrays, demands: ConstraintArrays, climb: ClimbMemory, to: Targets, budget: int
) -> None:
    """Continue a local search for about `budget` scanned elements."""
    control = climb.control
    end = control[WORK] + budget
    while control[WORK] < end and not control[STOP]:
        control[WORK] += 1
        if control[MODE] == START:
            _begin(cells, frame, demands, climb)
            _record(climb)
        elif control[SINCE] < len(climb.moves):
            move = climb.moves[control[PLACE]]
            control[PLACE] += 1
            if control[PLACE] == len(climb.moves):
                control[PLACE] = 0
                _shuffle(climb.moves, climb.random)
            if _move(cells, frame, demands, climb, to, move):
                control[SINCE] = 0
                _record(climb)
            else:
                control[SINCE] += 1
        else:
            _arrive(climb)
            if control[FAILURES] > PATIENCE:
                control[MODE] = START
            else:
                _disturb(cells, frame, demands, climb)
                control[SINCE] = 0


@njit(cache=True, nogil=True)
def take(
    cells: MergedRows, frame: SkeletonArrays, demands: ConstraintArrays, climb: ClimbMemory, nodes: Int64Matrix
) -> None:
    """Start the next descent from a given diagram."""
    climb.nodes[:] = nodes
    _assess(cells, frame, demands, climb)
    _record(climb)
    _forget(climb)
