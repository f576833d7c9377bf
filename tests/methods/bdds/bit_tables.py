"""Small binary tables for the tests of SAT and MaxSAT."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from solvers.problem import Dataset, Kind, Objective, Problem, Shape, ShapeKind
from tests.strategies import make_dataset, objectives


def table(bits: np.ndarray, y: list[int], **more: object) -> Dataset:
    """A table of binary columns."""
    return make_dataset({f"x{j}": (Kind.BINARY, bits[:, j].astype(float)) for j in range(bits.shape[1])}, y, **more)


def bdd(dataset: Dataset, depth: int, objective: Objective | None = None) -> Problem:
    """The problem of a BDD with at most this number of levels."""
    return Problem(dataset, Shape(kind=ShapeKind.BDD, max_depth=depth), objective or Objective())


@st.composite
def binary_tables(draw: st.DrawFn, max_rows: int = 20, max_columns: int = 6) -> Problem:
    """Binary tables with contradictions, two to four classes, some with weights and class costs."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, k = draw(st.integers(1, max_rows)), draw(st.integers(1, max_columns))
    n_classes = draw(st.sampled_from((2, 2, 3, 4)))
    weight = rng.choice((1.0, 2.0, 3.0, 7.0), n) if draw(st.booleans()) else None
    dataset = table(
        rng.integers(0, 2, (n, k)), rng.integers(0, n_classes, n).tolist(), n_classes=n_classes, weight=weight
    )
    objective = replace(draw(objectives(n_classes)), split_penalty=0.0)
    return bdd(dataset, draw(st.integers(0, 3)), objective)
