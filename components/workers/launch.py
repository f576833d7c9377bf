"""Starting a run from any screen."""

from pathlib import Path

import streamlit as st

from components.messages.text import plain
from components.session import run_actions, run_files, state
from components.session.work import Run
from components.workers import outcome_question, sizes
from solvers.errors import EspalierError
from solvers.settings import settings

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


def start_recommended() -> None:
    """Start a run. If you chose no size, Solve first waits for the recommended one."""
    if outcome_question.asks():
        return
    rows, design = state.prepared(), state.design()
    if rows is not None and sizes.wanted(design):
        problem = sizes.question(design, rows)
        if problem.id not in state.jobs():
            sizes.ask(problem, settings().recommend_seconds)
        if problem.id in state.jobs():
            state.session().awaited_size = problem.id
            st.switch_page("pages/solve.py")
    start()


def start() -> None:
    """Start a run with the current rows and design, and go to it; on an error show why and stay."""
    if outcome_question.asks():
        return
    sizes.stop_waiting()
    try:
        run = run_actions.start_run()
    except EspalierError as error:
        st.error(plain(error, 600), icon=":material/error:")
        return
    run.job.wait(_GRACE_SECONDS)
    st.switch_page("pages/solve.py")
