"""The properties of columns that come from the training rows, and the values that replace missing ones."""

from dataclasses import replace

import numpy as np

from ..magnitude import midpoint
from .columns import Column, Kind, Schema


def fitted(schema: Schema, X: np.ndarray, count: np.ndarray | None = None) -> Schema:
    """The schema with `fill`, `has_missing`, `integral` and `unseen_levels` of every column set from training rows.

    The rows are X, float64 (n_samples, n_columns); `count` is the multiplicity of each row, int64 (n_samples,), by
    default 1.
    """
    columns = (fitted_column(column, X[:, j], count) for j, column in enumerate(schema.columns))
    return replace(schema, columns=tuple(columns))


def fitted_column(column: Column, values: np.ndarray, count: np.ndarray | None = None) -> Column:
    """The column with the properties of its training values, float64 (n_samples,).

    For dates and ordered levels, the median is the lower of the two middle values, so that it is a value of the column.
    """
    missing = np.isnan(values)
    known = values[~missing] if missing.any() else values
    count = None if count is None else count[~missing]
    between = column.kind is Kind.NUMERIC
    if not len(known):
        fill = None
    elif column.kind in (Kind.BINARY, Kind.CATEGORICAL):
        fill = float(np.bincount(known.astype(np.int64), count).argmax())
    else:
        fill = median(known, count, between=between)
    integral = column.kind in (Kind.NUMERIC, Kind.DATE) and bool(np.all(known == np.floor(known)))
    unseen = tuple(np.setdiff1d(np.arange(len(column.levels)), known).tolist()) if column.levels else ()
    return replace(column, fill=fill, has_missing=bool(missing.any()), integral=integral, unseen_levels=unseen)


def median(values: np.ndarray, count: np.ndarray | None = None, *, between: bool = True) -> float:
    """The median of values, each `count` times; of two middle values the mean, or the lower one if not `between`.

    No sum overflows.
    """
    if count is None:
        # finding one position is several times as fast as finding two
        parted = np.partition(values, middle := len(values) // 2)
        high = parted[middle]
        low = high if len(values) % 2 else parted[:middle].max()
    else:
        low, high = (s * np.quantile(s * values, 0.5, method="inverted_cdf", weights=count) for s in (1, -1))
    return midpoint(float(low), float(high)) if between else float(low)
