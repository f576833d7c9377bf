"""A proof claimed by a third-party solver is repeated, and a difference ends the run as a failure."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import numba
import pytest

from solvers.constraints import MaxErrors
from solvers.errors import ProofError
from solvers.messages import describe_result
from solvers.methods import FIRST, REGISTRY, get
from solvers.methods.trees.contree import ConTree
from solvers.problem import Kind, Limits, Problem, Shape, ShapeKind
from solvers.run import JobState, WorkerPool, second_proof, solve
from solvers.solution import Log, Progress, Solution, Status
from tests.run.fakes import FAKES, no_model
from tests.run.problems import plain
from tests.strategies import make_dataset

TABLE = make_dataset(
    {"a": (Kind.NUMERIC, [0, 1, 2, 3, 4, 5, 6, 7]), "b": (Kind.BINARY, [0, 1, 1, 0, 0, 1, 0, 1])},
    [0, 1, 1, 1, 0, 0, 1, 0],
)
SHAPES = {
    "cptree": Shape(max_depth=2),
    "cptree-mip": Shape(max_depth=2),
    "inferdt-size": Shape(max_depth=3),
    "inferdt-depth": Shape(max_depth=3),
    "bdd-maxsat": Shape(ShapeKind.BDD, max_depth=2),
    "bdd-sat": Shape(ShapeKind.BDD, max_depth=2),
    "odd": Shape(ShapeKind.DIAGRAM, widths=(1, 2)),
}
"""Problems of methods that rest on a third-party solver and have a counterpart."""

ALONE = {"odd-search"}
"""Methods that may rest on a third-party solver without a counterpart, because they are our own."""


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fake methods in the registry, for one test; kernels are compiled before any second proof."""
    for name, entry in FAKES.items():
        monkeypatch.setitem(REGISTRY, name, entry)
    get.cache_clear()
    for name in (*FIRST.values(), "smallest-tree"):
        get(name).precompile(constraints=True)


def test_every_third_party_solver_is_known() -> None:
    """The registry names the packages of each method, which determine whose proofs are repeated."""
    foreign = {name for name, entry in REGISTRY.items() if entry.foreign and not name.startswith("fake")}
    assert foreign == set(SHAPES) | ALONE


@pytest.mark.parametrize("method", SHAPES)
def test_the_same_result_counts_as_confirmed(method: str) -> None:
    """Details and text name our own method that found the same."""
    problem = Problem(TABLE, SHAPES[method])
    solution = solve(problem, method, Limits(seconds=30))
    own = "smallest-tree" if method.startswith("inferdt") else FIRST[SHAPES[method].kind]
    assert (solution.status, solution.verified, solution.details.confirmed_by) == (Status.OPTIMAL, True, own)
    assert f"Confirmed by a second method, '{own}'." in describe_result(problem, solution)


def test_infeasibility_is_also_confirmed() -> None:
    """A proof of infeasibility is also repeated."""
    problem = Problem(TABLE, Shape(max_depth=1), constraints=(MaxErrors(0),))
    solution = solve(problem, "cptree-mip", Limits(seconds=30))
    assert (solution.status, solution.details.confirmed_by) == (Status.INFEASIBLE, "contree")


@pytest.mark.parametrize("method", ["contree", "odd-search", "cart"])
def test_results_of_own_methods_are_not_confirmed(method: str) -> None:
    """Nothing is reported if the first proof is from a method of our own, or if there is no proof."""
    shape = Shape(ShapeKind.DIAGRAM, widths=(1, 2)) if method == "odd-search" else Shape(max_depth=2)
    assert not solve(Problem(TABLE, shape), method, Limits(seconds=30)).details.confirmed_by


def test_a_method_with_another_shape_is_not_confirmed() -> None:
    """If an option changes the problem, the second method does not solve a different one."""
    narrow = Problem(TABLE, Shape(ShapeKind.DIAGRAM, widths=(1, 2, 2)))
    solution = solve(narrow, "odd", Limits(seconds=30), options={"topology": "tree"})
    assert not solution.details.confirmed_by


