"""Converts what scikit-learn users pass as y to class indices and names."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from ..errors import DataError
from ..problem import Objective, class_costs_by_name, costs_at_threshold
from ..problem.objective import BOTH_COSTS, ClassCosts
from ..problem.tables import as_pandas
from ..problem.texts import cell_text


def encoded_target(estimator: BaseEstimator, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """The sorted class labels (n_classes,) and the index of each row's class int64 (n_samples,).

    Raises `ValueError` if y is `None` or not a column of class labels, or if a label is missing.
    """
    if y is None:
        raise DataError(f"{type(estimator).__name__} requires y to be passed, but the target y is None.")
    y = column_or_1d(as_pandas(y), warn=True)
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
    return tuple(_name(label) for label in classes.tolist())


def _name(label: Any) -> str:
    return label if isinstance(label, str) else cell_text(label)


def class_cost_table(class_costs: Any, classes: np.ndarray, threshold: float | None = None) -> ClassCosts | None:
    """Costs by label, as a table in the order of the classes, or of a treatment threshold, as `Objective` takes them.

    Raises `DataError` or `ShapeError` if a label is not a class, a cost is not a number of at least 0, or the table
    does not fit the classes.
    """
    if threshold is not None and class_costs is not None:
        raise DataError(BOTH_COSTS)
    if class_costs is None:
        return None if threshold is None else costs_at_threshold(threshold, len(classes), 1)
    if not isinstance(class_costs, Mapping):
        return Objective(class_costs).class_costs
    named = {
        _name(true): {_name(label): cost for label, cost in row.items()} if isinstance(row, Mapping) else row
        for true, row in class_costs.items()
    }
    return Objective(class_costs_by_name(named, class_names(classes))).class_costs


def outcome_name(y: Any, taken: Iterable[str]) -> str:
    """The outcome's name in rules and drawings: the name of y if it has one, but never that of a column."""
    name = getattr(y, "name", None)
    name = name if isinstance(name, str) and name else "y"
    while name in set(taken):
        name += "'"
    return name
