"""The pairs as a mixed-integer linear program, solved by HiGHS.

    minimise    sum of w_p r_p
    subject to  x_1 + ... + x_K <= H
                r_p + r_q + sum of x_f with p_f != q_f  >=  1        for each known pair (p, q) of different classes
                x_f in {0, 1},  0 <= r_p <= 1

Given x, the pairs of two classes are a bipartite graph, whose least fractional cover is a whole one; so r is continuous
there. Of more classes it is not.

First the linear relaxation (x continuous) is solved over and over, with the pairs that it breaks most; its prices of
pairs give a strong bound, counted in whole numbers, and its x says which features are worth a try. Then the program
with these pairs is solved, and again as long as its solution would not pay for some pair that it does not know.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from solvers.constraints.rules import FewColumns, NeverBoth
from solvers.magnitude import LARGEST_SUM
from solvers.methods.bdds.pairs.points import BLOCK, ClaimedPoints, SeparatedPairs
from solvers.methods.bdds.pairs.search import PairSearch
from solvers.methods.mip.backend import End, SolverRequest
from solvers.methods.mip.exact import solve_by
from solvers.methods.mip.highs import HiGHS, new_solver
from solvers.methods.mip.model import ProgramBuilder

if TYPE_CHECKING:
    from highspy import Highs

BROKEN = 1e-3
"""A pair counts as broken by the relaxation where it falls short of 1 by more than this."""

PARTS: tuple[int, ...] = tuple(2**k for k in range(20, -1, -1))
"""Into how many parts of a unit prices of the relaxation are rounded: as many as can be counted."""

SLOW = 1e-3
"""The relaxation is left when a round raises its value by a smaller share than this."""


def by_mip(search: PairSearch) -> None:
    """Search until incumbent and bound meet, or until the end."""
    _relax(search)
    search.context.stats["rounds"] = search.context.stats["nodes"] = 0
    nothing = np.zeros(len(search.points), bool)
    search.pairs.enforcing(search.points.cells(search.chosen), nothing)
    while not search.context.over:
        if not _round(search):
            break


def _relax(search: PairSearch) -> None:
    """Solve the linear relaxation with ever more pairs."""
    points, pairs = search.points, search.pairs
    solver, posted = _relaxation(search), []
    fresh, value, rounds = pairs.nearest(), -1.0, 0
    while len(fresh.first) and not search.context.over:
        _add_rows(solver, fresh)
        posted.append(fresh)
        solver.run()
        if solver.modelStatusToString(solver.getModelStatus()) != "Optimal":
            break
        rounds += 1
        before, value = value, solver.getInfo().objective_function_value
        relaxed = solver.getSolution()
        search.raise_bound(_priced(search, posted, np.array(relaxed.row_dual)))
        solution = np.clip(np.array(relaxed.col_value), 0, 1)
        x, r = solution[: points.n_features], solution[points.n_features :]
        search.offer(np.argsort(-x, kind="stable")[: search.depth])
        if value - before <= SLOW * value:
            break
        fresh = pairs.add(np.concatenate([*_broken(points, x, r), np.zeros((0, 2), np.int64)]))
    search.context.stats["relaxations"] = rounds


def _relaxation(search: PairSearch) -> Highs:
    """The linear relaxation without pairs, in a solver that goes on from where it is when rows are added."""
    solver: Highs = new_solver({"threads": search.context.limits.threads})
    points = search.points
    n, k = len(points), points.n_features
    nothing = np.zeros(0)
    cost = np.concatenate([np.zeros(k), points.weight]).astype(np.float64)
    none = np.zeros(0, np.int32)
    solver.addCols(k + n, cost, np.zeros(k + n), np.ones(k + n), 0, none, none, nothing)
    solver.addRow(-math.inf, float(search.depth), k, np.arange(k, dtype=np.int32), np.ones(k))

    def poll(event: Any) -> None:
        if search.context.due():
            event.interrupt()

    solver.cbSimplexInterrupt += poll
    return solver


def _add_rows(solver: Highs, fresh: SeparatedPairs) -> None:
    """A row for each pair."""
    n, k = fresh.features.shape
    row, feature = np.nonzero(fresh.features)
    every = np.arange(n)
    rows = np.concatenate([row, every, every])
    columns = np.concatenate([feature, k + fresh.first, k + fresh.second])
    order = np.argsort(rows, kind="stable")
    starts = np.searchsorted(rows[order], every).astype(np.int32)
    index = columns[order].astype(np.int32)
    solver.addRows(n, np.ones(n), np.full(n, math.inf), len(index), starts, index, np.ones(len(index)))


def _priced(search: PairSearch, posted: list[SeparatedPairs], prices: np.ndarray) -> int:
    """A bound of the relaxation, whatever the prices: at least 0 for each pair (y), and for the number of features (z).

        sum of y_p - H z + sum over f of min(0, z - sum of y_p with p on both sides of f)
                         + sum over points of min(0, w - sum of y_p of its pairs)

    Prices are rounded to whole parts of a unit first, so that it is counted exactly (weak duality).
    """
    points = search.points
    prices = np.maximum(np.append(-prices[:1], prices[1:]), 0)
    most = points.weight.sum(dtype=float) + (search.depth + 1) * float(prices[0]) + points.n_features * prices.sum()
    parts = next((parts for parts in PARTS if parts * (most + len(prices)) < LARGEST_SUM), None)
    if parts is None or not np.isfinite(most):
        return 0
    z, *y = np.split(np.rint(parts * prices).astype(np.int64), np.cumsum([1, *(len(p.first) for p in posted)])[:-1])
    by_feature = np.full(points.n_features, z[0])
    passed = parts * points.weight.astype(np.int64)
    for price, pairs in zip(y, posted, strict=True):
        by_feature -= price[price > 0] @ pairs.features[price > 0].astype(np.int64)
        np.subtract.at(passed, pairs.first, price)
        np.subtract.at(passed, pairs.second, price)
    total = sum(int(price.sum()) for price in y) - search.depth * int(z[0])
    total += int(np.minimum(by_feature, 0).sum() + np.minimum(passed, 0).sum())
    return max(0, -(-total // parts))


def _broken(points: ClaimedPoints, x: np.ndarray, r: np.ndarray) -> Iterator[np.ndarray]:
    """For each point the pair that a solution of the relaxation breaks most, if any, as int64 (n, 2)."""
    x, r = x.astype(np.float32), r.astype(np.float32)
    positive = np.flatnonzero(x)
    bits, x = points.floats[:, positive], x[positive]
    own = bits @ x
    for k in range(points.n_classes):
        these, those = np.flatnonzero(points.label == k), np.flatnonzero(points.label != k)
        if not len(these) or not len(those):
            continue
        step = max(1, BLOCK // len(those))
        for start in range(0, len(these), step):
            some = these[start : start + step]
            held = (own + r)[some, None] + (own + r)[those] - 2 * (bits[some] * x) @ bits[those].T
            least = held.argmin(axis=1)
            short = held[np.arange(len(some)), least] < 1 - BROKEN
            yield np.column_stack([some[short], those[least[short]]])


def _round(search: PairSearch) -> bool:
    """Solve the program with the known pairs; whether another round may help."""
    points, pairs = search.points, search.pairs
    k, n = points.n_features, len(points)
    program = _program(search)
    solutions: list[tuple[np.ndarray, np.ndarray]] = []

    def found(values: np.ndarray) -> None:
        whole = program.expand(values) > 0.5
        solutions.append((np.flatnonzero(whole[:k]), whole[k : k + n]))
        search.offer(solutions[-1][0])

    start = np.zeros(k + n + search.n_columns)
    start[search.chosen] = 1
    if search.n_columns:
        start[k + n + search.posted.features.family[search.chosen]] = 1
    # the points that are passed over where each cell answers its heaviest class
    cell = points.cells(search.chosen)
    start[k : k + n] = points.held(cell).argmax(axis=1)[cell] != points.label
    first = start[program.kept] if program.keeps(start) else None

    def bound(value: float, _: int) -> None:
        search.raise_bound(max(0, int(value)))

    request = SolverRequest.of(search.context, points.unit, first, found, bound, lambda: search.context.over)
    outcome, _ = solve_by([HiGHS()], program, request)
    search.context.stats["rounds"] += 1
    search.context.stats["nodes"] += outcome.nodes
    before = len(pairs)
    for chosen, paid in solutions:
        cell = points.cells(chosen)
        # what the solution breaks, and what makes these features cost what they cost whatever points are passed over
        pairs.enforcing(cell, paid)
        pairs.enforcing(cell, np.zeros(n, bool))
    return outcome.end is End.PROVED and len(pairs) > before


def _program(search: PairSearch) -> Any:
    points, known = search.points, search.pairs.known()
    model = ProgramBuilder()
    x = model.variables((points.n_features,), whole=True)
    r = model.variables((len(points),), whole=points.n_classes > 2)
    rules, family = search.posted.rules, search.posted.features.family
    uses = model.variables((search.n_columns,))
    model.charge(points.weight, r)
    model.at_most([(1, x[None])], search.depth)
    model.at_most([(-known.features.astype(float), x[None]), (-1, r[np.column_stack(known[:2])])], -1)
    if len(uses):
        model.at_most([(1, x[:, None]), (-1, uses[family][:, None])], 0)
    for both in rules.of(NeverBoth):
        model.at_most([(1, uses[np.isin(np.arange(len(uses)), (both.first, both.second))][None])], 1)
    for few in rules.of(FewColumns):
        model.at_most([(1, uses[None])], few.most)
    return model.program()
