"""From the values of the variables to a tree, in families of the menu and cuts, and back."""

from __future__ import annotations

import numpy as np

from ..tree_of_splits import SplitTree, leaves_of, nodes_of
from .formulation import Branches


def read(tree: Branches, x: np.ndarray) -> SplitTree:
    """The tree that the values of the variables, float64 (n_variables,), describe."""
    splits = {0: tree.questions.cut(x, 0)} if tree.n_places and x[tree.asks[0]].max(initial=0.0) > 0.5 else {}
    for place in range(1, tree.n_places):
        if (place - 1) // 2 in splits and x[tree.asks[place]].max(initial=0.0) > 0.5:
            splits[place] = tree.questions.cut(x, place)
    labels = {slot: int(x[tree.answers[tree.branch_of(slot)]].argmax()) for slot in leaves_of(splits)}
    return SplitTree(splits, labels)


def write(tree: Branches, root: SplitTree) -> np.ndarray | None:
    """The values of all variables for a tree, float64 (n_variables,).

    `None` if the tree is too deep for the model, or has a leaf without rows.
    """
    values: list[tuple[np.ndarray, np.ndarray]] = []

    def put(at: np.ndarray) -> None:
        values.append((at, np.ones(at.shape)))

    for node, cells in nodes_of(tree.menu.rank, root.splits, np.arange(tree.menu.n_cells)):
        if node not in root.splits:
            if node > 2 * tree.n_places or not len(cells):
                return None
            branch, label = tree.branch_of(node), root.labels[node]
            put(tree.answers[branch, [label]])
            put(tree.ends[cells[tree.counted[cells, label]], branch, label])
        elif node < tree.n_places:
            values += tree.questions.written(node, root.splits[node])
    return tree.model.complete(values)
