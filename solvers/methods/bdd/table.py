"""From a truth table over a few features to the reduced ordered diagram of it.

A truth table has a *cell* for each combination of answers. With the questions in an order, the cell number is read like
a line of the table: the answer to the first question is the highest bit, 1 for yes. A node of the diagram is a part of
the table whose two halves differ ('bead', Knuth 2009, section 7.1.4); equal parts are one node.

Example
-------
Of the order (a, b) and the answers (0, 0, 0, 1), the conjunction, the diagram asks a, on yes b, and has two leaves.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from solvers.diagram import Diagram, Leaf, Node, Split
from solvers.methods.bdd.features import Features
from solvers.problem import Problem, ShapeKind

Table = tuple[int, ...]


def cells_of(bits: np.ndarray, order: Sequence[int]) -> np.ndarray:
    """The cell of each row.

    Parameters
    ----------
    bits : uint8 (n_rows, n_features)
    order : the features, first asked first; at most 20.

    Returns
    -------
    int64 (n_rows,), from 0 to 2**len(order) - 1.
    """
    cell = np.zeros(len(bits), np.int64)
    for feature in order:
        cell = 2 * cell + bits[:, feature]
    return cell


def cell_costs(features: Features, order: Sequence[int]) -> np.ndarray:
    """What predicting each class costs in each cell, int64 (2**len(order), n_classes); 0 where a cell has no rows."""
    costs = np.zeros((2 ** len(order), features.costs.shape[1]), np.int64)
    np.add.at(costs, cells_of(features.rows, order), features.costs)
    return costs


def diagram_of(problem: Problem, features: Features, order: Sequence[int], labels: Sequence[int]) -> Diagram:
    """The reduced ordered diagram of a truth table, exactly as the table has it ('as solved').

    Parameters
    ----------
    problem : what is asked; gives classes and weights.
    features : its variables.
    order : the features (positions in `features.predicates`), first asked first. Those that make no difference are not
        asked.
    labels : the class of each cell, 2**len(order) of them; see the module for how cells are numbered. Every class that
        occurs must occur in a cell with rows.

    Returns
    -------
    Diagram of kind BDD with one leaf a class; nodes level by level.
    """
    nodes: list[tuple[int, int, int]] = []
    found: dict[tuple, int] = {}

    def build(table: Table, level: int) -> int:
        """The name of the node of a part of the table: -1 - class for a leaf, else its position in `nodes`."""
        if len(table) == 1:
            return -1 - table[0]
        half = len(table) // 2
        no, yes = build(table[:half], level + 1), build(table[half:], level + 1)
        if yes == no:
            return yes
        key = (level, yes, no)
        if key not in found:
            found[key] = len(nodes)
            nodes.append(key)
        return found[key]

    root = build(tuple(int(label) for label in labels), 0)
    return _written(problem, features, order, nodes, root)


def _written(
    problem: Problem, features: Features, order: Sequence[int], nodes: list[tuple[int, int, int]], root: int
) -> Diagram:
    """The diagram of the nodes (level, yes, no), level by level and the leaves last, with the rows counted."""
    used = sorted(range(len(nodes)), key=lambda name: (nodes[name][0], -name))
    leaves = sorted({end for node in nodes for end in node[1:] if end < 0} | ({root} if root < 0 else set()))[::-1]
    number = {name: i for i, name in enumerate([*used, *leaves])}
    splits: list[Node] = [
        Split(features.predicates[order[nodes[name][0]]], number[nodes[name][1]], number[nodes[name][2]])
        for name in used
    ]
    dataset = problem.dataset
    same = (dataset.schema, dataset.classes, dataset.outcome, dataset.positive)
    empty = (0.0,) * dataset.n_classes
    bare = Diagram(ShapeKind.BDD, *same, (*splits, *(Leaf(-1 - name, empty) for name in leaves)))
    counts = np.zeros((bare.n_nodes, dataset.n_classes))
    weight = np.ones(dataset.n_samples) if dataset.weight is None else dataset.weight
    np.add.at(counts, (bare.apply(dataset), dataset.y), weight)
    filled = [Leaf(-1 - name, tuple(counts[number[name]].tolist())) for name in leaves]
    return Diagram(ShapeKind.BDD, *same, (*splits, *filled))
