"""Starting a run from any screen."""

import streamlit as st

from components.session import state
from components.session.work import Run
from components.words.text import plain
from components.workers import sizes
from solvers.errors import EspalierError
from solvers.settings import settings

_GRACE_SECONDS = 0.3
"""What is solved within a blink is shown at once, instead of a panel that is over before it is read."""


def offer(label: str, key: str, run: Run, help: str) -> bool:
    """Draw a button that solves again with what a run showed; it must be about the table in use."""
    same = state.prepared() is run.prepared
    return st.button(label, key=key, disabled=not same, help=help if same else "Another table is in use now.")


def start_recommended() -> None:
    """Start a run of the recommended size where nobody chose one: Solve waits for it, and then starts the run."""
    rows, design = state.prepared(), state.design()
    if rows is not None and sizes.wanted(design):
        problem = sizes.question(design, rows)
        if problem.id not in state.design_jobs():
            sizes.ask(problem, settings().recommend_seconds)
        if problem.id in state.design_jobs():
            state.await_size(problem.id)
            st.switch_page("pages/solve.py")
    start()


def start() -> None:
    """Start a run with the rows and the design as they stand, and go to it; on an error say why and stay."""
    sizes.stop_waiting()
    try:
        run = state.start_run()
    except EspalierError as error:
        st.error(plain(error, 600), icon=":material/error:")
        return
    run.job.wait(_GRACE_SECONDS)
    st.switch_page("pages/solve.py")
