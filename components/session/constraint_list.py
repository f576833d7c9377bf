"""The user's list of constraints for a table, each enabled or disabled. Does not import Streamlit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from solvers.constraints import Constraint


@dataclass(frozen=True)
class ListedConstraint:
    """A constraint on the user's list, and whether the next run must satisfy it.

    Its number distinguishes the widgets of the session's constraints.
    """

    number: int
    constraint: Constraint
    on: bool = True


@dataclass(frozen=True)
class ConstraintList:
    """The constraints about one table, in the order in which they were added.

    `made` counts all constraints ever added, because numbers are not reused.
    """

    items: tuple[ListedConstraint, ...] = ()
    made: int = 0

    @property
    def on(self) -> tuple[Constraint, ...]:
        """The constraints that the next run must satisfy."""
        return tuple(listed.constraint for listed in self.items if listed.on)

    def __getitem__(self, number: int) -> ListedConstraint:
        return next(listed for listed in self.items if listed.number == number)

    def with_added(self, constraints: Iterable[Constraint]) -> ConstraintList:
        """The list with more constraints appended and enabled; one that is already there is only enabled.

        If a constraint is a stricter version made to confirm another one, the original is added.
        """
        longer = self
        for constraint in (one.judged for one in constraints):
            same = next((listed for listed in longer.items if listed.constraint == constraint), None)
            if same is None:
                added = ListedConstraint(longer.made + 1, constraint)
                longer = ConstraintList((*longer.items, added), added.number)
            else:
                longer = longer.with_changed(same.number, on=True)
        return longer

    def with_exactly(self, constraints: Iterable[Constraint]) -> ConstraintList:
        """The list with these constraints on and all others off."""
        return replace(self, items=tuple(replace(listed, on=False) for listed in self.items)).with_added(constraints)

    def with_changed(self, number: int, **changes: Any) -> ConstraintList:
        """The list with one of its constraints changed: replaced (`constraint`), or switched (`on`)."""
        items = (replace(listed, **changes) if listed.number == number else listed for listed in self.items)
        return replace(self, items=tuple(items))

    def without(self, number: int) -> ConstraintList:
        """The list without a constraint."""
        return replace(self, items=tuple(listed for listed in self.items if listed.number != number))

    def with_replaced(self, former: Constraint, constraint: Constraint | None) -> ConstraintList:
        """The list with an enabled constraint replaced, or disabled if `constraint` is `None`."""
        found = (listed for listed in self.items if listed.on and listed.constraint == former)
        changes = {"on": False} if constraint is None else {"constraint": constraint}
        return next((self.with_changed(listed.number, **changes) for listed in found), self)
