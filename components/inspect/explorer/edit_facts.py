"""A tree edited by hand, and its cost against the optimum."""

from dataclasses import replace

from components.messages.text import count
from components.session.work import FinishedModel
from solvers.diagram import Diagram
from solvers.messages.costs import counts_errors
from solvers.metrics.words import amount
from solvers.solution import BY_HAND, Status

KEY, TITLE = "edited", "Edited by hand"


def edited_model(best: FinishedModel, diagram: Diagram) -> FinishedModel:
    """A changed tree as a model of the same run, checked again; its message states its distance from the best model.

    It is never marked as optimal. It keeps the lower bound only if that is the proved optimum, for comparison.
    """
    cost = best.problem.cost_of(diagram)
    bound = best.cost if _is_optimum(best) and cost >= best.cost else None
    base = best._replace(solution=replace(best.solution, method=BY_HAND, bound=bound))
    made = base.beside(KEY, TITLE, diagram, describe_distance(best, cost))
    return made._replace(exact=False, solution=replace(made.solution, status=Status.FEASIBLE))


def _is_optimum(best: FinishedModel) -> bool:
    return best.solution.status is Status.OPTIMAL and best.solution.scope is None


def describe_distance(best: FinishedModel, cost: int) -> str:
    """The cost of a tree against that of the best one, for instance '2 errors more than the optimum.'"""
    problem = best.problem
    what = "optimum" if _is_optimum(best) else f"best {problem.shape.kind.noun} so far"
    if cost == best.cost:
        return f"As good as the {what}."
    by = abs(cost - best.cost) / problem.scale
    unit = count(by, "error") if counts_errors(problem) else f"A cost of {amount(by)}"
    more = "more" if cost > best.cost else "fewer" if counts_errors(problem) else "less"
    return f"{unit} {more} than the {what}."
