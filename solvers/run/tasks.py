"""What a run is asked besides solving: the written form of such tasks, and how a worker carries them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from solvers.explain import Calibrate, ExplainConflict, GrowMinimum, MatchTree, PriceWishes, Task, TradeWish, solver
from solvers.methods import get
from solvers.methods.base import Clock
from solvers.problem import Limits, Problem
from solvers.run import wire
from solvers.run.solving import Channel, StopFlag, StopReason, at_work
from solvers.solution import Answered, Cancelled, Finished, Progress

_NAMES: dict[type, str] = {
    ExplainConflict: "conflict",
    PriceWishes: "prices",
    TradeWish: "trade-off",
    MatchTree: "tree-match",
    GrowMinimum: "growth",
    Calibrate: "calibration",
}


def task_to_json(task: Task | None) -> dict[str, Any] | None:
    """A task with its kind under 'task'; `None` for solving."""
    if task is None:
        return None
    data = {"task": _NAMES[type(task)], "step": task.step}
    if isinstance(task, PriceWishes):
        data["solution"] = None if task.solution is None else wire.solution_to_json(task.solution)
    if isinstance(task, TradeWish):
        data["key"] = task.key
    if isinstance(task, Calibrate):
        data |= asdict(task)
    if isinstance(task, MatchTree):
        data |= {"target": task.target, "leaves": task.leaves}
    return data


def task_from_json(data: dict[str, Any] | None) -> Task | None:
    """The task that `task_to_json` wrote.

    Raises
    ------
    KeyError, TypeError, RunError
        A part is missing or damaged.
    """
    if data is None:
        return None
    parts = dict(data)
    kind = _KINDS[parts.pop("task")]
    if parts.get("solution") is not None:
        parts["solution"] = wire.solution_from_json(parts["solution"])
    return kind(**parts)


_KINDS: dict[str, type] = {name: kind for kind, name in _NAMES.items()}


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

    Raises
    ------
    UnknownMethodError, MissingPackageError, OptionError, UnsupportedError, ConstraintError
        There is no such method, it is not installed, has no such option or cannot take the problem, or there is no
        such wish.
    """
    with at_work(get(name, **(options or {})), problem, limits, channel, stop):
        clock = Clock()
        channel(Progress(0.0, task.doing))
        asked = solver(name, options)
        answer = task.answer(problem, asked, limits, stop, lambda known: channel(Answered(known.seconds, known)))
        channel(Answered(answer.seconds, answer))
    if stop.reason is StopReason.USER:
        return Cancelled(clock.elapsed)
    return Finished(clock.elapsed, None)
