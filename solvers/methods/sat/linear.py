"""Linear search from above: again and again an assignment that costs less, until there is none (SAT-UNSAT).

'The price is below the incumbent's' is a weighted sum (see `totalizer`). Large sums make large formulas, so prices are
divided by a unit and rounded down, which is a weaker condition: when it cannot be met, neither can the true one, and
when it is met without a cheaper assignment, the unit is halved (Berg, Demirović and Stuckey 2019, 'core-boosted linear
search', with the varying resolution of Demirović and Stuckey 2019). Where that would become too large, binary adders
give the exact sum (`BinarySum`), of which a solver sees less. The sum is of what is left above a lower bound.
"""

from collections.abc import Callable

import numpy as np

from .formula import Formula
from .oracle import Oracle
from .totalizer import BinarySum, Counted, totalizer

MOST_SUMS = 300
"""How many values of a sum are distinguished at first; a sum of 3,000 literals has about a million clauses then."""

LARGEST_SUM = 2000
"""How many at most; for a finer unit a totalizer would have tens of millions of clauses."""


class Linear:
    """A search for less, in slices.

    Parameters
    ----------
    oracle : the solver with the hard clauses.
    literals, weights : int (n,), what an assignment costs above `floor`: the weights of its true literals.
    floor : the part of the cost that all assignments have.
    ceiling : gives the cost of the incumbent; assignments that cost as much are not looked for.
    notify : is called after each assignment, and lowers the ceiling where it is cheaper.
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
        self._sum: Counted | BinarySum | None = None
        self._allowed = 0

    @property
    def _room(self) -> int:
        """What an assignment may cost above the floor to be cheaper than the incumbent; negative where none can."""
        return self._ceiling() - 1 - self._floor

    def advance(self, conflicts: int) -> bool:
        """Go on; whether no assignment is cheaper than the incumbent, false where the conflicts did not decide it."""
        while self._room >= 0:
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
        """Forbid what costs as much as the incumbent, for good."""
        formula = self._oracle.more()
        fresh = self._sum is None
        total = self._sum = self._sum or self._build_sum(formula)
        allowed = self._room // self._unit
        if fresh or allowed < self._allowed:
            total.limit(formula, allowed)
            self._allowed = allowed
        self._oracle.add(formula)

    def _build_sum(self, formula: Formula) -> Counted | BinarySum:
        """The sum in the present unit, or exactly where that is too fine."""
        if self._room // self._unit > LARGEST_SUM:
            self._unit = 1
            return BinarySum(formula, self._literals, self._weights)
        scaled = self._weights // self._unit
        used = scaled > 0
        return totalizer(formula, self._literals[used], scaled[used], self._room // self._unit + 1)
