"""What scikit-learn users pass as y, turned into class indices and names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from solvers.errors import DataError
from solvers.problem.texts import cell_text


def encoded_target(estimator: BaseEstimator, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """The sorted class labels (n_classes,) and the index of each row's class int64 (n_samples,).

    Raises
    ------
    ValueError
        There is no y, it is no column of class labels, or one of them is missing.
    """
    if y is None:
        raise DataError(f"{type(estimator).__name__} requires y to be passed, but the target y is None.")
    y = column_or_1d(y, warn=True)
    if y.dtype == object:
        gone = np.flatnonzero(pd.isna(y))
        if len(gone):
            raise DataError(
                f"y contains NaN: the class is missing in {len(gone)} of {len(y)} rows (first: row {gone[0] + 1}). "
                f"Leave these rows out."
            )
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    classes, target = np.unique(y, return_inverse=True)
    return classes, target.astype(np.int64)


def class_names(classes: np.ndarray) -> tuple[str, ...]:
    """The class labels as texts, whole floats without '.0'."""
    return tuple(label if isinstance(label, str) else cell_text(label) for label in classes.tolist())


def outcome_name(y: Any, taken: Iterable[str]) -> str:
    """What the outcome is called in rules and drawings: the name of y if it has one, and never that of a column."""
    name = getattr(y, "name", None)
    name = name if isinstance(name, str) and name else "y"
    while name in set(taken):
        name += "'"
    return name
