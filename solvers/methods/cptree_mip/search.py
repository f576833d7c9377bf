"""The search around a solver: incumbents that are checked in whole numbers, honest bounds, and when to end."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from solvers.diagram import Diagram
from solvers.methods.base import Clock
from solvers.methods.cptree_mip.branches import Branches
from solvers.methods.cptree_mip.model import Program
from solvers.methods.cptree_mip.reading import Node, cost, diagram, read, simplified, write
from solvers.problem import Limits
from solvers.solution import Bound, Emit, Incumbent, Progress, TracePoint

PULSE = 0.2
"""Seconds between two signs of life."""

MEMORY_LOOK = 0.5
"""Seconds between two looks at the memory in use."""


@dataclass
class Live:
    """Incumbent and bound as they stand, told to the listener when they improve.

    A solver's solution counts only as the tree that it describes: written down again in whole numbers, it must satisfy
    every row of the model, and the diagram every constraint.
    """

    tree: Branches
    program: Program
    clock: Clock
    emit: Emit
    diagram: Diagram | None = None
    cost: int | None = None
    bound: int = 0
    start: np.ndarray | None = None
    trace: list[TracePoint] = field(default_factory=list)
    told: float = 0.0

    def __post_init__(self) -> None:
        self.bound = self.tree.least
        self.emit(Bound(self.clock.elapsed, self.bound))
        self._note()

    @property
    def proved(self) -> bool:
        """Whether incumbent and bound meet."""
        return self.cost == self.bound

    def offer(self, root: Node) -> None:
        """Take a tree, or a simpler one that costs no more, as the incumbent if it is better and may be."""
        for candidate in dict.fromkeys((simplified(self.tree, root), root)):
            price = cost(self.tree, candidate)
            if self.cost is not None and price >= self.cost:
                continue
            x = write(self.tree, candidate)
            if x is not None and self.program.keeps(x):
                self._adopt(diagram(self.tree, candidate), price, x)

    def _adopt(self, found: Diagram, price: int, x: np.ndarray) -> None:
        problem = self.tree.problem
        if any(constraint.violations(found, problem.dataset) for constraint in problem.constraints):
            return
        assert price == problem.cost(found.predict(problem.dataset), found.n_splits)
        self.diagram, self.cost, self.start = found, price, x[self.program.kept]
        self.emit(Incumbent(self.clock.elapsed, price, found))
        self._note()

    def found(self, x: np.ndarray) -> None:
        """A solution of the solver."""
        self.offer(read(self.tree, self.program.expand(x)))

    def raise_bound(self, value: float, nodes: int) -> None:
        """A lower bound of the objective, rounded up to whole costs with care for the solver's tolerances."""
        whole = math.ceil(value + self.program.offset - 1e-6 - 1e-9 * abs(value))
        bound = self.tree.base + self.tree.unit * whole
        if self.cost is not None:
            bound = min(bound, self.cost)
        if bound > self.bound:
            self.bound = bound
            self.emit(Bound(self.clock.elapsed, bound))
            self._note()
        if self.clock.elapsed - self.told > PULSE:
            self.told = self.clock.elapsed
            best = "No tree yet" if self.cost is None else f"Best tree so far: cost {self.cost}"
            text = f"{best}; no tree can cost less than {self.bound}."
            self.emit(Progress(self.told, text, {"nodes": nodes}))

    def _note(self) -> None:
        self.trace.append(TracePoint(self.clock.elapsed, self.cost, self.bound))


class Ending:
    """Whether it is time to end; `why` is 'stop', 'time' or 'memory' once it is."""

    def __init__(self, limits: Limits, clock: Clock, stop: Callable[[], bool]) -> None:
        self._limits, self._clock, self._stop = limits, clock, stop
        self._looked = 0.0
        self.why: str | None = None

    @property
    def seconds_left(self) -> float | None:
        """Wall seconds until the time limit, at least a thousandth; `None` for no limit."""
        if self._limits.seconds is None:
            return None
        return max(1e-3, self._limits.seconds - self._clock.elapsed)

    def within(self, seconds: float) -> Ending:
        """The same with a time limit that is over earlier, counted from now."""
        if self._limits.seconds is not None:
            seconds = min(seconds, self._limits.seconds - self._clock.elapsed)
        sooner = replace(self._limits, seconds=max(1e-3, self._clock.elapsed + seconds))
        return Ending(sooner, self._clock, self._stop)

    def is_set(self) -> bool:
        """The same as a stop signal for another method."""
        return self.due()

    def due(self) -> bool:
        """Look at all of them; once it is due, it stays so."""
        if self.why is None:
            now = self._clock.elapsed
            if self._stop():
                self.why = "stop"
            elif self._limits.seconds is not None and now >= self._limits.seconds:
                self.why = "time"
            elif self._limits.memory_mb is not None and now - self._looked > MEMORY_LOOK:
                self._looked = now
                if _memory_mb() > self._limits.memory_mb:
                    self.why = "memory"
        return self.why is not None


def _memory_mb() -> float:
    import psutil

    return psutil.Process().memory_info().rss / 2**20
