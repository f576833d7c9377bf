"""The sweeps of a run: each in a folder of its own within the run's, where they are found again after a restart.

<run>/sweeps/<name>/sweep.json    what was asked for; the rest is written by `SweepFolder`
<run>/sweeps/<name>/deleted       an empty file, while the sweep is in the trash, as old as that
"""

import hashlib
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from ..errors import EspalierError, RunError
from ..explain import Task
from ..problem import Dataset, Problem
from ..run import wire
from ..run.folder import RunFolder
from ..run.json_types import to_json
from .folder import SweepFolder
from .tasks import RunSweep, write_unseen

FOLDER = "sweeps"
"""Where sweeps lie in the folder of their run."""

_FILE = "sweep.json"
DELETED = "deleted"
"""The file that marks a sweep as deleted, see `solvers.store.trash`."""

_PLACE = ("folder", "workers", "scheduler", "retry")
"""What a sweep may change without becoming another one."""


class Constrained(StrEnum):
    """Whether models keep the constraints of the run, which the screens call constraints."""

    BOTH = "with and without"
    KEPT = "with"
    FREE = "without"

    def problem(self, problem: Problem) -> Problem:
        """The problem of the sweep, from that of the run; `BOTH` has constraints, which the sweep also leaves out."""
        return replace(problem, constraints=()) if self is Constrained.FREE else problem


@dataclass(frozen=True)
class StoredSweep:
    """A sweep of a run: its folder, when it was first asked for, in UTC, and what is asked of a worker.

    `constrained` says whether models keep the constraints of the run.
    """

    folder: Path
    created: datetime
    task: RunSweep
    constrained: Constrained

    @property
    def name(self) -> str:
        """Tells it apart from the other sweeps of the run."""
        return self.folder.name

    @property
    def files(self) -> SweepFolder:
        """Its table and its models."""
        return SweepFolder(self.folder)

    @property
    def at_work(self) -> bool:
        """Whether a process works on it, whoever started that."""
        return RunFolder(self.folder).has_worker()

    @property
    def deleted(self) -> datetime | None:
        """When it was put into the trash, in UTC; `None` if it is not there."""
        mark = self.folder / DELETED
        return datetime.fromtimestamp(mark.stat().st_mtime, UTC) if mark.exists() else None


@dataclass(frozen=True)
class _Document:
    """What `sweep.json` holds."""

    created: datetime
    task: Task
    constrained: Constrained


class SweepList(NamedTuple):
    """The sweeps of a run, newest first, those in its trash, and why others cannot be read."""

    sweeps: tuple[StoredSweep, ...]
    deleted: tuple[StoredSweep, ...]
    faults: tuple[str, ...]


def create_sweep(run: Path, task: RunSweep, constrained: Constrained, unseen: Dataset | None) -> StoredSweep:
    """Make the folder of a sweep, or find the one that was made for the same settings, be it in the trash.

    Raises `RunError` where the folder cannot be written.

    Parameters
    ----------
    run : the folder of the run.
    task : what is asked for; its folder is put in here.
    unseen : the rows that the run holds out.
    """
    spec = {name: value for name, value in asdict(task).items() if name not in _PLACE}
    name = hashlib.sha256(wire.dumps({**spec, "constrained": constrained}).encode()).hexdigest()[:16]
    place = RunFolder(run / FOLDER / name)
    placed = replace(task, folder=str(place.path))
    try:
        place.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        (place.path / DELETED).unlink(missing_ok=True)
        if not (place.path / _FILE).exists():
            write_unseen(place, unseen)
            place.write_json(_FILE, to_json(_Document(datetime.now(UTC), placed, constrained)))
    except OSError as error:
        raise RunError(
            f"The sweep's folder in '{run}' cannot be written ({error.strerror or error}). Free some space."
        ) from None
    return replace(load_sweep(place), task=placed)


def list_sweeps(run: Path) -> SweepList:
    """The sweeps in the folder of a run."""
    found, faults = [], []
    for file in sorted((run / FOLDER).glob(f"*/{_FILE}")):
        try:
            found.append(load_sweep(RunFolder(file.parent)))
        except EspalierError as error:
            faults.append(str(error))
    found.sort(key=lambda sweep: sweep.created, reverse=True)
    there, deleted = (tuple(one for one in found if bool(one.deleted) == gone) for gone in (False, True))
    return SweepList(there, deleted, tuple(faults))


def load_sweep(place: RunFolder) -> StoredSweep:
    """The sweep in a folder; `RunError` where it is damaged, or there is none."""
    stored = place.read(_FILE, _Document, "Start it again.")
    if not isinstance(stored.task, RunSweep):
        raise RunError(f"The sweep '{place.path.name}' is damaged: its task is none of a sweep. Start it again.")
    # the folder may have been moved since, with the run or with all runs
    return StoredSweep(place.path, stored.created, replace(stored.task, folder=str(place.path)), stored.constrained)
