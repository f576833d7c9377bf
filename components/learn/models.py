"""Drawings, regions of the plane and scores of the models of a lesson."""

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from components.learn.classroom import Classroom, Optimum
from components.learn.facts import describe_new, score
from components.learn.figures import plane
from components.messages.text import html, plain
from components.model import drawing
from components.session import state
from components.widgets import style
from solvers.diagram import Diagram, NodeId
from solvers.messages.results import BEST, HEURISTIC, Tone
from solvers.messages.results import OPTIMAL as OPTIMAL_ON_TRAINING
from solvers.teaching import regions


def show_tree(
    diagram: Diagram,
    room: Classroom,
    *,
    key: str,
    width: int,
    height: int,
    chosen: NodeId | None = None,
    on_choose: Callable[[NodeId], None] | None = None,
) -> None:
    """Draw a model with the training rows; nodes can be selected if `on_choose` is given."""
    drawing.show(
        diagram,
        key=key,
        place=f"learn_{width}",
        width=width,
        data=room.train,
        least_height=height,
        chosen=chosen,
        on_choose=on_choose,
    )


def show_plane(diagram: Diagram, room: Classroom, *, key: str, height: int = 360) -> None:
    """Draw the regions of a model if it has two numeric measurements."""
    if not room.setting.recipe.traits.plane:
        return
    fields = regions(diagram, room.train, "x", "y")
    style.chart(plane(fields, room.train, state.dark(), height), key)
    if fields.others:
        st.caption(f"Pale: the prediction also depends on {html(', '.join(fields.others))}.")


class Side(NamedTuple):
    """A model beside others: its name, its status as HTML, and the message shown while there is no model."""

    name: str
    diagram: Diagram | None
    badge: str = ""
    message: str = "Searching."


def greedy_side(room: Classroom) -> Side:
    """The tree of the greedy method."""
    return Side(room.setting.method.label, room.greedy.result, heuristic())


def found_side(name: str, optimum: Optimum | None) -> Side:
    """The result of the worker so far, with its proof status."""
    if optimum is None:
        return Side(name, None, style.pill("Searching", Tone.PLAIN))
    proof = (OPTIMAL_ON_TRAINING, Tone.GOOD) if optimum.proved else (BEST, Tone.OPEN)
    return Side(name, optimum.diagram, style.pill(*proof), optimum.message)


def show_side_by_side(
    sides: list[Side], room: Classroom, *, key: str, width: int, height: int, planes: bool = False
) -> None:
    """Draw the models, each in a column, with the regions of the plane if `planes`."""
    for number, (column, side) in enumerate(zip(st.columns(len(sides), gap="medium"), sides, strict=True)):
        with column:
            st.html(f"<b>{html(side.name)}</b> &nbsp;{side.badge}")
            if side.diagram is None:
                st.container(height=height, border=False).caption(plain(side.message, 300))
                continue
            show_tree(side.diagram, room, key=f"{key}_{number}", width=width, height=height)
            if planes:
                show_plane(side.diagram, room, key=f"{key}_plane_{number}", height=height)


def show_scores(sides: list[Side], room: Classroom) -> None:
    """Draw a table of the models that are known, with their errors and sizes."""
    drawn = room.setting.recipe.traits.plane
    unseen = "Errors, new rows" if drawn else "Errors, all rows"
    about = "New rows of the same rule, without noise." if drawn else "All possible rows, without noise."
    head = ("", "Training errors", style.hint(unseen, about), "Splits", "Levels", "")
    known = [(side, side.diagram, score(side.diagram, room)) for side in sides if side.diagram is not None]
    lines = [
        (
            html(side.name),
            f"{found.errors} of <small>{found.n}</small>",
            describe_new(found.new, drawn),
            str(diagram.n_splits),
            str(diagram.depth),
            side.badge,
        )
        for side, diagram, found in known
    ]
    if lines:
        st.html(style.scroll(head, lines))


def heuristic() -> str:
    """The status pill of a heuristic method."""
    return style.pill(HEURISTIC, Tone.PLAIN)
