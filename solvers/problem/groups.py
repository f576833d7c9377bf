"""Groups of rows for fairness metrics: the levels of a column, thirds of a measurement, or several columns crossed.

The groups of 'sex × region' are the pairs of values that occur, such as 'female × north' (intersectional groups).
"""

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise

import numpy as np

from ..errors import DataError
from .columns import Column
from .division import Group

MAX_GROUPS = 30
"""With more levels, a category has too few rows per level to compare them."""

FEW_VALUES = 5
"""A numeric column with at most this many values has one group per value."""


CROSS = " × "
"""The separator of crossed columns, and of their values; ' x ' is also accepted."""

_WRITTEN_CROSS = re.compile(r"\s*×\s*| x ")


def crossed_columns(name: str, known: Collection[str]) -> tuple[str, ...]:
    """The known columns, two or more, that a name such as 'sex × region' crosses; empty if it is no crossing.

    A known column with a cross in its name is a column, not a crossing.
    """
    for cross in () if name in known else _WRITTEN_CROSS.finditer(name):
        first, rest = name[: cross.start()].strip(), name[cross.end() :].strip()
        others = (rest,) if rest in known else crossed_columns(rest, known)
        if first in known and others and first not in others:
            return (first, *others)
    return ()


def named_columns(name: str, known: Collection[str]) -> tuple[str, ...]:
    """The columns in a name of groups, known or not: the crossed ones, or the name itself."""
    written = tuple(part.strip() for part in _WRITTEN_CROSS.split(name))
    is_near = name not in known and 0 < len(set(written) & set(known)) < len(set(written))
    return crossed_columns(name, known) or (written if is_near else (name,))


def with_parts(names: Iterable[str], known: Collection[str]) -> tuple[str, ...]:
    """Names of groups in their order without duplicates; a crossing follows the columns that it is built from."""
    named = ((name, crossed_columns(name, known)) for name in names)
    return tuple(dict.fromkeys(one for name, parts in named for one in (*parts, CROSS.join(parts) or name)))


def crossed_group(parts: Sequence[Group], levels: Sequence[str] | None = None) -> Group:
    """The groups of several crossed columns: the combinations of values that occur.

    Parameters
    ----------
    parts : the groups of each column, for the same rows. A row with a missing value in one of them is in no group.
    levels : the fixed groups, if any; other rows are in no group.

    Raises
    ------
    DataError
        There are too many groups, none, or two of the same name.
    """
    name = CROSS.join(part.name for part in parts)
    codes = np.stack([part.codes for part in parts])
    known = (codes >= 0).all(0)
    present, place = np.unique(codes[:, known], axis=1, return_inverse=True)
    names = tuple(CROSS.join(p.levels[i] for p, i in zip(parts, row, strict=True)) for row in present.T)
    if levels is None:
        if not names:
            raise DataError(f"No row has a value in each column of '{name}'. Choose other columns.")
        if len(names) > MAX_GROUPS:
            raise DataError(
                f"The columns of '{name}' make {len(names)} groups; at most {MAX_GROUPS} can be compared. "
                f"Choose columns with fewer levels, or join some of them."
            )
        if len(set(names)) < len(names):
            raise DataError(f"Two groups of '{name}' have the same name. Give the levels names without '{CROSS}'.")
        levels = names
    position = {level: code for code, level in enumerate(levels)}
    crossed = np.full(codes.shape[1], -1, np.int32)
    crossed[known] = np.array([position.get(one, -1) for one in names], np.int32)[place.ravel()]
    return Group(name, tuple(levels), crossed)


def named_group(groups: Sequence[Group], name: str) -> Group | None:
    """The group column of this name, or a crossing of several; `None` if there is none."""
    by_name = {group.name: group for group in groups}
    parts = crossed_columns(name, by_name)
    if not parts:
        return by_name.get(name)
    return by_name.get(CROSS.join(parts)) or crossed_group([by_name[part] for part in parts])


def group_of(column: Column, values: np.ndarray, train: np.ndarray | None = None) -> Group:
    """The groups of a column; raises `DataError` if the column has no value, or too many levels.

    The values are those of the matrix, float64 (n_samples,), NaN where missing. Each level is a group; numbers and
    dates are divided into thirds of about equal size, named by their limits. The thirds are those of the values in
    `train`, by default of the values themselves; a number that is none of few training values is in no group.
    """
    missing = np.isnan(values)
    known = values[~missing] if train is None else train[~np.isnan(train)]
    present = np.unique(known)
    if column.kind.has_levels:
        present = np.union1d(present, values[~missing])
    if not len(present):
        raise DataError(f"The group column '{column.name}' has no values. Choose another column.")
    if column.kind.has_levels or len(present) <= FEW_VALUES:
        if len(present) > MAX_GROUPS:
            raise DataError(
                f"The group column '{column.name}' has {len(present)} levels; at most {MAX_GROUPS} can be compared. "
                f"Choose a column with fewer levels, or join some of them."
            )
        codes = np.where(np.isin(values, present), np.searchsorted(present, values), -1)
        return Group(column.name, tuple(column.format(value) for value in present), codes, column.kind)
    cuts = thirds(known)
    codes = np.where(missing, -1, np.searchsorted(cuts, values))
    return Group(column.name, cut_names(column, cuts), codes, column.kind, tuple(cuts.tolist()))


def thirds(known: np.ndarray) -> np.ndarray:
    """The upper limits of all groups but the last, for values in thirds; at least one.

    Parameters
    ----------
    known : float64 (n_values,), with at least two distinct values.

    If more than two thirds of the values equal the maximum, the maximum is a group and all lower values are another.
    """
    known = np.sort(known)
    below = known[known < known[-1]]
    low, high = known[(len(known) - 1) // 3], known[2 * (len(known) - 1) // 3]
    return np.unique([cut for cut in (low, high) if cut < known[-1]] or below[-1:])


def cut_names(column: Column, cuts: np.ndarray) -> tuple[str, ...]:
    """The names of the groups: 'up to 34', 'over 34 to 57', 'over 57'."""
    words = [column.format(cut) for cut in cuts]
    between = [f"over {low} to {high}" for low, high in pairwise(words)]
    return (f"up to {words[0]}", *between, f"over {words[-1]}")
