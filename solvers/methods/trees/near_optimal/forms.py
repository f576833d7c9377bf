"""From a tree of ranks to a diagram: every question is kept, also one that saves nothing."""

from dataclasses import replace

import numpy as np

from solvers.diagram import Diagram
from solvers.methods.trees.near_optimal.iteration import RankTree
from solvers.methods.trees.near_optimal.table import CellTable
from solvers.methods.trees.tree_of_splits import Tree, assemble, leaf_of
from solvers.problem import MissingPolicy


def write(table: CellTable, tree: RankTree) -> Diagram:
    """The diagram of a tree, with thresholds near the middle between the rows of their nodes.

    A missing value that the training rows never had at a node goes to the larger side (by weight).
    """
    problem, asked = table.problem, table.asked
    dataset, weights = problem.dataset, problem.weights
    as_information = dataset.schema.missing is MissingPolicy.INFORMATION

    def build(node: RankTree, rows: np.ndarray) -> Tree:
        if not node:
            return (leaf_of(problem, rows),)
        order, last = int(asked.kept[node[0]]), int(asked.lasts[node[0]][node[1]])
        column = int(asked.orders.column[order])
        rank = asked.orders.rank[order, rows]
        low = rank <= last
        low_is_larger = bool(weights[rows[low]].sum() >= weights[rows[~low]].sum())
        predicate, low_is_yes = asked.orders.question(
            order, int(rank[low].max()), int(rank[~low].min()), missing=low_is_larger, within=asked.within.get(column)
        )
        if as_information and not np.isnan(dataset.X[rows, column]).any():
            # of an order and its twin either may have been chosen here, so where it puts the missing says nothing
            predicate = replace(predicate, missing=low_is_larger)
        first, second = build(node[2], rows[low]), build(node[3], rows[~low])
        return (predicate, first, second) if low_is_yes else (predicate, second, first)

    return assemble(problem, build(tree, np.arange(dataset.n_samples)))
