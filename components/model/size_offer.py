"""The recommended size beside a run: the reason of the run's size, or an offer to solve with the recommended one."""

from functools import partial

import streamlit as st

from components.messages.text import plain
from components.session import state
from components.session.work import Run
from components.workers import jobs, launch, sizes
from solvers.messages.recommendation import describe_choice, describe_honest
from solvers.metrics.recommended_size import SizeCandidate


def show(run: Run, waits: bool = True) -> None:
    """Draw the recommended size for the rows of a run as soon as it is known; before that a note if `waits`."""
    jobs.watch_while(partial(sizes.is_open, run), _show, run, waits, key=f"size_{run.number}")


def _show(run: Run, waits: bool) -> None:
    found = sizes.known(run)
    if found.choice is None:
        if waits and sizes.is_open(run):
            st.caption("Tree sizes are compared by cross-validation. The recommended size will appear here.")
    elif sizes.is_taken(found.choice, run.request):
        st.markdown(plain(f"This is the recommended size. {' '.join(describe_honest(found, sizes.of_run(run)))}", 500))
    elif not found.wants_time:
        words = plain(describe_choice(found, sizes.of_run(run)), 300)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f":material/straighten: {words}", width="content")
            _offer(run, found.choice)


def _offer(run: Run, choice: SizeCandidate) -> None:
    """A button that solves with the recommended size, if no run has it yet and it is for the settings in use."""
    rows = state.prepared()
    same = rows is run.prepared and sizes.question(state.asked(), run.prepared).id == sizes.of_run(run).id
    solved = any(sizes.is_taken(choice, other.request) and other.prepared is rows for other in state.runs())
    if choice.n_leaves == 1 or solved or not same:
        return
    label, key = f"Solve with {choice.n_leaves} leaves", f"size_take_{run.number}"
    st.button(label, key, on_click=state.press, args=(key,))
    if state.pressed(key):
        sizes.take(choice)
        launch.start()
