"""CART by scikit-learn: at each node the split with the purest sides (Gini index), never taken back.

scikit-learn's tree is trained on the ranks of the rows in the *question orders* of the dataset, one input column an
order. So it chooses among exactly the questions that the exact methods choose among: thresholds between neighbouring
values, one level against the rest, and, where missing values are information, both sides for the missing. And its
32-bit floats never merge two values, since ranks are small whole numbers.

Example
-------
Of the rows (age, ill) = (30, no), (40, no), (50, yes) scikit-learn sees the ranks 0, 1, 2 and splits at 1.5; the tree
says 'age <= 45'.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from solvers.diagram import Diagram
from solvers.methods.base import Unsupported, only_plain_trees
from solvers.methods.greedy import Choices, Interrupted, run_greedy
from solvers.methods.growing import grow
from solvers.problem import Limits, Orders, Problem, ShapeKind
from solvers.solution import Emit, Solution, Stop

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier


class Cart:
    """The greedy baseline that most people know."""

    name = "cart"
    title = "CART"
    kinds = (ShapeKind.TREE,)
    exact = False
    summary = (
        "Greedy tree by scikit-learn: each split makes its two sides as pure as possible (Gini index). "
        "Fast, a baseline without a proof."
    )
    source = "Breiman, Friedman, Olshen and Stone: Classification and Regression Trees. Wadsworth, 1984."

    def check(self, problem: Problem) -> tuple[Unsupported, ...]:
        """Trees without domain constraints only."""
        return only_plain_trees(self.title, problem)

    def run(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        """Train once and translate; the fit itself cannot be interrupted."""

        def search(problem: Problem, orders: Orders, _: Interrupted) -> tuple[Choices, dict[str, Any]]:
            fitted = fit_on_ranks(problem, orders, limits.seed)
            return _choices(fitted), {"sklearn_nodes": int(fitted.tree_.node_count)}

        return run_greedy(self.name, search, problem, limits, emit, stop)

    def warm(self) -> None:
        """Import scikit-learn."""
        import sklearn.tree  # noqa: F401


def cart_tree(problem: Problem, orders: Orders, seed: int) -> Diagram:
    """The tree of `fit_on_ranks` as a diagram; the same conditions."""
    choices = _choices(fit_on_ranks(problem, orders, seed))
    return grow(problem, orders, lambda _, slot: choices.get(slot))


def fit_on_ranks(problem: Problem, orders: Orders, seed: int) -> DecisionTreeClassifier:
    """scikit-learn's tree within the shape of the problem, trained on `orders.rank`.

    Parameters
    ----------
    problem : of depth at least 1, with more than one leaf permitted.
    orders : at least one order.
    seed : decides among equally good splits, as `random_state` does in scikit-learn.
    """
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(
        criterion="gini", max_depth=problem.shape.depth, max_leaf_nodes=problem.shape.leaves, random_state=seed
    )
    return tree.fit(orders.rank.T, problem.dataset.y, sample_weight=problem.weights)


def _choices(fitted: DecisionTreeClassifier) -> Choices:
    """The splits of a fitted tree by slot; scikit-learn's left side is our first side."""
    tree = fitted.tree_
    choices: Choices = {}
    stack = [(0, 0)]
    while stack:
        node, slot = stack.pop()
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        if left != right:
            choices[slot] = int(tree.feature[node]), int(np.floor(tree.threshold[node]))
            stack += [(left, 2 * slot + 1), (right, 2 * slot + 2)]
    return choices
