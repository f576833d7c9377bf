"""The end of the axis: accepted up to the last unit, and refused with a remedy beyond it."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.errors import DataError
from solvers.methods import get
from solvers.metrics import verify
from solvers.problem import Dataset, Kind, Objective, Problem, Shape
from solvers.solution import Status
from tests.methods.running import solve
from tests.oracle import trees
from tests.strategies import make_dataset

LARGEST = 2**31 - 1


def table(*weight: float) -> Dataset:
    """Rows whose class follows one column, except the last row."""
    n = len(weight)
    y = [*(int(i >= n // 2) for i in range(n - 1)), 0]
    return make_dataset({"a": (Kind.NUMERIC, list(range(n)))}, y, weight=list(weight))


@pytest.mark.parametrize(
    "weight", [(1, 1, 1, LARGEST - 3), (500.25, 1e-6, 0.5, 1646.733395), (2.147483647e9 - 3, 1, 1, 1)]
)
def test_the_largest_total_is_solved(weight: tuple[float, ...]) -> None:
    """Weights of 2^31 - 1 units, or slightly less, are accepted and the optimum is exact."""
    problem = Problem(table(*weight), Shape(max_depth=1))
    assert LARGEST - 1000 < trees.total_units(problem) <= LARGEST
    solution = solve(get("contree"), problem).solution
    assert (solution.status, verify(problem, solution).ok) == (Status.OPTIMAL, True)
    assert solution.cost == trees.tree_optimum(problem).cost * problem.scale


@pytest.mark.parametrize(
    ("weight", "objective"),
    [
        ((1, 1, 1, LARGEST - 2), Objective()),
        ((1e-6, 1.0, 2.0, 3e3), Objective()),
        ((1e300, 1.0, 1.0, 1.0), Objective()),
        ((1, 1, 1, 1e6), Objective(((0, 1), (3000, 0)))),
        ((1, 1, 1, 1000), Objective(((0, 1e-6), (3, 0)))),
        ((1, 1, 1, 1), Objective(split_penalty=3e9)),
        ((1e-6, 1, 1, 1), Objective(split_penalty=3e3)),
    ],
)
def test_a_larger_total_is_refused_with_a_remedy(weight: tuple[float, ...], objective: Objective) -> None:
    """A DataError suggests a remedy before any method adds up costs."""
    problem = Problem(table(*weight), Shape(max_depth=1), objective)
    assert trees.total_units(problem) > LARGEST
    with pytest.raises(DataError, match=r"[Rr]ound them|fewer decimals"):
        _ = problem.scaled


@pytest.mark.parametrize(
    ("weight", "objective"),
    [
        ((1 / 3, 1, 1, 1), Objective()),
        ((1e-7, 1, 1, 1), Objective()),
        ((1, 1, 1, 1), Objective(split_penalty=1e-9)),
        ((1, 1, 1, 1), Objective(((0, 1e-10), (1, 0)))),
        ((1, 1, 1, 1), Objective(((0, 1), (1.0000000001, 0)))),
    ],
)
def test_more_decimals_are_refused_with_a_remedy(weight: tuple[float, ...], objective: Objective) -> None:
    """Digits that cannot be counted are never dropped silently."""
    with pytest.raises(DataError, match=r"[Rr]ound them"):
        _ = Problem(table(*weight), Shape(max_depth=1), objective).scaled


@pytest.mark.parametrize("least", [5.0000000001, 5.0, 4.9999999999, 2.000000000001])
def test_the_minimum_weight_of_a_leaf_keeps_all_its_digits(least: float) -> None:
    """A leaf of weight 5 is too light for a minimum of 5.0000000001, for the engine and for the verifier."""
    problem = Problem(table(2.0, 3.0, 2.5, 2.5), Shape(max_depth=2, min_weight_leaf=least))
    solution = solve(get("contree"), problem).solution
    assert verify(problem, solution).ok
    assert solution.cost == trees.tree_optimum(problem).cost * problem.scale


@pytest.mark.parametrize("unit", [1.0, 1e-6, 2e6])
def test_costs_in_any_unit_have_the_same_optimum(unit: float) -> None:
    """Class costs and split penalties a million times as large or small give the same problem: two splits pay."""
    weight = np.array([3.0, 1.0, 2.0, 5.0, 1.0, 4.0])
    costs = ((0.0, round(3 * unit, 6)), (round(2 * unit, 6), 0.0))
    problem = Problem(table(*weight), Shape(max_depth=2), Objective(costs, round(unit, 6)))
    solution = solve(get("contree"), problem).solution
    best = trees.tree_optimum(problem)
    assert solution.cost == best.cost * problem.scale
    assert (solution.diagram.n_splits, float(best.cost) / unit) == (best.questions, pytest.approx(2.0))
