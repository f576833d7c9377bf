"""Running CP-SAT on the model: live incumbents and bounds, and an end soon after it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from solvers.methods import cp_sat
from solvers.methods.cp_sat import Ended
from solvers.methods.trees.cptree.live import Live
from solvers.methods.trees.cptree.model import TreeModel

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpSolver

PULSE = 0.5
"""Seconds between two signs of life."""

EFFORT_FOR_FEWER_SPLITS = 2.0
"""How long a smaller tree of the same cost is looked for, in CP-SAT's deterministic time (about seconds), so that the
result is the same on every machine."""


def search(model: TreeModel, live: Live) -> tuple[Ended, dict[str, int]]:
    """Look for trees that cost less than the incumbent, until there are none, the gap is reached or the time is up.

    Returns
    -------
    PROVED where the search came to its end with a tree, NOTHING where it proved that there is no tree better than the
    incumbent (or none at all, if there is no incumbent), EARLY elsewhere; and figures of the search.
    """
    model.bound_objective(live.among, None if live.cost is None else live.cost - 1)
    model.cp.minimize(model.objective)
    solver = cp_sat.solver_for(live.limits, live.seconds_left)
    solver.parameters.absolute_gap_limit = float(live.limits.gap_cost(live.problem))
    ended = _run(model, solver, live, live.raise_bound)
    return ended, {"conflicts": solver.num_conflicts, "branches": solver.num_branches}


def fewest_splits(model: TreeModel, live: Live) -> bool:
    """Look for a tree of the incumbent's cost with fewer splits; whether it is proved that none has fewer."""
    model.bound_objective(live.cost, live.cost)
    model.cp.add(model.n_splits <= live.diagram.n_splits - 1)
    model.cp.minimize(model.n_splits)
    solver = cp_sat.solver_for(live.limits, live.seconds_left)
    solver.parameters.max_deterministic_time = EFFORT_FOR_FEWER_SPLITS
    return _run(model, solver, live) is not Ended.EARLY


def _run(model: TreeModel, solver: CpSolver, live: Live, bound: Callable[[int], None] = lambda value: None) -> Ended:
    """Solve, telling what is found, with a sign of life now and then."""
    told = live.clock.elapsed

    def due() -> bool:
        nonlocal told
        if live.clock.elapsed - told > PULSE:
            told = live.clock.elapsed
            live.say(_doing(live))
        return live.due()

    return cp_sat.run(solver, model.cp, lambda value: live.adopt(model.read(value)), due, bound)


def _doing(live: Live) -> str:
    least = f"no tree of these questions can cost less than {live.among}."
    return f"No tree yet; {least}" if live.cost is None else f"Best tree so far: cost {live.cost}; {least}"
