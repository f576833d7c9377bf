"""Diagrams with splits on several columns: lines, the local search on them, and proofs by number of splits."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from solvers.constraints import MaxLeaves, rules_of
from solvers.kernels.odd_lines import best_on_lines
from solvers.messages import describe_result
from solvers.methods import get
from solvers.methods.diagrams.odd import method as odd_method
from solvers.methods.diagrams.odd_search.method import OddSearch
from solvers.methods.diagrams.odd_search.multivariate import search as multivariate
from solvers.methods.diagrams.program.growth import ProgramGrowth
from solvers.methods.diagrams.program.hyperplanes import Hyperplanes
from solvers.methods.diagrams.program.network import Network, frame_of
from solvers.methods.diagrams.program.offers import DiagramOffers
from solvers.methods.diagrams.terms import LEAST_MARGIN, terms_of, widest
from solvers.methods.mip.highs import HiGHS
from solvers.methods.search.context import SearchContext
from solvers.metrics.verify import verify
from solvers.problem import (
    Dataset,
    Kind,
    Limits,
    LinearPredicate,
    MissingPolicy,
    Objective,
    Problem,
    Shape,
    ShapeKind,
)
from solvers.solution import Bound, Incumbent, Solution, Status
from tests.case_count import case_count
from tests.strategies import datasets, make_dataset, objectives

NAN = float("nan")
FILLED = (MissingPolicy.COMPLETE, MissingPolicy.IMPUTE)


def search(problem: Problem, limits: Limits | None = None, *, stopped: bool = False) -> tuple[Solution, list]:
    """Run the search with a record of its events."""
    stop, events = threading.Event(), []
    if stopped:
        stop.set()
    assert multivariate.unsupported("ODD", problem) == ()
    return Sums().run(problem, limits or Limits(seconds=20), events.append, stop), events


class Sums(OddSearch):
    """The search among weighted sums, including splits on one column."""

    def search(self, context: SearchContext) -> None:
        """Search among them."""
        multivariate.search(context)


def numeric(X: np.ndarray, y: np.ndarray) -> Dataset:
    """A table of numbers."""
    return make_dataset({f"x{j}": (Kind.NUMERIC, X[:, j]) for j in range(X.shape[1])}, y)


def shape(*widths: int, **more: object) -> Shape:
    """A skeleton whose splits may combine columns."""
    return Shape(kind=ShapeKind.DIAGRAM, widths=widths, **{"split_features": None, **more})


@settings(derandomize=True, deadline=None, max_examples=case_count(150))
@given(seed=st.integers(0, 10**6))
def test_lines_are_swept_exactly(seed: int) -> None:
    """Nothing on the lines is better than the result, and the result has its reported cost."""
    rng = np.random.default_rng(seed)
    n, d, n_targets, n_lines = (int(rng.integers(1, most)) for most in (9, 4, 5, 4))
    points = np.hstack((rng.integers(0, 5, (n, d)) / 4, np.full((n, 1), -1.0)))
    bases, directions = rng.integers(-2, 3, (2, n_lines, d + 1)).astype(float)
    costs = rng.integers(0, 4, (n, n_targets + 1))
    charges = rng.integers(-1, 3, (n_targets + 1, n_targets + 1))
    ceiling = int(rng.integers(0, 20))
    found = best_on_lines(points, bases, directions, costs, charges, ceiling, LEAST_MARGIN)
    best = ceiling
    for base, direction in zip(bases, directions, strict=True):
        values, slopes = points @ base, points @ direction
        turns = np.unique(-values[slopes != 0] / slopes[slopes != 0])
        places = [0.0] if not len(turns) else [turns[0] - 9, *(turns[1:] + turns[:-1]) / 2, turns[-1] + 9]
        for at in places:
            yes = values + at * slopes <= 0
            if not np.abs((base + at * direction)[:-1]).sum() > 0:
                continue
            for a, b in product(range(n_targets + 1), repeat=2):
                if charges[a, b] >= 0:
                    best = min(best, costs[yes, a].sum() + costs[~yes, b].sum() + charges[a, b])
    assert found.total == best
    assert (found.line >= 0) == (best < ceiling)
    if found.line >= 0:
        yes = points @ (bases[found.line] + found.step * directions[found.line]) <= 0
        total = costs[yes, found.yes].sum() + costs[~yes, found.no].sum() + charges[found.yes, found.no]
        assert total == found.total


def test_a_split_below_the_margin_is_skipped() -> None:
    """A split with less than the margin is skipped, however good it is."""
    costs = np.array([[0, 1], [0, 1], [1, 0], [1, 0]])
    charges = np.array([[-1, 0], [0, -1]])
    for gap, total in ((1e-3, 0), (1e-5, 1)):
        x = np.array([0, 0.5, 0.5 + gap, 1])
        points = np.stack((x, np.full(4, -1.0)), axis=1)
        found = best_on_lines(points, np.array([[1.0, 0]]), np.array([[0, 1.0]]), costs, charges, 9, LEAST_MARGIN)
        assert found.total == total


def least_cost(problem: Problem, widths: tuple[int, ...]) -> int:
    """The optimum within a skeleton that is a tree, over all partitions of the rows at every node."""
    scaled = terms_of(problem).scaled
    most = sum(widths)

    @partial(np.vectorize, otypes=[bool], signature="(n),(n)->()")
    def parts(rows: np.ndarray, low: np.ndarray) -> bool:
        return widest(scaled[rows & low], scaled[rows & ~low])[1] >= LEAST_MARGIN

    def leaf(rows: np.ndarray) -> int:
        by_class = np.bincount(problem.dataset.y[rows], problem.weights[rows], problem.dataset.n_classes)
        return int(problem.leaf_costs(by_class.astype(np.int64)).min())

    def below(rows: np.ndarray, depth: int) -> dict[int, int]:
        """The least cost of the leaves for each number of splits."""
        best = {0: leaf(rows)}
        n = int(rows.sum())
        for code in range(1, 2 ** (n - 1)) if depth and n > 1 else ():
            low = np.zeros(len(rows), bool)
            low[np.flatnonzero(rows)] = [code >> i & 1 for i in range(n)]
            if not parts(rows, low):
                continue
            first, second = below(rows & low, depth - 1), below(rows & ~low, depth - 1)
            for (a, x), (b, y) in product(first.items(), second.items()):
                best[a + b + 1] = min(best.get(a + b + 1, x + y), x + y)
        return best

    found = below(np.ones(problem.dataset.n_samples, bool), len(widths))
    most = min(most, problem.size.max_splits or most)
    return min(cost + problem.splits_cost(count) for count, cost in found.items() if count <= most)


@pytest.mark.parametrize("seed", range(case_count(5)))
@pytest.mark.parametrize("widths", [(1,), (1, 2)])
def test_agrees_with_complete_enumeration(widths: tuple[int, ...], seed: int) -> None:
    """On few rows the proved optimum is that of exhaustive search."""
    rng = np.random.default_rng(seed)
    n = 7 if len(widths) == 1 else 6
    table = numeric(rng.integers(0, 4, (n, 2)).astype(float), rng.integers(0, 3, n))
    problem = Problem(
        table, shape(*widths), Objective(split_penalty=float(rng.choice([0, 0.5, 1.25])), free_root=bool(seed % 2))
    )
    solution, _ = search(problem)
    assert solution.status is Status.OPTIMAL
    assert solution.cost == solution.bound == least_cost(problem, widths)


def test_no_optimum_of_the_program_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a starting diagram, the solver proves the optimum of exhaustive search.

    `ESPALIER_PROGRAMS` sets the number of problems, as in `tests/magnitude/test_linear_programs.py`.
    """
    monkeypatch.setattr(odd_method, "first_drafts", lambda *_: ())
    for k in range(int(os.environ.get("ESPALIER_PROGRAMS", "8"))):
        rng = np.random.default_rng([k, 7])
        widths = ((1,), (1, 2))[k % 2]
        n = int(rng.integers(4, 7))
        X = (rng.integers(0, 4, (n, 2)).astype(float), rng.random((n, 2)), rng.random((n, 2)).round(2))[rng.integers(3)]
        objective = Objective(split_penalty=float(rng.choice([0, 0.3, 0.5, 1.25])), free_root=bool(rng.random() < 0.5))
        problem = Problem(numeric(X, rng.integers(0, int(rng.integers(2, 4)), n)), shape(*widths), objective)
        solution = get("odd", backend="highs").run(problem, Limits(seconds=30), lambda event: None, threading.Event())
        best = least_cost(problem, widths)
        assert solution.bound <= best <= solution.cost, (k, X.tolist())
        assert solution.status is Status.OPTIMAL, k


