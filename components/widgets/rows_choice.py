"""Which rows numbers speak of: those of training, the held-out ones, or those of a second file."""

from typing import NamedTuple

from components.session import state
from components.session.work import Run
from components.widgets import segments
from solvers.problem import Dataset

TRAINING = "training"


class NamedRows(NamedTuple):
    """Rows and their name on the screen."""

    name: str
    data: Dataset


def rows_of(run: Run) -> dict[str, Dataset]:
    """The rows that there are for a run, by their names."""
    rows = {TRAINING: run.prepared.train, "test": run.prepared.test, "external": state.external(run)}
    return {name: data for name, data in rows.items() if data is not None}


def show(run: Run) -> NamedRows:
    """Ask whose numbers are shown, where there are other rows than those of training."""
    offered = rows_of(run)
    name = TRAINING
    if len(offered) > 1:
        name = segments.show(
            "Numbers of",
            list(offered),
            key="rows",
            words=lambda name: f"{name.capitalize()} rows ({offered[name].n_samples:,})",
        )
    return NamedRows(name, offered[name])
