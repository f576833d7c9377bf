"""What path rules permit for single splits, and as masks of the columns on a path: columns, thresholds and costs."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ..constraints.rules import Allowed, PrecedenceRule, PrerequisiteRule, Rules, TestCosts, ThresholdRange
from ..problem.threshold_set import ThresholdSet

EVERYWHERE = ThresholdSet()


def permitted_columns(rules: Rules, n_columns: int) -> frozenset[int]:
    """The columns that may be used somewhere."""
    return frozenset(range(n_columns)).intersection(*(rule.columns for rule in rules.of(Allowed) if not rule.at_root))


def permitted_thresholds(rules: Rules) -> dict[int, ThresholdSet]:
    """The thresholds of each column whose thresholds are restricted."""
    permitted: dict[int, ThresholdSet] = {}
    for rule in rules.of(ThresholdRange):
        permitted[rule.column] = permitted.get(rule.column, EVERYWHERE) & rule.thresholds
    return permitted


def splits_like(rank: np.ndarray, yes: np.ndarray) -> Iterator[tuple[int, bool]]:
    """The splits of an order that divide the rows as a predicate does, which separates some.

    rank : (n,), the ranks of the rows; yes : bool (n,), their sides. Yields the highest rank of the low side, and
    whether it is the yes side.
    """
    for low, low_is_yes in ((yes, True), (~yes, False)):
        if low.any() and not low.all() and rank[low].max() < rank[~low].min():
            yield int(rank[low].max()), low_is_yes


def tests_of(costs: TestCosts) -> list[tuple[frozenset[int], int]]:
    """Groups of columns that are paid for once, with their cost; free ones are left out."""
    own = [(frozenset({column}), cost) for column, cost in enumerate(costs.own)]
    return [(columns, cost) for columns, cost in (*own, *costs.groups) if cost]


def order_masks(rules: Rules, column: np.ndarray, bits: Mapping[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What may be above a split, for splits on `column`, int64 (n,), with `bits`, the bit number of each column.

    Returns
    -------
    int64 (n,), a mask of the columns of which none may be above; int64 (n,), of those that must all be above; and bool
    (n,), whether the split may be at the root.
    """
    barred, needed, first = np.zeros(len(column), np.int64), np.zeros(len(column), np.int64), np.ones(len(column), bool)
    for rule in rules.of(PrecedenceRule):
        barred[column == rule.lower] |= 1 << bits[rule.upper]
    for rule in rules.of(PrerequisiteRule):
        needed[column == rule.column] |= 1 << bits[rule.upper]
    for rule in rules.of(Allowed):
        if rule.at_root:
            first &= np.isin(column, list(rule.columns))
    return barred, needed, first


def cost_masks(
    tables: Sequence[TestCosts], bits: Mapping[int, int], n_bits: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tables of test costs by bit.

    Returns
    -------
    int64 (n_tables, n_bits), the cost of each column; int64 (n_tables, n_groups), the columns of each group as a mask;
    and int64 (n_tables, n_groups), the cost of each group.
    """
    own = np.zeros((len(tables), n_bits), np.int64)
    group, shared = np.zeros((2, len(tables), max((len(t.groups) for t in tables), default=0)), np.int64)
    for t, costs in enumerate(tables):
        for column, cost in enumerate(costs.own):
            if cost:
                own[t, bits[column]] = cost
        for g, (columns, cost) in enumerate(costs.groups):
            if cost:
                group[t, g], shared[t, g] = sum(1 << bits[column] for column in columns), cost
    return own, group, shared
