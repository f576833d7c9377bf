"""The data of a session except the values of its widgets. Does not import Streamlit."""

from collections.abc import Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from components.session import run_files
from components.session.constraint_list import ConstraintList
from components.session.work import DEFAULTS, AnyJob, Prepared, Run, Source, depth_switch
from solvers.posing import for_its_shape
from solvers.problem import Built
from solvers.request import Request

TABLES, RUNS = 3, 12
"""How many tables a session keeps with their runs, and how many runs, each with its computed values."""


@dataclass
class Session:
    """The data of a session except the values of its widgets.

    It is one object because Streamlit may end a script at any access to `st.session_state`, when the user clicks again:
    values that must agree are changed together in plain attributes of this object.

    Attributes
    ----------
    source : the table in use.
    prepared, trouble : the rows made from it, or why they could not be made.
    request, first_request : the request of the next run, without costs and constraints; its initial size for the table.
    recommended : the fields of the request that a recommendation set, each with its value and the one before.
    costs : misclassification costs, by table, outcome and classes.
    constraints : the constraint lists, by table.
    editor, opened : the constraint that the editor is open for (0: a new one), and how often it was opened.
    jobs : worker jobs that do not belong to a run, by name.
    runs, current : the runs, and the number of the one that Inspect and Compare show.
    numbered, let_go : the last number of a run, and whether some runs were released.
    externals : pairs of the rows of a first file and the external data for them.
    nodes : the selected node of each model.
    page, visit : the screen, and how often it changed.
    pressed : the button whose press is not handled yet.
    dialog : whether this run of the script opens a dialog.
    draft, drafted, writing : the folder of the table's draft, what it holds, and the writing of it, see `drafts`.
    """

    source: Source | None = None
    prepared: Prepared | None = None
    trouble: str | None = None
    request: Request = DEFAULTS
    first_request: Request = DEFAULTS
    recommended: dict[str, tuple[object, object]] = field(default_factory=dict)
    costs: dict[tuple[object, ...], dict[str, dict[str, float]] | None] = field(default_factory=dict)
    constraints: dict[int, ConstraintList] = field(default_factory=dict)
    editor: int | None = None
    opened: int = 0
    jobs: dict[Hashable, AnyJob] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)
    numbered: int = 0
    let_go: bool = False
    current: int | None = None
    externals: list[tuple[Prepared, Built]] = field(default_factory=list)
    nodes: dict[str, int] = field(default_factory=dict)
    page: str = ""
    visit: int = 0
    pressed: str | None = None
    dialog: bool = False
    draft: Path | None = None
    drafted: tuple[Source, Request, ConstraintList] | None = None
    writing: Future[None] | None = None

    @property
    def listed(self) -> ConstraintList:
        """The constraints about the table in use."""
        return self.constraints.get(self.source.number, ConstraintList()) if self.source else ConstraintList()

    @property
    def asked(self) -> Request:
        """The request of the next run with costs and constraints, without fields that have no effect."""
        constraints = tuple(one.to_json() for one in self.listed.on)
        request, rows = replace(for_its_shape(self.request), constraints=constraints), self.prepared
        if request.max_depth == "any" and depth_switch(request) is None:
            request = replace(request, max_depth=DEFAULTS.max_depth)
        if rows is None:
            return request
        weight = request.min_weight_leaf if rows.train.weight is not None else 0.0
        return replace(request, min_weight_leaf=weight, class_costs=self.costs.get(classes_of(rows)))

    def next_number(self) -> int:
        """A run number that the session has not used."""
        self.numbered = 1 + max([self.numbered, *(run.number for run in self.runs)])
        return self.numbered

    def adopt(self, *runs: Run) -> None:
        """Add runs, each once, and select the last of them; the oldest of the others are released.

        A session keeps the latest runs on its latest tables, so that a day of work does not fill the shared memory.
        Released runs can be reopened from their folders: a run is kept if it is running, has open inquiries, or is not
        stored.
        """
        wanted = {run.job.id for run in runs}
        known = {mine.job.id for mine in self.runs}
        self.runs = [*self.runs, *(run for run in runs if run.job.id not in known)]
        self.current = next(mine.number for mine in self.runs if mine.job.id == runs[-1].job.id)
        held: list[Run] = []
        tables: list[Prepared] = []
        for mine in reversed(self.runs):
            if mine.prepared not in tables:
                tables.append(mine.prepared)
            recent = len(held) < RUNS and len(tables) <= TABLES
            if recent or mine.job.id in wanted or not can_go(mine):
                held.append(mine)
        self.let_go |= len(held) < len(self.runs)
        self.runs = held[::-1]
        rows = [mine.prepared for mine in self.runs]
        self.externals = [pair for pair in self.externals if any(pair[0] is one for one in rows)]


def can_go(run: Run) -> bool:
    """Whether a run has ended, has no open inquiries, and can be reopened from its folder."""
    busy = any(not job.done for job in (run.job, *run.inquiries.values()))
    return not busy and run_files.is_kept(run.job.folder)


def classes_of(rows: Prepared) -> tuple[object, ...]:
    """The key of misclassification costs: the table, its outcome and classes."""
    return rows.source.number, rows.whole.outcome, rows.whole.classes
