"""Other views of the model, each in the place of the drawing: rules by risk, who gets which answer, rows as areas."""

from collections.abc import Sequence

import plotly.graph_objects as go
import streamlit as st

from components.inspect.explorer.views_facts import Area, areas, risk_rules, who_gets_what
from components.model.figures import INK
from components.session import state
from components.widgets import style
from components.widgets.rows_choice import NamedRows
from components.words.text import DASH, NOTICE, capitalised, count, html, plain
from solvers.diagram import Diagram
from solvers.diagram.labels import answer
from solvers.diagram.palette import text_on
from solvers.metrics import Rate

_HEIGHT = 440
_LETTERS = 12
"""Pixels of the letters in an area; where they do not fit, the area has none."""


def show_rules(diagram: Diagram, rows: NamedRows) -> None:
    """Draw the leaves as rules, the highest risk first."""
    lines = [
        (
            html(rule.who, 600),
            style.swatch(rule.colour) + html(rule.answer, 80),
            *_risk(rule.risk),
        )
        for rule in risk_rules(diagram, rows.data)
    ]
    _table(("If", "the answer is", _risk_title(diagram), "Rows"), lines, rows)


def show_table(diagram: Diagram, rows: NamedRows) -> None:
    """Draw who gets which answer, with a column for each that is asked about."""
    found = who_gets_what(diagram, risk_rules(diagram, rows.data))
    lines = [
        (html(answer_words, 80), *(html(cell, 120) or DASH for cell in cells), *_risk(risk))
        for answer_words, cells, risk in found.lines
    ]
    _table(("Answer", *(html(name, 60) for name in found.columns), _risk_title(diagram), "Rows"), lines, rows)
    st.caption(f"{DASH}: whatever the value is." + ("" if found.complete else " There are more ways than are listed."))


def _risk_title(diagram: Diagram) -> str:
    positive = diagram.positive
    return "Share of the answer" if positive is None else f"Risk of '{html(answer(diagram, positive), 60)}'"


def _risk(risk: Rate) -> tuple[str, str]:
    return style.rate_cell(risk, counts=False), f"{count(risk.k)} of {count(risk.n)}"


def _table(head: tuple[str, ...], lines: Sequence[tuple[str, ...]], rows: NamedRows) -> None:
    st.html(style.scrolled(head, lines))
    st.caption(f"{plain(capitalised(rows.name))} rows; shares with 95 % Wilson intervals. {NOTICE}")


def show_icicle(diagram: Diagram, rows: NamedRows, key: str) -> None:
    """Draw the rows as areas that questions divide."""
    found = areas(diagram, rows.data, state.dark())
    style.chart(icicle(found, state.dark()), f"icicle_{key}")
    st.caption(
        "Areas are as high as many rows come there, from all of them at the left to the answers. Click "
        "one to enlarge it, and the one at the left to come back. Where letters do not fit, the mouse "
        "over the area tells its rows."
    )


def icicle(found: tuple[Area, ...], dark: bool) -> go.Figure:
    """Areas one behind the other from left to right, each as high as its share of the rows."""
    figure = go.Figure(
        go.Icicle(
            ids=[area.name for area in found],
            parents=[area.before for area in found],
            labels=["<br>".join(map(html, area.text)) for area in found],
            values=[area.weight for area in found],
            customdata=[html(area.hint, 400) for area in found],
            branchvalues="total",
            sort=False,
            marker={"colors": [area.colour for area in found], "line": {"width": 1.5, "color": INK[dark].warm}},
            insidetextfont={"size": _LETTERS, "color": [text_on(area.colour) for area in found]},
            hovertemplate="%{customdata}<extra></extra>",
            pathbar={"visible": False},
        )
    )
    figure.update_layout(
        height=_HEIGHT,
        margin={"l": 0, "r": 0, "t": 4, "b": 4},
        uniformtext={"minsize": _LETTERS, "mode": "hide"},
        paper_bgcolor="rgba(0,0,0,0)",
    )
    return figure
