"""Drawings of diagrams on the screens; a drawing that cannot be made says why in its place.

Nothing is shrunk until it fits: the browser says how wide its frame is, and so many levels are open that all can be
read in it, from the top down or from left to right. Where no picture fits, as on a phone, the model is a list of nested
questions, which folds and unfolds in the same way.
"""

import re
import threading
import weakref
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

import streamlit as st

from components.messages.text import plain
from components.model import diagram_view
from components.model.diagram_view import NO_MARKS, Marks
from components.model.outline import outline
from components.session import state
from solvers.diagram import Diagram, Excerpt, Leaf, NodeId, folded_in, levels, render, to_rules, visible
from solvers.errors import EspalierError, RenderError
from solvers.problem import Dataset, ShapeKind
from solvers.report.drawing import Detail, RowFacts, drawn, row_facts

T = TypeVar("T")

DRAWINGS = 256
"""How many are kept: what twenty people look at, each with a few models, rows and screens."""

DETAIL = "detail"
"""Where it is kept how much drawings say."""

READABLE_LEVELS = 3
"""Deeper levels of a tree are folded until the user asks for them."""

WHOLE = Excerpt()

_NARROW = 480
"""Pixels: frames below are those of a phone, or of one of three columns."""

_SPARE = 22
"""Pixels by which a frame may have become narrower without having said so."""

_LEAST_BOX = 118
"""Pixels of a narrow box: what has more of them side by side than fit need not be drawn to be known too wide."""


class View(NamedTuple):
    """What a frame of some width shows: a picture, or `None` for the list; and which part of the diagram."""

    picture: str | None
    excerpt: Excerpt


class _Same(Generic[T]):
    """An object as the key of a cache: equal to itself alone, at no cost.

    It does not keep the object: a drawing that is remembered must not hold the rows of a session that has ended.
    """

    def __init__(self, it: T | None) -> None:
        self._ref = None if it is None else weakref.ref(it)
        self._hash = id(it)

    @property
    def it(self) -> T | None:
        """The object; `None` if there is none, or it is gone."""
        return None if self._ref is None else self._ref()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Same) or self._hash != other._hash:
            return False
        # of two objects with one number one is gone, and what is gone is like nothing
        return (self._ref is None and other._ref is None) or (self.it is not None and self.it is other.it)

    def __hash__(self) -> int:
        return self._hash


@lru_cache(maxsize=DRAWINGS)
def _pack(
    model: _Same[Diagram],
    rows: _Same[Dataset],
    theme: str,
    excerpt: Excerpt,
    sideways: bool,
    detail: Detail,
) -> bytes:
    """The drawing, compressed: to a sixth, in less than a thousandth of a second."""
    diagram = model.it
    assert diagram is not None
    dot = drawn(diagram, _row_facts(model, rows, detail), theme=theme, excerpt=excerpt, sideways=sideways)
    return zlib.compress(render(dot, "svg"))


@lru_cache(maxsize=DRAWINGS)
def _row_facts(model: _Same[Diagram], rows: _Same[Dataset], detail: Detail) -> RowFacts:
    """What rows say of a model, counted once for all its parts that are drawn."""
    assert model.it is not None
    return row_facts(model.it, rows.it, detail)


def svg(
    diagram: Diagram,
    theme: str,
    *,
    data: Dataset | None = None,
    excerpt: Excerpt = WHOLE,
    sideways: bool = False,
    detail: Detail = Detail.STANDARD,
) -> str:
    """The drawing with the rows of `data`, by default those that its leaves remember.

    The last drawings are kept, so that a click that changes nothing in them costs nothing. Raises `RenderError` where
    the diagram is too large, or Graphviz fails.
    """
    return zlib.decompress(_pack(_Same(diagram), _Same(data), theme, excerpt, sideways, detail)).decode()


def chosen_detail() -> Detail:
    """How much drawings say, as the user chose it on Inspect."""
    return Detail(state.get(DETAIL, Detail.STANDARD))


