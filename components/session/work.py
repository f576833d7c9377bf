"""The user's work, shared by the screens: a table, choices, a design, runs. Does not import Streamlit."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from msgspec.structs import replace as changed

from components.messages.text import count, file_name
from solvers.diagram import Diagram
from solvers.messages.shapes import size_limits, size_title
from solvers.methods import registry
from solvers.methods.base import DEFAULT_DEPTH
from solvers.metrics import verified
from solvers.posing import constraints_in, divided, limits_of, method_of
from solvers.problem import (
    MAX_DEPTH,
    ColumnReport,
    Contradictions,
    Dataset,
    Limits,
    Preparation,
    Problem,
    Sample,
    Step,
    Table,
    build,
    contradictions,
    suggest_outcome,
)
from solvers.problem.column_types import as_read, infer_column
from solvers.problem.identifiers import is_shared_person
from solvers.problem.preparation import Reading, steps_that_read
from solvers.problem.quality import Issue, issues
from solvers.report.rivals import Rival, is_quick, rival_of, train_greedy
from solvers.request import Request
from solvers.run import Job, StoredRun
from solvers.solution import Details, Solution, Status
from solvers.study.study import StudyProgress, problem_for, solution_of

GREEDY_MODELS = "greedy models"
"""The name of the inquiry about a run for the greedy models that a worker trains."""

AnyJob = Job | StoredRun
"""The job of a run: in a worker of this program, or stored in the folder of a reopened run."""


@dataclass(frozen=True)
class Source:
    """A table that was read, with what was recognised in its columns.

    Attributes
    ----------
    number : counts the tables of the session, so that widgets of two tables have different keys.
    table : the table after the preparation steps.
    reports : a report on each of its columns.
    outcome : the suggested outcome; `None` without a suggestion.
    sample : the sample that it is, or `None` for the user's own file.
    preparation : the steps.
    unprepared : the original table with its column reports, if there are steps.
    """

    number: int
    table: Table = field(compare=False)
    reports: tuple[ColumnReport, ...] = field(compare=False)
    outcome: str | None
    sample: Sample | None = None
    preparation: Preparation = field(default_factory=Preparation)
    unprepared: tuple[Table, tuple[ColumnReport, ...]] | None = field(default=None, compare=False)

    @property
    def raw(self) -> Table:
        """The original table."""
        return self.table if self.unprepared is None else self.unprepared[0]

    def prepared_by(self, preparation: Preparation) -> Source:
        """The same table after other steps; `DataError` if one does not fit."""
        came = self.unprepared or (self.table, self.reports)
        prepared = preparation.apply(came[0])
        known = {report.name: report for report in came[1] if report.name in prepared.same}
        table = prepared.table
        reports = tuple(
            known.get(name) or infer_column(name, cells, table.levels.get(name))
            for name, cells in table.columns.items()
        )
        outcome = self.outcome if self.outcome in prepared.table.names else suggest_outcome(reports)
        return replace(
            self,
            table=prepared.table,
            reports=tuple(as_read(one, *prepared.readings.get(one.name, Reading())) for one in reports),
            outcome=outcome,
            preparation=preparation,
            unprepared=came if preparation else None,
        )

    @cached_property
    def readings(self) -> dict[str, tuple[Step, ...]]:
        """The steps that would convert columns to numbers or dates that they may contain; computed once per table."""
        columns = self.table.columns.items()
        return {name: ways for name, cells in columns if (ways := tuple(steps_that_read(name, cells)))}

    @cached_property
    def of_persons(self) -> tuple[str, ...]:
        """The columns that may identify the rows of the same person; computed once per table."""
        return tuple(name for name in self.table.names if is_shared_person(name, partial(self.table.texts, name)))

    @property
    def title(self) -> str:
        """The name on the screen."""
        return self.sample.title if self.sample else self.table.name


@dataclass(frozen=True, eq=False)
class AllRows:
    """The typed rows of a table, held out or not, and sentences on what was left out."""

    dataset: Dataset
    notes: tuple[str, ...] = ()

    @cached_property
    def contradictions(self) -> Contradictions:
        """Duplicate and contradictory rows."""
        return contradictions(self.dataset)

    @cached_property
    def issues(self) -> tuple[Issue, ...]:
        """Possible problems of the features and the outcome."""
        return issues(self.dataset)


@dataclass(frozen=True)
class Prepared:
    """The rows as the solvers see them: all of them, and split into training and held-out test rows.

    Attributes
    ----------
    source : the table they come from.
    request : what was asked of them; its other fields have their defaults.
    rows, train : all rows, and the training rows (the same if nothing is held out).
    test : the held-out rows, or `None`.
    notes : sentences on what was left out.

    The same request about the same table of the session makes the same rows, so only these are compared.
    """

    source: Source
    request: Request
    rows: AllRows = field(compare=False)
    train: Dataset = field(compare=False)
    test: Dataset | None = field(compare=False)
    notes: tuple[str, ...] = field(compare=False)

    @property
    def whole(self) -> Dataset:
        """All rows."""
        return self.rows.dataset

    @property
    def identifiers(self) -> list[str]:
        """The columns of the original table that identify rows: likely identifiers, and that of repeated patients."""
        names = [one.name for one in self.source.reports if one.identifier] + [self.request.group_rows or ""]
        return [name for name in dict.fromkeys(names) if name in self.source.raw.columns]

    def identified(self, numbers: np.ndarray) -> pd.DataFrame:
        """For rows by their numbers in the file: the identifiers, the set ('held-out'), and the outcome as learned."""
        at = np.asarray(numbers, np.int64)
        found = {name: self.source.raw.columns[name].cells(at - 1) for name in self.identifiers}
        tested = np.isin(at, self.test.rows if self.test is not None else ())
        found["set"] = np.select([np.isin(at, self.train.rows), tested], ["training", "held-out"], "not used").tolist()
        truth = dict(zip(self.whole.rows.tolist(), self.whole.y.tolist(), strict=True))
        known = (truth.get(number) for number in at.tolist())
        found[self.whole.outcome] = ["" if k is None else self.whole.classes[k] for k in known]
        return pd.DataFrame(found, index=pd.Index(at, name="row"))


def prepare(source: Source, request: Request, before: Prepared | None = None) -> Prepared:
    """Build the typed rows of a table and hold out the test rows.

    Reuses the rows of `before` if only the held-out rows differ. Raises `DataError` if the request does not fit the
    table, or too few rows are left to hold some out.
    """
    request = request.about_rows
    if before is not None and before.source is source and _undivided(before.request) == _undivided(request):
        rows = before.rows
    else:
        built = build(source.raw, request)
        rows = AllRows(built.dataset, built.notes)
    train, test, left_out = divided(request, rows.dataset)
    return Prepared(source, request, rows, train, test, (*rows.notes, *left_out))


def _undivided(request: Request) -> Request:
    return changed(request, test_share=None, seed=0)


DEFAULTS = Request(target="", method="contree", shape="tree", max_depth=DEFAULT_DEPTH, test_share=0.25)
"""The request of a new session, without an outcome."""

DEFAULT_ALPHA = 0.1
"""The split penalty of a diagram in a new session, see `objective_of`."""


def depth_switch(request: Request) -> str | None:
    """The name of the switch for an unlimited depth; `None` if the depth is always limited.

    A method that minimises the size of the tree needs no limit, and some need none if there is a split penalty.
    """
    method = registry.get(method_of(request))
    if method.default_depth == MAX_DEPTH:
        return "any_depth"
    return "priced_depth" if request.split_penalty and method.priced_depth else None


class FinishedModel(NamedTuple):
    """A finished model with a name for the screen; its key is that of its method, or its own if no method made it.

    The solution is verified and has a diagram; `exact` says whether the method proves optimality.
    """

    key: str
    title: str
    solution: Solution
    exact: bool
    problem: Problem

    @classmethod
    def of(cls, name: str, found: Rival) -> FinishedModel:
        """A greedy model of a method."""
        return cls(name, found.method.title, found.solution, found.method.exact, found.problem)

    @property
    def diagram(self) -> Diagram:
        """The model itself."""
        assert self.solution.diagram is not None
        return self.solution.diagram

    @property
    def cost(self) -> int:
        """Its cost, in integer units."""
        assert self.solution.cost is not None
        return self.solution.cost

    def beside(self, key: str, title: str, diagram: Diagram, message: str = "") -> FinishedModel:
        """Another model of the same problem, verified; it is optimal if its cost equals the proved lower bound.

        It does not inherit how the method ended, only the set of models that the method searched.
        """
        cost = self.problem.cost_of(diagram)
        status = Status.OPTIMAL if cost == self.solution.bound else Status.FEASIBLE
        solution = replace(self.solution, diagram=diagram, cost=cost, status=status, verified=None, message=message)
        details = Details(part=self.solution.details.part)
        solution = replace(solution, stats={}, trace=(), ended=None, details=details)
        return self._replace(key=key, title=title, solution=verified(self.problem, solution))


@dataclass
class Run:
    """A run of the session: the problem, its job, and the greedy models of the same size.

    Attributes
    ----------
    number : counts the runs of the session from 1.
    prepared, request : the rows, and all that was asked.
    problem : the problem to solve.
    job : the job of the run; ask it for a `snapshot()`.
    inquiries : the jobs that answer inquiries about the run, by the name of the inquiry.
    opened : further models that the user opened, by their keys.
    worked_out : values that screens computed for the run and show at every click, by key.
    """

    number: int
    prepared: Prepared
    request: Request
    problem: Problem
    job: AnyJob
    inquiries: dict[str, AnyJob] = field(default_factory=dict, repr=False)
    opened: dict[str, FinishedModel] = field(default_factory=dict, repr=False)
    worked_out: dict[Any, Any] = field(default_factory=dict, repr=False)
    _greedy: dict[str, FinishedModel | str] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def file_name(self, *parts: object, ending: str) -> str:
        """The name of a file about the run, with the table's name and the time when the run began."""
        return file_name(self.prepared.source.table.name, *parts, ending=ending, at=self.job.created)

    @property
    def title(self) -> str:
        """The name on the screen."""
        request, shape = self.request, self.problem.shape
        parts = [f"Run {self.number}: {self.prepared.source.title}", size_title(shape), *size_limits(shape)]
        if shape.split_features != 1:
            several = "all" if shape.split_features is None else shape.split_features
            parts.append(f"splits may combine {several} features")
        parts += [] if request.alpha is None else [f"alpha {request.alpha:g}"]
        parts += [f"{request.min_samples_split}+ rows per split"] if request.min_samples_split > 1 else []
        parts += [f"split penalty {request.split_penalty:g}"] if request.split_penalty else []
        if request.class_costs is not None or request.treatment_threshold is not None:
            parts.append("misclassification costs")
        if self.request.constraints:
            first, *others = (one.words(self.prepared.train) for one in constraints_in(self.request))
            parts.append(first + (f" and {count(len(others), 'more constraint')}" if others else ""))
        return ", ".join(parts)

    @property
    def method(self) -> str:
        """The name of its method."""
        return method_of(self.request)

    @property
    def limits(self) -> Limits:
        """The limits that were asked for."""
        return limits_of(self.request)

    @property
    def seconds(self) -> float:
        """The time limit that was asked for."""
        return self.request.time_limit or math.inf

    @property
    def best(self) -> FinishedModel | None:
        """The result once the run has ended with a model; `None` before that or without one."""
        solution = self.job.snapshot().solution
        if solution is None or solution.diagram is None:
            return None
        method = registry.get(self.method)
        return FinishedModel(self.method, method.title, solution, method.exact, self.problem)

    @property
    def greedy_methods(self) -> list[str]:
        """The greedy methods that the run is compared with."""
        return [name for name in registry.greedy_methods(self.problem.shape.kind) if name != self.method]

    def greedy(self) -> tuple[FinishedModel | str, ...]:
        """The greedy models of the same size so far; a sentence replaces each that could not be trained.

        Quick ones are trained here, once; a worker trains the others, see `run_actions.train_slow`.
        """
        with self._lock:
            for name in self.greedy_methods:
                if name not in self._greedy and is_quick(name, self.problem):
                    self._add_greedy(name, train_greedy(name, self.problem))
            job = self.inquiries.get(GREEDY_MODELS)
            answer = None if job is None else job.snapshot().answer
            found = answer.results if isinstance(answer, StudyProgress) else None
            for row, diagram in zip(found.rows, found.models, strict=True) if found else ():
                if (name := row["method"]) not in self._greedy:
                    problem = problem_for(registry.get(name), self.problem)
                    solution = solution_of(problem, row, diagram)
                    self._add_greedy(name, rival_of(registry.get(name), problem, solution, row["error"]))
            return tuple(self._greedy[name] for name in self.greedy_methods if name in self._greedy)

    def _add_greedy(self, name: str, found: Rival | str) -> None:
        self._greedy[name] = found if isinstance(found, str) else FinishedModel.of(name, found)

    @property
    def trained(self) -> tuple[FinishedModel | str, ...]:
        """The result of `greedy` as far as it was computed before."""
        return tuple(self._greedy.values())

    def models(self) -> tuple[FinishedModel, ...]:
        """All finished models of the run: its own first, then opened models, then the greedy ones."""
        greedy = (m for m in self.greedy() if isinstance(m, FinishedModel))
        return (*([best] if (best := self.best) else []), *self.opened.values(), *greedy)

    def rivals(self, model: FinishedModel) -> dict[str, Diagram]:
        """The greedy models by their titles, as baselines for a model."""
        return {m.title: m.diagram for m in self.greedy() if isinstance(m, FinishedModel) and m.key != model.key}

    def refusals(self) -> tuple[str, ...]:
        """Why greedy models are missing, in sentences."""
        refused = [reason for reason in self.greedy() if isinstance(reason, str)]
        job = self.inquiries.get(GREEDY_MODELS)
        waits = [] if job is None or job.done else [name for name in self.greedy_methods if name not in self._greedy]
        return (*refused, *(f"{registry.get(name).title} is still being trained." for name in waits))
