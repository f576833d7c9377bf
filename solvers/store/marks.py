"""A user's marks on a run: its name, a star, a comment, and whether it is in the trash.

They are stored in the run's folder as `marks.json`, so that the index can be rebuilt, and in the index for searching.
"""

import contextlib
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from ..errors import RunError, StoreError
from ..run.folder import RunFolder
from ..run.json_types import to_json
from .index import RunIndex

FILE = "marks.json"


@dataclass(frozen=True)
class Marks:
    """The marks on a run; `deleted` is when it was moved to the trash, UTC."""

    title: str
    starred: bool
    comment: str
    deleted: datetime | None


def mark(index: RunIndex, runs: Path, run_id: str, owner: str | None, **marks: Any) -> None:
    """Store marks on a run: title, starred, comment, deleted (a time in UTC, or `None` to restore it).

    If its folder cannot be written the index keeps them: a full disk must not prevent a user from deleting. Raises
    `StoreError` if this owner has no such run.
    """
    entry = index.get(run_id, owner)
    if entry is None:
        raise StoreError("There is no such run, or it is another user's. Choose one of your runs.")
    index.mark(run_id, owner, **marks)
    values = Marks(entry.title, entry.starred, entry.comment, entry.deleted)
    with contextlib.suppress(OSError):
        RunFolder(runs / entry.folder).write_json(FILE, to_json(replace(values, **marks)))


def marks_of(folder: Path) -> dict[str, Any]:
    """The marks in a run's folder; empty if there are none, or they are damaged."""
    if not (folder / FILE).exists():
        return {}
    try:
        return vars(RunFolder(folder).read(FILE, Marks))
    except RunError:
        return {}
