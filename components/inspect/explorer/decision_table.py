"""The model as a decision table: one line per path, the highest predicted risk first."""

import streamlit as st

from components.messages.text import DASH, NOTICE, count, html, percent, plain
from components.widgets import style
from components.widgets.shown_rows import NamedRows
from solvers.diagram import Diagram, class_colours
from solvers.diagram.labels import answer
from solvers.diagram.words import MAX_TRIED, MAX_WAYS, merged_by_subject, ways
from solvers.metrics import LeafRisk, leaf_risks
from solvers.problem import Dataset
from solvers.report.blocks import rate_cell

Line = tuple[LeafRisk, dict[str, str]]
"""A leaf, and the condition on each feature along one path to it."""


def lines_of(diagram: Diagram, data: Dataset) -> tuple[list[Line], bool]:
    """The paths by predicted risk, the highest first, and whether the list is complete."""
    leaves = sorted(leaf_risks(diagram, data), key=lambda leaf: -leaf.predicted)
    lines: list[Line] = []
    complete = True
    for leaf in leaves:
        for tried, path in enumerate(ways(diagram, leaf.node)):
            if tried == MAX_TRIED or len(lines) >= MAX_WAYS * len(leaves):
                complete = False
                break
            if (conditions := merged_by_subject(diagram, path)) is not None:
                lines.append((leaf, {name: words.removeprefix("is ") for name, words in conditions.items()}))
    return lines, complete


def show(diagram: Diagram, rows: NamedRows) -> None:
    """Draw the table with the observed shares of the rows shown."""
    lines, complete = lines_of(diagram, rows.data)
    features = list(dict.fromkeys(name for _, conditions in lines for name in conditions))
    colours = class_colours(len(diagram.classes), diagram.positive)
    positive = diagram.positive
    risk = "Predicted share" if positive is None else f"Predicted risk: {html(answer(diagram, positive), 60)}"
    titles = (html(title, 60) for title in diagram.schema.titles(features))
    head = ("Prediction", *titles, risk, "Observed", "Rows")
    body = [
        (
            style.swatch(colours[leaf.label]) + html(answer(diagram, leaf.label), 80),
            *(html(conditions.get(name, ""), 120) or DASH for name in features),
            percent(leaf.predicted),
            style.cell(rate_cell(leaf.observed)),
            f"{count(leaf.observed.k)} of {count(leaf.observed.n)}",
        )
        for leaf, conditions in lines
    ]
    st.html(style.scroll(head, body))
    more = "" if complete else " More paths exist than are listed."
    st.caption(
        f"Predicted: share in the training rows of the leaf. Observed: {plain(rows.name)} rows, 95% Wilson interval. "
        f"{DASH}: any value.{more} {NOTICE}"
    )
