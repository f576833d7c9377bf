"""The search for diagrams with splits on several columns: local search and proof in turns.

The local search takes the best split on some lines, node by node, then a random kick. A node gets the cheapest split
and pair of targets on the lines that `LineMaker` draws for it, with all other nodes fixed; an arc is redirected to a
new split if that pays. When nothing improves, one or two nodes are changed at random, and the result is kept if it
costs at most half an error more. After many kicks without improvement the search restarts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

import numpy as np

from .....problem import Problem
from ....base import Unsupported
from ....mip.highs import HiGHS
from ....search.context import SearchContext
from ...draft import DiagramDraft
from ...greedy import first_drafts
from ...program.growth import ProgramGrowth, first_offers, refusals, with_at_most
from ...program.offers import DiagramOffers
from ...terms import LEAST_MARGIN, Terms
from .planes import FORBIDDEN, LineMaker, PlaneDiagram

PATIENCE, PROVING, GROWTH = 40, 5.0, 4
"""Successive local optima without improvement, and seconds of the proof, in the first round; and the factor of both
from round to round."""

SHARE = 0.1
"""Time limit for first diagrams: this share of the time."""


def unsupported(title: str, problem: Problem) -> tuple[Unsupported, ...]:
    """The reasons why a problem with multivariate splits is refused; empty if there are none."""
    # the size of the program does not matter: the search can run without a proof
    return refusals(title, with_at_most(problem, 1))


def precompile() -> None:
    """Compile the kernels of the search, or load them."""
    from .....kernels.odd_lines import best_on_lines

    points, plane = np.array([[0.0, -1.0], [1.0, -1.0]]), np.array([[1.0, 0.0]])
    costs, charges = np.array([[0, 1], [1, 0]]), np.array([[FORBIDDEN, 0], [0, FORBIDDEN]])
    best_on_lines(points, plane, plane[:, ::-1], costs, charges, 1, LEAST_MARGIN)


def search(context: SearchContext, *, tree: bool = False) -> None:
    """Search and prove until incumbent and bound meet, the gap is reached, or time is up; with `tree`, among trees."""
    offers = first_offers(context, tree=tree)
    if offers is None:
        return
    terms, growth = offers.terms, ProgramGrowth(offers, [HiGHS()], tree=tree)
    assert terms is not None
    context.stats |= {"local optima": 0, "diagrams without the margin": 0}
    # every tree is a diagram, and if the best one is a tree, a search among trees finds it sooner
    climbers = [
        Climber(terms, context.limits.seed, lambda: context.finished, tree=only) for only in sorted({tree, True})
    ]
    climbers[0].begin_from(_first(climbers[0], offers))
    optima = chain.from_iterable(zip(*(climber.optima() for climber in climbers), strict=False))
    patience, seconds = PATIENCE, PROVING
    while not (growth.complete or context.finished):
        _search(optima, offers, patience)
        growth.go_on(context.deadline.within(seconds))
        patience, seconds = patience * GROWTH, seconds * GROWTH


def _first(climber: Climber, offers: DiagramOffers) -> list[DiagramDraft]:
    """Diagrams built top-down, cheapest first; those with the margin are also offered unchanged."""
    built: list[tuple[int, int, DiagramDraft]] = []
    for draft in first_drafts(offers.context, SHARE)[1]:
        if climber.diagram.write(draft):
            built.append((climber.diagram.cost, len(built), draft))
            _offer(climber.diagram, offers)
    return [draft for *_, draft in sorted(built, key=lambda entry: entry[:2])]


def _search(optima: Iterator[PlaneDiagram], offers: DiagramOffers, patience: int) -> None:
    """Offer local optima until `patience` successive ones are no better, or the search ends."""
    context, vain = offers.context, 0
    for diagram in optima:
        context.stats["local optima"] += 1
        vain = 0 if _offer(diagram, offers) else vain + 1
        context.progress(stats=dict(context.stats))
        if vain >= patience:
            return


def _offer(diagram: PlaneDiagram, offers: DiagramOffers) -> bool:
    """Offer a local optimum; returns whether it became the incumbent."""
    context = offers.context
    if context.cost is not None and diagram.cost >= context.cost:
        return False
    draft = diagram.draft()
    context.stats["diagrams without the margin"] += draft is None
    return draft is not None and offers.offer(draft)


VAIN = 60
"""Successive kicks without improvement before a restart."""

TRIES = 4
"""Successive draws of lines without improvement before the next node."""

NO_CEILING = 2**62
"""More than any possible cost."""


class Climber:
    """The search, over at least one term, with `tree` among trees only; the seed determines all random draws."""

    def __init__(self, terms: Terms, seed: int, due: Callable[[], bool], *, tree: bool = False) -> None:
        self._rng = np.random.default_rng(seed)
        self._due = due
        self._lines = LineMaker(terms, self._rng)
        self._problem = terms.problem
        self._starts: list[DiagramDraft] = []
        self._begun = 0
        self.diagram = PlaneDiagram(terms, self._lines.points, tree=tree)

    def begin_from(self, drafts: Sequence[DiagramDraft]) -> None:
        """Use one of these diagrams at every other start; all other starts have one split."""
        self._starts = list(drafts)

    def optima(self) -> Iterator[PlaneDiagram]:
        """Diagrams, mostly local optima, until it is due; each is valid only until the next one."""
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
        """Start with a given diagram, or one split."""
        draft = self._starts.pop(0) if self._starts and self._begun % 2 == 0 else None
        self._begun += 1
        if draft is None or not self.diagram.write(draft):
            self.diagram.clear()
            rows = np.arange(self._problem.dataset.n_samples)
            self.diagram.improve(0, rows, self._lines.fresh(rows), NO_CEILING)

    def _settle(self) -> bool:
        """Descend to a local optimum, with a few attempts to restore margins; returns whether its splits have them."""
        self._descend()
        for _ in range(TRIES):
            if self._due() or not self._correct_margins():
                break
            self._descend()
        return not self.diagram.narrow()

    def _correct_margins(self) -> bool:
        """Replace the splits of nodes without the margin; returns whether there were such nodes.

        A split with the margin for some samples may lose it when more samples reach it.
        """
        below = -1
        # a changed split changes the samples of later nodes, so these are checked after it
        while (slot := next((s for s in self.diagram.narrow() if s > below), None)) is not None:
            rows = np.flatnonzero(self.diagram.reached()[slot])
            self.diagram.improve(slot, rows, self._lines.fresh(rows), NO_CEILING)
            below = slot
        return below >= 0

    def _descend(self) -> None:
        """Change and add nodes as long as it pays."""
        better = True
        while better and not self._due():
            better = False
            for slot in self._rng.permutation(self.diagram.active()):
                better |= not self._due() and self._improve(int(slot))
            for parent in self._rng.permutation(self.diagram.active()):
                for side in (0, 1):
                    better |= not self._due() and self._insert(int(parent), side)

    def _improve(self, slot: int) -> bool:
        """Find a better split for a slot; if there is none, move to one of equal cost to search elsewhere."""
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
        """Give one or two nodes a random split and random targets."""
        diagram = self.diagram
        for _ in range(self._rng.integers(1, 3)):
            slot = int(self._rng.choice(diagram.active()))
            rows = np.flatnonzero(diagram.reached()[slot])
            if not len(rows):
                continue
            bases = self._lines.fresh(rows).bases
            plane = bases[self._rng.integers(len(bases))]
            if not plane[:-1].any():
                # drawn between two equal samples
                continue
            plane[-1] = self._lines.place(plane, rows)
            targets = self._rng.choice(diagram.targets(slot), 2, replace=False)
            diagram.put(slot, plane, int(targets[0]), int(targets[1]))
