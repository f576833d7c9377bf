"""The rules as text, and the model as a file."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from components.work import Model, Run
from solvers.diagram import Diagram, render, to_dot, to_json, to_rules
from solvers.metrics import answer_counts, node_counts
from solvers.problem import Dataset, ShapeKind


def show(run: Run, model: Model) -> None:
    """Draw the rules and the buttons that save the model."""
    diagram = model.solution.diagram
    left, right = st.columns([2, 1], gap="medium")
    with left:
        st.code(to_rules(diagram), language=None, height=340)
    with right:
        st.caption("Save the model as a picture, as text, or as JSON that `python -m solvers predict` reads.")
        name = f"espalier-run-{run.number}-{model.key}"
        for label, ending, mime, make in _formats(diagram, run.prepared.train):
            st.download_button(
                label,
                make,
                file_name=f"{name}.{ending}",
                mime=mime,
                key=f"export_{ending}",
                width="stretch",
                on_click="ignore",
            )


def _formats(diagram: Diagram, train: Dataset) -> list[tuple[str, str, str, Callable[[], bytes]]]:
    def drawing(background: bool) -> str:
        if diagram.kind is ShapeKind.TREE:
            return to_dot(diagram, background=background)
        # the leaves of a graph do not tell how many rows come to its questions
        counts, flows = node_counts(diagram, train), answer_counts(diagram, train)
        return to_dot(diagram, counts=counts, flows=flows, background=background)

    return [
        ("SVG (picture that scales)", "svg", "image/svg+xml", lambda: render(drawing(False), "svg")),
        ("PNG (picture)", "png", "image/png", lambda: render(drawing(True), "png")),
        ("PDF (print)", "pdf", "application/pdf", lambda: render(drawing(True), "pdf")),
        ("DOT (Graphviz)", "dot", "text/vnd.graphviz", lambda: drawing(False).encode()),
        ("Rules (text)", "txt", "text/plain", lambda: to_rules(diagram).encode()),
        ("Model (JSON)", "json", "application/json", lambda: to_json(diagram).encode()),
    ]
