"""The rules of a problem as the arrays that the kernels read (see `kernels.coupled_rules`)."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, reduce

import numpy as np

from ....constraints.rules import (
    ApartRule,
    FewColumns,
    FixedQuestion,
    MinNodeRowsRule,
    Monotone,
    MustAppearRule,
    PathCost,
    PrerequisiteRule,
    Pure,
    RuleListRule,
    Rules,
    Sum,
    TogetherRule,
)
from ....kernels.coupled_rules import LeafRules, Sums, TreeRules
from ....kernels.path_rules import PathRuleArrays
from ....magnitude import LARGEST_WEIGHTED, sum_of
from ....problem import Kind, Op, Orders, Problem
from ....problem.orders import Where
from ...cases import Cases, cases_of
from ...purity import purity_sums
from ..path_rules import SearchSpace, search_space
from .supported import columns_followed

NO_LIMIT = 1 << 60


@dataclass(frozen=True)
class Posted:
    """A problem with its rules as arrays.

    Attributes
    ----------
    space : the splits under the path rules.
    orders : `space.searched` with the ranks of the rows of the arrays.
    row : int64 (n_samples,), the row of the arrays for each row of the table.
    ruling : which split may follow which, and the tables of test costs: first those that limit a path.
    sums : number 0 is the objective; limits : int64 (Q,), including the objective (no limit).
    fixed : the sums of a tree without splits, excluding its leaf, int64 (Q,).
    wanted : the mask of all columns that must appear, including those without an order.
    depth : the maximum depth.
    implied : the numbers of the sums whose limits follow from leaf rules: every tree satisfies them, and they only
        improve bounds.
    monotone : the monotone columns.
    chain : whether one side of every split must be a leaf.
    reached : the minimum number of rows of every internal node.
    """

    space: SearchSpace
    orders: Orders
    row: np.ndarray
    ruling: PathRuleArrays
    leaves: LeafRules
    trees: TreeRules
    sums: Sums
    limits: np.ndarray
    fixed: np.ndarray
    wanted: int
    depth: int
    implied: tuple[int, ...]
    monotone: frozenset[int]
    chain: bool
    reached: int

    @cached_property
    def by_rank(self) -> np.ndarray:
        """The rows of the arrays by their rank in each order, int32 (n_orders, n)."""
        return np.argsort(self.orders.rank, axis=1, kind="stable").astype(np.int32)


def post(problem: Problem, orders: Orders, rules: Rules) -> Posted:
    """Write the rules of a problem as arrays; those about monotone columns only as far as single splits go."""
    rules = _with_leaves_as_sum(problem, rules)
    # leaf purity implies that the sum over all leaves is within its limit, which multipliers can use
    implied = [
        Sum(np.sum([part.by_label for part in purity_sums(problem, rule)], axis=0), 0)
        for rule in rules.of(Pure)
        if sum_of(problem.weights) * rule.share.denominator <= LARGEST_WEIGHTED
    ]
    n_implied = len(implied)
    rules = replace(rules, sums=(*rules.sums, *implied))
    space = search_space(problem, orders, rules, [rule.tests for rule in rules.sums if rule.tests])
    searched, ruling = space.searched, space.ruling
    if not len(searched):
        # the kernels need one order to iterate over the rows: one without splits
        none = np.full(1, -1, np.int32)
        nothing = np.zeros((1, problem.dataset.n_samples), np.int32)
        searched = Orders((), nothing, np.zeros(1, np.int32), none, none)
        alone = np.zeros(1, np.int64)
        ruling = ruling._replace(number=alone - 1, barred=alone, needed=alone, root=alone)
    cases = cases_of(problem, searched.rank)
    searched = replace(searched, rank=np.ascontiguousarray(searched.rank[:, cases.first]))
    bits = columns_followed(problem, rules)
    return Posted(
        space,
        searched,
        cases.of_row,
        ruling,
        _leaf_rules(problem, rules, cases),
        _tree_rules(searched, rules, bits, problem.dataset.n_classes),
        _sums(problem, searched, rules, cases),
        np.array([NO_LIMIT, *(min(rule.limit, NO_LIMIT) for rule in rules.sums)], np.int64),
        np.array([0, *(rule.per_leaf for rule in rules.sums)], np.int64),
        _mask(bits, [rule.column for rule in rules.of(MustAppearRule)]),
        problem.size.max_depth,
        tuple(range(1 + len(rules.sums) - n_implied, 1 + len(rules.sums))),
        frozenset(rule.column for rule in rules.of(Monotone)),
        bool(rules.of(RuleListRule)),
        max((rule.rows for rule in rules.of(MinNodeRowsRule)), default=0),
    )


def _with_leaves_as_sum(problem: Problem, rules: Rules) -> Rules:
    """The rules, with the leaf limit as a sum to which each leaf adds 1."""
    leaves = problem.size.max_leaf_nodes
    if leaves is None or leaves >= 2**problem.size.max_depth:
        return rules
    nothing = np.zeros((problem.dataset.n_samples, problem.dataset.n_classes), np.int64)
    return replace(rules, sums=(*rules.sums, Sum(nothing, leaves, per_leaf=1)))


def _mask(bits: dict[int, int], columns: Iterable[int]) -> int:
    return reduce(lambda mask, column: mask | bits.get(column, 0), columns, 0)


def _leaf_rules(problem: Problem, rules: Rules, cases: Cases) -> LeafRules:
    pure = [(-1 if r.label is None else r.label, r.share.numerator, r.share.denominator) for r in rules.of(Pure)]
    return LeafRules(
        least=np.array([problem.size.min_samples_leaf, problem.min_weight_leaf], np.int64),
        number=cases.rows,
        by_class=cases.class_weight,
        pure=np.array(pure, np.int64).reshape(-1, 3),
        together=cases.pairs(rules.of(TogetherRule)),
        apart=cases.pairs(rules.of(ApartRule)),
    )


def _tree_rules(orders: Orders, rules: Rules, bits: dict[int, int], n_classes: int) -> TreeRules:
    few = [(_mask(bits, rule.columns), rule.most) for rule in rules.of(FewColumns)]
    limited = reduce(int.__or__, (mask for mask, _ in few), 0)
    wanted = _mask(bits, [rule.column for rule in rules.of(MustAppearRule)])
    own = [bits.get(c, 0) for c in orders.column.tolist()]
    return TreeRules(
        column_mark=np.array([bit & limited for bit in own], np.int64),
        seen=np.array([bit & wanted for bit in own], np.int64),
        climb=_climb(orders, rules, n_classes),
        few=np.array(few, np.int64).reshape(-1, 2),
        trim=np.array(int(_may_be_trimmed(rules)), np.int64),
    )


def _may_be_trimmed(rules: Rules) -> bool:
    """Whether a leaf may replace splits whose leaves all predict one class, if all trees must be kept.

    The leaf violates only rules that need the splits: cannot-link, prerequisites and fixed splits.
    """
    return bool(rules.of(Monotone)) and not (
        rules.of(ApartRule) or rules.of(PrerequisiteRule) or rules.of(FixedQuestion)
    )


def _climb(orders: Orders, rules: Rules, n_classes: int) -> np.ndarray:
    """By order, the positions of the predictions that may not decrease from its first side to its second.

    Only if all values are known (the rule does not cover missing ones) and one rule covers the column. This rules out
    single splits early; whole trees are checked against the rule itself.
    """
    climb = np.zeros((len(orders.rank), n_classes), np.int64)
    counts = Counter(rule.column for rule in rules.of(Monotone))
    for rule in rules.of(Monotone):
        if counts[rule.column] > 1:
            continue
        for f, spec in enumerate(orders.orders):
            if orders.column[f] == rule.column and spec.op is Op.LE and spec.where in (Where.NOWHERE, Where.FILLED):
                falls = (spec.column.kind is Kind.BINARY) == rule.rising
                place = np.argsort(rule.order) + 1
                climb[f] = -place if falls else place
    return climb


def _sums(problem: Problem, orders: Orders, rules: Rules, cases: Cases) -> Sums:
    n = problem.dataset.n_samples
    test, weights = [-1], [np.zeros(n, np.int64) for _ in rules.of(PathCost)]
    for rule in rules.sums:
        test.append(len(weights) if rule.tests else -1)
        if rule.test_weight is not None:
            weights.append(rule.test_weight)
    by_test = np.array(weights, np.int64).reshape(len(weights), n)
    return Sums(
        rank=orders.rank,
        amount=cases.amounts(rules.sums),
        per_split=np.array([problem.split_penalty, *(rule.per_leaf for rule in rules.sums)], np.int64),
        test=np.array(test, np.int64),
        test_weight=np.ascontiguousarray(cases.total(by_test.T).T),
    )
