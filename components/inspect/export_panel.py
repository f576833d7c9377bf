"""The rules as text, and the model in every format."""

from collections.abc import Collection, Sequence
from functools import partial

import numpy as np
import streamlit as st

from components.inspect import report_panel
from components.messages.text import label_with, plain
from components.model import drawing
from components.model.once import once
from components.session import state
from components.session.work import FinishedModel, Run
from solvers.diagram import Diagram
from solvers.diagram.dialects import Dialect
from solvers.errors import EspalierError
from solvers.problem import Unknown
from solvers.report.exports import EXPORTS, Export, Material, export
from solvers.report.predictions import table_predictions
from solvers.report.suppression import LEAST

_USUAL_LEAST = 5
_TO_READ, _PICTURES = ("bedside",), ("svg", "png", "pdf", "rules")
_FOR_IT = tuple(form.key for form in EXPORTS if form.key not in (*_TO_READ, *_PICTURES))


def show(run: Run, model: FinishedModel) -> None:
    """Draw what people read first: report, card and bedside page; then pictures and rules; then files for IT."""
    _choices(run)
    made = material(run, model)
    left, right = st.columns([1.1, 1], gap="large")
    with left:
        looked_at = report_panel.show(run, model, made.least)
        _formats(run, model, made, _TO_READ)
    with right:
        st.markdown("**Pictures and rules**")
        _formats(run, model, made, _PICTURES)
        with st.expander("Rules as text"):
            try:
                st.code(export(made, "rules").decode(), language=None, wrap_lines=True)
            except EspalierError as error:
                st.error(plain(error, 400))
    if looked_at is not None:
        report_panel.show_preview(*looked_at)
    st.markdown("**For IT**")
    left, right = st.columns([1.1, 1], gap="large")
    with left:
        _formats(run, model, made, _FOR_IT)
    with right:
        st.selectbox(
            "SQL dialect",
            list(Dialect),
            key=f"dialect_{run.number}",
            format_func=lambda dialect: dialect.label,
            persist_state="session",
            width=240,
        )
        _predictions(run, model, made)


def material(run: Run, model: FinishedModel) -> Material:
    """The content to export, as the user chose it on this tab."""
    least = int(state.get(f"least_{run.number}", _USUAL_LEAST)) if state.get(f"hides_{run.number}") else None
    unknown = Unknown.IGNORE if state.get(f"follows_{run.number}") else Unknown.ERROR
    detail = drawing.chosen_detail()
    dialect = state.get(f"dialect_{run.number}") or Dialect.SQLITE
    return Material(model.diagram, model.problem.dataset, least, dialect=dialect, unknown=unknown, detail=detail)


def _choices(run: Run) -> None:
    """Ask whether small counts are hidden, and how unknown values are treated, in all files below."""
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        hides = st.toggle(
            "Hide small counts",
            key=f"hides_{run.number}",
            persist_state="session",
            help="Protects small groups: counts below the limit, and those that would reveal them, are hidden. "
            "Predictions do not change.",
        )
        if hides:
            st.number_input(
                "Hide counts below",
                LEAST,
                100,
                key=state.first(f"least_{run.number}", _USUAL_LEAST),
                persist_state="session",
                width=160,
            )
        st.toggle(
            "Predict unknown values",
            key=f"follows_{run.number}",
            persist_state="session",
            help=f"Off: {Unknown.ERROR.words} On: {Unknown.IGNORE.words}",
        )


def _formats(run: Run, model: FinishedModel, material: Material, keys: Collection[str]) -> None:
    """Draw the buttons of some formats."""
    for form in (one for one in EXPORTS if one.key in keys):
        key = ("refusal", form.key, model.key, material.least, material.unknown)
        why = once(run, key, (material.diagram,), partial(_refusal, form, material))
        with st.container(horizontal=True, vertical_alignment="center", gap="small", wrap=False):
            st.download_button(
                form.label,
                partial(export, material, form.key),
                file_name=run.file_name(model.key, ending=form.ending),
                mime=form.mime,
                key=f"export_{form.key}",
                icon=":material/download:",
                width=150,
                on_click="ignore",
                disabled=why is not None,
            )
            note = f" {form.note}" if form.note and model.diagram.preparation else ""
            st.markdown(plain(why or form.purpose + note, 400), width="stretch")


def _refusal(form: Export, material: Material) -> str | None:
    """Why a format cannot represent the model; `None` if it can."""
    try:
        if form.is_partial:
            form.make(material)
    except EspalierError as error:
        return str(error)
    return None


def _predictions(run: Run, model: FinishedModel, material: Material) -> None:
    """A file of predictions for each row of the table, with columns that identify the row."""
    table = run.prepared.source.raw
    keep = st.multiselect(
        "Columns to include",
        list(table.names),
        run.prepared.identifiers,
        format_func=label_with(table.names),
        key=f"keeps_{run.number}",
        placeholder="Choose columns",
        persist_state="session",
        help="For instance a patient ID. Only in this file, not in models or reports.",
    )

    with st.container(horizontal=True, vertical_alignment="center", gap="small", wrap=False):
        st.download_button(
            "Predictions",
            partial(predictions_of, run, material.diagram, material.unknown, keep),
            file_name=run.file_name(model.key, ending="predictions.csv"),
            mime="text/csv",
            key="export_predictions",
            icon=":material/download:",
            width=150,
            on_click="ignore",
        )
        st.markdown("Observed and predicted class, probabilities, leaf and path for each row.", width="stretch")


def predictions_of(run: Run, diagram: Diagram, unknown: Unknown, keep: Sequence[str]) -> str:
    """The predictions for all rows of the table as CSV, after the kept columns, the set and the observed class."""
    table = run.prepared.source.raw
    about = run.prepared.identified(np.arange(1, table.n_rows + 1))
    more = {str(name): about[name].tolist() for name in about.columns if name not in run.prepared.identifiers}
    return table_predictions(diagram, table, unknown, keep, more).text
