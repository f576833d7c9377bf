"""A good initial BDD, so that the search from above has few steps."""

import numpy as np

from ....diagram import Diagram
from ....problem import Problem
from ...features import Features
from ...trees.cart import class_stakes
from ..subsets.search import SetSearch
from ..table import Unseen, bdd_of


def greedy_bdd(problem: Problem, features: Features, depth: int, unseen: Unseen) -> Diagram:
    """The BDD of `greedy_questions`; no solver has filled a table, so 'as solved' means 'like the parent' here."""
    questions = [features.predicates[f] for f in greedy_questions(features, depth)]
    return bdd_of(problem, questions, Unseen.PARENT if unseen is Unseen.SOLVED else unseen)


def features_of_cart(problem: Problem, features: Features, depth: int, seed: int) -> Features:
    """The features that a CART tree (Gini) of this depth splits on; all if it has no split.

    `depth` is at least 1; `seed` decides between equally good splits. The heuristic variant of Hu, Huguet and Siala
    (2022), section 4.
    """
    from sklearn.tree import DecisionTreeClassifier

    weights = problem.weights * class_stakes(problem)[problem.dataset.y]
    tree = DecisionTreeClassifier(criterion="gini", max_depth=depth, random_state=seed)
    used = tree.fit(features.bits, problem.dataset.y, sample_weight=weights).tree_.feature
    chosen = np.unique(used[used >= 0])
    return features.take(problem, chosen) if len(chosen) else features


def greedy_questions(features: Features, depth: int) -> np.ndarray:
    """Splits with a cheap truth table: the best further split each time, then exchanges while they help.

    Returns int (depth,), features in ascending order. There must be at least `depth` features, and `depth` at least 1.
    """
    search = SetSearch(features, depth)
    search.climb(np.random.default_rng(0))
    return np.sort(search.best)
