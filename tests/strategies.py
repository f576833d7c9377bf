"""Hypothesis strategies for small tables and problems, and a short notation for tables in tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import cycle

import numpy as np
from hypothesis import strategies as st

from solvers.problem import Column, Dataset, Kind, MissingPolicy, Objective, Problem, Schema, Shape

NUMBERS = (
    (0.0, 1.0, 2.0, 3.0, 4.0, 5.0),
    (-0.3, 0.1, 0.2, 0.30000000000000004, 0.3),
    (16777216.0, 16777217.0, 16777218.0, 16777219.0),
    (1.0, float(np.nextafter(1.0, 2.0)), 1e-300, -1e300, 1e300),
    (7.0,),
)
"""Pools of numeric values: whole numbers, neighbours in 64 bits, neighbours that 32 bits merge, extremes, and a
constant."""

LEAF_WEIGHTS = (0.0, 0.0, 0.0, 2.0, 3.5, 1.1)
"""Minimum weights of a leaf; if the whole table has less, there is no tree."""

DATES = (0.0, 1.0, 19000.0, 19000.5, 19001.0)
N_LEVELS = {Kind.BINARY: 2, Kind.ORDERED: 4, Kind.CATEGORICAL: 4}


def make_dataset(
    columns: Mapping[str, tuple[Kind, Sequence[float]]],
    y: Sequence[int],
    *,
    n_classes: int | None = None,
    weight: Sequence[float] | None = None,
    missing: MissingPolicy = MissingPolicy.INFORMATION,
) -> Dataset:
    """A dataset from columns of matrix values (level indices, days, numbers; NaN if missing) and class indices."""
    X = np.array([values for _, values in columns.values()], np.float64).reshape(len(columns), len(y)).T
    made = (_column(name, kind, np.array(values, float)) for name, (kind, values) in columns.items())
    families = cycle(("even columns", "odd columns"))
    described = tuple(replace(column, family=family) for column, family in zip(made, families, strict=False))
    schema = Schema(described, missing)
    n_classes = n_classes or max(2, max(y) + 1)
    classes = tuple(f"class {k}" for k in range(n_classes))
    return Dataset(
        "table", schema, X, np.array(y), classes, "outcome", weight=None if weight is None else np.array(weight)
    )


def _column(name: str, kind: Kind, values: np.ndarray) -> Column:
    known = values[~np.isnan(values)]
    levels: tuple[str, ...] = ()
    if kind.has_levels:
        n_levels = 2 if kind is Kind.BINARY else max(N_LEVELS[kind], int(known.max(initial=0)) + 1)
        levels = tuple(f"level {i}" for i in range(n_levels))
    return Column(name, kind, levels, _fill(kind, known), bool(np.isnan(values).any()))


def _fill(kind: Kind, known: np.ndarray) -> float | None:
    if not len(known):
        return None
    if kind in (Kind.BINARY, Kind.CATEGORICAL):
        values, counts = np.unique(known, return_counts=True)
        return float(values[counts.argmax()])
    if kind is Kind.ORDERED:
        return float(np.sort(known)[(len(known) - 1) // 2])
    return float(np.median(known))


def _values(kind: Kind) -> st.SearchStrategy[tuple[float, ...]]:
    """The pool of values of a column."""
    if kind is Kind.NUMERIC:
        return st.sampled_from(NUMBERS)
    if kind is Kind.DATE:
        return st.just(DATES)
    return st.just(tuple(float(level) for level in range(N_LEVELS[kind])))


@st.composite
def datasets(
    draw: st.DrawFn,
    *,
    max_rows: int = 12,
    max_columns: int = 3,
    kinds: Sequence[Kind] = tuple(Kind),
    policies: Sequence[MissingPolicy] = tuple(MissingPolicy),
    weights: bool = True,
) -> Dataset:
    """Small tables with ties, duplicate and contradictory rows, missing values and 2 to 4 classes.

    Hypothesis draws the properties of the table and shrinks them. The cells come from a seeded generator, because cells
    drawn one by one are mostly equal and leave nothing to split. Under 'complete cases' no value is missing, as after
    reading a file. A column may be constant or all missing, and a class may have no row.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    policy = draw(st.sampled_from(list(policies)))
    n_rows = draw(st.sampled_from(range(1, max_rows + 1)))
    n_distinct = draw(st.sampled_from(range((n_rows + 1) // 2, n_rows + 1)))
    origin = np.concatenate((np.arange(n_distinct), rng.integers(0, n_distinct, n_rows - n_distinct)))
    columns = {}
    for j in range(draw(st.sampled_from(range(1, max_columns + 1)))):
        kind = draw(st.sampled_from(list(kinds)))
        cells = rng.choice(draw(_values(kind)), n_distinct)
        if policy is not MissingPolicy.COMPLETE:
            cells[rng.random(n_distinct) < draw(st.sampled_from((0.0, 0.2, 0.5, 0.0, 0.2, 1.0)))] = np.nan
        columns[f"x{j}"] = (kind, cells[origin])
    n_classes = draw(st.sampled_from((2, 3, 4)))
    units = draw(st.sampled_from([None, (1.0, 2.0, 3.0, 7.0), (0.5, 1.25, 2.0)])) if weights else None
    weight = None if units is None else rng.choice(units, n_rows)
    return make_dataset(columns, rng.integers(0, n_classes, n_rows), n_classes=n_classes, weight=weight, missing=policy)


@st.composite
def shapes(draw: st.DrawFn, *, max_depth: int = 3, leaf_sizes: bool = True) -> Shape:
    """Tree shapes, some with a leaf limit and, unless `leaf_sizes` is off, a minimum leaf size."""
    depth = draw(st.sampled_from(range(max_depth, -1, -1)))
    leaves = draw(st.sampled_from((None, None, 4, 3, 2, 5, 6, 1)))
    if not leaf_sizes:
        return Shape(max_depth=depth, max_leaf_nodes=leaves)
    min_leaf = draw(st.sampled_from((1, 1, 2, 1, 3)))
    return Shape(
        max_depth=depth,
        max_leaf_nodes=leaves,
        min_samples_leaf=min_leaf,
        min_weight_leaf=draw(st.sampled_from(LEAF_WEIGHTS)),
    )


@st.composite
def objectives(draw: st.DrawFn, n_classes: int) -> Objective:
    """Objectives, some with class costs (sometimes for correct predictions too), some with a split penalty."""
    split_penalty = draw(st.sampled_from((0.0, 0.0, 1.0, 0.25, 0.5, 2.0, 1.1)))
    prices = draw(st.sampled_from((None, None, (1, 1, 2, 5), (0, 1, 0.5, 3), (2,))))
    if prices is None:
        return Objective(split_penalty=split_penalty)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    costs = rng.choice(prices, (n_classes, n_classes)).astype(float)
    if draw(st.sampled_from((False, True))):
        costs[:] = costs[:, :1]  # these costs depend on the true class only, like row weights
    if draw(st.sampled_from((True, True, False))):
        np.fill_diagonal(costs, 0)
    return Objective(tuple(map(tuple, costs.tolist())), split_penalty)


@st.composite
def problems(draw: st.DrawFn, *, max_depth: int = 3, priced: bool = True, **table: object) -> Problem:
    """Small problems, with any objective unless `priced` is off; `table` is passed to `datasets`."""
    dataset, shape = draw(datasets(**table)), draw(shapes(max_depth=max_depth))
    return Problem(dataset, shape, draw(objectives(dataset.n_classes)) if priced else Objective())
