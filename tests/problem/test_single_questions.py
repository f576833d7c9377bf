"""The best single question of each column, against all questions one by one."""

from fractions import Fraction

import numpy as np
import pytest

from solvers.problem import Column, Dataset, Kind, Schema
from solvers.problem.single_questions import single_errors
from tests.case_count import case_count
from tests.magnitude.meaning import single_errors as slow_errors
from tests.magnitude.table import Table


@pytest.mark.parametrize("seed", range(case_count(20)))
def test_errors_of_single_questions_are_those_of_brute_force(seed, monkeypatch):
    """With thresholds and levels, missing values, weights and many classes, a few columns at a time."""
    monkeypatch.setattr("solvers.problem.single_questions.MOST_CELLS", 30)
    rng = np.random.default_rng(seed)
    n, classes = int(rng.integers(1, 15)), tuple("abcd"[: int(rng.integers(2, 5))])
    X = rng.integers(0, 4, (n, 5)).astype(float)
    X[rng.random(X.shape) < 0.2 * (seed % 2)] = np.nan
    kinds = [Kind.CATEGORICAL if draw else Kind.NUMERIC for draw in rng.integers(0, 2, 5)]
    columns = [Column(f"c{j}", kind, tuple("wxyz") if kind.has_levels else ()) for j, kind in enumerate(kinds)]
    weight = rng.integers(1, 5, n).astype(float)
    data = Dataset("drawn", Schema(tuple(columns)), X, rng.integers(0, len(classes), n), classes, "y", weight=weight)
    unordered = np.array([kind is Kind.CATEGORICAL for kind in kinds])
    expected = [slow_errors(Table(data), j, [Fraction(int(w)) for w in weight]) for j in range(5)]
    assert single_errors(X, data.y, weight, unordered).tolist() == expected
    assert data.by_single_errors.tolist() == sorted(range(5), key=lambda j: (expected[j], j))
