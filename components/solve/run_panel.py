"""A run during and after the search: convergence of incumbent and lower bound, and the best model so far."""

from collections.abc import Callable

import streamlit as st

from components.messages.text import html, plain, seconds
from components.model import constraints_panel, drawing, live_panel, size_offer
from components.model.run_facts import run_badge
from components.session import run_actions, state
from components.session.work import Run
from components.solve import conflict_panel
from components.widgets import style
from solvers.methods import registry
from solvers.run import JobState, Snapshot
from solvers.solution import Status

_PACES = ((5.0, 0.5), (30.0, 1.0), (float("inf"), 2.0))
"""(until, interval): seconds between two refreshes until this time after the start; changes become rarer with time."""

_HEIGHT, _WIDTH = 420, 720


def show(run: Run) -> None:
    """Draw the panel of a run; it refreshes itself until the run ends."""
    seconds_between = pace(run.job.snapshot())

    def refreshed(draw: Callable[[Run, Snapshot], None], key: str) -> None:
        def drawn() -> None:
            snapshot = run.job.snapshot()
            if pace(snapshot) != seconds_between:
                st.rerun()
            draw(run, snapshot)

        st.fragment(drawn, run_every=seconds_between, key=f"{key}_{run.number}")()

    with st.container(border=True):
        refreshed(_headline, "headline")
        size_offer.show(run)
        refreshed(_panel, "panel")
        if seconds_between is None:
            _constraints(run)


def pace(snapshot: Snapshot) -> float | None:
    """The seconds between two refreshes; `None` after the end of the run.

    Queued runs refresh rarely: little changes, and the screens of many queued runs must not slow the running ones.
    """
    if snapshot.state.terminal:
        return None
    if snapshot.state is JobState.QUEUED:
        return 1.0
    return next(seconds for end, seconds in _PACES if snapshot.elapsed < end)


def _constraints(run: Run) -> None:
    solution = run.job.snapshot().solution
    if run.best is not None:
        constraints_panel.show_table(run, run.best)
    elif solution is not None and solution.status is Status.INFEASIBLE:
        conflict_panel.show(run)


def _panel(run: Run, snapshot: Snapshot) -> None:
    if snapshot.state.terminal and snapshot.diagram is None:
        return
    left, right = st.columns([1, 1.35], gap="medium")
    with left:
        live_panel.show(run, snapshot, "solve", _HEIGHT)
    with right:
        if snapshot.diagram is None:
            st.container(height=_HEIGHT, border=False).caption(f"No {run.problem.shape.kind.noun} found yet.")
        else:
            name = f"live_tree_{run.number}"
            data = run.problem.dataset
            drawing.show(snapshot.diagram, key=name, place="solve", width=_WIDTH, data=data, least_height=_HEIGHT)


def _headline(run: Run, snapshot: Snapshot) -> None:
    shown = run_badge(snapshot, registry.get(run.method).exact, run.problem)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.html(f"{style.pill(shown.words, shown.tone)} &nbsp;<b>{html(run.title)}</b>", width="content")
        with st.container(horizontal=True, vertical_alignment="center", width="content"):
            passed = f"{seconds(snapshot.elapsed)} of {run.seconds:g} s"
            st.html(f'<span class="known">{passed}</span>', width="content")
            if not snapshot.state.terminal:
                st.button("Stop", key=f"stop_{run.number}", icon=":material/stop_circle:", on_click=run.job.cancel)
            elif run is not state.runs()[-1] and run.best and st.button("Inspect", key=f"look_{run.number}"):
                run_actions.look_at(run)
                st.switch_page("pages/inspect.py")
    st.caption(plain(shown.full, 600))


def show_engine() -> None:
    """Show that the worker process starts or compiles, until it is ready; then nothing."""
    st.fragment(_engine, run_every=1.0 if _readiness() else None, key="engine")()


def _engine() -> None:
    if words := _readiness():
        st.info(plain(words), icon=":material/hourglass_top:")


def _readiness() -> str:
    """The message, if any; a change of the worker after a run is not reported."""
    ready = state.pool().readiness
    return "" if ready.state == "ready" or (ready.state == "starting" and state.runs()) else ready.text
