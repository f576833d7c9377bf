"""A run while it works and after: incumbent and bound closing in on each other, and the best model so far."""

from __future__ import annotations

import streamlit as st

from components import conflict_panel, drawing, state, style, wishes_panel
from components.facts import Live, curve, live
from components.figures import live_curve
from components.text import html, plain, seconds
from components.work import Run
from solvers.methods import registry
from solvers.run import Snapshot
from solvers.solution import Status

_REFRESH_SECONDS = 0.5
_HEIGHT = 330


def show(run: Run) -> None:
    """Draw the panel of a run; it refreshes itself until the run is over."""
    over = run.job.snapshot().state.terminal
    draw = st.fragment(_panel, run_every=None if over else _REFRESH_SECONDS, key=f"panel_{run.number}")
    with st.container(border=True):
        draw(run, over)
        if over:
            _wishes(run)


def _wishes(run: Run) -> None:
    """Draw what became of the wishes, or why they cannot hold together."""
    solution = run.job.snapshot().solution
    if run.best is not None:
        wishes_panel.show_table(run, run.best)
    elif solution is not None and solution.status is Status.INFEASIBLE:
        conflict_panel.show(run)


def _panel(run: Run, was_over: bool) -> None:
    snapshot = run.job.snapshot()
    if snapshot.state.terminal and not was_over:
        st.rerun()
    facts = live(snapshot, registry.get(run.design.method).exact, run.problem)
    _headline(run, facts)
    if snapshot.state.terminal and snapshot.diagram is None:
        return
    left, right = st.columns([1, 1.35], gap="medium")
    with left:
        _closing_in(run, snapshot)
    with right:
        if snapshot.diagram is None:
            st.container(height=_HEIGHT, border=False).caption(
                f"The {run.problem.shape.kind.noun} appears here once the first one is found."
            )
        else:
            drawing.show(snapshot.diagram, key=f"live_tree_{run.number}", height=_HEIGHT, data=run.problem.dataset)


def _headline(run: Run, facts: Live) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.html(f"{style.pill(facts.pill.words, facts.pill.tone)} &nbsp;<b>{html(run.title)}</b>", width="content")
        with st.container(horizontal=True, vertical_alignment="center", width="content"):
            st.html(
                f'<span class="known">{seconds(facts.elapsed)} of at most {run.design.seconds:g} s</span>',
                width="content",
            )
            if facts.running:
                st.button("Stop", key=f"stop_{run.number}", icon=":material/stop_circle:", on_click=run.job.cancel)
            elif run is not state.runs()[-1] and run.best and st.button("Inspect", key=f"look_{run.number}"):
                state.look_at(run)
                st.switch_page("pages/inspect.py")
    st.caption(plain(facts.pill.full, 600))


def _closing_in(run: Run, snapshot: Snapshot) -> None:
    points = curve(snapshot, run.problem)
    if not points.incumbent:
        st.container(height=_HEIGHT, border=False).caption(plain(snapshot.text, 300))
        return
    figure = live_curve(points, state.dark(), _HEIGHT)
    st.plotly_chart(figure, key=f"curve_{run.number}", config={"displayModeBar": False})
