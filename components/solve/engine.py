"""Whether a warm worker stands ready; the first compilation is announced."""

import streamlit as st

from components.session import state
from components.words.text import plain

_REFRESH_SECONDS = 1.0


def show() -> None:
    """Say what the engine does until it is ready; nothing after that."""
    st.fragment(_line, run_every=_REFRESH_SECONDS if _words() else None, key="engine")()


def _line() -> None:
    words = _words()
    if words:
        st.info(plain(words), icon=":material/hourglass_top:")


def _words() -> str:
    """What there is to say; the change from one worker to the next after a run is no news."""
    ready = state.pool().readiness
    return "" if ready.state == "ready" or (ready.state == "starting" and state.runs()) else ready.text
