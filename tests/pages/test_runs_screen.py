"""The Runs screen: runs are found, opened after a restart, changed, deleted and restored, and are private."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NoReturn

import pytest
from msgspec.structs import replace
from streamlit.testing.v1 import AppTest

from components.messages.text import storage, when
from components.runs.run_list import lines, status
from components.session import run_store
from components.session.work import Run, prepare
from solvers.methods import registry
from solvers.posing import problem_on
from solvers.problem import Description, ShapeKind, leaf_floor
from solvers.request import Request
from solvers.store import Entry, Query
from tests.pages.handmade import DoneJob, ask, prepared_sample
from tests.pages.journey import go_to, last_run, opened, session, solved, words

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


def entry(**changes: object) -> Entry:
    """A finished run."""
    parts = {
        "id": "a",
        "folder": "a",
        "owner": "local",
        "created": NOW - timedelta(minutes=5),
        "name": "heart",
        "outcome": "ill",
        "method": "contree",
        "kind": "tree",
        "size": "depth 3",
        "rows": 1297,
        "state": "finished",
        "status": "optimal",
        "cost": 44.0,
        "bound": 44.0,
        "errors": 44,
        "questions": 7,
        "seconds": 0.25,
        "bytes": 12_345,
    }
    return Entry(**(parts | changes))


def test_a_line_has_units_and_proof() -> None:
    """Names are shown literally, whatever they contain."""
    frame = lines([entry(constraints="at most 4 leaves", starred=True, comment="look"), entry(title="<b>'; DROP")])
    assert frame["Data set"].tolist() == ["heart", "<b>'; DROP"]
    assert frame.iloc[0].tolist() == [
        *("\u2605", NOW - timedelta(minutes=5), "heart", "ill", registry.get("contree").title),
        *("depth 3", "at most 4 leaves", 1297, 44, 7, "Optimal on training data", 0.25, 0.012345, "look"),
    ]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "Optimal on training data"),
        ({"status": None}, "Not verified"),
        ({"status": "feasible", "bound": 40.0}, "Best so far"),
        ({"status": "feasible", "bound": None}, "Best so far"),
        ({"status": "feasible", "method": "cart"}, "Heuristic"),
        ({"status": "infeasible"}, "Infeasible"),
        ({"state": "cancelled", "status": "cancelled"}, "Stopped: best so far"),
        ({"state": "cancelled", "status": "cancelled", "errors": None}, "Stopped"),
        ({"state": "failed", "status": None, "error": "x"}, "Failed"),
        ({"state": "running", "status": None}, "Running"),
        ({"state": "failed", "method": "", "error": "damaged"}, "Damaged"),
        ({"status": "feasible", "method": "gone"}, "Heuristic"),
    ],
)
def test_only_proved_runs_are_shown_as_proved(changes: dict, said: str) -> None:
    """The badge of a run in the list claims no more than is known."""
    assert status(entry(**changes)) == said


def test_times_and_sizes_are_readable() -> None:
    """Minutes, hours and days; bytes in a suitable unit."""
    ago = [when(NOW - timedelta(seconds=s), NOW) for s in (3, 90, 7300)]
    assert ago == ["just now", "1 min ago", "2 h ago"]
    assert when(NOW - timedelta(days=3), NOW).startswith("2026-04-2")
    assert [storage(n) for n in (0, 999, 1000, 2_500_000, 3_200_000_000)] == [
        "0 B",
        "999 B",
        "1.0 kB",
        "2.5 MB",
        "3.2 GB",
    ]


def runs_screen(app: AppTest) -> AppTest:
    """The Runs screen, with an updated list."""
    run_store.store(fresh=True)
    return go_to(app, "runs")


def tick(app: AppTest, *ids: str, deleted: bool = False) -> AppTest:
    """Select runs in the list."""
    entries = run_store.store().find(Query(owner="local", limit=200, deleted=deleted))
    rows = [position for position, found in enumerate(entries) if found.id in ids]
    assert len(rows) == len(ids)
    key = f"runs_table_{app.session_state['_runs_round']}"
    app.session_state[key] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    return app.run()


@pytest.fixture(scope="module")
def run() -> Run:
    """A run on a small sample, which no test changes for good."""
    return last_run(solved("xor"))


def test_a_run_is_found_and_opened_in_another_session(run: Run) -> None:
    """After a restart the run is restored: Inspect shows its tree, with test rows and constraints."""
    app = tick(runs_screen(opened()), run.job.id)
    app = app.button(key="runs_open").click().run()
    assert not app.exception
    other = last_run(app)
    assert other is not run and other.job.id == run.job.id
    assert other.best.solution == run.best.solution
    assert other.prepared.test.fingerprint == run.prepared.test.fingerprint
    assert session(app).current == other.number


def test_a_run_can_be_reused_and_changed(run: Run) -> None:
    """Design shows the settings of the run; the table is in use again."""
    app = tick(runs_screen(opened()), run.job.id)
    app = app.button(key="runs_change").click().run()
    assert not app.exception
    assert session(app).asked == run.request
    assert session(app).prepared.train.fingerprint == run.prepared.train.fingerprint
    assert app.slider(key="design_max_depth").value == run.request.max_depth
    app = go_to(app, "data")
    assert session(app).prepared.train.fingerprint == run.prepared.train.fingerprint


def test_crossed_groups_and_labels_are_restored() -> None:
    """Columns, pairs and labels of a run are in their fields again, in any spelling from the command line."""
    base, design = prepared_sample("lending"), ask(max_depth=1)
    groups = ("district x sex", "sex")
    known = {"sex": {"label": "Sex", "family": "history"}}
    rows = prepare(base.source, replace(base.request, groups=groups, dictionary=known))
    app = AppTest.from_function(_taken_up)
    app.session_state["run"] = Run(
        1, rows, design.with_rows(rows.request), problem_on(design, rows.train), DoneJob(None)
    )
    app = app.run()
    assert not app.exception
    number = session(app).source.number
    assert app.session_state[f"groups_{number}"] == ["district", "sex"]
    assert app.session_state[f"crossed_{number}"] == ["district × sex"]
    assert app.session_state["_columns_described"] == (number, {"sex": Description("Sex", family="history")})


def reused(*designs: Request) -> AppTest:
    """A session that takes up runs with these requests, one after the other."""
    base = prepared_sample("lending")
    app = AppTest.from_function(_taken_up)
    for design in designs:
        request = design.with_rows(base.request)
        app.session_state["run"] = Run(1, base, request, problem_on(design, base.train), DoneJob(None))
        app = app.run()
        assert not app.exception
    return app


@pytest.mark.parametrize("shape", [ShapeKind.BDD, ShapeKind.DIAGRAM])
def test_a_reused_run_keeps_the_fields_of_other_shapes(shape: ShapeKind) -> None:
    """Regression: after a BDD or a diagram, a tree had no minimum of 1% of the rows, and no maximum of leaves."""
    other = ask(shape=shape)
    app = reused(other)
    n_rows = prepared_sample("lending").source.raw.n_rows
    assert app.session_state["design_min_samples_leaf"] == leaf_floor(n_rows) > 1
    assert "design_alpha" not in app.session_state or shape is ShapeKind.DIAGRAM
    app = reused(ask(max_leaf_nodes=5, min_samples_leaf=9), other)
    assert (app.session_state["design_max_leaf_nodes"], app.session_state["design_min_samples_leaf"]) == (5, 9)
    app = reused(ask(shape=ShapeKind.DIAGRAM, skeleton=(1, 2), alpha=0.5), ask(shape=ShapeKind.BDD))
    assert (app.session_state["design_skeleton"], app.session_state["design_alpha"]) == ("1 2", 0.5)


def test_a_reused_run_with_a_limited_depth_resets_the_switches_for_any_depth() -> None:
    """Regression: a later split penalty removed the depth limit, since an earlier run had none."""
    priced = ask(max_depth="any", split_penalty=2.0)
    assert reused(priced).session_state["design_priced_depth"] is True
    app = reused(priced, ask(max_depth=2))
    assert (app.session_state["design_priced_depth"], app.session_state["design_any_depth"]) == (False, True)


def _taken_up() -> None:
    import streamlit as st

    from components.session.form_values import take_up

    take_up(st.session_state["run"])


def test_a_deleted_run_can_be_restored(run: Run) -> None:
    """Delete hides a run, the list of deleted runs restores it, and its folder is kept."""
    app = tick(runs_screen(opened()), run.job.id)
    app = app.button(key="runs_delete").click().run()
    assert run_store.store().get(run.job.id).deleted is not None
    app = tick(app.button_group(key="runs_state").set_value("Deleted").run(), run.job.id, deleted=True)
    app = app.button(key="runs_restore").click().run()
    assert not app.exception
    assert run_store.store().get(run.job.id).deleted is None
    assert run.job.folder.is_dir()


def test_emptying_the_trash_deletes_runs_permanently(run: Run) -> None:
    """Only previously deleted runs of the user are deleted."""
    gone = last_run(solved("xor"))
    app = tick(runs_screen(opened()), gone.job.id)
    app = app.button(key="runs_delete").click().run()
    app = app.button_group(key="runs_state").set_value("Deleted").run()
    app = app.button(key="runs_empty").click().run()
    assert not app.exception and not gone.job.folder.exists() and run.job.folder.is_dir()


def test_an_unreadable_folder_of_runs_does_not_prevent_solving(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the list the screen shows a remedy."""
    app = solved("xor")

    def refuse(path: Path) -> NoReturn:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    app = go_to(app, "runs")
    assert not app.exception
    assert "ESPALIER_RUNS" in words(app) and not app.dataframe
    assert last_run(app).best is not None
