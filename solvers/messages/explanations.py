"""Conflicts, prices and trade-offs of constraints in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..metrics.words import DASH, amount, count, in_units
from ..problem import Problem
from ..solution import Status
from .costs import counts_errors
from .mistakes import changed_mistakes
from .results import describe_cost_in

if TYPE_CHECKING:
    from ..explain import Conflict, Part, Point, Price, Prices, Repair


def headline(found: Conflict) -> str:
    """What is known about a conflict, without its constraints, which are listed below it."""
    if found.status is Status.INFEASIBLE:
        return found.words().replace(": " + "; ".join(part.relaxable.words for part in found.parts), "", 1)
    if found.status is not Status.FEASIBLE and not found.finished:
        return "Searching for conflicting constraints."
    return found.words()


def describe_nearest(part: Part, finished: bool) -> str:
    """The nearest form of a conflicting constraint that is possible together with the others."""
    if part.nearest is None:
        if part.proved:
            return "no weaker form is possible"
        return "nearest possible: not found in time" if finished else "nearest possible: searching"
    return f"nearest possible: {part.nearest.words}" + ("" if part.proved else " (best so far)")


def bounded_cost(found: Price | Prices | Point | Repair | None, problem: Problem) -> str:
    """The cost of the best model, such as '41 errors'; with its lower bound if it is not proved."""
    if found is None:
        return "..."
    if found.cost is None:
        return "not found in time"
    cost = describe_cost_in(found.cost, problem)
    if found.bound is None or found.bound == found.cost:
        return cost
    return f"{cost}, lower bound {in_units(found.bound, problem.scale)}"


def repair_cost(repair: Repair, problem: Problem) -> str:
    """The cost of the best model after a repair."""
    cost = bounded_cost(repair, problem)
    return f"best {problem.shape.kind.noun}: {cost} (proved)" if repair.proved else f"best so far: {cost}"


def whole_cost(found: Prices, problem: Problem) -> str:
    """The cost of the best model under all constraints, as a sentence."""
    proved = " (proved)" if found.cost is not None and found.cost == found.bound else ""
    return f"Best {problem.shape.kind.noun} with all constraints: {bounded_cost(found, problem)}{proved}."


def describe_price(price: Price | None, problem: Problem) -> str:
    """The saving without a constraint, for instance '5 errors'."""
    if price is None:
        return "..."
    low, high = price.saved_least, price.saved_most
    if low is None or high is None:
        return "not found in time"
    least, most = (amount(saved / problem.scale) for saved in (low, high))
    if low != high:
        return f"{least}{DASH}{most}" + (" errors" if counts_errors(problem) else "")
    if not low:
        return "nothing"
    return count(low / problem.scale, "error") if counts_errors(problem) else least


def describe_split(price: Price | None, prices: Prices, problem: Problem) -> str:
    """Which errors are more or less frequent in the best model without a constraint; '' if none was found."""
    return "" if price is None else changed_mistakes(prices.wrong, price.wrong, problem.dataset)
