"""A session with hand-made models, so that the screens of BDDs and diagrams are tested without a search."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from msgspec.structs import replace
from streamlit.testing.v1 import AppTest

from components.session.state import Session
from components.session.work import DEFAULT_ALPHA, DEFAULTS, Prepared, Run, Source, prepare
from solvers.constraints import Constraint
from solvers.diagram import Diagram, Leaf, Node, Split
from solvers.explain import Task
from solvers.methods.bdds.table import Unseen, bdd_of, truth_table
from solvers.metrics import node_counts, verified
from solvers.posing import for_its_shape, method_of, problem_on
from solvers.problem import (
    Dataset,
    LinearPredicate,
    Op,
    Predicate,
    Problem,
    ShapeKind,
    Thresholds,
    binary_view,
    infer_columns,
    sample,
)
from solvers.problem.samples import load_sample
from solvers.problem.skeleton import PRESETS
from solvers.request import Request
from solvers.run import JobState, Snapshot
from solvers.solution import Details, Solution, Status
from tests.pages.journey import go_to, unopened


class DoneJob:
    """A job that ended with a solution."""

    done = True

    def __init__(self, solution: Solution) -> None:
        self._solution = solution
        self.folder = Path(mkdtemp())
        self.created = datetime(2026, 1, 31, 8, 45, 12).astimezone()

    def snapshot(self) -> Snapshot:
        """The complete state."""
        s = self._solution
        return Snapshot(JobState.FINISHED, 0.1, s.cost, s.bound, (), s.diagram, "", s.stats, s)

    def wait(self, timeout: float | None = None) -> Snapshot:
        """Return at once: the job has ended."""
        return self.snapshot()

    def cancel(self) -> None:
        """Do nothing: there is nothing to stop."""


class AnsweredJob(DoneJob):
    """A job that has its result."""

    def __init__(self, task: Task, answer: object) -> None:
        self.task, self._answer = task, answer

    def snapshot(self) -> Snapshot:
        """The result."""
        return Snapshot(JobState.FINISHED, 0.1, None, None, (), None, "", answer=self._answer)


def prepared_sample(key: str, **fields: object) -> Prepared:
    """The rows of a sample as the Data screen prepares them."""
    table = load_sample(key)
    source = Source(1, table, infer_columns(table), sample(key).outcome, sample(key))
    return prepare(source, replace(DEFAULTS, **{"target": source.outcome, "positive": sample(key).positive} | fields))


def ask(constraints: Sequence[Constraint] = (), **fields: object) -> Request:
    """The request of the Design screen, without rows, where only these fields were changed."""
    if fields.get("shape") is ShapeKind.DIAGRAM:
        fields = {"alpha": DEFAULT_ALPHA, "skeleton": PRESETS["I"].widths, **fields}
    plain = tuple(constraint.to_json() for constraint in constraints)
    return for_its_shape(replace(DEFAULTS, constraints=plain, **fields))


def greedy_questions(problem: Problem, depth: int) -> list[Predicate]:
    """Splits chosen greedily one after the other, up to this number."""
    chosen: list[Predicate] = []
    offered = binary_view(problem.dataset, Thresholds.QUANTILES).predicates
    for _ in range(depth):
        left = [question for question in offered if question not in chosen]
        chosen.append(min(left, key=lambda question: truth_table(problem, [*chosen, question]).cost))
    return chosen


def bdd(problem: Problem, questions: Sequence[Predicate] | None = None, unseen: Unseen = Unseen.MERGE) -> Diagram:
    """The BDD of these splits, or of greedily chosen ones."""
    return bdd_of(problem, questions or greedy_questions(problem, problem.shape.max_depth), unseen)


def diagram(data: Dataset) -> Diagram:
    """A diagram of three layers whose first split combines two numeric columns, and whose last one is shared."""
    first, second, third = [name for name in data.schema.names if not data.schema[name].kind.has_levels][:3]

    def middle(values: np.ndarray, share: float) -> float:
        return float(f"{np.nanquantile(values, share):.4g}")

    def asks(name: str, share: float) -> Predicate:
        return Predicate(name, Op.LE, middle(data.X[:, data.schema.index(name)], share), False)

    spread = [float(f"{1 / np.nanstd(data.X[:, data.schema.index(name)]):.3g}") for name in (first, second)]
    total = LinearPredicate((first, second), tuple(spread), 0.0, False)
    total = LinearPredicate((first, second), tuple(spread), middle(total.values(data.schema, data.X), 0.5), False)
    nodes: list[Node] = [
        Split(total, 1, 2),
        Split(asks(second, 0.3), 4, 3),
        Split(asks(third, 0.6), 3, 5),
        Split(asks(first, 0.5), 4, 5),
        Leaf(0, (0.0,) * data.n_classes),
        Leaf(1, (0.0,) * data.n_classes),
    ]
    return counted(
        Diagram(ShapeKind.DIAGRAM, data.schema, data.classes, data.outcome, data.positive, tuple(nodes)), data
    )


def counted(found: Diagram, data: Dataset) -> Diagram:
    """The diagram whose leaves count the rows of a table and predict their majority class."""
    counts = node_counts(found, data)
    nodes = tuple(
        Leaf(n.label, tuple(counts[i].tolist())) if isinstance(n, Leaf) else n for i, n in enumerate(found.nodes)
    )
    return Diagram(found.kind, found.schema, found.classes, found.outcome, found.positive, nodes)


def solution_of(problem: Problem, found: Diagram, method: str, **known: object) -> Solution:
    """A verified result with this diagram, not proved, with further details."""
    cost = problem.cost(found.predict(problem.dataset), found.n_splits)
    claim = Solution(problem.id, method, Status.FEASIBLE, found, cost, 0, 0.1, 0.1, details=Details(**known))
    return verified(problem, claim)


def run_of(prepared: Prepared, request: Request, found: Diagram, number: int = 1, **known: object) -> Run:
    """A finished run with this model."""
    request = request.with_rows(prepared.request)
    problem = problem_on(request, prepared.train)
    job = DoneJob(solution_of(problem, found, method_of(request), **known))
    return Run(number, prepared, request, problem, job)


def session_of(*runs: Run) -> Session:
    """A session with these runs, the first of which is shown."""
    prepared, request = runs[0].prepared, runs[0].request
    return Session(source=prepared.source, prepared=prepared, request=request, runs=list(runs), current=1)


def screen(name: str, *runs: Run, **chosen: str) -> AppTest:
    """A screen of the dashboard with these runs; `chosen` are values by the keys of widgets, such as the open tab."""
    app = unopened()
    app.session_state["_session"] = session_of(*runs)
    for key, value in chosen.items():
        app.session_state[key] = value
    return go_to(app, name)
