"""The method `maxsat-dt`: the decision tree up to a depth with the least cost, by MaxSAT. See the package."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from solvers.methods.base import Unsupported, infeasible, only_trees
from solvers.methods.bdds.options import THRESHOLDS
from solvers.methods.features import features_of
from solvers.methods.sat.live import Live
from solvers.methods.sat.options import SEARCH, START, TREE_ENCODING
from solvers.methods.sat.reporting import carry_out, message, refuse_larger, too_deep
from solvers.methods.sat.rows import rows_of
from solvers.methods.sat.search import Search, search
from solvers.methods.sat.start import Start, cart_places
from solvers.methods.search.clock import Clock
from solvers.methods.trees.maxsat.model import CompleteTree, TreeEncoding, literals_of, tree_of
from solvers.methods.trees.maxsat.numbered_model import NumberedTree
from solvers.methods.trees.maxsat.numbered_model import literals_of as literals_of_numbered
from solvers.methods.trees.tree_of_splits import assemble, leaf_of
from solvers.problem import Limits, Problem, ShapeKind, Thresholds
from solvers.solution import Emit, Solution, Started, Stop

MOST_LEVELS = 8
"""A complete tree of 8 levels has 255 places for questions."""


_MODELS = {
    TreeEncoding.COMPLETE: (CompleteTree, literals_of),
    TreeEncoding.NUMBERED: (NumberedTree, literals_of_numbered),
}
"""How each formula is written, and how large it will be."""


class MaxSatTree:
    """Decision trees with the least cost by MaxSAT.

    Parameters
    ----------
    encoding, search, start, thresholds : see `options`.
    """

    name = "maxsat-dt"
    title = "MaxSAT-DT"
    kinds = (ShapeKind.TREE,)
    exact = True
    summary = (
        "Finds the decision tree up to a depth with the fewest errors by maximum satisfiability, to compare with "
        "MaxSAT-BDD. Proves small problems; contree proves larger ones."
    )
    source = (
        "Hu, Siala, Hebrard, Huguet: Learning Optimal Decision Trees with MaxSAT and its Integration in AdaBoost. "
        "IJCAI 2020, doi:10.24963/ijcai.2020/163."
    )
    options = (TREE_ENCODING, SEARCH, START, THRESHOLDS)

    def __init__(
        self,
        encoding: str = TREE_ENCODING.default,
        search: str = SEARCH.default,
        start: str = START.default,
        thresholds: str = THRESHOLDS.default,
    ) -> None:
        self.encoding = TreeEncoding(encoding)
        self.search, self.start, self.thresholds = Search(search), Start(start), Thresholds(thresholds)

    def check(self, problem: Problem) -> tuple[Unsupported, ...]:
        """Trees of any size of leaves, with or without a limit on their number and a cost of questions."""
        return (
            *only_trees(self.title, problem),
            *_leaf_sizes(self.title, problem),
            *too_deep(self.title, problem, MOST_LEVELS),
        )

    def run(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        """Solve; incumbents and bounds are told as they come.

        Raises
        ------
        UnsupportedError
            The formula would need more memory than the limit allows.
        """
        clock = Clock()
        emit(Started(self.name))
        if none := infeasible(problem, self.name, clock):
            return none
        rows = rows_of(features_of(problem, self.thresholds))
        live = Live(problem, rows, limits, clock, emit, stop)
        size = problem.size

        def work() -> None:
            if size.max_depth == 0 or size.max_leaf_nodes == 1 or not len(rows.columns):
                live.prove(live.cost)
            write, n_literals = _MODELS[self.encoding]
            refuse_larger(n_literals(len(rows), len(rows.columns), size.max_depth, size.max_leaf_nodes), limits)
            if self.start is Start.GREEDY:
                live.adopt(tree_of(problem, rows.features, cart_places(problem, rows, size.max_depth, limits.seed)))
                live.prove(rows.base)
            model = write(
                rows, size.max_depth, leaves=size.max_leaf_nodes, split_cost=problem.split_cost, pause=live.pause
            )
            live.stats["encoding"] = model.formula.size.to_json()
            search(self.search, model, lambda true: model.diagram(problem, true), live)

        leaf = assemble(problem, (leaf_of(problem, np.arange(problem.dataset.n_samples)),))
        carry_out(live, leaf, work)
        leaves = "" if size.max_leaf_nodes is None else f" and {size.max_leaf_nodes} leaves"
        return live.ended(self.name, message(live, f"tree of at most {size.max_depth} levels{leaves}"))

    def warm(self, constraints: bool = False) -> None:
        """Import the solver, and CART's."""
        import pysat.examples.rc2  # noqa: F401
        import sklearn.tree  # noqa: F401


def _leaf_sizes(title: str, problem: Problem) -> Iterator[Unsupported]:
    """A minimum size of leaves counts rows in every leaf, which this formula has no clauses for."""
    if problem.size.min_samples_leaf > 1 or problem.size.min_weight_leaf > 0:
        yield Unsupported(
            "A minimum size of leaves",
            f"{title} does not count the rows of a leaf.",
            "Set the minimum to 1 row and no weight, or choose the method 'contree'.",
        )
