"""Conflicts are smallest, nearest values are nearest, and repairs work: compared with all trees of small worlds."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.constraints import (
    Constraint,
    EqualOpportunity,
    FixedTop,
    MaxErrors,
    MaxLeaves,
    MaxMissed,
    MinAccuracy,
    MinSensitivity,
    MinSpecificity,
    NeverColumns,
    Questions,
    from_json,
)
from solvers.errors import UnsupportedError
from solvers.explain import CoreMinimality, Inquiry, cores, relaxables_of, solver, to_problem, weaker_forms
from solvers.explain.cores import find_core, smallest_hitting_set
from solvers.magnitude import LARGEST_TOTAL
from solvers.problem import Group, Kind, Problem, Shape
from solvers.solution import Solution, Status
from tests.case_count import case_count
from tests.explain.random_constraints import SEEDS, plain, random_problem, world
from tests.explain.worlds import World, conflict, pressed, price
from tests.oracle.trees import optimum
from tests.strategies import make_dataset

A_FIRST = FixedTop(Questions("a", value=0.5))


@settings(derandomize=True, deadline=None, max_examples=case_count(30))
@given(place=st.integers(0, 5), seed=SEEDS, n=st.integers(1, 4))
def test_a_conflict_is_smallest(place: int, seed: int, n: int) -> None:
    """No tree satisfies the constraints of a conflict, and no smaller set of constraints is infeasible."""
    here = world(place)
    problem = random_problem(here, seed, n)
    relaxables = relaxables_of(problem)
    answer = conflict(problem, here.solve)
    least = here.smallest_conflict(relaxables)
    if least is None:
        assert answer.status is Status.FEASIBLE
        return
    chosen = [part.relaxable for part in answer.parts if not part.relaxable.lasting]
    assert (answer.status, answer.extent, len(chosen)) == (Status.INFEASIBLE, CoreMinimality.SMALLEST, least)
    assert not len(here.allowed([*chosen, *(relaxable for relaxable in relaxables if relaxable.lasting)]))


@settings(derandomize=True, deadline=None, max_examples=case_count(30))
@given(place=st.integers(0, 5), seed=SEEDS, n=st.integers(1, 4))
def test_nearest_forms_are_strictest_and_repairs_optimal(place: int, seed: int, n: int) -> None:
    """The nearest form of a constraint is the strictest that the others allow; each repair gives a proved optimum."""
    here = world(place)
    problem = random_problem(here, seed, n)
    answer = conflict(problem, here.solve)
    lasting = [relaxable for relaxable in relaxables_of(problem) if relaxable.lasting]
    chosen = [part.relaxable for part in answer.parts if not part.relaxable.lasting]
    for part in answer.parts:
        if part.relaxable.lasting:
            continue
        others = [*(relaxable for relaxable in chosen if relaxable is not part.relaxable), *lasting]
        forms = weaker_forms(problem, part.relaxable)
        at = next((i for i, form in enumerate(forms) if form == part.nearest), len(forms))
        assert part.proved
        assert all(not len(here.allowed([*others, forms[i]])) for i in range(max(0, at - 3), at))
        assert part.nearest is None or len(here.allowed([*others, part.nearest]))
    for repair in answer.repairs:
        repaired = repair.apply(problem)
        assert repaired.id == to_problem(repaired, relaxables_of(repaired)).id
        assert here.optimum(relaxables_of(repaired)) == repair.cost == repair.bound
        for change in repair.changes:
            assert change.words() in repair.words()


@settings(derandomize=True, deadline=None, max_examples=case_count(30))
@given(place=st.integers(0, 5), seed=SEEDS, n=st.integers(2, 5))
def test_there_is_always_a_repair(place: int, seed: int, n: int) -> None:
    """If relaxing one constraint is enough, that is a repair; else a smallest set of constraints is relaxed."""
    here = world(place)
    problem = random_problem(here, seed, n)
    answer = conflict(problem, here.solve)
    if answer.status is Status.FEASIBLE:
        return
    relaxables = relaxables_of(problem)
    alone = {w.key for w in relaxables if not w.lasting and len(here.allowed([o for o in relaxables if o is not w]))}
    dropped = [
        {change.relaxable.key for change in repair.changes}
        for repair in answer.repairs
        if all(change.weaker is None for change in repair.changes)
    ]
    deeper = any(change.relaxable.lasting for repair in answer.repairs for change in repair.changes)
    if alone:
        assert sorted(map(min, dropped), key=str) == sorted(alone, key=str)
    elif not deeper:
        assert len(dropped) == 1
        assert len(dropped[0]) > 1
        assert answer.further


@settings(derandomize=True, deadline=None, max_examples=case_count(20))
@given(place=st.integers(0, 5), seed=SEEDS, n=st.integers(1, 4))
def test_a_conflict_of_many_constraints_is_minimal(place: int, seed: int, n: int) -> None:
    """If there are too many constraints to find a smallest conflict, each constraint of it is still needed."""
    here = world(place)
    relaxables = relaxables_of(random_problem(here, seed, n))
    lasting = [relaxable for relaxable in relaxables if relaxable.lasting]
    others = [relaxable for relaxable in relaxables if not relaxable.lasting]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cores, "MOST_RELAXABLES", 0)
        search = find_core(Inquiry(random_problem(here, seed, n), here.solve), others, lasting)
    if len(here.allowed(relaxables)):
        assert all(relaxable.holds(search, here.problem) for relaxable in relaxables)
        return
    assert search.extent is CoreMinimality.MINIMAL
    assert not len(here.allowed([*search.relaxables, *lasting]))
    for relaxable in search.relaxables:
        assert len(here.allowed([*(other for other in search.relaxables if other is not relaxable), *lasting]))


def test_a_possibly_smaller_conflict_is_marked() -> None:
    """If it was not decided whether a constraint is needed, it stays in the conflict and the text says so."""
    here = World(plain().problem.dataset)
    constraints = (A_FIRST, MaxLeaves(3), NeverColumns(("a",)))
    problem = Problem(here.problem.dataset, Shape(max_depth=2), constraints=constraints)
    # the solver decides on all three together, but on no pair
    pairs = [
        frozenset({one.words(), other.words()}) for one in constraints for other in constraints if one is not other
    ]
    everything = frozenset(constraint.words() for constraint in constraints)
    here.silent = [pair for pair in pairs if pair != everything]
    here.decides = everything
    answer = conflict(problem, here.solve)
    assert (answer.status, answer.extent) == (Status.INFEASIBLE, CoreMinimality.CONFLICT)
    assert "Perhaps fewer of them are in conflict already" in answer.words()
    assert not all(part.proved for part in answer.parts)
    *_, note = answer.notes
    assert note.startswith("Not decided in time: ") and "whether it is enough to relax 2 constraints" in note


@pytest.mark.parametrize("place", range(4))
def test_the_curve_of_sensitivity_and_specificity_is_that_of_all_trees(place: int) -> None:
    """Each point is a tree that no other dominates, and no tree lies beyond the lines."""
    here = world(place)
    data = here.problem.dataset
    asked = (MaxLeaves(4), MinSensitivity("1", None, "class 1"), MinSpecificity("1", None, "class 1"), A_FIRST)
    problem = Problem(data, Shape(max_depth=2), constraints=asked)
    answer = conflict(problem, solver("contree"))
    assert answer.status is Status.INFEASIBLE
    assert {part.relaxable.key for part in answer.parts} == {1, 2}
    wrong = [data.y[tree.predict(data) != data.y] for tree in here.trees]
    sums = {(int((one == 1).sum()), int((one == 0).sum())) for one in wrong}
    for point in answer.rates.points:
        own = point.missed, point.false_alarms
        assert own in sums
        assert not any(one != own and one[0] <= own[0] and one[1] <= own[1] for one in sums)
    assert len(answer.rates.points) > 1
    for missed, false_alarms in sums:
        assert answer.rates.fewest_missed(false_alarms) <= missed + 1e-9
    for repair in answer.offered:
        best = optimum(repair.apply(problem))
        assert best is not None and repair.cost == best[0]


def test_a_deeper_tree_may_be_the_repair() -> None:
    """A depth limit belongs to the conflict if one more level is enough, and the repair says so."""
    here = plain()
    problem = Problem(here.problem.dataset, Shape(max_depth=0), constraints=(A_FIRST,))
    answer = conflict(problem, here.solve)
    assert [(part.relaxable.key, part.nearest.constraint.limit) for part in answer.parts if part.nearest] == [
        ("max_depth", 1)
    ]
    repair = next(repair for repair in answer.repairs if repair.changes[0].relaxable.key == "max_depth")
    assert repair.apply(problem).shape.max_depth == 1
    assert len(repair.apply(problem).constraints) == 1


def test_undecided_problems_claim_nothing() -> None:
    """What the solver decides about other sets still counts."""
    here = World(plain().problem.dataset)
    constraints = (A_FIRST, NeverColumns(("a",)), MaxLeaves(1))
    problem = Problem(here.problem.dataset, Shape(max_depth=2), constraints=constraints)
    words = {relaxable.key: relaxable.words for relaxable in relaxables_of(problem)}
    here.silent = [frozenset({words[0], words[1]})]
    answer = conflict(problem, here.solve)
    assert answer.status is Status.NO_SOLUTION
    assert "not decided" in answer.words()
    here.silent = [frozenset({words[0]})]
    answer = conflict(Problem(here.problem.dataset, Shape(max_depth=2), constraints=constraints[:1]), here.solve)
    assert (answer.status, answer.parts, answer.repairs) == (Status.NO_SOLUTION, (), ())


def test_a_refusal_by_the_solver_is_not_called_undecided() -> None:
    """An unsupported constraint ends the explanation with the solver's reason, even if it is not the first."""
    here = plain()
    problem = Problem(here.problem.dataset, Shape(max_depth=1), constraints=(A_FIRST,))

    def picky(problem: Problem, *rest: object) -> Solution:
        if A_FIRST in problem.constraints:
            raise UnsupportedError("Fixed questions are not taken.")
        return here.solve(problem, *rest)

    for explain in (conflict, lambda problem, solve: price(problem, None, solve)):
        with pytest.raises(UnsupportedError, match="are not taken"):
            explain(problem, picky)


