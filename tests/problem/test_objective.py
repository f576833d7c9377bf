"""The objective in whole numbers: prices of classes and splits, by name and in any unit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solvers.errors import DataError
from solvers.problem import Dataset, Kind, Limits, Objective, Problem, Shape, class_costs_by_name
from tests.strategies import make_dataset


def table(weight: list[float] | None = None) -> Dataset:
    """Four rows of three classes."""
    return make_dataset({"x": (Kind.NUMERIC, [1, 2, 3, 4])}, [0, 1, 2, 0], weight=weight)


DEAR = Objective(((0, 1, 1), (2.5, 0, 1), (1, 1, 0.5)), split_cost=0.2)


def test_costs_and_weights_become_whole_together() -> None:
    """Weights in quarters, class costs in halves and split costs in fifths have one unit, and no smaller one."""
    problem = Problem(table([0.25, 1, 1, 2]), objective=DEAR)
    assert problem.weights.tolist() == [1, 4, 4, 8]
    assert problem.scale == 4 * 10
    assert problem.class_costs.tolist() == [[0, 10, 10], [25, 0, 10], [10, 10, 5]]
    assert problem.split_cost == 8
    assert problem.cost(np.array([1, 0, 2, 0]), n_splits=3) == 40 * (0.25 + 2.5 + 0.5 + 3 * 0.2)


@pytest.mark.parametrize(
    ("objective", "cost"),
    [
        (Objective(), 1),
        (Objective(split_cost=0.5), 2),
        (Objective(((0, 3, 3), (3, 0, 3), (3, 3, 0))), 3),
        (Objective(((0, 1, 1), (1, 0, 1), (1, 1, 0.5))), None),
        (Objective(((0, 1, 2), (1, 0, 1), (1, 1, 0))), None),
        (Objective(((0, 0, 0), (0, 0, 0), (0, 0, 0))), None),
    ],
)
def test_one_cost_for_all_errors_is_known_as_such(objective: Objective, cost: int | None) -> None:
    """Where all errors cost the same, whatever the classes, it is said how much in whole units."""
    assert objective.scaled(table()).error_cost == cost


def test_leaves_are_priced_by_label() -> None:
    """What a leaf costs by the class that it predicts, for one leaf and for many."""
    problem = Problem(table(), objective=DEAR)
    assert problem.leaf_costs(np.array([2, 1, 0])).tolist() == [25, 20, 30]
    assert problem.leaf_costs(np.array([[2, 1, 0], [0, 0, 2]])).tolist() == [[25, 20, 30], [20, 20, 10]]
    assert problem.unavoidable_cost == 5, "the right answer for the third class costs a half, whatever the model"


def test_equal_questions_have_equal_names() -> None:
    """1 and 1.0 ask the same; another price or leaf size asks something else."""
    one = Problem(table(), Shape(min_weight_leaf=2), Objective(split_cost=1))
    assert one.id == Problem(table(), Shape(min_weight_leaf=2.0), Objective(split_cost=1.0)).id
    others = [
        replace(one, objective=Objective()),
        replace(one, objective=replace(DEAR, split_cost=1)),
        replace(one, shape=Shape(min_weight_leaf=2.5)),
        replace(one, shape=Shape(min_weight_leaf=2, min_samples_leaf=2)),
    ]
    assert len({one.id, *(other.id for other in others)}) == 5


@pytest.mark.parametrize(("least", "units"), [(0, 0), (0.1, 1), (0.3, 3), (0.1 + 0.2, 3), (0.35, 4), (2, 20)])
def test_a_minimum_weight_is_the_decimal_that_was_meant(least: float, units: int) -> None:
    """A tenth is one unit of a tenth, though as a float it is a little more."""
    problem = Problem(table([0.1, 0.2, 1, 1]), Shape(min_weight_leaf=least))
    assert problem.min_weight_leaf == units


@pytest.mark.parametrize(("gap", "errors"), [(0.25, 1), (0.29, 1.16), (1, 1), (2.5, 2.5)])
def test_a_gap_is_in_errors_whatever_the_unit(gap: float, errors: float) -> None:
    """A share is of all rows at a cost of 1 each, also where costs of splits make the unit smaller."""
    problem = Problem(table(), objective=Objective(split_cost=0.01))
    assert (problem.scale, problem.total) == (100, 400)
    assert Limits(gap=gap).gap_cost(problem) == round(100 * errors)


def test_named_pairs_cost_what_they_are_given() -> None:
    """Unnamed errors cost 1 and right answers nothing, unless they are named."""
    costs = class_costs_by_name({"c": {"a": 5, "c": 0.5}, "a": {"b": 0}}, ("a", "b", "c"))
    assert costs == ((0, 0, 1), (1, 0, 1), (5, 1, 0.5))
    assert class_costs_by_name({}, ("a", "b")) == ((0, 1), (1, 0))


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"malignan": {"benign": 5}}, "'malignan', which the outcome does not have. Did you mean 'malignant'?"),
        ({"malignant": {"x": 5}}, "'x', which the outcome does not have. The classes are: benign, malignant."),
        ({"malignant": {"benign": "5"}}, "must be a number, but is '5'."),
        ({"malignant": {"benign": True}}, "must be a number, but is True."),
        ({"malignant": 5}, "'malignant': {'predicted class': cost}"),
        ([5], "'true class': {'predicted class': cost}"),
    ],
)
def test_names_that_do_not_fit_are_refused(named: object, message: str) -> None:
    """An unknown class, a price that is no number and another nesting are named, with what to write instead."""
    with pytest.raises(DataError) as refused:
        class_costs_by_name(named, ("benign", "malignant"))
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("objective", "message"),
    [
        (Objective(((0, 1), (1, 0))), "for 2 classes; the outcome 'outcome' has 3"),
        (Objective(split_cost=1 / 3), "at most 6 decimals"),
        (Objective(class_costs=((0, 1, 1), (1e-10, 0, 1), (1, 1, 0))), "at most 6 decimals"),
        (Objective(split_cost=1e300), "the limit is"),
    ],
)
def test_prices_that_do_not_fit_the_table_are_refused(objective: Objective, message: str) -> None:
    """Another number of classes, endless decimals, and sums beyond whole numbers."""
    with pytest.raises(DataError, match=message):
        objective.scaled(table())


@pytest.mark.parametrize(
    ("weight", "message"), [(1 / 3, "at most 6 decimals"), (1e-9, "at most 6 decimals"), (1e300, "the limit is")]
)
def test_weights_that_are_not_whole_in_any_unit_are_refused(weight: float, message: str) -> None:
    """A third has too many digits, and a googol is too large."""
    with pytest.raises(DataError, match=message):
        Objective().scaled(table([1.0, weight, 1.0, 1.0]))
