"""Models that the user marked, with a comment, kept in a run's folder as `notes.json`.

A note holds the model itself, because it need not be the result of the run: it may be one of its alternatives.

Example
-------
>>> note = add_note(folder, "contree", "Optimal tree", diagram, 12, "asks nothing by the lab")  # doctest: +SKIP
>>> remove_note(folder, note.id); keep_note(folder, note)  # doctest: +SKIP
"""

import secrets
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from ..diagram import Diagram
from ..errors import RunError
from .folder import RunFolder
from .json_types import to_json

FILE = "notes.json"
LONGEST = 2000
"""Characters of a comment."""

_WRITING = threading.Lock()


@dataclass(frozen=True)
class Note:
    """A marked model.

    Attributes
    ----------
    id, created : of the note (UTC).
    model, title : the key of the model among those of its run, and its name on the screen.
    diagram, cost : the model, and what it costs, in the cost units of the run's problem.
    comment : the user's own words, '' for none.
    """

    id: str
    created: datetime
    model: str
    title: str
    diagram: Diagram
    cost: int
    comment: str = ""


@dataclass(frozen=True)
class _Notes:
    """The content of the file: the notes, oldest first."""

    notes: tuple[Note, ...] = ()


def list_notes(folder: Path) -> tuple[Note, ...]:
    """The notes of a run, oldest first; `RunError` where the file is damaged."""
    if not (folder / FILE).exists():
        return ()
    return RunFolder(folder).read(FILE, _Notes, "Move it away to start a new list.").notes


def add_note(folder: Path, model: str, title: str, diagram: Diagram, cost: int, comment: str = "") -> Note:
    """Mark a model, or change the comment of one that is marked; the note.

    Raises `RunError` where the file is damaged or cannot be written.
    """
    made = Note(secrets.token_hex(8), datetime.now(UTC), model, title, diagram, int(cost), comment[:LONGEST])
    for note in list_notes(folder):
        if note.model == model:
            made = replace(made, id=note.id, created=note.created)
    keep_note(folder, made)
    return made


def keep_note(folder: Path, note: Note) -> None:
    """Write a note at its place, such as one that was removed, instead of another one of its model.

    Raises as `add_note`.
    """
    with _WRITING:
        others = [one for one in list_notes(folder) if one.model != note.model]
        _write(folder, sorted([*others, note], key=lambda one: one.created))


def remove_note(folder: Path, note_id: str) -> None:
    """Take a note off the list; nothing happens where there is none of this id. Raises as `add_note`."""
    with _WRITING:
        _write(folder, [note for note in list_notes(folder) if note.id != note_id])


def _write(folder: Path, notes: Sequence[Note]) -> None:
    try:
        RunFolder(folder).write_json(FILE, to_json(_Notes(tuple(notes))))
    except OSError as error:
        raise RunError(
            f"The comment cannot be written to the run's folder ({error.strerror or error}). Free some space."
        ) from None
