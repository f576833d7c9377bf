"""The bounds that `contree` reports below growing ceilings, against brute force."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from solvers.constraints import AskedBefore, FirstQuestion, FixedTop, MaxPathCost, NeverBothOnPath, OnlyAfter
from solvers.kernels.tree_search import TreeSearch
from solvers.methods import get
from solvers.methods.trees import fixed_splits, hard_rows
from solvers.methods.trees.contree import ConTree
from solvers.methods.trees.exact_search import relaxes
from solvers.methods.trees.path_rules import Place
from solvers.problem import Kind, Limits, Objective, Problem, Shape
from solvers.solution import Status
from tests.case_count import case_count
from tests.constraints.examples import example
from tests.magnitude.cases import made
from tests.methods import running
from tests.oracle import trees as oracle
from tests.strategies import make_dataset

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
        case = made(FAMILIES[k % len(FAMILIES)], k // len(FAMILIES))
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


RULES = (AskedBefore, FirstQuestion, FixedTop, MaxPathCost, NeverBothOnPath, OnlyAfter)
"""Rules about paths, one of them in every other problem."""


def ruled(seed: int) -> Problem:
    """Forty rows with weights, costs, a penalty, minimum leaves or a rule about paths, in any combination."""
    random = np.random.default_rng(seed)
    values = random.integers(0, 5, (40, 3))
    labels = ((values[:, 0] > 2) & (values[:, 1] > 1) | (random.random(40) < 0.25)).astype(int)
    columns = {f"x{j}": (Kind.NUMERIC, list(map(float, column))) for j, column in enumerate(values.T)}
    weight = random.integers(1, 4, 40) if seed % 3 == 0 else None
    dataset = make_dataset(columns, list(labels), weight=weight)
    rule = example(RULES[seed // 2 % len(RULES)], dataset, random) if seed % 2 else None
    costs = ((0, 3), (1, 0)) if seed % 5 == 0 else None
    objective = Objective(costs, split_penalty=0.01 if seed % 4 == 0 else 0)
    shape = Shape(max_depth=4 if isinstance(rule, FixedTop) else 3, min_samples_leaf=int(1 + 2 * (seed % 7 == 0)))
    return Problem(dataset, shape, objective, constraints=() if rule is None else (rule,))


def test_a_bound_from_hard_rows_is_no_more_than_the_optimum_and_comes_without_all_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Compared with a search below one ceiling, which other tests compare with brute force, on one and two threads.

    Minimum leaf sizes, and rules on what comes first, are left out of the searches of a part.
    """
    sizes: list[tuple[int, int]] = []
    kinds: set[tuple[bool, bool, bool]] = set()
    grow_for, by_parts = hard_rows.HardRows.grow_for, fixed_splits.PlacedSearch._bound_by_parts

    def noted(part: hard_rows.HardRows, errors: int) -> bool:
        enough = grow_for(part, errors)
        sizes.append((len(part.index), len(part._among)))
        return enough

    def noted_place(search: fixed_splits.PlacedSearch, i: int, place: Place, step: int) -> Iterator[bool]:
        space = search._space
        kinds.add((relaxes(search._problem, space.ruling_at(place.slot)), space.ruling.binds, bool(space.fixed)))
        return by_parts(search, i, place, step)

    monkeypatch.setattr(hard_rows.HardRows, "grow_for", noted)
    monkeypatch.setattr(fixed_splits.PlacedSearch, "_bound_by_parts", noted_place)
    raised = 0
    for seed in range(case_count(40)):
        problem = ruled(seed)
        if get("contree").check(problem):
            continue
        with monkeypatch.context() as plain:
            plain.setattr(fixed_splits, "CLIMB_DEPTH", 9)
            usual = running.solve(ConTree(), problem).solution
        for threads in (1, 2):
            run = running.solve(ConTree(), problem, Limits(threads=threads))
            assert (run.solution.status, run.solution.cost) == (usual.status, usual.cost), (seed, threads)
            assert run.bounds == sorted(set(run.bounds)), (seed, threads)
            if usual.cost is not None:
                assert all(bound <= usual.cost for bound in run.bounds), (seed, threads)
                assert run.solution.diagram.n_splits == usual.diagram.n_splits, (seed, threads)
            raised += len(run.bounds)
    assert raised
    assert any(2 * part <= rows for part, rows in sizes)
    assert all(any(kind[k] for kind in kinds) for k in range(3)), "a rule was never met"


@pytest.mark.parametrize("first_work", [0, fixed_splits.FIRST_WORK])
def test_a_permitted_gap_raises_no_bound_above_the_optimum(monkeypatch: pytest.MonkeyPatch, first_work: int) -> None:
    """A search that ends because the gap is reached has not excluded a better tree."""
    monkeypatch.setattr(fixed_splits, "FIRST_WORK", first_work)
    for seed in range(case_count(12)):
        random = np.random.default_rng(seed)
        values = random.integers(0, 2, (80, 5))
        labels = (values[:, 0] + values[:, 1] * values[:, 2] + values[:, 3] * values[:, 4]) % 2
        labels ^= random.random(80) < 0.2
        columns = {f"x{j}": (Kind.NUMERIC, list(map(float, column))) for j, column in enumerate(values.T)}
        problem = Problem(make_dataset(columns, labels.tolist()), Shape(max_depth=3))
        least = running.solve(ConTree(), problem).solution.cost
        for gap in (1.0, 3.0, 8.0):
            run = running.solve(ConTree(), problem, Limits(gap=gap))
            assert all(bound <= least for bound in run.bounds), (seed, gap)
            assert run.solution.bound <= least <= run.solution.cost <= least + gap, (seed, gap)
            assert run.solution.status is not Status.OPTIMAL or run.solution.cost == least, (seed, gap)
