"""What a session knows besides the values of its widgets. No Streamlit in here."""

from __future__ import annotations

from dataclasses import dataclass, field

from components.wishes import Wishes
from components.work import DataChoices, Design, Prepared, Run, Source
from solvers.problem import External
from solvers.problem.objective import ClassCosts


@dataclass(frozen=True)
class Editor:
    """What the wish editor is open for.

    Attributes
    ----------
    number : the wish that is changed; `None` for a new one.
    key : differs each time the editor is opened, so that its fields start afresh.
    """

    number: int | None
    key: str


@dataclass
class Session:
    """What a session knows besides the values of its widgets.

    It is one object because Streamlit may end a script at any access to `st.session_state`, when the user clicks again:
    what belongs together is changed in plain attributes of this object, all of it or nothing.

    Attributes
    ----------
    source : the table in use.
    choices, prepared, trouble : what was decided about it, the rows made from it, or why they could not be made.
    design : the size, method and limits of the next run.
    costs : what mistakes cost, by table, outcome and classes.
    wishes : what the tree must keep, by table.
    editor, opened : what the wish editor is open for, and how often it was opened.
    runs, current : the runs, and the number of the one that Inspect and Compare show.
    externals : the second files, each with the rows of the first file that it stands beside.
    nodes : the chosen node of each model.
    page, visit : the screen, and how often it changed.
    pressed : the button whose press still waits to be acted on.
    """

    source: Source | None = None
    choices: DataChoices | None = None
    prepared: Prepared | None = None
    trouble: str | None = None
    design: Design = field(default_factory=Design)
    costs: dict[tuple, ClassCosts | None] = field(default_factory=dict)
    wishes: dict[int, Wishes] = field(default_factory=dict)
    editor: Editor | None = None
    opened: int = 0
    runs: list[Run] = field(default_factory=list)
    current: int | None = None
    externals: list[tuple[Prepared, External]] = field(default_factory=list)
    nodes: dict[str, int] = field(default_factory=dict)
    page: str = ""
    visit: int = 0
    pressed: str | None = None
