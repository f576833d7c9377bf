"""The footer of every screen: a status sentence and the next step, also if a screen has nothing to show yet."""

import streamlit as st

from components.session import state
from components.session.work import Prepared
from components.workers import left_off


def link() -> None:
    """Draw a link to the next step, which is visible only when focused with the Tab key.

    A long form has several, so that the next step is never more than ten key presses away.
    """
    st.html('<a class="skip" href="#next-step">To the next step</a>')


def lies_under_dialog() -> None:
    """Record that a dialog opens above the footer: until the next run of the script, the shortcut is off."""
    state.session().dialog = True


def show(sentence: str, label: str, *, key: str, disabled: bool = False, aside: str | None = None) -> tuple[bool, bool]:
    """Draw the footer; returns whether the next step was pressed, and whether the less prominent `aside` was.

    The shortcut works everywhere except in a dialog. The sentence is Markdown, in which names from the data must be
    escaped; if the step is disabled, it gives the reason.
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


def need_rows(title: str) -> Prepared:
    """The rows in use; without any, show a message and end the script."""
    found = state.prepared()
    if found is None:
        nothing(title, "There is no data yet.", "Choose data", "pages/data.py")
        st.stop()
    return found


def nothing(title: str, sentence: str, label: str, page: str) -> None:
    """Show what is missing and link to the screen where it is made."""
    st.title(title)
    st.markdown(sentence)
    if left_off.show():
        st.rerun()
    if show(f"Next step: {label[0].lower()}{label[1:]}.", label, key="next")[0]:
        st.switch_page(page)
