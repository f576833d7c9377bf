"""Ask a solver many small questions about one problem, and remember the answers.

'Can these constraints hold together?' has three answers: a tree shows that they can, the solver proves that they
cannot, or the time for one question runs out. Every tree found is kept, because it can answer later questions without
a solver. Bounds and infeasible sets of constraints are kept too, because they remain valid for stricter constraints
(see `evidence`). Results of other runs are used in the same manner.
"""

import math
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..constraints import Constraint
from ..constraints.rules import Sum
from ..diagram import Diagram
from ..errors import EspalierError, UnsupportedError
from ..methods import get
from ..methods.base import Method, StopAtIncumbent
from ..methods.capabilities import FindsLeastSum, LeastSum, SupportsWarmStart
from ..methods.search.clock import Clock
from ..methods.trees.coupled.greedy_start import constant_trees
from ..metrics.verify import verified
from ..problem import MAX_DEPTH, Limits, Objective, Problem, Shape
from ..problem.objective import ClassCosts
from ..solution import Emit, Solution, Status, Stop
from .evidence import KnownResult, all_follow, demand
from .relaxable import RelaxableConstraint, relaxables_of, to_problem

Solve = Callable[[Problem, Limits, Emit, Stop], Solution]
"""A solver, such as the `run` of a method; it raises `UnsupportedError` for problems it does not support.

It may have more capabilities (`FindsLeastSum`, `SupportsWarmStart`), as `MethodSolver` does.
"""

STEP = 2.0
"""Seconds per solver call of an explanation."""

RATES_SHARE = 3.0
"""Share of the usual time for the proved best tree with other misclassification costs."""

LEAST_SECONDS = 0.01
"""Shortest time limit of a solver call."""


