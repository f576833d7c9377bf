"""Constraints on predictions in the form of a certificate, and the multipliers of its lower bound on the cost.

Groups of rows are described by their classes and cells, so that the checker can count all coefficients itself. Cutting
planes find the multipliers with the best bound, as in the search; any multipliers give a valid bound.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from ..constraints import Constraint, rules_of
from ..constraints.linear import ClassRows, linear_limits
from ..constraints.rules import Allowed, Rules, Sum, ThresholdRange
from ..constraints.values import grouping
from ..errors import CertificateError
from ..methods.search.deadline import SearchEndedError
from ..methods.search.watch import Watch
from ..methods.trees.path_rules import POSTED
from ..problem import Column, Dataset, Group, Kind, Problem, Shape, question_orders
from ..problem.groups import crossed_columns
from ..problem.texts import respelled
from .optimum_bounds import EXACT, MISSING
from .optimum_checker import limit_rows
from .permitted_cases import met


@dataclass
class ConstraintClaims:
    """Constraints on predictions, listed and omitted.

    `groups` and `sums` have the form of the certificate; `weights` has the row weights of each group, int64
    (n_samples,). `left_out` lists omitted constraints in words: without them there are more trees, so the bound
    remains valid.
    """

    groups: list[dict[str, Any]] = field(default_factory=list)
    sums: list[dict[str, Any]] = field(default_factory=list)
    weights: list[np.ndarray] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def group(self, rows: ClassRows, problem: Problem) -> int:
        """The index of a group, which is added if it is new."""
        data = problem.dataset
        where = [] if rows.column is None else _where(rows.column, rows.members, data)
        claim = {"classes": list(rows.classes), "where": where}
        if claim not in self.groups:
            self.groups.append(claim)
            self.weights.append(np.where(rows.members & np.isin(data.y, rows.classes), problem.weights, 0))
        return self.groups.index(claim)


def constraint_claims(problem: Problem) -> ConstraintClaims:
    """The constraints of a problem in the form of a certificate, except size constraints."""
    claims, rules = ConstraintClaims(), rules_of(problem)
    coupling = {rule.source for rule in rules.every if not isinstance(rule, POSTED)}
    for i in sorted(coupling):
        constraint, own = problem.constraints[i], [rule for rule in rules.every if rule.source == i]
        assert isinstance(constraint, Constraint)
        limits = linear_limits(constraint, own, problem)
        if not limits or any(not isinstance(rule, Sum) for rule in own):
            claims.left_out.append(constraint.words(problem.dataset))
        for limit in limits:
            numbers = [
                (claims.group(one.rows, problem), None if one.of is None else claims.group(one.of, problem))
                for one in limit.terms
            ]
            terms = [
                [str(one.times), rows, list(one.answers), of]
                for one, (rows, of) in zip(limit.terms, numbers, strict=True)
            ]
            claims.sums.append({"terms": terms, "most": str(limit.most)})
    return claims


def unfold_claims(problem: Problem) -> tuple[Problem, list[str]]:
    """The constraints of a BDD or diagram for its unfolded tree, and the omitted constraints in words.

    The tree has the same maximum depth and the same predictions, and uses only permitted splits. A lower bound for all
    such trees is one for all such models.
    """
    rules, kept, left_out = rules_of(problem), [], []
    for i, constraint in enumerate(problem.constraints):
        assert isinstance(constraint, Constraint)
        own = [rule for rule in rules.every if rule.source == i]
        anywhere = all(isinstance(r, Sum | ThresholdRange) or (isinstance(r, Allowed) and not r.at_root) for r in own)
        if own and anywhere:
            kept.append(constraint)
        elif own:
            left_out.append(constraint.words(problem.dataset))
    return replace(problem, shape=Shape(max_depth=problem.size.max_depth), constraints=tuple(kept)), left_out


def _where(name: str, members: np.ndarray, data: Dataset) -> list[dict[str, Any]]:
    """The cells that define a group of rows, column by column; rows without a value there are not in it."""
    known = tuple(dict.fromkeys([*(group.name for group in data.groups), *data.schema.names]))
    parts, cells = crossed_columns(name, known) or (name,), []
    for part in parts:
        if part in data.schema.names:
            column = data.schema.columns[data.schema.index(part)]
            values = data.X[members, data.schema.index(part)]
            one = _cells(column, float(values.min()), float(values.max()), data.X[:, data.schema.index(part)])
        else:
            group = grouping(data, part)
            one = _of_group(group, int(group.codes[members][0]))
        cells.append(one)
    return cells


def _cells(column: Column, low: float, high: float, codes: np.ndarray) -> dict[str, Any]:
    """The cells of a column from one value to another; `codes` are those of all rows if it has levels."""
    places = list(range(len(column.levels))) if column.kind.has_levels else []
    levels = met(dict(zip(column.levels, places, strict=True)) or None, codes)
    return {"column": column.name, "levels": levels, "dates": column.kind is Kind.DATE, "low": low, "high": high}


def _of_group(group: Group, code: int) -> dict[str, Any]:
    """The cells of a column that is not a feature: one level, one value, or the values between two boundaries."""
    if group.kind.has_levels:
        return _cells(Column(group.name, Kind.CATEGORICAL, group.levels), code, code, group.codes)
    column = Column(group.name, group.kind)
    if group.cuts:
        ends = (-MISSING, *group.cuts, MISSING)
        return _cells(column, float(np.nextafter(ends[code], MISSING)), ends[code + 1], group.codes)
    value = float(column.encode(respelled(np.zeros(1, np.int32), [group.levels[code]]))[0])
    return _cells(column, value, value, group.codes)


class Multipliers(NamedTuple):
    """Multipliers of the cost, of the number of splits, and of each sum."""

    cost: int = 1
    split: int = 0
    sums: Sequence[int] = ()


def multipliers(
    problem: Problem, claims: ConstraintClaims, cost: int, most_splits: int | None, due: Callable[[], bool]
) -> Multipliers:
    """Find the multipliers with the best bound.

    Parameters
    ----------
    cost : of the tree. The search ends if the bound cannot come closer by a quarter of the gap to it.
    most_splits : the maximum number of splits, if binding.
    due : whether to stop early, with the best multipliers so far.
    """
    from ..methods.trees.coupled.dual import Dual
    from ..methods.trees.coupled.rule_arrays import post

    data, n_classes = problem.dataset, problem.dataset.n_classes
    weights = np.array(claims.weights, dtype=object).reshape(len(claims.weights), data.n_samples)
    sums = []
    for one in claims.sums:
        amount, limit = limit_rows(one, weights, n_classes)
        if np.abs(amount).max() >= 2**62 or abs(limit) >= 2**62:
            raise CertificateError("The weights are too fine for the constraints. Round the weights, or the limits.")
        sums.append(Sum(amount.T.astype(np.int64), limit))
    posted = post(problem, question_orders(data), Rules(path=rules_of(problem).path, sums=tuple(sums)))
    halt = np.zeros(1, np.int64)
    dual = Dual(posted, problem.size.max_depth, list(range(1, len(posted.limits))), halt, problem.scale, cost=cost)
    with Watch(lambda: halt.__setitem__(0, 1), due):
        try:
            for _ in dual.trees():
                pass
        except SearchEndedError:
            pass
    _, found = max(
        ((bound, w.multiplier) for bound, w in dual.weightings if w.multiplier[0]),
        key=lambda pair: pair[0],
        default=(0.0, np.eye(1, len(posted.limits), dtype=np.int64)[0]),
    )
    amounts = np.abs(posted.sums.amount).max(axis=1).astype(float).sum(axis=0)
    room = EXACT / 8 / max(1, len(posted.orders)) / max(1.0, float(amounts @ found))
    if room < 1:
        found = np.maximum((found * room).astype(np.int64), np.eye(1, len(found), dtype=np.int64)[0])
    parts, *times = (found // np.gcd.reduce(found)).tolist()
    more = times.pop() if most_splits is not None else 0
    return Multipliers(parts, more, times)
