"""The trash of runs: you can restore runs from it until you empty it or they expire.

A run in the trash stays in its folder, with a mark in `marks.json`. Sweeps are deleted permanently at once.
"""

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ..errors import RunError, StoreError
from ..run.folder import INQUIRIES, RunFolder
from ..sweeps.folder import StoredSweep
from .entries import Entry, Query
from .index import RunIndex
from .marks import mark

TRASH_DAYS = 30.0
"""Days after which runs in the trash are deleted permanently."""


def delete(index: RunIndex, runs: Path, run_id: str, owner: str | None, now: datetime | None = None) -> None:
    """Move a run to the trash; `restore` undoes this; `StoreError` if this owner has no such run."""
    mark(index, runs, run_id, owner, deleted=now or datetime.now(UTC))


def restore(index: RunIndex, runs: Path, run_id: str, owner: str | None) -> None:
    """Restore a run from the trash; `StoreError` if this owner has no such run."""
    mark(index, runs, run_id, owner, deleted=None)


def delete_sweep(sweep: StoredSweep) -> None:
    """Delete a sweep permanently; `RunError` if a process works on it, or its folder cannot be deleted."""
    if sweep.has_worker():
        raise RunError("The sweep is running in another window. Stop the sweep there, then delete it.")
    try:
        shutil.rmtree(sweep.path)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise RunError(
            f"The folder '{sweep.path}' cannot be deleted ({error.strerror or error}). Close programs that use "
            "files in this folder, then try again."
        ) from None


def empty_trash(index: RunIndex, runs: Path, owner: str | None) -> int:
    """Permanently delete the runs in an owner's trash, with all their data; returns their number."""
    return _remove(index, runs, index.find(Query(owner=owner, deleted=True, tasks=True)))


def purge(index: RunIndex, runs: Path, keep_days: float | None, now: datetime | None = None) -> int:
    """Permanently delete runs that have been in the trash too long or exceed the administrator's retention time.

    Runs made for a lesson, which no list shows, are treated as if they were in the trash. Active runs stay. Returns the
    number of deleted runs.
    """
    now = now or datetime.now(UTC)
    trashed, others = index.find(Query(deleted=True, tasks=True)), index.find(Query(tasks=True))
    trashed_before = now - timedelta(days=TRASH_DAYS)
    over = [entry for entry in trashed if entry.deleted is not None and entry.deleted < trashed_before]
    over += [entry for entry in others if entry.task and entry.created < trashed_before]
    if keep_days is not None:
        keep_since = now - timedelta(days=keep_days)
        over += [entry for entry in (*trashed, *others) if entry.created < keep_since and entry not in over]
    return _remove(index, runs, over)


def _at_work(folder: Path) -> bool:
    """Whether a process works on a run, one of its sweeps, or an inquiry about it."""
    parts = (*folder.glob("sweeps/*"), *folder.glob(f"{INQUIRIES}/*"))
    return any(RunFolder(place).has_worker() for place in (folder, *parts))


def _remove(index: RunIndex, runs: Path, entries: list[Entry]) -> int:
    """Delete folders and then their entries, so that no existing folder is missing from the index."""
    gone: list[str] = []
    for entry in entries:
        folder = runs / entry.folder
        # a name from the database must not lead outside the folder of the runs
        if folder.parent != runs or entry.folder in {"", ".", ".."} or _at_work(folder):
            continue
        try:
            shutil.rmtree(folder)
        except FileNotFoundError:
            pass
        except OSError as error:
            index.forget(gone)
            raise StoreError(
                f"The folder of the run '{entry.folder}' cannot be deleted ({error.strerror or error}). "
                "Close programs that use it, and try again."
            ) from None
        gone.append(entry.id)
    index.forget(gone)
    return len(gone)
