"""The line at the foot of every screen: what is known so far, and the one next step."""

from __future__ import annotations

import streamlit as st

from components.session import state


def show(sentence: str, label: str, *, key: str, disabled: bool = False, aside: str | None = None) -> tuple[bool, bool]:
    """Draw the foot of the screen.

    Parameters
    ----------
    sentence : what is known, as Markdown; names from the data must be escaped.
    label : the next step.
    key : of the button.
    disabled : whether the step cannot be taken yet; the sentence says why.
    aside : another way to go on, drawn quietly.

    Returns
    -------
    Whether the next step was pressed, and whether the other way was.
    """
    across = {"horizontal": True, "vertical_alignment": "center"}
    with st.bottom, st.container(**across, wrap=False, gap="medium", horizontal_alignment="distribute"):
        st.markdown(sentence, width="stretch")
        with st.container(**across, wrap=False, width="content"):
            if aside:
                _button(aside, f"{key}_aside", "tertiary", disabled)
            _button(label, key, "primary", disabled)
    return state.pressed(key), state.pressed(f"{key}_aside")


def _button(label: str, key: str, kind: str, disabled: bool) -> None:
    st.button(label, key=key, type=kind, disabled=disabled, on_click=state.press, args=(key,))
