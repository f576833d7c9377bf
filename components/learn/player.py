"""Going through something frame by frame: back, step, and a slider to any frame."""

from collections.abc import Callable

import streamlit as st

from components.session import state

Jumps = Callable[[int], dict[str, int | None]]
"""For a frame, further places to go to: the label of a button and the frame, `None` where there is none."""

_FRAME = "frame_"
"""Before the key of a player: under which the session has the frame."""


def show(draw: Callable[[int], None], n_frames: int, *, key: str, jumps: Jumps = lambda frame: {}) -> None:
    """Draw the controls, and a frame of at least one below them; only this part of the screen is drawn again.

    Another key begins at its first frame; `jumps` are further buttons.
    """
    st.fragment(_show, key=f"player_{key}")(draw, n_frames, key, jumps)


def _show(draw: Callable[[int], None], n_frames: int, key: str, jumps: Jumps) -> None:
    place = state.first(_FRAME + key, 0)
    at, last = state.get(place), n_frames - 1
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        for name, label, target in (("back", "Back", at - 1), ("step", "Step", at + 1)):
            st.button(
                label,
                icon=":material/skip_previous:" if target < at else ":material/skip_next:",
                key=f"{name}_{key}",
                disabled=not 0 <= target <= last,
                on_click=state.put,
                args=(place, target),
            )
        for number, (label, target) in enumerate(jumps(at).items()):
            st.button(
                label,
                key=f"jump_{number}_{key}",
                disabled=target is None,
                on_click=state.put,
                args=(place, target or 0),
                type="tertiary",
            )
        if last > 0:
            st.slider(f"Step, of {last}", 0, last, key=place, width="stretch")
    draw(state.get(place))
