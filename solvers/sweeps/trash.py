"""The trash of a run's sweeps: what is deleted is put aside, and can be restored until the trash is emptied.

<run>/sweeps/.trash/<name>-<time>/    a sweep that was deleted at that time; the same sweep can be made anew meanwhile
"""

import shutil
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from solvers.errors import EspalierError, RunError
from solvers.run.folder import RunFolder, bytes_in
from solvers.sweeps.stored_sweeps import FOLDER, StoredSweep, load_sweep

_TRASH = ".trash"
_TIME = "%Y%m%dT%H%M%S%f"


class TrashedSweep(NamedTuple):
    """A sweep in the trash: where it lies, when it was deleted (UTC), its bytes, and what it was; `None` if damaged."""

    folder: Path
    deleted: datetime
    bytes: int
    sweep: StoredSweep | None


def delete(sweep: StoredSweep, now: datetime | None = None) -> Path:
    """Put a sweep into the trash of its run; the folder in which it lies there, which `restore` takes.

    Raises `RunError` where it is at work, or cannot be moved.
    """
    if sweep.at_work:
        raise RunError("This sweep is at work. Stop it first, in the window that began it, and then delete it.")
    place = sweep.folder.parent / _TRASH / f"{sweep.name}-{now or datetime.now(UTC):{_TIME}}"
    try:
        place.parent.mkdir(mode=0o700, exist_ok=True)
        return sweep.folder.rename(place)
    except OSError as error:
        raise RunError(
            f"The sweep cannot be deleted ({error.strerror or error}). Close programs that use its folder "
            f"'{sweep.folder}', or make it writable, and try again."
        ) from None


def restore(folder: Path) -> Path:
    """Take a sweep out of the trash; its folder.

    Raises `RunError` where the same sweep was made anew meanwhile, or it is not in the trash any more.
    """
    place = folder.parent.parent / folder.name.rpartition("-")[0]
    if place.exists():
        raise RunError("This sweep cannot be taken back, because the same one was begun anew. Delete that one first.")
    try:
        return folder.rename(place)
    except OSError as error:
        raise RunError(
            f"The sweep cannot be taken back ({error.strerror or error}). If the trash was emptied, start it anew."
        ) from None


def trashed(run: Path) -> tuple[TrashedSweep, ...]:
    """What lies in the trash of a run, the last deleted first."""
    sweeps = []
    for folder, deleted in _trashed(run / FOLDER / _TRASH):
        sweep = None
        with suppress(EspalierError):
            sweep = load_sweep(RunFolder(folder))
        sweeps.append(TrashedSweep(folder, deleted, bytes_in(folder), sweep))
    return tuple(sorted(sweeps, key=lambda one: one.deleted, reverse=True))


def empty(run: Path) -> int:
    """Delete what lies in the trash of a run for good; how many sweeps that were.

    Raises `RunError` where one of them cannot be deleted.
    """
    folders = [folder for folder, _ in _trashed(run / FOLDER / _TRASH)]
    for folder in folders:
        try:
            shutil.rmtree(folder)
        except OSError as error:
            raise RunError(
                f"The folder '{folder}' cannot be deleted ({error.strerror or error}). Close programs that use it, "
                "and try again."
            ) from None
    return len(folders)


def purge(runs: Path, days: float, now: datetime | None = None) -> int:
    """Delete for good what has lain in the trash of all runs for too long; how many sweeps that were.

    One that cannot be deleted stays until the next time.
    """
    end = (now or datetime.now(UTC)) - timedelta(days=days)
    over = [
        folder for place in runs.glob(f"*/{FOLDER}/{_TRASH}") for folder, deleted in _trashed(place) if deleted < end
    ]
    for folder in over:
        shutil.rmtree(folder, ignore_errors=True)
    return sum(not folder.exists() for folder in over)


def _trashed(place: Path) -> Iterator[tuple[Path, datetime]]:
    """The sweeps in a trash folder, each with the time of its end; what else lies there is left alone."""
    for folder in place.iterdir() if place.is_dir() else ():
        with suppress(ValueError):
            yield folder, datetime.strptime(folder.name.rpartition("-")[2], _TIME).replace(tzinfo=UTC)
