"""Problems for the tests of the lessons."""

from __future__ import annotations

import threading

import numpy as np

from solvers.methods import get
from solvers.problem import Dataset, Limits, Problem, Shape
from solvers.solution import Solution
from solvers.teaching import GeneratedTable, Recipe, make
from tests.oracle.trees import least_cost


def problem_of(made: GeneratedTable | Recipe, depth: int = 2) -> Problem:
    """A problem to minimize the errors of a tree within a depth."""
    made = make(made) if isinstance(made, Recipe) else made
    return Problem(made.train, Shape(max_depth=depth))


def solved(method: str, problem: Problem) -> Solution:
    """The result of a method of the program."""
    return get(method).run(problem, Limits(seconds=None), lambda event: None, threading.Event())


def optimum(problem: Problem) -> int | None:
    """The minimum cost of a tree, by brute force; `None` if no tree exists."""
    return least_cost(problem)


def errors(diagram, data: Dataset) -> int:
    """The number of errors of a model."""
    return int((diagram.predict(data) != data.y).sum())


def random_dataset(random: np.random.Generator, n: int) -> Dataset:
    """A small table of mixed columns with repeated and contradictory rows."""
    from solvers.problem import Kind
    from tests.strategies import make_dataset

    columns = {
        "a": (Kind.NUMERIC, random.integers(0, 5, n).astype(float)),
        "b": (Kind.BINARY, random.integers(0, 2, n).astype(float)),
        "c": (Kind.CATEGORICAL, random.integers(0, 3, n).astype(float)),
    }
    return make_dataset(columns, random.integers(0, 2 + n % 2, n).tolist(), n_classes=3)
