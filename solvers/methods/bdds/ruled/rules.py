"""The constraints of a problem as the BDD search enforces them: splits, quantities of rows, and the remaining rules.

A BDD has one leaf per class, so a *leaf* of the shared rules is the set of all rows with one prediction. The splits on
a path, and their order, are those of the ordered and reduced diagram.
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
from ...permitted import EVERYWHERE, fixed_places, permitted_columns, permitted_thresholds
from ...purity import rules_for_classes
from ..priced import NodePenalty
from ..table import Unseen, reduce, truth_table

POSTS = tuple(EVERY_RULE)
"""The supported classes of rules."""

MOST_LEVELS = 8
"""Blocks grow as powers of three, and orders as factorials."""

_IN_ORDER = (PrecedenceRule, PrerequisiteRule, PathCost, FixedQuestion, MinNodeRowsRule, RuleListRule)
_OF_SETS = (MustAppearRule, FewColumns)


def is_ruled(problem: Problem) -> bool:
    """Whether a problem has constraints that a search over sets of splits alone does not enforce."""
    size = problem.size
    few = size.max_leaf_nodes is not None and size.max_leaf_nodes < problem.dataset.n_classes
    return few or size.min_samples_leaf > 1 or problem.min_weight_leaf > 0 or bool(rules_of(problem))


def unruled(title: str, problem: Problem, unseen: Unseen) -> Iterator[Unsupported]:
    """The reasons why a problem with constraints is refused."""
    if problem.size.max_depth > MOST_LEVELS:
        yield Unsupported(
            f"{problem.size.max_depth} levels under constraints",
            f"{title} takes at most {MOST_LEVELS} there, because it tries the orders of the splits.",
            "Lower the depth, or remove the constraints.",
        )
    rules = rules_for_classes(problem)
    yield from uncounted(title, problem, rules, LARGEST_WEIGHTED)
    if unseen is not Unseen.SOLVED and _answers_matter(problem, rules):
        yield Unsupported(
            f"These constraints with empty_cells = {unseen.value}",
            "The prediction of empty cells decides which splits are on a path, and whether predictions are monotone.",
            "Set empty_cells to 'solved', or remove the constraints on splits, test costs and monotonicity.",
        )


def _in_order(problem: Problem, rules: Rules) -> bool:
    tested = any(rule.tests is not None for rule in rules.sums)
    first = any(rule.at_root for rule in rules.of(Allowed))
    return tested or first or NodePenalty.of_problem(problem).matters or bool(rules.kinds & set(_IN_ORDER))


def _answers_matter(problem: Problem, rules: Rules) -> bool:
    return _in_order(problem, rules) or bool(rules.kinds & {*_OF_SETS, Monotone})


def single_leaves(problem: Problem) -> Iterator[Diagram]:
    """The single leaves that satisfy all constraints."""
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
    rules : the rules, with purity as sums.
    features : the splits that satisfy the rules on single columns and thresholds.
    fixed : by place the feature required there, -1 if none is possible.
    value : int64 (n_rows, Q, n_classes), the amount a distinct row adds by predicted class; quantity 0 is the cost.
    tested : int64 (n_rows, Q), the amount it adds per unit of test cost.
    limits : int64 (Q,); quantity 0, the cost, has no limit.
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
        """Whether the order of the splits and the contents of paths matter."""
        return _in_order(self.problem, self.rules)

    @cached_property
    def by_support(self) -> bool:
        """Whether the set of splits that occur in the diagram matters."""
        return self.in_order or bool(self.rules.kinds & set(_OF_SETS))

    @cached_property
    def all_cells(self) -> bool:
        """Whether the predictions of cells without rows matter."""
        return _answers_matter(self.problem, self.rules)

    def fitting(self, sets: np.ndarray) -> np.ndarray:
        """The sets of features, out of int (n, h), that satisfy the rules on sets of columns."""
        family = self.features.family[sets]
        fits = np.ones(len(sets), bool)
        for must in self.rules.of(MustAppearRule):
            fits &= (family == must.column).any(axis=1)
        for few in self.rules.of(FewColumns):
            ordered = np.sort(np.where(np.isin(family, list(few.columns)), family, -1), axis=1)
            fits &= (np.diff(ordered, axis=1, prepend=-1) != 0).sum(axis=1) <= few.most
        for feature in set(self.fixed.values()):
            fits &= (sets == feature).any(axis=1)
        return np.asarray(sets[fits])


def post(problem: Problem, thresholds: Thresholds) -> Posted:
    """The rules of a problem over the permitted splits."""
    rules = rules_for_classes(problem)
    features, fixed = _features(problem, rules, thresholds)
    cases = features.cases
    tested = np.zeros((len(cases), 1 + len(rules.sums)), np.int64)
    for q, rule in enumerate(rules.sums, 1):
        if rule.test_weight is not None:
            tested[:, q] = cases.total(rule.test_weight)
    return Posted(
        problem,
        rules,
        features,
        fixed,
        np.ascontiguousarray(cases.amounts(rules.sums).transpose(0, 2, 1)),
        tested,
        np.array([LARGEST_WEIGHTED, *(min(rule.limit, LARGEST_WEIGHTED) for rule in rules.sums)], np.int64),
    )


def _features(problem: Problem, rules: Rules, thresholds: Thresholds) -> tuple[Features, dict[tuple[bool, ...], int]]:
    """The permitted splits, and the fixed ones by place.

    If the column of a split matters, splits that divide the rows equally are kept apart, whether they are on different
    columns or on the same one.
    """
    dataset = problem.dataset
    columns, permitted = permitted_columns(rules, dataset.n_columns), permitted_thresholds(rules)
    plain = features_of(problem, thresholds, permitted)
    # without rules about splits, those that divide the rows equally are merged
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
    places, trouble = fixed_places(rules, dataset)
    return features, {
        place: -1 if trouble else number.get(_key(problem, predicate), -1) for place, predicate in places.items()
    }


def _key(problem: Problem, predicate: Predicate) -> tuple[object, ...]:
    """The identity of a split; its result for missing values counts only if the column has missing values."""
    values = problem.dataset.X[:, problem.dataset.schema.index(predicate.column)]
    missing = predicate.missing and bool(np.isnan(values).any())
    return predicate.column, predicate.op, predicate.value, missing
