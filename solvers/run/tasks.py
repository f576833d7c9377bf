"""Tasks of a run besides solving, as a worker carries them."""

from collections.abc import Mapping

from ..explain import Task, solver
from ..methods import get
from ..methods.search.clock import Clock
from ..problem import Limits, Problem
from ..solution import Answered, Cancelled, EndReason, Finished, Progress
from .solver_run import Channel, StopFlag, at_work, check_threads


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
