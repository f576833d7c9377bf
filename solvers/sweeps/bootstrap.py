"""How much a model flatters itself, and how much it would change with other rows: the bootstrap.

As many rows as there are are drawn with replacement, and a model is learned from them with everything that belongs to
it. It is judged on the rows that were drawn (apparent) and on all rows (original). The mean difference is the optimism
that is taken off the apparent figures of the model at hand. And because each of these models could have been the one at
hand, their differences tell how stable it is.

References
----------
Harrell, Lee and Mark (1996), 'Multivariable prognostic models', Statistics in Medicine 15, 361-387; stability as in
Riley and Collins (2023), 'Stability of clinical prediction models developed using statistical or machine learning
methods', Biometrical Journal 65, 2200302.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from ..diagram import Diagram, Split
from ..diagram.labels import question
from ..explain.inquiry import Solve
from ..explain.tasks import Tell
from ..metrics.catalogue import METRICS
from ..metrics.diagnosis import Diagnosis, diagnose, diagnosis
from ..problem import Dataset, Limits, Problem
from ..solution import Status, Stop
from .executors import Executor
from .jobs import JobOutcome, fault_of
from .study import PlannedJob, Study

CORRECTED = {metric.key: metric for metric in METRICS if metric.corrected}
"""The metrics that are corrected for optimism."""


@dataclass(frozen=True)
class ModelStructure:
    """What a model asks: how many questions, the most on one way, and about which columns.

    `root` is the first question in words, '' where nothing is asked, and `root_columns` are the columns that it is
    about.
    """

    root: str
    root_columns: tuple[str, ...]
    features: tuple[str, ...]
    questions: int
    depth: int


@dataclass(frozen=True)
class BootstrapFit:
    """A model that was learned from drawn rows.

    Attributes
    ----------
    structure : what it asks.
    apparent, original : the figures of `CORRECTED` on the drawn rows and on all rows; `None` where there is none.
    proved : whether it was proved to be optimal.
    """

    structure: ModelStructure
    apparent: tuple[float | None, ...]
    original: tuple[float | None, ...]
    proved: bool


@dataclass(frozen=True)
class Bootstrap:
    """What models of drawn rows say.

    Attributes
    ----------
    n_samples, seed : the plan.
    of_class : the class that figures and risks are about, `None` for all classes alike.
    model : what the model at hand asks.
    fits : the models so far.
    changed : of each row, how many of them answer otherwise than the model at hand.
    gaps : of each row, by how much their risks differ from that of the model at hand, added up; without a class, the
        risk is that of the class which the model at hand answers.
    faults : why models are missing, one a sample without a model.
    finished : whether this is the last word, and not a report on the way.
    seconds : the time that it took.
    """

    n_samples: int
    seed: int
    of_class: int | None
    model: ModelStructure
    fits: tuple[BootstrapFit, ...] = ()
    changed: tuple[int, ...] = ()
    gaps: tuple[float, ...] = ()
    faults: tuple[str, ...] = ()
    finished: bool = False
    seconds: float = 0.0

    @property
    def done(self) -> int:
        """Models that were sought so far, of `n_samples`."""
        return len(self.fits) + len(self.faults)

    def optimism(self, name: str) -> float | None:
        """How much better a figure of `CORRECTED` is on the rows that were learned from; `None` where not known."""
        i = list(CORRECTED).index(name)
        pairs = [(fit.apparent[i], fit.original[i]) for fit in self.fits]
        known = [a - o for a, o in pairs if a is not None and o is not None]
        return sum(known) / len(known) if known else None


def structure_of(diagram: Diagram) -> ModelStructure:
    """What a model asks."""
    root = diagram.nodes[0]
    first = root.predicate if isinstance(root, Split) else None
    return ModelStructure(
        "" if first is None else question(first, diagram.schema),
        () if first is None else tuple(first.columns),
        diagram.features,
        diagram.n_splits,
        diagram.depth,
    )


def bootstrap(  # noqa: PLR0913
    problem: Problem,
    diagram: Diagram,
    method: str,
    limits: Limits,
    stop: Stop | None = None,
    tell: Callable[[Bootstrap], None] | None = None,
    *,
    options: Mapping[str, str] | None = None,
    n_samples: int = 100,
    step: float = 60.0,
    executor: Executor | None = None,
) -> Bootstrap:
    """Learn models from drawn rows, and hold them to the model at hand.

    Parameters
    ----------
    problem : rows are drawn from its rows; shape, costs and constraints hold for each model.
    diagram : the model at hand.
    method, options : who learns.
    limits : for all models together; `limits.seed` decides which rows are drawn.
    stop : ends it; the models that are done are kept.
    tell : called with what is known so far.
    n_samples : how many models; step : seconds for each.
    executor : where models are learned.
    """
    stop, tell = stop or threading.Event(), tell or (lambda answer: None)
    dataset = problem.dataset
    judge = _Judge(dataset, diagram)
    plan = Bootstrap(n_samples, limits.seed, dataset.positive, structure_of(diagram))
    study = Study((method,), {method: options or {}}, own=True, samples=n_samples, step=step)
    for planned, outcome in study.outcomes(problem, limits, stop, executor):
        judge.take(planned, outcome)
        tell(judge.known(plan))
    return replace(judge.known(plan), finished=True)


class _Judge:
    """Adds up what models of drawn rows say about all rows."""

    def __init__(self, dataset: Dataset, diagram: Diagram) -> None:
        self._data = dataset
        self._labels = diagram.predict(dataset)
        self._about = self._labels if dataset.positive is None else np.full(dataset.n_samples, dataset.positive)
        self._each = np.arange(dataset.n_samples)
        self._risks = diagram.predict_proba(dataset)[self._each, self._about]
        self._changed = np.zeros(dataset.n_samples, np.int64)
        self._gaps = np.zeros(dataset.n_samples)
        self._fits: dict[int, BootstrapFit] = {}
        self._faults: list[str] = []
        self._seconds = 0.0

    def take(self, planned: PlannedJob, outcome: JobOutcome) -> None:
        """Take in one model, or why there is none."""
        self._seconds += outcome.seconds
        part = planned.part
        assert part is not None, "a sample is a part of the rows"
        if fault := fault_of(planned.job.problem, outcome):
            self._faults.append(fault)
            return
        solution, of_class = outcome.solution, self._data.positive
        assert solution is not None and solution.diagram is not None, "what has no fault has a model"
        diagram = solution.diagram
        labels, shares = diagram.predict(self._data.X), diagram.predict_proba(self._data.X)
        self._changed += labels != self._labels
        self._gaps += np.abs(shares[self._each, self._about] - self._risks)
        drawn = self._data.take(part.train)
        self._fits[part.number] = BootstrapFit(
            structure_of(diagram),
            _values(diagnosis(drawn, labels[part.train], shares[part.train], of_class)),
            _values(diagnosis(self._data, labels, shares, of_class)),
            solution.status is Status.OPTIMAL,
        )

    def known(self, plan: Bootstrap) -> Bootstrap:
        """What there is so far, whatever the order in which the models came."""
        return replace(
            plan,
            fits=tuple(fit for _, fit in sorted(self._fits.items())),
            changed=tuple(self._changed.tolist()),
            gaps=tuple(round(gap, 6) for gap in self._gaps.tolist()),
            faults=tuple(self._faults),
            seconds=self._seconds,
        )


def _values(figures: Diagnosis) -> tuple[float | None, ...]:
    found = (metric.figure(figures, 0.5) for metric in CORRECTED.values())
    return tuple(None if figure is None else figure.value for figure in found)


def apparent(diagram: Diagram, problem: Problem) -> Diagnosis:
    """The figures of a model on the rows that it was learned from: what optimism is taken off."""
    return diagnose(diagram, problem.dataset, problem.dataset.positive)


@dataclass(frozen=True)
class Resample:
    """How optimistic are the figures of a model, and how stable is it? See `bootstrap`; `step` is in seconds."""

    doing: ClassVar[str] = "Learning models from drawn rows."
    method: str
    diagram: Diagram
    options: Mapping[str, str] = field(default_factory=dict)
    n_samples: int = 100
    step: float = 60.0

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> Bootstrap:
        """Answer it; every sample is solved by the method that is named, not by `solve`."""
        return bootstrap(problem, limits=limits, stop=stop, tell=tell, **vars(self))
