"""The oracle of BDDs and decision diagrams: every set and order of features, and every graph within the widths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product

import numpy as np

from solvers.problem import Problem
from tests.oracle import meaning
from tests.oracle.facts import Facts
from tests.oracle.trees import Best, Parts, weights


def bdd_optimum(problem: Problem) -> Best:
    """The least cost of a BDD, and the fewest nodes at that cost.

    Tries every set of features, every order and every truth table; if nodes cost nothing and are not limited, only the
    tables of least cost.
    """
    search = Parts(problem)
    sides = _sides(search)
    shape, charge = problem.shape, search.prices
    size = min(search.depth, len(sides))
    limited = charge.question > 0 or _node_limit(problem) is not None or _leaf_limit(problem) is not None
    best: tuple[int, int] | None = None
    for chosen in combinations(sides, size):
        tables = _cells(search, chosen)
        if not limited:
            cost = sum(min(costs) for costs in tables)
            if best is not None and cost > best[0]:
                continue
        for labels in product(*(_labels(costs, limited) for costs in tables)):
            cost = sum(costs[label] for costs, label in zip(tables, labels, strict=True))
            if best is not None and cost > best[0]:
                continue
            leaf_limit, node_limit = _leaf_limit(problem), _node_limit(problem)
            if leaf_limit is not None and len(set(labels)) > leaf_limit:
                continue
            size_of = fewest_nodes(labels)
            if node_limit is None or size_of <= node_limit:
                candidate = (cost + charge.questions(size_of), size_of)
                best = candidate if best is None else min(best, candidate)
    assert best is not None or shape.max_leaf_nodes == 0
    return Best(Fraction(best[0], charge.unit), best[1])


def _node_limit(problem: Problem) -> int | None:
    limits = [problem.shape.max_splits, *(c.questions for c in problem.constraints if c.kind == "max-questions")]
    return min((k for k in limits if k is not None), default=None)


def _leaf_limit(problem: Problem) -> int | None:
    limits = [problem.shape.max_leaf_nodes, *(c.leaves for c in problem.constraints if c.kind == "max-leaves")]
    found = min((k for k in limits if k is not None), default=None)
    return None if found is None or found >= problem.dataset.n_classes else found


def _cells(search: Parts, chosen: tuple[int, ...]) -> list[list[int]]:
    """The cost of each class in each cell of some features, in the order of their values."""
    cells = []
    for answers in product((False, True), repeat=len(chosen)):
        mask = search.everything
        for side, answer in zip(chosen, answers, strict=True):
            mask &= side if answer else ~side
        cells.append(search.costs(mask))
    return cells


def _labels(costs: list[int], limited: bool) -> list[int]:
    return list(range(len(costs))) if limited else [k for k, cost in enumerate(costs) if cost == min(costs)]


def bdd_least_cost(problem: Problem) -> int:
    """The least cost of a BDD whose nodes cost nothing and are not limited, in the units of the problem."""
    search = Parts(problem)
    assert not search.prices.question and _node_limit(problem) is None and _leaf_limit(problem) is None
    sides = _sides(search)
    sets = combinations(sides, min(search.depth, len(sides)))
    least = min(sum(min(costs) for costs in _cells(search, chosen)) for chosen in sets)
    return least * problem.scale // search.prices.unit


def _sides(search: Parts) -> list[int]:
    """All partitions of the rows by one feature, each once."""
    parted = {search.table.yes(question) for question in search.table.questions()}
    return sorted({min(yes, search.everything ^ yes) for yes in parted} - {0})


def fewest_nodes_of(allowed: np.ndarray) -> int:
    """The fewest internal nodes over all orders and all predictions of cells that allow several classes."""
    return min(map(fewest_nodes, product(*(np.flatnonzero(cell).tolist() for cell in allowed))))


def least_with_charge(costs: np.ndarray, each: int, free: bool, most: int | None) -> int | None:
    """The least cost of a BDD, costs (n_cells, n_classes) plus `each` per node, over all tables and orders."""
    found = []
    for labels in product(range(costs.shape[1]), repeat=len(costs)):
        nodes = fewest_nodes(labels)
        if most is None or nodes <= most:
            found.append(sum(int(costs[c, k]) for c, k in enumerate(labels)) + each * max(0, nodes - free))
    return min(found, default=None)


@cache
def fewest_nodes(labels: tuple[int, ...]) -> int:
    """The fewest internal nodes of a BDD of a truth table over all orders."""
    n = len(labels).bit_length() - 1
    return min(nodes(labels, order) for order in permutations(range(n)))


def nodes(labels: tuple[int, ...], order: tuple[int, ...]) -> int:
    """The number of internal nodes of the reduced BDD of a truth table in an order."""
    n, made = len(order), {}

    def node(level: int, given: tuple[tuple[int, int], ...]) -> int | tuple:
        if level == n:
            place = sum(bit << (n - 1 - variable) for variable, bit in given)
            return labels[place]
        no, yes = (node(level + 1, (*given, (order[level], bit))) for bit in (0, 1))
        return no if no == yes else made.setdefault((level, no, yes), (level, no, yes))

    node(0, ())
    return len(made)


def diagram_optimum(problem: Problem) -> Best | None:
    """The least cost of a decision diagram within the widths and under constraints, and its fewest splits."""
    free = all(constraint.kind == "max-questions" for constraint in problem.constraints)
    return _free_optimum(problem) if free else _constrained_optimum(problem)


def _constrained_optimum(problem: Problem) -> Best | None:
    """The same under constraints on predictions: tries all predictions of all diagrams."""
    search, heavy, limit = Parts(problem), weights(problem.dataset), _node_limit(problem)
    rules = [constraint for constraint in problem.constraints if constraint.kind != "max-questions"]
    best: tuple[int, int] | None = None
    for masks, questions in _answers(search).items():
        if limit is not None and questions > limit:
            continue
        cost = sum(search.costs(mask)[label] for label, mask in enumerate(masks)) + search.prices.questions(questions)
        if best is not None and (cost, questions) >= best:
            continue
        labels = [next(k for k, mask in enumerate(masks) if mask >> i & 1) for i in range(search.table.n)]
        facts = Facts((labels[0],), [], [], labels)
        if all(meaning.holds(rule, facts, search.table, heavy) for rule in rules):
            best = cost, questions
    return None if best is None else Best(Fraction(best[0], search.prices.unit), best[1])


def _answers(search: Parts) -> dict[tuple[int, ...], int]:
    """The rows predicted as each class, for every diagram within the widths, with the fewest splits that it needs."""
    sides = {search.table.yes(question) for question in search.table.questions()}
    sides |= {search.everything ^ side for side in sides} | {0, search.everything}
    widths, n_classes = search.problem.shape.layer_widths, search.table.n_classes

    @cache
    def onwards(layer: int, flows: tuple[int, ...]) -> dict[tuple[int, ...], int]:
        if not flows:
            return {(0,) * n_classes: 0}
        room = widths[layer + 1] if layer + 1 < len(widths) else 0
        ways: set[tuple[tuple[int, ...], tuple[int, ...]]] = {((), (0,) * n_classes)}
        for flow in flows:
            ways = {
                _sent(ended, after, n_classes, ((first, side), (second, flow ^ side)))
                for places, ended in ways
                for side in {flow & side for side in sides}
                for first, second, after in _two_heads(places, room, n_classes)
            }
        found: dict[tuple[int, ...], int] = {}
        for places, ended in ways:
            for below, questions in onwards(layer + 1, tuple(sorted(places))).items():
                ends = tuple(one | two for one, two in zip(ended, below, strict=True))
                found[ends] = min(found.get(ends, len(flows) + questions), len(flows) + questions)
        return found

    found = dict(onwards(0, (search.everything,))) if widths else {}
    found |= {tuple(search.everything * (k == label) for k in range(n_classes)): 0 for label in range(n_classes)}
    return found


def _sent(
    ended: tuple[int, ...], places: tuple[int, ...], n_classes: int, arcs: tuple[tuple[int, int], ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The rows of positions and classes after some rows followed arcs."""
    classes, below = list(ended), list(places)
    for head, rows in arcs:
        if head < n_classes:
            classes[head] |= rows
        else:
            below[head - n_classes] |= rows
    return tuple(below), tuple(classes)


