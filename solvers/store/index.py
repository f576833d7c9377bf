"""The list of runs, read from their folders, with the users' marks and the trash.

A run that has ended does not change, so its entry is kept in its folder as `entry.json`: a new program reads that
instead of the rows and the model. Marks are in `marks.json`. A run in the trash stays in its folder, with a mark.
"""

import contextlib
import os
import shutil
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import asdict, replace

from ..errors import EspalierError, RunError, StoreError
from ..messages.shapes import size_limits, size_title
from ..problem import Problem
from ..run import JobState, load_run
from ..run.folder import INQUIRIES, Moment, RunFolder, bytes_in
from ..solution import Solution
from ..study.stored import StoredStudy
from .entries import Entry, Query

TRASH_DAYS = 30.0
"""Days after which runs in the trash are deleted permanently."""

_ENTRY, _MARKS = "entry.json", "marks.json"


class Marks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A user's marks on a run: its name, a star, a comment, and when it was moved to the trash, UTC."""

    title: str = ""
    starred: bool = False
    comment: str = ""
    deleted: Moment | None = None


class _Stored(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of `entry.json`: an entry, and the times of the parts of the folder at that moment."""

    entry: Entry
    stamp: tuple[int, ...]


class RunIndex:
    """The runs in a folder: `synchronize` reads what has changed, all else uses what was read last.

    Every method may be called from any thread, and several programs may use one folder.
    """

    def __init__(self, runs: Path) -> None:
        self.runs = runs
        self._lock = threading.RLock()
        self._known: dict[str, _Stored] = {}
        self._unwritten: dict[str, dict[str, Any]] = {}

    def synchronize(self) -> None:
        """Read new, changed and vanished folders; `StoreError` if the folder of the runs cannot be read."""
        try:
            there = {path.name for path in self.runs.iterdir()} if self.runs.is_dir() else set()
        except OSError as error:
            raise StoreError(
                f"The runs in '{self.runs}' cannot be listed ({error.strerror or error}). Make the folder readable, or "
                f"correct ESPALIER_RUNS."
            ) from None
        with self._lock:
            read = {name: _read(self.runs / name, self._known.get(name)) for name in sorted(there)}
            self._known = {name: self._marked(name, stored) for name, stored in read.items() if stored is not None}

    def find(self, query: Query) -> list[Entry]:
        """The runs that match a query, newest first."""
        found = sorted(filter(query.matches, self._entries()), key=lambda entry: entry.id)
        found.sort(key=lambda entry: entry.created, reverse=True)
        return found if query.limit is None else found[: query.limit]

    def count(self, query: Query) -> int:
        """The number of runs that match a query, whatever its limit."""
        return sum(map(query.matches, self._entries()))

    def get(self, run_id: str, owner: str | None = None) -> Entry | None:
        """The run with this id, if it belongs to the owner; `None` in other cases."""
        mine = (entry for entry in self._entries() if entry.id == run_id and owner in (None, entry.owner))
        return next(mine, None)

    def bytes_used(self, owner: str | None = None) -> int:
        """The bytes of the folders of an owner's runs, including the trash."""
        return sum(entry.bytes for entry in self._entries() if owner in (None, entry.owner))

    def mark(self, run_id: str, owner: str | None, **marks: Any) -> None:
        """Change a user's marks on a run, see `Marks`.

        If its folder cannot be written, this program keeps them and tries again with each scan: a full disk must not
        prevent a user from deleting. Raises `StoreError` if this owner has no such run.
        """
        with self._lock:
            entry = self.get(run_id, owner)
            if entry is None:
                raise StoreError("There is no such run, or it is another user's. Choose one of your runs.")
            name = entry.folder
            self._unwritten[name] = self._unwritten.get(name, {}) | marks
            self._known[name] = self._marked(name, self._known[name])

    def delete(self, run_id: str, owner: str | None, now: datetime | None = None) -> None:
        """Move a run to the trash; `restore` undoes this; `StoreError` if this owner has no such run."""
        self.mark(run_id, owner, deleted=now or datetime.now(UTC))

    def restore(self, run_id: str, owner: str | None) -> None:
        """Restore a run from the trash; `StoreError` if this owner has no such run."""
        self.mark(run_id, owner, deleted=None)

    def empty_trash(self, owner: str | None) -> int:
        """Permanently delete the runs in an owner's trash, with all their data; returns their number."""
        return self._remove(Query(owner=owner, deleted=True, tasks=True).matches)

    def purge(self, keep_days: float | None, now: datetime | None = None) -> int:
        """Permanently delete runs that have been in the trash too long or exceed the administrator's retention time.

        Runs made for a lesson, which no list shows, are treated as if they were in the trash. Active runs stay. Returns
        the number of deleted runs.
        """
        now = now or datetime.now(UTC)
        trashed_before, keep_since = now - timedelta(days=TRASH_DAYS), now - timedelta(days=keep_days or 0)

        def is_over(entry: Entry) -> bool:
            trashed = entry.deleted or (entry.created if entry.task else None)
            too_old = keep_days is not None and entry.created < keep_since
            return too_old or (trashed is not None and trashed < trashed_before)

        return self._remove(is_over)

    def _entries(self) -> list[Entry]:
        """All runs; of several folders with the same id all but the original count as damaged."""
        entries = [stored.entry for stored in list(self._known.values())]
        first: dict[str, str] = {}
        for entry in sorted(entries, key=lambda entry: not entry.folder.endswith(entry.id)):
            first.setdefault(entry.id, entry.folder)
        return [one if one.folder == first[one.id] else _copy(one, first[one.id]) for one in entries]

    def _marks(self, name: str) -> Marks:
        """The marks in a run's folder, with the changes of this program that are not written yet."""
        return replace(_marks_of(RunFolder(self.runs / name)), **self._unwritten.get(name, {}))

    def _marked(self, name: str, stored: _Stored) -> _Stored:
        """A run with its changed marks, which are written if possible."""
        if name not in self._unwritten:
            return stored
        marks = self._marks(name)
        with contextlib.suppress(OSError):
            RunFolder(self.runs / name).write_json(_MARKS, marks)
            del self._unwritten[name]
        return replace(stored, entry=replace(stored.entry, **asdict(marks)))

    def _remove(self, is_over: Callable[[Entry], bool]) -> int:
        """Delete inactive runs that are over by their marks on disk; `StoreError` at the end if one cannot be."""
        gone, errors = 0, []
        for entry in filter(is_over, self._entries()):
            folder, now = self.runs / entry.folder, replace(entry, **asdict(self._marks(entry.folder)))
            # another program may have restored it
            if _at_work(folder) or not is_over(now):
                continue
            try:
                _remove_folder(folder, StoreError)
            except StoreError as error:
                errors.append(error)
            else:
                with self._lock:
                    self._unwritten.pop(entry.folder, None)
                    gone += self._known.pop(entry.folder, None) is not None
        if errors:
            raise errors[0]
        return gone


def delete_sweep(sweep: StoredStudy) -> None:
    """Delete a sweep permanently; `RunError` if a process works on it, or its folder cannot be deleted."""
    if sweep.has_worker():
        raise RunError("The sweep is running in another window. Stop the sweep there, then delete it.")
    _remove_folder(sweep.path, RunError)


def _remove_folder(folder: Path, kind: type[EspalierError]) -> None:
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise kind(
            f"The folder '{folder}' cannot be deleted ({error.strerror or error}). Close programs that use files in "
            "this folder, then try again."
        ) from None


def _at_work(folder: Path) -> bool:
    """Whether a process works on a run, one of its sweeps, or an inquiry about it."""
    parts = (*folder.glob("sweeps/*"), *folder.glob(f"{INQUIRIES}/*"))
    return any(RunFolder(place).has_worker() for place in (folder, *parts))


def _read(path: Path, before: _Stored | None) -> _Stored | None:
    """The entry of a folder, read as far as it may have changed; `None` if it is not the folder of a run."""
    if not os.path.exists(path / "run.json"):
        return None
    folder = RunFolder(path)
    if before is None:
        with contextlib.suppress(RunError):
            before = folder.read(_ENTRY, _Stored)
            before = replace(before, entry=replace(before.entry, folder=path.name))
    stamp = _stamp(path)
    if before is None or before.stamp[:1] != stamp[:1] or not _is_over(before.entry, folder):
        entry = _entry_of(path)
    elif stamp == before.stamp:
        return before
    else:
        entry = replace(before.entry, bytes=bytes_in(path), **asdict(_marks_of(folder)))
    stored = _Stored(entry, stamp)
    if entry.method and _is_over(entry, folder):
        # without the file, the next program reads the run itself
        with contextlib.suppress(OSError):
            folder.write_json(_ENTRY, stored)
    return stored


def _stamp(folder: Path) -> tuple[int, ...]:
    """The times of the outcome and of what may change after it; that of a folder changes with the files in it."""
    places = [folder / _MARKS]
    for part in (folder / "sweeps", folder / INQUIRIES):
        places += [part, *part.glob("*"), *part.glob("*/models")]
    return _changed(folder / "solution.json"), *sorted(map(_changed, places))


def _changed(place: Path) -> int:
    """When a file or folder was changed, in ns; 0 if there is none."""
    try:
        return place.stat().st_mtime_ns
    except OSError:
        return 0


def _marks_of(folder: RunFolder) -> Marks:
    """The marks in a run's folder; none if they are missing or damaged."""
    try:
        return folder.read(_MARKS, Marks)
    except RunError:
        return Marks()


def _is_over(entry: Entry, folder: RunFolder) -> bool:
    """Whether a run can no longer change; an interrupted run may have been resumed."""
    return entry.state.terminal and not (entry.interrupted and folder.has_worker())


def _entry_of(path: Path) -> Entry:
    """The entry of a run's folder; a damaged one is listed as failed, with the reason."""
    marks = asdict(_marks_of(RunFolder(path)))
    try:
        run = load_run(path)
    except EspalierError as error:
        return _damaged(path, str(error), marks)
    shot, problem = run.snapshot(), run.problem
    solution = shot.solution
    diagram = None if solution is None else solution.diagram
    return Entry(
        id=run.id,
        folder=path.name,
        owner=run.owner,
        created=run.created,
        name=problem.dataset.name,
        outcome=problem.dataset.outcome,
        method=run.method,
        kind=problem.shape.kind.value,
        size=", ".join((size_title(problem.shape), *size_limits(problem.shape))),
        rows=problem.dataset.n_samples,
        features=len(problem.dataset.schema.columns),
        constraints="; ".join(one.words(problem.dataset) for one in problem.constraints),
        state=shot.state,
        status=_status(solution),
        cost=_in_users_unit(problem, shot.cost),
        bound=_in_users_unit(problem, shot.bound),
        errors=None if diagram is None else int((diagram.predict(problem.dataset) != problem.dataset.y).sum()),
        questions=None if diagram is None else diagram.n_splits,
        seconds=shot.elapsed,
        bytes=bytes_in(path),
        error=shot.error or "",
        interrupted=shot.interrupted,
        task="" if run.task is None else type(run.task).__name__,
        **marks,
    )


def _damaged(path: Path, reason: str, marks: dict[str, Any]) -> Entry:
    try:
        created = datetime.fromtimestamp((path / "run.json").stat().st_mtime, UTC)
    except OSError:
        created = datetime.fromtimestamp(0, UTC)
    name, size = path.name, bytes_in(path)
    return Entry(id=name, folder=name, owner="", created=created, name=name, error=reason, bytes=size, **marks)


def _copy(entry: Entry, original: str) -> Entry:
    """The entry of a folder that has the id of another run: it has its own id, so that no other run is changed."""
    error = f"This folder is a copy of the run in '{original}'. Delete one of the two."
    return replace(entry, id=entry.folder, method="", state=JobState.FAILED, status=None, error=error)


def _status(solution: Solution | None) -> str | None:
    """The status of a verified result; `None` if it is not verified."""
    if solution is None or solution.verified is not True:
        return None
    return solution.status.value


def _in_users_unit(problem: Problem, cost: int | None) -> float | None:
    return None if cost is None else cost / problem.scale
