"""What explanations answer: frozen records that the screen, the command line and JSON all show.

Costs are whole numbers in the units of the problem (`Problem.scale` of them are one unit of the user's cost), as
everywhere. Whatever was not proved in time says so.
"""

from dataclasses import dataclass

from ..constraints.values import Number
from ..problem import Problem
from ..solution import Status
from .cores import Extent
from .evidence import KnownResult
from .relaxable import RelaxableConstraint, relaxables_of, to_problem


@dataclass(frozen=True)
class Part:
    """A constraint of a conflict, and what it would have to give for the others.

    Attributes
    ----------
    relaxable : what was asked for.
    nearest : the constraint nearest to it that can hold together with the others; `None` where no weaker form will
        do, or none was found.
    proved : whether nothing nearer is possible.
    """

    relaxable: RelaxableConstraint
    nearest: RelaxableConstraint | None = None
    proved: bool = False


@dataclass(frozen=True)
class Change:
    """A constraint that gives way: to a weaker one, or altogether (`weaker` is `None`)."""

    relaxable: RelaxableConstraint
    weaker: RelaxableConstraint | None = None

    def words(self) -> str:
        """What changes, in a sentence."""
        if self.weaker is None:
            return f"Drop '{self.relaxable.words}'."
        return f"Instead of '{self.relaxable.words}' ask for '{self.weaker.words}'."


@dataclass(frozen=True)
class Repair:
    """Changes after which a tree exists; one was found and checked.

    Attributes
    ----------
    changes : what to change.
    cost : the cost of the best tree after them.
    bound : a lower bound on that cost.
    nearest : whether less than these changes, of the same constraints, is proved not to do.
    """

    changes: tuple[Change, ...]
    cost: int
    bound: int | None
    nearest: bool

    @property
    def proved(self) -> bool:
        """Whether the cost is the optimum."""
        return self.cost == self.bound

    def words(self) -> str:
        """What changes, in sentences."""
        return " ".join(change.words() for change in self.changes)

    def apply(self, problem: Problem) -> Problem:
        """The problem after the changes."""
        weaker = {change.relaxable.key: change.weaker for change in self.changes}
        kept = [weaker.get(relaxable.key, relaxable) for relaxable in relaxables_of(problem)]
        return to_problem(problem, [relaxable for relaxable in kept if relaxable is not None])


@dataclass(frozen=True)
class Conflict:
    """Why a problem has no solution.

    Attributes
    ----------
    status : INFEASIBLE where no tree exists; FEASIBLE where one was found, so that nothing is in conflict; NO_SOLUTION
        where neither is known.
    parts : the constraints that cannot hold together, in the order in which they were asked for, the depth last where
        a deeper tree would do.
    extent : what is proved of them; `None` without parts.
    further : other conflicts that stand in the way once the first is repaired.
    repairs : what to change; while the work goes on, more are added behind.
    notes : what was not decided, in sentences.
    finished : whether this is the last word, and not a report on the way.
    seconds : the time that it took.
    undecided : how many of the notes are about what was not decided in time.
    evidence : what was found and proved on the way; only the last word has it.
    """

    status: Status
    parts: tuple[Part, ...] = ()
    extent: Extent | None = None
    further: tuple[tuple[RelaxableConstraint, ...], ...] = ()
    repairs: tuple[Repair, ...] = ()
    notes: tuple[str, ...] = ()
    finished: bool = True
    seconds: float = 0.0
    undecided: int = 0
    evidence: tuple[KnownResult, ...] = ()

    @property
    def explained(self) -> bool:
        """Whether it is known what is in conflict and what it would have to give; repairs may be left open."""
        return self.finished and self.status is not Status.NO_SOLUTION and all(part.proved for part in self.parts)

    @property
    def decided(self) -> bool:
        """Whether nothing was left open."""
        repaired = all(repair.nearest and repair.proved for repair in self.repairs)
        return self.explained and self.extent is not Extent.CONFLICT and repaired and not self.undecided

    def words(self) -> str:
        """The conflict in a sentence."""
        if self.status is Status.FEASIBLE:
            return "Nothing is in conflict: a model that satisfies all constraints was found."
        if self.status is not Status.INFEASIBLE:
            return "Whether the constraints can hold together was not decided in time."
        demands = "; ".join(part.relaxable.words for part in self.parts)
        if len(self.parts) == 1:
            return f"No model can do this: {demands}."
        together = f"These {len(self.parts)} constraints cannot hold together: {demands}."
        return together + _EXTENTS[self.extent]


