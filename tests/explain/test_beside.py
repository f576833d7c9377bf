"""The smallest tree that is as good as another model, and what a growing minimum of rows does to a diagram."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.explain import TreeMatch, match_tree
from solvers.methods import get
from solvers.metrics import unfolded
from solvers.problem import Limits, Problem, Shape
from solvers.run.json_types import kind_from_json, kind_to_json
from solvers.solution import Solution, Status
from tests.case_count import case_count
from tests.diagram.models import majority
from tests.metrics.test_unfolded_tree import patients
from tests.oracle.trees import optimum
from tests.strategies import datasets

NEVER = threading.Event()
CONTREE = get("contree")


def test_two_of_three_needs_five_questions_as_a_tree():
    """The BDD has four questions; no tree of fewer than six leaves gets all patients right, and that is proved."""
    answers: list[TreeMatch] = []
    problem = Problem(patients(), Shape(max_depth=3))
    found = match_tree(problem, 0, 8, CONTREE.run, Limits(), NEVER, answers.append)
    assert (found.cost, found.leaves, found.proved, found.finished) == (0, 6, True, True)
    assert found.diagram.n_splits == unfolded(majority()).n_splits == 5
    assert [answer.leaves for answer in answers] == [1, 2, 3, 4, 5, 6]


def test_no_tree_of_the_depth_is_good_enough():
    """Where even the largest tree costs more there is no answer, but the proof that there is none."""
    problem = Problem(patients(), Shape(max_depth=1))
    found = match_tree(problem, 0, 4, CONTREE.run, Limits(), NEVER)
    assert (found.diagram, found.cost, found.leaves, found.proved) == (None, None, 4, True)


def test_an_undecided_size_takes_the_proof_away():
    """A solver that finds nothing in its time leaves open whether a smaller tree would do."""
    exact = CONTREE.run

    def slow(problem: Problem, limits: Limits, emit, stop) -> Solution:
        if problem.shape.max_leaf_nodes < 6:
            return Solution(problem.id, "slow", Status.NO_SOLUTION, None, None, None, 0.0, 0.0)
        return exact(problem, limits, emit, stop)

    found = match_tree(Problem(patients(), Shape(max_depth=3)), 0, 8, slow, Limits(), NEVER)
    assert (found.cost, found.leaves, found.proved) == (0, 6, False)


def test_it_ends_when_it_is_stopped():
    """Stopped before the first question, it knows nothing and claims nothing."""
    stop = threading.Event()
    stop.set()
    found = match_tree(Problem(patients(), Shape(max_depth=3)), 0, 8, CONTREE.run, Limits(), stop)
    assert (found.diagram, found.proved, found.finished) == (None, False, True)


@settings(derandomize=True, deadline=None, max_examples=case_count(25))
@given(datasets(max_rows=7, max_columns=2, weights=False), st.integers(0, 3))
def test_the_smallest_tree_is_that_of_the_oracle(dataset, target):
    """The number of leaves is the first one whose optimum is good enough."""
    problem = Problem(dataset, Shape(max_depth=2))
    costs = [optimum(replace(problem, shape=Shape(max_depth=min(2, n - 1), max_leaf_nodes=n)))[0] for n in range(1, 5)]
    expected = next((n for n, cost in enumerate(costs, start=1) if cost <= target), None)
    found = match_tree(problem, target, 4, CONTREE.run, Limits(), NEVER)
    assert found.proved
    assert (found.leaves if found.diagram is not None else None) == expected


@pytest.mark.parametrize(
    "answer",
    [
        TreeMatch(3),
        TreeMatch(3, majority(), 2, 6, True, True, 1.5),
    ],
)
def test_answers_read_back(answer):
    """What was written as JSON is read as the same."""
    assert kind_from_json("answer", kind_to_json("answer", answer)) == answer
