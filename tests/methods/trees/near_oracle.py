"""All near-optimal trees by trying everything: slow, obvious, and with nothing of the library but its types."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from solvers.diagram import Diagram, Leaf
from solvers.problem import Dataset, Problem
from tests import naive

Tree = tuple
"""`(answer,)`, or `(column, the two sides as a frozenset of (rows, tree))`: which side is the yes side says nothing."""


class Judged(NamedTuple):
    """A tree with its cost, its leaves and the columns that it asks about."""

    tree: Tree
    cost: int
    leaves: int
    columns: frozenset[int]


def near_trees(problem: Problem, most: int) -> list[Judged]:
    """Every tree of the problem that costs at most `most`, each once."""
    answers, y, weight = naive.questions_by_column(problem.dataset), problem.dataset.y.tolist(), naive.weights(problem)
    prices = naive.class_costs(problem)
    by_row = [[int(w * price * problem.scale) for price in prices[k]] for w, k in zip(weight, y, strict=True)]
    split = int(Fraction(str(problem.objective.split_cost)) * problem.scale)
    n_classes = problem.dataset.n_classes

    def allowed(rows: frozenset[int]) -> bool:
        return bool(rows) and naive.may_be_leaf(problem.shape, [weight[i] for i in rows])

    def all_trees(rows: frozenset[int], depth: int) -> list[Judged]:
        costs = [sum(by_row[i][label] for i in rows) for label in range(n_classes)]
        leaf = Judged((costs.index(min(costs)),), min(costs), 1, frozenset())
        found = {leaf.tree: leaf}
        for column, answer in answers if depth else ():
            yes = frozenset(i for i in rows if answer[i])
            no = rows - yes
            if not (allowed(yes) and allowed(no)):
                continue
            for one in all_trees(yes, depth - 1):
                for two in all_trees(no, depth - 1):
                    if len(one.tree) == 1 and one.tree == two.tree:
                        continue
                    tree = column, frozenset({(yes, one.tree), (no, two.tree)})
                    columns = one.columns | two.columns | {column}
                    cost = one.cost + two.cost + split
                    if cost <= most:
                        found[tree] = Judged(tree, cost, one.leaves + two.leaves, columns)
        return list(found.values())

    everything = frozenset(range(len(y)))
    if not allowed(everything):
        return []
    leaves = 2**problem.shape.max_depth if problem.shape.max_leaf_nodes is None else problem.shape.max_leaf_nodes
    return [j for j in all_trees(everything, problem.shape.max_depth) if j.cost <= most and j.leaves <= leaves]


def as_tree(diagram: Diagram, dataset: Dataset) -> Tree:
    """A diagram in the same form, by the answers of the rows."""

    def read(number: int, rows: frozenset[int]) -> Tree:
        node = diagram.nodes[number]
        if isinstance(node, Leaf):
            return (node.label,)
        column = dataset.schema.names.index(node.predicate.column)
        answers = node.predicate.answer(dataset.X[:, column])
        yes = frozenset(i for i in rows if answers[i])
        return column, frozenset({(yes, read(node.yes, yes)), (rows - yes, read(node.no, rows - yes))})

    return read(0, frozenset(range(dataset.n_samples)))


def first_column(tree: Tree) -> int | None:
    """The column of the first question; `None` for a single leaf."""
    return tree[0] if len(tree) == 2 else None


def leaves_of(tree: Tree, rows: frozenset[int]) -> frozenset:
    """The rows of each leaf with the answer."""
    if len(tree) == 1:
        return frozenset({(rows, tree[0])})
    return frozenset().union(*(leaves_of(below, side) for side, below in tree[1]))
