"""Small searches run before CART: the tree is the same if kernels are compiled first, and never worse than CART's."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.compilation import COMPILATION
from solvers.kernels.tree_search import TreeSearch
from solvers.methods import get
from solvers.methods.trees import contree
from solvers.problem import Kind, Problem, Shape
from tests.case_count import case_count
from tests.constraints.examples import example
from tests.methods.running import solve
from tests.methods.trees.test_improvement import KINDS
from tests.strategies import make_dataset, problems


def random_problem(seed: int) -> Problem:
    """A table that CART often fits as well as the best tree."""
    random = np.random.default_rng(seed)
    values = random.integers(0, 6, (40, 3))
    labels = ((values[:, 0] > 2) & (values[:, 1] > 1) | (random.random(40) < 0.1)).astype(int)
    columns = {f"x{j}": (Kind.NUMERIC, list(map(float, column))) for j, column in enumerate(values.T)}
    return Problem(make_dataset(columns, list(labels)), Shape(max_depth=2 + seed % 2))


def compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every search report that it compiles its kernels when it is created."""
    made = contree.PlacedSearch

    def compiled(*args: object, **options: object) -> contree.PlacedSearch:
        COMPILATION._tell(True)
        COMPILATION._tell(False)
        return made(*args, **options)

    monkeypatch.setattr(contree, "PlacedSearch", compiled)


@pytest.mark.parametrize("look", [0, contree.LOOK])
def test_a_run_that_compiles_shows_a_greedy_tree_first(monkeypatch: pytest.MonkeyPatch, look: int) -> None:
    """CART's tree is available before the search, and is replaced by the tree of other runs."""
    monkeypatch.setattr(contree, "LOOK", look)
    monkeypatch.setattr(TreeSearch.advance, "__defaults__", (1,))
    lower, lowered = contree.PlacedSearch.lower, []
    monkeypatch.setattr(contree.PlacedSearch, "lower", lambda *given: (lowered.append(1), lower(*given)))
    problems = [random_problem(seed) for seed in range(case_count(30, 12))]
    contree.ConTree().precompile()
    usual = [solve(get("contree"), problem) for problem in problems]
    compiling(monkeypatch)
    greedy = 0
    for problem, run in zip(problems, usual, strict=True):
        first = solve(get("contree"), problem)
        assert first.solution.diagram == run.solution.diagram
        cart, best = solve(get("cart"), problem).solution, run.solution
        assert best.cost <= cart.cost
        assert cart.cost in [event.cost for event in first.incumbents[:2]], "it comes after a single leaf"
        greedy += (cart.cost, cart.diagram.n_splits) == (best.cost, best.diagram.n_splits)
    assert greedy, "CART's tree was never as good, so nothing was tested"
    assert bool(lowered) is (look == 0), "it comes in the middle where the search may not go far without it"


@settings(derandomize=True, deadline=None, max_examples=case_count(60, 20))
@given(problem=problems(max_rows=24), seed=st.integers(0, 2**32 - 1))
def test_the_time_of_the_greedy_tree_changes_no_proof(problem: Problem, seed: int) -> None:
    """Under constraints too, the proof is the same if CART's tree comes before the search, after a step, or never."""
    rng = np.random.default_rng(seed)
    kinds = rng.choice(len(KINDS), int(rng.integers(3)), replace=False)
    constraints = [example(KINDS[k], problem.dataset, rng) for k in kinds]
    shape = replace(problem.shape, max_depth=3)
    problem = replace(problem, shape=shape, constraints=tuple(c for c in constraints if c is not None))
    if get("contree").check(problem):
        return
    ends, small_steps = set(), patch.object(TreeSearch.advance, "__defaults__", (1,))
    for quick, look in (({}, 0), (contree.QUICK, 0), (contree.QUICK, contree.LOOK)):
        with patch.multiple(contree, QUICK=quick, LOOK=look), small_steps:
            run = solve(get("contree"), problem).solution
        ends.add((run.status, run.cost, run.bound, run.diagram and run.diagram.n_splits))
    assert len(ends) == 1
