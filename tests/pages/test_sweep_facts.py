"""A sweep as text: effort, progress, and results."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from components.sweep.facts import (
    allowance,
    plan_sentence,
    plan_sweep,
    progress_of,
    title,
)
from components.sweep.figures import sweep_figure
from solvers.messages.sweeps import describe_size, faults, summary, verdict
from solvers.metrics.intervals import wilson
from solvers.metrics.words import duration
from solvers.problem import Problem, Shape, holdout, sample_dataset
from solvers.settings import settings
from solvers.study.study import Study, StudyPlan, StudyProgress, run_study


def sweep_task(**changes: object) -> Study:
    """Two methods, two depths."""
    return Study(**{"folder": "", "methods": ("contree", "cart"), "depths": (1, 2), "workers": 2, **changes})


def to_problem() -> Problem:
    """Trees of XOR."""
    return Problem(sample_dataset("xor"), Shape(max_depth=2))


def swept(folder: Path, **changes: object) -> pd.DataFrame:
    """The table of a small sweep."""
    study = Study(("contree", "cart"), depths=(1, 2), leaves=(3,), step=60.0, **changes)
    return run_study(study.plan(to_problem()), folder)


@pytest.fixture(scope="module")
def folds(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """A sweep over three folds."""
    return swept(tmp_path_factory.mktemp("folds"), folds=3)


@pytest.mark.parametrize(
    ("changes", "models"),
    [({}, 4), ({"folds": 5, "repeats": 2}, 40), ({"samples": 7}, 28), ({"leaves": (2, 3)}, 8)],
)
def test_models_are_counted_before_the_start(changes: dict, models: int) -> None:
    """There is one model per cell of the plan."""
    task = sweep_task(**changes)
    assert plan_sweep(to_problem(), task).models == models == len(task.plan(to_problem()).cells)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"methods": ()}, "at least one method"),
        ({"depths": ()}, "Choose a depth"),
        ({"folds": 1}, "at least 2 folds"),
        ({"folds": 500}, "Choose fewer folds"),
    ],
)
def test_an_invalid_sweep_has_a_remedy(changes: dict, said: str) -> None:
    """The remedy replaces the number of models."""
    plan = plan_sweep(to_problem(), sweep_task(**changes))
    assert plan.models == 0 and said in plan.trouble
    assert plan_sentence(plan, sweep_task(), settings({})) == plan.trouble


def test_methods_without_a_size_are_named() -> None:
    """Diagrams have no depth; the others are counted."""
    plan = plan_sweep(to_problem(), sweep_task(methods=("cart", "odd-greedy")))
    assert plan.models == 2 and len(plan.left_out) == 1
    assert f"No chosen size fits {plan.left_out[0]}." in plan_sentence(plan, sweep_task(), settings({}))


def test_the_plan_states_the_maximum_time_and_the_limit_of_an_administrator() -> None:
    """Rounds of parallel models, each at its limit."""
    task = sweep_task(step=30.0, folds=3)
    plan = plan_sweep(to_problem(), task)
    assert allowance(12, task) > 180
    assert plan_sentence(plan, task, settings({})) == "12 models, each at most 30 s; at most 3 min 00 s in all."
    assert "limits a sweep to 2 min 00 s" in plan_sentence(plan, task, settings({"ESPALIER_MAX_SECONDS": "120"}))
    away = sweep_task(step=30.0, folds=3, scheduler="tcp://x:1")
    assert "at most 6 min 00 s of computing on the cluster" in plan_sentence(plan, away, settings({}))
    assert [duration(value) for value in (0.2, 59.5, 61, 3700)] == ["1 s", "60 s", "1 min 01 s", "1 h 01 min"]


def test_progress_counts_done_failed_and_running_models(folds: pd.DataFrame) -> None:
    """The clock of the worker continues between two reports."""
    known = StudyProgress(16, 0, 2, 18, 30.0, False, 10.0)
    # while failed jobs are retried, the table still has their old lines
    assert progress_of(folds, 18, known).words(15.0) == "16 of 18 models done, 2 at work, about 25 s left."
    broken = folds.assign(error=["no memory"] * 2 + [None] * (len(folds) - 2))
    assert progress_of(broken, len(broken), None).words() == "18 of 18 models done, 2 failed."
    assert progress_of(folds.head(0), 18, None).words() == "0 of 18 models done."


def test_the_summary_has_means_over_the_parts(folds: pd.DataFrame) -> None:
    """Mean, deviation and range of the errors; columns for constraints and failures appear only if there are any."""
    found = summary(folds, 0)
    assert list(zip(found["method"], found["size"], strict=True)) == [
        *(("ConTree (exact)", "3 leaves, depth 2"), ("CART", "3 leaves, depth 2")),
        *(("ConTree (exact)", "depth 1"), ("CART", "depth 1"), ("ConTree (exact)", "depth 2"), ("CART", "depth 2")),
    ]
    own = folds[(folds["method"] == "contree") & (folds["depth"] == 1)]
    errors, line = 100 * own["test_errors"] / own["test_rows"], found.iloc[2]
    assert line["models"] == 3 and line["constraints"] is None
    spread = (errors.mean(), errors.std(), errors.min(), errors.max())
    assert tuple(line[["held_out", "deviation", "low", "high"]]) == pytest.approx(spread)
    assert line["training"] == pytest.approx((100 * own["train_errors"] / own["rows"]).mean())
    assert found["proved"].tolist()[2:4] == [3, 0]
    assert "ConTree (exact), depth 2" in verdict(found)


def test_a_single_part_has_an_interval(tmp_path: Path) -> None:
    """All rows make one model per size: its error has Wilson's interval instead of a deviation."""
    train, test = holdout(sample_dataset("xor"), 0.3)
    plan = StudyPlan(Problem(train, Shape(max_depth=2)), Study(("cart",), depths=(1,)), test=test)
    found = summary(run_study(plan, tmp_path), 0)
    line = found.iloc[0]
    low, high = wilson(line["held_out"] / 100, test.n_samples)
    assert (line["low"], line["high"]) == pytest.approx((100 * low, 100 * high))
    assert found["deviation"].isna().all() and "95% interval" in verdict(found)


