"""Clickable drawings of diagrams on the screens; if a drawing fails, its place shows the reason.

Nodes are selected and folded, and the drawing is zoomed and moved, by mouse or keys.

Drawings are never shrunk to fit, and a model has the same orientation everywhere. The browser reports the width of the
frame, and as many levels are open as are readable at this width. If no picture fits, as on a phone, the model is shown
as a list of nested splits that folds and unfolds like the picture.
"""

import re
import threading
import weakref
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import streamlit as st

from components.messages.text import plain
from components.model.outline import outline
from components.session import state
from solvers.diagram import Diagram, Excerpt, NodeId, Split, Trace, folded_in, levels, render, to_rules, visible
from solvers.errors import EspalierError, RenderError
from solvers.problem import Dataset, ShapeKind
from solvers.report.drawing import Detail, RowFacts, drawn, row_facts

T = TypeVar("T")

DRAWINGS = 256
"""Number of cached drawings: enough for twenty users with a few models, row sets and screens each."""

DETAIL = "detail"
"""State key of the level of detail of drawings."""

READABLE_LEVELS = 3
"""Deeper levels of a tree are folded until the user opens them."""

WHOLE = Excerpt()

_NARROW = 480
"""Pixels: narrower frames are those of a phone, or of one of three columns."""

_SPARE = 22
"""Pixels by which a frame may have become narrower without reporting it."""

_LEAST_BOX = 118
"""Width of a narrow box in pixels: estimates, without drawing, whether a picture is too wide."""


_HINT = "Click a node. Drag to move, Ctrl + wheel to zoom. Keys: arrows, Enter, F folds, + \u2212 0."
_HERE = Path(__file__).parent / "diagram_view"
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


class View(NamedTuple):
    """The content of a frame of some width: a picture, or `None` for the list, and the visible part of the diagram."""

    picture: str | None
    excerpt: Excerpt


class _Same(Generic[T]):
    """A cache key for an object, compared by identity.

    Holds no strong reference: a cached drawing must not keep the rows of an ended session alive.
    """

    def __init__(self, it: T | None) -> None:
        self._ref = None if it is None else weakref.ref(it)
        self._hash = id(it)

    @property
    def it(self) -> T | None:
        """The object; `None` if there is none, or if it was garbage-collected."""
        return None if self._ref is None else self._ref()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Same) or self._hash != other._hash:
            return False
        # if two objects have the same id, one is dead, and a dead object equals nothing
        return (self._ref is None and other._ref is None) or (self.it is not None and self.it is other.it)

    def __hash__(self) -> int:
        return self._hash


@lru_cache(maxsize=DRAWINGS)
def _pack(
    model: _Same[Diagram],
    rows: _Same[Dataset],
    theme: str,
    excerpt: Excerpt,
    detail: Detail,
) -> bytes:
    """The drawing, compressed to a sixth in less than a millisecond."""
    diagram = model.it
    assert diagram is not None
    dot = drawn(diagram, _row_facts(model, rows, detail), theme=theme, excerpt=excerpt)
    return zlib.compress(render(dot, "svg"))


@lru_cache(maxsize=DRAWINGS)
def _row_facts(model: _Same[Diagram], rows: _Same[Dataset], detail: Detail) -> RowFacts:
    """The row facts of a model, computed once for all excerpts of it."""
    assert model.it is not None
    return row_facts(model.it, rows.it, detail)


def svg(
    diagram: Diagram,
    theme: str,
    *,
    data: Dataset | None = None,
    excerpt: Excerpt = WHOLE,
    detail: Detail = Detail.STANDARD,
) -> str:
    """The drawing with the rows of `data`, by default those stored in its leaves.

    The last drawings are cached, so a click that does not change them costs nothing.
    Raises `RenderError` if the diagram is too large or Graphviz fails.
    """
    return zlib.decompress(_pack(_Same(diagram), _Same(data), theme, excerpt, detail)).decode()


def chosen_detail() -> Detail:
    """The level of detail that the user chose on Inspect."""
    return Detail(state.get(DETAIL, Detail.STANDARD))


def prepare(diagram: Diagram, datasets: Iterable[Dataset], *, place: str, key: str, width: int, detail: Detail) -> None:
    """Draw a diagram with other rows in advance, so that switching to them is immediate."""
    wanted, width, theme = _wanted_names(key), _width(place, width), _theme()

    def work() -> None:
        for data in datasets:
            with suppress(EspalierError):
                _view(_Painter(diagram, data, theme, detail), wanted, width)

    threading.Thread(target=work, name="drawing", daemon=True).start()


