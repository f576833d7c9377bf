"""The exact engine gives the same explanations as the list of all trees."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from solvers.explain import conflict, find, price, relaxables_of, solver, trade_off
from solvers.methods import get
from solvers.problem import Limits, Problem
from tests.explain.random_constraints import random_problem, world
from tests.explain.worlds import World

PATIENT = Limits(seconds=None)
"""Time does not matter here: the kernels may have to be compiled."""


def taken(n: int) -> Iterator[tuple[World, Problem]]:
    """The first problems of random constraints that the engine takes."""
    engine, seed = get("contree"), 0
    while n:
        here = world(seed % 6)
        problem = random_problem(here, seed, 1 + seed % 3)
        if not engine.check(problem):
            n -= 1
            yield here, problem
        seed += 1


@pytest.mark.parametrize(("here", "problem"), list(taken(15)))
def test_the_engine_explains_the_same(here: World, problem: Problem) -> None:
    """Conflicts are as small, repairs and prices cost the same, and curves have the same optima."""
    engine = solver("contree")
    ours, theirs = conflict(problem, engine, PATIENT, step=300), conflict(problem, here.solve)
    assert (ours.status, ours.extent, len(ours.parts)) == (theirs.status, theirs.extent, len(theirs.parts))
    if [part.relaxable for part in ours.parts] == [part.relaxable for part in theirs.parts]:
        assert ours.parts == theirs.parts
    for repair in ours.repairs:
        assert repair.proved
        if repair.apply(problem).size.max_depth <= here.depth:
            assert here.optimum(relaxables_of(repair.apply(problem))) == repair.cost
    costs = [
        (item.cost, item.saved_least, item.saved_most)
        for item in price(problem, None, engine, PATIENT, step=300).prices
    ]
    assert costs == [(item.cost, item.saved_least, item.saved_most) for item in price(problem, None, here.solve).prices]
    for i, constraint in enumerate(problem.constraints):
        if constraint.limit is not None:
            ours, theirs = (
                trade_off(problem, find(problem, i), solve, PATIENT, step=300) for solve in (engine, here.solve)
            )
            assert (ours.complete, ours.impossible is None) == (True, theirs.impossible is None)
            assert all(point.proved for point in ours.points)
            assert [point.cost for point in ours.points[:1]] == [point.cost for point in theirs.points[:1]]
            assert [point.cost for point in ours.points[-1:]] == [point.cost for point in theirs.points[-1:]]
