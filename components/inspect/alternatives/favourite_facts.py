"""The models that the user marked: what stands in the list, and the note as a model of its run again."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from components.session.work import Model, Run
from components.words.cost_facts import cost_words
from solvers.metrics import verified
from solvers.run.notes import Note
from solvers.solution import Status
from solvers.words.shapes import size_found


class Favourite(NamedTuple):
    """A line of the list.

    Attributes
    ----------
    run, note : whose it is, and what was noted.
    title : the model's name, with the run where there are several.
    words : its size and what it costs.
    """

    run: Run
    note: Note
    title: str
    words: str


def favourite(run: Run, note: Note, several: bool) -> Favourite:
    """A note as a line of the list; `several` runs have some."""
    title = f"{note.title}, run {run.number}" if several else note.title
    return Favourite(
        run, note, title, f"{size_found(note.diagram)}; {cost_words(run.problem, note.diagram, note.cost)}"
    )


def as_model(run: Run, note: Note) -> Model | None:
    """A note as a model: the one of the session that it is about, or else the noted diagram, verified anew.

    `None` where the run has no result to hold it against.
    """
    known = next((model for model in run.models() if model.key == note.model), None)
    if known is not None or run.best is None:
        return known
    best = run.best
    cost = best.problem.cost(note.diagram.predict(best.problem.dataset), note.diagram.n_splits)
    status = Status.OPTIMAL if cost == best.solution.bound else Status.FEASIBLE
    solution = replace(
        best.solution, diagram=note.diagram, cost=cost, status=status, verified=None, message="", stats={}, trace=()
    )
    return best._replace(key=note.model, title=note.title, solution=verified(best.problem, solution))
