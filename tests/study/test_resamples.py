"""Models of folds and bootstrap samples learn from their own rows only; the same plan gives the same result."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from solvers.constraints import MaxLeaves, MinSamplesLeaf
from solvers.errors import DataError
from solvers.metrics import diagnose
from solvers.problem import Dataset, Limits, MissingPolicy, Problem, Shape, ShapeKind, sample_dataset
from solvers.problem.skeleton import objective_of
from solvers.run import JobState, WorkerPool, load_run
from solvers.run.solver_run import solve
from solvers.study.bootstrap import CORRECTED, Bootstrap
from solvers.study.cross_validation import CrossValidation, cross_validate
from solvers.study.folder import Results
from solvers.study.resamples import bootstrap_samples, folds, problem_of
from solvers.study.stored import create_sweep
from solvers.study.study import TIMES, Study, run_study

FREE = Limits(seconds=None)


def small(**more: object) -> Problem:
    """Trees of depth 2 on some rows of a sample with missing values."""
    choices = {"missing": more.pop("missing")} if "missing" in more else {}
    dataset = sample_dataset("triage", **choices)
    return Problem(dataset.take(np.arange(0, dataset.n_samples, 4)), Shape(max_depth=2), **more)


def test_folds_are_stratified():
    """Each row is tested once per repeat and never in its own training set; repeats divide the rows again."""
    dataset = small().dataset
    parts = list(folds(dataset, 5, 2, 0))
    assert [(p.repeat, p.number) for p in parts] == [(r, f) for r in range(2) for f in range(5)]
    for repeat in range(2):
        judged = np.concatenate([p.test for p in parts if p.repeat == repeat])
        assert sorted(judged) == list(range(dataset.n_samples))
    for part in parts:
        assert not set(part.train) & set(part.test) and len(part.train) + len(part.test) == dataset.n_samples
        share = (dataset.y[part.test] == dataset.positive).mean()
        assert abs(share - (dataset.y == dataset.positive).mean()) < 0.03
    assert any(set(a.test) != set(b.test) for a, b in zip(parts[:5], parts[5:], strict=True))


def test_the_seed_determines_the_parts():
    """The same seed divides and draws the same rows, another seed different ones."""
    dataset = small().dataset
    for plan in (lambda seed: folds(dataset, 3, 2, seed), lambda seed: bootstrap_samples(dataset, 4, seed)):
        one, same, other = ([p.train.tolist() for p in plan(seed)] for seed in (5, 5, 6))
        assert one == same != other


def test_impossible_plans_are_refused():
    """Impossible plans are refused with the reason."""
    dataset = small().dataset.take(np.arange(3))
    with pytest.raises(DataError, match="at least 2 folds"):
        list(folds(dataset, 1, 1, 0))
    with pytest.raises(DataError, match="too few for 5 folds"):
        list(folds(dataset, 5, 1, 0))
    with pytest.raises(DataError, match="at least 1 sample"):
        list(bootstrap_samples(dataset, 0, 0))


def test_columns_are_prepared_from_the_training_rows_alone():
    """Medians and the like are from the training rows; the problem is the same in all other respects."""
    problem = small(missing=MissingPolicy.IMPUTE, constraints=(MaxLeaves(3),))
    rows = np.flatnonzero(problem.dataset.X[:, 0] > 60)
    part = problem_of(problem, rows)
    for j, column in enumerate(part.dataset.schema.columns):
        known = part.dataset.X[:, j][~np.isnan(part.dataset.X[:, j])]
        if column.kind == "numeric":
            assert column.fill == np.median(known) and column.integral == bool((known == np.floor(known)).all())
        assert column.has_missing == np.isnan(part.dataset.X[:, j]).any()
    assert part.dataset.schema != problem.dataset.schema
    assert (part.shape, part.constraints, part.objective) == (problem.shape, problem.constraints, problem.objective)


def test_alpha_has_the_same_meaning_in_a_part():
    """The split penalty of a diagram is a share of the rows, so half of the rows have half the penalty."""
    dataset = small().dataset
    n = dataset.n_samples
    shape = Shape(ShapeKind.DIAGRAM, widths=(1, 2))
    problem = Problem(dataset, shape, objective_of(0.2, n))
    assert problem_of(problem, np.arange(n // 2)).objective == objective_of(0.2, n // 2)
    free = Problem(dataset, shape, objective_of(0.0, n))
    assert problem_of(free, np.arange(n // 2)).objective == free.objective


def spoiled(dataset: Dataset, rows: np.ndarray) -> Dataset:
    """The dataset with other values, missing ones and other outcomes in some rows."""
    rng = np.random.default_rng(9)
    X, y = dataset.X.copy(), dataset.y.copy()
    for j, column in enumerate(dataset.schema.columns):
        most = len(column.levels) if column.kind.has_levels else 1000
        X[rows, j] = rng.integers(0, most, len(rows))
    X[rows[0], :] = np.nan
    y[rows] = 1 - y[rows]
    return replace(dataset, X=X, y=y)


@pytest.mark.parametrize("policy", [MissingPolicy.INFORMATION, MissingPolicy.IMPUTE])
@pytest.mark.parametrize("method", ["contree", "cart"])
def test_a_fold_never_sees_its_test_rows(policy, method):
    """The model of a fold does not depend on its test rows: no median, threshold, level or class leaks."""
    problem = small(missing=policy)
    for part in list(folds(problem.dataset, 4, 1, 0))[:2]:
        changed = replace(problem, dataset=spoiled(problem.dataset, part.test))
        one, other = (solve(problem_of(posed, part.train), method).diagram for posed in (problem, changed))
        assert one == other and one.n_splits > 0


def test_each_row_is_predicted_by_the_model_of_its_fold():
    """Predictions and risks are those of the models learned from the other folds."""
    problem = small()
    found = cross_validate(problem, "contree", FREE, n_folds=4, repeats=2)
    results = found.results
    assert results.done == results.of == 8 and results.faults == ()
    by_repeat = found.unseen
    assert len(by_repeat) == 2
    for part in folds(problem.dataset, 4, 2, 0):
        diagram = solve(problem_of(problem, part.train), "contree", FREE).diagram
        one, test = by_repeat[part.repeat], problem.dataset.take(part.test)
        assert one.rows.tolist() == list(range(problem.dataset.n_samples))
        assert (one.predicted[part.test] == diagram.predict(test)).all()
        assert np.allclose(one.shares[part.test], diagram.predict_proba(test))


def timeless(results: Results) -> list[tuple]:
    """The result without its times."""
    return [
        ({name: value for name, value in row.items() if name not in TIMES}, model)
        for row, model in zip(results.rows, results.models, strict=True)
    ]


@pytest.mark.parametrize("parts", [{"folds": 3}, {"samples": 3}])
def test_the_same_seed_gives_the_same_result(parts):
    """All but the times is equal."""
    study = Study(("cart",), own=True, **parts)
    first, again, other = (timeless(structs.replace(study, seed=seed).results(small())) for seed in (1, 1, 2))
    assert first == again != other
    plan = study.plan(small())
    assert plan.keys == tuple(cell.job.key for cell in plan.jobs())


def test_a_stop_keeps_finished_folds():
    """Figures then cover the rows of these folds; complete repeats are preferred to a partial one."""
    problem, study = small(), Study(("cart",), own=True, folds=3, repeats=2)
    whole = study.results(problem)
    sizes = [row["test_rows"] for row in whole.rows]
    for n_done, n_rows in ((2, sum(sizes[:2])), (4, problem.dataset.n_samples)):
        part = replace(whole, rows=whole.rows[:n_done], models=whole.models[:n_done])
        (one,) = CrossValidation(study, part, problem).unseen
        assert len(one.rows) == n_rows


def test_a_fold_without_a_model_affects_only_itself():
    """Constraints that are infeasible in a fold are reported, and its rows are left out."""
    problem = small()
    most = len(next(iter(folds(problem.dataset, 3, 1, 0))).train)
    impossible = replace(problem, constraints=(MinSamplesLeaf(most + 1),))
    found = cross_validate(impossible, "contree", FREE, n_folds=3)
    assert found.results.done == 3 and "No model satisfies the constraints" in found.results.faults[0]
    assert sum(len(one.rows) for one in found.unseen) < problem.dataset.n_samples


def test_optimism_is_the_mean_difference_between_drawn_and_all_rows():
    """Recomputed from the definition; a figure that is perfect everywhere has no optimism."""
    problem = small()
    model = solve(problem, "contree", FREE).diagram
    found = Bootstrap(problem, model).of(Study(("contree",), own=True, samples=5).results(problem))
    gaps, changed, moved = [], np.zeros(problem.dataset.n_samples), np.zeros(problem.dataset.n_samples)
    positive = problem.dataset.positive
    for part in bootstrap_samples(problem.dataset, 5, 0):
        drawn = problem_of(problem, part.train)
        diagram = solve(drawn, "contree", FREE).diagram
        apparent = diagnose(diagram, problem.dataset.take(part.train), positive)
        original = diagnose(diagram, problem.dataset, positive)
        gaps.append([apparent.accuracy.value - original.accuracy.value, apparent.area.value - original.area.value])
        changed += diagram.predict(problem.dataset) != model.predict(problem.dataset)
        risks = [one.predict_proba(problem.dataset)[:, positive] for one in (diagram, model)]
        moved += np.abs(risks[0] - risks[1])
    assert (found.optimism("accuracy"), found.optimism("area")) == pytest.approx(tuple(np.mean(gaps, axis=0)))
    assert found.changed.tolist() == changed.tolist() and found.gaps == pytest.approx(moved, abs=1e-5)
    assert found.model == model and found.done == 5
    assert found.optimism("accuracy") > 0


def test_sensitivity_for_three_classes_has_no_optimism():
    """There is no positive class, so only figures of all classes are corrected."""
    dataset = sample_dataset("iris")
    problem = Problem(dataset, Shape(max_depth=2))
    found = Bootstrap(problem, solve(problem, "cart", FREE).diagram)
    found.of(Study(("cart",), own=True, samples=3).results(problem))
    assert found.of_class is None
    known = {name for name in CORRECTED if found.optimism(name) is not None}
    assert known == {name for name, metric in CORRECTED.items() if not metric.of_class}


REFITS = [
    Study(("cart",), own=True, folds=4),
    Study(("cart",), own=True, samples=5),
    Study(("contree", "cart"), depths=(1, 2)),
]
"""A cross-validation, a bootstrap and a sweep."""


def test_a_worker_continues_a_study(tmp_path: Path):
    """The task survives the round trip, and its worker solves what is left in the folder."""
    problem, task = small(), REFITS[0]
    stored, stop = create_sweep(tmp_path, task), threading.Event()
    run_study(stored.task.plan(problem), stored.path, stop=stop, tell=lambda progress: progress.done and stop.set())
    known = stored.results()
    assert known.done == 1
    with WorkerPool(tmp_path / "runs", warm=()) as pool:
        job = pool.submit(problem, "cart", Limits(seconds=60), stored.task)
        shot = job.wait(60)
    assert (shot.state, shot.error) == (JobState.FINISHED, None)
    assert shot.answer.finished and shot.answer.done == 4
    assert load_run(job.folder).snapshot().answer == shot.answer
    assert timeless(stored.results(known=known)) == timeless(task.results(problem))
