"""Worker results for a lesson: computed once for each table, kept for the session."""

from collections.abc import Callable

from components.learn.classroom import Classroom, Optimum, optimum_in
from components.session import state
from components.session.work import DEFAULTS
from components.workers import jobs
from solvers.problem import Limits
from solvers.study.study import StudyProgress

_GRACE_SECONDS = 0.4
"""Seconds to wait, so that quick results are shown at once."""

_LONGEST_SECONDS = 1800.0
_LESSON = "lesson"


def watch(room: Classroom, draw: Callable[[Classroom], None]) -> None:
    """Draw a part of a lesson repeatedly while a worker solves its models.

    `draw` must not contain a fragment that refreshes itself.
    """
    name, known = _name(room), state.jobs()
    if room.study is not None and name not in known:
        for other, job in known.items():
            if isinstance(other, tuple) and other[0] == _LESSON:
                job.cancel()
        jobs.ask(_LESSON, name, room.studied, DEFAULTS, Limits(seconds=_LONGEST_SECONDS), room.study)
    if jobs.is_busy(name):
        known[name].wait(_GRACE_SECONDS)
    jobs.watch_while(lambda: jobs.is_busy(name), draw, room, key="learn_watch")


def optimum(room: Classroom, key: str) -> Optimum | None:
    """The result so far for one of the shapes of the part; `None` if there is none."""
    job = state.jobs().get(_name(room))
    answer = None if job is None else job.snapshot().answer
    return optimum_in(answer.results, key) if isinstance(answer, StudyProgress) and answer.results else None


def trouble(room: Classroom) -> str | None:
    """Why the worker failed; `None` if it succeeded or is still running."""
    job = state.jobs().get(_name(room))
    return state.get(f"{_LESSON}_trouble") or None if job is None else job.snapshot().error


def _name(room: Classroom) -> tuple[object, ...]:
    return _LESSON, room.setting.recipe, repr(room.study)
