"""Improvement of trees: valid ones whose cost only falls, and the same ones in every run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from unittest.mock import patch

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from solvers.constraints import (
    AskedBefore,
    Constraint,
    FirstQuestion,
    MaxPathCost,
    NeverBothOnPath,
    NeverColumns,
    OnlyAfter,
    ThresholdsWithin,
    rules_of,
)
from solvers.methods import get
from solvers.methods.trees import improvement
from solvers.methods.trees.cart import cart_splits
from solvers.methods.trees.exact_search import as_weighted_rows
from solvers.methods.trees.improvement import Improvement
from solvers.methods.trees.path_rules import search_space
from solvers.methods.trees.tree_of_splits import Splits, grow, may_be_leaf
from solvers.problem import Kind, Problem, Shape, question_orders
from tests.case_count import case_count
from tests.constraints.examples import example
from tests.strategies import make_dataset, problems

KINDS: tuple[type[Constraint], ...] = (
    AskedBefore,
    FirstQuestion,
    MaxPathCost,
    NeverBothOnPath,
    NeverColumns,
    OnlyAfter,
    ThresholdsWithin,
)

Step = tuple[int, int, Splits]
"""Cost, elements scanned, splits."""


def started(problem: Problem, first: Splits | None = None, seed: int = 0) -> Improvement:
    """The trees for a problem, starting from CART's or another first one; a problem without splits is skipped."""
    rules = rules_of(problem)
    everything = np.arange(problem.dataset.n_samples)
    possible = not get("contree").check(problem) and may_be_leaf(problem, everything)
    space = search_space(problem, question_orders(problem.dataset), rules)
    if not (possible and len(space.searched) and problem.size.max_depth >= 3 and problem.size.max_leaf_nodes != 1):
        assume(False)
    first = space.without_forbidden(cart_splits(problem, space.searched, 0)) if first is None else first
    unit = 2**problem.size.max_depth
    return Improvement(problem, space, as_weighted_rows(problem), first, unit=unit, seed=seed)


def steps(search: Improvement, random_steps: int = 0) -> Iterator[Step]:
    """All trees found before random splits begin, and for some steps of these."""
    with patch.object(improvement, "STEP", 1):
        while random_steps >= 0 and not search.advance():
            yield search.cost, search.work, search.splits
            random_steps -= search.opened


def deepened(problem: Problem) -> Problem:
    """The same at a depth of three to five, by the number of its rows."""
    depth = 3 + problem.dataset.n_samples % 3
    return replace(problem, shape=replace(problem.shape, max_depth=depth))


@settings(derandomize=True, deadline=None, max_examples=case_count(200))
@given(problem=problems(max_rows=30), seed=st.integers(0, 2**32 - 1))
def test_every_tree_is_allowed_and_costs_never_rise(problem: Problem, seed: int) -> None:
    """Shape, leaf sizes and path rules hold for each tree, and its cost is at most the reported one."""
    rng = np.random.default_rng(seed)
    kinds = rng.choice(len(KINDS), int(rng.integers(3)), replace=False)
    constraints = [example(KINDS[k], problem.dataset, rng) for k in kinds]
    problem = replace(deepened(problem), constraints=tuple(c for c in constraints if c is not None))
    search = started(problem, seed=seed)
    space = search_space(problem, question_orders(problem.dataset), rules_of(problem))
    rows, size, before = as_weighted_rows(problem), problem.size, search.cost
    for cost, _, splits in steps(search, random_steps=200):
        assert cost <= before
        before = cost
        chosen = space.original(splits)
        tree = grow(problem, space.orders, chosen, within=space.within)
        assert problem.cost(tree.predict(problem.dataset), tree.n_splits) <= cost // 2**size.max_depth + rows.constant
        assert tree.depth <= size.max_depth
        assert size.max_leaf_nodes is None or len(splits) < size.max_leaf_nodes
        assert not any(constraint.violations(tree, problem.dataset) for constraint in problem.constraints)
        at_leaf = tree.apply(problem.dataset)
        assert all(may_be_leaf(problem, np.flatnonzero(at_leaf == leaf)) for leaf in np.unique(at_leaf))


@settings(derandomize=True, deadline=None, max_examples=case_count(50))
@given(problem=problems(max_rows=30))
def test_improvement_is_deterministic(problem: Problem) -> None:
    """Trees and work, step by step, also of random splits."""
    problem = deepened(problem)
    assert list(steps(started(problem), 50)) == list(steps(started(problem), 50))


def parity() -> Problem:
    """The class is the parity of four bits: no single split helps."""
    bits = [(a, b, c, d) for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1)] * 2
    columns = {name: (Kind.NUMERIC, [float(row[i]) for row in bits]) for i, name in enumerate("abcd")}
    return Problem(make_dataset(columns, [sum(row) % 2 for row in bits]), Shape(max_depth=4))


def test_a_stop_keeps_the_best_tree() -> None:
    """The search stops between two steps, and inside the solver of depth two."""
    for stop in (Improvement.stop, lambda search: search._nodes.stop()):
        search = started(parity(), {0: (0, 0)})
        search.advance()
        found, work = search.splits, search.work
        stop(search)
        with patch.object(improvement, "STEP", 10**9):
            assert search.advance()
        assert search.splits == found
        assert search.work - work < 10**7
