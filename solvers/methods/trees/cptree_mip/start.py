"""First trees from other methods, so that the solver has an incumbent from the start.

A tree counts only if it satisfies all rules of the model, whatever its source.
"""

from collections.abc import Callable, Iterator

import numpy as np

from ....errors import UnsupportedError
from ....problem import Limits, Orders
from ...mip.menu import Menu
from ...search.deadline import Deadline
from ..cart import cart_splits
from ..contree import ConTree
from ..tree_of_splits import RankTree
from .branches import Branches
from .forms import tree_from_diagram, tree_from_splits

SHARE, MOST_SECONDS = 0.1, 5.0
"""Limits of the exact search for a first tree: this share of the remaining time, and at most this many seconds."""

Starts = Callable[[Branches, Limits, Deadline], Iterator[RankTree]]


def first_trees(tree: Branches, limits: Limits, deadline: Deadline) -> Iterator[RankTree]:
    """Single leaves, CART's tree over the splits of the menu, and a tree of the exact search.

    The exact search is used if it supports the constraints. Its tree is a start; its bound is not used, so all proofs
    come from the model alone.
    """
    yield from ((label,) for label in range(tree.problem.dataset.n_classes))
    if deadline.due() or not tree.n_places:
        return
    yield tree_from_splits(tree, cart_splits(tree.problem, _as_orders(tree.menu), limits.seed))
    left = deadline.seconds_left
    seconds = MOST_SECONDS if left is None else min(MOST_SECONDS, SHARE * left)
    if deadline.due() or ConTree().check(tree.problem):
        return
    brief = Limits(seconds, memory_mb=limits.memory_mb)
    try:
        diagram = ConTree().run(tree.problem, brief, lambda event: None, deadline).diagram
    except UnsupportedError:  # it needs more memory than the limit
        return
    known = None if diagram is None else tree_from_diagram(tree, diagram)
    if known is not None:
        yield known


def _as_orders(menu: Menu) -> Orders:
    """The families of a menu as separate question orders, for a method that searches in orders."""
    families = [menu.orders.orders[family.order] for family in menu.families]
    none = np.full(len(menu), -1, np.int32)
    columns = np.array([family.column for family in menu.families], np.int32)
    return Orders(tuple(families), np.ascontiguousarray(menu.rank[:, menu.cases.of_row]), columns, none, none)
