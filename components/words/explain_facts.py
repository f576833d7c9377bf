"""Conflicts, prices and trade-offs in words: the facts behind 'why is this impossible' and 'what does it cost'."""

from collections.abc import Iterator
from typing import NamedTuple

from components.words.constraint_facts import label_words
from components.words.cost_facts import counts_errors
from components.words.text import DASH, amount, count, in_units
from solvers.explain import Conflict, Part, Price, Prices, Repair, TradeOff
from solvers.problem import Problem
from solvers.solution import Status
from solvers.words import changed_mistakes


def cost_in_words(cost: int, problem: Problem) -> str:
    """A cost in the user's unit, for instance '48 errors'."""
    value = cost / problem.scale
    return count(value, "error") if counts_errors(problem) else f"cost {amount(value)}"


class Clash(NamedTuple):
    """A constraint of a conflict, and what is possible of it beside the others, in a sentence."""

    words: str
    nearest: str


class Remedy(NamedTuple):
    """A repair as it is offered: what changes, and what the best model then costs.

    `position` is its place in `Conflict.repairs`, which stays while others are found.
    """

    words: str
    cost: str
    repair: Repair
    position: int


class Explanation(NamedTuple):
    """Why nothing satisfies all constraints: the conflict in a sentence, its constraints, and what was not decided.

    The remedies begin with the smallest changes: of one constraint before several, weaker before dropped ones.
    """

    headline: str
    clashes: tuple[Clash, ...]
    remedies: tuple[Remedy, ...]
    notes: tuple[str, ...]


_PROVED = {Status.INFEASIBLE, Status.FEASIBLE}


def explanation(found: Conflict, problem: Problem) -> Explanation:
    """A conflict in words."""
    headline = found.words()
    if found.status is Status.INFEASIBLE:
        headline = _headline(found)
    elif found.status not in _PROVED and not found.complete:
        headline = "Looking for the constraints that are in conflict."
    return Explanation(
        headline,
        tuple(Clash(part.relaxable.words, _nearest(part, found.complete)) for part in found.parts),
        tuple(sorted((_remedy(repair, i, problem) for i, repair in enumerate(found.repairs)), key=_size)),
        found.notes,
    )


def _headline(found: Conflict) -> str:
    """The conflict without its constraints, which stand below it."""
    return found.words().replace(": " + "; ".join(part.relaxable.words for part in found.parts), "", 1)


def _nearest(part: Part, complete: bool) -> str:
    if part.nearest is None:
        if part.proved:
            return "no weaker form of it will do"
        return "how near one can come was not decided in time" if complete else "how near can one come? ..."
    return f"nearest: {part.nearest.words}" + ("" if part.proved else " (nearer may be possible)")


def _size(remedy: Remedy) -> tuple[int, int, int]:
    changes = remedy.repair.changes
    return len(changes), sum(change.weaker is None for change in changes), remedy.repair.cost


def _remedy(repair: Repair, position: int, problem: Problem) -> Remedy:
    noun, cost = problem.shape.kind.noun, cost_in_words(repair.cost, problem)
    if repair.proved:
        return Remedy(repair.words(), f"best {noun}: {cost}, proved", repair, position)
    least = "" if repair.bound is None else f", {in_units(repair.bound, problem.scale)} at best"
    return Remedy(repair.words(), f"a {noun} with {cost} exists{least}", repair, position)


def price_words(price: Price | None, problem: Problem) -> str:
    """What would be saved without a constraint, for instance '5 errors fewer without it'."""
    if price is None:
        return "..."
    low, high = price.saved_least, price.saved_most
    unit = "error" if counts_errors(problem) else "cost"
    if low is None or high is None:
        return "not known in time"
    scale = problem.scale
    if low == high:
        if not low:
            return "nothing"
        return count(low / scale, unit) if unit == "error" else amount(low / scale)
    return f"{amount(low / scale)}{DASH}{amount(high / scale)}" + (" errors" if unit == "error" else "")


def split_words(price: Price | None, prices: Prices, problem: Problem) -> str:
    """Which mistakes the best model without a constraint makes more or less often; '' where none was found."""
    return "" if price is None else changed_mistakes(prices.wrong, price.wrong, problem.dataset)


def without_words(price: Price | None, problem: Problem) -> str:
    """What the best model without a constraint costs, such as '41 errors'; with its bound where it is not proved."""
    if price is None:
        return "..."
    if price.cost is None:
        return "not known in time"
    cost = cost_in_words(price.cost, problem)
    if price.bound == price.cost:
        return cost
    return cost + ("" if price.bound is None else f", {in_units(price.bound, problem.scale)} at best")


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
    impossible : the first limit that cannot be kept; `None` where none is known.
    rising : whether larger limits are easier to keep.
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
        return (
            "Dashed: the best found so far, not proved; the least possible lies within the shaded band. "
            "Full lines are proved."
        )


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
        "errors" if counts_errors(problem) else "cost, in errors",
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
