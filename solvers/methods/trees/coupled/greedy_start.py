"""Trees without search, for an immediate incumbent: single leaves, and CART's with increased costs of one class.

Greedy trees satisfy a limit on missed rows if a missed row costs enough more; several factors are tried. These trees
prove nothing.
"""

import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain

import numpy as np
from msgspec import structs

from ....diagram import Diagram
from ....errors import EspalierError
from ....problem import Limits, Problem
from ..cart import Cart
from ..tree_of_splits import assemble, leaf_of, may_be_leaf

DEARER = (1, 1.5, 2, 3, 4, 6, 8, 12, 16)
"""Factors for the misclassification cost of one class."""
MOST_CLASSES = 4
SHALLOW = 2
"""The search finds trees of this depth in less time than it takes to train a few."""


def first_trees(problem: Problem) -> Iterator[Diagram]:
    """Trees that satisfy the size and all constraints of a problem, if any of those tried does."""
    whole = np.arange(problem.dataset.n_samples)
    for tree in chain(constant_trees(problem) if may_be_leaf(problem, whole) else (), greedy_trees(problem)):
        if not any(constraint.violations(tree, problem.dataset) for constraint in problem.constraints):
            yield tree


def constant_trees(problem: Problem) -> Iterator[Diagram]:
    """The trees without splits."""
    leaf = leaf_of(problem, np.arange(problem.dataset.n_samples))
    for label in range(problem.dataset.n_classes):
        yield assemble(problem, (structs.replace(leaf, label=label),))


def greedy_trees(problem: Problem) -> Iterator[Diagram]:
    """Trees of the required size, by CART, which ignores the constraints."""
    n_classes, objective = problem.dataset.n_classes, problem.objective
    if problem.size.max_depth <= SHALLOW or n_classes > MOST_CLASSES:
        return
    costs = 1.0 - np.eye(n_classes) if objective.class_costs is None else np.array(objective.class_costs)
    for factor in DEARER:
        for label in range(n_classes) if factor > 1 else (0,):
            weights = np.where(np.arange(n_classes) == label, factor, 1)[:, None]
            # costs may become too large or too fine to be counted
            with suppress(EspalierError):
                dearer = replace(objective, class_costs=tuple(map(tuple, (costs * weights).tolist())))
                space = replace(problem, objective=dearer, constraints=())
                if Cart().check(space):
                    continue
                found = Cart().run(space, Limits(), lambda event: None, threading.Event())
                if found.diagram is not None:
                    yield found.diagram
