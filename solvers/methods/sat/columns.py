"""The heuristic variant: only the questions of a CART tree of the same depth (Hu, Huguet and Siala 2022, section 4)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from solvers.methods.features import Features
from solvers.methods.trees.cart import class_stakes
from solvers.problem import Problem

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier


class Columns(StrEnum):
    """Which questions a model may ask."""

    ALL = "all"
    CART = "cart"


def columns_of_cart(problem: Problem, features: Features, depth: int, seed: int) -> np.ndarray:
    """The features that a CART tree (Gini) asks about, int64 (n,) in ascending order.

    Its depth is at least 1; `seed` decides among equally good splits.
    """
    asked = fitted_cart(problem, features, depth, seed).tree_.feature
    return np.unique(asked[asked >= 0]).astype(np.int64)


def fitted_cart(
    problem: Problem, features: Features, depth: int, seed: int, leaves: int | None = None
) -> DecisionTreeClassifier:
    """A CART tree over the features, which weighs rows as `solvers.methods.trees.cart` does."""
    from sklearn.tree import DecisionTreeClassifier

    weights = problem.weights * class_stakes(problem)[problem.dataset.y]
    tree = DecisionTreeClassifier(criterion="gini", max_depth=depth, max_leaf_nodes=leaves, random_state=seed)
    return tree.fit(features.bits, problem.dataset.y, sample_weight=weights)
