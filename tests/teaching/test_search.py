"""The search for lessons: exact compared with brute force, and every sentence of its recording is correct."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.errors import UnsupportedError
from solvers.problem import Objective, Problem, Shape
from solvers.teaching import Happening, Recipe, Rule, record_search
from tests.case_count import case_count
from tests.teaching.lessons import errors, optimum, problem_of, random_dataset, solved

CASES = case_count(40)


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_the_search_finds_the_optimum_of_brute_force(depth: int):
    """On random tables with repeated and contradictory rows, at each depth."""
    for case in range(CASES):
        random = np.random.default_rng([depth, case])
        problem = Problem(random_dataset(random, int(random.integers(2, 14))), Shape(max_depth=depth))
        recording = record_search(problem)
        known = optimum(problem)
        assert (recording.cost, recording.bound) == (known, known), f"depth {depth}, case {case}"
        assert errors(recording.best.drawn(problem).diagram, problem.dataset) == known
        assert recording.best.drawn(problem).diagram.depth <= depth


def test_incumbent_and_bound_meet():
    """The best tree never gets worse, the bound never decreases, neither passes the optimum, and they meet."""
    problem = problem_of(Recipe(Rule.BLOBS, rows=40, seed=2))
    recording = record_search(problem)
    best, bounds = [e.incumbent for e in recording.events], [e.bound for e in recording.events]
    assert best == sorted(best, reverse=True) and bounds == sorted(bounds)
    assert min(best) == max(bounds) == recording.cost
    assert recording.events[-1].what is Happening.PROVED
    for at, sketch in recording.improvements:
        assert errors(sketch.drawn(problem).diagram, problem.dataset) == recording.events[at].incumbent
        assert recording.incumbent_at(at) == sketch


def test_no_pruned_split_would_have_been_better():
    """For every pruned split of the root, the best tree with it is no better than the best tree known at that time:
    brute force solves both sides."""
    problem = problem_of(Recipe(Rule.NOISY_XOR, rows=24, seed=4))
    data, checked = problem.dataset, 0
    for event in record_search(problem).events:
        if event.what is Happening.PRUNED and event.slot == 0 and len(event.path) == 1:
            says = event.path[0][1].holds(data.schema, data.X)
            sides = [Problem(data.take(side), Shape(max_depth=1)) for side in (says, ~says)]
            assert sum(optimum(side) for side in sides) >= event.incumbent
            checked += 1
    assert checked


def test_all_splits_of_the_root_are_recorded():
    """Each is tried, or pruned for a stated reason, and none twice."""
    problem = problem_of(Recipe(Rule.BLOBS, rows=40, seed=2))
    events = [event for event in record_search(problem).events if event.slot == 0]
    tried = sum(event.what is Happening.ASK for event in events)
    spared = sum(event.spared for event in events if not event.words.startswith("Pruned: the yes side"))
    from solvers.problem import binary_view

    assert tried + spared == len(binary_view(problem.dataset).predicates)
    assert spared


def test_a_search_that_is_too_long_ends_with_a_valid_bound():
    """At the maximum number of events the best tree so far and a valid bound are returned."""
    problem = problem_of(Recipe(Rule.BLOBS, rows=40, seed=2))
    optimum, cut = solved("contree", problem).cost, record_search(problem, 30)
    assert not cut.proved and cut.bound <= optimum <= cut.cost
    assert len(cut.events) == 31 and cut.events[-1].what is Happening.ENDED


@pytest.mark.parametrize(
    "problem",
    [
        Problem(problem_of(Recipe(Rule.XOR)).dataset, Shape(max_depth=4)),
        Problem(problem_of(Recipe(Rule.XOR, rows=300)).dataset, Shape(max_depth=2)),
        Problem(problem_of(Recipe(Rule.XOR)).dataset, Shape(max_depth=2, min_samples_leaf=3)),
        Problem(problem_of(Recipe(Rule.XOR)).dataset, Shape(max_depth=2), Objective(split_penalty=1.0)),
    ],
)
def test_problems_too_large_for_a_lesson_are_refused(problem: Problem):
    """Deep trees, long tables, other limits and costs: the message names a method that supports them."""
    with pytest.raises(UnsupportedError, match="contree"):
        record_search(problem)
