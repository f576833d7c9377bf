"""The meaning of each constraint, compared with the oracle."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.constraints import (
    KINDS,
    Constraint,
    Severity,
    constraints_of,
    constraints_text,
    from_json,
    rules_of,
)
from solvers.diagram import Diagram
from solvers.problem import Dataset, Problem, Shape
from tests.case_count import case_count
from tests.constraints.examples import example
from tests.constraints.trees import random_tree, with_groups
from tests.oracle.facts import facts_of
from tests.oracle.meaning import holds, sees_answers
from tests.oracle.table import Table, tree_of
from tests.oracle.trees import weights
from tests.strategies import datasets

SEEDS = st.integers(0, 2**32 - 1)

SIZED = ("max-depth", "max-leaves", "max-questions", "min-samples-leaf", "min-weight-leaf")
"""Kinds that become part of the shape. Their last limit is that of the shape, which a random tree may exceed."""


def drawn(dataset: Dataset, seed: int) -> tuple[Dataset, np.random.Generator]:
    """The table with groups and a positive class, and its random generator."""
    rng = np.random.default_rng(seed)
    return with_groups(dataset, rng), rng


def examples(dataset: Dataset, rng: np.random.Generator) -> list[Constraint]:
    """One constraint of every kind that the table permits."""
    made = [example(kind, dataset, rng) for kind in KINDS.values()]
    return [constraint for constraint in made if constraint is not None]


@settings(derandomize=True, deadline=None, max_examples=case_count(120))
@given(dataset=datasets(max_columns=3), seed=SEEDS)
def test_violations_agree_with_the_oracle(dataset: Dataset, seed: int) -> None:
    """A random tree has no violations of a constraint if and only if the constraint holds by its definition."""
    dataset, rng = drawn(dataset, seed)
    table, heavy = Table(dataset), weights(dataset)
    for constraint in examples(dataset, rng):
        for _ in range(2):
            tree = random_tree(dataset, rng, depth=int(rng.integers(0, 4)))
            facts = facts_of(tree_of(tree, table), table)
            violations = constraint.violations(tree, dataset)
            assert holds(constraint, facts, table, heavy) == (not violations), f"{constraint}: {violations}"


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_and_the_oracle_agree_whether_predictions_matter(kind: str) -> None:
    assert KINDS[kind].sees_answers == sees_answers(kind)


def keeps(tree: Diagram, problem: Problem) -> bool:
    """Whether a tree is within the size limits of a problem."""
    size, leaf = problem.size, tree.apply(problem.dataset)
    # a leaf without rows violates a minimum of rows, even of one, and nothing else
    least = size.min_samples_leaf if any(c.kind == "min-samples-leaf" for c in problem.constraints) else 0
    at_leaf = [leaf == i for i, node in enumerate(tree.nodes) if hasattr(node, "label")]
    return (
        tree.depth <= size.max_depth
        and (size.max_leaf_nodes is None or tree.n_leaves <= size.max_leaf_nodes)
        and (size.max_splits is None or tree.n_splits <= size.max_splits)
        and all(rows.sum() >= least for rows in at_leaf)
        and all(problem.weights[rows].sum() >= problem.min_weight_leaf for rows in at_leaf)
    )


@settings(derandomize=True, deadline=None, max_examples=case_count(60))
@given(dataset=datasets(), seed=SEEDS)
def test_value_and_limit_agree_with_the_meaning(dataset: Dataset, seed: int) -> None:
    """A constraint with a value holds if and only if the value is within the limit; with the value as its limit it
    holds.
    """
    dataset, rng = drawn(dataset, seed)
    for constraint in examples(dataset, rng):
        tree = random_tree(dataset, rng, depth=2)
        value, slack = constraint.value(tree, dataset), constraint.slack(tree, dataset)
        assert (value is None) == (slack is None)
        if value is None or (constraint.kind, value) == ("min-samples-leaf", 0):  # no limit permits empty leaves
            continue
        assert (slack >= 0) == (not constraint.violations(tree, dataset))
        assert isinstance(value, int | Fraction)
        assert constraint.show(value)
        just = constraint.with_limit(value)
        assert not just.violations(tree, dataset)
        assert just.binds(tree, dataset)
        assert just.slack(tree, dataset) == 0


@settings(derandomize=True, deadline=None, max_examples=case_count(60))
@given(dataset=datasets(), seed=SEEDS)
def test_relaxed_constraints_are_weaker(dataset: Dataset, seed: int) -> None:
    """A constraint that holds also holds in its relaxed versions, in their order, and the last one always holds."""
    dataset, rng = drawn(dataset, seed)
    tree = random_tree(dataset, rng, depth=2)
    problem = Problem(dataset, Shape(max_depth=2))
    for constraint in examples(dataset, rng):
        weaker = constraint.weaker(problem)
        chosen = [weaker[i] for i in sorted({0, len(weaker) // 2, len(weaker) - 1}) if weaker]
        holding = [not c.violations(tree, dataset) for c in (constraint, *chosen)]
        assert holding == sorted(holding), f"{constraint}"
        if chosen and constraint.kind not in SIZED:
            assert holding[-1], f"{chosen[-1]}"


@settings(derandomize=True, deadline=None, max_examples=case_count(60))
@given(dataset=datasets(), seed=SEEDS)
def test_constraints_survive_json(dataset: Dataset, seed: int) -> None:
    """Each constraint is the same after a round trip, alone and in a file; descriptions never fail."""
    dataset, rng = drawn(dataset, seed)
    made = examples(dataset, rng)
    for constraint in made:
        assert from_json(constraint.to_json()) == constraint
        assert hash(constraint) == hash(from_json(constraint.to_json()))
        for words in (constraint.words(), constraint.words(dataset), str(constraint)):
            assert words and "  " not in words
    text = constraints_text(made, title="all")
    assert json.loads(text).items() >= {"format": "espalier-constraints", "version": 1, "title": "all"}.items()
    assert constraints_of(text) == tuple(made)


@settings(derandomize=True, deadline=None, max_examples=case_count(40))
@given(dataset=datasets(), seed=SEEDS)
def test_impossible_constraints_are_impossible(dataset: Dataset, seed: int) -> None:
    """No tree satisfies a constraint that a check calls impossible; examples have no errors; rules name their
    source.
    """
    dataset, rng = drawn(dataset, seed)
    made = examples(dataset, rng)
    problem = Problem(dataset, Shape(max_depth=2), constraints=tuple(made))
    for constraint in made:
        found = constraint.check(problem)
        assert not [f for f in found if f.severity is Severity.ERROR]
        if any(f.severity is Severity.IMPOSSIBLE for f in found):
            for _ in range(10):
                tree = random_tree(dataset, rng, depth=2)
                if keeps(tree, replace(problem, constraints=tuple(c for c in made if c.kind in SIZED))):
                    assert constraint.violations(tree, dataset)
    rules = rules_of(problem)
    assert {rule.source for family in (rules.path, rules.leaf, rules.sums, rules.tree) for rule in family} == {
        i for i, constraint in enumerate(made) if constraint.rules(problem)
    }


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_described(kind: str) -> None:
    """Names, formula, source and fields are available to the form and the docs."""
    cls = KINDS[kind]
    assert cls.kind == kind
    for text in (cls.title, cls.summary, cls.formula, cls.source):
        assert text == text.strip() and text
    assert cls.summary.endswith(".")
    form = cls.form()
    assert all(field.label for field in form)
    assert cls.limited_by is None or cls.limited_by in {field.name for field in form}
    for field in form:
        assert field.of is None or field.of in {other.name for other in form}