def prepare(diagram: Diagram, datasets: Iterable[Dataset], *, place: str, key: str, width: int, detail: Detail) -> None:
    """Draw a diagram with other rows while the user still looks at these, so that the change shows at once."""
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
    """Draw a model with the rows of `data`, by default those of training that its leaves remember.

    Parameters
    ----------
    key : of this drawing; what is folded is kept as long as the session.
    place : of the screen, whose width is known for the next model that is drawn there.
    width : pixels that the place has, until the browser has said so.
    detail : how much the drawing says.
    least_height : pixels of the frame.
    chosen : the node to be marked.
    marks : the way of a case, which is open while all else is folded, and the nodes that step back.
    on_choose : called with the number of a node when it is chosen.
    """
    width_key = f"told_width_{key}"
    if state.get(width_key):
        state.put(width_key, False)
        if state.press_waits():
            # the browser reported the width during a click, whose own run of the script was lost
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

    def resized(pixels: int) -> None:
        state.put(f"width_{place}", pixels)
        state.put(width_key, True)

    folds = folded_in(diagram, _line(diagram), view.excerpt)
    content = view.picture
    if content is None:
        facts = _row_facts(_Same(diagram), _Same(data), detail)
        content = outline(diagram, view.excerpt, folds, facts, _theme())
    diagram_view.show(
        content,
        diagram,
        key=key,
        width=wide,
        least_height=least_height,
        chosen=chosen,
        marks=marks,
        folds={} if view.excerpt.only else {i: i in folds for i, _ in diagram.splits},
        on_choose=on_choose,
        on_fold=lambda n: _fold(key, n, n in folds),
        on_width=resized,
    )


def levels_key(key: str) -> str:
    """Where the number of levels is kept that the user wants drawn; 0 for as many as fit."""
    return f"levels_{key}"


def _folds_key(key: str) -> str:
    return f"folds_{key}"


def forget_folds(key: str) -> None:
    """Draw what the levels say, as if nothing had been folded or opened by hand."""
    state.put(_folds_key(key), _NO_FOLDS)


def draw_way_only(key: str) -> str:
    """The key of whether the path of a row is drawn alone."""
    return f"only_{key}"


_NO_FOLDS: tuple[frozenset[NodeId], frozenset[NodeId]] = (frozenset(), frozenset())


class _Wanted(NamedTuple):
    """The levels that the user wants, what was folded and opened by hand, and the path that stays open."""

    levels: int | None
    folded: frozenset[NodeId]
    opened: frozenset[NodeId]
    way: frozenset[NodeId] = frozenset()
    only: frozenset[NodeId] | None = None

    def excerpt(self, levels: int | None) -> Excerpt:
        """What is drawn with this number of levels."""
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
    """The number of the level of each node."""
    return {i: number for number, level in enumerate(levels(diagram)) for i in level.nodes}


class _Painter(NamedTuple):
    """A diagram with rows and colours, to be drawn in parts."""

    diagram: Diagram
    data: Dataset | None
    theme: str
    detail: Detail

    def fitting(self, excerpt: Excerpt, width: float) -> str | None:
        """The picture of a part if it can be read in a width, upright or, of a tree, lying on its side."""
        line = _line(self.diagram)
        shown = visible(self.diagram, line, excerpt)
        tree = self.diagram.kind is ShapeKind.TREE
        ends = [i for i in shown if isinstance(self.diagram.nodes[i], Leaf)] if tree else shown
        ends = ends + list(folded_in(self.diagram, line, excerpt)) if tree else ends
        most = len(ends) if tree else max(Counter(line[i] for i in shown).values())
        for sideways in (False, True) if tree else (False,):
            if sideways or most * _LEAST_BOX <= width:
                picture = self.picture(excerpt, sideways)
                if natural_width(picture) * diagram_view.READABLE_SCALE <= width:
                    return picture
        return None

    def picture(self, excerpt: Excerpt, sideways: bool) -> str:
        """The picture of a part."""
        return svg(self.diagram, self.theme, data=self.data, excerpt=excerpt, sideways=sideways, detail=self.detail)


def _view(painter: _Painter, wanted: _Wanted, width: int) -> View:
    """What a frame of a width shows."""
    room = width - _SPARE
    most = _most_levels(painter.diagram)
    tried = range(most, min(most, 1) - 1, -1) if width >= _NARROW else ()
    fitting = next((n for n in tried if painter.fitting(Excerpt(n), room) is not None), None)
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
    # what the user has opened by hand may be wider than the frame, which then moves over it
    sideways = painter.diagram.kind is ShapeKind.TREE
    return View(painter.fitting(excerpt, room) or painter.picture(excerpt, sideways), excerpt)


def _most_levels(diagram: Diagram) -> int:
    """How many levels are open where there is room."""
    if diagram.kind is ShapeKind.TREE:
        return min(READABLE_LEVELS, diagram.depth)
    return len(levels(diagram)) - 1


_SIZE = re.compile(r'viewBox="[-.0-9]+ [-.0-9]+ ([.0-9]+) ')


def natural_width(picture: str) -> float:
    """The width of a drawing whose letters have the size that they are written in, in pixels."""
    found = _SIZE.search(picture)
    assert found is not None
    return float(found[1])
