"""A sweep in words: what it takes, how far it is, what its models come to."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from components.sweep.facts import (
    allowance,
    faults,
    lines,
    long,
    most_seconds,
    plan_sentence,
    planned,
    progress,
    series,
    size_words,
    summary,
    title,
    verdict,
)
from components.sweep.figures import sweep_figure
from components.words.text import distinguished
from solvers.metrics.intervals import wilson
from solvers.problem import Limits, Problem, Shape, holdout, sample_dataset
from solvers.settings import settings
from solvers.sweeps.folder import Constrained, RunSweep, SweepPlan, SweepProgress, run_sweep
from solvers.sweeps.study import Study


def sweep_task(**changes: object) -> RunSweep:
    """Two methods, two depths."""
    return RunSweep(**{"folder": "", "methods": ("contree", "cart"), "depths": (1, 2), "workers": 2, **changes})


def posed() -> Problem:
    """Trees of XOR."""
    return Problem(sample_dataset("xor"), Shape(max_depth=2))


def swept(folder: Path, **changes: object) -> pd.DataFrame:
    """The table of a small sweep."""
    study = Study(("contree", "cart"), depths=(1, 2), leaves=(3,), **changes)
    return run_sweep(SweepPlan(posed(), study, limits=Limits(seconds=60)), folder)


@pytest.fixture(scope="module")
def folds(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """A sweep over three folds."""
    return swept(tmp_path_factory.mktemp("folds"), folds=3)


@pytest.mark.parametrize(
    ("changes", "models"),
    [({}, 4), ({"folds": 5, "repeats": 2}, 40), ({"samples": 7}, 28), ({"leaves": (2, 3)}, 8)],
)
def test_models_are_counted_before_they_are_made(changes: dict, models: int) -> None:
    """As many as the plan has cells."""
    task = sweep_task(**changes)
    assert planned(posed(), task).models == models == len(task.sweep(posed()).cells)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"methods": ()}, "at least one method"),
        ({"depths": ()}, "Choose a size"),
        ({"folds": 1}, "at least 2 folds"),
        ({"folds": 500}, "Choose fewer folds"),
    ],
)
def test_what_cannot_be_swept_says_what_to_do(changes: dict, said: str) -> None:
    """Instead of a number of models."""
    plan = planned(posed(), sweep_task(**changes))
    assert plan.models == 0 and said in plan.trouble
    assert plan_sentence(plan, sweep_task(), settings({})) == plan.trouble


def test_methods_without_a_size_are_named() -> None:
    """Diagrams have no depth; the others are counted all the same."""
    plan = planned(posed(), sweep_task(methods=("cart", "odd-greedy")))
    assert plan.models == 2 and len(plan.left_out) == 1
    assert f"None of the sizes fits {plan.left_out[0]}." in plan_sentence(plan, sweep_task(), settings({}))


def test_most_time_is_told() -> None:
    """Rounds of so many models at once, each at its limit; what an administrator permits is said."""
    task = sweep_task(step=30.0, folds=3)
    plan = planned(posed(), task)
    assert most_seconds(plan.models, task) == 180 and allowance(12, task) > 180
    assert plan_sentence(plan, task, settings({})) == "12 models, each in at most 30 s, 2 at once: 3 min 00 s at most."
    sentence = plan_sentence(plan, task, settings({"ESPALIER_MAX_SECONDS": "120"}))
    assert "stopped after 2 min 00 s" in sentence and "can then go on" in sentence
    away = sweep_task(step=30.0, folds=3, scheduler="tcp://x:1")
    assert "on the cluster: 6 min 00 s of computing" in plan_sentence(plan, away, settings({}))
    assert [long(value) for value in (0.2, 59.5, 61, 3700)] == ["1 s", "60 s", "1 min 01 s", "1 h 01 min"]


def test_how_far_it_is(folds: pd.DataFrame) -> None:
    """Done, failed, at work, time left; the clock of the worker goes on between two words of its."""
    assert progress(folds.head(0), 0).words == "The sweep has not begun."
    known = SweepProgress(4, 0, 2, 18, 30.0, False, 10.0)
    reached = progress(folds.head(4), 18, known, elapsed=15.0)
    assert reached.words == "4 of 18 models done, 2 at work, about 25 s left." and not reached.complete
    again = SweepProgress(16, 0, 2, 18, None, False, 10.0)
    assert progress(folds, 18, again).words == "16 of 18 models done, 2 at work."
    broken = folds.assign(error=["no memory"] * 2 + [None] * (len(folds) - 2))
    assert progress(broken, len(broken)) == (1.0, "18 of 18 models done, 2 failed.", True)


def test_names_in_a_list_differ() -> None:
    """Equal ones are numbered; the others stay as they are."""
    assert distinguished(["a", "b", "a", "a"]) == ["a", "b", "a (2)", "a (3)"]


def test_lines_are_means_over_the_parts(folds: pd.DataFrame) -> None:
    """Mean, deviation and ends of the shares that are wrong, as pandas has them."""
    found = lines(folds, 0)
    assert [(line.method, line.size) for line in found] == [
        *(("ConTree (exact)", "3 leaves, depth 2"), ("CART", "3 leaves, depth 2")),
        *(("ConTree (exact)", "depth 1"), ("CART", "depth 1"), ("ConTree (exact)", "depth 2"), ("CART", "depth 2")),
    ]
    own = folds[(folds["method"] == "contree") & (folds["depth"] == 1)]
    shares = own["test_errors"] / own["test_rows"]
    line = found[2]
    assert line.models == 3 and set(line.keys) == set(own["key"])
    assert line.unseen == pytest.approx((shares.mean(), shares.std(), shares.min(), shares.max()))
    assert line.train.mean == pytest.approx((own["train_errors"] / own["rows"]).mean())
    assert line.proved == 3 and found[3].proved == 0


def test_one_part_has_an_interval(tmp_path: Path) -> None:
    """Of all rows there is one model a size: Wilson's interval stands beside its errors, and no deviation."""
    train, test = holdout(sample_dataset("xor"), 0.3)
    plan = SweepPlan(Problem(train, Shape(max_depth=2)), Study(("cart",), depths=(1,)), test=test)
    (line,) = lines(run_sweep(plan, tmp_path), 0)
    assert line.unseen.deviation is None
    assert line.unseen[2:] == pytest.approx(wilson(line.unseen.mean, test.n_samples))
    assert {"95 % from", "to"} <= set(summary([line])) and "deviation" not in summary([line])
    assert "95 % interval" in verdict([line])


