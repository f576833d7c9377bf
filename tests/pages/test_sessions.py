"""An ended session leaves its runs in their folders, and nothing in the memory of the dashboard."""

from __future__ import annotations

import gc
import time
import weakref

from tests.pages.journey import PATIENCE, go_to, last_run, session, solved


def test_an_ended_session_leaves_the_memory():
    """Session, run, job, rows and model are freed after all screens were shown: a shared dashboard runs for weeks."""
    app = solved("iris")
    for screen in ("inspect", "compare", "runs", "solve"):
        app = go_to(app, screen)
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
