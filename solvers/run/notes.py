"""Models that the user marked, with a comment, kept in a run's folder as `notes.json`.

A note holds the model itself, because it need not be the result of the run: it may be one of its alternatives. What is
removed stays in the file until the next note is removed, so that it can be brought back.

Example
-------
>>> note = add_note(folder, "contree", "Optimal tree", diagram, 12, "asks nothing by the lab")  # doctest: +SKIP
>>> remove_note(folder, note.id); undo_removal(folder)  # doctest: +SKIP
"""

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
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


@dataclass
class _NoteList:
    """The content of the file: the notes, oldest first, and the one that was removed last."""

    notes: tuple[Note, ...] = ()
    removed: Note | None = None


def list_notes(folder: Path) -> tuple[Note, ...]:
    """The notes of a run, oldest first; `RunError` where the file is damaged."""
    return _read(folder).notes


def add_note(folder: Path, model: str, title: str, diagram: Diagram, cost: int, comment: str = "") -> Note:
    """Mark a model, or change the comment of one that is marked; the note.

    Raises `RunError` where the file is damaged or cannot be written.
    """
    made = Note(secrets.token_hex(8), datetime.now(UTC), model, title, diagram, int(cost), comment[:LONGEST])
    with _editing(folder) as edited:
        for note in edited.notes:
            if note.model == model:
                made = replace(made, id=note.id, created=note.created)
        others = [note for note in edited.notes if note.id != made.id]
        edited.notes = tuple(sorted([*others, made], key=lambda note: note.created))
    return made


def remove_note(folder: Path, note_id: str) -> None:
    """Take a note off the list; nothing happens where there is none of this id.

    Raises `RunError` where the file is damaged or cannot be written.
    """
    with _editing(folder) as edited:
        edited.removed = next((note for note in edited.notes if note.id == note_id), edited.removed)
        edited.notes = tuple(note for note in edited.notes if note.id != note_id)


def last_removed(folder: Path) -> Note | None:
    """The note that was removed last and can be brought back; `None` where there is none."""
    return _read(folder).removed


def undo_removal(folder: Path) -> Note | None:
    """Bring back the note that was removed last, at its place; `None` where there is none.

    Raises `RunError` where the file is damaged or cannot be written.
    """
    with _editing(folder) as edited:
        back, edited.removed = edited.removed, None
        # a model that was marked anew meanwhile keeps its new note
        if back is not None and all(note.model != back.model for note in edited.notes):
            edited.notes = tuple(sorted([*edited.notes, back], key=lambda note: note.created))
    return back


@contextmanager
def _editing(folder: Path) -> Iterator[_NoteList]:
    """The content of the file, which is written as it is at the end of the block; one block at a time."""
    with _WRITING:
        edited = _read(folder)
        yield edited
        try:
            RunFolder(folder).write_json(FILE, to_json(edited))
        except OSError as error:
            raise RunError(
                f"The comment cannot be written to the run's folder ({error.strerror or error}). Free some space."
            ) from None


def _read(folder: Path) -> _NoteList:
    if not (folder / FILE).exists():
        return _NoteList()
    return RunFolder(folder).read(FILE, _NoteList, "Move it away to start a new list.")
