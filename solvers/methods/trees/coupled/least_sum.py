"""The minimum of one of the sums under all other rules.

It is proved like any other optimum: the objective is a multiple of the sum plus the cost, so ties go to the tree of the
lowest cost.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ....constraints.rules import Rules, Sum
from ....diagram import Diagram
from ....problem import Problem, question_orders
from ...capabilities import LeastSum
from ...search.best_known import BestKnown
from ...search.clock import Clock
from .optimum import Coupled, CoupledOutcome
from .rule_arrays import NO_LIMIT, Posted, post

LARGEST = 2**28
"""Upper limit on the contribution of all rows together to the weighted objective."""


class _LiveSum(BestKnown):
    """Incumbent and bound of `share` times a sum plus the cost.

    No cost exceeds `dearest`. If `share` is larger than that, a smaller sum always takes precedence over a lower cost.
    """

    def __init__(self, problem: Problem, clock: Clock, rule: Sum, share: int, dearest: int) -> None:
        super().__init__(problem, clock, lambda event: None)
        self.rule, self.share, self.dearest = rule, share, dearest

    def cost_of(self, diagram: Diagram) -> int:
        """The weighted objective of a tree."""
        return self.share * self._value_of(diagram) + super().cost_of(diagram)

    @property
    def value(self) -> int | None:
        """The sum of the best tree."""
        return None if self.diagram is None else self._value_of(self.diagram)

    @property
    def least(self) -> int:
        """The lower bound on the sum."""
        return max(0, -((self.dearest - self.lower_bound) // self.share))

    def _value_of(self, diagram: Diagram) -> int:
        dataset = self.problem.dataset
        answers = diagram.predict(dataset)
        by_row = self.rule.by_label[np.arange(dataset.n_samples), answers]
        return int(by_row.sum()) + self.rule.per_leaf * diagram.n_leaves


@dataclass(kw_only=True)
class _LeastSum(Coupled):
    """A search for the tree of minimum sum under all other rules, ignoring the limit of the sum."""

    rule: Sum
    share: int

    def _post(self) -> Posted:
        free = replace(self.rules, sums=(*self.rules.sums, replace(self.rule, limit=NO_LIMIT)))
        posted = post(self.problem, self.orders, free)
        at = len(self.rules.sums) + 1
        sums, fixed = posted.sums, posted.fixed.copy()
        amount, per_split = sums.amount.copy(), sums.per_split.copy()
        amount[:, :, 0] += self.share * amount[:, :, at]
        per_split[0] += self.share * per_split[at]
        fixed[0] += self.share * fixed[at]
        return replace(posted, sums=sums._replace(amount=amount, per_split=per_split), fixed=fixed)


def countable(rule: Sum) -> bool:
    """Whether a sum can be minimised: those that count errors or leaves.

    The minimum of a difference between groups says little: it belongs to a tree that favours the other group.
    """
    return rule.tests is None and bool((rule.by_label >= 0).all())


def least_sum(problem: Problem, rules: Rules, rule: Sum, clock: Clock, due: Callable[[], bool]) -> LeastSum:
    """The minimum of a `countable` sum under other rules, ignoring its own limit; or bounds of it, once due."""
    n_splits = 2**problem.size.max_depth
    dearest = int((problem.weights * problem.class_costs[problem.dataset.y].max(axis=1)).sum())
    dearest += problem.split_penalty * n_splits
    most = int(rule.by_label.max(axis=1).sum()) + rule.per_leaf * n_splits
    share = max(1, min(dearest + 1, LARGEST // max(1, most)))
    live = _LiveSum(problem, clock, rule, share, dearest)

    def over() -> bool:
        return due() or (live.value is not None and live.value <= live.least)

    orders = question_orders(problem.dataset)
    search = _LeastSum(problem, orders, rules, live, over, rule=rule, share=share)
    outcome = search.run()
    if outcome is CoupledOutcome.INFEASIBLE:
        return LeastSum(None, None, None)
    return LeastSum(live.least, live.value, live.diagram)
