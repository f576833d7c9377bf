"""What a solver reports while it runs (events) and at the end (a solution). Missing values are `None`, not inf or 0."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, NamedTuple, Protocol, runtime_checkable

import msgspec
from msgspec import Meta

from .diagram import Diagram
from .problem import Predicate

Cost = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
"""A cost in integer units, or a bound on one; it fits into 64 bits, also if it is read from a file."""


BY_HAND = "by hand"
"""The method of a model that a person changed."""


class Status(StrEnum):
    """How a run ended."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    NO_SOLUTION = "no_solution"
    CANCELLED = "cancelled"
    FAILED = "failed"


class EndReason(StrEnum):
    """Why a search ended."""

    PROVED = "proved"
    """No model costs less, or no model exists."""
    WITHIN_GAP = "within gap"
    """The gap is at most the requested one."""
    TIME_LIMIT = "time limit"
    MEMORY_LIMIT = "memory limit"
    STOPPED = "stopped"
    """Stopped by the user."""
    EXHAUSTED = "exhausted"
    """The method has nothing left to try: it is a heuristic, or considers only some of the models."""
    TOO_LARGE = "too large"
    """The remaining search exceeds the method's limits or the memory."""
    IMPRECISE = "imprecise"
    """A solver ended with numbers too imprecise for a proof."""


class Scope(StrEnum):
    """The models that a method searched, or for which a bound holds."""

    QUANTILES = "quantiles"
    """Models whose thresholds are quantiles."""
    MARGIN = "margin"
    """Models whose weighted sums keep a margin to their thresholds."""
    CART = "cart"
    """Models with the splits of a CART tree."""


class Criterion(StrEnum):
    """What is minimised."""

    DEPTH_ALONE = "depth"
    DEPTH = "depth-then-nodes"
    NODES = "nodes-at-any-depth"


@dataclass(frozen=True, slots=True)
class PartialScope:
    """The subset of all models that a method searched.

    Attributes
    ----------
    scope : which models these are.
    questions : the number of splits considered; `None` if not counted.
    bound : a lower bound on their cost; `None` if there is none.
    proved : whether none of them costs less than the best model found, or none of them is allowed.
    """

    scope: Scope
    questions: int | None = None
    bound: int | None = None
    proved: bool = False


@dataclass(frozen=True, slots=True)
class ConsistentTree:
    """What is known about trees without avoidable errors.

    Attributes
    ----------
    least : what is minimised.
    least_depth : the minimum depth, which a tree attains; `None` while unknown.
    refuted : the largest depth proved to be too small; `None` if none was refuted.
    none_fits : whether no such tree has the requested shape.
    depth_with_leaves : the minimum depth with the requested number of leaves; `None` while unknown.
    nodes : the number of nodes of the tree found; `None` if none was found.
    fewest_nodes : whether no tree of that depth (of any depth, if nodes are minimised first) has fewer nodes.
    tied : whether there are contradictory rows whose classes cost equally little: with another choice of class a
        smaller tree might do.
    unavoidable : the number of rows that every tree misclassifies.
    """

    least: Criterion
    least_depth: int | None = None
    refuted: int | None = None
    none_fits: bool = False
    depth_with_leaves: int | None = None
    nodes: int | None = None
    fewest_nodes: bool = False
    tied: bool = False
    unavoidable: int = 0


@dataclass(frozen=True, slots=True)
class FewestQuestions:
    """What is known about BDDs without avoidable errors.

    Attributes
    ----------
    least : a lower bound on the number of different splits of such a BDD.
    found : the smallest number for which one is known; `None` if none is.
    too_few : whether every BDD of the requested depth has avoidable errors.
    """

    least: int
    found: int | None = None
    too_few: bool = False


@dataclass(frozen=True, slots=True)
class NearOptimalBdd:
    """A BDD that is nearly as good as the best one; `bdds.sizes.diagram_of_entry` makes the diagram.

    Attributes
    ----------
    cost : its cost, in integer units.
    n_splits : the number of its internal nodes.
    questions, words : its splits, in order, and the same as text.
    labels : the class of each cell of their truth table.
    """

    cost: Cost
    n_splits: int
    words: tuple[str, ...]
    questions: tuple[Predicate, ...]
    labels: tuple[int, ...]


@dataclass(frozen=True)
class Details:
    """What a method knows about its result beyond cost and bound.

    Attributes
    ----------
    solver : the title of the third-party solver that proved it, or tried to; '' for our own methods.
    fewest_splits : whether no model of the same cost has fewer splits.
    part : the models that the method searched; `None` for all of them.
    questions : the number of different splits that separate rows; `None` if not counted.
    contradictory : indices of rows that equal rows of another class in all splits, so that some are misclassified.
    reason : why there is no model, or why the method gave up, from a constraint or a solver; '' for none.
    near_optimal, all_near_optimal : near-optimal BDDs, and whether the list is complete; `None` if they were not
        listed.
    confirmed_by : the name of the method that proved the same result; '' for none.
    """

    solver: str = ""
    fewest_splits: bool = False
    part: PartialScope | None = None
    questions: int | None = None
    contradictory: tuple[int, ...] = ()
    reason: str = ""
    consistent: ConsistentTree | None = None
    fewest_questions: FewestQuestions | None = None
    near_optimal: tuple[NearOptimalBdd, ...] | None = None
    all_near_optimal: bool = False
    confirmed_by: str = ""


