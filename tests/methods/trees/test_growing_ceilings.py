"""The bounds that `contree` reports below growing ceilings, against brute force."""

from __future__ import annotations

from fractions import Fraction

import pytest

from solvers.kernels.tree_search import TreeSearch
from solvers.methods.trees import fixed_splits
from solvers.methods.trees.contree import ConTree
from solvers.problem import Limits
from solvers.solution import Status
from tests.case_count import case_count
from tests.magnitude.cases import made
from tests.methods import running
from tests.oracle import trees as oracle

FAMILIES = ("contree", "contree, steep weights", "contree ruled", "costs of tests", "fairness")


@pytest.fixture(autouse=True)
def _small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ceilings grow at every depth, and every step reports what is proved."""
    advance = TreeSearch.advance
    monkeypatch.setattr(fixed_splits, "CLIMB_DEPTH", 3)
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