def diagram_least_cost(problem: Problem, *, tree: bool = False, answers: Iterable[np.ndarray] | None = None) -> int:
    """The least cost of an unconstrained diagram in the units of the problem.

    Parameters
    ----------
    tree : whether arcs may not meet in a node.
    answers : values of the allowed splits, bool (n_samples,); by default of the splits on single columns.
    """
    own = None if answers is None else {sum(1 << int(i) for i in np.flatnonzero(yes)) for yes in answers}
    return int(_free_optimum(problem, own, tree).cost * problem.scale)


def _free_optimum(problem: Problem, sides: set[int] | None = None, tree: bool = False) -> Best:
    """The least cost of a decision diagram within the widths, and the fewest splits at that cost.

    Rows reach the positions of a layer; each position with an arc has a split and sends its two branches to different
    positions of the next layer, or to classes. A split with the same value for all rows may pass them on.
    """
    search = Parts(problem)
    if sides is None:
        sides = {search.table.yes(question) for question in search.table.questions()}
    sides = sides | {search.everything ^ side for side in sides} | {0, search.everything}
    widths, charge, n_classes = problem.shape.layer_widths, search.prices, search.table.n_classes
    limit = _node_limit(problem)
    most = sum(widths) if limit is None else min(limit, sum(widths))

    @cache
    def class_costs(mask: int) -> tuple[int, ...]:
        return tuple(search.costs(mask))

    @cache
    def onwards(layer: int, flows: tuple[int, ...], left: int) -> tuple[int, int] | None:
        """Least cost and fewest splits from the positions of a layer down, with at most this number of splits."""
        left -= len(flows)
        if left < 0:
            return None
        if not flows:
            return 0, 0
        room = widths[layer + 1] if layer + 1 < len(widths) else 0
        best = None
        for cost, below in _joined(flows, sides, room, n_classes, class_costs, tree):
            if best is None or cost < best[0] or (cost == best[0] and below):
                rest = onwards(layer + 1, below, left)
                if rest is not None:
                    found = cost + rest[0] + charge.question * len(flows), rest[1] + len(flows)
                    best = found if best is None else min(best, found)
        return best

    constant = min(class_costs(search.everything)), 0
    found = onwards(0, (search.everything,), most) if widths else None
    if found is not None and charge.free_root:
        found = found[0] - charge.question, found[1]
    best = constant if found is None else min(constant, found)
    return Best(Fraction(best[0], charge.unit), best[1])


