"""Optimal decision diagrams by local search and lower bounds over all possible optima.

Good diagrams come from a search that re-optimises every node exactly (`local_search`). The proof bounds all possible
forms of diagrams (`proof`), with exact trees under penalties that depend on the layer.

Example
-------
>>> problem = Problem(dataset, PRESETS["I"].shape(), objective_of(0.1, dataset.n_samples))  # doctest: +SKIP
>>> OddSearch().run(problem, Limits(seconds=10), print, threading.Event())  # doctest: +SKIP
"""

import threading
from collections.abc import Iterable

import numpy as np

from ....constraints import rules_of
from ....diagram import Diagram
from ....problem import Limits, Objective, Problem, Shape, ShapeKind
from ... import cp_sat
from ...base import Method, Option, Unsupported, only_kind
from ...purity import with_purity
from ...search.context import SearchContext
from ...search.watch import Watch
from ...trees.contree import ConTree, small_tables
from ..draft import DiagramDraft, leaf_arc
from ..program.offers import DiagramOffers, Judge
from .cases import contradictions
from .demands import unsupported
from .grid import DiagramGrid, grid_of
from .local_search import LocalSearch
from .model import MOST_LITERALS, Model, dear_paths, n_literals
from .multivariate import run
from .proof import GridBound
from .trees import cheapest_tree, memory_mb

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


class OddSearch(Method):
    """Decision diagrams within a skeleton, proved optimal if possible."""

    name = "odd-search"
    title = "Diagram search (exact)"
    kinds: tuple[ShapeKind, ...] = (ShapeKind.DIAGRAM,)
    exact = True
    summary = (
        "Finds the decision diagram within the skeleton with the fewest errors and splits: local search for good "
        "diagrams, and bounds over all possible optima for the proof."
    )
    source = (
        "The problem: Florio, Martins, Schiffer, Serra, Vidal: Optimal Decision Diagrams for Classification. AAAI "
        "2023. The search is this project's own."
    )
    options = (
        Option.among(
            "topology",
            "Topology",
            "Whether branches of splits that combine features may rejoin. In a tree, every split has one path to it.",
            {"learned": "learned: branches may rejoin", "tree": "tree"},
        ),
    )

    def __init__(self, topology: str = "learned") -> None:
        self._tree = topology == "tree"

    def refusals(self, problem: Problem) -> Iterable[Unsupported]:
        """Refuse all but decision diagrams with supported rules."""
        if problem.shape.kind is ShapeKind.DIAGRAM and problem.shape.split_features != 1:
            return run.unsupported(self.title, problem)
        if problem.shape.kind is ShapeKind.DIAGRAM and self._tree:
            return (
                Unsupported(
                    "The topology of a tree, for splits on one column",
                    "The exact search for trees covers these.",
                    "Choose the shape 'tree', or let splits combine columns.",
                ),
            )
        return only_kind(ShapeKind.DIAGRAM, self.title, problem) or unsupported(self.title, problem)

    def search(self, context: SearchContext) -> None:
        """Search until incumbent and bound meet, the gap is reached, or time is up."""
        context.deadline.memory = True
        if context.problem.shape.split_features != 1:
            run.search(context, tree=self._tree)
            return
        grid = grid_of(context.problem, with_purity(context.problem, rules_of(context.problem)))
        offers = DiagramOffers(context, Judge(context.problem, None, tree=False))
        context.raise_bound(grid.constant)
        offers.constants()
        context.stats |= {"cells": len(grid.cells.rows), "question orders": grid.n_orders}
        if grid.asks:
            if not context.gap_reached:
                _Run(offers, grid).search()
        elif context.cost is None:
            context.refute(
                grid.trouble or "no splits are allowed, and no constant prediction satisfies all constraints."
            )
        else:
            context.raise_bound(context.cost)

    def parallel(self, problem: Problem) -> bool:
        """CP-SAT and HiGHS, which finish the proof, are parallel."""
        return True

    def precompile(self, constraints: bool = False) -> None:
        """Compile the kernels, including those for trees, or load them from cache.

        CP-SAT is not imported: splits on several columns need HiGHS, and not all versions of the two are compatible.
        """
        ConTree().precompile()
        for dataset in small_tables():
            problem = Problem(dataset, Shape(kind=ShapeKind.DIAGRAM, widths=(1, 2, 2)), Objective(split_penalty=1.5))
            self.run(problem, Limits(seconds=60.0), lambda event: None, threading.Event())
        run.precompile()


class _Run:
    """One run: local search and proof in turns."""

    def __init__(self, offers: DiagramOffers, grid: DiagramGrid) -> None:
        self._offers, self._context, self._grid = offers, offers.context, grid
        self._local = LocalSearch(self._grid, self._context.limits.seed)
        constant = None if self._context.cost is None else self._context.cost - self._grid.constant
        self._proof = GridBound(self._grid, self._ceiling, constant)
        self._planted: tuple[int, int] | None = None

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
        return self._context.cost - self._grid.constant

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
        self._context.raise_bound(proof.bound + self._grid.constant)
        if proof.tree is not None and proof.tree != self._planted and proof.tree[0] < self._ceiling:
            self._planted = proof.tree
            self._plant(*proof.tree)
        self._progress()

    def _plant(self, cost: int, depth: int) -> None:
        """Find the cheapest tree of a depth, whose cost is known, and continue the local search from it."""
        splits = cheapest_tree(self._grid, cost, depth, self._context.due)
        nodes = None if splits is None else self._grid.nodes_of_tree(splits)
        if nodes is not None:
            self._local.take(nodes)
            self._climb(1)

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
        bound += grid.constant
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
            model.cp.add(model.objective <= context.cost - grid.constant - 1)
        model.cp.add(model.objective >= (context.bound or 0) - grid.constant)
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
