"""A session that opens many tables keeps only the last ones in memory, and loses no results."""

from __future__ import annotations

import gc
import time
import weakref
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.runtime.state.common import TESTING_KEY
from streamlit.testing.v1 import AppTest

from components.session import run_files, state
from components.session.memory import RUNS, TABLES, Session, can_go
from components.session.work import Run
from solvers.diagram import to_dict
from solvers.explain import PriceConstraints
from solvers.posing import problem_on
from solvers.run.folder import About
from tests.pages.handmade import ask, prepared_sample, screen
from tests.pages.journey import PATIENCE, go_to, last_run, opened, session, solved, solving
from tests.pages.test_runs_screen import runs_screen, tick

XOR = prepared_sample("xor")
DESIGN = ask(max_depth=1)


def table(number: int):
    """The rows of a small sample, loaded as another table each time."""
    return replace(XOR, source=replace(XOR.source, number=number))


class Stored:
    """A finished or active job, with a complete or empty folder."""

    def __init__(self, name: str, folder: Path, done: bool = True, kept: bool = True) -> None:
        self.id, self.done, self.folder = name, done, folder / name
        self.folder.mkdir()
        for file in ("screen.json", "solution.json") if kept else ():
            (self.folder / file).touch()


def run(number: int, folder: Path, on: int = 1, **job: bool) -> Run:
    """A run of a session."""
    return Run(number, table(on), DESIGN, problem_on(DESIGN, XOR.train), Stored(str(number), folder, **job))


def adopted(*runs: Run) -> Session:
    """A session that got these runs in order."""
    held = Session()
    for one in runs:
        held.adopt(one)
    return held


def test_runs_on_the_last_tables_are_kept(tmp_path: Path):
    """Runs on earlier tables are dropped, and the session reports it."""
    few = adopted(*(run(n, tmp_path, on=n) for n in range(1, TABLES + 1)))
    assert (len(few.runs), few.let_go) == (TABLES, False)
    few.adopt(run(10, tmp_path, on=10))
    few.adopt(run(11, tmp_path, on=10))
    assert [one.number for one in few.runs] == [*range(2, TABLES + 1), 10, 11]
    assert (few.current, few.let_go) == (11, True)
    assert few.next_number() == 12


def test_the_last_runs_on_a_table_are_kept(tmp_path: Path):
    """The number of runs on one table is also bounded."""
    many = adopted(*(run(n, tmp_path) for n in range(1, RUNS + 4)))
    assert [one.number for one in many.runs] == list(range(4, RUNS + 4))


@pytest.mark.parametrize("job", [{"done": False}, {"kept": False}])
def test_a_run_that_cannot_be_reopened_is_kept(tmp_path: Path, job: dict):
    """An active run, or one not yet written, is kept until that changes."""
    first = run(1, tmp_path, **job)
    many = adopted(first, *(run(n, tmp_path, on=n) for n in range(2, 9)))
    assert many.runs[0] is first and not can_go(first)
    first.job.done = True
    for file in ("screen.json", "solution.json"):
        (first.job.folder / file).touch()
    many.adopt(run(20, tmp_path, on=20))
    assert first not in many.runs


def test_a_run_with_a_pending_request_is_kept(tmp_path: Path):
    """It is not dropped until the request has ended."""
    first = run(1, tmp_path)
    first.inquiries["prices"] = SimpleNamespace(done=False)
    many = adopted(first, *(run(n, tmp_path, on=n) for n in range(2, 9)))
    assert many.runs[0] is first


def test_runs_opened_together_are_all_kept(tmp_path: Path):
    """Twenty runs opened for a comparison are all kept; the last one is shown, and none is duplicated."""
    together = [run(n, tmp_path, on=n) for n in range(1, 21)]
    many = adopted(run(30, tmp_path, on=30))
    many.adopt(*together)
    assert [one.number for one in many.runs if one.number < 30] == list(range(1, 21))
    assert many.current == 20
    many.adopt(together[4])
    assert many.current == 5
    assert sum(one is together[4] for one in many.runs) == 1


def test_screens_link_to_earlier_runs(tmp_path: Path):
    """Solve has a link to earlier runs, and the run selector on Inspect ends with one."""
    app = screen("inspect", *kept_runs(tmp_path, 1))
    assert not [box for box in app.selectbox if "Earlier runs" in str(box.options)]
    session(app).let_go = True
    app.run()
    box = next(box for box in app.selectbox if box.options and box.options[-1].startswith("Earlier runs"))
    assert len(box.options) == 2
    app = go_to(app, "solve")
    assert not app.exception
    assert "Open earlier runs on Runs." in [link.proto.label for link in app.get("page_link")]


def held_by_streamlit(app: AppTest):
    """Streamlit's state of a session."""
    return object.__getattribute__(app.session_state, "_state")


