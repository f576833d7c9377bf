"""Conversions between the forms of a tree: nested (families of the menu and cuts), values of variables, `Diagram`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....constraints.rules import FixedQuestion
from ....diagram import Diagram, Leaf
from ....problem import Predicate
from ...mip.menu import Menu
from ..tree_of_splits import RankTree, Tree, assemble, leaf_with
from .formulation import Branches


def read(tree: Branches, x: np.ndarray, node: int = 0) -> RankTree:
    """The tree that the values of the variables, float64 (n_variables,), describe below a node."""
    asks = x[tree.asks[node]] if node < tree.n_places else np.empty(0)
    if asks.max(initial=0.0) < 0.5:
        return (int(x[tree.answers[tree.branch_of(node)]].argmax()),)
    return *tree.questions.cut(x, node), read(tree, x, 2 * node + 1), read(tree, x, 2 * node + 2)


def write(tree: Branches, root: RankTree) -> np.ndarray | None:
    """The values of all variables for a tree, float64 (n_variables,).

    `None` if the tree is too deep for the model, or has a leaf without rows.
    """
    values: list[tuple[np.ndarray, np.ndarray]] = []

    def put(at: np.ndarray) -> None:
        values.append((at, np.ones(at.shape)))

    for node, what, cells in walk(tree.menu, root):
        if len(what) == 1:
            if node > 2 * tree.n_places or not len(cells):
                return None
            branch, label = tree.branch_of(node), what[0]
            put(tree.answers[branch, [label]])
            put(tree.ends[cells[tree.counted[cells, label]], branch, label])
        elif len(what) == 4 and node < tree.n_places:
            values += tree.questions.written(node, what[:2])
    return tree.model.complete(values)


def walk(
    menu: Menu, root: RankTree, node: int = 0, cells: np.ndarray | None = None
) -> Iterator[tuple[int, RankTree, np.ndarray]]:
    """All nodes, top-down, each with its number in the complete tree and the cells that reach it."""
    cells = np.arange(menu.n_cells) if cells is None else cells
    yield node, root, cells
    if len(root) == 4:
        family, cut, first, second = root
        yes = menu.rank[family, cells] <= cut
        yield from walk(menu, first, 2 * node + 1, cells[yes])
        yield from walk(menu, second, 2 * node + 2, cells[~yes])


def tree_from_diagram(tree: Branches, diagram: Diagram) -> RankTree | None:
    """The tree of another method; `None` if it has splits that the menu lacks."""

    def build(i: int) -> RankTree | None:
        what = diagram.nodes[i]
        if isinstance(what, Leaf):
            return (what.label,)
        places = tree.menu.places(what.predicate) if isinstance(what.predicate, Predicate) else ()
        yes, no = build(what.yes), build(what.no)
        if not places or yes is None or no is None:
            return None
        family, cut, low_is_yes = places[0]
        return (family, cut, yes, no) if low_is_yes else (family, cut, no, yes)

    return build(0)


def simplify(tree: Branches, root: RankTree) -> RankTree:
    """The tree with the cheapest predictions, without splits that save nothing or make leaves that are too small."""
    price = tree.problem.split_penalty // tree.unit
    rows, weight = tree.cases.rows, tree.cases.weight

    def small(cells: np.ndarray) -> bool:
        few = rows[cells].sum() < max(1, tree.problem.size.min_samples_leaf)
        return bool(few or weight[cells].sum() < tree.problem.min_weight_leaf)

    def simplify(what: RankTree, cells: np.ndarray) -> tuple[RankTree, int]:
        by_label = tree.costs[cells].sum(axis=0)
        leaf = (int(by_label.argmin()),), int(by_label.min())
        if len(what) != 4:
            return leaf
        family, cut, *sides = what
        yes = tree.menu.rank[family, cells] <= cut
        if yes.all() or not yes.any():
            return simplify(sides[not yes.all()], cells)
        if small(cells[yes]) or small(cells[~yes]):
            return leaf
        (first, first_cost), (second, second_cost) = simplify(sides[0], cells[yes]), simplify(sides[1], cells[~yes])
        below = first_cost + second_cost + price
        if first == second and len(first) == 1:
            return leaf
        return leaf if below >= leaf[1] else ((family, cut, first, second), below)

    return simplify(root, np.arange(tree.menu.n_cells))[0]


def diagram(tree: Branches, root: RankTree) -> Diagram:
    """The tree as a diagram of splits on the user's columns."""
    problem, menu = tree.problem, tree.menu
    fixed = {tree.place_of(rule): rule.predicate for rule in tree.rules.of(FixedQuestion)}

    def build(what: RankTree, node: int, rows: np.ndarray) -> Tree:
        if len(what) == 1:
            return (leaf_with(problem, rows, what[0]),)
        assert len(what) == 4, "the leaves of these trees have answers"
        family, cut, *sides = what
        yes = menu.rank[family, menu.cases.of_row[rows]] <= cut
        first, second = build(sides[0], 2 * node + 1, rows[yes]), build(sides[1], 2 * node + 2, rows[~yes])
        if node in fixed:
            question, low_is_yes = fixed[node], menu.places(fixed[node])[0][2]
        else:
            question, low_is_yes = menu.splits.question(problem, rows, family, cut)
        return (question, first, second) if low_is_yes else (question, second, first)

    return assemble(problem, build(root, 0, np.arange(problem.dataset.n_samples)))
