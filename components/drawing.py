"""Drawings of diagrams as they stand on the screens; a drawing that cannot be made says why in its place."""

from __future__ import annotations

import streamlit as st

from components import diagram_view, state
from components.text import plain
from solvers.diagram import Diagram, NodeId, Trace, render, to_dot, to_rules
from solvers.errors import RenderError
from solvers.metrics import answer_counts, node_counts
from solvers.problem import Dataset, ShapeKind

READABLE_LEVELS = 5
"""Deeper levels are folded until the user asks for them: their texts would be too small, and their layout slow."""


def svg(
    diagram: Diagram,
    *,
    data: Dataset | None = None,
    highlight: Trace | tuple[NodeId, ...] = (),
    levels: int | None = None,
) -> str:
    """The drawing in the theme of the screen, with the rows of `data`; what lies deeper than `levels` is folded.

    Raises
    ------
    RenderError
        The diagram is too large, or Graphviz fails.
    """
    theme = "dark" if state.dark() else "light"
    counts, flows = (None, None) if data is None else (node_counts(diagram, data), answer_counts(diagram, data))
    dot = to_dot(diagram, theme=theme, counts=counts, flows=flows, highlight=highlight, max_depth=levels)
    return render(dot, "svg").decode()


def show(diagram: Diagram, *, key: str, height: int, data: Dataset | None = None) -> None:
    """Draw the readable levels of a model with the rows of `data`; it can be moved but not clicked.

    Without rows the leaves tell those of training; only of a tree is it then known how many come to a question.
    """
    try:
        drawing = svg(diagram, data=data, levels=READABLE_LEVELS if diagram.kind is ShapeKind.TREE else None)
    except RenderError as error:
        show_rules(diagram, error)
    else:
        diagram_view.show(drawing, diagram, key=key, height=height)


def show_rules(diagram: Diagram, error: RenderError) -> None:
    """The rules as text, where the drawing cannot be made."""
    st.info(plain(error, 400), icon=":material/image_not_supported:")
    st.code(to_rules(diagram), language=None, height=360)
