"""The minimum number of rows for a model of some size."""

from __future__ import annotations

import numpy as np

from solvers.metrics.sample_size import rows_wanted, too_few_rows
from solvers.problem import Column, Dataset, Kind, Schema, Shape


def rows(n: int, events: int) -> Dataset:
    """A table with the given number of rows, some of them positive."""
    y = np.arange(n) < events
    return Dataset("t", Schema((Column("x", Kind.NUMERIC),)), np.zeros((n, 1)), y, ("no", "yes"), "ill", positive=1)


def test_figures_agree_with_published_examples():
    """The example of pmsampsize 1.1.3 (24 parameters, R² 0.288, 17.4%), and the precision of the prevalence alone."""
    assert rows_wanted(0.174, 24, 0.288) == 662
    assert rows_wanted(0.5, 1) == 385


def test_too_few_rows_are_reported():
    """With numbers; nothing is said for enough rows, a constant model, or a class without rows."""
    assert "548 rows are recommended for 7 splits" in too_few_rows(rows(300, 100), 7)
    assert "has 300, 100 of them 'yes'" in too_few_rows(rows(300, 100), 7)
    assert not too_few_rows(rows(2000, 700), 7) + too_few_rows(rows(300, 100), 0) + too_few_rows(rows(300, 0), 7)


def test_the_maximum_number_of_splits_of_a_size():
    """The minimum of what depth, leaves and the limit itself allow."""
    assert [Shape(max_depth=3).most_splits, Shape(max_depth=3, max_leaf_nodes=5).most_splits] == [7, 4]
    assert Shape(max_depth=2, max_splits=1).most_splits == 1