def _joined(
    flows: tuple[int, ...],
    sides: set[int],
    room: int,
    n_classes: int,
    class_costs: Callable[[int], tuple[int, ...]],
    tree: bool,
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Each continuation from a layer: the cost of rows that end here, and the rows of the next positions.

    Of continuations to the same positions only the cheapest is given. Positions are numbered in the order in which arcs
    reach them.
    """
    partial: dict[tuple[int, ...], int] = {(): 0}
    for flow in flows:
        following: dict[tuple[int, ...], int] = {}
        for below, cost in partial.items():
            for side in {flow & side for side in sides}:
                if side > flow ^ side:
                    continue
                for first, second, after in _two_heads(below, room, n_classes, tree):
                    places, paid = list(after), cost
                    for head, rows in ((first, side), (second, flow ^ side)):
                        if head < n_classes:
                            paid += class_costs(rows)[head]
                        else:
                            places[head - n_classes] |= rows
                    key = tuple(places)
                    if key not in following or paid < following[key]:
                        following[key] = paid
        partial = following
    cheapest: dict[tuple[int, ...], int] = {}
    for below, cost in partial.items():
        same = tuple(sorted(below))
        if same not in cheapest or cost < cheapest[same]:
            cheapest[same] = cost
    for below, cost in sorted(cheapest.items(), key=lambda way: way[1]):
        yield cost, below


def _two_heads(
    below: tuple[int, ...], room: int, n_classes: int, tree: bool = False
) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Two different targets of a split (classes, then existing or new positions), and the positions after them."""

    def heads(places: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
        yield from ((head, places) for head in range(n_classes + (0 if tree else len(places))))
        if len(places) < room:
            yield n_classes + len(places), (*places, 0)

    for first, more in heads(below):
        yield from ((first, second, after) for second, after in heads(more) if second != first)
