"""How long the search may take, and the limits that are rarely needed."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from components.design.size_fields import DEEPEST
from components.session import state
from components.session.work import Design, Prepared
from components.words.text import plain
from solvers.problem import ShapeKind


def show(design: Design) -> Design:
    """Ask how long the search may take, and how near to the optimum it must come."""
    st.subheader("Limits of the search")
    first, second = st.columns(2)
    noun = design.kind.noun
    seconds = first.number_input(
        "Time limit (s)",
        1.0,
        86400.0,
        step=10.0,
        format="%.0f",
        key=state.first("design_seconds", design.seconds),
        help=f"The best {noun} until then is kept, with how far from the optimum it can be.",
        persist_state="session",
    )
    gap = second.number_input(
        "Gap (% of rows)",
        0.0,
        50.0,
        step=0.5,
        format="%.1f",
        key=state.first("design_gap", 100 * design.gap),
        help=f"0 proves the optimum. With 1 %, the search ends once no {noun} can be better by more than 1 % of the "
        "rows.",
        persist_state="session",
    )
    return replace(design, seconds=seconds, gap=gap / 100)


def more(design: Design, prepared: Prepared) -> Design:
    """The limits that are rarely needed; those that are set stand in the line at the foot of the screen, too."""
    weight = 0.0
    if design.kind is ShapeKind.DIAGRAM:
        return replace(design, min_leaf_weight=weight)
    with st.expander("More limits", key="design_more"):
        first, second = st.columns(2)
        if design.kind is ShapeKind.TREE:
            design = replace(design, leaves=_leaves(design, first))
        design = replace(design, split_cost=_split_cost(design, second))
        if design.kind is ShapeKind.TREE and prepared.train.weight is not None:
            weight = second.number_input(
                "Weight per leaf, at least",
                0.0,
                step=1.0,
                format="%g",
                key=state.first("design_min_leaf_weight", design.min_leaf_weight),
                help=f"The weights of the training rows ({plain(prepared.choices.rows.weight, 40)}) in a leaf "
                "add up to at least this much. 0 asks for nothing.",
                persist_state="session",
            )
    return replace(design, min_leaf_weight=float(weight))


def _leaves(design: Design, place) -> int | None:
    return place.number_input(
        "Leaves at most",
        1,
        2**DEEPEST,
        value=None,
        placeholder="no limit",
        key=state.first("design_leaves", design.leaves),
        help="How many answers the tree may have in all. Without a limit the depth alone decides.",
        persist_state="session",
    )


def _split_cost(design: Design, place) -> float:
    cost = place.number_input(
        "A question must save (errors)",
        0.0,
        1e6,
        step=0.5,
        format="%g",
        key=state.first("design_split_cost", design.split_cost),
        help=f"A question that saves less is not asked, so the {design.kind.noun} gets smaller. "
        "0 permits every question.",
        persist_state="session",
    )
    return float(cost)