class TracePoint(NamedTuple):
    """Incumbent and lower bound at a moment; `None` while there is none."""

    elapsed: float
    cost: Cost | None
    bound: Cost | None


@dataclass(frozen=True)
class Solution:
    """The result of a run.

    Attributes
    ----------
    problem_id : `Problem.id`.
    method : the name of the method in the registry.
    status : OPTIMAL only with a bound that equals the cost.
    diagram : the best model; `None` if none was found.
    cost : its cost in integer units (see `Objective`).
    bound : a proved lower bound on the cost of every allowed model; `None` for heuristics.
    seconds : wall time of the search, without start-up and compilation.
    cpu_seconds : user CPU time of the search.
    trace : incumbent and bound over time.
    stats : statistics of the search.
    verified : set by `metrics.verify` alone: True or False after the check, `None` before it.
    message : why the run failed, or what its check found. `solvers.messages` makes the sentences about the result.
    scope : the models for which the bound holds; `None` for all that the problem allows.
    ended : why the search ended; `None` if it failed.
    details : further facts from the method.
    """

    problem_id: str
    method: str
    status: Status
    diagram: Diagram | None
    cost: Cost | None
    bound: Cost | None
    seconds: float
    cpu_seconds: float
    trace: tuple[TracePoint, ...] = ()
    stats: dict[str, Any] = field(default_factory=dict)
    verified: bool | None = None
    message: str = ""
    scope: Scope | None = None
    ended: EndReason | None = None
    details: Details = Details()

    @property
    def relative_gap(self) -> float | None:
        """The optimality gap, (cost - bound) / cost, 0 to 1; `None` without a model or a bound."""
        return relative_gap(self.cost, self.bound)


def relative_gap(cost: Cost | None, bound: Cost | None) -> float | None:
    """The optimality gap as linear-programming solvers define it, (cost - bound) / cost; `None` if one is missing.

    It is 0 if cost and bound are equal, and 1 if the bound is 0 or less.
    """
    if cost is None or bound is None:
        return None
    return 0.0 if cost <= bound else min(1.0, (cost - bound) / cost)


@runtime_checkable
class Answer(Protocol):
    """The answer of a task other than solving, which is an `AnswerRecord`."""

    @property
    def seconds(self) -> float:
        """Elapsed time."""
        ...


class AnswerRecord(msgspec.Struct, frozen=True, tag=True, tag_field="answer", forbid_unknown_fields=True):
    """An answer as its fields; in JSON, with the name of its class under 'answer'."""


class _Event(msgspec.Struct, frozen=True, tag=str.lower, tag_field="event", forbid_unknown_fields=True):
    """The base class of events; in JSON, each has its name under 'event'."""


class Started(_Event, frozen=True):
    """The search begins; `elapsed` counts from this event."""

    method: str
    elapsed: float = 0.0


class Progress(_Event, frozen=True):
    """A heartbeat: statistics of the search and a short description of its current step."""

    elapsed: float
    text: str
    stats: dict[str, Any] = {}


class Incumbent(_Event, frozen=True):
    """A better model."""

    elapsed: float
    cost: Cost
    diagram: Diagram


class Bound(_Event, frozen=True):
    """A better lower bound on the cost."""

    elapsed: float
    value: Cost


class Log(_Event, frozen=True):
    """A line for the log."""

    elapsed: float
    text: str


class Answered(_Event, frozen=True):
    """Partial result of a task other than solving; it replaces the previous one. See `solvers.explain.Task`."""

    elapsed: float
    answer: Answer


class Finished(_Event, frozen=True):
    """The run ended by itself, with a result; `solution` is `None` for tasks other than solving."""

    elapsed: float
    solution: Solution | None


class Failed(_Event, frozen=True):
    """The run failed; `best` is the best model so far."""

    elapsed: float
    error: str
    best: Solution | None = None


class Cancelled(_Event, frozen=True):
    """The user stopped the run; `best` is the best model so far."""

    elapsed: float
    best: Solution | None = None


End = Finished | Failed | Cancelled
"""How a run ended: the last of its events."""

Event = Started | Progress | Incumbent | Bound | Log | Answered | End

Emit = Callable[[Event], None]


class Stop(Protocol):
    """Polled by a method to learn whether it must end (a `threading.Event` fits)."""

    def is_set(self) -> bool:
        """Whether to stop now."""
        ...
