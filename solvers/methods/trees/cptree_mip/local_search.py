"""A tree made better step by step, under all rules: a start where greedy trees break a rule.

A step changes one place: a leaf answers something else or asks a question, a question becomes another one, or a leaf.
Of each family of questions at each place only the few cheapest steps are tried, so that rules which forbid what is
cheapest leave something to try; and whether a tree keeps the rules is asked of the model itself.
"""

from collections.abc import Iterator
from dataclasses import replace
from heapq import nsmallest
from itertools import product

import numpy as np

from solvers.constraints.rules import Path
from solvers.methods.mip.model import Program
from solvers.methods.search.deadline import Deadline
from solvers.methods.trees.cptree_mip.branches import Branches
from solvers.methods.trees.cptree_mip.forms import LeafForm, Node, SplitForm, walk, write
from solvers.methods.trees.slots import path_to

FEW = 3
"""Steps that are tried of each family at each place."""

Step = tuple[int, int, Node]
"""What the tree costs after it, in units of the objective, and which place gets which subtree."""


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
    change = np.bincount(rank, yes - no, n_cuts + 1)[:n_cuts].cumsum()
    some = np.bincount(rank, minlength=n_cuts + 1)[:n_cuts]  # another cut divides the cells as the one before it
    cuts = np.flatnonzero(some & (np.arange(n_cuts) < rank.max(initial=0)))
    total = int(no.sum())
    return nsmallest(FEW, ((total + int(change[cut]), int(cut)) for cut in cuts))
