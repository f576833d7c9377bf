"""A local search over diagrams of linear questions: node after node the best question on some lines, then a kick.

A node is given the cheapest question and pair of targets on the lines that `LineMaker` draws for it, the others staying
as they are; an arc is led to a new question where that pays. When nothing improves, one or two nodes are changed at
random, and what comes of it is kept if it costs at most half an error more. After many kicks in vain the search begins
anew.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ...draft import DiagramDraft
from ...terms import Terms
from .lines import LineMaker
from .planes import PlaneDiagram

VAIN = 60
"""Kicks in a row without a better diagram after which the search begins anew."""

TRIES = 4
"""Draws of lines in a row that do not make a question better after which another node is looked at."""

NO_CEILING = 2**62
"""More than anything costs."""


class Climber:
    """The search, over at least one term, among trees alone if asked to; the seed decides all that is drawn."""

    def __init__(self, terms: Terms, seed: int, due: Callable[[], bool], *, tree: bool = False) -> None:
        self._rng = np.random.default_rng(seed)
        self._due = due
        self._lines = LineMaker(terms, self._rng)
        self._problem = terms.problem
        self._starts: list[DiagramDraft] = []
        self._begun = 0
        self.diagram = PlaneDiagram(terms, self._lines.points, tree=tree)

    def begin_from(self, drafts: Sequence[DiagramDraft]) -> None:
        """Begin from one of these diagrams every other time; elsewhere, and when all were used, with one question."""
        self._starts = list(drafts)

    def optima(self) -> Iterator[PlaneDiagram]:
        """Diagrams, most of them local optima, without end or until it is due; each stands until the next one."""
        slack = self._problem.scale // 2
        while not self._due():
            self._begin()
            self._correct_margins()
            yield self.diagram
            self._settle()
            yield self.diagram
            standing = self.diagram.state.copy(), self.diagram.cost
            least, vain = standing[1], 0
            while vain < VAIN and not self._due():
                self._kick()
                sound = self._settle()
                yield self.diagram
                better = sound and self.diagram.cost < least
                least, vain = (self.diagram.cost, 0) if better else (least, vain + 1)
                if sound and self.diagram.cost <= standing[1] + slack:
                    standing = self.diagram.state.copy(), self.diagram.cost
                else:
                    self.diagram.take(standing[0].copy())

    def _begin(self) -> None:
        """A diagram that was given, or one question."""
        draft = self._starts.pop(0) if self._starts and self._begun % 2 == 0 else None
        self._begun += 1
        if draft is None or not self.diagram.write(draft):
            self.diagram.clear()
            rows = np.arange(self._problem.dataset.n_samples)
            self.diagram.improve(0, rows, self._lines.fresh(rows), NO_CEILING)

    def _settle(self) -> bool:
        """Go to a local optimum; whether its questions keep the margin, to which a few attempts are made."""
        self._descend()
        for _ in range(TRIES):
            if self._due() or not self._correct_margins():
                break
            self._descend()
        return not self.diagram.narrow()

    def _correct_margins(self) -> bool:
        """Give other questions to nodes where the margin is not kept; whether there were such nodes.

        A question that keeps it among some samples may lose it when more of them come.
        """
        below = -1
        # what a question is changed to decides who comes to the later ones, so these are looked at after it
        while (slot := next((s for s in self.diagram.narrow() if s > below), None)) is not None:
            rows = np.flatnonzero(self.diagram.reached()[slot])
            self.diagram.improve(slot, rows, self._lines.fresh(rows), NO_CEILING)
            below = slot
        return below >= 0

    def _descend(self) -> None:
        """Change nodes and add some for as long as it pays."""
        better = True
        while better and not self._due():
            better = False
            for slot in self._rng.permutation(self.diagram.active()):
                better |= not self._due() and self._improve(int(slot))
            for parent in self._rng.permutation(self.diagram.active()):
                for side in (0, 1):
                    better |= not self._due() and self._insert(int(parent), side)

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
