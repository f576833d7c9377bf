"""What a session knows besides the values of its widgets. No Streamlit in here."""

from collections.abc import Hashable
from dataclasses import dataclass, field

from components.session import run_files
from components.session.constraint_list import ConstraintList
from components.session.work import AnyJob, DataChoices, Design, Prepared, Run, Source
from solvers.problem import External
from solvers.problem.objective import ClassCosts

TABLES, RUNS = 3, 12
"""How many tables a session holds with their runs, and how many runs, each with all that was worked out about it."""


@dataclass
class Session:
    """What a session knows besides the values of its widgets.

    It is one object because Streamlit may end a script at any access to `st.session_state`, when the user clicks again:
    what belongs together is changed in plain attributes of this object, all of it or nothing.

    Attributes
    ----------
    source : the table in use.
    choices, prepared, trouble : what was decided about it, the rows made from it, or why they could not be made.
    design, first_design : the size, method and limits of the next run; those with which the table in use began.
    recommended : the fields of the design that a recommendation set, each with its value and the one before.
    costs : what mistakes cost, by table, outcome and classes.
    constraints : what the tree must keep, by table.
    editor, opened : the constraint that the editor is open for (0: a new one), and how often it was opened.
    jobs : what workers were asked that is about no run, by its name.
    awaited_size : the one about the size of the tree for which the next run waits.
    runs, current : the runs, and the number of the one that Inspect and Compare show.
    numbered, let_go : the last number of a run, and whether some runs are not held any more.
    externals : the second files, each with the rows of the first file that it stands beside.
    nodes : the chosen node of each model.
    page, visit : the screen, and how often it changed.
    pressed : the button whose press still waits to be acted on.
    dialog : whether this run of the script opens a dialog.
    """

    source: Source | None = None
    choices: DataChoices | None = None
    prepared: Prepared | None = None
    trouble: str | None = None
    design: Design = field(default_factory=Design)
    first_design: Design = field(default_factory=Design)
    recommended: dict[str, tuple[object, object]] = field(default_factory=dict)
    costs: dict[tuple[object, ...], ClassCosts | None] = field(default_factory=dict)
    constraints: dict[int, ConstraintList] = field(default_factory=dict)
    editor: int | None = None
    opened: int = 0
    jobs: dict[Hashable, AnyJob] = field(default_factory=dict)
    awaited_size: str | None = None
    runs: list[Run] = field(default_factory=list)
    numbered: int = 0
    let_go: bool = False
    current: int | None = None
    externals: list[tuple[Prepared, External]] = field(default_factory=list)
    nodes: dict[str, int] = field(default_factory=dict)
    page: str = ""
    visit: int = 0
    pressed: str | None = None
    dialog: bool = False

    def next_number(self) -> int:
        """A number that no run of the session had."""
        self.numbered = 1 + max([self.numbered, *(run.number for run in self.runs)])
        return self.numbered

    def adopt(self, *runs: Run) -> None:
        """Take runs in, each once, and look at the last of them; of the others the oldest are let go.

        A session holds the runs of its last tables, and of these the last runs, so that a day of work does not fill
        the memory that all share. What it lets go can be opened again from its folder: nothing is let go that is at
        work, is asked about, or is not written.
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
    """Whether a run is over, nothing is asked about it any more, and it can be opened again from its folder."""
    busy = any(not job.done for job in (run.job, *run.inquiries.values()))
    return not busy and run_files.is_kept(run.job.folder)
