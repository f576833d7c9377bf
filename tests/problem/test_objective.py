"""The objective in integers: costs of classes and splits, by name and in any unit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.errors import DataError
from solvers.messages import describe_result
from solvers.metrics import decision_curve
from solvers.problem import Dataset, Kind, Limits, Objective, Problem, Shape, class_costs_by_name, costs_at_threshold
from solvers.problem import treatment_threshold as threshold_of
from solvers.run import solve
from solvers.solution import Status
from tests.strategies import make_dataset


def table(weight: list[float] | None = None) -> Dataset:
    """Four rows of three classes."""
    return make_dataset({"x": (Kind.NUMERIC, [1, 2, 3, 4])}, [0, 1, 2, 0], weight=weight)


DEAR = Objective(((0, 1, 1), (2.5, 0, 1), (1, 1, 0.5)), split_penalty=0.2)


def test_costs_and_weights_become_integers_together() -> None:
    """Weights in quarters, class costs in halves and split penalties in fifths have the largest common unit."""
    problem = Problem(table([0.25, 1, 1, 2]), objective=DEAR)
    assert problem.weights.tolist() == [1, 4, 4, 8]
    assert problem.scale == 4 * 10
    assert problem.class_costs.tolist() == [[0, 10, 10], [25, 0, 10], [10, 10, 5]]
    assert problem.split_penalty == 8
    assert problem.cost(np.array([1, 0, 2, 0]), n_splits=3) == 40 * (0.25 + 2.5 + 0.5 + 3 * 0.2)


@pytest.mark.parametrize(
    ("objective", "cost"),
    [
        (Objective(), 1),
        (Objective(split_penalty=0.5), 2),
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
    one = Problem(table(), Shape(min_weight_leaf=2), Objective(split_penalty=1))
    assert one.id == Problem(table(), Shape(min_weight_leaf=2.0), Objective(split_penalty=1.0)).id
    others = [
        replace(one, objective=Objective()),
        replace(one, objective=replace(DEAR, split_penalty=1)),
        replace(one, shape=Shape(min_weight_leaf=2.5)),
        replace(one, shape=Shape(min_weight_leaf=2, min_samples_leaf=2)),
    ]
    assert len({one.id, *(other.id for other in others)}) == 5


@pytest.mark.parametrize(("least", "units"), [(0, 0), (0.1, 1), (0.3, 3), (0.1 + 0.2, 3), (0.35, 4), (2, 20)])
def test_a_minimum_weight_is_the_decimal_that_was_written(least: float, units: int) -> None:
    """A tenth is one unit of a tenth, although its float is slightly more."""
    problem = Problem(table([0.1, 0.2, 1, 1]), Shape(min_weight_leaf=least))
    assert problem.min_weight_leaf == units


@pytest.mark.parametrize(
    ("gap", "cost", "errors"),
    [(0, 0, 0), (0.25, 100, 1), (0.29, 116, 1), (0.999, 399, 3), (1, 100, 1), (2.5, 250, 2)],
)
def test_a_gap_counts_errors_in_any_unit(gap: float, cost: int, errors: int) -> None:
    """Below 1 it is a share of all rows at a cost of 1 each, from 1 on a number; fractions of a unit are cut."""
    problem = Problem(table(), objective=Objective(split_penalty=0.01))
    assert (problem.scale, problem.total) == (100, 400)
    assert Limits(gap=gap).gap_cost(problem) == cost
    assert Limits(gap=gap).gap_cost(Problem(table())) == errors


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
    ("objective", "weight", "message"),
    [
        (Objective(((0, 1), (1, 0))), 1, "for 2 classes; the outcome 'outcome' has 3"),
        (Objective(split_penalty=1 / 3), 1, "at most 6 decimals"),
        (Objective(class_costs=((0, 1, 1), (1e-10, 0, 1), (1, 1, 0))), 1, "at most 6 decimals"),
        (Objective(split_penalty=1e300), 1, "the limit is"),
        (Objective(), 1 / 3, "at most 6 decimals"),
        (Objective(), 1e-9, "at most 6 decimals"),
        (Objective(), 1e300, "the limit is"),
    ],
)
def test_costs_and_weights_that_do_not_fit_the_table_are_refused(objective: Objective, weight, message: str) -> None:
    """Another number of classes, endless decimals, and sums beyond the integer limit."""
    with pytest.raises(DataError, match=message):
        objective.scaled(table([1.0, weight, 1.0, 1.0]))


def divided(rows: tuple[int, ...], points: list[tuple[int, int]]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """The rows undivided, and divided by each split of two columns."""
    yield (rows,)
    for column in (0, 1):
        for value in range(3):
            yes = tuple(i for i in rows if points[i][column] <= value)
            if yes and len(yes) < len(rows):
                yield yes, tuple(i for i in rows if i not in yes)


def highest_net_benefit(points: list[tuple[int, int]], y: list[int], weight: list[int], t: Fraction) -> Fraction:
    """The highest net benefit of all trees of depth two, with each combination of leaves in which one acts."""
    best = Fraction(0)
    for sides in divided(tuple(range(len(y))), points):
        for below in product(*(divided(side, points) for side in sides)):
            leaves = [leaf for side in below for leaf in side]
            for acts in product((False, True), repeat=len(leaves)):
                acted = [i for leaf, act in zip(leaves, acts, strict=True) if act for i in leaf]
                found = sum(weight[i] * (Fraction(1) if y[i] else -t / (1 - t)) for i in acted)
                best = max(best, Fraction(found) / sum(weight))
    return best


ROWS = st.lists(
    st.tuples(st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(0, 1), st.integers(1, 3)),
    min_size=2,
    max_size=9,
)


@given(ROWS, st.sampled_from(("0.01", "0.1", "0.125", "0.3", "0.5", "0.9")), st.sampled_from((0, 1)))
def test_the_proved_tree_has_the_highest_net_benefit_at_the_treatment_threshold(rows, threshold, positive) -> None:
    """No tree of this depth has a higher net benefit on the training rows; the sentence gives its value."""
    points, sick, weight = (list(part) for part in zip(*rows, strict=True))
    t, y = Fraction(threshold), [one if positive else 1 - one for one in sick]
    columns = {name: (Kind.NUMERIC, [point[i] for point in points]) for i, name in enumerate("ab")}
    data = replace(make_dataset(columns, y, weight=weight), positive=positive)
    costs = costs_at_threshold(float(threshold), 2, positive)
    assert threshold_of(costs, positive) == t and all(cost == int(cost) for row in costs for cost in row)
    problem = Problem(data, Shape(max_depth=2), Objective(costs))
    solution = solve(problem, "contree", Limits(seconds=20))
    assert solution.status is Status.OPTIMAL and solution.verified
    acted = solution.diagram.predict(data) == positive
    worth = (w * (Fraction(1) if ill else -t / (1 - t)) for act, ill, w in zip(acted, sick, weight, strict=True) if act)
    best = highest_net_benefit(points, sick, weight, t)
    assert Fraction(sum(worth)) / sum(weight) == best
    assert f"none has a higher net benefit on these rows: {float(100 * best):.2f} per 100" in describe_result(
        problem, solution
    )
    risk = solution.diagram.predict_proba(data)[:, positive]
    curve = decision_curve(risk, np.array(sick) == 1, np.array([float(t)]), np.array(weight, float))
    assert curve.model[0].value == pytest.approx(float(best))


def test_only_a_proved_tree_without_split_penalty_is_said_to_have_the_highest_net_benefit() -> None:
    """Not for a penalty, not for a greedy tree, and not if all errors cost the same."""
    data = replace(make_dataset({"x": (Kind.NUMERIC, [1, 2, 3, 4])}, [0, 1, 0, 1]), positive=1)
    costs = costs_at_threshold(0.2, 2, 1)
    for objective, method in ((Objective(costs, 0.5), "contree"), (Objective(costs), "cart"), (Objective(), "contree")):
        problem = Problem(data, Shape(max_depth=1), objective)
        assert "net benefit" not in describe_result(problem, solve(problem, method, Limits(seconds=20)))


@pytest.mark.parametrize("threshold", (0, 1, -0.1, 0.12345, 0.1 + 0.2, True, float("nan")))
def test_impossible_treatment_thresholds_are_refused(threshold: float) -> None:
    """Outside 0 to 1, or with more decimals than whole costs can have; and with three classes."""
    with pytest.raises(DataError, match="treatment threshold must be more than 0"):
        costs_at_threshold(threshold, 2, 1)
    with pytest.raises(DataError, match="two classes"):
        costs_at_threshold(0.1, 3, None)
