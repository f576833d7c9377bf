"""Which run, which of its models, and which rows are being looked at."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from components.model.run_facts import pill
from components.session import state
from components.session.work import Model, Run
from components.widgets import run_picker, segments, style
from components.words.text import plain
from solvers.problem import Dataset


class Rows(NamedTuple):
    """The rows that numbers speak of: their name on the screen, and the rows."""

    name: str
    data: Dataset


class Choice(NamedTuple):
    """What is being looked at."""

    run: Run
    model: Model
    rows: Rows


def show() -> Choice | None:
    """Draw the line of choices and the proof of the model; `None` where no run has a model yet."""
    runs = _finished()
    if not runs:
        return None
    with st.container(horizontal=True, vertical_alignment="center", key="model_choice"):
        run = _run(runs)
        model = _model("Model", run.models(), f"model_{run.number}")
        rows = _rows(run)
        proof = pill(model.solution, model.exact, model.problem)
        st.html(style.pill(proof.words, proof.tone), width="content")
        st.caption(plain(f"{proof.sentence}{_checked(model)}", 500), width="stretch")
    return Choice(run, model, rows)


def _finished() -> list[Run]:
    return [run for run in reversed(state.runs()) if run.best is not None]


def _model(label: str, models: tuple[Model, ...], key: str) -> Model:
    offered = {model.key: model for model in models}
    return offered[segments.show(label, list(offered), key=key, words=lambda name: plain(offered[name].title))]


def _run(runs: list[Run]) -> Run:
    current = state.current_run()
    start = current if current in runs else runs[0]
    return run_picker.show("Run", runs, start, lambda run: run.title, width=300, label_visibility="collapsed")


def _rows(run: Run) -> Rows:
    """Ask whose numbers are shown, where there are other rows than those of training."""
    offered = {"training": run.prepared.train, "test": run.prepared.test, "external": state.external(run)}
    offered = {name: data for name, data in offered.items() if data is not None}
    if len(offered) == 1:
        return Rows("training", run.prepared.train)
    name = segments.show(
        "Numbers of",
        list(offered),
        key="rows",
        words=lambda name: f"{name.capitalize()} rows ({offered[name].n_samples:,})",
    )
    return Rows(name, offered[name])


def _checked(model: Model) -> str:
    return " Checked independently." if model.solution.verified else ""