class MethodSolver:
    """A method of the registry as a compiled solver; it raises for problems the method does not support."""

    def __init__(self, method: Method) -> None:
        self._method = method
        # compile now, so that compilation does not use the time of the first question
        method.precompile(constraints=True)

    def __call__(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        """Find the best tree."""
        self._check(problem)
        return self._method.run(problem, limits, emit, stop)

    def resume(
        self, problem: Problem, limits: Limits, emit: Emit, stop: Stop, diagram: Diagram, bound: int | None
    ) -> Solution:
        """Find the best tree, starting from a known tree and bound if the method supports that."""
        self._check(problem)
        if isinstance(self._method, SupportsWarmStart):
            return self._method.resume(problem, limits, emit, stop, diagram, bound)
        return self._method.run(problem, limits, emit, stop)

    def least_sum(self, problem: Problem, rule: Sum, limits: Limits, stop: Stop) -> LeastSum | None:
        """The minimum of a sum under the constraints of a problem; `None` if the method cannot find it."""
        self._check(problem)
        return self._method.least_sum(problem, rule, limits, stop) if isinstance(self._method, FindsLeastSum) else None

    def _check(self, problem: Problem) -> None:
        if unsupported := self._method.check(problem):
            raise UnsupportedError(" ".join(str(reason) for reason in unsupported))


def solver(name: str, options: Mapping[str, str] | None = None) -> MethodSolver:
    """Create the method with this name and these options as a solver.

    Raises
    ------
    UnknownMethodError, OptionError, MissingPackageError
        There is no such method, it has no such option, or its package is not installed.
    """
    return MethodSolver(get(name, **(options or {})))


def _first_tree(solve: Solve, problem: Problem, limits: Limits, stop: Stop) -> Solution:
    """Search for the best tree, but stop at the first tree."""
    enough = StopAtIncumbent(stop)
    solution, first = solve(problem, limits, enough.on_event, enough), enough.incumbent
    if solution.diagram is None and first is not None:
        solution = replace(solution, status=Status.FEASIBLE, diagram=first.diagram, cost=first.cost)
    return solution


@dataclass(frozen=True)
class Optimum:
    """The best known tree under some constraints.

    Attributes
    ----------
    status : OPTIMAL, FEASIBLE (not proved), INFEASIBLE (proved) or NO_SOLUTION (nothing known).
    diagram, cost : the tree and its cost; `None` if there is none.
    bound : a proved lower bound on the cost; `None` if there is none.
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
    problem : the problem whose constraints are examined.
    solve : the solver.
    limits : for the inquiry as a whole.
    stop : ends the inquiry.
    step : seconds per question.
    known : earlier results for the same rows and objective. Each tree is verified again.

    Attributes
    ----------
    evidence : what the solver found and proved, in addition to `known`.
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
        self._resume = solve.resume if isinstance(solve, SupportsWarmStart) else None
        self._least_sum = solve.least_sum if isinstance(solve, FindsLeastSum) else None
        # single leaves, one per prediction, need no search
        self._witnesses: list[tuple[Diagram, int]] = []
        for tree in constant_trees(problem):
            self._keep(tree)
        self._satisfied: dict[tuple[int, RelaxableConstraint], bool] = {}
        self._impossible: list[tuple[Constraint, ...]] = []
        self._bounds: list[tuple[tuple[Constraint, ...], int]] = []
        self.evidence: list[KnownResult] = []
        for one in known:
            self.learn(one)

    @property
    def over(self) -> bool:
        """Whether it was stopped or the time limit is reached."""
        return self._stop.is_set() or self.left < LEAST_SECONDS

    def witness(
        self, relaxables: Sequence[RelaxableConstraint], share: float = 1.0
    ) -> tuple[bool | None, Diagram | None]:
        """Decide whether these constraints can hold together (False: proved not), and find a tree that satisfies all.

        Both are `None` if undecided. The search may use `share` of the usual time.
        """
        for i in reversed(range(len(self._witnesses))):
            if all(self._satisfies(i, relaxable) for relaxable in relaxables):
                return True, self._witnesses[i][0]
        if self.ruled_out(relaxables):
            return False, None
        solution = self._ask(relaxables, share=share)
        if solution is None or solution.diagram is None:
            return (False, None) if solution is not None and solution.status is Status.INFEASIBLE else (None, None)
        return True, solution.diagram

    def _satisfies(self, i: int, relaxable: RelaxableConstraint) -> bool:
        """Whether a known tree satisfies a constraint; cached, because a check can take a millisecond."""
        if (i, relaxable) not in self._satisfied:
            self._satisfied[i, relaxable] = relaxable.holds(self._witnesses[i][0], self.problem)
        return self._satisfied[i, relaxable]

    def possible(self, relaxables: Sequence[RelaxableConstraint], share: float = 1.0) -> bool | None:
        """Whether these constraints can hold together; `None` if undecided in time."""
        return self.witness(relaxables, share)[0]

    def optimum(
        self, relaxables: Sequence[RelaxableConstraint], share: float = 1.0, seconds: float = math.inf
    ) -> Optimum:
        """The best tree that satisfies these constraints; unless known, the solver continues from what is known.

        The solver may take `share` times the usual time of a question, and at most `seconds`.
        """
        best = self.recall(relaxables)
        if best.proved:
            return best
        solution = self._ask(relaxables, best, share, seconds)
        if solution is not None and solution.status in (Status.OPTIMAL, Status.INFEASIBLE):
            return Optimum(solution.status, solution.diagram, solution.cost, solution.bound)
        return best if solution is None else self.recall(relaxables)

    def recall(self, relaxables: Sequence[RelaxableConstraint]) -> Optimum:
        """What is already known about this optimum: the cheapest known tree and the best known bound."""
        question = to_problem(self.problem, relaxables)
        demands = demand(question)
        if self._refuted(demands):
            return Optimum(Status.INFEASIBLE)
        bound = max((bound for known, bound in self._bounds if all_follow(known, demands)), default=None)
        for i in sorted(range(len(self._witnesses)), key=lambda i: self._witnesses[i][1]):
            diagram, cost = self._witnesses[i]
            if all(self._satisfies(i, relaxable) for relaxable in relaxables) and self._verified(question, diagram):
                # a bound above the cost of a tree comes from a solver that searches only a subset of trees: ignore it
                bound = bound if bound is None or bound <= cost else None
                return Optimum(Status.OPTIMAL if cost == bound else Status.FEASIBLE, diagram, cost, bound)
        return Optimum(Status.NO_SOLUTION, bound=bound)

    def ruled_out(self, relaxables: Sequence[RelaxableConstraint]) -> bool:
        """Whether it is already proved that these constraints cannot hold together."""
        return self._refuted(demand(to_problem(self.problem, relaxables)))

    def _refuted(self, demands: tuple[Constraint, ...]) -> bool:
        return any(all_follow(impossible, demands) for impossible in self._impossible)

    def least(
        self, relaxable: RelaxableConstraint, others: Sequence[RelaxableConstraint], share: float = 1.0
    ) -> LeastSum | None:
        """The minimum of the sum behind a constraint, under others; `None` if there is no such sum, or no time."""
        rules = relaxable.constraint.rules(self.problem)
        if self._least_sum is None or self.over or len(rules) != 1 or not isinstance(rules[0], Sum):
            return None
        question = to_problem(self.problem, others)
        found = self._least_sum(question, rules[0], self._for_one(share), self._stop)
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

    def cheapest(
        self, class_costs: ClassCosts, relaxables: Sequence[RelaxableConstraint], seconds: float
    ) -> Diagram | None:
        """The proved best tree under these constraints for other misclassification costs; `None` if not proved."""
        if self.over:
            return None
        question = replace(to_problem(self.problem, relaxables), objective=Objective(class_costs))
        try:
            found = self._solve(question, self._for_one(RATES_SHARE, seconds), lambda event: None, self._stop)
        except EspalierError:
            # the method does not support such costs, or they are too large
            return None
        found = verified(question, found)
        if not found.verified or found.status is not Status.OPTIMAL or found.scope is not None or not found.diagram:
            return None
        self._keep(found.diagram)
        self.evidence.append(KnownResult(question.shape, question.constraints, found.diagram))
        return found.diagram

    def rule_out(self, relaxables: Sequence[RelaxableConstraint]) -> None:
        """Store that these constraints are proved not to hold together."""
        question = to_problem(self.problem, relaxables)
        self._note(question, None, True)
        self.evidence.append(KnownResult(question.shape, question.constraints, impossible=True))

    def _verified(self, question: Problem, diagram: Diagram) -> bool:
        """Whether a tree passes verification for this problem."""
        cost = question.cost(diagram.predict(question.dataset), diagram.n_splits)
        claimed = Solution(question.id, "", Status.FEASIBLE, diagram, cost, None, self.clock.elapsed, self.clock.cpu)
        return bool(verified(question, claimed).verified)

    def learn(self, known: KnownResult) -> None:
        """Store a known result; it is ignored if its layer widths or kinds of splits differ."""
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
        """Store what is proved about a question."""
        if impossible:
            self._impossible.append(demand(question))
        elif bound is not None:
            self._bounds.append((demand(question), bound))

    def _keep(self, diagram: Diagram) -> None:
        """Store a verified tree."""
        self._witnesses.append((diagram, self.problem.cost_of(diagram)))

    def _ask(
        self,
        relaxables: Sequence[RelaxableConstraint],
        best: Optimum | None = None,
        share: float = 1.0,
        seconds: float = math.inf,
    ) -> Solution | None:
        """Search for an optimal tree, starting from `best`, or for any tree without it; `None` if no time is left."""
        if self.over:
            return None
        question = to_problem(self.problem, relaxables)
        limits = self._for_one(share, seconds)
        try:
            if best is None:
                solution = _first_tree(self._solve, question, limits, self._stop)
            elif self._resume is None or best.diagram is None:
                solution = self._solve(question, limits, lambda event: None, self._stop)
            else:
                known = best.diagram, best.bound
                solution = self._resume(question, limits, lambda event: None, self._stop, *known)
        except UnsupportedError:
            # The method may not support a changed constraint, such as one more level: then the question is undecided.
            if self._own.issuperset(relaxables):
                raise
            return None
        if solution.status is Status.CANCELLED:
            solution = replace(solution, status=Status.NO_SOLUTION if solution.diagram is None else Status.FEASIBLE)
        solution = verified(question, solution)
        if not solution.verified:
            return None
        # within an inquiry all answers come from one solver; others must know the scope of its search
        self._note(question, solution.bound, solution.status is Status.INFEASIBLE)
        if solution.diagram is not None:
            self._keep(solution.diagram)
        if found := KnownResult.of(question, solution):
            self.evidence.append(found)
        return solution

    def _for_one(self, share: float = 1.0, seconds: float = math.inf) -> Limits:
        """The limits for one question, with this share of the usual time, and at most these seconds."""
        return replace(self._limits, seconds=min(share * self.step, seconds, self.left), gap=0.0)

    @property
    def left(self) -> float:
        """The seconds that are left for the inquiry."""
        seconds = self._limits.seconds
        return float("inf") if seconds is None else seconds - self.clock.elapsed
