"""A dashboard of a test's own: its runs, its workers and its index of runs are nobody else's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from components.runs import run_store
from components.session import state

_KEPT = (state.pool, run_store._shared)
"""What the sessions of a process share; it holds on to the settings with which it was made."""


@contextmanager
def own_place(runs: Path) -> Iterator[pytest.MonkeyPatch]:
    """A dashboard whose runs go to this folder, and begin at once when Solve is pressed.

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
