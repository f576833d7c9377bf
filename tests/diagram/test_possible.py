"""The predictions that are possible without some values, compared with all values; and rows without a prediction."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from solvers.diagram import describe_refusal, possible_answers
from solvers.errors import UnknownValueError
from solvers.problem import Kind, LinearPredicate, MissingPolicy, Schema, ShapeKind
from solvers.problem.schema import fitted
from tests.case_count import case_count
from tests.diagram.exported import random_model
from tests.diagram.models import tree
from tests.strategies import datasets


def every_value(diagram, name):
    """One value of each kind that the splits on a column distinguish, and missing if training rows have missing
    values.
    """
    column = diagram.schema[name]
    if column.kind.has_levels:
        values = [float(i) for i in range(len(column.levels)) if i not in column.unseen_levels]
    else:
        predicates = [split.predicate for _, split in diagram.splits if name in split.predicate.columns]
        cuts = [p.value for p in predicates if p.value is not None]
        values = [value for cut in cuts or [0.0] for value in (cut, math.nextafter(cut, math.inf), cut + 1)]
        values += [min(values) - 1]
        if column.integral:
            values = [v for cut in values for v in (math.floor(cut), math.floor(cut) + 1)]
    return [*values, math.nan] if column.has_missing else values


@settings(derandomize=True, deadline=None, max_examples=case_count(30))
@given(datasets(weights=False), st.integers(0, 2**16))
def test_possible_predictions_are_those_of_all_values(data, seed):
    """If values of a new row are unknown, the possible predictions are exactly those of all values."""
    rng = np.random.default_rng(seed)
    data = replace(data, schema=replace(fitted(data.schema, data.X[::2]), missing=MissingPolicy.INFORMATION))
    for kind in ShapeKind:
        diagram = random_model(data, kind, rng, depth=3)
        if any(isinstance(split.predicate, LinearPredicate) for _, split in diagram.splits):
            continue
        row = data.X[rng.integers(data.n_samples)].copy()
        for j, column in enumerate(data.schema.columns):
            if rng.random() < 0.5 and not column.has_missing:
                row[j] = math.nan
        open_ = [
            name for name in diagram.features if diagram.schema[name].never_had(row[[diagram.schema.index(name)]])[0]
        ]
        cases = []
        for values in product(*(every_value(diagram, name) for name in open_)):
            case = row.copy()
            case[[diagram.schema.index(name) for name in open_]] = values
            cases.append(case)
        if not 0 < len(cases) <= 2000:
            continue
        expected = set(diagram.predict(np.array(cases)).tolist())
        assert set(possible_answers(diagram, row)) == expected
        assert len(expected) == 1 or diagram.stops(row.reshape(1, -1))[0] >= 0


@settings(derandomize=True, deadline=None, max_examples=case_count(40))
@given(datasets(weights=False), st.sampled_from(list(ShapeKind)))
def test_no_training_row_is_refused(data, kind):
    """Columns fitted to rows know all values of these rows, whatever the splits are."""
    data = replace(data, schema=fitted(data.schema, data.X))
    diagram = random_model(data, kind, np.random.default_rng(data.n_samples), depth=3)
    assert (diagram.stops(data) == -1).all()
    diagram.refuse_unknown(data)


def test_columns_know_their_unseen_levels():
    """Columns learn which of their levels rows have; if all values are missing, none."""
    column = tree().schema["sex"]
    schema = replace(tree().schema, columns=(column,))
    for values, unseen in (([0.0, 1.0], ()), ([1.0, math.nan], (0,)), ([math.nan], (0, 1))):
        assert fitted(schema, np.array([values]).T).columns[0].unseen_levels == unseen
    assert not replace(column, kind=Kind.NUMERIC, levels=()).never_had(np.array([1.0]))[0]


def test_a_refusal_names_column_row_and_possible_predictions():
    """Sex was known in all training rows: at 30 years there is no prediction without it, at 70 years there is."""
    rows = np.array([[30.0, 0.0], [70.0, math.nan], [30.0, math.nan], [math.nan, math.nan]])
    assert tree().stops(rows).tolist() == [-1, -1, 1, 1]
    with pytest.raises(UnknownValueError, match=r"'sex' is missing in row 3 \(2 such rows\)"):
        tree().refuse_unknown(rows)
    # both leaves predict this
    assert describe_refusal(tree(), 1, rows[2]).endswith("For every possible value, the prediction would be healthy.")
    divided = replace(
        tree(), nodes=tuple(structs.replace(n, label=1) if i == 4 else n for i, n in enumerate(tree().nodes))
    )
    assert describe_refusal(divided, 1, rows[2]) == (
        "No prediction: sex is missing, as in no training row. Possible predictions: healthy or ill."
    )


def test_a_path_explains_how_a_missing_value_counts():
    """An unknown age is not described as '40.5 or less': the text says how it is treated, and why."""
    step = tree().path(np.array([math.nan, 0.0])).steps[0]
    assert step.words == "age unknown: treated as at most 40.5, which was best for the training rows without it"
    assert tree().path(np.array([30.0, 0.0])).steps[0].words == "age is at most 40.5"
    followed = tree().path(np.array([30.0, math.nan])).steps[1]
    assert followed.words == "sex unknown: treated as male, though every training row had sex"
    column = replace(tree().schema["age"], fill=33.0)
    counted = replace(tree(), schema=Schema((column, tree().schema["sex"]), MissingPolicy.IMPUTE))
    assert (
        counted.path(np.array([math.nan, 0.0])).steps[0].words == "age unknown: counted as 33, so age is at most 40.5"
    )
