"""Optimal decision diagrams: local search and proof in turns, then CP-SAT."""

from __future__ import annotations

import numpy as np

from ....diagram import Diagram
from ... import cp_sat
from ...search.watch import Watch
from ...trees.tree_of_splits import Splits
from ..draft import DiagramDraft, leaf_arc
from ..program.offers import DiagramOffers
from .bounds import GridBound, memory_mb
from .formulation import DiagramGrid, contradictions, demands_of
from .model import MOST_LITERALS, Model, dear_paths, n_literals

UNIT = 64
"""Factor for costs here; a split costs 1 more, so ties go to fewer splits. It exceeds the number of splits."""

FIRST_SEED = 4
"""Added to the user's seed, so that no seed starts the generator at zero."""


class LocalSearch:
    """A search for better diagrams within the frame of a grid; with constraints, fewer violations come first.

    `before` is a search in a grid with fewer pairs of cells, whose best diagram is the start of this one.
    """

    def __init__(self, grid: DiagramGrid, seed: int, before: LocalSearch | None = None) -> None:
        from ....kernels import odd_climb

        self._kernel, self.grid = odd_climb, grid
        cells = grid.cells._replace(price=UNIT * grid.cells.price)
        frame = grid.frame._replace(split=UNIT * grid.problem.split_penalty + 1)
        slack = UNIT * grid.problem.scale // 2
        self._climb = odd_climb.climber(cells, frame, demands_of(grid), seed + FIRST_SEED, slack)
        self._read = 0
        if before is not None:
            self._climb.control[[odd_climb.WORK, odd_climb.STARTS]] = before.work, before.starts
            self.take(before.best)

    @property
    def work(self) -> int:
        """Elements scanned so far."""
        return int(self._climb.control[self._kernel.WORK])

    @property
    def starts(self) -> int:
        """The number of restarts so far."""
        return int(self._climb.control[self._kernel.STARTS])

    @property
    def best(self) -> np.ndarray:
        """The best diagram so far, int64 (V, 4), if there is one."""
        return self._climb.best

    def stop(self) -> None:
        """End soon; may be called from another thread."""
        self._climb.control[self._kernel.STOP] = 1

    def advance(self, budget: int) -> np.ndarray | None:
        """Continue for about `budget` scanned elements.

        Returns the best diagram, int64 (V, 4) as in `DiagramGrid.draft`, if it is new and violates nothing, else
        `None`.
        """
        climb, kernel = self._climb, self._kernel
        kernel.climb_on(climb, budget)
        new = int(climb.control[kernel.FOUND]) > self._read
        self._read = int(climb.control[kernel.FOUND])
        return climb.best.copy() if new and climb.control[kernel.BEST_FAULTS] == 0 else None

    def take(self, nodes: np.ndarray) -> None:
        """Continue from this diagram, int64 (V, 4)."""
        self._kernel.take(self._climb, nodes)


OPENING, SLICE, CLOSING = 20_000_000, 4_000_000, 150_000_000
"""Limits of scanned elements for the local search: before the proof begins (some tenths of a second), per step of
either, and after the bounds are exhausted, before CP-SAT begins. Counted, not timed, so that results are
reproducible."""

THOROUGH = 4_000
"""Initial scans per cell, node and order by the local search, if the total is less than `OPENING`."""

MOST_POINTS = 400
"""The largest number of conceivable rows in the local search."""

FIRST_SHARE, LAST_SHARE = 3, 16
"""Steps of the proof per step of the local search, at first and later: a diagram that a long search has not found
probably does not exist."""


