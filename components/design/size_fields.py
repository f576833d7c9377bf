"""Fields of the design that are numbers, as all forms of the screen ask for them."""

from contextlib import AbstractContextManager
from typing import Any

import streamlit as st

from components.session import state
from components.session.work import Design

DEEPEST = 8
"""The most questions to an answer that the screen offers, unless a deeper greedy tree was recommended."""

Place = AbstractContextManager[Any]
"""A column or container of the screen."""


def ask_whole(
    place: Place,
    design: Design,
    name: str,
    label: str,
    help: str,
    most: int | None = None,
    disabled: bool = False,
) -> int:
    """Ask for a whole number of at least 1, the field `name` of the design."""
    key = state.first(state.design_key(name), getattr(design, name))
    with place:
        return int(st.number_input(label, 1, most, key=key, help=help, disabled=disabled, persist_state="session"))


def ask_limit(
    place: Place, design: Design, name: str, label: str, least: int, help: str, most: int | None = None
) -> int | None:
    """Ask for a whole number that may be left out: `None` is no limit."""
    key = state.first(state.design_key(name), getattr(design, name))
    with place:
        value = st.number_input(
            label, least, most, value=None, placeholder="no limit", key=key, help=help, persist_state="session"
        )
    return None if value is None else int(value)


def ask_amount(
    place: Place,
    name: str,
    label: str,
    start: float,
    help: str,
    *,
    least: float = 0.0,
    most: float | None = None,
    step: float = 1.0,
    format: str = "%g",
) -> float:
    """Ask for a number with decimals; `start` is what stands there at first."""
    key = state.first(state.design_key(name), start)
    with place:
        return st.number_input(
            label, least, most, step=step, format=format, key=key, help=help, persist_state="session"
        )


def ask_depth(place: Place, design: Design, label: str, help: str, *, disabled: bool = False) -> int:
    """Ask for the most questions to an answer."""
    key = state.first(state.design_key("max_depth"), design.max_depth)
    with place:
        return st.slider(
            label, 0, max(DEEPEST, design.max_depth), key=key, help=help, disabled=disabled, persist_state="session"
        )


def ask_questions(place: Place, design: Design) -> int | None:
    """Ask for the most questions of the whole model; `None` for no limit."""
    help = "How many nodes may ask something in the whole picture, so that it stays small enough to read."
    return ask_limit(place, design, "max_splits", "Questions in all, at most", 0, help)
