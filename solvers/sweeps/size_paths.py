"""The best trees of all sizes of some rows: every price of a split at once, since few prices make a difference.

With a price p a tree costs its errors plus p times its splits. As p rises from 0, the best tree changes at few prices
only; between two of them it stays the same. Those trees are the corners of the lower hull of errors over splits, and
each corner has the fewest errors of all trees with as many splits or fewer. They are found by asking for the best tree
at the price at which two known corners cost the same: either the answer is a corner between them, or there is none.

References
----------
Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees, section 3.3, prune one greedy tree by a
rising price; here every price has the best tree of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from ..diagram import Diagram
from ..problem import Problem, Shape
from ..problem.leaf_floor import leaf_floor
from ..solution import Solution

Ask = Callable[[Problem], Solution | None]
"""The best tree of a problem; `None` where there is none, or no time is left."""

MOST_CORNERS = 12
"""Trees of a path that are looked for at most."""


class SizeLimits(NamedTuple):
    """What limits the trees of a path besides the price of a split, for a table of any number of rows.

    Attributes
    ----------
    method : who makes them.
    max_depth : see `Shape`.
    leaf_factor : the least rows of a leaf, in multiples of `leaf_floor`; 0 for leaves of any number of rows.
    """

    method: str
    max_depth: int
    leaf_factor: int = 1

    def posed(self, problem: Problem, price: float) -> Problem:
        """The problem within these limits, with the price of a split in errors."""
        n_rows = problem.dataset.n_samples
        least = max(1, min(self.leaf_factor * leaf_floor(n_rows), n_rows))
        shape = Shape(max_depth=self.max_depth, min_samples_leaf=least)
        return replace(problem, shape=shape, objective=replace(problem.objective, split_cost=price))


@dataclass(frozen=True)
class Corner:
    """A tree of a path, and what its mistakes cost on the rows that it was learned from, in the user's units.

    It is `proved` where no tree within the limits costs less at the price at which it was found.
    """

    diagram: Diagram
    errors: float
    proved: bool

    @property
    def n_splits(self) -> int:
        """The questions of the tree."""
        return self.diagram.n_splits

    def at(self, price: float) -> float:
        """What it costs with a price of a split."""
        return self.errors + price * self.n_splits


@dataclass(frozen=True)
class SizePath:
    """The best trees within some limits, at least one, the largest first; each has fewer splits than the last."""

    limits: SizeLimits
    corners: tuple[Corner, ...]

    def best(self, price: float) -> Corner:
        """The tree that costs least at a price; of equals the smaller."""
        return min(self.corners, key=lambda corner: (corner.at(price), corner.n_splits))

    @property
    def prices(self) -> tuple[float, ...]:
        """A price for each corner at which it is the best, in few digits, near the middle of those where it is.

        The middle is the geometric mean, as in Breiman et al. (1984), section 3.4.2; the first price is 0.
        """
        turns = [_gain(small, large) for large, small in pairwise(self.corners)]
        ends = [*turns[1:], math.inf]
        return (0.0, *(_between(low, high) for low, high in zip(turns, ends, strict=True))) if turns else (0.0,)


def _between(low: float, high: float) -> float:
    """A number between two, near their geometric mean, in as few digits as there are such."""
    middle = math.sqrt(low * high) if high < math.inf else 2 * low
    near = (float(f"{middle:.{digits}g}") for digits in range(1, 12))
    return next((number for number in near if low < number < high), middle)


def size_path(problem: Problem, limits: SizeLimits, ask: Ask, most: int = MOST_CORNERS) -> SizePath | None:
    """The best trees of all sizes within some limits; `None` where there is none.

    Parameters
    ----------
    problem : its rows, costs and constraints hold; its own limits and price of a split give way.
    ask : who finds them. Where its time ran out, a tree may be missing, or not be the best of its size.
    most : trees that are asked for.
    """

    def corner(price: float) -> Corner | None:
        posed = limits.posed(problem, rounded(price))
        solution = ask(posed)
        if solution is None or solution.diagram is None:
            return None
        errors = posed.cost(solution.diagram.predict(posed.dataset)) / posed.scale
        return Corner(solution.diagram, errors, solution.cost == solution.bound)

    largest = corner(0.0)
    if largest is None:
        return None
    # no question is worth more than all that the largest tree could save
    smallest = corner(float(problem.dataset.total_weight) * _dearest(problem) + 1)
    by_size = {largest.n_splits: largest}
    between: list[tuple[Corner, Corner]] = []

    def look_between(large: Corner, small: Corner) -> None:
        if large.n_splits - small.n_splits > 1 and small.errors > large.errors:
            between.append((large, small))

    if smallest is not None and smallest.n_splits < largest.n_splits:
        by_size[smallest.n_splits] = smallest
        look_between(largest, smallest)
    while between and most > 2:
        most -= 1
        large, small = between.pop(0)
        price = _gain(small, large)
        new = corner(price)
        if new is not None and small.n_splits < new.n_splits < large.n_splits and new.at(price) < large.at(price):
            by_size[new.n_splits] = new
            look_between(large, new)
            look_between(new, small)
    return SizePath(limits, _hull(sorted(by_size.values(), key=lambda one: -one.n_splits)))


def rounded(price: float) -> float:
    """A price as problems take it, with few decimals."""
    return round(price, 3)


def _dearest(problem: Problem) -> float:
    costs = problem.objective.class_costs
    return 1.0 if costs is None else max(max(row) for row in costs)


def _hull(corners: list[Corner]) -> tuple[Corner, ...]:
    """The corners of which each is the best at some price; a search that was cut short may leave others."""
    hull: list[Corner] = []
    for corner in reversed(corners):
        if hull and corner.errors >= hull[-1].errors:
            continue
        while len(hull) > 1 and _gain(hull[-2], hull[-1]) <= _gain(hull[-1], corner):
            hull.pop()
        hull.append(corner)
    return tuple(reversed(hull))


def _gain(small: Corner, large: Corner) -> float:
    """What each further split saves."""
    return (small.errors - large.errors) / (large.n_splits - small.n_splits)
