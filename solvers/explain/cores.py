"""Find conflicting constraints: a smallest set by hitting sets, or a minimal set by deletion.

Every tree violates some constraints, and each conflicting set contains at least one of them, whatever the tree. So a
smallest set that hits the violated constraints of every tree so far is a lower bound on the conflict: either the
solver proves that it conflicts, and it is a smallest conflict, or the solver finds another tree
(Ignatiev, Previti, Liffiton and Marques-Silva: Smallest MUS Extraction with Minimal Hitting Set Dualization, CP 2015).
If the solver does not decide in time, constraints are deleted one by one as long as the rest still conflicts
(Chinneck and Dravnieks: Locating Minimal Infeasible Constraint Sets in Linear Programs, ORSA J. Computing 3(2), 1991).
Pairs of limits on the predictions are asked about before everything else, without constraints that are mostly harmless.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from ..constraints.base import Topic
from ..diagram import Diagram
from .inquiry import Inquiry
from .relaxable import RelaxableConstraint

MOST_TREES = 200
MOST_RELAXABLES = 16
"""Most constraints for which a smallest set is searched; with more, a minimal set is returned."""

MOST_PAIRS = 6
PAIR_SHARE = 4.0
"""Pairs of accuracy limits that are asked about, and the share of the usual time for each."""


class CoreMinimality(StrEnum):
    """What is proved about a conflicting set of constraints."""

    SMALLEST = "smallest"  # no smaller set conflicts
    MINIMAL = "minimal"  # dropping any one of them resolves the conflict
    CONFLICT = "conflict"  # the set conflicts, but may not be minimal


@dataclass(frozen=True)
class Core:
    """Conflicting constraints, in the order of the problem."""

    relaxables: tuple[RelaxableConstraint, ...]
    extent: CoreMinimality


def find_core(
    inquiry: Inquiry, relaxables: Sequence[RelaxableConstraint], lasting: Sequence[RelaxableConstraint]
) -> Core | Diagram | None:
    """A smallest set of conflicting constraints, a tree that satisfies all, or `None` if time ran out.

    Parameters
    ----------
    inquiry : calls the solver.
    relaxables : constraints that may be in the set.
    lasting : constraints that always hold.
    """
    _ask_pairs(inquiry, relaxables, lasting)
    if len(relaxables) <= MOST_RELAXABLES:
        search = _by_hitting_sets(inquiry, relaxables, lasting)
        if search is not None:
            return search
    possible, diagram = inquiry.witness([*relaxables, *lasting])
    if possible:
        return diagram
    return _by_deletion(inquiry, relaxables, lasting) if possible is False else None


def _ask_pairs(
    inquiry: Inquiry, relaxables: Sequence[RelaxableConstraint], lasting: Sequence[RelaxableConstraint]
) -> None:
    """Ask whether two limits on accuracy conflict, until a pair does; the inquiry remembers the answers."""
    limits = [one for one in relaxables if one.constraint.topic is Topic.FOUND]
    pairs = list(combinations(limits, 2))[:MOST_PAIRS]
    # a pair that is known to conflict needs no search, and the others none after it
    pairs.sort(key=lambda pair: not inquiry.ruled_out([*pair, *lasting]))
    for pair in pairs:
        if inquiry.possible([*pair, *lasting], PAIR_SHARE) is False:
            return


def _by_hitting_sets(
    inquiry: Inquiry, relaxables: Sequence[RelaxableConstraint], lasting: Sequence[RelaxableConstraint]
) -> Core | Diagram | None:
    broken: list[frozenset[int]] = []
    chosen: tuple[int, ...] = ()
    for _ in range(MOST_TREES):
        chosen = smallest_hitting_set(broken, len(relaxables))
        core = [relaxables[i] for i in chosen]
        possible, diagram = inquiry.witness([*core, *lasting])
        if possible is False:
            return Core(tuple(core), CoreMinimality.SMALLEST)
        if diagram is None:
            return None
        breaks = frozenset(i for i, relaxable in enumerate(relaxables) if not relaxable.holds(diagram, inquiry.problem))
        if not breaks:
            return diagram
        broken.append(breaks)
    return None


def _by_deletion(
    inquiry: Inquiry, relaxables: Sequence[RelaxableConstraint], lasting: Sequence[RelaxableConstraint]
) -> Core:
    """Find a conflict among constraints that are known to conflict, first without those that ignore predictions."""
    kept, extent = list(relaxables), CoreMinimality.MINIMAL
    judging = [relaxable for relaxable in relaxables if relaxable.constraint.sees_answers]
    if len(judging) < len(kept) and inquiry.possible([*judging, *lasting], PAIR_SHARE) is False:
        kept = judging
    for relaxable in sorted(kept, key=lambda one: one.constraint.sees_answers):
        rest = [other for other in kept if other is not relaxable]
        possible = inquiry.possible([*rest, *lasting])
        if possible is False:
            kept = rest
        elif possible is None:
            extent = CoreMinimality.CONFLICT
    return Core(tuple(kept), extent)


def smallest_hitting_set(sets: Collection[frozenset[int]], n: int) -> tuple[int, ...]:
    """The first smallest subset of `range(n)`, in lexicographic order, that intersects each of these sets."""
    least = [one for one in sets if not any(other < one for other in sets)]
    for size in range(n + 1):
        for chosen in combinations(range(n), size):
            if all(not one.isdisjoint(chosen) for one in least):
                return chosen
    raise AssertionError("an empty set cannot be hit")
