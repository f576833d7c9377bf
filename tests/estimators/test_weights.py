"""Weights become integers without changing their meaning."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from solvers import OptimalTreeClassifier
from solvers.errors import DataError, ShapeError
from solvers.estimators.sample_weights import LARGEST_TOTAL, PRECISION, costliest, split_penalty_in_units, whole_weights
from tests.case_count import case_count


@pytest.mark.parametrize(
    ("weight", "count", "unit"),
    [
        ([1, 1, 1], [1, 1, 1], 1.0),
        ([2.5, 2.5], [1, 1], 2.5),
        ([0.1, 0.25, 3], [2, 5, 60], 0.05),
        ([1 / 3, 2 / 3, 1], [1, 2, 3], 1 / 3),
        ([569 / (2 * 212), 569 / (2 * 357)], [357, 212], 569 / (2 * 357 * 212)),
        ([1e-4, 1000.0], [1, 10_000_000], 1e-4),
        ([4e-300, 6e-300], [2, 3], 2e-300),
        ([4e300, 6e300], [2, 3], 2e300),
    ],
)
def test_weights_of_simple_ratios_are_exact(weight: list[float], count: list[int], unit: float) -> None:
    """Counts, decimals, thirds and 'balanced' weights become the smallest integers with the same ratios."""
    whole = whole_weights(np.array(weight, float))
    assert whole.exact
    assert whole.count.tolist() == count
    assert whole.unit == pytest.approx(unit, rel=1e-12)


@settings(derandomize=True, deadline=None, max_examples=case_count(200))
@given(
    st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=60),
    st.sampled_from([1, 7, 1000]),
)
def test_any_weights_have_the_documented_precision(weight: list[float], worst: int) -> None:
    """Each weight is off by at most half a unit (one unit for the tiniest), and costs fit the integer type."""
    array = np.array(weight)
    whole = whole_weights(array, worst)
    assert whole.count.min() >= 1
    assert whole.count.sum() * worst <= LARGEST_TOTAL
    error = np.abs(whole.count * whole.unit - array)
    if whole.exact:
        assert (error <= 1e-9 * array).all()
    else:
        assert whole.unit <= 1.01 * max(PRECISION * array.max(), array.sum() * worst / LARGEST_TOTAL)
        assert (error <= np.where(whole.count > 1, 0.5001, 1) * whole.unit).all()


def test_a_million_different_weights_can_be_summed() -> None:
    """With very many rows the unit is coarser, so that the total fits."""
    weight = np.random.default_rng(0).lognormal(size=1_000_000)
    whole = whole_weights(weight)
    assert not whole.exact
    assert whole.count.sum() <= LARGEST_TOTAL
    assert abs(whole.count.sum() * whole.unit / weight.sum() - 1) < 1e-6


@pytest.mark.parametrize(
    ("split_penalty", "unit", "total", "expected"),
    [
        (0.0, 1.0, 100, 0.0),
        (0.5, 1.0, 100, 0.5),
        (0.5, 2.0, 100, 0.25),
        (1 / 3, 1.0, 100, 0.333333),
        (1e-9, 1.0, 100, 1e-6),
        (0.26, 1.0, 50_000_000, 0.3),
        (1e9, 1.0, 100, 101.0),
    ],
)
def test_split_penalties_are_rounded_to_units(split_penalty: float, unit: float, total: int, expected: float) -> None:
    """The split penalty has at most six decimals, stays positive, and is capped above the cost of all errors."""
    assert split_penalty_in_units(split_penalty, unit, total) == pytest.approx(expected, rel=1e-12)


def test_the_costliest_error_in_integer_units() -> None:
    """Class costs are scaled together: with 0.5 among them a cost of 5 is 10 units."""
    assert costliest(None) == 1
    assert costliest(((0.0, 1.0), (5.0, 0.0))) == 5
    assert costliest(((0.0, 0.5), (5.0, 0.0))) == 10


def table(seed: int, n: int = 40) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    """Rows with ties, duplicates, contradictions and missing values in two columns, three classes."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (n, 2)).astype(float)
    X[rng.random((n, 2)) < 0.1] = np.nan
    return X, rng.integers(0, 3, n), rng


@pytest.mark.parametrize("missing", ["information", "impute"])
@pytest.mark.parametrize("seed", range(case_count(4)))
def test_a_weight_of_k_means_k_rows_and_a_weight_of_0_none(seed: int, missing: str) -> None:
    """Weighted and repeated rows, in any order, give exactly the same tree, including its counts."""
    X, y, rng = table(seed)
    weight = rng.integers(0, 4, len(y))
    shuffled = rng.permutation(weight.sum())
    model = OptimalTreeClassifier(max_depth=2, missing=missing)
    repeated = model.fit(X.repeat(weight, axis=0)[shuffled], y.repeat(weight)[shuffled])
    diagram, cost = repeated.diagram_, repeated.cost_
    weighted = model.fit(X, y, sample_weight=weight)
    assert weighted.diagram_ == diagram
    assert weighted.cost_ == cost


@pytest.mark.parametrize("factor", [1000.0, 0.001, 1 / 3, 1e-200])
def test_the_scale_of_the_weights_does_not_change_the_tree(factor: float) -> None:
    """Multiplying all weights by a number gives the same tree; costs and counts are multiplied by it."""
    X, y, rng = table(0)
    weight = rng.random(len(y))
    one = OptimalTreeClassifier(max_depth=2).fit(X, y, sample_weight=weight)
    many = OptimalTreeClassifier(max_depth=2).fit(X, y, sample_weight=weight * factor)
    np.testing.assert_array_equal(one.apply(X), many.apply(X))
    assert many.cost_ == pytest.approx(one.cost_ * factor, rel=1e-9)
    assert sum(many.diagram_.nodes[-1].counts) == pytest.approx(sum(one.diagram_.nodes[-1].counts) * factor, rel=1e-9)


