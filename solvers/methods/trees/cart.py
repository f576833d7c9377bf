"""CART by scikit-learn: at each node the split with the purest sides (Gini index), never taken back.

scikit-learn's tree is trained on the ranks of the rows in the *question orders* of the dataset, one input column an
order. So it chooses among exactly the questions that the exact methods choose among: thresholds between neighbouring
values, one level against the rest, and, where missing values are information, both sides for the missing. And its
32-bit floats never merge two values, since ranks are small whole numbers.

What scikit-learn does not know is left to what surrounds it:

- Class costs: to choose splits, a row counts with its weight times what is at stake for its class, its costliest
  prediction less its cheapest. (Breiman et al. 1984, chapter 4, alter the prior of a class by the sum of its costs; for
  two classes that is the same.) Each leaf predicts the class that costs least there.
- A cost of a split: the tree is grown as if splits were free, and then pruned from the bottom up where what is below a
  split saves no more than its splits cost.
- A minimum weight of a leaf: scikit-learn keeps it in the weights that it is given. With class costs these are others
  than the user's; then a split with a side that is too light is left out afterwards, with all that is below it.

Example
-------
Of the rows (age, ill) = (30, no), (40, no), (50, yes) scikit-learn sees the ranks 0, 1, 2 and splits at 1.5; the tree
says 'age <= 45'.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ...problem import Orders, Problem, ShapeKind, question_orders
from ..base import Method, Unsupported, only_trees
from ..search.context import SearchContext
from .exact_search import Splits
from .tree_of_splits import grow

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier


class GreedyMethod(Method):
    """A method that makes one tree. It is valid also where the search had to end early."""

    exact = False

    @abstractmethod
    def splits(self, context: SearchContext, orders: Orders) -> Splits:
        """The splits of a tree, or those until then once the context is due. There is at least one order."""

    def search(self, context: SearchContext) -> None:
        """Grow the tree, where anything may be asked."""
        problem = context.problem
        orders, size = question_orders(problem.dataset), problem.size
        choices: Splits = {}
        if not context.due() and len(orders) and size.max_depth > 0 and size.max_leaf_nodes != 1:
            choices = self.splits(context, orders)
        context.offer(grow(problem, orders, lambda _, slot: choices.get(slot)))


class Cart(GreedyMethod):
    """The greedy baseline that most people know."""

    name = "cart"
    title = "CART"
    kinds = (ShapeKind.TREE,)
    imports = ("sklearn.tree",)
    summary = (
        "Greedy tree by scikit-learn: each split makes both sides as pure as possible (Gini index). A fast baseline "
        "without a proof."
    )
    source = "Breiman, Friedman, Olshen and Stone: Classification and Regression Trees. Wadsworth, 1984."

    def refusals(self, problem: Problem) -> Iterable[Unsupported]:
        """Trees without domain constraints only."""
        return only_trees(self.title, problem)

    def splits(self, context: SearchContext, orders: Orders) -> Splits:
        """Train once and translate; the fit itself cannot be interrupted."""
        fitted = fit_on_ranks(context.problem, orders, context.limits.seed)
        context.stats = {"sklearn_nodes": int(fitted.tree_.node_count)}
        return splits_of(fitted)


def cart_splits(problem: Problem, orders: Orders, seed: int) -> Splits:
    """The splits of the tree of `fit_on_ranks`, by slot; none if the size allows none."""
    if problem.size.max_depth == 0:
        return {}
    return splits_of(fit_on_ranks(problem, orders, seed))


def fit_on_ranks(problem: Problem, orders: Orders, seed: int) -> DecisionTreeClassifier:
    """scikit-learn's tree within the shape of the problem, trained on `orders.rank`; see the module for costs.

    `Problem.size` allows a split, and there is an order. The seed decides among equally good
    splits, as `random_state` does in scikit-learn.
    """
    from sklearn.tree import DecisionTreeClassifier

    size, stakes = problem.size, class_stakes(problem)
    weights = problem.weights * stakes[problem.dataset.y]
    # a leaf that is heavy enough is at least this heavy here; half a unit less, so that rounding refuses none of them
    least = problem.min_weight_leaf * int(stakes[problem.dataset.class_counts > 0].min()) - 0.5
    # at most half, because there are two leaves or more
    share = max(least, 0.0) / int(weights.sum())
    tree = DecisionTreeClassifier(
        criterion="gini",
        max_depth=size.max_depth,
        max_leaf_nodes=size.max_leaf_nodes,
        min_samples_leaf=size.min_samples_leaf,
        min_weight_fraction_leaf=share,
        random_state=seed,
    )
    return tree.fit(orders.rank.T, problem.dataset.y, sample_weight=weights)


def class_stakes(problem: Problem) -> np.ndarray:
    """How much the prediction matters for a row of each class, int64 (n_classes,), without a common factor.

    That is the costliest prediction less the cheapest, 0 for classes that no row has; 1 for all classes where nothing
    is at stake.
    """
    costs = problem.class_costs
    stakes = np.where(problem.dataset.class_counts > 0, costs.max(axis=1) - costs.min(axis=1), 0)
    return stakes // np.gcd.reduce(stakes) if stakes.any() else np.ones_like(stakes)


def splits_of(fitted: DecisionTreeClassifier) -> Splits:
    """The splits of a fitted tree by slot; scikit-learn's left side is our first side."""
    tree = fitted.tree_
    splits: Splits = {}
    stack = [(0, 0)]
    while stack:
        node, slot = stack.pop()
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        if left != right:
            splits[slot] = int(tree.feature[node]), int(np.floor(tree.threshold[node]))
            stack += [(left, 2 * slot + 1), (right, 2 * slot + 2)]
    return splits
