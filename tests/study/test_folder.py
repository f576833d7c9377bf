"""A sweep gives the same table wherever it runs, resumes after a stop, and contains the results of its jobs."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from msgspec import structs

from solvers.diagram import from_json
from solvers.errors import RunError
from solvers.problem import Problem, Shape, holdout, sample_dataset
from solvers.study import Cluster, InProcess
from solvers.study.study import TIMES, Study, StudyPlan, StudyProgress, run_study
from tests.study.dask_cluster import DaskCluster


def plan(**changes: object) -> StudyPlan:
    """Fifty jobs: two methods, five sizes, five folds."""
    problem = Problem(sample_dataset("xor"), Shape(max_depth=2))
    study = Study(("contree", "c45"), depths=(1, 2, 3), leaves=(2, 3), folds=5, step=60.0)
    sizes = {name: changes.pop(name) for name in ("folds", "samples") if name in changes}
    study = changes.pop("study", structs.replace(study, **sizes))
    return StudyPlan(**{"problem": problem, "study": study, **changes})


def lasting(table: pd.DataFrame) -> pd.DataFrame:
    """The table without columns that depend on the clock."""
    return table.drop(columns=list(TIMES))


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """A cluster for the tests that do not damage it."""
    made = DaskCluster(tmp_path_factory.mktemp("dask"))
    yield made
    made.end()


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """The table of a sweep in this process."""
    return run_study(plan(), tmp_path_factory.mktemp("here"))


def test_the_table_has_one_line_per_job(here: pd.DataFrame, tmp_path: Path) -> None:
    """Settings, proof, errors on both parts; optimal trees are never worse in training than greedy ones."""
    assert len(here) == 50 and here["key"].is_unique
    assert here["error"].isna().all() and here["verified"].all()
    assert (here[here["method"] == "contree"]["status"] == "optimal").all()
    assert (here["rows"] + here["test_rows"] == plan().problem.dataset.n_samples).all()
    sides = here.pivot(index=["part", "depth", "max_leaf_nodes"], columns="method", values="train_errors")
    assert (sides["contree"] <= sides["c45"]).all()


def test_cluster_makes_the_same_table(here: pd.DataFrame, tmp_path: Path, dask: DaskCluster) -> None:
    """Two workers of a Dask cluster make the same table."""
    table = run_study(plan(), tmp_path, Cluster(dask.address, timeout=60))
    pd.testing.assert_frame_equal(lasting(table), lasting(here))


def test_a_sweep_resumes_after_a_stop(here: pd.DataFrame, tmp_path: Path) -> None:
    """After a stop only the remaining jobs are solved, and the table is complete at the end."""
    stop = threading.Event()

    def tell(progress: StudyProgress) -> None:
        if progress.done >= 7:
            stop.set()

    part = run_study(plan(), tmp_path, InProcess(), stop, tell)
    assert len(part) == 7
    again: list[StudyProgress] = []
    table = run_study(plan(), tmp_path, tell=again.append)
    assert (again[0].done, again[-1].done, again[-1].of) == (7, 50, 50)
    assert len(again) == 44
    pd.testing.assert_frame_equal(lasting(table), lasting(here))
    assert run_study(plan(), tmp_path, tell=lambda progress: None).equals(table)


def fail(folder: Path, number: int) -> list[str]:
    """Make the first jobs of a sweep fail; their keys."""
    results = folder / "results.jsonl"
    rows = [json.loads(line) for line in results.read_text("utf-8").splitlines()]
    blank = dict.fromkeys(("status", "verified", "cost", "train_errors", "test_errors"))
    rows[:number] = [{**row, **blank, "error": "no memory"} for row in rows[:number]]
    results.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return [row["key"] for row in rows[:number]]


def test_failed_jobs_are_retried_on_request(here: pd.DataFrame, tmp_path: Path) -> None:
    """Only failed jobs are retried, and only on request; the final table is that of a sweep without failures."""
    run_study(plan(), tmp_path)
    failed = fail(tmp_path, 3)
    seen: list[StudyProgress] = []
    assert run_study(plan(), tmp_path, tell=seen.append)["error"].notna().sum() == 3
    assert [(one.done, one.failed) for one in seen] == [(50, 3)]
    seen.clear()
    table = run_study(plan(), tmp_path, tell=seen.append, retry=True)
    assert [(one.done, one.failed) for one in seen] == [(47, 0), (48, 0), (49, 0), (50, 0)]
    lines = [json.loads(line)["key"] for line in (tmp_path / "results.jsonl").read_text("utf-8").splitlines()]
    assert lines[50:] == failed
    pd.testing.assert_frame_equal(lasting(table), lasting(here))


def test_failed_jobs_keep_their_records(tmp_path: Path) -> None:
    """A sweep that is stopped while it retries failed jobs keeps all their records."""
    run_study(plan(), tmp_path)
    fail(tmp_path, 3)
    stop = threading.Event()
    table = run_study(
        plan(), tmp_path, InProcess(), stop, lambda progress: progress.done > 47 and stop.set(), retry=True
    )
    assert len(table) == 50 and table["error"].notna().sum() == 2


def test_a_folder_of_another_sweep_is_refused(tmp_path: Path) -> None:
    """Plans are not mixed in one folder."""
    small = Study(("cart",), depths=(1,))
    run_study(plan(study=small), tmp_path)
    with pytest.raises(RunError, match="another sweep"):
        run_study(plan(study=structs.replace(small, seed=1)), tmp_path)
    (tmp_path / "results.jsonl").write_text("no json\n{}\n", encoding="utf-8")
    with pytest.raises(RunError, match="damaged"):
        run_study(plan(study=small), tmp_path)


def test_tables_and_models_are_written(tmp_path: Path) -> None:
    """CSV and Parquet hold the same; each model can be read back and has the errors of its line."""
    train, test = holdout(sample_dataset("xor"), 0.3)
    posed = plan(problem=Problem(train, Shape(max_depth=2)), test=test, folds=0)
    table = run_study(posed, tmp_path)
    stored = pd.read_parquet(tmp_path / "table.parquet")
    pd.testing.assert_frame_equal(stored, table, check_dtype=False)
    assert pd.read_csv(tmp_path / "table.csv")["key"].tolist() == table["key"].tolist()
    models = sorted((tmp_path / "models").glob("*.json"))
    assert len(models) == len(table)
    wrong = sorted(int((from_json(m.read_text("utf-8")).predict(test) != test.y).sum()) for m in models)
    assert wrong == sorted(table["test_errors"])


def test_bootstrap_models_are_evaluated_on_rows_not_drawn() -> None:
    """The training rows and the evaluation rows of a sample are disjoint."""
    for cell in plan(study=Study(("cart",), depths=(1,), samples=4)).cells:
        drawn = set(cell.job.problem.dataset.rows.tolist())
        assert not drawn & set(cell.unseen.rows.tolist())
        assert drawn | set(cell.unseen.rows.tolist()) == set(plan().problem.dataset.rows.tolist())
