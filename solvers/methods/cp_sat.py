"""CP-SAT, the constraint solver of OR-Tools (Perron and Didier): how all methods here run it.

CP-SAT counts in 64 bits and rejects models that could overflow. It returns bounds as floats, which are exact below
`magnitude.EXACT_FLOAT`: costs are at most `LARGEST_TOTAL` plus split penalties.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from enum import Enum
from typing import TYPE_CHECKING

from .search.context import SearchContext
from .search.watch import Watch

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, CpSolver, IntVar, LinearExpr

TITLE = "CP-SAT"

Values = Callable[["IntVar"], int]
"""A solution, as a function that returns the value of a variable."""


class Ended(Enum):
    """How a search ended: with an optimum, with a proof of infeasibility, or before either."""

    PROVED = "proved"
    NOTHING = "nothing"
    EARLY = "early"


def run(
    model: CpModel,
    context: SearchContext,
    found: Callable[[Values], object],
    bound: Callable[[int], None] = lambda value: None,
    *,
    due: Callable[[], bool] | None = None,
    gap: int | None = None,
    effort: float | None = None,
) -> tuple[Ended, dict[str, int]]:
    """Solve a model, report solutions and bounds, and stop soon after it is due.

    Parameters
    ----------
    context : gives the remaining limits.
    found : called with each better solution.
    bound : called with each better lower bound of the objective, and with the final one.
    due : whether to stop now; by default `context.due`.
    gap : the permitted absolute gap of the result.
    effort : the work limit, in deterministic time (about seconds).

    Returns
    -------
    How the search ended, and statistics.

    Raises
    ------
    RuntimeError
        The model is invalid, for instance because its sums overflow.
    """
    from ortools.sat.python import cp_model

    class Listener(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            found(self.value)

    def round_up(value: float) -> None:
        bound(math.ceil(value - 1e-6))

    solver = _solver(context, gap, effort)
    solver.best_bound_callback = round_up
    with Watch(solver.stop_search, due or context.due):
        status = solver.solve(model, Listener())
    ends = {
        cp_model.OPTIMAL: Ended.PROVED,
        cp_model.INFEASIBLE: Ended.NOTHING,
        cp_model.FEASIBLE: Ended.EARLY,
        cp_model.UNKNOWN: Ended.EARLY,
    }
    if status not in ends:
        raise RuntimeError(f"CP-SAT does not accept the model: {model.validate() or solver.status_name(status)}")
    if status == cp_model.OPTIMAL:
        round_up(solver.best_objective_bound)
    return ends[status], {"conflicts": solver.num_conflicts, "branches": solver.num_branches}


def total(terms: Iterable[LinearExpr]) -> LinearExpr:
    """The sum of expressions, 0 if there are none."""
    from ortools.sat.python.cp_model import LinearExpr

    return LinearExpr.sum(list(terms))


def _solver(context: SearchContext, gap: int | None, effort: float | None) -> CpSolver:
    from ortools.sat.python.cp_model import CpSolver

    solver, limits = CpSolver(), context.deadline.limits_left
    solver.parameters.num_workers = limits.threads
    solver.parameters.random_seed = limits.seed % 2**31
    # in OR-Tools 9.15 this presolve step removes solutions and "proves" a wrong optimum (OR-Tools issue 5293)
    solver.parameters.presolve_inclusion_work_limit = 0
    if limits.seconds is not None:
        solver.parameters.max_time_in_seconds = limits.seconds
    if limits.memory_mb is not None:
        solver.parameters.max_memory_in_mb = limits.memory_mb
    if gap is not None:
        solver.parameters.absolute_gap_limit = float(gap)
    if effort is not None:
        solver.parameters.max_deterministic_time = effort
    return solver
