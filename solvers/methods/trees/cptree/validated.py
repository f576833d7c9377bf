"""CPTree with the number of leaves chosen by validation: CPTree-1* of the paper, section 6.1.

A third of the rows is kept aside. For every number of leaves from 3 (K - 1) to 2^K, where K is the depth, the best tree
for the other rows is found, under the same constraints; the number whose tree costs least on the rows kept aside
wins, the smallest one of equals. Then the best tree with at most so many leaves is found for all rows.
"""

from __future__ import annotations

from dataclasses import replace

from solvers.errors import DataError
from solvers.methods.base import Unsupported, infeasible
from solvers.methods.search.clock import Clock
from solvers.methods.trees.cptree.method import CPTree
from solvers.methods.trees.cptree.run import levels_of
from solvers.problem import Limits, Problem, ShapeKind, holdout
from solvers.solution import Bound, Emit, Event, Progress, Solution, Started, Status, Stop, TracePoint

ASIDE = 1 / 3
"""The share of the rows that decide on the number of leaves; 25 % of 75 % in the paper."""

TIME_TO_CHOOSE = 0.5
"""The share of the time limit for all the trees on two thirds of the rows."""


class CPTreeValidated:
    """Trees under domain constraints with as many leaves as generalise best.

    Parameters
    ----------
    method : what finds the trees.
    """

    name = "cptree-validated"
    title = "CPTree* (leaves by validation)"
    kinds = (ShapeKind.TREE,)
    exact = False
    summary = (
        "CPTree with as many leaves, up to what the shape allows, as do best on a third of the rows that is kept "
        "aside; then the best tree of that size for all rows. Proves nothing about larger trees."
    )
    source = CPTree.source

    def __init__(self, method: CPTree | None = None) -> None:
        self.method = CPTree() if method is None else method

    def check(self, problem: Problem) -> tuple[Unsupported, ...]:
        """What CPTree takes."""
        return self.method.check(problem)

    def run(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        """Choose the number of leaves, then solve; see the module."""
        clock = Clock()
        emit(Started(self.name))
        if none := infeasible(problem, self.name, clock):
            return none
        leaves, costs, said = self._choose(problem, limits, clock, emit, stop)
        smaller = problem if leaves is None else replace(problem, shape=replace(problem.shape, max_leaf_nodes=leaves))
        began = clock.elapsed

        def tell(event: Event) -> None:
            if not isinstance(event, Started | Bound):
                emit(replace(event, elapsed=began + event.elapsed))

        found = self.method.run(smaller, _left(limits, clock), tell, stop)
        whole = leaves is None
        if found.diagram is None and not whole and not stop.is_set():
            whole = True
            said += f" With at most {leaves} leaves no tree was found, so all leaves were permitted."
            began = clock.elapsed
            found = self.method.run(problem, _left(limits, clock), tell, stop)
        trace = [TracePoint(began + at.elapsed, at.cost, None) for at in found.trace if at.cost is not None]
        return replace(
            found,
            problem_id=problem.id,
            method=self.name,
            status=_status(found, whole, stop),
            bound=None,
            seconds=clock.elapsed,
            cpu_seconds=clock.cpu,
            trace=tuple(trace),
            stats={**found.stats, **({} if leaves is None else {"leaves chosen": leaves, "costs aside": costs})},
            message=f"{said} {found.message}".strip(),
        )

    def parallel(self, problem: Problem) -> bool:
        """As CPTree."""
        return self.method.parallel(problem)

    def warm(self, constraints: bool = False) -> None:
        """What CPTree needs."""
        self.method.warm(constraints)

    def _choose(
        self, problem: Problem, limits: Limits, clock: Clock, emit: Emit, stop: Stop
    ) -> tuple[int | None, dict[int, float], str]:
        """The number of leaves, `None` where it was not chosen; the cost aside of each number; and what was done."""
        depth = levels_of(problem)
        most = min(2**depth, problem.size.max_leaf_nodes or 2**depth)
        numbers = range(max(1, min(3 * (depth - 1), most)), most + 1)
        if len(numbers) < 2:
            return None, {}, ""
        try:
            training, aside = holdout(problem.dataset, ASIDE, limits.seed)
        except DataError:
            return None, {}, "The rows are too few to keep some aside, so the number of leaves was not validated."
        part = replace(problem, dataset=training)
        if self.method.check(part):
            return None, {}, "The constraints cannot be read with a part of the rows, so the leaves were not validated."
        judge = Problem(aside, problem.shape, problem.objective)
        share = None if limits.seconds is None else TIME_TO_CHOOSE * limits.seconds / len(numbers)
        costs: dict[int, float] = {}
        for number in numbers:
            if stop.is_set() or (limits.seconds is not None and clock.elapsed > TIME_TO_CHOOSE * limits.seconds):
                break
            emit(Progress(clock.elapsed, f"Trying {number} leaves on two thirds of the rows."))
            limited = replace(part, shape=replace(problem.shape, max_leaf_nodes=number))
            tree = self.method.run(limited, replace(limits, seconds=share), lambda event: None, stop).diagram
            if tree is not None:
                costs[number] = judge.cost(tree.predict(aside)) / judge.scale
        if not costs:
            return None, {}, "No tree was found on two thirds of the rows, so the number of leaves was not validated."
        best = min(costs, key=lambda number: (costs[number], number))
        told = ", ".join(f"{number}: {cost:g}" for number, cost in costs.items())
        return best, costs, f"At most {best} leaves, chosen on {aside.n_samples} rows kept aside (costs {told})."


def _status(found: Solution, whole: bool, stop: Stop) -> Status:
    """What a status for at most so many leaves says of the shape that was asked for; `whole` if it is the same."""
    if found.diagram is None:
        return found.status if whole else Status.CANCELLED
    return Status.CANCELLED if stop.is_set() else Status.FEASIBLE


def _left(limits: Limits, clock: Clock) -> Limits:
    """The limits with the time that is left, if only a moment."""
    return limits if limits.seconds is None else replace(limits, seconds=max(1e-9, limits.seconds - clock.elapsed))
