"""Asking a solver many small questions about one problem, and remembering the answers.

'Can these constraints hold together?' has three answers: a tree shows that they can, the solver proves that they
cannot, or it ran out of the time that one question may take. Every tree that is found is kept, because it answers later
questions without a solver; so is every set of constraints that cannot hold, because no larger set can either.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from solvers.constraints.rules import Sum
from solvers.diagram import Diagram
from solvers.errors import UnsupportedError
from solvers.explain.relaxable import RelaxableConstraint, posed, relaxables_of
from solvers.methods import get
from solvers.methods.abilities import FindsAnyTree, FindsLeastSum, LeastSum
from solvers.methods.base import FirstTree, Method
from solvers.methods.search.clock import Clock
from solvers.methods.trees.tree_of_splits import assemble, leaf_of
from solvers.metrics.verify import verified
from solvers.problem import Limits, Problem
from solvers.solution import Emit, Solution, Status, Stop

Solve = Callable[[Problem, Limits, Emit, Stop], Solution]
"""A solver, such as the `run` of a method; it raises `UnsupportedError` for what it cannot take.

It may be one that `FindsAnyTree` and one that `FindsLeastSum`, as `MethodSolver` is.
"""

STEP = 2.0
"""Seconds that a solver may take for one question of an explanation."""

LEAST_SECONDS = 0.01
"""A solver is not asked for less time than this."""


class MethodSolver:
    """A method of the registry as a solver, warmed up; it refuses what the method cannot take."""

    def __init__(self, method: Method) -> None:
        self._method = method
        # compiled now, because the first question must not pay for it
        method.warm(constraints=True)

    def __call__(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        """The best tree."""
        self._check(problem)
        return self._method.run(problem, limits, emit, stop)

    def any_tree(self, problem: Problem, limits: Limits, stop: Stop) -> Solution:
        """Any tree, or the proof that there is none; some methods know a shorter way to that than to the best one."""
        self._check(problem)
        if isinstance(self._method, FindsAnyTree):
            return self._method.any_tree(problem, limits, stop)
        return _first_tree(self._method.run, problem, limits, stop)

    def least_sum(self, problem: Problem, rule: Sum, limits: Limits, stop: Stop) -> LeastSum | None:
        """The least value of a sum under the constraints of a problem; `None` where the method cannot tell it."""
        self._check(problem)
        return self._method.least_sum(problem, rule, limits, stop) if isinstance(self._method, FindsLeastSum) else None

    def _check(self, problem: Problem) -> None:
        if unsupported := self._method.check(problem):
            raise UnsupportedError(" ".join(str(reason) for reason in unsupported))


def solver(name: str, options: Mapping[str, str] | None = None) -> MethodSolver:
    """The method that the registry has under this name, made with these options, as a solver.

    Raises
    ------
    UnknownMethodError, OptionError, MissingPackageError
        There is no such method, it has no such option, or it is not installed.
    """
    return MethodSolver(get(name, **(options or {})))


def _leaves(problem: Problem) -> list[tuple[Diagram, int]]:
    """The trees without questions, with their costs."""
    leaf = leaf_of(problem, np.arange(problem.dataset.n_samples))
    labels = range(problem.dataset.n_classes)
    trees = [assemble(problem, (replace(leaf, label=label),)) for label in labels]
    return [(tree, problem.cost(tree.predict(problem.dataset))) for tree in trees]


def _first_tree(solve: Solve, problem: Problem, limits: Limits, stop: Stop) -> Solution:
    """The search for the best tree, ended with its first tree."""
    enough = FirstTree(stop)
    solution = solve(problem, limits, enough.hear, enough)
    if solution.diagram is None and enough.found is not None:
        found = enough.found
        solution = replace(solution, status=Status.FEASIBLE, diagram=found.diagram, cost=found.cost)
    return solution


@dataclass(frozen=True)
class Optimum:
    """The best tree under some constraints, as far as it is known.

    Attributes
    ----------
    status : OPTIMAL, FEASIBLE (not proved), INFEASIBLE (proved) or NO_SOLUTION (nothing known).
    diagram, cost : the tree and its cost; `None` where there is none.
    bound : a proved lower bound on the cost; `None` where there is none.
    """

    status: Status
    diagram: Diagram | None = None
    cost: int | None = None
    bound: int | None = None

    @property
    def proved(self) -> bool:
        """Whether the search came to its end."""
        return self.status in (Status.OPTIMAL, Status.INFEASIBLE)


class Inquiry:
    """Questions about one problem.

    Parameters
    ----------
    problem : whose constraints are looked into.
    solve : the solver.
    limits : for the inquiry as a whole.
    stop : ends it.
    step : seconds for each question.
    """

    def __init__(
        self, problem: Problem, solve: Solve, limits: Limits | None = None, stop: Stop | None = None, step: float = STEP
    ) -> None:
        self.problem = problem
        self.step = step
        self.clock = Clock()
        self._own = frozenset(relaxables_of(problem))
        self._solve, self._limits, self._stop = solve, limits or Limits(), stop or threading.Event()
        self._any_tree = solve.any_tree if isinstance(solve, FindsAnyTree) else partial(_first_tree, solve)
        self._least_sum = solve.least_sum if isinstance(solve, FindsLeastSum) else None
        # trees that need no search: one leaf, whatever it answers
        self._witnesses = _leaves(problem)
        self._satisfied: dict[tuple[int, RelaxableConstraint], bool] = {}
        self._impossible: list[frozenset[RelaxableConstraint]] = []
        self._optima: list[tuple[frozenset[RelaxableConstraint], int]] = []

    @property
    def over(self) -> bool:
        """Whether it was stopped or its time is up."""
        return self._stop.is_set() or self._left() < LEAST_SECONDS

    def witness(
        self, relaxables: Sequence[RelaxableConstraint], share: float = 1.0
    ) -> tuple[bool | None, Diagram | None]:
        """Whether these constraints can hold together, and a tree that satisfies all; `share` is of the time to ask.

        Returns
        -------
        True and a tree, False (proved) and `None`, or `None` twice where it was not decided in time.
        """
        for i in reversed(range(len(self._witnesses))):
            if all(self._satisfies(i, relaxable) for relaxable in relaxables):
                return True, self._witnesses[i][0]
        asked = frozenset(relaxables)
        if any(impossible <= asked for impossible in self._impossible):
            return False, None
        solution = self._ask(asked, first=True, share=share)
        if solution is None or solution.diagram is None:
            return (False, None) if solution is not None and solution.status is Status.INFEASIBLE else (None, None)
        return True, solution.diagram

    def _satisfies(self, i: int, relaxable: RelaxableConstraint) -> bool:
        """Whether a tree that was found satisfies a constraint; looked into once, which can take a millisecond."""
        if (i, relaxable) not in self._satisfied:
            self._satisfied[i, relaxable] = relaxable.holds(self._witnesses[i][0], self.problem)
        return self._satisfied[i, relaxable]

    def possible(self, relaxables: Sequence[RelaxableConstraint], share: float = 1.0) -> bool | None:
        """Whether these constraints can hold together; `None` where it was not decided in time."""
        return self.witness(relaxables, share)[0]

    def optimum(self, relaxables: Sequence[RelaxableConstraint]) -> Optimum:
        """The best tree that satisfies these constraints."""
        asked = frozenset(relaxables)
        if any(impossible <= asked for impossible in self._impossible):
            return Optimum(Status.INFEASIBLE)
        # fewer constraints cannot cost more: the best tree under some of them costs no more than the best one under all
        least = max((cost for known, cost in self._optima if known <= asked), default=None)
        best = self._cheapest(relaxables, least)
        if best.status is Status.OPTIMAL:
            return best
        solution = self._ask(asked, first=False)
        if solution is None:
            return best
        if solution.status in (Status.OPTIMAL, Status.INFEASIBLE):
            return Optimum(solution.status, solution.diagram, solution.cost, solution.bound)
        bounds = [bound for bound in (least, solution.bound) if bound is not None]
        return self._cheapest(relaxables, max(bounds, default=None))

    def least(self, relaxable: RelaxableConstraint, others: Sequence[RelaxableConstraint]) -> LeastSum | None:
        """The least value of the sum behind a constraint, under others; `None` where there is none, or no time."""
        rules = relaxable.constraint.rules(self.problem)
        if self._least_sum is None or self.over or len(rules) != 1 or not isinstance(rules[0], Sum):
            return None
        question = posed(self.problem, others)
        found = self._least_sum(question, rules[0], self._for_one(), self._stop)
        if found is None:
            return None
        if found.bound is None:
            self._impossible.append(frozenset(others))
        elif found.diagram is not None and self._checked(question, found.diagram) is None:
            return None
        return found

    def _checked(self, question: Problem, diagram: Diagram) -> Solution | None:
        """A tree as a solution, kept as a witness; `None` where the check finds it wrong."""
        cost = question.cost(diagram.predict(question.dataset), diagram.n_splits)
        claimed = Solution(question.id, "", Status.FEASIBLE, diagram, cost, None, self.clock.elapsed, self.clock.cpu)
        solution = verified(question, claimed)
        if not solution.verified:
            return None
        self._note(frozenset(), solution)
        return solution

    def _cheapest(self, relaxables: Sequence[RelaxableConstraint], bound: int | None) -> Optimum:
        """The cheapest tree that was found and satisfies these constraints, held against a lower bound."""
        order = sorted(range(len(self._witnesses)), key=lambda i: self._witnesses[i][1])
        for i in order:
            if all(self._satisfies(i, relaxable) for relaxable in relaxables):
                diagram, cost = self._witnesses[i]
                return Optimum(Status.OPTIMAL if cost == bound else Status.FEASIBLE, diagram, cost, bound)
        return Optimum(Status.NO_SOLUTION, bound=bound)

    def learn(self, relaxables: Sequence[RelaxableConstraint], solution: Solution) -> None:
        """Take in what is known already; only a verified solution counts."""
        if solution.verified:
            self._note(frozenset(relaxables), solution)

    def _note(self, relaxables: frozenset[RelaxableConstraint], solution: Solution) -> None:
        """Keep what a verified solution says."""
        if solution.diagram is not None and solution.cost is not None:
            self._witnesses.append((solution.diagram, solution.cost))
        if solution.status is Status.OPTIMAL and solution.cost is not None:
            self._optima.append((relaxables, solution.cost))
        elif solution.status is Status.INFEASIBLE:
            self._impossible.append(relaxables)

    def _ask(self, relaxables: frozenset[RelaxableConstraint], first: bool, share: float = 1.0) -> Solution | None:
        """Ask the solver, for the `first` tree or the best one; `None` where there is no (right) answer in time."""
        if self.over:
            return None
        question = posed(self.problem, relaxables)
        limits = self._for_one(share)
        try:
            if first:
                solution = self._any_tree(question, limits, self._stop)
            else:
                solution = self._solve(question, limits, lambda event: None, self._stop)
        except UnsupportedError:
            # Another constraint in its place may be more than the method can take, such as one more level: not decided.
            if relaxables <= self._own:
                raise
            return None
        if solution.status is Status.CANCELLED:
            solution = replace(solution, status=Status.NO_SOLUTION if solution.diagram is None else Status.FEASIBLE)
        solution = verified(question, solution)
        if not solution.verified:
            return None
        self._note(relaxables, solution)
        return solution

    def _for_one(self, share: float = 1.0) -> Limits:
        """The limits of one question, which may take a share of its usual time."""
        return replace(self._limits, seconds=min(share * self.step, self._left()), gap=0.0)

    def _left(self) -> float:
        seconds = self._limits.seconds
        return float("inf") if seconds is None else seconds - self.clock.elapsed
