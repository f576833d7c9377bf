"""What a solver says while it works (events) and at the end (a solution). What is missing is `None`, never inf or 0."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from solvers.diagram import Diagram


class Status(StrEnum):
    """How a run ended."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    NO_SOLUTION = "no_solution"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class TracePoint:
    """Incumbent and lower bound at a moment; `None` while there is none."""

    elapsed: float
    cost: int | None
    bound: int | None


@dataclass(frozen=True)
class Solution:
    """The result of a run.

    Attributes
    ----------
    problem_id : `Problem.id`.
    method : the name of the method in the registry.
    status : OPTIMAL only with a bound that equals the cost.
    diagram : the best model; `None` where none was found.
    cost : its cost in whole units (see `Objective`).
    bound : a proved lower bound on the cost of every model that is allowed; `None` for heuristics.
    seconds : wall time of the solving, without start-up and compilation.
    cpu_seconds : user CPU time of the same.
    trace : how incumbent and bound came to each other.
    stats : figures of the search, for the curious.
    verified : set by `metrics.verify` alone: True or False after the check, `None` before it.
    message : what the user should know about the result, in a sentence.
    scope : among which models the bound holds, where not all that the problem allows were considered, for instance
        'models that cut numbers at quantiles only'; '' where they were.
    """

    problem_id: str
    method: str
    status: Status
    diagram: Diagram | None
    cost: int | None
    bound: int | None
    seconds: float
    cpu_seconds: float
    trace: tuple[TracePoint, ...] = ()
    stats: dict[str, Any] = field(default_factory=dict)
    verified: bool | None = None
    message: str = ""
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Started:
    """The search begins; `elapsed` counts from here on."""

    method: str
    elapsed: float = 0.0


@dataclass(frozen=True, slots=True)
class Progress:
    """A sign of life: figures of the search and what it is doing, in a few words."""

    elapsed: float
    text: str
    stats: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Incumbent:
    """A better model."""

    elapsed: float
    cost: int
    diagram: Diagram


@dataclass(frozen=True, slots=True)
class Bound:
    """A better lower bound on the cost."""

    elapsed: float
    value: int


@dataclass(frozen=True, slots=True)
class Log:
    """A line for the log."""

    elapsed: float
    text: str


@dataclass(frozen=True, slots=True)
class Answered:
    """What is known so far of the answer to another question than solving; it replaces what was told before."""

    elapsed: float
    answer: Any


@dataclass(frozen=True, slots=True)
class Finished:
    """The run ended by itself, with a result; `solution` is `None` where something else than solving was asked for."""

    elapsed: float
    solution: Solution | None


@dataclass(frozen=True, slots=True)
class Failed:
    """The run broke; `best` is the best model until then."""

    elapsed: float
    error: str
    best: Solution | None = None


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The user stopped the run; `best` is the best model until then."""

    elapsed: float
    best: Solution | None = None


Event = Started | Progress | Incumbent | Bound | Log | Answered | Finished | Failed | Cancelled

Emit = Callable[[Event], None]


class Stop(Protocol):
    """What a method polls to learn that it must end (a `threading.Event` fits)."""

    def is_set(self) -> bool:
        """Whether to stop now."""
        ...
