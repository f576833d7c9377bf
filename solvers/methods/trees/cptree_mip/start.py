"""First trees, so that the solver begins with something to beat: what other methods find in little time.

A tree counts only if it keeps all rules of the model, whoever made it.
"""

from collections.abc import Callable, Iterator

import numpy as np

from solvers.errors import UnsupportedError
from solvers.methods.mip.menu import Menu
from solvers.methods.mip.model import Program
from solvers.methods.search.deadline import Deadline
from solvers.methods.trees.cart import cart_splits
from solvers.methods.trees.contree import ConTree
from solvers.methods.trees.cptree_mip.branches import Branches
from solvers.methods.trees.cptree_mip.forms import LeafForm, Node, cost, grown, recognised
from solvers.methods.trees.cptree_mip.local_search import climbed, kicked
from solvers.problem import Limits, Orders

SHARE, MOST_SECONDS = 0.1, 5.0
"""How long first trees may be looked for: this share of the time each, and no longer than this."""

KICKS = 30
"""Climbs from a tree that was changed at random."""

Starts = Callable[[Branches, Program, Limits, Deadline], Iterator[Node]]


def first_trees(tree: Branches, program: Program, limits: Limits, deadline: Deadline) -> Iterator[Node]:
    """Single leaves; CART's tree over the questions of the menu; trees made better step by step; and one of the exact
    search.

    Steps are for constraints, which CART does not know. The exact search takes part where it takes the constraints. Its
    tree is a start, its bound is not used: what is proved here is proved by the model alone.
    """
    leaves = [LeafForm(label) for label in range(tree.problem.dataset.n_classes)]
    yield from leaves
    if deadline.due() or not tree.n_places:
        return
    greedy = grown(tree, cart_splits(tree.problem, _as_orders(tree.menu), limits.seed))
    yield greedy
    left = deadline.seconds_left
    seconds = MOST_SECONDS if left is None else min(MOST_SECONDS, SHARE * left)
    if tree.rules:
        yield from _climbs(tree, program, [greedy, *leaves], limits.seed, deadline.within(seconds))
    if deadline.due() or ConTree().check(tree.problem):
        return
    brief = Limits(seconds, memory_mb=limits.memory_mb)
    try:
        diagram = ConTree().run(tree.problem, brief, lambda event: None, deadline).diagram
    except UnsupportedError:  # it needs more memory than there is
        return
    known = None if diagram is None else recognised(tree, diagram)
    if known is not None:
        yield known


def _climbs(tree: Branches, program: Program, roots: list[Node], seed: int, deadline: Deadline) -> Iterator[Node]:
    """Climbs from these trees, and then from the best tree with a place of it changed at random."""
    rng, best = np.random.default_rng(seed), None
    for attempt in range(len(roots) + KICKS):
        if deadline.due():
            return
        root = roots[attempt] if attempt < len(roots) else kicked(tree, best or roots[-1], rng)
        for better in climbed(tree, program, root, deadline):
            if best is None or cost(tree, better) < cost(tree, best):
                best = better
                yield best


def _as_orders(menu: Menu) -> Orders:
    """The families of a menu as question orders of their own, for a method that searches in orders."""
    families = [menu.orders.orders[family.order] for family in menu.families]
    none = np.full(len(menu), -1, np.int32)
    columns = np.array([family.column for family in menu.families], np.int32)
    return Orders(tuple(families), np.ascontiguousarray(menu.rank[:, menu.cell]), columns, none, none)
