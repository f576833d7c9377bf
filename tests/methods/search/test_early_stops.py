"""Methods that minimize the size, stopped at any time: their claims agree with brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from solvers.methods import get
from solvers.methods.search import watch as watching
from solvers.methods.trees.smallest import search as finding
from solvers.problem import Dataset, Kind, Limits, Problem, Shape
from solvers.solution import Solution, Status
from tests.case_count import case_count
from tests.methods.bdds import binary_tables as bdds
from tests.methods.running import EarlyStop
from tests.methods.trees.consistent_trees import METHODS
from tests.oracle.consistent import NONE, Consistent
from tests.strategies import make_dataset

CASES = case_count(8)


def stopped_runs(problem: Problem, name: str, options: dict[str, str]) -> Iterator[Solution]:
    """The results of runs that are stopped later and later, up to a complete one."""
    for by in ("looks", "events"):
        for n in (1, 2, 3, 4, 5, 7, 9, 12, 10**9):
            stop = EarlyStop(n if by == "looks" else None, n if by == "events" else None)
            yield get(name, **options).run(problem, Limits(), stop.hear, stop)


def table(seed: int) -> Dataset:
    """Few rows with a rule of three columns and exceptions; some rows may contradict each other."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 13))
    X = rng.integers(0, rng.integers(2, 5), (n, 3))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + (rng.random(n) < 0.3)) % int(rng.integers(2, 4))
    columns = {name: (Kind.NUMERIC, X[:, j]) for j, name in enumerate("abc")}
    return make_dataset(columns, y.tolist(), n_classes=3)


@pytest.mark.parametrize("seed", range(CASES))
@pytest.mark.parametrize("method", METHODS)
def test_trees_claim_only_what_is_proved(method: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuted depths, the least depth, the fewest nodes and 'optimal' are true whenever a search for trees ends."""
    # pauses come at once, so that greedy trees without errors are reported before anything is proved
    monkeypatch.setattr(finding, "FIRST_PAUSE", 1e-4)
    monkeypatch.setattr(watching, "POLL", 1e-4)
    dataset, rng = table(seed), np.random.default_rng(seed)
    oracle = Consistent(dataset)
    leaves = [None, None, 3, 4, 5][rng.integers(5)]
    problem = Problem(dataset, Shape(max_depth=int(rng.integers(3, 7)), max_leaf_nodes=leaves))
    fits = NONE - 1 if leaves is None else leaves
    fitting = [depth for depth in range(problem.shape.max_depth + 1) if oracle.at(depth) <= fits]
    ends: Counter[Status] = Counter()
    for solution in stopped_runs(problem, method.split()[0], METHODS[method]):
        ends[solution.status] += 1
        stats, diagram = solution.stats, solution.diagram
        assert oracle.tied or set(stats.get("refuted", ())) <= set(range(oracle.depth))
        assert oracle.tied or stats.get("minimum_depth", oracle.depth) == oracle.depth
        if solution.status is not Status.OPTIMAL:
            continue
        assert solution.cost == solution.bound
        assert (solution.cost == problem.unavoidable_cost) == bool(fitting)
        if fitting:
            least = problem.shape.max_depth if method.endswith("any depth") else fitting[0]
            assert oracle.tied or diagram.depth <= least
            assert oracle.tied or method == "inferdt-depth" or diagram.n_leaves == oracle.at(least)
    assert ends[Status.CANCELLED] and ends[Status.OPTIMAL]


@pytest.mark.parametrize("seed", range(CASES))
def test_bdds_claim_only_what_is_proved(seed: int) -> None:
    """If a BDD without avoidable errors is called optimal, none with fewer levels is without them."""
    problem = bdds.random_problem(np.random.default_rng(seed), rows=14, columns=5, classes=2, depth=4)
    costs = [min(bdds.cost_of(problem, chosen) for chosen in bdds.sets(problem, size)) for size in range(5)]
    base = problem.unavoidable_cost
    ends: Counter[Status] = Counter()
    for solution in stopped_runs(problem, "bdd-sat", {}):
        ends[solution.status] += 1
        if solution.status is Status.OPTIMAL:
            assert solution.cost == costs[-1]
            n_asked = len({node.predicate for node in solution.diagram.nodes if hasattr(node, "predicate")})
            assert solution.cost > base or n_asked <= costs.index(base)
    assert ends[Status.OPTIMAL]
