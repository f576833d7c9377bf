"""The line at the foot of every screen: what is known so far, and the one next step."""

import streamlit as st

from components.session import state


def show(sentence: str, label: str, *, key: str, disabled: bool = False, aside: str | None = None) -> tuple[bool, bool]:
    """Draw the foot of the screen; whether the next step was pressed, and whether the way `aside`, drawn quietly, was.

    The sentence is Markdown, in which names from the data must be escaped; where the step is disabled, it says why.
    """
    with (
        st.bottom,
        st.container(
            horizontal=True, vertical_alignment="center", wrap=False, gap="medium", horizontal_alignment="distribute"
        ),
    ):
        st.markdown(sentence, width="stretch")
        with st.container(horizontal=True, vertical_alignment="center", wrap=False, width="content"):
            beside = f"{key}_aside"
            if aside:
                st.button(aside, beside, type="tertiary", disabled=disabled, on_click=state.press, args=(beside,))
            st.button(label, key, type="primary", disabled=disabled, on_click=state.press, args=(key,))
    return state.pressed(key), state.pressed(beside)
