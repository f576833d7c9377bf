"""A SAT solver that respects time limits, with clauses in bulk as input and assignments as arrays as output.

It uses the solvers of PySAT that release the GIL and can be interrupted from another thread (CaDiCaL cannot): Glucose
4.2 refutes up to six times faster, but checks for an interrupt only at restarts, which takes seconds under large sums;
MiniSat 2.2 checks at every decision, so it is used for sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from ..search.deadline import SearchEndedError
from ..search.watch import Watch
from .formula import Formula, assignment

if TYPE_CHECKING:
    from pysat.formula import IDPool
    from pysat.solvers import Solver

DECIDER = "glucose42"
"""The solver that decides whether there is an assignment."""

COUNTER = "minisat22"
"""The solver that finds the cheapest of many assignments."""


class Oracle:
    """A formula in a solver; a context manager, within which `solve` may be called.

    Every long-running method raises `SearchEndedError` once `due`. The solver is given by its name in PySAT, or as an
    object that may have clauses of its own over the same variables, which are numbered by its `pool`.
    """

    def __init__(
        self,
        formula: Formula,
        due: Callable[[], bool],
        solver: str | Solver = DECIDER,
        pool: IDPool | None = None,
    ) -> None:
        from pysat.formula import IDPool
        from pysat.solvers import Solver

        self._formula, self._due = formula, due
        self._made = isinstance(solver, str)
        self.solver: Solver = Solver(name=solver) if isinstance(solver, str) else solver
        self._pool = IDPool(start_from=formula.n_variables + 1) if pool is None else pool
        self._watch = Watch(self.solver.interrupt, due)

    def __enter__(self) -> Oracle:
        self._watch.__enter__()
        try:
            self.add(self._formula)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._watch.__exit__()
        if self._made:
            self.solver.delete()

    def more(self) -> Formula:
        """An empty formula over the solver's variables and new ones; fill it and add it at once."""
        formula = Formula()
        formula.n_variables = self._pool.top
        return formula

    def add(self, formula: Formula) -> None:
        """Add the clauses of a formula; only memory limits their number."""
        self._pool.top = max(self._pool.top, formula.n_variables)
        for chunk in formula.chunks():
            self.pause()
            self.solver.append_formula(chunk)

    def pause(self) -> None:
        """Raise if time is up."""
        if self._due():
            raise SearchEndedError

    def solve(self, assumptions: Iterable[int] = (), conflicts: int | None = None) -> bool | None:
        """Whether the clauses are satisfiable; `None` if this many conflicts did not decide it."""
        self.pause()
        if conflicts is not None:
            self.solver.conf_budget(conflicts)
        holds = self.solver.solve_limited(assumptions=list(assumptions), expect_interrupt=True)
        if conflicts is not None:
            self.solver.conf_budget(-1)
        if holds is None:
            self.pause()
        return None if holds is None else bool(holds)

    @property
    def n_conflicts(self) -> int:
        """Conflicts so far."""
        return int(self.solver.accum_stats()["conflicts"])

    def true(self) -> np.ndarray:
        """The assignment found, bool (n_variables + 1,) of the initial formula."""
        return assignment(self.solver.get_model(), self._formula.n_variables)
