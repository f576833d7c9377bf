"""The clickable drawing of a diagram: choose a node with the mouse or the keyboard, zoom, pan, fit."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import streamlit as st

from components import state
from solvers.diagram import Diagram, NodeId, Split, levels
from solvers.problem import ShapeKind

_HERE = Path(__file__).parent
_HTML = """
<div class="frame">
  <div class="stage" role="group" aria-label="Diagram. Tab to a node, arrow keys to walk, Enter to choose."></div>
  <div class="hint"></div>
  <div class="tools">
    <button type="button" aria-label="Zoom in" title="Zoom in (+)">+</button>
    <button type="button" aria-label="Zoom out" title="Zoom out (-)">\u2212</button>
    <button type="button" aria-label="Fit the whole diagram" title="Fit (0)">Fit</button>
    <button type="button" aria-label="Full screen" title="Full screen (Esc ends it)">Full screen</button>
  </div>
</div>
"""


@cache
def _asset(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


_mount = st.components.v2.component("espalier_diagram", html=_HTML, css=_asset("view.css"), js=_asset("view.js"))


def show(
    svg: str,
    diagram: Diagram,
    *,
    key: str,
    chosen: NodeId | None = None,
    height: int = 520,
    on_choose: Callable[[NodeId], None] | None = None,
) -> None:
    """Draw a diagram in which nodes can be chosen.

    Parameters
    ----------
    svg : the sanitised drawing with groups `node0`, `node1`, ...
    diagram : the diagram that is drawn; gives the arcs for the arrow keys.
    key : tells the drawings of a screen apart; zoom and position are kept while it stays the same.
    chosen : the node to be marked.
    height : in pixels.
    on_choose : called with the number of a node when it is chosen; without it the drawing can be moved only.
    """

    def report() -> None:
        number = state.get(key).get("choose")
        if number is not None and 0 <= int(number) < diagram.n_nodes:
            on_choose(int(number))

    links = [[node.yes, node.no] if isinstance(node, Split) else None for node in diagram.nodes]
    data = {
        "svg": svg,
        "name": key,
        "links": links,
        "levels": _levels(diagram),
        "chosen": chosen,
        "height": height,
        "interactive": on_choose is not None,
        "hint": "Click a node. Drag to move, Ctrl + wheel to zoom." if on_choose else "",
    }
    _mount(key=key, data=data, height=height, on_choose_change=report if on_choose else lambda: None)


def _levels(diagram: Diagram) -> list[int] | None:
    """The level of each node, where nodes may have several parents; `None` for a tree."""
    if diagram.kind is ShapeKind.TREE:
        return None
    line = {i: number for number, level in enumerate(levels(diagram)) for i in level.nodes}
    return [line[i] for i in range(diagram.n_nodes)]
