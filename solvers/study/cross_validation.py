"""Performance of models on held-out rows: repeated stratified cross-validation.

The rows are divided into k folds with the same share of each class, or according to the `Division` of the dataset. For
each fold in turn, a model is learned from all other folds (by time: from the earlier ones) and evaluated on this fold;
each repeat divides the rows again. This evaluates the procedure (method, options, size, constraints, limits), not one
model: each fold has its own.

>>> cross_validate(problem, "contree", n_folds=10).validated(1)  # doctest: +SKIP

References
----------
Stone (1974), 'Cross-validatory choice and assessment of statistical predictions', Journal of the Royal Statistical
Society B 36, 111-147; stratified and repeated as in Kohavi (1995), IJCAI 14, 1137-1143.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np

from ..metrics.diagnosis import Diagnosis, diagnosis
from ..metrics.subgroups import Subgroup, subgroups
from ..problem import Limits, Problem
from .folder import Results
from .resamples import folds
from .study import Study, of_each


class UnseenPredictions(NamedTuple):
    """The held-out predictions of a repeat: each row is predicted by a model that was not trained on it.

    Attributes
    ----------
    rows : positions in the table.
    predicted : int64 (n_rows,), class indices.
    shares : float64 (n_rows, n_classes), risks.
    """

    rows: np.ndarray
    predicted: np.ndarray
    shares: np.ndarray


class CrossValidation(NamedTuple):
    """A study of folds with its results, possibly partial; `problem` is the problem of the study."""

    study: Study
    results: Results
    problem: Problem

    @property
    def n_folds(self) -> int:
        """The number of folds, unless the `Division` of the rows determines it."""
        return self.problem.dataset.division.plan(self.study.folds, self.study.repeats).folds

    @property
    def repeats(self) -> int:
        """The number of repeats."""
        return self.problem.dataset.division.plan(self.study.folds, self.study.repeats).repeats

    @property
    def seed(self) -> int:
        """The seed that divided the rows."""
        return self.results.seed

    @property
    def unseen(self) -> tuple[UnseenPredictions, ...]:
        """The predictions of each complete repeat; before the first is complete, those of the incomplete one.

        A repeat is complete when each of its folds was tried; rows of a fold without a model are omitted.
        """
        data, tried = self.problem.dataset, Counter(row["repeat"] for row in self.results.rows)
        parts = {(one.repeat, one.number): one.test for one in folds(data, self.n_folds, self.repeats, self.seed)}
        found = []
        for repeat in [repeat for repeat, n in tried.items() if n == self.n_folds] or list(tried)[:1]:
            models = [
                (parts[repeat, row["part"]], diagram)
                for row, diagram in self.results.found()
                if row["repeat"] == repeat
            ]
            if models:
                rows = np.concatenate([test for test, _ in models])
                predicted = np.concatenate([diagram.predict(data.X[test]) for test, diagram in models])
                shares = np.concatenate([diagram.predict_proba(data.X[test]) for test, diagram in models])
                order = np.argsort(rows)
                found.append(UnseenPredictions(rows[order], predicted[order], shares[order]))
        return tuple(found)

    def validated(self, of_class: int | None) -> tuple[Diagnosis, ...]:
        """The metrics of each repeat, see `unseen`; each row counts once per repeat."""
        data = self.problem.dataset
        return tuple(diagnosis(data.take(one.rows), one.predicted, one.shares, of_class) for one in self.unseen)

    def by_centre(self) -> tuple[Subgroup, ...]:
        """The metrics of each centre by models trained on the other centres; empty if centres were not left out."""
        data, repeats = self.problem.dataset, self.unseen
        centres = data.division.centres
        if not repeats or centres is None or data.division.by is not centres:
            return ()
        rows, predicted, shares = repeats[0]
        return subgroups(data.take(rows), predicted, shares, data.positive, centres.take(rows))


def cross_validate(
    problem: Problem, method: str, limits: Limits | None = None, *, n_folds: int = 10, repeats: int = 1
) -> CrossValidation:
    """Learn and evaluate a model for each fold; `limits` are for all folds together, and their seed divides the rows.

    Raises `DataError` if there are too few rows for the folds.
    """
    limits = limits or Limits(seconds=None)
    each = of_each(limits) | {"step": None}
    study = Study((method,), own=True, folds=n_folds, repeats=repeats, **each)
    return CrossValidation(study, study.results(problem, limits.seconds), problem)
