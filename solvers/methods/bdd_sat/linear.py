"""Linear search from above: again and again an assignment that costs less, until there is none (SAT-UNSAT).

'The price is below the incumbent's' is a weighted sum (see `totalizer`). Large sums make large formulas, so prices are
divided by a unit and rounded down, which is a weaker condition: when it cannot be met, neither can the true one, and
when it is met without a cheaper assignment, the unit is halved (Berg, Demirović and Stuckey 2019, 'core-boosted linear
search', with the varying resolution of Demirović and Stuckey 2019). The sum is of what is left above a lower bound.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from solvers.methods.bdd_sat.oracle import Oracle
from solvers.methods.bdd_sat.totalizer import Counted, totalizer

MOST_SUMS = 300
"""How many values of a sum are told apart at first; a sum of 3,000 literals has about a million clauses then."""

LARGEST_SUM = 2000
"""How many at most; a finer unit would make formulas of tens of millions of clauses."""


class Linear:
    """A search for less, in slices.

    Parameters
    ----------
    oracle : the solver with the hard clauses.
    literals, weights : int (n,), what an assignment costs above `floor`: the weights of its true literals.
    floor : the part of the cost that all assignments have.
    ceiling : gives the cost of the incumbent; assignments that cost as much are not looked for.
    heard : is told after each assignment, and lowers the ceiling where it is cheaper.
    """

    def __init__(
        self,
        oracle: Oracle,
        literals: np.ndarray,
        weights: np.ndarray,
        floor: int,
        ceiling: Callable[[], int],
        heard: Callable[[bool], None],
    ) -> None:
        self._oracle, self._heard, self._ceiling = oracle, heard, ceiling
        self._literals, self._weights, self._floor = literals, weights, floor
        self._unit = 1 + self._room // MOST_SUMS
        self._counted: Counted | None = None
        self._allowed = 0

    @property
    def _room(self) -> int:
        """What an assignment may cost above the floor to be cheaper than the incumbent; negative where none can."""
        return self._ceiling() - 1 - self._floor

    def advance(self, conflicts: int | None = None) -> bool | None:
        """Go on.

        Returns
        -------
        True when no assignment is cheaper than the incumbent, `None` when so many conflicts did not decide it, and
        False when it can only be decided with a finer unit than there is room for.
        """
        while self._room >= 0:
            self._limit()
            before = self._ceiling()
            found = self._oracle.solve(conflicts=conflicts)
            if found is None:
                return None
            if not found:
                return True
            self._heard(True)
            if self._ceiling() == before:
                assert self._unit > 1, "an assignment within the exact limit is cheaper"
                finer = self._unit // 2
                if self._room // finer > LARGEST_SUM:
                    return False
                self._unit, self._counted = finer, None
        return True

    def _limit(self) -> None:
        """Forbid what costs as much as the incumbent, for good."""
        allowed = self._room // self._unit
        formula = self._oracle.more()
        if self._counted is None:
            scaled = self._weights // self._unit
            used = scaled > 0
            if not used.any():
                return
            self._counted = totalizer(formula, self._literals[used], scaled[used], allowed + 1)
            self._allowed = allowed + 1
        sums, outputs = self._counted
        if allowed < self._allowed:
            formula.add(-outputs[(sums > allowed) & (sums <= self._allowed)][:, None])
            self._allowed = allowed
        self._oracle.add(formula)
