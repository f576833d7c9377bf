"""The smallest BDD of an incompletely specified truth table, over all orders of the splits and all fillings.

A cell of the table may allow several classes: all of them if it has no rows, those of equal cost in a tie. The
subtables below the splits made so far are *demands*: each must become a node, a leaf, or be merged with another. With V
the remaining variables and D the demands, all different,

    nodes(V, D) = 0 if no demand is left, else min over v in V, and over the treatments of each demand, of
                  the number of new nodes + nodes(V - v, the demands that follow)

where a demand either skips v, if in every cell some class is allowed by both its halves, and their intersection is
demanded below; or becomes a node of v, for which both halves are demanded; or joins the node of an earlier demand with
which it is compatible, and the halves of the intersection are demanded. A demand that one class satisfies everywhere
becomes a leaf, and one that allows all that another allows is merged with that one: neither ever needs a node of its
own, because the nodes for fewer demands are a subset of those for all. For the same reason a demand skips v if one half
allows all that the other does.

There are at least as many nodes as pairwise incompatible demands, and as variables that some demand cannot skip. The
search uses these lower bounds to stay within a budget of nodes, and caches its results for (V, D).

Example
-------
The table a b = 00: 0, 01: any, 10: any, 11: 1 needs one node: a split on a alone, or on b alone.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from .table import OrderedBdd

Cells = int
"""A set of cells as a bit mask: bit c is cell c."""
Demand = tuple[Cells, ...]
"""For each class, the cells that allow it."""
Answers = dict[Demand, tuple[int, ...]]
"""The classes that the cells of each demand predict."""

MOST_STEPS = 200_000
"""Demands treated before the search ends without a proof: about a second."""


def never() -> bool:
    """The default of `due`: never end."""
    return False


@dataclass(frozen=True)
class _Found:
    nodes: int
    order: tuple[int, ...]
    answers: Answers


_Treated = tuple[int, frozenset[Demand], dict[Demand, tuple[Demand, Demand]]]
"""The number of new nodes, the demands below, and for each demand the demands of its no and yes side."""
_Key = tuple[tuple[int, ...], frozenset[Demand]]
"""The remaining variables, and the demands."""


class StepLimitError(Exception):
    """The search has reached its step limit."""


def smallest_bdd(
    allowed: np.ndarray,
    most: int | None = None,
    steps: int = MOST_STEPS,
    due: Callable[[], bool] = never,
) -> tuple[OrderedBdd | None, bool, int]:
    """The BDD with the fewest inner nodes of an incompletely specified truth table.

    Parameters
    ----------
    allowed : bool (2**n_variables, n_classes), the classes that each cell may predict, at least one per cell. Cells are
        numbered by the split results; the first variable is the highest bit.
    most : the largest number of inner nodes of interest.
    steps : after how many steps to end without a proof.
    due : whether to end now.

    Returns
    -------
    The BDD, or `None` if none of at most `most` nodes was found; whether it is proved that none has fewer nodes (or
    that there is none); and the steps taken.
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
    return OrderedBdd.of_needed(best.nodes, best.order, np.array(best.answers[root])), proved, search.taken


class _Search:
    """Branch and bound over orders and treatments."""

    def __init__(self, steps: int, n_variables: int, due: Callable[[], bool]) -> None:
        self.steps, self.taken, self.n_variables, self.due = steps, 0, n_variables, due
        self.incumbent: _Found | None = None
        self._best: dict[_Key, _Found] = {}
        self._least: dict[_Key, int] = {}

    def solve(self, variables: tuple[int, ...], demands: frozenset[Demand], budget: int) -> _Found | None:
        """The fewest nodes for some demands, or `None` if they exceed the budget."""
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
    """All treatments of demands with a split on the variable at position p.

    Each is the number of new nodes, at most `budget`; the demands below; and for each demand the demands of its no and
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
    """The demands that need nodes of their own, and what each demand becomes: a class or one of these."""
    full = (1 << n_cells) - 1
    given: dict[Demand, Demand | int] = {}
    inner: list[Demand] = []
    # the more a demand allows, the larger its cell sets, so it is sorted after the demands it may be merged with
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
    """The classes for all demands, from those for the reduced demands."""
    return {
        demand: (becomes,) * n_cells if isinstance(becomes, int) else answers[becomes]
        for demand, becomes in given.items()
    }


def _bound(demands: frozenset[Demand], n: int) -> int:
    """A lower bound on the nodes for these demands, each of which needs a node."""
    full = (1 << (1 << n)) - 1
    apart: list[Demand] = []
    for demand in sorted(demands, key=lambda d: (sum(map(int.bit_count, d)), d)):
        if not any(_covers(_meet(demand, other), full) for other in apart):
            apart.append(demand)
    needed = sum(_count_forced(apart, p, n) > 0 for p in range(n))
    return max(len(apart), needed)


def _count_forced(demands: list[Demand], p: int, n: int) -> int:
    """The number of demands that cannot skip the variable at position p."""
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
    """A demand of n variables, restricted to 0 and to 1 at position p."""
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
    """The labels for n variables from those for 0 and for 1 at position p."""
    block = 1 << (n - 1 - p)
    labels: list[int] = []
    for i in range(0, len(no), block):
        labels += no[i : i + block]
        labels += yes[i : i + block]
    return tuple(labels)