def test_terms_are_posted_as_integers() -> None:
    """Rounding to ticks loses no split with the margin, and leaves no fraction in the program."""
    rng = np.random.default_rng(1)
    for gap in (LEAST_MARGIN, 1.5 * LEAST_MARGIN, 0.3):
        x = np.array([0.0, 0.123456789, 0.123456789 + gap, 1.0])
        problem = Problem(numeric(np.stack((x, rng.random(4)), axis=1), np.array([0, 0, 1, 1])), shape(1))
        hyperplanes = Hyperplanes(problem, rules_of(problem))
        net = Network(problem, rules_of(problem), hyperplanes, frame_of(problem.size, 2), tree=False)
        program = net.model.program()
        assert program.exact
        solution = get("odd", backend="highs").run(problem, Limits(), lambda event: None, threading.Event())
        assert (solution.status, solution.cost) == (Status.OPTIMAL, 0)


@pytest.mark.parametrize("seed", range(case_count(6)))
def test_the_proof_finds_what_the_search_missed(seed: int) -> None:
    """Starting from the best constant alone, the programs for 1, 2, ... splits find the optimum and prove it."""
    rng = np.random.default_rng(seed)
    table = numeric(rng.integers(0, 4, (6, 2)).astype(float), rng.integers(0, 3, 6))
    problem = Problem(table, shape(1, 2, max_splits=(None, 1, 2)[seed % 3]), Objective(split_penalty=0.5))
    context = SearchContext("odd-search", problem, Limits(), lambda event: None, threading.Event())
    offers = DiagramOffers(context, terms_of(problem))
    offers.constants()
    proof = ProgramGrowth(offers, [HiGHS()], tree=False)
    proof.go_on(context.deadline)
    assert proof.complete
    assert context.cost == context.bound == least_cost(problem, (1, 2))


