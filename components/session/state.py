"""What a session holds, and the values of its widgets: read by all screens, changed by `next_run` and `run_actions`."""

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import streamlit as st

from components.session.constraint_list import ConstraintList
from components.session.memory import Session
from components.session.stale_widgets import forget_widgets
from components.session.work import AnyJob, Design, Prepared, Run
from solvers.problem import Dataset, External
from solvers.run import WorkerPool
from solvers.settings import settings

_KEY = "_session"
INSPECTED = "inspect"
"""The key under which the session has the tab of Inspect that is open."""


def session() -> Session:
    """All that the session knows besides the values of its widgets."""
    return st.session_state.setdefault(_KEY, Session())


@st.cache_resource(show_spinner=False)
def pool() -> WorkerPool:
    """The worker processes, shared by all sessions; they end with the dashboard."""
    chosen = settings()
    return WorkerPool(chosen.runs, max_running=chosen.max_running)


def enter(page: str) -> None:
    """Note which screen is shown; `visit` changes whenever another one is entered."""
    held = session()
    held.dialog = False
    if held.page != page:
        held.page, held.visit, held.pressed = page, held.visit + 1, None
        held.editor = None
        forget_widgets()


def visit() -> int:
    """Counts the changes of the screen."""
    return session().visit


def press(key: str) -> None:
    """Note that a button was pressed, as its `on_click`.

    The value of a button is True in one run of the script only, and that run is lost if something else on the screen
    starts the next one before the button is reached. A press that is noted waits until it is acted on.
    """
    session().pressed = key


def pressed(key: str) -> bool:
    """Whether a button was pressed; true once."""
    held = session()
    if held.pressed != key:
        return False
    held.pressed = None
    return True


def press_waits() -> bool:
    """Whether a press was noted on which nothing has acted yet."""
    return session().pressed is not None


def design_key(*name: str) -> str:
    """The key of the widget that asks for a field of the design, or for an option: 'option', the method, its name."""
    return "_".join(("design", *name))


def model_key(run: Run) -> str:
    """The key under which the session has which model of a run Inspect shows."""
    return f"model_{run.number}"


def first(key: str, value: Any) -> str:
    """Give a widget its first value and return its key; a value that the user has set stays."""
    if key not in st.session_state:
        st.session_state[key] = value
    return key


def put(key: str, value: Any) -> None:
    """Set the value of a widget before it is drawn (in a callback, or above it)."""
    st.session_state[key] = value


def get(key: str, default: Any = None) -> Any:
    """The value of a widget, or what a component has put aside."""
    return st.session_state.get(key, default)


def prepared() -> Prepared | None:
    """The rows that a run would use; `None` without a table, an outcome, or where `trouble` stands against it."""
    return session().prepared


def design() -> Design:
    """What is asked of the next run, as far as the rows in use know it: size, costs, constraints, limits."""
    held, rows = session(), session().prepared
    if rows is None:
        return held.design
    weight = held.design.min_weight_leaf if rows.train.weight is not None else 0.0
    return replace(
        held.design,
        min_weight_leaf=weight,
        class_costs=held.costs.get(classes_of(rows)),
        constraints=constraints().on,
    )


def classes_of(rows: Prepared) -> tuple[object, ...]:
    """What costs of mistakes belong to: the table, its outcome and classes."""
    return rows.source.number, rows.whole.outcome, rows.whole.classes


def constraints() -> ConstraintList:
    """The constraints about the table in use."""
    held = session()
    return held.constraints.get(held.source.number, ConstraintList()) if held.source else ConstraintList()


def jobs() -> dict[Hashable, AnyJob]:
    """What workers were asked that is about no run, by its name, see `components.workers.jobs`."""
    return session().jobs


def runs() -> list[Run]:
    """The runs of the session, oldest first."""
    return session().runs


def current_run() -> Run | None:
    """The run that Inspect and Compare show; `None` before the first."""
    return next((run for run in session().runs if run.number == session().current), None)


def external(run: Run) -> Dataset | None:
    """The rows of the second file beside those of a run, of the kind of `prepared.test`; `None` without a file."""
    second = external_file(run)
    return None if second is None else second.dataset


def external_file(run: Run) -> External | None:
    """The second file beside the rows of a run, with what was left out of it; `None` without one."""
    return next((second for prepared, second in session().externals if prepared is run.prepared), None)


def node(model: str) -> int:
    """The node of a model that is being looked at; the root until another one is chosen."""
    return session().nodes.get(model, 0)


def choose_node(model: str, number: int) -> None:
    """Look at another node of a model."""
    session().nodes[model] = number


def dark() -> bool:
    """Whether the screen is in the dark theme."""
    return st.context.theme.type == "dark"