def test_summary_leaves_out_what_nobody_has(folds: pd.DataFrame) -> None:
    """No column of constraints without constraints, and none of failures without any."""
    frame = summary(lines(folds, 0))
    assert list(frame) == [
        *("method", "size", "models", "% wrong, unseen rows", "deviation", "from", "to", "% wrong, training"),
        *("questions", "proved", "seconds"),
    ]
    assert "ConTree (exact), depth 2" in verdict(lines(folds, 0))
    assert verdict(()) == "" and lines(folds.head(0), 0) == ()


def test_failures_are_counted_by_their_reason(folds: pd.DataFrame) -> None:
    """The commonest first; a line whose models all failed has no figures and does not win."""
    reasons = ["b"] + ["a <b>"] * 2 + [None] * (len(folds) - 3)
    broken = folds.assign(error=reasons)
    broken.loc[broken["error"].notna(), ["train_errors", "test_errors", "questions"]] = None
    assert [(fault.reason, fault.jobs) for fault in faults(broken)] == [("a <b>", 2), ("b", 1)]
    assert faults(folds) == ()
    alone = broken[broken["error"].notna()]
    assert all(line.unseen is None and line.questions is None for line in lines(alone, 0))
    assert verdict(lines(alone, 0)) == "" and series(lines(alone, 0)) == ()


def test_constraints_tell_lines_apart(folds: pd.DataFrame) -> None:
    """The same size with and without constraints is two lines and two series."""
    free = folds.assign(cell=folds["cell"] + " free", constraints=0)
    both = pd.concat([folds.assign(constraints=2), free])
    found = lines(both, 2)
    assert {line.constraints for line in found} == {"with", "without"} and len(found) == 12
    assert [(one.name, one.constrained) for one in series(found)][:2] == [
        ("ConTree (exact), with constraints", True),
        ("CART, with constraints", True),
    ]


def test_sizes_in_words() -> None:
    """Trees, BDDs and diagrams, each by its own measure."""
    row = {"shape": "tree", "depth": 3, "max_leaf_nodes": float("nan"), "widths": None}
    assert size_words(row) == "depth 3"
    assert size_words({**row, "shape": "bdd"}) == "3 levels"
    assert size_words({**row, "shape": "diagram", "widths": "1 2", "alpha": 0.1}) == "layers 1 2, alpha 0.1"


def test_a_sweep_has_a_name() -> None:
    """Methods, sizes, rows, constraints."""
    task = sweep_task(folds=5, repeats=2, leaves=(3,))
    assert title(task, Constrained.BOTH, 1) == (
        "ConTree (exact), CART; depth 1, 2; leaves 3; 5 folds, 2 times; with and without constraints"
    )
    assert title(sweep_task(), Constrained.KEPT, 0).endswith("depth 1, 2; all rows")


def test_chart_shows_proof_and_rows(folds: pd.DataFrame) -> None:
    """Two traces a method; the marks of proved models are filled, and each knows its line."""
    figure = sweep_figure(series(lines(folds, 0)), dark=False)
    assert len(figure.data) == 4 and sum(trace.showlegend for trace in figure.data) == 2
    exact, greedy = figure.data[0], figure.data[2]
    assert all(not symbol.endswith("-open") for symbol in exact.marker.symbol)
    assert all(symbol.endswith("-open") for symbol in greedy.marker.symbol)
    assert {data[0] for data in exact.customdata} == {"contree d1", "contree d2", "contree d2 l3"}
