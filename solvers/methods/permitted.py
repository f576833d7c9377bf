"""What path rules say of single questions: about which columns, with thresholds in which range, and at what cost."""

import numpy as np

from solvers.constraints.rules import Allowed, Rules, TestCosts, ThresholdRange

Range = tuple[float, float]

EVERYWHERE: Range = -np.inf, np.inf


def permitted_columns(rules: Rules, n_columns: int) -> frozenset[int]:
    """The columns that may be asked about somewhere."""
    return frozenset(range(n_columns)).intersection(*(rule.columns for rule in rules.of(Allowed) if not rule.at_root))


def threshold_ranges(rules: Rules) -> dict[int, Range]:
    """The range of thresholds of each column that has one."""
    ranges: dict[int, Range] = {}
    for rule in rules.of(ThresholdRange):
        low, high = ranges.get(rule.column, EVERYWHERE)
        ranges[rule.column] = max(low, rule.low), min(high, rule.high)
    return ranges


def gaps_within(values: np.ndarray, within: Range) -> np.ndarray:
    """Whether a threshold between neighbouring values may lie in a range, bool (n - 1,): the gap meets it.

    A threshold t has low <= t < high there. Beside a missing value, NaN, is the question 'is missing', which has none.
    """
    low, high = values[:-1], values[1:]
    meets = (low <= within[1]) & (high > within[0]) & (within[0] <= within[1])
    return np.asarray(meets | np.isnan(low) | np.isnan(high))


def tests_of(costs: TestCosts) -> list[tuple[frozenset[int], int]]:
    """Columns that are paid for together, once, and what they cost; those that cost nothing are left out."""
    own = [(frozenset({column}), cost) for column, cost in enumerate(costs.own)]
    return [(columns, cost) for columns, cost in (*own, *costs.groups) if cost]
