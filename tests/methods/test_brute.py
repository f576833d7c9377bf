"""Brute force: known optima, the fewest splits, honest limits, and what it says when it is stopped half-way."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from solvers.methods import get
from solvers.problem import Kind, Limits, Problem, Shape
from solvers.solution import Incumbent, Status
from tests.methods.running import solve
from tests.strategies import make_dataset

BRUTE = get("brute")


def parity(n_bits: int) -> Problem:
    """The parity of all bit patterns, at the depth that it needs."""
    patterns = np.arange(2**n_bits)
    bits = (patterns[:, None] >> np.arange(n_bits)) & 1
    columns = {f"b{j}": (Kind.BINARY, bits[:, j]) for j in range(n_bits)}
    return Problem(make_dataset(columns, bits.sum(1) % 2), Shape(depth=n_bits))


@pytest.mark.parametrize("n_bits", [1, 2, 3, 4])
def test_parity_needs_every_bit(n_bits: int) -> None:
    """Parity of n bits is solved by the full tree of depth n, and no better than by chance with one level less."""
    problem = parity(n_bits)
    solution = solve(BRUTE, problem).solution
    assert (solution.cost, solution.diagram.n_leaves) == (0, 2**n_bits)
    shallow = Problem(problem.dataset, Shape(depth=n_bits - 1))
    assert solve(BRUTE, shallow).solution.cost == 2 ** (n_bits - 1)


def test_fewest_splits_of_equal_trees() -> None:
    """Of the trees without an error, one with the fewest splits is given."""
    columns = {"x": (Kind.NUMERIC, [1, 2, 3, 4, 5, 6]), "b": (Kind.BINARY, [0, 1, 0, 0, 1, 0])}
    solution = solve(BRUTE, Problem(make_dataset(columns, [0, 1, 0, 0, 1, 0]), Shape(depth=3))).solution
    assert (solution.cost, solution.diagram.n_splits) == (0, 1)


@pytest.mark.parametrize(
    ("n_rows", "depth", "what"),
    [(65, 2, "65 rows"), (10, 5, "Depth 5"), (64, 4, "126 questions at depth 4")],
)
def test_too_large_is_refused(n_rows: int, depth: int, what: str) -> None:
    """What enumeration cannot finish is refused beforehand, with the way out."""
    rng = np.random.default_rng(0)
    columns = {name: (Kind.NUMERIC, rng.permutation(n_rows)) for name in "ab"}
    problem = Problem(make_dataset(columns, rng.integers(0, 2, n_rows)), Shape(depth=depth))
    (reason,) = BRUTE.check(problem)
    assert reason.what == what
    assert "contree" in reason.remedy


def test_stopped_half_way_keeps_the_incumbent() -> None:
    """Stopped after its second incumbent, it returns that tree, its true cost, and a bound below the optimum."""
    problem = parity(4)
    columns = {"x": (Kind.NUMERIC, np.arange(16) // 2), "y": (Kind.NUMERIC, np.arange(16) % 7)}
    problem = Problem(make_dataset(columns, problem.dataset.y.tolist()), Shape(depth=3))
    optimum = solve(BRUTE, problem).solution.cost
    stop, incumbents = threading.Event(), []

    def emit(event) -> None:
        if isinstance(event, Incumbent):
            incumbents.append(event)
            if len(incumbents) == 2:
                stop.set()

    solution = BRUTE.run(problem, Limits(), emit, stop)
    assert solution.status is Status.CANCELLED
    assert solution.bound <= optimum <= solution.cost == incumbents[-1].cost
    assert solution.message


def test_bound_starts_at_the_unavoidable_errors() -> None:
    """Rows that cannot be told apart bound the cost from below before anything is tried."""
    table = make_dataset({"x": (Kind.NUMERIC, [1, 1, 1, 2])}, [0, 1, 1, 0], weight=[3, 2, 2, 1])
    run = solve(BRUTE, Problem(table, Shape(depth=1)))
    assert run.bounds == [3]
    assert run.solution.cost == 3
