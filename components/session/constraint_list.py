"""The constraints on the user's list for a table, which can be switched off and on. No Streamlit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from solvers.constraints import Constraint


@dataclass(frozen=True)
class ListedConstraint:
    """A constraint on the user's list.

    Attributes
    ----------
    number : counts the constraints of the session, so that their widgets are told apart.
    constraint : what must hold.
    on : whether the next run must keep it.
    """

    number: int
    constraint: Constraint
    on: bool = True


@dataclass(frozen=True)
class ConstraintList:
    """The list of constraints about one table, in the order in which they were added.

    Attributes
    ----------
    items : the constraints.
    made : how many were ever added; numbers are not used twice.
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
        """The list with more constraints at its end, switched on; one that is there already is switched on instead."""
        longer = self
        for constraint in constraints:
            same = next((listed for listed in longer.items if listed.constraint == constraint), None)
            if same is not None:
                longer = longer.with_switched(same.number, on=True)
            else:
                listed = ListedConstraint(longer.made + 1, constraint)
                longer = ConstraintList((*longer.items, listed), listed.number)
        return longer

    def with_exactly(self, constraints: Iterable[Constraint]) -> ConstraintList:
        """The list with these constraints on and all others off."""
        return replace(self, items=tuple(replace(listed, on=False) for listed in self.items)).with_added(constraints)

    def with_changed(self, number: int, constraint: Constraint) -> ConstraintList:
        """The list with another constraint in the place of one, switched on."""
        return self._each(number, constraint=constraint, on=True)

    def with_switched(self, number: int, on: bool) -> ConstraintList:
        """The list with a constraint switched on or off."""
        return self._each(number, on=on)

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

    def _each(self, number: int, **changes: object) -> ConstraintList:
        items = tuple(replace(listed, **changes) if listed.number == number else listed for listed in self.items)
        return replace(self, items=items)
