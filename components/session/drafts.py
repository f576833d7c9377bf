"""Drafts: the request for a table, saved while the user works. Does not import Streamlit.

A draft has the files of `run_files` in a folder below that of the runs, for each owner. It outlives the page and the
server. A session writes one draft per table, and an owner keeps the latest ones.
"""

import secrets
import shutil
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from components.session import run_files
from components.session.constraint_list import ConstraintList
from components.session.memory import Session
from components.session.work import Source
from solvers.constraints import from_json
from solvers.errors import RunError
from solvers.problem import sample
from solvers.request import Request
from solvers.run import wire
from solvers.run.folder import Folder
from solvers.settings import Settings

KEPT = 6
"""How many drafts of an owner are kept: the latest ones."""

_GRACE = 0.2
"""Seconds that a click waits for its draft to be written; writing a large table continues in a thread."""

_WRITER = ThreadPoolExecutor(1, thread_name_prefix="drafts")


@dataclass(frozen=True)
class DraftFolder(Folder):
    """The files of a draft."""

    noun: ClassVar[str] = "draft"
    remedy: ClassVar[str] = "Delete the draft, or open it with the version that wrote it."


class Draft(NamedTuple):
    """A draft in the list: its folder, when it was saved, and what it is about.

    `trouble` says why a damaged draft cannot be read; then only folder and time are known.
    """

    folder: Path
    saved: datetime
    title: str = ""
    outcome: str = ""
    steps: int = 0
    constraints: int = 0
    trouble: str = ""


class Work(NamedTuple):
    """What a draft restores."""

    source: Source
    request: Request
    constraints: ConstraintList


def save(held: Session, owner: str, settings: Settings) -> str | None:
    """Save the draft of a session if something changed; returns why the last one could not be saved, once."""
    source, request, listed = held.source, held.asked, held.listed
    if source is None or owner.startswith("session:"):
        return None
    now = (source, request, listed)
    if held.drafted is None or held.drafted[0].number != source.number:
        held.draft, held.drafted = None, None
    # a sample as it opens is no work
    opens = source.sample is not None and (held.drafted is None or not held.drafted[1].target)
    if held.drafted != now and not opens:
        name = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(6)}"
        held.draft = held.draft or _place(settings.runs, owner) / name
        off = [one.constraint.to_json() for one in listed.items if not one.on]
        payload = run_files.record(source, request) | {"off": off}
        held.writing = _WRITER.submit(_write, held.draft, source, payload)
        wait([held.writing], _GRACE)
    held.drafted = now
    return _trouble(held)


def _trouble(held: Session) -> str | None:
    """Why the last draft could not be written, once it is known."""
    writing = held.writing
    if writing is None or not writing.done():
        return None
    held.writing = None
    error = writing.exception()
    if error is None:
        return None
    why = error.strerror if isinstance(error, OSError) and error.strerror else error
    return f"Your work cannot be saved ({why}). It is lost if you close the page. Free some disk space."


def _write(folder: Path, source: Source, payload: dict[str, Any]) -> None:
    """Write a draft, its table first and once; the oldest drafts of the owner make room for a new one."""
    files, is_new = DraftFolder(folder), not (folder / run_files.SCREEN).exists()
    if is_new:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        run_files.write_table(folder, source)
    files.write_json(run_files.SCREEN, payload)
    if is_new:
        for draft in _found(folder.parent)[KEPT:]:
            delete(draft.folder)


def expire(runs: Path, keep_days: float | None) -> None:
    """Delete all drafts that exceed the administrator's retention time."""
    if keep_days is not None:
        oldest = datetime.now(UTC) - timedelta(days=keep_days)
        for place in (runs / "drafts").glob("*"):
            for draft in _found(place):
                if draft.saved < oldest:
                    delete(draft.folder)


def saved(runs: Path, owner: str) -> list[Draft]:
    """The drafts of an owner, the latest first."""
    return _found(_place(runs, owner))


def _found(place: Path) -> list[Draft]:
    folders = [one.parent for one in place.glob(f"*/{run_files.SCREEN}")]
    return sorted(map(_summary, folders), key=lambda draft: draft.saved, reverse=True)


def _summary(folder: Path) -> Draft:
    try:
        at = (folder / run_files.SCREEN).stat().st_mtime
    except OSError:
        at = 0.0
    when = datetime.fromtimestamp(at, UTC)
    try:
        with wire.refuse_damaged(f"The draft '{folder.name}'", DraftFolder.remedy):
            payload = DraftFolder(folder).read_json(run_files.SCREEN)
            request, key = Request.from_json(payload["request"]), payload["sample"]
            title = payload["name"] if key is None else sample(key).title
            n = len(request.constraints) + len(payload["off"])
            return Draft(folder, when, str(title), request.target, len(request.prepare), n)
    except RunError as error:
        return Draft(folder, when, trouble=str(error))


def read(folder: Path, number: int) -> Work:
    """The work of a draft, whose table gets this number; `RunError` if the draft is damaged."""
    payload = DraftFolder(folder).read_json(run_files.SCREEN)
    with wire.refuse_damaged(f"The draft '{folder.name}'", DraftFolder.remedy):
        source, request = run_files.restore(folder, payload, number)
        on, off = (tuple(map(from_json, listed)) for listed in (request.constraints, payload["off"]))
    return Work(source, request, ConstraintList().with_added(off).with_exactly(on))


def delete(folder: Path) -> None:
    """Delete a draft with its table; one that is gone is ignored."""
    shutil.rmtree(folder, ignore_errors=True)


def _place(runs: Path, owner: str) -> Path:
    """The folder of an owner's drafts."""
    return runs / "drafts" / owner.replace(":", "-")
