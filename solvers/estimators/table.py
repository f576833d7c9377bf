"""Converts what scikit-learn users pass as X to the typed columns and the float matrix that the solvers read.

An array of numbers becomes numeric columns. The columns of a data frame (and of an array of objects) keep their types:
numbers, truth values, dates, categories with or without an order, texts. Nothing is inferred from the values of a typed
column, so the same frame always gives the same splits.
"""

from numbers import Number
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from ..errors import DataError
from ..problem import Column, Group, Kind, MissingPolicy, Schema, levels_in_order
from ..problem.columns import clock_of
from ..problem.tables import as_pandas, headers
from ..problem.texts import abbreviate, cell_text, composed, distinct_texts, plural, strange_cell

_KINDS = {
    **dict.fromkeys(("integer", "floating", "mixed-integer-float", "decimal", "empty"), Kind.NUMERIC),
    **dict.fromkeys(("datetime64", "datetime", "date"), Kind.DATE),
    "boolean": Kind.BINARY,
    "string": Kind.CATEGORICAL,
}
"""The type of a column by what pandas infers (`pandas.api.types.infer_dtype`)."""

_PRINTED_MISSING = frozenset(("", "none", "nan", "nat", "<na>"))
"""The text that Python prints for a missing cell, in lower case."""


def check_reading(
    estimator: BaseEstimator, X: Any, missing: MissingPolicy, *, reset: bool
) -> np.ndarray | pd.DataFrame:
    """X as a float64 matrix or, if it has typed columns, as a data frame; (n_samples, n_columns) in both cases.

    Parameters
    ----------
    estimator : whose `n_features_in_`, `feature_names_in_` and `_headers` are set (`reset`) or compared.
    X : an array-like of numbers or of mixed cells, a sparse matrix of numbers (converted to a dense one), or a data
        frame of pandas, polars or another package that supports Arrow.
    missing : with 'complete', a missing number in an array is refused.

    Raises
    ------
    ValueError
        No rows or columns, two columns with the same name, a different number or different names of columns than in
        `fit`, complex or infinite numbers, a missing number under 'complete'.
    """
    X = as_pandas(X)
    if isinstance(X, pd.DataFrame):
        X = _with_names(estimator, X, reset)
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        if 0 in X.shape:
            raise DataError(f"X must have at least 1 row and 1 column, but has {X.shape[0]} and {X.shape[1]}.")
        return X
    if reset:
        estimator._headers = None
    X = validate_data(
        estimator, _with_own_types(X), reset=reset, accept_sparse="csr", dtype=None, ensure_all_finite="allow-nan"
    )
    X = X.toarray() if issparse(X) else X
    if X.dtype.kind not in "iufb":
        return pd.DataFrame(X, columns=column_names(estimator)).infer_objects()
    X = X.astype(np.float64, copy=False)
    if missing is MissingPolicy.COMPLETE and np.isnan(X).any():
        row, j = np.argwhere(np.isnan(X))[0]
        raise DataError(
            f"X contains NaN (first: column '{column_names(estimator)[j]}', row {row + 1}), but missing='complete' "
            "takes complete rows only. Drop the rows with missing values, or choose missing='information' or 'impute'."
        )
    return X


def _with_names(estimator: BaseEstimator, X: pd.DataFrame, reset: bool) -> pd.DataFrame:
    """A frame with texts as headers, its columns in the order of `fit` if their names are not texts.

    scikit-learn compares texts only. The columns 0, 1, ... of a frame without names keep these numbers. Raises
    `DataError` if headers that are numbers, dates or tuples differ from those in `fit`.
    """
    given = list(X.columns)
    unnamed, are_texts = given == list(range(len(given))), all(isinstance(name, str) for name in given)
    names = headers(given)
    if reset:
        estimator._headers = tuple(names)
    elif not are_texts:
        fitted: tuple[str, ...] | None = estimator._headers
        if fitted is not None and set(names) == set(fitted):
            X = X.iloc[:, [names.index(name) for name in fitted]]
            names = list(fitted)
            unnamed = not hasattr(estimator, "feature_names_in_")
        elif not unnamed:
            raise DataError(
                f"X has the columns {abbreviate(names)}, but fit had {abbreviate(fitted or ['no names'])}. Pass "
                "the columns of fit, or an array with the columns in the order of fit."
            )
    return X.set_axis(range(len(names)) if unnamed else names, axis=1)


def _with_own_types(X: Any) -> Any:
    """Nested lists with texts as objects, since numpy would convert the numbers among them to texts."""
    rows = [row for row in X if isinstance(row, list | tuple)] if isinstance(X, list | tuple) else []
    return np.array(X, object) if any(isinstance(cell, str) for row in rows for cell in row) else X


def column_names(estimator: BaseEstimator) -> list[str]:
    """The names of the columns, 'x0', 'x1', ... if X had none."""
    if hasattr(estimator, "feature_names_in_"):
        return [str(name) for name in estimator.feature_names_in_]
    return [f"x{j}" for j in range(estimator.n_features_in_)]


