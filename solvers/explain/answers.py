"""Results of explanations: frozen records that the screen, the command line and JSON share.

Costs are integers in the units of the problem: `Problem.scale` of them are one unit of the user's cost. The records
mark whatever was not proved in time.
"""

from dataclasses import dataclass
from fractions import Fraction

from ..problem import Problem
from ..solution import AnswerRecord, Status
from .cores import CoreMinimality
from .evidence import KnownResult
from .relaxable import RelaxableConstraint, relaxables_of, to_problem


@dataclass(frozen=True)
class Part:
    """A constraint of a conflict, and how far it must be weakened to be compatible with the others.

    Attributes
    ----------
    relaxable : the original constraint.
    nearest : the strongest weaker form that is compatible with the others; `None` if no weaker form is, or none was
        found.
    proved : whether no stronger form is compatible.
    vacuous : whether `nearest` excludes nothing.
    """

    relaxable: RelaxableConstraint
    nearest: RelaxableConstraint | None = None
    proved: bool = False
    vacuous: bool = False


@dataclass(frozen=True)
class Change:
    """A change to one constraint: weakened, or dropped if `weaker` is `None`."""

    relaxable: RelaxableConstraint
    weaker: RelaxableConstraint | None = None

    def words(self) -> str:
        """Describe the change in a sentence."""
        if self.weaker is None:
            return f"Drop '{self.relaxable.words}'."
        return f"Instead of '{self.relaxable.words}' ask for '{self.weaker.words}'."


@dataclass(frozen=True)
class Repair:
    """Changes that make the problem feasible, verified on a tree.

    Attributes
    ----------
    changes : the changes to make.
    cost : the cost of the best tree found after the changes.
    bound : a lower bound on that cost.
    nearest : whether smaller changes to the same constraints are proved insufficient.
    trivial : whether the tree predicts the same class for all rows, so that the repair is not worth offering.
    """

    changes: tuple[Change, ...]
    cost: int
    bound: int | None
    nearest: bool
    trivial: bool = False

    @property
    def proved(self) -> bool:
        """Whether the cost is optimal."""
        return self.cost == self.bound

    def words(self) -> str:
        """Describe the changes in sentences."""
        return " ".join(change.words() for change in self.changes)

    def apply(self, problem: Problem) -> Problem:
        """Return the problem with the changes applied."""
        weaker = {change.relaxable.key: change.weaker for change in self.changes}
        kept = [weaker.get(relaxable.key, relaxable) for relaxable in relaxables_of(problem)]
        return to_problem(problem, [relaxable for relaxable in kept if relaxable is not None])


@dataclass(frozen=True)
class RatePoint:
    """A tree that is proved to have the most sensitivity for its specificity.

    Attributes
    ----------
    missed, false_alarms : the wrong predictions of the tree in rows (by weight), among positive and negative rows.
    ratio : no tree has a smaller sum of `ratio` times the missed rows plus the false alarms.
    """

    missed: float
    false_alarms: float
    ratio: float


@dataclass(frozen=True)
class RateCurve:
    """The sensitivity and specificity that trees of the depth can have, whatever the other constraints.

    Attributes
    ----------
    positives, negatives : the rows (by weight) of the positive class, and the others.
    points : proved points, by missed rows.
    asked_missed, asked_false_alarms : the largest numbers that the constraints permit; `None` if not limited.
    """

    positives: float
    negatives: float
    points: tuple[RatePoint, ...]
    asked_missed: float | None = None
    asked_false_alarms: float | None = None

    def rates(self, missed: float, false_alarms: float) -> tuple[float, float]:
        """Sensitivity and specificity of these numbers of wrong predictions."""
        return 1 - missed / max(self.positives, 1e-9), 1 - false_alarms / max(self.negatives, 1e-9)

    def fewest_missed(self, false_alarms: float) -> float:
        """A proved lower bound on the missed rows with at most this many false alarms."""
        lines = (one.missed + (one.false_alarms - false_alarms) / one.ratio for one in self.points)
        return max(0.0, max(lines, default=0.0))


