"""Fast-and-frugal trees: the exact search against all chains of small tables, and what it says of long ones."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.constraints import FastAndFrugal, MinSensitivity
from solvers.methods import get
from solvers.metrics import verify
from solvers.problem import Kind, Problem, Shape, binary_view
from solvers.solution import Solution, Status
from tests.case_count import case_count
from tests.methods.running import solve
from tests.strategies import make_dataset, problems

CONTREE = get("contree")


def least(problem: Problem, depth: int) -> tuple[int, int] | None:
    """Cost and number of splits of the best chain, by trying every question with a leaf on either side."""
    dataset, size = problem.dataset, problem.size
    bits = np.unique(binary_view(dataset).bits.astype(bool), axis=1)
    by_row = problem.weights[:, None] * problem.class_costs[dataset.y]

    def leaf(rows: tuple[int, ...]) -> tuple[int, int] | None:
        heavy = int(problem.weights[list(rows)].sum()) >= problem.min_weight_leaf
        enough = len(rows) >= size.min_samples_leaf and heavy
        return (int(by_row[list(rows)].sum(axis=0).min()), 0) if rows and enough else None

    @cache
    def best(rows: tuple[int, ...], depth: int) -> tuple[int, int] | None:
        found = [leaf(rows)]
        for answers in bits.T if depth else ():
            sides = [tuple(i for i in rows if answers[i] == side) for side in (True, False)]
            for first, rest in (sides, sides[::-1]):
                ended = leaf(first)
                after = best(rest, depth - 1) if ended and rest else None
                if ended and after:
                    found.append((ended[0] + after[0] + problem.split_cost, after[1] + 1))
        return min((one for one in found if one), default=None)

    return best(tuple(range(dataset.n_samples)), depth)


def chain(problem: Problem, depth: int, leaves: int | None = None) -> Solution:
    """What the search says of the chains of a depth."""
    shape = replace(problem.shape, max_depth=depth, max_leaf_nodes=leaves)
    posed = replace(problem, shape=shape, constraints=(FastAndFrugal(),))
    solution = solve(CONTREE, posed).solution
    verification = verify(posed, solution)
    assert verification.ok, verification.failures
    return solution


@settings(derandomize=True, deadline=None, max_examples=case_count(60))
@given(problem=problems(max_rows=9), depth=st.integers(0, 5), leaves=st.sampled_from((None, None, 2, 3, 4)))
def test_the_search_proves_the_best_of_all_chains(problem: Problem, depth: int, leaves: int | None) -> None:
    """Under weights, costs, a price of questions and minimum sizes of leaves, for chains of up to five questions."""
    if CONTREE.check(replace(problem, constraints=(FastAndFrugal(),))):
        return
    solution = chain(problem, depth, leaves)
    expected = least(problem, depth if leaves is None else min(depth, leaves - 1))
    found = None if solution.diagram is None else (solution.cost, solution.diagram.n_splits)
    if expected is None:
        assert solution.status is Status.INFEASIBLE
    else:
        assert solution.status is Status.OPTIMAL
        assert found == expected


def stripes(n: int) -> Problem:
    """One row after the other, whose classes take turns: each question of a chain settles one of them."""
    values = np.arange(n, dtype=float)
    dataset = make_dataset({"x": (Kind.NUMERIC, values)}, values.astype(int) % 2)
    return Problem(dataset, Shape(max_depth=3))


def test_a_chain_is_no_balanced_tree() -> None:
    """Four stripes need three questions, at depth two as a tree, and at depth three as a chain."""
    problem = stripes(4)
    assert solve(CONTREE, replace(problem, shape=Shape(max_depth=2))).solution.cost == 0
    assert chain(problem, 2).cost == 1
    assert chain(problem, 3).cost == 0


def test_long_lists_are_proved() -> None:
    """Ten questions settle eleven stripes."""
    solution = chain(stripes(11), 10)
    assert (solution.status, solution.cost) == (Status.OPTIMAL, 0)
    assert solution.diagram is not None and solution.diagram.n_splits == solution.diagram.depth == 10
    assert chain(stripes(11), 9).cost == 1


def test_a_chain_under_limits_of_who_is_found_is_proved_alike_by_two_methods() -> None:
    """The search that couples leaves and CP-SAT agree, and a balanced tree would be cheaper."""
    rng = np.random.default_rng(3)
    columns = {f"x{j}": (Kind.NUMERIC, rng.integers(0, 4, 24).astype(float)) for j in range(3)}
    dataset = make_dataset(columns, rng.integers(0, 2, 24))
    problem = Problem(
        dataset, Shape(max_depth=3), constraints=(FastAndFrugal(), MinSensitivity("0.75", positive=dataset.classes[1]))
    )
    ours, theirs = (solve(get(name), problem).solution for name in ("contree", "cptree"))
    assert verify(problem, ours).ok
    assert ours.status is theirs.status is Status.OPTIMAL
    assert ours.cost == theirs.cost
    free = solve(CONTREE, replace(problem, constraints=problem.constraints[1:])).solution
    assert free.cost is not None and ours.cost is not None and free.cost <= ours.cost
