"""Every pair of method and kind of constraint: posted and satisfied, or refused with reason and remedy."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np
import pytest

from solvers.constraints import KINDS, Constraint, FixedTop, Questions
from solvers.methods import get, names
from solvers.methods.base import TAKES_ALL
from solvers.metrics import verify
from solvers.problem import Dataset, Group, Kind, Limits, Problem, Shape, ShapeKind
from solvers.solution import Status
from tests.case_count import case_count
from tests.constraints.examples import example
from tests.methods.running import solve
from tests.oracle.trees import least_cost
from tests.strategies import make_dataset


@cache
def table() -> Dataset:
    """Ten rows of three columns in two groups."""
    columns = {
        "a": (Kind.NUMERIC, [1, 1, 2, 2, 3, 3, 4, 4, 1, 3]),
        "b": (Kind.BINARY, [0, 1, 0, 1, 0, 1, 0, 1, 1, 0]),
        "c": (Kind.ORDERED, [2, 0, 1, 1, 0, 2, 3, 0, 2, 1]),
    }
    group = Group("ward", ("north", "south"), np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1]))
    return replace(make_dataset(columns, [0, 1, 0, 1, 1, 0, 1, 0, 0, 1]), positive=1, groups=(group,))


@cache
def constraints(kind: str) -> tuple[Constraint, ...]:
    """The first constraints of a kind for the table."""
    made = (example(KINDS[kind], table(), np.random.default_rng(seed)) for seed in range(99))
    found = tuple(islice((constraint for constraint in made if constraint is not None), case_count(1)))
    assert found
    return found


@cache
def exact(kind: str, place: int) -> tuple[Status, int | None]:
    """The status and cost of a proof for trees under a constraint of a kind."""
    problem = Problem(table(), Shape(max_depth=2), constraints=(constraints(kind)[place],))
    least = least_cost(problem)
    return Status.INFEASIBLE if least is None else Status.OPTIMAL, least


@pytest.mark.parametrize("kind", KINDS)
def test_the_method_that_a_refusal_recommends_supports_every_kind(kind: str) -> None:
    """Refusals recommend one method for each shape; it refuses no kind."""
    for shape, name in TAKES_ALL.items():
        for constraint in constraints(kind):
            problem = Problem(table(), Shape(kind=shape, max_depth=2), constraints=(constraint,))
            assert get(name).check(problem) == ()


@pytest.mark.parametrize("method", names())
def test_two_fixed_splits_at_one_node_contradict_each_other(method: str) -> None:
    """Also if they divide the rows equally: no model has both thresholds, and every exact method proves it."""
    tops = tuple(FixedTop(Questions("a", value=value)) for value in (2.25, 2.75))
    problem = Problem(table(), Shape(kind=get(method).kinds[0], max_depth=2), constraints=tops)
    if get(method).exact and not get(method).check(problem):
        assert solve(get(method), problem).solution.status is Status.INFEASIBLE


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", names())
def test_each_pair_is_satisfied_or_refused(method: str, kind: str) -> None:
    """A supported constraint gives a verified model that satisfies it; proofs for trees agree with the oracle."""
    shape = Shape(kind=get(method).kinds[0], max_depth=2)
    for place, constraint in enumerate(constraints(kind)):
        problem = Problem(table(), shape, constraints=(constraint,))
        reasons = get(method).check(problem)
        if reasons:
            assert get(method).check(replace(problem, constraints=())) == ()
            assert all(r.what and r.reason.endswith(".") and r.remedy.endswith(".") for r in reasons)
            continue
        # under a path limit the search for diagrams has no proof, and takes long
        limits = None if shape.kind is ShapeKind.TREE else Limits(seconds=2.0)
        solution = solve(get(method), problem, limits).solution
        assert verify(problem, solution).ok, verify(problem, solution).failures
        if shape.kind is ShapeKind.TREE and solution.status in (Status.OPTIMAL, Status.INFEASIBLE):
            assert (solution.status, solution.cost) == exact(kind, place), str(constraint)
