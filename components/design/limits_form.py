"""How long the search may take, and the limits that are rarely needed."""

from dataclasses import replace

import streamlit as st

from components.design.size_fields import DEEPEST, ask_amount, ask_limit
from components.session.work import Design, Prepared
from components.words.text import plain
from solvers.problem import ShapeKind


def show(design: Design) -> Design:
    """Ask how long the search may take, and how near to the optimum it must come."""
    st.subheader("Limits of the search")
    first, second = st.columns(2)
    noun = design.kind.noun
    seconds = ask_amount(
        first,
        "seconds",
        "Time limit (s)",
        design.seconds,
        f"The best {noun} until then is kept, with how far from the optimum it can be.",
        least=1.0,
        most=86400.0,
        step=10.0,
        format="%.0f",
    )
    gap = ask_amount(
        second,
        "gap",
        "Gap (% of rows)",
        100 * design.gap,
        f"0 proves the optimum. With 1 %, the search ends once no {noun} can be better by more than 1 % of the rows.",
        most=50.0,
        step=0.5,
        format="%.1f",
    )
    return replace(design, seconds=seconds, gap=gap / 100)


def more(design: Design, prepared: Prepared) -> Design:
    """The limits that are rarely needed; those that are set stand in the line at the foot of the screen, too."""
    weight = 0.0
    if design.kind is ShapeKind.DIAGRAM:
        return replace(design, min_weight_leaf=weight)
    with st.expander("More limits", key="design_more"):
        first, second = st.columns(2)
        if design.kind is ShapeKind.TREE:
            help = "How many answers the tree may have in all. Without a limit the depth alone limits them."
            leaves = ask_limit(first, design, "max_leaf_nodes", "Leaves at most", 1, help, most=2**DEEPEST)
            design = replace(design, max_leaf_nodes=leaves)
        split_cost = ask_amount(
            second,
            "split_cost",
            "A question must save (errors)",
            design.split_cost,
            f"A question that saves less is not asked, so the {design.kind.noun} gets smaller. 0 permits every "
            "question.",
            most=1e6,
            step=0.5,
        )
        if design.kind is ShapeKind.TREE and prepared.train.weight is not None:
            weight = ask_amount(
                second,
                "min_weight_leaf",
                "Weight per leaf, at least",
                design.min_weight_leaf,
                f"The weights of the training rows ({plain(prepared.choices.rows.weight, 40)}) in a leaf add up to at "
                "least this much. 0 asks for nothing.",
            )
    return replace(design, split_cost=split_cost, min_weight_leaf=weight)
