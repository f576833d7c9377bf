"""Trees and bounds as a solver tells them: trees are checked in whole numbers, bounds are honest."""

import numpy as np

from solvers.methods.mip.model import Program
from solvers.methods.search.context import SearchContext
from solvers.methods.trees.cptree_mip.branches import Branches
from solvers.methods.trees.cptree_mip.forms import Node, cost, diagram, read, simplified, write


class MipOffers:
    """What is offered to a search; `start` is the best tree in the variables of the program, `None` until there is one.

    A solver's solution counts only as the tree that it describes: written down again in whole numbers, it must satisfy
    every row of the model, and the diagram every constraint.
    """

    def __init__(self, tree: Branches, program: Program, context: SearchContext) -> None:
        self.tree, self.program, self.context = tree, program, context
        self.start: np.ndarray | None = None
        context.raise_bound(tree.least)

    def offer(self, root: Node) -> None:
        """Take a tree, or a simpler one that costs no more, as the incumbent if it is better and may be."""
        problem = self.context.problem
        for candidate in dict.fromkeys((simplified(self.tree, root), root)):
            price = cost(self.tree, candidate)
            if self.context.cost is not None and price >= self.context.cost:
                continue
            x = write(self.tree, candidate)
            if x is None or not self.program.keeps(x):
                continue
            form = diagram(self.tree, candidate)
            if not any(constraint.violations(form, problem.dataset) for constraint in problem.constraints):
                assert price == self.context.cost_of(form)
                self.context.offer(form)
                self.start = x[self.program.kept]

    def found(self, x: np.ndarray) -> None:
        """A solution of the solver."""
        self.offer(read(self.tree, self.program.expand(x)))

    def bound(self, value: float, nodes: int) -> None:
        """A lower bound of the objective."""
        bound = self.tree.base + self.tree.unit * int(value)
        self.context.raise_bound(bound if self.context.cost is None else min(bound, self.context.cost))
        self.context.progress(stats={"nodes": nodes})
