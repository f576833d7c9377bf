"""The smallest BDD of a truth table that leaves things open: over all orders of the questions and all ways to answer.

A cell of the table may allow several classes: all of them where no row falls into it, those of equal cost in a tie.
What the questions asked so far leave of the table are *demands*: each must become a node, a leaf, or what another one
becomes. With V the variables still to be asked and D the demands, all different,

    nodes(V, D) = 0 if no demand is left, else min over v in V, and over the ways to treat each demand, of
                  the number of new nodes + nodes(V - v, the demands that follow)

where a demand either skips v, if some class is allowed by both its halves in every cell, and their intersection is
demanded below; or becomes a node of v, for which both halves are demanded; or becomes the node of an earlier demand
with which it agrees, and the halves of the intersection are demanded. A demand that one class can answer everywhere
becomes a leaf, and one that allows all that another allows becomes that one: neither can need a node of its own,
because the nodes for fewer demands are some of those for all of them. For the same reason a demand skips v where one
half allows all that the other does.

There are at least as many nodes as demands of which no two agree, and as variables that some demand cannot skip. The
search stays within a budget of nodes by these bounds, and remembers what it found for (V, D).

Example
-------
The table a b = 00: 0, 01: any, 10: any, 11: 1 needs one node: it may ask a alone, or b alone.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

Cells = int
"""A set of cells: bit c stands for cell c."""
Demand = tuple[Cells, ...]
"""For each class, the cells that allow it."""
Answers = dict[Demand, tuple[int, ...]]
"""The classes that the cells of each demand answer."""

MOST_STEPS = 200_000
"""Demands treated until the search ends without a proof: a second or so."""


def never() -> bool:
    """No end: what `due` is by default."""
    return False


@dataclass(frozen=True)
class SmallestBdd:
    """A BDD with few nodes.

    Attributes
    ----------
    n_splits : its inner nodes.
    order : the positions of the questions that are asked, first asked first.
    labels : the class of each cell, the cells numbered by the answers in this order.
    """

    n_splits: int
    order: tuple[int, ...]
    labels: tuple[int, ...]


@dataclass(frozen=True)
class _Found:
    nodes: int
    order: tuple[int, ...]
    answers: Answers


_Treated = tuple[int, frozenset[Demand], dict[Demand, tuple[Demand, Demand]]]
"""The number of new nodes, the demands below, and for each demand those of its no and its yes side."""
_Key = tuple[tuple[int, ...], frozenset[Demand]]
"""The variables still to be asked, and the demands."""


class StepLimitError(Exception):
    """The search has taken as many steps as it may."""


def smallest_bdd(
    allowed: np.ndarray,
    most: int | None = None,
    steps: int = MOST_STEPS,
    due: Callable[[], bool] = never,
) -> tuple[SmallestBdd | None, bool, int]:
    """The BDD with the fewest inner nodes of an incompletely specified truth table.

    Parameters
    ----------
    allowed : bool (2**n_variables, n_classes), the classes that a cell may answer, at least one in each. Cells are
        numbered by the answers, the first variable foremost.
    most : only BDDs with at most so many inner nodes are of interest.
    steps : after how many steps to end without a proof.
    due : whether to end now.

    Returns
    -------
    The BDD, or `None` where none of at most `most` nodes was found; whether it is proved that none has fewer (or that
    there is none); and the steps taken.
    """
    n_variables = len(allowed).bit_length() - 1
    root = tuple(sum(1 << int(c) for c in np.flatnonzero(allowed[:, k])) for k in range(allowed.shape[1]))
    search = _Search(steps, n_variables, due)
    budget = 2**n_variables if most is None else most
    proved = True
    try:
        search.incumbent = search.solve(tuple(range(n_variables)), frozenset([root]), budget)
    except StepLimitError:
        proved = False
    best = search.incumbent
    if best is None:
        return None, proved, search.taken
    return SmallestBdd(best.nodes, best.order, _labels_of_needed(best.answers[root], best.order)), proved, search.taken


class _Search:
    """Branch and bound over orders and treatments."""

    def __init__(self, steps: int, n_variables: int, due: Callable[[], bool]) -> None:
        self.steps, self.taken, self.n_variables, self.due = steps, 0, n_variables, due
        self.incumbent: _Found | None = None
        self._best: dict[_Key, _Found] = {}
        self._least: dict[_Key, int] = {}

    def solve(self, variables: tuple[int, ...], demands: frozenset[Demand], budget: int) -> _Found | None:
        """The fewest nodes for some demands, if that is at most the budget."""
        if budget < 0:
            return None
        inner, given = _reduce(demands, 2 ** len(variables))
        if not inner:
            return _Found(0, (), _with_answers(given, {}, 2 ** len(variables)))
        key = (variables, inner)
        best = self._best.get(key)
        if best is None:
            least = self._least.get(key)
            if least is None:
                least = self._least[key] = _bound(inner, len(variables))
            if least > budget:
                return None
            best = self._branch(variables, inner, budget, least)
            if best is None:
                self._least[key] = budget + 1
                return None
            self._best[key] = best
        if best.nodes > budget:
            return None
        return _Found(best.nodes, best.order, _with_answers(given, best.answers, 2 ** len(variables)))

    def _branch(self, variables: tuple[int, ...], inner: frozenset[Demand], budget: int, least: int) -> _Found | None:
        best = None
        demands = sorted(inner)
        order = sorted(range(len(variables)), key=lambda p: _count_forced(demands, p, len(variables)))
        for p in order:
            rest = variables[:p] + variables[p + 1 :]
            for nodes, below, treated in _treatments(demands, p, len(variables), budget):
                if nodes > budget:
                    continue
                self.taken += len(demands)
                if self.taken > self.steps or self.due():
                    raise StepLimitError
                lower = self.solve(rest, below, budget - nodes)
                if lower is None:
                    continue
                answers = {
                    demand: _joined(lower.answers[no], lower.answers[yes], p, len(variables))
                    for demand, (no, yes) in treated.items()
                }
                own = (variables[p],) if nodes else ()
                best = _Found(nodes + lower.nodes, (*own, *lower.order), answers)
                budget = best.nodes - 1
                if len(variables) == self.n_variables:
                    self.incumbent = best
                if best.nodes <= least:
                    return best
        return best


def _treatments(demands: list[Demand], p: int, n: int, budget: int) -> Iterator[_Treated]:
    """All ways to treat demands when the variable at position p is asked.

    Each is the number of new nodes, at most `budget`; the demands below; and for each demand those of its no and its
    yes side.
    """
    half, whole = (1 << (1 << (n - 1))) - 1, (1 << (1 << n)) - 1

    def treat(
        i: int, groups: list[Demand], members: list[list[Demand]], skipping: dict[Demand, Demand]
    ) -> Iterator[_Treated]:
        if len(groups) > budget:
            return
        if i == len(demands):
            treated = {demand: (below, below) for demand, below in skipping.items()}
            for group, inside in zip(groups, members, strict=True):
                halves = _halves(group, n, p)
                treated |= dict.fromkeys(inside, halves)
            yield len(groups), frozenset(half for pair in treated.values() for half in pair), treated
            return
        demand = demands[i]
        no, yes = _halves(demand, n, p)
        both = _meet(no, yes)
        agree = _covers(both, half)
        if agree and both in (no, yes):
            yield from treat(i + 1, groups, members, skipping | {demand: both})
            return
        for g, group in enumerate(groups):
            joint = _meet(group, demand)
            if _covers(joint, whole):
                joined = [*members[:g], [*members[g], demand], *members[g + 1 :]]
                yield from treat(i + 1, [*groups[:g], joint, *groups[g + 1 :]], joined, skipping)
        if agree:
            yield from treat(i + 1, groups, members, skipping | {demand: both})
        yield from treat(i + 1, [*groups, demand], [*members, [demand]], skipping)

    yield from treat(0, [], [], {})


def _reduce(demands: frozenset[Demand], n_cells: int) -> tuple[frozenset[Demand], dict[Demand, Demand | int]]:
    """The demands that need nodes of their own, and what each of the others becomes: a class or one of these."""
    full = (1 << n_cells) - 1
    given: dict[Demand, Demand | int] = {}
    inner: list[Demand] = []
    # the sets of cells are larger the more is allowed, so that a demand comes after those that it may become
    for demand in sorted(demands, key=lambda d: (sum(map(int.bit_count, d)), d)):
        if full in demand:
            given[demand] = demand.index(full)
            continue
        other = next((k for k in inner if _meet(k, demand) == k), None)
        given[demand] = demand if other is None else other
        if other is None:
            inner.append(demand)
    return frozenset(inner), given


def _with_answers(given: dict[Demand, Demand | int], answers: Answers, n_cells: int) -> Answers:
    """The answers to all demands, from those to the demands that were kept."""
    return {
        demand: (becomes,) * n_cells if isinstance(becomes, int) else answers[becomes]
        for demand, becomes in given.items()
    }


def _bound(demands: frozenset[Demand], n: int) -> int:
    """A lower bound of the nodes for these demands, none of which one class can answer."""
    full = (1 << (1 << n)) - 1
    apart: list[Demand] = []
    for demand in sorted(demands, key=lambda d: (sum(map(int.bit_count, d)), d)):
        if not any(_covers(_meet(demand, other), full) for other in apart):
            apart.append(demand)
    needed = sum(_count_forced(apart, p, n) > 0 for p in range(n))
    return max(len(apart), needed)


def _count_forced(demands: list[Demand], p: int, n: int) -> int:
    """How many demands cannot skip the variable at position p."""
    full = (1 << (1 << (n - 1))) - 1
    return sum(not _covers(_meet(*_halves(demand, n, p)), full) for demand in demands)


def _meet(one: Demand, other: Demand) -> Demand:
    return tuple(a & b for a, b in zip(one, other, strict=True))


def _covers(demand: Demand, full: Cells) -> bool:
    """Whether every cell allows some class."""
    seen = 0
    for cells in demand:
        seen |= cells
    return seen == full


@lru_cache(maxsize=1 << 16)
def _halves(demand: Demand, n: int, p: int) -> tuple[Demand, Demand]:
    """What a demand of n variables is where the variable at position p is 0, and where it is 1."""
    block = 1 << (n - 1 - p)
    mask = (1 << block) - 1
    no, yes = [], []
    for cells in demand:
        low = high = 0
        for i in range(1 << p):
            low |= (cells >> (2 * i * block) & mask) << (i * block)
            high |= (cells >> ((2 * i + 1) * block) & mask) << (i * block)
        no.append(low)
        yes.append(high)
    return tuple(no), tuple(yes)


def _joined(no: tuple[int, ...], yes: tuple[int, ...], p: int, n: int) -> tuple[int, ...]:
    """The labels of n variables from those where the variable at position p is 0, and where it is 1."""
    block = 1 << (n - 1 - p)
    labels: list[int] = []
    for i in range(0, len(no), block):
        labels += no[i : i + block]
        labels += yes[i : i + block]
    return tuple(labels)


def _labels_of_needed(labels: tuple[int, ...], order: tuple[int, ...]) -> tuple[int, ...]:
    """Labels by the answers to some of the variables, in another order; the others make no difference."""
    n_variables = len(labels).bit_length() - 1
    others = [v for v in range(n_variables) if v not in order]
    table = np.array(labels).reshape((2,) * n_variables).transpose((*order, *others))
    return tuple(table.reshape(2 ** len(order), -1)[:, 0].tolist())
