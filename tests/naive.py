"""Slow, obvious oracles: written from the definitions alone, with nothing of the library but its types."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from solvers.diagram import Diagram, Leaf
from solvers.problem import Dataset, Kind, MissingPolicy, Op, Problem, Shape


def questions(dataset: Dataset) -> list[np.ndarray]:
    """The answers, bool (n_samples,), to every question that may be asked, with repetitions."""
    return [answers for _, answers in questions_by_column(dataset)]


def questions_by_column(dataset: Dataset) -> list[tuple[int, np.ndarray]]:
    """The same, each with the number of the column that it asks about."""
    found: list[tuple[int, np.ndarray]] = []
    for j, column in enumerate(dataset.schema.columns):
        x = dataset.X[:, j]
        gone = np.isnan(x)
        if dataset.schema.missing is MissingPolicy.IMPUTE and gone.any() and column.fill is not None:
            x = np.where(gone, column.fill, x)
        for value in set(x[~np.isnan(x)].tolist()):
            yes = np.array([v == value if column.kind is Kind.CATEGORICAL else v <= value for v in x.tolist()])
            found.append((j, yes))
            if dataset.schema.missing is MissingPolicy.INFORMATION:
                found.append((j, yes | gone))
        found.append((j, gone))
    return found


def class_costs(problem: Problem) -> list[list[Fraction]]:
    """What a row of each class costs by its prediction, in the user's units."""
    given, n = problem.objective.class_costs, problem.dataset.n_classes
    if given is None:
        return [[Fraction(true != label) for label in range(n)] for true in range(n)]
    return [[Fraction(str(price)) for price in row] for row in given]


def weights(problem: Problem) -> list[Fraction]:
    """The weights of the rows, in the user's units."""
    dataset = problem.dataset
    return [Fraction(1)] * len(dataset.y) if dataset.weight is None else [Fraction(str(w)) for w in dataset.weight]


def may_be_leaf(shape: Shape, weight: list[Fraction]) -> bool:
    """Whether a leaf may hold just the rows of these weights."""
    return len(weight) >= shape.min_samples_leaf and sum(weight) >= Fraction(str(shape.min_weight_leaf))


def optimum(problem: Problem) -> tuple[int, int] | None:
    """The least cost of a tree within the shape, in whole units, and the fewest splits of a tree of that cost; `None`
    where there is no tree. Everything is tried, and nothing remembered.
    """
    all_answers, y, weight = questions(problem.dataset), problem.dataset.y.tolist(), weights(problem)
    prices = class_costs(problem)
    by_row = [[int(w * price * problem.scale) for price in prices[k]] for w, k in zip(weight, y, strict=True)]
    split = int(Fraction(str(problem.objective.split_cost)) * problem.scale)

    def allowed(rows: list[int]) -> bool:
        return may_be_leaf(problem.shape, [weight[i] for i in rows])

    def best(rows: list[int], depth: int, leaves: int) -> tuple[int, int]:
        found = min(sum(by_row[i][label] for i in rows) for label in range(problem.dataset.n_classes)), 0
        if depth == 0 or leaves < 2 or found[0] == 0:
            return found
        for answer in all_answers:
            yes, no = [i for i in rows if answer[i]], [i for i in rows if not answer[i]]
            if yes and no and allowed(yes) and allowed(no):
                for share in range(1, leaves):
                    first, second = best(yes, depth - 1, share), best(no, depth - 1, leaves - share)
                    found = min(found, (first[0] + second[0] + split, first[1] + second[1] + 1))
        return found

    everything = list(range(len(y)))
    if not allowed(everything):
        return None
    leaves = 2**problem.shape.max_depth if problem.shape.max_leaf_nodes is None else problem.shape.max_leaf_nodes
    return best(everything, problem.shape.max_depth, min(leaves, 2**problem.shape.max_depth))


def predict(diagram: Diagram, dataset: Dataset) -> list[int]:
    """The predicted class of each row, by walking the diagram a row at a time."""
    labels = []
    for row in dataset.X:
        node = diagram.nodes[0]
        while not isinstance(node, Leaf):
            predicate = node.predicate
            value = float(row[dataset.schema.names.index(predicate.column)])
            if math.isnan(value):
                yes = predicate.missing
            elif predicate.op is Op.MISSING:
                yes = False
            elif predicate.op is Op.IS:
                yes = value == predicate.value
            else:
                yes = value <= predicate.value
            node = diagram.nodes[node.yes if yes else node.no]
        labels.append(node.label)
    return labels


def cost(problem: Problem, labels: list[int], n_splits: int) -> int:
    """What the answers and the splits cost, in whole units."""
    prices, y = class_costs(problem), problem.dataset.y.tolist()
    paid = sum(w * prices[k][label] for w, k, label in zip(weights(problem), y, labels, strict=True))
    total = (paid + n_splits * Fraction(str(problem.objective.split_cost))) * problem.scale
    assert total.denominator == 1, "the scale must make every cost whole"
    return int(total)


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
