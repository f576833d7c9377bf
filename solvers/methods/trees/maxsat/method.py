"""The method `maxsat-dt`: the decision tree up to a depth with the least cost, by MaxSAT. See the package."""

from collections.abc import Iterable, Iterator

import numpy as np

from solvers.methods.base import Unsupported, only_trees
from solvers.methods.bdds.options import THRESHOLDS
from solvers.methods.features import features_of
from solvers.methods.sat.options import SEARCH, START, TREE_ENCODING
from solvers.methods.sat.refusals import refuse_larger, too_deep
from solvers.methods.sat.row_search import RowSearch
from solvers.methods.sat.rows import rows_of
from solvers.methods.sat.search import SearchStrategy, search
from solvers.methods.sat.start import Start, cart_places
from solvers.methods.search.context import SearchContext
from solvers.methods.search.driver import SearchMethod
from solvers.methods.trees.maxsat.model import CompleteTree, TreeEncoding, literals_of, tree_of
from solvers.methods.trees.maxsat.numbered_model import NumberedTree
from solvers.methods.trees.maxsat.numbered_model import literals_of as literals_of_numbered
from solvers.methods.trees.tree_of_splits import assemble, leaf_of
from solvers.problem import Problem, ShapeKind, Thresholds

MOST_LEVELS = 8
"""A complete tree of 8 levels has 255 places for questions."""


_MODELS = {
    TreeEncoding.COMPLETE: (CompleteTree, literals_of),
    TreeEncoding.NUMBERED: (NumberedTree, literals_of_numbered),
}
"""How each formula is written, and how large it will be."""


class MaxSatTree(SearchMethod):
    """Decision trees with the least cost by MaxSAT; `options` tells its parameters."""

    name = "maxsat-dt"
    title = "MaxSAT-DT"
    kinds = (ShapeKind.TREE,)
    imports = ("pysat.examples.rc2", "sklearn.tree")
    takes_min_samples_leaf = False
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
        self.formula_search, self.start, self.thresholds = SearchStrategy(search), Start(start), Thresholds(thresholds)

    def refusals(self, problem: Problem) -> Iterable[Unsupported]:
        """Trees of any size of leaves, with or without a limit on their number and a cost of questions."""
        return (
            *only_trees(self.title, problem),
            *_leaf_sizes(self.title, problem),
            *too_deep(self.title, problem, MOST_LEVELS),
        )

    def search(self, context: SearchContext) -> None:
        """Search; incumbents and bounds are reported as they come.

        Raises `UnsupportedError` where the formula would need more memory than the limit allows.
        """
        problem, limits = context.problem, context.limits
        depth, leaves = problem.size.max_depth, problem.size.max_leaf_nodes
        rows = rows_of(features_of(problem, self.thresholds))
        known = RowSearch(context, rows)

        def work() -> None:
            if depth == 0 or leaves == 1 or not len(rows.columns):
                known.prove(known.cost)
            write, n_literals = _MODELS[self.encoding]
            refuse_larger(n_literals(len(rows), len(rows.columns), depth, leaves), limits)
            if self.start is Start.GREEDY:
                context.offer(tree_of(problem, rows.features, cart_places(problem, rows, depth, limits.seed)))
                known.prove(rows.base)
            model = write(rows, depth, leaves=leaves, split_cost=problem.split_cost, pause=context.pause)
            context.stats["encoding"] = model.formula.size.to_json()
            search(self.formula_search, model, lambda true: model.diagram(problem, true), known)

        known.run([assemble(problem, (leaf_of(problem, np.arange(problem.dataset.n_samples)),))], work)


def _leaf_sizes(title: str, problem: Problem) -> Iterator[Unsupported]:
    """A minimum size of leaves counts rows in every leaf, which this formula has no clauses for."""
    if problem.size.min_samples_leaf > 1 or problem.size.min_weight_leaf > 0:
        yield Unsupported(
            "A minimum size of leaves",
            f"{title} does not count the rows of a leaf.",
            "Set the minimum to 1 row and no weight, or choose the method 'contree'.",
        )
