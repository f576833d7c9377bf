"""The rules of a problem as the arrays that the kernels read (see `kernels.coupling`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from solvers.constraints.rules import (
    Allowed,
    Apart,
    FewColumns,
    MustAppear,
    NeverBoth,
    NotBelow,
    OnlyBelow,
    PathCost,
    Pure,
    Rules,
    Sum,
    TestCosts,
    ThresholdRange,
    Together,
)
from solvers.kernels.coupling import LeafRules, PathRules, Sums, TreeRules
from solvers.problem import Op, Orders, Problem

MOST_BITS = 62
NO_LIMIT = 1 << 60


@dataclass(frozen=True)
class Posted:
    """A problem with its rules as arrays.

    Attributes
    ----------
    orders : the orders that may be asked, with ranks joined where no threshold may lie between them.
    position : int64 (F,), where each stands among the problem's orders.
    lasts : for each order, the original rank behind which the threshold of each joined rank lies.
    row : int64 (n_samples,), the row of the arrays that stands for each row of the table.
    sums : number 0 is the objective; limits : int64 (Q,), of the objective too (no limit).
    fixed : what the sums are for a tree without splits besides its leaf, int64 (Q,).
    """

    orders: Orders
    position: np.ndarray
    lasts: tuple[np.ndarray, ...]
    row: np.ndarray
    paths: PathRules
    leaves: LeafRules
    trees: TreeRules
    sums: Sums
    limits: np.ndarray
    fixed: np.ndarray


def post(problem: Problem, orders: Orders, rules: Rules) -> Posted:
    """Write the rules of a problem, all but fixed questions and monotone columns, as arrays."""
    orders, position, lasts = _permitted_orders(orders, rules)
    rules = with_leaves_as_sum(problem, rules)
    bits = _bits(problem, rules)
    rank, row = np.unique(orders.rank, axis=1, return_inverse=True)
    row = row.ravel()
    orders = replace(orders, rank=np.ascontiguousarray(rank))
    return Posted(
        orders,
        position,
        lasts,
        row,
        _path_rules(orders, rules, bits),
        _leaf_rules(problem, rules, row),
        _tree_rules(orders, rules, bits),
        _sums(problem, orders, rules, row),
        np.array([NO_LIMIT, *(rule.limit for rule in rules.sums)], np.int64),
        np.array([0, *(rule.per_leaf for rule in rules.sums)], np.int64),
    )


def _permitted_orders(orders: Orders, rules: Rules) -> tuple[Orders, np.ndarray, tuple[np.ndarray, ...]]:
    """The orders that may be asked somewhere, with ranks joined where no threshold may lie between them.

    A question 'rank <= t' is permitted where the gap behind the value of rank t holds a permitted threshold. A boundary
    that is not permitted is treated as the two values were equal: nothing can come between them.
    """
    everywhere = [rule.columns for rule in rules.of(Allowed) if not rule.at_root]
    kept, ranks, lasts = [], [], []
    for i, spec in enumerate(orders.orders):
        column, rank = int(orders.column[i]), orders.rank[i]
        permitted = np.ones(int(rank.max()), bool)
        if spec.op is Op.LE:
            permitted = _permitted_gaps(spec.values, [r for r in rules.of(ThresholdRange) if r.column == column])
        if permitted.any() and all(column in columns for columns in everywhere):
            kept.append(i)
            lasts.append(np.flatnonzero(permitted))
            ranks.append(np.concatenate(([0], np.cumsum(permitted)))[rank])
    if not kept:
        # the kernels need one order to go through the rows: one that cannot split them
        nothing = np.zeros((1, orders.rank.shape[1]), np.int32)
        none = np.full(1, -1, np.int32)
        return Orders(orders.orders[:0], nothing, np.zeros(1, np.int32), none, none), np.zeros(1, np.int64), (none,)
    place = {old: new for new, old in enumerate(kept)}
    twin = np.array([place.get(t, -1) for t in orders.twin[kept].tolist()], np.int32)
    rank = np.ascontiguousarray(np.array(ranks, np.int32).reshape(len(kept), orders.rank.shape[1]))
    # the missing are the first or the last of an order, and stay it
    missing = np.minimum(orders.missing_rank[kept], rank.max(axis=1, initial=0)).astype(np.int32)
    narrowed = Orders(tuple(orders.orders[i] for i in kept), rank, orders.column[kept], twin, missing)
    return narrowed, np.array(kept, np.int64), tuple(lasts)


def _permitted_gaps(values: np.ndarray, ranges: list[ThresholdRange]) -> np.ndarray:
    """Whether a threshold may lie behind each value but the last; a question for the missing has none."""
    low, high = values[:-1], values[1:]
    permitted = np.ones(len(low), bool)
    for rule in ranges:
        first, second = np.minimum(low, high), np.maximum(low, high)
        permitted &= np.isnan(low) | np.isnan(high) | ((first <= rule.high) & (second > rule.low))
    return permitted


def _bits(problem: Problem, rules: Rules) -> dict[int, int]:
    """A bit for every column that a rule about paths or trees speaks of."""
    columns: set[int] = set()
    for rule in rules.of(NotBelow):
        columns |= {rule.upper, rule.lower}
    for rule in rules.of(OnlyBelow):
        columns |= {rule.column, rule.upper}
    for costs in _cost_tables(rules):
        columns |= {c for c, cost in enumerate(costs.own) if cost} | {c for group, _ in costs.groups for c in group}
    for rule in rules.of(MustAppear):
        columns.add(rule.column)
    for rule in rules.of(NeverBoth):
        columns |= {rule.first, rule.second}
    if rules.of(FewColumns):
        columns |= set(range(len(problem.dataset.schema)))
    return {column: 1 << i for i, column in enumerate(sorted(columns))}


def with_leaves_as_sum(problem: Problem, rules: Rules) -> Rules:
    """The rules, and the largest number of leaves as a sum to which each leaf adds 1."""
    leaves = problem.size.leaves
    if leaves is None or leaves >= 2**problem.size.depth:
        return rules
    nothing = np.zeros((problem.dataset.n_samples, problem.dataset.n_classes), np.int64)
    return replace(rules, sums=(*rules.sums, Sum(nothing, leaves, per_leaf=1)))


def n_bits(problem: Problem, rules: Rules) -> int:
    """How many columns the rules speak of; at most `MOST_BITS` can be taken."""
    return len(_bits(problem, rules))


def _mask(bits: dict[int, int], columns) -> int:
    return reduce(lambda mask, column: mask | bits.get(column, 0), columns, 0)


def _cost_tables(rules: Rules) -> list[TestCosts]:
    return [rule.costs for rule in rules.of(PathCost)] + [rule.tests for rule in rules.of(Sum) if rule.tests]


def _path_rules(orders: Orders, rules: Rules, bits: dict[int, int]) -> PathRules:
    columns, tables = orders.column.tolist(), _cost_tables(rules)
    n_groups = max((len(costs.groups) for costs in tables), default=0)
    barred = {c: _mask(bits, [r.upper for r in rules.of(NotBelow) if r.lower == c]) for c in columns}
    needed = {c: _mask(bits, [r.upper for r in rules.of(OnlyBelow) if r.column == c]) for c in columns}
    at_root = [rule.columns for rule in rules.of(Allowed) if rule.at_root]
    group, group_cost = np.zeros((2, len(tables), n_groups), np.int64)
    for t, costs in enumerate(tables):
        for g, (together, cost) in enumerate(costs.groups):
            group[t, g], group_cost[t, g] = _mask(bits, together), cost
    limits = [rule.limit for rule in rules.of(PathCost)]
    return PathRules(
        bit=np.array([bits.get(c, 0) for c in columns], np.int64),
        barred=np.array([barred[c] for c in columns], np.int64),
        needed=np.array([needed[c] for c in columns], np.int64),
        root=np.array([all(c in allowed for allowed in at_root) for c in columns], np.uint8),
        own=np.array([[costs.own[c] for c in columns] for costs in tables], np.int64).reshape(
            len(tables), len(columns)
        ),
        group=group,
        group_cost=group_cost,
        limit=np.array(limits + [NO_LIMIT] * (len(tables) - len(limits)), np.int64),
    )


def _leaf_rules(problem: Problem, rules: Rules, row: np.ndarray) -> LeafRules:
    def pairs(kind: type) -> np.ndarray:
        return row[np.array([pair for rule in rules.of(kind) for pair in rule.pairs], np.int64).reshape(-1, 2)]

    pure = [(-1 if r.label is None else r.label, r.share.numerator, r.share.denominator) for r in rules.of(Pure)]
    by_class = np.zeros((row.max() + 1, problem.dataset.n_classes), np.int64)
    np.add.at(by_class, (row, problem.dataset.y), problem.weights)
    return LeafRules(
        least=np.array([problem.size.min_leaf, problem.min_leaf_weight], np.int64),
        number=np.bincount(row).astype(np.int64),
        by_class=by_class,
        pure=np.array(pure, np.int64).reshape(-1, 3),
        together=pairs(Together),
        apart=pairs(Apart),
    )


def _tree_rules(orders: Orders, rules: Rules, bits: dict[int, int]) -> TreeRules:
    few = rules.of(FewColumns)
    never = [_mask(bits, (rule.first, rule.second)) for rule in rules.of(NeverBoth)]
    limited = _mask(bits, bits) if few else reduce(int.__or__, never, 0)
    wanted = _mask(bits, [rule.column for rule in rules.of(MustAppear)])
    own = [bits.get(c, 0) for c in orders.column.tolist()]
    return TreeRules(
        asked=np.array([bit & limited for bit in own], np.int64),
        seen=np.array([bit & wanted for bit in own], np.int64),
        never=np.array(never, np.int64),
        most=np.array(min((rule.most for rule in few), default=MOST_BITS), np.int64),
    )


def wanted_columns(problem: Problem, rules: Rules) -> int:
    """The mask of all columns that must appear, also of those that no order asks about."""
    return _mask(_bits(problem, rules), [rule.column for rule in rules.of(MustAppear)])


def _sums(problem: Problem, orders: Orders, rules: Rules, row: np.ndarray) -> Sums:
    n, n_classes = problem.dataset.n_samples, problem.dataset.n_classes
    amount = np.empty((n, n_classes, 1 + len(rules.sums)), np.int64)
    amount[:, :, 0] = problem.weights[:, None] * problem.class_costs[problem.dataset.y]
    test, weights = [-1], [np.zeros(n, np.int64) for _ in rules.of(PathCost)]
    for q, rule in enumerate(rules.sums, 1):
        amount[:, :, q] = rule.by_label
        test.append(len(weights) if rule.tests else -1)
        if rule.tests:
            weights.append(rule.test_weight)
    return Sums(
        rank=orders.rank,
        amount=_added_up(amount, row),
        per_split=np.array([problem.split_cost, *(rule.per_leaf for rule in rules.sums)], np.int64),
        test=np.array(test, np.int64),
        test_weight=np.ascontiguousarray(_added_up(np.array(weights, np.int64).reshape(len(weights), n).T, row).T),
    )


def _added_up(values: np.ndarray, row: np.ndarray) -> np.ndarray:
    """The values of the rows of the table, added up for each row that stands for them."""
    total = np.zeros((row.max() + 1, *values.shape[1:]), np.int64)
    np.add.at(total, row, values)
    return total
