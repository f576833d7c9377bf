"""CART's tree pruned step by step: the penalty per leaf, and the errors on new rows."""

import streamlit as st

from components.learn import player
from components.learn.classroom import Classroom, pruned
from components.learn.facts import new_words, score
from components.learn.models import show_tree, unseen_title
from components.widgets import style
from components.words.text import count

_HEIGHT, _WIDTH = 380, 720


def show(room: Classroom) -> None:
    """Draw the controls, a tree of the path, and the table of all of them."""
    path = pruned(room.setting.recipe)
    player.show(lambda frame: _draw(room, frame), len(path), key=f"pruning_{room.table_key}")


def _draw(room: Classroom, frame: int) -> None:
    path = pruned(room.setting.recipe)
    scores = [score("", one.diagram, room.train, room.test) for one in path]
    found = path[frame]
    if frame == 0:
        st.markdown("CART's tree, fully grown, without splits that save nothing.")
    else:
        taken = path[frame - 1].diagram.n_leaves - found.diagram.n_leaves
        st.markdown(
            f"**{count(taken, 'leaf', 'leaves')} fewer.** The pruned branch saved "
            f"{count(float(found.price), 'error', 'errors')} per leaf, less than any other."
        )
    left, right = st.columns([1.25, 1], gap="medium")
    with left:
        show_tree(found.diagram, room, key="pruned_tree", width=_WIDTH, height=_HEIGHT)
    with right:
        drawn = room.setting.recipe.traits.plane
        lines = [
            (
                f"<b>&#9656; {one.diagram.n_leaves}</b>" if i == frame else str(one.diagram.n_leaves),
                f"{float(one.price):.2f}",
                str(one.errors),
                new_words(known.new, drawn),
            )
            for i, (one, known) in enumerate(zip(path, scores, strict=True))
        ]
        st.html(style.scrolled(("Leaves", "Penalty per leaf", "Training errors", unseen_title(drawn)), lines))
        st.caption("Best pruned tree from this penalty up to the next.")
