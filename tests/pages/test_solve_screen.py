"""The Solve screen: active and finished runs, each in its own panel."""

from __future__ import annotations

import os
import signal
import time

import pytest

from components.solve import run_panel
from solvers.methods import registry
from solvers.problem import ShapeKind
from solvers.run import JobState, Snapshot
from tests.pages.journey import PATIENCE, go_to, last_run, opened, solved, with_file, words
from tests.pages.test_runs_screen import runs_screen, tick

HARD = "a,b,c,d,y\n" + "".join(
    f"{i * 37 % 2003},{i * 91 % 1999},{i * 53 % 1997},{i * 71 % 1993},{i * i * 7919 % 104729 % 2}\n"
    for i in range(1500)
)
"""1,500 rows of noise: no search proves a deep tree for them within seconds."""


def hard_run():
    """An active run that has a tree."""
    app = with_file(HARD.encode(), "hard.csv")
    app = go_to(app, "design")
    app.slider(key="design_max_depth").set_value(5).run()
    app = app.button(key="next").click().run()
    job = last_run(app).job
    deadline = time.monotonic() + PATIENCE
    while job.snapshot().diagram is None and not job.done and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not job.done
    return go_to(app, "solve")


def test_solve_leads_to_a_proved_tree():
    """The run is shown with its proof and leads to Inspect, which shows proof, size, and the root with all training
    rows; greedy trees are available for comparison.
    """
    app = solved()
    assert not app.exception
    shown = words(app)
    assert "Optimal on training data" in shown and "Run 1: Breast cancer (Wisconsin), depth 3" in shown
    assert app.button(key="next").label == "Inspect the tree"
    assert [model.key for model in last_run(app).models()] == ["contree", *registry.greedy_methods(ShapeKind.TREE)]
    assert all(model.solution.verified for model in last_run(app).models())
    app = app.button(key="next").click().run()
    assert not app.exception
    shown = words(app)
    assert "Optimal on training data" in shown and "training errors in" in shown and "All rows" in shown
    assert f"Split: {last_run(app).best.solution.diagram.nodes[0].predicate.column}" in shown


def test_changed_rows_or_a_changed_design_can_be_solved():
    """If the held-out rows change, the rows can be solved again; if they change back, there is nothing to solve.

    After a change of the design, both runs keep their panels, the latest first.
    """
    app = go_to(solved("iris"), "data")
    app = app.slider(key="test_share").set_value(30).run()
    app = go_to(app, "solve")
    assert not app.exception and app.button(key="next").label == "Solve"
    app = go_to(app, "data")
    app = app.slider(key="test_share").set_value(25).run()
    app = go_to(app, "solve")
    assert not app.exception and app.button(key="next").label == "Inspect the tree"
    app = go_to(app, "design")
    app.slider(key="design_max_depth").set_value(2).run()
    app = app.button(key="next").click().run()
    last_run(app).job.wait(PATIENCE)
    shown = words(go_to(app, "solve"))
    assert shown.index("Run 2:") < shown.index("Run 1:")


def test_a_stop_keeps_the_best_tree():
    """An active run that is stopped ends as 'Stopped', and its tree can be inspected."""
    app = hard_run()
    number = last_run(app).number
    app.button(key=f"stop_{number}").click().run()
    last_run(app).job.wait(PATIENCE)
    app = app.run()
    assert "Stopped" in words(app)
    assert app.button(key="next").label == "Inspect the tree"
    assert not app.button(key="next").disabled


def test_a_killed_worker_is_reported_and_its_tree_is_kept():
    """If the solver's process is killed, the panel reports it, and the best tree so far can be used."""
    app = hard_run()
    job = last_run(app).job
    os.kill(job.pid, signal.SIGKILL)
    job.wait(PATIENCE)
    app = app.run()
    assert not app.exception
    assert "killed" in words(app)
    assert app.button(key="next").label == "Inspect the tree"
    app = app.button(key="next").click().run()
    assert not app.exception


def test_a_run_continues_when_the_page_is_reloaded():
    """A new session leads to Runs, which opens the run with its best tree so far; it can be stopped there."""
    job = last_run(hard_run()).job
    again = opened()
    assert [link.proto.page for link in again.get("page_link")] == ["runs"]
    again = tick(runs_screen(again), job.id).button(key="runs_open").click().run()
    assert not again.exception
    assert last_run(again).job is job
    assert not again.get("page_link") and last_run(again).job.snapshot().diagram is not None
    again.button(key=f"stop_{last_run(again).number}").click().run()
    assert job.wait(PATIENCE).state is JobState.CANCELLED
    assert not opened().get("page_link")


@pytest.mark.parametrize(
    ("state", "elapsed", "seconds"),
    [
        (JobState.QUEUED, 0.0, 1.0),
        (JobState.STARTING, 0.0, 0.5),
        (JobState.RUNNING, 4.9, 0.5),
        (JobState.RUNNING, 5.0, 1.0),
        (JobState.RUNNING, 3600.0, 2.0),
        (JobState.FINISHED, 0.1, None),
    ],
)
def test_a_long_run_is_polled_less_often(state: JobState, elapsed: float, seconds: float | None) -> None:
    """Twenty waiting screens leave the processor to the searches; a finished run is not polled."""
    snapshot = Snapshot(state, elapsed, cost=None, bound=None, trace=(), diagram=None, text="")
    assert run_panel.pace(snapshot) == seconds
