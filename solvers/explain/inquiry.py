"""Asking a solver many small questions about one problem, and remembering the answers.

'Can these wishes hold together?' has three answers: a tree shows that they can, the solver proves that they cannot, or
it ran out of the time that one question may take. Every tree that is found is kept, because it answers later questions
without a solver; so is every set of wishes that cannot hold, because no larger set can either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from solvers.diagram import Diagram
from solvers.errors import UnsupportedError
from solvers.explain.wishes import Wish, posed, wishes_of
from solvers.methods import get
from solvers.methods.base import Clock
from solvers.metrics.verify import verified
from solvers.problem import Limits, Problem
from solvers.solution import Emit, Event, Incumbent, Solution, Status, Stop

Solve = Callable[[Problem, Limits, Emit, Stop], Solution]
"""A solver, such as the `run` of a method; it raises `UnsupportedError` for what it cannot take."""

STEP = 2.0
"""Seconds that a solver may take for one question of an explanation."""

LEAST_SECONDS = 0.01
"""A solver is not asked for less time than this."""


def solver(name: str) -> Solve:
    """The solver that the registry has under this name, warmed up; it refuses what its method cannot take.

    Raises
    ------
    UnknownMethodError, MissingPackageError
        There is no such method, or it is not installed.
    """
    method = get(name)
    # compiled now, because the first question must not pay for it
    method.warm()

    def solve(problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        if unsupported := method.check(problem):
            raise UnsupportedError(" ".join(str(reason) for reason in unsupported))
        return method.run(problem, limits, emit, stop)

    return solve


@dataclass(frozen=True)
class Optimum:
    """The best tree under some wishes, as far as it is known.

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
    problem : whose wishes are looked into.
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
        self._own = frozenset(wishes_of(problem))
        self._solve, self._limits, self._stop = solve, limits or Limits(), stop
        self._witnesses: list[tuple[Diagram, int]] = []
        self._granted: dict[tuple[int, Wish], bool] = {}
        self._impossible: list[frozenset[Wish]] = []
        self._optima: list[tuple[frozenset[Wish], int]] = []

    @property
    def over(self) -> bool:
        """Whether it was stopped or its time is up."""
        stopped = self._stop is not None and self._stop.is_set()
        return stopped or self._left() < LEAST_SECONDS

    def witness(self, wishes: Sequence[Wish]) -> tuple[bool | None, Diagram | None]:
        """Whether these wishes can hold together, and a tree that grants them all.

        Returns
        -------
        True and a tree, False (proved) and `None`, or `None` twice where it was not decided in time.
        """
        for i in reversed(range(len(self._witnesses))):
            if all(self._grants(i, wish) for wish in wishes):
                return True, self._witnesses[i][0]
        asked = frozenset(wishes)
        if any(impossible <= asked for impossible in self._impossible):
            return False, None
        solution = self._ask(asked, first=True)
        if solution is None or solution.diagram is None:
            return (False, None) if solution is not None and solution.status is Status.INFEASIBLE else (None, None)
        return True, solution.diagram

    def _grants(self, i: int, wish: Wish) -> bool:
        """Whether a tree that was found grants a wish; looked into once, which can take a millisecond."""
        if (i, wish) not in self._granted:
            self._granted[i, wish] = wish.holds(self._witnesses[i][0], self.problem)
        return self._granted[i, wish]

    def possible(self, wishes: Sequence[Wish]) -> bool | None:
        """Whether these wishes can hold together; `None` where it was not decided in time."""
        return self.witness(wishes)[0]

    def optimum(self, wishes: Sequence[Wish]) -> Optimum:
        """The best tree that grants these wishes."""
        asked = frozenset(wishes)
        if any(impossible <= asked for impossible in self._impossible):
            return Optimum(Status.INFEASIBLE)
        # fewer wishes cannot cost more: the best tree under some of them costs no more than the best one under all
        least = max((cost for known, cost in self._optima if known <= asked), default=None)
        best = self._cheapest(wishes, least)
        if best.status is Status.OPTIMAL:
            return best
        solution = self._ask(asked, first=False)
        if solution is None:
            return best
        if solution.status in (Status.OPTIMAL, Status.INFEASIBLE):
            return Optimum(solution.status, solution.diagram, solution.cost, solution.bound)
        bounds = [bound for bound in (least, solution.bound) if bound is not None]
        return self._cheapest(wishes, max(bounds, default=None))

    def _cheapest(self, wishes: Sequence[Wish], bound: int | None) -> Optimum:
        """The cheapest tree that was found and grants these wishes, held against a lower bound."""
        order = sorted(range(len(self._witnesses)), key=lambda i: self._witnesses[i][1])
        for i in order:
            if all(self._grants(i, wish) for wish in wishes):
                diagram, cost = self._witnesses[i]
                return Optimum(Status.OPTIMAL if cost == bound else Status.FEASIBLE, diagram, cost, bound)
        return Optimum(Status.NO_SOLUTION, bound=bound)

    def learn(self, wishes: Sequence[Wish], solution: Solution) -> None:
        """Take in what is known already; only a verified solution counts."""
        if solution.verified:
            self._note(frozenset(wishes), solution)

    def _note(self, wishes: frozenset[Wish], solution: Solution) -> None:
        """Keep what a verified solution says."""
        if solution.diagram is not None:
            self._witnesses.append((solution.diagram, solution.cost))
        if solution.status is Status.OPTIMAL:
            self._optima.append((wishes, solution.cost))
        elif solution.status is Status.INFEASIBLE:
            self._impossible.append(wishes)

    def _ask(self, wishes: frozenset[Wish], first: bool) -> Solution | None:
        """Ask the solver, for the `first` tree or the best one; `None` where there is no (right) answer in time."""
        if self.over:
            return None
        question = posed(self.problem, wishes)
        limits = replace(self._limits, seconds=min(self.step, self._left()), gap=0.0)
        stop = _Enough(self._stop, first)
        try:
            solution = self._solve(question, limits, stop.hear, stop)
        except UnsupportedError:
            # Another wish in its place may be more than the method can take, such as one more level: not decided.
            if wishes <= self._own:
                raise
            return None
        if solution.diagram is None and stop.found is not None:
            found = stop.found
            solution = replace(solution, status=Status.FEASIBLE, diagram=found.diagram, cost=found.cost)
        if solution.status is Status.CANCELLED:
            solution = replace(solution, status=Status.NO_SOLUTION if solution.diagram is None else Status.FEASIBLE)
        solution = verified(question, solution)
        if not solution.verified:
            return None
        self._note(wishes, solution)
        return solution

    def _left(self) -> float:
        seconds = self._limits.seconds
        return float("inf") if seconds is None else seconds - self.clock.elapsed


class _Enough:
    """A stop signal that is also given once a first tree is found, if that is all that is asked for."""

    def __init__(self, outer: Stop | None, first: bool) -> None:
        self._outer, self._first = outer, first
        self.found: Incumbent | None = None

    def hear(self, event: Event) -> None:
        """Take in an event of the search."""
        if isinstance(event, Incumbent):
            self.found = event

    def is_set(self) -> bool:
        """Whether to stop."""
        return (self._first and self.found is not None) or (self._outer is not None and self._outer.is_set())
