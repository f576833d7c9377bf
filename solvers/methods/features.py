"""The Boolean features of a problem and its distinct rows: the input of all methods for binary decision diagrams.

A feature is a yes/no split on a column. Constant splits are dropped. Of splits that separate the training rows into the
same two sets, in either orientation, one is kept. Rows with the same values of all features are merged, with their
weights added up by class, because no diagram can separate them.

Example
-------
The columns a = (0, 0, 1, 1), b = (1, 1, 0, 0) and c = (0, 1, 1, 1) give the features a and c, because b is the
complement of a.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..problem import Dataset, Op, Predicate, Problem, Thresholds, binary_view, question_orders
from ..problem.threshold_set import ThresholdSet
from ..solution import Scope
from .cases import Cases, cases_of
from .search.context import SearchContext

BINS = 10
"""Number of quantile bins of a numeric column; a column with at most this number of values keeps all thresholds."""


@dataclass(frozen=True)
class Features:
    """The features that a diagram may split on, and the rows that they separate.

    Attributes
    ----------
    dataset : the table.
    predicates : the split of each feature.
    family : int32 (n_features,), the position of the column of each split.
    bits : uint8 (n_samples, n_features), C-contiguous, read-only: 1 if the row satisfies the split.
    offered : all different splits on the columns, before redundant ones were dropped.
    cases : the distinct rows.
    thinned : whether some thresholds were left out.
    """

    dataset: Dataset
    predicates: tuple[Predicate, ...]
    family: np.ndarray
    bits: np.ndarray
    offered: tuple[Predicate, ...]
    cases: Cases
    thinned: bool

    def __len__(self) -> int:
        return len(self.predicates)

    def take(self, problem: Problem, chosen: np.ndarray) -> "Features":
        """Some of the features, int (n,), with the rows that these distinguish."""
        bits = np.ascontiguousarray(self.bits[:, chosen])
        bits.flags.writeable = False
        predicates = tuple(self.predicates[i] for i in chosen.tolist())
        cases = cases_of(problem, bits.T)
        return replace(self, predicates=predicates, family=self.family[chosen], bits=bits, cases=cases)

    @cached_property
    def rows(self) -> np.ndarray:
        """The distinct rows, uint8 (n_cases, n_features)."""
        return np.asarray(self.bits[self.cases.first])


def features_of(
    problem: Problem,
    thresholds: Thresholds | str = Thresholds.QUANTILES,
    within: Mapping[int, ThresholdSet] | None = None,
) -> Features:
    """The features and distinct rows of a problem.

    Parameters
    ----------
    problem : the problem: table, weights and class costs.
    thresholds : whether a numeric column offers all thresholds or, if it has more than `BINS` values, those nearest to
        its quantiles.
    within : the permitted thresholds by column (position); all by default.

    Raises
    ------
    DataError
        A value is missing under the policy 'complete cases'.
    """
    dataset = problem.dataset
    thresholds = Thresholds(thresholds)
    view = binary_view(dataset, thresholds, BINS, within)
    chosen = _distinct(view.bits)
    bits = np.ascontiguousarray(view.bits[:, chosen])
    bits.flags.writeable = False
    return Features(
        dataset=dataset,
        predicates=tuple(view.predicates[i] for i in chosen.tolist()),
        family=view.family[chosen],
        bits=bits,
        offered=view.predicates,
        cases=cases_of(problem, bits.T),
        thinned=thresholds is Thresholds.QUANTILES and _more_values(dataset),
    )


def add_facts(context: SearchContext, features: Features) -> None:
    """After a search, record the facts about its features and rows that matter for the result."""
    contradictory = features.cases.contradictory(features.dataset.rows)
    context.detail(questions=len(features), contradictory=tuple(contradictory.tolist()))
    if features.thinned and context.cost != context.problem.unavoidable_cost:
        context.scope = Scope.QUANTILES


def _distinct(bits: np.ndarray) -> np.ndarray:
    """The columns of uint8 (n_samples, n_offered) that are not constant and equal no earlier column, int64 (n,).

    A column and its complement are equal.
    """
    # with the first row flipped to 0, a column equals its complement
    flip = bits[0].astype(bool) if len(bits) else np.zeros(bits.shape[1], bool)
    keys = np.packbits(bits ^ flip, axis=0)
    distinct: dict[bytes, int] = {}
    for i in range(bits.shape[1]):
        key = keys[:, i].tobytes()
        if any(key):
            distinct.setdefault(key, i)
    return np.array(list(distinct.values()), np.int64)


def _more_values(dataset: Dataset) -> bool:
    """Whether some number, date or ordered column has more ranks than bins, so thresholds are left out."""
    orders = question_orders(dataset)
    return any(orders.orders[i].op is Op.LE and int(orders.rank[i].max()) >= BINS for i in range(len(orders)))
