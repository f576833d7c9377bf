"""The only module that touches the session's state: what the user has loaded, chosen, run, and is looking at."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from importlib import import_module
from typing import Any

import streamlit as st

from components.work import DataChoices, Design, Prepared, Run, Source, prepare
from solvers.errors import EspalierError, UnsupportedError
from solvers.methods import registry
from solvers.problem import Sample, Table, infer_columns, suggest_outcome
from solvers.run import WorkerPool

_SOURCE, _CHOICES, _PREPARED, _PROBLEM, _DESIGN = "_source", "_choices", "_prepared", "_problem", "_design"
_RUNS, _RUN, _NODE, _PAGE, _VISIT = "_runs", "_run", "_node", "_page", "_visit"


@st.cache_resource(show_spinner=False)
def pool() -> WorkerPool:
    """The worker processes, shared by all sessions; they end with the dashboard."""
    threading.Thread(target=_preload, name="preload", daemon=True).start()
    return WorkerPool(max_running=max(1, min(4, os.cpu_count() or 1)))


def _preload() -> None:
    """Import what the first run needs while the user still looks at the data, so that its panel is there at once.

    The first figure of a process takes plotly a third of a second, the later ones a hundredth.
    """
    for name in ("graphviz", "sklearn.model_selection", "sklearn.tree"):
        import_module(name)
    from components.facts import Curve
    from components.figures import live_curve

    live_curve(Curve(((0.0, 1.0),), ((0.0, 0.0),), 1.0, False, ""), dark=False)


def enter(page: str) -> None:
    """Note which screen is shown; `visit` changes whenever another one is entered."""
    if st.session_state.get(_PAGE) != page:
        st.session_state[_PAGE] = page
        st.session_state[_VISIT] = st.session_state.get(_VISIT, 0) + 1


def visit() -> int:
    """Counts the changes of the screen."""
    return st.session_state.get(_VISIT, 0)


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


def source() -> Source | None:
    """The table in use."""
    return st.session_state.get(_SOURCE)


def load(table: Table, sample: Sample | None = None) -> Source:
    """Take a table into use; the choices about the former one are dropped, its runs stay.

    Raises
    ------
    DataError
        Its columns cannot be recognised; the former table stays in use.
    """
    reports = infer_columns(table)
    outcome = sample.outcome if sample else suggest_outcome(table, reports)
    former = source()
    loaded = Source(1 if former is None else former.number + 1, table, reports, outcome, sample)
    st.session_state[_SOURCE] = loaded
    for key in (_CHOICES, _PREPARED, _PROBLEM):
        st.session_state.pop(key, None)
    if sample:
        set_design(replace(design(), depth=sample.depth, leaves=None))
        put("design_depth", sample.depth)
        put("design_limit_leaves", False)
    return loaded


def choose(choices: DataChoices) -> None:
    """Note the choices of the Data screen and build the rows; `trouble` says what stands against it."""
    if st.session_state.get(_CHOICES) == choices:
        return
    st.session_state[_CHOICES] = choices
    st.session_state[_PREPARED], st.session_state[_PROBLEM] = None, None
    try:
        st.session_state[_PREPARED] = prepare(source(), choices)
    except EspalierError as error:
        st.session_state[_PROBLEM] = str(error)


def prepared() -> Prepared | None:
    """The rows that a run would use; `None` without a table, an outcome, or where `trouble` stands against it."""
    return st.session_state.get(_PREPARED)


def trouble() -> str | None:
    """Why the table cannot be used as chosen, in a sentence for the user."""
    return st.session_state.get(_PROBLEM)


def design() -> Design:
    """The size, method and limits of the next run."""
    return st.session_state.get(_DESIGN, Design())


def set_design(value: Design) -> None:
    """Note the design of the next run."""
    st.session_state[_DESIGN] = value


def runs() -> list[Run]:
    """The runs of the session, oldest first."""
    return st.session_state.setdefault(_RUNS, [])


def start_run() -> Run:
    """Send the prepared rows and the design to a worker, and look at this run from now on.

    Raises
    ------
    EspalierError
        The method cannot take the problem, or the run cannot be started.
    """
    rows, plan = prepared(), design()
    problem = plan.problem(rows)
    refused = registry.get(plan.method).check(problem)
    if refused:
        raise UnsupportedError(" ".join(str(reason) for reason in refused))
    job = pool().submit(problem, plan.method, plan.limits)
    run = Run(len(runs()) + 1, rows, plan, problem, job)
    runs().append(run)
    look_at(run)
    return run


def look_at(run: Run) -> None:
    """Choose the run that Inspect and Compare show."""
    st.session_state[_RUN] = run.number


def current_run() -> Run | None:
    """The run that Inspect and Compare show; `None` before the first."""
    number = st.session_state.get(_RUN)
    return next((run for run in runs() if run.number == number), None)


def node(model: str) -> int:
    """The node of a model that is being looked at; the root until another one is chosen."""
    return st.session_state.get(_NODE, {}).get(model, 0)


def choose_node(model: str, number: int) -> None:
    """Look at another node of a model."""
    st.session_state.setdefault(_NODE, {})[model] = number


def dark() -> bool:
    """Whether the screen is in the dark theme."""
    return st.context.theme.type == "dark"
