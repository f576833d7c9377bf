"""From a tree of rank questions with given answers to a `Diagram`, and from fixed questions to rank questions."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from solvers.constraints.rules import Path
from solvers.diagram import Diagram
from solvers.methods.trees.coupled.rule_arrays import Posted
from solvers.methods.trees.coupled.search import Question
from solvers.methods.trees.coupled.weighted_sums import Tree
from solvers.methods.trees.slots import path_to
from solvers.methods.trees.tree_of_splits import Tree as DiagramTree
from solvers.methods.trees.tree_of_splits import assemble, is_larger, leaf_with, may_choose_missing
from solvers.problem import Op, Predicate, Problem

Fixed = tuple[tuple[Path, Question], ...]


def fixed_questions(problem: Problem, posted: Posted) -> Fixed | None:
    """The questions that stand at given places; `None` where the search cannot ask one of them."""
    fixed: list[tuple[Path, Question]] = []
    for slot, predicate in posted.asked.fixed.items():
        question = _as_ranks(problem, posted, predicate)
        if question is None:
            return None
        fixed.append((path_to(slot), question))
    return tuple(fixed)


def _as_ranks(problem: Problem, posted: Posted, predicate: Predicate) -> Question | None:
    column = problem.dataset.schema.index(predicate.column)
    yes = predicate.answer(problem.dataset.X[:, column])
    for f in np.flatnonzero(posted.asked.searched.column == column).tolist():
        rank = posted.asked.searched.rank[f]
        for first_is_yes in (True, False):
            first = yes if first_is_yes else ~yes
            if first.any() and not first.all() and rank[first].max() < rank[~first].min():
                return f, int(rank[first].max()), first_is_yes
    return None


@dataclass(frozen=True)
class Cut:
    """Where a question of an order lies between the rows of a node, and what a missing value answers.

    low, high : neighbouring ranks of the problem's order; missing_low : whether the missing go with the low ranks where
        the order itself does not say.
    """

    low: int
    high: int
    missing_low: bool


Side = tuple[int, ...]
"""A place in a tree by sides: 0 for the first, 1 for the second."""


def write(problem: Problem, posted: Posted, tree: Tree, cuts: Mapping[Side, Cut] | None = None) -> Diagram:
    """The diagram of a tree, with thresholds in their permitted ranges and fixed questions as they were given.

    A threshold lies near the middle between the rows of its node, and a missing value that the training rows never had
    at a node goes to the larger side (by weight), unless `cuts` says otherwise for the node.
    """
    dataset = problem.dataset
    asked, orders = posted.asked, posted.asked.orders
    given = {path_to(slot): predicate for slot, predicate in asked.fixed.items()}
    cuts = cuts or {}

    def build(node: Tree, rows: np.ndarray, side: Side, place: Path) -> DiagramTree:
        if len(node) == 1:
            return (leaf_with(problem, rows, node[0]),)
        f, last, first, second = node
        low = posted.orders.rank[f, posted.row[rows]] <= last
        cut = cuts.get(side) or cut_of(problem, posted, f, rows, low)
        order = int(asked.kept[f])
        column = int(orders.column[order])
        predicate, low_is_yes = orders.question(
            order, cut.low, cut.high, missing=cut.missing_low, within=asked.within.get(column)
        )
        if may_choose_missing(problem, column, rows) and predicate.op is not Op.MISSING:
            predicate = replace(predicate, missing=cut.missing_low == low_is_yes)
        if place in given:
            # a tree that does not keep to it is written as it is
            yes = given[place].answer(dataset.X[rows, dataset.schema.index(given[place].column)])
            if (yes == low).all() or (yes != low).all():
                predicate, low_is_yes = given[place], bool(yes[low][0])
        low_tree = build(first, rows[low], (*side, 0), (*place, low_is_yes))
        high_tree = build(second, rows[~low], (*side, 1), (*place, not low_is_yes))
        return (predicate, low_tree, high_tree) if low_is_yes else (predicate, high_tree, low_tree)

    return assemble(problem, build(tree, np.arange(dataset.n_samples), (), ()))


def cut_of(problem: Problem, posted: Posted, f: int, rows: np.ndarray, low: np.ndarray) -> Cut:
    """The cut of a question between the rows of its node, which `low` divides."""
    rank = posted.asked.orders.rank[posted.asked.kept[f], rows]
    return Cut(int(rank[low].max()), int(rank[~low].min()), is_larger(problem, rows, low))
