"""What the rows look like: class balance, what was left out, duplicates and contradictions, and a preview."""

import streamlit as st

from components.data import steps
from components.model.facts import positive_first
from components.model.run_facts import division_sentences, health_sentences
from components.session import column_choices
from components.session.work import Prepared, Source
from components.widgets import style
from components.words.text import plain
from solvers.diagram import class_colours
from solvers.language import numeral, tr, translation

_PREVIEW_ROWS = _PREVIEW_COLUMNS = 200


def show(prepared: Prepared) -> None:
    """Draw class balance and health of the rows in use."""
    _issues(prepared)
    data = prepared.whole
    st.markdown(
        tr("**{outcome}** in {n_samples} rows", outcome=plain(data.outcome), n_samples=numeral(data.n_samples, ","))
    )
    order = positive_first(data)
    colours = class_colours(data.n_classes, data.positive)
    st.html(
        style.balance(
            tuple(data.classes[k] for k in order),
            tuple(int(data.class_counts[k]) for k in order),
            tuple(colours[k] for k in order),
        )
    )
    health = health_sentences(prepared.contradictions, data.n_samples)
    for sentence in (*division_sentences(prepared), *map(translation, prepared.notes), *health):
        st.caption(plain(sentence, 500))


def _issues(prepared: Prepared) -> None:
    """Say what may be wrong, with a button for each of the features that takes it off them where there is another."""
    if not prepared.issues:
        return
    lines = (f"- {plain(translation(issue.words), 600)}" for issue in prepared.issues)
    st.warning("\n".join((tr("What may be wrong with this table:\n"), *lines)), icon=":material/warning:")
    features = prepared.whole.schema.names
    with st.container(horizontal=True):
        for step in (step for issue in prepared.issues for step in issue.remedies):
            st.button(
                plain(f"{step.words()[:1].upper()}{step.words()[1:]}", 90),
                key=f"remedy_{step.kind}_{step.reads[0]}_{'_'.join(step.to_json()['values'])}",
                icon=":material/healing:",
                on_click=steps.add,
                args=(prepared.source, step),
            )
        if len(features) == 1:
            return
        for name in dict.fromkeys(issue.column for issue in prepared.issues if issue.column in features):
            st.button(
                tr("Leave out '{name}'", name=plain(name, 40)),
                key=f"leave_out_{name}",
                on_click=column_choices.leave_out,
                args=(prepared.source, name),
            )


def preview(source: Source) -> None:
    """Offer the first rows of the table as they were read, in its first columns."""
    table = source.table
    columns = (
        tr(" in the first {PREVIEW_COLUMNS} columns", PREVIEW_COLUMNS=_PREVIEW_COLUMNS)
        if len(table.names) > _PREVIEW_COLUMNS
        else ""
    )
    with st.expander(
        tr(
            "Preview of the first {PREVIEW_ROWS} rows{columns}",
            PREVIEW_ROWS=min(_PREVIEW_ROWS, table.n_rows),
            columns=columns,
        )
    ):
        st.dataframe(table.head(_PREVIEW_ROWS, _PREVIEW_COLUMNS).rename_axis(tr("row")), height=300)
