"""Conflicts, prices and trade-offs of constraints in words."""

from collections.abc import Iterator
from typing import NamedTuple

from components.words.constraint_facts import label_words
from components.words.text import DASH, amount, count, in_units
from solvers.explain import Conflict, Part, Price, Prices, Repair, TradeOff
from solvers.problem import Problem
from solvers.solution import Status
from solvers.words import changed_mistakes
from solvers.words.costs import counts_errors
from solvers.words.results import cost_in_words


def headline(found: Conflict) -> str:
    """What is known of a conflict, without its constraints, which are listed below it."""
    if found.status is Status.INFEASIBLE:
        return found.words().replace(": " + "; ".join(part.relaxable.words for part in found.parts), "", 1)
    if found.status is not Status.FEASIBLE and not found.complete:
        return "Searching for conflicting constraints."
    return found.words()


def nearest_words(part: Part, complete: bool) -> str:
    """The nearest form of a conflicting constraint that is possible together with the others."""
    if part.nearest is None:
        if part.proved:
            return "no weaker form is possible"
        return "nearest possible: not found in time" if complete else "nearest possible: searching"
    return f"nearest possible: {part.nearest.words}" + ("" if part.proved else " (best so far)")


def repairs_in_order(found: Conflict) -> list[tuple[int, Repair]]:
    """The repairs with their places in the conflict, which stay while others are found; the smallest changes first.

    One change comes before several, and a weaker constraint before a dropped one.
    """

    def size(repair: Repair) -> tuple[int, int, int]:
        return len(repair.changes), sum(change.weaker is None for change in repair.changes), repair.cost

    return sorted(enumerate(found.repairs), key=lambda placed: size(placed[1]))


def repair_cost(repair: Repair, problem: Problem) -> str:
    """What the best model costs after a repair."""
    noun, cost = problem.shape.kind.noun, cost_in_words(repair.cost, problem)
    if repair.proved:
        return f"best {noun}: {cost} (proved)"
    least = "" if repair.bound is None else f", lower bound {in_units(repair.bound, problem.scale)}"
    return f"best so far: {cost}{least}"


def price_words(price: Price | None, problem: Problem) -> str:
    """What would be saved without a constraint, for instance '5 errors'."""
    if price is None:
        return "..."
    low, high = price.saved_least, price.saved_most
    unit = "error" if counts_errors(problem) else "cost"
    if low is None or high is None:
        return "not found in time"
    scale = problem.scale
    if low == high:
        if not low:
            return "nothing"
        return count(low / scale, unit) if unit == "error" else amount(low / scale)
    return f"{amount(low / scale)}{DASH}{amount(high / scale)}" + (" errors" if unit == "error" else "")


def split_words(price: Price | None, prices: Prices, problem: Problem) -> str:
    """Which errors the best model without a constraint makes more or less often; '' if none was found."""
    return "" if price is None else changed_mistakes(prices.wrong, price.wrong, problem.dataset)


def without_words(price: Price | None, problem: Problem) -> str:
    """What the best model without a constraint costs, such as '41 errors'; with its lower bound if it is not proved."""
    if price is None:
        return "..."
    if price.cost is None:
        return "not found in time"
    cost = cost_in_words(price.cost, problem)
    if price.bound == price.cost:
        return cost
    return cost + ("" if price.bound is None else f", lower bound {in_units(price.bound, problem.scale)}")


class Stretch(NamedTuple):
    """Limits, the looser end first, at which the best model costs `cost` at most and `least` at least.

    `first` is `None` where it goes on to the loosest limit there is.
    """

    first: float | None
    last: float
    cost: float
    least: float

    @property
    def proved(self) -> bool:
        """Whether this is the cost."""
        return self.cost == self.least


class Stairs(NamedTuple):
    """A trade-off curve: what each limit of a constraint costs.

    Attributes
    ----------
    label : what the limits are.
    limits, costs : the points, from the loosest limit to the strictest.
    proved : which of them are optimal.
    stretches : the curve between the points, from the loosest limits to the strictest.
    words : the constraint at each point.
    asked : the limit that was asked for.
    impossible : the first limit that cannot be satisfied; `None` if none is known.
    rising : whether larger limits are easier to satisfy.
    percent : whether limits are shares, shown as percentages.
    unit : of the costs.
    """

    label: str
    limits: tuple[float, ...]
    costs: tuple[float, ...]
    proved: tuple[bool, ...]
    words: tuple[str, ...]
    asked: float
    impossible: float | None
    rising: bool
    percent: bool
    unit: str
    stretches: tuple[Stretch, ...]

    @property
    def note(self) -> str:
        """How to read what is not proved; '' where all is."""
        if all(stretch.proved for stretch in self.stretches):
            return ""
        return "Dashed: best so far. The optimum lies in the shaded band. Solid: proved."


def stairs(found: TradeOff, problem: Problem) -> Stairs:
    """A trade-off curve, limits as the form shows them."""
    constraint = found.relaxable.constraint
    (field,) = (field for field in constraint.form() if field.name == constraint.limited_by)
    share = field.type == "share"
    times = 100 if share else 1
    return Stairs(
        label_words(field),
        tuple(float(point.limit * times) for point in found.points),
        tuple(point.cost / problem.scale for point in found.points),
        tuple(point.proved for point in found.points),
        tuple(point.words for point in found.points),
        float(found.asked * times),
        None if found.impossible is None else float(found.impossible * times),
        constraint.rising_eases,
        share,
        "training errors" if counts_errors(problem) else "cost",
        tuple(_stretches(found, times, problem.scale)),
    )


def _stretches(found: TradeOff, times: int, scale: int) -> Iterator[Stretch]:
    """What is known between the points: a model for a limit is one for all looser ones, a bound one for all stricter.

    So from the point before up to where a point's bound begins (`Point.since`), the bound of the point before counts.
    """
    first, least = None, 0
    for point in found.points:
        bound = max(least, point.bound or 0)
        since = first if point.since is None else float(point.since * times)
        if since is not None and since != first:
            yield Stretch(first, since, point.cost / scale, least / scale)
        if since != (last := float(point.limit * times)):
            yield Stretch(since, last, point.cost / scale, bound / scale)
        first, least = last, bound
