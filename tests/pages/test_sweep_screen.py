"""The Sweep screen: set up, started, stopped, resumed, found again after a restart, opened on Inspect."""

from __future__ import annotations

import os
import time

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from components.session.work import Run
from components.sweep.panel import model_of
from solvers.constraints import NeverColumns
from solvers.errors import RunError
from solvers.posing import method_of, problem_on
from solvers.problem import Limits
from solvers.run.solver_run import solve
from solvers.solution import Status
from solvers.study.stored import StoredStudy, create_sweep, list_sweeps
from solvers.study.study import TIMES, Study
from tests.pages.handmade import DoneJob, ask, prepared_sample, screen
from tests.pages.journey import go_to, last_run, opened, solved, words
from tests.pages.test_runs_screen import runs_screen, tick
from tests.study.in_process import in_this_process
from tests.study.test_folder import fail

PATIENCE = 120
QUICK = {"methods": ("contree", "cart"), "depths": (1, 2), "step": 60.0}


def solved_here(prepared=None, **design: object) -> Run:
    """A finished run of iris, solved in this process."""
    prepared, chosen = prepared or prepared_sample("iris"), ask(**{"max_depth": 2, **design})
    problem = problem_on(chosen, prepared.train)
    return Run(1, prepared, chosen, problem, DoneJob(solve(problem, method_of(chosen), Limits(seconds=20))))


def swept(run: Run, task: Study) -> StoredStudy:
    """A finished sweep of a run."""
    sweep = create_sweep(run.job.folder, task, run.prepared.test)
    with in_this_process():
        sweep.task.answer(run.problem, None, Limits(), _Never(), lambda known: None)
    return sweep


class _Never:
    """A stop signal that is never set."""

    def is_set(self) -> bool:
        """Never set."""
        return False


def job(app: AppTest):
    """The job of the newest sweep of the last run."""
    run = last_run(app)
    return run.inquiries[f"study {list_sweeps(run.job.folder).sweeps[0].name}"]


def started(app: AppTest) -> AppTest:
    """The screen after a click on Start, with the sweep in this process."""
    app.number_input(key="sweep_workers_1").set_value(1).run()
    return app.button(key="sweep_start").click().run()


def test_the_screen_shows_the_number_of_models() -> None:
    """The run's method and the usual ones are selected; the number follows the choices."""
    app = screen("sweep", solved_here())
    assert not app.exception
    assert app.multiselect(key="sweep_methods_1").value == ["contree", "cart"]
    assert "4 models, each at most 60 s" in words(app)
    assert "counted on 38 held-out rows" in words(app)
    app.button_group(key="sweep_rows_1").set_value("Cross-validation").run()
    app.number_input(key="sweep_folds_1").set_value(4).run()
    assert "16 models" in words(app)
    app.button_group(key="sweep_rows_1").set_value("Bootstrap").run()
    assert "120 models" in words(app)


def test_a_sweep_runs_and_shows_its_tables() -> None:
    """At the end there is a line per method and size, a line per model, and a sentence on the best model."""
    app = started(screen("sweep", solved_here()))
    assert not app.exception
    assert "sweep_stop" in " ".join(button.key for button in app.button) or job(app).done
    job(app).wait(PATIENCE)
    app = app.run()
    assert not app.exception
    shown = words(app)
    assert "4 of 4 models done. Complete." in shown and "Lowest held-out error" in shown
    frames = [frame.value for frame in app.dataframe]
    assert [len(frame) for frame in frames] == [4, 4]
    assert {"held_out", "low"} <= set(frames[0]) and {"test_errors", "status"} <= set(frames[1])
    assert "You have this sweep already." in shown


def test_models_of_all_rows_open_on_inspect() -> None:
    """The model is verified again and has its own proof; Inspect and Compare list it."""
    run = solved_here()
    sweep = swept(run, Study(**QUICK))
    row = sweep.rows()["all: contree d1"]
    model = model_of(run, sweep, row)
    assert model.solution.verified and model.solution.status is Status.OPTIMAL and model.exact
    assert model.title == "ConTree (exact), depth 1" and model.solution.diagram.depth == 1
    app = screen("sweep", run)
    app.session_state[f"sweep_jobs_{sweep.name}_ticked"] = {"selection": {"rows": [1], "columns": [], "cells": []}}
    app = app.run().button(key=f"sweep_open_{sweep.name}").click().run()
    assert not app.exception
    assert [model.title for model in last_run(app).opened.values()] == ["CART, depth 1"]


def test_a_changed_model_is_not_shown() -> None:
    """A model file replaced by hand is not accepted."""
    run = solved_here()
    sweep = swept(run, Study(**QUICK))
    models = {path.stem: path for path in (sweep.path / "models").glob("*.json")}
    models["all--contree-d2"].write_text(models["all--cart-d1"].read_text("utf-8"), "utf-8")
    with pytest.raises(RunError, match="does not match its row"):
        model_of(run, sweep, sweep.rows()["all: contree d2"])


def test_a_sweep_can_be_stopped_and_continued() -> None:
    """Stop keeps finished models; Continue makes the rest, and the table equals that of an uninterrupted sweep."""
    run, whole = solved_here(), solved_here()
    task = Study(methods=("contree", "cart"), depths=(1, 2, 3), folds=10, step=60.0)
    calm = swept(whole, task)
    sweep = create_sweep(run.job.folder, task, run.prepared.test)
    app = screen("sweep", run)
    app = app.button(key=f"sweep_go_{sweep.name}").click().run()
    _wait_until(lambda: len(sweep.rows()) >= 3)
    app.run().button(key=f"sweep_stop_{sweep.name}").click().run()
    job(app).wait(PATIENCE)
    done = len(sweep.rows())
    app = app.run()
    assert 3 <= done < 60 and not app.exception
    assert f"{done} of 60 models done. Stopped. Finished models are kept." in words(app)
    app = app.button(key=f"sweep_go_{sweep.name}").click().run()
    job(app).wait(PATIENCE)
    assert "60 of 60 models done. Complete." in words(app.run())
    tables = [one.table().drop(columns=list(TIMES)) for one in (calm, sweep)]
    pd.testing.assert_frame_equal(*tables)