def test_a_stop_ends_the_explanation_at_once() -> None:
    """After a stop the solver is not called again, and nothing is claimed."""
    here = World(plain().problem.dataset)
    problem = Problem(here.problem.dataset, Shape(max_depth=2), constraints=(A_FIRST, NeverColumns(("a",))))
    answer = conflict(problem, here.solve, stop=pressed)
    assert (here.calls, answer.status, answer.finished) == (0, Status.NO_SOLUTION, True)


def test_partial_results_are_reported() -> None:
    """The conflict is reported before its nearest forms and repairs, and only the last report is complete."""
    here = plain()
    constraints = (A_FIRST, NeverColumns(("a",)))
    reports = []
    answer = conflict(
        Problem(here.problem.dataset, Shape(max_depth=2), constraints=constraints), here.solve, tell=reports.append
    )
    assert reports[-1] == answer
    assert [report.finished for report in reports] == [False] * (len(reports) - 1) + [True]
    assert reports[0].parts
    assert not reports[0].repairs


@pytest.mark.parametrize(
    ("sets", "hit"), [([], ()), ([{1}], (1,)), ([{0, 2}, {1, 2}], (2,)), ([{0}, {0, 1}, {1, 3}], (0, 1))]
)
def test_hitting_sets_are_smallest(sets: list[set[int]], hit: tuple[int, ...]) -> None:
    """The result is a smallest set that hits every set; among equals the first."""
    assert smallest_hitting_set([frozenset(one) for one in sets], 4) == hit


