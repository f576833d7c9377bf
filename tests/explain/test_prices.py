"""Prices are differences of two optima, and ranges if one of the optima is unknown."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.constraints import (
    AskedBefore,
    EqualOpportunity,
    FixedTop,
    MaxLeaves,
    MinSamplesLeaf,
    MinSensitivity,
    Questions,
)
from solvers.explain import Inquiry, KnownResult, Prices, relaxables_of, solver, to_problem
from solvers.messages.explanations import describe_price
from solvers.metrics.verify import verified
from solvers.problem import Kind, Limits, Problem, Shape
from solvers.solution import Status
from tests import hospital
from tests.case_count import case_count
from tests.explain.random_constraints import SEEDS, plain, random_problem, world
from tests.explain.worlds import World, never, price
from tests.strategies import make_dataset

A_FIRST = FixedTop(Questions("a", value=0.5))


@settings(derandomize=True, deadline=None, max_examples=case_count(40))
@given(place=st.integers(0, 5), seed=SEEDS, n=st.integers(1, 4))
def test_prices_are_differences_of_optima(place: int, seed: int, n: int) -> None:
    """Each constraint that can be dropped has a price, with and without a given result."""
    here = world(place)
    problem = random_problem(here, seed, n)
    relaxables = relaxables_of(problem)
    best = here.optimum(relaxables)
    for solution in (here.solved(problem), None):
        answer = price(problem, solution, here.solve)
        assert (answer.finished, answer.cost) == (True, best)
        asked = [one for priced in answer.prices for one in priced.relaxables]
        assert sorted(map(str, asked)) == sorted(str(one) for one in relaxables if not one.lasting)
        for priced in answer.prices:
            without = here.optimum([relaxable for relaxable in relaxables if relaxable not in priced.relaxables])
            assert priced.cost == without
            if best is not None:
                assert priced.proved
                assert priced.saved_least == best - without
                assert sum(priced.wrong) == without and sum(answer.wrong) == best


def test_a_slack_constraint_needs_no_further_tree() -> None:
    """If the best tree without constraints violates one only, it is also the best without that one: no second search.

    A constraint that follows from another one needs no search either.
    """
    here = World(plain().problem.dataset)
    problem = Problem(here.problem.dataset, Shape(max_depth=2), constraints=(MaxLeaves(1), MaxLeaves(4)))
    solution, before = here.solved(problem), here.calls
    answer = price(problem, solution, here.solve)
    assert [priced.saved_least for priced in answer.prices] == [solution.cost - here.costs.min(), 0]
    assert [priced.binds for priced in answer.prices] == [True, False]
    assert here.calls == before + 1


def test_an_undecided_price_is_a_range() -> None:
    """If time runs out, or the cost is not proved, the price lies in a range."""
    here = World(plain().problem.dataset)
    problem = Problem(here.problem.dataset, Shape(max_depth=2), constraints=(MaxLeaves(1), MinSamplesLeaf(2)))
    solution, least = here.solved(problem), here.costs.min()
    here.silent = [frozenset({MaxLeaves(1).words()})]
    first, second = price(problem, solution, here.solve).prices
    assert (first.proved, first.saved_least) == (True, solution.cost - least)
    assert (second.cost, second.bound, second.proved) == (solution.cost, least, False)
    assert (second.saved_least, second.saved_most) == (0, solution.cost - least)
    assert solution.cost > least
    loose = replace(solution, status=Status.FEASIBLE, bound=solution.cost - 1)
    priced = price(problem, loose, here.solve).prices[0]
    assert (priced.saved_least, priced.saved_most) == (loose.bound - least, loose.cost - least)


def test_without_a_tree_there_are_no_prices() -> None:
    """If the solver decides nothing, nothing is claimed."""
    here = World(plain().problem.dataset)
    problem = Problem(here.problem.dataset, Shape(max_depth=2), constraints=(A_FIRST, A_FIRST))
    here.silent = [frozenset()]
    answer = price(problem, None, here.solve)
    assert (answer.cost, answer.bound, answer.prices[0].cost) == (None, None, None)
    assert (answer.prices[0].saved_least, answer.prices[0].saved_most, answer.prices[0].proved) == (None, None, False)


def test_prices_are_reported_one_by_one() -> None:
    """Each report has one more price."""
    here = world(2)
    problem = random_problem(here, 5, 4)
    reports = []
    answer = price(problem, None, here.solve, tell=reports.append)
    assert [len(report.prices) for report in reports] == list(range(1, len(answer.prices) + 1))
    assert not any(report.finished for report in reports)


def test_order_constraints_with_the_same_subject_have_one_price() -> None:
    """Several 'a before ...' are one line, whose price is the saving without all of them."""
    a, b, c = values = np.array(list(product((0, 1), repeat=3))).T
    columns = {name: (Kind.BINARY, of_one) for name, of_one in zip("abc", values, strict=True)}
    # only a question about b first makes no error
    here = World(make_dataset(columns, np.where(b, c, a).tolist()))
    constraints = (AskedBefore("a", "b"), AskedBefore("a", "c"), MaxLeaves(4))
    problem = replace(here.problem, constraints=constraints)
    answer = price(problem, None, here.solve)
    assert [len(priced.relaxables) for priced in answer.prices] == [2, 1]
    assert answer.prices[0].words == "a is asked before b and c"
    without = replace(problem, constraints=constraints[2:])
    assert here.optimum(relaxables_of(without)) == 0 < answer.prices[0].saved_least == answer.cost


@pytest.mark.slow
def test_prices_of_a_hospital_table_are_proved_within_a_minute() -> None:
    """3,000 rows, 90% sensitivity, age before laboratory values, equal opportunity between the sexes, depth 3."""
    order = tuple(AskedBefore("age", name) for name in hospital.LABORATORY)
    constraints = (MinSensitivity("0.9"), *order, EqualOpportunity("sex", "0.05"))
    problem = Problem(hospital.clean_dataset(), Shape(max_depth=3), constraints=constraints)
    contree = solver("contree")
    solution = verified(problem, contree(problem, Limits(seconds=60), lambda event: None, never))
    reports: list[Prices] = []
    answer = price(problem, solution, contree, Limits(seconds=60), tell=reports.append, step=60)
    for report in reports:
        print(f"{report.seconds:.1f} s:", [describe_price(priced, problem) for priced in report.prices])
    assert len(answer.prices) == 3
    for priced in answer.prices:
        assert priced.saved_most <= 1.1 * priced.saved_least, priced
        kept = [one for one in relaxables_of(problem) if one not in priced.relaxables]
        alone = contree(to_problem(problem, kept), Limits(seconds=300), lambda event: None, never)
        assert alone.status is Status.OPTIMAL
        assert priced.saved_least <= solution.cost - alone.cost <= priced.saved_most


def test_only_verified_solutions_are_reused() -> None:
    """An unverified solution is ignored."""
    here = World(plain().problem.dataset)
    problem = Problem(here.problem.dataset, Shape(max_depth=2), constraints=(MaxLeaves(2),))
    solution, relaxables = here.solved(problem), relaxables_of(problem)
    for verified_as, calls in ((None, 1), (False, 1), (True, 0)):
        before = here.calls
        known = KnownResult.of(problem, replace(solution, verified=verified_as))
        inquiry = Inquiry(problem, here.solve, known=[known] if known else [])
        assert inquiry.optimum(relaxables).cost == solution.cost
        assert here.calls - before == calls
