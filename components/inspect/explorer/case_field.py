"""The field for one value of a row; an empty field means a missing value."""

import math

import pandas as pd
import streamlit as st

from components.messages.text import label_with, plain
from components.session import state
from solvers.diagram import Diagram
from solvers.problem import Column, Kind


def show(column: Column, *, key: str, start: float = math.nan, label: str | None = None) -> object:
    """Draw the field with the initial matrix value `start`; returns its cell as the user wrote it, '' if empty."""
    label = plain(column.heading) if label is None else label
    cell = column.format(start)
    if column.kind.has_levels:
        state.first(key, cell or None)
        levels, hint = column.levels, "missing"
        chosen = st.selectbox(label, levels, index=None, format_func=label_with(levels), placeholder=hint, key=key)
        return chosen or ""
    if column.kind is Kind.DATE:
        return st.text_input(label, placeholder="year-month-day", key=state.first(key, cell))
    state.first(key, None if math.isnan(start) else float(start))
    value = st.number_input(label, value=None, placeholder="missing", format="%g", key=key)
    return "" if value is None else value


def read_entry(key: str) -> object:
    """The cell of a field by its key, for the callback of a button."""
    cell = state.get(key)
    return "" if cell is None else cell


def encode_cell(diagram: Diagram, name: str, cell: object) -> float:
    """The matrix value of a cell; `DataError` if the cell does not fit its column."""
    return float(diagram.schema[name].encode(pd.Series([cell], dtype=object))[0])
