"""A split penalty bounds the depth: stages of increasing depth prove what one search would."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from solvers.methods import get
from solvers.methods.trees import contree
from solvers.problem import MAX_DEPTH, Dataset, Kind, Limits, Objective, Problem, Shape
from solvers.solution import Solution, Status
from tests.case_count import case_count
from tests.constraints.problems import RULED, random_problem
from tests.methods.running import solve
from tests.oracle.trees import optimum
from tests.strategies import datasets, make_dataset, objectives, problems

CONTREE = get("contree")


def in_stages(problem: Problem) -> Solution:
    """The solution with stages from the first split on, so that small depths have several."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contree, "FIRST_DEPTH", 0)
        patch.setattr(contree, "STAGED_DEPTH", 1)
        return solve(CONTREE, problem).solution


@settings(derandomize=True, deadline=None, max_examples=case_count(60))
@given(dataset=datasets(max_rows=9), data=st.data())
def test_stages_agree_with_one_deep_search(dataset: Dataset, data: st.DataObject) -> None:
    """Nine rows need at most eight splits on a path."""
    price = data.draw(st.sampled_from((0.5, 1.0, 0.3)))
    objective = replace(data.draw(objectives(dataset.n_classes)), split_penalty=price)
    solution = solve(CONTREE, Problem(dataset, Shape(max_depth=MAX_DEPTH), objective)).solution
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contree, "STAGED_DEPTH", MAX_DEPTH)
        once = solve(CONTREE, Problem(dataset, Shape(max_depth=8), objective)).solution
    assert (solution.status, solution.cost, solution.bound) == (Status.OPTIMAL, once.cost, once.bound)
    assert solution.diagram.n_splits == once.diagram.n_splits


@settings(derandomize=True, deadline=None, max_examples=case_count(90))
@given(problem=problems())
def test_stages_find_the_optimum(problem: Problem) -> None:
    """Stages find the optimum with weights, class costs, missing values, leaf limits and minimum leaf sizes."""
    problem = replace(
        problem, objective=replace(problem.objective, split_penalty=problem.objective.split_penalty or 0.5)
    )
    assume(not CONTREE.check(problem))
    solution, best = in_stages(problem), optimum(problem)
    assert solution.status is (Status.INFEASIBLE if best is None else Status.OPTIMAL)
    assert best is None or (solution.cost, solution.diagram.n_splits) == best


def test_stages_under_constraints() -> None:
    """Every kind in turn, against the oracle; a stage may have no tree although a deeper one has."""
    compared = 0
    for seed in range(case_count(2) * len(RULED)):
        problem = random_problem(seed)
        problem = replace(problem, objective=replace(problem.objective, split_penalty=(0.5, 1, 3)[seed % 3]))
        if CONTREE.check(problem):
            continue
        solution, best = in_stages(problem), optimum(problem)
        assert solution.status is (Status.INFEASIBLE if best is None else Status.OPTIMAL), (seed, problem)
        assert solution.cost == (None if best is None else best[0]), (seed, problem)
        compared += 1
    assert compared > len(RULED)


def test_a_split_penalty_bounds_the_depth() -> None:
    """If no tree of depth three fits perfectly, two deep splits are first not worth their penalty, then they are."""
    rng = np.random.default_rng(5)
    cells = rng.integers(0, 2, (64, 5)).astype(float)
    dataset = make_dataset({f"x{j}": (Kind.BINARY, cells[:, j]) for j in range(5)}, cells.sum(axis=1) >= 3)
    depths = []
    for price in (8.0, 0.05):
        problem = Problem(dataset, Shape(max_depth=MAX_DEPTH), Objective(split_penalty=price))
        solution = solve(CONTREE, problem, Limits(seconds=60)).solution
        assert solution.status is Status.OPTIMAL
        depths.append(solution.diagram.depth)
    assert depths[0] < 4 <= depths[1]
