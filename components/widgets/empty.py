"""A screen that has nothing to show yet: it says so, and what to do."""

from __future__ import annotations

import streamlit as st

from components.widgets import footer


def show(title: str, sentence: str, label: str, page: str) -> None:
    """Say what is lacking and lead to the screen where it is made."""
    st.title(title)
    st.markdown(sentence)
    pressed, _ = footer.show(sentence, label, key="next")
    if pressed:
        st.switch_page(page)
