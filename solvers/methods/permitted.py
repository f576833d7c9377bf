"""What path rules say of single questions: about which columns, with which thresholds, and at what cost."""

from ..constraints.rules import Allowed, Rules, TestCosts, ThresholdRange
from ..problem.threshold_set import ThresholdSet

EVERYWHERE = ThresholdSet()


def permitted_columns(rules: Rules, n_columns: int) -> frozenset[int]:
    """The columns that may be asked about somewhere."""
    return frozenset(range(n_columns)).intersection(*(rule.columns for rule in rules.of(Allowed) if not rule.at_root))


def permitted_thresholds(rules: Rules) -> dict[int, ThresholdSet]:
    """The thresholds of each column that may not have all."""
    permitted: dict[int, ThresholdSet] = {}
    for rule in rules.of(ThresholdRange):
        permitted[rule.column] = permitted.get(rule.column, EVERYWHERE) & rule.thresholds
    return permitted


def tests_of(costs: TestCosts) -> list[tuple[frozenset[int], int]]:
    """Columns that are paid for together, once, and what they cost; those that cost nothing are left out."""
    own = [(frozenset({column}), cost) for column, cost in enumerate(costs.own)]
    return [(columns, cost) for columns, cost in (*own, *costs.groups) if cost]
