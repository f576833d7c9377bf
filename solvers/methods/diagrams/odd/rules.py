"""How each rule is posted on the network: one short function a rule, and one table of them.

What is said of a path holds for every way through the diagram, whether a row takes it or not, so the rules about paths
are posted along the arcs: `arcs` of both sides together say whether one question leads to another.
"""

from collections.abc import Callable
from itertools import pairwise
from math import gcd

import numpy as np

from solvers.constraints.rules import (
    Allowed,
    ApartRule,
    FewColumns,
    NeverBoth,
    NotBelow,
    OnlyBelow,
    PathCost,
    Pure,
    Reached,
    Rule,
    Sum,
    TestCosts,
    ThresholdRange,
    TogetherRule,
)
from solvers.methods.diagrams.odd.network import Network


def post(net: Network) -> None:
    """Post all rules of a network."""
    rules = net.rules
    for rule in (*rules.path, *rules.leaf, *rules.sums, *rules.tree):
        POSTS[type(rule)](net, rule)


def not_below(net: Network, rule: NotBelow) -> None:
    """`seen[v]` is 1 where some way to v, or v itself, asks about `upper`; below such a place nobody asks `lower`."""
    model, places = net.model, range(net.frame.n_nodes)
    upper = [_column(net, rule.upper, place) for place in places]
    seen = model.variables((net.frame.n_nodes,), value=lambda x: _spread(net, x, upper, np.max))
    for place in places:
        model.at_most([(1, upper[place]), (-1, seen[[place]])], 0)
    for tail, head, arcs in _links(net):
        model.at_most([(1, seen[[tail]]), (1, arcs), (-1, seen[[head]])], 1)
        model.at_most([(1, seen[[tail]]), (1, arcs), (1, _column(net, rule.lower, head))], 2)


def only_below(net: Network, rule: OnlyBelow) -> None:
    """`safe[v]` is 0 where some way to v has not asked about `upper` before; there nobody asks about the column."""
    model, places = net.model, range(net.frame.n_nodes)
    upper = [_column(net, rule.upper, place) for place in places]

    def value(x: np.ndarray) -> np.ndarray:
        after = _spread(net, x, upper, np.min)  # with the place itself
        before = np.zeros(len(places))
        before[1:] = [min(_over_arcs(net, x, after, place), default=0.0) for place in places[1:]]
        return before

    safe = model.variables((net.frame.n_nodes,), value=value)
    model.limit(safe[:1], high=0)
    for place in places:
        model.at_most([(1, _column(net, rule.column, place)), (-1, safe[[place]])], 0)
    for tail, head, arcs in _links(net):
        model.at_most([(1, safe[[head]]), (1, arcs), (-1, safe[[tail]]), (-1, upper[tail])], 1)


def path_cost(net: Network, rule: PathCost) -> None:
    """For each way through the skeleton, the tests that are asked about on it, each paid once.

    A way of which an arc is not taken may cost anything.
    """
    tests = _tests(rule.costs)
    everything = sum(cost for _, cost in tests)
    if not tests or everything <= rule.limit:
        return
    links = {(tail, head): arcs for tail, head, arcs in _links(net)}
    for path in net.frame.paths():
        paid = [(cost, _some(net, columns, path)[None]) for columns, cost in tests]
        arcs = np.concatenate([links[pair][0] for pair in pairwise(path)] or [np.empty(0, np.int64)])
        net.model.at_most([*paid, (everything, arcs[None])], rule.limit + everything * (len(path) - 1))


def allowed(net: Network, rule: Allowed) -> None:
    """At the root no other column is asked about; elsewhere the questions are about the allowed ones only."""
    if rule.at_root:
        net.model.limit(net.questions.asked(set(range(net.problem.dataset.n_columns)) - rule.columns, 0), high=0)


def threshold_range(net: Network, rule: ThresholdRange) -> None:
    """The menu of questions has only the cuts with a threshold in the range."""


def pure(net: Network, rule: Pure) -> None:
    """Of the rows that are answered k, at least the share is of class k: one leaf a class, so it has all of them."""
    labels = range(net.frame.n_classes) if rule.label is None else [rule.label]
    total = net.weight.sum(axis=1)
    for label in labels:
        missing = rule.share.numerator * total - rule.share.denominator * net.weight[:, label]
        net.model.at_most([(_scaled(missing)[None], net.ends[None, :, label])], 0)


def together(net: Network, rule: TogetherRule) -> None:
    """Both rows of a pair end at the same terminal."""
    for first, second in _cells(net, rule.pairs):
        if first != second:
            net.model.equal([(1, net.ends[first, :, None]), (-1, net.ends[second, :, None])], 0)


def apart(net: Network, rule: ApartRule) -> None:
    """At most one row of a pair ends at each terminal."""
    for first, second in _cells(net, rule.pairs):
        if first == second:
            net.model.never()
        else:
            net.model.at_most([(1, net.ends[first, :, None]), (1, net.ends[second, :, None])], 1)


