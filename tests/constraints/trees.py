"""Random tables and trees of any quality, for tests of constraints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from solvers.diagram import Diagram
from solvers.methods.trees.tree_of_splits import diagram_of_questions
from solvers.problem import Dataset, Group, Problem, binary_view


def with_groups(dataset: Dataset, rng: np.random.Generator) -> Dataset:
    """The table with a positive class and a group column of three levels; some rows have no group."""
    group = Group("ward", ("a", "b", "c"), rng.integers(-1, 3, dataset.n_samples))
    rows = np.sort(rng.permutation(3 * dataset.n_samples)[: dataset.n_samples]) + 1
    return replace(dataset, positive=int(rng.integers(dataset.n_classes)), groups=(group,), rows=rows)


def random_tree(dataset: Dataset, rng: np.random.Generator, depth: int, splits: float = 0.8) -> Diagram:
    """A tree of random splits of the table, with random predictions; leaves may be empty, and splits useless."""
    predicates, questions, labels = binary_view(dataset).predicates, {}, {}

    def build(slot: int, left: int) -> None:
        if left and len(predicates) and rng.random() < splits:
            questions[slot] = predicates[int(rng.integers(len(predicates)))]
            build(2 * slot + 1, left - 1)
            build(2 * slot + 2, left - 1)
        else:
            labels[slot] = int(rng.integers(dataset.n_classes))

    build(0, depth)
    return diagram_of_questions(Problem(dataset), questions, labels)
