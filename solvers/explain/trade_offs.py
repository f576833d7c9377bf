"""The trade-off curve of a constraint: what each of its limits costs, from no limit to the strictest feasible one.

The best tree without the constraint has some value. The next limit is the one that just excludes this value, and so on
until no tree satisfies the limit. If values are closer together than the curve needs, limits are evenly spaced and
include the original limit, and a bisection at the end finds the strictest feasible limit. After each answer that is not
proved in time, the spacing and the time per limit double. Known trees and bounds (`evidence`) are used like those
found during the search: no point is worse than a known tree that satisfies its limit, and what was proved for the same
or weaker constraints is not proved again.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar

from msgspec import structs

from ..constraints.values import Number
from ..diagram import Diagram
from ..errors import ConstraintError
from ..solution import Status
from .answers import Point, TradeOff
from .evidence import KnownResult
from .inquiry import STEP, Inquiry, Optimum
from .nearest import nearest
from .relaxable import Key, RelaxableConstraint, find, relaxables_of
from .tasks import Explanation, TaskRecord

MOST_POINTS = 40
"""Approximate maximum number of limits on a curve."""

SLOWEST = 8
"""Largest factor for the spacing of limits and the time for each, used if answers are slow."""

LEAST_STRIDE = Fraction(1, 1000)
"""Spacing of limits if the smallest difference between values is unknown."""

FINEST = 10**6
"""Largest denominator of a limit."""


class TradeConstraint(Explanation, TaskRecord, frozen=True):
    """What does each limit of a constraint cost, with all others satisfied?

    Attributes
    ----------
    key : identifies the constraint.
    price : the errors that a percentage point of the limit is worth, or a unit if it is no share; more than 0. The
        constraint then becomes a term of the objective, and only limits that may be best are tried.
    """

    doing: ClassVar[str] = "Looking for the best tree for one limit after the other."
    key: Key
    step: float = STEP
    known: tuple[KnownResult, ...] = ()
    price: float | None = None

    def explain(self, inquiry: Inquiry, tell: Callable[[TradeOff], None]) -> TradeOff:
        """Report the points so far after each one."""
        return _Curve(inquiry, find(inquiry.problem, self.key), tell, self.price).run()


def _limit_of(relaxable: RelaxableConstraint) -> Number:
    limit = relaxable.constraint.limit
    if limit is None:
        raise ConstraintError(f"'{relaxable.words}' has no limit that could be traded off.")
    return limit


class _Curve:
    """The state of one curve."""

    def __init__(
        self,
        inquiry: Inquiry,
        relaxable: RelaxableConstraint,
        tell: Callable[[TradeOff], None],
        price: float | None = None,
    ) -> None:
        self.inquiry, self.relaxable, self.tell = inquiry, relaxable, tell
        self.problem, self.constraint, self.limit = inquiry.problem, relaxable.constraint, _limit_of(relaxable)
        self.others = [other for other in relaxables_of(self.problem) if other.key != relaxable.key]
        field = next(field for field in relaxable.constraint.form() if field.name == relaxable.constraint.limited_by)
        is_share = relaxable.constraint.limited_in_shares()
        low, high = (0, 1) if is_share else (field.low, field.high)
        end = low if relaxable.constraint.rising_eases else high
        self.strictest: Number | None = relaxable.constraint.strictest(self.problem) if end is None else end
        bare = field.unit in ("", "%") or field.unit in field.label.lower()
        label = field.label if bare else f"{field.label} ({field.unit})"
        self.last, self.pace = self.limit, 1
        units = self.problem.scale * (100 if is_share else 1)
        self.answer = TradeOff(
            relaxable,
            label,
            Fraction(self.limit),
            is_share,
            price=None if price is None else Fraction(str(price)) * units,
            end=None if self.strictest is None else Fraction(self.strictest),
            finished=False,
        )

    def run(self) -> TradeOff:
        """Compute the points from the loosest limit inwards."""
        # trees without a depth limit cannot be searched: the curve of the depth starts at the original depth
        optimum = self.inquiry.optimum([*self.others, self.relaxable] if self.relaxable.lasting else self.others)
        tighter: RelaxableConstraint | None = None
        if optimum.status is Status.FEASIBLE and self._place(optimum, None) == self.limit:
            # an unproved tree is at the original limit, about which more may be known
            tighter, optimum = self.relaxable, self.inquiry.recall([*self.others, self.relaxable])
        while optimum.diagram is not None:
            value = self._place(optimum, tighter)
            if value is None:
                self._note("This tree has no such figure, so the curve ends here.")
                break
            self._mark(value, optimum, tighter)
            if not optimum.proved:
                # half as many proved points are better than twice as many unproved ones
                self.pace = min(2 * self.pace, SLOWEST)
            limit = self._next(value)
            if limit is None:
                self._say(complete=self.answer.price is None or value == self.strictest)
                break
            tighter = self.relaxable.replaced(self.constraint.with_limit(limit), self.problem)
            optimum = self.inquiry.optimum([*self.others, tighter], self.pace)
        if optimum.status is not Status.INFEASIBLE:
            if optimum.diagram is None:
                self._note(self._undecided(tighter))
        elif tighter is None:
            self._note("The other constraints cannot hold together, whatever this limit is.")
            self._say(complete=True)
        else:
            self._close(tighter)
        self._say(finished=True)
        return self.answer

    def _place(self, optimum: Optimum, tighter: RelaxableConstraint | None) -> Number | None:
        """The limit of a point: the value of a proved optimum; for an unproved tree, no stricter than requested."""
        value = None if optimum.diagram is None else self._value(optimum.diagram)
        if value is None or optimum.proved:
            return value
        limit = self.limit if tighter is None else _limit_of(tighter)
        return max(value, limit) if self.constraint.rising_eases else min(value, limit)

    def _value(self, diagram: Diagram) -> Number | None:
        """The value of a tree; if undefined, the strictest limit if the tree satisfies it."""
        value = self.constraint.value(diagram, self.problem.dataset)
        if value is not None or self.strictest is None:
            return value
        strict = self.relaxable.replaced(self.constraint.with_limit(self.strictest), self.problem)
        return self.strictest if strict.holds(diagram, self.problem) else None

    def _next(self, value: Number) -> Number | None:
        """The next limit that a tree with this value violates; `None` if there is no stricter one."""
        inwards = -1 if self.constraint.rising_eases else 1
        end = self.strictest
        if end is not None and (value - end) * inwards >= 0:
            return None
        if self.answer.price is not None:
            return self._next_worth(value, inwards, self.answer.price)
        limit = writable(value + inwards * self._stride(value) * self.pace, inwards)
        if (self.limit - value) * inwards > 0 and (limit - self.limit) * inwards > 0:
            limit = self.limit
        return end if end is not None and (limit - end) * inwards > 0 else limit

    def _next_worth(self, value: Number, inwards: int, price: Fraction) -> Number | None:
        """The loosest stricter limit with which a tree may have a lower total; `None` if there is none."""
        found, bound = self.answer.compromise, self.answer.points[-1].bound
        assert found is not None, "there is a point"
        least = Fraction(self.constraint.spacing(self.problem.dataset)) or Fraction(1, FINEST)
        limit: Number = value + inwards * least
        # a tree with a lower total costs at least `bound`, which leaves this much for its value
        total = found.point.cost - inwards * price * found.point.limit
        worth = -inwards * (total - (bound or 0)) / price
        limit = writable(worth if (worth - limit) * inwards > 0 else limit, inwards)
        return None if self.strictest is not None and (limit - self.strictest) * inwards > 0 else limit

    def _stride(self, value: Number) -> Number:
        """The distance to the next limit: the step between values, or more if the curve would have too many points."""
        step = Fraction(self.constraint.step(self.problem.dataset)) or LEAST_STRIDE
        if self.strictest is None:
            fewer = abs(Fraction(value)) * 2 / MOST_POINTS
        else:
            fewer = abs(Fraction(self.answer.points[0].limit) - self.strictest) / MOST_POINTS
        # integer values have integer limits
        return math.ceil(max(step, fewer)) if self.constraint.spacing(self.problem.dataset) == 1 else max(step, fewer)

    def _mark(self, value: Number, optimum: Optimum, tighter: RelaxableConstraint | None) -> None:
        """Add a point; trees also satisfy all looser limits, and bounds hold for all stricter ones."""
        outwards = 1 if self.constraint.rising_eases else -1
        before = self.answer.points
        cost, bound = optimum.cost, optimum.bound
        assert cost is not None, "a tree has a cost"
        since = value if tighter is None else _limit_of(tighter)
        # no tree has a value between two neighbours, so a proof for one extends to the other
        spacing = self.constraint.spacing(self.problem.dataset)
        if before and (abs(Fraction(since) - self.last) <= spacing or (before[-1].bound or 0) >= (bound or 0)):
            bound, since = max(before[-1].bound or 0, bound or 0), self.last
        limit = self._accepted(value, outwards)
        words = self.relaxable.replaced(self.constraint.with_limit(limit), self.problem).words
        self.last = value
        proved_from = Fraction(since) if tighter or self.relaxable.lasting else None
        points = [replace(point, cost=min(point.cost, cost)) for point in before]
        self._say(points=(*points, Point(Fraction(limit), words, cost, bound, proved_from)))

    def _accepted(self, value: Number, outwards: int) -> Number:
        """The exact value as a limit, or the nearest looser number with six decimals if the constraint rejects it."""
        try:
            self.constraint.with_limit(value)
        except ConstraintError:
            return writable(value, outwards)
        return value

    def _close(self, impossible: RelaxableConstraint) -> None:
        """End the curve at the strictest feasible limit."""
        if self.answer.price is not None:
            limit = _limit_of(impossible)
            nothing_between = abs(Fraction(limit) - self.last) <= self.constraint.spacing(self.problem.dataset)
            self._say(impossible=Fraction(limit), complete=nothing_between)
            return
        found = nearest(self.inquiry, impossible, self.others)
        if found.nearest is not None and self._stricter(_limit_of(found.nearest)):
            optimum = self.inquiry.optimum([*self.others, found.nearest])
            value = None if optimum.diagram is None else self._value(optimum.diagram)
            if value is not None:
                self._mark(value, optimum, found.nearest)
        if not found.proved:
            self._note("Whether a limit between the last one and the first impossible one can be kept is not decided.")
        self._say(impossible=Fraction(_limit_of(impossible)), complete=found.proved)

    def _stricter(self, limit: Number) -> bool:
        """Whether a limit is stricter than the value of the last tree."""
        return limit < self.last if self.constraint.rising_eases else limit > self.last

    def _undecided(self, tighter: RelaxableConstraint | None) -> str:
        if self.inquiry.over:
            return "The curve ends here because it was stopped or its time was up."
        what = "a model exists without this constraint" if tighter is None else f"'{tighter.words}' is possible"
        return f"Whether {what} was not decided within {self.inquiry.step:g} s."

    def _note(self, text: str) -> None:
        self._say(notes=(*self.answer.notes, text))

    def _say(self, **more: Any) -> None:
        evidence = tuple(self.inquiry.evidence)
        self.answer = structs.replace(self.answer, **more, seconds=self.inquiry.clock.elapsed, evidence=evidence)
        self.tell(self.answer)


def writable(limit: Number, towards: int) -> Number:
    """The limit, or the nearest number with six decimals in a direction (-1 or 1) if it has too many digits."""
    exact = Fraction(limit)
    if exact.denominator <= FINEST:
        return limit
    return Fraction((math.ceil if towards > 0 else math.floor)(exact * FINEST), FINEST)
