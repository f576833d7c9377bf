"""Constraints in the verifier, in JSON files, and in the exact search."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import numpy as np
import pytest

from solvers.constraints import (
    KINDS,
    AskedBefore,
    MaxLeaves,
    MinPurity,
    MinSensitivity,
    OnlyColumns,
)
from solvers.constraints.base import Constraint
from solvers.methods import Method, get
from solvers.metrics import verify
from solvers.problem import Dataset, Kind, Limits, Problem, Shape
from solvers.run import wire
from solvers.solution import Solution, Status
from tests.constraints.examples import example
from tests.constraints.trees import with_groups
from tests.strategies import make_dataset


def table() -> Dataset:
    """Eight rows that a and b separate; c equals a."""
    columns = {
        "a": (Kind.NUMERIC, [1, 2, 3, 4, 1, 2, 3, 4]),
        "b": (Kind.BINARY, [0, 0, 0, 0, 1, 1, 1, 1]),
        "c": (Kind.ORDERED, [0, 1, 2, 3, 0, 1, 2, 3]),
    }
    return replace(make_dataset(columns, [0, 0, 1, 1, 1, 1, 0, 0]), positive=1)


def solved(problem: Problem, method: Method | None = None) -> Solution:
    """The solution of a method, by default of the exact search."""
    method = method or get("contree")
    assert method.check(problem) == ()
    return method.run(problem, Limits(), lambda event: None, threading.Event())


def asking(*constraints: Constraint, depth: int = 2) -> Problem:
    """A problem on the table."""
    return Problem(table(), Shape(max_depth=depth), constraints=constraints)


def test_a_violated_constraint_fails_verification() -> None:
    """A tree that was found without the constraint does not pass with it, and the check gives the reason."""
    free, bound = asking(), asking(AskedBefore("a", "b"), OnlyColumns(["a", "c"]))
    solution = replace(solved(free), problem_id=bound.id)
    failures = [check for check in verify(bound, solution).checks if not check.ok]
    assert [check.name for check in failures] == ["constraint OnlyColumns"]
    assert "'only a and c are asked' is violated: node" in failures[0].detail
    held = next(check for check in verify(bound, solution).checks if check.name == "constraint AskedBefore")
    assert held.ok == ("holds" in held.detail)


@pytest.mark.parametrize(
    ("constraints", "fits"),
    [
        ((MinSensitivity("0.9"),), False),
        ((MinSensitivity("0.9"), MinPurity("0.9"), OnlyColumns(["b"])), True),
        ((MaxLeaves(1), MinPurity("0.6")), True),
    ],
)
def test_infeasible_is_false_if_a_single_leaf_is_allowed(constraints: tuple, fits: bool) -> None:
    """A leaf that satisfies the constraints refutes the claim that nothing does."""
    problem = asking(*constraints)
    claim = Solution(problem.id, "test", Status.INFEASIBLE, None, None, None, 0.0, 0.0)
    assert verify(problem, claim).ok == fits
    stopped = replace(claim, status=Status.CANCELLED, bound=5)
    assert verify(problem, stopped).ok == fits, "a bound above what a leaf costs"


def test_problems_with_constraints_are_written_and_read() -> None:
    """A problem with constraints of every kind is the same after a round trip."""
    rng = np.random.default_rng(1)
    dataset = with_groups(table(), rng)
    made = tuple(c for kind in KINDS.values() if (c := example(kind, dataset, rng)) is not None)
    assert len(made) == len(KINDS)
    problem = Problem(dataset, Shape(max_depth=3), constraints=made)
    written = json.loads(wire.dumps(wire.problem_to_json(problem)))
    again = wire.problem_from_json(written, wire.arrays_to_bytes(dataset))
    assert again.constraints == made
    assert again.id == problem.id
