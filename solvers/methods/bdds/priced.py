"""The cheapest BDD of given splits with a split penalty or a limit on the number of nodes.

Here a cell may predict a class that is not its cheapest one, if that saves nodes. So a demand (see `smallest`) is a
table of costs, one for each class and cell, and one node can always meet several demands: the costs add up. With V the
remaining variables and D the demands,

    cost(V, D) = min of  the cost of all demands as leaves, each with one class,
                 and of  charge * number of new nodes + cost(V - v, the demands that follow)
                         over v in V and the treatments of each demand

where a demand either skips v, and the sum of its halves is demanded below; or becomes a node of v, alone or together
with others, and the halves of their sum are demanded. (A demand that skips all variables becomes a leaf.)

A lower bound on the cost of a demand is the sum of its cells' costs at their best classes. The slack is the budget
minus these bounds. If a demand as a leaf exceeds its bound by more than the slack, it needs a node; if two demands
together exceed their bounds by more than the slack, they need two. A variable is needed if without it some demand
exceeds its bound by more than the slack.

Example
-------
Three cells have ten rows of class a each, one has a row of class b. With a penalty of 1 per node, predicting a
everywhere costs 1, and the conjunction of both splits costs 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ...problem import Problem
from .smallest import StepLimitError, never
from .table import OrderedBdd

MOST_STEPS = 100_000
"""Demands treated before the search ends without a proof."""


class NodePenalty(NamedTuple):
    """The cost of nodes: `each` per node, the first one free if `free`, and at most `most` nodes."""

    each: int
    free: bool = False
    most: int | None = None

    @classmethod
    def of_problem(cls, problem: Problem) -> NodePenalty:
        """The cost of nodes in a problem."""
        return cls(problem.split_penalty, problem.objective.free_root, problem.size.max_splits)

    @property
    def matters(self) -> bool:
        """Whether the number of nodes matters beyond ties."""
        return bool(self.each) or self.most is not None

    def of(self, n: int) -> int:
        """The penalty for n nodes."""
        return self.each * (max(0, n - 1) if self.free else n)

    def after(self, n: int) -> NodePenalty:
        """The penalty for further nodes after n nodes."""
        most = None if self.most is None else self.most - n
        return NodePenalty(self.each, self.free and n == 0, most)


class _Found(NamedTuple):
    cost: int
    nodes: int
    order: tuple[int, ...]
    answers: tuple[np.ndarray, ...]


class _Treated(NamedTuple):
    """A treatment of demands: the number of new nodes, the demands below, and each one's no and yes side in these."""

    nodes: int
    below: list[np.ndarray]
    sides: list[tuple[int, int]]


def cheapest_bdd(
    costs: np.ndarray, charge: NodePenalty, budget: int, steps: int = MOST_STEPS, due: Callable[[], bool] = never
) -> tuple[OrderedBdd | None, bool, int]:
    """The cheapest BDD of some splits, if it costs at most the budget.

    Parameters
    ----------
    costs : int64 (2**n_variables, n_classes), the cost of each class in each cell; the first variable is the highest
        bit.
    charge : the cost of nodes.
    budget : the largest cost of interest.
    steps, due : when to end without a proof.

    Returns
    -------
    The BDD, or `None` if none was found; whether it is proved that none costs less; and the steps taken.
    """
    n_variables = len(costs).bit_length() - 1
    search = _Search(steps, due, n_variables)
    proved = True
    try:
        search.incumbent = search.solve(tuple(range(n_variables)), [np.ascontiguousarray(costs.T)], charge, budget)
    except StepLimitError:
        proved = False
    best = search.incumbent
    if best is None:
        return None, proved, search.taken
    return OrderedBdd.of_needed(best.nodes, best.order, best.answers[0], best.cost), proved, search.taken


