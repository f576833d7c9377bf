"""The search for the cheapest assignment of a formula with soft clauses; reports incumbents and lower bounds.

A core-guided search raises the lower bound, and a linear search from above, on the cost above that bound, lowers the
incumbent. They alternate on one solver (after Berg, Demirović and Stuckey 2019), so bound and incumbent converge from
both sides.
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from ...diagram import Diagram
from ..search.context import SearchContext
from .core_guided import CoreGuided
from .formula import Formula
from .linear import Linear

FIRST_SLICE = 2_000
"""Conflicts of the first turn of the search from above, some tenths of a second."""

CORE_SHARE = 0.2
"""Conflicts of the core-guided search per conflict of the other: most proofs come from above."""

WORTH_STAYING = 0.05
"""The core-guided search continues as long as each of its turns closes this share of the gap."""

GROWTH = 1.5
"""Ratio of the lengths of successive turns."""


class MaxSatModel(Protocol):
    """A formula with costs whose assignments, bool (n_variables + 1,), are diagrams."""

    formula: Formula

    def cost(self, true: np.ndarray) -> int:
        """The largest cost of the diagram of an assignment, in cost units."""


def search(model: MaxSatModel, draw: Callable[[np.ndarray], Diagram], context: SearchContext, base: int) -> None:
    """Find the cheapest assignment of a model.

    Raises `SearchEndedError` once it is found, or time is up.

    Parameters
    ----------
    model : the formula with at least one soft clause; its costs are in addition to `base`.
    draw : returns the diagram of an assignment.
    context : has an incumbent; receives better ones, and lower bounds.
    """
    counts = {"cores": 0, "assignments": 0}

    def notify(assignment: bool) -> None:
        counts["assignments" if assignment else "cores"] += 1
        context.stats |= counts
        context.progress(stats=dict(counts))
        if not assignment:
            context.prove(base + core.bound)
            return
        true = core.oracle.true()
        if model.cost(true) < context.incumbent_cost:
            context.offer(draw(true))
            context.prove(context.lower_bound)

    core = CoreGuided(model.formula, context.due, notify)
    with core:
        _take_turns(core, context, base, notify)


def _take_turns(core: CoreGuided, context: SearchContext, base: int, notify: Callable[[bool], None]) -> None:
    """Alternate both searches until the optimum is proved."""
    conflicts, linear, room = FIRST_SLICE, None, 0
    while True:
        floor = _raise_by_cores(core, context, base, 1 + int(CORE_SHARE * conflicts))
        if linear is None or 2 * (context.incumbent_cost - floor) < room:
            room = context.incumbent_cost - floor
            literals, weights = core.rest(room)
            linear = Linear(core.oracle, literals, weights, floor, lambda: context.incumbent_cost, notify)
        if linear.advance(conflicts):
            context.prove(context.incumbent_cost)
        conflicts = int(GROWTH * conflicts)


def _raise_by_cores(core: CoreGuided, context: SearchContext, base: int, conflicts: int) -> int:
    """Run turns of the core-guided search; returns the proved lower bound."""
    while True:
        before = core.bound
        if core.advance(conflicts) is not None:
            context.prove(context.incumbent_cost)
        floor = base + core.bound
        if core.bound - before < WORTH_STAYING * (context.incumbent_cost - floor):
            return floor
