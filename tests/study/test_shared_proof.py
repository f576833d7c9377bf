"""A shared proof equals that of one machine, whatever happens to its parts, workers and folder."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from solvers.constraints import MinPurity, MinSamplesLeaf, NeverBothOnPath
from solvers.errors import RunError, UnsupportedError
from solvers.kernels import parallel_search
from solvers.kernels.parallel_search import Result, RootPosition
from solvers.kernels.tree_search import TreeSearch
from solvers.methods.trees import fixed_splits
from solvers.methods.trees.contree import ConTree
from solvers.metrics.verify import verify
from solvers.problem import Dataset, Kind, Limits, Problem, Shape
from solvers.run import solve
from solvers.solution import Bound, Event, Solution, Status
from solvers.study import Cluster, shared_proof
from solvers.study.shared_proof import DaskPool, SharedConTree, prove
from solvers.study.shared_search import Place, Recipe, SharedTreeSearch
from tests.case_count import case_count
from tests.commands import fit
from tests.kernels.problems import measure, random_problem
from tests.methods import running
from tests.methods.trees.test_path_rules import constrained
from tests.strategies import make_dataset, problems
from tests.study.dask_cluster import DaskCluster


class InterruptedProofError(Exception):
    """The coordinator was interrupted."""


class Inline:
    """A pool in this process: parts end in any order, and after `most` parts the coordinator is interrupted."""

    def __init__(self, rng: np.random.Generator, most: int, begun: list[RootPosition], recipe: Recipe) -> None:
        self._worker, self._rng, self._left, self._begun = recipe.worker(), rng, most, begun
        self.width, self._parts, self._ceiling = int(rng.integers(1, 4)), list[RootPosition](), 2**62

    def begin(self, part: RootPosition) -> int:
        """Add a part."""
        self._parts.append(part)
        self._begun.append(part)
        return id(part)

    def ended(self) -> tuple[int, Result] | None:
        """Solve any waiting part; better costs are passed to it between its time slices."""
        if self._left == 0:
            raise InterruptedProofError
        self._left -= 1
        part = self._parts.pop(int(self._rng.integers(len(self._parts))))
        result = self._worker.evaluate(part, lambda: self._ceiling)
        assert result is not None
        return id(part), result

    def lower(self, cost: int) -> None:
        """Record the cost."""
        self._ceiling = cost

    def wake(self) -> None:
        """Do nothing: nobody waits."""

    def close(self) -> None:
        """Do nothing: no part is running."""


def ran(make: Callable[[int], SharedTreeSearch], most: int = 10**9) -> SharedTreeSearch:
    """A complete search, interrupted and restarted as often as needed."""
    search = make(most)
    try:
        while not search.advance():
            pass
    except InterruptedProofError:
        search.close()
        return ran(make, 2 * most)
    return search


@pytest.mark.parametrize("block", range(case_count(4)))
def test_parts_prove_the_same_as_the_whole(block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For all limits, penalties and class costs; in any order, with better costs, interrupted and resumed."""
    monkeypatch.setattr("solvers.kernels.parallel_search.SLICE", 50)
    assert max(prove_in_parts(seed, tmp_path) for seed in range(10 * block, 10 * block + 10)) > 20


def prove_in_parts(seed: int, folder: Path) -> int:
    """Compare a random search with the same search in parts; returns the number of parts."""
    problem, rng = random_problem(seed + 90000, max_rows=16), np.random.default_rng(seed)
    depth, classes = int(rng.integers(3, 5)), problem.n_classes
    unit = int(rng.choice([1, 2**depth]))
    costs = rng.integers(0, 4, (classes, classes)) if rng.random() < 0.3 else None
    if costs is not None:
        costs -= costs.min(axis=1, keepdims=True)
    options = {
        "leaves": int(rng.choice([2**depth, rng.integers(2, 2**depth)])),
        "split": int(rng.integers(0, 2)),
        "unit": unit,
        "least_rows": int(rng.integers(1, min(3, len(problem.label)) + 1)),
        "costs": costs,
        "climb": bool(rng.random() < 0.5),
    }
    ceiling, args = (int(problem.weight.sum()) * 4 + 1) * unit, (*problem[:5], classes, depth)
    whole = TreeSearch(*args, ceiling=ceiling, **options)
    while not whole.advance():
        pass
    begun: list[RootPosition] = []

    def make(most: int, ceiling: int = ceiling) -> SharedTreeSearch:
        place = Place(partial(Inline, rng, most, begun), folder)
        return SharedTreeSearch(*args, place=place, ceiling=ceiling, **options)

    # a part that knows the best tree finds none; what it excluded thereby does not count if the tree is unknown
    assert ran(partial(make, ceiling=whole.cost)).bound == whole.cost
    shared = ran(make, most=1)
    assert (shared.cost, shared.bound) == (whole.cost, whole.bound), seed
    tree = measure(problem, shared.splits, costs)
    assert (tree.cost + options["split"] * tree.splits) * unit + (unit > 1) * tree.splits == whole.cost, seed
    assert tree.rows >= options["least_rows"] and tree.splits < options["leaves"], seed
    parts = len(begun)
    assert ran(make).cost == whole.cost and len(begun) == parts, "it is proved, and nothing is left to do"
    return parts


