"""The proof step by step: what the exact search tries, and what it prunes and why."""

import streamlit as st

from components.learn import player
from components.learn.classroom import Classroom, record
from components.learn.facts import closing_in, next_of
from components.learn.models import show_tree
from components.messages.text import count, plain
from components.model.figures import live_curve
from components.session import state
from components.widgets import style
from solvers.messages.results import Tone
from solvers.teaching import Happening, Recording, Sketch

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
    recording = record(room.setting.recipe, room.setting.depth)
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
        st.caption("Best tree" if ended else "Splits on the current path; other leaves are open.")
        chosen = drawn.slots.index(event.slot) if event.slot in drawn.slots else None
        size = {"width": _WIDTH, "height": _HEIGHT}
        show_tree(drawn.diagram, room, key="search_tree", **size, chosen=chosen, on_choose=lambda node: None)
    with right:
        figure = live_curve(closing_in(recording), state.dark(), 230, "step")
        figure.add_vline(frame, line={"width": 1.5, "dash": "dot"})
        style.chart(figure, "search_curve")
        tried = count(sum(one.what is Happening.ASK for one in before), "split")
        spared = count(sum(one.spared for one in before), "split")
        st.caption(
            f"{tried} tried, {spared} pruned. Best so far: {event.incumbent} errors. No tree of depth "
            f"{room.setting.depth} has fewer than {event.bound}."
        )
    if event.what is not Happening.PROVED:
        with st.expander("Best tree so far"):
            best = recording.incumbent_at(frame).drawn(room.problem)
            show_tree(best.diagram, room, key="search_best", width=_WIDTH, height=260)
