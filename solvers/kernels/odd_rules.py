"""The constraints of a decision diagram beyond its skeleton, as violations that a local search can reduce."""

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
    Targets,
    active,
    draw,
    step,
)
from .pairs import broken_pairs
from .path_rules import cost_of
from .workspace import FAR

GRAVE = int64(2**24)
"""Violation of one misplaced split; rows that are missing and units of a sum above its limit count 1 each."""

MOST_PATHS = 4096
"""Maximum number of paths followed to find the most expensive one; with more, the diagram counts as too expensive."""


MIXED = -2
"""Different predictions occur below a node."""


@njit(cache=True, nogil=True)
def _irrelevant_columns(climb: Climb, nodes: Int64Matrix, used: int) -> int:
    """The number of required columns without a node above different predictions.

    used : the nodes in use, as bits.
    """
    frame, demands = climb.frame, climb.demands
    below, missing = np.full(len(nodes), NONE, np.int64), demands.must
    for v in range(len(nodes) - 1, -1, -1):
        if not used >> v & 1:
            continue
        for k in range(2):
            arc = nodes[v, LOW + k]
            answer = ~arc if arc < 0 else below[frame.first[frame.layer[v] + 1] + arc]
            below[v] = answer if below[v] == NONE or below[v] == answer else int64(MIXED)
        if below[v] == MIXED:
            missing &= ~(int64(1) << demands.bit[nodes[v, ORDER]])
    return popcount(missing)


@njit(cache=True, nogil=True)
def _column_faults(climb: Climb, nodes: Int64Matrix) -> int:
    """The violation of all rules on which columns are used where, except path costs."""
    n, frame, demands = len(nodes), climb.frame, climb.demands
    some, every = np.zeros(n, np.int64), np.full(n, -1, np.int64)
    every[0] = 0
    used = active(frame, nodes, -1, -1)
    fault, columns, place = int64(0), int64(0), np.zeros(len(demands.fixed), np.int64)
    for v in range(n):
        if not used >> v & 1:
            continue
        order, mask = nodes[v, ORDER], int64(1) << demands.bit[nodes[v, ORDER]]
        columns |= mask
        if demands.barred[order] & some[v]:
            fault += GRAVE
        if demands.needed[order] & ~every[v]:
            fault += GRAVE
        if v == 0 and not frame.at_root[order]:
            fault += GRAVE
        if demands.chain and nodes[v, LOW] >= 0 and nodes[v, HIGH] >= 0:
            fault += GRAVE
        below = frame.first[frame.layer[v] + 1]
        for k in range(2):
            arc = nodes[v, LOW + k]
            if arc >= 0:
                some[below + arc] |= some[v] | mask
                every[below + arc] &= every[v] | mask
    if demands.must:
        fault += GRAVE * _irrelevant_columns(climb, nodes, used)
    for p in range(len(demands.fixed)):
        above, side, order = demands.fixed[p]
        v = int64(0)
        if above >= 0:
            v = place[above]
            arc = nodes[v, LOW + side] if v >= 0 else int64(NONE)
            v = frame.first[frame.layer[v] + 1] + arc if arc >= 0 else int64(NONE)
        place[p] = v
        if v < 0 or nodes[v, ORDER] != order:
            fault += GRAVE
    for q in range(len(demands.few)):
        fault += GRAVE * max(int64(0), popcount(columns & demands.few[q, 0]) - demands.few[q, 1])
    return fault


@njit(cache=True, nogil=True)
def _path_excess(climb: Climb, nodes: Int64Matrix) -> int:
    """The amount by which path costs exceed their limits."""
    frame, demands, paths = climb.frame, climb.demands, climb.demands.paths
    worst = np.zeros(len(demands.limit), np.int64)
    stack = np.zeros((2 * len(frame.first) + 2, 2), np.int64)
    stack[0, 1] = 0
    size, n_paths = 1, 0
    while size and n_paths < MOST_PATHS:
        size -= 1
        v, mask = stack[size, 0], stack[size, 1]
        n_paths += 1
        mask |= int64(1) << demands.bit[nodes[v, ORDER]]
        for p in range(len(demands.limit)):
            worst[p] = max(worst[p], cost_of(paths.own[p], paths.members[p], paths.shared[p], mask) - demands.limit[p])
        below = frame.first[frame.layer[v] + 1]
        for k in range(2):
            if nodes[v, LOW + k] >= 0:
                stack[size, 0], stack[size, 1] = below + nodes[v, LOW + k], mask
                size += 1
    return worst.sum() + (GRAVE if size else 0)


