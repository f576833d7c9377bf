"""1R: the best greedy tree that splits on one column only (Holte 1993).

Holte, *Very Simple Classification Rules Perform Well on Most Commonly Used Datasets*, Machine Learning 11, 1993, cuts
each numeric column into intervals with a clear majority, and keeps the column whose rule has the fewest errors. Here
CART cuts the column, within the size limits of the problem, so rules and trees compare at the same size.

Example
-------
For the rows (age, sex, ill) = (30, f, no), (40, m, no), (50, m, yes), the rule on age has no errors: 'age <= 45'.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ...problem import Orders, Problem, ShapeKind
from ..base import Unsupported, only_trees
from ..search.context import SearchContext
from .cart import GreedyMethod, fit_on_ranks, splits_of
from .exact_search import Splits
from .tree_of_splits import grow


class OneR(GreedyMethod):
    """The baseline of a single column."""

    name = "one-r"
    title = "1R"
    kinds = (ShapeKind.TREE,)
    imports = ("sklearn.tree",)
    summary = "The best greedy tree on a single feature. A baseline that shows what one feature alone predicts."
    source = "Holte: Very Simple Classification Rules Perform Well. Machine Learning 11, 1993."

    def refusals(self, problem: Problem) -> Iterable[Unsupported]:
        """Trees without domain constraints only."""
        return only_trees(self.title, problem)

    def splits(self, context: SearchContext, orders: Orders) -> Splits:
        """Train a tree on each column, and take the first one with the least cost."""
        problem, best, least = context.problem, {}, None
        for column in np.unique(orders.column).tolist():
            if context.due():
                break
            kept = np.flatnonzero(orders.column == column)
            fitted = fit_on_ranks(problem, replace(orders, rank=orders.rank[kept]), context.limits.seed)
            splits = {slot: (int(kept[f]), last) for slot, (f, last) in splits_of(fitted).items()}
            cost = problem.cost_of(grow(problem, orders, splits))
            if least is None or cost < least:
                best, least = splits, cost
        return best
