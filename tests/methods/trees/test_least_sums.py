"""The least value of a sum: against all trees of small tables."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.constraints import (
    DemographicParity,
    MaxErrors,
    MaxFalseAlarms,
    MaxMissed,
    MaxPositive,
    MinAccuracy,
    MinSensitivity,
    MinSpecificity,
)
from solvers.explain import relaxables_of
from solvers.methods import get
from solvers.problem import Limits, Problem, Shape
from tests.case_count import case_count
from tests.constraints.examples import example
from tests.explain.random_constraints import SEEDS, random_problem, world
from tests.explain.worlds import World, never, pressed

COUNTING = (MaxErrors, MaxFalseAlarms, MaxMissed, MaxPositive, MinAccuracy, MinSensitivity, MinSpecificity)


def counting_problem(here: World, seed: int, n: int) -> Problem:
    """A problem of random constraints that the engine supports, the last of which counts errors of some rows."""
    engine = get("contree")
    while True:
        rng = np.random.default_rng(seed)
        problem = random_problem(here, seed, n)
        constraint = example(COUNTING[rng.integers(len(COUNTING))], problem.dataset, rng)
        problem = Problem(problem.dataset, problem.shape, constraints=(*problem.constraints, constraint))
        if not engine.check(problem):
            return problem
        seed += 1


@settings(derandomize=True, deadline=None, max_examples=case_count(60))
@given(place=st.integers(0, 5), seed=SEEDS, n=st.integers(1, 3))
def test_the_least_value_of_a_sum(place: int, seed: int, n: int) -> None:
    """The least value of a sum is that of all trees that satisfy the other constraints, with a tree that attains it."""
    here = world(place)
    whole = counting_problem(here, seed, n)
    (rule,) = whole.constraints[-1].rules(whole)
    problem = Problem(whole.dataset, whole.shape, constraints=whole.constraints[:-1])
    allowed = here.allowed(relaxables_of(problem))
    rows = np.arange(problem.dataset.n_samples)

    def value(tree: object) -> int:
        return int(rule.by_label[rows, tree.predict(problem.dataset)].sum())

    found = get("contree").least_sum(problem, rule, Limits(seconds=300), never)
    if not len(allowed):
        assert (found.bound, found.value, found.diagram) == (None, None, None)
        return
    assert found.bound == found.value == value(found.diagram) == min(value(here.trees[i]) for i in allowed)
    assert all(relaxable.holds(found.diagram, problem) for relaxable in relaxables_of(problem))


def test_a_stopped_search_claims_nothing_false() -> None:
    """A bound is still a lower bound, and a tree still a tree."""
    here = world(1)
    problem = Problem(here.problem.dataset, Shape(max_depth=2), constraints=(MinAccuracy("0.95"),))
    (rule,) = problem.constraints[0].rules(problem)
    free = Problem(problem.dataset, problem.shape)
    least = get("contree").least_sum(free, rule, Limits(), never)
    stopped = get("contree").least_sum(free, rule, Limits(), pressed)
    assert stopped.bound <= least.value
    assert stopped.value is None or stopped.value >= least.value


def test_a_difference_between_groups_is_not_minimised() -> None:
    """One side of it has no meaningful least value."""
    here = world(1)
    problem = Problem(here.problem.dataset, Shape(max_depth=2))
    rule = DemographicParity("b", 0, "class 1").rules(problem)[0]
    assert get("contree").least_sum(problem, rule, Limits(), never) is None
