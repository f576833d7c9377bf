"""How a search found its model: the best model so far and the lower bound over time."""

import streamlit as st

from components.messages.text import plain
from components.model.figures import live_curve
from components.model.run_facts import curve
from components.session import state
from components.session.work import Run
from components.widgets import style
from solvers.run import Snapshot


def show(run: Run, snapshot: Snapshot, place: str, height: int) -> None:
    """Draw the search so far; `place` identifies the screen."""
    points = curve(snapshot, run.problem)
    if points.incumbent or snapshot.bound:
        style.chart(live_curve(points, state.dark(), height), f"curve_{place}_{run.number}")
    else:
        st.container(height=height, border=False).caption(plain(snapshot.text, 300))
