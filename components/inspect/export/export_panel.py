"""The rules as text, and the model in every format, each with what it is good for."""

from functools import partial

import streamlit as st

from components.inspect.export import report_panel
from components.inspect.export.report_facts import file_name
from components.session import state
from components.session.work import FinishedModel, Run
from components.words.text import plain
from solvers.errors import EspalierError
from solvers.report.exports import EXPORTS, Material
from solvers.report.suppression import LEAST

_USUAL_LEAST = 5


def show(run: Run, model: FinishedModel) -> None:
    """Draw the formats with their buttons, the rules, and what a report needs."""
    left, right = st.columns([1.1, 1], gap="large")
    with left:
        least = _least(run)
        material = Material(model.diagram, model.problem.dataset, least)
        _formats(run, model, material)
    with right:
        looked_at = report_panel.show(run, model, least)
    if looked_at is not None:
        report_panel.show_preview(*looked_at)
    with st.expander("Rules as text", expanded=True):
        try:
            st.code(material.rules(), language=None, wrap_lines=True)
        except EspalierError as error:
            st.error(plain(error, 400))


def _least(run: Run) -> int | None:
    """Ask whether small counts are hidden, for all that is saved below."""
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        hides = st.toggle(
            "Hide small counts",
            key=f"hides_{run.number}",
            persist_state="session",
            help="Few people in a leaf could be recognised. Counts below the limit are shown as '<5', and as many "
            "others are hidden as it takes that nobody can compute them from what is shown. Classes stay as they are; "
            "in models that must have numbers, hidden counts become the middle of what they may be.",
        )
        if not hides:
            return None
        least = st.number_input(
            "Hide counts below",
            LEAST,
            100,
            key=state.first(f"least_{run.number}", _USUAL_LEAST),
            persist_state="session",
            width=160,
        )
    return int(least)


def _formats(run: Run, model: FinishedModel, material: Material) -> None:
    for form in EXPORTS:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", wrap=False):
            st.download_button(
                form.label,
                partial(form.make, material),
                file_name=file_name(run, model, form.ending),
                mime=form.mime,
                key=f"export_{form.key}",
                icon=":material/download:",
                width=150,
                on_click="ignore",
            )
            st.markdown(plain(form.purpose, 200), width="stretch")
