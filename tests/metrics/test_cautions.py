"""Cautions about a model: each appears if and only if a slow count says so."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from solvers.constraints import FirstQuestion, MinSensitivity
from solvers.messages import caution_title, describe_caution
from solvers.metrics import CautionKind, cautions
from solvers.metrics.comparable import comparable, constants, describe_violated
from solvers.problem import Limits, Objective, Problem, Shape, holdout, leaf_floor, sample_dataset
from solvers.run import solve


@cache
def fitted(name: str, depth: int, **more):
    """A problem on three quarters of a sample, its optimal or a good tree, a greedy tree, and the held-out rows."""
    train, test = holdout(sample_dataset(name), 0.25)
    problem = Problem(train, Shape(max_depth=depth), **more)
    return problem, *(solve(problem, method, Limits(seconds=3)).diagram for method in ("contree", "cart")), test


@pytest.mark.parametrize("name", ["lending", "monk2", "parity", "triage", "iris"])
@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize("dear", [False, True])
def test_each_caution_agrees_with_a_slow_count(name: str, depth: int, dear: bool) -> None:
    """No better than the constant prediction, worse than the greedy tree, and small leaves, counted row by row."""
    n_classes = len(sample_dataset(name).classes)
    costs = tuple(tuple(float(c != k) * (1 + 2 * c) for k in range(n_classes)) for c in range(n_classes))
    problem, tree, greedy, test = fitted(name, depth, objective=Objective(costs) if dear else Objective())
    matrix = costs if dear else 1 - np.eye(n_classes)

    def total(answers, rows) -> float:
        return sum(matrix[c][k] for c, k in zip(rows.y, answers, strict=True))

    train = problem.dataset
    constant = min(range(n_classes), key=lambda k: total([k] * train.n_samples, train))
    own = total(tree.predict(test), test)
    reached = [int((tree.apply(train.X) == number).sum()) for number, _ in tree.leaves]
    expected = {
        CautionKind.NO_BETTER_THAN_CONSTANT: tree.n_splits > 0 and own >= total([constant] * test.n_samples, test),
        CautionKind.WORSE_THAN_RIVAL: own > total(greedy.predict(test), test),
        CautionKind.SMALL_LEAF: min(reached) < leaf_floor(train.n_samples),
    }
    found = {one.kind: one for one in cautions(problem, tree, test, {"CART": greedy})}
    assert {kind: kind in found for kind in expected} == expected
    if small := found.get(CautionKind.SMALL_LEAF):
        assert (small.leaves, small.least) == (sum(n < small.floor for n in reached), min(reached))
    if CautionKind.OPTIMISM in found:
        assert np.mean(tree.predict(test) != test.y) > np.mean(tree.predict(train) != train.y)
    for one in found.values():
        assert describe_caution(problem, one).endswith(".") and caution_title(one)


def test_a_constraint_violated_on_held_out_rows_is_named() -> None:
    """A sensitivity that barely holds in training does not hold on the held-out rows."""
    problem, tree, _, test = fitted("lending", 5)
    positive = problem.dataset.positive
    ill = problem.dataset.y == positive
    share = float((tree.predict(problem.dataset)[ill] == positive).mean())
    there = float((tree.predict(test)[test.y == positive] == positive).mean())
    assert there < share
    wanted = MinSensitivity(round((share + there) / 2, 4))
    found = cautions(replace(problem, constraints=(wanted,)), tree, test)
    (broken,) = (one for one in found if one.kind is CautionKind.BROKEN_CONSTRAINT)
    assert wanted.words(problem.dataset) in describe_caution(problem, broken)
    kind = CautionKind.BROKEN_CONSTRAINT
    weaker = MinSensitivity(round(there - 0.01, 4))
    assert kind not in {one.kind for one in cautions(replace(problem, constraints=(weaker,)), tree, test)}


def test_models_are_compared_at_the_demanded_sensitivity() -> None:
    """A greedy tree with few errors that misses most cases is relabelled before it counts as better, or does not count.

    The same holds for the constant prediction of the majority class.
    """
    free, _, greedy, test = fitted("triage", 2)
    data = free.dataset
    problem = replace(free, constraints=(MinSensitivity(0.9),))
    tree = solve(problem, "contree", Limits(seconds=20)).diagram
    ill, errors = data.y == data.positive, lambda model: int((model.predict(test) != test.y).sum())
    reached = float((greedy.predict(data)[ill] == data.positive).mean())
    assert reached < 0.9 and errors(greedy) < errors(tree)
    assert describe_violated(problem, greedy) == (f"sensitivity for critical = yes is at least 90% ({reached:.1%})",)
    (violated, *others) = cautions(problem, greedy, test, {"C4.5": tree})
    assert "is at least 90% (" in describe_caution(problem, violated) and violated.kind is CautionKind.VIOLATED
    assert CautionKind.WORSE_THAN_RIVAL not in {one.kind for one in others}
    fair = comparable(problem, greedy)
    assert (fair.predict(data)[ill] == data.positive).mean() >= 0.9 and not describe_violated(problem, fair)
    found = {one.kind: one for one in cautions(problem, tree, test, {"CART": greedy})}
    assert CautionKind.NO_BETTER_THAN_CONSTANT not in found and constants(problem) == (data.positive,)
    better = errors(fair) < errors(tree)
    assert (CautionKind.WORSE_THAN_RIVAL in found) == better
    assert comparable(replace(problem, constraints=(MinSensitivity(0.9), FirstQuestion(("age",)))), greedy) is None


def test_rows_without_a_prediction_are_counted() -> None:
    """Held-out rows without a value that all training rows have get no prediction in use; the others do."""
    problem, tree, _, test = fitted("iris", 1)
    assert CautionKind.NO_ANSWER not in {one.kind for one in cautions(problem, tree, test)}
    X = test.X.copy()
    X[:3] = np.nan
    (caution,) = (c for c in cautions(problem, tree, replace(test, X=X)) if c.kind is CautionKind.NO_ANSWER)
    assert (caution.own.k, caution.own.n) == (3, test.n_samples)
    assert "3 of 38 held-out rows (7.9%) have a value that no training row has" in describe_caution(problem, caution)
    assert caution_title(caution) == "No prediction for some held-out rows"


def test_shares_are_weighted() -> None:
    """With weights the shares are weighted, and no test that counts rows is used."""
    problem, tree, greedy, test = fitted("lending", 5)
    heavy = replace(test, weight=np.where(tree.predict(test) == test.y, 1.0, 10.0))
    (rival,) = (c for c in cautions(problem, tree, heavy, {"CART": greedy}) if c.kind is CautionKind.WORSE_THAN_RIVAL)
    assert rival.p is None and rival.own.value > np.mean(tree.predict(test) != test.y)


def test_without_held_out_rows_only_leaves_have_cautions() -> None:
    """A tree with large leaves and no held-out rows has no caution."""
    problem, tree, _, _ = fitted("iris", 1)
    assert cautions(problem, tree, None) == ()


@pytest.mark.parametrize(
    ("rows", "floor"), [(0, 1), (4, 1), (14, 1), (30, 3), (50, 5), (480, 5), (501, 6), (9999, 100)]
)
def test_the_minimum_of_a_leaf_is_one_in_a_hundred_rows(rows: int, floor: int) -> None:
    """And at least 5 rows, but at most one in ten."""
    assert leaf_floor(rows) == floor
