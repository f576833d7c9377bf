"""Three trees of the same depth side by side: the student's, the greedy one, the optimal one."""

import streamlit as st

from components.learn import answers, form
from components.learn.builder import own_history
from components.learn.classroom import Classroom, tree_key
from components.learn.facts import score
from components.learn.models import heuristic, show_plane, show_scores, show_tree, status
from components.messages.text import html
from solvers.diagram import Diagram

_HEIGHT, _WIDTH = 260, 420


def show(room: Classroom) -> None:
    """Draw the scores of the three trees, their drawings and their regions."""
    form.show_method()
    answers.watch(room, _show)


def _show(room: Classroom) -> None:
    best = answers.optimum(room, tree_key(room.setting.depth))
    own = own_history(room).now.drawn(room.problem).diagram
    models: list[tuple[str, Diagram | None, str]] = [
        ("You", own, ""),
        (room.setting.method.label, room.greedy.result, heuristic()),
        ("Optimal", best.diagram if best else None, status(best)),
    ]
    lines = [(score(name, tree, room.train, room.test), proof) for name, tree, proof in models if tree is not None]
    show_scores(lines, room)
    for column, (name, tree, proof) in zip(st.columns(3, gap="medium"), models, strict=True):
        with column:
            st.html(f"<b>{html(name)}</b> &nbsp;{proof}")
            if tree is None:
                st.container(height=_HEIGHT, border=False).caption("Searching for the optimal tree.")
                continue
            show_tree(tree, room, key=f"compare_{name}", width=_WIDTH, height=_HEIGHT)
            show_plane(tree, room, key=f"compare_plane_{name}", height=_HEIGHT)
