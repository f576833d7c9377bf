"""The proof, step by step: what the exact search tries, what it leaves out and why, and how a real run closed in."""

import streamlit as st

from components.learn import player
from components.learn.classroom import Classroom, recorded
from components.learn.facts import next_of
from components.learn.figures import closing_in
from components.learn.models import show_tree
from components.session import state
from components.widgets import style
from components.words.text import count, plain
from solvers.teaching import Happening, Recording, Sketch
from solvers.words.status import Tone

_HEIGHT, _WIDTH = 330, 720
_KINDS = {
    Happening.OPEN: ("Look", Tone.PLAIN),
    Happening.ASK: ("Try", Tone.PLAIN),
    Happening.SOLVED: ("Solved", Tone.PLAIN),
    Happening.BETTER: ("Better", Tone.GOOD),
    Happening.WORSE: ("No better", Tone.PLAIN),
    Happening.PRUNED: ("Pruned", Tone.OPEN),
    Happening.PROVED: ("Proved", Tone.GOOD),
    Happening.ENDED: ("Ended", Tone.PLAIN),
}


def show(room: Classroom) -> None:
    """Draw the recorded search of the table."""
    recording = recorded(room.setting.recipe, room.setting.depth)
    if isinstance(recording, str):
        st.info(plain(recording, 300), icon=":material/info:")
    else:
        player.show(
            lambda frame: _draw(room, recording, frame),
            len(recording.events),
            key=f"search_{room.table_key}_{room.setting.depth}",
            jumps=lambda frame: {
                "Next pruning": next_of(recording, frame, Happening.PRUNED),
                "Next better tree": next_of(recording, frame, Happening.BETTER),
            },
        )


def _draw(room: Classroom, recording: Recording, frame: int) -> None:
    event, before = recording.events[frame], recording.events[: frame + 1]
    kind, tone = _KINDS[event.what]
    with st.container(height=72, border=False):
        st.html(style.pill(kind, tone), width="content")
        st.markdown(plain(event.words, 400))
    left, right = st.columns([1.25, 1], gap="medium")
    with left:
        ended = event.what in (Happening.PROVED, Happening.ENDED)
        sketch = recording.best if ended else Sketch(dict(event.path))
        drawn = sketch.drawn(room.problem)
        st.caption(
            "The best tree" if ended else "The questions on the way to this place; the other leaves are open yet."
        )
        chosen = drawn.slots.index(event.slot) if event.slot in drawn.slots else None
        size = {"width": _WIDTH, "height": _HEIGHT}
        show_tree(drawn.diagram, room, key="search_tree", **size, chosen=chosen, on_choose=lambda node: None)
    with right:
        style.chart(closing_in(recording, frame, state.dark()), "search_curve")
        tried = count(sum(one.what is Happening.ASK for one in before), "question")
        spared = count(sum(one.spared for one in before), "question")
        st.caption(
            f"Until here {tried} tried, {spared} left out for a reason. The best tree makes {event.incumbent} errors; "
            f"no tree of depth {room.setting.depth} makes fewer than {event.bound}."
        )
    if event.what is not Happening.PROVED:
        with st.expander("The best tree so far"):
            best = recording.incumbent_at(frame).drawn(room.problem)
            show_tree(best.diagram, room, key="search_best", width=_WIDTH, height=260)