class Conflict(AnswerRecord, frozen=True):
    """Why a problem has no solution.

    Attributes
    ----------
    status : INFEASIBLE if no tree exists; FEASIBLE if a tree was found, so that nothing conflicts; NO_SOLUTION if
        neither is known.
    parts : the conflicting constraints in the order of the problem, followed by the depth if a deeper tree would
        resolve the conflict.
    extent : what is proved about this set; `None` if there are no parts.
    further : other conflicts that remain after the first is repaired.
    repairs : possible changes; new ones are appended during the search.
    rates : proved pairs of sensitivity and specificity, if the constraints limit one of them.
    notes : what else is known, and one sentence about everything that was not decided in time.
    finished : whether this is the final answer, not a partial one.
    seconds : elapsed time.
    undecided : how many questions were not decided in time.
    evidence : trees and bounds found during the search; only in the final answer.
    """

    status: Status
    parts: tuple[Part, ...] = ()
    extent: CoreMinimality | None = None
    further: tuple[tuple[RelaxableConstraint, ...], ...] = ()
    repairs: tuple[Repair, ...] = ()
    rates: RateCurve | None = None
    notes: tuple[str, ...] = ()
    finished: bool = True
    seconds: float = 0.0
    undecided: int = 0
    evidence: tuple[KnownResult, ...] = ()

    @property
    def offered(self) -> tuple[Repair, ...]:
        """The repairs after which the best tree does more than predict one class for all rows."""
        return tuple(repair for repair in self.repairs if not repair.trivial)

    @property
    def explained(self) -> bool:
        """Whether the conflict and the necessary weakening of each constraint are known; repairs may be undecided."""
        return self.finished and self.status is not Status.NO_SOLUTION and all(part.proved for part in self.parts)

    @property
    def decided(self) -> bool:
        """Whether everything was decided."""
        repaired = all(repair.nearest and repair.proved for repair in self.repairs)
        return self.explained and self.extent is not CoreMinimality.CONFLICT and repaired and not self.undecided

    def words(self) -> str:
        """Describe the conflict in a sentence."""
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
    CoreMinimality.SMALLEST: " No fewer of the constraints are in conflict.",
    CoreMinimality.MINIMAL: " Without any one of them the others can hold.",
    CoreMinimality.CONFLICT: " Perhaps fewer of them are in conflict already: that was not decided in time.",
    None: "",
}


@dataclass(frozen=True)
class Price:
    """The price of a constraint: how much cheaper the best tree is without it.

    Attributes
    ----------
    relaxables : the constraint, or several with the same subject that are priced as one (`by_subject`).
    words : the constraints as one sentence.
    cost : the cost of the best tree found without it; `None` if time ran out.
    bound : a lower bound on that cost.
    saved_least, saved_most : lower and upper bound on the saved cost; equal if proved.
    binds : whether any stricter form would exclude the current tree; `None` if there is no stricter form.
    wrong : weight of the misclassified rows per class, for the tree without the constraint; `None` without a tree.
    """

    relaxables: tuple[RelaxableConstraint, ...]
    words: str
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


