"""Conflicts, prices and trade-offs as text and figures: only proved results are reported as proved."""

from __future__ import annotations

import pytest

from components.model.constraints_panel import describe_achieved, describe_violated, on_test
from components.model.trade_off_figures import Stretch, stretches_of, trade_off
from components.solve.conflict_panel import repairs_in_order
from solvers.constraints import MaxLeaves, MinSamplesLeaf, MinSensitivity, MinSpecificity, Severity, Who
from solvers.explain import (
    Change,
    Conflict,
    CoreMinimality,
    Part,
    Point,
    Price,
    Prices,
    Repair,
    TradeOff,
    find,
    relaxables_of,
)
from solvers.messages.explanations import describe_nearest, describe_price, describe_split, headline, repair_cost
from solvers.metrics import achieved
from solvers.problem import Limits, Problem, Shape, sample_dataset
from solvers.run import solve
from solvers.solution import Status


@pytest.fixture(scope="module")
def problem() -> Problem:
    """Three constraints on the triage sample."""
    constraints = (MinSensitivity("0.9"), MinSpecificity("0.95"), MaxLeaves(4))
    return Problem(sample_dataset("triage"), Shape(max_depth=2), constraints=constraints)


def conflict(problem: Problem, **more) -> Conflict:
    """The first two constraints in conflict, with a weaker form of the first."""
    first, second = find(problem, 0), find(problem, 1)
    weaker = first.replaced(MinSensitivity("0.8"), problem)
    repairs = (
        Repair((Change(first),), 30, 30, True),
        Repair((Change(first, weaker),), 40, 35, True),
        Repair((Change(first, weaker), Change(second)), 20, 20, True),
    )
    parts = (Part(first, weaker, True), Part(second, None, False))
    return Conflict(Status.INFEASIBLE, parts, CoreMinimality.SMALLEST, repairs=repairs, **more)


def priced(problem: Problem, *figures: int, **more) -> Price:
    """A price of the first constraint."""
    first = relaxables_of(problem)[0]
    return Price((first,), first.words, *figures, **more)


def test_a_conflict_names_its_constraints_once_with_weaker_forms(problem):
    """The headline counts them, the lines below name them; undecided results are not claimed."""
    found = conflict(problem)
    assert headline(found).startswith("These 2 constraints cannot hold together.")
    assert "critical" not in headline(found)
    first, second = (describe_nearest(part, found.finished) for part in found.parts)
    assert first == f"nearest possible: sensitivity for {problem.dataset.outcome} = yes is at least 80.0% (101 of 126)"
    assert second == "" or "searching" in second


def test_repairs_are_sorted_by_size_and_keep_their_position(problem):
    """A weaker constraint comes before a dropped one, one change before two; positions identify them on screen."""
    found = repairs_in_order(conflict(problem))
    assert [position for position, _ in found] == [1, 0, 2]
    assert [repair for _, repair in found] == [conflict(problem).repairs[i] for i in (1, 0, 2)]
    assert repair_cost(found[1][1], problem) == "best tree: 30 errors (proved)"
    assert repair_cost(found[0][1], problem) == "best so far: 40 errors, lower bound 35"


@pytest.mark.parametrize(
    ("saved", "words"),
    [
        ((0, 0), "nothing"),
        ((1, 1), "1 error"),
        ((7, 7), "7 errors"),
        ((3, 5), "3\u20135 errors"),
        ((2, 50), "at least 2 errors"),
        ((0, 2), "at most 2 errors"),
        ((0, 50), "not known yet"),
    ],
)
def test_a_price_is_the_saving(problem, saved, words):
    """A proved price is a number, an unproved one a range if that says something."""
    assert describe_price(priced(problem, 40, 40, *saved), problem) == words
    assert describe_price(priced(problem), problem) == describe_price(None, problem) == "not known yet"


def test_a_price_lists_its_errors(problem):
    """For two classes it lists missed cases and false alarms, for more the errors of each class."""
    data = problem.dataset
    assert data.classes[data.positive] == "yes" and data.n_classes == 2
    whole = [7.0, 7.0]
    without = [10.0, 10.0]
    whole[data.positive], without[data.positive] = 9.0, 1.0
    prices, price = Prices(wrong=tuple(whole)), priced(problem, wrong=tuple(without))
    assert describe_split(price, prices, problem) == "8 fewer missed cases, 3 more false alarms"
    assert describe_split(priced(problem), prices, problem) == describe_split(None, prices, problem) == ""
    iris = Problem(sample_dataset("iris"))
    prices, price = Prices(wrong=(0.0, 2.5, 3.0)), priced(iris, wrong=(0.0, 1.5, 3.0))
    assert describe_split(price, prices, iris) == f"1 fewer error on {iris.dataset.classes[1]}"


