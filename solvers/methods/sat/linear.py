"""Linear search from above: repeatedly find an assignment that costs less, until there is none (SAT-UNSAT).

'The cost is below the incumbent's' is a limit on a weighted sum (see `totalizer`). Large sums make large formulas, so
costs are divided by a unit and rounded down, which gives a weaker condition: if it is unsatisfiable, so is the exact
one; if it is satisfied without a cheaper assignment, the unit is halved (Berg, Demirović and Stuckey 2019,
'core-boosted linear search', with the varying resolution of Demirović and Stuckey 2019). If that would become too
large, only a higher lower bound helps: the sum counts only the cost above it.
"""

from collections.abc import Callable

import numpy as np

from .formula import Formula
from .oracle import Oracle
from .totalizer import Counted, totalizer

MOST_SUMS = 300
"""How many values of a sum are distinguished at first; a sum of 3,000 literals then has about a million clauses."""

LARGEST_SUM = 2000
"""The largest number of values: in a finer unit, a sum would have tens of millions of clauses."""


class Linear:
    """A search for cheaper assignments, in slices.

    Parameters
    ----------
    oracle : the solver with the hard clauses.
    literals, weights : int (n,), the cost of an assignment above `floor`: the weights of its true literals.
    floor : the part of the cost that all assignments share.
    ceiling : returns the cost of the incumbent; only cheaper assignments are searched.
    notify : called after each assignment; lowers the ceiling if the assignment is cheaper.
    """

    def __init__(
        self,
        oracle: Oracle,
        literals: np.ndarray,
        weights: np.ndarray,
        floor: int,
        ceiling: Callable[[], int],
        notify: Callable[[bool], None],
    ) -> None:
        self._oracle, self._notify, self._ceiling = oracle, notify, ceiling
        self._literals, self._weights, self._floor = literals, weights, floor
        self._unit = 1 + self._room // MOST_SUMS
        self._sum: Counted | None = None
        self._allowed = 0

    @property
    def _room(self) -> int:
        """The largest cost above the floor of an assignment cheaper than the incumbent; negative if there is none."""
        return self._ceiling() - 1 - self._floor

    def advance(self, conflicts: int) -> bool:
        """Continue; true if no assignment is cheaper than the incumbent, false if this is not decided.

        It stays undecided if the conflicts, or sums of a permitted size, are not enough.
        """
        while self._room >= 0:
            if self._room // self._unit > LARGEST_SUM:
                return False
            self._limit()
            before = self._ceiling()
            holds = self._oracle.solve(conflicts=conflicts)
            if holds is None:
                return False
            if not holds:
                return True
            self._notify(True)
            if self._ceiling() == before:
                assert self._unit > 1, "an assignment within the exact limit is cheaper"
                self._unit, self._sum = self._unit // 2, None
        return True

    def _limit(self) -> None:
        """Forbid, permanently, all that costs at least as much as the incumbent."""
        formula = self._oracle.more()
        fresh = self._sum is None
        total = self._sum = self._sum or self._build_sum(formula)
        allowed = self._room // self._unit
        if fresh or allowed < self._allowed:
            total.limit(formula, allowed)
            self._allowed = allowed
        self._oracle.add(formula)

    def _build_sum(self, formula: Formula) -> Counted:
        """The sum in the current unit."""
        scaled = self._weights // self._unit
        used = scaled > 0
        return totalizer(formula, self._literals[used], scaled[used], self._room // self._unit + 1)
