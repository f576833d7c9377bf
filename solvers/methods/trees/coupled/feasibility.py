"""Whether any tree satisfies the rules: the minimum of one of the sums under all other rules.

To prove infeasibility by the lower bound on the cost, the bound would have to exceed the cost of every tree, one unit
after the other. The minimum of a sum is proved like any other optimum, and if it exceeds the limit there is no tree.
Ties go to the tree of the lowest cost.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ....constraints import rules_of
from ....constraints.rules import Rules, Sum
from ....diagram import Diagram
from ....problem import Limits, Problem, question_orders
from ....solution import EndReason, Solution, Status, Stop
from ...base import StopAtIncumbent
from ...capabilities import LeastSum
from ...search.best_known import BestKnown
from ...search.clock import Clock
from ...search.deadline import Deadline
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


def tightest(rules: Rules) -> Sum | None:
    """The countable sum with the tightest limit; `None` if there is none."""
    counts = [rule for rule in rules.sums if countable(rule)]
    return min(counts, key=lambda rule: rule.limit / max(1, int(rule.by_label.max(axis=1).sum())), default=None)


def least_sum(
    problem: Problem, rules: Rules, rule: Sum, clock: Clock, due: Callable[[], bool], enough: int | None = None
) -> LeastSum:
    """The minimum of a `countable` sum under other rules, ignoring its own limit.

    The search ends if it is due, or if the minimum is known to be at most `enough`, or above it.
    """
    n_splits = 2**problem.size.max_depth
    dearest = int((problem.weights * problem.class_costs[problem.dataset.y].max(axis=1)).sum())
    dearest += problem.split_penalty * n_splits
    most = int(rule.by_label.max(axis=1).sum()) + rule.per_leaf * n_splits
    share = max(1, min(dearest + 1, LARGEST // max(1, most)))
    live = _LiveSum(problem, clock, rule, share, dearest)

    def over() -> bool:
        wanted = live.least if enough is None else enough
        return live.least > wanted or (live.value is not None and live.value <= wanted)

    orders = question_orders(problem.dataset)
    search = _LeastSum(problem, orders, rules, live, lambda: due() or over(), rule=rule, share=share)
    outcome = search.run()
    if outcome is CoupledOutcome.INFEASIBLE:
        return LeastSum(None, None, None)
    return LeastSum(live.least, live.value, live.diagram)


def any_tree(problem: Problem, limits: Limits, stop: Stop, run: Callable[..., Solution]) -> Solution:
    """Any tree that satisfies all constraints, not the best one, or the proof that there is none.

    The search for the best tree, `run`, soon finds a first one if there are many. If there are few or none, the minimum
    of a sum decides much sooner. Both take turns.
    """
    rules, clock = rules_of(problem), Clock()

    def first_tree(seconds: float | None) -> Solution:
        enough = StopAtIncumbent(stop)
        return run(problem, replace(limits, seconds=seconds), enough.on_event, enough)

    rule = tightest(rules)
    if rule is None or limits.seconds is None:
        return first_tree(limits.seconds)
    first = first_tree(limits.seconds / 8)
    if first.diagram is not None or first.status is Status.INFEASIBLE or stop.is_set():
        return first
    turn = Deadline(replace(limits, seconds=(limits.seconds + clock.elapsed) / 2), clock, stop)
    # the other rules of the same constraint remain; the constraint itself is satisfied if its limits are
    others = tuple(constraint for i, constraint in enumerate(problem.constraints) if i != rule.source)
    known = least_sum(
        replace(problem, constraints=others),
        replace(rules, sums=tuple(other for other in rules.sums if other is not rule)),
        rule,
        clock,
        turn.due,
        enough=rule.limit,
    )
    first = replace(first, seconds=clock.elapsed, cpu_seconds=clock.cpu, trace=())
    if known.bound is None or known.bound > rule.limit:
        return replace(first, status=Status.INFEASIBLE, bound=None, ended=EndReason.PROVED)
    if known.value is None or known.diagram is None or known.value > rule.limit:
        return first_tree(max(limits.seconds - clock.elapsed, limits.seconds / 100))
    cost = problem.cost_of(known.diagram)
    return replace(first, status=Status.FEASIBLE, diagram=known.diagram, cost=cost, ended=EndReason.EXHAUSTED)
