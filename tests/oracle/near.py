"""All near-optimal trees, one by one."""

from __future__ import annotations

from typing import NamedTuple

from solvers.diagram import Diagram
from solvers.problem import Dataset, Problem
from tests.oracle.table import Table, tree_of
from tests.oracle.table import Tree as Questions
from tests.oracle.trees import Parts

Tree = tuple
"""`(prediction,)`, or `(column, the two sides as a frozenset of (rows, tree))`: the yes side is not marked.
Rows are the bits of a number.
"""


class Judged(NamedTuple):
    """A tree with its cost in the units of the problem, its leaves and its columns."""

    tree: Tree
    cost: int
    leaves: int
    columns: frozenset[int]


def near_trees(problem: Problem, most: int) -> list[Judged]:
    """Every tree of the problem that costs at most `most`, each once."""
    search = Parts(problem)
    sides = [(question.column, search.table.yes(question)) for question in search.table.questions()]

    def units(cost: int) -> int:
        return cost * problem.scale // search.prices.unit

    def trees(mask: int, depth: int) -> list[Judged]:
        costs = search.costs(mask)
        leaf = Judged((costs.index(min(costs)),), units(min(costs)), 1, frozenset())
        found = {leaf.tree: leaf} if search.may_be_leaf(mask) else {}
        for column, side in sides if depth else ():
            yes, no = mask & side, mask & ~side
            if not (yes and no):
                continue
            for one in trees(yes, depth - 1):
                for two in trees(no, depth - 1):
                    if len(one.tree) == 1 and one.tree == two.tree:
                        continue
                    tree = column, frozenset({(yes, one.tree), (no, two.tree)})
                    cost = one.cost + two.cost + units(search.prices.question)
                    if cost <= most:
                        found[tree] = Judged(tree, cost, one.leaves + two.leaves, one.columns | two.columns | {column})
        return list(found.values())

    made = trees(search.everything, search.depth)
    return [judged for judged in made if judged.cost <= most and judged.leaves <= search.most_leaves]


def as_tree(diagram: Diagram, dataset: Dataset) -> Tree:
    """A tree of the program in the same form."""
    table = Table(dataset)

    def read(tree: Questions, mask: int) -> Tree:
        if len(tree) == 1:
            return tree
        yes = mask & table.yes(tree[0])
        return tree[0].column, frozenset({(yes, read(tree[1], yes)), (mask ^ yes, read(tree[2], mask ^ yes))})

    return read(tree_of(diagram, table), (1 << table.n) - 1)


def first_column(tree: Tree) -> int | None:
    """The column of the root split; `None` for a single leaf."""
    return tree[0] if len(tree) == 2 else None


def leaves_of(tree: Tree, rows: int) -> frozenset:
    """The rows of each leaf with its prediction."""
    if len(tree) == 1:
        return frozenset({(rows, tree[0])})
    return frozenset().union(*(leaves_of(below, side) for side, below in tree[1]))