def show(  # noqa: PLR0913
    diagram: Diagram,
    *,
    key: str,
    place: str,
    width: int,
    data: Dataset | None = None,
    detail: Detail = Detail.STANDARD,
    least_height: int = 0,
    chosen: NodeId | None = None,
    marks: Marks = NO_MARKS,
    on_choose: Callable[[NodeId], None] | None = None,
) -> None:
    """Draw a model with the rows of `data`, by default the training rows stored in its leaves.

    Parameters
    ----------
    key : identifies this drawing; folds are kept for the session.
    place : identifies the place on the screen; its width is reused for the next model drawn there.
    width : pixels of the place, until the browser reports them.
    detail : level of detail of the drawing.
    least_height : minimum height of the frame in pixels.
    chosen : the node to highlight.
    marks : the path of a row, which stays open while all else is folded, and the nodes to dim.
    on_choose : called with the number of a node when the user selects it.
    """
    width_key = f"told_width_{key}"
    if state.get(width_key):
        state.put(width_key, False)
        if state.press_waits():
            # the browser reported the width during a click, whose rerun of the script was lost
            st.rerun()
    wanted = _wanted_names(key, marks)
    wide = _width(place, width)
    try:
        view = _view(_Painter(diagram, data, _theme(), detail), wanted, wide)
    except RenderError as error:
        # the rules as text
        st.info(plain(error, 400), icon=":material/image_not_supported:")
        st.code(to_rules(diagram), language=None, height=360)
        return

    folds = folded_in(diagram, _line(diagram), view.excerpt)
    content = view.picture
    if content is None:
        facts = _row_facts(_Same(diagram), _Same(data), detail)
        content = outline(diagram, view.excerpt, folds, facts, _theme())

    def report(trigger: str, act: Callable[[NodeId], None] | None) -> Callable[[], None]:
        def call() -> None:
            number = state.get(key).get(trigger)
            if act is not None and number is not None and 0 <= int(number) < diagram.n_nodes:
                act(int(number))

        return call

    def resized() -> None:
        pixels = state.get(key).get("width")
        if pixels and 0 < int(pixels) < MOST_WIDTH:
            state.put(f"width_{place}", int(pixels))
            state.put(width_key, True)

    frame = {
        "content": content,
        "name": key,
        "chosen": chosen,
        "width": wide,
        "leastHeight": least_height,
        "choosing": on_choose is not None,
        "hint": _HINT if on_choose else "",
        "folds": {} if view.excerpt.only else {str(i): i in folds for i, _ in diagram.splits},
    }
    _mount(
        key=key,
        data=frame | _fixed(diagram, marks),
        on_choose_change=report("choose", on_choose),
        on_fold_change=report("fold", lambda n: _fold(key, n, n in folds)),
        on_width_change=resized,
    )


def _fixed(diagram: Diagram, marks: Marks) -> dict[str, Any]:
    """The parts of a frame that depend on the diagram and its marks alone."""
    return {
        "links": [[node.yes, node.no] if isinstance(node, Split) else None for node in diagram.nodes],
        "levels": None if diagram.kind is ShapeKind.TREE else [line for _, line in sorted(_line(diagram).items())],
        "readable": READABLE_SCALE,
        "stage": _STAGE,
        "tools": [list(one) for one in _TOOLS],
        "folding": {str(folded).lower(): text for folded, text in _FOLDING.items()},
        "path": _way(marks.way),
        "was": _way(marks.former),
        "dimmed": sorted(marks.dimmed),
    }


def _way(trace: Trace | None) -> dict[str, list[int] | list[str]]:
    """The nodes and arcs of a path, by their numbers and names in the drawing."""
    if trace is None:
        return {"nodes": [], "arcs": []}
    arcs = [f"arc{step.node}-{'yes' if step.answer else 'no'}" for step in trace.steps]
    return {"nodes": [*(step.node for step in trace.steps), trace.leaf], "arcs": arcs}


def levels_key(key: str) -> str:
    """State key of the number of levels to draw; 0 for as many as fit."""
    return f"levels_{key}"


def _folds_key(key: str) -> str:
    return f"folds_{key}"


