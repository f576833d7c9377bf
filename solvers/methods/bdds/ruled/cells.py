"""Sums and constraints over the cells of a set of splits, in the arrays of `kernels.bdd_rules`."""

from collections.abc import Sequence
from functools import cache
from itertools import permutations, product

import numpy as np

from ....constraints.monotone import has_smaller, whole_domain
from ....constraints.rules import (
    Allowed,
    ApartRule,
    MinNodeRowsRule,
    Monotone,
    PathCost,
    PrecedenceRule,
    PrerequisiteRule,
    RuleListRule,
    TogetherRule,
)
from ....diagram import ColumnDomain
from ....kernels.bdd_rules import ConstrainedNodes
from ....kernels.pairs import DIFFERENT, SAME
from .rules import Posted
from .weighting import Weighting

PathTables = tuple[np.ndarray, np.ndarray]


@cache
def orders_of(n: int, every: bool) -> np.ndarray:
    """All orders of n positions, or only the given one, int64 (n_orders, n)."""
    return np.array(list(permutations(range(n))) if every else [tuple(range(n))], np.int64)


def ruled_by(
    posted: Posted,
    weighting: Weighting,
    chosen: Sequence[int],
    most_cost: int,
    tables: dict[tuple[int, ...], PathTables],
) -> ConstrainedNodes:
    """The cells of some features, in the given order, under the rules; `tables` caches path tables and is extended."""
    h, features = len(chosen), posted.features
    cell = np.zeros(len(features.rows), np.int64)
    for f in chosen:
        cell = 2 * cell + features.rows[:, f]
    n_cells, n_rows = 2**h, len(cell)
    amounts = np.concatenate(
        [
            weighting.value.reshape(n_rows, -1),
            posted.value.reshape(n_rows, -1),
            posted.tested,
            features.cases.rows[:, None],
            features.cases.weight[:, None],
        ],
        axis=1,
    )
    total = np.zeros((n_cells, amounts.shape[1]), np.int64)
    np.add.at(total, cell, amounts)
    n_quantities, n_classes = posted.value.shape[1:]
    n_values = (1 + n_quantities) * n_classes
    values, tested, sizes = total[:, :n_values], total[:, n_values:-2], total[:, -2:]
    zero = np.zeros((n_cells, 1), np.int64)
    pairs, ranks = _pairs(posted, chosen, cell)
    family = tuple(int(c) for c in features.family[list(chosen)])
    if family not in tables:
        tables[family] = path_tables(posted, family)
    prices, allowed = tables[family]
    size, objective = posted.problem.size, posted.problem.objective
    far = 2**60
    return ConstrainedNodes(
        value=np.ascontiguousarray(values.reshape(n_cells, 1 + n_quantities, n_classes).transpose(1, 0, 2)),
        tested=np.ascontiguousarray(np.concatenate([zero, tested], axis=1).T),
        price=prices,
        share=weighting.share,
        allowed=allowed,
        fixed=_fix(posted, chosen),
        pair=pairs,
        rank=ranks,
        rows=np.ascontiguousarray(sizes[:, 0]),
        weight=np.ascontiguousarray(sizes[:, 1]),
        size=np.array(
            [
                max([0, *(rule.rows for rule in posted.rules.of(MinNodeRowsRule))]),
                size.min_samples_leaf,
                posted.problem.min_weight_leaf,
                n_classes if size.max_leaf_nodes is None else size.max_leaf_nodes,
                far if size.max_splits is None else size.max_splits,
                posted.problem.split_penalty,
                int(objective.free_root),
                most_cost,
                bool(posted.rules.of(RuleListRule)),
            ],
            np.int64,
        ),
        whole=np.array([posted.by_support, not posted.all_cells], np.uint8),
    )


