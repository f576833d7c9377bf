"""CP-SAT, the constraint solver of OR-Tools (Perron and Didier): how every method here runs it.

It counts in 64 bits and refuses a model that could overflow them. Its bounds come back as floats, which are exact as
long as the objective stays below `magnitude.EXACT_FLOAT`: costs are at most `LARGEST_TOTAL` and some splits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING

from solvers.methods.search.watch import Watch
from solvers.problem import Limits

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, CpSolver, IntVar


class Ended(Enum):
    """How a search ended: with the best solution, with the proof that there is none, or before either."""

    PROVED = "proved"
    NOTHING = "nothing"
    EARLY = "early"


def solver_for(limits: Limits, seconds: float | None) -> CpSolver:
    """A solver within the limits of a run, of whose time so many seconds are left; `None` for no limit."""
    from ortools.sat.python.cp_model import CpSolver

    solver = CpSolver()
    solver.parameters.num_workers = limits.threads
    solver.parameters.random_seed = limits.seed % 2**31
    # in OR-Tools 9.15 this step of the presolve cuts off solutions, and a wrong optimum is 'proved' (issue 5293 there)
    solver.parameters.presolve_inclusion_work_limit = 0
    if seconds is not None:
        solver.parameters.max_time_in_seconds = seconds
    if limits.memory_mb is not None:
        solver.parameters.max_memory_in_mb = limits.memory_mb
    return solver


def run(
    solver: CpSolver,
    model: CpModel,
    found: Callable[[Callable[[IntVar], int]], None],
    due: Callable[[], bool],
    bound: Callable[[int], None] = lambda value: None,
) -> Ended:
    """Solve a model, telling what is found, and end soon after it is due.

    Parameters
    ----------
    found : called with each better solution, as a function that gives the value of a variable.
    due : whether to end now.
    bound : called with each better lower bound of the objective, at the end with that of the result.

    Raises
    ------
    RuntimeError
        The model is invalid, for instance since its sums overflow.
    """
    from ortools.sat.python import cp_model

    class Listener(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            found(self.value)

    def told(value: float) -> None:
        bound(math.ceil(value - 1e-6))

    solver.best_bound_callback = told
    with Watch(solver.stop_search, due):
        status = solver.solve(model, Listener())
    ends = {
        cp_model.OPTIMAL: Ended.PROVED,
        cp_model.INFEASIBLE: Ended.NOTHING,
        cp_model.FEASIBLE: Ended.EARLY,
        cp_model.UNKNOWN: Ended.EARLY,
    }
    if status not in ends:
        raise RuntimeError(f"CP-SAT does not take the model: {model.validate() or solver.status_name(status)}")
    if status == cp_model.OPTIMAL:
        told(solver.best_objective_bound)
    return ends[status]
