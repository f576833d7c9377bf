"""Small labelled tables for certificates."""

from __future__ import annotations

import csv
import io

import numpy as np

from solvers.problem import Dataset, Kind, Problem, Shape
from tests.strategies import make_dataset


def random_problem(seed: int, depth: int = 3, n_rows: int = 12, n_classes: int | None = None) -> Problem:
    """Few rows with a numeric, an ordered and a categorical column; the class depends on the first two, with
    exceptions.
    """
    random = np.random.default_rng(seed)
    n_classes = n_classes or int(random.integers(2, 4))
    a, b, c = random.integers(0, 4, n_rows), random.integers(0, 3, n_rows), random.integers(0, 3, n_rows)
    y = (a // 2 + (b > 0) + (random.random(n_rows) < 0.3)) % n_classes
    columns = {"a": (Kind.NUMERIC, a), "b": (Kind.ORDERED, b), "c": (Kind.CATEGORICAL, c)}
    return Problem(make_dataset(columns, y.tolist(), n_classes=n_classes), Shape(max_depth=depth))


def checkerboard(depth: int = 4) -> Problem:
    """Sixteen rows in the pattern of a checkerboard; brute force finds depth 4 and many leaves."""
    a, b = np.divmod(np.arange(16), 4)
    columns = {"a": (Kind.NUMERIC, a), "b": (Kind.NUMERIC, b)}
    return Problem(make_dataset(columns, ((a + b) % 2).tolist()), Shape(max_depth=depth))


def csv_text(dataset: Dataset) -> str:
    """A CSV file from which the table and its groups could have been read; unused rows contain only '?'."""
    out, names = io.StringIO(), [*dataset.schema.names, *(group.name for group in dataset.groups)]
    lines = [["?"] * (len(names) + 1) for _ in range(int(dataset.rows.max()))]
    for i, (row, label) in enumerate(zip(dataset.rows.tolist(), dataset.y.tolist(), strict=True)):
        pairs = zip(dataset.schema.columns, dataset.X[i].tolist(), strict=True)
        texts = [column.format(x) if column.kind is not Kind.NUMERIC or x != x else repr(x) for column, x in pairs]
        groups = ["" if group.codes[i] < 0 else group.levels[group.codes[i]] for group in dataset.groups]
        lines[row - 1] = [*texts, *groups, dataset.classes[label]]
    csv.writer(out).writerows([[*names, dataset.outcome], *lines])
    return out.getvalue()
