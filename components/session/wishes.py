"""The wishes about a table: domain constraints that the user has added, and can switch off and on. No Streamlit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from solvers.constraints import Constraint


@dataclass(frozen=True)
class Wish:
    """A constraint on the user's list.

    Attributes
    ----------
    number : counts the wishes of the session, so that their widgets are told apart.
    constraint : what must hold.
    on : whether the next run must keep it.
    """

    number: int
    constraint: Constraint
    on: bool = True


@dataclass(frozen=True)
class Wishes:
    """The list of wishes about one table, in the order in which they were added.

    Attributes
    ----------
    items : the wishes.
    made : how many were ever added; numbers are not used twice.
    """

    items: tuple[Wish, ...] = ()
    made: int = 0

    @property
    def on(self) -> tuple[Constraint, ...]:
        """The constraints that the next run must keep."""
        return tuple(wish.constraint for wish in self.items if wish.on)

    def __getitem__(self, number: int) -> Wish:
        return next(wish for wish in self.items if wish.number == number)

    def with_added(self, constraints: Iterable[Constraint]) -> Wishes:
        """The list with more wishes at its end, switched on; one that is there already is switched on instead."""
        wishes = self
        for constraint in constraints:
            same = next((wish for wish in wishes.items if wish.constraint == constraint), None)
            if same is not None:
                wishes = wishes.with_switched(same.number, on=True)
            else:
                wish = Wish(wishes.made + 1, constraint)
                wishes = Wishes((*wishes.items, wish), wish.number)
        return wishes

    def with_exactly(self, constraints: Iterable[Constraint]) -> Wishes:
        """The list with these wishes on and all others off."""
        return replace(self, items=tuple(replace(wish, on=False) for wish in self.items)).with_added(constraints)

    def with_changed(self, number: int, constraint: Constraint) -> Wishes:
        """The list with another constraint in the place of a wish, switched on."""
        return self._each(number, constraint=constraint, on=True)

    def with_switched(self, number: int, on: bool) -> Wishes:
        """The list with a wish switched on or off."""
        return self._each(number, on=on)

    def without(self, number: int) -> Wishes:
        """The list without a wish."""
        return replace(self, items=tuple(wish for wish in self.items if wish.number != number))

    def with_replaced(self, former: Constraint, constraint: Constraint | None) -> Wishes:
        """The list with another constraint for one that is on, or with that one switched off."""
        wish = next((wish for wish in self.items if wish.on and wish.constraint == former), None)
        if wish is None:
            return self
        if constraint is None:
            return self.with_switched(wish.number, on=False)
        return self.with_changed(wish.number, constraint)

    def _each(self, number: int, **changes: object) -> Wishes:
        items = tuple(replace(wish, **changes) if wish.number == number else wish for wish in self.items)
        return replace(self, items=items)
