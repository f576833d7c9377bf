"""A filter for the leaves of a model: the others, and the ways to them, step back."""

import streamlit as st

from components.model.leaf_facts import LeafFilter
from components.session import state
from components.words.text import labelled
from solvers.diagram import Diagram


def show(diagram: Diagram, *, key: str) -> LeafFilter:
    """Draw the search for a column and the button that opens the filter, and return what is wanted."""
    fields = {name: f"filter_{name}_{key}" for name in ("rows", "share", "labels", "column")}
    wanted = _wanted(fields)
    st.selectbox(
        "Find a column",
        diagram.features,
        index=None,
        format_func=labelled(diagram.features),
        key=fields["column"],
        placeholder="Find a column",
        label_visibility="collapsed",
        width=180,
        persist_state="session",
    )
    title = "Filter leaves: on" if wanted.is_on else "Filter leaves"
    with st.popover(title, icon=":material/filter_alt:", key=f"filter_{key}"):
        st.number_input(
            "At least so many rows",
            0,
            step=5,
            key=state.first(fields["rows"], 0),
            help="Leaves of fewer rows step back. Shares of few rows are uncertain.",
            persist_state="session",
        )
        st.slider(
            "At least so sure (%)",
            0,
            100,
            step=5,
            key=state.first(fields["share"], 0),
            help="The share of the answer among the rows of the leaf.",
            persist_state="session",
        )
        answers = {diagram.classes[leaf.label] for _, leaf in diagram.leaves}
        _choice("Answers", [name for name in diagram.classes if name in answers], fields["labels"], "any answer")
        if wanted.is_on:
            st.button("Show all leaves", key=f"clear_{key}", on_click=_clear, args=(fields,))
    return wanted


def _choice(label: str, options: list[str], key: str, nothing: str) -> None:
    st.multiselect(label, options, format_func=labelled(options), key=key, placeholder=nothing, persist_state="session")


def _wanted(fields: dict[str, str]) -> LeafFilter:
    return LeafFilter(
        int(state.get(fields["rows"]) or 0),
        (state.get(fields["share"]) or 0) / 100,
        tuple(state.get(fields["labels"]) or ()),
        state.get(fields["column"]),
    )


def _clear(fields: dict[str, str]) -> None:
    for name, empty in (("rows", 0), ("share", 0), ("labels", []), ("column", None)):
        state.put(fields[name], empty)
