"""The search around a solver: incumbents that are checked in whole numbers, and honest bounds."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from solvers.diagram import Diagram
from solvers.methods.mip.model import Program
from solvers.methods.search.clock import Clock
from solvers.methods.trees.cptree_mip.branches import Branches
from solvers.methods.trees.cptree_mip.forms import Node, cost, diagram, read, simplified, write
from solvers.solution import Bound, Emit, Incumbent, Progress, TracePoint

PULSE = 0.2
"""Seconds between two signs of life."""


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

    def raise_bound(self, value: int, nodes: int) -> None:
        """A lower bound of the objective."""
        bound = self.tree.base + self.tree.unit * value
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
