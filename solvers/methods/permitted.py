"""What path rules permit for single splits: columns, thresholds and costs."""

from collections.abc import Iterator

import numpy as np

from ..constraints.rules import Allowed, Rules, TestCosts, ThresholdRange
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
