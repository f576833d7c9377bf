"""How good models are on rows that they were not learned from: repeated stratified cross-validation.

The rows are divided into k folds with the same share of each class, or as the `Division` of the dataset says. A model
is learned from all folds but one (by time: from those before) and judged on that one, for each of them in turn; a
repeat divides the rows anew. What is judged is the way of making models (method, options, size, constraints, limits),
not one model: each fold has its own.

References
----------
Stone (1974), 'Cross-validatory choice and assessment of statistical predictions', Journal of the Royal Statistical
Society B 36, 111-147; stratified and repeated as in Kohavi (1995), IJCAI 14, 1137-1143.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple

import numpy as np

from ..diagram import Leaf
from ..explain.inquiry import Solve
from ..explain.tasks import Tell
from ..metrics.diagnosis import Diagnosis, diagnosis
from ..metrics.subgroups import Subgroup, subgroups
from ..problem import Dataset, Limits, Problem
from ..solution import Status, Stop
from .executors import Executor
from .jobs import JobOutcome, fault_of
from .resamples import folds
from .study import PlannedJob, Study


@dataclass(frozen=True)
class FoldFit:
    """A model that was learned from all folds but one, and what it says about that one.

    Attributes
    ----------
    repeat, fold : which one, from 0.
    labels : the class of each leaf, as an index; shares : of each leaf, the shares of all classes in training.
    leaves : the leaf that each row of the fold comes to, as a position in `labels`; rows in the order of the table.
    questions : of the model; proved : whether it was proved to be optimal.
    fault : why there is no model, in a sentence; '' where there is one.
    seconds : wall time of the learning.
    """

    repeat: int
    fold: int
    labels: tuple[int, ...] = ()
    shares: tuple[tuple[float, ...], ...] = ()
    leaves: tuple[int, ...] = ()
    questions: int = 0
    proved: bool = False
    fault: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class CrossValidation:
    """What models of folds say about rows that they were not learned from.

    Attributes
    ----------
    n_folds, repeats, seed : the plan, see `Division.plan`; it divides the same rows in the same way again.
    fits : the models so far, in the order in which they were learned.
    finished : whether this is the last word, and not a report on the way.
    seconds : the time that it took.
    """

    n_folds: int
    repeats: int
    seed: int = 0
    fits: tuple[FoldFit, ...] = ()
    finished: bool = False
    seconds: float = 0.0

    @property
    def done(self) -> int:
        """Models that were sought so far, of `n_folds * repeats`."""
        return len(self.fits)

    @property
    def faults(self) -> tuple[str, ...]:
        """Why models are missing, each reason once."""
        return tuple(dict.fromkeys(fit.fault for fit in self.fits if fit.fault))


class UnseenPredictions(NamedTuple):
    """What a repeat says about the rows that it got to, each by a model that had not seen it.

    Attributes
    ----------
    rows : positions in the table.
    predicted : int64 (n_rows,), class indices.
    shares : float64 (n_rows, n_classes), risks.
    """

    rows: np.ndarray
    predicted: np.ndarray
    shares: np.ndarray


def cross_validate(  # noqa: PLR0913
    problem: Problem,
    method: str,
    limits: Limits,
    stop: Stop | None = None,
    tell: Callable[[CrossValidation], None] | None = None,
    *,
    options: Mapping[str, str] | None = None,
    n_folds: int = 10,
    repeats: int = 1,
    step: float = 60.0,
    executor: Executor | None = None,
) -> CrossValidation:
    """Learn and judge a model a fold.

    Parameters
    ----------
    problem : its rows are divided; shape, costs and constraints hold in each fold.
    method, options : who learns.
    limits : for all models together; `limits.seed` decides how the rows are divided.
    stop : ends it; the folds that are done are kept.
    tell : called with what is known so far.
    step : seconds for each model.
    executor : where models are learned.

    Raises
    ------
    DataError
        There are too few rows for so many folds.
    """
    stop, tell = stop or threading.Event(), tell or (lambda answer: None)
    answer = CrossValidation(*problem.dataset.division.plan(n_folds, repeats), limits.seed)
    study = Study((method,), {method: options or {}}, own=True, folds=n_folds, repeats=repeats, step=step)
    for planned, outcome in study.outcomes(problem, limits, stop, executor):
        fits = (*answer.fits, _judged(planned, outcome, problem.dataset))
        answer = replace(answer, fits=fits, seconds=answer.seconds + outcome.seconds)
        tell(answer)
    return replace(answer, finished=True)


def _judged(planned: PlannedJob, outcome: JobOutcome, dataset: Dataset) -> FoldFit:
    part, fault = planned.part, fault_of(planned.job.problem, outcome)
    assert part is not None, "a fold is a part of the rows"
    if fault:
        return FoldFit(part.repeat, part.number, fault=fault, seconds=outcome.seconds)
    solution = outcome.solution
    assert solution is not None and solution.diagram is not None, "what has no fault has a model"
    diagram = solution.diagram
    at = [i for i, node in enumerate(diagram.nodes) if isinstance(node, Leaf)]
    position = np.full(diagram.n_nodes, -1)
    position[at] = np.arange(len(at))
    return FoldFit(
        part.repeat,
        part.number,
        tuple(diagram.leaf(i).label for i in at),
        tuple(diagram.leaf(i).shares for i in at),
        tuple(position[diagram.apply(dataset.X[part.test])].tolist()),
        diagram.n_splits,
        solution.status is Status.OPTIMAL,
        "",
        outcome.seconds,
    )


def unseen(found: CrossValidation, dataset: Dataset) -> tuple[UnseenPredictions, ...]:
    """What each repeat says, complete ones only; before the first is complete, what there is of it.

    A repeat is complete when each of its folds was tried; rows of a fold without a model are left out.
    """
    tried = [sum(fit.repeat == repeat for fit in found.fits) for repeat in range(found.repeats)]
    complete = [repeat for repeat, n in enumerate(tried) if n == found.n_folds]
    chosen = complete or [repeat for repeat, n in enumerate(tried) if n][:1]
    plan = {(p.repeat, p.number): p.test for p in folds(dataset, found.n_folds, found.repeats, found.seed)}
    return tuple(one for repeat in chosen if (one := _repeat(found, plan, repeat)) is not None)


def _repeat(found: CrossValidation, plan: dict[tuple[int, int], np.ndarray], repeat: int) -> UnseenPredictions | None:
    fits = [fit for fit in found.fits if fit.repeat == repeat and not fit.fault]
    if not fits:
        return None
    rows = np.concatenate([plan[fit.repeat, fit.fold] for fit in fits])
    predicted = np.concatenate([np.array(fit.labels)[list(fit.leaves)] for fit in fits])
    shares = np.concatenate([np.array(fit.shares)[list(fit.leaves)] for fit in fits])
    order = np.argsort(rows)
    return UnseenPredictions(rows[order], predicted[order], shares[order])


def validated(found: CrossValidation, dataset: Dataset, of_class: int | None) -> tuple[Diagnosis, ...]:
    """The figures of each repeat, see `unseen`; each row counts once in each."""
    return tuple(
        diagnosis(dataset.take(one.rows), one.predicted, one.shares, of_class) for one in unseen(found, dataset)
    )


def by_centre(found: CrossValidation, dataset: Dataset) -> tuple[Subgroup, ...]:
    """The figures of each centre by the models of the others; none where centres were not left out."""
    repeats, centres = unseen(found, dataset), dataset.division.centres
    if not repeats or centres is None or dataset.division.by is not centres:
        return ()
    rows, predicted, shares = repeats[0]
    return subgroups(dataset.take(rows), predicted, shares, dataset.positive, centres.take(rows))


@dataclass(frozen=True)
class CrossValidate:
    """How good are models on rows that they were not learned from? See `cross_validate`; `step` is in seconds."""

    doing: ClassVar[str] = "Learning and judging a model for each fold."
    method: str
    options: Mapping[str, str] = field(default_factory=dict)
    n_folds: int = 10
    repeats: int = 1
    step: float = 60.0

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> CrossValidation:
        """Answer it; every fold is solved by the method that is named, not by `solve`."""
        return cross_validate(problem, limits=limits, stop=stop, tell=tell, **vars(self))
