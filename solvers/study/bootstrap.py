"""The bootstrap: a model's optimism, and its stability under resampling of the rows.

A sample of the same size is drawn with replacement, and a model is learned from it by the whole procedure. It is
evaluated on the sample (apparent) and on all rows (original). The mean difference is the optimism, which is subtracted
from the apparent metrics of the given model. Since each of these models could have been the given one, their
differences show how stable it is.

References
----------
Harrell, Lee and Mark (1996), 'Multivariable prognostic models', Statistics in Medicine 15, 361-387; stability as in
Riley and Collins (2023), 'Stability of clinical prediction models developed using statistical or machine learning
methods', Biometrical Journal 65, 2200302.
"""

from dataclasses import dataclass

import numpy as np

from ..diagram import Diagram
from ..metrics.catalogue import METRICS
from ..metrics.diagnosis import Diagnosis, diagnosis
from ..problem import Problem
from ..solution import Status
from .folder import Results
from .resamples import bootstrap_samples

CORRECTED = {metric.key: metric for metric in METRICS if metric.corrected}
"""The metrics that are corrected for optimism."""


@dataclass(frozen=True)
class BootstrapFit:
    """A model learned from a bootstrap sample.

    Attributes
    ----------
    diagram : the model.
    apparent, original : the metrics of `CORRECTED` on the sample and on all rows; `None` if undefined.
    proved : whether it was proved to be optimal.
    """

    diagram: Diagram
    apparent: tuple[float | None, ...]
    original: tuple[float | None, ...]
    proved: bool


class Bootstrap:
    """The bootstrap models compared with the given model; a study of samples is added up as it grows.

    >>> study = Study(("contree",), own=True, samples=100)  # doctest: +SKIP
    >>> Bootstrap(problem, diagram).of(study.results(problem)).optimism("accuracy")  # doctest: +SKIP

    Parameters
    ----------
    problem : the rows to draw from.
    diagram : the given model.

    Attributes
    ----------
    of_class : the class of metrics and risks, `None` for all classes.
    model : the given model.
    fits : the models so far.
    changed : for each row, the number of models whose prediction differs from that of the given model.
    gaps : for each row, the summed differences between their risks and that of the given model; without a class, the
        risk is that of the class predicted by the given model.
    done, n_samples : the number of models sought so far, and in total.
    """

    def __init__(self, problem: Problem, diagram: Diagram) -> None:
        data = self._data = problem.dataset
        self.of_class, self.model = data.positive, diagram
        self.fits: tuple[BootstrapFit, ...] = ()
        self.changed, self.gaps = np.zeros(data.n_samples, np.int64), np.zeros(data.n_samples)
        self.done = self.n_samples = 0
        self._labels = diagram.predict(data)
        self._about = self._labels if data.positive is None else np.full(data.n_samples, data.positive)
        self._each = np.arange(data.n_samples)
        self._risks = diagram.predict_proba(data)[self._each, self._about]
        self._taken = 0

    def of(self, results: Results) -> "Bootstrap":
        """Add what is new in the table of the study."""
        data, models = self._data, list(results.found())
        drawn = [part.train for part in bootstrap_samples(data, max(1, results.of), results.seed)] if models else []
        for row, diagram in models[self._taken :]:
            labels, shares, rows = diagram.predict(data.X), diagram.predict_proba(data.X), drawn[row["part"]]
            self.changed += labels != self._labels
            self.gaps += np.abs(shares[self._each, self._about] - self._risks)
            apparent = diagnosis(data.take(rows), labels[rows], shares[rows], self.of_class)
            original = diagnosis(data, labels, shares, self.of_class)
            proved = row["status"] == Status.OPTIMAL
            fit = BootstrapFit(diagram, _values(apparent), _values(original), proved)
            self.fits = (*self.fits, fit)
        self._taken, self.done, self.n_samples = len(models), results.done, results.of
        return self

    def optimism(self, name: str) -> float | None:
        """How much better a metric of `CORRECTED` is on the sample than on all rows; `None` if unknown."""
        i = list(CORRECTED).index(name)
        pairs = [(fit.apparent[i], fit.original[i]) for fit in self.fits]
        known = [a - o for a, o in pairs if a is not None and o is not None]
        return sum(known) / len(known) if known else None


def _values(figures: Diagnosis) -> tuple[float | None, ...]:
    found = (metric.figure(figures, 0.5) for metric in CORRECTED.values())
    return tuple(None if figure is None else figure.value for figure in found)
