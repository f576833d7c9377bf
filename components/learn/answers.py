"""What a worker solves for a class, while the screen goes on: asked once for each table, kept for the session."""

from collections.abc import Callable
from typing import Any

from components.learn.classroom import Classroom
from components.session import ownership, state
from components.workers import job_progress
from solvers.problem import Limits
from solvers.run import Job
from solvers.teaching import Optima, ShapeOptimum, SolveShapes

_JOBS = "_learn_jobs"
_KEPT = 12
_GRACE_SECONDS = 0.4
"""What is solved within a blink is shown at once."""

_LONGEST_SECONDS = 1800.0


def watch(room: Classroom, draw: Callable[..., None], *args: Any) -> None:
    """Draw a part of a lesson again and again while a worker is busy for it.

    `draw` takes the class and `args`; it must not contain a fragment that repeats itself.
    """
    job = _begin(room) if room.asks else None
    if job is not None and not job.done:
        job.wait(_GRACE_SECONDS)
    job_progress.watch(lambda: job is not None and not job.done, draw, room, *args, key="learn_watch")


def optimum(room: Classroom, key: str) -> ShapeOptimum | None:
    """What is known until now of one of the shapes that the part is about; `None` where nothing is."""
    job = _jobs().get(_name(room))
    answer = None if job is None else job.snapshot().answer
    return answer.of(key) if isinstance(answer, Optima) else None


def trouble(room: Classroom) -> str | None:
    """Why the worker could not answer; `None` where it could, or still works."""
    job = _jobs().get(_name(room))
    error = None if job is None else job.snapshot().error
    return error


def _begin(room: Classroom) -> Job:
    """Ask a worker once for the shapes of a part, and end any earlier job that still runs.

    Raises `RunError` if the worker cannot take the job.
    """
    jobs, name = _jobs(), _name(room)
    if name in jobs:
        return jobs[name]
    for other in jobs.values():
        if not other.done:
            other.cancel()
    for old in list(jobs)[: max(0, len(jobs) - _KEPT + 1)]:
        del jobs[old]
    limits = Limits(seconds=_LONGEST_SECONDS)
    jobs[name] = state.pool().submit(room.problem, "contree", limits, SolveShapes(room.asks), owner=ownership.owner())
    return jobs[name]


def _name(room: Classroom) -> tuple[object, ...]:
    return room.setting.recipe, room.asks


def _jobs() -> dict[Any, Job]:
    return state.get(state.first(_JOBS, {}))
