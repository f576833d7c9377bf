"""Starting a run from any screen."""

import streamlit as st

from components.session import state
from components.session.work import Run
from components.words.text import plain
from solvers.errors import EspalierError

_GRACE_SECONDS = 0.3
"""What is solved within a blink is shown at once, instead of a panel that is over before it is read."""


def offer(label: str, key: str, run: Run, help: str) -> bool:
    """Draw a button that solves again with what a run showed; it must be about the table in use."""
    same = state.prepared() is run.prepared
    return st.button(label, key=key, disabled=not same, help=help if same else "Another table is in use now.")


def start() -> None:
    """Start a run with the rows and the design as they stand, and go to it; on an error say why and stay."""
    try:
        run = state.start_run()
    except EspalierError as error:
        st.error(plain(error, 600), icon=":material/error:")
        return
    run.job.wait(_GRACE_SECONDS)
    st.switch_page("pages/solve.py")
