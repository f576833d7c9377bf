"""What several shapes are asked about their size."""

from __future__ import annotations

import streamlit as st

from components.session import state
from components.session.work import Design

DEEPEST = 8
"""The most questions to an answer that the screen offers."""


def ask_questions(design: Design) -> int | None:
    """Ask for the most questions of the whole model; `None` for no limit."""
    questions = st.number_input(
        "Questions in all, at most",
        0,
        value=None,
        placeholder="no limit",
        key=state.first("design_questions", design.questions),
        help="How many nodes may ask something in the whole picture, so that it stays small enough to read.",
        persist_state="session",
    )
    return None if questions is None else int(questions)
