"""What a lesson gives to take along: cards for a class without computers, and a notebook."""

import streamlit as st

from solvers.teaching import MOST_CARDS, Setting, data_cards, notebook


def show(setting: Setting) -> None:
    """Draw the two downloads of a lesson as it is set."""
    name = setting.lesson.key
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            "Data cards (HTML)",
            data_cards(setting),
            file_name=f"{name}-cards.html",
            mime="text/html",
            key="learn_cards",
            icon=":material/print:",
            help=f"For a class without computers: a card for each row, at most {MOST_CARDS}, to print and to sort "
            "into piles.",
            on_click="ignore",
        )
        st.download_button(
            "Notebook (Jupyter)",
            notebook(setting),
            file_name=f"{name}.ipynb",
            mime="application/x-ipynb+json",
            key="learn_notebook",
            icon=":material/code:",
            help="The text, the table and the steps of this lesson as code to change.",
            on_click="ignore",
        )
