"""Which constraints cannot hold together: a smallest set by hitting sets, or by deletion a set that needs each.

Every tree shows which constraints it breaks, and each set of constraints that cannot hold together has one of them,
whichever tree it is. So a smallest set that has one of the broken constraints of every tree so far is the least that
can be in conflict: either the solver proves that it is, and then it is a smallest conflict, or it finds another tree
(Ignatiev, Previti, Liffiton and Marques-Silva: Smallest MUS Extraction with Minimal Hitting Set Dualization, CP 2015).
Where the solver does not decide in time, constraints are left out one by one as long as the rest is still in conflict
(Chinneck and Dravnieks: Locating Minimal Infeasible Constraint Sets in Linear Programs, ORSA J. Computing 3(2), 1991).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from ..diagram import Diagram
from .inquiry import Inquiry
from .relaxable import RelaxableConstraint

MOST_TREES = 200
MOST_RELAXABLES = 16
"""How far smallest sets are looked for; beyond it a set of which every constraint is needed must do."""


class Extent(StrEnum):
    """What is proved of a set of constraints that cannot hold together."""

    SMALLEST = "smallest"  # no set of fewer constraints is in conflict
    MINIMAL = "minimal"  # without any one of them the others can hold
    CONFLICT = "conflict"  # they cannot hold together, but perhaps fewer would do


@dataclass(frozen=True)
class Core:
    """Constraints that cannot hold together, in the order in which they were asked for."""

    relaxables: tuple[RelaxableConstraint, ...]
    extent: Extent


@dataclass(frozen=True)
class CoreSearch:
    """What came of looking for a conflict: a core, or a tree that satisfies all constraints, or neither in time."""

    core: Core | None = None
    diagram: Diagram | None = None


def find_core(
    inquiry: Inquiry, relaxables: Sequence[RelaxableConstraint], lasting: Sequence[RelaxableConstraint]
) -> CoreSearch:
    """Look for a smallest set of constraints that cannot hold together.

    Parameters
    ----------
    inquiry : asks the solver.
    relaxables : those that may be in the set.
    lasting : those that hold all the time.
    """
    if len(relaxables) <= MOST_RELAXABLES:
        search = _by_hitting_sets(inquiry, relaxables, lasting)
        if search.core is not None or search.diagram is not None:
            return search
    possible, diagram = inquiry.witness([*relaxables, *lasting])
    if possible:
        return CoreSearch(diagram=diagram)
    return CoreSearch(core=_by_deletion(inquiry, relaxables, lasting)) if possible is False else CoreSearch()


def _by_hitting_sets(
    inquiry: Inquiry, relaxables: Sequence[RelaxableConstraint], lasting: Sequence[RelaxableConstraint]
) -> CoreSearch:
    broken: list[frozenset[int]] = []
    chosen: tuple[int, ...] = ()
    for _ in range(MOST_TREES):
        chosen = smallest_hitting_set(broken, len(relaxables))
        core = [relaxables[i] for i in chosen]
        possible, diagram = inquiry.witness([*core, *lasting])
        if possible is False:
            return CoreSearch(core=Core(tuple(core), Extent.SMALLEST))
        if diagram is None:
            return CoreSearch()
        breaks = frozenset(i for i, relaxable in enumerate(relaxables) if not relaxable.holds(diagram, inquiry.problem))
        if not breaks:
            return CoreSearch(diagram=diagram)
        broken.append(breaks)
    return CoreSearch()


def _by_deletion(
    inquiry: Inquiry, relaxables: Sequence[RelaxableConstraint], lasting: Sequence[RelaxableConstraint]
) -> Core:
    """A conflict among constraints that are known to be in conflict."""
    kept, extent = list(relaxables), Extent.MINIMAL
    for relaxable in relaxables:
        rest = [other for other in kept if other is not relaxable]
        possible = inquiry.possible([*rest, *lasting])
        if possible is False:
            kept = rest
        elif possible is None:
            extent = Extent.CONFLICT
    return Core(tuple(kept), extent)


def smallest_hitting_set(sets: Collection[frozenset[int]], n: int) -> tuple[int, ...]:
    """A smallest set of numbers below `n` that has one of each of these sets; of several the first in order."""
    least = [one for one in sets if not any(other < one for other in sets)]
    for size in range(n + 1):
        for chosen in combinations(range(n), size):
            if all(not one.isdisjoint(chosen) for one in least):
                return chosen
    raise AssertionError("an empty set cannot be hit")
