"""The exact search for the smallest tree without errors, compared with brute force."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from solvers.messages import describe_result
from solvers.methods import get
from solvers.methods.trees.smallest import subsets
from solvers.methods.trees.smallest.cases import distinct_cases
from solvers.metrics import verified
from solvers.problem import Dataset, Kind, Limits, Objective, Problem, Shape
from solvers.solution import Log, Status
from tests.case_count import case_count
from tests.methods.running import solve
from tests.methods.trees.consistent_trees import (
    METHODS,
    contree_leaves,
    fewest_in_spells,
    noisy,
    subset_search_of,
)
from tests.oracle.consistent import NONE, Consistent
from tests.oracle.trees import optimum
from tests.strategies import datasets, make_dataset, shapes


@settings(derandomize=True, deadline=None, max_examples=case_count(200))
@given(dataset=datasets(max_rows=10), question=st.sampled_from(("depth-then-nodes", "nodes-at-any-depth")))
def test_search_agrees_with_brute_force(dataset: Dataset, question: str) -> None:
    """Least depth, fewest leaves at every depth limit, and whether more leaves than a given number are needed."""
    oracle = Consistent(dataset)
    assume(not oracle.tied)
    search = subset_search_of(dataset)
    assert [bool(search.feasible(d)) for d in range(7)] == [oracle.at(d) < NONE for d in range(7)]
    limits = range(oracle.depth, 7) if question == "depth-then-nodes" else range(6, oracle.depth - 1, -1)
    for depth in limits:
        least = oracle.at(depth)
        assert search.fewest(depth, least - 1) > least - 1
        assert search.fewest(depth, least) == least == search.best(depth)
        assert len(search.splits(depth, least)) == least - 1


@pytest.mark.parametrize("name", METHODS)
@settings(derandomize=True, deadline=None, max_examples=case_count(75))
@given(dataset=datasets(max_rows=9), shape=shapes(max_depth=4, leaf_sizes=False))
def test_tree_is_the_smallest(name: str, dataset: Dataset, shape: Shape) -> None:
    """The returned tree, its depth and nodes, and all proved claims are those of brute force."""
    oracle = Consistent(dataset)
    assume(not oracle.tied)
    problem = Problem(dataset, shape)
    solution = solve(get(name.split()[0], **METHODS[name]), problem).solution
    assert solution.status is Status.OPTIMAL and verified(problem, solution).verified
    most = NONE - 1 if shape.max_leaf_nodes is None else shape.max_leaf_nodes
    fitting = [d for d in range(shape.max_depth + 1) if oracle.at(d) <= most]
    proved = solution.details.consistent
    assert solution.stats["refuted"] == list(range(min(oracle.depth, problem.size.max_depth + 1)))
    if not fitting:
        assert solution.cost > problem.unavoidable_cost
        assert (solution.cost, solution.diagram.n_splits) == optimum(problem) or shape.max_depth > 3
        assert proved.none_fits and not proved.fewest_nodes
        return
    assert solution.cost == problem.unavoidable_cost
    assert proved.least_depth == oracle.depth and proved.depth_with_leaves == fitting[0]
    assert proved.nodes == solution.diagram.n_nodes <= 2 * most - 1
    limit = shape.max_depth if name.endswith("any depth") else fitting[0]
    assert solution.diagram.depth <= limit
    if name != "inferdt-depth":
        assert proved.fewest_nodes and solution.diagram.n_leaves == oracle.at(limit)


@settings(derandomize=True, deadline=None, max_examples=case_count(25))
@given(seed=st.integers(0, 10_000), n_classes=st.sampled_from((2, 3, 4)))
def test_agrees_with_contree_on_larger_tables(seed: int, n_classes: int) -> None:
    """On tables beyond brute force ConTree finds the same least depth and the same leaves at each limit."""
    rng = np.random.default_rng(seed)
    table = noisy(rng, int(rng.integers(20, 90)), n_classes)
    assume(not distinct_cases(Problem(table)).tied)
    search = subset_search_of(table)
    leaves = {d: contree_leaves(table, d) for d in range(8)}
    assert {d: bool(search.feasible(d)) for d in leaves} == {d: leaves[d] < NONE for d in leaves}
    most = None
    for depth in (d for d in leaves if leaves[d] < NONE):
        assert search.fewest(depth, most) == leaves[depth]
        most = leaves[depth]


CONTRADICTING = make_dataset({"x": (Kind.NUMERIC, [1, 1, 1, 2, 3, 4])}, [0, 1, 1, 0, 1, 1])


def test_contradictions_are_named() -> None:
    """The rows are named, the unavoidable error is counted, and the rest is fitted with the fewest splits."""
    solution = solve(get("smallest-tree"), Problem(CONTRADICTING, Shape(max_depth=5))).solution
    assert (solution.status, solution.cost, solution.bound) == (Status.OPTIMAL, 1, 1)
    assert solution.diagram.n_splits == 2
    assert solution.details.contradictory == (1, 2, 3) and solution.details.consistent.unavoidable == 1
    words = describe_result(Problem(CONTRADICTING, Shape(max_depth=5)), solution)
    assert "The rows 1, 2, 3 contradict each other: at least 1 of them is an error in every tree." in words
    assert "no avoidable error" in words


def test_ties_are_not_called_proved() -> None:
    """If classes of a contradiction have equal cost another choice may be smaller: this is reported."""
    table = make_dataset({"x": (Kind.NUMERIC, [1, 1, 1, 2, 2])}, [0, 1, 1, 0, 1])
    solution = solve(get("smallest-tree"), Problem(table, Shape(max_depth=2))).solution
    assert solution.status is Status.OPTIMAL and solution.cost == 2
    assert solution.details.consistent.tied
    assert "Another choice might allow a smaller tree" in describe_result(Problem(table, Shape(max_depth=2)), solution)


def test_refuted_depths_are_reported() -> None:
    """Each depth without a consistent tree is reported when it is refuted, and then the fewest errors are found."""
    table = make_dataset({"x": (Kind.NUMERIC, range(8))}, [0, 1, 0, 1, 0, 1, 0, 1])
    run = solve(get("smallest-tree"), Problem(table, Shape(max_depth=2)))
    messages = [event.text for event in run.events if isinstance(event, Log)]
    assert [f"no tree of depth {d} " in text for d, text in enumerate(messages[:3])] == [True] * 3
    assert run.solution.stats["refuted"] == [0, 1, 2]
    words = describe_result(Problem(table, Shape(max_depth=2)), run.solution)
    assert "Every tree of depth at most 2 makes an error (proved)." in words
    assert (run.solution.status, run.solution.cost) == (Status.OPTIMAL, 2)


def test_a_leaf_limit_may_need_a_deeper_tree() -> None:
    """Under a leaf limit the minimum depth is the one at which that number of leaves suffices."""
    X = np.random.default_rng(12).integers(0, 6, (24, 2))
    y = ((X[:, 0] * 3 + X[:, 1] * 5) % 7 > 3).astype(int)
    table = make_dataset({"a": (Kind.NUMERIC, X[:, 0]), "b": (Kind.NUMERIC, X[:, 1])}, y)
    oracle = Consistent(table)
    deepest = min(oracle.at(d) for d in range(8))
    assert deepest < oracle.at(oracle.depth), "the table must be one where depth saves leaves"
    problem = Problem(table, Shape(max_depth=7, max_leaf_nodes=deepest))
    solution = solve(get("smallest-tree"), problem).solution
    least = next(d for d in range(8) if oracle.at(d) <= deepest)
    assert (solution.diagram.depth, solution.diagram.n_leaves) == (least, deepest)
    assert f"With at most {deepest} leaves the minimum depth is {least} (proved)." in describe_result(problem, solution)


def test_full_memory_grows() -> None:
    """A search that fills its first memory of sets continues with more, to the same result."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 12, (110, 3))
    table = make_dataset({f"x{j}": (Kind.NUMERIC, X[:, j]) for j in range(3)}, rng.integers(0, 2, 110))
    search = subset_search_of(table)
    assert [bool(search.feasible(depth)) for depth in (5, 6)] == [False, True]
    assert search.fewest(6) == contree_leaves(table, 6) == 36
    assert search.stats["sets of cases"] > 4096


