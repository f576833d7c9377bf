"""The list of runs for the screens, shared by all sessions."""

import threading
import time

import streamlit as st

from components.session import drafts
from solvers.settings import settings
from solvers.store import RunIndex

_PAUSE = 2.0
"""Seconds between two scans of the folders."""

_DAY = 24 * 3600.0


class _Shared:
    def __init__(self) -> None:
        self.index = RunIndex(settings().runs)
        self.lock = threading.Lock()
        self.gathered = self.retired = float("-inf")


@st.cache_resource(show_spinner=False)
def _shared() -> _Shared:
    return _Shared()


def store(fresh: bool = False) -> RunIndex:
    """The list of runs, up to date; `fresh` forces a new scan; `StoreError` if the folders cannot be read."""
    shared, now = _shared(), time.monotonic()
    with shared.lock:
        if fresh or now - shared.gathered > _PAUSE:
            shared.index.synchronize()
            shared.gathered = time.monotonic()
        if now - shared.retired > _DAY:
            # first: a folder that cannot be deleted is reported once a day, not at each click
            shared.retired, keep_days = now, settings().keep_days
            drafts.expire(shared.index.runs, keep_days)
            shared.index.purge(keep_days)
    return shared.index
