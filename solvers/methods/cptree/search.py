"""Running CP-SAT on the model: live incumbents and bounds, and an end soon after it is asked for."""

from __future__ import annotations

import math
import threading
from enum import Enum
from typing import TYPE_CHECKING

from solvers.methods.cptree.live import Live
from solvers.methods.cptree.model import TreeModel

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpSolver

POLL = 0.05
"""Seconds between two looks at the stop signal."""

PULSE = 0.5
"""Seconds between two signs of life."""

EFFORT_FOR_FEWER_SPLITS = 2.0
"""How long a smaller tree of the same cost is looked for, in CP-SAT's deterministic time (about seconds), so that the
result is the same on every machine."""


class Ended(Enum):
    """How a search ended."""

    PROVED = "proved"
    NOTHING = "nothing"
    EARLY = "early"


def search(model: TreeModel, live: Live) -> tuple[Ended, dict[str, int]]:
    """Look for trees that cost less than the incumbent, until there are none, the gap is reached or the time is up.

    Returns
    -------
    PROVED where the search came to its end with a tree, NOTHING where it proved that there is no tree better than the
    incumbent (or none at all, if there is no incumbent), EARLY elsewhere; and figures of the search.
    """
    model.bound_objective(live.among, None if live.cost is None else live.cost - 1)
    model.cp.minimize(model.objective)
    solver = _solver(live)
    solver.parameters.absolute_gap_limit = float(live.limits.gap_cost(live.problem))
    ended = _run(model, solver, live, bounds=True)
    figures = {"conflicts": solver.num_conflicts, "branches": solver.num_branches}
    if ended is Ended.PROVED:
        live.raise_bound(math.ceil(solver.best_objective_bound - 1e-6))
    return ended, figures


def fewest_splits(model: TreeModel, live: Live) -> bool:
    """Look for a tree of the incumbent's cost with fewer splits; whether it is proved that none has fewer."""
    model.bound_objective(live.cost, live.cost)
    model.cp.add(model.n_splits <= live.diagram.n_splits - 1)
    model.cp.minimize(model.n_splits)
    solver = _solver(live)
    solver.parameters.max_deterministic_time = EFFORT_FOR_FEWER_SPLITS
    return _run(model, solver, live, bounds=False) is not Ended.EARLY


def _solver(live: Live) -> CpSolver:
    from ortools.sat.python.cp_model import CpSolver

    solver, limits = CpSolver(), live.limits
    solver.parameters.num_workers = limits.threads
    solver.parameters.random_seed = limits.seed % 2**31
    # in OR-Tools 9.15 this step of the presolve cuts off solutions, and a wrong optimum is 'proved' (issue 5293 there)
    solver.parameters.presolve_inclusion_work_limit = 0
    if live.seconds_left is not None:
        solver.parameters.max_time_in_seconds = live.seconds_left
    if limits.memory_mb is not None:
        solver.parameters.max_memory_in_mb = limits.memory_mb
    return solver


def _run(model: TreeModel, solver: CpSolver, live: Live, bounds: bool) -> Ended:
    """Solve, telling what is found; `bounds` says whether the objective is the cost."""
    from ortools.sat.python import cp_model

    class Listener(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            live.adopt(model.read(self.value))

    if bounds:
        solver.best_bound_callback = lambda bound: live.raise_bound(math.ceil(bound - 1e-6))
    with _Watch(solver, live):
        status = solver.solve(model.cp, Listener())
    return {
        cp_model.OPTIMAL: Ended.PROVED,
        cp_model.INFEASIBLE: Ended.NOTHING,
        cp_model.FEASIBLE: Ended.EARLY,
        cp_model.UNKNOWN: Ended.EARLY,
    }[status]


class _Watch:
    """A thread that ends the search when it is due, and says that it is alive."""

    def __init__(self, solver: CpSolver, live: Live) -> None:
        self._solver, self._live = solver, live
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def _look(self) -> None:
        told = self._live.clock.elapsed
        while not self._over.wait(POLL):
            if self._live.due():
                self._solver.stop_search()
            if self._live.clock.elapsed - told > PULSE:
                told = self._live.clock.elapsed
                self._live.say(_doing(self._live))

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


def _doing(live: Live) -> str:
    least = f"no tree of these questions can cost less than {live.among}."
    return f"No tree yet; {least}" if live.cost is None else f"Best tree so far: cost {live.cost}; {least}"
