"""Run a method in a test, with all its events."""

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
        """The improving models."""
        return [event for event in self.events if isinstance(event, Incumbent)]

    @property
    def bounds(self) -> list[int]:
        """The improving lower bounds."""
        return [event.value for event in self.events if isinstance(event, Bound)]


DEMANDS = (
    ("shape", {"max_leaf_nodes": None}),
    ("shape", {"min_samples_leaf": 1, "min_weight_leaf": 0.0}),
    ("objective", {"class_costs": None}),
    ("objective", {"split_penalty": 0.0}),
)
"""What a problem may require in addition to a kind of model and a depth, and how to drop it."""


def without_refused_demands(method: Method, problem: Problem) -> Problem:
    """The problem itself, or one of a kind that the method supports, without requirements that the method refuses."""
    if problem.shape.kind not in method.kinds:
        problem = replace(problem, shape=replace(problem.shape, kind=method.kinds[0]))
    for part, nothing in DEMANDS:
        eased = replace(problem, **{part: replace(getattr(problem, part), **nothing)})
        if len(method.check(eased)) < len(method.check(problem)):
            problem = eased
    assert method.check(problem) == ()
    return problem


def solve(method: Method, problem: Problem, limits: Limits | None = None, *, stopped: bool = False) -> Run:
    """Run a method to its end, or with the stop signal set from the beginning."""
    stop = threading.Event()
    if stopped:
        stop.set()
    events: list[Event] = []
    solution = method.run(problem, limits or Limits(), events.append, stop)
    return Run(solution, tuple(events))


class EarlyStop:
    """A stop signal that is set at the n-th check, or after the n-th event."""

    def __init__(self, looks: int | None, events: int | None) -> None:
        self.looks, self.events = looks, events
        self._given = False

    def hear(self, event: Event) -> None:
        """Count an event."""
        if self.events is not None:
            self.events -= 1
            self._given |= self.events <= 0

    def is_set(self) -> bool:
        """Count a check."""
        if self.looks is not None:
            self.looks -= 1
            self._given |= self.looks <= 0
        return self._given
