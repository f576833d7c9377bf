"""Small worlds, and random constraints for them."""

from __future__ import annotations

from functools import cache

import numpy as np
from hypothesis import strategies as st

from solvers.constraints import KINDS, Constraint
from solvers.problem import Dataset, Kind, Problem, Shape
from tests.constraints.examples import example
from tests.explain.worlds import World
from tests.strategies import make_dataset

SEEDS = st.integers(0, 2**32 - 1)


@cache
def world(seed: int) -> World:
    """A table of ten rows and two columns, with all its trees of depth 2."""
    rng = np.random.default_rng(seed)
    columns = {"a": (Kind.NUMERIC, rng.integers(0, 3, 10)), "b": (Kind.BINARY, rng.integers(0, 2, 10))}
    return World(make_dataset(columns, rng.integers(0, 2, 10).tolist()))


@cache
def plain() -> World:
    """A table in which every split on 'a' and 'b' has rows on both sides."""
    columns = {"a": (Kind.NUMERIC, [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]), "b": (Kind.BINARY, [0, 1, 0, 1, 0, 1, 0, 1, 0, 1])}
    return World(make_dataset(columns, [0, 0, 1, 1, 1, 0, 0, 0, 1, 0]))


def some_constraints(dataset: Dataset, rng: np.random.Generator, n: int) -> tuple[Constraint, ...]:
    """Distinct random constraints of any kind that fits the table."""
    # trees of a world have thresholds midway between values only, so a grid may leave thresholds that it does not know
    kinds = [kind for name, kind in KINDS.items() if name != "round-thresholds"]
    found: dict[Constraint, None] = {}
    while len(found) < n:
        drawn = example(kinds[rng.integers(len(kinds))], dataset, rng)
        if drawn is not None:
            found[drawn] = None
    return tuple(found)


def random_problem(here: World, seed: int, n: int) -> Problem:
    """A problem of the world with random constraints and random limits of its shape."""
    rng = np.random.default_rng(seed)
    depth, leaves, rows = int(rng.integers(0, 3)), (None, None, 1, 3)[rng.integers(4)], (1, 3)[rng.integers(2)]
    shape = Shape(max_depth=depth, max_leaf_nodes=leaves, min_samples_leaf=rows)
    return Problem(here.problem.dataset, shape, constraints=some_constraints(here.problem.dataset, rng, n))
