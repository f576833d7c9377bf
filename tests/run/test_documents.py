"""A document of another version is refused with a clear message."""

from __future__ import annotations

import pytest

from solvers.errors import RunError
from solvers.run.documents import VERSION, current, versioned


def test_a_document_is_read_as_it_was_written() -> None:
    """The version is added when a document is written and taken off when it is read."""
    assert versioned({"title": "a"}) == {"version": VERSION, "title": "a"}
    assert current(versioned({"title": "a"}), "It") == {"title": "a"}


@pytest.mark.parametrize("version", [None, "1", True, VERSION - 1, VERSION + 1])
def test_other_versions_are_refused(version: object) -> None:
    """A missing version and a value that is no integer count as other versions, too."""
    with pytest.raises(RunError, match=rf"It has version {version}, but this program reads version {VERSION}"):
        current({"version": version}, "It")
