"""Asking a solver many small questions about one problem, and remembering the answers.

'Can these constraints hold together?' has three answers: a tree shows that they can, the solver proves that they
cannot, or it ran out of the time that one question may take. Every tree that is found is kept, because it answers later
questions without a solver; so is every bound, and every set of constraints that cannot hold, because they go for all
stricter ones, too (see `evidence`). What others found and proved before is taken in the same way.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..constraints import Constraint
from ..constraints.rules import Sum
from ..diagram import Diagram
from ..errors import UnsupportedError
from ..methods import get
from ..methods.base import Method, StopAtIncumbent
from ..methods.capabilities import FindsLeastSum, LeastSum, SupportsFeasibility, SupportsWarmStart
from ..methods.search.clock import Clock
from ..methods.trees.coupled.greedy_start import constant_trees
from ..metrics.verify import verified
from ..problem import MAX_DEPTH, Limits, Problem, Shape
from ..solution import Emit, Solution, Status, Stop
from .evidence import KnownResult, all_follow, demand
from .relaxable import RelaxableConstraint, relaxables_of, to_problem

Solve = Callable[[Problem, Limits, Emit, Stop], Solution]
"""A solver, such as the `run` of a method; it raises `UnsupportedError` for what it cannot take.

It may support more (`SupportsFeasibility`, `FindsLeastSum`, `SupportsWarmStart`), as `MethodSolver` does.
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

    def resume(
        self, problem: Problem, limits: Limits, emit: Emit, stop: Stop, diagram: Diagram, bound: int | None
    ) -> Solution:
        """The best tree, sought from what is known on where the method can use that."""
        self._check(problem)
        if isinstance(self._method, SupportsWarmStart):
            return self._method.resume(problem, limits, emit, stop, diagram, bound)
        return self._method.run(problem, limits, emit, stop)

    def any_tree(self, problem: Problem, limits: Limits, stop: Stop) -> Solution:
        """Any tree, or the proof that there is none; some methods know a shorter way to that than to the best one."""
        self._check(problem)
        if isinstance(self._method, SupportsFeasibility):
            return self._method.any_tree(problem, limits, stop)
        return _first_tree(self._method.run, problem, limits, stop)

    def least_sum(self, problem: Problem, rule: Sum, limits: Limits, stop: Stop) -> LeastSum | None:
        """The least value of a sum under the constraints of a problem; `None` where the method cannot find it."""
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


