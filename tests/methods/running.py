"""Running a method in a test, with everything that it says on the way."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

from solvers.methods import Method
from solvers.problem import Limits, Problem
from solvers.solution import Bound, Event, Incumbent, Solution


@dataclass(frozen=True)
class Run:
    """A solution and the events before it."""

    solution: Solution
    events: tuple[Event, ...]

    @property
    def incumbents(self) -> list[Incumbent]:
        """The better and better models."""
        return [event for event in self.events if isinstance(event, Incumbent)]

    @property
    def bounds(self) -> list[int]:
        """The better and better lower bounds."""
        return [event.value for event in self.events if isinstance(event, Bound)]


def without_refused_limits(method: Method, problem: Problem) -> Problem:
    """The problem as it is, or without its limit on the leaves where the method says that it cannot keep one."""
    refused = method.check(problem)
    if not refused:
        return problem
    assert [reason.what for reason in refused] == [f"At most {problem.shape.leaves} leaves"]
    return replace(problem, shape=replace(problem.shape, leaves=None))


def solve(method: Method, problem: Problem, limits: Limits | None = None, *, stopped: bool = False) -> Run:
    """Run a method to its end, or with the stop signal set from the beginning."""
    stop = threading.Event()
    if stopped:
        stop.set()
    events: list[Event] = []
    solution = method.run(problem, limits or Limits(), events.append, stop)
    return Run(solution, tuple(events))
