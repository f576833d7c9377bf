"""What users write about a run: its name, a star, a comment, and whether it is in the trash.

It rests in the run's folder as `marks.json`, so that the index can be made anew, and in the index for searching.
"""

import contextlib
from datetime import datetime
from pathlib import Path
from typing import Any

from solvers.errors import EspalierError, StoreError
from solvers.run.folder import RunFolder
from solvers.store.index import RunIndex

FILE = "marks.json"


def mark(index: RunIndex, runs: Path, run_id: str, owner: str | None, **marks: Any) -> None:
    """Note marks of a run: title, starred, comment, deleted (a time in UTC, or `None` to take it back).

    Where its folder takes nothing more the index keeps them: a full disk must not keep a user from deleting.

    Raises
    ------
    StoreError
        There is no such run of this owner.
    """
    entry = index.get(run_id, owner)
    if entry is None:
        raise StoreError("There is no such run, or it is another user's. Choose one of your runs.")
    index.mark(run_id, owner, **marks)
    values = {
        "title": entry.title,
        "starred": entry.starred,
        "comment": entry.comment,
        "deleted": entry.deleted,
    } | marks
    when = values["deleted"]
    values["deleted"] = when.isoformat() if isinstance(when, datetime) else None
    with contextlib.suppress(OSError):
        RunFolder(runs / entry.folder).write_json(FILE, values)


def marks_of(folder: Path) -> dict[str, Any]:
    """The marks that rest in a run's folder; none where there are none, or they are damaged."""
    if not (folder / FILE).exists():
        return {}
    try:
        data = RunFolder(folder).read_json(FILE)
        when = data["deleted"]
        return {
            "title": str(data["title"]),
            "starred": bool(data["starred"]),
            "comment": str(data["comment"]),
            "deleted": None if when is None else datetime.fromisoformat(when),
        }
    except (EspalierError, KeyError, TypeError, ValueError):
        return {}
