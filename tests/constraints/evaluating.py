"""What rules say of a tree: one short function a rule, written from the definitions in `solvers.constraints.rules`."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np

from solvers.constraints import rules as r
from solvers.diagram import Diagram, Leaf, Split
from solvers.problem import Op, Problem


class Place(NamedTuple):
    """A node of a tree with what leads to it, and the rows (positions) that come to it."""

    node: Leaf | Split
    answers: tuple[bool, ...]
    above: tuple[Split, ...]
    rows: tuple[int, ...]


def places(diagram: Diagram, problem: Problem) -> list[Place]:
    """All nodes of a tree."""
    dataset = problem.dataset

    def walk(at: int, answers: tuple, above: tuple, rows: tuple) -> Iterator[Place]:
        node = diagram.nodes[at]
        yield Place(node, answers, above, rows)
        if isinstance(node, Split):
            x = dataset.X[:, dataset.schema.names.index(node.predicate.column)]
            yes = node.predicate.answer(x)
            for answer, child in ((True, node.yes), (False, node.no)):
                here = tuple(i for i in rows if yes[i] == answer)
                yield from walk(child, (*answers, answer), (*above, node), here)

    return list(walk(0, (), (), tuple(range(dataset.n_samples))))


def holds(rule: r.Rule, diagram: Diagram, problem: Problem) -> bool:
    """Whether a rule holds for a tree."""
    return _HOLDS[type(rule)](rule, places(diagram, problem), problem)


def _column(split: Split, problem: Problem) -> int:
    return problem.dataset.schema.names.index(split.predicate.column)


def _splits(tree: list[Place]) -> list[Place]:
    return [place for place in tree if isinstance(place.node, Split)]


def _leaves(tree: list[Place]) -> list[Place]:
    return [place for place in tree if isinstance(place.node, Leaf)]


def _above(place: Place, problem: Problem) -> set[int]:
    return {_column(split, problem) for split in place.above}


def _not_below(rule: r.NotBelow, tree: list[Place], problem: Problem) -> bool:
    return not any(_column(p.node, problem) == rule.lower and rule.upper in _above(p, problem) for p in _splits(tree))


def _only_below(rule: r.OnlyBelow, tree: list[Place], problem: Problem) -> bool:
    return all(rule.upper in _above(p, problem) for p in _splits(tree) if _column(p.node, problem) == rule.column)


def _path_cost(rule: r.PathCost, tree: list[Place], problem: Problem) -> bool:
    return all(rule.costs.of(_above(p, problem)) <= rule.limit for p in _leaves(tree))


def _allowed(rule: r.Allowed, tree: list[Place], problem: Problem) -> bool:
    judged = [p for p in _splits(tree) if not rule.at_root or p.answers == ()]
    return all(_column(p.node, problem) in rule.columns for p in judged)


def _threshold_range(rule: r.ThresholdRange, tree: list[Place], problem: Problem) -> bool:
    predicates = [p.node.predicate for p in _splits(tree) if _column(p.node, problem) == rule.column]
    low, high, unit = rule.thresholds.low, rule.thresholds.high, rule.thresholds.unit
    values = [Fraction(str(q.value)) for q in predicates if q.op is Op.LE]
    return all(low <= value <= high and (unit is None or value % unit == 0) for value in values)


def _fixed_question(rule: r.FixedQuestion, tree: list[Place], problem: Problem) -> bool:
    here = [p.node for p in tree if p.answers == rule.place]
    if not here or isinstance(here[0], Leaf):
        return False
    x = problem.dataset.X[:, _column(here[0], problem)]
    found, wanted = here[0].predicate, rule.predicate
    same = (found.column, found.op, found.value) == (wanted.column, wanted.op, wanted.value)
    return same and (found.missing == wanted.missing or not np.isnan(x).any())


def _pure(rule: r.Pure, tree: list[Place], problem: Problem) -> bool:
    weights, y = problem.weights.tolist(), problem.dataset.y.tolist()
    for p in _leaves(tree):
        if rule.label in (None, p.node.label) and p.rows:
            right = sum(weights[i] for i in p.rows if y[i] == p.node.label)
            if Fraction(right, sum(weights[i] for i in p.rows)) < rule.share:
                return False
    return True


def _together(rule: r.TogetherRule, tree: list[Place], problem: Problem) -> bool:
    return all(any(i in p.rows and j in p.rows for p in _leaves(tree)) for i, j in rule.pairs)


def _apart(rule: r.ApartRule, tree: list[Place], problem: Problem) -> bool:
    return not any(i in p.rows and j in p.rows for p in _leaves(tree) for i, j in rule.pairs)


def total(rule: r.Sum, tree: list[Place], problem: Problem) -> int:
    """The sum of a tree."""
    added = 0
    for p in _leaves(tree):
        added += rule.per_leaf + sum(int(rule.by_label[i, p.node.label]) for i in p.rows)
        if rule.tests is not None:
            added += sum(int(rule.test_weight[i]) * rule.tests.of(_above(p, problem)) for i in p.rows)
    return added


def _sum(rule: r.Sum, tree: list[Place], problem: Problem) -> bool:
    return total(rule, tree, problem) <= rule.limit


def _must_appear(rule: r.MustAppearRule, tree: list[Place], problem: Problem) -> bool:
    for split in _splits(tree):
        if _column(split.node, problem) == rule.column:
            below = {p.node.label for p in _leaves(tree) if p.answers[: len(split.answers)] == split.answers}
            if len(below) > 1:
                return True
    return False


def _used(tree: list[Place], problem: Problem) -> set[int]:
    return {_column(p.node, problem) for p in _splits(tree)}


def _never_both(rule: r.NeverBoth, tree: list[Place], problem: Problem) -> bool:
    return not {rule.first, rule.second} <= _used(tree, problem)


def _few_columns(rule: r.FewColumns, tree: list[Place], problem: Problem) -> bool:
    return len(_used(tree, problem)) <= rule.most


def _reached(rule: r.Reached, tree: list[Place], problem: Problem) -> bool:
    return all(len(p.rows) >= rule.rows for p in _splits(tree))


def _chain(rule: r.Chain, tree: list[Place], problem: Problem) -> bool:
    questions = [(*place.answers,) for place in _splits(tree)]
    return all(not {(*q, True), (*q, False)} <= set(questions) for q in questions)


def _monotone(rule: r.Monotone, tree: list[Place], problem: Problem) -> bool:
    """Tried out: every case of a grid that has a value on each side of every threshold, raised step by step."""
    used = sorted(_used(tree, problem) | {rule.column})
    grid = [_values(c, tree, problem) for c in used]
    rank = {label: i for i, label in enumerate(rule.order)}
    raised = used.index(rule.column)
    for case in product(*grid):
        if case[raised] is None:
            continue
        for higher in grid[raised]:
            if higher is not None and higher > case[raised]:
                other = (*case[:raised], higher, *case[raised + 1 :])
                low, high = (rank[_answer(dict(zip(used, c, strict=True)), tree, problem)] for c in (case, other))
                if (high < low) if rule.rising else (high > low):
                    return False
    return True


def _values(column: int, tree: list[Place], problem: Problem) -> list[float | None]:
    """A known value of every kind that the tree tells apart, and None for missing where rows have it missing."""
    spec, x = problem.dataset.schema.columns[column], problem.dataset.X[:, column]
    missing = [None] if np.isnan(x).any() else []
    if spec.kind.has_levels:
        return [*range(len(spec.levels)), *missing]
    predicates = [p.node.predicate for p in _splits(tree) if _column(p.node, problem) == column]
    cuts = sorted({q.value for q in predicates if q.op is Op.LE})
    return [*cuts, cuts[-1] + abs(cuts[-1]) + 1 if cuts else 0.0, *missing]


def _answer(case: dict[int, float | None], tree: list[Place], problem: Problem) -> int:
    answers: tuple[bool, ...] = ()
    while True:
        node = next(p.node for p in tree if p.answers == answers)
        if isinstance(node, Leaf):
            return node.label
        value = case[_column(node, problem)]
        query = node.predicate
        if value is None:
            yes = query.missing
        else:
            yes = {Op.MISSING: False, Op.LE: value <= (query.value or 0), Op.IS: value == query.value}[query.op]
        answers = (*answers, bool(yes))


_HOLDS = {
    r.NotBelow: _not_below,
    r.OnlyBelow: _only_below,
    r.PathCost: _path_cost,
    r.Allowed: _allowed,
    r.ThresholdRange: _threshold_range,
    r.FixedQuestion: _fixed_question,
    r.Pure: _pure,
    r.TogetherRule: _together,
    r.ApartRule: _apart,
    r.Sum: _sum,
    r.MustAppearRule: _must_appear,
    r.NeverBoth: _never_both,
    r.FewColumns: _few_columns,
    r.Reached: _reached,
    r.Chain: _chain,
    r.Monotone: _monotone,
}
