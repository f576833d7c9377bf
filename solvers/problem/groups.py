"""Groups of rows for fairness metrics: the levels of a column, or thirds of a measurement."""

from itertools import pairwise

import numpy as np

from solvers.errors import DataError
from solvers.language import msgid
from solvers.problem.columns import Column
from solvers.problem.division import Group

MAX_GROUPS = 30
"""A category of more levels has too few rows a level to compare them."""

FEW_VALUES = 5
"""A number of at most this many values is one group a value."""


def group_of(column: Column, values: np.ndarray) -> Group:
    """The groups that a column makes; `DataError` where the column has no value, or too many levels.

    The values are those of the matrix, float64 (n_samples,), NaN where missing. A level is a group, and a number or
    date is cut into thirds of about equal size, named by their limits.
    """
    missing = np.isnan(values)
    present = np.unique(values[~missing])
    if not len(present):
        raise DataError(f"The group column '{column.name}' has no value. Choose another one.")
    if column.kind.has_levels or len(present) <= FEW_VALUES:
        if len(present) > MAX_GROUPS:
            raise DataError(
                f"The group column '{column.name}' has {len(present)} levels; at most {MAX_GROUPS} can be compared. "
                f"Choose a column with fewer levels, or join some of them."
            )
        codes = np.where(missing, -1, np.searchsorted(present, values))
        return Group(column.name, tuple(column.format(value) for value in present), codes)
    cuts = thirds(values[~missing])
    codes = np.where(missing, -1, np.searchsorted(cuts, values))
    return Group(column.name, cut_names(column, cuts), codes)


def thirds(known: np.ndarray) -> np.ndarray:
    """Where values, float64 (n,) of at least two different ones, are cut into groups of about equal size."""
    known = np.sort(known)
    low, high = known[(len(known) - 1) // 3], known[2 * (len(known) - 1) // 3]
    return np.unique([cut for cut in (low, high) if cut < known[-1]])


def cut_names(column: Column, cuts: np.ndarray) -> tuple[str, ...]:
    """'up to 34', 'over 34 to 57', 'over 57'."""
    words = [column.format(cut) for cut in cuts]
    between = [msgid(f"over {low} to {high}") for low, high in pairwise(words)]
    return (msgid(f"up to {words[0]}"), *between, msgid(f"over {words[-1]}"))
