"""Sums over cells."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.methods.cases import added_up
from solvers.methods.trees.exact_search import WeightedRows, leaf_cost
from tests.case_count import case_count

LARGE = st.integers(-(2**58), 2**58)


@settings(derandomize=True, deadline=None, max_examples=case_count(300))
@given(rows=st.lists(st.tuples(st.integers(0, 3), st.lists(LARGE, min_size=2, max_size=2)), max_size=8))
def test_sums_beyond_float64_are_exact(rows: list[tuple[int, list[int]]]) -> None:
    """Integers above 2**53 are added without rounding."""
    cell = np.array([at for at, _ in rows], np.int64)
    amounts = np.array([amount for _, amount in rows], np.int64).reshape(len(rows), 2)
    expected = [[sum(amount[k] for at, amount in rows if at == c) for k in (0, 1)] for c in range(4)]
    assert added_up(amounts, cell, 4).tolist() == expected
    assert added_up(amounts[:, 0], cell, 4).tolist() == [first for first, _ in expected]


def test_a_leaf_of_weights_beyond_float64_costs_their_exact_sum() -> None:
    """Regression: the cost of a leaf of weights 2**53 and 1 was 2**53."""
    rows = WeightedRows(np.array([0, 0, 1]), np.array([2**53, 1, 2**54]), 2, 0)
    assert leaf_cost(rows, np.arange(3)) == 2**53 + 1
