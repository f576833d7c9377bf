"""The decimal that a float means, and arrays of them as integers."""

from __future__ import annotations

import threading
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.errors import DataError, MagnitudeError
from solvers.magnitude import LARGEST_SUM, LARGEST_TOTAL, width
from solvers.methods.trees.contree import ConTree
from solvers.metrics import verify
from solvers.problem import Column, Dataset, Kind, Limits, Objective, Problem, Schema, Shape
from solvers.problem.decimals import decimal, decimals_of


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
