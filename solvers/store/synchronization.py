"""Bringing the index to what the folders of the runs say: what is new, what has changed, and what has vanished."""

from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import EspalierError
from ..messages.shapes import size_limits, size_title
from ..problem import Problem
from ..run import JobState, load_run
from ..run.folder import INQUIRIES, RunFolder, bytes_in
from ..solution import Solution
from .entries import Entry, Query
from .index import RunIndex
from .marks import marks_of

_PARTS = ("sweeps", "sweeps/*", "sweeps/*/models", INQUIRIES, f"{INQUIRIES}/*")
"""The folders in that of a run which change after its end."""


class IndexChanges(NamedTuple):
    """How many runs were new, had changed, had vanished, and could not be read."""

    new: int
    changed: int
    gone: int
    damaged: int


def synchronize(index: RunIndex, runs: Path, known: dict[str, Entry] | None = None) -> IndexChanges:
    """Bring the index to what the folders say.

    `known` holds the entries by folder as the call before left them, and is brought up to date. If it is empty or
    missing, the whole index is read. Raises `StoreError` if the index cannot be reached.
    """
    known = {} if known is None else known
    if not known:
        stored = (entry for deleted in (False, True) for entry in index.find(Query(deleted=deleted, tasks=True)))
        known.update((entry.folder, entry) for entry in stored)
    there = {folder.name for folder in runs.iterdir() if (folder / "run.json").exists()} if runs.is_dir() else set()
    new = changed = damaged = 0
    for name in sorted(there):
        before = known.get(name)
        if before is not None and _is_over(before, RunFolder(runs / name)):
            # all that can change of it are its sweeps, and the inquiries about it
            entry = replace(before, **_grow(runs / name))
        else:
            entry = entry_of(runs / name)
        if entry != before:
            index.put(entry)
            known[name] = entry
            new, changed = new + (before is None), changed + (before is not None)
            damaged += bool(entry.error and not entry.method)
    gone = {name: entry.id for name, entry in known.items() if name not in there}
    if gone:
        index.forget(list(gone.values()))
        for name in gone:
            del known[name]
    return IndexChanges(new, changed, len(gone), damaged)


def _is_over(entry: Entry, folder: RunFolder) -> bool:
    """Whether nothing new can be in a run's folder; one that was interrupted may have been taken up again."""
    if not JobState(entry.state).terminal:
        return False
    return not entry.interrupted or not (folder.has_outcome() or folder.has_worker())


def entry_of(folder: Path) -> Entry:
    """What the index holds of a run's folder; a damaged one is listed as failed, with the reason."""
    try:
        run = load_run(folder)
    except EspalierError as error:
        return _damaged(folder, str(error))
    shot, problem = run.snapshot(), run.problem
    solution = shot.solution
    diagram = None if solution is None else solution.diagram
    return Entry(
        id=run.id,
        folder=folder.name,
        owner=run.owner,
        created=run.created,
        name=problem.dataset.name,
        outcome=problem.dataset.outcome,
        method=run.method,
        kind=problem.shape.kind.value,
        size=", ".join((size_title(problem.shape), *size_limits(problem.shape))),
        rows=problem.dataset.n_samples,
        features=len(problem.dataset.schema.columns),
        constraints=len(problem.constraints),
        state=shot.state.value,
        status=_status(solution),
        cost=_in_users_unit(problem, shot.cost),
        bound=_in_users_unit(problem, shot.bound),
        errors=None if diagram is None else int((diagram.predict(problem.dataset) != problem.dataset.y).sum()),
        questions=None if diagram is None else diagram.n_splits,
        seconds=shot.elapsed,
        bytes=bytes_in(folder),
        error=shot.error or "",
        interrupted=shot.interrupted,
        task="" if run.task is None else type(run.task).__name__,
        **marks_of(folder),
    )


def _damaged(folder: Path, reason: str) -> Entry:
    try:
        created = datetime.fromtimestamp((folder / "run.json").stat().st_mtime, UTC)
    except OSError:
        created = datetime.fromtimestamp(0, UTC)
    state = JobState.FAILED.value
    blank = Entry(id=folder.name, folder=folder.name, owner="", created=created, name=folder.name)
    return replace(blank, state=state, error=reason, bytes=bytes_in(folder))


def _status(solution: Solution | None) -> str | None:
    """The status of a result that was verified; what was not verified has none."""
    if solution is None or solution.verified is not True:
        return None
    return solution.status.value


def _in_users_unit(problem: Problem, cost: int | None) -> float | None:
    return None if cost is None else cost / problem.scale


def _grow(folder: Path) -> dict[str, Any]:
    """What sweeps of a run and inquiries about it change of its entry: its bytes; nothing where it has none."""
    try:
        # a folder that takes in or loses a file has another time
        stamp = tuple(place.stat().st_mtime_ns for part in _PARTS for place in folder.glob(part))
    except FileNotFoundError:
        return {}
    return {"bytes": _bytes_at(folder, stamp)} if stamp else {}


@lru_cache(4096)
def _bytes_at(folder: Path, stamp: tuple[int, ...]) -> int:
    """The bytes of a folder as it is at a time, so that thousands of models are not counted at each look."""
    return bytes_in(folder)
