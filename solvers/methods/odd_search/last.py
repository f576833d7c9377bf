"""Running CP-SAT on what the bounds leave open, with live incumbents and bounds and a soft stop."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from solvers.methods.diagrams.drafting import Draft, leaf_arc
from solvers.methods.mip.ending import Ending
from solvers.methods.odd_search.grid import Grid
from solvers.methods.odd_search.incumbent import Best
from solvers.methods.odd_search.model import MOST_LITERALS, Model, n_literals
from solvers.methods.watching import Watch
from solvers.problem import Limits


def fits(grid: Grid) -> bool:
    """Whether a model of this size is built; it needs the whole skeleton in the frame of the search."""
    return n_literals(grid) <= MOST_LITERALS and len(grid.frame.layer) == sum(grid.widths)


def prove(grid: Grid, best: Best, limits: Limits, ending: Ending, say: Callable[[], None]) -> bool:
    """Look for diagrams better than the incumbent until there are none, or it is time to end.

    Returns
    -------
    Whether it is proved that no diagram at all keeps everything.
    """
    from ortools.sat.python import cp_model

    model = Model(grid)
    ceiling = None if best.cost is None else best.cost - grid.constant
    if ceiling is not None:
        model.cp.add(model.objective <= ceiling - 1)
    model.cp.add(model.objective >= best.bound - grid.constant)
    model.cp.minimize(model.objective)
    solver = _solver(limits, ending)

    class Listener(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            best.offer(_draft(grid, model.read(self.value)))
            say()

    solver.best_bound_callback = lambda bound: best.raise_bound(_at_most(best, math.ceil(bound - 1e-6) + grid.constant))
    with Watch(solver.stop_search, ending.due):
        status = solver.solve(model.cp, Listener())
    if status == cp_model.OPTIMAL:
        best.raise_bound(_at_most(best, round(solver.objective_value) + grid.constant))
    elif status == cp_model.INFEASIBLE:
        if best.cost is None:
            # what it leaves out only forbids more
            return True
        best.raise_bound(best.cost)
    return False


def _at_most(best: Best, bound: int) -> int:
    """A bound of what is better than the incumbent, which bounds everything up to the incumbent's cost."""
    return bound if best.cost is None else min(bound, best.cost)


def _solver(limits: Limits, ending: Ending) -> object:
    from ortools.sat.python.cp_model import CpSolver

    solver = CpSolver()
    solver.parameters.num_workers = limits.threads
    solver.parameters.random_seed = limits.seed % 2**31
    # in OR-Tools 9.15 this step of the presolve cuts off solutions, and a wrong optimum is 'proved' (issue 5293 there)
    solver.parameters.presolve_inclusion_work_limit = 0
    if ending.seconds_left is not None:
        solver.parameters.max_time_in_seconds = ending.seconds_left
    if limits.memory_mb is not None:
        solver.parameters.max_memory_in_mb = limits.memory_mb
    return solver


def _draft(grid: Grid, found: np.ndarray | int) -> Draft:
    return Draft([], leaf_arc(found)) if isinstance(found, int) else grid.draft(found)
