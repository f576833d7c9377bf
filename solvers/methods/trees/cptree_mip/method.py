"""CPTree-2: the tree as a mixed-integer linear program, thresholds as variables (Nanfack, Temple and Frénay 2023).

The model is built once in plain arrays (`formulation`, `mip.cell_program`) and passed to a solver (`highs`, `gurobi`).

Example
-------
>>> order = AskedBefore("age", "bilirubin")  # doctest: +SKIP
>>> CPTreeMip().run(Problem(dataset, Shape(max_depth=2), constraints=(order,)), Limits(), print, stop)  # doctest: +SKIP
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ....constraints import rules_of
from ....constraints.rules import FixedQuestion
from ....diagram import Diagram
from ....errors import UnsupportedError
from ....problem import Limits, Problem, ShapeKind
from ....solution import EndReason
from ...base import Method, Unsupported, only_trees
from ...mip.backend import Backend, End, SolverRequest
from ...mip.exact import solve_by
from ...mip.gurobi import Gurobi
from ...mip.highs import HiGHS
from ...mip.menu import menu_of, surely_has_more_cells
from ...search.context import SearchContext
from ...search.deadline import Deadline
from ..contree import ConTree
from ..coupled.greedy_start import constant_trees
from ..slots import depth_within, slot_of
from ..tree_of_splits import SplitTree, pruned, tree_of
from .formulation import POSTS, Branches
from .result import read, write

MOST_ENDS = 400_000
"""The maximum number of (cell, branch, class): such a model takes seconds to build, and is too hard for any solver."""


SHARE, MOST_SECONDS = 0.1, 5.0
"""Limits of the exact search for a first tree: this share of the remaining time, and at most this many seconds."""

Starts = Callable[[Problem, Limits, Deadline], Iterator[Diagram]]


def first_trees(problem: Problem, limits: Limits, deadline: Deadline) -> Iterator[Diagram]:
    """Single leaves, and a tree of the exact search if it supports the constraints.

    They need not satisfy the constraints. The bound of the exact search is not used, so all proofs come from the model
    alone.
    """
    yield from constant_trees(problem)
    left = deadline.seconds_left
    seconds = MOST_SECONDS if left is None else min(MOST_SECONDS, SHARE * left)
    if deadline.due() or ConTree().check(problem):
        return
    brief = Limits(seconds, memory_mb=limits.memory_mb)
    try:
        known = ConTree().run(problem, brief, lambda event: None, deadline).diagram
    except UnsupportedError:  # it needs more memory than the limit
        return
    if known is not None:
        yield known


class CPTreeMip(Method):
    """CPTree's second formulation.

    The backends are tried in this order; the last one must accept any size. `starts` makes first trees.
    """

    name = "cptree-mip"
    title = "CPTree-2 (MIP)"
    kinds = (ShapeKind.TREE,)
    exact = True
    summary = (
        "Solves the tree as a mixed-integer linear program with thresholds as variables, under constraints. Proves "
        "small tables; uses Gurobi if its licence allows the size, or else HiGHS."
    )
    source = (
        "Nanfack, Temple, Frénay: Learning Customised Decision Trees for Domain-knowledge Constraints. "
        "Pattern Recognition 142, 2023, doi:10.1016/j.patcog.2023.109610."
    )
    imports = ("highspy",)
    uses = (ConTree,)

    def __init__(self, backends: Sequence[Backend] = (Gurobi(), HiGHS()), starts: Starts = first_trees) -> None:
        self._backends, self._starts = tuple(backends), starts

    def refusals(self, problem: Problem) -> Iterator[Unsupported]:
        """Supports trees under the rules that are posted, up to the size for which a model can be built."""
        reasons = tuple(only_trees(self.title, problem, POSTS))
        yield from reasons
        if reasons:
            return
        rules = rules_of(problem)
        most = most_cells(problem)
        if surely_has_more_cells(problem, rules, most):
            yield too_large(problem, most)

    def search(self, context: SearchContext) -> None:
        """Build the model, offer first trees, and let a solver search until incumbent and bound meet."""
        context.deadline.memory = True
        offers = MipOffers(context)
        for first in self._starts(context.problem, context.limits, context.deadline):
            known = tree_of(first, offers.tree.menu.places)
            if known is not None:
                offers.offer(known)
            if context.proved:
                break
        if not (context.proved or context.due()):
            self._solve(offers)

    def _solve(self, offers: MipOffers) -> None:
        """Let the first backend that accepts the model solve it."""
        context = offers.context
        request = SolverRequest.of(context, offers.tree.unit, offers.start, offers.found, offers.bound)
        outcome, solver = solve_by(list(self._backends), offers.program, request, context.log)
        context.stats |= {"nodes": outcome.nodes, "iterations": outcome.iterations, "solver": solver}
        context.detail(solver=solver)
        if outcome.end is End.INFEASIBLE and context.cost is None:
            context.refute(solver=solver)
        elif outcome.end is not End.CUT_SHORT:
            context.end(EndReason.IMPRECISE)

    def parallel(self, problem: Problem) -> bool:
        """Always true: the linear solvers use several threads."""
        return True


def build(problem: Problem) -> Branches:
    """The model of a problem with all rules posted.

    Raises `UnsupportedError` if there are too many cells.
    """
    rules = rules_of(problem)
    menu = menu_of(problem, rules)
    if menu.n_cells > (most := most_cells(problem)):
        raise UnsupportedError(str(too_large(problem, most)))
    depth = depth_within(problem.size, menu.n_cells)
    tree = Branches(problem, rules, menu, depth)
    tree.post(POSTS)
    return tree


def most_cells(problem: Problem) -> int:
    """The most cells for which a model is built; the limit is on (cell, leaf, class)."""
    n_classes, n_samples = problem.dataset.n_classes, problem.dataset.n_samples
    sizes = range(1, n_samples + 1)
    return bisect_right(
        sizes, MOST_ENDS, key=lambda n_cells: n_cells * 2 ** depth_within(problem.size, n_cells) * n_classes
    )


def too_large(problem: Problem, most: int) -> Unsupported:
    """The refusal of a table with too many cells."""
    return Unsupported(
        f"More than {most:,} different rows at depth {problem.size.max_depth}",
        f"The model would need more than {MOST_ENDS:,} variables for the leaves of the rows.",
        "Lower the depth or the number of leaves, or choose the method 'contree'.",
    )


class MipOffers:
    """The trees offered to a search, and the model.

    A solution of the solver counts only as the tree that it describes: rewritten in integers, it must satisfy every row
    of the model, and the diagram every constraint.

    Attributes
    ----------
    tree, program : the model.
    start : the best tree in the variables of the program; `None` until there is one that satisfies the program.
    """

    def __init__(self, context: SearchContext) -> None:
        self.context = context
        self._best: SplitTree | None = None
        self.tree = build(context.problem)
        self.program = self.tree.model.program()
        context.stats |= {"variables": self.program.n_variables, "rows": self.program.n_rows}
        context.raise_bound(self.tree.least)

    @property
    def start(self) -> np.ndarray | None:
        """The best tree in the variables of the program; `None` if there is none that satisfies the program."""
        x = None if self._best is None else write(self.tree, self._best)
        return x[self.program.kept] if x is not None and self.program.keeps(x) else None

    def offer(self, root: SplitTree) -> None:
        """Take a tree, or a simpler one that costs no more, as the incumbent if it is better and feasible."""
        problem, menu = self.context.problem, self.tree.menu
        fixed = {slot_of(rule.place): rule.predicate for rule in self.tree.rules.of(FixedQuestion)}
        for candidate in (pruned(problem, menu.splits.searched.rank, root.splits), root):
            x = write(self.tree, candidate)
            if x is None or not self.program.keeps(x):
                continue
            form = menu.splits.diagram(problem, candidate, fixed)
            better = self.context.cost is None or self.context.cost_of(form) < self.context.cost
            if better and not any(constraint.violations(form, problem.dataset) for constraint in problem.constraints):
                self.context.offer(form)
                self._best = candidate

    def found(self, x: np.ndarray) -> None:
        """Process a solution of the solver."""
        self.offer(read(self.tree, self.program.expand(x)))

    def bound(self, value: float, nodes: int) -> None:
        """Process a lower bound on the objective."""
        bound = self.tree.base + self.tree.unit * int(value)
        self.context.raise_bound(bound if self.context.cost is None else min(bound, self.context.cost))
        self.context.progress(stats={"nodes": nodes})
