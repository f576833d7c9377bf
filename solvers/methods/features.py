"""The Boolean variables of a problem and its distinct rows: what every method for binary decision diagrams works on.

A variable ('feature') is a yes/no question about a column. A constant question tells nothing, and of questions that
divide the training rows in the same way, whichever side they call yes, one is kept. Rows with the same answers to all
questions are one row with the weights of their classes added up: no diagram can tell them apart.

Example
-------
Of the columns a = (0, 0, 1, 1), b = (1, 1, 0, 0) and c = (0, 1, 1, 1) the features are a and c; 'b is no' is 'a'.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..problem import Dataset, Op, Predicate, Problem, Thresholds, binary_view, question_orders
from ..problem.threshold_set import ThresholdSet
from ..solution import Scope
from .cases import Cases, cases_of
from .search.context import SearchContext

BINS = 10
"""Quantile bins of a numeric column; one of at most so many different values gives all its thresholds."""


@dataclass(frozen=True)
class Features:
    """The variables that a diagram may ask about, and the rows that it can tell apart.

    Attributes
    ----------
    dataset : the table.
    predicates : the questions, one a feature.
    family : int32 (n_features,), the position of the column that each question asks about.
    bits : uint8 (n_samples, n_features), C-contiguous, read-only: 1 where the answer is yes.
    offered : all different questions about the columns, before those that tell nothing new were left out.
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

    @cached_property
    def rows(self) -> np.ndarray:
        """The distinct rows, uint8 (n_cases, n_features)."""
        return np.asarray(self.bits[self.cases.first])


def features_of(
    problem: Problem,
    thresholds: Thresholds | str = Thresholds.QUANTILES,
    within: Mapping[int, ThresholdSet] | None = None,
) -> Features:
    """The variables and distinct rows of a problem.

    Parameters
    ----------
    problem : gives the table, its weights and class costs.
    thresholds : whether a number offers all its thresholds, or, where it has more than `BINS` different values, those
        nearest to its quantiles.
    within : the permitted thresholds of a column (its position); by default all.

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
    """Note, of a search that has ended, what its questions and rows mean for the result."""
    contradictory = features.cases.contradictory(features.dataset.rows)
    context.detail(questions=len(features), contradictory=tuple(contradictory.tolist()))
    if features.thinned and context.cost != context.problem.unavoidable_cost:
        context.scope = Scope.QUANTILES


def _distinct(bits: np.ndarray) -> np.ndarray:
    """Of columns uint8 (n_samples, n_offered) those that are not constant and equal none before them, int64 (n,).

    A column and its complement are equal.
    """
    # turned so that the first row is 0, a column is the same as its complement
    flip = bits[0].astype(bool) if len(bits) else np.zeros(bits.shape[1], bool)
    keys = np.packbits(bits ^ flip, axis=0)
    distinct: dict[bytes, int] = {}
    for i in range(bits.shape[1]):
        key = keys[:, i].tobytes()
        if any(key):
            distinct.setdefault(key, i)
    return np.array(list(distinct.values()), np.int64)


def _more_values(dataset: Dataset) -> bool:
    """Whether some number, date or ordered column has more ranks than bins, so that thresholds are left out."""
    orders = question_orders(dataset)
    return any(orders.orders[i].op is Op.LE and int(orders.rank[i].max()) >= BINS for i in range(len(orders)))