@pytest.mark.parametrize(("method", "fact"), [("inferdt-depth", "least_depth"), ("inferdt-size", "nodes")])
def test_a_wrong_size_is_a_failure(method: str, fact: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Methods that minimize the size are checked by size, not by cost alone."""
    problem, run = Problem(TABLE, Shape(max_depth=4)), get(method).run

    def larger(*arguments: object) -> Solution:
        found = run(*arguments)
        known = found.details.consistent
        wrong = replace(known, **{fact: getattr(known, fact) + 2})
        return replace(found, details=replace(found.details, consistent=wrong))

    monkeypatch.setattr(type(get(method)), "run", lambda self, *arguments: larger(*arguments))
    with pytest.raises(ProofError, match=f"'{method}' found that the minimum .* but 'smallest-tree' found"):
        solve(problem, method, Limits(seconds=30))


def test_sums_of_columns_have_no_second_method() -> None:
    """All proofs about splits on sums of columns rest on the same linear program."""
    shape = Shape(ShapeKind.DIAGRAM, widths=(1,), split_features=None)
    assert second_proof.second_for(Problem(TABLE, shape), get("odd")) is None


@pytest.mark.parametrize(
    ("method", "constraints", "words"),
    [
        ("fake-overclaiming", (), r"'fake-overclaiming' .* cost \d+ .* 'contree' found one of cost \d"),
        (
            "fake-denying",
            (MaxErrors(10),),
            r"'fake-denying' found that no tree satisfies .* 'contree' found one of cost",
        ),
    ],
)
def test_a_wrong_proof_is_a_failure(method: str, constraints: tuple, words: str) -> None:
    """The error names both methods and both results, for an optimum and for infeasibility."""
    with pytest.raises(ProofError, match=words):
        solve(replace(plain(), constraints=constraints), method)


def test_a_bound_above_the_cost_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second bound above the cost is a failure: one of the two methods is wrong."""
    problem = Problem(TABLE, Shape(max_depth=2))
    best = solve(problem, "contree")
    worse = replace(best, status=Status.NO_SOLUTION, cost=None, diagram=None, bound=best.cost + 1, trace=())
    monkeypatch.setattr(ConTree, "run", lambda *_: worse)
    with pytest.raises(ProofError, match=f"'contree' found that none costs less than {best.cost + 1}"):
        solve(problem, "cptree", Limits(seconds=30))
    constrained = replace(problem, constraints=(MaxErrors(3),))
    monkeypatch.setattr(ConTree, "run", lambda *_: no_model(constrained, "contree"))
    with pytest.raises(ProofError, match="'contree' found that no tree satisfies all constraints"):
        solve(constrained, "cptree", Limits(seconds=30))


def test_an_undecided_second_proof_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """If time runs out, the problem is too large, the user stops, or a kernel must be compiled, the result stays."""
    problem = Problem(TABLE, Shape(max_depth=2))
    first = solve(problem, "cptree", Limits(seconds=30))
    plainly = replace(first, details=replace(first.details, confirmed_by=""))

    def again(stop: threading.Event | None = None, **limits: int) -> object:
        return second_proof.confirmed(
            problem, get("cptree"), plainly, Limits(**limits), stop or threading.Event(), lambda event: None
        )

    assert again() != plainly
    stopped = threading.Event()
    stopped.set()
    assert again(stopped) == plainly
    assert again(memory_mb=500) == plainly and again(memory_mb=100_000) != plainly
    with monkeypatch.context() as patch:
        patch.setattr(second_proof, "MOST_CELLS", 1)
        assert again() == plainly
    with monkeypatch.context() as patch:
        early = replace(first, method="contree", status=Status.FEASIBLE, bound=0, trace=())
        patch.setattr(ConTree, "run", lambda *_: early)
        assert again() == plainly
    compiled: list[int] = []
    kernel = numba.njit(lambda x: x + 1)
    monkeypatch.setattr(ConTree, "precompile", lambda *_, **__: compiled.append(kernel(1)))
    assert again() == plainly
    assert compiled == [] and kernel(1) == 2


def test_a_bound_for_a_subset_is_not_contradicted() -> None:
    """A bound for a subset of the models makes no claim about all of them."""
    problem = Problem(TABLE, Shape(max_depth=2))
    solution = replace(solve(problem, "cptree", Limits(seconds=30)), stats={}, scope="models of some kind")
    assert second_proof.confirmed(problem, get("cptree"), solution, Limits(), threading.Event(), print) == solution


def test_an_error_of_the_second_method_keeps_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """The log has the error."""

    def broken(*_: object) -> None:
        raise ZeroDivisionError("a fault")

    events: list[object] = []
    monkeypatch.setattr(ConTree, "run", broken)
    solution = solve(Problem(TABLE, Shape(max_depth=2)), "cptree", Limits(seconds=30), events.append)
    assert solution.status is Status.OPTIMAL and "confirmed by" not in solution.stats
    assert [event.text for event in events if isinstance(event, Log)][-1].endswith("ZeroDivisionError: a fault")
    assert any("solving it again" in event.text for event in events if isinstance(event, Progress))


def test_a_contradicted_proof_fails_the_run_in_a_worker(tmp_path: Path) -> None:
    """The job ends as failed, gives the reason, and keeps the tree without the contradicted bound."""
    with WorkerPool(tmp_path, warm=(), imports=("tests.run.plugin",)) as pool:
        shot = pool.submit(plain(), "fake-overclaiming").wait(60)
    assert shot.state is JobState.FAILED
    assert "'contree' found one of cost" in shot.error
    assert (shot.solution.status, shot.solution.bound, shot.solution.verified) == (Status.FEASIBLE, None, True)
    assert shot.bound is None
