"""Drafts: what a session asks of a table, saved while the user works. Does not import Streamlit.

A draft has the files of `run_files` in a folder below that of the runs, for each owner. It outlives the page and the
server. A session writes one draft per table, and an owner keeps the latest ones.
"""

import secrets
import shutil
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from components.session import run_files
from components.session.constraint_list import ConstraintList
from components.session.memory import Session
from components.session.work import DataChoices, Design, Source
from solvers.constraints import Constraint
from solvers.errors import RunError
from solvers.problem import Choices, sample
from solvers.run import wire
from solvers.run.folder import Folder
from solvers.run.json_types import from_json, to_json
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
    """What a draft restores; without an outcome, `choices` has only the preparation."""

    source: Source
    choices: DataChoices
    design: Design
    constraints: ConstraintList


def save(held: Session, owner: str, settings: Settings) -> str | None:
    """Save the draft of a session if something changed; returns why the last one could not be saved, once."""
    source, design, listed = held.source, held.asked, held.listed
    if source is None or owner.startswith("session:"):
        return None
    now = (source, held.choices, design, listed)
    if held.drafted is None or held.drafted[0].number != source.number:
        held.draft = None
        if source.sample is not None:
            # a sample as it opens is no work
            held.drafted = now
            return None
    if held.drafted != now:
        held.drafted = now
        is_new = held.draft is None
        if held.draft is None:
            name = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(6)}"
            held.draft = _place(settings.runs, owner) / name
        choices = held.choices or DataChoices(Choices("", preparation=source.preparation))
        payload = run_files.record(source, choices, replace(design, constraints=listed.on))
        payload["off"] = to_json([one.constraint for one in listed.items if not one.on])
        held.writing = _WRITER.submit(_write, held.draft, source if is_new else None, payload, settings.keep_days)
        wait([held.writing], _GRACE)
    return _outcome(held)


def _outcome(held: Session) -> str | None:
    writing: Future[None] | None = held.writing
    if writing is None or not writing.done():
        return None
    held.writing = None
    error = writing.exception()
    if error is None:
        return None
    held.draft = None
    why = error.strerror if isinstance(error, OSError) and error.strerror else error
    return f"Your work cannot be saved ({why}). It is lost if you close the page. Free some disk space."


def _write(folder: Path, source: Source | None, payload: dict[str, Any], keep_days: float | None) -> None:
    """Write a draft; the table of a new one comes first, so that a draft in the list is complete."""
    files = DraftFolder(folder)
    if source is not None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        run_files.write_table(files, source)
    elif not folder.exists():
        # it was deleted on another screen
        return
    files.write_json(run_files.SCREEN, payload)
    if source is not None:
        oldest = datetime.min.replace(tzinfo=UTC) if keep_days is None else datetime.now(UTC) - timedelta(keep_days)
        for place, draft in enumerate(_found(folder.parent)):
            if place >= KEPT or draft.saved < oldest:
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
            rows, key = payload["choices"]["rows"], payload["sample"]
            title = payload["table"]["name"] if key is None else sample(key).title
            n = len(payload["design"]["constraints"]) + len(payload["off"])
            return Draft(folder, when, str(title), str(rows["outcome"]), len(rows["preparation"]), n)
    except RunError as error:
        return Draft(folder, when, trouble=str(error))


def read(folder: Path, number: int) -> Work:
    """The work of a draft, whose table gets this number; `RunError` if the draft is damaged."""
    files = DraftFolder(folder)
    payload = files.read_json(run_files.SCREEN)
    try:
        source, choices, design = run_files.restore(files, payload, number)
        off = from_json(tuple[Constraint, ...], payload["off"])
    except run_files.DAMAGE as error:
        raise RunError(f"The draft '{folder.name}' is damaged ({error}). {DraftFolder.remedy}") from None
    return Work(source, choices, design, ConstraintList().with_added(off).with_exactly(design.constraints))


def delete(folder: Path) -> None:
    """Delete a draft with its table; one that is gone is ignored."""
    shutil.rmtree(folder, ignore_errors=True)


def _place(runs: Path, owner: str) -> Path:
    """The folder of an owner's drafts."""
    return runs / "drafts" / owner.replace(":", "-")
