"""The way of one case through a diagram: a row of the data, or values that the user enters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from components import segments, state
from components.model_facts import CaseFacts
from components.model_picker import Rows
from components.text import plain
from solvers.diagram import Diagram
from solvers.problem import Column, Kind

NOTICE = "For research and teaching; not a medical device."


class Case(NamedTuple):
    """A case: its matrix values, float64 (n_columns,), in the order of the diagram's schema, and its class if known."""

    values: np.ndarray
    truth: str | None


def choose(diagram: Diagram, rows: Rows, *, key: str) -> Case | None:
    """Ask for a case; `None` until there is one."""
    way = segments.show("Case", ["A row", "Enter values"], key=f"way_{key}")
    return _row(rows, key) if way == "A row" else _entered(diagram, key)


def _row(rows: Rows, key: str) -> Case | None:
    data = rows.data
    number = st.number_input(
        "Row number in the file",
        1,
        value=None,
        placeholder=f"for instance {data.rows[0]}",
        key=f"row_{key}",
        persist_state="session",
    )
    if number is None:
        return None
    found = np.flatnonzero(data.rows == number)
    if not len(found):
        st.caption(f"Row {number} is not among the {rows.name} rows.")
        return None
    return Case(data.X[found[0]], data.classes[data.y[found[0]]])


def _entered(diagram: Diagram, key: str) -> Case | None:
    with st.form(f"case_{key}", border=False):
        nothing = f"This {diagram.kind.noun} asks nothing."
        st.caption("Leave a field empty where the value is missing." if diagram.features else nothing)
        cells = {name: _field(diagram.schema[name], f"{key}_{name}") for name in diagram.features}
        if st.form_submit_button("Trace"):
            values = diagram.encode(pd.DataFrame({name: [cell] for name, cell in cells.items()}, index=[0]))[0]
            state.put(f"entered_{key}", Case(values, None))
    return state.get(f"entered_{key}")


def _field(column: Column, key: str) -> object:
    label = plain(column.name)
    if column.kind.has_levels:
        return st.selectbox(label, column.levels, index=None, placeholder="missing", key=key) or ""
    if column.kind is Kind.DATE:
        return st.text_input(label, placeholder="year-month-day", key=key)
    value = st.number_input(label, value=None, placeholder="missing", format="%g", key=key)
    return "" if value is None else value


def show(facts: CaseFacts, truth: str | None) -> None:
    """Draw where a case ends, and why; `truth` is its class in the data."""
    st.markdown(f"**{plain(facts.verdict)}**")
    st.markdown(plain(facts.sentence, 2000))
    if truth is not None:
        st.caption(f"In the data: {plain(truth)}.")
    st.caption(NOTICE)
