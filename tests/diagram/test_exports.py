"""Exported models give the results of the model itself, to the last bit, on every sample and on unusual tables."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from solvers.diagram import Diagram, Leaf, Split
from solvers.diagram.dialects import BLANKS, WITH_CAPITALS, Dialect, exact_number
from solvers.diagram.onnx_graph import to_onnx
from solvers.diagram.python_code import to_python
from solvers.diagram.spellings import missing_spellings
from solvers.diagram.sql import to_sql
from solvers.errors import DataError, DiagramError
from solvers.problem import (
    Column,
    Kind,
    LinearPredicate,
    Op,
    Predicate,
    Schema,
    ShapeKind,
    Unknown,
)
from solvers.problem.schema import fitted
from tests.case_count import case_count
from tests.diagram.exported import (
    REFUSED,
    by_diagram,
    by_onnx,
    by_python,
    by_sqlite,
    disturbed,
    random_model,
)
from tests.diagram.models import combined, ladder, tree
from tests.diagram.tasks import hostile_tasks
from tests.diagram.test_languages import as_sqlite_keeps, differences, sql_differences
from tests.strategies import datasets

FOLLOW = Unknown.IGNORE


def agree(diagram, cases, X, refused):
    """Python, ONNX and SQLite agree with the model, under both rules for values that no training row has."""
    positive = diagram.positive
    for unknown in Unknown:
        expected = by_diagram(diagram, X, refused, unknown)
        assert by_python(diagram, cases, unknown) == expected
        assert by_onnx(diagram, cases, unknown) == expected
        of_sql = [
            one if one is REFUSED else one._replace(shares=() if positive is None else (one.shares[positive],))
            for one in expected
        ]
        assert by_sqlite(diagram, cases, unknown=unknown) == of_sql


def learned_from_half(data):
    """The table with columns fitted to every other row only, so that some levels and missing values are unknown."""
    return replace(data, schema=fitted(data.schema, data.X[::2]))


@settings(derandomize=True, deadline=None, max_examples=case_count(25))
@given(datasets(weights=False))
def test_exports_agree_on_unusual_tables(data):
    """Small tables with neighbouring floats, dates, extremes, empty columns and several classes."""
    rng = np.random.default_rng(data.n_samples)
    data = learned_from_half(data)
    for kind in ShapeKind:
        diagram = random_model(data, kind, rng, depth=3)
        agree(diagram, *disturbed(diagram, data, rng))


def test_the_python_module_returns_class_and_shares():
    """`predict` returns the class, `predict_proba` all shares by class; numbers may be texts."""
    module = {}
    exec(to_python(tree()), module)
    assert module["predict"]({"age": "61", "sex": "FEMALE "}) == "ill"
    assert module["predict_proba"]({"age": None, "sex": "male"}) == {"healthy": 0.6, "ill": 0.4}
    assert module["leaf"]({"age": np.float64(50.0), "sex": "n/a"}) == 5


def test_missing_marks_are_read_in_any_case():
    """Every spelling of every missing mark is missing in Python, SQL and ONNX, as in the program."""
    cases = [{"age": 30.0, "sex": text} for text in missing_spellings()]
    assert {"", "?", "NA", "N/a", "nULL", "None", "NaN", "uNKNOWN", "Missing"} <= set(missing_spellings())
    expected = tree().apply(pd.DataFrame(cases)).tolist()
    assert set(expected) == {tree().apply(pd.DataFrame([{"age": 30.0, "sex": None}]))[0]}
    assert [one.leaf for one in by_python(tree(), cases, FOLLOW)] == expected
    assert [one.leaf for one in by_onnx(tree(), cases, FOLLOW)] == expected
    ascii_only = [i for i, case in enumerate(cases) if case["sex"].isascii()]
    found = by_sqlite(tree(), [cases[i] for i in ascii_only], unknown=FOLLOW)
    assert [one.leaf for one in found] == [expected[i] for i in ascii_only]


@settings(derandomize=True, deadline=None, max_examples=case_count(60))
@given(*(st.text(st.sampled_from([*map(chr, BLANKS), "\u200b", "\ufeff", "x"]), max_size=3) for _ in range(2)))
@example("\x0b", "\x85")
@example("\u3000\x1c", "\xa0\t\n\r")
def test_whitespace_around_a_level_is_that_of_python(before, after):
    """SQL and the module strip every kind of whitespace around a level or a missing mark, and nothing else."""
    for word in ("male", "FEMALE", "?", ""):
        case = {"age": 30.0, "sex": before + word + after}
        try:
            expected = int(tree().apply(pd.DataFrame([case]))[0])
        except DataError:
            expected = None
        assert by_python(tree(), [case], FOLLOW)[0].leaf == expected
        assert by_sqlite(tree(), [case], unknown=FOLLOW)[0].leaf == expected


def test_sql_strips_all_whitespace_of_python():
    """Every character that `str.strip` removes is in the list of the queries."""
    assert "".join(map(chr, BLANKS)).strip() == ""
    assert not any(chr(code).isspace() for code in range(0x10000, 0x110000))


DAYS = {
    "": ("2024-01-31", "2024-01-31 12:30", "2024-01-31T12:30:00.250", "1969-12-31", "", "31.1.2024"),
    "UTC": ("2024-01-31T23:30:00+05:00", "2024-01-31T12:30:00.250Z", "", "31.1.2024"),
}
"""Cells of a column without and with a time zone; no model can read the last of each."""


@pytest.mark.parametrize("clock", DAYS)
@pytest.mark.parametrize("limit", ("2024-01-31T12:30:00.250", "2024-01-31", "1969-12-31"))
def test_dates_are_compared_with_their_time(limit, clock):
    """Times of day and time zones decide on both sides of a threshold that equals the value of a row."""
    schema = Schema((Column("seen", Kind.DATE, has_missing=True, clock=clock),))
    days = float((np.datetime64(limit, "us") - np.datetime64(0, "us")) / np.timedelta64(1, "D"))
    nodes = (Split(Predicate("seen", Op.LE, days, True), 1, 2), Leaf(0, (1.0, 0.0)), Leaf(1, (0.0, 1.0)))
    found = Diagram(ShapeKind.TREE, schema, ("early", "late"), "when", 1, nodes)
    cases = [{"seen": day} for day in DAYS[clock]]
    expected = [
        int(found.apply(pd.DataFrame([case]))[0]) if case["seen"] != DAYS[clock][-1] else None for case in cases
    ]
    assert [one.leaf for one in by_python(found, cases)] == expected
    assert [one.leaf for one in by_sqlite(found, cases)] == expected


def test_sql_refuses_text_among_numbers_and_infinity():
    """SQLite keeps any value in any column; a value that is not a number gets no prediction, and never counts as 0."""
    cases = [{"age": age, "sex": "male"} for age in ("12", "?", b"x", math.inf, -math.inf, 12, " NA ", None)]
    known = tree().apply(pd.DataFrame([{"age": None, "sex": "male"}]))[0]
    assert [one.leaf for one in by_sqlite(tree(), cases)] == [None, known, None, None, None, 4, known, known]


def test_sql_numbers_are_exact():
    """SQLite reads every number back as the same float: short, long, tiny, huge, and of many digits."""
    import sqlite3

    rng = np.random.default_rng(0)
    values = [*rng.normal(size=300), *np.round(rng.normal(scale=1e4, size=300), 3), 0.0, -0.0, 0.1, 1 / 3, 5e-324]
    values += [1.7976931348623157e308, 2.2250738585072014e-308, 2.0**53 + 2, 1e15, 1e22, 123456789012345.6, -40.5]
    with sqlite3.connect(":memory:") as base:
        for value in map(float, values):
            (read,) = base.execute(f"SELECT {exact_number(value, Dialect.SQLITE).replace('DOUBLE', 'REAL')}").fetchone()
            assert isinstance(read, float) and read == value


def test_hostile_names_do_no_harm():
    """Whatever columns, levels, classes and outcomes are called, the results are the same, and no name is executed."""
    posed = hostile_tasks()
    assert len(posed) >= 15
    assert differences(posed, [by_python(task.diagram, task.cases, task.unknown) for task in posed])[:5] == []
    kept = [as_sqlite_keeps(task) for task in posed]
    answers = [by_sqlite(task.diagram, task.cases, task.diagram.outcome, unknown=task.unknown) for task in kept]
    assert sql_differences(kept, answers)[:5] == []
    for name in ("nul \x00", "lone \ud800 surrogate"):
        with pytest.raises(DiagramError, match="cannot hold the name"):
            to_sql(tree((name, "sex")))


def test_deep_and_wide_models_are_exported():
    """A diagram of sixty layers with shared splits, and a sum of sixty columns."""
    deep = ladder(60)
    cases = [dict.fromkeys(deep.schema.names, value) for value in (-1.0, 1.5, 3.0)]
    expected = [int(i) for i in deep.apply(pd.DataFrame(cases))]
    assert [one.leaf for one in by_python(deep, cases)] == expected
    assert [one.leaf for one in by_onnx(deep, cases)] == expected
    wide = combined(60)
    cases = [dict.fromkeys(wide.schema.names, value) for value in (-1.0, 1.5, 3.0)]
    expected = [int(i) for i in wide.apply(pd.DataFrame(cases))]
    assert [one.leaf for one in by_python(wide, cases)] == [one.leaf for one in by_sqlite(wide, cases)] == expected


def test_a_model_without_splits_is_exported():
    """It predicts the same for every row, and needs no value."""
    schema = Schema((Column("sex", Kind.BINARY, ("f", "m")),))
    constant = Diagram(ShapeKind.TREE, schema, ("a", "b"), "o", None, (Leaf(1, (1.0, 3.0)),))
    cases = [{"sex": cell} for cell in ("f", "who knows", None)]
    agree(constant, cases, np.zeros((3, 1)), np.zeros(3, bool))
    with pytest.raises(DiagramError, match="no input"):
        to_onnx(Diagram(ShapeKind.TREE, Schema(()), ("a", "b"), "o", None, (Leaf(1, (1.0, 3.0)),)))


@pytest.mark.parametrize("dialect", Dialect)
def test_columns_that_differ_only_in_case_are_not_confused(dialect):
    """Databases that cannot distinguish such columns get no query."""
    twins = tree(("Age", "age"))
    if dialect in WITH_CAPITALS:
        assert '"Age"' in to_sql(twins, dialect=dialect) and '"age"' in to_sql(twins, dialect=dialect)
    else:
        with pytest.raises(DiagramError, match="Rename one"):
            to_sql(twins, dialect=dialect)


def test_inputs_of_onnx_do_not_collide():
    """Columns named like an output or an inner result get another input name."""
    model = tree(("label", "/0"))
    cases = [{"label": 20.0, "/0": "female"}]
    assert by_onnx(model, cases)[0].leaf == 3


def test_a_sum_at_its_threshold_is_exact():
    """All targets add terms in the same order, so that a sum equal to its threshold takes the yes branch everywhere."""
    names = ("a", "b", "c")
    schema = Schema(tuple(Column(name, Kind.NUMERIC) for name in names))
    values = (0.1, 0.2, 0.3)
    for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0)):
        total = 0.0
        for j in order:
            total += 1.0 * values[j]
        predicate = LinearPredicate(tuple(names[j] for j in order), (1.0, 1.0, 1.0), total, False)
        model = Diagram(
            ShapeKind.DIAGRAM,
            schema,
            ("y", "n"),
            "o",
            0,
            (Split(predicate, 1, 2), Leaf(0, (1.0, 0.0)), Leaf(1, (0.0, 1.0))),
        )
        agree(model, [dict(zip(names, values, strict=True))], np.array([values]), np.zeros(1, bool))