def kept_runs(folder: Path, n: int) -> list[Run]:
    """Finished runs in separate folders, as they are after a restart."""
    from tests.pages.test_run_files import run_of

    return [run_files.reopen(run_of(folder, table(number), DESIGN).path, number) for number in range(1, n + 1)]


def test_a_run_that_was_let_go_leaves_the_memory_and_can_be_opened_again(monkeypatch: pytest.MonkeyPatch):
    """Rows, models and cached results of a dropped run are freed; the Runs screen reopens it with its model."""
    app = solving("xor")
    first = last_run(app)
    first.job.wait(PATIENCE)
    for name in ("inspect", "compare", "solve"):
        app = go_to(app, name)
        assert not app.exception
    name, model = first.job.id, to_dict(first.best.solution.diagram)
    parts = {"run": first, "job": first.job, "rows": first.prepared.train, "model": first.best.solution.diagram}
    traces = {part: weakref.ref(it) for part, it in parts.items()}
    del first, parts
    for number in range(2, TABLES + 2):
        held = session(app)
        # another table, as if the user had loaded it
        rows = table(held.source.number + 1)
        held.source, held.prepared = rows.source, rows
        app = go_to(app, "solve").button(key="next").click().run()
        assert last_run(app).number == number
        last_run(app).job.wait(PATIENCE)
        app = go_to(app.run(), "inspect")
    # a test of a single screen does not run the code that precedes every screen
    context = SimpleNamespace(session_state=held_by_streamlit(app))
    monkeypatch.setattr(state, "get_script_run_ctx", lambda: context)
    state.forget_widgets()
    # state of a field that exists only in tests
    context.session_state._state._old_state[TESTING_KEY].clear()
    assert name not in [one.job.id for one in session(app).runs]
    end = time.monotonic() + PATIENCE
    while left := [part for part, trace in traces.items() if trace() is not None]:
        assert time.monotonic() < end, f"still held: {', '.join(left)}"
        gc.collect()
        time.sleep(0.05)
    app = tick(runs_screen(opened()), name).button(key="runs_open").click().run()
    assert not app.exception
    assert (last_run(app).job.id, to_dict(last_run(app).best.solution.diagram)) == (name, model)


def test_results_return_with_the_run():
    """Results of a worker on a run are available when another session opens the run."""
    app = solving("xor")
    first = last_run(app)
    first.job.wait(PATIENCE)
    folder = first.job.folder
    first.inquiries["prices"] = inquiry = state.pool().submit(
        first.problem, "contree", first.limits, PriceConstraints(), about=About(folder, "prices")
    )
    known = inquiry.wait(PATIENCE).answer
    assert known is not None
    other = opened()
    other = tick(runs_screen(other), first.job.id).button(key="runs_open").click().run()
    assert not other.exception
    assert last_run(other).inquiries["prices"].snapshot().answer == known


def fields_of_a_run() -> None:
    """A screen with separate fields for each run; it runs as a script, so it imports what it needs."""
    import streamlit as st

    from components.session.state import forget_widgets

    number = st.session_state.setdefault("number", 0)
    forget_widgets()
    st.text_input("Kept", key="kept", persist_state="session")
    st.selectbox("Field", ["a", "b"], key=f"field_{number}", format_func=lambda letter: f"{letter}{number}")
    st.button(f"Button {number}", key=f"button_{number}")
    st.session_state["number"] = number + 1


def test_state_of_removed_widgets_is_dropped():
    """A session keeps only the state of widgets on the screen, however many runs with separate fields it opens.

    If this fails, another version of Streamlit stores widgets elsewhere; see `components/session/state.py`.
    """
    app = AppTest.from_function(fields_of_a_run).run()
    app.text_input(key="kept").set_value("x").run()
    for _ in range(20):
        app.run()
    found = held_by_streamlit(app)._state
    assert len(found._new_widget_state.widget_metadata) < 8
    assert len(found._key_id_mapper.id_key_mapping) < 8
    assert app.text_input(key="kept").value == "x"


def test_an_ended_session_leaves_the_memory():
    """Session, run, job, rows and model are freed after all screens were shown: a shared dashboard runs for weeks."""
    app = solved("iris")
    for name in ("inspect", "compare", "runs", "solve"):
        app = go_to(app, name)
        assert not app.exception
    run = last_run(app)
    folder = run.job.folder
    parts = {"session": session(app), "run": run, "job": run.job, "rows": run.prepared.train, "table": run.prepared}
    parts |= {model.key: model.solution.diagram for model in run.models()}
    traces = {name: weakref.ref(part) for name, part in parts.items()}
    del app, run, parts
    end = time.monotonic() + PATIENCE
    while held := [name for name, trace in traces.items() if trace() is not None]:
        # drawings that are made in the background end shortly after
        assert time.monotonic() < end, f"still held: {', '.join(held)}"
        gc.collect()
        time.sleep(0.05)
    assert (folder / "run.json").exists()
