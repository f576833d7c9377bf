"""What there is to know of the chosen node: its rule, its rows by class, and the rows themselves."""

from __future__ import annotations

import streamlit as st

from components import rows_file, style
from components.model_facts import NodeFacts
from components.text import count, html, interval, percent, plain
from solvers.problem import Dataset

_TABLE_HEIGHT = 210
_SHOWN_ROWS = 1000


def show(facts: NodeFacts, data: Dataset, *, key: str, note: str | None = None) -> None:
    """Draw the panel of a node; `data` are the rows that are shown (training or test), `note` a remark on it."""
    st.markdown(f"**{plain(facts.title, 200)}**")
    st.caption(f"Rows with {plain(facts.rule, 600)}" if facts.rule else "All rows")
    rows = [
        (
            style.swatch(c.colour) + html(c.name, 40),
            count(c.weight),
            f"{percent(c.rate.value)} <small>{interval(c.rate)}</small>" if c.rate.value is not None else "\u2013",
        )
        for c in facts.classes
    ]
    st.html(
        style.table(
            ("Class", "n" if data.weight is None else "Weight", "Share (95 %)"),
            [*rows, ("All", count(facts.weight), "")],
        )
    )
    if note:
        st.caption(plain(note, 300))
    if facts.small:
        st.caption(f":material/warning: Only {count(facts.n, 'row')}: the shares are uncertain.")
    st.dataframe(data.take(facts.rows[:_SHOWN_ROWS]).frame(), height=_TABLE_HEIGHT, key=f"rows_{key}")
    if facts.n > _SHOWN_ROWS:
        st.caption(f"The first {count(_SHOWN_ROWS)} are shown; the file has all.")
    st.download_button(
        f"Download these {count(facts.n, 'row')} (CSV)",
        lambda: rows_file.to_csv(data.take(facts.rows).frame()),
        file_name=f"{data.name}-node-{facts.number}.csv",
        mime="text/csv",
        key=f"download_{key}",
        disabled=facts.n == 0,
        on_click="ignore",
    )
