"""The line at the foot of every screen: what is known so far, and the one next step."""

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from components.session import state


def link() -> None:
    """Offer the way to the next step to who comes here by the Tab key; nobody else sees it.

    A long form has several, so that the step is never more than ten keys away.
    """
    st.html('<a class="skip" href="#next-step">To the next step</a>')


def show(sentence: str, label: str, *, key: str, disabled: bool = False, aside: str | None = None) -> tuple[bool, bool]:
    """Draw the foot of the screen; whether the next step was pressed, and whether the way `aside`, drawn quietly, was.

    Keys press the step from wherever one is, but not from a dialog, which lies over it. The sentence is Markdown, in
    which names from the data must be escaped; where the step is disabled, it says why.
    """
    run = get_script_run_ctx()
    keys = None if run is not None and run.has_dialog_opened else "Alt+Enter"
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
            st.html('<span id="next-step" tabindex="-1"></span>')
            st.button(label, key, type="primary", disabled=disabled, on_click=state.press, args=(key,), shortcut=keys)
    return state.pressed(key), state.pressed(beside)
