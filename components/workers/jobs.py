"""Long jobs of a worker for a screen: submitted once under a name, shown with progress, and stoppable.

Results of jobs about a run are also kept in its folder, see `inquiries`.
"""

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

import streamlit as st

from components.messages.text import plain, seconds
from components.session import run_actions, state
from components.session.contained import contain
from components.session.work import AnyJob
from solvers.errors import EspalierError
from solvers.explain import Task
from solvers.posing import method_of
from solvers.problem import Limits, Problem
from solvers.request import Request
from solvers.run.record import Snapshot

_REFRESH_SECONDS = 0.5
_KEPT = 12
"""Number of jobs that a session keeps; a new one cancels the oldest."""


def ask(place: str, name: Hashable, problem: Problem, request: Request, limits: Limits, task: Task) -> None:
    """Let a worker carry out a task with the request's method; if that fails, `trouble` of this place shows why."""
    jobs = state.jobs()
    state.put(f"{place}_trouble", "")
    try:
        job = run_actions.submit(problem, method_of(request), limits, request.options, task)
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
    """Draw why a job could not be submitted."""
    if words := state.get(f"{place}_trouble"):
        st.error(plain(words, 500), icon=":material/error:")


def watch(name: Hashable, draw: Callable[..., None], *args: Any, key: str) -> None:
    """Draw the results so far of a job, refreshed while a worker is busy with it.

    After the job, `draw` is not in a fragment: it may set fields of a form, and a fragment that is redrawn restores
    their old values.
    """
    watch_while(partial(is_busy, name), draw, *args, key=key, free=True)


def watch_while(
    is_busy: Callable[[], bool], draw: Callable[..., None], *args: Any, key: str, free: bool = False
) -> None:
    """Draw something repeatedly while `is_busy` is true, and then the whole screen once more.

    `draw` must not contain a fragment that refreshes itself. If `free`, it is not in a fragment after the end.
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
    """The progress of a job, in Markdown: the parts done, or its current activity if the total is not known yet."""
    words = f"{done} of {parts}, {seconds(shot.elapsed)}"
    return plain(words if of else shot.text, 200)


def stoppable(
    words: str, stop: Callable[[], None], *, key: str, share: float | None = None, help: str | None = None
) -> None:
    """Draw a worker's activity, in Markdown, with a button of this key that stops it; `share`, if given, is done."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if share is None:
            st.caption(words, width="content")
        else:
            st.progress(share, text=words, width="stretch")
        st.button("Stop", key=key, icon=":material/stop_circle:", help=help, on_click=stop)


def show(job: AnyJob, words: str, *, key: str, share: float | None = None) -> None:
    """The same for a running job; if it failed, the reason."""
    if not job.done:
        stoppable(words, job.cancel, key=key, share=share)
    elif error := job.snapshot().error:
        st.error(plain(error, 500), icon=":material/error:")
