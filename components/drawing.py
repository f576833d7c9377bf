"""Drawings of diagrams as they stand on the screens; a drawing that cannot be made says why in its place."""

from __future__ import annotations

import numpy as np
import streamlit as st

from components import diagram_view, state
from components.text import plain
from solvers.diagram import Diagram, NodeId, Trace, render, to_dot, to_rules
from solvers.errors import RenderError

READABLE_LEVELS = 5
"""Deeper levels are folded until the user asks for them: their texts would be too small, and their layout slow."""


def svg(
    diagram: Diagram,
    *,
    counts: np.ndarray | None = None,
    highlight: Trace | tuple[NodeId, ...] = (),
    levels: int | None = None,
) -> str:
    """The drawing in the theme of the screen; what lies deeper than `levels` is folded.

    Raises
    ------
    RenderError
        The diagram is too large, or Graphviz fails.
    """
    theme = "dark" if state.dark() else "light"
    dot = to_dot(diagram, theme=theme, counts=counts, highlight=highlight, max_depth=levels)
    return render(dot, "svg").decode()


def show(diagram: Diagram, *, key: str, height: int, counts: np.ndarray | None = None) -> None:
    """Draw the readable levels of a diagram; it can be moved but not clicked."""
    try:
        drawing = svg(diagram, counts=counts, levels=READABLE_LEVELS)
    except RenderError as error:
        show_rules(diagram, error)
    else:
        diagram_view.show(drawing, diagram, key=key, height=height)


def show_rules(diagram: Diagram, error: RenderError) -> None:
    """The rules as text, where the drawing cannot be made."""
    st.info(plain(error, 400), icon=":material/image_not_supported:")
    st.code(to_rules(diagram), language=None, height=360)
