"""Studies: the jobs from axes and parts of the rows, and the table of their outcomes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solvers.constraints import NeverColumns
from solvers.problem import Kind, Limits, Objective, Problem, Shape, ShapeKind, sample_dataset
from solvers.problem.skeleton import objective_of
from solvers.run.record import Record
from solvers.run.solver_run import StopFlag, carry_task
from solvers.solution import Status
from solvers.study import InProcess, SweepJob
from solvers.study.resamples import folds
from solvers.study.stored import create_sweep, list_sweeps
from solvers.study.study import Constrained, Study, of_each
from tests.strategies import make_dataset
from tests.study.in_process import run_jobs

IRIS = sample_dataset("iris")
SMALL = Study(("contree", "cart"), depths=(1, 2), leaves=(2, 3, 4))


def constrained() -> Problem:
    """Trees for Iris that never use the width of petals."""
    return Problem(IRIS, Shape(max_depth=2), constraints=(NeverColumns(("petal_width_cm",)),))


def test_equivalent_sizes_are_solved_once():
    """Depth 2 with at most 4 leaves equals depth 2; larger sizes come later."""
    jobs = [job for job, _ in SMALL.cells(Problem(IRIS, Shape(max_depth=3)))]
    sizes = "d2 l2", "d2 l3", "d1", "d2"
    assert [job.key for job in jobs] == [f"{name} {size}" for size in sizes for name in SMALL.methods]


def test_constraints_are_kept_if_the_method_supports_them():
    """ConTree makes each tree with and without the constraints; CART, which supports none, makes one."""
    for asked, found in (
        (Constrained.BOTH, [("contree", True), ("contree", False), ("cart", False)]),
        (Constrained.KEPT, [("contree", True), ("cart", False)]),
        (Constrained.FREE, [("contree", False), ("cart", False)]),
    ):
        cells = Study(("contree", "cart"), depths=(1,), constrained=asked).cells(constrained())
        assert [(job.method, bool(job.problem.constraints)) for job, _ in cells] == found


@pytest.mark.parametrize(
    ("kind", "methods", "sizes", "shapes"),
    [
        (ShapeKind.BDD, ("bdd-search", "cart"), {"depths": (1, 2)}, {ShapeKind.BDD, ShapeKind.TREE}),
        (ShapeKind.DIAGRAM, ("odd-search", "cart"), {"depths": (2,), "alphas": (0.1, 1.0)}, {"diagram", "tree"}),
    ],
)
def test_every_shape_has_its_own_sizes(kind, methods, sizes, shapes):
    """BDDs have levels, diagrams a split penalty, and trees are compared with them."""
    shape = Shape(kind, max_depth=2) if kind is ShapeKind.BDD else Shape(kind, widths=(1, 2, 2))
    problems = [job.problem for job, _ in Study(methods, **sizes).cells(Problem(IRIS, shape))]
    assert {problem.shape.kind for problem in problems} == shapes
    assert all(problem.objective.free_root for problem in problems if problem.shape.kind is ShapeKind.DIAGRAM)
    assert not any(problem.objective.split_penalty for problem in problems if problem.shape.kind is ShapeKind.TREE)


def test_larger_trees_are_no_worse():
    """Exact trees cost no more with more leaves, and greedy ones are never better."""
    results = SMALL.results(Problem(IRIS, Shape(max_depth=2)))
    costs = {row["key"]: row["cost"] for row in results.rows}
    exact = [costs[f"all: contree {size}"] for size in ("d2 l2", "d2 l3", "d2")]
    assert exact == sorted(exact, reverse=True) and costs["all: contree d1"] == exact[0]
    assert all(costs[f"all: contree {size}"] <= costs[f"all: cart {size}"] for size in ("d2 l2", "d2 l3", "d1", "d2"))
    assert all(row["verified"] for row in results.rows) and (results.done, results.of) == (8, 8)


def test_the_time_limit_of_a_job_does_not_end_the_sweep():
    """Regression: the time limit of one job set the stop of the whole sweep in a worker."""
    rng = np.random.default_rng(0)
    noise = replace(IRIS, X=rng.random((1500, 4)), y=rng.integers(0, 3, 1500), rows=np.arange(1500))
    jobs = [
        SweepJob("late", Problem(noise, Shape(max_depth=5)), limits=Limits(seconds=0.3)),
        SweepJob("next", Problem(IRIS, Shape(max_depth=1))),
    ]
    stop = StopFlag()
    late, after = run_jobs(jobs, InProcess(), stop)
    assert late.solution.status is Status.FEASIBLE and not stop.is_set()
    assert after.solution.status is Status.OPTIMAL


def test_a_worker_solves_a_study():
    """The task runs on a channel as in a worker, which loses no message, however closely they follow."""
    from solvers.run.solver_run import Channel

    events = []
    task = Study(("contree", "cart"), depths=(1, 2))
    carry_task(task, Problem(IRIS, Shape(max_depth=1)), "contree", Limits(), Channel(events.append), StopFlag())
    record = Record()
    for event in events:
        record.apply(event)
    found = record.answer.results
    assert record.answer.finished and len(found.rows) == 4
    assert [row["questions"] for row in found.rows] == [model.n_splits for model in found.models]


def test_models_without_a_time_limit_have_none_in_a_stored_study(tmp_path):
    """Regression: without a limit, each model had the default of 5 seconds."""
    study = Study(("contree",), depths=(1,), **of_each(Limits(seconds=None)))
    assert study.limits.seconds is None
    create_sweep(tmp_path, study)
    assert [sweep.task.limits for sweep in list_sweeps(tmp_path).sweeps] == [study.limits]


def test_the_total_time_limit_ends_the_study():
    """Jobs that have not started by then have no line."""
    late = SMALL.results(Problem(IRIS, Shape(max_depth=2)), 1e-6)
    assert (late.done, late.of) == (0, 8)


LAYERS = ((1,), (1, 2))


def three_classes(n: int = 60, weight: list[float] | None = None):
    """Rows of three classes that two thresholds separate, except for a few."""
    rng = np.random.default_rng(0)
    X = rng.random((n, 3))
    y = (X[:, 0] > 0.4).astype(int) + ((X[:, 0] > 0.4) & (X[:, 1] > 0.5))
    wrong = rng.random(n) < 0.1
    return make_dataset(
        {f"x{j}": (Kind.NUMERIC, X[:, j]) for j in range(3)}, np.where(wrong, (y + 1) % 3, y).tolist(), weight=weight
    )


def diagrams(n: int = 60, **more: object) -> Problem:
    """The table as a problem for diagrams."""
    return Problem(three_classes(n), Shape(kind=ShapeKind.DIAGRAM, widths=(1, 2)), **more)


def test_every_setting_is_tried_in_every_repeat() -> None:
    """Each skeleton is tried with each alpha, on the training rows of each fold of each repeat."""
    problem = diagrams(objective=Objective(class_costs=((0, 1, 1), (2, 0, 1), (3, 1, 0))))
    study = Study(("odd-greedy",), widths=LAYERS, alphas=(0.1, 0.5), folds=2, repeats=2, seed=4)
    cells = study.plan(problem).cells
    divisions = list(folds(problem.dataset, 2, 2, 4))
    tried = [(widths, alpha) for widths in LAYERS for alpha in (0.1, 0.5)]
    assert len(cells) == 16
    for i, cell in enumerate(cells):
        posed, part = cell.job.problem, divisions[i // 4]
        widths, alpha = tried[i % 4]
        rows = problem.dataset.rows
        assert posed.dataset.rows.tolist() == rows[part.train].tolist()
        assert cell.unseen.rows.tolist() == rows[part.test].tolist()
        assert posed.shape.widths == widths
        assert posed.objective == objective_of(alpha, len(part.train), base=problem.objective)
        assert posed.objective.class_costs == problem.objective.class_costs


def test_alpha_is_a_share_of_the_weights() -> None:
    """With weights the split penalty is a share of their sum."""
    weighted = replace(diagrams(), dataset=three_classes(weight=[2.0] * 60))
    study = Study(("odd-greedy",), widths=LAYERS[1:], alphas=(0.7,), folds=2)
    assert next(study.plan(weighted).jobs()).job.problem.objective.split_penalty == pytest.approx(
        0.7 * 60 / 14, abs=1e-4
    )
