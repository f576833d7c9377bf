"""What a solver says while it works (events) and at the end (a solution). What is missing is `None`, never inf or 0."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, NamedTuple, Protocol

from msgspec import Meta

from .diagram import Diagram
from .problem import Predicate

Cost = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
"""A cost in whole units, or a bound of one; 64 bits hold it, also where it is read from a file."""


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
    """No model costs less, or there is none."""
    WITHIN_GAP = "within gap"
    """The bound is as near to the cost as was asked for."""
    TIME_LIMIT = "time limit"
    MEMORY_LIMIT = "memory limit"
    STOPPED = "stopped"
    """By the user."""
    EXHAUSTED = "exhausted"
    """The method has nothing left to try: it is a heuristic, or considers some of the models only."""
    TOO_LARGE = "too large"
    """What is left to try is more than is tried, or than fits into the memory."""
    IMPRECISE = "imprecise"
    """A solver ended whose numbers are too coarse for a proof."""


class Scope(StrEnum):
    """Among which models a method looked, or a bound holds."""

    QUANTILES = "quantiles"
    """Those that cut numbers at quantiles only."""
    MARGIN = "margin"
    """Those whose weighted sums keep a margin to their thresholds."""


class Criterion(StrEnum):
    """What is smallest."""

    DEPTH_ALONE = "depth"
    DEPTH = "depth-then-nodes"
    NODES = "nodes-at-any-depth"


@dataclass(frozen=True, slots=True)
class PartialScope:
    """The part of all models among which a method looked.

    Attributes
    ----------
    scope : which they are.
    questions : how many questions were considered; `None` where that is not counted.
    bound : a lower bound of their cost; `None` where there is none.
    proved : whether none of them costs less than the one found, or none of them is allowed.
    """

    scope: Scope
    questions: int | None = None
    bound: int | None = None
    proved: bool = False


@dataclass(frozen=True, slots=True)
class ConsistentTree:
    """What is known of trees that make no avoidable mistake.

    Attributes
    ----------
    least : what is smallest.
    least_depth : no tree is less deep, and there is one of this depth; `None` while that is not known.
    refuted : the largest depth of which there is none; `None` where none was refuted.
    none_fits : whether none has the shape that was asked for.
    depth_with_leaves : the least depth with as few leaves as was asked for; `None` while that is not known.
    nodes : of the tree that was found; `None` where none was.
    fewest_nodes : whether no tree of that depth, or of any where nodes come first, has fewer nodes.
    tied : whether rows contradict each other whose classes cost equally little: with another choice of class a
        smaller tree might do.
    unavoidable : how many rows are got wrong by every tree.
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
    """What is known of BDDs that make no avoidable mistake.

    Attributes
    ----------
    least : no such BDD has fewer different questions.
    found : the fewest with which one is known; `None` where none is.
    too_few : whether every BDD of the depth that was asked for makes avoidable mistakes.
    """

    least: int
    found: int | None = None
    too_few: bool = False


@dataclass(frozen=True, slots=True)
class NearOptimalBdd:
    """A BDD that is nearly as good as the best one; `bdds.sizes.diagram_of_entry` makes the diagram.

    Attributes
    ----------
    cost : what it costs, in whole units.
    n_splits : its inner nodes.
    questions, words : what it asks, in order, and the same in words.
    labels : the class of each cell of their truth table.
    """

    cost: Cost
    n_splits: int
    words: tuple[str, ...]
    questions: tuple[Predicate, ...]
    labels: tuple[int, ...]


@dataclass(frozen=True)
class Details:
    """What a method knows of its result besides cost and bound.

    Attributes
    ----------
    solver : the title of the solver of others that proved it, or tried to; '' for an own method.
    fewest_splits : whether no model of the same cost has fewer splits.
    part : among which models the method looked; `None` for all of them.
    questions : how many different questions tell rows apart; `None` where these are not counted.
    contradictory : numbers of rows that equal others of another class in all questions, so that some are got wrong.
    reason : why there is no model, or why the method gave up, in words of a constraint or a solver; '' for none.
    near_optimal, all_near_optimal : BDDs that are nearly as good, and whether these are all; `None` where they were
        not listed.
    confirmed_by : the name of the method that proved the same; '' for none.
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
    diagram : the best model; `None` where none was found.
    cost : its cost in whole units (see `Objective`).
    bound : a proved lower bound on the cost of every model that is allowed; `None` for heuristics.
    seconds : wall time of the solving, without start-up and compilation.
    cpu_seconds : user CPU time of the same.
    trace : how incumbent and bound came to each other.
    stats : figures of the search, for the curious.
    verified : set by `metrics.verify` alone: True or False after the check, `None` before it.
    message : why the run broke, or what its check found. `solvers.messages` makes the sentences about the result.
    scope : among which models the bound holds; `None` for all that the problem allows.
    ended : why the search ended; `None` where it broke.
    details : what the method knows besides.
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
    """The optimality gap as solvers of linear programs define it, (cost - bound) / cost; `None` if one is missing.

    It is 0 if cost and bound are equal, and 1 if the bound is 0 or less.
    """
    if cost is None or bound is None:
        return None
    return 0.0 if cost <= bound else min(1.0, (cost - bound) / cost)


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
    cost: Cost
    diagram: Diagram


@dataclass(frozen=True, slots=True)
class Bound:
    """A better lower bound on the cost."""

    elapsed: float
    value: Cost


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
