"""Diagrams offered to a search; only what keeps everything is taken."""

import numpy as np

from solvers.diagram import Leaf
from solvers.methods.diagrams.allowed import allowed
from solvers.methods.diagrams.draft import DiagramDraft, leaf_arc
from solvers.methods.diagrams.odd_search.grid import DiagramGrid
from solvers.methods.search.context import SearchContext


class GridOffers:
    """What is offered to a search for diagrams within a grid; `asks` says whether one may ask anything at all."""

    def __init__(self, grid: DiagramGrid, context: SearchContext) -> None:
        self.grid, self.context = grid, context
        self.asks = bool(grid.widths) and grid.most_questions > 0 and grid.n_orders > 0
        context.raise_bound(grid.constant)

    def constants(self) -> None:
        """Offer the diagrams that ask nothing, the cheapest first, until one is allowed."""
        costs = self.grid.cells.price.sum(axis=0)
        for label in np.argsort(costs, kind="stable").tolist():
            if self.context.cost is None:
                self.offer(DiagramDraft([], leaf_arc(label)))

    def offer(self, draft: DiagramDraft) -> None:
        """Offer a diagram, without what is of no use in it where that keeps everything."""
        problem = self.context.problem
        for candidate in (draft.tidied(problem), draft):
            diagram = candidate.diagram(problem)
            useful = all(isinstance(node, Leaf) or node.yes != node.no for node in diagram.nodes)
            if useful and allowed(problem, candidate, diagram):
                self.context.offer(diagram)
                return
