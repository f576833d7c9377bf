"""Brute force under constraints: every tree with every answer in its leaves, each judged by the constraints themselves.

Nothing is assumed about the constraints: a tree counts where `violations` finds nothing, so this is an oracle for all
methods that post rules. Trees are tried from the cheapest answers upwards, and those that cost as much as the best one
so far, or more, are passed over; that is the only trick.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from solvers.constraints import rules_of
from solvers.constraints.rules import FixedQuestion
from solvers.diagram import Diagram
from solvers.methods.permitted import permitted_thresholds
from solvers.methods.trees.tree_of_splits import Tree, assemble, leaf_with
from solvers.problem import Predicate, Problem, binary_view

Rows = tuple[int, ...]


class Plan(NamedTuple):
    """A tree without answers; compared by what it costs with the cheapest answers, then by the number of splits.

    `questions` is `None` for a leaf, otherwise the position of the question and the plans of its two sides.
    """

    least: int
    n_splits: int
    rows: Rows
    questions: tuple[int, Plan, Plan] | None = None


class Enumeration:
    """All trees of a small problem (see `n_candidates`); `pause` is called for every tree, and raises to end it."""

    def __init__(self, problem: Problem, pause: Callable[[], None]) -> None:
        self.problem, self._pause = problem, pause
        self.predicates, self._answers = questions(problem)
        dataset = problem.dataset
        self._by_row = (problem.weights[:, None] * problem.class_costs[dataset.y]).tolist()
        self._weights = problem.weights.tolist()
        self._blind = [c for c in problem.constraints if not c.sees_answers]
        self._seeing = [c for c in problem.constraints if c.sees_answers]
        self._plans: dict[tuple[Rows, int, int], list[Plan]] = {}
        self._best: tuple[int, int] | None = None
        self.n_tried = 0

    def best_trees(self) -> Iterator[tuple[int, Diagram]]:
        """Better and better trees with their costs; the last one is optimal, and without any there is no tree."""
        size = self.problem.size
        everything = tuple(range(self.problem.dataset.n_samples))
        if not self._may_be_leaf(everything):
            return
        leaves = 2**size.max_depth if size.max_leaf_nodes is None else size.max_leaf_nodes
        for plan in self._roots(everything, size.max_depth, leaves):
            if better := self._answered(plan):
                self._best = better[0], plan.n_splits
                yield better

    def _roots(self, rows: Rows, depth: int, leaves: int) -> Iterator[Plan]:
        """All trees that may still be better than the best one."""
        leaf = self._leaf(rows)
        if self._better(leaf):
            yield leaf
        for q, yes, no in self._splits(rows) if depth else ():
            firsts, seconds = self._below(yes, depth - 1, leaves - 1), self._below(no, depth - 1, leaves - 1)
            for first in firsts:
                for second in seconds:
                    self._pause()
                    plan = self._joined(rows, q, first, second)
                    if not self._better(plan):
                        break  # those that follow cost no less
                    if plan.n_splits < leaves:
                        yield plan

    def _below(self, rows: Rows, depth: int, leaves: int) -> list[Plan]:
        """All trees for these rows, by cost; they make use of as many leaves as there may be at most."""
        key = rows, depth, leaves
        if key not in self._plans:
            plans = [self._leaf(rows)]
            for q, yes, no in self._splits(rows) if depth and leaves > 1 else ():
                for first in self._below(yes, depth - 1, leaves - 1):
                    for second in self._below(no, depth - 1, leaves - 1):
                        self._pause()
                        plan = self._joined(rows, q, first, second)
                        if plan.n_splits < leaves:
                            plans.append(plan)
            self._plans[key] = sorted(plans, key=lambda plan: plan[:2])
        return self._plans[key]

    def _better(self, plan: Plan) -> bool:
        """Whether a tree may be better than the best one so far."""
        return self._best is None or plan[:2] < self._best

    def _splits(self, rows: Rows) -> Iterator[tuple[int, Rows, Rows]]:
        """The questions whose two sides are both large enough."""
        for q, answers in enumerate(self._answers):
            yes, no = tuple(i for i in rows if answers[i]), tuple(i for i in rows if not answers[i])
            if self._may_be_leaf(yes) and self._may_be_leaf(no):
                yield q, yes, no

    def _may_be_leaf(self, rows: Rows) -> bool:
        enough = len(rows) >= self.problem.size.min_samples_leaf
        return enough and sum(self._weights[i] for i in rows) >= self.problem.min_weight_leaf

    def _leaf(self, rows: Rows) -> Plan:
        return Plan(min(self._costs(rows)), 0, rows)

    def _costs(self, rows: Rows) -> list[int]:
        """What a leaf of these rows costs by its answer."""
        return [sum(self._by_row[i][k] for i in rows) for k in range(self.problem.dataset.n_classes)]

    def _joined(self, rows: Rows, q: int, yes: Plan, no: Plan) -> Plan:
        least = yes.least + no.least + self.problem.split_cost
        return Plan(least, yes.n_splits + no.n_splits + 1, rows, (q, yes, no))

    def _answered(self, plan: Plan) -> tuple[int, Diagram] | None:
        """The tree with the cheapest answers that nothing is against, if it is better than the best one."""
        dataset = self.problem.dataset
        costs = [self._costs(leaf.rows) for leaf in _leaves(plan)]
        cheapest = self._diagram(plan, tuple(cost.index(min(cost)) for cost in costs))
        if any(constraint.violations(cheapest, dataset) for constraint in self._blind):
            return None
        splits = plan.n_splits * self.problem.split_cost
        n_classes = range(dataset.n_classes)
        priced = [
            (sum(cost[k] for cost, k in zip(costs, answers, strict=True)) + splits, answers)
            for answers in product(n_classes, repeat=len(costs))
        ]
        for cost, answers in sorted(priced):
            if self._best is not None and (cost, plan.n_splits) >= self._best:
                break
            self._pause()
            self.n_tried += 1
            diagram = self._diagram(plan, answers)
            if not any(constraint.violations(diagram, dataset) for constraint in self._seeing):
                return cost, diagram
        return None

    def _diagram(self, plan: Plan, answers: tuple[int, ...]) -> Diagram:
        given = iter(answers)

        def tree(part: Plan) -> Tree:
            if part.questions is None:
                return (leaf_with(self.problem, np.array(part.rows), next(given)),)
            q, yes, no = part.questions
            return self.predicates[q], tree(yes), tree(no)

        return assemble(self.problem, tree(plan))


def _leaves(plan: Plan) -> Iterator[Plan]:
    if plan.questions is None:
        yield plan
    else:
        yield from _leaves(plan.questions[1])
        yield from _leaves(plan.questions[2])


def n_candidates(problem: Problem) -> int:
    """The number of trees with answers that there would be without any trick."""
    n_questions, n_classes = len(questions(problem)[0]), problem.dataset.n_classes
    count = n_classes
    for _ in range(problem.size.max_depth):
        count = n_classes + n_questions * count**2
    return count


def questions(problem: Problem) -> tuple[list[Predicate], list[list[bool]]]:
    """The questions that trees may ask, with the answers of the rows.

    They are those of `binary_view` with permitted thresholds; fixed questions are asked as they are.
    """
    dataset, rules = problem.dataset, rules_of(problem)
    predicates = list(binary_view(dataset, within=permitted_thresholds(rules)).predicates)
    predicates += [rule.predicate for rule in rules.of(FixedQuestion) if rule.predicate not in predicates]
    return predicates, [_answers(predicate, problem).tolist() for predicate in predicates]


def _answers(predicate: Predicate, problem: Problem) -> np.ndarray:
    dataset = problem.dataset
    return predicate.answer(dataset.X[:, dataset.schema.index(predicate.column)])
