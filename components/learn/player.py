"""Going through something frame by frame: back, step, play, and a slider to any frame."""

import time
from collections.abc import Callable

import streamlit as st

from components.session import state

Jumps = Callable[[int], dict[str, int | None]]
"""For a frame, further places to go to: the label of a button and the frame, `None` where there is none."""

_PACE_SECONDS = 1.4
_FRAME, _PLAYING, _MOVED = "frame_", "playing_", "moved_"
"""Before the key of a player: under which the session has the frame, whether it plays, and when the frame changed."""


def show(draw: Callable[[int], None], n_frames: int, *, key: str, jumps: Jumps = lambda frame: {}) -> None:
    """Draw the controls, and a frame of at least one below them; only this part of the screen is drawn again.

    Another key begins at its first frame; `jumps` are further buttons.
    """
    playing = bool(state.get(_PLAYING + key))
    frame = st.fragment(_play, run_every=_PACE_SECONDS if playing else None, key=f"player_{key}")
    frame(draw, n_frames, key, playing, jumps)


def _play(
    draw: Callable[[int], None],
    n_frames: int,
    key: str,
    was_playing: bool,
    jumps: Jumps,
) -> None:
    place = state.first(_FRAME + key, 0)
    last, now = n_frames - 1, time.monotonic()
    if was_playing and state.get(_PLAYING + key) and now - state.get(_MOVED + key, 0.0) >= 0.7 * _PACE_SECONDS:
        _go(key, min(last, state.get(place) + 1))
    if state.get(place) >= last:
        state.put(_PLAYING + key, False)
    if was_playing != bool(state.get(_PLAYING + key)):
        st.rerun()
    _controls(key, last, jumps(state.get(place)))
    draw(state.get(place))


def _controls(key: str, last: int, jumps: dict[str, int | None]) -> None:
    at, playing = state.get(_FRAME + key), bool(state.get(_PLAYING + key))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        for name, label, target in (("back", "Back", at - 1), ("step", "Step", at + 1)):
            st.button(
                label,
                icon=":material/skip_previous:" if target < at else ":material/skip_next:",
                key=f"{name}_{key}",
                disabled=not 0 <= target <= last,
                on_click=_go,
                args=(key, target),
            )
        st.button(
            "Pause" if playing else "Play",
            icon=f":material/{'pause' if playing else 'play_arrow'}:",
            key=f"play_{key}",
            on_click=_toggle,
            args=(key, last),
        )
        for number, (label, target) in enumerate(jumps.items()):
            st.button(
                label,
                key=f"jump_{number}_{key}",
                disabled=target is None,
                on_click=_go,
                args=(key, target or 0),
                type="tertiary",
            )
        if last > 0:
            st.slider(f"Step, of {last}", 0, last, key=_FRAME + key, width="stretch")


def _go(key: str, frame: int) -> None:
    state.put(_FRAME + key, frame)
    state.put(_MOVED + key, time.monotonic())


def _toggle(key: str, last: int) -> None:
    playing = not state.get(_PLAYING + key)
    if playing and state.get(_FRAME + key) >= last:
        _go(key, 0)
    state.put(_MOVED + key, time.monotonic())
    state.put(_PLAYING + key, playing)