def forget_folds(key: str) -> None:
    """Draw the chosen number of levels, ignoring nodes folded or opened by hand."""
    state.put(_folds_key(key), _NO_FOLDS)


def draw_way_only(key: str) -> str:
    """State key of whether only the path of a row is drawn."""
    return f"only_{key}"


_NO_FOLDS: tuple[frozenset[NodeId], frozenset[NodeId]] = (frozenset(), frozenset())


class _Wanted(NamedTuple):
    """The levels that the user wants, the nodes folded and opened by hand, and the path that stays open."""

    levels: int | None
    folded: frozenset[NodeId]
    opened: frozenset[NodeId]
    way: frozenset[NodeId] = frozenset()
    only: frozenset[NodeId] | None = None

    def excerpt(self, levels: int | None) -> Excerpt:
        """The excerpt with this number of levels."""
        return Excerpt(levels, self.folded - self.way, self.opened | self.way, self.only)


def _wanted_names(key: str, marks: Marks = NO_MARKS) -> _Wanted:
    folded, opened = state.get(_folds_key(key), _NO_FOLDS)
    traces = [trace for trace in (marks.way, marks.former) if trace is not None]
    way = frozenset(step.node for trace in traces for step in trace.steps)
    opened |= marks.sought
    only = way | {trace.leaf for trace in traces} if traces and state.get(draw_way_only(key)) else None
    return _Wanted(state.get(levels_key(key)) or None, folded, opened, way, only)


def _fold(key: str, number: NodeId, is_folded: bool) -> None:
    folded, opened = state.get(_folds_key(key), _NO_FOLDS)
    pair = (folded - {number}, opened | {number}) if is_folded else (folded | {number}, opened - {number})
    state.put(_folds_key(key), pair)


def _width(place: str, width: int) -> int:
    return int(state.get(f"width_{place}") or width)


def _theme() -> str:
    return "dark" if state.dark() else "light"


def _line(diagram: Diagram) -> dict[NodeId, int]:
    """The level of each node."""
    return {i: number for number, level in enumerate(levels(diagram)) for i in level.nodes}


class _Painter(NamedTuple):
    """A diagram with rows and colours, of which excerpts can be drawn."""

    diagram: Diagram
    data: Dataset | None
    theme: str
    detail: Detail

    def fits(self, excerpt: Excerpt, width: float) -> bool:
        """Whether an excerpt is readable at this width."""
        if self.diagram.kind is not ShapeKind.TREE:
            line = _line(self.diagram)
            if max(Counter(line[i] for i in visible(self.diagram, line, excerpt)).values()) * _LEAST_BOX > width:
                return False
        return natural_width(self.picture(excerpt)) * READABLE_SCALE <= width

    def picture(self, excerpt: Excerpt) -> str:
        """The picture of an excerpt."""
        return svg(self.diagram, self.theme, data=self.data, excerpt=excerpt, detail=self.detail)


def _view(painter: _Painter, wanted: _Wanted, width: int) -> View:
    """The content of a frame of this width."""
    room = width - _SPARE
    most = _most_levels(painter.diagram)
    tried = range(most, min(most, 1) - 1, -1) if width >= _NARROW else ()
    fitting = next((n for n in tried if painter.fits(Excerpt(n), room)), None)
    if wanted.levels is not None:
        open_levels = wanted.levels
    elif wanted.way and painter.diagram.kind is ShapeKind.TREE:
        # in a tree, only the path of the row is open
        open_levels = 0
    else:
        open_levels = most if fitting is None else fitting
    excerpt = wanted.excerpt(open_levels)
    if fitting is None:
        return View(None, excerpt)
    # nodes opened by hand may make the picture wider than the frame, which can then be scrolled
    return View(painter.picture(excerpt), excerpt)


def _most_levels(diagram: Diagram) -> int:
    """Number of levels to open if the width allows it."""
    if diagram.kind is ShapeKind.TREE:
        return min(READABLE_LEVELS, diagram.depth)
    return len(levels(diagram)) - 1


_SIZE = re.compile(r'viewBox="[-.0-9]+ [-.0-9]+ ([.0-9]+) ')


def natural_width(picture: str) -> float:
    """The width of a drawing at its original font size, in pixels."""
    found = _SIZE.search(picture)
    assert found is not None
    return float(found[1])
