"""From a tree of rank questions with given answers to a `Diagram`, and from fixed questions to rank questions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from solvers.constraints.rules import FixedQuestion, Rules, ThresholdRange
from solvers.diagram import Diagram, Leaf
from solvers.methods.fronts.posting import Posted
from solvers.methods.fronts.search import Question
from solvers.methods.fronts.weighting import Tree
from solvers.methods.growing import assemble
from solvers.problem import MissingPolicy, Op, Orders, Predicate, Problem

Fixed = tuple[tuple[tuple[bool, ...], Question], ...]


def fixed_questions(problem: Problem, posted: Posted, rules: Rules) -> Fixed | None:
    """The questions that stand at given places; `None` where one of them cannot be asked, or contradicts another rule."""
    found: dict[tuple[bool, ...], tuple[Predicate, Question]] = {}
    for rule in rules.of(FixedQuestion):
        asked = rule.predicate
        question = _as_ranks(problem, posted, asked)
        column = problem.dataset.schema.index(asked.column)
        outside = asked.op is Op.LE and any(
            not span.low <= asked.value <= span.high for span in rules.of(ThresholdRange) if span.column == column
        )
        other = found.get(rule.place, (asked, question))
        if question is None or outside or other[1] != question or other[0].value != asked.value:
            return None
        found[rule.place] = asked, question
    return tuple((place, question) for place, (_, question) in found.items())


def _as_ranks(problem: Problem, posted: Posted, predicate: Predicate) -> Question | None:
    column = problem.dataset.schema.index(predicate.column)
    yes = predicate.answer(problem.dataset.X[:, column])
    for f in np.flatnonzero(posted.orders.column == column).tolist():
        rank = posted.orders.rank[f, posted.row]
        for first_is_yes in (True, False):
            first = yes if first_is_yes else ~yes
            if first.any() and not first.all() and rank[first].max() < rank[~first].min():
                return f, int(rank[first].max()), first_is_yes
    return None


def write(problem: Problem, orders: Orders, posted: Posted, rules: Rules, tree: Tree) -> Diagram:
    """The diagram of a tree, with thresholds in their permitted ranges and fixed questions as they were given.

    A missing value that the training rows never had at a node goes to the larger side (by weight).
    """
    dataset, weights = problem.dataset, problem.weights
    given = {rule.place: rule.predicate for rule in rules.of(FixedQuestion)}
    as_information = dataset.schema.missing is MissingPolicy.INFORMATION

    def leaf(rows: np.ndarray, answer: int) -> Leaf:
        shown = np.bincount(
            dataset.y[rows], None if dataset.weight is None else dataset.weight[rows], dataset.n_classes
        )
        return Leaf(answer, tuple(float(count) for count in shown))

    def question(f: int, rows: np.ndarray, low: np.ndarray) -> tuple[Predicate, bool]:
        order = int(posted.position[f])
        rank = orders.rank[order, rows]
        low_is_larger = bool(weights[rows[low]].sum() >= weights[rows[~low]].sum())
        predicate, low_is_yes = orders.question(
            order, int(rank[low].max()), int(rank[~low].min()), missing=low_is_larger
        )
        if as_information and not np.isnan(dataset.X[rows, orders.column[order]]).any():
            predicate = replace(predicate, missing=low_is_larger)
        for rule in rules.of(ThresholdRange):
            if rule.column == orders.column[order] and predicate.op is Op.LE:
                predicate = replace(predicate, value=float(min(max(predicate.value, rule.low), rule.high)))
        return predicate, low_is_yes

    def build(node: Tree, rows: np.ndarray, place: tuple[bool, ...]) -> tuple:
        if len(node) == 1:
            return (leaf(rows, node[0]),)
        f, last, first, second = node
        low = posted.orders.rank[f, posted.row[rows]] <= last
        predicate, low_is_yes = question(f, rows, low)
        if place in given:
            # a tree that does not keep to it is written as it is
            asked = given[place].answer(dataset.X[rows, dataset.schema.index(given[place].column)])
            if (asked == low).all() or (asked != low).all():
                predicate, low_is_yes = given[place], bool(asked[low][0])
        sides = [(first, rows[low]), (second, rows[~low])]
        yes, no = sides if low_is_yes else sides[::-1]
        return predicate, build(*yes, (*place, True)), build(*no, (*place, False))

    return assemble(problem, build(tree, np.arange(dataset.n_samples), ()))
