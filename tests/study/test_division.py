"""Evaluation with grouped rows: no leak, a figure per centre, and training before testing in time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from solvers.cli.sweep import results
from solvers.metrics import heterogeneity, rate
from solvers.problem import Dataset, DivisionRule, Limits, Problem, Shape, build_dataset, holdout, table_of_frame
from solvers.run import solve
from solvers.run.folder import RunFolder
from solvers.study.cross_validation import cross_validate
from solvers.study.recommendation import recommend
from solvers.study.resamples import folds
from solvers.study.study import Study, StudyPlan, run_study
from tests.commands import call, fit

FREE = Limits(seconds=None)


def visits() -> pd.DataFrame:
    """Ten visits of each of 60 patients; the patients' own traits are independent of the outcome."""
    random = np.random.default_rng(0)
    patient = np.repeat(np.arange(60), 10)
    own = random.normal(size=(60, 3))[patient]
    frame = pd.DataFrame(own + 0.05 * random.normal(size=own.shape), columns=["a", "b", "c"]).round(3)
    frame["ill"] = np.where(random.random(60) < 0.5, "yes", "no")[patient]
    frame["patient"] = patient
    frame["hospital"] = np.array(["north", "south", "west"])[patient % 3]
    frame["year"] = np.tile(np.arange(2010, 2020), 60)
    return frame


def table(frame: pd.DataFrame | None = None, **choices: object) -> Dataset:
    """The visits, divided by the given columns."""
    frame = visits() if frame is None else frame
    return build_dataset(table_of_frame(frame, "visits"), "ill", features=("a", "b", "c"), **choices)


def test_patients_leak_only_if_rows_are_divided_individually() -> None:
    """Trees memorize patients: they seem correct on other visits of the same patients, but not on new patients."""
    shares = {}
    for group_rows in (None, "patient"):
        data = table(group_rows=group_rows)
        found = cross_validate(Problem(data, Shape(max_depth=6)), "cart", FREE, n_folds=10)
        train, test = holdout(data, 0.25)
        held_out = solve(Problem(train, Shape(max_depth=6)), "cart", FREE).diagram.predict(test) == test.y
        shares[group_rows] = found.validated(data.positive)[0].accuracy.value, held_out.mean()
    always_the_same = max(data.class_counts) / data.n_samples
    assert min(shares[None]) > always_the_same + 0.2
    assert max(shares["patient"]) < always_the_same + 0.1


@pytest.mark.parametrize(
    ("choices", "plan"),
    [({"group_rows": "patient"}, (4, 2)), ({"centres": "hospital"}, (3, 1)), ({"time": "year"}, (4, 1))],
    ids=["patients", "centres", "time"],
)
def test_every_task_uses_the_same_division(choices: dict[str, str], plan: tuple[int, int]) -> None:
    """Cross-validation, sweeps and the recommended size use the same parts, also when they divide parts again."""
    coarse = visits()[::7].round({"a": 0, "b": 0, "c": 0})
    problem = Problem(table(coarse, **choices).select(["a"]), Shape(max_depth=2))
    parts = list(folds(problem.dataset, 4, 2, 0))
    found = cross_validate(problem, "cart", FREE, n_folds=4, repeats=2)
    assert (found.n_folds, found.repeats) == plan and found.results.done == len(parts) == plan[0] * plan[1]
    by_repeat = found.unseen
    for repeat, one in enumerate(by_repeat):
        rows = np.concatenate([part.test for part in parts if part.repeat == repeat])
        assert one.rows.tolist() == sorted(rows)
    cells = StudyPlan(problem, Study(("cart",), depths=(1,), folds=4, repeats=2)).cells
    for cell, part in zip(cells, parts, strict=True):
        assert cell.job.problem.dataset.rows.tolist() == problem.dataset.rows[part.train].tolist()
        assert cell.unseen.rows.tolist() == problem.dataset.rows[part.test].tolist()
        assert cell.job.problem.dataset.division.column == problem.dataset.division.column
    known = recommend(problem, FREE, n_folds=2, repeats=1, n_outer=2)
    assert known.finished and known.done == known.of and len(known.outer) == known.n_outer
    assert known.n_outer == (3 if "centres" in choices else 2)
    if "centres" not in choices:
        outer = folds(problem.dataset, 2, 1, FREE.seed + 1)
        assert [fold.weight for fold in known.outer] == [len(part.test) for part in outer]


@pytest.mark.parametrize("n_times", [2, 3, 4])
def test_few_times_give_fewer_folds(n_times: int) -> None:
    """Two years are one fold; if a fold leaves fewer than two times, the outer loop divides rows, or is skipped."""
    frame = visits().assign(year=lambda table: 2020 + np.arange(len(table)) % n_times)
    data = table(frame, time="year")
    parts = list(folds(data, 5, 1, 0))
    assert len(parts) == n_times - 1
    years = frame["year"].to_numpy()
    assert all(years[part.train].max() < years[part.test].min() for part in parts)
    found = recommend(Problem(data), Limits(seconds=20), method="cart", n_folds=5)
    assert found.finished and found.choice is not None


def test_two_groups_are_enough_for_a_recommended_size() -> None:
    """An outer loop would need a third one, and is skipped."""
    frame = visits().assign(patient=lambda table: np.arange(len(table)) % 2)
    found = recommend(Problem(table(frame, group_rows="patient")), Limits(seconds=20), method="cart")
    assert found.choice is not None and found.error is None and found.n_outer == 0


def test_a_run_stores_its_division(tmp_path: Path) -> None:
    """The names and numbers of the columns are read from the folder, so that the division can be repeated."""
    problem = Problem(table(group_rows="patient", centres="hospital"), Shape(max_depth=1))
    again = RunFolder.create(tmp_path, problem, "cart", FREE).problem()
    assert again.id == problem.id and again.dataset.division.rule is DivisionRule.CENTRES
    for role, part in problem.dataset.division.parts.items():
        other = again.dataset.division.parts[role]
        restored, expected = ((p.name, p.levels, p.codes.tolist()) if p else None for p in (other, part))
        assert restored == expected


def test_a_sweep_lists_figures_by_centre(tmp_path: Path) -> None:
    """The command line lists the figures of each centre with its interval, and whether they differ."""
    problem = Problem(table(centres="hospital"))
    found = run_study(StudyPlan(problem, Study(("cart",), depths=(1,), folds=2)), tmp_path)
    assert found["centre"].tolist() == ["north", "south", "west"]
    right = [rate(np.arange(n) < n - wrong) for wrong, n in zip(found["test_errors"], found["test_rows"], strict=True)]
    text = "\n".join(results(found, tmp_path, 0))
    for name, one in zip(found["centre"], right, strict=True):
        assert f"  {name}: {one.k} of 200 correct, " in text
    assert f"Cochran's Q = {heterogeneity(right).q:.1f} over 3 centres" in text


def test_the_command_line_divides_by_patient_and_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whole patients are held out, and the latest rows are not used for training."""
    path = tmp_path / "visits.csv"
    visits()[::2].to_csv(path, index=False)
    words = ("--target", "ill", "--features", "a,b,c", "--method", "cart", "--test-share", 0.2)
    facts = fit(capsys, path, *words, "--group-rows", "patient", "--out", tmp_path / "fitted")
    assert facts["n_samples"] == 48 * 5
    assert call(capsys, "verify", tmp_path / "fitted", path)[0] == 0
    assert fit(capsys, path, *words, "--time", "year")["n_samples"] == 60 * 4
    code, _, error = call(capsys, "fit", path, *words, "--time", "year", "--group-rows", "patient")
    assert code != 0 and "every 'patient' also has held-out rows" in error