@njit(cache=True, nogil=True)
def faults(climb: Climb, nodes: Int64Matrix) -> int:
    """The violation of all constraints by a diagram, 0 if it satisfies them."""
    cells, frame, demands = climb.cells, climb.frame, climb.demands
    n, m = len(nodes), cells.price.shape[0]
    n_classes, n_sums = cells.price.shape[1], len(cells.limits)
    rank, first, tests = cells.rank, frame.first, demands.tests
    rows = np.zeros(n + n_classes, np.int64)
    weight = np.zeros(n_classes, np.int64)
    total, n_leaves, answer = np.zeros(n_sums, np.int64), int64(0), np.zeros(m, np.int64)
    for i in range(m):
        v, layer, tested = int64(0), 0, int64(0)
        while v >= 0:
            rows[v] += cells.rows[i]
            tested |= int64(1) << demands.bit[nodes[v, ORDER]]
            v = step(rank, first, nodes, v, layer, i)
            layer += 1
        rows[n + ~v] += cells.rows[i]
        weight[~v] += cells.weight[i]
        for s in range(n_sums):
            total[s] += cells.sums[s, i, ~v]
        for t in range(len(demands.tested)):
            if demands.paying[t, i]:
                cost = cost_of(tests.own[t], tests.members[t], tests.shared[t], tested)
                total[demands.tested[t]] += demands.paying[t, i] * cost
        answer[i] = ~v
    fault = broken_pairs(demands.pairs, demands.height, answer)
    used = active(frame, nodes, -1, -1)
    for v in range(n):
        if used >> v & 1:
            fault += max(int64(0), demands.node_rows - rows[v])
    for k in range(n_classes):
        if rows[n + k]:
            n_leaves += 1
            fault += max(int64(0), demands.leaf_rows - rows[n + k])
            fault += max(int64(0), demands.leaf_weight - weight[k])
    fault += max(int64(0), n_leaves - demands.leaves) * m
    for s in range(n_sums):
        fault += max(int64(0), total[s] + n_leaves * demands.per_leaf[s] - cells.limits[s])
    fault += _column_faults(climb, nodes)
    if len(demands.limit):
        fault += _path_excess(climb, nodes)
    return fault


@njit(cache=True, nogil=True)
def _count_inflow(climb: Climb, layer: int) -> None:
    """Write the number of rows that are not marked and reach each target of a layer."""
    cells, frame, to, here, nodes = climb.cells, climb.frame, climb.to, climb.here, climb.tried
    to.inflow[:] = FAR
    n = to.size[0]
    to.inflow[:n] = 0
    rank, first = cells.rank, frame.first
    for i in range(len(here)):
        if here[i]:
            continue
        v, above = int64(0), 0
        while v >= 0 and above <= layer:
            v = step(rank, first, nodes, v, above, i)
            above += 1
        if v >= 0:
            for t in range(n):
                if frame.first[layer + 1] + to.arc[t] == v:
                    to.inflow[t] += cells.rows[i]


