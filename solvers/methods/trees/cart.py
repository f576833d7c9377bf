"""CART by scikit-learn: at each node the split with the purest sides (Gini index), without backtracking.

scikit-learn's tree is trained on the ranks of the rows in the *question orders* of the dataset, one input column per
order. So it chooses among the same splits as the exact methods: thresholds between neighbouring values, one level
against the rest, and, if missing values are information, both sides for the missing. Its 32-bit floats never merge two
values, because ranks are small whole numbers.

This module adds what scikit-learn does not support:

- Class costs: for the choice of splits, the weight of a row is multiplied by the stake of its class, the costliest
  prediction minus the cheapest. (Breiman et al. 1984, chapter 4, alter the prior of a class by the sum of its costs;
  for two classes this is equivalent.) Each leaf predicts the class with the lowest cost.
- A split penalty: the tree is grown without it, then pruned bottom-up: a subtree is removed if it saves no more than
  the penalties of its splits.
- A minimum leaf weight: scikit-learn enforces it on the weights it is given. With class costs these differ from the
  user's weights; then a split with a side that is too light is removed afterwards, with its subtree.

Example
-------
For the rows (age, ill) = (30, no), (40, no), (50, yes), scikit-learn sees the ranks 0, 1, 2 and splits at 1.5; the tree
has the split 'age <= 45'.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ...problem import Orders, Problem, ShapeKind, question_orders
from ..base import Method, Unsupported, only_trees
from ..search.context import SearchContext
from .tree_of_splits import Splits, grow

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier


class GreedyMethod(Method):
    """A method that makes one tree. The tree is valid even if the search ends early."""

    exact = False

    @abstractmethod
    def splits(self, context: SearchContext, orders: Orders) -> Splits:
        """The splits of a tree, or those found so far if the context becomes due. There is at least one order."""

    def search(self, context: SearchContext) -> None:
        """Grow the tree, if any split is possible."""
        problem = context.problem
        orders, size = question_orders(problem.dataset), problem.size
        choices: Splits = {}
        if not context.due() and len(orders) and size.max_depth > 0 and size.max_leaf_nodes != 1:
            choices = self.splits(context, orders)
        context.offer(grow(problem, orders, choices))


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
    """The splits of the tree of `fit_on_ranks`, by slot; none if the size permits none."""
    if problem.size.max_depth == 0:
        return {}
    return splits_of(fit_on_ranks(problem, orders, seed))


def fit_on_ranks(problem: Problem, orders: Orders, seed: int) -> DecisionTreeClassifier:
    """scikit-learn's tree within the shape of the problem, trained on `orders.rank`; see the module for costs.

    `Problem.size` must permit a split, and there must be an order. The seed breaks ties between splits, as
    `random_state` does in scikit-learn.
    """
    from sklearn.tree import DecisionTreeClassifier

    size, stakes = problem.size, class_stakes(problem)
    weights = problem.weights * stakes[problem.dataset.y]
    # every leaf of the minimum weight weighs at least this here; half a unit less, so that rounding rejects none
    least = problem.min_weight_leaf * int(stakes[problem.dataset.class_counts > 0].min()) - 0.5
    # at most half, because there are at least two leaves
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
    """The stake of each class, int64 (n_classes,), without common factors.

    This is the costliest prediction of a row of the class minus the cheapest, 0 for classes without rows; 1 for all
    classes if all stakes are 0.
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
