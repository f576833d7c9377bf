"""The examples of docs/decision-diagrams.md are correct."""

from __future__ import annotations

import json
import re
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solvers.constraints import Constraint, from_json
from solvers.methods import get
from solvers.metrics import fragmentation, unfolded, verify
from solvers.problem import Dataset, Limits, LinearPredicate, Problem, holdout, load_dataset
from solvers.problem.skeleton import PRESETS, objective_of
from solvers.solution import Event, Incumbent, Solution, Status

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "decision-diagrams.md").read_text("utf-8")


def sample(name: str, outcome: str, positive: str | None = None) -> Dataset:
    """A bundled sample."""
    dataset = load_dataset(ROOT / "sample_data" / f"{name}.csv", outcome)
    return dataset if positive is None else replace(dataset, positive=dataset.classes.index(positive))


def solved(
    dataset: Dataset,
    skeleton: str,
    alpha: float,
    *constraints: Constraint,
    goal: tuple[int, int] | None = None,
    **more: object,
) -> Solution:
    """The verified result of the exact search; it ends once it is as good as given: errors and splits."""
    problem = Problem(dataset, PRESETS[skeleton].shape(**more), objective_of(alpha, dataset.n_samples), constraints)
    stop = threading.Event()

    def hear(event: Event) -> None:
        enough = goal is not None and isinstance(event, Incumbent)
        if enough and event.cost <= goal[0] * problem.scale + problem.splits_cost(goal[1]):
            stop.set()

    solution = get("odd-search").run(problem, Limits(seconds=60), hear, stop)
    assert verify(problem, solution).ok
    return solution


def errors(dataset: Dataset, solution: Solution) -> int:
    """Number of errors."""
    return int((solution.diagram.predict(dataset) != dataset.y).sum())


def test_parity_needs_seven_splits() -> None:
    """Proved; the same rule as a tree has fifteen, and every split except the first has 32 rows."""
    dataset = sample("parity", "odd")
    solution = solved(dataset, "II", 0.1)
    assert (solution.status, errors(dataset, solution), solution.diagram.n_splits) == (Status.OPTIMAL, 0, 7)
    assert unfolded(solution.diagram).n_splits == 15
    assert sorted(fragmentation(solution.diagram, dataset).questions) == [32] * 6 + [64]


def test_half_of_iris_needs_two_sums() -> None:
    """With sums of two columns two splits make no error, with single columns three; both are proved."""
    train, _ = holdout(sample("iris", "species"), 0.5, 0)
    for columns, n_questions in ((2, 2), (1, 3)):
        solution = solved(train, "I", 0.1, split_features=columns)
        found = solution.status, errors(train, solution), solution.diagram.n_splits
        assert found == (Status.OPTIMAL, 0, n_questions)
        sums = [node.predicate for node in solution.diagram.nodes[:n_questions]]
        assert any(isinstance(predicate, LinearPredicate) for predicate in sums) == (columns > 1)


CONSTRAINTS = [from_json(json.loads(text)) for text in re.findall(r'`(\{"kind".*?\})`', PAGE)]


@pytest.fixture(scope="module")
def free() -> Solution:
    """The diagram for lending without any constraint."""
    return solved(sample("lending", "granted", "yes"), "I", 0.2, goal=(102, 4))


def test_lending_without_constraints(free: Solution) -> None:
    """The unconstrained diagram finds the officers' rule: four splits, 102 errors."""
    dataset = sample("lending", "granted", "yes")
    assert (errors(dataset, free), free.diagram.n_splits) == (102, 4)
    granted, sex = free.diagram.predict(dataset) == dataset.positive, dataset.X[:, dataset.schema.index("sex")]
    assert granted[sex == 0].mean() - granted[sex == 1].mean() == pytest.approx(0.03, abs=0.005)
    assert min(fragmentation(free.diagram, dataset).questions) < 700


@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=lambda constraint: constraint.kind)
def test_constraints_bind_and_hold(free: Solution, constraint: Constraint) -> None:
    """The unconstrained diagram violates each constraint of the page; with it, it is satisfied, at the stated cost."""
    dataset = sample("lending", "granted", "yes")
    assert constraint.violations(free.diagram, dataset)
    goal = {"demographic-parity": (127, 4), "max-questions": (135, 3), "min-samples-split": (135, 3)}[constraint.kind]
    solution = solved(dataset, "I", 0.2, constraint, goal=goal)
    assert not constraint.violations(solution.diagram, dataset)
    assert solution.bound <= solution.cost and solution.cost > free.cost
    assert (errors(dataset, solution), solution.diagram.n_splits) == goal


def test_all_three_constraints_are_on_the_page() -> None:
    """The page lists fairness, parsimony and stability."""
    assert [constraint.kind for constraint in CONSTRAINTS] == [
        "demographic-parity",
        "max-questions",
        "min-samples-split",
    ]
    assert np.all([f"{count}" in PAGE for count in (127, 135, 102)])
