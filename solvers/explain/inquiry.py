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
from solvers.explain.wishes import Wish, posed
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
    """The solver that the registry has under this name; it refuses what its method cannot take.

    Raises
    ------
    UnknownMethodError, MissingPackageError
        There is no such method, or it is not installed.
    """
    method = get(name)

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
        self.asked = 0
        self._solve, self._limits, self._stop = solve, limits or Limits(), stop
        self._witnesses: list[Diagram] = []
        self._granted: dict[tuple[int, Wish], bool] = {}
        self._impossible: list[frozenset[Wish]] = []
        self._optima: list[tuple[frozenset[Wish], Optimum]] = []

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
                return True, self._witnesses[i]
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
            self._granted[i, wish] = wish.holds(self._witnesses[i], self.problem)
        return self._granted[i, wish]

    def possible(self, wishes: Sequence[Wish]) -> bool | None:
        """Whether these wishes can hold together; `None` where it was not decided in time."""
        return self.witness(wishes)[0]

    def optimum(self, wishes: Sequence[Wish]) -> Optimum:
        """The best tree that grants these wishes."""
        asked = frozenset(wishes)
        if any(impossible <= asked for impossible in self._impossible):
            return Optimum(Status.INFEASIBLE)
        for known, optimum in self._optima:
            # an optimum under fewer wishes that grants the others, too, cannot be beaten
            if known <= asked and all(wish.holds(optimum.diagram, self.problem) for wish in asked - known):
                return optimum
        solution = self._ask(asked, first=False)
        if solution is None:
            return Optimum(Status.NO_SOLUTION)
        found = Optimum(solution.status, solution.diagram, solution.cost, solution.bound)
        if solution.status is Status.OPTIMAL:
            self._optima.append((asked, found))
        return found

    def cost(self, diagram: Diagram) -> int:
        """What a tree costs."""
        return self.problem.cost(diagram.predict(self.problem.dataset), diagram.n_splits)

    def learn(self, wishes: Sequence[Wish], solution: Solution) -> None:
        """Take in what is known already; only a verified solution counts."""
        if not solution.verified:
            return
        if solution.diagram is not None:
            self._witnesses.append(solution.diagram)
        if solution.status is Status.OPTIMAL:
            found = Optimum(solution.status, solution.diagram, solution.cost, solution.bound)
            self._optima.append((frozenset(wishes), found))

    def _ask(self, wishes: frozenset[Wish], first: bool) -> Solution | None:
        """Ask the solver, for the `first` tree or the best one; `None` where there is no (right) answer in time."""
        if self.over:
            return None
        question = posed(self.problem, wishes)
        limits = replace(self._limits, seconds=min(self.step, self._left()), gap=0.0)
        stop = _Enough(self._stop, first)
        self.asked += 1
        try:
            solution = self._solve(question, limits, stop.hear, stop)
        except UnsupportedError:
            # A weaker wish may be more than the method can take, such as one more level; that decides nothing.
            if self.asked == 1:
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
        if solution.diagram is not None:
            self._witnesses.append(solution.diagram)
        elif solution.status is Status.INFEASIBLE:
            self._impossible.append(wishes)
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
