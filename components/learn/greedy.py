"""A greedy method step by step: the growing tree and the candidate splits."""

import streamlit as st

from components.learn import form, player
from components.learn.classroom import Classroom
from components.learn.facts import greedy_sentence, listed_places
from components.learn.models import show_plane, show_tree
from components.messages.text import count, html, plain
from components.widgets import style
from solvers.teaching import Candidate, Measure

_HEIGHT, _WIDTH = 340, 720
_LISTED = 8


def show(room: Classroom) -> None:
    """Draw the controls, the tree of a frame, and the possible next splits."""
    form.show_method()
    key = f"greedy_{room.table_key}_{room.setting.depth}_{room.setting.method}"
    player.show(lambda frame: _draw(room, frame), room.greedy.n_frames, key=key)


def _draw(room: Classroom, frame: int) -> None:
    replay = room.greedy
    drawn, step = replay.picture(frame), replay.next_step(frame)
    st.markdown(plain(greedy_sentence(replay, frame), 400))
    left, right = st.columns([1.25, 1], gap="medium")
    with left:
        chosen = drawn.slots.index(step.slot) if step is not None and step.slot in drawn.slots else None
        # the highlighted node is split next
        size = {"width": _WIDTH, "height": _HEIGHT}
        show_tree(drawn.diagram, room, key="greedy_tree", **size, chosen=chosen, on_choose=lambda node: None)
    with right:
        if step is not None:
            show_ranked(step.table, step.chosen, room, _LISTED)
        else:
            show_plane(drawn.diagram, room, key="greedy_plane", height=_HEIGHT)


_HEADS = {
    Measure.GAIN: (
        "Gain, bits",
        "Reduction of uncertainty about the class, in bits.",
    ),
    Measure.GINI: (
        "Gini gain",
        "Reduction of the Gini index.",
    ),
    Measure.RATIO: ("Gain ratio", "Gain divided by the information of the split itself."),
    Measure.ERRORS: ("Errors", "Training errors with a leaf on each side."),
}


def show_ranked(table: tuple[Candidate, ...], chosen: Candidate | None, room: Classroom, most: int) -> None:
    """Draw the best splits of a ranked table; the chosen one is always included and highlighted."""
    method = room.setting.method
    meaning = "Rows of each class on the yes side, then on the no side."
    head = ("Split", style.hint("Yes | No", meaning), *(style.hint(*_HEADS[measure]) for measure in Measure))
    lines = []
    for place in listed_places(table, chosen, most):
        one = table[place]
        sides = " | ".join(" + ".join(map(str, reversed(side))) for side in (one.yes, one.no))
        question = f"{place + 1}. {html(one.predicate.words(room.train.schema), 40)}"
        words = f"<b>&#9656; {question}</b>" if one == chosen else question
        lines.append((words, html(sides), *(f"{x:.3f}" for x in (one.gain, one.ratio, one.gini)), str(one.errors)))
    st.html(style.scroll(head, lines))
    taken = "" if chosen is None else f" \u25b8 chosen by {method.label}."
    st.caption(f"{len(lines)} of {count(len(table), 'split')}, ranked by {_HEADS[method.measure][0]}.{taken}")
