"""The content of a screen that has nothing to show yet."""

import streamlit as st

from components.session import state
from components.session.work import Prepared
from components.widgets import footer
from components.workers import left_off


def rows(title: str) -> Prepared:
    """The rows in use; without any, show a message and end the script."""
    found = state.prepared()
    if found is None:
        show(title, "There is no data yet.", "Choose data", "pages/data.py")
        st.stop()
    return found


def show(title: str, sentence: str, label: str, page: str) -> None:
    """Show what is missing and link to the screen where it is made."""
    st.title(title)
    st.markdown(sentence)
    if left_off.show():
        st.rerun()
    if footer.show(f"Next step: {label[0].lower()}{label[1:]}.", label, key="next")[0]:
        st.switch_page(page)
