"""The models that the user marked: what stands in the list, and the note as a model of its run again."""

from typing import NamedTuple

from components.session.work import FinishedModel, Run
from components.words.cost_facts import cost_words
from solvers.run.notes import Note
from solvers.words.shapes import size_found


class Favourite(NamedTuple):
    """A note of a run in the list: its title, with the run where there are several, its size and what it costs."""

    run: Run
    note: Note
    title: str
    words: str


def favourite(run: Run, note: Note, several: bool) -> Favourite:
    """A note as a line of the list; `several` runs have some."""
    title = f"{note.title}, run {run.number}" if several else note.title
    words = f"{size_found(note.diagram)}; {cost_words(run.problem, note.diagram, note.cost)}"
    return Favourite(run, note, title, words)


def as_model(run: Run, note: Note) -> FinishedModel | None:
    """A note as a model: the one of the session that it is about, or else the noted diagram, verified anew.

    `None` where the run has no result to hold it against.
    """
    known = next((model for model in run.models() if model.key == note.model), None)
    if known is not None or run.best is None:
        return known
    return run.best.beside(note.model, note.title, note.diagram)
