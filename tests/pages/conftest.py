"""Runs of the dashboard's tests go to a folder of their own, and their workers end with the tests."""

from __future__ import annotations

import pytest

from components import state, tabs


@pytest.fixture(autouse=True, scope="session")
def own_workers(tmp_path_factory):
    """A pool of workers for all tests of the screens."""
    patch = pytest.MonkeyPatch()
    patch.setenv("ESPALIER_RUNS", str(tmp_path_factory.mktemp("runs")))
    yield
    state.pool().close()
    state.pool.clear()
    patch.undo()


@pytest.fixture(autouse=True, scope="session")
def all_tabs():
    """These tests cannot click a tab: what is in closed ones is drawn, too."""
    patch = pytest.MonkeyPatch()
    patch.setattr(tabs, "ALL_AT_ONCE", True)
    yield
    patch.undo()
