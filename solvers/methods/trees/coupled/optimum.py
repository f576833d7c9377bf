"""From rules to a proved optimum."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import combinations, islice
from math import comb

import numpy as np

from ....constraints.rules import Allowed, FewColumns, Monotone, MustAppearRule, Rules, Sum, by_family
from ....diagram import Diagram
from ....problem import Dataset, Orders, Problem, question_orders
from ...search.best_known import BestKnown
from ...search.deadline import SearchEndedError
from ...search.watch import Watch
from ..tree_of_splits import SplitTree, may_be_leaf
from .dual import FIRST_SHARE, SHARE, Dual, costliest, sums_of
from .forms import fixed_splits, ways_to_write
from .rule_arrays import NO_LIMIT, Posted, post
from .search import FrontSearch
from .weighted_sums import Weighting

PRECISE = 10**6
"""A multiplier of typical size, so large that numbers need 32 bits."""

MOST_SETS = 2000


class CoupledOutcome(Enum):
    """How a search ended."""

    ENDED = "incumbent and bound have met, or are within the gap"
    INFEASIBLE = "no tree satisfies the rules"
    INTERRUPTED = "it had to stop"


@dataclass
class Coupled:
    """A search for the cheapest tree under rules of all families.

    Attributes
    ----------
    problem, orders, rules : the problem.
    live : receives better trees and bounds.
    due : whether to end now; gap : the permitted absolute gap between incumbent and bound.
    stats : statistics of the search; reason : why no tree is possible, if it can be stated in words.
    """

    problem: Problem
    orders: Orders
    rules: Rules
    live: BestKnown
    due: Callable[[], bool]
    gap: int = 0
    stats: dict[str, int] = field(default_factory=lambda: {"weighted searches": 0, "nodes opened": 0})
    reason: str = ""

    def run(self) -> CoupledOutcome:
        """Search to the end."""
        posted = self._post()
        if posted.space.trouble:
            self.reason = posted.space.trouble
            return CoupledOutcome.INFEASIBLE
        fixed = fixed_splits(self.problem, posted)
        if fixed is None:
            return CoupledOutcome.INFEASIBLE
        self._posted, self._fixed, self._proved = posted, fixed, 0
        self._most = costliest(posted)
        halt = np.zeros(1, np.int64)
        self._dual = Dual(posted, self.problem.size.max_depth, [], halt, self.problem.scale)
        if self._most < self.problem.unavoidable_cost:
            return CoupledOutcome.INFEASIBLE
        self.live.raise_bound(self.problem.unavoidable_cost)
        with Watch(lambda: halt.__setitem__(0, 1), self.due):
            try:
                return self._run()
            except SearchEndedError:
                return CoupledOutcome.INTERRUPTED

    def _post(self) -> Posted:
        return post(self.problem, self.orders, self.rules)

    def _without_monotone_columns(self) -> None:
        """Find a first tree without splits on monotone columns: it satisfies their rules in any case."""
        others = frozenset(range(self.problem.dataset.n_columns)) - self._posted.monotone
        other_rules = tuple(rule for rule in self.rules.tree if not isinstance(rule, Monotone))
        rules = replace(self.rules, tree=other_rules, path=(*self.rules.path, Allowed(others)))
        live = BestKnown(self.problem, self.live.clock, lambda event: None)
        Coupled(self.problem, self.orders, rules, live, self.due, self.gap).run()
        if live.diagram is not None:
            self.live.offer(live.diagram)

    def _run(self) -> CoupledOutcome:
        if self._posted.monotone:
            self._without_monotone_columns()
        limited = (np.flatnonzero(self._posted.limits[1:] < NO_LIMIT) + 1).tolist()
        if self.live.cost is None:
            # any feasible tree, by weightings of all limited sums; each gives a bound, too
            self._raise(limited, first=True)
        self._raise(limited)
        # active are the limits that the cheapest tree violates, then those that the optimum under these violates
        cheapest = min(self._dual.planes.cuts, key=lambda sums: int(sums[0]), default=self._posted.limits)
        active = self._broken(cheapest)
        while (tree := self._solve(active)) is not None:
            broken = self._broken(sums_of(self._posted, tree))
            if not broken:
                satisfied = self._consider(tree)
                assert satisfied, "a tree of the fronts breaks a rule"
                break
            active = sorted({*active, *broken})
        return CoupledOutcome.INFEASIBLE if self.live.cost is None else CoupledOutcome.ENDED

    def _broken(self, sums: np.ndarray) -> list[int]:
        """The numbers of the sums whose limits a tree exceeds."""
        return (np.flatnonzero(sums[1:] > self._posted.limits[1:]) + 1).tolist()

    def _raise(self, active: list[int], first: bool = False) -> None:
        """Raise the bound by multipliers of these sums, until it is settled or (`first`) there is a first tree."""
        dual, live = self._dual, self.live
        dual.active = active
        for tree in () if self._settled else dual.trees(FIRST_SHARE if first else SHARE):
            self.stats["weighted searches"] = len(dual.weightings)
            if tree is not None:
                self._consider(tree)
            dual.cost = live.cost
            live.raise_bound(dual.bound)
            if self._settled or (first and live.cost is not None):
                return

    @property
    def _settled(self) -> bool:
        """Whether the best known tree is good enough, or it is proved that there is none."""
        if self.live.cost is None:
            return self._dual.impossible or self._dual.bound > self._most
        return self.live.cost - self.live.lower_bound <= self.gap

    def _solve(self, active: list[int]) -> SplitTree | None:
        """The optimum under the limits of the active sums; `None` if no better tree is needed or exists.

        All that is proved here also holds with the other limits.
        """
        live, dual = self.live, self._dual
        self._raise(sorted({*active, *self._posted.implied}))
        if self._settled:
            return None
        rises = self._rises if self._posted.monotone else None
        fronts = FrontSearch(self._posted, dual.depth, dual.bundle(), active, self._fixed, dual.halt, rises)
        # a bound that used inactive sums does not apply to trees without these limits, of which there are many,
        # but a bound that used fewer sums does
        every = len(active) == np.count_nonzero(self._posted.limits[1:] < NO_LIMIT)
        known = live.lower_bound if every else max(min(live.lower_bound, math.ceil(dual.best)), self._proved)
        most, step = known - 1, self.problem.scale
        while True:
            last = self._most if live.cost is None else min(self._most, live.cost - 1)
            # if little is left to search, search all of it at once
            most = min(last, most + step) if last > known + self.problem.scale else last
            cheapest = fronts.best(most)
            self.stats["nodes opened"] += fronts.opened
            fronts.opened = 0
            if cheapest is not None and cheapest[0] <= most:
                self._proved = cheapest[0]
                live.raise_bound(self._proved)
                return cheapest[1]
            if cheapest is not None:
                self._consider(cheapest[1])
            if most == self._most:
                return None
            live.raise_bound(most + 1)
            if self._settled:
                return None
            self._proved, step = most + 1, 2 * step

    def _rises(self, tree: SplitTree) -> bool:
        """Whether a tree can be written so that it satisfies the rules about monotone columns."""
        monotone = [self.problem.constraints[rule.source] for rule in self.rules.of(Monotone)]
        return any(
            not any(constraint.violations(diagram, self.problem.dataset) for constraint in monotone)
            for diagram in ways_to_write(self.problem, self._posted, tree)
        )

    def _written(self, tree: SplitTree) -> Diagram | None:
        """The tree as a diagram that satisfies everything except the sums; `None` if there is none."""
        ways = ways_to_write(self.problem, self._posted, tree)
        ways = ways if self.rules.of(Monotone) else islice(ways, 1)
        return next((diagram for diagram in ways if self._satisfies(diagram)), None)

    def _consider(self, tree: SplitTree) -> bool:
        """Take a tree as the incumbent if it is feasible and costs less; return whether it is feasible."""
        if (sums_of(self._posted, tree)[1:] > self._posted.limits[1:]).any():
            return False
        diagram = self._written(tree)
        if diagram is not None:
            self.live.offer(diagram)
        return diagram is not None

    def _satisfies(self, diagram: Diagram) -> bool:
        leaf = diagram.apply(self.problem.dataset)
        rows = [np.flatnonzero(leaf == i) for i in np.unique(leaf)]
        sums = {rule.source for rule in self.rules.sums}
        return all(may_be_leaf(self.problem, here) for here in rows) and not any(
            constraint.violations(diagram, self.problem.dataset)
            for i, constraint in enumerate(self.problem.constraints)
            if i not in sums
        )


def prepare(dataset: Dataset) -> None:
    """Compile the kernels of the search, or load them from their cache, by running everything once on a small table.

    Tables of two classes and of more use different kernels.
    """
    problem, halt = Problem(dataset), np.zeros(1, np.int64)
    right = (dataset.y[:, None] == np.arange(dataset.n_classes)).astype(np.int64)
    rules = by_family([Sum(right, dataset.n_samples), MustAppearRule(0)])
    posted = post(problem, question_orders(dataset), rules)
    weightings = [Weighting(posted, np.array([PRECISE, p]), problem.size.max_depth, halt) for p in (0, 1)]
    weightings[0].whole()
    FrontSearch(posted, problem.size.max_depth, weightings, [1], {}, halt).best(dataset.n_samples)


def by_columns(search: Coupled) -> Coupled:
    """The search, divided by sets of columns if this is worthwhile."""
    n_columns = search.problem.dataset.n_columns
    most = min((rule.most for rule in search.rules.of(FewColumns) if len(rule.columns) == n_columns), default=0)
    if not 0 < most < n_columns or comb(n_columns, most) > MOST_SETS:
        return search
    return ByColumns(**vars(search))


@dataclass
class ByColumns(Coupled):
    """A search over all sets of the permitted number of columns, the most promising first.

    If the rule were only a mark on the trees of a front, the lower bounds would ignore it, and be far too low if few
    columns are permitted. With fixed columns the bounds are exact again, and the first bound rules out most sets.
    """

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
            # no later set has a smaller bound
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
        """For each set of columns, a lower bound on the cost, and the rules."""
        n_columns = self.problem.dataset.n_columns
        on_all = [rule for rule in self.rules.of(FewColumns) if len(rule.columns) == n_columns]
        others = tuple(rule for rule in self.rules.tree if rule not in on_all)
        for columns in combinations(range(n_columns), min(rule.most for rule in on_all)):
            rules = replace(self.rules, tree=others, path=(*self.rules.path, Allowed(frozenset(columns))))
            posted = post(self.problem, self.orders, rules)
            if not posted.space.trouble:
                alone = np.eye(len(posted.limits), dtype=np.int64)[0]
                weighting = Weighting(posted, alone, self.problem.size.max_depth, halt)
                yield weighting.bound(weighting.whole()[0]), rules

    def _solve_part(self, rules: Rules, bound: int) -> tuple[CoupledOutcome, int]:
        """Search some of the columns for a tree better than the incumbent; returns outcome and lower bound."""
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
