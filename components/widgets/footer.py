"""The line at the foot of every screen: what is known so far, and the one next step."""

import streamlit as st

from components.session import state


def link() -> None:
    """Offer a link to the next step, which is visible only if the Tab key leads to it.

    A long form has several, so that the step is never more than ten keys away.
    """
    st.html('<a class="skip" href="#next-step">To the next step</a>')


def lies_under_dialog() -> None:
    """Note that a dialog opens above the foot: until the next run of the script, keys do not press the step."""
    state.session().dialog = True


def show(sentence: str, label: str, *, key: str, disabled: bool = False, aside: str | None = None) -> tuple[bool, bool]:
    """Draw the foot of the screen; whether the next step was pressed, and whether `aside`, drawn quietly, was.

    A key presses the step from anywhere but from a dialog, which lies over it. The sentence is Markdown, in which names
    from the data must be escaped; if the step is disabled, it says why.
    """
    keys = None if state.session().dialog else "Alt+Enter"
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
