"""The tables of the papers, from a folder with the published files; `DataError` names what is missing."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from benchmarks import data as ranked
from benchmarks.bdds import data as bits
from benchmarks.bdds.data import Bits
from benchmarks.data import Task
from solvers.errors import DataError
from solvers.problem import Column, Dataset, Kind, MissingPolicy, Request, Schema, build, read_table

FOLDERS = {
    "sat": "NAME.csv, a header, the class last: InferDT",
    "binary": "NAME.csv, no header, 0 and 1 with blanks between, the class first: MaxSAT-BDD",
    "continuous": "NAME.txt, no header, numbers with blanks between, the class first: ConTree's whole tables",
    "contree_train": "the same form: the training parts that ConTree's times are measured on (project Quant-BnB)",
    "cptree": "NAME/cat_num_train_1.csv ... cat_dis_test_5.csv, semicolons, the class last: CPTree",
    "clinical": "NAME.csv, a header, the outcome last: section 5 of CPTree",
    "fair": "compas-two-years.csv: section 5.5 of CPTree",
    "mixed": "NAME.csv, a header, the outcome last: optimal decision diagrams",
}
"""The possible subfolders of the data folder, and their contents."""


def there(folder: Path, kind: str, name: str) -> bool:
    """Whether a table exists."""
    place = folder / kind
    return any((place / f"{name}{end}").exists() for end in (".csv", ".txt", ""))


@lru_cache(maxsize=8)
def training_part(folder: Path, name: str) -> Task:
    """The rows of a table that ConTree's authors train on, as ranks."""
    return ranked.read_table(folder / "contree_train" / f"{name}.txt")


@lru_cache(maxsize=8)
def whole_table(folder: Path, name: str) -> Task:
    """A whole table of ConTree as ranks; only the training part of some is published as numbers."""
    path = folder / "continuous" / f"{name}.txt"
    return ranked.read_table(path) if path.exists() else training_part(folder, name)


@lru_cache(maxsize=8)
def zeros_and_ones(folder: Path, name: str) -> Bits:
    """A table of binary columns; a table of codes (`sat/NAME.csv`) gets one column per code."""
    path = folder / "binary" / f"{name}.csv"
    if path.exists():
        return bits.read_table(path)
    codes = table(folder, "sat", name)
    columns = [x == code for x in codes.X.T for code in np.unique(x)]
    return Bits(name, np.column_stack(columns).astype(np.uint8), codes.y)


@lru_cache(maxsize=8)
def table(folder: Path, kind: str, name: str, outcome: str = "") -> Dataset:
    """A table with a header, the outcome last or by name."""
    path = folder / kind / f"{name}.csv"
    if not path.exists():
        raise DataError(f"The table '{kind}/{name}.csv' must be in the folder '{folder}'. See results/reproduction.md.")
    read = read_table(path, header=True)
    return build(read, Request(target=outcome or read.names[-1])).dataset


@lru_cache(maxsize=8)
def division(folder: Path, name: str, form: str, part: int) -> tuple[Dataset, Dataset]:
    """The training and test rows of a division of CPTree; `form` is 'num' or 'dis'."""
    place = folder / "cptree" / name
    parts = [np.genfromtxt(place / f"cat_{form}_{which}_{part}.csv", delimiter=";", names=True, deletechars="",
             replace_space=" ", dtype=np.float64) for which in ("train", "test")]  # fmt: skip
    names = parts[0].dtype.names
    train, test = (np.array([rows[column] for column in names]).T for rows in parts)
    labels = np.unique(np.concatenate((train[:, -1], test[:, -1])))
    columns = tuple(_column(column, train[:, j]) for j, column in enumerate(names[:-1]))
    made = []
    for rows in (train, test):
        y = np.searchsorted(labels, rows[:, -1]).astype(np.int32)
        values = rows[:, :-1]
        classes = tuple(f"{label:g}" for label in labels)
        made.append(Dataset(name, Schema(columns, MissingPolicy.COMPLETE), values, y, classes, "class"))
    return made[0], made[1]


def _column(name: str, values: np.ndarray) -> Column:
    two = set(np.unique(values)) <= {0.0, 1.0}
    return Column(name, Kind.BINARY, ("no", "yes")) if two else Column(name, Kind.NUMERIC)


def coded(dataset: Dataset) -> Dataset:
    """The same rows with every column as unordered codes, so that a split is about one code."""
    columns, values = [], []
    for column, x in zip(dataset.schema.columns, dataset.X.T, strict=True):
        codes, which = np.unique(x, return_inverse=True)
        kind = Kind.BINARY if len(codes) == 2 else Kind.CATEGORICAL
        columns.append(Column(column.name, kind, tuple(f"{code:g}" for code in codes)))
        values.append(which.astype(np.float64))
    schema = Schema(tuple(columns), MissingPolicy.COMPLETE)
    return Dataset(dataset.name, schema, np.column_stack(values), dataset.y, dataset.classes, dataset.outcome)


def parts(n: int, count: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Training and test positions; each row is in one test set; drawn at random."""
    order = np.random.default_rng(seed).permutation(n)
    return [(np.setdiff1d(order, test), np.sort(test)) for test in np.array_split(order, count)]
