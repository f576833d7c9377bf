"""Small problems with every kind of column, for the tests of runs."""

from __future__ import annotations

import numpy as np

from solvers.problem import Column, Dataset, Group, Kind, MissingPolicy, Problem, Schema, Shape


def mixed(n: int = 40, seed: int = 0, **options: object) -> Problem:
    """A two-class problem with numbers, levels, dates, missing values, weights and a group."""
    random = np.random.default_rng(seed)
    columns = (
        Column("bmi", Kind.NUMERIC, fill=27.25, has_missing=True),
        Column("sex", Kind.BINARY, ("female", "male"), fill=0.0),
        Column("grade", Kind.ORDERED, ("low", "middle", "high"), fill=1.0),
        Column("ward, or 'unit'", Kind.CATEGORICAL, ("A", "B", "C \u2192 D"), fill=2.0),
        Column("admitted", Kind.DATE, fill=19000.0, integral=True),
    )
    X = np.column_stack(
        [
            np.where(random.random(n) < 0.2, np.nan, random.normal(27, 4, n)),
            random.integers(0, 2, n),
            random.integers(0, 3, n),
            random.integers(0, 3, n),
            19000 + random.integers(0, 90, n),
        ]
    )
    y = (random.random(n) < 0.35).astype(np.int32)
    y[:3] = 0, 0, 1
    dataset = Dataset(
        name="cohort",
        schema=Schema(columns, MissingPolicy.INFORMATION),
        X=X,
        y=y,
        classes=("well", "ill"),
        outcome="state",
        positive=1,
        weight=random.integers(1, 4, n) / 2,
        groups=(Group("sex", ("female", "male"), X[:, 1]),),
        rows=np.arange(10, 10 + n),
    )
    return Problem(dataset, **options)


def plain(n: int = 40, seed: int = 0) -> Problem:
    """A two-class problem with two numeric columns, one of which decides, with a little noise."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 2)).round(2)
    y = ((X[:, 0] > 0.3) ^ (random.random(n) < 0.1)).astype(np.int32)
    y[:2] = 0, 1
    schema = Schema((Column("a", Kind.NUMERIC, fill=0.0), Column("b", Kind.NUMERIC, fill=0.0)))
    return Problem(Dataset("plain", schema, X, y, ("no", "yes"), "y", 1), Shape(max_depth=2))


def noise(n: int, n_columns: int, seed: int = 1) -> Dataset:
    """Normal columns independent of the class."""
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(n, n_columns)), random.integers(0, 2, n).astype(np.int32)
    schema = Schema(tuple(Column(f"x{i}", Kind.NUMERIC, fill=0.0) for i in range(n_columns)))
    return Dataset("noise", schema, X, y, ("no", "yes"), "y", 1)
