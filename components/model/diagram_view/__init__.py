"""The clickable drawing of a diagram, or the list of its splits: select, fold, zoom and move by mouse or keys."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from components.session import state
from solvers.diagram import Diagram, NodeId, Split, Trace, levels
from solvers.problem import ShapeKind

_HINT = "Click a node. Drag to move, Ctrl + wheel to zoom. Keys: arrows, Enter, F folds, + \u2212 0."
_HERE = Path(__file__).parent
_STAGE = "Diagram. Tab to a node, arrow keys to walk, Enter to choose, F to fold, plus, minus and 0 to zoom."
_TOOLS = (
    ("+", "Zoom in", "Zoom in (+)"),
    ("\u2212", "Zoom out", "Zoom out (-)"),
    ("Fit", "Fit the whole diagram", "Fit; again: back to the start (0)"),
    ("Full screen", "Full screen", "Full screen (Esc ends it)"),
)
"""Button labels, their accessible names, and their hints."""
_FOLDING = {True: "Show what is below (F)", False: "Fold what is below (F)"}
_HTML = """
<div class="frame">
  <div class="tools">
    <div class="hint"></div>
    <button type="button"></button>
    <button type="button"></button>
    <button type="button"></button>
    <button type="button"></button>
  </div>
  <div class="stage" role="group"></div>
</div>
"""


@cache
def _asset(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


class Marks(NamedTuple):
    """Marks in a drawing that need no redraw.

    The path of a row is bold, its path before a what-if change dashed, and dimmed nodes are faded.
    `sought` has the splits that a search found; the drawing includes them even if they were folded.
    """

    way: Trace | None = None
    former: Trace | None = None
    dimmed: frozenset[NodeId] = frozenset()
    sought: frozenset[NodeId] = frozenset()


NO_MARKS = Marks()

READABLE_SCALE = 0.93
"""Minimum pixels per point of the drawing, so that split texts are 12 pixels high and small print 11."""

MOST_WIDTH = 20_000

_mount = st.components.v2.component("espalier_diagram", html=_HTML, css=_asset("view.css"), js=_asset("view.js"))


def show(  # noqa: PLR0913
    content: str,
    diagram: Diagram,
    *,
    key: str,
    width: int,
    least_height: int = 0,
    chosen: NodeId | None = None,
    marks: Marks = NO_MARKS,
    folds: Mapping[NodeId, bool] | None = None,
    on_choose: Callable[[NodeId], None] | None = None,
    on_fold: Callable[[NodeId], None],
    on_width: Callable[[int], None],
) -> None:
    """Draw a diagram whose nodes can be selected; the frame is as high as needed to read its content.

    Parameters
    ----------
    content : the sanitised drawing with groups `node0`, `node1`, ..., or the list with elements of these names.
    diagram : the diagram that is drawn; gives the arcs for the arrow keys.
    key : distinguishes the drawings of a screen; zoom and position are kept while it stays the same.
    width : pixels for which the content was made. If it is not readable at the true width, it is hidden until content
        for that width arrives.
    least_height : minimum height of the frame in pixels.
    chosen : the node to highlight.
    marks : the path of a row, and the nodes to dim.
    folds : the splits whose subgraph can be folded, and whether it is.
    on_choose : called with the number of a selected node; without it, nodes can only be folded.
    on_fold : called with the number of a split to fold or unfold.
    on_width : called with the width of the frame when it changes.
    """

    def report(trigger: str, act: Callable[[NodeId], None] | None) -> Callable[[], None]:
        def call() -> None:
            number = state.get(key).get(trigger)
            if act is not None and number is not None and 0 <= int(number) < diagram.n_nodes:
                act(int(number))

        return call

    def resized() -> None:
        pixels = state.get(key).get("width")
        if pixels and 0 < int(pixels) < MOST_WIDTH:
            on_width(int(pixels))

    data = {
        "content": content,
        "name": key,
        "links": [[node.yes, node.no] if isinstance(node, Split) else None for node in diagram.nodes],
        "levels": _levels(diagram),
        "chosen": chosen,
        "width": width,
        "leastHeight": least_height,
        "readable": READABLE_SCALE,
        "choosing": on_choose is not None,
        "hint": _HINT if on_choose else "",
        "stage": _STAGE,
        "tools": [list(one) for one in _TOOLS],
        "folding": {str(folded).lower(): text for folded, text in _FOLDING.items()},
        "path": _way(marks.way),
        "was": _way(marks.former),
        "dimmed": sorted(marks.dimmed),
        "folds": {str(node): folded for node, folded in (folds or {}).items()},
    }
    _mount(
        key=key,
        data=data,
        on_choose_change=report("choose", on_choose),
        on_fold_change=report("fold", on_fold),
        on_width_change=resized,
    )


def _way(trace: Trace | None) -> dict[str, list[int] | list[str]]:
    """The nodes and arcs of a path, by their numbers and names in the drawing."""
    if trace is None:
        return {"nodes": [], "arcs": []}
    arcs = [f"arc{step.node}-{'yes' if step.answer else 'no'}" for step in trace.steps]
    return {"nodes": [*(step.node for step in trace.steps), trace.leaf], "arcs": arcs}


def _levels(diagram: Diagram) -> list[int] | None:
    """The level of each node if nodes may have several parents; `None` for a tree."""
    if diagram.kind is ShapeKind.TREE:
        return None
    line = {i: number for number, level in enumerate(levels(diagram)) for i in level.nodes}
    return [line[i] for i in range(diagram.n_nodes)]
