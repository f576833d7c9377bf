"""The index of runs as the screens use it: shared by all sessions, and never in the way where it is out of reach."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from solvers.errors import EspalierError, StoreError
from solvers.settings import Settings, settings
from solvers.store import RunIndex, gather, opened
from solvers.store.keeping import BIN_DAYS, retire
from solvers.sweeps import bin as sweep_bin

_PAUSE = 2.0
"""Seconds after which the folders are looked at again."""

_RETRY = 10.0
"""Seconds after which a database that was out of reach is tried again."""

_DAY = 24 * 3600.0


class _Shared:
    """What all sessions share."""

    def __init__(self, chosen: Settings) -> None:
        self.settings = chosen
        self.index: RunIndex | None = None
        self.lock = threading.Lock()
        self.gathered = self.tried = self.retired = float("-inf")
        self.trouble = self.note = ""


class Store(NamedTuple):
    """The index, or why it is out of reach, and the folder of the runs; `note` says what was recovered."""

    index: RunIndex | None
    runs: Path
    trouble: str
    note: str = ""


@st.cache_resource(show_spinner=False)
def _shared() -> _Shared:
    return _Shared(settings())


def store(fresh: bool = False) -> Store:
    """The index of runs, up to date; with `fresh` even if it was so a moment ago."""
    shared = _shared()
    now = time.monotonic()
    with shared.lock:
        try:
            if shared.index is None:
                if now - shared.tried < _RETRY:
                    return Store(None, shared.settings.runs, shared.trouble)
                shared.tried = now
                shared.index, note = opened(shared.settings.database)
                shared.note = note or shared.note
            if fresh or now - shared.gathered > _PAUSE:
                gather(shared.index, shared.settings.runs)
                shared.gathered = time.monotonic()
            if now - shared.retired > _DAY:
                retire(shared.index, shared.settings.runs, shared.settings.keep_days)
                sweep_bin.retire(shared.settings.runs, BIN_DAYS)
                shared.retired = now
            shared.trouble = ""
        except EspalierError as error:
            _lose(shared, error)
        return Store(shared.index, shared.settings.runs, shared.trouble, shared.note)


def lost(error: StoreError) -> None:
    """Note that the index went out of reach while it was used; it is tried again after a while."""
    with _shared().lock:
        _lose(_shared(), error)


def _lose(shared: _Shared, error: EspalierError) -> None:
    shared.trouble, shared.index, shared.tried = str(error), None, time.monotonic()
    shared.gathered = float("-inf")
