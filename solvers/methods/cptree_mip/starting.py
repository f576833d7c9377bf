"""First trees, so that the solver begins with something to beat: what other methods find in little time.

A tree counts only if it keeps all rules of the model, whoever made it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from solvers.methods.cart import cart_splits
from solvers.methods.contree import ConTree
from solvers.methods.cptree_mip.branches import Branches
from solvers.methods.cptree_mip.menu import Menu
from solvers.methods.cptree_mip.reading import Answer, Node, grown, recognised
from solvers.methods.cptree_mip.search import Ending
from solvers.problem import Limits, Orders

SHARE, MOST_SECONDS = 0.1, 5.0
"""How long the exact search may look for a first tree: this share of the time, and no longer than this."""

Starts = Callable[[Branches, Limits, Ending], Iterator[Node]]


def first_trees(tree: Branches, limits: Limits, ending: Ending) -> Iterator[Node]:
    """Single leaves; then CART's tree over the questions of the menu, and what the exact search finds for a start.

    The exact search takes part where it takes the constraints. Its tree is a start, its bound is not used: what is
    proved here is proved by the model alone.
    """
    for label in range(tree.problem.dataset.n_classes):
        yield Answer(label)
    if ending.due() or not tree.frame.n_nodes:
        return
    yield grown(tree, cart_splits(tree.problem, _as_orders(tree.menu), limits.seed))
    exact = ConTree()
    if ending.due() or exact.check(tree.problem):
        return
    left = ending.seconds_left
    seconds = MOST_SECONDS if left is None else min(MOST_SECONDS, SHARE * left)
    found = exact.run(tree.problem, Limits(seconds, memory_mb=limits.memory_mb), lambda event: None, ending).diagram
    known = None if found is None else recognised(tree, found)
    if known is not None:
        yield known


def _as_orders(menu: Menu) -> Orders:
    """The families of a menu as question orders of their own, for a method that searches in orders."""
    families = [menu.orders.orders[family.order] for family in menu.families]
    none = np.full(len(menu), -1, np.int32)
    columns = np.array([family.column for family in menu.families], np.int32)
    return Orders(tuple(families), np.ascontiguousarray(menu.rank[:, menu.cell]), columns, none, none)
