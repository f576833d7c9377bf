"""Tables of binary columns: read from a folder, divided into folds, or generated.

A file has one row per line, without a header: the class, then zeros and ones, separated by blanks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from solvers.errors import DataError

if TYPE_CHECKING:
    from solvers.problem import Dataset

SUFFIXES = (".csv", ".txt")

MUSHROOM = (6, 4, 10, 2, 9, 4, 2, 2, 12, 2, 5, 4, 4, 9, 9, 1, 4, 3, 5, 9, 6, 7)
"""Levels of the 22 columns of the mushroom data set; one column per level makes 119."""

TELLING = (4, 19)
"""The columns of odour and spore print."""


@dataclass(frozen=True)
class Bits:
    """A table of binary columns.

    Attributes
    ----------
    name : of the table.
    X : uint8 (n_rows, n_columns), zeros and ones.
    y : int32 (n_rows,), classes 0, 1, ...
    """

    name: str
    X: np.ndarray
    y: np.ndarray

    def take(self, rows: np.ndarray) -> Bits:
        """The selected rows."""
        return Bits(self.name, self.X[rows], self.y[rows])

    def save(self, path: Path) -> None:
        """Save for another process."""
        np.savez(path, name=np.array(self.name), X=self.X, y=self.y)

    @classmethod
    def load(cls, path: Path) -> Bits:
        """Load what `save` wrote."""
        with np.load(path) as arrays:
            return cls(str(arrays["name"]), arrays["X"], arrays["y"])

    def dataset(self) -> Dataset:
        """The table for the methods."""
        from solvers.problem import Column, Dataset, Kind, MissingPolicy, Schema

        columns = tuple(Column(f"x{j + 1}", Kind.BINARY, ("no", "yes")) for j in range(self.X.shape[1]))
        classes = tuple(map(str, range(max(2, int(self.y.max()) + 1))))
        return Dataset(self.name, Schema(columns, MissingPolicy.COMPLETE), self.X, self.y, classes, "class")


def available(folder: Path) -> dict[str, Path]:
    """The tables of a folder by name, smallest file first.

    Raises
    ------
    DataError
        There is no such folder, or no table in it.
    """
    if not folder.is_dir():
        raise DataError(f"The folder '{folder}' must exist and hold tables (*.csv or *.txt).")
    files = [path for path in folder.iterdir() if path.suffix in SUFFIXES]
    if not files:
        raise DataError(f"The folder '{folder}' must hold at least one table (*.csv or *.txt).")
    return {path.stem: path for path in sorted(files, key=lambda path: (path.stat().st_size, path.name))}


def read(folder: Path, names: Sequence[str] | None = None) -> tuple[Bits, ...]:
    """The tables of a folder; all of them if no names are given.

    Raises
    ------
    DataError
        A named table does not exist, or a file is not a table of zeros and ones.
    """
    present = available(folder)
    for name in names or ():
        if name not in present:
            raise DataError(f"There is no table '{name}' in '{folder}'. Tables: {', '.join(present)}.")
    return tuple(read_table(present[name]) for name in names or present)


def read_table(path: Path) -> Bits:
    """Read a file as a table.

    Raises
    ------
    DataError
        A cell is neither 0 nor 1, or rows have different numbers of cells.
    """
    try:
        cells = np.loadtxt(path, dtype=np.float64, ndmin=2)
    except ValueError as error:
        raise DataError(f"'{path.name}': {error}. A line must hold the class and zeros and ones.") from None
    bad = np.argwhere((cells[:, 1:] != 0) & (cells[:, 1:] != 1))
    if len(bad):
        row, column = bad[0] + 1
        raise DataError(f"'{path.name}', row {row}, column {column}: must be 0 or 1. Got {cells[row - 1, column]:g}.")
    label = np.unique(cells[:, 0], return_inverse=True)[1].astype(np.int32)
    return Bits(path.stem, cells[:, 1:].astype(np.uint8), label)


def folds(table: Bits, count: int, seed: int) -> Iterator[tuple[Bits, Bits]]:
    """Training and test rows; each row is in one test set."""
    order = np.random.default_rng(seed).permutation(len(table.y))
    for part in np.array_split(order, count):
        yield table.take(np.setdiff1d(order, part)), table.take(np.sort(part))


def sample(table: Bits, share: float, seed: int) -> tuple[Bits, Bits]:
    """A share of the rows for training, the others for testing."""
    order = np.random.default_rng(seed).permutation(len(table.y))
    n = max(2, round(share * len(order)))
    return table.take(np.sort(order[:n])), table.take(np.sort(order[n:]))


def mushrooms(rows: int = 8124, seed: int = 0) -> Bits:
    """A table like the mushroom data set: two dozen species, each of one class and with few levels per column.

    Species of a family share the levels of most columns, so columns are redundant, and levels of a column exclude each
    other. Two columns (odour and spores) identify most poisonous species by levels that no other species has.
    """
    rng = np.random.default_rng(seed)
    n_species, n_families = 23, 6
    family = rng.integers(0, n_families, n_species)
    poisonous = rng.permutation(np.arange(n_species) % 2)
    species = rng.choice(n_species, rows, p=rng.dirichlet(np.full(n_species, 2.0)))
    columns = []
    for j, n_levels in enumerate(MUSHROOM):
        usual = [rng.choice(n_levels, min(n_levels, 3), replace=False) for _ in range(n_families)]
        own = [
            usual[family[s]][: rng.integers(1, 4)] if rng.random() < 0.7 else rng.choice(n_levels, 2)
            for s in range(n_species)
        ]
        if j in TELLING:
            tells = poisonous * (rng.random(n_species) < 0.75)
            own = [rng.integers(0, 4, 2) if tells[s] else rng.integers(4, n_levels, 2) for s in range(n_species)]
        level = np.array([rng.choice(own[s]) for s in species])
        columns.append(level[:, None] == np.arange(n_levels))
    return Bits("mushroom-like", np.hstack(columns).astype(np.uint8), poisonous[species].astype(np.int32))


def wide(rows: int, columns: int, *, noise: float = 0.1, seed: int = 0) -> Bits:
    """Independent columns of different frequencies; the class is a majority vote of seven of them, plus some noise."""
    rng = np.random.default_rng(seed)
    X = (rng.random((rows, columns)) < rng.uniform(0.1, 0.9, columns)).astype(np.uint8)
    voters, weights = rng.choice(columns, 7, replace=False), rng.uniform(-1, 1, 7)
    score = (X[:, voters] - X[:, voters].mean(axis=0)) @ weights
    y = np.where(rng.random(rows) < noise, rng.integers(0, 2, rows), score > 0)
    return Bits(f"{rows:,} x {columns}", X, y.astype(np.int32))
