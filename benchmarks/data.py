"""Training tables: read from a folder or generated; always as ranks, the same for every learner.

A file has one row per line, without a header: the class, then the values, separated by blanks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from solvers.errors import DataError

STEP = 1e-7
"""Values of a column that differ by less than this have the same rank."""


@dataclass(frozen=True)
class Task:
    """Training rows.

    Attributes
    ----------
    name : of the table.
    rank : int32 (n_columns, n_rows), the rank of each value in its column, from 0 without gaps.
    label : int32 (n_rows,), classes 0 to n_classes - 1, each of them present.
    """

    name: str
    rank: np.ndarray
    label: np.ndarray

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.label)

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return len(self.rank)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.label.max()) + 1

    def save(self, path: Path) -> None:
        """Save for another process."""
        np.savez(path, name=np.array(self.name), rank=self.rank, label=self.label)

    @classmethod
    def load(cls, path: Path) -> Task:
        """Load what `save` wrote."""
        with np.load(path) as arrays:
            return cls(str(arrays["name"]), arrays["rank"], arrays["label"])


def available(folder: Path) -> tuple[str, ...]:
    """The names of the tables in a folder, smallest file first.

    Raises
    ------
    DataError
        There is no such folder, or no table in it.
    """
    if not folder.is_dir():
        raise DataError(f"The folder '{folder}' must exist and hold tables (*.txt).")
    files = sorted(folder.glob("*.txt"), key=lambda path: (path.stat().st_size, path.name))
    if not files:
        raise DataError(f"The folder '{folder}' must hold at least one table (*.txt).")
    return tuple(path.stem for path in files)


def read(folder: Path, names: Sequence[str] | None = None) -> tuple[Task, ...]:
    """The tables of a folder; all of them if no names are given.

    Raises
    ------
    DataError
        A named table does not exist, or a file is not a table of numbers.
    """
    present = available(folder)
    for name in names or ():
        if name not in present:
            raise DataError(f"There is no table '{name}.txt' in '{folder}'. Tables: {', '.join(present)}.")
    return tuple(read_table(folder / f"{name}.txt") for name in names or present)


def read_table(path: Path) -> Task:
    """Read a file as a task; values are ranked as in `ranks`.

    Raises
    ------
    DataError
        A cell is not a number, or rows have different numbers of cells.
    """
    try:
        cells = np.loadtxt(path, dtype=np.float64, ndmin=2)
    except ValueError as error:
        raise DataError(
            f"'{path.name}': {error}. A line must hold the class and the values, with blanks between."
        ) from None
    if cells.shape[0] < 2 or cells.shape[1] < 2:
        raise DataError(f"'{path.name}' must have at least 2 rows and a column besides the class. Got {cells.shape}.")
    with np.errstate(over="ignore"):
        bad = np.argwhere(~np.isfinite(cells.astype(np.float32)))
    if len(bad):
        row, column = bad[0] + 1
        raise DataError(f"'{path.name}', row {row}, column {column}: the number must be finite, also in 32 bits.")
    label = np.unique(cells[:, 0], return_inverse=True)[1].astype(np.int32)
    return Task(path.stem, ranks(cells[:, 1:]), label)


def ranks(values: np.ndarray) -> np.ndarray:
    """The rank of each value in its column, by pycontree's rule for distinct values.

    Values become 32-bit floats, and in ascending order a new rank begins if the step is at least `STEP`.

    Parameters
    ----------
    values : float (n_rows, n_columns), finite.

    Returns
    -------
    int32 (n_columns, n_rows)
    """
    columns = np.ascontiguousarray(values.T, np.float32)
    order = np.argsort(columns, axis=1, kind="stable")
    ascending = np.take_along_axis(columns, order, axis=1)
    rank = np.zeros(columns.shape, np.int32)
    climbed = np.cumsum(np.diff(ascending, axis=1) >= STEP, axis=1, dtype=np.int32)
    np.put_along_axis(rank, order[:, 1:], climbed, axis=1)
    return rank


def coarse(task: Task, thresholds: int) -> Task:
    """The same rows with at most `thresholds` thresholds per column, at quantiles, for solvers of binary columns."""
    shares = np.arange(1, thresholds + 1) / (thresholds + 1)
    rank = np.empty_like(task.rank)
    for column, out in zip(task.rank, rank, strict=True):
        cuts = np.unique(np.quantile(column, shares, method="lower"))
        out[:] = np.searchsorted(cuts[cuts < column.max()], column)
    return replace(task, rank=rank)


def noisy(rows: int, columns: int, classes: int, *, noise: float = 0.15, seed: int = 0) -> Task:
    """A table whose classes follow a random tree of depth four, except for a share of random labels.

    All values of a column are distinct, the hardest case for a search over thresholds.
    """
    rng = np.random.default_rng((seed, rows, columns, classes))
    rank = np.array([rng.permutation(rows) for _ in range(columns)], np.int32)
    label = np.zeros(rows, np.int32)
    _grow(rank, np.arange(rows), label, 4, classes, rng)
    flipped = rng.random(rows) < noise
    label[flipped] = rng.integers(classes, size=int(flipped.sum()))
    label[:classes] = np.arange(classes)
    return Task(f"{rows:,} x {columns}", rank, label)


def _grow(
    rank: np.ndarray, members: np.ndarray, label: np.ndarray, depth: int, classes: int, rng: np.random.Generator
) -> None:
    """Label the members by a random tree that cuts off 30 to 70 percent at each node."""
    if depth == 0 or len(members) < 2:
        label[members] = rng.integers(classes)
        return
    values = rank[rng.integers(len(rank)), members]
    first = values <= np.quantile(values, rng.uniform(0.3, 0.7))
    _grow(rank, members[first], label, depth - 1, classes, rng)
    _grow(rank, members[~first], label, depth - 1, classes, rng)