def path_tables(posted: Posted, family: tuple[int, ...]) -> PathTables:
    """The rules for paths whose positions split on these columns.

    Returns
    -------
    int64 (2 + Q, 2**h), the cost of tests of each quantity by the set of positions on the path, the first position as
    the highest bit; and uint8 (h, 2**h), whether each position may be placed below the positions of a set.
    """
    h, rules = len(family), posted.rules
    prices = np.zeros((1 + posted.value.shape[1], 2**h), np.int64)
    allowed = np.ones((h, 2**h), np.uint8)
    if not posted.in_order:
        return prices, allowed
    above = [frozenset(c for p, c in enumerate(family) if mask >> (h - 1 - p) & 1) for mask in range(2**h)]

    def has(column: int) -> np.ndarray:
        return np.array([column in columns for columns in above])

    for q, rule in enumerate(rules.sums, 2):
        if rule.tests is not None:
            prices[q] = [rule.tests.of(columns) for columns in above]
    for below in rules.of(PrecedenceRule):
        for p in (p for p in range(h) if family[p] == below.lower):
            allowed[p] &= ~has(below.upper)
    for only in rules.of(PrerequisiteRule):
        for p in (p for p in range(h) if family[p] == only.column):
            allowed[p] &= has(only.upper)
    for root in rules.of(Allowed):
        for p in (p for p in range(h) if root.at_root and family[p] not in root.columns):
            allowed[p, 0] = 0
    for limit in rules.of(PathCost):
        affordable = np.array([limit.costs.of(columns) <= limit.limit for columns in above])
        for p in range(h):
            allowed[p] &= affordable[np.arange(2**h) | 1 << (h - 1 - p)]
    return prices, allowed


def _fix(posted: Posted, chosen: Sequence[int]) -> np.ndarray:
    """The required position after each sequence of split results, int64 (2**(h + 1),), -1 for any."""
    fixed = np.full(2 ** (len(chosen) + 1), -1, np.int64)
    for place, feature in posted.fixed.items():
        answers = 1
        for answer in place:
            answers = 2 * answers + answer
        if answers < len(fixed):
            fixed[answers] = list(chosen).index(feature)
    return fixed


def _pairs(posted: Posted, chosen: Sequence[int], cell: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of cells with linked predictions, int64 (n, 3), and the rankings of the classes."""
    rules, cases = posted.rules, posted.features.cases
    pairs = {
        (*sorted(pair), relation)
        for kind, relation in ((TogetherRule, SAME), (ApartRule, DIFFERENT))
        for pair in cell[cases.pairs(rules.of(kind))].tolist()
    }
    for n, rule in enumerate(rules.of(Monotone)):
        pairs |= {(low, high, n) for low, high in _rising(posted, chosen, rule.column)}
    ranks = np.array([rule.height for rule in rules.of(Monotone)], np.int64)
    return np.array(sorted(pairs), np.int64).reshape(-1, 3), ranks.reshape(-1, posted.problem.dataset.n_classes)


def _rising(posted: Posted, chosen: Sequence[int], column: int) -> set[tuple[int, int]]:
    """The pairs of cells between which raising a column, all else equal, moves some conceivable row."""
    dataset, features, h = posted.problem.dataset, posted.features, len(chosen)
    if column not in features.family[list(chosen)]:
        return set()
    domains: dict[int, list[ColumnDomain]] = {}
    for other in {int(c) for c in features.family[list(chosen)]}:
        own = [p for p in range(h) if features.family[chosen[p]] == other]
        whole = whole_domain(dataset, dataset.schema.names[other])
        domains[other] = []
        for answers in product((0, 1), repeat=h):
            domain = whole
            for p in own:
                domain = domain.within(features.predicates[chosen[p]], bool(answers[p]))
            domains[other].append(domain)
    there = [
        all(at[c].has_known or at[c].missing for other, at in domains.items() if other != column) for c in range(2**h)
    ]
    same = sum(1 << (h - 1 - p) for p in range(h) if features.family[chosen[p]] != column)
    at = domains[column]
    return {
        (low, high)
        for low in range(2**h)
        for high in range(2**h)
        if low != high and there[low] and (low ^ high) & same == 0 and has_smaller(at[low], at[high])
    }