def test_failed_models_can_be_retried() -> None:
    """If some failed, a button retries them, also if all others are complete; then it disappears."""
    run = solved_here()
    sweep = swept(run, Study(**QUICK, workers=1))
    failed = fail(sweep.path, 2)
    app = screen("sweep", run)
    assert "4 of 4 models done, 2 failed. Complete." in words(app)
    assert f"sweep_go_{sweep.name}" not in [button.key for button in app.button]
    app = app.button(key=f"sweep_again_{sweep.name}").click().run()
    job(app).wait(PATIENCE)
    app = app.run()
    assert not app.exception and "4 of 4 models done. Complete." in words(app)
    assert f"sweep_again_{sweep.name}" not in [button.key for button in app.button]
    assert sweep.table().set_index("key").loc[failed, "verified"].all()


def test_a_deleted_sweep_leaves_the_screen() -> None:
    """The others stay; if there are none, the settings are open again."""
    run = solved_here()
    one, two = swept(run, Study(**QUICK)), swept(run, Study(**QUICK, seed=1))
    app = screen("sweep", run)
    app = app.button(key=f"sweep_delete_{two.name}").click().run()
    assert not app.exception and list_sweeps(run.job.folder).sweeps == (one,)
    app = app.button(key=f"sweep_delete_{one.name}").click().run()
    assert not app.exception and not list_sweeps(run.job.folder).sweeps and not app.dataframe


def test_a_restarted_dashboard_finds_the_sweeps_of_a_run() -> None:
    """Sweeps are in the folder of the run: if it is reopened on Runs, they are listed and can be resumed."""
    run = last_run(solved("iris"))
    sweep = swept(run, Study(**QUICK))
    results = sweep.path / "results.jsonl"
    results.write_text("".join(results.read_text("utf-8").splitlines(keepends=True)[:3]), "utf-8")
    app = tick(runs_screen(opened()), run.job.id)
    app = go_to(app.button(key="runs_open").click().run(), "sweep")
    assert not app.exception and last_run(app).inquiries == {}
    assert "3 of 4 models done. Stopped." in words(app)
    app = app.button(key=f"sweep_go_{sweep.name}").click().run()
    job(app).wait(PATIENCE)
    assert "4 of 4 models done. Complete." in words(app.run())


def test_unreachable_scheduler_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The screen names the cluster before the start, reports that it does not respond, and offers this machine."""
    monkeypatch.setenv("ESPALIER_SCHEDULER", "tcp://127.0.0.1:1")
    app = screen("sweep", solved_here())
    assert "tcp://127.0.0.1:1" in words(app).replace("\u2060", "") and "on the cluster" in words(app)
    app = app.button(key="sweep_start").click().run()
    job(app).wait(PATIENCE)
    app = app.run()
    assert not app.exception
    shown = words(app).replace("\u2060", "")
    assert "The Dask scheduler at tcp://127.0.0.1:1 does not respond" in shown and "The sweep has not begun." in shown
    name = list_sweeps(last_run(app).job.folder).sweeps[0].name
    app = app.button(key=f"sweep_here_{name}").click().run()
    job(app).wait(PATIENCE)
    assert "4 of 4 models done" in words(app.run())


def test_constraints_can_be_on_off_or_both() -> None:
    """This is offered only if the run has constraints; the summary distinguishes the lines."""
    run = solved_here(constraints=(NeverColumns(("petal_width_cm",)),))
    app = screen("sweep", run)
    assert "6 models" in words(app)
    app.button_group(key="sweep_constraints_1").set_value("without").run()
    assert "4 models" in words(app)
    swept(run, Study(**QUICK))
    frame = screen("sweep", run).dataframe[0].value
    assert set(frame["constraints"]) == {"with", "without"} and len(frame) == 6


def test_names_from_the_table_are_shown_literally() -> None:
    """A reason that quotes the table is not interpreted as markup."""
    run = solved_here()
    sweep = swept(run, Study(**QUICK))
    results = sweep.path / "results.jsonl"
    results.write_text(
        results.read_text("utf-8").replace('"error":null', '"error":"![x](http://e.org) <b>"', 1), "utf-8"
    )
    app = screen("sweep", run)
    reason = next(text.value for text in app.markdown if "http" in text.value)
    assert "![x]" not in reason and "<b>" not in reason and "\\!\\[x\\]" in reason


def test_limits_of_an_administrator_apply_to_the_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds, parallel processes, and their total memory."""
    monkeypatch.setenv("ESPALIER_MAX_THREADS", "2")
    monkeypatch.setenv("ESPALIER_MAX_SECONDS", "30")
    monkeypatch.setenv("ESPALIER_MAX_MEMORY_MB", "1024")
    app = screen("sweep", solved_here())
    assert not app.exception
    assert app.number_input(key="sweep_seconds_1").max == 30
    assert app.number_input(key="sweep_workers_1").max == min(2, os.cpu_count())
    app.number_input(key="sweep_workers_1").set_value(1).run()
    assert app.number_input(key="sweep_memory_1").max == 1024


def _wait_until(holds) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)
