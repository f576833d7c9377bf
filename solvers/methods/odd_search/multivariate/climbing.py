"""A local search over diagrams of linear questions: node after node the best question on some lines, then a kick.

A node is given the cheapest question and pair of targets on the lines that `LineMaker` draws for it, the others staying
as they are; an arc is led to a new question where that pays. When nothing improves, one or two nodes are changed at
random, and what comes of it is kept if it costs at most half an error more. After many kicks in vain the search begins
anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from solvers.methods.diagrams.terms import Terms
from solvers.methods.odd_search.multivariate.lines import LineMaker
from solvers.methods.odd_search.multivariate.planes import PlaneDiagram

VAIN = 60
"""Kicks in a row without a better diagram after which the search begins anew."""

TRIES = 4
"""Draws of lines in a row that do not make a question better after which another node is looked at."""

NO_CEILING = 2**62
"""More than anything costs."""


class Climber:
    """The search.

    Parameters
    ----------
    terms : of the problem, at least one.
    seed : decides all that is drawn.
    due : whether to end now.
    """

    def __init__(self, terms: Terms, seed: int, due: Callable[[], bool]) -> None:
        self._rng = np.random.default_rng(seed)
        self._due = due
        self._lines = LineMaker(terms, self._rng)
        self._problem = terms.problem
        self.diagram = PlaneDiagram(terms, self._lines.points)

    def optima(self) -> Iterator[PlaneDiagram]:
        """One local optimum after the other, without end or until it is due; each in the state that it was left in."""
        slack = self._problem.scale // 2
        while not self._due():
            self._begin()
            self._settle()
            yield self.diagram
            state, cost, least, vain = self.diagram.state.copy(), self.diagram.cost, self.diagram.cost, 0
            while vain < VAIN and not self._due():
                self._kick()
                self._settle()
                yield self.diagram
                vain = 0 if self.diagram.cost < least else vain + 1
                least = min(least, self.diagram.cost)
                if self.diagram.cost <= cost + slack:
                    state, cost = self.diagram.state.copy(), self.diagram.cost
                else:
                    self.diagram.take(state.copy())

    def _begin(self) -> None:
        """One question alone."""
        self.diagram.clear()
        rows = np.arange(self._problem.dataset.n_samples)
        self.diagram.improve(0, rows, self._lines.fresh(rows), NO_CEILING)

    def _settle(self) -> None:
        """Go to a local optimum whose questions keep the margin, if a few attempts lead to one.

        A question that keeps it among some samples may lose it when more of them come.
        """
        self._descend()
        for _ in range(TRIES):
            narrow = self.diagram.narrow()
            if not narrow:
                return
            for slot in narrow:
                rows = np.flatnonzero(self.diagram.reached()[slot])
                self.diagram.improve(slot, rows, self._lines.fresh(rows), NO_CEILING)
            self._descend()

    def _descend(self) -> None:
        """Change nodes and add some for as long as it pays."""
        better = True
        while better and not self._due():
            better = False
            for slot in self._rng.permutation(self.diagram.active()):
                better |= self._improve(int(slot))
            for parent in self._rng.permutation(self.diagram.active()):
                for side in (0, 1):
                    better |= self._insert(int(parent), side)

    def _improve(self, slot: int) -> bool:
        """Give a slot a better question; where none is found, another one of the same cost, to look from elsewhere."""
        rows = np.flatnonzero(self.diagram.reached()[slot])
        if not len(rows):
            return False
        before, vain = self.diagram.cost, 0
        self.diagram.improve(slot, rows, self._lines.fresh(rows), before)
        while vain < TRIES and not self._due():
            cost = self.diagram.cost
            lines = self._lines.around(self.diagram.state.planes[slot], rows, self.diagram.prefers(slot, rows))
            self.diagram.improve(slot, rows, lines, cost + 1)
            vain = 0 if self.diagram.cost < cost else vain + 1
        return self.diagram.cost < before

    def _insert(self, parent: int, side: int) -> bool:
        diagram = self.diagram
        if diagram.state.arcs[parent, side] < 0:
            return False
        slot = diagram.spare(diagram.layer_of[parent] + 1)
        rows = diagram.taking(parent, side)
        if slot is None or len(rows) < 2:
            return False
        return diagram.insert(parent, side, slot, rows, self._lines.fresh(rows), diagram.cost)

    def _kick(self) -> None:
        """Give one or two nodes a random question and random targets."""
        diagram = self.diagram
        for _ in range(self._rng.integers(1, 3)):
            slot = int(self._rng.choice(diagram.active()))
            rows = np.flatnonzero(diagram.reached()[slot])
            if not len(rows):
                continue
            bases = self._lines.fresh(rows).bases
            plane = bases[self._rng.integers(len(bases))]
            if not plane[:-1].any():
                # drawn between two samples that are alike
                continue
            plane[-1] = self._lines.place(plane, rows)
            targets = self._rng.choice(diagram.targets(slot), 2, replace=False)
            diagram.put(slot, plane, int(targets[0]), int(targets[1]))
