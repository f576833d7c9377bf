"""Runs as the list of the Runs screen shows them: a line each, in words and numbers. No Streamlit in here."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import pandas as pd

from components.words.text import TRAINING, count, method_title, seconds, storage, when
from solvers.methods import registry
from solvers.store import Entry, Sorting
from solvers.words.results import BEST, HEURISTIC, OPTIMAL

_SORTED = {
    Sorting.CREATED: "Newest first",
    Sorting.NAME: "Table",
    Sorting.METHOD: "Method",
    Sorting.ERRORS: "Fewest errors",
    Sorting.QUESTIONS: "Fewest questions",
    Sorting.SECONDS: "Longest search",
    Sorting.STORAGE: "Most storage",
}
SORTINGS: dict[str, tuple[Sorting, bool]] = {
    words: (sorting, sorting in (Sorting.CREATED, Sorting.SECONDS, Sorting.STORAGE))
    for sorting, words in _SORTED.items()
}
"""The orders that are offered in words, each with what is sorted by and whether the largest comes first."""

STATES = {
    "Proved": ("finished",),
    "At work": ("queued", "starting", "running"),
    "Stopped": ("cancelled",),
    "Failed": ("failed",),
}
KINDS = {"Trees": "tree", "BDDs": "bdd", "Diagrams": "diagram"}


class RunLine(NamedTuple):
    """A run in the list; empty texts where there is nothing to say."""

    mark: str
    when: str
    table: str
    outcome: str
    method: str
    size: str
    errors: str
    questions: str
    proof: str
    took: str
    storage: str
    comment: str


HEADS = RunLine(
    mark="\u2605",
    when="When",
    table="Table",
    outcome="Outcome",
    method="Method",
    size="Size",
    errors="Errors in training",
    questions="Questions",
    proof="Proof",
    took="Search",
    storage="Storage",
    comment="Comment",
)


def size_words(entry: Entry) -> str:
    """What was asked of the size, and how many constraints there were."""
    parts = list(entry.size.split(", "))
    return ", ".join(parts + ([count(entry.constraints, "constraint", "constraints")] if entry.constraints else []))


def line(entry: Entry, now: datetime) -> RunLine:
    """A run in words."""
    return RunLine(
        mark="\u2605" if entry.starred or entry.marked else "",
        when=when(entry.created, now),
        table=entry.title or entry.name.removesuffix(TRAINING),
        outcome=entry.outcome,
        method=method_title(entry.method),
        size=size_words(entry),
        errors="" if entry.errors is None else f"{count(entry.errors)} of {count(entry.rows)}",
        questions="" if entry.questions is None else str(entry.questions),
        proof=proof(entry),
        took=seconds(entry.seconds) if entry.method else "",
        storage=storage(entry.bytes),
        comment=" ".join(filter(None, (entry.comment, entry.notes))),
    )


def lines(entries: Sequence[Entry], now: datetime) -> pd.DataFrame:
    """The list as a table with its heads, a row a run."""
    return pd.DataFrame([line(entry, now) for entry in entries], columns=list(HEADS))


def proof(entry: Entry) -> str:
    """What is known of a result, in the words of the pills."""
    if entry.error and not entry.method:
        return "Damaged"
    match entry.state, entry.status:
        case (("queued" | "starting" | "running"), _):
            return "At work"
        case _, "infeasible":
            return "Infeasible"
        case "failed", _:
            return "Failed"
        case "cancelled", _:
            return "Stopped"
        case _, "optimal":
            return OPTIMAL
        case _, "no_solution":
            return "No model"
        case _, None:
            return "Not verified"
    if not exact(entry.method):
        return HEURISTIC
    return BEST


def exact(name: str) -> bool:
    """Whether a method proves optimality; one that is not there any more does not."""
    return name in registry.names() and registry.get(name).exact


def sentence(shown: int, total: int, used: int) -> str:
    """How many runs there are, and what they take on the disk."""
    if not total:
        return "No run is kept yet."
    part = f"{count(shown)} of {count(total, 'run')}" if shown < total else count(total, "run")
    return f"{part}; all runs together take {storage(used)}"
