"""The whole way from rules to a proved optimum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from solvers.constraints.rules import Rules
from solvers.diagram import Diagram
from solvers.methods.fronts.dual import Dual, sums_of
from solvers.methods.fronts.posting import Posted, post
from solvers.methods.fronts.search import FrontSearch
from solvers.methods.fronts.weighting import Interrupted, Tree
from solvers.methods.fronts.writing import fixed_questions, write
from solvers.methods.growing import may_be_leaf
from solvers.problem import Orders, Problem


@dataclass
class Coupled:
    """A search for the cheapest tree under rules of every family.

    Attributes
    ----------
    problem, orders, rules : what is asked.
    adopt : is told of each better tree, as a diagram; raise_bound : of each better lower bound.
    due : whether to end now.
    """

    problem: Problem
    orders: Orders
    rules: Rules
    adopt: Callable
    raise_bound: Callable[[int], None]
    due: Callable[[], bool]
    cost: int | None = None
    bound: int = 0
    stats: dict[str, int] = field(default_factory=lambda: {"weighted searches": 0, "fronts": 0})

    def run(self) -> bool | None:
        """Search to the end.

        Returns
        -------
        True with a proved optimum, False where no tree satisfies the rules, `None` where it had to stop.
        """
        self.posted: Posted = post(self.problem, self.orders, self.rules)
        fixed = fixed_questions(self.problem, self.posted)
        if fixed is None or self.posted.asked.trouble:
            return False
        self.fixed = fixed
        self.most = int(self.posted.sums.amount[:, :, 0].max(axis=1).sum())
        self.most += self.problem.split_cost * 2**self.problem.size.depth
        active: list[int] = []
        try:
            while True:
                found = self._solve(active)
                if found is None or (self.cost is not None and self.bound >= self.cost):
                    return found is not None or self.cost is not None
                broken = np.flatnonzero(sums_of(self.posted, found)[1:] > self.posted.limits[1:]) + 1
                if not len(broken):
                    assert self._consider(found), "a tree of the fronts breaks a rule"
                    self._raise(self.cost)
                    return True
                active = sorted({*active, *broken.tolist()})
        except Interrupted:
            return None

    def _solve(self, active: list[int]) -> Tree | None:
        """The optimum under the limits of the active sums; `None` where there is none below the best tree known."""
        dual = Dual(self.posted, self.problem.size.depth, active, self.due, self.problem.scale, self.bound)
        for tree in dual.trees():
            self.stats["weighted searches"] += 1
            self._consider(tree)
            self._raise(dual.bound)
            if self.cost is not None and self.bound >= self.cost:
                return None
        if dual.impossible:
            return None
        fronts = FrontSearch(self.posted, self.problem.size.depth, dual.bundle(), active, self.fixed, self.due)
        step = 1
        most = dual.bound
        while True:
            if self.cost is not None:
                most = min(most, self.cost - 1)
            if most > self.most:
                most = self.most
            if most < self.bound:
                return None
            found = fronts.best(most)
            self.stats["fronts"] = fronts.opened
            if found is not None and found[0] <= most:
                return found[1]
            if found is not None:
                self._consider(found[1])
            self._raise(most + 1)
            if most >= self.most:
                return None
            most += step
            step *= 2

    def _consider(self, tree: Tree) -> bool:
        """Take a tree as the best one if it satisfies everything and costs less; whether it satisfies everything."""
        sums = sums_of(self.posted, tree)
        if (sums[1:] > self.posted.limits[1:]).any():
            return False
        diagram = write(self.problem, self.posted, tree)
        if not self._satisfies(diagram):
            return False
        if self.cost is None or sums[0] < self.cost:
            self.cost = int(sums[0])
            self.adopt(diagram, self.cost)
        return True

    def _satisfies(self, diagram: Diagram) -> bool:
        leaf = diagram.apply(self.problem.dataset)
        rows = [np.flatnonzero(leaf == i) for i in np.unique(leaf)]
        return all(may_be_leaf(self.problem, here) for here in rows) and not any(
            constraint.violations(diagram, self.problem.dataset) for constraint in self.problem.constraints
        )

    def _raise(self, bound: int) -> None:
        if bound > self.bound:
            self.bound = bound
            self.raise_bound(bound)
