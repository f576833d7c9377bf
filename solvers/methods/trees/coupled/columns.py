"""At most so many different columns: one search for every set of so many, the most promising first.

As a mark on the trees of a front the rule would leave the lower bounds as they are without it, which is far too low
where few columns are allowed. With the columns fixed the bounds are exact again, and most sets are ruled out by their
first one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb

import numpy as np

from solvers.constraints.rules import Allowed, FewColumns, Rules
from solvers.methods.search.best_known import BestKnown
from solvers.methods.search.deadline import SearchEndedError
from solvers.methods.search.watch import Watch
from solvers.methods.trees.coupled.optimum import Coupled, CoupledOutcome
from solvers.methods.trees.coupled.rule_arrays import post
from solvers.methods.trees.coupled.weighted_sums import Weighting

MOST_SETS = 2000


def by_columns(search: Coupled) -> Coupled:
    """The search, divided by sets of columns where that is called for."""
    most = min((rule.most for rule in search.rules.of(FewColumns)), default=0)
    n_columns = search.problem.dataset.n_columns
    if not 0 < most < n_columns or comb(n_columns, most) > MOST_SETS:
        return search
    return ByColumns(**vars(search))


@dataclass
class ByColumns(Coupled):
    """The search over all sets of at most so many columns."""

    def run(self) -> CoupledOutcome:
        """Search to the end."""
        self.stats["sets of columns"] = 0
        self.live.raise_bound(self.problem.unavoidable_cost)
        halt = np.zeros(1, np.int64)
        with Watch(lambda: halt.__setitem__(0, 1), self.due):
            try:
                parts = sorted(self._parts(halt), key=lambda part: part[0])
            except SearchEndedError:
                return CoupledOutcome.INTERRUPTED
        ended: list[int] = []
        for bound, rules in parts:
            cost = self.live.cost
            # the sets that come later have no smaller bound
            self.live.raise_bound(min([bound, *ended, *([] if cost is None else [cost])]))
            if cost is not None and bound >= cost - self.gap:
                return CoupledOutcome.ENDED
            outcome, least = self._solve_part(rules, bound)
            if outcome is CoupledOutcome.INTERRUPTED:
                return outcome
            if outcome is CoupledOutcome.ENDED:
                ended.append(least)
        if not ended:
            return CoupledOutcome.INFEASIBLE
        self.live.raise_bound(min([self.live.incumbent_cost, *ended]))
        return CoupledOutcome.ENDED

    def _parts(self, halt: np.ndarray) -> Iterator[tuple[int, Rules]]:
        """The rules for each set of columns, and what no tree costs less than under them."""
        most = min(rule.most for rule in self.rules.of(FewColumns))
        others = tuple(rule for rule in self.rules.tree if not isinstance(rule, FewColumns))
        for columns in combinations(range(self.problem.dataset.n_columns), most):
            rules = replace(self.rules, tree=others, path=(*self.rules.path, Allowed(frozenset(columns))))
            posted = post(self.problem, self.orders, rules)
            if not posted.asked.trouble:
                alone = np.eye(len(posted.limits), dtype=np.int64)[0]
                weighting = Weighting(posted, alone, self.problem.size.max_depth, halt)
                yield weighting.bound(weighting.whole()[0]), rules

    def _solve_part(self, rules: Rules, bound: int) -> tuple[CoupledOutcome, int]:
        """Search with some of the columns for a better tree than the best one so far, and what none costs less than."""
        known = self.live
        live = BestKnown(known.problem, known.clock, lambda event: None)
        live.diagram, live.cost = known.diagram, known.cost
        part = Coupled(self.problem, self.orders, rules, live, self.due, self.gap)
        live.raise_bound(bound)
        outcome = part.run()
        for figure, value in part.stats.items():
            self.stats[figure] += value
        self.stats["sets of columns"] += 1
        if live.diagram is not None:
            known.offer(live.diagram)
        return outcome, live.lower_bound
