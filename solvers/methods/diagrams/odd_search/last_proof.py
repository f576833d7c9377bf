"""Running CP-SAT on what the bounds leave open, with live incumbents and bounds and a soft stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from solvers.methods import cp_sat
from solvers.methods.diagrams.draft import Draft, leaf_arc
from solvers.methods.diagrams.odd_search.grid import Grid
from solvers.methods.diagrams.odd_search.incumbent import Best
from solvers.methods.diagrams.odd_search.model import MOST_LITERALS, Model, n_literals
from solvers.methods.search.ending import Ending
from solvers.problem import Limits

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import IntVar


def fits(grid: Grid) -> bool:
    """Whether a model of this size is built; it needs the whole skeleton in the frame of the search."""
    return n_literals(grid) <= MOST_LITERALS and len(grid.frame.layer) == sum(grid.widths)


def prove(grid: Grid, best: Best, limits: Limits, ending: Ending, say: Callable[[], None]) -> bool:
    """Look for diagrams better than the incumbent until there are none, or it is time to end.

    Returns
    -------
    Whether it is proved that no diagram at all keeps everything.
    """
    model = Model(grid)
    ceiling = None if best.cost is None else best.cost - grid.constant
    if ceiling is not None:
        model.cp.add(model.objective <= ceiling - 1)
    model.cp.add(model.objective >= best.bound - grid.constant)
    model.cp.minimize(model.objective)
    solver = cp_sat.solver_for(limits, ending.seconds_left)

    def raised(bound: int) -> None:
        """A bound of what is better than the incumbent, which bounds everything up to the incumbent's cost."""
        bound += grid.constant
        best.raise_bound(bound if best.cost is None else min(bound, best.cost))

    def found(value: Callable[[IntVar], int]) -> None:
        best.offer(_draft(grid, model.read(value)))
        say()

    ended = cp_sat.run(solver, model.cp, found, ending.due, raised)
    if ended is cp_sat.Ended.NOTHING:
        if best.cost is None:
            # what it leaves out only forbids more
            return True
        best.raise_bound(best.cost)
    return False


def _draft(grid: Grid, found: np.ndarray | int) -> Draft:
    return Draft([], leaf_arc(found)) if isinstance(found, int) else grid.draft(found)
