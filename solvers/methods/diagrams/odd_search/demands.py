"""What a diagram has to keep besides its skeleton, as the local search knows it.

A decision diagram has one terminal for each class, so a *leaf* of the shared language is the set of all rows that get
one answer: a minimum of rows per leaf asks that every answer in use is given to so many rows, and a purity that so
large a share of those who get an answer are of that class, which is a sum:

    sum over rows that get class k of  (share - [y_i = k]) w_i  <=  0
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from solvers.constraints import rules_of
from solvers.constraints.rules import (
    Allowed,
    FewColumns,
    NeverBoth,
    NotBelow,
    OnlyBelow,
    PathCost,
    Pure,
    Reached,
    Sum,
    TestCosts,
    ThresholdRange,
)
from solvers.magnitude import LARGEST_WEIGHTED
from solvers.methods.base import Unsupported, only_kind, uncounted, unposted
from solvers.methods.diagrams.odd_search.grid import ENOUGH, DiagramGrid
from solvers.methods.purity import with_purity
from solvers.problem import Problem, ShapeKind

if TYPE_CHECKING:
    from solvers.kernels.odd_rules import Demands

POSTS = (Allowed, ThresholdRange, NotBelow, OnlyBelow, PathCost, NeverBoth, FewColumns, Reached, Sum, Pure)
"""The classes of rule that are kept."""

BY_COLUMN = (NotBelow, OnlyBelow, PathCost, NeverBoth, FewColumns)
"""Those for which the columns on paths are followed."""

MOST_COLUMNS = 62
"""Columns that can be followed along paths: the bits of a word."""


def unsupported(title: str, problem: Problem) -> Iterator[Unsupported]:
    """Why a problem whose questions are about one column each cannot be taken."""
    reasons = [*only_kind(ShapeKind.DIAGRAM, title, problem), *unposted(title, problem, POSTS)]
    yield from reasons
    if reasons:
        return
    rules = rules_of(problem)
    if any(rule.tests is not None or rule.per_leaf for rule in rules.sums):
        yield Unsupported(
            "A limit of what tests cost on average",
            f"{title} keeps limits of what the tests of one path cost, and sums over answers.",
            "Limit the cost for one case instead, or leave the constraint out.",
        )
    sums = with_purity(problem, rules)
    # what all sums together are above their limits is counted as well
    yield from uncounted(title, problem, sums, LARGEST_WEIGHTED // max(1, len(sums.sums)))
    if rules.kinds & set(BY_COLUMN) and problem.dataset.n_columns > MOST_COLUMNS:
        yield Unsupported(
            f"Constraints about the order or number of columns, of which there are {problem.dataset.n_columns}",
            f"{title} follows at most {MOST_COLUMNS} columns along a path.",
            "Leave out columns, or these constraints.",
        )


def demands_of(grid: DiagramGrid) -> Demands:
    """The demands of a problem in the arrays of the kernels."""
    from solvers.kernels.odd_rules import Demands, no_demands

    problem, rules = grid.problem, rules_of(grid.problem)
    size, n_orders = problem.size, grid.n_orders
    plain = no_demands(n_orders)
    few = size.min_samples_leaf > 1 or problem.min_leaf_weight > 1 or size.max_leaf_nodes is not None
    if not rules and not few:
        return plain
    passing = 0 if grid.passing is None else problem.dataset.schema.index(grid.passing.column)
    column = np.append(grid.space.searched.column, passing).astype(np.int64)
    followed = bool(rules.kinds & set(BY_COLUMN))
    barred, needed = np.zeros(n_orders + 1, np.int64), np.zeros(n_orders + 1, np.int64)
    for rule in rules.of(NotBelow):
        barred[column == rule.lower] |= 1 << rule.upper
    for rule in rules.of(OnlyBelow):
        needed[column == rule.column] |= 1 << rule.upper
    own, limit, group, shared = _path_costs(rules.of(PathCost))
    return Demands(
        True,
        max([0, *(rule.rows for rule in rules.of(Reached))]),
        size.min_samples_leaf,
        problem.min_leaf_weight,
        ENOUGH if size.max_leaf_nodes is None else size.max_leaf_nodes,
        column if followed else np.zeros(n_orders + 1, np.int64),
        barred,
        needed,
        own,
        limit,
        group,
        shared,
        np.array([1 << rule.first | 1 << rule.second for rule in rules.of(NeverBoth)], np.int64),
        min([ENOUGH, *(rule.most for rule in rules.of(FewColumns))]),
    )


def _path_costs(limits: tuple[PathCost, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Costs by limit and column, the limits, and by limit and group its columns as bits and its cost."""
    costs: list[TestCosts] = [rule.costs for rule in limits]
    most = max([0, *(len(c.groups) for c in costs)])
    group, shared = np.zeros((len(costs), most), np.int64), np.zeros((len(costs), most), np.int64)
    for p, cost in enumerate(costs):
        for g, (columns, price) in enumerate(cost.groups):
            group[p, g], shared[p, g] = sum(1 << c for c in columns), price
    own = np.array([cost.own for cost in costs], np.int64).reshape(len(costs), -1 if costs else 0)
    return own, np.array([rule.limit for rule in limits], np.int64), group, shared
