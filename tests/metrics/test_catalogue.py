"""The metrics that screens and reports list."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import matthews_corrcoef

from solvers.metrics.catalogue import matthews
from tests.metrics.tables import performance, table


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_matthews_correlation_agrees_with_scikit_learn(n_classes, weighted):
    """For two and more classes, with and without weights."""
    random = np.random.default_rng(n_classes)
    y, predicted = random.integers(0, n_classes, (2, 60))
    weight = random.integers(1, 5, 60).astype(float) if weighted else None
    data = table(y.tolist(), classes=tuple("abc"[:n_classes]), positive=None, weight=weight)
    found = matthews(performance(data, predicted).confusion)
    assert found.value == pytest.approx(matthews_corrcoef(y, predicted, sample_weight=weight))


def test_the_matthews_correlation_by_hand():
    """(6 * 3 - 1 * 2) / sqrt(7 * 8 * 4 * 5); `None` if every row gets the same prediction."""
    assert matthews(np.array([[3.0, 1.0], [2.0, 6.0]])).value == pytest.approx(16 / np.sqrt(7 * 8 * 4 * 5))
    assert matthews(np.array([[4.0, 0.0], [8.0, 0.0]])).value is None
