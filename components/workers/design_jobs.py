"""What a worker finds out about the design before it is solved: asked once for each question, watched, and stopped."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from components.session import ownership, state
from components.session.work import AnyJob, Design
from components.words.text import plain, seconds
from components.workers import job_progress
from solvers.errors import EspalierError, UnsupportedError
from solvers.explain import Task
from solvers.methods import registry
from solvers.problem import Limits, Problem
from solvers.run.record import Snapshot
from solvers.settings import settings

_KEPT = 8


def watch(name: str, inquiry: str, draw: Callable[..., None], *args: Any) -> None:
    """Draw what is known of an inquiry, again and again while a worker is busy with it; `name` is that of the place.

    Once it is over, `draw` stands in no fragment: what sets fields of the form must not, since a fragment that is drawn
    again brings their old values.
    """
    job_progress.watch(partial(is_busy, inquiry), draw, *args, key=f"{name}_watch", free=True)


def is_busy(inquiry: str) -> bool:
    """Whether a worker is busy with an inquiry."""
    job = state.design_jobs().get(inquiry)
    return job is not None and not job.done


def progress_words(shot: Snapshot, done: int, of: int, parts: str) -> str:
    """How far a job is, in Markdown: what is done of its parts, or what it does where these are not known yet."""
    words = f"{done} of {parts}, {seconds(shot.elapsed)}"
    return plain(words if of else shot.text, 200)


def progress(name: str, job: AnyJob, shot: Snapshot, done: int, of: int, parts: str) -> None:
    """Draw how far a job is, with a way to stop it, or why it failed."""
    job_progress.show(job, progress_words(shot, done, of, parts), key=f"{name}_stop", share=done / max(of, 1))


def ask(name: str, inquiry: str, problem: Problem, design: Design, limits: Limits, task: Task) -> None:
    """Have a worker find it out with the design's method; where it cannot be asked, `trouble` tells why."""
    jobs = state.design_jobs()
    state.put(f"{name}_trouble", "")
    try:
        if refused := registry.get(design.method, **design.options).check(problem):
            raise UnsupportedError(" ".join(str(reason) for reason in refused))
        job = state.pool().submit(
            problem, design.method, settings().within(limits), task, design.options, ownership.owner()
        )
    except EspalierError as error:
        state.put(f"{name}_trouble", str(error))
        return
    for old in list(jobs)[: max(0, len(jobs) - _KEPT + 1)]:
        jobs.pop(old).cancel()
    jobs[inquiry] = job


def trouble(name: str) -> None:
    """Draw why it could not be asked."""
    if words := state.get(f"{name}_trouble"):
        st.error(plain(words, 500), icon=":material/error:")
