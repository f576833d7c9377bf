"""Random tables and trees of any quality, for tests of constraints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from solvers.diagram import Diagram
from solvers.methods.trees.tree_of_splits import assemble, leaf_with
from solvers.problem import BinaryView, Dataset, Group, Predicate, Problem, binary_view


def with_groups(dataset: Dataset, rng: np.random.Generator) -> Dataset:
    """The table with a positive class and a group column of three levels; some rows have no group."""
    group = Group("ward", ("a", "b", "c"), rng.integers(-1, 3, dataset.n_samples))
    rows = np.sort(rng.permutation(3 * dataset.n_samples)[: dataset.n_samples]) + 1
    return replace(dataset, positive=int(rng.integers(dataset.n_classes)), groups=(group,), rows=rows)


def random_tree(dataset: Dataset, rng: np.random.Generator, depth: int, splits: float = 0.8) -> Diagram:
    """A tree of random splits of the table, with random predictions; leaves may be empty, and splits useless."""
    view, problem = binary_view(dataset), Problem(dataset)

    def build(rows: np.ndarray, left: int) -> tuple:
        if left and len(view.predicates) and rng.random() < splits:
            predicate, yes = _question(view, rng)
            return predicate, build(rows[yes[rows]], left - 1), build(rows[~yes[rows]], left - 1)
        return (leaf_with(problem, rows, int(rng.integers(dataset.n_classes))),)

    return assemble(problem, build(np.arange(dataset.n_samples), depth))


def _question(view: BinaryView, rng: np.random.Generator) -> tuple[Predicate, np.ndarray]:
    q = int(rng.integers(len(view.predicates)))
    return view.predicates[q], view.bits[:, q].astype(bool)
