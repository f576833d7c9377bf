"""Other views of the model, each in the place of the drawing: rules by risk, who gets which answer, rows as areas."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from components.model.figures import INK
from components.session import state
from components.widgets import style
from components.widgets.rows_choice import NamedRows
from components.words.text import DASH, NOTICE, capitalised, count, html, plain
from solvers.diagram import Diagram, NodeId, Split, class_colours
from solvers.diagram.dot import leaf_fill
from solvers.diagram.labels import answer, question, spoken, wrapped
from solvers.diagram.palette import text_on, theme_named
from solvers.diagram.words import MAX_TRIED, MAX_WAYS, describe, merged_by_subject, ways
from solvers.metrics import LeafRisk, Rate, labels_of, leaf_risks
from solvers.problem import Dataset
from solvers.report.drawing import short_rate

_HEIGHT = 440
_LETTERS = 12
"""Pixels of the letters in an area; where they do not fit, the area has none."""

Line = tuple[str, dict[str, str], Rate]
"""A path to an answer: the answer, what it asks of each column, and the share of the leaf."""


def leaves_by_risk(diagram: Diagram, data: Dataset) -> list[LeafRisk]:
    """The leaves, the highest risk first and those without rows last."""
    return sorted(
        leaf_risks(diagram, data), key=lambda leaf: -1.0 if leaf.risk.value is None else leaf.risk.value, reverse=True
    )


def who_gets_what(diagram: Diagram, leaves: Sequence[LeafRisk]) -> tuple[list[Line], bool]:
    """What each answer asks of each column, the answers in the order of the leaves; and whether these are all paths."""
    lines: list[Line] = []
    complete = True
    for leaf in leaves:
        for tried, way in enumerate(ways(diagram, leaf.node)):
            if tried == MAX_TRIED or len(lines) >= MAX_WAYS * len(leaves):
                complete = False
                break
            if (conditions := merged_by_subject(diagram, way)) is not None:
                asked = {name: words.removeprefix("is ") for name, words in conditions.items()}
                lines.append((answer(diagram, leaf.label), asked, leaf.risk))
    return lines, complete


def show_rules(diagram: Diagram, rows: NamedRows) -> None:
    """Draw the leaves as rules, the highest risk first."""
    colours = class_colours(len(diagram.classes), diagram.positive)
    lines = [
        (
            html(describe(diagram, leaf.node), 600),
            style.swatch(colours[leaf.label]) + html(answer(diagram, leaf.label), 80),
            *_risk(leaf.risk),
        )
        for leaf in leaves_by_risk(diagram, rows.data)
    ]
    _table(("If", "the answer is", _risk_title(diagram), "Rows"), lines, rows)


def show_table(diagram: Diagram, rows: NamedRows) -> None:
    """Draw who gets which answer, with a column for each that is asked about."""
    found, complete = who_gets_what(diagram, leaves_by_risk(diagram, rows.data))
    columns = dict.fromkeys(name for _, asked, _ in found for name in asked)
    lines = [
        (html(words, 80), *(html(asked.get(name, ""), 120) or DASH for name in columns), *_risk(risk))
        for words, asked, risk in found
    ]
    _table(("Answer", *(html(name, 60) for name in columns), _risk_title(diagram), "Rows"), lines, rows)
    st.caption(f"{DASH}: whatever the value is." + ("" if complete else " There are more ways than are listed."))


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
    style.chart(icicle(areas(diagram, rows.data, state.dark()), state.dark()), f"icicle_{key}")
    st.caption(
        "Areas are as high as many rows come there, from all of them at the left to the answers. Click "
        "one to enlarge it, and the one at the left to come back. Where letters do not fit, the mouse "
        "over the area shows its rows."
    )


def areas(diagram: Diagram, data: Dataset, dark: bool) -> pd.DataFrame:
    """The nodes as the rows reach them, each after the one before it, without paths that no row takes.

    Columns: id and parent ('' for the root), text and hint as HTML, colour, weight of the rows.
    """
    X, labels = diagram.encode(data), labels_of(diagram, data)
    weight = data.row_weights
    colours, theme = class_colours(len(diagram.classes), diagram.positive), theme_named("dark" if dark else "light")
    leaves = {one.node: one for one in leaf_risks(diagram, data)}
    lines: list[tuple[str, str, str, str, str, float]] = []
    waiting: list[tuple[NodeId, np.ndarray, str, str, tuple[str, ...]]] = [
        (0, np.arange(data.n_samples), "", "all rows", ())
    ]
    while waiting:
        number, here, before, came, side = waiting.pop(0)
        if not len(here):
            continue
        node, name, n = diagram.nodes[number], str(len(lines)), float(weight[here].sum())
        if isinstance(node, Split):
            text = wrapped(question(node.predicate, diagram.schema))
            colour = theme.background
            holds = node.predicate.holds(diagram.schema, X[here])
            for child, yes in ((node.yes, True), (node.no, False)):
                condition = spoken(node.predicate, diagram.schema, yes)
                waiting.append((child, here[holds == yes], name, condition, ("yes" if yes else "no",)))
        else:
            share = float(weight[here[labels[here] == node.label]].sum()) / n if n else 0.0
            text = [*wrapped(answer(diagram, node.label)), short_rate(leaves[number].risk)]
            colour = leaf_fill(theme, colours[node.label], share, len(diagram.classes))
        shown = "<br>".join(map(html, (*side, *text)))
        lines.append((name, before, shown, html(f"{came}: {count(n, 'row')}", 400), colour, n))
    return pd.DataFrame(lines, columns=["id", "parent", "text", "hint", "colour", "weight"])


def icicle(found: pd.DataFrame, dark: bool) -> go.Figure:
    """Areas one behind the other from left to right, each as high as its share of the rows."""
    figure = go.Figure(
        go.Icicle(
            ids=found["id"],
            parents=found["parent"],
            labels=found["text"],
            values=found["weight"],
            customdata=found["hint"],
            branchvalues="total",
            sort=False,
            marker={"colors": found["colour"], "line": {"width": 1.5, "color": INK[dark].warm}},
            insidetextfont={"size": _LETTERS, "color": found["colour"].map(text_on)},
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
