"""The best diagram so far and the bound, told as they improve; only what keeps everything is taken."""

from __future__ import annotations

import numpy as np

from solvers.diagram import Diagram
from solvers.methods.diagrams.draft import Draft, leaf_arc
from solvers.methods.diagrams.odd_search.grid import Grid
from solvers.methods.search.clock import Clock
from solvers.methods.search.live import Live
from solvers.problem import Limits
from solvers.solution import Emit


class Best(Live):
    """Incumbent and bound of a search for diagrams.

    Parameters
    ----------
    grid : the problem; clock, emit : see `Live`.

    Attributes
    ----------
    asks : whether a diagram may ask anything at all.
    """

    def __init__(self, grid: Grid, clock: Clock, emit: Emit) -> None:
        super().__init__(grid.problem, clock, emit)
        self._grid = grid
        self.asks = bool(grid.widths) and grid.most_questions > 0 and grid.n_orders > 0
        self.raise_bound(grid.constant)

    def within(self, limits: Limits) -> bool:
        """Whether incumbent and bound are as close as was asked for."""
        return self.cost is not None and self.cost - self.bound <= limits.gap_cost(self.problem)

    def constants(self) -> None:
        """Offer the diagrams that ask nothing, the cheapest first."""
        costs = self._grid.cells.price.sum(axis=0)
        for label in np.argsort(costs, kind="stable").tolist():
            if self.cost is None:
                self.offer(Draft([], leaf_arc(label)))

    def offer(self, draft: Draft) -> bool:
        """Take a diagram, without what is of no use in it where that keeps everything; whether one was taken."""
        for candidate in (draft.tidied(self.problem), draft):
            if self.keeps(candidate, diagram := candidate.diagram(self.problem)):
                self.adopt(diagram)
                return True
        return False

    def keeps(self, draft: Draft, diagram: Diagram) -> bool:
        """Whether a diagram keeps skeleton, sizes and all constraints."""
        problem, size = self.problem, self.problem.size
        if not draft.fits(self._grid.widths) or diagram.n_splits > self._grid.most_questions:
            return False
        if any(node.yes == node.no for node in diagram.nodes[: diagram.n_splits]):
            return False
        if size.max_leaf_nodes is not None and diagram.n_leaves > size.max_leaf_nodes:
            return False
        told = diagram.predict(problem.dataset)
        labels = [node.label for node in diagram.nodes[diagram.n_splits :]]
        rows = np.bincount(told, minlength=problem.dataset.n_classes)[labels]
        weight = np.bincount(told, problem.weights, problem.dataset.n_classes)[labels]
        if rows.min() < size.min_samples_leaf or weight.min() < problem.min_leaf_weight:
            return False
        return not any(constraint.violations(diagram, problem.dataset) for constraint in problem.constraints)
