"""What a worker finds out about the design before it is solved: asked once for each question, watched, and stopped."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from components.session import ownership, state
from components.session.work import AnyJob, Design
from components.words.text import plain, seconds
from solvers.errors import EspalierError, UnsupportedError
from solvers.explain import Task
from solvers.language import tr, translation
from solvers.methods import registry
from solvers.problem import Limits, Problem
from solvers.run.record import Snapshot
from solvers.settings import settings

_REFRESH_SECONDS = 0.5
_KEPT = 8


def watch(name: str, question: str, draw: Callable[..., None], *args: Any) -> None:
    """Draw what is known of a question, again and again while a worker is busy with it; `name` is that of the place.

    Once it is over, `draw` stands in no fragment: what sets fields of the form must not, since a fragment that is drawn
    again brings their old values.
    """
    if _busy(question):
        st.fragment(_watched, run_every=_REFRESH_SECONDS, key=f"{name}_watch")(question, draw, args)
    else:
        draw(*args)


def _busy(question: str) -> bool:
    job = state.design_jobs().get(question)
    return job is not None and not job.done


def _watched(question: str, draw: Callable[..., None], args: tuple[Any, ...]) -> None:
    if not _busy(question):
        st.rerun()
    draw(*args)


def progress(name: str, job: AnyJob, shot: Snapshot, done: int, of: int, parts: str) -> None:
    """Draw how far a job is, with a way to stop it, or why it failed."""
    if not job.done:
        with st.container(horizontal=True, vertical_alignment="center"):
            words = (
                tr("{done} of {parts}, {elapsed}", done=done, parts=parts, elapsed=seconds(shot.elapsed))
                if of
                else translation(shot.text)
            )
            st.progress(done / max(of, 1), text=plain(words, 200), width="stretch")
            st.button(tr("Stop"), key=f"{name}_stop", icon=":material/stop_circle:", on_click=job.cancel)
    elif shot.error:
        st.error(plain(translation(shot.error), 500), icon=":material/error:")


def ask(name: str, question: str, problem: Problem, design: Design, limits: Limits, task: Task) -> None:
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
    jobs[question] = job


def trouble(name: str) -> None:
    """Draw why it could not be asked."""
    if words := state.get(f"{name}_trouble"):
        st.error(plain(words, 500), icon=":material/error:")
