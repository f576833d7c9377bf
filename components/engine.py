"""Whether a warm worker stands ready; the first compilation is announced, not suffered in silence."""

from __future__ import annotations

import streamlit as st

from components import state
from components.text import plain

_REFRESH_SECONDS = 1.0
_READY = "ready"


def show() -> None:
    """Say what the engine does until it is ready; nothing after that."""
    ready = state.pool().readiness[0] == _READY
    st.fragment(_line, run_every=None if ready else _REFRESH_SECONDS, key="engine")()


def _line() -> None:
    condition, words = state.pool().readiness
    if condition != _READY:
        st.info(plain(words), icon=":material/hourglass_top:")
