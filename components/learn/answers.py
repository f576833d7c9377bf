"""What a worker solves for a lesson: once for each table, kept for the session."""

from collections.abc import Callable

from components.learn.classroom import Classroom, Optimum, optimum_in
from components.session import state
from components.session.work import Design
from components.workers import jobs
from solvers.problem import Limits
from solvers.sweeps.study import Results

_GRACE_SECONDS = 0.4
"""What is solved within a blink is shown at once."""

_LONGEST_SECONDS = 1800.0
_LESSON = "lesson"


def watch(room: Classroom, draw: Callable[[Classroom], None]) -> None:
    """Draw a part of a lesson repeatedly while a worker solves what it asks for.

    `draw` must not contain a fragment that repeats itself.
    """
    name, known = _name(room), state.jobs()
    if room.study is not None and name not in known:
        for other, job in known.items():
            if isinstance(other, tuple) and other[0] == _LESSON:
                job.cancel()
        jobs.ask(_LESSON, name, room.studied, Design(), Limits(seconds=_LONGEST_SECONDS), room.study)
    if jobs.is_busy(name):
        known[name].wait(_GRACE_SECONDS)
    jobs.watch_while(lambda: jobs.is_busy(name), draw, room, key="learn_watch")


def optimum(room: Classroom, key: str) -> Optimum | None:
    """What is known until now of one of the shapes that the part is about; `None` if nothing is."""
    job = state.jobs().get(_name(room))
    answer = None if job is None else job.snapshot().answer
    return optimum_in(answer, key) if isinstance(answer, Results) else None


def trouble(room: Classroom) -> str | None:
    """Why the worker could not answer; `None` if it could, or still works."""
    job = state.jobs().get(_name(room))
    return state.get(f"{_LESSON}_trouble") or None if job is None else job.snapshot().error


def _name(room: Classroom) -> tuple[object, ...]:
    return _LESSON, room.setting.recipe, repr(room.study)
