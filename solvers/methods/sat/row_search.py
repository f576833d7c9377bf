"""A search over distinct rows, which ends by an exception, wherever it is, once there is nothing left to do."""

from collections.abc import Callable, Iterable
from contextlib import suppress

from ...diagram import Diagram
from ...solution import EndReason, PartialScope, Scope
from ..features import add_facts
from ..search.context import SearchContext
from ..search.deadline import SearchEndedError
from .rows import DistinctRows


class RowSearch:
    """What is known of the models over some rows, on top of what the context knows.

    The context has a bound where the models may ask about everything; `bound` is that of these models: none costs less.
    """

    def __init__(self, context: SearchContext, rows: DistinctRows) -> None:
        self.context, self.rows, self.bound = context, rows, 0
        self._beyond = 1 + int(rows.costs.max(axis=1).sum())
        context.bound = 0 if rows.complete else None
        context.stats |= {"questions": len(rows.columns), "distinct rows": len(rows)}

    @property
    def cost(self) -> int:
        """What the incumbent costs; while there is none, more than any model."""
        return self._beyond if self.context.cost is None else self.context.cost

    def run(self, constants: Iterable[Diagram], work: Callable[[], None]) -> None:
        """Start from single answers and work until everything is proved, or nothing is left to do."""
        with suppress(SearchEndedError):
            for constant in constants:
                self.context.offer(constant)
            self.prove(self.rows.base)
            work()
        add_facts(self.context, self.rows.features)
        if not self.rows.complete:
            self._add_part()

    def prove(self, bound: int) -> None:
        """Take a lower bound on the cost over the rows, if it is better; never more than the incumbent costs.

        Where there is no incumbent and no model that costs less than all can, there is none.

        Raises `SearchEndedError` once it is as near to the incumbent as was asked for.
        """
        self.bound = max(self.bound, min(bound, self.cost))
        if self.bound == self._beyond:
            self.context.refute()
            raise SearchEndedError
        self.context.raise_bound(self.bound)
        if self._close:
            raise SearchEndedError

    @property
    def _close(self) -> bool:
        return self.context.cost is not None and self.cost - self.bound <= self.context.gap

    def _add_part(self) -> None:
        n, proved = len(self.rows.columns), self.cost == self.bound
        self.context.detail(part=PartialScope(Scope.CART, n, len(self.rows.features) - n, self.bound, proved))
        if self._close and not proved:
            self.context.end(EndReason.WITHIN_GAP)
