"""A report on the rows: class balance, what was left out, duplicates and contradictions, and a preview."""

from collections.abc import Iterable

import streamlit as st

from components.messages.text import capitalise, plain
from components.model.run_facts import division_sentences, health_sentences
from components.session import state, steps
from components.session.work import Prepared, Source
from components.widgets import style
from solvers.diagram import class_colours
from solvers.messages.costs import positive_first
from solvers.problem import Step
from solvers.problem.preparation import ReadAs
from solvers.problem.texts import abbreviate

_PREVIEW_ROWS = _PREVIEW_COLUMNS = 200


def show(prepared: Prepared) -> None:
    """Draw class balance and data problems of the rows in use."""
    data = prepared.whole
    st.markdown(f"**{plain(data.outcome)}** in {data.n_samples:,} rows")
    order = positive_first(data)
    colours = class_colours(data.n_classes, data.positive)
    st.html(
        style.balance(
            tuple(data.classes[k] for k in order),
            tuple(int(data.class_counts[k]) for k in order),
            tuple(colours[k] for k in order),
        )
    )
    health = health_sentences(prepared.rows.contradictions, data.n_samples)
    for sentence in (*division_sentences(prepared), *prepared.notes, *health):
        st.caption(plain(sentence, 500))
    if prepared.request.group_rows is None:
        _offer_groups(prepared.source, data.outcome)


def _offer_groups(source: Source, outcome: str) -> None:
    """Draw a button for each column that may identify patients, to keep their rows together in training or held out."""
    for name in source.of_persons:
        if name != outcome:
            st.button(
                f"Keep rows per '{plain(name, 40)}' together",
                key=f"together_{name}",
                on_click=state.put,
                args=(f"group_rows_{source.number}", name),
            )


def show_readings(source: Source) -> None:
    """Show which columns may be numbers or dates but are not read as such, with a button for each conversion."""
    dates, limits = (
        [f"'{name}'" for name, ways in source.readings.items() if isinstance(ways[0], ReadAs) is of_dates]
        for of_dates in (True, False)
    )
    sentences = [
        f"Limits such as '<0.5' in {abbreviate(limits, 6)}. Choose how to read them.",
        f"Dates can be day/month or month/day in {abbreviate(dates, 6)}. Choose one.",
    ]
    lines = [plain(line, 300) for line, columns in zip(sentences, (limits, dates), strict=True) if columns]
    if not lines:
        return
    st.warning("\n\n".join(lines), icon=":material/help:")
    with st.container(horizontal=True):
        _offer(source, (step for ways in source.readings.values() for step in ways))


def _offer(source: Source, offered: Iterable[Step]) -> None:
    """Draw a button for each step, which adds it."""
    for step in offered:
        words = step.words()
        about = ("_".join(one) if isinstance(one, list) else one for one in step.to_json().values())
        st.button(
            plain(capitalise(words), 90),
            key=f"remedy_{'_'.join(about)}",
            icon=":material/healing:",
            on_click=steps.add,
            args=(source, step),
        )


def preview(source: Source) -> None:
    """Offer a preview of the first rows and columns of the table as read."""
    table = source.table
    columns = f", {_PREVIEW_COLUMNS} columns" if len(table.names) > _PREVIEW_COLUMNS else ""
    with st.expander(f"First {min(_PREVIEW_ROWS, table.n_rows)} rows{columns}"):
        st.dataframe(table.head(_PREVIEW_ROWS, _PREVIEW_COLUMNS).rename_axis("row"), height=300)
