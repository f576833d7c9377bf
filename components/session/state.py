"""The session state and the values of its widgets: read by all screens, changed by `next_run` and `run_actions`."""

from collections.abc import Hashable
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from components.session.constraint_list import ConstraintList
from components.session.memory import Session
from components.session.work import AnyJob, Prepared, Run
from solvers.problem import Built, Dataset
from solvers.request import Request
from solvers.run import WorkerPool
from solvers.settings import settings

_KEY = "_session"
INSPECTED = "inspect"
"""State key of the open tab of Inspect."""
EXPORT = "Export"
"""The tab of Inspect with the report."""


def session() -> Session:
    """All session data except the values of its widgets."""
    return st.session_state.setdefault(_KEY, Session())


@st.cache_resource(show_spinner=False)
def pool() -> WorkerPool:
    """The worker processes, shared by all sessions; they end with the dashboard."""
    chosen = settings()
    return WorkerPool(chosen.runs, max_running=chosen.max_running)


def enter(page: str) -> None:
    """Record which screen is shown; `visit` changes whenever another one is entered."""
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
    """Record that a button was pressed, as its `on_click`.

    The value of a button is True in only one run of the script. That run is lost if something else on the screen starts
    the next one before the button is reached. A recorded press waits until it is handled.
    """
    session().pressed = key


def pressed(key: str) -> bool:
    """Whether a button was pressed; True only once."""
    held = session()
    if held.pressed != key:
        return False
    held.pressed = None
    return True


def press_waits() -> bool:
    """Whether a recorded press is still unhandled."""
    return session().pressed is not None


def design_key(*name: str) -> str:
    """The key of the widget for a field of the request, or for a method option: 'option', the method, its name."""
    return "_".join(("design", *name))


def model_key(run: Run) -> str:
    """State key of the model of a run that Inspect shows."""
    return f"model_{run.number}"


def preview_key(run: Run) -> str:
    """State key of whether the report of a run is shown."""
    return f"report_{run.number}_preview"


def first(key: str, value: Any) -> str:
    """Give a widget its initial value and return its key; a value that the user has set stays."""
    if key not in st.session_state:
        st.session_state[key] = value
    return key


def put(key: str, value: Any) -> None:
    """Set the value of a widget before it is drawn (in a callback, or earlier in the script)."""
    st.session_state[key] = value


def get(key: str, default: Any = None) -> Any:
    """The value of a widget, or a value stored by a component."""
    return st.session_state.get(key, default)


def prepared() -> Prepared | None:
    """The rows that a run would use; `None` without a table or an outcome, or if there is `trouble`."""
    return session().prepared


def asked() -> Request:
    """The request of the next run with the costs and constraints for the rows in use."""
    return session().asked


def constraints() -> ConstraintList:
    """The constraints about the table in use."""
    return session().listed


def jobs() -> dict[Hashable, AnyJob]:
    """Worker jobs that do not belong to a run, by name; see `components.workers.jobs`."""
    return session().jobs


def runs() -> list[Run]:
    """The runs of the session, oldest first."""
    return session().runs


def current_run() -> Run | None:
    """The run that Inspect and Compare show; `None` before the first."""
    return next((run for run in session().runs if run.number == session().current), None)


def external(run: Run) -> Dataset | None:
    """The external rows for a run, of the kind of `prepared.test`; `None` without an external file."""
    second = external_file(run)
    return None if second is None else second.dataset


def external_file(run: Run) -> Built | None:
    """The external file for the rows of a run, with a list of what was left out; `None` without one."""
    return next((second for prepared, second in session().externals if prepared is run.prepared), None)


def node(model: str) -> int:
    """The selected node of a model, initially the root."""
    return session().nodes.get(model, 0)


def choose_node(model: str, number: int) -> None:
    """Select a node of a model."""
    session().nodes[model] = number


def dark() -> bool:
    """Whether the screen is in the dark theme."""
    return st.context.theme.type == "dark"


def forget_widgets() -> None:
    """Drop what Streamlit keeps of the session's widgets that are neither on the screen nor have a value.

    Streamlit removes their values, but keeps a record of every widget that ever existed, with its options and
    callbacks. A session that opens many runs, each with its own fields, would grow with each run. A widget that returns
    is recorded again. This uses internals of Streamlit, which has no public function for it: if another version
    differs, nothing is dropped, and `tests/pages/test_memory.py` fails.
    """
    context = get_script_run_ctx()
    if context is None:
        return
    try:
        state = context.session_state._state
        widgets, keys = state._new_widget_state, state._key_id_mapper
        known, values = widgets.widget_metadata, {*widgets.states, *state._old_state}
        names, numbers = keys._key_id_mapping, keys._id_key_mapping
    except AttributeError:
        return
    for widget in [one for one in known if one not in values]:
        del known[widget]
        name = numbers.pop(widget, None)
        if name is not None and names.get(name) == widget:
            del names[name]
