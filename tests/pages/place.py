"""A separate dashboard for a test: its runs, workers and list of runs are not shared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from components.session import run_store, state

_KEPT = (state.pool, run_store._shared)
"""State shared by the sessions of a process; it keeps the settings with which it was made."""


@contextmanager
def own_place(runs: Path) -> Iterator[pytest.MonkeyPatch]:
    """A dashboard with this folder of runs, in which Solve starts runs at once.

    Further settings can be made until its first screen is drawn.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ESPALIER_RUNS", str(runs))
        patch.setenv("ESPALIER_RECOMMEND_SECONDS", "0")
        for part in _KEPT:
            part.clear()
        yield patch
        state.pool().close()
    for part in _KEPT:
        part.clear()
