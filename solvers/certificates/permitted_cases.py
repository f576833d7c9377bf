"""The problem in a certificate: the distinct cases by the permitted splits, and the tree.

Without path rules, orders that rank all cases alike are listed once. With path rules the columns of a path matter, so
every order is listed. Values separated only by forbidden thresholds have the same rank.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..constraints import rules_of
from ..constraints.rules import Allowed, FixedQuestion, PathCost, PrecedenceRule, PrerequisiteRule
from ..diagram import Diagram, Leaf
from ..errors import CertificateError
from ..methods.cases import Cases, cases_of
from ..methods.permitted import permitted_columns, permitted_thresholds, tests_of
from ..methods.trees.smallest.cases import distinct_cases
from ..problem import Dataset, Kind, Op, Orders, Predicate, Problem, question_orders
from ..problem.orders import Order, Where
from ..problem.threshold_set import ThresholdSet
from .optimum_bounds import KNOWN, MISSING


@dataclass(frozen=True)
class PermittedCases:
    """The distinct cases of a problem.

    Attributes
    ----------
    orders : all splits; kept : int64 (n_kept,), the positions of the orders that are listed.
    rank : int64 (n_kept, n_cases), the rank of each of the `cases`.
    within : the permitted thresholds of each listed order, `None` for all.
    """

    orders: Orders
    kept: np.ndarray
    rank: np.ndarray
    cases: Cases
    within: tuple[ThresholdSet | None, ...]

    def order_claims(self, data: Dataset) -> list[dict[str, Any]]:
        """How each order ranks the cells of its column, in the form of the certificate; only levels that occur."""
        claims = [_order_claim(self.orders.orders[o], w) for o, w in zip(self.kept, self.within, strict=True)]
        columns = [data.X[:, self.orders.column[o]] for o in self.kept]
        return [claim | {"levels": met(claim["levels"], codes)} for claim, codes in zip(claims, columns, strict=True)]


def met(levels: Mapping[str, int] | None, codes: np.ndarray) -> dict[str, int] | None:
    """The levels that occur in a row, in the order of their codes; codes below 0 and NaN are missing values."""
    if levels is None:
        return None
    present = set(np.unique(codes[codes >= 0]).tolist())
    return {level: place for i, (level, place) in enumerate(levels.items()) if i in present}


def permitted_cases(problem: Problem) -> PermittedCases:
    """The cases by all splits that path rules permit somewhere."""
    rules = rules_of(problem)
    if not rules:
        distinct = distinct_cases(problem)
        rank, unlimited = distinct.rank.astype(np.int64), (None,) * len(distinct.kept)
        return PermittedCases(distinct.orders, distinct.kept, rank, distinct.cases, unlimited)
    orders, ranges = question_orders(problem.dataset), permitted_thresholds(rules)
    columns = permitted_columns(rules, problem.dataset.n_columns)
    kept, within, ranks = [], [], []
    for o, order in enumerate(orders.orders):
        column = int(orders.column[o])
        if column not in columns:
            continue
        compared = order.op is Op.LE and order.column.kind is not Kind.BINARY
        limits = ranges.get(column) if compared else None
        kept.append(o)
        within.append(limits)
        apart = np.ones(0, bool) if limits is None else limits.parting(order.values)
        ranks.append(orders.rank[o] if limits is None else np.append(0, np.cumsum(apart))[orders.rank[o]])
    rank = np.array(ranks, np.int64).reshape(len(kept), problem.dataset.n_samples)
    cases = cases_of(problem, rank)
    return PermittedCases(orders, np.array(kept, np.int64), rank[:, cases.first], cases, tuple(within))


def tree_claim(diagram: Diagram, problem: Problem, cases: PermittedCases) -> dict[str, Any]:
    """A tree in the form of the certificate: splits as ranks, and as numbers if they compare values.

    Splits with an empty side are left out. Raises `CertificateError` if a split is not permitted.
    """
    data, rules = problem.dataset, rules_of(problem)
    names = np.array(data.schema.names, object)[cases.orders.column[cases.kept]]
    fixed = {rule.place for rule in rules.of(FixedQuestion)}
    by_row = cases.rank[:, cases.cases.of_row]

    def subtree(at: int, rows: np.ndarray, place: tuple[bool, ...]) -> dict[str, Any]:
        node = diagram.nodes[at]
        if isinstance(node, Leaf):
            return {"class": node.label}
        assert isinstance(node.predicate, Predicate)
        yes = node.predicate.holds(diagram.schema, data.X[rows])
        if yes.all() or not yes.any():
            if place in fixed:
                raise CertificateError("A fixed question separates no rows, which a certificate cannot list.")
            return subtree(node.yes if yes.all() else node.no, rows, (*place, bool(yes.all())))
        own = names == node.predicate.column
        for low_is_yes, own_column in ((True, True), (False, True), (True, False), (False, False)):
            if not own_column and rules:
                break
            low, high = by_row[:, rows[yes == low_is_yes]].max(axis=1), by_row[:, rows[yes != low_is_yes]].min(axis=1)
            fitting = np.flatnonzero((low < high) & (own | (not own_column)))
            if len(fitting):
                break
        else:
            fitting = np.empty(0, np.int64)
        if not len(fitting):
            raise CertificateError("The tree has a split that no question of the cases has.")
        order = int(fitting[0])
        low_side, high_side = rows[yes == low_is_yes], rows[yes != low_is_yes]
        o, within = int(cases.kept[order]), cases.within[order]
        full = cases.orders.rank[o]
        question, _ = cases.orders.question(o, int(full[low_side].max()), int(full[high_side].min()), False, within)
        bound = _bound(question, cases.orders.orders[o])
        if place in fixed and low_is_yes and node.predicate.op is Op.LE and question.op is Op.LE:
            bound = float(node.predicate.value or 0)
        split = {
            "order": order,
            "last": int(low[order]),
            "bound": bound,
            "low": subtree(node.yes if low_is_yes else node.no, low_side, (*place, low_is_yes)),
            "high": subtree(node.no if low_is_yes else node.yes, high_side, (*place, not low_is_yes)),
        }
        return {**split, "fixed": True} if place in fixed else split

    return subtree(0, np.arange(data.n_samples), ())


def rule_claims(problem: Problem) -> list[dict[str, Any]]:
    """The path rules by column names, except those that exclude columns or thresholds."""
    rules, names = rules_of(problem), problem.dataset.schema.names
    claims: list[dict[str, Any]] = [
        {"first": [names[c] for c in sorted(rule.columns)]} for rule in rules.of(Allowed) if rule.at_root
    ]
    below = [(rule.lower, rule.upper, False) for rule in rules.of(PrecedenceRule)]
    below += [(rule.column, rule.upper, True) for rule in rules.of(PrerequisiteRule)]
    claims += [{"column": names[lower], "below": names[upper], "only": only} for lower, upper, only in below]
    for rule in rules.of(PathCost):
        costs = [[[names[c] for c in sorted(columns)], cost] for columns, cost in tests_of(rule.costs)]
        claims.append({"costs": costs, "most": rule.limit})
    return claims


def _bound(question: Predicate, order: Order) -> float:
    """The largest key on the low side of a split."""
    if question.op is Op.MISSING:
        return KNOWN if order.where is Where.LAST else -MISSING
    if question.op is Op.IS:
        return -1.0 if order.column.kind is Kind.BINARY else 0.0
    return float(question.value or 0)


def _order_claim(order: Order, within: ThresholdSet | None) -> dict[str, Any]:
    """How an order ranks the cells of its column: numbers for levels and missing cells, and the allowed thresholds.

    An order that only separates missing values from others has one number for all levels, or no threshold at all.
    """
    column = order.column
    places = list(range(len(column.levels))) if column.kind.has_levels else []
    missing = {Where.NOWHERE: None, Where.FIRST: -MISSING, Where.LAST: MISSING, Where.FILLED: column.fill}[order.where]
    limits = None if within is None else [max(within.low, -MISSING), min(within.high, MISSING), _decimal(within.unit)]
    if order.op is Op.MISSING:
        places, missing, limits = [0] * len(places), -MISSING, None if column.kind.has_levels else [1.0, 0.0, None]
    elif order.op is Op.IS:
        places = [int(place != order.level) for place in places]
        at = {Where.NOWHERE: None, Where.FIRST: 0, Where.LAST: 1, Where.FILLED: int(column.fill != order.level)}
        missing = at[order.where]
    elif column.kind is Kind.BINARY:
        places = [-place for place in places]
        missing = -column.fill if order.where is Where.FILLED and column.fill is not None else missing
    return {
        "column": column.name,
        "levels": dict(zip(column.levels, places, strict=True)) if places else None,
        "dates": column.kind is Kind.DATE,
        "missing": missing,
        "within": limits,
    }


def _decimal(unit: Fraction | None) -> str | None:
    """A unit of thresholds in decimals."""
    if unit is None:
        return None
    return str(unit) if unit.denominator == 1 else repr(float(unit))
