"""The report of a model: the author's fields, the files, and a preview."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

import streamlit as st

from components.inspect.evidence import resampling_panel
from components.messages.text import plain
from components.model import drawing
from components.session import state
from components.session.work import FinishedModel, Run
from components.widgets import style
from solvers.errors import EspalierError
from solvers.methods import registry
from solvers.problem import Dataset
from solvers.report.blocks import BLANK, TableBlock
from solvers.report.html_page import to_html
from solvers.report.pdf_pages import to_pdf
from solvers.report.sections import CHECKLIST, card, report
from solvers.report.subject import Author, Subject
from solvers.study.cross_validation import CrossValidation

_HEIGHT = 620


def show(run: Run, model: FinishedModel, least: int | None) -> tuple[Subject, Author] | None:
    """Draw the author's fields and the buttons; returns the report to preview, if any."""
    st.markdown(
        "**Report**  \nData, model, performance, constraints, proof, and the TRIPOD+AI items with blanks to fill in. "
        "Contains no patient rows."
    )
    key = f"report_{run.number}"
    with st.expander("Title, author, purpose"):
        with st.container(horizontal=True):
            title = st.text_input("Title", key=f"{key}_title", persist_state="session", max_chars=200)
            name = st.text_input("Author", key=f"{key}_author", persist_state="session", max_chars=200)
        purpose = st.text_area(
            "Purpose",
            key=f"{key}_purpose",
            persist_state="session",
            height=90,
            max_chars=2000,
            help="Intended patients, time of use, and the decision that the model supports.",
        )
    author = Author(title.strip(), name.strip(), purpose.strip(), least, drawing.chosen_detail())
    subject = subject_of(run, model, datetime.now(UTC), state.external(run), resampling_panel.validation(run, model))
    with st.container(horizontal=True, vertical_alignment="center"):
        save = partial(_save, run, model)
        save("report.html", "Save as HTML", lambda: to_html(report(subject, author)), "Opens offline in any browser.")
        save("report.pdf", "Save as PDF", lambda: to_pdf(report(subject, author), subject.made), "Takes some seconds.")
        for paper in ("A4", "Letter"):
            one_page = "One page to print: drawing, outcome, status, source and date."
            save(f"card-{paper.lower()}.pdf", f"Card, {paper}", partial(_card, subject, author, paper), one_page)
        shown = st.toggle("Preview", key=state.preview_key(run), persist_state="session")
    return (subject, author) if shown else None


def _save(run: Run, model: FinishedModel, ending: str, label: str, make: Callable[[], bytes], help: str) -> None:
    """Draw the button for a file with this ending, which is made when it is pressed."""
    mime = "text/html" if ending.endswith("html") else "application/pdf"
    name, key = run.file_name(model.key, ending=ending), ending.replace(".", "_")
    st.download_button(label, make, name, mime, key=key, on_click="ignore", help=help)


def _card(subject: Subject, author: Author, paper: str) -> bytes:
    return to_pdf(card(subject, author), subject.made, paper, card=True)


def subject_of(
    run: Run,
    model: FinishedModel,
    made: datetime,
    external: Dataset | None = None,
    validation: CrossValidation | None = None,
) -> Subject:
    """The content of the report of a model; a cross-validation only if it is finished."""
    prepared, own = run.prepared, model.key == run.method
    done = validation if validation is not None and validation.results.complete else None
    source = registry.get(model.key).source if model.key in registry.names() else "an alternative"
    return Subject(
        model.problem,
        model.solution,
        model.title,
        source,
        made,
        options=run.request.options if own else {},
        limits=run.limits if own else None,
        test=prepared.test,
        external=external,
        aside=prepared.test,
        test_share=run.request.test_share,
        test_seed=run.request.seed,
        notes=prepared.notes,
        rivals=run.rivals(model),
        cross_validation=done,
    )


def show_preview(subject: Subject, author: Author) -> None:
    """Draw the page as it will be saved."""
    try:
        made = report(subject, author)
    except EspalierError as error:
        st.error(plain(error, 400))
        return
    checklist = next(s.blocks[-1] for s in made.sections if s.title == CHECKLIST)
    if isinstance(checklist, TableBlock):
        filled = sum(row[-1] != BLANK for row in checklist.rows)
        st.caption(f"{filled} of {len(checklist.rows)} checklist items are filled in.")
    style.page(to_html(made), _HEIGHT)
