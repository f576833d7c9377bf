"""The choice of rows to show: training, held-out or external."""

from typing import NamedTuple

from components.messages.text import capitalise
from components.session import state
from components.session.work import Run
from components.widgets import segments
from solvers.problem import Dataset

TRAINING, EXTERNAL = "training", "external"


class NamedRows(NamedTuple):
    """Rows and their name on the screen."""

    name: str
    data: Dataset


def rows_of(run: Run) -> dict[str, Dataset]:
    """The rows of a run by their names, the held-out ones first."""
    rows = {"held-out": run.prepared.test, EXTERNAL: state.external(run), TRAINING: run.prepared.train}
    return {name: data for name, data in rows.items() if data is not None}


def show(run: Run) -> NamedRows:
    """Ask which rows to show, by default the held-out rows if there are any."""
    offered = rows_of(run)
    name = next(iter(offered))
    if len(offered) > 1:
        name = segments.show(
            "Rows shown",
            list(offered),
            key="rows",
            words=lambda name: f"{capitalise(name)} rows ({offered[name].n_samples:,})",
        )
    return NamedRows(name, offered[name])
