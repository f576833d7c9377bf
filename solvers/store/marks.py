"""What users write about a run: its name, a star, a comment, and whether it is in the trash.

It rests in the run's folder as `marks.json`, so that the index can be made anew, and in the index for searching.
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
    """What is written about a run; `deleted` is when it was put into the trash, UTC."""

    title: str
    starred: bool
    comment: str
    deleted: datetime | None


def mark(index: RunIndex, runs: Path, run_id: str, owner: str | None, **marks: Any) -> None:
    """Note marks of a run: title, starred, comment, deleted (a time in UTC, or `None` to take it back).

    Where its folder takes nothing more the index keeps them: a full disk must not keep a user from deleting.
    Raises `StoreError` where there is no such run of this owner.
    """
    entry = index.get(run_id, owner)
    if entry is None:
        raise StoreError("There is no such run, or it is another user's. Choose one of your runs.")
    index.mark(run_id, owner, **marks)
    values = Marks(entry.title, entry.starred, entry.comment, entry.deleted)
    with contextlib.suppress(OSError):
        RunFolder(runs / entry.folder).write_json(FILE, to_json(replace(values, **marks)))


def marks_of(folder: Path) -> dict[str, Any]:
    """The marks that rest in a run's folder; none where there are none, or they are damaged."""
    if not (folder / FILE).exists():
        return {}
    try:
        return vars(RunFolder(folder).read(FILE, Marks))
    except RunError:
        return {}
