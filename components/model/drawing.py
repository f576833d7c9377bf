"""Drawings of diagrams as they stand on the screens; a drawing that cannot be made says why in its place."""

import threading
import weakref
import zlib
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from typing import Generic, TypeVar

import streamlit as st

from components.model import diagram_view
from components.model.leaf_facts import leaf_notes
from components.session import state
from components.words.text import plain
from solvers.diagram import Diagram, Excerpt, render, to_dot, to_rules
from solvers.errors import EspalierError, RenderError
from solvers.metrics import answer_counts, node_counts
from solvers.problem import Dataset, ShapeKind

T = TypeVar("T")

DRAWINGS = 256
"""How many are kept: what twenty people look at, each with a few models, rows and screens."""

READABLE_LEVELS = 3
"""Deeper levels are folded until the user asks for them: their texts would be too small, and their layout slow."""


def svg(diagram: Diagram, *, data: Dataset | None = None, excerpt: Excerpt | None = None) -> str:
    """The drawing in the theme of the screen, with the rows of `data`, which leaves tell as a risk with its interval.

    The last drawings are kept, so that a click that changes nothing in them costs nothing. Raises `RenderError` where
    the diagram is too large, or Graphviz fails.
    """
    return zlib.decompress(_packed(_Same(diagram), _Same(data), "dark" if state.dark() else "light", excerpt)).decode()


def prepare(diagram: Diagram, datasets: Iterable[Dataset], excerpt: Excerpt) -> None:
    """Draw a diagram with other rows while the user still looks at these, so that the change shows at once."""
    theme = "dark" if state.dark() else "light"

    def work() -> None:
        for data in datasets:
            with suppress(EspalierError):
                _packed(_Same(diagram), _Same(data), theme, excerpt)

    threading.Thread(target=work, name="drawing", daemon=True).start()


class _Same(Generic[T]):
    """Stands for an object as the key of a cache: equal to itself alone, which is told at once.

    It does not keep the object: a drawing that is remembered must not hold the rows of a session that has ended.
    """

    def __init__(self, it: T | None) -> None:
        self._ref = None if it is None else weakref.ref(it)
        self._hash = id(it)

    @property
    def it(self) -> T | None:
        """The object; `None` where it stands for nothing, or for what is gone."""
        return None if self._ref is None else self._ref()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Same) or self._hash != other._hash:
            return False
        # of two objects with one number one is gone, and what is gone is like nothing
        return (self._ref is None and other._ref is None) or (self.it is not None and self.it is other.it)

    def __hash__(self) -> int:
        return self._hash


@lru_cache(maxsize=DRAWINGS)
def _packed(model: _Same[Diagram], rows: _Same[Dataset], theme: str, excerpt: Excerpt | None) -> bytes:
    """The drawing, compressed: to a sixth, in less than a thousandth of a second."""
    diagram, data = model.it, rows.it
    assert diagram is not None
    if data is None:
        dot = to_dot(diagram, theme=theme, excerpt=excerpt)
    else:
        counts, flows = node_counts(diagram, data), answer_counts(diagram, data)
        notes = leaf_notes(diagram, data)
        dot = to_dot(diagram, theme=theme, counts=counts, flows=flows, excerpt=excerpt, notes=notes)
    return zlib.compress(render(dot, "svg"))


def show(diagram: Diagram, *, key: str, height: int, data: Dataset | None = None) -> None:
    """Draw the readable levels of a model with the rows of `data`; it can be moved but not clicked.

    Without rows the leaves tell those of training; only of a tree is it then known how many come to a question.
    """
    try:
        levels = READABLE_LEVELS if diagram.kind is ShapeKind.TREE else None
        drawing = svg(diagram, data=data, excerpt=Excerpt(levels))
    except RenderError as error:
        show_rules(diagram, error)
    else:
        diagram_view.show(drawing, diagram, key=key, height=height)


def show_rules(diagram: Diagram, error: RenderError) -> None:
    """The rules as text, where the drawing cannot be made."""
    st.info(plain(error, 400), icon=":material/image_not_supported:")
    st.code(to_rules(diagram), language=None, height=360)
