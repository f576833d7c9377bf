"""The heuristic variant: only the questions of a CART tree of the same depth (Hu, Huguet and Siala 2022, section 4)."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from solvers.methods.bdd.features import Features
from solvers.methods.cart import class_stakes
from solvers.problem import Problem


class Columns(StrEnum):
    """Which questions a model may ask."""

    ALL = "all"
    CART = "cart"


def columns_of_cart(problem: Problem, features: Features, depth: int, seed: int) -> np.ndarray:
    """The features that a CART tree (Gini) asks about, int64 (n,) in ascending order.

    Parameters
    ----------
    depth : of the tree, at least 1.
    seed : decides among equally good splits.
    """
    from sklearn.tree import DecisionTreeClassifier

    weights = problem.weights * class_stakes(problem)[problem.dataset.y]
    tree = DecisionTreeClassifier(criterion="gini", max_depth=depth, random_state=seed)
    tree.fit(features.bits, problem.dataset.y, sample_weight=weights)
    asked = tree.tree_.feature
    return np.unique(asked[asked >= 0]).astype(np.int64)
