"""The constraints of a problem as a BDD search keeps them: questions, quantities of rows, and what is left besides.

A BDD has one leaf for each class, so a *leaf* of the shared language is the set of all rows that get one answer. What
stands on a path, and in which order, is read from the ordered and reduced diagram.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ....constraints import Constraint, rules_of
from ....constraints.rules import (
    EVERY_RULE,
    Allowed,
    FewColumns,
    FixedQuestion,
    MinNodeRowsRule,
    Monotone,
    MustAppearRule,
    NeverBoth,
    PathCost,
    PrecedenceRule,
    PrerequisiteRule,
    RuleListRule,
    Rules,
)
from ....diagram import Diagram
from ....magnitude import LARGEST_WEIGHTED
from ....problem import Op, Predicate, Problem, Thresholds
from ...base import Unsupported, uncounted
from ...cases import cases_of
from ...features import Features, features_of
from ...permitted import EVERYWHERE, permitted_columns, permitted_thresholds
from ...purity import with_purity
from ..table import Unseen, reduce, truth_table

POSTS = tuple(EVERY_RULE)
"""The classes of rule that are kept."""

MOST_LEVELS = 8
"""Blocks are counted by powers of three, and orders by factorials."""

_IN_ORDER = (PrecedenceRule, PrerequisiteRule, PathCost, FixedQuestion, MinNodeRowsRule, RuleListRule)
_OF_SETS = (MustAppearRule, NeverBoth, FewColumns)


def is_ruled(problem: Problem) -> bool:
    """Whether a problem has constraints that a search over sets of questions alone does not keep."""
    size = problem.size
    few = size.max_leaf_nodes is not None and size.max_leaf_nodes < problem.dataset.n_classes
    return few or size.min_samples_leaf > 1 or problem.min_weight_leaf > 0 or bool(rules_of(problem))


def unruled(title: str, problem: Problem, unseen: Unseen) -> Iterator[Unsupported]:
    """Why a problem under constraints cannot be taken."""
    if problem.size.max_depth > MOST_LEVELS:
        yield Unsupported(
            f"{problem.size.max_depth} levels under constraints",
            f"{title} takes at most {MOST_LEVELS} there, because it tries the orders of the questions.",
            "Lower the depth, or remove the constraints.",
        )
    rules = with_purity(problem, rules_of(problem))
    yield from uncounted(title, problem, rules, LARGEST_WEIGHTED)
    if unseen is not Unseen.SOLVED and _answers_matter(problem, rules):
        yield Unsupported(
            f"These constraints with unseen = {unseen.value}",
            "The prediction of empty cells decides which questions are on a path, and whether predictions rise.",
            "Choose unseen = solved, or remove the constraints about questions, tests and monotone answers.",
        )


def _in_order(problem: Problem, rules: Rules) -> bool:
    tested = any(rule.tests is not None for rule in rules.sums)
    first = any(rule.at_root for rule in rules.of(Allowed))
    charged = bool(problem.split_cost) or problem.size.max_splits is not None
    return tested or first or charged or bool(rules.kinds & set(_IN_ORDER))


def _answers_matter(problem: Problem, rules: Rules) -> bool:
    return _in_order(problem, rules) or bool(rules.kinds & {*_OF_SETS, Monotone})


def single_leaves(problem: Problem) -> Iterator[Diagram]:
    """The single leaves that keep everything."""
    size = problem.size
    if problem.dataset.n_samples < size.min_samples_leaf or problem.weights.sum() < problem.min_weight_leaf:
        return
    for label in range(problem.dataset.n_classes):
        leaf = reduce(truth_table(problem, ()), np.array([label]))
        constraints = [c for c in problem.constraints if isinstance(c, Constraint)]
        if not any(constraint.violations(leaf, problem.dataset) for constraint in constraints):
            yield leaf


@dataclass(frozen=True)
class Posted:
    """A problem with its rules.

    Attributes
    ----------
    rules : purity as sums.
    features : the questions that single columns and thresholds allow.
    fixed : by place the feature that must stand there, -1 where none can.
    value : int64 (n_rows, Q, n_classes), what a distinct row adds by its answer; number 0 is the cost.
    tested : int64 (n_rows, Q), what it adds for each unit that its tests cost.
    limits : int64 (Q,), of which that of the cost is none.
    """

    problem: Problem
    rules: Rules
    features: Features
    fixed: dict[tuple[bool, ...], int]
    value: np.ndarray
    tested: np.ndarray
    limits: np.ndarray

    @cached_property
    def in_order(self) -> bool:
        """Whether the order of the questions matters, and what is asked on paths."""
        return _in_order(self.problem, self.rules)

    @cached_property
    def by_support(self) -> bool:
        """Whether it matters which questions are asked at all."""
        return self.in_order or bool(self.rules.kinds & set(_OF_SETS))

    @cached_property
    def all_cells(self) -> bool:
        """Whether it matters what cells without rows answer."""
        return _answers_matter(self.problem, self.rules)

    def fitting(self, sets: np.ndarray) -> np.ndarray:
        """Those of the sets of features, int (n, h), whose columns are as they must be."""
        family = self.features.family[sets]
        fits = np.ones(len(sets), bool)
        for must in self.rules.of(MustAppearRule):
            fits &= (family == must.column).any(axis=1)
        for both in self.rules.of(NeverBoth):
            fits &= ~((family == both.first).any(axis=1) & (family == both.second).any(axis=1))
        for few in self.rules.of(FewColumns):
            ordered = np.sort(family, axis=1)
            fits &= 1 + (np.diff(ordered, axis=1) != 0).sum(axis=1) <= few.most
        for feature in set(self.fixed.values()):
            fits &= (sets == feature).any(axis=1)
        return np.asarray(sets[fits])


def post(problem: Problem, thresholds: Thresholds) -> Posted:
    """The rules of a problem over the questions that they leave."""
    rules = with_purity(problem, rules_of(problem))
    features, fixed = _features(problem, rules, thresholds)
    cases, n, n_classes = features.cases, len(features.cases), problem.dataset.n_classes
    by_row = [cases.total(rule.by_label) for rule in rules.sums]
    tested = np.zeros((n, 1 + len(rules.sums)), np.int64)
    for q, rule in enumerate(rules.sums, 1):
        if rule.test_weight is not None:
            tested[:, q] = cases.total(rule.test_weight)
    return Posted(
        problem,
        rules,
        features,
        fixed,
        np.stack([cases.cost, *by_row], axis=1).reshape(n, -1, n_classes),
        tested,
        np.array([LARGEST_WEIGHTED, *(min(rule.limit, LARGEST_WEIGHTED) for rule in rules.sums)], np.int64),
    )


def _features(problem: Problem, rules: Rules, thresholds: Thresholds) -> tuple[Features, dict[tuple[bool, ...], int]]:
    """The questions that may be asked, and of them those that are fixed, by place.

    Where it matters what a question is about, those of different columns stay apart though they divide the rows
    equally, and so do those of one column.
    """
    dataset = problem.dataset
    columns, permitted = permitted_columns(rules, dataset.n_columns), permitted_thresholds(rules)
    plain = features_of(problem, thresholds, permitted)
    # with no rule about questions, those that divide the rows equally are one
    offered = plain.offered if _answers_matter(problem, rules) or rules.of(Allowed) else plain.predicates
    by_key: dict[tuple[object, ...], Predicate] = {}
    for predicate in (*(rule.predicate for rule in rules.of(FixedQuestion)), *offered):
        column = dataset.schema.index(predicate.column)
        fits = predicate.op is not Op.LE or predicate.operand in permitted.get(column, EVERYWHERE)
        if column in columns and fits:
            by_key.setdefault(_key(problem, predicate), predicate)
    predicates = tuple(by_key.values())
    family = np.array([dataset.schema.index(p.column) for p in predicates], np.int32)
    answers = [p.answer(dataset.X[:, j]) for p, j in zip(predicates, family.tolist(), strict=True)]
    bits = np.array(answers, np.uint8).reshape(len(predicates), dataset.n_samples).T.copy()
    features = replace(plain, predicates=predicates, family=family, bits=bits, cases=cases_of(problem, bits.T))
    number = {key: i for i, key in enumerate(by_key)}
    fixed: dict[tuple[bool, ...], int] = {}
    for rule in rules.of(FixedQuestion):
        feature = number.get(_key(problem, rule.predicate), -1)
        # two questions cannot stand at one place
        fixed[rule.place] = feature if fixed.get(rule.place, feature) == feature else -1
    return features, fixed


def _key(problem: Problem, predicate: Predicate) -> tuple[object, ...]:
    """What distinguishes a question from others; the answer of missing values counts only where one is missing."""
    values = problem.dataset.X[:, problem.dataset.schema.index(predicate.column)]
    missing = predicate.missing and bool(np.isnan(values).any())
    return predicate.column, predicate.op, predicate.value, missing
