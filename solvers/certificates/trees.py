"""A learned tree over the questions of the cases."""

import numpy as np

from solvers.certificates.claims import PlainNode, PlainTree
from solvers.diagram import Diagram, Leaf
from solvers.methods.trees.smallest.cases import Asked
from solvers.problem import ShapeKind


def plain_tree(diagram: Diagram, asked: Asked) -> PlainTree | None:
    """A tree that divides the cases as a learned one does; questions that divide none of them are left out.

    `None` where the diagram is no tree, or asks something that no question of the cases does.
    """
    data = asked.original.dataset
    X = data.X[asked.first]

    def below(at: int, here: np.ndarray) -> PlainTree | None:
        node = diagram.nodes[at]
        if isinstance(node, Leaf):
            return node.label
        yes = node.predicate.holds(diagram.schema, X[here])
        if yes.all() or not yes.any():
            return below(node.yes if yes.all() else node.no, here)
        question = _question(asked.rank[:, here], yes)
        if question is None:
            return None
        order, last, low_is_yes = question
        low, high = (node.yes, node.no) if low_is_yes else (node.no, node.yes)
        one, two = below(low, here[yes == low_is_yes]), below(high, here[yes != low_is_yes])
        return None if one is None or two is None else PlainNode(order, last, one, two)

    if diagram.kind is not ShapeKind.TREE:
        return None
    return below(0, np.arange(asked.n_cases))


def _question(rank: np.ndarray, yes: np.ndarray) -> tuple[int, int, bool] | None:
    """An order and the highest low rank that divide cases like these answers, and whether low is yes."""
    for low_is_yes in (True, False):
        low, high = rank[:, yes == low_is_yes].max(axis=1), rank[:, yes != low_is_yes].min(axis=1)
        if (low < high).any():
            order = int(np.flatnonzero(low < high)[0])
            return order, int(low[order]), low_is_yes
    return None