class _Search:
    """Branch and bound over orders and treatments."""

    def __init__(self, steps: int, due: Callable[[], bool], n_variables: int) -> None:
        self.steps, self.due, self.n_variables, self.taken = steps, due, n_variables, 0
        self.incumbent: _Found | None = None
        self._refuted: dict[tuple[tuple[int, ...], NodePenalty, tuple[bytes, ...]], int] = {}

    def solve(
        self, variables: tuple[int, ...], demands: list[np.ndarray], charge: NodePenalty, budget: int
    ) -> _Found | None:
        """The least cost of some demands, or `None` if it exceeds the budget."""
        totals = [demand.sum(axis=1) for demand in demands]
        as_leaf = [int(total.min()) for total in totals]
        least = [int(demand.min(axis=0).sum()) for demand in demands]
        answers = [np.full(demand.shape[1], total.argmin()) for demand, total in zip(demands, totals, strict=True)]
        best = _Found(sum(as_leaf), 0, (), tuple(answers)) if sum(as_leaf) <= budget else None
        asking = [i for i in range(len(demands)) if as_leaf[i] > least[i]]
        if not asking or not variables or charge.most == 0:
            return best
        if best is not None and len(variables) == self.n_variables:
            self.incumbent = best
        # the demands that are cheapest as leaves are already paid for
        spent = sum(as_leaf) - sum(as_leaf[i] for i in asking)
        limit = (budget if best is None else best.cost - 1) - spent
        inner = [demands[i] for i in asking]
        key = (variables, charge, tuple(demand.tobytes() for demand in inner))
        if self._refuted.get(key, -1) >= limit:
            return best
        better = self._branch(variables, inner, charge, limit)
        if better is None:
            self._refuted[key] = limit
            return best
        for i, answer in zip(asking, better.answers, strict=True):
            answers[i] = answer
        return better._replace(cost=better.cost + spent, answers=tuple(answers))

    def _branch(
        self, variables: tuple[int, ...], demands: list[np.ndarray], charge: NodePenalty, budget: int
    ) -> _Found | None:
        """The least cost of demands with at least one further split, or `None` if it exceeds the budget."""
        best, n = None, len(variables)
        for p in range(n):
            if not _possible(demands, n, charge, budget):
                break
            rest = variables[:p] + variables[p + 1 :]
            for treated in _treatments(demands, n, p, charge, budget):
                spent = charge.of(treated.nodes)
                if spent > budget:
                    continue
                self.taken += len(demands)
                if self.taken > self.steps or self.due():
                    raise StepLimitError
                below = self.solve(rest, treated.below, charge.after(treated.nodes), budget - spent)
                if below is None:
                    continue
                own = (variables[p],) if treated.nodes else ()
                answers = tuple(_joined(below.answers[no], below.answers[yes], p, n) for no, yes in treated.sides)
                best = _Found(spent + below.cost, treated.nodes + below.nodes, (*own, *below.order), answers)
                budget = best.cost - 1
                if n == self.n_variables:
                    self.incumbent = best
        return best


def _possible(demands: list[np.ndarray], n: int, charge: NodePenalty, budget: int) -> bool:
    """Whether the lower bounds on cost and nodes are within the budget."""
    least = [_least(demand) for demand in demands]
    slack = budget - sum(least)
    if slack < 0:
        return False
    apart: list[int] = []
    for i, demand in enumerate(demands):
        if int(demand.sum(axis=1).min()) - least[i] > slack and not any(
            _least(demand + demands[j]) - least[i] - least[j] <= slack for j in apart
        ):
            apart.append(i)
    needed = sum(
        any(_least(np.add(*_halves(demand, n, p))) - low > slack for demand, low in zip(demands, least, strict=True))
        for p in range(n)
    )
    nodes = max(len(apart), needed)
    return charge.of(nodes) <= slack and (charge.most is None or nodes <= charge.most)


def _treatments(demands: list[np.ndarray], n: int, p: int, charge: NodePenalty, budget: int) -> Iterator[_Treated]:
    """All treatments of demands with a split on the variable at position p, within the budget."""
    least = [_least(demand) for demand in demands]
    halves = [_halves(demand, n, p) for demand in demands]
    skipped = [no + yes for no, yes in halves]
    as_skip = [_least(both) - low for both, low in zip(skipped, least, strict=True)]
    # a half that costs the same for all classes may predict like the other half
    idle = [any((half == half[0]).all() for half in pair) for pair in halves]
    slack = budget - sum(least)
    most = len(demands) if charge.most is None else min(len(demands), charge.most)

    def treat(i: int, extra: int, ways: list[int], groups: list[np.ndarray]) -> Iterator[_Treated]:
        """`ways` : the group of each demand, -1 for skipping; `extra` : cost above the sum of the lower bounds."""
        if extra + charge.of(len(groups)) > slack or len(groups) > most:
            return
        if i == len(demands):
            below = [half for group in groups for half in _halves(group, n, p)]
            sides = [(2 * way, 2 * way + 1) for way in ways]
            for at in (at for at, way in enumerate(ways) if way < 0):
                sides[at] = (len(below), len(below))
                below.append(skipped[at])
            yield _Treated(len(groups), below, sides)
            return
        if not idle[i]:
            for g, group in enumerate(groups):
                joint = group + demands[i]
                more = _least(joint) - _least(group) - least[i]
                yield from treat(i + 1, extra + more, [*ways, g], [*groups[:g], joint, *groups[g + 1 :]])
        yield from treat(i + 1, extra + as_skip[i], [*ways, -1], groups)
        if not idle[i]:
            yield from treat(i + 1, extra, [*ways, len(groups)], [*groups, demands[i]])

    yield from treat(0, 0, [], [])


def _least(demand: np.ndarray) -> int:
    """The cost of a demand if each cell predicts its best class."""
    return int(demand.min(axis=0).sum())


def _halves(demand: np.ndarray, n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """A demand of n variables, restricted to 0 and to 1 at position p."""
    split = demand.reshape(len(demand), 1 << p, 2, 1 << (n - 1 - p))
    return split[:, :, 0].reshape(len(demand), -1), split[:, :, 1].reshape(len(demand), -1)


def _joined(no: np.ndarray, yes: np.ndarray, p: int, n: int) -> np.ndarray:
    """The classes for n variables from those for 0 and for 1 at position p."""
    shape = (1 << p, 1 << (n - 1 - p))
    return np.stack([no.reshape(shape), yes.reshape(shape)], axis=1).ravel()
