"""Random problems for BDDs, and the costs of the cells of their features."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product

import numpy as np
from hypothesis import strategies as st

from solvers.problem import Dataset, Kind, Objective, Problem, Shape, ShapeKind, binary_view
from tests.strategies import make_dataset, objectives


def as_bdd(problem: Problem, depth: int, split_penalty: float = 0.0, **size: int | None) -> Problem:
    """The same table and class costs, as a BDD."""
    objective = Objective(problem.objective.class_costs, split_penalty)
    return Problem(problem.dataset, Shape(ShapeKind.BDD, max_depth=depth, **size), objective)


def random_problem(
    rng: np.random.Generator, rows: int, columns: int, classes: int, depth: int, weights: int = 1
) -> Problem:
    """A table of random bits whose class depends on three of them, with noise; whole weights up to `weights`."""
    X = (rng.random((rows, columns)) < rng.uniform(0.2, 0.8, columns)).astype(int)
    rule = (X[:, 0] + X[:, 1 % columns] * X[:, 2 % columns]) % classes
    y = np.where(rng.random(rows) < 0.25, rng.integers(0, classes, rows), rule)
    weight = None if weights == 1 else rng.integers(1, weights + 1, rows).astype(float)
    table = {f"x{j}": (Kind.BINARY, X[:, j]) for j in range(columns)}
    return Problem(make_dataset(table, y, n_classes=classes, weight=weight), Shape(ShapeKind.BDD, max_depth=depth))


def cells_of(problem: Problem, chosen: tuple[int, ...]) -> dict[tuple[int, ...], list[int]]:
    """The cost of each class in each cell with rows; cells by the values of some features of the binary view."""
    view, prices = binary_view(problem.dataset), problem.class_costs.tolist()
    y, weight, n_classes = problem.dataset.y.tolist(), problem.weights.tolist(), problem.dataset.n_classes
    cells: dict[tuple[int, ...], list[int]] = {}
    for i, bits in enumerate(view.bits[:, list(chosen)].tolist()):
        cell = cells.setdefault(tuple(bits), [0] * n_classes)
        for k in range(n_classes):
            cell[k] += weight[i] * prices[y[i]][k]
    return cells


def cost_of(problem: Problem, chosen: tuple[int, ...]) -> int:
    """The cost of the best truth table over some features."""
    return sum(min(cell) for cell in cells_of(problem, chosen).values())


def sets(problem: Problem, size: int) -> Iterator[tuple[int, ...]]:
    """All sets of this number of features, or of all features."""
    n = len(binary_view(problem.dataset).predicates)
    yield from combinations(range(n), min(size, n))


def cost_table(problem: Problem, chosen: tuple[int, ...]) -> np.ndarray:
    """The cost of each class in each cell of some features, int64 (2**len(chosen), n_classes)."""
    cells = cells_of(problem, chosen)
    empty = [0] * problem.dataset.n_classes
    return np.array([cells.get(bits, empty) for bits in product((0, 1), repeat=len(chosen))], np.int64)


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
