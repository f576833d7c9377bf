"""Slow, obvious oracles: written from the definitions alone, with nothing of the library but its types."""

from __future__ import annotations

import math

import numpy as np

from solvers.diagram import Diagram, Leaf
from solvers.problem import Dataset, Kind, MissingPolicy, Op, Problem


def questions(dataset: Dataset) -> list[np.ndarray]:
    """The answers, bool (n_samples,), to every question that may be asked, with repetitions."""
    answers: list[np.ndarray] = []
    for j, column in enumerate(dataset.schema.columns):
        x = dataset.X[:, j]
        gone = np.isnan(x)
        if dataset.schema.missing is MissingPolicy.IMPUTE and gone.any() and column.fill is not None:
            x = np.where(gone, column.fill, x)
        for value in set(x[~np.isnan(x)].tolist()):
            yes = np.array([v == value if column.kind is Kind.CATEGORICAL else v <= value for v in x.tolist()])
            answers.append(yes)
            if dataset.schema.missing is MissingPolicy.INFORMATION:
                answers.append(yes | gone)
        answers.append(gone)
    return answers


def optimum(problem: Problem) -> int:
    """The least cost of a tree within the shape, by trying everything without remembering anything."""
    asked, y, weights = questions(problem.dataset), problem.dataset.y.tolist(), problem.weights.tolist()

    def cost_of_leaf(rows: list[int]) -> int:
        total = sum(weights[i] for i in rows)
        return total - max(sum(weights[i] for i in rows if y[i] == k) for k in range(problem.dataset.n_classes))

    def best(rows: list[int], depth: int, leaves: int) -> int:
        cost = cost_of_leaf(rows)
        if depth == 0 or leaves < 2 or cost == 0:
            return cost
        for answer in asked:
            yes, no = [i for i in rows if answer[i]], [i for i in rows if not answer[i]]
            if yes and no:
                for share in range(1, leaves):
                    cost = min(cost, best(yes, depth - 1, share) + best(no, depth - 1, leaves - share))
        return cost

    leaves = 2**problem.shape.depth if problem.shape.leaves is None else problem.shape.leaves
    return best(list(range(len(y))), problem.shape.depth, min(leaves, 2**problem.shape.depth))


def predict(diagram: Diagram, dataset: Dataset) -> list[int]:
    """The predicted class of each row, by walking the diagram a row at a time."""
    labels = []
    for row in dataset.X:
        node = diagram.nodes[0]
        while not isinstance(node, Leaf):
            asked = node.predicate
            value = float(row[dataset.schema.names.index(asked.column)])
            if math.isnan(value):
                yes = asked.missing
            elif asked.op is Op.MISSING:
                yes = False
            elif asked.op is Op.IS:
                yes = value == asked.value
            else:
                yes = value <= asked.value
            node = diagram.nodes[node.yes if yes else node.no]
        labels.append(node.label)
    return labels


def cost(problem: Problem, labels: list[int]) -> int:
    """The total weight of the wrong rows."""
    return sum(w for w, y, label in zip(problem.weights.tolist(), problem.dataset.y, labels, strict=True) if y != label)


def entropy(weights: list[float]) -> float:
    """The entropy of shares in proportion to these weights, in bits."""
    total = sum(weights)
    return -sum(w / total * math.log2(w / total) for w in weights if w > 0)


def gain(labels: list[int], weights: list[float], yes: list[bool]) -> tuple[float, float]:
    """The information gain of a split, and its gain ratio; both sides must have rows."""

    def by_class(side: list[bool]) -> list[float]:
        return [
            sum(w for w, y, s in zip(weights, labels, side, strict=True) if s and y == k)
            for k in range(max(labels) + 1)
        ]

    no = [not answer for answer in yes]
    everything, first, second = by_class([True] * len(labels)), by_class(yes), by_class(no)
    inside = (sum(first) * entropy(first) + sum(second) * entropy(second)) / sum(everything)
    gained = entropy(everything) - inside
    return gained, gained / entropy([sum(first), sum(second)])