def total(net: Network, rule: Sum) -> None:
    """Accuracy, equation (19) and its kin: what the rows of each cell add under the answer that they get."""
    by_cell = net.add_up(rule.by_label)
    tests = () if rule.tests is None else _paid(net, rule.tests, net.add_up(rule.test_weight))
    unit = gcd(rule.per_leaf, *np.unique(by_cell).tolist(), *(cost for cost, _ in tests)) or 1
    leaves = (rule.per_leaf // unit, net.used[None])
    paid = [(cost // unit, at) for cost, at in tests]
    net.model.at_most([(by_cell.reshape(1, -1) // unit, net.ends.reshape(1, -1)), leaves, *paid], rule.limit // unit)


def _paid(net: Network, costs: TestCosts, weight: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """What all rows pay for their tests, as terms: a cell pays one that is asked about at a place which it passes."""
    cells = np.flatnonzero(weight)
    terms = []
    for columns, cost in _tests(costs):
        asked = [_some(net, columns, [place]) for place in range(net.frame.n_nodes)]
        some = np.concatenate(asked)

        def value(x: np.ndarray, some: np.ndarray = some) -> np.ndarray:
            return ((x[net.through].sum(axis=0) > 0.5) & (x[some] > 0.5)[None]).any(axis=1)[cells].astype(float)

        paid = net.model.variables((len(cells),), value=value)
        for place, at in enumerate(asked):
            passing = net.through[:, cells, place].T
            net.model.at_most([(1, passing), (1, np.broadcast_to(at, (len(cells), 1))), (-1, paid[:, None])], 1)
        terms += [(cost * int(weight[cell]), paid[[i]][None]) for i, cell in enumerate(cells)]
    return terms


def reached(net: Network, rule: Reached) -> None:
    """Equation (20): so many rows pass through every place that is on."""
    for place in range(net.frame.n_nodes):
        passing = net.through[:, :, place].reshape(1, -1)
        net.model.at_most([(-np.tile(net.n_rows, 2)[None], passing), (rule.rows, net.on[[place]])], 0)


def never_both(net: Network, rule: NeverBoth) -> None:
    """One of the two columns is not asked about anywhere."""
    places = range(net.frame.n_nodes)
    first, second = ([_column(net, column, place) for place in places] for column in (rule.first, rule.second))
    everywhere = np.concatenate([at[0] for at in first])
    choice = net.model.variables((1,), whole=True, value=lambda x: np.array([float(x[everywhere].sum() > 0.5)]))
    for place in places:
        net.model.at_most([(1, first[place]), (-1, choice[None])], 0)
        net.model.at_most([(1, second[place]), (1, choice[None])], 1)


def few_columns(net: Network, rule: FewColumns) -> None:
    """Of all columns, at most so many are asked about."""
    used = [_some(net, {column}, range(net.frame.n_nodes)) for column in range(net.problem.dataset.n_columns)]
    net.model.at_most([(1, np.concatenate(used)[None])], rule.most)


POSTS: dict[type[Rule], Callable[[Network, Rule], None]] = {
    NotBelow: not_below,
    OnlyBelow: only_below,
    PathCost: path_cost,
    Allowed: allowed,
    ThresholdRange: threshold_range,
    Pure: pure,
    TogetherRule: together,
    ApartRule: apart,
    Sum: total,
    Reached: reached,
    NeverBoth: never_both,
    FewColumns: few_columns,
}
"""Every rule that is posted, with the function that does it."""


def _column(net: Network, column: int, place: int) -> np.ndarray:
    """The variables (1, n) of which at most one is 1: where the place asks about the column."""
    return net.questions.asked({column}, place)


def _links(net: Network) -> list[tuple[int, int, np.ndarray]]:
    """Tail, head and both variables (1, 2) of each arc between two questions."""
    frame = net.frame
    inner = np.flatnonzero(frame.head < frame.n_nodes)
    return [(int(frame.tail[a]), int(frame.head[a]), net.arcs[:, a][None]) for a in inner]


def _spread(net: Network, x: np.ndarray, asked: list[np.ndarray], over: Callable) -> np.ndarray:
    """For each place whether some way to it (`np.max`) or every way (`np.min`) asks, itself included; 0 where off."""
    own = np.array([float(x[at].sum() > 0.5) for at in asked])
    out = own.copy()
    for place in range(len(own)):
        before = _over_arcs(net, x, out, place)
        out[place] = max(own[place], over(before)) if before else own[place]
    return out


def _over_arcs(net: Network, x: np.ndarray, figures: np.ndarray, place: int) -> list[float]:
    """The figures of the places that lead to one."""
    frame, arcs = net.frame, net.frame.entering(place)
    return [float(figures[frame.tail[a]]) for a in arcs if x[net.arcs[:, a]].sum() > 0.5]


def _some(net: Network, columns: frozenset[int] | set[int], places: list[int] | range) -> np.ndarray:
    """A new variable, (1,), that is at least 1 where one of these places asks about one of these columns."""
    at = np.concatenate([net.questions.asked(columns, place)[0] for place in places] or [np.empty(0, np.int64)])
    some = net.model.variables((1,), value=lambda x: np.array([float(x[at].sum() > 0.5)]))
    net.model.at_most([(1, at[:, None]), (-1, np.broadcast_to(some, (len(at), 1)))], 0)
    return some


def _tests(costs: TestCosts) -> list[tuple[frozenset[int], int]]:
    """Columns that are paid for together, once, and what they cost; those that cost nothing are left out."""
    own = [(frozenset({column}), cost) for column, cost in enumerate(costs.own)]
    return [(columns, cost) for columns, cost in (*own, *costs.groups) if cost]


def _cells(net: Network, pairs: tuple[tuple[int, int], ...]) -> set[tuple[int, int]]:
    """Pairs of rows as pairs of cells, each once."""
    return {tuple(sorted(net.questions.cell[list(pair)].tolist())) for pair in pairs}


def _scaled(values: np.ndarray) -> np.ndarray:
    """Whole numbers without their common factor."""
    return values // (np.gcd.reduce(values) or 1)
