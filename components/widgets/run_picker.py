"""The choice of a run, on the screens that show one run at a time."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from components.messages.text import label_with
from components.session import run_actions, state
from components.session.work import Run


def show(label: str, runs: Sequence[Run], start: Run, title: Callable[[Run], str], **looks: Any) -> Run:
    """Ask for one of the runs, initially `start`, and select it; with a single run, nothing is asked.

    If the session released earlier runs, the list ends with a link to them. `looks` are width and help of the field.
    """
    titles: dict[int | None, str] = {run.number: title(run) for run in runs}
    if state.session().let_go:
        titles[None] = "Earlier runs (on Runs)"
    if len(titles) == 1:
        return start
    number = st.selectbox(
        label,
        list(titles),
        index=list(titles).index(start.number),
        format_func=label_with(titles, titles.__getitem__),
        **looks,
    )
    if number is None:
        st.switch_page("pages/runs.py")
    chosen = next(run for run in runs if run.number == number)
    run_actions.look_at(chosen)
    return chosen
