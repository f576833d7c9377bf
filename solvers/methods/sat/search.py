"""The searches over a formula with prices: the cheapest assignment, with incumbents and bounds on the way.

- `rc2`: core-guided from below alone. The bound rises; assignments come with the strata and while cores are made
  smaller.
- `core_boosted`: core-guided and, on what is left above the bound, linear search from above, in turns on one solver
  (after Berg, Demirović and Stuckey 2019). It is the anytime search: bound and incumbent meet from both sides.
- `from_above`: linear search alone. Often the fastest proof, but the bound stays where it was until then.

All of them end by `SearchEndedError`; what they found is in `RowSearch`.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Protocol

import numpy as np

from ...diagram import Diagram
from .core_guided import CoreGuided
from .formula import Formula
from .linear import Linear
from .oracle import COUNTER, Oracle
from .row_search import RowSearch

FIRST_SLICE = 2_000
"""Conflicts of the first turn of the search from above, some tenths of a second."""

CORE_SHARE = 0.2
"""Conflicts of the core-guided search for each of the other: most proofs come from above."""

WORTH_STAYING = 0.05
"""The core-guided search goes on as long as each of its turns closes this share of the gap."""

GROWTH = 1.5
"""How much longer each turn is than the one before."""


class SearchStrategy(StrEnum):
    """How the cheapest assignment is looked for."""

    CORE_BOOSTED = "core-boosted"
    LINEAR = "linear"
    RC2 = "rc2"


class MaxSatModel(Protocol):
    """A formula with prices whose assignments, bool (n_variables + 1,), are diagrams."""

    formula: Formula

    def cost(self, true: np.ndarray) -> int:
        """What the diagram of an assignment costs at most, in cost units."""


Draw = Callable[[np.ndarray], Diagram]
"""The diagram of an assignment."""


class MaxSatListener:
    """Passes assignments, which `model` and `draw` give a meaning, and cores on to what is known.

    Costs are those of the formula above the `rows.base` of what is known.
    """

    def __init__(self, model: MaxSatModel, draw: Draw, known: RowSearch) -> None:
        self._model, self._draw, self._known = model, draw, known
        self._counts = {"cores": 0, "assignments": 0}

    def assignment(self, oracle: Oracle) -> None:
        """Take in what the solver found."""
        self._count("assignments")
        true = oracle.true()
        if self._model.cost(true) < self._known.cost:
            self._known.context.offer(self._draw(true))
            self._known.prove(self._known.bound)

    def core(self, bound: int) -> None:
        """Take in the lower bound after a core."""
        self._count("cores")
        self._known.prove(self._known.rows.base + bound)

    def _count(self, what: str) -> None:
        self._counts[what] += 1
        self._known.context.stats |= self._counts
        self._known.context.progress(stats=dict(self._counts))


def search(kind: SearchStrategy, model: MaxSatModel, draw: Draw, known: RowSearch) -> None:
    """Look for the cheapest assignment of a model; `SearchEndedError` once it is found, or time is up."""
    # core-guided search needs something to pay for
    if kind is SearchStrategy.LINEAR or not model.formula.price:
        from_above(model, draw, known)
        return
    listener = MaxSatListener(model, draw, known)

    def notify(assignment: bool) -> None:
        if assignment:
            listener.assignment(core.oracle)
        else:
            listener.core(core.bound)

    core = CoreGuided(model.formula, known.context.due, notify)
    with core:
        if kind is SearchStrategy.CORE_BOOSTED:
            _take_turns(core, known, notify)
        core.advance()
        known.prove(known.cost)


def _take_turns(core: CoreGuided, known: RowSearch, notify: Callable[[bool], None]) -> None:
    """Both searches in turns, until everything is proved."""
    conflicts, linear, room = FIRST_SLICE, None, 0
    while True:
        floor = _raised(core, known, 1 + int(CORE_SHARE * conflicts))
        if linear is None or 2 * (known.cost - floor) < room:
            room = known.cost - floor
            literals, weights = core.rest(room)
            linear = Linear(core.oracle, literals, weights, floor, lambda: known.cost, notify)
        if linear.advance(conflicts):
            known.prove(known.cost)
        conflicts = int(GROWTH * conflicts)


def _raised(core: CoreGuided, known: RowSearch, conflicts: int) -> int:
    """Turns of the core-guided search; what it proved that everything costs."""
    while True:
        before = core.bound
        if core.advance(conflicts) is not None:
            known.prove(known.cost)
        floor = known.rows.base + core.bound
        if core.bound - before < WORTH_STAYING * (known.cost - floor):
            return floor


def from_above(model: MaxSatModel, draw: Draw, known: RowSearch) -> None:
    """Look for cheaper and cheaper assignments alone; `SearchEndedError` once none is cheaper, or time is up."""
    listener = MaxSatListener(model, draw, known)
    price = model.formula.price
    with Oracle(model.formula, known.context.due, COUNTER) as oracle:
        linear = Linear(
            oracle,
            np.fromiter(price.keys(), np.int64, len(price)),
            np.fromiter(price.values(), np.int64, len(price)),
            known.rows.base,
            lambda: known.cost,
            lambda _: listener.assignment(oracle),
        )
        linear.advance()
        known.prove(known.cost)
