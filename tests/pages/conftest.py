"""Runs of the dashboard's tests go to a separate folder, and their workers end with the tests."""

from __future__ import annotations

import pytest

from components.widgets import segments
from tests.pages.place import own_place


@pytest.fixture(autouse=True, scope="session")
def own_workers(tmp_path_factory):
    """A pool of workers for all tests of the screens."""
    with own_place(tmp_path_factory.mktemp("runs")):
        yield


@pytest.fixture(autouse=True, scope="session")
def all_tabs():
    """Allow for tests that cannot click a tab: closed tabs are drawn too."""
    patch = pytest.MonkeyPatch()
    patch.setattr(segments, "ALL_AT_ONCE", True)
    yield
    patch.undo()


@pytest.fixture
def open_tab_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw only the open tab, as in a browser, which takes a third of the time on Inspect."""
    monkeypatch.setattr(segments, "ALL_AT_ONCE", False)
