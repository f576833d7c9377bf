"""Constraints on predictions as weighted sums of rows, which certificates list and their checker recomputes."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from ..problem import Dataset, Problem
from .accuracy import AtLeast
from .fairness import MaxDifference, MinRatio
from .precision import PredictiveValue
from .rules import Pure, Rule, Sum
from .values import grouping, members_of, positive_class


class ClassRows(NamedTuple):
    """The rows of some classes among `members`, bool (n_samples,), which `column` selects (all rows for `None`)."""

    classes: tuple[int, ...]
    column: str | None
    members: np.ndarray


class Term(NamedTuple):
    """`times` the weight of the rows with one of these predictions, or that weight as a share of the weight of `of`."""

    times: Fraction
    rows: ClassRows
    answers: tuple[int, ...]
    of: ClassRows | None = None


class LinearLimit(NamedTuple):
    """Terms with a sum of at most `most`."""

    terms: tuple[Term, ...]
    most: Fraction


def linear_limits(constraint: Any, rules: Sequence[Rule], problem: Problem) -> tuple[LinearLimit, ...]:
    """The linear limits on predictions that follow from a constraint's rules.

    If the rules are sums, the limits are the whole meaning of the constraint. Empty for other kinds of rules.
    """
    data, sums = problem.dataset, [rule for rule in rules if isinstance(rule, Sum) and rule.tests is None]
    pure = [rule for rule in rules if isinstance(rule, Pure)]
    if pure:
        return _pure(pure[0], data)
    if not sums:
        return ()
    if isinstance(constraint, MaxDifference | MinRatio):
        return _fair(constraint, sums, data)
    return (
        _precise(constraint, sums[0], problem)
        if isinstance(constraint, PredictiveValue)
        else _bad(constraint, sums[0], data)
    )


def _bad(constraint: Any, rule: Sum, data: Dataset) -> tuple[LinearLimit, ...]:
    """The weight of errors, class by class, or their share."""
    members, good = members_of(data, constraint.who), constraint.good(data)
    column = None if constraint.who is None else constraint.who.column
    classes = tuple(np.unique(data.y[constraint.among(data)]).tolist())
    most, whole = Fraction(rule.limit), None
    if isinstance(constraint, AtLeast) and constraint.confidence is None:
        most, whole = 1 - Fraction(constraint.share), ClassRows(classes, column, members)
    terms = []
    for c in classes:
        bad = np.flatnonzero(~good[(data.y == c).argmax()]).tolist()
        terms.append(Term(Fraction(1), ClassRows((c,), column, members), tuple(bad), whole))
    return (LinearLimit(tuple(terms), most),) if terms else ()


def _fair(constraint: MaxDifference | MinRatio, rules: Sequence[Sum], data: Dataset) -> tuple[LinearLimit, ...]:
    """The rate of each group minus that of each other group."""
    groups, positive = grouping(data, constraint.column), positive_class(data, constraint.positive)
    limits, of_sums = [], iter(rules)
    for rate, (_, of_class) in zip(constraint.compared(data), constraint.criterion.rates, strict=True):
        classes = tuple(c for c in range(data.n_classes) if of_class is None or (c == positive) == of_class)
        for pair in permutations(rate.parts, 2):
            rule = next(of_sums)
            if isinstance(constraint, MaxDifference):
                times, most = Fraction(1), constraint.difference
                if constraint.confidence is not None:
                    most = Fraction(rule.limit, rule.scale)
            else:
                times, most = constraint.ratio, Fraction(0)
            sides = [ClassRows(classes, constraint.column, groups.codes == groups.levels.index(p.name)) for p in pair]
            signed = zip((times, Fraction(-1)), sides, strict=True)
            limits.append(LinearLimit(tuple(Term(t, side, (positive,), side) for t, side in signed), most))
    return tuple(limits)


def _precise(constraint: PredictiveValue, rule: Sum, problem: Problem) -> tuple[LinearLimit, ...]:
    """A multiple of the wrong predictions minus a multiple of the correct ones."""
    data, members = problem.dataset, members_of(problem.dataset, constraint.who)
    is_counted = constraint.side(data)
    predictions = tuple(np.flatnonzero(is_counted).tolist())
    column = None if constraint.who is None else constraint.who.column
    terms = []
    for of_class in (True, False):
        rows = members & (is_counted[data.y] == of_class)
        if rows.any():
            i, classes = int(np.flatnonzero(rows)[0]), tuple(np.unique(data.y[rows]).tolist())
            times = Fraction(int(rule.by_label[i, predictions[0]]), int(problem.weights[i]))
            terms.append(Term(times, ClassRows(classes, column, members), predictions))
    return (LinearLimit(tuple(terms), Fraction(rule.limit)),) if terms else ()


def _pure(rule: Pure, data: Dataset) -> tuple[LinearLimit, ...]:
    """The consequence of leaf purity for all rows with a prediction: enough of them have that class."""
    every, classes = np.ones(data.n_samples, bool), tuple(range(data.n_classes))
    return tuple(
        LinearLimit(
            (
                Term(Fraction(rule.share), ClassRows(classes, None, every), (k,)),
                Term(Fraction(-1), ClassRows((k,), None, every), (k,)),
            ),
            Fraction(0),
        )
        for k in (classes if rule.label is None else (rule.label,))
    )
