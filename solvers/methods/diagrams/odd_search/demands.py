"""The constraints on a diagram, without its skeleton, as the local search uses them.

A decision diagram has one terminal per class, so a *leaf* of the shared rules is the set of all rows with one
prediction. A minimum of rows per leaf applies to the rows of every class in use. Purity limits, for each class, the
weight of its errors, which is a sum:

    sum over rows that get class k of  (share - [y_i = k]) w_i  <=  0
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

import numpy as np

from ....constraints import rules_of
from ....constraints.rules import (
    EVERY_RULE,
    FewColumns,
    MinNodeRowsRule,
    MustAppearRule,
    NeverBoth,
    PathCost,
    PrecedenceRule,
    PrerequisiteRule,
    RuleListRule,
    TestCosts,
)
from ....magnitude import LARGEST_WEIGHTED
from ....problem import Problem, ShapeKind
from ...base import Unsupported, only_kind, uncounted, unposted
from ...purity import with_purity
from .grid import ENOUGH, DiagramGrid, follows_columns

if TYPE_CHECKING:
    from ....kernels.odd_rules import ConstraintArrays, CostTables

MOST_COLUMNS = 62
"""The largest number of columns that can be tracked along paths: the bits of a word."""


def unsupported(title: str, problem: Problem) -> Iterator[Unsupported]:
    """The reasons why a problem with univariate splits is refused."""
    reasons = [*only_kind(ShapeKind.DIAGRAM, title, problem), *unposted(title, problem, EVERY_RULE)]
    yield from reasons
    if reasons:
        return
    rules = rules_of(problem)
    sums = with_purity(problem, rules)
    # the total excess of all sums over their limits is counted as well
    yield from uncounted(title, problem, sums, LARGEST_WEIGHTED // max(1, len(sums.sums)))
    if follows_columns(rules) and problem.dataset.n_columns > MOST_COLUMNS:
        yield Unsupported(
            f"Constraints on the order or number of columns, with this many columns: {problem.dataset.n_columns}",
            f"{title} follows at most {MOST_COLUMNS} columns along a path.",
            "Leave out columns, or remove these constraints.",
        )


def demands_of(grid: DiagramGrid) -> ConstraintArrays:
    """The constraints of a problem in the arrays of the kernels."""
    from ....kernels.odd_rules import no_demands

    problem, rules, column = grid.problem, grid.rules, grid.column
    size = problem.size
    plain = no_demands(len(column), len(rules.sums))
    few = size.min_samples_leaf > 1 or problem.min_weight_leaf > 1 or size.max_leaf_nodes is not None
    if not rules and not few:
        return plain
    barred, needed = np.zeros(len(column), np.int64), np.zeros(len(column), np.int64)
    for rule in rules.of(PrecedenceRule):
        barred[column == rule.lower] |= 1 << rule.upper
    for rule in rules.of(PrerequisiteRule):
        needed[column == rule.column] |= 1 << rule.upper
    limits = rules.of(PathCost)
    sums = [(s, rule.tests, rule.test_weight) for s, rule in enumerate(rules.sums)]
    tested = [(s, tests, weight) for s, tests, weight in sums if tests is not None and weight is not None]
    n_cells, paying = len(grid.cases), [grid.cases.total(weight) for _, _, weight in tested]
    return plain._replace(
        any=True,
        node_rows=max([0, *(rule.rows for rule in rules.of(MinNodeRowsRule))]),
        leaf_rows=size.min_samples_leaf,
        leaf_weight=problem.min_weight_leaf,
        leaves=ENOUGH if size.max_leaf_nodes is None else size.max_leaf_nodes,
        bit=column if grid.follows_columns else plain.bit,
        barred=barred,
        needed=needed,
        paths=_cost_tables([rule.costs for rule in limits]),
        limit=np.array([rule.limit for rule in limits], np.int64),
        never=np.array([1 << rule.first | 1 << rule.second for rule in rules.of(NeverBoth)], np.int64),
        columns=min([ENOUGH, *(rule.most for rule in rules.of(FewColumns))]),
        must=reduce(or_, (1 << rule.column for rule in rules.of(MustAppearRule)), 0),
        chain=bool(rules.of(RuleListRule)),
        fixed=grid.fixed,
        pairs=grid.pairs,
        height=grid.height,
        per_leaf=np.array([rule.per_leaf for rule in rules.sums], np.int64),
        tests=_cost_tables([costs for _, costs, _ in tested]),
        tested=np.array([s for s, _, _ in tested], np.int64),
        paying=np.array(paying, np.int64).reshape(len(tested), n_cells if tested else 0),
    )


def _cost_tables(costs: list[TestCosts]) -> CostTables:
    """Costs by table and column, and by table and group its columns as bits and its cost."""
    from ....kernels.odd_rules import CostTables

    most = max([0, *(len(c.groups) for c in costs)])
    group, shared = np.zeros((len(costs), most), np.int64), np.zeros((len(costs), most), np.int64)
    for p, cost in enumerate(costs):
        for g, (columns, price) in enumerate(cost.groups):
            group[p, g], shared[p, g] = sum(1 << c for c in columns), price
    own = np.array([cost.own for cost in costs], np.int64).reshape(len(costs), -1 if costs else 0)
    return CostTables(own, group, shared)
