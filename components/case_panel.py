"""The way of one case through a diagram: a row of the data, or values that the user enters."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from components.model_facts import CaseFacts
from components.text import plain
from solvers.diagram import Diagram
from solvers.errors import EspalierError
from solvers.problem import Column, Dataset, Kind

NOTICE = "For research and teaching; not a medical device."


def choose(diagram: Diagram, data: Dataset, *, key: str) -> np.ndarray | None:
    """Ask for a case.

    Returns
    -------
    Its matrix values, float64 (n_columns,), in the order of the diagram's schema; `None` for no case.
    """
    way = st.segmented_control(
        "Case",
        ["A row", "Enter values"],
        default="A row",
        key=f"way_{key}",
        required=True,
        label_visibility="collapsed",
    )
    return _row(data, key) if way == "A row" else _entered(diagram, key)


def _row(data: Dataset, key: str) -> np.ndarray | None:
    number = st.selectbox(
        "Row number in the file", data.rows.tolist(), index=None, placeholder="Choose a row", key=f"row_{key}"
    )
    return None if number is None else data.X[int(np.flatnonzero(data.rows == number)[0])]


def _entered(diagram: Diagram, key: str) -> np.ndarray | None:
    if not diagram.features:
        st.caption("This tree asks nothing; every case gets the same answer.")
        return np.full(len(diagram.schema), np.nan)
    with st.form(f"case_{key}", border=False):
        st.caption("Leave a field empty where the value is missing.")
        cells = {name: _field(diagram.schema[name], f"{key}_{name}") for name in diagram.features}
        if not st.form_submit_button("Trace"):
            return None
    try:
        return diagram.encode(pd.DataFrame({name: [cell] for name, cell in cells.items()}))[0]
    except EspalierError as error:
        st.error(plain(error, 400))
        return None


def _field(column: Column, key: str) -> object:
    label = plain(column.name)
    if column.kind.has_levels:
        return st.selectbox(label, column.levels, index=None, placeholder="missing", key=key) or ""
    if column.kind is Kind.DATE:
        return st.text_input(label, placeholder="year-month-day", key=key)
    value = st.number_input(label, value=None, placeholder="missing", format="%g", key=key)
    return "" if value is None else value


def show(facts: CaseFacts) -> None:
    """Draw where a case ends, and why."""
    st.markdown(f"**{plain(facts.verdict)}**")
    st.markdown(plain(facts.sentence, 2000))
    if facts.truth is not None:
        st.caption(plain(facts.truth, 200))
    st.caption(NOTICE)