class DiagramSearch:
    """One run: local search and proof in turns."""

    def __init__(self, offers: DiagramOffers, grid: DiagramGrid) -> None:
        self._offers, self._context, self._grid = offers, offers.context, grid
        self._local = LocalSearch(self._grid, self._context.limits.seed)
        constant = None if self._context.cost is None else self._context.cost - self._grid.cases.base
        self._proof = GridBound(self._grid, self._ceiling, constant)
        self._planted: Splits | None = None

    def search(self) -> None:
        """Search and prove until the search is finished or time is up."""
        context, proof = self._context, self._proof
        with Watch(self._stop, context.due):
            size = len(self._grid.cells.rows) * len(self._grid.frame.layer) * (self._grid.n_orders + 1)
            opening = min(OPENING, THOROUGH * size)
            self._climb(opening)
            proof.ceiling = self._ceiling
            share = FIRST_SHARE
            while not context.finished and not proof.stuck and self._roomy:
                for _ in range(share):
                    if not proof.stuck and not context.finished:
                        self._prove()
                self._climb(min(SLICE, opening))
                share = min(share + 1, LAST_SHARE)
            self._climb(CLOSING * opening // OPENING)
        grid = self._grid
        # CP-SAT needs a model of moderate size, and the whole skeleton in the frame of the search
        if not context.finished and n_literals(grid) <= MOST_LITERALS and len(grid.frame.layer) == sum(grid.widths):
            prove_rest(self._offers, grid)
        with Watch(self._stop, context.due):
            while not context.finished:
                self._climb(SLICE)

    @property
    def _roomy(self) -> bool:
        """Whether there is memory for the proof: half of the limit."""
        most = self._context.limits.memory_mb
        return most is None or 2 * memory_mb(self._grid) <= most

    @property
    def _ceiling(self) -> int:
        """The cost of the best diagram, in the costs of the cells; more than any possible cost if there is none."""
        if self._context.cost is None:
            return int(self._grid.cells.price.max(axis=1).sum()) + self._grid.price(self._grid.most_questions) + 1
        return self._context.cost - self._grid.cases.base

    def _stop(self) -> None:
        self._local.stop()
        self._proof.stop()

    def _climb(self, budget: int) -> None:
        end = self._local.work + budget
        while self._local.work < end and not self._context.finished:
            nodes = self._local.advance(min(SLICE, budget))
            if nodes is not None:
                draft = self._grid.draft(nodes)
                if not self._offers.offer(draft):
                    self._follow(draft.diagram(self._context.problem))
            self._progress()

    def _follow(self, diagram: Diagram) -> None:
        """Add the rows that show where a diagram violates monotonicity to the local search."""
        grid = self._local.grid
        for line, points in contradictions(grid, diagram):
            if len(points) and len(grid.points) < MOST_POINTS:
                grid = grid.with_pairs(points, line)
        if grid is not self._local.grid:
            self._local = LocalSearch(grid, self._context.limits.seed, self._local)

    def _prove(self) -> None:
        proof = self._proof
        proof.ceiling = self._ceiling
        proof.advance(SLICE)
        self._context.raise_bound(proof.bound + self._grid.cases.base)
        if proof.tree is not None and proof.tree is not self._planted:
            self._planted = proof.tree
            nodes = self._grid.nodes_of_tree(proof.tree)
            if nodes is not None:
                self._local.take(nodes)
                self._climb(1)
        self._progress()

    def _progress(self) -> None:
        stats = self._context.stats
        stats |= {"elements scanned by local search": self._local.work, "starts": self._local.starts}
        stats |= {"elements scanned by the proof": self._proof.work, "tree bounds": self._proof.searches}
        self._context.progress(stats=dict(stats))


def prove_rest(offers: DiagramOffers, grid: DiagramGrid) -> None:
    """Search with CP-SAT for diagrams better than the incumbent until there are none, or it is time to end."""
    context = offers.context
    model = Model(grid)
    broken: list[tuple[np.ndarray, Diagram]] = []

    def raise_bound(bound: int) -> None:
        """Take a bound on diagrams better than the incumbent; its minimum with the incumbent's cost bounds all."""
        bound += grid.cases.base
        context.raise_bound(bound if context.cost is None else min(bound, context.cost))

    def found(value: cp_sat.Values) -> None:
        solution = model.read(value)
        draft = DiagramDraft([], leaf_arc(solution)) if isinstance(solution, int) else grid.draft(solution)
        if not offers.offer(draft) and not isinstance(solution, int):
            diagram = draft.diagram(context.problem)
            if any(dear_paths(grid, solution)) or any(contradictions(grid, diagram)):
                broken.append((solution, diagram))

    def due() -> bool:
        context.progress(stats=dict(context.stats))
        return context.due() or bool(broken)

    context.detail(solver=cp_sat.TITLE)
    learns = True
    while learns and not context.finished:
        broken.clear()
        if context.cost is not None:
            model.cp.add(model.objective <= context.cost - grid.cases.base - 1)
        model.cp.add(model.objective >= (context.bound or 0) - grid.cases.base)
        model.cp.minimize(model.objective)
        ended, _ = cp_sat.run(model.cp, context, found, raise_bound, due=due)
        learns = bool(broken)
        for solution, diagram in broken:
            model.learn(solution, diagram)
        if ended is cp_sat.Ended.NOTHING and context.cost is None:
            # the model is a relaxation: omitted rules only exclude more
            context.refute(solver=cp_sat.TITLE)
        elif ended is cp_sat.Ended.NOTHING and context.cost is not None:
            context.raise_bound(context.cost)
