"""The clickable drawing of a diagram: choose a node with the mouse or the keyboard, zoom, pan, fit."""

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
_KEYS = "Tab to a node, arrow keys to walk, Enter to choose, F to fold, plus, minus and 0 to zoom."
_HTML = f"""
<div class="frame">
  <div class="stage" role="group" aria-label="Diagram. {_KEYS}"></div>
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


class Marks(NamedTuple):
    """What is marked in a drawing without drawing it again.

    The way of a case is drawn bold, the one that it went before it was changed dashed; dimmed nodes step back.
    """

    way: Trace | None = None
    former: Trace | None = None
    dimmed: frozenset[NodeId] = frozenset()


NO_MARKS = Marks()

_mount = st.components.v2.component("espalier_diagram", html=_HTML, css=_asset("view.css"), js=_asset("view.js"))


def show(
    svg: str,
    diagram: Diagram,
    *,
    key: str,
    chosen: NodeId | None = None,
    height: int = 520,
    marks: Marks = NO_MARKS,
    folds: Mapping[NodeId, bool] | None = None,
    on_choose: Callable[[NodeId], None] | None = None,
    on_fold: Callable[[NodeId], None] | None = None,
    readable: bool = False,
) -> None:
    """Draw a diagram in which nodes can be chosen.

    Parameters
    ----------
    svg : the sanitised drawing with groups `node0`, `node1`, ...
    diagram : the diagram that is drawn; gives the arcs for the arrow keys.
    key : tells the drawings of a screen apart; zoom and position are kept while it stays the same.
    chosen : the node to be marked.
    height : in pixels.
    marks : the way of a case, and the nodes that step back.
    folds : the questions whose lower part can be folded, and whether it is.
    on_choose : called with the number of a node when it is chosen; without it the drawing can be moved only.
    on_fold : called with the number of a question that is to be folded or unfolded.
    readable : whether what is too large for the frame begins at the root, at a size that can be read, and not whole.
    """

    def report(trigger: str, act: Callable[[NodeId], None] | None) -> Callable[[], None]:
        def call() -> None:
            number = state.get(key).get(trigger)
            if act is not None and number is not None and 0 <= int(number) < diagram.n_nodes:
                act(int(number))

        return call

    data = {
        "svg": svg,
        "name": key,
        "links": [[node.yes, node.no] if isinstance(node, Split) else None for node in diagram.nodes],
        "levels": _levels(diagram),
        "chosen": chosen,
        "height": height,
        "interactive": on_choose is not None,
        "readable": readable,
        "hint": _HINT if on_choose else "",
        "path": _way(marks.way),
        "was": _way(marks.former),
        "dimmed": sorted(marks.dimmed),
        "folds": {str(node): folded for node, folded in (folds or {}).items()},
    }
    _mount(
        key=key,
        data=data,
        height=height,
        on_choose_change=report("choose", on_choose),
        on_fold_change=report("fold", on_fold),
    )


def _way(trace: Trace | None) -> dict[str, list[int] | list[str]]:
    """The nodes and arcs of a way, by their numbers and names in the drawing."""
    if trace is None:
        return {"nodes": [], "arcs": []}
    arcs = [f"arc{step.node}-{'yes' if step.answer else 'no'}" for step in trace.steps]
    return {"nodes": [*(step.node for step in trace.steps), trace.leaf], "arcs": arcs}


def _levels(diagram: Diagram) -> list[int] | None:
    """The level of each node, where nodes may have several parents; `None` for a tree."""
    if diagram.kind is ShapeKind.TREE:
        return None
    line = {i: number for number, level in enumerate(levels(diagram)) for i in level.nodes}
    return [line[i] for i in range(diagram.n_nodes)]
