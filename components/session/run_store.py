"""The index of runs for the screens: shared by all sessions; the screens also work while it is unavailable."""

import threading
import time
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from components.session import drafts
from solvers.errors import EspalierError, StoreError
from solvers.settings import Settings, settings
from solvers.store import Entry, RunIndex, open_index, synchronize
from solvers.store.trash import purge

_PAUSE = 2.0
"""Seconds between two scans of the folders."""

_RETRY = 10.0
"""Seconds until an unavailable database is tried again."""

_DAY = 24 * 3600.0


class _Shared:
    def __init__(self, chosen: Settings) -> None:
        self.settings = chosen
        self.index: RunIndex | None = None
        self.known: dict[str, Entry] = {}
        self.lock = threading.Lock()
        self.gathered = self.tried = self.retired = float("-inf")
        self.trouble = self.note = ""


@dataclass(frozen=True)
class RunStore:
    """The index of the runs and their folder; `note` says what was recovered."""

    index: RunIndex
    runs: Path
    note: str


@st.cache_resource(show_spinner=False)
def _shared() -> _Shared:
    return _Shared(settings())


def store(fresh: bool = False) -> RunStore:
    """The index of runs, up to date; `fresh` forces a new scan.

    Raises `StoreError` if it is unavailable.
    """
    shared = _shared()
    now = time.monotonic()
    with shared.lock:
        try:
            if shared.index is None:
                if now - shared.tried < _RETRY:
                    raise StoreError(shared.trouble)
                shared.tried = now
                shared.index, note = open_index(shared.settings.database)
                shared.note = note or shared.note
            if fresh or now - shared.gathered > _PAUSE:
                synchronize(shared.index, shared.settings.runs, shared.known)
                shared.gathered = time.monotonic()
            if now - shared.retired > _DAY:
                purge(shared.index, shared.settings.runs, shared.settings.keep_days)
                drafts.expire(shared.settings.runs, shared.settings.keep_days)
                shared.retired = now
        except EspalierError as error:
            if shared.index is not None or now == shared.tried:
                _lose(shared, error)
            raise StoreError(str(error)) from None
        return RunStore(shared.index, shared.settings.runs, shared.note)


def lost(error: StoreError) -> None:
    """Record that the index became unavailable during use; it is tried again later."""
    with _shared().lock:
        _lose(_shared(), error)


def _lose(shared: _Shared, error: EspalierError) -> None:
    shared.trouble, shared.index, shared.tried = str(error), None, time.monotonic()
    shared.gathered = float("-inf")
    shared.known = {}