class Prices(AnswerRecord, frozen=True):
    """The prices of all constraints that can be dropped, in the order of the problem.

    Attributes
    ----------
    prices : one per constraint or group of constraints; in a partial answer, those that were asked so far.
    cost, bound : of the tree under all constraints; `None` if there is none.
    finished : whether this is the final answer.
    seconds : elapsed time.
    wrong : weight of the misclassified rows per class, for the tree under all constraints; `None` without a tree.
    evidence : trees and bounds found during the search.
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
        """Whether every price was decided."""
        return self.finished and all(price.proved for price in self.prices)


@dataclass(frozen=True)
class Point:
    """A point of a trade-off curve: the best tree for one limit of a constraint.

    Attributes
    ----------
    limit : the strictest limit that an optimal tree satisfies; for a tree not proved optimal, the requested limit. It
        is exact, and the constraint accepts it.
    words : the constraint with this limit, in words.
    cost : the cost of the best tree.
    bound : a lower bound on that cost.
    since : the loosest limit for which the bound is proved; at most the limit of the previous point.
    """

    limit: Fraction
    words: str
    cost: int
    bound: int | None
    since: Fraction | None = None

    @property
    def proved(self) -> bool:
        """Whether the cost is optimal."""
        return self.cost == self.bound


ROUNDING = Fraction(3, 10**6)
"""The largest distance between the values that two limits stand for: where needed, limits have six decimals."""


@dataclass(frozen=True)
class Compromise:
    """The best model if a constraint is a term of the objective instead of a limit.

    For fairness, this is the objective of Florio et al. (2023), section 'Discussion'.

    Attributes
    ----------
    point : its point on the curve.
    total : its cost plus the price of its value; where more is better, of what a share lacks to 100%, or minus the
        price of the value.
    bound : a lower bound on this total over all models; `None` if none is known yet.
    rounding : how much total and bound may differ because limits have six decimals.
    """

    point: Point
    total: Fraction
    bound: Fraction | None
    rounding: Fraction

    @property
    def proved(self) -> bool:
        """Whether no model has a lower total."""
        return self.bound is not None and self.total - self.bound <= self.rounding


class TradeOff(AnswerRecord, frozen=True):
    """The cost of each limit of a constraint, with all other constraints satisfied.

    The curve is a step function: between two points, the cost of the stricter one applies.

    Attributes
    ----------
    relaxable : the original constraint.
    label : what the limits mean, with their unit.
    is_share : whether limits are proportions between 0 and 1.
    asked : the original limit.
    points : from the loosest limit to the strictest.
    impossible : the first limit proved infeasible; `None` if none was found.
    price : the price of a unit of the limit, in cost units, for `compromise`; the curve then skips what cannot be best.
    end : the strictest value of any model; `None` if there is none.
    notes : sentences about what was not decided.
    complete : whether the curve ends at the strictest feasible limit, not because time ran out.
    finished : whether this is the final answer.
    seconds : elapsed time.
    evidence : trees and bounds found during the search.
    """

    relaxable: RelaxableConstraint
    label: str
    asked: Fraction
    is_share: bool = False
    points: tuple[Point, ...] = ()
    impossible: Fraction | None = None
    price: Fraction | None = None
    end: Fraction | None = None
    notes: tuple[str, ...] = ()
    complete: bool = False
    finished: bool = True
    seconds: float = 0.0
    evidence: tuple[KnownResult, ...] = ()

    @property
    def decided(self) -> bool:
        """Whether the curve is complete and each of its points is proved; with a price, whether the best one is."""
        if self.price is not None and self.points:
            return self.finished and self.compromise is not None and self.compromise.proved
        return self.finished and self.complete and all(point.proved for point in self.points)

    @property
    def compromise(self) -> Compromise | None:
        """The best model at the `price`; `None` without a price, or while there is no point.

        A model with a value between the limits `since` of two neighbouring points costs at least the bound of the
        looser one, and no model has a value beyond the last limit.
        """
        if self.price is None or not self.points:
            return None
        rate = self.price if self.relaxable.constraint.rising_eases else -self.price
        missing = self.price if rate < 0 and self.is_share else 0
        best = min(self.points, key=lambda point: point.cost + rate * point.limit)
        last = self.points[-1].limit if self.complete else self.end if self.impossible is None else self.impossible
        bounds = [
            None if point.bound is None or until is None else point.bound + rate * until + missing
            for point, until in zip(self.points, [*(point.since for point in self.points[1:]), last], strict=True)
        ]
        total = best.cost + rate * best.limit + missing
        least = None if None in bounds else min(total, *(bound for bound in bounds if bound is not None))
        return Compromise(best, total, least, self.price * ROUNDING)
