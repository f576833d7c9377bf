"""The trees of all sizes against brute force; the recommendation, and its unbiased error."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from solvers.constraints import MaxColumns, MaxDepth, MinSensitivity
from solvers.errors import DataError, ShapeError
from solvers.explain import Task
from solvers.messages.recommendation import describe_choice
from solvers.methods import get
from solvers.metrics.recommended_size import Recommendation, SizeCandidate, choose
from solvers.problem import Dataset, Kind, Limits, Objective, Problem, Shape, ShapeKind
from solvers.run.records import from_plain, to_plain
from solvers.solution import Answer, Solution, Status
from solvers.study import JobOutcome, SweepJob, jobs, solve_job
from solvers.study.recommendation import PRICES, RecommendSize, SizeLimits, different, recommend, trees_by_price
from solvers.study.resamples import folds, problem_of
from tests.oracle.trees import least_cost
from tests.strategies import datasets, make_dataset

FREE = Limits(seconds=None)


@given(
    dataset=datasets(max_rows=14, max_columns=2),
    depth=st.integers(1, 3),
    factor=st.sampled_from((0, 1, 3)),
    price=st.sampled_from(PRICES),
    dear=st.booleans(),
)
def test_the_best_tree_is_compared_for_every_split_penalty(
    dataset: Dataset, depth: int, factor: int, price: float, dear: bool
) -> None:
    """Brute force finds nothing cheaper than the cheapest compared tree, for any split penalty."""
    n = dataset.n_classes
    costs = tuple(tuple(0.0 if i == j else 1.0 + 2.0 * (i == 0) for j in range(n)) for i in range(n)) if dear else None
    size = SizeLimits("contree", depth, factor)
    problem = Problem(dataset, objective=Objective(costs))
    posed = size.to_problem(problem, price)

    def tree(price: float) -> Iterator[JobOutcome]:
        return solve_job(SweepJob("", size.to_problem(problem, price), limits=FREE))
        yield

    with pytest.raises(StopIteration) as end:
        next(trees_by_price(tree))
    found = [diagram for _, _, diagram in different(end.value.value)]
    least = least_cost(posed)
    assert (least is None) == (not found)
    if least is not None:
        assert min(posed.cost_of(diagram) for diagram in found) == least
        assert len({diagram.n_splits for diagram in found}) == len(found)


def crossed(n_rows: int, noise: float, seed: int = 0) -> Dataset:
    """A class by the exclusive or of two thresholds; some rows have the other class."""
    random = np.random.default_rng(seed)
    table = random.random((n_rows, 3)).round(3)
    y = ((table[:, 0] > 0.5) ^ (table[:, 1] > 0.5) ^ (random.random(n_rows) < noise)).astype(int)
    return make_dataset({f"x{i}": (Kind.NUMERIC, table[:, i]) for i in range(3)}, y.tolist())


def test_the_true_size_is_recommended() -> None:
    """Depth two, four leaves, and about as many errors on new rows as the noise causes."""
    found = recommend(Problem(crossed(300, 0.1)), FREE, n_folds=3, repeats=2, n_outer=3)
    assert found.finished and found.choice is not None and found.error is not None
    assert (found.choice.depth, found.choice.n_leaves, found.choice.greedy) == (2, 4, False)
    assert found.done == found.of == 3 * 2 + 3 * 3 and len(found.outer) == 3
    assert abs(found.error - 0.1) < 0.06
    assert found.honest(lambda fold: fold.constant_error) > 0.4
    assert [one.n_leaves for one in found.candidates] == sorted(one.n_leaves for one in found.candidates)


def test_noise_gets_a_constant_prediction() -> None:
    """If no column is informative, the constant prediction is recommended, although larger trees fit better."""
    found = recommend(Problem(crossed(300, 0.5, 2)), FREE, n_outer=0)
    assert found.choice is not None and found.choice.n_leaves == 1
    assert min(one.train_error for one in found.candidates) < found.choice.train_error - 0.1


def test_the_outer_loop_makes_the_same_choice_on_fewer_rows() -> None:
    """Each fold of the outer loop has the error of the recommendation without its rows."""
    problem = Problem(crossed(100, 0.15, 3), objective=Objective(class_costs=((0.0, 1.0), (3.0, 0.0))))
    limits = Limits(seconds=None, seed=4)
    found = recommend(problem, limits, n_folds=2, repeats=1, n_outer=2)
    assert len(found.outer) == 2
    for fold, part in zip(found.outer, folds(problem.dataset, 2, 1, limits.seed + 1), strict=True):
        inner = recommend(problem_of(problem, part.train), limits, n_folds=2, repeats=1, n_outer=0).choice
        assert inner is not None
        assert (fold.n_leaves, fold.method) == (inner.n_leaves, inner.method)
        test = problem.dataset.take(part.test)
        solution = get(inner.method).run(
            inner.to_problem(problem_of(problem, part.train)), FREE, lambda event: None, threading.Event()
        )
        assert solution.diagram is not None
        predicted = solution.diagram.predict(test)
        costs = np.where(predicted == test.y, 0.0, np.where(test.y == 1, 3.0, 1.0))
        assert fold.error == pytest.approx(costs.mean())
        assert fold.weight == test.n_samples


def candidate(n_leaves: int, *errors: float, method: str = "contree") -> SizeCandidate:
    """A size with its validated errors."""
    return SizeCandidate(method, 3, 5, 0.0, n_leaves, 3, 0.0, errors)


def test_the_smallest_size_within_one_standard_error_is_chosen() -> None:
    """Mean 0.20 with a standard error of 0.02: 0.21 qualifies with fewer leaves, 0.23 does not."""
    best = candidate(8, 0.18, 0.22)
    assert choose([candidate(2, 0.23, 0.23), candidate(4, 0.20, 0.22), best]) == 1
    assert choose([candidate(2, 0.23, 0.23), best]) == 1
    assert choose([]) is None


def test_a_greedy_tree_is_recommended_only_if_no_optimal_one_is_as_good() -> None:
    """Of equally good trees the one with a proof is taken, even if it is larger."""
    greedy, optimal = candidate(3, 0.18, 0.22, method="cart"), candidate(5, 0.21, 0.21)
    assert choose([greedy, optimal]) == 1
    assert choose([greedy, candidate(5, 0.3, 0.3)]) == 0


def test_all_trees_satisfy_constraints_and_greedy_ones_are_omitted() -> None:
    """Under a constraint only methods that satisfy it are compared."""
    problem = Problem(crossed(80, 0.1), constraints=(MaxColumns(1),))
    found = recommend(problem, FREE, n_folds=3, repeats=1, n_outer=0)
    assert found.candidates and not any(one.greedy for one in found.candidates)
    assert found.choice is not None and found.choice.mean > 0.3


def test_sizes_are_compared_at_a_demanded_sensitivity() -> None:
    """If nothing predicts the outcome, 80% sensitivity on other rows means that all are flagged."""
    data = replace(crossed(80, 0.1), y=(np.arange(80) % 8 == 3).astype(int), positive=1)
    problem = Problem(data, constraints=(MinSensitivity(0.8), MaxDepth(1)))
    found = recommend(problem, FREE, n_folds=3, repeats=1, n_outer=2)
    assert all(one.mean > 0.8 for one in found.candidates) and len(found.candidates) > 1
    assert all(fold.constant_error > 0.8 for fold in found.outer)
    assert "on validation rows if sensitivity for" in describe_choice(structs.replace(found, chosen=1), problem)


def test_no_constant_prediction_is_recommended_if_deeper_trees_lacked_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Crossed rows need depth 2; if its searches end without a tree or without a split, its depth is named."""
    real = jobs.solve

    def slow(problem: Problem, *rest: object) -> Solution:
        leaf = real(replace(problem, objective=Objective(split_penalty=1000)), *rest)
        none = replace(leaf, status=Status.NO_SOLUTION, diagram=None, cost=None)
        return {1: leaf, 2: replace(leaf, status=Status.FEASIBLE)}.get(problem.shape.max_depth, none)

    monkeypatch.setattr(jobs, "solve", slow)
    found = recommend(Problem(crossed(80, 0), constraints=(MaxColumns(2),)), FREE, n_folds=3, repeats=1)
    assert (found.choice, found.left_out, found.outer, found.finished) == (None, (2, 3), (), True)
    assert [one.n_leaves for one in found.candidates] == [1]