def test_the_curve_of_a_share_is_in_percent_and_extends_to_looser_limits(problem):
    """For 'at least 80%' the better trees have higher shares; impossible limits are shaded."""
    points = (Point(0.6, "a", 33, 33), Point(0.9, "b", 48, 40, 0.7))
    found = TradeOff(find(problem, 0), "Minimum sensitivity", 0.9, True, points, impossible=0.95)
    # up to the limit at which the bound of 40 begins, the bound of the point before applies
    stretches = (Stretch(None, 60, 33, 33), Stretch(60, 70, 48, 33), Stretch(70, 90, 48, 40))
    assert tuple(stretches_of(found, 100, 1)) == stretches
    assert [stretch.proved for stretch in stretches] == [True, False, False]
    figure = trade_off(found, 1, "errors", dark=False)
    assert figure.layout.xaxis.title.text == "Minimum sensitivity (%)"
    full, dashed, dots = figure.data
    assert (list(dots.x), list(dots.y)) == ([60, 90], [33, 48])
    assert (full.line.dash, dashed.line.dash) == ("solid", "dash")
    assert full.x[1] < 60 and set(full.y[1:]) == {33} and dashed.x == (None, 60, 60, 70, None, 70, 70, 90)
    assert list(dots.marker.symbol) == ["circle", "circle-open"]
    *bands, shade = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    assert [(band.x0, band.x1, band.y0, band.y1) for band in bands] == [(60, 70, 33, 48), (70, 90, 40, 48)]
    assert shade.x0 == 95 and shade.x1 > 95


def test_the_curve_of_a_maximum_extends_to_larger_limits(problem):
    """With at most 5 leaves the tree for at most 4 is valid: the line continues to the right."""
    points = (Point(6, "a", 35, 35), Point(4, "b", 50, 50))
    found = TradeOff(find(problem, 2), "", 4, points=points)
    full, _, dots = trade_off(found, 1, "errors", dark=False).data
    assert list(dots.x) == [4, 6] and all(stretch.proved for stretch in stretches_of(found, 1, 1))
    assert full.x[1] > 6 and list(zip(full.x[2:4], full.y[2:4], strict=True)) == [(full.x[1], 35), (6, 35)]
    assert full.x[-1] == 4 and full.y[-1] == 50


def test_a_tree_satisfies_or_violates_each_constraint():
    """A constraint on the size is not evaluated on new rows."""
    data = sample_dataset("iris")
    best = solve(Problem(data, Shape(max_depth=2)), "contree", Limits()).diagram
    leaves, rows = (achieved(one, best, data) for one in (MaxLeaves(3), MinSamplesLeaf(60)))
    assert leaves.holds and describe_achieved(MaxLeaves(3), leaves) == "3" and MaxLeaves(3).binds(best, data)
    assert on_test(MaxLeaves(3), best, data) is None
    assert not rows.holds and rows.broken
    assert describe_violated(1, 2) == "violates 1 of 2 constraints"
    assert describe_violated(1, 1) == "violates the constraint"


def test_a_group_without_held_out_rows_has_no_figure():
    """A constraint on such a group causes no error."""
    data = sample_dataset("triage")
    constraint = MinSensitivity("0.5", Who("arrival", "ambulance"))
    came = constraint.who.members(data)
    best = solve(Problem(data, Shape(max_depth=1)), "contree", Limits()).diagram
    assert on_test(constraint, best, data.take(~came)) is None
    found, _ = on_test(constraint, best, data.take(came))
    trained = achieved(constraint, best, data)
    assert describe_achieved(constraint, found) == describe_achieved(constraint, trained)


def test_known_conflicts_are_distinguished_before_solving(problem):
    """An impossible constraint is not an error: it can be solved to learn why, but a warning comes first."""
    severities = {finding.severity for finding in MinSamplesLeaf(5000).check(problem)}
    assert Severity.IMPOSSIBLE in severities and Severity.ERROR not in severities
    assert {finding.severity for finding in MinSensitivity("0.9").check(problem)} == {Severity.NOTE}
