"""Splits on sums of columns: values, text, refusals, and JSON."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.diagram import Diagram, Leaf, Split, from_json, to_json
from solvers.errors import DiagramError, PredicateError
from solvers.problem import Kind, LinearPredicate, MissingPolicy, ShapeKind
from tests.strategies import make_dataset

NAN = float("nan")


def table(missing: MissingPolicy = MissingPolicy.INFORMATION):
    """Two numbers and a category, with a missing value."""
    return make_dataset(
        {
            "age": (Kind.NUMERIC, [40, 50, 60, 70]),
            "bmi": (Kind.NUMERIC, [20, 30, NAN, 22]),
            "ward": (Kind.CATEGORICAL, [0, 1, 2, 0]),
        },
        [0, 1, 1, 0],
        missing=missing,
    )


def test_the_weighted_sum_is_compared_with_the_threshold():
    """A level counts 1; a missing value has its own side."""
    data = table()
    predicate = LinearPredicate(("age", "bmi"), (0.5, 2.0), 64.0, missing=False)
    np.testing.assert_array_equal(predicate.values(data.schema, data.X), [60, 85, NAN, 79])
    assert predicate.holds(data.schema, data.X).tolist() == [True, False, False, False]
    levels = LinearPredicate(("age", "ward"), (1.0, 30.0), 70.0, True, (None, 0))
    assert levels.values(data.schema, data.X).tolist() == [70, 50, 60, 100]


def test_imputed_values_count():
    """If missing values are imputed, the sum uses the fill value."""
    data = table(MissingPolicy.IMPUTE)
    assert data.schema["bmi"].fill == 22
    predicate = LinearPredicate(("age", "bmi"), (0.5, 2.0), 74.0, missing=True)
    np.testing.assert_array_equal(predicate.values(data.schema, data.X), [60, 85, 74, 79])
    assert predicate.holds(data.schema, data.X).tolist() == [True, False, True, False]


def test_the_text_has_short_weights():
    """Weights with few digits, signs between the terms, 'or missing' if the column has missing values."""
    data = table()
    predicate = LinearPredicate(("age", "bmi", "ward"), (1.0, -2.123456, 3.0), 5.0, True, (None, None, 1))
    level = data.schema["ward"].levels[1]
    assert predicate.words(data.schema) == f"age - 2.123 bmi + 3 [ward is {level}] is at most 5, or missing"
    assert predicate.words(data.schema, False) == f"age - 2.123 bmi + 3 [ward is {level}] is more than 5"


@pytest.mark.parametrize(
    ("columns", "weights", "threshold"),
    [
        ((), (), 0.0),
        (("age",), (1.0, 2.0), 0.0),
        (("age", "age"), (1.0, 2.0), 0.0),
        (("age",), (0.0,), 1.0),
        (("age",), (1.0,), NAN),
        (("age",), (float("inf"),), 0.0),
    ],
)
def test_invalid_sums_are_refused(columns, weights, threshold):
    """No terms, a repeated term, a weight of 0, or numbers that are not finite."""
    with pytest.raises(PredicateError):
        LinearPredicate(columns, weights, threshold, missing=False)


def test_a_sum_survives_json():
    """A diagram with such a split is restored and has the same predictions; damage is found."""
    data = table()
    predicate = LinearPredicate(("age", "ward"), (0.1, 1 / 3), 5.2, False, (None, 2))
    leaves = (Leaf(0, (1.0, 0.0)), Leaf(1, (1.0, 2.0)))
    diagram = Diagram(ShapeKind.DIAGRAM, data.schema, data.classes, "y", None, (Split(predicate, 1, 2), *leaves))
    read = from_json(to_json(diagram))
    assert read == diagram
    assert read.predict(data).tolist() == diagram.predict(data).tolist() == [0, 0, 1, 1]
    assert diagram.features == ("age", "ward")
    with pytest.raises(DiagramError, match="level"):
        from_json(to_json(diagram).replace('"level": 2', '"level": 7'))