@njit(cache=True, nogil=True)
def _ruled_pairs(
    to: Targets,
    limits: Int64Vector,
    node_rows: int,
    space: Int64Matrix,
    base: Int64Vector,
    rows: tuple[int, int],
    split: tuple[int, int],
    random: UInt64Vector,
    choice: Int64Vector,
) -> None:
    """Write the best pair of targets for a split, an order and a rank, to `choice`, by violation and then by cost.

    limits : int64 (S,), of the sums; node_rows : the minimum rows of a node; random : uint64 (1,).
    space : int64 (2 + 2 S, T), by target the cost of the marked cells up to the threshold and of all marked cells, then
        the same for each sum; base : int64 (S,), the sums of the other cells; rows : those on both sides.
    """
    # called for every threshold: passing the record of the whole search took a fifth of the time
    n, size, n_sums = to.size[0], to.size[1], len(limits)
    pre, whole = space[0], space[1]
    for a in range(size):
        for b in range(size):
            price = to.price[min(a, n), min(b, n)]
            cost = pre[a] + whole[b] - pre[b] + price
            if price >= FAR or a == b:
                continue
            fault = int64(0)
            for s in range(n_sums):
                added = space[2 + 2 * s, a] + space[3 + 2 * s, b] - space[2 + 2 * s, b]
                fault += max(int64(0), base[s] + added - limits[s])
            fault += max(int64(0), node_rows - to.inflow[a] - rows[0])
            fault += max(int64(0), node_rows - to.inflow[b] - rows[1])
            if fault > choice[VIOLATION] or (fault == choice[VIOLATION] and cost > choice[COST]):
                continue
            if fault == choice[VIOLATION] and cost == choice[COST] and draw(random) % 2:
                continue
            choice[ORDER], choice[LAST], choice[LOW], choice[HIGH] = split[0], split[1], to.arc[a], to.arc[b]
            choice[COST], choice[VIOLATION] = cost, fault


@njit(cache=True, nogil=True)
def ruled_sweep(climb: Climb, v: int, arc: int, side: int, others: int) -> int:
    """`sweep` under constraints: finds the best split of each order by sums and rows, then checks all constraints.

    Parameters
    ----------
    v : the node; arc, side : the node and arc into which it is inserted, -1 if it is in the diagram already.
    """
    cells, frame, to, here, tried = climb.cells, climb.frame, climb.to, climb.here, climb.tried
    space, random, choice = climb.space, climb.random, climb.choice
    limits, node_rows = cells.limits, climb.demands.node_rows
    n_orders, m = cells.rank.shape
    size, n_sums = to.size[1], len(cells.limits)
    layer = frame.layer[v]
    _count_inflow(climb, layer)
    base, rows_all = np.zeros(n_sums, np.int64), int64(0)
    space[:, :] = 0
    for i in range(m):
        if not here[i]:
            for s in range(n_sums):
                base[s] += climb.total[s, 0, i]
            continue
        rows_all += cells.rows[i]
        for t in range(size):
            space[1, t] += to.cost[i, t]
            for s in range(n_sums):
                space[3 + 2 * s, t] += to.sums[s, i, t]
    if arc >= 0:
        tried[arc, LOW + side] = v - frame.first[layer]
    best = choice.copy()
    for f in range(n_orders + frame.passing):
        if v == 0 and not frame.at_root[f]:
            continue
        choice[COST], choice[ORDER], choice[VIOLATION] = FAR, NONE, FAR
        for row in range(n_sums + 1):
            space[2 * row, :size] = 0
        if f >= n_orders:
            for row in range(n_sums + 1):
                space[2 * row, :size] = space[2 * row + 1, :size]
            _ruled_pairs(to, limits, node_rows, space, base, (rows_all, int64(0)), (f, int32(0)), random, choice)
        else:
            before, rows_low = int32(-1), int64(0)
            for j in range(m):
                i = cells.ids[f, j]
                if not here[i]:
                    continue
                rank = cells.rank[f, i]
                if rank != before and before >= 0:
                    rows = rows_low, rows_all - rows_low
                    _ruled_pairs(to, limits, node_rows, space, base, rows, (f, before), random, choice)
                before = rank
                rows_low += cells.rows[i]
                for t in range(size):
                    space[0, t] += to.cost[i, t]
                    for s in range(n_sums):
                        space[2 + 2 * s, t] += to.sums[s, i, t]
        # lower bound: the violation by sums and rows is only one share of the total
        if choice[ORDER] == NONE or choice[VIOLATION] > best[VIOLATION]:
            continue
        choice[COST] += others
        tried[v] = choice[:4]
        choice[VIOLATION] = faults(climb, tried)
        equal = choice[VIOLATION] == best[VIOLATION]
        if choice[VIOLATION] < best[VIOLATION] or (equal and choice[COST] <= best[COST]):
            best[:] = choice
    choice[:] = best
    return n_orders * m * (size + 2)
