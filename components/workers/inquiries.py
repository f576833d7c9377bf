"""Inquiries about a run that a worker answers in the background: conflicts, prices, trade-offs, alternatives."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import streamlit as st
from msgspec import structs

from components.messages.text import plain, seconds
from components.session import run_actions, state
from components.session.work import DEFAULTS, AnyJob, FinishedModel, Run
from components.workers import jobs, second_file
from solvers.errors import EspalierError
from solvers.explain import (
    ExplainConflict,
    Key,
    KnownResult,
    PriceConstraints,
    Task,
    TradeConstraint,
    relaxables_of,
    same_question,
)
from solvers.explain.inquiry import STEP
from solvers.methods import registry
from solvers.posing import method_of
from solvers.problem import Problem
from solvers.run.folder import About

_LONGER = 4
"""Factor on the time limit when a search that was too short is repeated."""


class WorkerInquiry(NamedTuple):
    """A task that a worker can carry out for a run, and its name among the inquiries about the run.

    `problem` and `method` are given if they differ from those of the run; `seconds` is the time limit, by default that
    of the run.
    """

    name: str
    task: Task
    problem: Problem | None = None
    method: str | None = None
    seconds: float | None = None


def why(run: Run) -> WorkerInquiry:
    """Why is there no such model? Each call of the solver may take a twelfth of the time."""
    return WorkerInquiry("conflict", ExplainConflict(max(STEP, run.seconds / 12)))


def prices(run: Run) -> WorkerInquiry:
    """What does each constraint cost? Each may take as long as the run."""
    seconds = run.seconds
    task = PriceConstraints(run.best.solution if run.best else None, seconds)
    return WorkerInquiry("prices", task, seconds=seconds * (len(relaxables_of(run.problem)) + 1))


def trade_off(key: Key, price: float | None = None) -> WorkerInquiry:
    """What would other limits of a constraint cost? With a price of its value: which of them is best?"""
    name = f"trade_off_{key}" if price is None else f"trade_off_{key}_{price:g}"
    return WorkerInquiry(name, TradeConstraint(key, price=price))


def watch(run: Run, draw: Callable[..., None], *, key: str, args: tuple[Any, ...]) -> None:
    """Draw answers repeatedly while inquiries about the run are open or its external file is being read.

    `draw` must not contain a fragment that refreshes itself.
    """
    jobs.watch_while(partial(_busy, run), draw, *args, key=key)


def _busy(run: Run) -> bool:
    return second_file.is_reading(run) or any(not job.done for job in run.inquiries.values())


def answer(run: Run, inquiry: WorkerInquiry) -> Any:
    """The answer so far to an inquiry; `None` if there is none, or if the inquiry was not made.

    While a longer search runs, this is the answer of the previous one.
    """
    rounds = _rounds(run, inquiry)
    known = [found for job in rounds if job.done and (found := job.snapshot().answer) is not None]
    return known[-1] if known else rounds[0].snapshot().answer if rounds else None


def _rounds(run: Run, inquiry: WorkerInquiry) -> list[AnyJob]:
    """The jobs that answer an inquiry, each with more time than the one before."""
    rounds: list[AnyJob] = []
    while (job := run.inquiries.get(_longer(inquiry, len(rounds), run).name)) is not None:
        rounds.append(job)
    return rounds


def _longer(inquiry: WorkerInquiry, rounds: int, run: Run) -> WorkerInquiry:
    """The inquiry with more time for each of its parts and for the whole, after this number of rounds."""
    if not rounds:
        return inquiry
    times = _LONGER**rounds
    task: Any = inquiry.task
    if hasattr(task, "step"):
        task = structs.replace(task, step=times * task.step)
    limit = times * (inquiry.seconds or run.seconds)
    return inquiry._replace(name=f"{inquiry.name} {times}", task=task, seconds=limit)


def is_open(run: Run, inquiry: WorkerInquiry) -> bool:
    """Whether a worker is busy with an inquiry."""
    return any(not job.done for job in _rounds(run, inquiry))


def offer(run: Run, inquiry: WorkerInquiry, label: str, help: str, decided: bool | None = None) -> None:
    """Draw the button that makes an inquiry, its progress, and a button to stop it.

    If the time was too short, another button continues with more time. `decided` says whether nothing is left open; by
    default the answer itself decides.
    """
    rounds = _rounds(run, inquiry)
    name = f"{inquiry.name}_{run.number}"
    if not rounds:
        if st.button(label, key=f"ask_{name}", help=help):
            begin(run, inquiry)
            st.rerun()
        return
    job = rounds[-1]
    snapshot = job.snapshot()
    words = f"{plain(snapshot.text, 200)} {seconds(snapshot.elapsed)}"
    jobs.show(job, words, key=f"halt_{name}")
    if decided is None:
        found = answer(run, inquiry)
        decided = getattr(found, "decided", found is not None)
    if job.done and not decided:
        more = _longer(inquiry, len(rounds), run)
        limit = f"Continues for at most {more.seconds:g} s."
        if st.button("Search longer", key=f"longer_{name}", help=limit, icon=":material/more_time:"):
            begin(run, more)
            st.rerun()


def begin(run: Run, inquiry: WorkerInquiry) -> None:
    """Make an inquiry, once, with all known results of other runs; on an error show why.

    By default the method is the default one or, if that does not support the problem, the run's own; the time limit is
    that of the run.
    """
    if inquiry.name in run.inquiries:
        return
    task: Any = inquiry.task
    if hasattr(task, "known"):
        task = structs.replace(task, known=known_of(run))
    problem, method, options = inquiry.problem or run.problem, inquiry.method or method_of(DEFAULTS), None
    if inquiry.method is None and registry.get(method).check(problem):
        method, options = run.method, run.request.options
    limits = replace(run.limits, seconds=inquiry.seconds or run.seconds)
    about = About(run.job.folder, inquiry.name)
    try:
        run.inquiries[inquiry.name] = run_actions.submit(problem, method, limits, options, task, about)
    except EspalierError as error:
        st.error(plain(error, 500), icon=":material/error:")


def known_of(run: Run) -> tuple[KnownResult, ...]:
    """All results found and proved on the rows of a run, with its objective, each model once.

    These are the best models and results of the session's runs, models that were opened or trained for them, and the
    evidence in answers to inquiries about them.
    """
    found: dict[object, KnownResult] = {}
    for other in state.runs():
        if same_question(other.problem, run.problem):
            for one in _known_from(other):
                found.setdefault((id(one.diagram), one.bound, one.impossible, one.constraints, one.shape), one)
    return tuple(found.values())


def _known_from(run: Run) -> Iterator[KnownResult]:
    problem, snapshot = run.problem, run.job.snapshot()
    if snapshot.solution is not None and (proved := KnownResult.of(problem, snapshot.solution)):
        yield proved
    models = [] if snapshot.diagram is None else [snapshot.diagram]
    beside = [*run.opened.values(), *(model for model in run.trained if isinstance(model, FinishedModel))]
    for diagram in (*models, *(model.diagram for model in beside)):
        if diagram.kind is problem.shape.kind:
            yield KnownResult(problem.shape, diagram=diagram)
    for job in run.inquiries.values():
        yield from getattr(job.snapshot().answer, "evidence", ())
