"""Long work of a worker for a screen: asked once under a name, watched while the user looks on, and stopped.

What is asked about a run is kept in its folder as well, see `inquiries`.
"""

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

import streamlit as st

from components.messages.text import plain, seconds
from components.session import run_actions, state
from components.session.contained import contain
from components.session.work import AnyJob, Design
from solvers.errors import EspalierError
from solvers.explain import Task
from solvers.problem import Limits, Problem
from solvers.run.record import Snapshot

_REFRESH_SECONDS = 0.5
_KEPT = 12
"""Jobs of a session that are kept; the oldest is ended when there are more."""


def ask(place: str, name: Hashable, problem: Problem, design: Design, limits: Limits, task: Task) -> None:
    """Have a worker answer a task with the design's method; if that fails, `trouble` of this place says why."""
    jobs = state.jobs()
    state.put(f"{place}_trouble", "")
    try:
        job = run_actions.submit(problem, design.method, limits, design.options, task)
    except EspalierError as error:
        state.put(f"{place}_trouble", str(error))
        return
    for old in list(jobs)[: max(0, len(jobs) - _KEPT + 1)]:
        jobs.pop(old).cancel()
    jobs[name] = job


def is_busy(name: Hashable) -> bool:
    """Whether a worker is busy with the job of this name."""
    job = state.jobs().get(name)
    return job is not None and not job.done


def trouble(place: str) -> None:
    """Draw why a job could not be asked for."""
    if words := state.get(f"{place}_trouble"):
        st.error(plain(words, 500), icon=":material/error:")


def watch(name: Hashable, draw: Callable[..., None], *args: Any, key: str) -> None:
    """Draw what is known of a job, again and again while a worker is busy with it.

    Once it is over, `draw` is in no fragment: what sets fields of a form must not be in one, because a fragment that is
    drawn again brings back their old values.
    """
    watch_while(partial(is_busy, name), draw, *args, key=key, free=True)


def watch_while(
    is_busy: Callable[[], bool], draw: Callable[..., None], *args: Any, key: str, free: bool = False
) -> None:
    """Draw something, again and again while `is_busy` says so, and then the whole screen once more.

    `draw` must not contain a fragment that repeats itself. If `free`, it is in no fragment once it is over.
    """
    busy, draw = is_busy(), contain(draw)

    def watched() -> None:
        if busy and not is_busy():
            st.rerun()
        draw(*args)

    if free and not busy:
        watched()
    else:
        st.fragment(watched, run_every=_REFRESH_SECONDS if busy else None, key=key)()


def describe_progress(shot: Snapshot, done: int, of: int, parts: str) -> str:
    """How far a job is, in Markdown: the parts that are done, or what it does if these are not known yet."""
    words = f"{done} of {parts}, {seconds(shot.elapsed)}"
    return plain(words if of else shot.text, 200)


def stoppable(
    words: str, stop: Callable[[], None], *, key: str, share: float | None = None, help: str | None = None
) -> None:
    """Draw what a worker does, in Markdown, with a button of this key that stops it; `share` of it is done if given."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if share is None:
            st.caption(words, width="content")
        else:
            st.progress(share, text=words, width="stretch")
        st.button("Stop", key=key, icon=":material/stop_circle:", help=help, on_click=stop)


def show(job: AnyJob, words: str, *, key: str, share: float | None = None) -> None:
    """The same for a job while it works; once it has failed, why."""
    if not job.done:
        stoppable(words, job.cancel, key=key, share=share)
    elif error := job.snapshot().error:
        st.error(plain(error, 500), icon=":material/error:")
