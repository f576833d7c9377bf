"""A good initial BDD, so that the search from above has few steps."""

import numpy as np

from ....diagram import Diagram
from ....problem import Problem
from ...features import Features
from ..subsets.search import SetSearch
from ..table import Unseen, bdd_of


def greedy_bdd(problem: Problem, features: Features, depth: int, unseen: Unseen) -> Diagram:
    """The BDD of `greedy_questions`; no solver has filled a table, so 'as solved' means 'like the parent' here."""
    questions = [features.predicates[f] for f in greedy_questions(features, depth)]
    return bdd_of(problem, questions, Unseen.PARENT if unseen is Unseen.SOLVED else unseen)


def greedy_questions(features: Features, depth: int) -> np.ndarray:
    """Splits with a cheap truth table: the best further split each time, then exchanges while they help.

    Returns int (depth,), features in ascending order. There must be at least `depth` features, and `depth` at least 1.
    """
    search = SetSearch(features, depth)
    search.climb(np.random.default_rng(0))
    return np.sort(search.best)
