"""How a value of a column is asked for: a number, a date or a level, or a range of them."""

import datetime as dt
import math
from typing import Any

import numpy as np
import streamlit as st

from components.session import state
from components.words.text import labelled, plain
from solvers.constraints.values import exact
from solvers.problem import Column, Dataset, Kind


def span_words(data: Dataset, column: Column) -> str:
    """From where to where the values of a column go, for instance '18 to 94'; '' where it has none."""
    values = data.X[:, data.schema.index(column.name)]
    known = values[~np.isnan(values)]
    if not len(known) or column.kind in (Kind.BINARY, Kind.CATEGORICAL):
        return ""
    return f"{column.format(float(known.min()))} to {column.format(float(known.max()))}"


def ask_value(data: Dataset, column: Column, label: str, start: Any, key: str, help: str = "") -> Any:
    """Ask for a value of a column in the user's words; `None` while nothing is entered."""
    if column.kind.has_levels:
        state.first(key, start if start in column.levels else None)
        return st.selectbox(
            label,
            column.levels,
            format_func=labelled(column.levels),
            index=None,
            key=key,
            help=help or None,
            placeholder="Choose a level",
        )
    span = span_words(data, column)
    hint = f"{help} Training data: {plain(span)}.".strip() if span else help
    if column.kind is Kind.DATE:
        state.first(key, None if start is None else dt.date.fromisoformat(str(start)[:10]))
        day = st.date_input(label, value=None, key=key, help=hint or None, min_value=dt.date(1800, 1, 1))
        return None if day is None else day.isoformat()
    state.first(key, _as_float(start))
    value = st.number_input(label, value=None, format="%g", key=key, help=hint or None, placeholder=span or "a number")
    return None if value is None else exact(value)


def ask_range(data: Dataset, column: Column, start: tuple[Any, Any] | None, key: str) -> tuple[Any, Any]:
    """Ask for both ends of a range of values; `None` for an end that is open."""
    low, high = start or (None, None)
    left, right = st.columns(2)
    with left:
        low = ask_value(data, column, "From", low, f"{key}_low")
    with right:
        high = ask_value(data, column, "To", high, f"{key}_high")
    return low, high


def _as_float(value: Any) -> float | None:
    try:
        number = math.nan if value is None else float(exact(value))
    except ValueError:
        return None
    return None if math.isnan(number) else number
