"""A world so small that all its trees can be listed: an oracle for the explanations, and a solver for them."""

from __future__ import annotations

from functools import cached_property
from itertools import chain, combinations
from typing import Any

import numpy as np

from solvers.constraints import Constraint
from solvers.diagram import Diagram
from solvers.errors import UnsupportedError
from solvers.explain import (
    Conflict,
    ExplainConflict,
    PriceConstraints,
    Prices,
    RelaxableConstraint,
    Solve,
    TradeConstraint,
    TradeOff,
    relaxables_of,
)
from solvers.explain.inquiry import STEP
from solvers.methods.trees.tree_of_splits import diagram_of_questions
from solvers.metrics.verify import verified
from solvers.problem import Dataset, Limits, Problem, Shape, binary_view
from solvers.solution import Emit, Incumbent, Solution, Started, Status, Stop


class World:
    """All trees of a table up to a depth, without splits that leave a side empty.

    Attributes
    ----------
    trees, costs : each tree with its number of errors.
    calls : how often the solver was called.
    silent : sets of texts of constraints; the solver decides nothing about problems that include one of these sets ...
    decides : ... unless the problem includes this set.
    """

    def __init__(self, dataset: Dataset, depth: int = 2) -> None:
        self.problem, self.depth = Problem(dataset, Shape(max_depth=depth)), depth
        view = binary_view(dataset)
        self._questions = [(p, view.bits[:, q].astype(bool)) for q, p in enumerate(view.predicates)]
        self.trees: list[Diagram] = [
            diagram_of_questions(self.problem, *tree) for tree in self._below(np.ones(dataset.n_samples, bool), depth)
        ]
        self._masks: dict[Constraint, np.ndarray] = {}
        self.calls = 0
        self.silent: list[frozenset[str]] = []
        self.decides: frozenset[str] | None = None

    @cached_property
    def costs(self) -> np.ndarray:
        """The errors of each tree, int (n_trees,)."""
        return np.array([self.problem.cost(tree.predict(self.problem.dataset)) for tree in self.trees])

    def _below(self, rows: np.ndarray, depth: int, slot: int = 0) -> list[tuple[dict, dict]]:
        """The predicates and the classes of leaves of each tree, by slot."""
        found: list[tuple[dict, dict]] = [({}, {slot: label}) for label in range(self.problem.dataset.n_classes)]
        for predicate, yes in self._questions if depth else ():
            if (rows & yes).any() and (rows & ~yes).any():
                no_side = self._below(rows & ~yes, depth - 1, 2 * slot + 2)
                for questions, labels in self._below(rows & yes, depth - 1, 2 * slot + 1):
                    found += [({slot: predicate} | questions | q, labels | k) for q, k in no_side]
        return found

    def satisfies(self, constraint: Constraint) -> np.ndarray:
        """Which trees a constraint permits, bool (n_trees,)."""
        if constraint not in self._masks:
            dataset = self.problem.dataset
            self._masks[constraint] = np.array([not constraint.violations(tree, dataset) for tree in self.trees])
        return self._masks[constraint]

    def allowed(self, relaxables: tuple[RelaxableConstraint, ...] | list[RelaxableConstraint]) -> np.ndarray:
        """The positions of the trees that satisfy all these constraints."""
        mask = np.ones(len(self.trees), bool)
        for relaxable in relaxables:
            mask &= self.satisfies(relaxable.constraint)
        return np.flatnonzero(mask)

    def optimum(self, relaxables: tuple[RelaxableConstraint, ...] | list[RelaxableConstraint]) -> int | None:
        """The minimum cost under these constraints; `None` if no tree satisfies them."""
        allowed = self.allowed(relaxables)
        return int(self.costs[allowed].min()) if len(allowed) else None

    def smallest_conflict(self, relaxables: tuple[RelaxableConstraint, ...]) -> int | None:
        """The size of a smallest infeasible set; `None` if all constraints together are feasible."""
        lasting = [relaxable for relaxable in relaxables if relaxable.lasting]
        others = [relaxable for relaxable in relaxables if not relaxable.lasting]
        sets = chain.from_iterable(combinations(others, size) for size in range(len(others) + 1))
        return next((len(chosen) for chosen in sets if not len(self.allowed([*chosen, *lasting]))), None)

    def solve(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        """The solver: it looks up the result, and reports the worst tree before the best one."""
        relaxables = relaxables_of(problem)
        self.calls += 1
        if problem.size.max_depth > self.depth:
            raise UnsupportedError(f"This world is {self.depth} levels deep.")
        emit(Started("world"))
        words = {relaxable.words for relaxable in relaxables}
        allowed = self.allowed(relaxables)
        decides = self.decides is not None and self.decides <= words
        if not decides and any(silent <= words for silent in self.silent):
            return self._solution(problem, Status.NO_SOLUTION)
        if not len(allowed):
            return self._solution(problem, Status.INFEASIBLE)
        by_cost = allowed[np.argsort(self.costs[allowed], kind="stable")]
        emit(Incumbent(0.0, int(self.costs[by_cost[-1]]), self.trees[by_cost[-1]]))
        if stop.is_set():
            return self._solution(problem, Status.CANCELLED, by_cost[-1])
        return self._solution(problem, Status.OPTIMAL, by_cost[0])

    def solved(self, problem: Problem) -> Solution:
        """The verified result."""
        return verified(problem, self.solve(problem, Limits(), lambda event: None, never))

    def _solution(self, problem: Problem, status: Status, tree: int | None = None) -> Solution:
        cost = None if tree is None else int(self.costs[tree])
        return Solution(
            problem_id=problem.id,
            method="world",
            status=status,
            diagram=None if tree is None else self.trees[tree],
            cost=cost,
            bound=cost if status is Status.OPTIMAL else None,
            seconds=0.0,
            cpu_seconds=0.0,
        )


class Signal:
    """A stop signal that is set from the start, or never."""

    def __init__(self, given: bool) -> None:
        self._given = given

    def is_set(self) -> bool:
        """Whether it is set."""
        return self._given


never = Signal(False)
pressed = Signal(True)


def conflict(
    problem: Problem, solve: Solve, limits: Limits | None = None, *, step: float = STEP, **more: Any
) -> Conflict:
    """Explain a conflict; `more` are `known`, `stop` and `tell`."""
    return ExplainConflict(step, tuple(more.pop("known", ()))).answer(problem, solve, limits, **more)


def price(
    problem: Problem,
    solution: Solution | None,
    solve: Solve,
    limits: Limits | None = None,
    *,
    step: float = STEP,
    **more: Any,
) -> Prices:
    """Price constraints; `more` as in `conflict`."""
    return PriceConstraints(solution, step, tuple(more.pop("known", ()))).answer(problem, solve, limits, **more)


def trade_off(
    problem: Problem,
    relaxable: RelaxableConstraint,
    solve: Solve,
    limits: Limits | None = None,
    *,
    step: float = STEP,
    price: float | None = None,
    **more: Any,
) -> TradeOff:
    """Trade off a constraint; `more` as in `conflict`."""
    task = TradeConstraint(relaxable.key, step, tuple(more.pop("known", ())), price)
    return task.answer(problem, solve, limits, **more)