def test_nearest_forms_of_parity_with_confidence_are_nearest() -> None:
    """Its values are shares plus a margin, and not simple fractions."""
    table = make_dataset({"x": (Kind.NUMERIC, [1, 3, 2, 1, 0, 4, 5])}, [0, 1, 1, 0, 1, 0, 1])
    table = replace(table, groups=(Group("g", ("a", "b"), np.array([1, 1, 1, 0, 1, 1, 0])),))
    parity = EqualOpportunity("g", 0, positive="class 1", confidence=Fraction(9, 10))
    problem = Problem(table, Shape(max_depth=2), constraints=(MaxMissed(1, positive="class 1"), parity))
    answer = conflict(problem, solver("contree"))
    (part,) = (part for part in answer.parts if part.relaxable.key == 1)
    assert part.proved and part.nearest is not None
    limit = part.nearest.constraint.limit
    for gap, possible in ((limit, True), (limit - Fraction(1, 10**9), False)):
        limited = replace(problem, constraints=(problem.constraints[0], parity.with_limit(gap)))
        assert (optimum(limited) is not None) == possible, gap


@pytest.mark.parametrize("constraint", [MinAccuracy(1), MaxErrors(0)])
def test_nearest_forms_are_as_fine_as_the_weights(constraint: Constraint) -> None:
    """If the total weight is the largest allowed, a repair still has the smallest value that the weights allow."""
    half = LARGEST_TOTAL // 2
    heavy = make_dataset({"a": (Kind.NUMERIC, [0, 0])}, [0, 1], weight=[half, half + 1])
    problem = Problem(heavy, Shape(max_depth=1), constraints=(constraint,))
    answer = conflict(problem, World(heavy, depth=1).solve)
    (nearest,) = (part.nearest for part in answer.parts if part.relaxable.key == 0)
    assert nearest.constraint.limit == (half if constraint.rising_eases else Fraction(half + 1, LARGEST_TOTAL))
    repaired = answer.repairs[0].apply(problem)
    assert tuple(from_json(one.to_json()) for one in repaired.constraints) == repaired.constraints
