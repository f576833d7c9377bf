"""Optimal decision diagrams by local search and lower bounds over all possible optima.

Good diagrams come from a search that re-optimises every node exactly (`kernels.odd_climb`). The proof bounds all
possible forms of diagrams (`bounds`), with exact trees under penalties that depend on the layer.

Example
-------
>>> problem = Problem(dataset, PRESETS["I"].shape(), objective_of(0.1, dataset.n_samples))  # doctest: +SKIP
>>> OddSearch().run(problem, Limits(seconds=10), print, threading.Event())  # doctest: +SKIP
"""

import threading
from collections.abc import Iterable

from ....problem import Limits, Objective, Problem, Shape, ShapeKind
from ...base import Method, Option, Unsupported, only_kind
from ...search.context import SearchContext
from ...trees.contree import ConTree, small_tables
from ..program.offers import DiagramOffers
from .formulation import grid_of, unsupported
from .multivariate import search as sums
from .search import DiagramSearch


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
            return sums.unsupported(self.title, problem)
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
            sums.search(context, tree=self._tree)
            return
        grid = grid_of(context.problem)
        offers = DiagramOffers(context)
        context.raise_bound(grid.cases.base)
        offers.constants()
        context.stats |= {"cells": len(grid.cells.rows), "question orders": grid.n_orders}
        if grid.asks:
            if not context.gap_reached:
                DiagramSearch(offers, grid).search()
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
        sums.precompile()
