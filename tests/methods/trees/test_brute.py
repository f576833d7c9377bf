"""Brute force: known optima, the fewest splits, honest limits, and what it says when it is stopped half-way."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from solvers.diagram import Leaf
from solvers.problem import Kind, Limits, Objective, Problem, Shape
from solvers.solution import EndReason, Incumbent, Status
from solvers.words import result_words
from tests.methods.running import solve
from tests.oracle.brute import BRUTE
from tests.strategies import make_dataset


def parity(n_bits: int) -> Problem:
    """The parity of all bit patterns, at the depth that it needs."""
    patterns = np.arange(2**n_bits)
    bits = (patterns[:, None] >> np.arange(n_bits)) & 1
    columns = {f"b{j}": (Kind.BINARY, bits[:, j]) for j in range(n_bits)}
    return Problem(make_dataset(columns, bits.sum(1) % 2), Shape(max_depth=n_bits))


@pytest.mark.parametrize("n_bits", [1, 2, 3, 4])
def test_parity_needs_every_bit(n_bits: int) -> None:
    """Parity of n bits is solved by the full tree of depth n, and no better than by chance with one level less."""
    problem = parity(n_bits)
    solution = solve(BRUTE, problem).solution
    assert (solution.cost, solution.diagram.n_leaves) == (0, 2**n_bits)
    shallow = Problem(problem.dataset, Shape(max_depth=n_bits - 1))
    assert solve(BRUTE, shallow).solution.cost == 2 ** (n_bits - 1)


def test_fewest_splits_of_equal_trees() -> None:
    """Of the trees without an error, one with the fewest splits is given."""
    columns = {"x": (Kind.NUMERIC, [1, 2, 3, 4, 5, 6]), "b": (Kind.BINARY, [0, 1, 0, 0, 1, 0])}
    solution = solve(BRUTE, Problem(make_dataset(columns, [0, 1, 0, 0, 1, 0]), Shape(max_depth=3))).solution
    assert (solution.cost, solution.diagram.n_splits) == (0, 1)


def test_dear_errors_turn_a_leaf() -> None:
    """One missed patient at 5 is dearer than four false alarms: the minority is predicted, and counted as it is."""
    table = make_dataset({"x": (Kind.NUMERIC, [1, 1, 1, 1, 1])}, [0, 0, 0, 0, 1])
    solution = solve(BRUTE, Problem(table, Shape(max_depth=2), Objective(((0, 1), (5, 0))))).solution
    assert solution.diagram.nodes == (Leaf(1, (4.0, 1.0)),)
    assert solution.cost == solution.bound == 4


@pytest.mark.parametrize(
    ("price", "cost", "n_splits"), [(0.0, 0, 2), (0.75, 1.5, 2), (1.0, 2, 1), (2.5, 3.5, 1), (3.0, 4, 0)]
)
def test_a_split_must_save_more_than_its_price(price: float, cost: float, n_splits: int) -> None:
    """Of two splits the first saves 3 errors and the second 1; where price and saving are equal, fewer splits win."""
    table = make_dataset({"x": (Kind.NUMERIC, [1, 1, 1, 2, 2, 2, 2, 3])}, [0, 0, 0, 1, 1, 1, 1, 0])
    problem = Problem(table, Shape(max_depth=2), Objective(split_cost=price))
    solution = solve(BRUTE, problem).solution
    assert (solution.cost / problem.scale, solution.diagram.n_splits) == (cost, n_splits)


def test_small_leaves_are_not_made() -> None:
    """The one odd row is split off only where a leaf of one row, and of its weight, is allowed."""
    table = make_dataset({"x": (Kind.NUMERIC, [1, 2, 3, 4, 5])}, [0, 0, 0, 0, 1], weight=[1, 1, 1, 2, 5])
    best = {
        least: solve(BRUTE, Problem(table, Shape(max_depth=1, min_samples_leaf=least))).solution for least in (1, 2, 3)
    }
    assert {least: (found.cost, found.diagram.n_splits) for least, found in best.items()} == {
        1: (0, 1),
        2: (2, 1),
        3: (5, 0),
    }
    for least, cost in ((5, 0), (5.5, 5)):
        assert solve(BRUTE, Problem(table, Shape(max_depth=1, min_weight_leaf=least))).solution.cost == cost


@pytest.mark.parametrize(
    ("shape", "why"),
    [
        (Shape(max_depth=2, min_samples_leaf=5), "the table has 4 rows, and every leaf must have at least 5."),
        (Shape(max_depth=2, min_weight_leaf=6.5), "the rows weigh 6 together, and every leaf must weigh at least 6.5."),
    ],
)
def test_a_table_smaller_than_a_leaf_is_infeasible(shape: Shape, why: str) -> None:
    """There is no tree at all, and the message says why and what to do."""
    table = make_dataset({"x": (Kind.NUMERIC, [1, 2, 3, 4])}, [0, 1, 0, 1], weight=[1, 2, 1, 2])
    run = solve(BRUTE, Problem(table, shape))
    assert (run.solution.status, run.solution.diagram, run.incumbents) == (Status.INFEASIBLE, None, [])
    assert (
        result_words(Problem(table, shape), run.solution) == f"No tree is possible: {why} Lower the minimum leaf size."
    )


@pytest.mark.parametrize(
    ("n_rows", "depth", "what"),
    [(65, 2, "65 rows"), (10, 5, "Depth 5"), (64, 4, "126 questions at depth 4")],
)
def test_too_large_is_refused(n_rows: int, depth: int, what: str) -> None:
    """What enumeration cannot finish is refused beforehand, with the way out."""
    rng = np.random.default_rng(0)
    columns = {name: (Kind.NUMERIC, rng.permutation(n_rows)) for name in "ab"}
    problem = Problem(make_dataset(columns, rng.integers(0, 2, n_rows)), Shape(max_depth=depth))
    (reason,) = BRUTE.check(problem)
    assert reason.what == what
    assert "contree" in reason.remedy


def test_stopped_half_way_keeps_the_incumbent() -> None:
    """Stopped after its second incumbent, it returns that tree, its true cost, and a bound below the optimum."""
    problem = parity(4)
    columns = {"x": (Kind.NUMERIC, np.arange(16) // 2), "y": (Kind.NUMERIC, np.arange(16) % 7)}
    problem = Problem(make_dataset(columns, problem.dataset.y.tolist()), Shape(max_depth=3))
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
    assert solution.ended is EndReason.STOPPED


def test_bound_starts_at_the_unavoidable_errors() -> None:
    """Rows that cannot be told apart bound the cost from below before anything is tried."""
    table = make_dataset({"x": (Kind.NUMERIC, [1, 1, 1, 2])}, [0, 1, 1, 0], weight=[3, 2, 2, 1])
    run = solve(BRUTE, Problem(table, Shape(max_depth=1)))
    assert run.bounds == [3]
    assert run.solution.cost == 3