def test_a_stopped_search_can_be_resumed() -> None:
    """A stop during the search ends it; what was found is kept and the result does not change."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 12, (110, 3))
    table = make_dataset({f"x{j}": (Kind.NUMERIC, X[:, j]) for j in range(3)}, rng.integers(0, 2, 110))
    search = subset_search_of(table)
    search.stop()
    assert search.fewest(6) is None and search.feasible(6) is None
    assert fewest_in_spells(search, 6, 1 / 1000) == 36


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"shape": Shape(min_samples_leaf=2)}, "minimum leaf size"),
        ({"shape": Shape(min_weight_leaf=1.5)}, "minimum leaf size"),
        ({"objective": Objective(split_penalty=1.0)}, "split penalty"),
        ({"objective": Objective(((0.0, 0.0), (1.0, 0.0)))}, "as cheap as a correct prediction"),
    ],
)
def test_refuses_competing_objectives(change: dict, found: str) -> None:
    """Objectives that compete with zero errors are refused with a remedy."""
    reasons = get("smallest-tree").check(replace(Problem(CONTRADICTING), **change))
    assert [found in reason.what for reason in reasons] == [True]
    assert all("contree" in reason.remedy for reason in reasons)


def test_out_of_memory_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the memory of sets may not grow, the search ends with its best result and gives the reason."""
    monkeypatch.setattr(subsets, "BASE_MB", 250)
    rng = np.random.default_rng(5)
    X = rng.random((600, 12))
    table = make_dataset({f"x{j}": (Kind.NUMERIC, X[:, j]) for j in range(12)}, rng.integers(0, 2, 600))
    limits = Limits(memory_mb=256, seconds=300)
    problem = Problem(table, Shape(max_depth=7))
    solution = get("smallest-tree").run(problem, limits, lambda event: None, threading.Event())
    assert solution.status is Status.FEASIBLE
    assert "Memory limit of 256 MiB reached" in describe_result(problem, solution, limits)
