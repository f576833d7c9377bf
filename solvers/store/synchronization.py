"""Synchronises the index with the run folders: new, changed, and vanished runs."""

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
"""The subfolders of a run that may change after its end."""


class IndexChanges(NamedTuple):
    """Numbers of runs that were new, had changed, had vanished, and could not be read."""

    new: int
    changed: int
    gone: int
    damaged: int


def synchronize(index: RunIndex, runs: Path, known: dict[str, Entry] | None = None) -> IndexChanges:
    """Synchronise the index with the folders.

    `known` holds the entries by folder from the previous call, and is updated. If it is empty or missing, the whole
    index is read. Raises `StoreError` if the index cannot be reached.
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
            # only its sweeps and the inquiries about it can change
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
    """Whether a run's folder can no longer change; an interrupted run may have been resumed."""
    if not JobState(entry.state).terminal:
        return False
    return not entry.interrupted or not (folder.has_outcome() or folder.has_worker())


def entry_of(folder: Path) -> Entry:
    """The index entry of a run's folder; a damaged one is listed as failed, with the reason."""
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
        constraints="; ".join(one.words(problem.dataset) for one in problem.constraints),
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
    """The status of a verified result; `None` if it is not verified."""
    if solution is None or solution.verified is not True:
        return None
    return solution.status.value


def _in_users_unit(problem: Problem, cost: int | None) -> float | None:
    return None if cost is None else cost / problem.scale


def _grow(folder: Path) -> dict[str, Any]:
    """The changes of an entry from the run's sweeps and inquiries: its bytes; nothing if it has none."""
    try:
        # a folder's time changes when files are added or removed
        stamp = tuple(place.stat().st_mtime_ns for part in _PARTS for place in folder.glob(part))
    except FileNotFoundError:
        return {}
    return {"bytes": _bytes_at(folder, stamp)} if stamp else {}


@lru_cache(4096)
def _bytes_at(folder: Path, stamp: tuple[int, ...]) -> int:
    """The bytes of a folder, cached by its times, so that thousands of models are not counted on each call."""
    return bytes_in(folder)