_EXTENTS = {
    Extent.SMALLEST: " No fewer of the constraints are in conflict.",
    Extent.MINIMAL: " Without any one of them the others can hold.",
    Extent.CONFLICT: " Perhaps fewer of them are in conflict already: that was not decided in time.",
    None: "",
}


@dataclass(frozen=True)
class Price:
    """What a constraint costs: how much better the best tree without it is.

    Attributes
    ----------
    relaxable : what was asked for.
    cost : the cost of the best tree that was found without it; `None` where the time did not reach.
    bound : a lower bound on that cost.
    saved_least, saved_most : between which figures the saved cost lies; they are equal where it is proved.
    binds : whether the constraint cannot be tightened without losing the tree at hand; `None` where it has no stricter
        form.
    wrong : the rows of each class that the tree without it gets wrong, by weight; `None` without a tree.
    """

    relaxable: RelaxableConstraint
    cost: int | None = None
    bound: int | None = None
    saved_least: int | None = None
    saved_most: int | None = None
    binds: bool | None = None
    wrong: tuple[float, ...] | None = None

    @property
    def proved(self) -> bool:
        """Whether the saved cost is exact."""
        return self.saved_least is not None and self.saved_least == self.saved_most


@dataclass(frozen=True)
class Prices:
    """The prices of all constraints that can be dropped, in the order in which they were asked for.

    Attributes
    ----------
    prices : one for each constraint; while the work goes on, those that are known.
    cost, bound : of the tree under all constraints; `None` where there is none.
    finished : whether this is the last word.
    seconds : the time that it took.
    wrong : the rows of each class that the tree under all constraints gets wrong, by weight; `None` without a tree.
    evidence : what was found and proved on the way.
    """

    prices: tuple[Price, ...] = ()
    cost: int | None = None
    bound: int | None = None
    finished: bool = True
    seconds: float = 0.0
    wrong: tuple[float, ...] | None = None
    evidence: tuple[KnownResult, ...] = ()

    @property
    def decided(self) -> bool:
        """Whether no price was left open."""
        return self.finished and all(price.proved for price in self.prices)


@dataclass(frozen=True)
class Point:
    """A point of a trade-off curve: the best tree for one limit of a constraint.

    Attributes
    ----------
    limit : the strictest limit that an optimal tree keeps; of a tree that is not proved the one it was asked for. It is
        exact, and the constraint accepts it.
    words : the constraint with this limit.
    cost : of the best tree.
    bound : a lower bound on that cost.
    since : the loosest limit for which the bound is proved, as far out as that of the point before.
    """

    limit: Number
    words: str
    cost: int
    bound: int | None
    since: Number | None = None

    @property
    def proved(self) -> bool:
        """Whether the cost is the optimum."""
        return self.cost == self.bound


@dataclass(frozen=True)
class TradeOff:
    """What each limit of a constraint costs, the other constraints being satisfied.

    Between two points the better cost is that of the stricter one: the curve is a staircase.

    Attributes
    ----------
    relaxable : the constraint as it was asked for.
    label : what the limits mean, with their unit.
    is_share : whether limits are shares, from 0 to 1.
    asked : the limit that was asked for.
    points : from the loosest limit to the strictest.
    impossible : the first limit that no tree can keep, proved; `None` where none was found.
    notes : what was not decided, in sentences.
    complete : whether the curve ends where nothing stricter is possible, and not where time was up.
    finished : whether this is the last word.
    seconds : the time that it took.
    evidence : what was found and proved on the way.
    """

    relaxable: RelaxableConstraint
    label: str
    asked: Number
    is_share: bool = False
    points: tuple[Point, ...] = ()
    impossible: Number | None = None
    notes: tuple[str, ...] = ()
    complete: bool = False
    finished: bool = True
    seconds: float = 0.0
    evidence: tuple[KnownResult, ...] = ()

    @property
    def decided(self) -> bool:
        """Whether the curve is whole, and each of its points proved."""
        return self.finished and self.complete and all(point.proved for point in self.points)
