"""`sweep` on the command line: tables, resuming after an interruption, and clear refusals."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from solvers.__main__ import main
from solvers.study import Cluster, executors
from solvers.study.folder import StudyFolder
from solvers.study.study import StudyPlan
from tests.study.in_process import in_this_process
from tests.study.test_folder import fail

XOR = str(Path(__file__).parents[1] / "sample_data" / "xor.csv")


def sweep(*words: str) -> int:
    """Call it on a small sample, and solve its models in this process."""
    with in_this_process():
        return sweep_elsewhere(*words)


def sweep_elsewhere(*words: str) -> int:
    """Call it on a small sample."""
    target = pd.read_csv(XOR).columns[-1]
    return main(["sweep", XOR, "--target", target, *words])


def test_tables_are_written_and_summed_up(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """One line per method, depth and fold; the summary has one line per method and depth."""
    assert sweep_elsewhere("--depths", "1,2", "--folds", "3", "--out", str(tmp_path)) == 0
    out = capsys.readouterr().out
    assert out.count("ConTree (exact) depth") == 2 and out.count("CART depth") == 2
    table = pd.read_csv(tmp_path / "table.csv")
    assert len(table) == 12 and set(table["method"]) == {"contree", "cart"}
    assert pd.read_parquet(tmp_path / "table.parquet")["test_rows"].sum() == table["test_rows"].sum()


def test_a_second_call_solves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """A finished sweep is reported from its folder; a different one is refused there."""
    words = ("--methods", "cart", "--depths", "1", "--test-share", "0.3", "--out", str(tmp_path), "--json")
    assert sweep(*words) == 0
    before = (tmp_path / "results.jsonl").read_bytes()
    assert sweep(*words) == 0
    assert (tmp_path / "results.jsonl").read_bytes() == before
    assert json.loads(capsys.readouterr().out.splitlines()[-1]) == {"jobs": 1, "done": 1}
    assert sweep(*words, "--seed", "3") == 2
    assert "another sweep" in capsys.readouterr().err


def test_the_jobs_are_made_once_for_their_keys_and_once_to_solve_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression: their number was found by making all of them once more."""
    made, jobs = [], StudyPlan.jobs
    monkeypatch.setattr(StudyPlan, "jobs", lambda plan: made.append(plan) or jobs(plan))
    assert sweep("--methods", "cart", "--depths", "1", "--folds", "2", "--out", str(tmp_path)) == 0
    assert len(made) == 2


def test_a_folder_in_use_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Two commands with one folder would write the same table."""
    StudyFolder(tmp_path).write_worker()
    assert sweep("--methods", "cart", "--depths", "1", "--out", str(tmp_path)) == 2
    assert "already running" in capsys.readouterr().err
    assert not (tmp_path / "results.jsonl").exists()


def test_failed_jobs_are_retried(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """The summary names the option; with it failed jobs run again, the others do not."""
    words = ("--methods", "cart", "--depths", "1", "--folds", "3", "--out", str(tmp_path))
    assert sweep(*words) == 0
    fail(tmp_path, 2)
    capsys.readouterr()
    assert sweep(*words) == 1
    assert "2 jobs failed, the first with: no memory. --retry-failed tries them again." in capsys.readouterr().out
    assert sweep(*words, "--retry-failed") == 0
    assert len((tmp_path / "results.jsonl").read_text("utf-8").splitlines()) == 5
    assert "jobs failed" not in capsys.readouterr().out


def test_accuracy_by_centre(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """The model of each fold is tested on the centre left out, and centres are compared."""
    rows = pd.read_csv(XOR)
    rows["ward"] = ["A", "B"] * (len(rows) // 2)
    rows.to_csv(tmp_path / "wards.csv", index=False)
    words = ("--target", rows.columns[-2], "--centres", "ward", "--methods", "cart", "--depths", "1", "--folds", "2")
    with in_this_process():
        assert main(["sweep", str(tmp_path / "wards.csv"), *words, "--out", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    assert "by centre:" in out and "  A: " in out and f"of {len(rows) // 2} correct" in out


def test_every_skeleton_is_solved_with_every_alpha(tmp_path: Path) -> None:
    """Two skeletons, one by name and one by its layers, and two alphas are four diagrams."""
    words = ("--methods", "odd-greedy", "--alphas", "0.1,1", "--skeletons", "I;1,2", "--out", str(tmp_path))
    assert sweep(*words) == 0
    assert pd.read_csv(tmp_path / "table.csv")["widths"].tolist() == ["1 2 4 8"] * 2 + ["1 2"] * 2


@pytest.mark.parametrize(("more", "kept"), [((), [1, 0]), (("--constraints-only",), [1])])
def test_sizes_are_also_solved_without_constraints(tmp_path: Path, more: tuple[str, ...], kept: list[int]) -> None:
    """The table counts the constraints; with --constraints-only there is no run without them."""
    constraint = '[{"kind": "max-leaves", "leaves": 2}]'
    words = ("--methods", "contree", "--depths", "2", "--constraints", constraint, "--out", str(tmp_path))
    assert sweep(*words, *more) == 0
    assert pd.read_csv(tmp_path / "table.csv")["constraints"].tolist() == kept


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--methods", "odd-greedy", "--alphas", "1", "--skeletons", "V"), "A skeleton must be"),
        (("--methods", "magic", "--depths", "1"), "There is no method 'magic'"),
        ((), "The sweep is empty"),
        (("--methods", "odd-greedy", "--alphas", "100,100.0004"), "have the key 'all: odd-greedy alpha100'"),
        (("--depths", "1", "--folds", "2", "--bootstrap", "3"), "Choose either cross-validation"),
        (("--depths", "two"), "'two'"),
        (("--depths", "1", "--folds", "1"), "at least 2 folds"),
        (("--depths", "1", "--workers", "0"), "at least 1 worker"),
        (("--depths", "1", "--scheduler", "tcp://127.0.0.1:1"), "does not respond"),
    ],
)
def test_refusals_say_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch, words: tuple, said: str
) -> None:
    """Invalid options end with one sentence and status 2."""
    monkeypatch.setattr(executors, "Cluster", partial(Cluster, timeout=0.5))
    assert sweep_elsewhere(*words, "--out", str(tmp_path)) == 2
    assert said in capsys.readouterr().err