def test_a_partial_recommendation_is_returned_at_the_end() -> None:
    """Without time for the folds nothing is recommended; after a stop in the outer loop the choice is kept."""
    problem = Problem(crossed(100, 0.1))
    short = recommend(problem, Limits(seconds=1e-6))
    assert (short.finished, short.chosen, short.candidates, short.outer) == (True, None, (), ())
    stop, seen = threading.Event(), list[Recommendation]()

    def look(known: Recommendation) -> None:
        seen.append(known)
        if known.outer:
            stop.set()

    found = recommend(problem, FREE, stop, look, n_folds=3, repeats=1)
    assert found.finished and found.choice is not None and len(found.outer) == 1
    assert [one.done for one in seen] == sorted(one.done for one in seen)


class _Countdown:
    """A stop signal that is set after a number of checks from `begin` on."""

    def __init__(self, looks: int) -> None:
        self.looks, self.begun = looks, False

    def begin(self, known: Recommendation) -> None:
        """Count from the last fold of the first repeat."""
        self.begun = self.begun or known.done == 2

    def is_set(self) -> bool:
        self.looks -= self.begun
        return self.looks < 0


@pytest.mark.parametrize("looks", (0, 15))
def test_a_stop_within_a_fold_favours_no_size(looks: int) -> None:
    """All sizes are tested on the same folds; otherwise only greedy trees, which come first, would remain."""
    stop = _Countdown(looks)
    found = recommend(Problem(crossed(60, 0.1)), FREE, stop, stop.begin, n_folds=2, repeats=2, n_outer=0)
    assert {len(one.errors) for one in found.candidates} == {2}
    assert {one.greedy for one in found.candidates} == {False, True}


def test_unsupported_requests_are_refused() -> None:
    """Other shapes, and fewer rows than folds."""
    with pytest.raises(ShapeError, match="trees only"):
        recommend(Problem(crossed(50, 0.1), Shape(ShapeKind.BDD)), FREE)
    with pytest.raises(DataError, match="too few for 5 folds"):
        recommend(Problem(crossed(4, 0.1)), FREE)


def test_task_and_result_survive_a_round_trip() -> None:
    """The worker reads the task, and the program its result."""
    task = RecommendSize("contree", {"preprocess": "on"}, 4, 3, 2)
    assert from_plain(Task, to_plain(task)) == task
    found = recommend(Problem(crossed(100, 0.1)), FREE, n_folds=3, repeats=1, n_outer=2)
    assert from_plain(Answer, to_plain(found)) == found
    assert structs.replace(found, seconds=0.0) == structs.replace(
        recommend(Problem(crossed(100, 0.1)), FREE, n_folds=3, repeats=1, n_outer=2), seconds=0.0
    )
