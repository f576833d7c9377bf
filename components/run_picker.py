"""Which of several runs is looked at, on the screens that show one run at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from components import state
from components.work import Run


def show(label: str, runs: Sequence[Run], start: Run, title: Callable[[Run], str], **looks: Any) -> Run:
    """Ask for the run, and look at it from now on; where there is one only, nothing is asked.

    Parameters
    ----------
    label : of the choice.
    runs : those that are offered, in this order.
    start : the one of them that is chosen at first.
    title : of a run, in the list.
    looks : width and help, see `st.selectbox`.
    """
    if len(runs) == 1:
        return start
    titles = {run.number: title(run) for run in runs}
    number = st.selectbox(
        label, list(titles), index=list(titles).index(start.number), format_func=titles.__getitem__, **looks
    )
    chosen = next(run for run in runs if run.number == number)
    state.look_at(chosen)
    return chosen
