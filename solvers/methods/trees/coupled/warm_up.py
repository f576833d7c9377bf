"""Compile what the search under rules runs on, or load it from its cache, by going through a table of ten rows."""

import numpy as np

from solvers.constraints.rules import MustAppearRule, Sum, by_family
from solvers.methods.trees.coupled.rule_arrays import post
from solvers.methods.trees.coupled.search import FrontSearch
from solvers.methods.trees.coupled.weighted_sums import Weighting
from solvers.problem import Dataset, Problem, question_orders

PRECISE = 10**6
"""A multiplier as large as they are at work: numbers need 32 bits then."""


def prepare(dataset: Dataset) -> None:
    """Go through everything once with a small table; tables of two classes and of more have kernels of their own."""
    problem, halt = Problem(dataset), np.zeros(1, np.int64)
    right = (dataset.y[:, None] == np.arange(dataset.n_classes)).astype(np.int64)
    rules = by_family([Sum(right, dataset.n_samples), MustAppearRule(0)])
    posted = post(problem, question_orders(dataset), rules)
    weightings = [Weighting(posted, np.array([PRECISE, p]), problem.size.max_depth, halt) for p in (0, 1)]
    weightings[0].whole()
    FrontSearch(posted, problem.size.max_depth, weightings, [1], (), halt).best(dataset.n_samples)
