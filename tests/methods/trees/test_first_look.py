"""Small searches go before CART: the tree is the same where kernels are compiled first, and never worse than CART's."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.compilation import COMPILATION
from solvers.methods import get
from solvers.methods.trees import contree
from solvers.problem import Kind, Problem, Shape
from tests.case_count import case_count
from tests.methods.running import solve
from tests.strategies import make_dataset


def random_problem(seed: int) -> Problem:
    """A table that CART often fits as well as the best tree does."""
    random = np.random.default_rng(seed)
    values = random.integers(0, 6, (40, 3))
    labels = ((values[:, 0] > 2) & (values[:, 1] > 1) | (random.random(40) < 0.1)).astype(int)
    columns = {f"x{j}": (Kind.NUMERIC, list(map(float, column))) for j, column in enumerate(values.T)}
    return Problem(make_dataset(columns, list(labels)), Shape(max_depth=2 + seed % 2))


def compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every search tell that it compiles its kernels when it is made."""
    made = contree.PlacedSearch

    def compiled(*args: object, **options: object) -> contree.PlacedSearch:
        COMPILATION._tell(True)
        COMPILATION._tell(False)
        return made(*args, **options)

    monkeypatch.setattr(contree, "PlacedSearch", compiled)


@pytest.mark.parametrize("look", [0, contree.LOOK])
def test_a_run_that_compiles_shows_a_greedy_tree_meanwhile_and_ends_as_every_run(
    monkeypatch: pytest.MonkeyPatch, look: int
) -> None:
    """CART's tree is there before the search is, and gives way to the tree that other runs find."""
    monkeypatch.setattr(contree, "LOOK", look)
    problems = [random_problem(seed) for seed in range(case_count(30, 12))]
    contree.ConTree().warm()
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


def test_a_run_that_is_stopped_at_once_has_a_tree_as_good_as_carts() -> None:
    """CART's tree comes at last where the search had no time to find a better one."""
    contree.ConTree().warm()
    for seed in range(case_count(30, 12)):
        problem = random_problem(seed)
        stopped = solve(get("contree"), problem, stopped=True).solution
        assert stopped.cost <= solve(get("cart"), problem).solution.cost
