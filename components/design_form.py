"""How large the tree may be, what mistakes cost, by which method it is sought, and how long the search may take."""

from __future__ import annotations

import os
from dataclasses import replace

import streamlit as st

from components import constraint_list, costs_form, state
from components.facts import MethodFacts, method_facts, work
from components.text import count, plain
from components.work import Design, Prepared
from solvers.errors import DataError

_DEEPEST = 8


def show(prepared: Prepared) -> tuple[Design, bool]:
    """Draw the form; returns the design, and whether its method can take the problem."""
    left, right = st.columns([1, 1.25], gap="large")
    design = state.design()
    with left:
        design = _size(design, prepared)
        design = replace(design, class_costs=costs_form.show(prepared, design.class_costs))
        sound = _say_trouble(replace(design, split_cost=0.0), prepared)
        design = _more(_limits(design), prepared)
        sound = sound and _say_trouble(design, prepared)
        st.caption(work(prepared.n_questions, design.shape).sentence)
    with right:
        readable = constraint_list.show(replace(design, constraints=()).problem(prepared)) if sound else False
        design, able = _method(design, prepared if sound and readable else None)
    return design, sound and readable and able


def _size(design: Design, prepared: Prepared) -> Design:
    st.subheader("Size of the tree")
    left, right = st.columns(2)
    depth = left.slider(
        "Depth: the most questions to an answer",
        0,
        _DEEPEST,
        key=state.first("design_depth", min(design.depth, _DEEPEST)),
        help="How many questions may be asked of a case, one after the other. "
        "A tree of depth 3 has at most 7 questions and 8 leaves.",
        persist_state="session",
    )
    min_leaf = right.number_input(
        "Rows a leaf, at least",
        1,
        key=state.first("design_min_leaf", design.min_leaf),
        help="A leaf is an answer at the end of a way. With 20, every answer rests on at least 20 training rows "
        "(patients, customers, ...); an answer that rests on a few says little about the next case.",
        persist_state="session",
    )
    n_rows = prepared.train.n_samples
    if min_leaf > n_rows:
        right.caption(f":material/warning: There are {count(n_rows, 'training row')}, so no tree is possible.")
    return replace(design, depth=depth, min_leaf=int(min_leaf))


def _limits(design: Design) -> Design:
    st.subheader("Limits of the search")
    first, second = st.columns(2)
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
    return replace(design, seconds=seconds, gap=gap / 100)


def _more(design: Design, prepared: Prepared) -> Design:
    """The limits that are rarely needed; those that are set stand in the line at the foot of the screen, too."""
    with st.expander("More limits", key="design_more"):
        first, second = st.columns(2)
        leaves = first.number_input(
            "Leaves at most",
            1,
            2**_DEEPEST,
            value=None,
            placeholder="no limit",
            key=state.first("design_leaves", design.leaves),
            help="How many answers the tree may have in all. Without a limit the depth alone decides.",
            persist_state="session",
        )
        split_cost = second.number_input(
            "A question must save (errors)",
            0.0,
            1e6,
            step=0.5,
            format="%g",
            key=state.first("design_split_cost", design.split_cost),
            help="A question that saves less is not asked, so the tree gets smaller. 0 permits every question.",
            persist_state="session",
        )
        threads = first.number_input(
            "Threads",
            1,
            max(1, os.cpu_count() or 1),
            key=state.first("design_threads", design.threads),
            help="How many processor cores the search may use, where the method can use several.",
            persist_state="session",
        )
        weight = 0.0
        if prepared.train.weight is not None:
            weight = second.number_input(
                "Weight a leaf, at least",
                0.0,
                step=1.0,
                format="%g",
                key=state.first("design_min_leaf_weight", design.min_leaf_weight),
                help=f"The weights of the training rows ({plain(prepared.choices.rows.weight, 40)}) in a leaf "
                "add up to at least this much. 0 asks for nothing.",
                persist_state="session",
            )
    return replace(
        design, leaves=leaves, split_cost=float(split_cost), threads=int(threads), min_leaf_weight=float(weight)
    )


def _say_trouble(design: Design, prepared: Prepared) -> bool:
    """Whether the costs can be written in whole numbers; where they cannot, say why below them."""
    try:
        design.objective.scaled(prepared.train)
    except DataError as error:
        st.error(plain(error, 400), icon=":material/error:")
        return False
    return True


def _method(design: Design, prepared: Prepared | None) -> tuple[Design, bool]:
    """Ask for the method; without rows (because of troubles with the costs) nothing is said of what it can take."""
    st.subheader("Method")
    trouble = st.container()
    offered = {facts.name: facts for facts in method_facts(prepared and design.problem(prepared))}
    name = st.radio(
        "Method",
        list(offered),
        format_func=lambda key: f"{offered[key].title} :gray[{offered[key].promise}]",
        captions=[_caption(facts) for facts in offered.values()],
        key=state.first("design_method", design.method),
        label_visibility="collapsed",
        persist_state="session",
    )
    chosen = offered[name]
    with trouble:
        _refusals(chosen, offered)
    st.caption(f"Source: {plain(chosen.source, 300)}")
    return replace(design, method=name), not chosen.refusals


def _caption(facts: MethodFacts) -> str:
    """What a method does, or what of the problem it cannot take."""
    if not facts.refusals:
        return plain(facts.summary, 400)
    first, *more = (what for what, _, _ in facts.refusals)
    others = f" and {len(more)} more" if more else ""
    return f":orange[:material/block: Not for {plain(first, 80)}{others}]"


def _refusals(chosen: MethodFacts, offered: dict[str, MethodFacts]) -> None:
    """Say why the chosen method cannot take the problem, with a click to one that can."""
    if not chosen.refusals:
        return
    lines = [f"**{plain(what)}:** {plain(why, 400)} {plain(remedy, 400)}" for what, why, remedy in chosen.refusals]
    st.warning("\n\n".join(lines), icon=":material/block:")
    other = next((facts for facts in offered.values() if facts.exact and not facts.refusals), None)
    if other is not None:
        label = f"Use {other.title}, which can"
        st.button(label, key="design_other", on_click=state.put, args=("design_method", other.name))
