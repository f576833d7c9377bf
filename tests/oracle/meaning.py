"""The exact meaning of each kind of constraint, as a separate formula that follows docs/constraints/kinds.md."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, product
from typing import Any

from scipy.stats import binom, norm

from solvers.problem import Kind
from tests.oracle.facts import Facts
from tests.oracle.table import Table, Tree, fixed_questions


def holds(constraint: Any, facts: Facts, table: Table, weights: list[Fraction]) -> bool:
    """Whether a tree satisfies a constraint."""
    return _HOLDS[constraint.kind](constraint, facts, table, weights)


def sees_answers(kind: str) -> bool:
    """Whether a constraint of this kind may require a class in a leaf other than the one of least cost."""
    return kind in _ABOUT_ANSWERS


def by_answers(kind: str) -> bool:
    """Whether a constraint of this kind is about predictions, independent of their paths."""
    return _HOLDS[kind] in (_at_least, _at_most, _few_positive, _gap, _ratio)


# Sizes


def _fast_and_frugal(c: Any, facts: Facts, table: Table, weights: list[Fraction]) -> bool:
    def exits(tree: Tree) -> bool:
        if len(tree) == 1:
            return True
        _, yes, no = tree
        return min(len(yes), len(no)) == 1 and exits(yes) and exits(no)

    return exits(facts.tree)


# Order of splits, and columns


def _positions(table: Table, names: Any) -> set[int]:
    return {table.names.index(one) for name in names for one in (table.families.get(name) or [name])}


def _asked_before(c: Any, facts: Facts, table: Table, weights: list[Fraction]) -> bool:
    first, then = _positions(table, [c.first]), _positions(table, [c.then])
    return not any(place.node.column in first and then & set(place.columns) for place in facts.questions)


def _only_after(c: Any, facts: Facts, table: Table, weights: list[Fraction]) -> bool:
    first, then = table.names.index(c.first), _positions(table, [c.then])
    return all(first in place.columns for place in facts.questions if place.node.column in then)


def _of_one(c: Any, columns: Any, table: Table) -> bool:
    sets = [_positions(table, [name]) for name in c.columns]
    sets = [{column} for column in sets[0]] if len(sets) == 1 else sets
    return sum(bool(columns & one) for one in sets) <= 1


def _fixed_top(c: Any, facts: Facts, table: Table, weights: list[Fraction]) -> bool:
    for place, question in fixed_questions(c.questions, table):
        at = facts.tree
        for answer in place:
            if len(at) == 1:
                return False
            at = at[1] if answer else at[2]
        if len(at) == 1 or not table.same(at[0], question):
            return False
    return True


def _best_columns(c: Any, facts: Facts, table: Table, weights: list[Fraction]) -> bool:
    errors = [single_errors(table, j, weights) for j in range(len(table.columns))]
    return all(sum(other < errors[j] for other in errors) < c.number for j in facts.columns)


def single_errors(table: Table, column: int, weights: list[Fraction]) -> Fraction:
    """The least weight of the errors of one split on a column."""
    cells = table.values(column)
    sides = [[True] * len(cells)]
    sides += [[question.answer(cell) for cell in cells] for question in table.questions() if question.column == column]
    errors = []
    for answers in sides:
        right = Fraction(0)
        for side in (True, False):
            by_class = [Fraction(0)] * table.n_classes
            for answer, label, weight in zip(answers, table.y, weights, strict=True):
                by_class[label] += weight * (answer == side)
            right += max(by_class)
        errors.append(sum(weights) - right)
    return Fraction(min(errors))


def _thresholds_within(c: Any, facts: Facts, table: Table, weights: list[Fraction]) -> bool:
    column = table.names.index(c.column)
    thresholds = [p.node for p in facts.questions if p.node.column == column and p.node.op == "<="]
    low = None if c.low is None else table.number(column, c.low)
    high = None if c.high is None else table.number(column, c.high)
    return all((low is None or low <= q.value) and (high is None or q.value <= high) for q in thresholds)


def _round_thresholds(c: Any, facts: Facts, table: Table, weights: list[Fraction]) -> bool:
    units = {table.names.index(name): Fraction(unit) for name, unit in c.units.items()}
    thresholds = [p.node for p in facts.questions if p.node.op == "<="]
    return all(Fraction(str(q.value)) % units[q.column] == 0 for q in thresholds if q.column in units)


def _must_appear(c: Any, facts: Facts, table: Table, weights: list[Fraction]) -> bool:
    column = table.names.index(c.column)

    def matters(tree: Tree) -> bool:
        if len(tree) == 1:
            return False
        return (tree[0].column == column and len(_labels(tree)) > 1) or matters(tree[1]) or matters(tree[2])

    return matters(facts.tree)


def _labels(tree: Tree) -> set[int]:
    return {tree[0]} if len(tree) == 1 else _labels(tree[1]) | _labels(tree[2])


def _monotone(c: Any, facts: Facts, table: Table, weights: list[Fraction]) -> bool:
    """Whether among all possible rows that differ in the column alone, no pair of predictions is in the wrong order."""
    raised = table.names.index(c.column)
    order = [table.classes.index(name) for name in c.order] or list(range(table.n_classes))
    if not c.order and table.n_classes == 2 and table.positive == 0:
        order = [1, 0]
    rank = {label: place if c.direction == "rising" else -place for place, label in enumerate(order)}
    others = sorted(facts.columns - {raised})
    known = [value for value in _conceivable(facts, table, raised) if value is not None]
    for case in product(*(_conceivable(facts, table, column) for column in others)):
        values = dict(zip(others, case, strict=True))
        ranks = [rank[_answer(facts.tree, {**values, raised: value})] for value in known]
        if any(low > high for low, high in pairwise(ranks)):
            return False
    return True


def _conceivable(facts: Facts, table: Table, column: int) -> list[float | None]:
    """A value of each kind that the tree distinguishes, in order, and a missing one if there are such rows."""
    spec = table.columns[column]
    gone = [None] if table.has_missing(column) else []
    if spec.kind in (Kind.NUMERIC, Kind.DATE):
        cuts = sorted({p.node.value for p in facts.questions if p.node.column == column and p.node.op == "<="})
        return [*cuts, float("inf"), *gone]
    return [*map(float, range(len(spec.levels))), *gone]


def _answer(tree: Tree, case: dict[int, float | None]) -> int:
    while len(tree) > 1:
        tree = tree[1] if tree[0].answer(case[tree[0].column]) else tree[2]
    return tree[0]


# Costs of tests


def _price(c: Any, columns: set[int], table: Table) -> Fraction:
    names = {table.names[column] for column in columns}
    own = sum((Fraction(cost) for name, cost in c.costs.items() if name in names), Fraction(0))
    return own + sum((Fraction(one.cost) for one in c.shared if columns & _positions(table, one.columns)), Fraction(0))


def _max_expected_cost(c: Any, facts: Facts, table: Table, weights: list[Fraction]) -> bool:
    paid = sum(_price(c, leaf.columns, table) * weights[i] for leaf in facts.leaves for i in leaf.rows)
    return paid <= Fraction(c.budget) * sum(weights)


# Sensitivity and related rates


def _meant(c: Any, table: Table) -> list[bool]:
    """The rows to which a constraint applies."""
    who = c.who
    if who is None:
        return [True] * table.n
    if who.level is not None and who.column in table.groups and who.level in table.groups[who.column][0]:
        levels, codes = table.groups[who.column]
        return [code == levels.index(who.level) for code in codes]
    column = table.names.index(who.column)
    cells = table.values(column)
    if who.level is not None:
        wanted = table.number(column, who.level)
        return [cell is not None and cell == wanted for cell in cells]
    low = float("-inf") if who.low is None else table.number(column, who.low)
    high = float("inf") if who.high is None else table.number(column, who.high)
    return [cell is not None and low <= cell <= high for cell in cells]


def _positive(c: Any, table: Table) -> int:
    return table.positive if c.positive is None else table.classes.index(c.positive)


def _bad_share(c: Any, facts: Facts, table: Table, weights: list[Fraction]) -> tuple[Fraction, Fraction]:
    """The weight of the rows that count, and of those with a bad prediction."""
    meant = _meant(c, table)
    about = c.kind.split("-", 1)[1]
    if about in ("accuracy", "errors"):
        counts = meant
        bad = [label != y for label, y in zip(facts.answers, table.y, strict=True)]
    else:
        positive = _positive(c, table)
        wanted = about in ("sensitivity", "missed")
        counts = [m and (y == positive) == wanted for m, y in zip(meant, table.y, strict=True)]
        bad = [(label == positive) != wanted for label in facts.answers]
    total = sum((w for w, k in zip(weights, counts, strict=True) if k), Fraction(0))
    return total, sum((w for w, k, b in zip(weights, counts, bad, strict=True) if k and b), Fraction(0))


def bad_weight(c: Any, facts: Facts, table: Table, weights: list[Fraction]) -> Fraction:
    """The weight of the rows that count and have a bad prediction."""
    return _bad_share(c, facts, table, weights)[1]


def _at_least(c: Any, facts: Facts, table: Table, weights: list[Fraction]) -> bool:
    total, bad = _bad_share(c, facts, table, weights)
    if c.confidence is None or not c.share:
        return bad <= (1 - Fraction(c.share)) * total
    if not total:
        return False
    # if the share were just too small, n right or more must be rarer than the confidence allows
    assert total.denominator == bad.denominator == 1, "weights of a limit with confidence are whole rows"
    n, k, rare = int(total), int(total - bad), 1 - float(c.confidence)
    return k > 0 and float(binom.sf(k - 1, n, float(c.share))) <= rare * (1 + 1e-9)


def _precise(c: Any, facts: Facts, table: Table, weights: list[Fraction]) -> bool:
    positive, meant = _positive(c, table), _meant(c, table)
    among = c.kind == "min-ppv"
    sides = [[i for i, m in enumerate(meant) if m and ((table.y[i] == positive) == among) is s] for s in (True, False)]
    called = [(answer == positive) == among for answer in facts.answers]
    k, w = (sum((weights[i] for i in rows if called[i]), Fraction(0)) for rows in sides)
    if c.confidence is None or not c.share:
        return k >= Fraction(c.share) * (k + w)
    n, m = (int(sum(weights[i] for i in rows)) for rows in sides)
    share, confidence = float(c.share), float(c.confidence)
    slope, start = _loosest_line(share, confidence, n, m)
    if slope:
        return 4 * n * w <= slope * (k - start)
    return w == 0 < k and k >= start and _is_rare(int(k), int(k), share, confidence)


def _is_rare(right: int, n: int, share: float, confidence: float) -> bool:
    """Whether this number of right rows or more is rare enough if the share were just too small."""
    return float(binom.sf(right - 1, n, share)) <= (1 - confidence) * (1 + 1e-9)


@cache
def _loosest_line(share: float, confidence: float, n: int, m: int) -> tuple[int, int]:
    """The slope in units of 1 / (4 n) of the loosest line that shows the share, 0 if there is none, and its A."""
    z, start = float(norm.ppf(confidence)), 0
    for i in range(4 * n * (m + 1), 0, -1) if m else ():
        most = math.ceil(z / 2 * math.sqrt(n / 2 * (1 + 4 * n / i)) + 2 / 3 * (4 * n / i))
        if i * (n - most) >= 4 * n:  # it allows a wrong prediction
            start = most
            ends = ((start + math.ceil(Fraction(4 * n * wrong, i)), wrong) for wrong in range(m + 1))
            if all(_is_rare(right, right + wrong, share, confidence) for right, wrong in ends if right <= n):
                return i, start
    return 0, start


def _at_most(c: Any, facts: Facts, table: Table, weights: list[Fraction]) -> bool:
    return _bad_share(c, facts, table, weights)[1] <= Fraction(c.most)


def _few_positive(c: Any, facts: Facts, table: Table, weights: list[Fraction]) -> bool:
    positive, answered = _positive(c, table), zip(_meant(c, table), facts.answers, weights, strict=True)
    return sum(w for meant, answer, w in answered if meant and answer == positive) <= Fraction(c.most)


# Fairness


def _group_codes(c: Any, table: Table) -> list[object]:
    """The group of each row; `None` for none; for crossed columns, if one of them is missing."""
    each = [_codes(name, table) for name in c.column.split(" × ")]
    if len(each) == 1:
        return each[0]
    return [None if any(code is None for code in codes) else codes for codes in zip(*each, strict=True)]


def _codes(name: str, table: Table) -> list[object]:
    if name in table.groups:
        return [None if code < 0 else code for code in table.groups[name][1]]
    return table.values(table.names.index(name))


def _rates(c: Any, facts: Facts, table: Table, weights: list[Fraction]) -> Iterator[list[tuple[Fraction, Fraction]]]:
    """The rates and weights of the groups that have enough rows, for each comparison."""
    positive, groups = _positive(c, table), _group_codes(c, table)
    everyone = c.kind.startswith("demographic")
    whom = [None] if everyone else [w for w in (True, False) if _compare(c.kind, w)]
    for wanted in whom:
        rates = []
        for group in sorted({g for g in groups if g is not None}):
            rows = [i for i in range(table.n) if groups[i] == group and wanted in (None, table.y[i] == positive)]
            if len(rows) >= max(1, c.min_rows):
                called = sum(weights[i] for i in rows if facts.answers[i] == positive)
                size = Fraction(sum(weights[i] for i in rows))
                rates.append((Fraction(called) / size, size))
        yield rates


def _compare(kind: str, positives: bool) -> bool:
    if kind.startswith("equalised"):
        return True
    return kind.startswith("equal-opportunity") == positives


def _gap(c: Any, facts: Facts, table: Table, weights: list[Fraction]) -> bool:
    for rates in _rates(c, facts, table, weights):
        for (one, n), (two, m) in combinations(rates, 2):
            margin = 0.0
            if c.confidence is not None and c.difference < 1:
                margin = float(norm.ppf(float(c.confidence))) * math.sqrt(1 / n + 1 / m) / 2
            if abs(one - two) > Fraction(c.difference) - Fraction(math.ceil(margin * 10**9), 10**9):
                return False
    return True


def _ratio(c: Any, facts: Facts, table: Table, weights: list[Fraction]) -> bool:
    compared = [[rate for rate, _ in rates] for rates in _rates(c, facts, table, weights) if rates]
    return all(min(rates) >= Fraction(c.ratio) * max(rates) for rates in compared)


# Leaves and rows


def _pure(c: Any, facts: Facts, table: Table, weights: list[Fraction]) -> bool:
    only = _positive(c, table) if c.kind == "min-leaf-precision" else None
    for leaf in facts.leaves:
        if only in (None, leaf.node):
            right = sum(weights[i] for i in leaf.rows if table.y[i] == leaf.node)
            if right < Fraction(c.share) * sum(weights[i] for i in leaf.rows):
                return False
    return True


def _sets(c: Any, table: Table) -> list[list[int]]:
    return [[table.numbers.index(number) for number in rows if number in table.numbers] for rows in c.rows]


_COMPARED = ("demographic-parity", "equal-opportunity", "predictive-equality", "equalised-odds")

_HOLDS: dict[str, Callable[[Any, Facts, Table, list[Fraction]], bool]] = {
    "max-depth": lambda c, facts, table, weights: all(len(leaf.path) <= c.depth for leaf in facts.leaves),
    "max-leaves": lambda c, facts, table, weights: len(facts.leaves) <= c.leaves,
    "max-questions": lambda c, facts, table, weights: len(facts.questions) <= c.questions,
    "min-samples-split": lambda c, facts, table, weights: all(len(place.rows) >= c.rows for place in facts.questions),
    "min-samples-leaf": lambda c, facts, table, weights: all(len(leaf.rows) >= c.rows for leaf in facts.leaves),
    "min-weight-leaf": lambda c, facts, table, weights: all(
        sum(weights[i] for i in leaf.rows) >= Fraction(c.weight) for leaf in facts.leaves
    ),
    "asked-before": _asked_before,
    "only-after": _only_after,
    "fast-and-frugal": _fast_and_frugal,
    "asked-once": lambda c, facts, table, weights: all(
        place.node.column not in place.columns for place in facts.questions
    ),
    "never-both-on-path": lambda c, facts, table, weights: all(
        _of_one(c, leaf.columns, table) for leaf in facts.leaves
    ),
    "fixed-top": _fixed_top,
    "max-path-cost": lambda c, facts, table, weights: all(
        _price(c, leaf.columns, table) <= Fraction(c.budget) for leaf in facts.leaves
    ),
    "max-expected-cost": _max_expected_cost,
    "must-appear": _must_appear,
    "never-both-in-tree": lambda c, facts, table, weights: _of_one(c, facts.columns, table),
    "max-columns": lambda c, facts, table, weights: (
        len(facts.columns & _positions(table, c.columns) if c.columns else facts.columns) <= c.most
    ),
    "screened-features": _best_columns,
    "only-columns": lambda c, facts, table, weights: facts.columns <= _positions(table, c.columns),
    "never-columns": lambda c, facts, table, weights: not facts.columns & _positions(table, c.columns),
    "first-question": lambda c, facts, table, weights: (
        len(facts.tree) == 1 or facts.tree[0].column in _positions(table, c.columns)
    ),
    "thresholds-within": _thresholds_within,
    "round-thresholds": _round_thresholds,
    "monotone": _monotone,
    **dict.fromkeys(("min-sensitivity", "min-specificity", "min-accuracy"), _at_least),
    **dict.fromkeys(("min-ppv", "min-npv"), _precise),
    **dict.fromkeys(("max-missed", "max-false-alarms", "max-errors"), _at_most),
    "max-positive": _few_positive,
    **dict.fromkeys(_COMPARED, _gap),
    **dict.fromkeys((f"{kind}-ratio" for kind in _COMPARED), _ratio),
    "min-purity": _pure,
    "min-leaf-precision": _pure,
    "must-link": lambda c, facts, table, weights: all(
        any(set(rows) <= set(leaf.rows) for leaf in facts.leaves) for rows in _sets(c, table) if rows
    ),
    "cannot-link": lambda c, facts, table, weights: all(
        len(set(rows) & set(leaf.rows)) <= 1 for rows in _sets(c, table) for leaf in facts.leaves
    ),
}

_ABOUT_ANSWERS = {"must-appear", "monotone", "min-purity", "min-leaf-precision"} | {
    kind for kind, rule in _HOLDS.items() if rule in (_at_least, _precise, _at_most, _few_positive, _gap, _ratio)
}
