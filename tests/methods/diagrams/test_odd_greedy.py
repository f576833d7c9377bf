"""Diagrams built top-down: selected splits, merged nodes, pruned splits."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.diagram import Split
from solvers.methods import get
from solvers.methods.diagrams.greedy import constructions
from solvers.metrics.verify import verify
from solvers.problem import Kind, Limits, Objective, Problem, Shape, ShapeKind, question_orders
from solvers.problem.skeleton import PRESETS
from solvers.solution import EndReason, Status
from tests.case_count import case_count
from tests.methods.running import solve
from tests.strategies import datasets, make_dataset, objectives

SKELETONS = ((), (1,), (1, 1), (1, 2), (1, 1, 1), (1, 2, 2), (1, 2, 3, 2))


@st.composite
def drawn(draw: st.DrawFn, **more: object) -> Problem:
    """Small problems within small skeletons."""
    dataset = draw(datasets(max_rows=20, max_columns=4))
    widths = draw(st.sampled_from(SKELETONS))
    questions = draw(st.sampled_from((None, None, 1, 2)))
    shape = Shape(kind=ShapeKind.DIAGRAM, widths=widths, max_splits=questions, **more)
    if draw(st.booleans()):
        shape = replace(shape, widths=None, max_depth=len(widths))
    objective = replace(draw(objectives(dataset.n_classes)), free_root=draw(st.booleans()))
    return Problem(dataset, shape, objective)


@settings(derandomize=True, deadline=None, max_examples=case_count(100))
@given(problem=drawn())
def test_stays_within_skeleton_and_budget(problem: Problem) -> None:
    """For any table, the result passes the verifier, repeats itself and costs no more than one leaf."""
    first, second = (solve(get("odd-greedy"), problem, Limits(seed=7)).solution for _ in range(2))
    assert (first.diagram, first.cost) == (second.diagram, second.cost)
    checks = verify(problem, first)
    assert checks.ok, checks.failures
    by_class = np.bincount(problem.dataset.y, problem.weights, problem.dataset.n_classes).astype(np.int64)
    assert first.cost <= problem.leaf_costs(by_class).min()
    assert first.bound is None


def test_similar_flows_are_merged() -> None:
    """A majority of three: after two splits the mixed flows share the third, and the others have ended."""
    bits = list(product((0, 1), repeat=3))
    columns = {name: (Kind.BINARY, [row[j] for row in bits]) for j, name in enumerate("abc")}
    table = make_dataset(columns, [int(sum(row) > 1) for row in bits])
    problem = Problem(table, Shape(kind=ShapeKind.DIAGRAM, widths=(1, 2, 1)))
    found = solve(get("odd-greedy"), problem).solution
    assert (found.cost, found.diagram.n_splits) == (0, 4)
    (third,) = (
        i for i, node in enumerate(found.diagram.nodes) if isinstance(node, Split) and found.diagram.layer[i] == 2
    )
    assert len(found.diagram.parents[third]) == 2


def test_a_budget_prunes_the_least_useful_splits() -> None:
    """With a budget of one split, the one that separates the most rows stays."""
    x, y = [0, 1] * 10, [0, 1] * 9 + [0, 2]
    table = make_dataset({"x": (Kind.BINARY, x), "z": (Kind.BINARY, [0] * 19 + [1])}, y)
    problem = Problem(table, Shape(kind=ShapeKind.DIAGRAM, widths=(1, 2), max_splits=1))
    solution = solve(get("odd-greedy"), problem).solution
    assert (solution.diagram.n_splits, solution.cost) == (1, 1)


def test_a_free_root_is_not_pruned() -> None:
    """A penalty that no split is worth leaves one split if the first is free, and none if it is not."""
    table = make_dataset({"x": (Kind.NUMERIC, range(8))}, [0, 0, 0, 0, 1, 1, 0, 1])
    for free_root, n_splits in ((True, 1), (False, 0)):
        shape = Shape(kind=ShapeKind.DIAGRAM, widths=(1, 2, 4))
        problem = Problem(table, shape, Objective(split_penalty=100.0, free_root=free_root))
        assert solve(get("odd-greedy"), problem).solution.diagram.n_splits == n_splits


def test_more_draws_are_no_worse() -> None:
    """The run until the time limit builds more diagrams than the usual one, and keeps the best of them."""
    rng = np.random.default_rng(3)
    X = rng.random((60, 4))
    table = make_dataset({f"x{j}": (Kind.NUMERIC, X[:, j]) for j in range(4)}, (X[:, 0] > X[:, 1]).astype(int))
    problem = Problem(table, PRESETS["IV"].shape(), Objective(split_penalty=0.5))
    usual = solve(get("odd-greedy"), problem).solution
    longer = solve(get("odd-greedy", until="time"), problem, Limits(seconds=3.0)).solution
    assert longer.cost <= usual.cost and longer.stats["diagrams"] > usual.stats["diagrams"]
    assert (longer.status, longer.ended) == (Status.FEASIBLE, EndReason.TIME_LIMIT)
    first = list(zip(range(3), constructions(problem, question_orders(table), 0, lambda: False), strict=False))
    assert min(draft.cost(problem) for _, draft in first) >= usual.cost
