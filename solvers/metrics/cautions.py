"""Warnings about a model: problems of its performance on held-out rows, its leaves and its constraints.

A model that is optimal on the training rows may be worse than no model on others. This module finds the facts;
`solvers.messages.describe_caution` turns them into sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ..constraints import Constraint
from ..diagram import Diagram
from ..problem import Dataset, Problem, leaf_floor
from ..problem.quality import Issue, issues
from .achieved import on_new_rows
from .comparable import comparable, constants, describe_value, describe_violated
from .intervals import Rate, difference, rate
from .paired import mcnemar


class CautionKind(StrEnum):
    """The kind of a warning."""

    VIOLATED = "violated"
    NO_BETTER_THAN_CONSTANT = "no better than constant"
    WORSE_THAN_RIVAL = "worse than rival"
    OPTIMISM = "optimism"
    NO_ANSWER = "no answer"
    BROKEN_CONSTRAINT = "broken constraint"
    UNCONFIRMED_CONSTRAINT = "unconfirmed constraint"
    SMALL_LEAF = "small leaf"
    TABLE = "table"


@dataclass(frozen=True)
class Caution:
    """A warning about a model.

    Attributes
    ----------
    kind : the kind of warning.
    own, other : the error rate on held-out rows, and that of the comparison: the constant prediction, the other model,
        or the model itself on its training rows; or `own` is the proportion without a prediction. `None` if not
        applicable.
    own_cost, other_cost : the mean cost of a held-out row by the objective, in the user's units.
    name : the class that is always predicted, the other model, or the constraint in words.
    relabelled : whether the leaves of the other model were relabelled to satisfy the constraints.
    p : of McNemar's test on the held-out rows, for another model; `None` if rows have weights.
    issue : a possible fault of a column that the model uses, or of the outcome.
    leaves, floor, least : the number of leaves with fewer training rows than `floor`, and the smallest leaf size.
    """

    kind: CautionKind
    own: Rate | None = None
    other: Rate | None = None
    own_cost: float = 0.0
    other_cost: float = 0.0
    name: str = ""
    relabelled: bool = False
    p: float | None = None
    leaves: int = 0
    floor: int = 0
    least: int = 0
    issue: Issue | None = None


def cautions(
    problem: Problem, diagram: Diagram, test: Dataset | None, rivals: Mapping[str, Diagram] | None = None
) -> tuple[Caution, ...]:
    """Find the warnings about a model, the most serious first.

    Parameters
    ----------
    problem : the problem that the model solves; its rows are the training rows.
    test : held-out rows; with `None`, only leaves and columns are examined.
    rivals : other models for the same rows by name, such as greedy trees; the best of them on the held-out rows is
        reported if it is better.

    Notes
    -----
    'Better' is a lower mean cost of a held-out row by the misclassification costs, without split penalties. Constraints
    are the same for all: constant predictions that violate one on the training rows do not count, other models are
    relabelled (see `comparable`) or do not count, and neither does one that violates a constraint on the held-out rows
    that the model satisfies there.
    Training and held-out rows differ by more than chance if Newcombe's 95% interval (1998, method 10) of the difference
    of the error rates is above 0.
    """
    asks = issues(problem.dataset.select(diagram.features))
    violated = describe_violated(problem, diagram)
    found = [Caution(CautionKind.VIOLATED, name=name) for name in violated]
    found += [Caution(CautionKind.TABLE, issue=one) for one in asks]
    if test is not None:
        found += _against_test(problem, diagram, test, {} if violated else rivals or {})
        stopped = diagram.stops(test) >= 0
        if stopped.any():
            found.append(Caution(CautionKind.NO_ANSWER, rate(stopped)))
        missed: dict[CautionKind, list[str]] = {
            CautionKind.BROKEN_CONSTRAINT: [],
            CautionKind.UNCONFIRMED_CONSTRAINT: [],
        }
        for constraint in problem.constraints:
            judged = constraint.judged
            trained, new = on_new_rows(constraint, diagram, problem.dataset), on_new_rows(judged, diagram, test)
            if trained is not None and trained.holds and new is not None and not new.holds:
                # if the proportion itself satisfies the limit, there are only too few rows to confirm it
                shares = on_new_rows(judged.without_confidence(), diagram, test)
                broken = shares is None or not shares.holds
                kind = CautionKind.BROKEN_CONSTRAINT if broken else CautionKind.UNCONFIRMED_CONSTRAINT
                missed[kind].append(describe_value(judged, diagram, test))
        found += [Caution(kind, name="; ".join(names)) for kind, names in missed.items() if names]
    leaves = [number for number, _ in diagram.leaves]
    rows = np.bincount(diagram.apply(problem.dataset.X), minlength=diagram.n_nodes)[leaves]
    floor = leaf_floor(problem.dataset.n_samples)
    if few := int((rows < floor).sum()):
        found.append(Caution(CautionKind.SMALL_LEAF, leaves=few, floor=floor, least=int(rows.min())))
    return tuple(found)


def _against_test(problem: Problem, diagram: Diagram, test: Dataset, rivals: Mapping[str, Diagram]) -> list[Caution]:
    costs = np.asarray(problem.class_costs, np.float64) / (problem.scale / problem.scaled.weight_scale)
    train = problem.dataset
    weighted = np.bincount(train.y, weights=problem.weights, minlength=train.n_classes)
    answer = min(constants(problem), key=(weighted @ costs).__getitem__, default=None)

    def mean_cost(predicted: np.ndarray) -> float:
        return float(np.average(costs[test.y, predicted], weights=test.weight))

    def wrong(predicted: np.ndarray, data: Dataset = test) -> Rate:
        return rate(predicted != data.y, data.weight)

    predicted = diagram.predict(test)
    own, own_cost = wrong(predicted), mean_cost(predicted)
    found = []
    constant = np.full(test.n_samples, answer or 0)
    if answer is not None and diagram.n_splits and own_cost >= mean_cost(constant):
        found.append(
            Caution(
                CautionKind.NO_BETTER_THAN_CONSTANT,
                own,
                wrong(constant),
                own_cost,
                mean_cost(constant),
                train.classes[answer],
            )
        )
    fair = {name: one for name, other in rivals.items() if (one := comparable(problem, other)) is not None}
    kept = [one for one in problem.constraints if _holds(one, diagram, test)]
    fair = {name: other for name, other in fair.items() if all(_holds(one, other, test) for one in kept)}
    answers = {name: other.predict(test) for name, other in fair.items()}
    best = min(answers, key=lambda name: mean_cost(answers[name]), default=None)
    if best is not None and own_cost > mean_cost(answers[best]):
        right, other_right = predicted == test.y, answers[best] == test.y
        p = mcnemar(int((other_right & ~right).sum()), int((right & ~other_right).sum()))
        found.append(
            Caution(
                CautionKind.WORSE_THAN_RIVAL,
                own,
                wrong(answers[best]),
                own_cost,
                mean_cost(answers[best]),
                best,
                fair[best] is not rivals[best],
                p if test.weight is None else None,
            )
        )
    training = wrong(diagram.predict(train), train)
    gap = difference(own, training)
    if gap.low is not None and gap.low > 0:
        found.append(Caution(CautionKind.OPTIMISM, own, training))
    return found


def _holds(constraint: Constraint, diagram: Diagram, test: Dataset) -> bool:
    """Whether a model does not violate a constraint on held-out rows."""
    new = on_new_rows(constraint.judged, diagram, test)
    return new is None or new.holds
