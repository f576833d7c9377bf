"""Smallest trees without errors by SAT, compared with brute force and with the exact searches."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.messages import describe_result
from solvers.methods import get
from solvers.methods.sat import refusals
from solvers.methods.trees.inferdt.search import SatSearch
from solvers.methods.trees.smallest import search as finding
from solvers.methods.trees.smallest.cases import distinct_cases
from solvers.problem import Dataset, Kind, Limits, Problem, Shape
from solvers.solution import Progress, Status
from tests.case_count import case_count
from tests.methods.running import solve
from tests.methods.trees.consistent_trees import (
    fewest_in_spells,
    noisy,
    subset_search_of,
)
from tests.strategies import make_dataset


def sat_search(dataset: Dataset) -> SatSearch:
    """A search over the distinct rows of a table."""
    return SatSearch(distinct_cases(Problem(dataset)), lambda splits: None)


@pytest.mark.parametrize("seed", range(case_count(15)))
def test_agrees_with_the_exact_search(seed: int) -> None:
    """On tables too large for brute force, SAT and the search over subsets find the same numbers."""
    table = noisy(seed, n=18 + seed % 12, n_classes=2 + seed % 3)
    sat = sat_search(table)
    subsets = subset_search_of(table)
    depth = next(d for d in range(20) if subsets.feasible(d))
    assert [sat.feasible(d) for d in range(depth + 1)] == [False] * depth + [True]
    assert sat.fewest(depth) == subsets.fewest(depth) == sat.best(depth)
    if depth < 6:
        assert sat.fewest(depth + 1) == subsets.fewest(depth + 1)


@pytest.mark.parametrize("seed", range(case_count(6)))
def test_the_listed_rows_refute_the_next_depth(seed: int) -> None:
    """The listed rows are enough to refute the next smaller depth, and some rows do not count."""
    table = noisy(100 + seed, n=60, n_classes=2)
    solution = solve(get("inferdt-size"), Problem(table, Shape(max_depth=9))).solution
    stats, distinct = solution.stats, distinct_cases(Problem(table))
    assert stats["examples_used"] == len(stats["examples"]) < distinct.n_cases
    alone = table.take(np.isin(table.rows, stats["examples"]))
    assert not subset_search_of(alone).feasible(solution.details.consistent.least_depth - 1)


def test_progress_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports depth, examples, clauses and conflicts, better and better trees, and refuted depths during the search."""
    monkeypatch.setattr(finding, "FIRST_PAUSE", 0.02)
    rng = np.random.default_rng(3)
    X = rng.integers(0, 6, (40, 5))
    table = make_dataset({f"x{j}": (Kind.NUMERIC, X[:, j]) for j in range(5)}, rng.integers(0, 2, 40))
    run = solve(get("inferdt-size"), Problem(table, Shape(max_depth=9)))
    progress = [event for event in run.events if isinstance(event, Progress)]
    keys = {"formula depth", "examples in use", "variables", "clauses", "conflicts", "solver calls"}
    assert progress and keys <= set(progress[-1].stats)
    conflicts = [event.stats["conflicts"] for event in progress if "conflicts" in event.stats]
    assert conflicts == sorted(conflicts)
    costs = [event.cost for event in run.incumbents]
    assert len(costs) > 1 and costs == sorted(costs, reverse=True) and costs[-1] == run.solution.cost == 0


def hard() -> Dataset:
    """A table for which no formula is decided quickly."""
    rng = np.random.default_rng(5)
    X = rng.random((400, 10))
    return make_dataset({f"x{j}": (Kind.NUMERIC, X[:, j]) for j in range(10)}, rng.integers(0, 2, 400))


def test_a_stopped_search_can_be_resumed() -> None:
    """What was found before a stop is kept, and the result does not change."""
    table = noisy(7, n=60, n_classes=2)
    sat, subsets = sat_search(table), subset_search_of(table)
    depth = next(d for d in range(20) if subsets.feasible(d))
    sat.stop()
    assert sat.feasible(depth) is None and sat.fewest(depth) is None
    assert fewest_in_spells(sat, depth, 1 / 2000) == subsets.fewest(depth)


def test_too_large_a_formula_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """If a formula would not fit into memory, the run ends with its best result and gives the reason."""
    monkeypatch.setattr(refusals, "BYTES_A_LITERAL", 6000)
    problem, limits = Problem(hard(), Shape(max_depth=9)), Limits(memory_mb=256)
    solution = solve(get("inferdt-depth"), problem, limits).solution
    assert solution.status is Status.FEASIBLE and solution.diagram is not None
    words = describe_result(problem, solution, limits)
    assert words == "Memory limit of 256 MiB reached; every tree of depth 0 makes an error."


def test_a_formula_that_grows_too_large_ends_the_run() -> None:
    """Rows that are added to a formula count too."""
    rng = np.random.default_rng(6)
    X = rng.integers(0, 6, (100, 3))
    table = make_dataset({f"x{j}": (Kind.NUMERIC, X[:, j]) for j in range(3)}, rng.integers(0, 2, 100))
    search = SatSearch(distinct_cases(Problem(table)), lambda splits: None, memory_mb=1)
    answers = [search.feasible(depth) for depth in range(7)]
    assert answers[0] is False and answers[-1] is None and True not in answers
    assert search.out_of_memory and len(search.examples) > 20
