"""Runs as the list of the Runs screen shows them. No Streamlit in here."""

from collections.abc import Sequence
from datetime import datetime

import pandas as pd

from components.words.text import TRAINING, count, method_title, seconds, storage, when
from solvers.methods import registry
from solvers.store import Entry, Sorting
from solvers.words.results import BEST, HEURISTIC, OPTIMAL

SORTINGS = {
    "Newest first": Sorting.CREATED,
    "Data set": Sorting.NAME,
    "Method": Sorting.METHOD,
    "Fewest errors": Sorting.ERRORS,
    "Fewest splits": Sorting.QUESTIONS,
    "Longest search": Sorting.SECONDS,
    "Most storage": Sorting.STORAGE,
}
"""The orders that are offered in words."""

LARGEST_FIRST = (Sorting.CREATED, Sorting.SECONDS, Sorting.STORAGE)

DELETED = "Deleted"
STATES = {
    "Optimal": ("finished",),
    "Running": ("queued", "starting", "running"),
    "Stopped": ("cancelled",),
    "Failed": ("failed",),
    DELETED: (),
}
KINDS = {"Trees": "tree", "BDDs": "bdd", "Diagrams": "diagram"}

STAR = "\u2605"
RIGHT = ("Training errors", "Splits", "Time", "Storage")
"""The columns of numbers."""


def lines(entries: Sequence[Entry], now: datetime) -> pd.DataFrame:
    """The list as a table with its heads, a row a run; empty texts where there is nothing to say."""
    return pd.DataFrame([_line(entry, now) for entry in entries])


def _line(entry: Entry, now: datetime) -> dict[str, str]:
    constraints = [count(entry.constraints, "constraint")] if entry.constraints else []
    return {
        STAR: STAR if entry.starred or entry.marked else "",
        "Started": when(entry.created, now),
        "Data set": entry.title or entry.name.removesuffix(TRAINING),
        "Outcome": entry.outcome,
        "Method": method_title(entry.method),
        "Size": ", ".join([entry.size, *constraints]),
        "Training errors": "" if entry.errors is None else f"{count(entry.errors)} of {count(entry.rows)}",
        "Splits": "" if entry.questions is None else str(entry.questions),
        "Status": status(entry),
        "Time": seconds(entry.seconds) if entry.method else "",
        "Storage": storage(entry.bytes),
        "Comment": " ".join(filter(None, (entry.comment, entry.notes))),
    }


def status(entry: Entry) -> str:
    """What is known of a result."""
    if entry.error and not entry.method:
        return "Damaged"
    match entry.state, entry.status:
        case (("queued" | "starting" | "running"), _):
            return "Running"
        case _, "infeasible":
            return "Infeasible"
        case "failed", _:
            return "Failed"
        case "cancelled", _:
            return "Stopped: best so far" if entry.errors is not None else "Stopped"
        case _, "optimal":
            return OPTIMAL
        case _, "no_solution":
            return "No model"
        case _, None:
            return "Not verified"
    if entry.method not in registry.names() or not registry.get(entry.method).exact:
        return HEURISTIC
    return BEST


def sentence(shown: int, total: int, used: int) -> str:
    """How many runs there are, and what they take on the disk."""
    if not total:
        return "You have no saved runs."
    part = f"{count(shown)} of {count(total, 'run')}" if shown < total else count(total, "run")
    return f"{part}; your runs use {storage(used)}."
