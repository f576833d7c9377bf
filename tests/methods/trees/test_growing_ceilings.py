"""The bounds that `contree` reports below growing ceilings, against brute force."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest

from solvers.kernels.tree_search import TreeSearch
from solvers.methods.trees import fixed_splits, hard_rows
from solvers.methods.trees.contree import ConTree
from solvers.methods.trees.exact_search import relaxes
from solvers.methods.trees.path_rules import Place
from solvers.problem import Limits
from solvers.solution import Status
from tests.case_count import case_count
from tests.magnitude.cases import made
from tests.methods import running
from tests.oracle import trees as oracle

FAMILIES = ("contree", "contree, steep weights", "contree ruled", "costs of tests", "fairness")


@pytest.fixture(autouse=True)
def _small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ceilings grow at every depth, from a few hard rows on, and every step reports what is proved."""
    advance = TreeSearch.advance
    monkeypatch.setattr(fixed_splits, "CLIMB_DEPTH", 3)
    monkeypatch.setattr(fixed_splits, "FIRST_WORK", 0)
    monkeypatch.setattr(fixed_splits, "LEAST", 1)
    monkeypatch.setattr(hard_rows, "LEAST", 1)
    monkeypatch.setattr(hard_rows, "PER_ROW", 1)
    monkeypatch.setattr(TreeSearch, "advance", lambda search, budget=1: advance(search, 1))


@pytest.mark.parametrize("block", range(case_count(6)))
def test_no_reported_bound_is_above_the_optimum(block: int) -> None:
    """At all magnitudes, with penalties, class costs, minimum leaves, path rules, and rules that couple leaves."""
    for k in range(5 * block, 5 * block + 5):
        case, _ = made(FAMILIES[k % len(FAMILIES)], k // len(FAMILIES))
        if case.method != "contree":
            continue
        problem = case.problem
        try:
            best = oracle.tree_optimum(problem)
        except oracle.TooManyError:
            continue
        run = running.solve(ConTree(), problem, Limits(threads=case.threads))
        least = None if best is None else best.cost * problem.scale
        assert (run.solution.status is Status.INFEASIBLE) == (least is None), k
        if least is not None:
            assert run.bounds == sorted(set(run.bounds)), k
            assert all(bound <= least for bound in run.bounds), k
            assert all(Fraction(found.cost) >= least for found in run.incumbents), k
            assert run.solution.cost == run.solution.bound == least, k


def test_a_bound_from_hard_rows_is_no_more_than_the_optimum_and_comes_without_all_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With weights, class costs, penalties, limits on leaves, path rules and fixed splits, and found trees that join
    rows to the part. Minimum leaf sizes, and rules on what comes first, are left out of the searches of a part."""
    sizes: list[tuple[int, int]] = []
    kinds: set[tuple[bool, bool, bool]] = set()
    grow_for = hard_rows.HardRows.grow_for

    def noted(part: hard_rows.HardRows, errors: int) -> bool:
        enough = grow_for(part, errors)
        sizes.append((len(part.index), len(part._among)))
        return enough

    def noted_place(search: fixed_splits.PlacedSearch, i: int, place: Place, step: int) -> Iterator[bool]:
        space = search._space
        kinds.add((relaxes(search._problem, space.ruling_at(place.slot)), space.ruling.binds, bool(space.fixed)))
        return by_parts(search, i, place, step)

    by_parts = fixed_splits.PlacedSearch._bound_by_parts
    monkeypatch.setattr(hard_rows.HardRows, "grow_for", noted)
    monkeypatch.setattr(fixed_splits.PlacedSearch, "_bound_by_parts", noted_place)
    raised = 0
    for k in range(case_count(60)):
        case, _ = made(FAMILIES[k % 3], 900 + k)
        problem = case.problem
        try:
            best = oracle.tree_optimum(problem)
        except oracle.TooManyError:
            continue
        if case.method != "contree" or best is None:
            continue
        run = running.solve(ConTree(), problem, Limits(threads=case.threads))
        least = best.cost * problem.scale
        assert all(bound <= least for bound in run.bounds), k
        assert run.solution.cost == run.solution.bound == least, k
        raised += len(run.bounds)
    assert raised
    assert any(2 * part <= rows for part, rows in sizes)
    assert all(any(kind[k] for kind in kinds) for k in range(3)), "a rule was never met"
