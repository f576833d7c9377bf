"""What a column learns from the training rows: which values they have, and what stands for a missing one."""

from dataclasses import replace

import numpy as np

from ..magnitude import midpoint
from .columns import Column, Kind, Schema


def fitted(schema: Schema, X: np.ndarray) -> Schema:
    """The schema with `fill`, `has_missing`, `integral` and `unseen_levels` of every column taken from training rows.

    The rows are X, float64 (n_samples, n_columns).
    """
    return replace(schema, columns=tuple(fitted_column(c, X[:, j]) for j, c in enumerate(schema.columns)))


def fitted_column(column: Column, values: np.ndarray) -> Column:
    """The column with what its training values, float64 (n_samples,), say.

    The median of dates and ordered levels is the lower of the two middle values, so that it is a value of the column.
    """
    missing = np.isnan(values)
    known = values[~missing] if missing.any() else values
    if not len(known):
        fill = None
    elif column.kind in (Kind.NUMERIC, Kind.DATE, Kind.ORDERED):
        fill = median(known, between=column.kind is Kind.NUMERIC)
    else:
        fill = float(np.bincount(known.astype(np.int64)).argmax())
    integral = column.kind in (Kind.NUMERIC, Kind.DATE) and bool(np.all(known == np.floor(known)))
    unseen = tuple(np.setdiff1d(np.arange(len(column.levels)), known).tolist()) if column.levels else ()
    return replace(column, fill=fill, has_missing=bool(missing.any()), integral=integral, unseen_levels=unseen)


def median(values: np.ndarray, *, between: bool = True) -> float:
    """The middle value; of two the mean, or the lower one if the median must be a value. No sum overflows."""
    middle = len(values) // 2
    # one position is found several times as fast as two
    parted = np.partition(values, middle)
    upper = float(parted[middle])
    if len(values) % 2:
        return upper
    lower = float(parted[:middle].max())
    return midpoint(lower, upper) if between else lower
