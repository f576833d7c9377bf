"""CART's tree pruned step by step: what a leaf must save, and how the trees do on new rows."""

import streamlit as st

from components.learn import player
from components.learn.classroom import Classroom, pruned
from components.learn.facts import new_words, score
from components.learn.models import show_table, show_tree
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
        st.markdown("CART's tree, grown as far as it goes, without questions that save nothing.")
    else:
        taken = path[frame - 1].diagram.n_leaves - found.diagram.n_leaves
        st.markdown(
            f"**{count(taken, 'leaf', 'leaves')} fewer.** What was cut off saved "
            f"{count(float(found.price), 'error', 'errors')} for each leaf: less than anything that is left."
        )
    left, right = st.columns([1.25, 1], gap="medium")
    with left:
        show_tree(found.diagram, room, key="pruned_tree", width=_WIDTH, height=_HEIGHT)
    with right:
        drawn = room.setting.recipe.traits.plane
        unseen = "Wrong on new rows" if drawn else "Wrong on all cases"
        lines = [
            (
                f"<b>&#9656; {one.diagram.n_leaves}</b>" if i == frame else str(one.diagram.n_leaves),
                f"{float(one.price):.2f}",
                str(one.errors),
                new_words(known.new, drawn),
            )
            for i, (one, known) in enumerate(zip(path, scores, strict=True))
        ]
        show_table(("Leaves", "Price of a leaf, errors", "Training errors", unseen), lines)
        st.caption("Where each leaf costs this price or more, up to the next one, this is the best pruned tree.")
