"""PySAT's RC2 with stratification, extended to respect time limits, report bounds, and run in slices.

RC2 (Ignatiev, Morgado and Marques-Silva 2019) looks for an assignment in which no soft clause fails. The solver returns
a core, a set of soft clauses of which one must fail; the least cost in it is added to the lower bound, and a totalizer
over the core lets one fail at no further cost. Stratification begins with the soft clauses of largest weight.

Every core raises the lower bound. Every assignment found on the way, also during core minimization, satisfies the hard
clauses and so gives an incumbent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from .formula import Formula
from .oracle import COUNTER, Oracle

if TYPE_CHECKING:
    from pysat.card import ITotalizer


class _PauseError(Exception):
    """The slice is over."""


class CoreGuided:
    """A run of RC2 over a formula and its costs; a context manager, within which `advance` may be called.

    `due` returns whether to end now; `notify` is called after each assignment (with true) and each core (with false).
    `oracle` is the solver with all clauses.
    """

    def __init__(self, formula: Formula, due: Callable[[], bool], notify: Callable[[bool], None]) -> None:
        from pysat.examples.rc2 import RC2Stratified
        from pysat.formula import WCNF

        soft = WCNF()
        soft.nv = formula.n_variables
        for selector, price in formula.price.items():
            soft.append([-selector], weight=price)
        self._rc2 = RC2Stratified(soft, solver=COUNTER, minz=True)
        self._notify = notify
        self._slice_end = 0
        self._shrinking = self._begun = False
        # RC2 looks these up on itself, so the hooks are called in all its phases
        self._process, self._rc2.process_core = self._rc2.process_core, self._process_core
        self._minimize, self._rc2.minimize_core = self._rc2.minimize_core, self._minimize_core
        self._rc2._call_oracle = self._call
        self.oracle = Oracle(formula, due, self._rc2.oracle, self._rc2.pool)

    def __enter__(self) -> CoreGuided:
        self.oracle.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.oracle.__exit__()
        self._rc2.delete()

    @property
    def bound(self) -> int:
        """The lower bound on the cost of all assignments."""
        return int(self._rc2.cost)

    def advance(self, conflicts: int) -> bool | None:
        """Continue for at most `conflicts` conflicts.

        Returns true if the last assignment is proved to be the cheapest, false if the hard clauses are unsatisfiable,
        and `None` if the slice is over.
        """
        rc2 = self._rc2
        self._slice_end = self.oracle.n_conflicts + conflicts
        try:
            if not self._begun:
                self._begun = True
                rc2.next_level()
                rc2.done = rc2.activate_clauses(0)
            while rc2.compute_():
                rc2.blop = sorted(rc2.wstr, reverse=True)
                if rc2.done >= len(rc2.blop):
                    return True
                rc2.finish_level()
                rc2.levl += 1
                rc2.next_level()
                rc2.done = rc2.activate_clauses(rc2.done)
        except _PauseError:
            return None
        return False

    def _call(self, assumptions: Iterable[int] = (), expect_interrupt: bool = False) -> bool | None:
        """Call the solver, in place of `RC2._call_oracle`."""
        left = None
        if not self._shrinking:
            left = self._slice_end - self.oracle.n_conflicts
            if left <= 0:
                raise _PauseError
        holds = self.oracle.solve(assumptions, left)
        if holds:
            self._notify(True)
        elif holds is None and not self._shrinking:
            raise _PauseError
        return holds

    def _minimize_core(self) -> None:
        """Minimize a core; RC2 gives each of these calls 1,000 conflicts and accepts 'unknown'."""
        self._shrinking = True
        self._minimize()
        self._shrinking = False

    def _process_core(self) -> None:
        self._process()
        self._notify(False)

    def rest(self, most: int) -> tuple[np.ndarray, np.ndarray]:
        """The cost of an assignment above `bound`: literals, int64 (n,), that cost their weight, int64 (n,), if true.

        Only assignments with at most `most` above `bound` matter; what only costlier ones pay is omitted.
        """
        rc2 = self._rc2
        weight = {-assumed: w for assumed, w in rc2.wght.items() if w and assumed not in rc2.garbage}
        counters = {id(counter): counter for counter in rc2.tobj.values()}
        for counter in counters.values():
            # RC2 knows the weights of a counter's outputs up to one; each further output costs as much as that one
            last_priced = max(b for b, output in enumerate(counter.rhs) if -output in rc2.swgt)
            price = rc2.swgt[-counter.rhs[last_priced]]
            self._grow(counter, min(last_priced + 1 + most // price, len(counter.lits) - 1))
            weight.update(dict.fromkeys(counter.rhs[last_priced + 1 :], price))
        return np.array(list(weight), np.int64), np.array(list(weight.values()), np.int64)

    def _grow(self, counter: ITotalizer, bound: int) -> None:
        """Extend a counter up to a bound, as `RC2.update_sum` does."""
        pool = self._rc2.pool
        counter.increase(ubound=bound, top_id=pool.top)
        pool.top = counter.top_id
        if counter.nof_new:
            self.oracle.solver.append_formula(counter.cnf.clauses[-counter.nof_new :])