@settings(derandomize=True, deadline=None, max_examples=case_count(40))
@given(data=st.data())
def test_sound_on_any_table(data: st.DataObject) -> None:
    """Every result passes the verifier, incumbents and bounds are in order, seeds change no optimum."""
    table = data.draw(datasets(max_rows=10, policies=FILLED))
    objective = replace(data.draw(objectives(table.n_classes)), free_root=data.draw(st.booleans()))
    more = data.draw(
        st.sampled_from(({}, {"split_features": 2}, {"max_splits": 1}, {"max_splits": 0}, {"max_leaf_nodes": 2}))
    )
    problem = Problem(table, shape(*data.draw(st.sampled_from(((), (1,), (1, 1)))), **more), objective)
    solution, events = search(problem, Limits(seconds=3))
    checks = verify(problem, solution)
    assert checks.ok, checks.failures
    costs = [event.cost for event in events if isinstance(event, Incumbent)]
    bounds = [event.value for event in events if isinstance(event, Bound)]
    assert costs == sorted(set(costs), reverse=True) and bounds == sorted(set(bounds))
    assert max(bounds) <= min(costs) == solution.cost
    other, _ = search(problem, Limits(seconds=3, seed=1))
    if solution.status is other.status is Status.OPTIMAL:
        assert other.cost == solution.cost


@pytest.mark.parametrize("method", ["odd", "odd-search"])
def test_all_splits_are_in_the_program(method: str) -> None:
    """With sums there are no splits on missing values or thresholds within the margin, which no proof covers."""
    fine = numeric(np.array([[0.0], [0.5], [0.500001], [1.0]]), np.array([0, 0, 1, 1]))
    gone = make_dataset({"x": (Kind.NUMERIC, [1, NAN, NAN, 1])}, [0, 1, 1, 0], missing=MissingPolicy.IMPUTE)
    for table, cost in ((fine, 1), (gone, 2)):
        problem = Problem(table, shape(1, 2))
        solution = get(method).run(problem, Limits(seconds=60), lambda event: None, threading.Event())
        assert (solution.status, solution.cost) == (Status.OPTIMAL, cost)
        assert "keep a margin of 0.0001" in describe_result(problem, solution)


def test_sums_include_levels_and_imputed_values() -> None:
    """A sum may include levels of a category and imputed values; the verifier agrees."""
    rng = np.random.default_rng(2)
    ward, dose = rng.integers(0, 3, 30).astype(float), rng.random(30)
    y = (dose + 0.5 * (ward == 2) > 0.8).astype(int)
    dose[3], dose[8] = NAN, NAN
    table = make_dataset(
        {"ward": (Kind.CATEGORICAL, ward), "dose": (Kind.NUMERIC, dose)}, y, missing=MissingPolicy.IMPUTE
    )
    problem = Problem(table, shape(1, 2), Objective(split_penalty=0.5))
    solution, _ = search(problem, Limits(seconds=10))
    assert verify(problem, solution).ok
    sums = [node.predicate for node in solution.diagram.nodes[: solution.diagram.n_splits]]
    assert any(isinstance(predicate, LinearPredicate) and 2 in predicate.levels for predicate in sums)


def test_missing_values_are_refused() -> None:
    """A column with missing values cannot be summed; the reason names column, row and remedy."""
    table = make_dataset({"x": (Kind.NUMERIC, [1, NAN, 3]), "z": (Kind.NUMERIC, [1, 2, 3])}, [0, 1, 1])
    (reason,) = multivariate.unsupported("ODD", Problem(table, shape(1, 2)))
    assert "'x' is missing in row 2" in str(reason) and "Impute missing values" in reason.remedy


def test_constraints_are_satisfied() -> None:
    """Search and proof satisfy the constraints that the program posts."""
    X, y = load_iris(return_X_y=True)
    problem = Problem(numeric(X[::10], y[::10]), shape(1, 2), constraints=(MaxLeaves(2),))
    solution, _ = search(problem)
    assert (solution.status, solution.diagram.n_leaves, solution.cost) == (Status.OPTIMAL, 2, 5)
    assert verify(problem, solution).ok
