"""The smallest change that changes the prediction, compared with every relevant change."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.diagram import Diagram, Leaf, Split
from solvers.metrics.counterfactual import Counterfactual, counterfactual, crossing, spreads
from solvers.problem import Column, Kind, Op, Predicate, Schema, ShapeKind
from tests.case_count import case_count
from tests.diagram.models import case, graphs, ladder, majority, tree
from tests.metrics.tables import table

CASES = case_count(60)
COLUMNS = (
    Column("a", Kind.NUMERIC, has_missing=True, fill=1.0),
    Column("b", Kind.NUMERIC, integral=True),
    Column("sex", Kind.BINARY, ("f", "m")),
    Column("stage", Kind.ORDERED, ("I", "II", "III", "IV")),
    Column("site", Kind.CATEGORICAL, ("x", "y", "z"), has_missing=True),
)


@st.composite
def questions(draw: st.DrawFn) -> Predicate:
    """A split on any of the columns."""
    column = draw(st.sampled_from(COLUMNS))
    if column.has_missing and draw(st.integers(0, 5)) == 0:
        return Predicate(column.name, Op.MISSING, None, True)
    if column.kind.has_levels:
        op = Op.LE if column.kind is Kind.ORDERED else Op.IS
        return Predicate(column.name, op, float(draw(st.integers(0, len(column.levels) - 1))), draw(st.booleans()))
    return Predicate(column.name, Op.LE, draw(st.sampled_from((-1.5, -0.25, 0.5, 0.75, 2.0))), draw(st.booleans()))


GRAPHS = graphs(Schema(COLUMNS), questions(), ("p", "q", "r"))
VALUES = st.sampled_from((-2.0, -1.0, 0.0, 0.6, 1.0, 3.0))
ROWS = st.tuples(
    VALUES | st.just(math.nan),
    st.integers(-3, 3).map(float),
    st.integers(0, 1).map(float),
    st.integers(0, 3).map(float),
    st.integers(0, 2).map(float) | st.just(math.nan),
).map(np.array)
UNIT = np.array([0.7, 1.3, 1.0, 3.0, 1.0])


def best_of_all(diagram: Diagram, row: np.ndarray, fixed: frozenset[str]) -> tuple[int, float] | None:
    """The minimum number of columns and the minimum size over all values that change the prediction."""
    offered = []
    for j, column in enumerate(diagram.schema.columns):
        values = {float(row[j])}
        if column.name not in fixed and column.kind.has_levels:
            values |= set(map(float, range(len(column.levels))))
        elif column.name not in fixed:
            limits = [-1.5, -0.25, 0.5, 0.75, 2.0]
            if column.integral:
                values |= {float(f(limit) + k) for limit in limits for f in (math.floor, math.ceil) for k in (0, 1)}
            else:
                values |= {v for limit in limits for v in (limit, float(np.nextafter(limit, math.inf)))}
        offered.append(sorted(values, key=str))
    rows = np.array(list(itertools.product(*offered)))
    labels, now = diagram.predict(rows), diagram.path(row).label
    found = rows[labels != now]
    if not len(found):
        return None
    missing = np.isnan(row)
    same = (found == row) | (np.isnan(found) & missing)
    far = np.where(missing | np.isin(np.arange(5), (2, 4)), 1.0, np.abs(found - row) / UNIT)
    far = np.where(same, 0.0, far)
    return min((int((~s).sum()), float(f.sum())) for s, f in zip(same, far, strict=True))


def rated(found: Counterfactual | None) -> tuple[int, float] | None:
    """The minimized figures of a counterfactual."""
    return None if found is None else (len(found.moved), found.size)


@given(GRAPHS, ROWS, st.frozensets(st.sampled_from(("a", "sex", "site"))))
@settings(max_examples=CASES, deadline=None, derandomize=True)
def test_no_smaller_change_changes_the_prediction(diagram, row, fixed):
    """Among all values that the model distinguishes, no row with fewer or smaller changes has another prediction."""
    found = counterfactual(diagram, row, UNIT, fixed=fixed)
    best = best_of_all(diagram, row, fixed)
    assert (found is None) == (best is None)
    if found is not None:
        assert rated(found) == (best[0], pytest.approx(best[1], abs=1e-9))


@given(GRAPHS, ROWS)
@settings(max_examples=CASES, deadline=None, derandomize=True)
def test_the_changed_row_gets_the_stated_prediction(diagram, row):
    """The model itself predicts the stated class for the changed row, and only columns on its path were changed."""
    found = counterfactual(diagram, row, UNIT)
    if found is None:
        return
    trace = diagram.path(found.row)
    assert trace.label == found.label != diagram.path(row).label
    columns = {diagram.nodes[step.node].predicate.column for step in trace.steps}
    differs = ~((found.row == row) | (np.isnan(found.row) & np.isnan(row)))
    names = {diagram.schema.names[j] for j in np.flatnonzero(differs)}
    assert names == {one.column for one in found.moved} <= columns
    assert not np.isnan(found.row[differs]).any()


def test_the_text_states_the_necessary_values():
    """A threshold is quoted as in the split, a level by its name, and a missing value as missing."""
    model = tree()
    (one,) = counterfactual(model, case(age=30.0, sex=0.0)).moved
    assert one.words(model.schema) == "age above 40.5 and at most 60 instead of 30"
    (one,) = counterfactual(model, case(age=70.0, sex=0.0)).moved
    assert one.words(model.schema) == "age at most 40.5 instead of 70"
    whole = replace(model, schema=Schema(tuple(replace(one, integral=True) for one in model.schema.columns)))
    (one,) = counterfactual(whole, case(age=30.0, sex=0.0)).moved
    assert one.words(whole.schema) == "age above 40 and at most 60 instead of 30"
    (sign, _) = counterfactual(majority(), np.zeros(3)).moved
    assert sign.words(majority().schema) == "fever yes instead of no"
    (one,) = counterfactual(model, case(sex=1.0)).moved
    assert one.words(model.schema) == "age above 40.5 and at most 60 instead of missing"


def test_no_whole_number_between_two_thresholds_is_proposed():
    """No count of children lies between 2.25 and 2.75, so that path is excluded."""
    schema = Schema((Column("children", Kind.NUMERIC, integral=True),))
    nodes = (
        Split(Predicate("children", Op.LE, 2.75, False), 1, 2),
        Split(Predicate("children", Op.LE, 2.25, False), 3, 4),
        Leaf(0, (1.0, 0.0)),
        Leaf(0, (1.0, 0.0)),
        Leaf(1, (0.0, 1.0)),
    )
    assert counterfactual(Diagram(ShapeKind.TREE, schema, ("p", "q"), "y", None, nodes), np.array([5.0])) is None


def test_the_nearest_is_found_among_exponentially_many_paths():
    """In a graph of 2^12 paths one column is enough, and the search is fast."""
    model = ladder(12)
    found = counterfactual(model, np.zeros(12))
    assert len(found.moved) == 1


def test_changes_are_measured_in_standard_deviations():
    """The unit of a number is the standard deviation of its known values, or 1 if that is zero."""
    assert spreads(table([0, 1, 0, 1], x=[1.0, 3.0, math.nan, math.nan])).tolist() == [1.0]
    assert spreads(table([0, 1], x=[5.0, 5.0])).tolist() == [1.0]
    assert spreads(table([0, 1], x=[0.0, 8.0])).tolist() == [4.0]


def test_a_threshold_is_crossed_with_the_smallest_step():
    """The other side of a threshold begins with the next float; a known value is never made missing."""
    schema = Schema(COLUMNS)
    below = Predicate("a", Op.LE, 2.0, False)
    assert crossing(schema, below, 1.0, False).after == np.nextafter(2.0, np.inf)
    assert crossing(schema, below, 5.0, True).after == 2.0
    assert crossing(schema, below, 1.0, True).size == 0
    assert crossing(schema, Predicate("a", Op.MISSING, None, True), 1.0, True) is None
    assert crossing(schema, Predicate("b", Op.LE, 0.5, False), 0.0, False).after == 1.0
