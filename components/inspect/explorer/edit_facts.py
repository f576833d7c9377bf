"""A tree edited by hand: its cost against the optimum, and the constraints that it violates."""

from dataclasses import replace

from components.messages.text import count
from components.session.work import FinishedModel
from solvers.diagram import Diagram
from solvers.messages.costs import counts_errors
from solvers.metrics import verify
from solvers.metrics.words import amount
from solvers.solution import BY_HAND, Details, Status

KEY, TITLE = "edited", "Edited by hand"


def edited_model(best: FinishedModel, diagram: Diagram) -> FinishedModel:
    """A changed tree as a model of the same run; its message states its distance from the best model, and violations.

    It is never optimal: it keeps the lower bound only if that is proved to be the optimum, to be compared with it.
    """
    problem, cost = best.problem, best.problem.cost_of(diagram)
    proved = best.solution.status is Status.OPTIMAL
    solution = replace(
        best.solution,
        method=BY_HAND,
        status=Status.FEASIBLE,
        diagram=diagram,
        cost=cost,
        bound=best.cost if proved and cost >= best.cost else None,
        verified=None,
        message=describe_distance(best, cost),
        stats={},
        trace=(),
        ended=None,
        details=Details(),
    )
    failures = [check.detail for check in verify(problem, solution).failures]
    kept = " All size limits and constraints are satisfied." if problem.constraints else ""
    message = f"{solution.message}{kept}" if not failures else f"{solution.message} {' '.join(failures)}"
    solution = replace(solution, message=message, verified=not failures)
    return FinishedModel(KEY, TITLE, solution, False, problem)


def describe_distance(best: FinishedModel, cost: int) -> str:
    """The cost of a tree against that of the best one, for instance '2 errors more than the optimum.'"""
    problem = best.problem
    what = "optimum" if best.solution.status is Status.OPTIMAL else f"best {problem.shape.kind.noun} so far"
    if cost == best.cost:
        return f"As good as the {what}."
    by = abs(cost - best.cost) / problem.scale
    unit = count(by, "error") if counts_errors(problem) else f"A cost of {amount(by)}"
    more = "more" if cost > best.cost else "fewer" if counts_errors(problem) else "less"
    return f"{unit} {more} than the {what}."
