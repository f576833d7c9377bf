"""Prices are differences of two optima, and ranges if one of the optima is unknown."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.constraints import FixedTop, MaxLeaves, MinSamplesLeaf, Questions
from solvers.explain import Inquiry, KnownResult, price, relaxables_of
from solvers.problem import Problem, Shape
from solvers.solution import Status
from tests.case_count import case_count
from tests.explain.random_constraints import SEEDS, plain, random_problem, world
from tests.explain.worlds import World

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
        assert [priced.relaxable for priced in answer.prices] == [
            relaxable for relaxable in relaxables if not relaxable.lasting
        ]
        for priced in answer.prices:
            without = here.optimum([relaxable for relaxable in relaxables if relaxable.key != priced.relaxable.key])
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
