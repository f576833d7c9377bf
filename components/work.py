"""What the user has in hands between the screens: a table, choices, a design, runs. No Streamlit in here."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from solvers.constraints import Constraint
from solvers.errors import EspalierError
from solvers.methods import registry
from solvers.methods.base import Method
from solvers.metrics import verified
from solvers.problem import (
    Choices,
    ColumnReport,
    Contradictions,
    Dataset,
    Limits,
    Objective,
    Problem,
    Sample,
    Shape,
    Table,
    build,
    contradictions,
    holdout,
    question_orders,
)
from solvers.problem.objective import ClassCosts
from solvers.run import Job
from solvers.solution import Solution

GREEDY = ("cart", "c45")
"""The methods that every run is compared with."""

GREEDY_SECONDS = 20.0


@dataclass(frozen=True)
class Source:
    """A table that was read, with what was recognised in its columns.

    Attributes
    ----------
    number : counts the tables of the session, so that widgets of two tables are told apart.
    table : the raw table.
    reports : what each column looks like.
    outcome : the suggested outcome; `None` where nothing suggests itself.
    sample : the sample that it is, or `None` for the user's own file.
    """

    number: int
    table: Table
    reports: tuple[ColumnReport, ...]
    outcome: str | None
    sample: Sample | None = None

    @property
    def title(self) -> str:
        """The name on the screen."""
        return self.sample.title if self.sample else self.table.name


@dataclass(frozen=True)
class DataChoices:
    """What the user decided on the Data screen.

    Attributes
    ----------
    rows : outcome, features, types, weights, groups, and the policy for missing values.
    test_share : the share of rows that is held out; `None` where all rows are used for training.
    seed : of the random choice of the held-out rows.
    """

    rows: Choices
    test_share: float | None = 0.25
    seed: int = 0


@dataclass(frozen=True)
class Prepared:
    """The rows as the solvers see them: all of them, and split into training and held-out test rows.

    Attributes
    ----------
    source : the table they come from.
    choices : how they were made.
    whole, train : all rows, and those that models are trained on (the same where nothing is held out).
    test : the held-out rows, or `None`.
    notes : sentences on what was left out on the way.
    """

    source: Source
    choices: DataChoices
    whole: Dataset
    train: Dataset
    test: Dataset | None
    notes: tuple[str, ...]

    @cached_property
    def contradictions(self) -> Contradictions:
        """Duplicate and contradictory rows among all rows."""
        return contradictions(self.whole)

    @cached_property
    def n_questions(self) -> int:
        """How many different questions can be asked of the training rows."""
        return sum(int(rank.max()) for rank in question_orders(self.train).rank)


def prepare(source: Source, choices: DataChoices) -> Prepared:
    """Build the typed rows of a table and hold out the test rows.

    Raises
    ------
    DataError
        The choices do not fit the table, or too few rows are left to hold some out.
    """
    built = build(source.table, choices.rows)
    whole = built.dataset
    if choices.test_share is None:
        return Prepared(source, choices, whole, whole, None, built.notes)
    train, test = holdout(whole, choices.test_share, choices.seed)
    return Prepared(source, choices, whole, train, test, built.notes)


@dataclass(frozen=True)
class Design:
    """What the user decided on the Design screen.

    Attributes
    ----------
    method : its name in the registry.
    depth, leaves, min_leaf, min_leaf_weight : the size of the tree, see `Shape`.
    class_costs, split_cost : what mistakes and questions cost, see `Objective`.
    constraints : the wishes that are switched on, see `Problem`.
    seconds, gap, threads : the limits of the run, see `Limits`.
    """

    method: str = "contree"
    depth: int = 3
    leaves: int | None = None
    min_leaf: int = 1
    min_leaf_weight: float = 0.0
    class_costs: ClassCosts | None = None
    split_cost: float = 0.0
    constraints: tuple[Constraint, ...] = ()
    seconds: float = 60.0
    gap: float = 0.0
    threads: int = 1

    @property
    def shape(self) -> Shape:
        """The shape that is asked for."""
        return Shape(depth=self.depth, leaves=self.leaves, min_leaf=self.min_leaf, min_leaf_weight=self.min_leaf_weight)

    @property
    def objective(self) -> Objective:
        """What is minimised."""
        return Objective(self.class_costs, self.split_cost)

    @property
    def limits(self) -> Limits:
        """The limits of the run."""
        return Limits(seconds=self.seconds, threads=self.threads, gap=self.gap)

    def problem(self, prepared: Prepared) -> Problem:
        """The question to the solver."""
        return Problem(prepared.train, self.shape, self.objective, self.constraints)


class Model(NamedTuple):
    """A finished model with a name for the screen.

    Attributes
    ----------
    key : the name of its method.
    title : the method's title.
    solution : the verified result; it has a diagram.
    exact : whether the method proves optimality.
    problem : the question that it answers.
    """

    key: str
    title: str
    solution: Solution
    exact: bool
    problem: Problem


@dataclass
class Run:
    """A run of the session: the question, the job that carries it, and the greedy trees of the same size.

    Attributes
    ----------
    number : counts the runs of the session from 1.
    prepared, design : what was asked.
    problem : the question to the solver.
    job : carries the run; ask it for a `snapshot()`.
    inquiries : the jobs that answer questions about it, by the name of the question.
    """

    number: int
    prepared: Prepared
    design: Design
    problem: Problem
    job: Job
    inquiries: dict[str, Job] = field(default_factory=dict, repr=False)
    _greedy: dict[str, Model | str] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def title(self) -> str:
        """The name on the screen."""
        design = self.design
        parts = [f"Run {self.number}: {self.prepared.source.title}", f"depth {design.depth}"]
        if design.leaves is not None:
            parts.append("1 leaf" if design.leaves == 1 else f"{design.leaves} leaves")
        if design.min_leaf > 1:
            parts.append(f"{design.min_leaf}+ rows a leaf")
        if design.min_leaf_weight:
            parts.append(f"{design.min_leaf_weight:g}+ weight a leaf")
        if design.objective != Objective():
            parts.append("own costs")
        if design.constraints:
            parts.append("1 wish" if len(design.constraints) == 1 else f"{len(design.constraints)} wishes")
        return ", ".join(parts)

    @property
    def best(self) -> Model | None:
        """The result once the run has ended with a tree; `None` before that or without one."""
        solution = self.job.snapshot().solution
        if solution is None or solution.diagram is None:
            return None
        method = registry.get(self.design.method)
        return Model(self.design.method, method.title, solution, method.exact, self.problem)

    def greedy(self) -> tuple[Model | str, ...]:
        """The greedy models of the same size, trained once; a sentence instead where one could not be made."""
        with self._lock:
            for name in GREEDY:
                if name != self.design.method and name not in self._greedy:
                    self._greedy[name] = train_greedy(name, self.problem)
            return tuple(self._greedy.values())

    def models(self) -> tuple[Model, ...]:
        """All finished models of the run, its own first."""
        best = self.best
        return (*([best] if best else []), *(m for m in self.greedy() if isinstance(m, Model)))

    def refusals(self) -> tuple[str, ...]:
        """Why a greedy model could not be made, in sentences."""
        return tuple(reason for reason in self.greedy() if isinstance(reason, str))


def within_reach(method: Method, problem: Problem) -> Problem:
    """The problem without the wishes that a method cannot take."""
    taken = tuple(c for c in problem.constraints if not method.check(replace(problem, constraints=(c,))))
    return problem if taken == problem.constraints else replace(problem, constraints=taken)


def train_greedy(name: str, problem: Problem) -> Model | str:
    """Train a greedy tree of the same size in this process; a sentence instead where the method cannot or fails.

    Wishes that the method cannot take are left out: the tree shows what is usual, and which of them that breaks.
    """
    try:
        method = registry.get(name)
        problem = within_reach(method, problem)
        refused = method.check(problem)
        if refused:
            return str(refused[0])
        solution = method.run(problem, Limits(seconds=GREEDY_SECONDS), lambda event: None, threading.Event())
    except EspalierError as error:
        return str(error)
    if solution.diagram is None:
        return f"{method.title}: {solution.message}"
    return Model(name, method.title, verified(problem, solution), method.exact, problem)
