"""Decimals are the numbers that were written, and the largest floats never overflow."""

from __future__ import annotations

import math
import threading
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from solvers.errors import DataError, MagnitudeError
from solvers.magnitude import LARGEST_SUM, LARGEST_TOTAL, midpoint, width
from solvers.methods.trees.contree import ConTree
from solvers.metrics import verify
from solvers.problem import (
    Column,
    Dataset,
    Kind,
    Limits,
    LinearPredicate,
    Objective,
    Problem,
    Schema,
    Shape,
    build_dataset,
    infer_columns,
    table_of_frame,
)
from solvers.problem.decimals import decimal, decimals_of
from solvers.problem.predicate import simple_threshold
from solvers.problem.quality import issues
from tests.case_count import case_count

LARGEST = 1.79e308


def outcome(n: int) -> list[str]:
    """Two classes in turn."""
    return ["no" if i % 2 else "yes" for i in range(n)]


def test_integers_above_2_to_53_are_identifiers_unless_chosen() -> None:
    """Record numbers of 17 digits are omitted unless chosen."""
    frame = pd.DataFrame({"record": 10**16 + np.arange(8), "b": [1, 2, 3, 1, 2, 3, 1, 2], "y": outcome(8)})
    table = table_of_frame(frame, "t")
    assert [report.identifier for report in infer_columns(table)] == [True, False, False]
    assert build_dataset(table, "y").schema.names == ("b",)
    assert build_dataset(table, "y", features=["record", "b"]).schema.names == ("record", "b")


def test_a_level_does_not_match_another_integer_with_the_same_float() -> None:
    """The level 9007199254740992 does not match 9007199254740993."""
    column = Column("ward", Kind.CATEGORICAL, ("9007199254740993", "1", "x"))
    assert column.encode(pd.Series(["9007199254740993", "1.0"])).tolist() == [0, 1]
    with pytest.raises(DataError, match="has the level '9007199254740992'"):
        column.encode(pd.Series(["9007199254740992"]))


FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(FINITE, FINITE)
@settings(max_examples=case_count(300))
@example(1.0, math.nextafter(1.0, 2.0))
@example(0.0, 5e-324)
@example(-5e-324, 5e-324)
def test_midpoints_never_overflow(a: float, b: float) -> None:
    """The midpoint of two finite numbers, and a threshold between them, are finite and between them."""
    low, high = min(a, b), max(a, b)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert low <= midpoint(np.float64(low), np.float64(high)) <= high
        threshold = simple_threshold(low, high)
    assert low == high or low <= threshold < high


def test_the_largest_floats_make_a_finite_table_without_warnings() -> None:
    """Columns near the largest float get a finite fill value, and their checks do not overflow."""
    huge = np.array([-LARGEST, LARGEST] * 20)
    frame = pd.DataFrame({"a": huge, "b": LARGEST - np.arange(40) * 1e300, "y": outcome(20) + outcome(20)[::-1]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = build_dataset(table_of_frame(frame, "t"), "y", types={"a": Kind.NUMERIC})
        assert [math.isfinite(column.fill or 0) for column in data.schema.columns] == [True, True]
        assert data.schema["a"].fill == 0
        list(issues(data))


def test_weighted_sums_of_the_largest_floats_are_exact() -> None:
    """A sum whose terms overflow and cancel is compared exactly, without a warning."""
    schema = Schema((Column("a", Kind.NUMERIC), Column("b", Kind.NUMERIC)))
    X = np.array([[1e308, 1e308], [1e308, 0.9e308], [-1e308, -0.9e308], [1e308, np.nan], [1.0, 2.0]])
    question = LinearPredicate(("a", "b"), (5.0, -5.0), 10.0, True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert question.values(schema, X)[[0, 4]].tolist() == [0.0, -5.0]
        assert question.holds(schema, X).tolist() == [True, False, True, True, True]


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        (0.1, "0.1"),
        (0.1 + 0.2, "0.3"),
        (1 - 0.9, "0.1"),
        (5.0000000001, "5.0000000001"),
        (1e-10, "1e-10"),
        (2147483647.0, "2147483647"),
        (1e22, "1e22"),
        (0, "0"),
    ],
)
def test_a_float_means_the_decimal_that_was_written(value: float, meant: str) -> None:
    """Short decimals are exact; traces of binary arithmetic beyond the 15th digit are ignored."""
    assert decimal(value) == Fraction(meant)


@given(st.lists(st.decimals(0, 10**8, allow_nan=False, places=6), min_size=1, max_size=8))
def test_decimals_become_integers_without_rounding(written: list[Decimal]) -> None:
    """All numbers of at most six decimals are converted as written, whatever their size."""
    whole, factor = decimals_of(np.array([float(number) for number in written]), 6)
    assert [Fraction(number, factor) for number in whole.tolist()] == [Fraction(number) for number in written]


@given(st.floats(1e-12, 1e12))
def test_bulk_conversion_agrees_with_single_numbers(value: float) -> None:
    """It also refuses numbers with more decimals."""
    found, meant = decimals_of(np.array([value]), 6), decimal(value)
    if found is None:
        assert (meant * 10**6).denominator > 1
    else:
        assert Fraction(found[0][0], found[1]) == meant


def table(weight: list[float]) -> Dataset:
    """Four rows of one column, alternating classes."""
    schema = Schema((Column("a", Kind.NUMERIC),))
    x = np.arange(4.0)[:, None]
    return Dataset("t", schema, x, np.array([0, 1, 0, 1]), ("n", "y"), "class", weight=np.array(weight))


def test_a_minimum_leaf_weight_of_ten_decimals_is_exact() -> None:
    """A minimum of 5.0000000001 is more than 5, for both the search and the verifier."""
    problem = Problem(table([5, 5, 5, 5]), Shape(max_depth=1, min_weight_leaf=5.0000000001))
    solution = ConTree().run(problem, Limits(), lambda event: None, threading.Event())
    assert verify(problem, solution).ok
    assert min(sum(node.counts) for node in solution.diagram.nodes if hasattr(node, "counts")) > 5


def test_the_largest_total_weight_is_accepted_and_one_more_refused() -> None:
    """The limit is exact."""
    assert Objective().scaled(table([LARGEST_TOTAL - 3, 1, 1, 1])).weights.sum() == LARGEST_TOTAL
    with pytest.raises(DataError, match="the limit is"):
        Objective().scaled(table([LARGEST_TOTAL - 2, 1, 1, 1]))


def test_widths_hold_their_largest_sums() -> None:
    """16, 32 and 64 bits up to their largest number, and a refusal beyond what kernels can add."""
    assert [width(n).itemsize for n in (2**15 - 1, 2**15, 2**31 - 1, 2**31, LARGEST_SUM)] == [2, 4, 4, 8, 8]
    with pytest.raises(MagnitudeError, match="fewer decimals"):
        width(LARGEST_SUM + 1)
