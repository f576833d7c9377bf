"""The objective in integers: costs of classes and splits, by name and in any unit."""

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


def test_costs_and_weights_become_integers_together() -> None:
    """Weights in quarters, class costs in halves and split penalties in fifths have the largest common unit."""
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
def test_a_uniform_error_cost_is_recognized(objective: Objective, cost: int | None) -> None:
    """If all errors cost the same, whatever the classes, the cost in whole units is known."""
    assert objective.scaled(table()).error_cost == cost


def test_leaves_have_the_cost_of_their_label() -> None:
    """The cost of a leaf by the class that it predicts, for one leaf and for many."""
    problem = Problem(table(), objective=DEAR)
    assert problem.leaf_costs(np.array([2, 1, 0])).tolist() == [25, 20, 30]
    assert problem.leaf_costs(np.array([[2, 1, 0], [0, 0, 2]])).tolist() == [[25, 20, 30], [20, 20, 10]]
    assert problem.unavoidable_cost == 5, "the right answer for the third class costs a half, whatever the model"


def test_equal_problems_have_equal_ids() -> None:
    """1 and 1.0 are the same; another penalty or leaf size makes another problem."""
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
def test_a_minimum_weight_is_the_decimal_that_was_written(least: float, units: int) -> None:
    """A tenth is one unit of a tenth, although its float is slightly more."""
    problem = Problem(table([0.1, 0.2, 1, 1]), Shape(min_weight_leaf=least))
    assert problem.min_weight_leaf == units


@pytest.mark.parametrize(("gap", "errors"), [(0.25, 1), (0.29, 1.16), (1, 1), (2.5, 2.5)])
def test_a_gap_counts_errors_in_any_unit(gap: float, errors: float) -> None:
    """A relative gap refers to all rows at a cost of 1 each, also if split penalties make the unit smaller."""
    problem = Problem(table(), objective=Objective(split_cost=0.01))
    assert (problem.scale, problem.total) == (100, 400)
    assert Limits(gap=gap).gap_cost(problem) == round(100 * errors)


def test_named_pairs_have_the_given_costs() -> None:
    """Unnamed errors cost 1 and correct predictions nothing."""
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
def test_invalid_names_and_costs_are_refused(named: object, message: str) -> None:
    """An unknown class, a cost that is not a number and wrong nesting are errors with a remedy."""
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
def test_costs_that_do_not_fit_the_table_are_refused(objective: Objective, message: str) -> None:
    """Another number of classes, endless decimals, and sums beyond the integer limit."""
    with pytest.raises(DataError, match=message):
        objective.scaled(table())


@pytest.mark.parametrize(
    ("weight", "message"), [(1 / 3, "at most 6 decimals"), (1e-9, "at most 6 decimals"), (1e300, "the limit is")]
)
def test_weights_without_a_common_unit_are_refused(weight: float, message: str) -> None:
    """A third has too many digits, and a googol is too large."""
    with pytest.raises(DataError, match=message):
        Objective().scaled(table([1.0, weight, 1.0, 1.0]))