@pytest.mark.parametrize("seed", range(case_count(4)))
def test_costs_have_the_units_of_the_weights(seed: int) -> None:
    """The cost is the weight of the errors of the tree, up to the documented precision."""
    X, y, rng = table(seed)
    weight = rng.lognormal(size=len(y))
    model = OptimalTreeClassifier(max_depth=2).fit(X, y, sample_weight=weight)
    assert model.solution_.status == "optimal"
    assert model.cost_ == model.bound_
    wrong = weight[model.predict(X) != y].sum()
    assert model.cost_ == pytest.approx(wrong, abs=PRECISION * weight.max() * len(y))


def test_balanced_class_weights_equal_sample_weights() -> None:
    """'balanced' equals these weights given explicitly, and gives all classes the same weight."""
    X, y, _ = table(1)
    y = np.where(y == 0, "rare", "common")
    by_hand = np.where(y == "rare", len(y) / (2 * (y == "rare").sum()), len(y) / (2 * (y == "common").sum()))
    balanced = OptimalTreeClassifier(max_depth=2, class_weight="balanced").fit(X, y)
    weighted = OptimalTreeClassifier(max_depth=2).fit(X, y, sample_weight=by_hand)
    assert balanced.diagram_ == weighted.diagram_
    total = sum(np.array(node.counts) for node in balanced.diagram_.nodes if hasattr(node, "counts"))
    np.testing.assert_allclose(total, len(y) / 2)


def test_class_weights_favour_a_class() -> None:
    """A class of weight 10 is predicted although it is a minority; a class of weight 0 counts as absent."""
    X, y = np.zeros((5, 1)), [0, 0, 0, 0, 1]
    assert OptimalTreeClassifier().fit(X, y).predict(X[:1]).tolist() == [0]
    assert OptimalTreeClassifier(class_weight={1: 10}).fit(X, y).predict(X[:1]).tolist() == [1]
    model = OptimalTreeClassifier(class_weight={0: 0}).fit(X, y)
    assert (model.predict(X[:1]).tolist(), model.cost_, model.classes_.tolist()) == ([1], 0, [0, 1])


@pytest.mark.parametrize(
    ("weight", "words"),
    [([1, -1], "[Nn]egative"), ([0, 0], "zero"), ([1, np.nan], "NaN"), ([1, np.inf], "infinity"), ([1], "shape")],
)
def test_invalid_weights_are_refused(weight: list[float], words: str) -> None:
    """Negative, infinite, missing, too few or all zero."""
    with pytest.raises(ValueError, match=words):
        OptimalTreeClassifier().fit([[1.0], [2.0]], [0, 1], sample_weight=weight)


@pytest.mark.parametrize("class_weight", [{0: -1, 1: 1}, {0: np.inf, 1: 1}, {0: 0, 1: 0}])
def test_invalid_class_weights_are_refused(class_weight: dict[int, float]) -> None:
    """They must be finite, at least 0, and not all 0."""
    with pytest.raises(DataError, match=r"[Cc]lass weight"):
        OptimalTreeClassifier(class_weight=class_weight).fit([[1.0], [2.0]], [0, 1])


def test_class_costs_by_label_and_by_table_are_equal() -> None:
    """A missed 'ill' of cost 5 is predicted if it has one fifth of the weight; shares are still those of the rows."""
    X, y = np.zeros((8, 1)), ["ill"] * 2 + ["well"] * 6
    for costs in ({"ill": {"well": 5}}, [[0, 5], [1, 0]]):
        model = OptimalTreeClassifier(max_depth=1, class_costs=costs).fit(X, y)
        assert model.predict(X[:1]).tolist() == ["ill"]
        assert model.predict_proba(X[:1]).tolist() == [[0.25, 0.75]]
        assert model.cost_ == 6


def test_a_treatment_threshold_sets_the_class_costs() -> None:
    """Acting from a risk of 20% on means that a missed 'sick' costs four false alarms; both at once are refused."""
    X, y = [[0.0], [0.0], [0.0], [1.0]] * 2, ["fine", "fine", "sick", "fine"] * 2
    model = OptimalTreeClassifier(max_depth=1, treatment_threshold=0.2).fit(X, y)
    other = OptimalTreeClassifier(max_depth=1, class_costs={"sick": {"fine": 4}}).fit(X, y)
    assert model.predict([[0.0], [1.0]]).tolist() == ["sick", "fine"]
    assert (model.cost_, model.diagram_) == (other.cost_, other.diagram_)
    with pytest.raises(DataError, match="Leave out one of the two"):
        clone(model).set_params(class_costs={"sick": {"fine": 4}}).fit(X, y)
    with pytest.raises(DataError, match="treatment threshold must be"):
        clone(model).set_params(treatment_threshold=1.5).fit(X, y)


@pytest.mark.parametrize(
    ("costs", "error"),
    [
        ({"sick": {"well": 2}}, DataError),
        ({"ill": 2}, DataError),
        ([[0, 1]], ShapeError),
        ([[0, -1], [1, 0]], ShapeError),
    ],
)
def test_invalid_class_costs_are_refused(costs: object, error: type[Exception]) -> None:
    """An unknown label, wrong nesting, a table of another size, or negative costs."""
    with pytest.raises(error):
        OptimalTreeClassifier(class_costs=costs).fit([[1.0], [2.0]], ["ill", "well"])
