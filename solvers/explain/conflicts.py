"""Explain infeasibility: a smallest conflicting set of constraints, the weakening each one needs, and repairs."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from msgspec.structs import replace

from ..diagram import Diagram
from ..problem.texts import format_list, plural
from ..solution import Status
from .answers import Change, Conflict, Part, Repair
from .cores import Core, find_core, smallest_hitting_set
from .evidence import KnownResult
from .inquiry import STEP, Inquiry
from .nearest import nearest
from .rates import rate_curve
from .relaxable import MORE_LEVELS, RelaxableConstraint, relaxables_of
from .tasks import Explanation, TaskRecord

MOST_CONFLICTS = 8
"""Maximum number of conflicts examined per problem."""


class ExplainConflict(Explanation, TaskRecord, frozen=True):
    """Why is there no solution? Every repair in the answer was verified on a tree."""

    doing: ClassVar[str] = "Looking for the constraints that are in conflict, and for what would help."
    step: float = STEP
    known: tuple[KnownResult, ...] = ()

    def explain(self, inquiry: Inquiry, tell: Callable[[Conflict], None]) -> Conflict:
        """Find the conflict, then the weakening of each constraint in it, then repairs."""
        return _Explaining(inquiry, tell).run()


_TRIVIAL = "Changes after which the best model predicts one class for all rows are not listed."
_NEAREST = "the nearest limit of {}"
_ENOUGH = "whether it is enough to relax {}"


def _listed(undecided: Sequence[str]) -> str:
    """What is undecided as one phrase; questions about several constraints are counted."""
    counts = Counter(undecided)
    return format_list([what.format(plural(n, "constraint")) for what, n in counts.items()], "and")


class _Explaining:
    """The state of one explanation."""

    def __init__(self, inquiry: Inquiry, tell: Callable[[Conflict], None]) -> None:
        self.inquiry, self.tell = inquiry, tell
        every = relaxables_of(inquiry.problem)
        self.lasting = tuple(relaxable for relaxable in every if relaxable.lasting)
        self.relaxables = tuple(relaxable for relaxable in every if not relaxable.lasting)
        self.answer = Conflict(Status.NO_SOLUTION, finished=False)
        self.notes: list[str] = []
        self.open: list[str] = []

    def run(self) -> Conflict:
        """Find the conflict, then the weakening of each part, then repairs, and report each."""
        rate_curve(self.inquiry, self.relaxables, self.lasting, lambda rates: self._say(rates=rates))
        core = find_core(self.inquiry, self.relaxables, self.lasting)
        if not isinstance(core, Core):
            self._end(status=Status.NO_SOLUTION if core is None else Status.FEASIBLE)
            return self.answer
        self._say(
            status=Status.INFEASIBLE, parts=tuple(Part(relaxable) for relaxable in core.relaxables), extent=core.extent
        )
        for relaxable in core.relaxables:
            self._weigh(relaxable, core)
        for relaxable in core.relaxables:
            self._offer(self._changes((relaxable,)))
        self._deepen(core)
        if not self.answer.repairs:
            self._offer(self._changes(self._fewest(core)))
        self._end()
        return self.answer

    def _end(self, **more: object) -> None:
        self._say(**more, finished=True, evidence=tuple(self.inquiry.evidence))

    def _weigh(self, relaxable: RelaxableConstraint, core: Core) -> None:
        """Find how far a constraint must be weakened to be compatible with the rest of the conflict."""
        others = [other for other in core.relaxables if other is not relaxable]
        part = nearest(self.inquiry, relaxable, [*others, *self.lasting])
        self._say(parts=tuple(part if known.relaxable is relaxable else known for known in self.answer.parts))
        if not part.proved:
            self._undecided(_NEAREST)

    def _deepen(self, core: Core) -> None:
        """Find whether a deeper model would resolve the conflict; the layers of a skeleton are fixed."""
        shape = self.inquiry.problem.shape
        for relaxable in self.lasting if shape.widths is None else ():
            part = nearest(self.inquiry, relaxable, core.relaxables)
            if part.nearest is not None:
                self._say(parts=(*self.answer.parts, part))
                self._offer(self._with(self.relaxables, (Change(relaxable, part.nearest),), part.proved))
            elif part.proved:
                self._note(f"Nor would a {shape.kind.noun} that is {MORE_LEVELS} levels deeper do.")
            else:
                self._undecided(f"whether a deeper {shape.kind.noun} would help")

    def _offer(self, repairs: Iterator[Repair]) -> None:
        """Append repairs as they are found; those already shown keep their positions, so that clicks do not miss."""
        for repair in repairs:
            self._say(repairs=(*self.answer.repairs, repair))

    def _fewest(self, core: Core) -> tuple[RelaxableConstraint, ...]:
        """The fewest constraints whose removal leaves no conflict; empty if undecided.

        The dropped constraints must hit each known conflict. A smallest hitting set either suffices or leaves another
        conflict, which is added.
        """
        conflicts = [core.relaxables]
        for _ in range(MOST_CONFLICTS):
            sets = [frozenset(self.relaxables.index(relaxable) for relaxable in one) for one in conflicts]
            dropped = tuple(self.relaxables[i] for i in smallest_hitting_set(sets, len(self.relaxables)))
            found = find_core(self.inquiry, [one for one in self.relaxables if one not in dropped], self.lasting)
            if isinstance(found, Diagram):
                return dropped
            if found is None:
                break
            conflicts.append(found.relaxables)
            self._say(further=tuple(conflicts[1:]))
        self._undecided("which constraints must be relaxed together")
        return ()

    def _changes(self, given: tuple[RelaxableConstraint, ...]) -> Iterator[Repair]:
        """The repairs that weaken these constraints, and the repair that drops them all."""
        kept = tuple(relaxable for relaxable in self.relaxables if relaxable not in given)
        possible = self.inquiry.possible([*kept, *self.lasting]) if given else False
        if possible is None:
            self._undecided(_ENOUGH)
        if not possible:
            return
        changes: list[Change] = []
        proved = True
        for relaxable in given:
            rest = [change.weaker for change in changes if change.weaker is not None]
            # leave out the constraints that come later, so that the first is weakened least
            found = nearest(self.inquiry, relaxable, [*kept, *rest, *self.lasting])
            proved = proved and found.proved
            changes.append(Change(relaxable, None if found.vacuous else found.nearest))
        if any(change.weaker is not None for change in changes):
            yield from self._with(kept, tuple(changes), proved)
        yield from self._with(kept, tuple(Change(relaxable) for relaxable in given), True)

    def _with(self, kept: Sequence[RelaxableConstraint], changes: tuple[Change, ...], proved: bool) -> Iterator[Repair]:
        """The repair with these changes, if the solver finds a tree for it in time."""
        changed = {change.relaxable.key for change in changes}
        lasting = [relaxable for relaxable in self.lasting if relaxable.key not in changed]
        weaker = [change.weaker for change in changes if change.weaker is not None]
        relaxables = [*kept, *weaker, *lasting]
        optimum = self.inquiry.optimum(relaxables)
        if optimum.cost is not None and optimum.diagram is not None:
            predicted = optimum.diagram.predict(self.inquiry.problem.dataset)
            trivial = bool((predicted == predicted[0]).all())
            if trivial and _TRIVIAL not in self.notes:
                self.notes.append(_TRIVIAL)
            yield Repair(changes, optimum.cost, optimum.bound, proved, trivial)

    def _note(self, text: str) -> None:
        self.notes.append(text)
        self._say()

    def _undecided(self, what: str) -> None:
        self.open.append(what)
        self._say(undecided=len(self.open))

    def _say(self, **more: Any) -> None:
        notes = (*self.notes, *([f"Not decided in time: {_listed(self.open)}."] if self.open else []))
        more["notes"] = notes
        self.answer = replace(self.answer, **more, seconds=self.inquiry.clock.elapsed)
        self.tell(self.answer)
