"""Fast-and-frugal trees: the exact search against the oracle, and its results for long ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.constraints import FastAndFrugal
from solvers.methods import get
from solvers.metrics import verify
from solvers.problem import Kind, Problem, Shape
from solvers.solution import Solution, Status
from tests.case_count import case_count
from tests.methods.running import solve
from tests.oracle.trees import chain_optimum
from tests.strategies import make_dataset, problems

CONTREE = get("contree")


def chain(problem: Problem, depth: int, leaves: int | None = None) -> Solution:
    """The result of the search for chains of a depth."""
    shape = replace(problem.shape, max_depth=depth, max_leaf_nodes=leaves)
    posed = replace(problem, shape=shape, constraints=(FastAndFrugal(),))
    solution = solve(CONTREE, posed).solution
    verification = verify(posed, solution)
    assert verification.ok, verification.failures
    return solution


@settings(derandomize=True, deadline=None, max_examples=case_count(60))
@given(problem=problems(max_rows=9), depth=st.integers(0, 5), leaves=st.sampled_from((None, None, 2, 3, 4)))
def test_the_search_proves_the_best_of_all_chains(problem: Problem, depth: int, leaves: int | None) -> None:
    """Under weights, costs, split penalties and minimum leaf sizes, for chains of up to five splits."""
    if CONTREE.check(replace(problem, constraints=(FastAndFrugal(),))):
        return
    solution = chain(problem, depth, leaves)
    expected = chain_optimum(problem, depth if leaves is None else min(depth, leaves - 1))
    found = None if solution.diagram is None else (solution.cost, solution.diagram.n_splits)
    if expected is None:
        assert solution.status is Status.INFEASIBLE
    else:
        assert solution.status is Status.OPTIMAL
        assert found == expected


def stripes(n: int) -> Problem:
    """Rows in a line with alternating classes: each split of a chain settles one of them."""
    values = np.arange(n, dtype=float)
    dataset = make_dataset({"x": (Kind.NUMERIC, values)}, values.astype(int) % 2)
    return Problem(dataset, Shape(max_depth=3))


def test_long_lists_are_proved() -> None:
    """Ten splits settle eleven stripes."""
    solution = chain(stripes(11), 10)
    assert (solution.status, solution.cost) == (Status.OPTIMAL, 0)
    assert solution.diagram is not None and solution.diagram.n_splits == solution.diagram.depth == 10
    assert chain(stripes(11), 9).cost == 1
