"""Starting a run from any screen."""

from pathlib import Path

import streamlit as st

from components.session import next_run, ownership, run_actions, run_files, state
from components.session.work import Run
from components.words.text import TRAINING, plain
from components.workers import sizes
from solvers.errors import EspalierError
from solvers.methods import registry
from solvers.settings import settings
from solvers.words.shapes import size_title

_GRACE_SECONDS = 0.3
"""What is solved within a blink is shown at once, instead of a panel that is over before it is read."""


def offer(label: str, key: str, run: Run, help: str) -> bool:
    """Draw a button that solves again with what a run showed; it must be about the table in use."""
    same = state.prepared() is run.prepared
    return st.button(label, key=key, disabled=not same, help=help if same else "Another table is in use now.")


def offer_left() -> None:
    """Offer the user's runs that went on while the page was loaded again, each with a button that shows it."""
    mine, known = ownership.owner(), {run.job.id for run in state.runs()}
    jobs = (job for job in state.pool().jobs() if job.owner == mine and job.task is None and job.id not in known)
    for job in jobs:
        if job.done or not (job.folder / run_files.SCREEN).exists():
            continue
        what = f"{size_title(job.problem.shape)}, by {registry.get(job.method).title}"
        with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"left_{job.id}"):
            message = plain(
                f"A run on {job.problem.dataset.name.removesuffix(TRAINING)} goes on: {what}.",
                300,
            )
            st.markdown(f":material/hourglass_top: {message}", width="stretch")
            if st.button("Show it", key=f"left_show_{job.id}"):
                try:
                    run_actions.adopt(reopen(job.folder))
                except EspalierError as error:
                    st.error(plain(error, 600), icon=":material/error:")
                else:
                    st.switch_page("pages/solve.py")


def reopen(folder: Path) -> Run:
    """A run from its folder, with its job where this program carries it; raises as `run_files.reopen`."""
    carried = next((job for job in state.pool().jobs() if job.folder == folder and not job.done), None)
    return run_files.reopen(folder, run_actions.next_number(), carried)


def start_recommended() -> None:
    """Start a run of the recommended size where nobody chose one: Solve waits for it, and then starts the run."""
    rows, design = state.prepared(), state.design()
    if rows is not None and sizes.wanted(design):
        problem = sizes.question(design, rows)
        if problem.id not in state.jobs():
            sizes.ask(problem, settings().recommend_seconds)
        if problem.id in state.jobs():
            next_run.await_size(problem.id)
            st.switch_page("pages/solve.py")
    start()


def start() -> None:
    """Start a run with the rows and the design as they stand, and go to it; on an error say why and stay."""
    sizes.stop_waiting()
    try:
        run = run_actions.start_run()
    except EspalierError as error:
        st.error(plain(error, 600), icon=":material/error:")
        return
    run.job.wait(_GRACE_SECONDS)
    st.switch_page("pages/solve.py")