def _first_tree(solve: Solve, problem: Problem, limits: Limits, stop: Stop) -> Solution:
    """The search for the best tree, ended with its first tree."""
    enough = StopAtIncumbent(stop)
    solution, first = solve(problem, limits, enough.on_event, enough), enough.incumbent
    if solution.diagram is None and first is not None:
        solution = replace(solution, status=Status.FEASIBLE, diagram=first.diagram, cost=first.cost)
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
        """Whether the search is complete."""
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
    known : what is known before the first question, for the same rows and objective. Each tree is checked again.

    Attributes
    ----------
    evidence : what the solver found and proved besides.
    """

    def __init__(
        self,
        problem: Problem,
        solve: Solve,
        limits: Limits | None = None,
        stop: Stop | None = None,
        step: float = STEP,
        known: Iterable[KnownResult] = (),
    ) -> None:
        self.problem = problem
        self.step = step
        self.clock = Clock()
        self._own = frozenset(relaxables_of(problem))
        self._solve, self._limits, self._stop = solve, limits or Limits(), stop or threading.Event()
        self._any_tree = solve.any_tree if isinstance(solve, SupportsFeasibility) else partial(_first_tree, solve)
        self._resume = solve.resume if isinstance(solve, SupportsWarmStart) else None
        self._least_sum = solve.least_sum if isinstance(solve, FindsLeastSum) else None
        # trees that need no search: one leaf, whatever it answers
        self._witnesses: list[tuple[Diagram, int]] = []
        for tree in constant_trees(problem):
            self._keep(tree)
        self._satisfied: dict[tuple[int, RelaxableConstraint], bool] = {}
        self._impossible: list[tuple[Constraint, ...]] = []
        self._bounds: list[tuple[tuple[Constraint, ...], int]] = []
        self.evidence: list[KnownResult] = []
        for one in known:
            self._learn(one)

    @property
    def over(self) -> bool:
        """Whether it was stopped or its time is up."""
        return self._stop.is_set() or self._left() < LEAST_SECONDS

    def witness(
        self, relaxables: Sequence[RelaxableConstraint], share: float = 1.0
    ) -> tuple[bool | None, Diagram | None]:
        """Whether these constraints can hold together (False: proved not), and a tree that satisfies all.

        Both are `None` where it was not decided in time, of which the search may use a `share`.
        """
        for i in reversed(range(len(self._witnesses))):
            if all(self._satisfies(i, relaxable) for relaxable in relaxables):
                return True, self._witnesses[i][0]
        if self._refuted(demand(to_problem(self.problem, relaxables))):
            return False, None
        solution = self._ask(relaxables, share=share)
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

    def optimum(self, relaxables: Sequence[RelaxableConstraint], share: float = 1.0) -> Optimum:
        """The best tree that satisfies these constraints; unless it is known, the solver goes on from what is.

        It takes `share` times what one question may take.
        """
        best = self.recall(relaxables)
        if best.proved:
            return best
        solution = self._ask(relaxables, best, share)
        if solution is not None and solution.status in (Status.OPTIMAL, Status.INFEASIBLE):
            return Optimum(solution.status, solution.diagram, solution.cost, solution.bound)
        return best if solution is None else self.recall(relaxables)

    def recall(self, relaxables: Sequence[RelaxableConstraint]) -> Optimum:
        """The same as far as it is known: the cheapest tree that is at hand, held against the best bound."""
        question = to_problem(self.problem, relaxables)
        demands = demand(question)
        if self._refuted(demands):
            return Optimum(Status.INFEASIBLE)
        bound = max((bound for known, bound in self._bounds if all_follow(known, demands)), default=None)
        for i in sorted(range(len(self._witnesses)), key=lambda i: self._witnesses[i][1]):
            diagram, cost = self._witnesses[i]
            if all(self._satisfies(i, relaxable) for relaxable in relaxables) and self._verified(question, diagram):
                # a bound above a tree is that of a solver which looks at a part of all trees: it is none here
                bound = bound if bound is None or bound <= cost else None
                return Optimum(Status.OPTIMAL if cost == bound else Status.FEASIBLE, diagram, cost, bound)
        return Optimum(Status.NO_SOLUTION, bound=bound)

    def _refuted(self, demands: tuple[Constraint, ...]) -> bool:
        return any(all_follow(impossible, demands) for impossible in self._impossible)

    def least(self, relaxable: RelaxableConstraint, others: Sequence[RelaxableConstraint]) -> LeastSum | None:
        """The least value of the sum behind a constraint, under others; `None` where there is none, or no time."""
        rules = relaxable.constraint.rules(self.problem)
        if self._least_sum is None or self.over or len(rules) != 1 or not isinstance(rules[0], Sum):
            return None
        question = to_problem(self.problem, others)
        found = self._least_sum(question, rules[0], self._for_one(), self._stop)
        if found is None:
            return None
        if found.bound is None:
            self._impossible.append(demand(question))
            self.evidence.append(KnownResult(question.shape, question.constraints, impossible=True))
        elif found.diagram is not None:
            if not self._verified(question, found.diagram):
                return None
            self._keep(found.diagram)
            self.evidence.append(KnownResult(question.shape, question.constraints, found.diagram))
        return found

    def _verified(self, question: Problem, diagram: Diagram) -> bool:
        """Whether a tree passes the check as one that satisfies what is asked."""
        cost = question.cost(diagram.predict(question.dataset), diagram.n_splits)
        claimed = Solution(question.id, "", Status.FEASIBLE, diagram, cost, None, self.clock.elapsed, self.clock.cpu)
        return bool(verified(question, claimed).verified)

    def _learn(self, known: KnownResult) -> None:
        """Take in what is known: for other widths of layers or kinds of questions it says nothing."""
        own = self.problem.shape
        if any(getattr(known.shape, name) != getattr(own, name) for name in ("kind", "widths", "split_features")):
            return
        self._note(
            replace(self.problem, shape=known.shape, constraints=known.constraints), known.bound, known.impossible
        )
        free = Shape(own.kind, max_depth=MAX_DEPTH, widths=own.widths, split_features=own.split_features)
        anything = replace(self.problem, shape=free, constraints=())
        if known.diagram is not None and self._verified(anything, known.diagram):
            self._keep(known.diagram)

    def _note(self, question: Problem, bound: int | None, impossible: bool) -> None:
        """Keep what is proved about a question."""
        if impossible:
            self._impossible.append(demand(question))
        elif bound is not None:
            self._bounds.append((demand(question), bound))

    def _keep(self, diagram: Diagram) -> None:
        """Keep a tree that was checked."""
        self._witnesses.append((diagram, self.problem.cost_of(diagram)))

    def _ask(
        self, relaxables: Sequence[RelaxableConstraint], best: Optimum | None = None, share: float = 1.0
    ) -> Solution | None:
        """Ask the solver for the best tree if `best` says so, or for any without; `None` for none in time."""
        if self.over:
            return None
        question = to_problem(self.problem, relaxables)
        limits = self._for_one(share)
        try:
            if best is None:
                solution = self._any_tree(question, limits, self._stop)
            elif self._resume is None or best.diagram is None:
                solution = self._solve(question, limits, lambda event: None, self._stop)
            else:
                known = best.diagram, best.bound
                solution = self._resume(question, limits, lambda event: None, self._stop, *known)
        except UnsupportedError:
            # Another constraint in its place may be more than the method can take, such as one more level: not decided.
            if self._own.issuperset(relaxables):
                raise
            return None
        if solution.status is Status.CANCELLED:
            solution = replace(solution, status=Status.NO_SOLUTION if solution.diagram is None else Status.FEASIBLE)
        solution = verified(question, solution)
        if not solution.verified:
            return None
        # in an inquiry all answers are those of one solver, whichever models it looks at; others must know
        self._note(question, solution.bound, solution.status is Status.INFEASIBLE)
        if solution.diagram is not None:
            self._keep(solution.diagram)
        if found := KnownResult.of(question, solution):
            self.evidence.append(found)
        return solution

    def _for_one(self, share: float = 1.0) -> Limits:
        """The limits of one question, which may take a share of its usual time."""
        return replace(self._limits, seconds=min(share * self.step, self._left()), gap=0.0)

    def _left(self) -> float:
        seconds = self._limits.seconds
        return float("inf") if seconds is None else seconds - self.clock.elapsed
