"""Questions about a run that a worker answers while the user looks on: why, what does it cost, what if."""

from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st

from components.session import state
from components.session.work import Run
from components.words.text import plain, seconds
from components.workers import second_file
from solvers.errors import EspalierError
from solvers.explain import ExplainConflict, Key, PriceConstraints, Task, TradeConstraint
from solvers.problem import Problem

_REFRESH_SECONDS = 0.5


class WorkerInquiry(NamedTuple):
    """Something that a worker can be asked about a run, and its name among the questions about it.

    Where it is about another problem than that of the run, `problem` and `method` say about which, and who is asked;
    `seconds` is the time that it may take, by default that of the run.
    """

    name: str
    task: Task
    problem: Problem | None = None
    method: str | None = None
    seconds: float | None = None


def why() -> WorkerInquiry:
    """Why is there no such model?"""
    return WorkerInquiry("conflict", ExplainConflict())


def prices(run: Run) -> WorkerInquiry:
    """What does each constraint cost?"""
    return WorkerInquiry("prices", PriceConstraints(run.best.solution if run.best else None))


def trade_off(key: Key) -> WorkerInquiry:
    """What would other limits of a constraint cost?"""
    return WorkerInquiry(f"trade_off_{key}", TradeConstraint(key))


def watch(run: Run, draw: Callable[..., None], *, key: str, args: tuple[Any, ...]) -> None:
    """Draw something that shows answers, again and again while questions about the run are open or its file is read.

    `draw` must not contain a fragment that repeats itself.
    """
    busy = _busy(run)
    st.fragment(_watched, run_every=_REFRESH_SECONDS if busy else None, key=key)(run, busy, draw, args)


def _watched(run: Run, was_busy: bool, draw: Callable[..., None], args: tuple[Any, ...]) -> None:
    if was_busy and not _busy(run):
        st.rerun()
    draw(*args)


def _busy(run: Run) -> bool:
    return second_file.is_reading(run) or any(not job.done for job in run.inquiries.values())


def answer(run: Run, question: WorkerInquiry) -> Any:
    """What is known of a question until now; `None` where nothing is, or where it was not asked."""
    job = run.inquiries.get(question.name)
    return None if job is None else job.snapshot().answer


def is_open(run: Run, question: WorkerInquiry) -> bool:
    """Whether a worker is busy with a question."""
    job = run.inquiries.get(question.name)
    return job is not None and not job.done


def offer(run: Run, question: WorkerInquiry, label: str, help: str) -> None:
    """Draw the button that asks a question, how far the answer is, and a way to stop it."""
    job = run.inquiries.get(question.name)
    name = f"{question.name}_{run.number}"
    if job is None:
        if st.button(label, key=f"ask_{name}", help=help):
            begin(run, question)
            st.rerun()
        return
    snapshot = job.snapshot()
    if snapshot.error:
        st.error(plain(snapshot.error, 500), icon=":material/error:")
    elif not job.done:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"{plain(snapshot.text, 200)} {seconds(snapshot.elapsed)}", width="content")
            st.button("Stop", key=f"halt_{name}", icon=":material/stop_circle:", on_click=job.cancel)


def begin(run: Run, question: WorkerInquiry) -> None:
    """Ask a question, once; on an error say why."""
    try:
        state.inquire(run, question.name, question.task, question.problem, question.method, question.seconds)
    except EspalierError as error:
        st.error(plain(error, 500), icon=":material/error:")
