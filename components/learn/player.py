"""A player for a sequence of frames: back, step, and a slider."""

from collections.abc import Callable

import streamlit as st

from components.session import state

Jumps = Callable[[int], dict[str, int | None]]
"""For a frame, further jumps: the button label and the target frame, `None` if there is none."""

_FRAME = "frame_"
"""Key prefix of the current frame of a player."""


def show(draw: Callable[[int], None], n_frames: int, *, key: str, jumps: Jumps = lambda frame: {}) -> None:
    """Draw the controls, and the current of `n_frames` (at least one) below them; only this part is redrawn.

    A new key begins at its first frame; `jumps` adds buttons.
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
