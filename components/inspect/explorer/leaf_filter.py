"""A filter for the leaves of a model: the others, and the ways to them, step back."""

from typing import NamedTuple

import streamlit as st

from components.session import state
from components.words.text import count, labelled
from solvers.diagram import Diagram, NodeId, above, below
from solvers.metrics import LeafRisk, leaf_risks
from solvers.problem import Dataset


class LeafFilter(NamedTuple):
    """Which leaves are looked for: the least number of rows, and the least share of the answer among them, 0 to 1.

    One of the classes must be answered (empty for all), and the column asked about on the way (`None` for any).
    """

    min_rows: int = 0
    min_share: float = 0.0
    labels: tuple[str, ...] = ()
    column: str | None = None

    @property
    def is_on(self) -> bool:
        """Whether it asks for anything."""
        return self != LeafFilter()


def matching_leaves(
    diagram: Diagram, data: Dataset, wanted: LeafFilter
) -> tuple[tuple[NodeId, ...], frozenset[NodeId], str]:
    """The leaves that a filter lets through by the rows of `data`, the nodes that lead to none, and a sentence."""
    risks = leaf_risks(diagram, data)
    sizes = {found.node: sum(found.counts) for found in risks}
    leaves = tuple(found.node for found in risks if _matches(diagram, found, wanted))
    dimmed = frozenset(range(diagram.n_nodes)) - above(diagram, leaves)
    n, of = sum(sizes[leaf] for leaf in leaves), sum(sizes.values())
    matching = f"{count(len(leaves))} of {count(len(risks), 'leaf', 'leaves')}"
    return leaves, dimmed, f"{matching} with {count(n)} of {count(of, 'row')}"


def _matches(diagram: Diagram, found: LeafRisk, wanted: LeafFilter) -> bool:
    n = sum(found.counts)
    if n < wanted.min_rows or (wanted.labels and diagram.classes[found.label] not in wanted.labels):
        return False
    if wanted.min_share > 0 and (n == 0 or found.counts[found.label] / n < wanted.min_share):
        return False
    return wanted.column is None or found.node in below(diagram, asking(diagram, wanted.column))


def asking(diagram: Diagram, column: str) -> tuple[NodeId, ...]:
    """The questions about a column."""
    return tuple(i for i, split in diagram.splits if column in split.predicate.columns)


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
        options = [name for name in diagram.classes if name in answers]
        st.multiselect(
            "Answers",
            options,
            format_func=labelled(options),
            key=fields["labels"],
            placeholder="any answer",
            persist_state="session",
        )
        if wanted.is_on:
            st.button("Show all leaves", key=f"clear_{key}", on_click=_clear, args=(fields,))
    return wanted


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
