"""Splits on one column and on sums of columns: values, text, thresholds, refusals, and JSON."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from solvers.diagram import Diagram, Leaf, Split, from_json, to_json
from solvers.errors import DiagramError, PredicateError
from solvers.problem import Column, Kind, LinearPredicate, MissingPolicy, Op, Predicate, Schema, ShapeKind
from solvers.problem.predicate import simple_threshold
from tests.strategies import make_dataset

NAN = float("nan")
SCHEMA = Schema(
    (
        Column("bmi", Kind.NUMERIC, has_missing=True),
        Column("sex", Kind.BINARY, ("female", "male")),
        Column("stage", Kind.ORDERED, ("I", "II", "III")),
        Column("ward", Kind.CATEGORICAL, ("A", "B", "C"), has_missing=True),
        Column("seen", Kind.DATE),
    )
)


@pytest.mark.parametrize(
    ("low", "high", "threshold"), [(17.3, 17.9, 17.6), (106.1, 117.2, 110.0), (50, 51, 50.5), (0, 1, 0.5), (-3, 4, 0.0)]
)
def test_a_threshold_is_a_short_number(low, high, threshold):
    """It has the fewest decimals near the middle."""
    assert simple_threshold(low, high) == threshold


@pytest.mark.parametrize(
    ("predicate", "yes"),
    [
        (Predicate("bmi", Op.LE, 30.0, False), [True, True, False, False]),
        (Predicate("bmi", Op.LE, 30.0, True), [True, True, False, True]),
        (Predicate("bmi", Op.IS, 30.0, False), [False, True, False, False]),
        (Predicate("bmi", Op.IS, 30.0, True), [False, True, False, True]),
        (Predicate("bmi", Op.MISSING, None, True), [False, False, False, True]),
    ],
)
def test_values_are_compared_with_the_threshold(predicate, yes):
    """The side of a missing value is part of the split."""
    np.testing.assert_array_equal(predicate.answer(np.array([20, 30, 30.1, NAN])), yes)


@pytest.mark.parametrize(
    ("predicate", "if_yes", "if_no"),
    [
        (Predicate("bmi", Op.LE, 30.0, True), "bmi is at most 30, or missing", "bmi is more than 30"),
        (Predicate("bmi", Op.LE, 30.5, False), "bmi is at most 30.5", "bmi is more than 30.5, or missing"),
        (Predicate("bmi", Op.MISSING, None, True), "bmi is missing", "bmi is known"),
        (Predicate("sex", Op.IS, 1.0, True), "sex is male", "sex is female"),
        (Predicate("stage", Op.LE, 1.0, True), "stage is I or II", "stage is III"),
        (Predicate("ward", Op.IS, 2.0, False), "ward is C", "ward is not C, or missing"),
        (Predicate("seen", Op.LE, 19000.0, False), "seen is 2022-01-08 or earlier", "seen is after 2022-01-08"),
    ],
)
def test_the_text_has_the_words_of_the_user(predicate, if_yes, if_no):
    """Columns and levels are named, and 'or missing' is added if the column has missing values."""
    assert (predicate.words(SCHEMA), predicate.words(SCHEMA, False)) == (if_yes, if_no)


def test_the_text_can_omit_missing_values():
    """A caller that knows whether values are missing may say so."""
    predicate = Predicate("bmi", Op.LE, 30.0, True)
    assert predicate.words(SCHEMA, mention_missing=False) == "bmi is at most 30"
    assert Predicate("stage", Op.LE, 0.0, True).words(SCHEMA, mention_missing=True) == "stage is I, or missing"


@pytest.mark.parametrize(
    ("op", "value", "missing"),
    [
        (Op.LE, None, False),
        (Op.LE, math.inf, False),
        (Op.IS, NAN, False),
        (Op.MISSING, 1.0, True),
        (Op.MISSING, None, False),
    ],
)
def test_invalid_splits_are_refused(op, value, missing):
    """A comparison needs a finite value; 'is missing' has none, and missing rows are on its yes side."""
    with pytest.raises(PredicateError):
        Predicate("bmi", op, value, missing)


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
    content = json.loads(to_json(diagram))
    content["model"]["nodes"][0]["predicate"]["levels"] = [None, 7]
    with pytest.raises(DiagramError, match="level"):
        from_json(json.dumps(content))
