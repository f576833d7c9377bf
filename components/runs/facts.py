"""Runs as the list of the Runs screen shows them: a line each, in words and numbers. No Streamlit in here."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import pandas as pd

from components.words.text import TRAINING, amount, count, method_title, seconds, storage, when
from solvers.language import msgid, tr, translation
from solvers.methods import registry
from solvers.store import Entry, Sorting

_SORTED = {
    Sorting.CREATED: msgid("Newest first"),
    Sorting.NAME: msgid("Table"),
    Sorting.METHOD: msgid("Method"),
    Sorting.ERRORS: msgid("Fewest errors"),
    Sorting.QUESTIONS: msgid("Fewest questions"),
    Sorting.SECONDS: msgid("Longest search"),
    Sorting.STORAGE: msgid("Most storage"),
}
SORTINGS: dict[str, tuple[Sorting, bool]] = {
    words: (sorting, sorting in (Sorting.CREATED, Sorting.SECONDS, Sorting.STORAGE))
    for sorting, words in _SORTED.items()
}
"""The orders that are offered in words, each with what is sorted by and whether the largest comes first."""

STATES = {
    msgid("Proved"): ("finished",),
    msgid("At work"): ("queued", "starting", "running"),
    msgid("Stopped"): ("cancelled",),
    msgid("Failed"): ("failed",),
}
KINDS = {msgid("Trees"): "tree", msgid("BDDs"): "bdd", msgid("Diagrams"): "diagram"}


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
    when=msgid("When"),
    table=msgid("Table"),
    outcome=msgid("Outcome"),
    method=msgid("Method"),
    size=msgid("Size"),
    errors=msgid("Errors in training"),
    questions=msgid("Questions"),
    proof=msgid("Proof"),
    took=msgid("Search"),
    storage=msgid("Storage"),
    comment=msgid("Comment"),
)


def size_words(entry: Entry) -> str:
    """What was asked of the size, and how many constraints there were."""
    parts = [translation(part) for part in entry.size.split(", ")]
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
        errors=""
        if entry.errors is None
        else tr("{count} of {count_2}", count=count(entry.errors), count_2=count(entry.rows)),
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
        return tr("Damaged")
    match entry.state, entry.status:
        case (("queued" | "starting" | "running"), _):
            return tr("At work")
        case _, "infeasible":
            return tr("Infeasible")
        case "failed", _:
            return tr("Failed")
        case "cancelled", _:
            return tr("Stopped")
        case _, "optimal":
            return tr("Proved optimal")
        case _, "no_solution":
            return tr("No model")
        case _, None:
            return tr("Not verified")
    if not exact(entry.method):
        return tr("Heuristic")
    if entry.cost is None or entry.bound is None:
        return tr("Not proved")
    if entry.bound <= 0 < entry.cost:
        return tr("Nothing proved yet")
    return tr("Costs at most {cost} too much", cost=amount(entry.cost - entry.bound))


def exact(name: str) -> bool:
    """Whether a method proves optimality; one that is not there any more does not."""
    return name in registry.names() and registry.get(name).exact


def sentence(shown: int, total: int, used: int) -> str:
    """How many runs there are, and what they take on the disk."""
    if not total:
        return tr("No run is kept yet.")
    part = (
        tr("{count} of {runs}", count=count(shown), runs=count(total, "run")) if shown < total else count(total, "run")
    )
    return tr("{part}; all runs together take {storage}", part=part, storage=storage(used))
