"""How large the tree may be, by which method it is sought, and how long the search may take."""

from __future__ import annotations

import os

import streamlit as st

from components import state
from components.facts import MethodFacts, method_facts, work
from components.text import plain
from components.work import Design, Prepared

_DEEPEST = 8


def show(prepared: Prepared) -> tuple[Design, bool]:
    """Draw the form; returns the design, and whether its method can take the problem."""
    left, right = st.columns([1, 1.25], gap="large")
    former = state.design()
    with left:
        design = _limits(_size(former))
    with right:
        design, able = _method(design, prepared)
    with left:
        st.caption(work(prepared.n_questions, design.shape).sentence)
    return design, able


def _size(former: Design) -> Design:
    st.subheader("Size of the tree")
    depth = st.slider(
        "Depth: the most questions on the way to an answer",
        0,
        _DEEPEST,
        key=state.first("design_depth", min(former.depth, _DEEPEST)),
        help="A tree of depth 3 has at most 7 questions and 8 leaves.",
        persist_state="session",
    )
    limited = st.checkbox(
        "Limit the number of leaves too",
        key=state.first("design_limit_leaves", former.leaves is not None),
        persist_state="session",
    )
    leaves = None
    if limited:
        leaves = st.number_input(
            "Leaves at most",
            1,
            2**_DEEPEST,
            key=state.first("design_leaves", former.leaves or 4),
            persist_state="session",
        )
    return Design(former.method, depth, leaves, former.seconds, former.gap, former.threads)


def _limits(design: Design) -> Design:
    st.subheader("Limits of the search")
    first, second, third = st.columns(3)
    seconds = first.number_input(
        "Time limit (s)",
        1.0,
        86400.0,
        step=10.0,
        format="%.0f",
        key=state.first("design_seconds", design.seconds),
        help="The best tree until then is kept, with how far from the optimum it can be.",
        persist_state="session",
    )
    gap = second.number_input(
        "Gap (% of rows)",
        0.0,
        50.0,
        step=0.5,
        format="%.1f",
        key=state.first("design_gap", 100 * design.gap),
        help="0 proves the optimum. With 1 %, the search ends once no tree can be better by more than 1 % of the rows.",
        persist_state="session",
    )
    threads = third.number_input(
        "Threads",
        1,
        max(1, os.cpu_count() or 1),
        key=state.first("design_threads", design.threads),
        persist_state="session",
    )
    return Design(design.method, design.depth, design.leaves, seconds, gap / 100, int(threads))


def _method(design: Design, prepared: Prepared) -> tuple[Design, bool]:
    st.subheader("Method")
    problem = design.problem(prepared)
    offered = {facts.name: facts for facts in method_facts(problem)}
    name = st.radio(
        "Method",
        list(offered),
        format_func=lambda key: f"{offered[key].title} :gray[{offered[key].promise}]",
        captions=[plain(facts.summary, 400) for facts in offered.values()],
        key=state.first("design_method", design.method),
        label_visibility="collapsed",
        persist_state="session",
    )
    chosen = offered[name]
    _explain(chosen)
    return Design(name, design.depth, design.leaves, design.seconds, design.gap, design.threads), not chosen.refusals


def _explain(chosen: MethodFacts) -> None:
    for what, reason, remedy in chosen.refusals:
        st.warning(f"**{plain(what)}** {plain(reason, 400)} {plain(remedy, 400)}", icon=":material/block:")
    st.caption(f"Source: {plain(chosen.source, 300)}")