def test_failures_are_counted_by_reason(folds: pd.DataFrame) -> None:
    """The most frequent reason comes first; a line whose models all failed has no figures and is never the best."""
    reasons = ["b"] + ["a <b>"] * 2 + [None] * (len(folds) - 3)
    broken = folds.assign(error=reasons)
    broken.loc[broken["error"].notna(), ["train_errors", "test_errors", "questions"]] = None
    assert list(zip(faults(broken)["reason"], faults(broken)["size"], strict=True)) == [("a <b>", 2), ("b", 1)]
    assert faults(folds).empty
    alone = summary(broken[broken["error"].notna()], 0)
    assert alone[["held_out", "splits"]].isna().all(axis=None)
    assert verdict(alone) == "" and not sweep_figure(alone, dark=False).data


def test_constraints_distinguish_lines(folds: pd.DataFrame) -> None:
    """The same size with and without constraints is two lines and two curves."""
    free = folds.assign(cell=folds["cell"] + " free", constraints=0)
    found = summary(pd.concat([folds.assign(constraints=2), free]), 2)
    assert set(found["constraints"]) == {"with", "without"} and len(found) == 12
    dashes = {trace.name: trace.line.dash for trace in sweep_figure(found, dark=True).data if trace.showlegend}
    assert dashes["CART, with constraints"] == "solid" and dashes["CART, without constraints"] == "dash"


def test_sizes_are_described_by_shape() -> None:
    """Trees, BDDs and diagrams each have their own measure."""
    row = {"shape": "tree", "depth": 3, "max_leaf_nodes": float("nan"), "widths": None}
    assert describe_size(row) == "depth 3"
    assert describe_size({**row, "shape": "bdd"}) == "3 levels"
    assert describe_size({**row, "shape": "diagram", "widths": "1 2", "alpha": 0.1}) == "layers 1 2, alpha 0.1"


def test_a_sweep_has_a_name() -> None:
    """The name lists methods, sizes, rows and constraints."""
    task = sweep_task(folds=5, repeats=2, leaves=(3,))
    assert title(task, 1) == (
        "ConTree (exact), CART; depth 1, 2; leaves 3; 5 folds, 2 times; with and without constraints"
    )
    assert title(sweep_task(), 0).endswith("depth 1, 2; all training rows")


def test_the_chart_shows_proof_and_rows(folds: pd.DataFrame) -> None:
    """Two traces per method; markers of proved models are filled, and each has its line."""
    figure = sweep_figure(summary(folds, 0), dark=False)
    assert len(figure.data) == 4 and sum(trace.showlegend for trace in figure.data) == 2
    exact, greedy = figure.data[0], figure.data[2]
    assert all(not symbol.endswith("-open") for symbol in exact.marker.symbol)
    assert all(symbol.endswith("-open") for symbol in greedy.marker.symbol)
    assert [words.partition("<br>")[2].partition(",")[0].partition("<br>")[0] for words in exact.customdata] == [
        "depth 1",
        "3 leaves",
        "depth 2",
    ]
