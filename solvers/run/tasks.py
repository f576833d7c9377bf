"""Tasks of a run besides solving: the written form of such tasks, and how a worker carries them."""

from collections.abc import Mapping
from typing import Any

from solvers.explain import Task, solver
from solvers.methods import get
from solvers.methods.search.clock import Clock
from solvers.problem import Limits, Problem
from solvers.run.json_types import kind_from_json, kind_to_json
from solvers.run.solver_run import Channel, StopFlag, at_work, check_threads
from solvers.solution import Answered, Cancelled, EndReason, Finished, Progress


def task_to_json(task: Task | None) -> dict[str, Any] | None:
    """A task with its kind under 'task'; `None` for solving."""
    return None if task is None else kind_to_json("task", task)


def task_from_json(data: dict[str, Any] | None) -> Task | None:
    """The task that `task_to_json` wrote; raises as `json_types.from_json`."""
    task = None if data is None else kind_from_json("task", data)
    if task is not None and not isinstance(task, Task):
        raise TypeError(f"'{type(task).__name__}' is not a task")
    return task


def carry_task(
    task: Task,
    problem: Problem,
    name: str,
    limits: Limits,
    channel: Channel,
    stop: StopFlag,
    options: Mapping[str, str] | None = None,
) -> Finished | Cancelled:
    """Answer a task in this process; what is known goes to the channel, also when it is stopped or its time is up.

    Raises `UnknownMethodError`, `MissingPackageError`, `OptionError`, `UnsupportedError` or `ConstraintError` where
    there is no such method, it is not installed, has no such option or cannot take the problem, or there is no such
    constraint.
    """
    method = get(name, **(options or {}))
    check_threads(method, problem, limits)
    with at_work(method, problem, limits, channel, stop):
        clock = Clock()
        channel(Progress(0.0, task.doing))
        solve = solver(name, options)
        answer = task.answer(problem, solve, limits, stop, lambda known: channel(Answered(known.seconds, known)))
        channel(Answered(answer.seconds, answer))
    if stop.reason is EndReason.STOPPED:
        return Cancelled(clock.elapsed)
    return Finished(clock.elapsed, None)
