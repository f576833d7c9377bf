"""What the rows look like: class balance, what was left out, duplicates and contradictions, and a preview."""

import streamlit as st

from components.model.facts import positive_first
from components.model.run_facts import division_sentences, health_sentences
from components.session.work import Prepared, Source
from components.widgets import style
from components.words.text import plain
from solvers.diagram import class_colours

_PREVIEW_ROWS = _PREVIEW_COLUMNS = 200


def show(prepared: Prepared) -> None:
    """Draw class balance and health of the rows in use."""
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
    health = health_sentences(prepared.contradictions, data.n_samples)
    for sentence in (*division_sentences(prepared), *prepared.notes, *health):
        st.caption(plain(sentence, 500))


def preview(source: Source) -> None:
    """Offer the first rows of the table as they were read, in its first columns."""
    frame = source.table.frame
    columns = f" in the first {_PREVIEW_COLUMNS} columns" if len(frame.columns) > _PREVIEW_COLUMNS else ""
    with st.expander(f"Preview of the first {min(_PREVIEW_ROWS, len(frame))} rows{columns}"):
        st.dataframe(frame.iloc[:_PREVIEW_ROWS, :_PREVIEW_COLUMNS], height=300)
