"""From a tree of ranks to a diagram: every question is kept, also one that saves nothing."""

import numpy as np

from solvers.diagram import Diagram
from solvers.methods.trees.near_optimal.iteration import RankTree
from solvers.methods.trees.near_optimal.table import CellTable
from solvers.methods.trees.tree_of_splits import Tree, assemble, leaf_of, rank_question


def write(table: CellTable, tree: RankTree) -> Diagram:
    """The diagram of a tree, with thresholds near the middle between the rows of their nodes."""
    problem, asked = table.problem, table.asked

    def build(node: RankTree, rows: np.ndarray) -> Tree:
        if not node:
            return (leaf_of(problem, rows),)
        order, last = int(asked.kept[node[0]]), int(asked.lasts[node[0]][node[1]])
        low = asked.orders.rank[order, rows] <= last
        predicate, low_is_yes = rank_question(problem, asked.orders, rows, order, last, asked.within)
        first, second = build(node[2], rows[low]), build(node[3], rows[~low])
        return (predicate, first, second) if low_is_yes else (predicate, second, first)

    return assemble(problem, build(tree, np.arange(problem.dataset.n_samples)))
