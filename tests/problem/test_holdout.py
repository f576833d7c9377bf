"""Training and test rows."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.errors import DataError
from solvers.problem import Kind, MissingPolicy, holdout
from tests.strategies import make_dataset

NAN = float("nan")


def dataset(y, **options):
    """A dataset with these classes and one column."""
    return make_dataset({"a": (Kind.NUMERIC, range(len(y)))}, y, **options)


def test_parts_are_stratified_and_disjoint():
    """Each class keeps its share, every row is in one part, and the order of the file is kept."""
    data = dataset([0] * 80 + [1] * 20)
    train, test = holdout(data, 0.25)
    assert (train.class_counts.tolist(), test.class_counts.tolist()) == ([60, 15], [20, 5])
    assert sorted([*train.rows, *test.rows]) == data.rows.tolist()
    assert (np.diff(train.rows) > 0).all()
    assert (train.X[:, 0] + 1 == train.rows).all()


def test_columns_learn_nothing_from_the_test_rows():
    """Fill values come from the training rows, and both parts have the same schema."""
    values = [*range(39), NAN]
    data = make_dataset({"a": (Kind.NUMERIC, values)}, [0, 1] * 20, missing=MissingPolicy.IMPUTE)
    train, test = holdout(data, 0.5, 3)
    assert train.schema == test.schema
    assert train.schema["a"].fill == np.nanmedian(train.X)
    assert train.schema["a"].has_missing == bool(np.isnan(train.X).any())


def test_a_class_of_one_row_is_for_training():
    """One row cannot be in both parts."""
    train, test = holdout(dataset([0] * 10 + [1] * 10 + [2]), 0.3)
    assert (train.class_counts[2], test.class_counts[2]) == (1, 0)


@pytest.mark.parametrize(
    ("y", "share", "message"),
    [
        ([0, 1] * 5, 0, "more than 0"),
        ([0, 1] * 5, 1.0, "less than 1"),
        ([0, 0, 1, 1], 0.1, "too few"),
        ([0, 1], 0.5, "few"),
    ],
)
def test_invalid_shares_are_refused(y, share, message):
    """A share out of range, or one that leaves no row of some class."""
    with pytest.raises(DataError, match=message):
        holdout(dataset(y), share)