def schema_of(X: np.ndarray | pd.DataFrame, names: list[str], missing: MissingPolicy) -> Schema:
    """The typed columns of the result of `check_reading`.

    Raises
    ------
    DataError
        Two names that read the same, or a column that mixes texts and numbers or has an unsupported type.
    CellTypeError
        A cell that is not text, a number, a truth value or a date.
    """
    if isinstance(X, np.ndarray):
        return Schema(tuple(Column(name, Kind.NUMERIC) for name in names), missing)
    return Schema(tuple(_column(name, X.iloc[:, j]) for j, name in enumerate(names)), missing)


def matrix_of(X: np.ndarray | pd.DataFrame, schema: Schema, needed: frozenset[str] | None = None) -> np.ndarray:
    """The result of `check_reading` as the float matrix of a schema; see `Schema.encode`, also for its errors."""
    if isinstance(X, np.ndarray) and all(column.kind is Kind.NUMERIC for column in schema.columns):
        return X
    return schema.encode(pd.DataFrame(X).set_axis(list(schema.names), axis=1), needed)


def groups_of(schema: Schema, matrix: np.ndarray, sensitive_features: Any = None) -> tuple[Group, ...]:
    """The groups that constraints may compare: those of `sensitive_features`, and the categorical columns.

    Parameters
    ----------
    schema, matrix : the columns of X, (n_samples, n_columns).
    sensitive_features : a data frame, a series, a dict of columns or an array, (n_samples,) or (n_samples, n_groups);
        without names they are 'sensitive_feature_0', ... Numbers count as the names of groups, and what Python prints
        for a missing cell ('None', 'nan', ...) as no group; 'unknown' is a group.

    Raises
    ------
    DataError
        It is not a column or table, or its number of rows differs from that of X.
    """
    frame = _sensitive_frame(sensitive_features)
    if sensitive_features is not None and len(frame) != len(matrix):
        raise DataError(f"sensitive_features has {plural(len(frame), 'row')}, and X has {len(matrix)}.")
    groups = []
    for j, name in enumerate(frame.columns):
        texts = distinct_texts(frame.iloc[:, j].astype(object))
        name = composed(name) if isinstance(name, str) else f"sensitive_feature_{j}"
        levels = sorted(text for text in texts.text if text.lower() not in _PRINTED_MISSING)
        position = {level: code for code, level in enumerate(levels)}
        code = np.array([position.get(text, -1) for text in texts.text], np.int32)[texts.code]
        groups.append(Group(name, tuple(levels), code))
    named = {group.name for group in groups}
    for column, values in zip(schema.columns, matrix.T, strict=True):
        if column.levels and column.name not in named:
            groups.append(Group(column.name, column.levels, np.nan_to_num(values, nan=-1)))
    return tuple(groups)


def _sensitive_frame(sensitive_features: Any) -> pd.DataFrame:
    """`sensitive_features` as a frame, without columns if `None`; `DataError` if it is not a column or table."""
    given = as_pandas(sensitive_features)
    try:
        if isinstance(given, dict):
            # columns are aligned by position, whatever their indexes
            given = {name: list(values) for name, values in given.items()}
        return pd.DataFrame(given)
    except (TypeError, ValueError):
        raise DataError(
            f"sensitive_features must be a column, a table or a dict of columns, with one value for each row of X, but "
            f"is a {type(sensitive_features).__name__}."
        ) from None


def _column(name: str, raw: pd.Series) -> Column:
    if isinstance(raw.dtype, pd.CategoricalDtype):
        levels = [text for text in map(cell_text, raw.dtype.categories) if text]
        return _with_levels(
            name, tuple(dict.fromkeys(map(composed, levels))), Kind.ORDERED if raw.dtype.ordered else Kind.CATEGORICAL
        )
    found = pd.api.types.infer_dtype(raw, skipna=True)
    if found not in _KINDS:
        raise _unreadable(name, raw, found)
    kind = _KINDS[found]
    if kind is Kind.BINARY:
        return Column(name, kind, ("false", "true"))
    if kind is Kind.CATEGORICAL:
        return _with_levels(name, levels_in_order(distinct_texts(raw)), kind)
    return Column(name, kind, clock=clock_of(distinct_texts(raw)) if kind is Kind.DATE else "")


def _with_levels(name: str, levels: tuple[str, ...], kind: Kind) -> Column:
    """A category; without any level it is a column in which every value is missing, and has no splits."""
    if not levels:
        return Column(name, Kind.NUMERIC)
    return Column(name, Kind.BINARY if len(levels) == 2 else kind, levels)


def _unreadable(name: str, raw: pd.Series, found: str) -> Exception:
    """Why a column cannot be used, and what to do."""
    texts = [(row, cell) for row, cell in enumerate(raw.tolist(), 1) if isinstance(cell, str)]
    strange = [(row, cell) for row, cell in enumerate(raw.tolist(), 1) if not _is_readable(cell)]
    if strange and found.startswith("mixed"):
        return strange_cell(name, *strange[0])
    if texts:
        row, text = texts[0]
        return DataError(
            f"The column '{name}' mixes text with other values (first text: '{text}' in row {row}). Convert it with "
            f"pandas.to_numeric(..., errors='coerce') or with astype(str).astype('category')."
        )
    return DataError(
        f"The column '{name}' has the type '{raw.dtype}' ({found}), which splits cannot use. Convert it to numbers, "
        f"dates or a category."
    )


def _is_readable(cell: object) -> bool:
    return isinstance(cell, str | Number) or (pd.api.types.is_scalar(cell) and pd.isna(cell))
