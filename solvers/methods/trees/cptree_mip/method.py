"""CPTree-2: the tree as a mixed-integer linear program, thresholds as variables (Nanfack, Temple and Frénay 2023).

The model is built once in plain arrays (`branches`, `links`, `rules`) and handed to a solver (`highs`, `gurobi`).

Example
-------
>>> order = AskedBefore("age", "bilirubin")  # doctest: +SKIP
>>> CPTreeMip().run(Problem(dataset, Shape(max_depth=2), constraints=(order,)), Limits(), print, stop)  # doctest: +SKIP
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from solvers.constraints import rules_of
from solvers.methods.base import Unsupported, only_trees
from solvers.methods.mip.backend import Backend, End, SolverRequest
from solvers.methods.mip.exact import solve_by
from solvers.methods.mip.gurobi import Gurobi
from solvers.methods.mip.highs import HiGHS
from solvers.methods.mip.menu import Menu, menu_of
from solvers.methods.mip.model import Program
from solvers.methods.search.context import SearchContext
from solvers.methods.search.driver import SearchMethod
from solvers.methods.trees.contree import ConTree
from solvers.methods.trees.cptree_mip.branches import Branches
from solvers.methods.trees.cptree_mip.forms import Node, cost, diagram, read, simplified, write
from solvers.methods.trees.cptree_mip.links import Linking, linking_for
from solvers.methods.trees.cptree_mip.rules import POSTS, post
from solvers.methods.trees.cptree_mip.start import Starts, first_trees
from solvers.problem import Problem, ShapeKind, question_orders
from solvers.solution import EndReason

MOST_ENDS = 400_000
"""The largest number of (cell, branch, class): such a model takes seconds to build, and no solver gets anywhere."""


class CPTreeMip(SearchMethod):
    """CPTree's second formulation.

    The backends are tried in this order; the last one must take any size. `starts` makes first trees, and `linking` is
    the form of equation (16), for a menu and a number of nodes.
    """

    name = "cptree-mip"
    title = "CPTree-2 (MIP)"
    kinds = (ShapeKind.TREE,)
    exact = True
    summary = (
        "The tree as a mixed-integer linear program with thresholds as variables, under domain constraints. "
        "Proves the optimum of small tables; solved by Gurobi where its licence allows the size, else by HiGHS."
    )
    source = (
        "Nanfack, Temple, Frénay: Learning Customised Decision Trees for Domain-knowledge Constraints. "
        "Pattern Recognition 142, 2023, doi:10.1016/j.patcog.2023.109610."
    )

    def __init__(
        self,
        backends: Sequence[Backend] = (Gurobi(), HiGHS()),
        starts: Starts = first_trees,
        linking: Callable[[Menu, int], type[Linking]] = linking_for,
    ) -> None:
        self._backends, self._starts, self._linking = tuple(backends), starts, linking

    def refusals(self, problem: Problem) -> Iterator[Unsupported]:
        """Trees, with the rules that are posted, of a size for which a model can be built."""
        reasons = tuple(only_trees(self.title, problem, POSTS))
        yield from reasons
        if reasons:
            return
        menu = menu_of(problem, question_orders(problem.dataset), rules_of(problem))
        ends = menu.n_cells * 2 ** depth_of(problem, menu) * problem.dataset.n_classes
        if ends > MOST_ENDS:
            yield Unsupported(
                f"{menu.n_cells:,} different rows at depth {problem.size.max_depth}",
                f"The model would need {ends:,} variables for where rows end; at most {MOST_ENDS:,} are built.",
                "Lower the depth or the number of leaves, or choose the method 'contree'.",
            )

    def search(self, context: SearchContext) -> None:
        """Build the model, offer first trees, and let a solver search until incumbent and bound meet."""
        context.deadline.memory = True
        tree = build(context.problem, self._linking)
        program = tree.model.program()
        context.stats |= {"variables": program.n_variables, "rows": program.n_rows}
        context.stats["linking"] = type(tree.linking).__name__
        offers = MipOffers(tree, program, context)
        for first in self._starts(tree, program, context.limits, context.deadline):
            offers.offer(first)
            if context.proved:
                break
        if context.proved or context.due():
            return
        request = SolverRequest.of(context, tree.unit, offers.start, offers.found, offers.bound)
        outcome, by = solve_by(list(self._backends), program, request, context.log)
        context.stats |= {"solver": by, "nodes": outcome.nodes, "iterations": outcome.iterations}
        context.detail(solver=by)
        if outcome.end is End.INFEASIBLE and context.cost is None:
            context.refute(solver=by)
        elif outcome.end is not End.CUT_SHORT:
            context.end(EndReason.IMPRECISE)

    def parallel(self, problem: Problem) -> bool:
        """The linear solvers share their work."""
        return True

    def warm(self, constraints: bool = False) -> None:
        """Import HiGHS, and what makes first trees."""
        import highspy  # noqa: F401

        ConTree().warm(constraints)


def build(problem: Problem, linking: Callable[[Menu, int], type[Linking]] = linking_for) -> Branches:
    """The model of a problem with everything posted."""
    rules = rules_of(problem)
    menu = menu_of(problem, question_orders(problem.dataset), rules)
    depth = depth_of(problem, menu)
    tree = Branches(problem, rules, menu, depth, linking(menu, 2**depth - 1))
    post(tree)
    return tree


def depth_of(problem: Problem, menu: Menu) -> int:
    """The depth that trees can have: each question of a path leaves out a leaf, and each leaf has a row of its own."""
    leaves = min(problem.size.max_leaf_nodes or menu.n_cells, menu.n_cells)
    return min(problem.size.max_depth, leaves - 1) if len(menu) else 0


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
