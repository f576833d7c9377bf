"""The data of the list on the Runs screen. Does not import Streamlit."""

from collections.abc import Sequence

import pandas as pd

from components.messages.text import TRAINING, count, storage
from solvers.messages.results import BEST, HEURISTIC, OPTIMAL
from solvers.messages.sweeps import method_title
from solvers.methods import registry
from solvers.store import Entry

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


def lines(entries: Sequence[Entry]) -> pd.DataFrame:
    """The list as a table with headers, one row per run, with sortable numbers and times."""
    return pd.DataFrame([_line(entry) for entry in entries])


def _line(entry: Entry) -> dict[str, object]:
    constraints = [count(entry.constraints, "constraint")] if entry.constraints else []
    return {
        STAR: STAR if entry.starred else "",
        "Started": entry.created.astimezone(),
        "Data set": entry.title or entry.name.removesuffix(TRAINING),
        "Outcome": entry.outcome,
        "Method": method_title(entry.method),
        "Size": ", ".join([entry.size, *constraints]),
        "Rows": entry.rows,
        "Training errors": entry.errors,
        "Splits": entry.questions,
        "Status": status(entry),
        "Time (s)": entry.seconds if entry.method else None,
        "Storage (MB)": entry.bytes / 1e6,
        "Comment": entry.comment,
    }


def status(entry: Entry) -> str:
    """The status of a result."""
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
    """The number of runs and their disk space, in a sentence."""
    if not used:
        return "You have no saved runs."
    part = f"{count(shown)} of {count(total, 'run')}" if shown < total else count(total, "run")
    return f"{part}; your runs use {storage(used)}."