@settings(
    derandomize=True,
    deadline=None,
    max_examples=case_count(60),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(problem=problems(max_rows=16), seed=st.integers(0, 2**32 - 1))
def test_shared_problems_have_the_optima_of_one_machine(problem: Problem, seed: int, tmp_path: Path) -> None:
    """They agree under path rules, fixed splits, weights, class costs, penalties, and for infeasible problems.

    In every other problem both search below growing ceilings.
    """
    problem = replace(constrained(problem, seed, most=2), shape=replace(problem.shape, max_depth=3))
    method = SharedConTree(2, Place(partial(Inline, np.random.default_rng(seed), 10**9, []), tmp_path))
    assume(not method.check(problem))
    with patch.object(fixed_splits, "CLIMB_DEPTH", 3 if seed % 2 else 9):
        here, shared = running.solve(ConTree(), problem).solution, running.solve(method, problem).solution
    assert verify(problem, shared).ok
    assert (shared.status, shared.cost, shared.bound) == (here.status, here.cost, here.bound)
    if here.details.fewest_splits and shared.details.fewest_splits:
        assert shared.diagram.n_splits == here.diagram.n_splits


def hard(rows: int = 300) -> Dataset:
    """A table that no tree of depth three fits perfectly."""
    rng = np.random.default_rng(3)
    columns = {f"x{j}": (Kind.NUMERIC, rng.normal(size=rows)) for j in range(4)}
    x = np.array([values for _, values in columns.values()])
    y = (x[0] * x[1] + x[2] * x[3] + rng.normal(0, 0.5, rows) > 0).astype(int)
    return make_dataset(columns, y.tolist())


@pytest.fixture(scope="module")
def problem() -> Problem:
    """A problem that takes about a second."""
    return Problem(hard(), Shape(max_depth=3, min_samples_leaf=2), constraints=(NeverBothOnPath(("x0", "x3")),))


@pytest.fixture(scope="module")
def whole(problem: Problem) -> Solution:
    """Its solution in this process."""
    return solve(problem)


def compare(shared: Solution, whole: Solution) -> None:
    """Check for the same cost, bound and number of splits, and for verification."""
    assert shared.verified and shared.status is Status.OPTIMAL and shared.details.fewest_splits
    assert (shared.cost, shared.bound) == (whole.cost, whole.bound)
    assert shared.diagram.n_splits == whole.diagram.n_splits


def test_a_killed_worker_and_a_stopped_coordinator_change_nothing(
    problem: Problem,
    whole: Solution,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One of two workers is killed midway, then the coordinator is stopped; the other worker finishes.

    The same from the command line, for the problem without its constraint.
    """
    cluster, stop, parts = DaskCluster(tmp_path / "dask"), Flag(), list[str]()
    ended = DaskPool.ended

    def watched(pool: DaskPool) -> Any:
        found = ended(pool)
        parts.extend([found[0]] if found else [])
        if len(parts) == 5:
            cluster.workers[0].kill()
        stop.set = stop.set or len(parts) == 15
        while stop.set and not stop.seen:
            time.sleep(0.01)
        return found

    monkeypatch.setattr(DaskPool, "ended", watched)
    place = Cluster(cluster.address, timeout=60)
    try:
        with place.client() as client:
            client.wait_for_workers(2, timeout=60)
            # each part requests the current upper bound several times
            client.run(setattr, parallel_search, "SLICE", 10_000)
            client.run(setattr, shared_proof, "ASK_INTERVAL", 0.0)
        first = prove(problem, place, tmp_path / "parts", stop=stop)
        assert first.status is Status.CANCELLED and first.verified and first.bound < whole.cost
        assert cluster.workers[0].wait() < 0
        bounds: list[Event] = []
        compare(prove(problem, place, tmp_path / "parts", emit=bounds.append), whole)
        table = pd.DataFrame(problem.dataset.X, columns=problem.dataset.schema.names).assign(y=problem.dataset.y)
        table.to_csv(tmp_path / "table.csv", index=False)
        words = ("--target", "y", "--max-depth", 3, "--min-samples-leaf", 2)
        where = ("--scheduler", cluster.address, "--out", tmp_path / "told")
        facts = fit(capsys, tmp_path / "table.csv", *words, *where)
    finally:
        cluster.end()
    between = [event.value for event in bounds if isinstance(event, Bound) and event.value < whole.cost]
    assert max(between) >= first.bound, "it goes on from the bound that was reached"
    assert facts["status"] == "optimal" and facts["verified"] and facts["cost"] <= whole.cost
    assert sum(facts["stats"]["processor seconds of workers"].values()) > 0
    assert len(list((tmp_path / "told" / "parts").glob("*.npz"))) == 1


class Flag:
    """A stop signal that a test sets."""

    set = seen = False

    def is_set(self) -> bool:
        """Whether it is set."""
        self.seen = self.set
        return self.set


def test_damaged_folders_and_coupled_leaves_are_refused(problem: Problem, tmp_path: Path) -> None:
    """A damaged file is reported with a remedy; problems with constraints that couple leaves cannot be shared."""
    method = SharedConTree(1, Place(partial(Inline, np.random.default_rng(0), 10, []), tmp_path))
    with pytest.raises(InterruptedProofError):
        method.run(problem, Limits(), lambda event: None, Flag())
    (state,), (tree,) = tmp_path.glob("*.npz"), tmp_path.glob("*.json")
    state.write_bytes(state.read_bytes()[:100])
    with pytest.raises(RunError, match="is damaged"):
        solve(problem, method)
    other = replace(problem, constraints=(*problem.constraints, MinSamplesLeaf(40)))
    (tmp_path / f"{other.id}.json").write_text(tree.read_text("utf-8"), "utf-8")
    with pytest.raises(RunError, match="no tree of this problem"):
        solve(other, method)
    with pytest.raises(UnsupportedError, match="on several machines"):
        solve(replace(problem, constraints=(MinPurity(0.6),)), method)
