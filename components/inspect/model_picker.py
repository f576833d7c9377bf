"""The run, its model and the rows that Inspect shows."""

from typing import NamedTuple

import streamlit as st

from components.messages.text import html, plain
from components.session import state
from components.session.work import FinishedModel, Run
from components.widgets import run_picker, segments, shown_rows, style
from components.widgets.shown_rows import NamedRows
from solvers.messages.results import status_badge


class InspectedModel(NamedTuple):
    """The run, model and rows to show."""

    run: Run
    model: FinishedModel
    rows: NamedRows


def show() -> InspectedModel | None:
    """Draw the choices and the status of the model; `None` if no run has a model yet."""
    runs = [run for run in reversed(state.runs()) if run.best is not None]
    if not runs:
        return None
    current = state.current_run()
    start = current if current in runs else runs[0]
    with st.container(horizontal=True, vertical_alignment="center", key="model_choice"):
        run = run_picker.show("Run", runs, start, lambda run: run.title, width=300, label_visibility="collapsed")
        models = {model.key: model for model in run.models()}
        words = {key: plain(model.title) for key, model in models.items()}
        model = models[segments.show("Model", list(models), key=state.model_key(run), words=words.__getitem__)]
        rows = shown_rows.show(run)
        proof = status_badge(model.solution, model.exact, model.problem)
        st.html(style.pill(proof.words, proof.tone), width="content")
        checked = " Result recomputed by a separate checker." if model.solution.verified else ""
        line = html(f"{proof.sentence}{checked}", 500)
        st.html(f'<div class="one-line" title="{line}">{line}</div>', width="stretch")
    return InspectedModel(run, model, rows)
