"""One question at a time: large buttons, the way back, and an answer that says how sure it is."""

from collections.abc import Callable
from functools import partial

import numpy as np
import streamlit as st

from components.inspect.explorer import case_field
from components.inspect.explorer.bedside_facts import (
    BedsideEnd,
    BedsideQuestion,
    GivenAnswer,
    answered,
    next_question,
    outcome,
)
from components.model.facts import SMALL
from components.session import state
from components.widgets.rows_choice import NamedRows
from components.words.text import NOTICE, count, html, interval, percent, plain
from solvers.diagram import Diagram
from solvers.errors import EspalierError
from solvers.problem import MissingPolicy

PANEL = "panel"
"""The key under which the session has what the panel beside the diagram shows."""


def show(diagram: Diagram, rows: NamedRows, *, key: str, page: Callable[[], bytes], file: str) -> None:
    """Draw the next question, or where the answers have led; the risk is that of the rows that are looked at.

    `page` makes the same as one file to take along, which is called `file`.
    """
    name = f"answers_{key}"
    answers: tuple[GivenAnswer, ...] = state.get(name, ())
    _, middle, _ = st.columns([1, 2, 1])
    with middle, st.container(border=True, key="bedside"):
        question, end = next_question(diagram, answers), outcome(diagram, answers, rows.data, rows.name)
        if end is not None:
            _end(end, key)
        elif question is not None and question.columns:
            _ask_values(diagram, question, answers, name)
        elif question is not None:
            _ask(diagram, question, answers, name)
        with st.container(horizontal=True, horizontal_alignment="distribute"):
            for label, rest, icon in (("Back", answers[:-1], "arrow_back"), ("Start again", (), "restart_alt")):
                st.button(
                    label,
                    key=f"bedside_{icon}",
                    icon=f":material/{icon}:",
                    disabled=not answers,
                    on_click=state.put,
                    args=(name, rest),
                )
        st.caption(NOTICE)
        st.download_button(
            "Save as one page (HTML)",
            page,
            file_name=file,
            mime="text/html",
            key="bedside_page",
            icon=":material/download:",
            on_click="ignore",
            help="The same questions in one file, without any patient's row: offline, on a phone, on paper.",
        )


def _heading(question: BedsideQuestion, outcome: str) -> None:
    last = "" if question.most == question.number else f" of at most {count(question.most)}"
    st.caption(f"Question {count(question.number)}{last}")
    st.html(f'<div class="asked">{html(question.words, 300)}</div>')
    ruled_out = "".join(f" <s>{html(name, 60)}</s>" for name in question.ruled_out)
    possible = ", ".join(html(name, 60) for name in question.possible)
    still = f"Still possible for {html(outcome, 60)}:"
    st.html(f"<div><small>{still} <b>{possible}</b>{ruled_out}</small></div>")


def _ask(diagram: Diagram, question: BedsideQuestion, answers: tuple[GivenAnswer, ...], name: str) -> None:
    _heading(question, diagram.outcome)
    offered: list[tuple[bool | None, str, str]] = [
        (True, f"Yes: {question.yes}", "yes"),
        (False, f"No: {question.no}", "no"),
    ]
    if question.not_known:
        offered.append((None, question.not_known, "unknown"))
    if question.other:
        offered.append((None, question.other, "other"))
    for yes, words, suffix in offered:
        st.button(
            plain(words, 160),
            key=f"bedside_{suffix}",
            width="stretch",
            on_click=partial(
                state.put, name, (*answers, answered(diagram, question.node, yes, other=suffix == "other"))
            ),
        )


def _ask_values(diagram: Diagram, question: BedsideQuestion, answers: tuple[GivenAnswer, ...], name: str) -> None:
    """Draw fields for the columns of a weighted sum, which nobody has to work out."""
    _heading(question, diagram.outcome)
    fields = {column: f"{name}_{question.node}_{column}" for column in question.columns}
    for column, key in fields.items():
        case_field.show(diagram.schema[column], key=key)
    trouble = state.get(f"{name}_trouble")
    if trouble:
        st.error(plain(trouble, 300))
    act = partial(_work_out, diagram, question.node, fields, answers, name)
    st.button("Next", key="bedside_next", type="primary", width="stretch", on_click=act)


def _work_out(diagram: Diagram, node: int, fields: dict[str, str], answers: tuple[GivenAnswer, ...], name: str) -> None:
    """Answer the question about a sum from the values that were entered."""
    row = np.full((1, len(diagram.schema)), np.nan)
    predicate = diagram.split(node).predicate
    try:
        for column, key in fields.items():
            row[0, diagram.schema.index(column)] = case_field.encoded(diagram, column, case_field.entered(key))
        gone = tuple(name for name in fields if np.isnan(row[0, diagram.schema.index(name)]))
        refused = diagram.schema.never_had(fields, row)[0]
        refused |= diagram.schema.missing is MissingPolicy.COMPLETE and bool(gone)
        yes = None if refused else bool(predicate.holds(diagram.schema, row)[0])
    except EspalierError as error:
        state.put(f"{name}_trouble", str(error))
        return
    state.put(f"{name}_trouble", None)
    state.put(name, (*answers, GivenAnswer(node, yes, gone)))


def _end(end: BedsideEnd, key: str) -> None:
    st.caption("Answer")
    st.html(f'<div class="asked">{html(end.verdict, 200)}</div>')
    if end.risk is not None and end.risk.value is not None:
        sure = f"<small>95 % interval {interval(end.risk)}</small>"
        what = f"risk of {html(end.of_class, 60)}"
        risk = f"<b>{percent(end.risk.value)}</b> <span>{what}</span><br>{sure}"
        st.html(f'<div class="risk">{risk}</div>')
    st.markdown(plain(end.support, 600))
    if end.small:
        st.caption(f":material/warning: Fewer than {SMALL} rows ended here: this share is uncertain.")
    if end.because:
        st.markdown("Because " + plain(" and ".join(end.because), 2000))
    if end.risk is None or end.risk.n:
        show = partial(show_node, key, end.node)
        st.button(
            "Show this question in the diagram" if end.risk is None else "Show this leaf in the diagram",
            key=f"bedside_show_{key}",
            on_click=show,
        )


def show_node(key: str, node: int) -> None:
    """Look at a node of the diagram, in the panel of nodes."""
    state.choose_node(key, node)
    state.put(PANEL, "Node")
