"""A certificate is checked step by step: which first questions are looked into, and which follow from them."""

import streamlit as st

from components.learn import player
from components.learn.classroom import Classroom, checked
from components.learn.figures import covered
from components.learn.models import show_tree
from components.session import state
from components.widgets import style
from components.words.text import plain
from solvers.diagram import Diagram
from solvers.teaching import CheckKind, CheckReplay
from solvers.words.status import Tone

_HEIGHT, _WIDTH = 330, 620
_KINDS = {CheckKind.COUNT: "Counted", CheckKind.LOOK: "Looked into", CheckKind.PROVED: "Proved"}


def show(room: Classroom) -> None:
    """Draw the controls, what each step says, the bounds on all first questions, and the tree."""
    found = checked(room.setting.recipe, room.setting.depth)
    if isinstance(found, str):
        st.info(plain(found, 300), icon=":material/info:")
        return
    replay, tree = found
    key = f"check_{room.table_key}_{room.setting.depth}"
    player.show(lambda frame: _draw(room, replay, tree, frame), len(replay.steps), key=key)


def _draw(room: Classroom, replay: CheckReplay, tree: Diagram, frame: int) -> None:
    step = replay.steps[frame]
    with st.container(height=92, border=False):
        tone = Tone.GOOD if step.what is CheckKind.PROVED else Tone.PLAIN
        st.html(style.pill(_KINDS[step.what], tone), width="content")
        st.markdown(plain(step.words, 500))
    left, right = st.columns([1.25, 1], gap="medium")
    with left:
        style.chart(covered(replay, frame, state.dark()), "check_bounds")
        st.caption(
            "Each mark is a question that a tree may begin with: so many errors every such tree makes at least, as "
            "far as it is known by now. A question is done when its mark is on the line of the tree."
        )
    with right:
        show_tree(tree, room, key="checked_tree", width=_WIDTH, height=_HEIGHT)
