"""Problems that are given to a method for decision diagrams one by one, and what comes of them, kept in a file."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import numpy as np

from benchmarks.cli import tell
from benchmarks.tables import NOTHING, digits
from solvers.errors import DataError
from solvers.methods import get
from solvers.methods.diagrams.draft import DiagramDraft
from solvers.methods.diagrams.terms import terms_of
from solvers.metrics import verify
from solvers.problem import Dataset, Limits, LinearPredicate, Problem, holdout
from solvers.problem.skeleton import PRESETS, objective_of
from solvers.solution import Solution, Status

EARLY = 0.3
"""Seconds after which the incumbent is looked at."""


@dataclass(frozen=True)
class Case:
    """A problem that was given to a method, and what came of it; costs as shares of the weight of all rows.

    Attributes
    ----------
    method, part, table, skeleton, alpha, constraint : what was asked, and of whom.
    limit : seconds that the method had.
    status : 'optimal', ...
    cost, bound : the objective of the paper at the end, and its lower bound; early : the objective after `EARLY` s.
    built : the objective of the paper's construction; `None` where it was not asked.
    errors, questions : of the diagram; margin : the least one of its sums, `None` without sums.
    seconds : wall time of the method; cpu : user CPU seconds.
    fault : what must not be; '' where all is well.
    """

    method: str
    part: str
    table: str
    skeleton: str
    alpha: float
    constraint: str
    limit: float
    status: str
    cost: float | None
    bound: float | None
    early: float | None
    built: float | None
    errors: int | None
    questions: int | None
    margin: float | None
    seconds: float
    cpu: float
    fault: str

    @property
    def key(self) -> tuple:
        """What was asked: two cases of one key are the same."""
        return self.method, self.part, self.table, self.skeleton, self.alpha, self.constraint, self.limit

    @property
    def proved(self) -> bool:
        """Whether the optimum was proved, or that there is no diagram."""
        return self.status in (Status.OPTIMAL, Status.INFEASIBLE)

    @property
    def improved(self) -> bool:
        """Whether it is better than the construction."""
        return self.built is not None and self.cost is not None and self.cost < self.built - 1e-9


class State:
    """The cases that are done, in a file of JSON lines; without a file in memory only."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._done: dict[tuple, Case] = {}
        lines = path.read_text("utf-8").splitlines() if path is not None and path.exists() else []
        for i, line in enumerate(lines, start=1):
            try:
                told = json.loads(line)
                if "wish" in told:  # what a line called it before
                    told["constraint"] = told.pop("wish")
                case = Case(**{field.name: told[field.name] for field in fields(Case)})
            except (ValueError, KeyError, TypeError):
                raise DataError(f"Line {i} of '{path}' is no case. Remove it, or begin with another file.") from None
            self._done[case.key] = case

    def find(self, key: tuple) -> Case | None:
        """The case of a key, if it is done."""
        return self._done.get(key)

    def add(self, case: Case) -> None:
        """Take a case in, and write it down."""
        self._done[case.key] = case
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(case)) + "\n")


@dataclass(frozen=True)
class Bench:
    """How cases are run: the method, the seconds for each, those of the construction, and where they are kept."""

    method: str
    limit: float
    built: float
    state: State
    progress: Callable[[str], None] = tell

    def run(
        self,
        part: str,
        train: Dataset,
        skeleton: str,
        alpha: float,
        constraint: str = "",
        *,
        build: bool = False,
        **more: object,
    ) -> Case | None:
        """A case, or what is known of it from an earlier run; `None` where the method cannot take it.

        Parameters
        ----------
        build : whether the paper's construction is asked, too.
        more : `split_features` of the shape, `constraints` of the problem.
        """
        key = (self.method, part, train.name, skeleton, alpha, constraint, self.limit)
        if (known := self.state.find(key)) is not None:
            return known
        constraints = more.pop("constraints", ())
        shape = PRESETS[skeleton].shape(**more)
        problem = Problem(train, shape, objective_of(alpha, train.n_samples), constraints)
        if reasons := get(self.method).check(problem):
            self.progress(f"{train.name}: left out. {reasons[0]}")
            return None
        built = _solve("odd-greedy", problem, self.built, until="time") if build else None
        solution = _solve(self.method, problem, self.limit)
        case = _case(key, problem, solution, built)
        self.state.add(case)
        shown = NOTHING if case.cost is None else f"{case.cost:.5f}"
        self.progress(
            f"{train.name} {skeleton} {alpha:g} {constraint}: {case.status} {shown} after {digits(case.seconds)} s"
        )
        return case


def _solve(method: str, problem: Problem, limit: float, **options: str) -> Solution:
    return get(method, **options).run(problem, Limits(seconds=limit), lambda event: None, threading.Event())


def _case(key: tuple, problem: Problem, solution: Solution, built: Solution | None) -> Case:
    def share(cost: int | None) -> float | None:
        return None if cost is None else cost / problem.total

    early = [point.cost for point in solution.trace if point.elapsed <= EARLY and point.cost is not None]
    checks = verify(problem, solution)
    fault = "" if checks.ok else f"does not pass the verifier: {checks.failures[0].detail}"
    if built is not None and solution.cost is not None and solution.cost > built.cost:
        fault = fault or "ends worse than the construction"
    diagram = solution.diagram
    return Case(
        *key,
        status=str(solution.status),
        cost=share(solution.cost),
        bound=share(solution.bound),
        early=share(early[-1]) if early else None,
        built=None if built is None else share(built.cost),
        errors=None if diagram is None else int((diagram.predict(problem.dataset) != problem.dataset.y).sum()),
        questions=None if diagram is None else diagram.n_splits,
        margin=None if diagram is None else _margin(problem, DiagramDraft.of(diagram)),
        seconds=solution.seconds,
        cpu=solution.cpu_seconds,
        fault=fault,
    )


def _margin(problem: Problem, draft: DiagramDraft) -> float | None:
    """The least margin of the weighted sums of a diagram; `None` without any."""
    found = []
    for layer, slot, yes, no in draft.walk(problem.dataset):
        question = draft.layers[layer][slot].question
        if isinstance(question, LinearPredicate) and len(yes) and len(no):
            found.append(terms_of(problem).margin(question, np.concatenate((yes, no))))
    return min(found, default=None)


def halves(datasets: Iterable[Dataset]) -> list[Dataset]:
    """Half of the rows of each table, by class, under the table's own name; small tables first."""
    trains = [replace(holdout(dataset, 0.5, 0)[0], name=dataset.name) for dataset in datasets]
    return sorted(trains, key=lambda train: (train.n_samples * train.n_columns, train.name))
