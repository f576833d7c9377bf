"""Conflicts, prices and trade-offs of constraints in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..metrics.words import DASH, amount, count, in_units, percent
from ..problem import Problem
from ..solution import Status
from .costs import changed_mistakes, counts_errors
from .results import describe_cost_in

if TYPE_CHECKING:
    from ..explain import Compromise, Conflict, Part, Point, Price, Prices, RateCurve, RatePoint, Repair


NOT_KNOWN = "not known yet"

_NARROW = 2
"""A price is shown as a range if its upper bound is at most this multiple of the lower one."""

_NEGLIGIBLE = 20
"""An upper bound alone is shown if it is at most this fraction of the cost."""


def headline(found: Conflict) -> str:
    """What is known about a conflict, without its constraints, which are listed below it."""
    if found.status is Status.INFEASIBLE:
        return found.words().replace(": " + "; ".join(part.relaxable.words for part in found.parts), "", 1)
    if found.status is not Status.FEASIBLE and not found.finished:
        return "Searching for conflicting constraints."
    return found.words()


def describe_nearest(part: Part, finished: bool) -> str:
    """The nearest form of a conflicting constraint that is possible with the others; '' if it was not found."""
    if part.nearest is None or part.vacuous:
        if part.proved or part.vacuous:
            return "no weaker limit helps: only dropping it does"
        return "" if finished else "nearest possible: searching"
    return f"nearest possible: {part.nearest.words}" + ("" if part.proved else " (best so far)")


def describe_rates(point: RatePoint, curve: RateCurve) -> str:
    """Sensitivity and specificity of a point, with rows."""
    sides = ("sensitivity", curve.positives, point.missed), ("specificity", curve.negatives, point.false_alarms)
    rates = curve.rates(point.missed, point.false_alarms)
    return ", ".join(
        f"{name} {percent(rate)} ({amount(of - wrong)} of {amount(of)})"
        for (name, of, wrong), rate in zip(sides, rates, strict=True)
    )


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
    """The saving without a constraint, for instance '5 errors'; a range only if it says something."""
    if price is None or price.saved_least is None or price.saved_most is None:
        return NOT_KNOWN
    low, high = price.saved_least, price.saved_most
    least, most = (
        count(saved / problem.scale, "error") if counts_errors(problem) else amount(saved / problem.scale)
        for saved in (low, high)
    )
    if low == high:
        return least if low else "nothing"
    if low and high <= _NARROW * low:
        return f"{amount(low / problem.scale)}{DASH}{most}"
    if low:
        return f"at least {least}"
    # the bound without the constraint and the largest saving make the cost under all constraints
    return f"at most {most}" if high * _NEGLIGIBLE <= (price.bound or 0) + high else NOT_KNOWN


def describe_split(price: Price | None, prices: Prices, problem: Problem) -> str:
    """Which errors are more or less frequent in the best model without a constraint; '' if none was found."""
    return "" if price is None else changed_mistakes(prices.wrong, price.wrong, problem.dataset)


def describe_compromise(found: Compromise, problem: Problem) -> str:
    """The best model at a price of the constraint's value, and whether this is proved."""
    total, least = (None if value is None else float(value) / problem.scale for value in (found.total, found.bound))
    proof = "Proved." if found.proved else "" if least is None else f"No total is below {least:,.2f}."
    cost = describe_cost_in(found.point.cost, problem)
    return f"Best at this price: {found.point.words}. {cost}; {total:,.2f} with the price. {proof}".rstrip()
