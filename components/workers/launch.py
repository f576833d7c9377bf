"""Starting a run from any screen."""

from pathlib import Path

import streamlit as st

from components.messages.text import plain
from components.session import run_actions, run_files, state
from components.session.work import Run
from components.workers import outcome_question, sizes
from solvers.errors import EspalierError

_GRACE_SECONDS = 0.3
"""Seconds to wait, so that a quick run does not show a progress panel that vanishes before it is read."""


def offer(label: str, key: str, run: Run, help: str) -> bool:
    """Draw a button that solves again after a change; the run must be about the table in use."""
    same = state.prepared() is run.prepared
    return st.button(label, key=key, disabled=not same, help=help if same else "Only for the data in use.")


def reopen(folder: Path) -> Run:
    """A run from its folder, with its job if this process runs it; raises as `run_files.reopen`."""
    carried = next((job for job in state.pool().jobs() if job.folder == folder and not job.done), None)
    return run_files.reopen(folder, state.session().next_number(), carried)


def start() -> None:
    """Start a run with the current rows and design, and go to it; on an error show why and stay.

    If you chose no size, sizes are compared beside the run.
    """
    if outcome_question.asks():
        return
    sizes.make_room()
    try:
        run = run_actions.start_run()
    except EspalierError as error:
        st.error(plain(error, 600), icon=":material/error:")
        return
    run.job.wait(_GRACE_SECONDS)
    sizes.ask_beside(run)
    st.switch_page("pages/solve.py")
