"""CPTree with the number of leaves chosen by validation: CPTree-1* of the paper, section 6.1.

A third of the rows is kept aside. For every number of leaves from 3 (K - 1) to 2^K, where K is the depth, the best tree
for the other rows is found, under the same constraints; the number whose tree costs least on the rows kept aside
wins, the smallest one of equals. Then the best tree with at most so many leaves is found for all rows.
"""

from collections.abc import Iterable
from dataclasses import replace

from ....errors import DataError
from ....problem import Problem, ShapeKind, holdout
from ....solution import EndReason, LeavesByValidation, Obstacle, PartialScope, Solution, Status
from ...base import Unsupported
from ...search.context import SearchContext
from ...search.driver import SearchMethod
from .method import CPTree

ASIDE = 1 / 3
"""The share of the rows that decide on the number of leaves; 25 % of 75 % in the paper."""

TIME_TO_CHOOSE = 0.5
"""The share of the time limit for all the trees on two thirds of the rows."""


class CPTreeValidated(SearchMethod):
    """Trees under domain constraints with as many leaves as generalise best; `method` finds the trees."""

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

    def refusals(self, problem: Problem) -> Iterable[Unsupported]:
        """What CPTree takes."""
        return self.method.check(problem)

    def search(self, context: SearchContext) -> None:
        """Choose the number of leaves, then solve; see the module."""
        problem = context.problem
        validation = self._choose(context)
        solution = self._solved(context, _with_leaves(problem, validation.chosen))
        if not context.due() and solution.diagram is None and validation.chosen is not None:
            validation = replace(validation, given_up=True)
            solution = self._solved(context, problem)
        whole, part = validation.chosen is None or validation.given_up, solution.details.part
        proved = solution.status is Status.OPTIMAL
        if part is not None and (solution.diagram is not None or not whole):
            # what is known of trees with so many leaves is not known of all
            proved = solution.diagram is not None and (proved or part.proved)
            part = PartialScope(part.scope, part.questions) if proved else None
        context.details = replace(solution.details, part=part, validation=replace(validation, proved=proved))
        if solution.status is Status.INFEASIBLE and whole:
            context.refute(solution.details.reason, solution.details.solver)
        elif solution.ended is not None:
            context.end(EndReason.EXHAUSTED if solution.ended is EndReason.PROVED else solution.ended)

    def _solved(self, context: SearchContext, problem: Problem) -> Solution:
        """The best tree for all rows, offered as it is found; this method takes no bound."""
        solution = self.method.run(problem, context.deadline.limits_left, context.follow, context.deadline)
        if solution.diagram is not None:
            context.offer(solution.diagram)
        context.stats |= solution.stats
        return solution

    def parallel(self, problem: Problem) -> bool:
        """As CPTree."""
        return self.method.parallel(problem)

    def warm(self, constraints: bool = False) -> None:
        """What CPTree needs."""
        self.method.warm(constraints)

    def _choose(self, context: SearchContext) -> LeavesByValidation:
        """Try each number of leaves on two thirds of the rows."""
        problem, limits = context.problem, context.limits
        depth = problem.size.max_depth
        most = min(2**depth, problem.size.max_leaf_nodes or 2**depth)
        numbers = range(max(1, min(3 * (depth - 1), most)), most + 1)
        if len(numbers) < 2:
            return LeavesByValidation()
        try:
            training, aside = holdout(problem.dataset, ASIDE, limits.seed)
        except DataError:
            return LeavesByValidation(obstacle=Obstacle.ROWS)
        part = replace(problem, dataset=training)
        if self.method.check(part):
            return LeavesByValidation(obstacle=Obstacle.CONSTRAINTS)
        judge = Problem(aside, problem.shape, problem.objective)
        choosing, brief = context.deadline, limits
        if limits.seconds is not None:
            choosing = choosing.within(TIME_TO_CHOOSE * limits.seconds)
            brief = replace(limits, seconds=TIME_TO_CHOOSE * limits.seconds / len(numbers))
        costs: dict[int, float] = {}
        for number in numbers:
            if choosing.due():
                break
            context.report(f"Trying {number} leaves on two thirds of the rows.")
            tree = self.method.run(_with_leaves(part, number), brief, lambda event: None, context.deadline).diagram
            if tree is not None:
                costs[number] = judge.cost(tree.predict(aside)) / judge.scale
        if not costs:
            return LeavesByValidation(obstacle=Obstacle.NOTHING_FOUND)
        best = min(costs, key=lambda number: (costs[number], number))
        return LeavesByValidation(best, tuple(costs.items()), aside.n_samples)


def _with_leaves(problem: Problem, most: int | None) -> Problem:
    """The problem with at most so many leaves."""
    return problem if most is None else replace(problem, shape=replace(problem.shape, max_leaf_nodes=most))
