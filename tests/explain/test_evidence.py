"""Known results are used, under any constraints, and never prove too much."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec import structs

from solvers.constraints import MaxErrors, MaxLeaves, MinSensitivity
from solvers.constraints.values import Number
from solvers.explain import Inquiry, KnownResult, find, relaxables_of, same_question, solver
from solvers.explain.evidence import follows
from solvers.methods import get
from solvers.metrics.verify import verified
from solvers.problem import Kind, Limits, Problem, Shape
from solvers.solution import Emit, Event, Incumbent, Scope, Solution, Status, Stop
from tests.case_count import case_count
from tests.explain.random_constraints import SEEDS, plain, random_problem, some_constraints, world
from tests.explain.worlds import World, conflict, never, price, trade_off
from tests.strategies import make_dataset


def some_evidence(here: World, seed: int, n: int) -> list[KnownResult]:
    """Results of runs on random problems of the world; some have only the tree or only the bound."""
    found = []
    for i in range(n):
        problem = random_problem(here, seed + i, i % 3)
        known = KnownResult.of(problem, here.solved(problem))
        if known is not None:
            found.append((known, replace(known, bound=None), replace(known, diagram=None))[i % 3])
    return found


def silenced(here: World) -> World:
    """The same world with a solver that decides nothing."""
    quiet = World.__new__(World)
    quiet.__dict__.update(here.__dict__)
    quiet.silent, quiet.decides = [frozenset()], None
    return quiet


@settings(derandomize=True, deadline=None, max_examples=case_count(30))
@given(place=st.integers(0, 5), seed=SEEDS)
def test_all_trees_satisfy_implied_constraints(place: int, seed: int) -> None:
    """For every kind, a tree that satisfies the stricter constraint satisfies the weaker one that follows from it."""
    here, rng = world(place), np.random.default_rng(seed)
    (strict,) = some_constraints(here.problem.dataset, rng, 1)
    problem = replace(here.problem, constraints=(strict,))
    for loose in [strict, *list(strict.weaker(problem) if strict.limited_by else ())[:6]]:
        assert follows(loose, strict)
        assert not (here.satisfies(strict) & ~here.satisfies(loose)).any()
        assert loose == strict or not follows(strict, loose)


@settings(derandomize=True, deadline=None, max_examples=case_count(15))
@given(place=st.integers(0, 5), seed=SEEDS, n=st.integers(0, 3))
def test_known_results_never_contradict_brute_force(place: int, seed: int, n: int) -> None:
    """Without a solver each optimum lies within the reported range; with one it equals brute force."""
    here = world(place)
    known, problem = some_evidence(here, seed, 9), random_problem(here, seed + 100, n)
    relaxables = relaxables_of(problem)
    least = here.optimum(relaxables)
    answer = Inquiry(problem, silenced(here).solve, known=known).optimum(relaxables)
    assert answer.status is not Status.INFEASIBLE or least is None
    assert answer.cost is None or (least is not None and answer.cost >= least)
    assert answer.bound is None or least is None or answer.bound <= least
    seeds = [one.diagram for one in known if one.diagram is not None]
    kept = [problem.cost(d.predict(problem.dataset)) for d in seeds if all(r.holds(d, problem) for r in relaxables)]
    assert not kept or answer.cost <= min(kept)
    assert Inquiry(problem, here.solve, known=known).optimum(relaxables).cost == least


@settings(derandomize=True, deadline=None, max_examples=case_count(8))
@given(place=st.integers(0, 5), seed=SEEDS, share=st.integers(1, 9))
def test_a_curve_is_no_worse_than_a_proved_tree(place: int, seed: int, share: int) -> None:
    """With a solver that decides nothing, the curve has the run's tree as proved at its limit, and no false claim."""
    here = world(place)
    problem = replace(here.problem, constraints=(MinSensitivity(share / 10, None, "class 1"),))
    run = here.solved(problem)
    assume(run.diagram is not None)
    known = [*some_evidence(here, seed, 6), KnownResult.of(problem, run)]
    relaxable = find(problem, 0)
    curve = trade_off(problem, relaxable, silenced(here).solve, known=known)
    values = [relaxable.constraint.value(tree, problem.dataset) for tree in here.trees]

    def optimum(limit: Number) -> int:
        return min(cost for cost, value in zip(here.costs, values, strict=True) if value >= limit)

    at_own = next(point for point in curve.points if point.limit >= Fraction(share, 10))
    assert (at_own.cost, at_own.proved) == (run.cost, True)
    before = None
    for point in curve.points:
        assert (point.bound or 0) <= optimum(point.limit) <= point.cost
        for limit in (value for value in {*values} if value <= point.limit):
            if point.since is None or limit > point.since:
                assert (point.bound or 0) <= optimum(limit)
            if before is not None and limit > before:
                assert optimum(limit) <= point.cost
        before = point.limit


