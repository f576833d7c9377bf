"""First trees, so that the solver begins with something to beat: what other methods find, and a local search.

A tree counts only if it keeps all rules of the model, whoever made it. Where greedy trees break a rule, one is made
better step by step.
A step changes one place: a leaf answers something else or asks a question, a question becomes another one, or a leaf.
Of each family of questions at each place only the few cheapest steps are tried, so that rules which forbid what is
cheapest leave something to try; and whether a tree keeps the rules is asked of the model itself.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from heapq import nsmallest
from itertools import product

import numpy as np

from solvers.constraints.rules import Path
from solvers.errors import UnsupportedError
from solvers.methods.cells import added_up
from solvers.methods.mip.menu import Menu
from solvers.methods.mip.model import Program
from solvers.methods.search.deadline import Deadline
from solvers.methods.trees.cart import cart_splits
from solvers.methods.trees.contree import ConTree
from solvers.methods.trees.cptree_mip.branches import Branches
from solvers.methods.trees.cptree_mip.forms import LeafForm, Node, SplitForm, cost, grown, recognised, walk, write
from solvers.methods.trees.slots import path_to
from solvers.problem import Limits, Orders

FEW = 3
"""Steps that are tried of each family at each place."""

Step = tuple[int, int, Node]
"""What the tree costs after it, in units of the objective, and which place gets which subtree."""

SHARE, MOST_SECONDS = 0.1, 5.0
"""How long first trees may be looked for: this share of the time each, and no longer than this."""

KICKS = 30
"""Climbs from a tree that was changed at random."""

Starts = Callable[[Branches, Program, Limits, Deadline], Iterator[Node]]


def climbed(tree: Branches, program: Program, root: Node, deadline: Deadline) -> Iterator[Node]:
    """Better and better trees that keep all rules, from a tree that need not keep them."""

    def keeps(candidate: Node) -> bool:
        x = write(tree, candidate)
        return x is not None and program.keeps(x)

    valid = keeps(root)
    while not deadline.due():
        for _, place, subtree in sorted(_steps(tree, root, valid), key=lambda step: step[0]):
            candidate = _put(root, path_to(place), subtree)
            if deadline.due():
                return
            if keeps(candidate):
                root, valid = candidate, True
                yield root
                break
        else:
            return


def _put(root: Node, path: Path, subtree: Node) -> Node:
    """The tree with another subtree at a place."""
    if not path:
        return subtree
    assert isinstance(root, SplitForm), "a path leads through questions"
    if path[0]:
        return replace(root, yes=_put(root.yes, path[1:], subtree))
    return replace(root, no=_put(root.no, path[1:], subtree))


def kicked(tree: Branches, root: Node, rng: np.random.Generator) -> Node:
    """The tree with any question at any place, to begin another climb from."""
    places = [place for place, _, _ in walk(tree.menu, root) if place < tree.n_places]
    family = int(rng.integers(len(tree.menu)))
    cut, labels = int(rng.integers(tree.menu.n_cuts[family])), rng.integers(tree.costs.shape[1], size=2)
    return _put(
        root, path_to(int(rng.choice(places))), SplitForm(family, cut, *(LeafForm(int(label)) for label in labels))
    )


def _steps(tree: Branches, root: Node, cheaper: bool) -> Iterator[Step]:
    """The steps to try; only those that make the tree cheaper, unless any tree will do."""
    everything = _price(tree, root, np.arange(tree.menu.n_cells))
    for place, what, cells in walk(tree.menu, root):
        here = _price(tree, what, cells)
        for price, subtree in _options(tree, what, cells, place < tree.n_places):
            if price < here or not cheaper:
                yield everything - here + price, place, subtree


def _price(tree: Branches, root: Node, cells: np.ndarray) -> int:
    """What a tree costs for these cells, in units of the objective."""
    return int(_paid(tree, root, cells).sum()) + _splits_price(tree, root)


def _splits_price(tree: Branches, root: Node) -> int:
    if isinstance(root, LeafForm):
        return 0
    return tree.problem.split_cost // tree.unit + _splits_price(tree, root.yes) + _splits_price(tree, root.no)


def _paid(tree: Branches, root: Node, cells: np.ndarray) -> np.ndarray:
    """What each cell costs in a tree, int64 (n_cells,); 0 for the cells that are not asked about."""
    paid = np.zeros(tree.menu.n_cells, np.int64)
    for _, what, here in walk(tree.menu, root, cells=cells):
        if isinstance(what, LeafForm):
            paid[here] = tree.costs[here, what.label]
    return paid


def _options(tree: Branches, what: Node, cells: np.ndarray, may_ask: bool) -> Iterator[tuple[int, Node]]:
    """What could stand at a place instead, with its price."""
    costs, labels = tree.costs[cells], range(tree.costs.shape[1])
    for label in labels:
        yield int(costs[:, label].sum()), LeafForm(label)
    if not may_ask:
        return
    for first, second in product(labels, labels):
        if first != second:
            yield from _asking(tree, SplitForm(0, 0, LeafForm(first), LeafForm(second)), cells)
    if isinstance(what, SplitForm):
        yield from _asking(tree, what, cells)


def _asking(tree: Branches, what: SplitForm, cells: np.ndarray) -> Iterator[tuple[int, Node]]:
    """The same with another question, of each family the cheapest ones."""
    splits = _splits_price(tree, what)
    sides = _paid(tree, what.yes, cells)[cells], _paid(tree, what.no, cells)[cells]
    for family in range(len(tree.menu)):
        for price, cut in _cheapest(tree, family, cells, *sides):
            yield price + splits, replace(what, family=family, cut=cut)


def _cheapest(tree: Branches, family: int, cells: np.ndarray, yes: np.ndarray, no: np.ndarray) -> list[tuple[int, int]]:
    """The cheapest cuts that leave cells on both sides, where a cell costs `yes` on the one and `no` on the other."""
    rank, n_cuts = tree.menu.rank[family, cells], int(tree.menu.n_cuts[family])
    change = added_up(yes - no, rank, n_cuts + 1)[:n_cuts].cumsum()
    some = np.bincount(rank, minlength=n_cuts + 1)[:n_cuts]  # another cut divides the cells as the one before it
    cuts = np.flatnonzero(some & (np.arange(n_cuts) < rank.max(initial=0)))
    total = int(no.sum())
    return nsmallest(FEW, ((total + int(change[cut]), int(cut)) for cut in cuts))


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
