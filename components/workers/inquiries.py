"""Questions about a run that a worker answers while the user looks on: why, what does it cost, what if."""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, NamedTuple

import streamlit as st

from components.session import state
from components.session.work import AnyJob, Run
from components.words.text import plain, seconds
from components.workers import second_file
from components.workers.known import known_of
from solvers.errors import EspalierError
from solvers.explain import ExplainConflict, Key, PriceConstraints, Task, TradeConstraint
from solvers.language import numeral, tr, translation
from solvers.problem import Problem

_REFRESH_SECONDS = 0.5

_LONGER = 4
"""So many times as long as before is looked for what was not decided in time."""


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
    """What is known of a question until now; `None` where nothing is, or where it was not asked.

    While it is looked for longer, that is what was known before.
    """
    known = [job.snapshot().answer for job in _rounds(run, question) if job.done]
    first = run.inquiries.get(question.name)
    known = [found for found in known if found is not None]
    return known[-1] if known else None if first is None else first.snapshot().answer


def _rounds(run: Run, question: WorkerInquiry) -> list[AnyJob]:
    """The jobs that answer a question, each with more time than the one before."""
    jobs: list[AnyJob] = []
    while (job := run.inquiries.get(_longer(question, len(jobs), run).name)) is not None:
        jobs.append(job)
    return jobs


def _longer(question: WorkerInquiry, rounds: int, run: Run) -> WorkerInquiry:
    """The question with more time for each of its parts and for the whole, after so many rounds."""
    if not rounds:
        return question
    times = _LONGER**rounds
    task: Any = question.task
    if hasattr(task, "step"):
        task = replace(task, step=times * task.step)
    limit = times * (question.seconds or run.design.seconds)
    return question._replace(name=f"{question.name} {times}", task=task, seconds=limit)


def is_open(run: Run, question: WorkerInquiry) -> bool:
    """Whether a worker is busy with a question."""
    return any(not job.done for job in _rounds(run, question))


def offer(run: Run, question: WorkerInquiry, label: str, help: str, decided: bool | None = None) -> None:
    """Draw the button that asks a question, how far the answer is, and a way to stop it.

    Where time was too short, another button looks longer, from what is known on. `decided` says whether something was
    left open; by default the answer itself does, if it can.
    """
    jobs = _rounds(run, question)
    name = f"{question.name}_{run.number}"
    if not jobs:
        if st.button(label, key=f"ask_{name}", help=help):
            begin(run, question)
            st.rerun()
        return
    job = jobs[-1]
    snapshot = job.snapshot()
    if snapshot.error:
        st.error(plain(translation(snapshot.error), 500), icon=":material/error:")
    elif not job.done:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"{plain(translation(snapshot.text), 200)} {seconds(snapshot.elapsed)}", width="content")
            st.button(tr("Stop"), key=f"halt_{name}", icon=":material/stop_circle:", on_click=job.cancel)
        return
    if decided is None:
        found = answer(run, question)
        decided = found is not None and getattr(found, "decided", True)
    if job.done and not decided:
        more = _longer(question, len(jobs), run)
        limit = tr("In at most {seconds} s. What is known already is kept.", seconds=numeral(more.seconds, "g"))
        if st.button(tr("Look longer"), key=f"longer_{name}", help=limit, icon=":material/more_time:"):
            begin(run, more)
            st.rerun()


def begin(run: Run, question: WorkerInquiry) -> None:
    """Ask a question, once, with all that is known besides; on an error say why."""
    task: Any = question.task
    if any(field.name == "known" for field in fields(task)):
        task = replace(task, known=known_of(run))
    try:
        state.inquire(run, question.name, task, question.problem, question.method, question.seconds)
    except EspalierError as error:
        st.error(plain(error, 500), icon=":material/error:")
