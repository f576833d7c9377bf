"""The studies of a run: each in a folder `<run>/sweeps/<name>`, where it is found after a restart."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from ..errors import EspalierError, RunError
from ..problem import Dataset
from .folder import Manifest, StudyFolder
from .study import Study, digest

FOLDER = "sweeps"
"""The folder of the studies in the folder of their run."""


@dataclass(frozen=True)
class StoredStudy(StudyFolder):
    """A study of a run: when it was first requested, in UTC, and the task of its worker."""

    created: datetime
    task: Study

    @property
    def name(self) -> str:
        """The name of the study, unique in its run."""
        return self.path.name


class SweepList(NamedTuple):
    """The sweeps of a run, newest first, and why others cannot be read."""

    sweeps: tuple[StoredStudy, ...]
    faults: tuple[str, ...]


def place_of(run: Path, task: Study, problem_id: str = "") -> StudyFolder:
    """The folder of a study of a run, whether it exists or not; the same settings have the same folder.

    `problem_id` is the id of its problem if that is not the problem of the run.
    """
    return StudyFolder(run / FOLDER / digest({**task.settings, "problem": problem_id}))


def create_sweep(run: Path, task: Study, unseen: Dataset | None = None, problem_id: str = "") -> StoredStudy:
    """Make the folder of a study, or find the existing one with the same settings.

    Raises `RunError` if the folder cannot be written.

    Parameters
    ----------
    run : the folder of the run.
    task : the requested study; its folder is filled in here.
    unseen : the held-out rows of the run.
    problem_id : as in `place_of`.
    """
    place = place_of(run, task, problem_id)
    task = structs.replace(task, folder=str(place.path))
    try:
        place.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not place.exists():
            place.write_unseen(unseen)
            place.write_manifest(Manifest(datetime.now(UTC), task))
    except OSError as error:
        raise RunError(
            f"The sweep's folder in '{run}' cannot be written ({error.strerror or error}). Free some space."
        ) from None
    return replace(load_sweep(place), task=task)


def list_sweeps(run: Path) -> SweepList:
    """The studies of sizes in the folder of a run; those of the run's own model belong to its figures."""
    found, faults = [], []
    for path in sorted((run / FOLDER).glob("*")):
        try:
            if StudyFolder(path).exists() and not (sweep := load_sweep(StudyFolder(path))).task.own:
                found.append(sweep)
        except EspalierError as error:
            faults.append(str(error))
    found.sort(key=lambda sweep: sweep.created, reverse=True)
    return SweepList(tuple(found), tuple(faults))


def load_sweep(place: StudyFolder) -> StoredStudy:
    """The study in a folder; `RunError` if it is damaged, or there is none."""
    stored = place.manifest()
    if not isinstance(stored.task, Study):
        raise RunError(f"The sweep '{place.path.name}' is damaged: its task is not a task of a sweep. {place.remedy}")
    # the folder may have been moved since, with the run or with all runs
    return StoredStudy(place.path, stored.created, structs.replace(stored.task, folder=str(place.path)))
