"""The constraints on the user's list for a table, which can be switched off and on. No Streamlit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from solvers.constraints import Constraint


@dataclass(frozen=True)
class ListedConstraint:
    """A constraint on the user's list, and whether the next run must keep it.

    Its number tells the widgets of the session's constraints apart.
    """

    number: int
    constraint: Constraint
    on: bool = True


@dataclass(frozen=True)
class ConstraintList:
    """The constraints about one table, in the order in which they were added.

    `made` says how many ever were, because numbers are not used twice.
    """

    items: tuple[ListedConstraint, ...] = ()
    made: int = 0

    @property
    def on(self) -> tuple[Constraint, ...]:
        """The constraints that the next run must keep."""
        return tuple(listed.constraint for listed in self.items if listed.on)

    def __getitem__(self, number: int) -> ListedConstraint:
        return next(listed for listed in self.items if listed.number == number)

    def with_added(self, constraints: Iterable[Constraint]) -> ConstraintList:
        """The list with more constraints at its end, switched on; one that is there already is switched on instead.

        Of a stricter limit it takes what that is to confirm: another search would need another limit.
        """
        longer = self
        for constraint in (one.judged for one in constraints):
            same = next((listed for listed in longer.items if listed.constraint == constraint), None)
            if same is None:
                added = ListedConstraint(longer.made + 1, constraint)
                longer = ConstraintList((*longer.items, added), added.number)
            else:
                longer = longer.with_switched(same.number, on=True)
        return longer

    def with_exactly(self, constraints: Iterable[Constraint]) -> ConstraintList:
        """The list with these constraints on and all others off."""
        return replace(self, items=tuple(replace(listed, on=False) for listed in self.items)).with_added(constraints)

    def with_changed(self, number: int, constraint: Constraint) -> ConstraintList:
        """The list with another constraint in the place of one, switched on."""
        return self._each(number, lambda listed: replace(listed, constraint=constraint, on=True))

    def with_switched(self, number: int, on: bool) -> ConstraintList:
        """The list with a constraint switched on or off."""
        return self._each(number, lambda listed: replace(listed, on=on))

    def without(self, number: int) -> ConstraintList:
        """The list without a constraint."""
        return replace(self, items=tuple(listed for listed in self.items if listed.number != number))

    def with_replaced(self, former: Constraint, constraint: Constraint | None) -> ConstraintList:
        """The list with another constraint for one that is on, or with that one switched off."""
        listed = next((listed for listed in self.items if listed.on and listed.constraint == former), None)
        if listed is None:
            return self
        if constraint is None:
            return self.with_switched(listed.number, on=False)
        return self.with_changed(listed.number, constraint)

    def _each(self, number: int, change: Callable[[ListedConstraint], ListedConstraint]) -> ConstraintList:
        items = tuple(change(listed) if listed.number == number else listed for listed in self.items)
        return replace(self, items=items)
