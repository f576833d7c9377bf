"""Widgets for the numbers of a request."""

from contextlib import AbstractContextManager
from typing import Any

import streamlit as st

from components.session import state
from solvers.request import Request

Place = AbstractContextManager[Any]
"""A column or container of the screen."""


def ask(
    place: Place,
    request: Request,
    name: str,
    label: str,
    help: str,
    between: tuple[float, float | None] = (1, None),
    *,
    step: float = 1,
    optional: bool = False,
    disabled: bool = False,
) -> Any:
    """Ask for the field `name` of the request: an integer if its minimum is one, `None` if `optional` and empty."""
    start, kind = getattr(request, name), type(between[0])
    numbers: dict[str, Any] = {
        "min_value": between[0],
        "max_value": None if between[1] is None else kind(between[1]),
        "value": None if optional else "min",
        "step": kind(step) or step,
        "format": "%d" if kind is int else "%g",
        "placeholder": "no limit" if optional else None,
    }
    key = state.first(state.design_key(name), start if start is None else kind(start))
    with place:
        return st.number_input(label, key=key, help=help, disabled=disabled, persist_state="session", **numbers)
