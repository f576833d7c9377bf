"""Which shape the model has, and how large it may be: a tree by its depth, a BDD by its levels, a diagram by layers."""

from dataclasses import replace
from typing import Any

import streamlit as st

from components.design import skeleton_form
from components.design.method_form import METHOD
from components.design.shape_pictures import family
from components.design.size_fields import ask_depth, ask_questions, ask_whole
from components.session import state
from components.session.work import Design, Prepared, depth_switch
from components.words.shape_facts import SHAPE_CHOICES
from components.words.text import count
from solvers.methods import FIRST, registry
from solvers.problem import ShapeKind

KIND = state.design_key("kind")
"""The key under which the session has the shape."""

_ANY_DEPTH = {
    "any_depth": (
        "The method looks for the smallest tree that makes no mistake, whatever its depth. Off, no "
        "tree is deeper than asked for, and where none of them is without mistakes, the one with "
        "the fewest is found."
    ),
    "priced_depth": (
        "A question has to save errors, so a deep tree, which asks many, is soon not worth it: the search "
        "goes on to deeper trees until none can be better. Off, no tree is deeper than asked for."
    ),
}
"""What is said where the depth needs no limit, by the field of the design."""


def choose(design: Design) -> Design:
    """Draw the three shapes side by side, each with a picture and a sentence."""
    key = state.first(KIND, str(design.kind))
    chosen = ShapeKind(state.get(key))
    st.subheader("Shape of the model")
    for kind, place in zip(SHAPE_CHOICES, st.columns(len(SHAPE_CHOICES), gap="medium"), strict=True):
        with place, st.container(horizontal=True, vertical_alignment="center", gap="small", wrap=False):
            st.image(
                family(kind, dark=state.dark(), chosen=kind is chosen), width=104, alt=SHAPE_CHOICES[kind].sentence
            )
            with st.container(gap="xsmall"):
                st.button(
                    SHAPE_CHOICES[kind].title,
                    key=f"{KIND}_{kind}",
                    type="primary" if kind is chosen else "secondary",
                    icon=":material/check:" if kind is chosen else None,
                    on_click=take,
                    args=(kind,),
                )
                st.caption(SHAPE_CHOICES[kind].sentence)
    return replace(design, kind=chosen)


def take(kind: ShapeKind) -> None:
    """Ask for another shape, by the method that it starts with."""
    state.put(KIND, str(kind))
    state.put(METHOD, FIRST[kind])


def size(design: Design, prepared: Prepared) -> tuple[Design, bool]:
    """Ask how large the model may be; returns whether what was written can be read."""
    match design.kind:
        case ShapeKind.TREE:
            return _tree(design, prepared), True
        case ShapeKind.BDD:
            return _bdd(design), True
        case ShapeKind.DIAGRAM:
            return skeleton_form.show(design, prepared)


def _tree(design: Design, prepared: Prepared) -> Design:
    st.subheader("Size of the tree")
    left, right = st.columns(2)
    method, split_cost = state.get(METHOD, design.method), state.get(state.design_key("split_cost"), design.split_cost)
    if switch := depth_switch(method, split_cost):
        unlimited = left.toggle(
            "Any depth",
            key=state.first(state.design_key(switch), getattr(design, switch)),
            help=_ANY_DEPTH[switch],
            persist_state="session",
        )
        changed: dict[str, Any] = {switch: unlimited}
        design = replace(design, **changed)
    depth = ask_depth(
        left,
        design,
        "Depth: the most questions to an answer",
        "How many questions may be asked of a case, one after the other. A tree of depth 3 has at most "
        "7 questions and 8 leaves.",
        disabled=switch is not None and unlimited,
    )
    counted = registry.get(method).takes_min_samples_leaf
    least = ask_whole(
        right,
        design,
        "min_samples_leaf",
        "Rows per leaf, at least",
        "A leaf is an answer at the end of a way. With 20, every answer rests on at least 20 training "
        "rows (patients, customers, ...); an answer that rests on a few says little about the next "
        "case. At first it is one row in a hundred, and at least 5.",
        disabled=not counted,
    )
    if not counted:
        right.caption("This method does not count the rows of a leaf.")
    n_rows = prepared.train.n_samples
    if least > n_rows:
        right.caption(f":material/warning: There are {count(n_rows, 'training row')}, so no tree is possible.")
    return replace(design, max_depth=depth, min_samples_leaf=least)


def _bdd(design: Design) -> Design:
    st.subheader("Size of the BDD")
    left, right = st.columns(2)
    depth = ask_depth(
        left,
        design,
        "Levels: the most questions to an answer",
        "A BDD asks at most so many different questions, a level for each, and all cases in the same "
        "order. A case may skip questions that make no difference for it.",
    )
    return replace(design, max_depth=depth, max_splits=ask_questions(right, design))
