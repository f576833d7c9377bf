"""From a tree of rank questions with given answers to a `Diagram`, and from fixed questions to rank questions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from solvers.constraints.rules import Path
from solvers.diagram import Diagram, Leaf
from solvers.methods.fronts.posting import Posted
from solvers.methods.fronts.search import Question
from solvers.methods.fronts.weighting import Tree
from solvers.methods.growing import assemble
from solvers.problem import MissingPolicy, Predicate, Problem

Fixed = tuple[tuple[Path, Question], ...]


def fixed_questions(problem: Problem, posted: Posted) -> Fixed | None:
    """The questions that stand at given places; `None` where the search cannot ask one of them."""
    found = [(_path(slot), _as_ranks(problem, posted, asked)) for slot, asked in posted.asked.fixed.items()]
    return None if any(question is None for _, question in found) else tuple(found)


def _path(slot: int) -> Path:
    """The answers that lead to a slot below fixed questions, whose yes sides are the first children."""
    path: Path = ()
    while slot:
        path, slot = (slot % 2 == 1, *path), (slot - 1) // 2
    return path


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


def write(problem: Problem, posted: Posted, tree: Tree) -> Diagram:
    """The diagram of a tree, with thresholds in their permitted ranges and fixed questions as they were given.

    A missing value that the training rows never had at a node goes to the larger side (by weight).
    """
    dataset, weights = problem.dataset, problem.weights
    asked, orders = posted.asked, posted.asked.orders
    given = {_path(slot): predicate for slot, predicate in asked.fixed.items()}
    as_information = dataset.schema.missing is MissingPolicy.INFORMATION

    def leaf(rows: np.ndarray, answer: int) -> Leaf:
        shown = np.bincount(
            dataset.y[rows], None if dataset.weight is None else dataset.weight[rows], dataset.n_classes
        )
        return Leaf(answer, tuple(float(count) for count in shown))

    def question(f: int, rows: np.ndarray, low: np.ndarray) -> tuple[Predicate, bool]:
        order = int(asked.kept[f])
        rank, column = orders.rank[order, rows], int(orders.column[order])
        low_is_larger = bool(weights[rows[low]].sum() >= weights[rows[~low]].sum())
        predicate, low_is_yes = orders.question(
            order,
            int(rank[low].max()),
            int(rank[~low].min()),
            missing=low_is_larger,
            within=asked.within.get(column),
        )
        if as_information and not np.isnan(dataset.X[rows, column]).any():
            predicate = replace(predicate, missing=low_is_larger)
        return predicate, low_is_yes

    def build(node: Tree, rows: np.ndarray, place: tuple[bool, ...]) -> tuple:
        if len(node) == 1:
            return (leaf(rows, node[0]),)
        f, last, first, second = node
        low = posted.orders.rank[f, posted.row[rows]] <= last
        predicate, low_is_yes = question(f, rows, low)
        if place in given:
            # a tree that does not keep to it is written as it is
            yes = given[place].answer(dataset.X[rows, dataset.schema.index(given[place].column)])
            if (yes == low).all() or (yes != low).all():
                predicate, low_is_yes = given[place], bool(yes[low][0])
        sides = [(first, rows[low]), (second, rows[~low])]
        yes, no = sides if low_is_yes else sides[::-1]
        return predicate, build(*yes, (*place, True)), build(*no, (*place, False))

    return assemble(problem, build(tree, np.arange(dataset.n_samples), ()))
