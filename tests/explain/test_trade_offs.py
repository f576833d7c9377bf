"""Trade-off curves are step functions of optima, from no limit to the strictest feasible one."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.constraints import (
    KINDS,
    Constraint,
    FixedTop,
    MaxErrors,
    MaxLeaves,
    MinAccuracy,
    MinSamplesLeaf,
    MinSamplesSplit,
    MinSensitivity,
    MinWeightLeaf,
    Questions,
)
from solvers.constraints.values import Number
from solvers.errors import ConstraintError
from solvers.explain import RelaxableConstraint, TradeOff, find, relaxables_of, solver
from solvers.explain.trade_offs import writable
from solvers.magnitude import LARGEST_TOTAL
from solvers.problem import Kind, Objective, Problem, Shape
from tests.case_count import case_count
from tests.constraints.examples import example
from tests.explain.random_constraints import SEEDS, plain, random_problem, world
from tests.explain.worlds import World, pressed, trade_off
from tests.oracle.trees import least_cost
from tests.strategies import make_dataset


def others_of(problem: Problem, relaxable: RelaxableConstraint) -> list[RelaxableConstraint]:
    """All constraints except one."""
    return [other for other in relaxables_of(problem) if other.key != relaxable.key]


def values_of(here: World, problem: Problem, relaxable: RelaxableConstraint) -> dict[int, Number]:
    """The value of each tree that satisfies all other constraints."""
    constraint, allowed = relaxable.constraint, here.allowed(others_of(problem, relaxable))
    # a tree without a value satisfies every limit, such as a ratio of rates if no row gets the prediction
    strict = constraint.strictest(problem)
    strict = strict if strict is not None else 0 if constraint.rising_eases else 1
    values = {int(i): constraint.value(here.trees[i], problem.dataset) for i in allowed}
    return {i: strict if value is None else value for i, value in values.items()}


def check(here: World, problem: Problem, relaxable: RelaxableConstraint, curve: TradeOff) -> None:
    """Compare a curve with all trees of its world."""
    others, constraint = others_of(problem, relaxable), relaxable.constraint
    inwards = -1 if constraint.rising_eases else 1
    reached = values_of(here, problem, relaxable)
    for point in curve.points:
        assert point.proved
        kept = [here.costs[i] for i, value in reached.items() if (value - point.limit) * inwards >= 0]
        assert point.cost == min(kept), f"the best tree with {constraint.kind} {point.limit}"
        # the limit of the point is accepted, feasible, and has the cost of the curve
        again = relaxable.replaced(constraint.with_limit(point.limit), problem)
        assert here.optimum([*others, again]) == point.cost
    limits = [point.limit for point in curve.points]
    assert limits == sorted(set(limits), key=lambda limit: limit * inwards)
    assert curve.points[0].cost == min(here.costs[i] for i in reached)
    assert [point.cost for point in curve.points] == sorted(point.cost for point in curve.points)
    if curve.impossible is not None:
        assert all((value - curve.impossible) * inwards < 0 for value in reached.values())
    if curve.complete:
        strictest = max(value * inwards for value in reached.values())
        assert limits[-1] * inwards == pytest.approx(float(strictest), abs=1e-5)


def limited_problem(here: World, seed: int, n: int) -> tuple[Problem, RelaxableConstraint]:
    """A problem with `n` random constraints and one with a limit, which is also returned."""
    problem = random_problem(here, seed, n)
    rng = np.random.default_rng(seed)
    limited = [kind for kind in KINDS.values() if kind.limited_by and not kind.kind.startswith("max-depth")]
    constraint = None
    while constraint is None:
        constraint = example(limited[rng.integers(len(limited))], problem.dataset, rng)
    problem = Problem(problem.dataset, problem.shape, constraints=(*problem.constraints, constraint))
    return problem, find(problem, len(problem.constraints) - 1)


@settings(derandomize=True, deadline=None, max_examples=case_count(30))
@given(place=st.integers(0, 5), seed=SEEDS, n=st.integers(0, 2))
def test_every_point_is_an_optimum(place: int, seed: int, n: int) -> None:
    """The first point is the optimum without the constraint, the last the strictest limit; each cost is optimal."""
    here = world(place)
    problem, relaxable = limited_problem(here, seed, n)
    curve = trade_off(problem, relaxable, here.solve)
    assert curve.finished
    if not len(here.allowed(others_of(problem, relaxable))):
        assert (curve.points, curve.complete) == ((), True)
        assert "other constraints cannot hold together" in curve.notes[0]
        return
    assert curve.points
    check(here, problem, relaxable, curve)


@settings(derandomize=True, deadline=None, max_examples=case_count(30))
@given(place=st.integers(0, 5), seed=SEEDS, n=st.integers(0, 2), price=st.sampled_from([0.001, 0.03, 0.4, 1, 2.5, 60]))
def test_a_price_makes_a_limit_a_term_of_the_objective(place: int, seed: int, n: int, price: float) -> None:
    """No tree has a lower cost plus price times value, whatever the price; and this is proved."""
    here = world(place)
    problem, relaxable = limited_problem(here, seed, n)
    curve = trade_off(problem, relaxable, here.solve, price=price)
    reached = values_of(here, problem, relaxable)
    found = curve.compromise
    if not reached:
        assert found is None
        return
    sign = 1 if relaxable.constraint.rising_eases else -1
    rate = Fraction(str(price)) * sign * problem.scale * (100 if curve.is_share else 1)
    missing = -rate if rate < 0 and curve.is_share else 0
    least = min(here.costs[i] + rate * Fraction(value) for i, value in reached.items()) + missing
    assert found is not None and curve.decided and found.proved
    assert found.bound is not None and found.bound - found.rounding <= least <= found.total <= least + found.rounding
    assert found.point.proved


def test_a_limit_of_the_shape_has_a_curve() -> None:
    """Leaves and depth have curves as constraints do; the depth is only reduced from its current value."""
    here = plain()
    problem = Problem(here.problem.dataset, Shape(max_depth=2, max_leaf_nodes=2))
    curve = trade_off(problem, find(problem, "max_leaf_nodes"), here.solve)
    assert [point.limit for point in curve.points][-1] == 1
    check(here, problem, find(problem, "max_leaf_nodes"), curve)
    curve = trade_off(problem, find(problem, "max_depth"), here.solve)
    assert [point.limit for point in curve.points] == [1, 0]
    assert (curve.complete, curve.asked) == (True, 2)


def test_missed_cases_are_traded_off_with_errors() -> None:
    """Each further case that must be found has its cost, until no tree finds more."""
    here = world(1)
    problem = Problem(here.problem.dataset, Shape(max_depth=1), constraints=(MinSensitivity("0.9", None, "class 1"),))
    reports: list[TradeOff] = []
    curve = trade_off(problem, find(problem, 0), here.solve, tell=reports.append)
    check(here, problem, find(problem, 0), curve)
    assert [len(report.points) for report in reports if not report.finished] == sorted(
        len(report.points) for report in reports if not report.finished
    )
    assert reports[-1] == curve
    assert len(curve.points) > 1
    assert "sensitivity for" in curve.points[0].words


@pytest.mark.parametrize("weight", [None, [3, 4, 2, 2, 5, 3, 3, 2]])
@pytest.mark.parametrize("confidence", [None, Fraction(99, 100)])
def test_a_proof_for_one_limit_is_not_claimed_for_a_looser_one(
    weight: list[float] | None, confidence: Fraction | None
) -> None:
    """Values may be closer together than a change of one row: with confidence, and with unequal weights."""
    x = make_dataset({"x": (Kind.NUMERIC, range(8))}, [0, 1, 0, 0, 1, 1, 0, 1], weight=weight)
    constraint = MinSensitivity("0.01", positive="class 1", confidence=confidence)
    problem = Problem(x, Shape(max_depth=2), Objective(split_penalty=1.5), constraints=(constraint,))
    curve = trade_off(problem, find(problem, 0), solver("contree"))
    assert curve.complete
    for step in range(1, 200, 3):
        limit = Fraction(step, 200)
        bounds = [
            point.bound
            for point in curve.points
            if point.bound is not None and point.since is not None and Fraction(point.since) < limit
        ]
        here = replace(problem, constraints=(constraint.with_limit(limit),))
        least = least_cost(here)
        assert least is None or max(bounds, default=0) <= least, limit


HEAVY = make_dataset(
    {"a": (Kind.NUMERIC, [0, 0, 1])}, [0, 1, 1], weight=[1_073_000_001, 1_073_000_003, LARGEST_TOTAL - 2_146_000_004]
)
"""Rows whose weights have no common factor and the largest total allowed; two rows have equal features."""


@pytest.mark.parametrize("constraint", [MaxErrors(0), MinAccuracy(1), MinWeightLeaf(0)])
def test_limits_may_be_as_large_as_any_sum_of_weights(constraint: Constraint) -> None:
    """The limits of the curve are shares and sums of all weights, and it ends if no limit is stricter."""
    here = World(HEAVY)
    problem = Problem(HEAVY, Shape(max_depth=2), constraints=(constraint,))
    curve = trade_off(problem, find(problem, 0), here.solve)
    check(here, problem, find(problem, 0), curve)
    assert curve.complete


@pytest.mark.parametrize("constraint", [MinSamplesLeaf(30), MinSamplesSplit(30)])
def test_limits_on_rows_are_whole_numbers_on_sparse_curves(constraint: Constraint) -> None:
    """A curve takes larger steps far from its start, and a limit on rows is a whole number at each step."""
    rng = np.random.default_rng(5)
    here = World(make_dataset({"a": (Kind.NUMERIC, rng.integers(0, 6, 150))}, rng.integers(0, 2, 150)))
    problem = Problem(here.problem.dataset, Shape(max_depth=2), constraints=(constraint,))
    curve = trade_off(problem, find(problem, 0), here.solve)
    check(here, problem, find(problem, 0), curve)
    assert curve.complete and len(curve.points) > 2


def test_a_constraint_without_a_limit_has_no_curve() -> None:
    """A constraint that has no limit that could be traded off cannot be traded off, and the message names it."""
    problem = Problem(plain().problem.dataset, constraints=(FixedTop(Questions("a", value=0.5)),))
    with pytest.raises(ConstraintError, match="has no limit that could be traded off"):
        trade_off(problem, find(problem, 0), plain().solve)
    with pytest.raises(ConstraintError, match="no constraint 8"):
        find(problem, 7)


def test_an_undecided_limit_ends_the_curve() -> None:
    """A limit that is not decided in time ends the curve with a note; the earlier points are kept."""
    here = World(plain().problem.dataset)
    top = FixedTop(Questions("a", value=0.5))
    problem = Problem(here.problem.dataset, Shape(max_depth=2), constraints=(MaxLeaves(4), top))
    curve = trade_off(problem, find(problem, 0), here.solve)
    here.silent = [frozenset({MaxLeaves(1).words()})]
    cut = trade_off(problem, find(problem, 0), here.solve)
    assert cut.points == curve.points
    assert (curve.complete, curve.impossible, curve.notes) == (True, 1, ())
    assert (cut.complete, cut.impossible, cut.finished) == (False, None, True)
    assert "at most 1 leaf" in cut.notes[0]


def test_unproved_trees_skip_no_limit() -> None:
    """If the best tree for a limit is unknown, the curve continues at the next limit, and claims nothing false."""
    here = World(plain().problem.dataset)
    problem = Problem(here.problem.dataset, Shape(max_depth=2), constraints=(MaxLeaves(4),))
    curve = trade_off(problem, find(problem, 0), here.solve)
    here.silent = [frozenset({MaxLeaves(leaves).words()}) for leaves in (1, 2, 3)]
    loose = trade_off(problem, find(problem, 0), here.solve)
    assert [point.limit for point in loose.points][-1] == 1
    assert not loose.points[-1].proved
    assert all(point.cost >= point.bound for point in loose.points)
    assert min(point.cost for point in loose.points) == curve.points[0].cost


def test_a_stopped_curve_says_so() -> None:
    """It claims nothing further."""
    here = World(plain().problem.dataset)
    problem = Problem(here.problem.dataset, Shape(max_depth=2), constraints=(MaxErrors(3),))
    curve = trade_off(problem, find(problem, 0), here.solve, stop=pressed)
    assert (curve.complete, curve.finished, here.calls) == (False, True, 0)
    assert not any(point.proved for point in curve.points)
    assert "stopped" in curve.notes[0]


@pytest.mark.parametrize(
    ("limit", "towards", "written"),
    [
        (3, -1, 3),
        (Fraction(85, 92), -1, Fraction(85, 92)),
        (Fraction(1, 3_000_001), -1, 0),
        (Fraction(1, 3_000_001), 1, Fraction(1, 10**6)),
    ],
)
def test_limits_have_few_digits(limit: object, towards: int, written: object) -> None:
    """A limit with too many digits is rounded in the requested direction; all others are unchanged."""
    assert writable(limit, towards) == written