def test_a_second_call_reuses_the_first() -> None:
    """Results and proofs are not computed again: later prices, curves and conflicts need no call of the solver."""
    here = World(plain().problem.dataset)
    problem = Problem(
        here.problem.dataset, Shape(max_depth=2), constraints=(MinSensitivity("0.9", None, "class 1"), MaxLeaves(2))
    )
    impossible = replace(problem, constraints=(*problem.constraints, MaxErrors(1)))
    for explain, calls in (
        (lambda known: price(problem, None, here.solve, known=known), 0),
        (lambda known: trade_off(problem, find(problem, 1), here.solve, known=known), 0),
        # a world knows nothing of deeper trees and other costs, so these are requested again
        (lambda known: conflict(impossible, here.solve, known=known), 2),
    ):
        first = explain(())
        before = here.calls
        second = explain(first.evidence)
        assert here.calls == before + calls and first.evidence
        assert first.decided == second.decided == (not calls)
        assert structs.replace(first, evidence=(), seconds=0.0) == structs.replace(second, evidence=(), seconds=0.0)


@settings(derandomize=True, deadline=None, max_examples=case_count(60))
@given(place=st.integers(0, 5), seed=SEEDS, n=st.integers(0, 3))
def test_a_resumed_search_proves_the_optimum(place: int, seed: int, n: int) -> None:
    """From any feasible tree and any valid bound, or from nothing, under rules of every kind."""
    here, rng, method = world(place), np.random.default_rng(seed), get("contree")
    problem = random_problem(here, seed, n)
    allowed = here.allowed(relaxables_of(problem))
    assume(len(allowed) and not method.check(problem))
    tree, least = here.trees[rng.choice(allowed)], int(here.costs[allowed].min())
    bound = (None, int(rng.integers(least + 1)))[rng.integers(2)]
    found = verified(problem, method.resume(problem, Limits(), lambda event: None, never, tree, bound))
    assert (found.status, found.cost, found.verified) == (Status.OPTIMAL, least, True)


class Watched:
    """ConTree as a solver that stops at the first tree of its own if `hasty`; `begun` has the starts and results."""

    def __init__(self, hasty: bool = True) -> None:
        self.solver, self.hasty, self.begun = solver("contree"), hasty, []

    def __call__(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        assert not self.hasty and not self.begun, "a single leaf is known of every problem"
        return self.solver(problem, limits, emit, stop)

    def resume(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop, *known: object) -> Solution:
        events: list[Event] = []
        found = self.solver.resume(problem, limits, events.append, stop, *known)
        trees = [event for event in events if isinstance(event, Incumbent) and event.diagram.n_splits]
        if self.hasty and trees and trees[0].cost > found.cost:
            first = trees[0]
            found = replace(found, status=Status.CANCELLED, diagram=first.diagram, cost=first.cost, bound=known[1])
        self.begun.append((problem, *known, found))
        return found


def test_more_time_resumes_a_stopped_search() -> None:
    """The next search starts from the known tree and bound of an undecided point; the curve is the same."""
    rng = np.random.default_rng(4)
    columns = {name: (Kind.NUMERIC, rng.integers(0, 8, 50)) for name in "abc"}
    table = make_dataset(columns, (rng.random(50) < 0.3).astype(int).tolist())
    problem = Problem(table, Shape(max_depth=2), constraints=(MinSensitivity("0.9", None, "class 1"),))
    watched, relaxable = Watched(), find(problem, 0)
    first = trade_off(problem, relaxable, watched)
    stopped = [(posed.id, found) for posed, *_, found in watched.begun]
    assert any(found.status is not Status.OPTIMAL for _, found in stopped) and not first.decided
    watched.hasty, watched.begun, fresh = False, [], Watched(hasty=False)
    second = trade_off(problem, relaxable, watched, known=first.evidence)
    whole = trade_off(problem, relaxable, fresh)
    assert second.decided and 1 < len(watched.begun) < len(fresh.begun), "open points are gone on with"
    proved = {key for key, found in stopped if found.status is Status.OPTIMAL}
    assert not proved & {posed.id for posed, *_ in watched.begun}, "what was proved is not asked for again"
    for posed, diagram, bound, found in watched.begun:
        cost = posed.cost(diagram.predict(posed.dataset), diagram.n_splits)
        before = [known for key, known in stopped if key == posed.id and known.diagram is not None]
        assert all(cost <= known.cost and (known.bound or 0) <= (bound or 0) for known in before)
        assert diagram.n_splits and found.trace[0].cost == cost and found.cost <= cost
    assert second.points == whole.points


def test_a_bound_for_some_models_does_not_apply_to_others() -> None:
    """A bound among trees with thresholds at quantiles does not apply to all trees; the tree itself counts."""
    here = World(plain().problem.dataset)
    found = replace(here.solved(here.problem), scope=Scope.QUANTILES)
    known = KnownResult.of(here.problem, found)
    assert (known.bound, known.diagram) == (None, found.diagram)
    assert KnownResult.of(here.problem, replace(found, diagram=None, cost=None, status=Status.INFEASIBLE)) is None


def test_results_for_other_rows_or_costs_do_not_count() -> None:
    """A result counts for another problem only if rows and objective are the same."""
    problem = plain().problem
    assert same_question(problem, replace(problem, shape=Shape(max_depth=1), constraints=(MaxLeaves(2),)))
    assert not same_question(problem, replace(problem, dataset=problem.dataset.take(np.arange(9))))
    assert not same_question(problem, replace(problem, objective=replace(problem.objective, split_penalty=1.0)))
