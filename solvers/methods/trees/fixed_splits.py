"""The exact search below fixed splits: one search per open place, with the leaves distributed among the places.

Places have disjoint rows, so they are independent except for a leaf limit. Each place is solved with the maximum number
of leaves that it may get. If the trees have too many leaves in total, each place is also solved with every smaller
number, and the best distribution is chosen:

    C_1..j(l) = min over l_j of  C_1..j-1(l - l_j) + C_j(l_j)
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...problem import Problem
from .exact_search import WeightedRows, leaf_cost, relaxes, tree_search
from .hard_rows import LEAST, HardRows
from .path_rules import Place, SearchSpace
from .tree_of_splits import Splits

if TYPE_CHECKING:
    from ...kernels.tree_search import TreeSearch


CLIMB_DEPTH = 5
"""From this depth on, the search raises its ceiling in steps; at lower depths, the last step is nearly all the work."""

FIRST_WORK = 20_000_000
"""Elements scanned for a tree below the first ceiling before hard rows are used, some hundredths of a second."""


class _Tree(NamedTuple):
    """A tree at a place, with the cost in units of the search and slots as keys of its splits."""

    cost: int
    splits: Splits


class PlacedSearch:
    """The best tree under path rules, with the interface of `TreeSearch`; costs are those of the weighted rows.

    `space` contains the permitted splits and must permit a tree. `ceiling` is the cost of a known tree, `known` a lower
    bound, and `gap` the permitted gap between cost and bound, all in `unit`, see `TreeSearch`. `make` creates the
    searches of depth three or more, see `tree_search`.
    """

    def __init__(
        self,
        problem: Problem,
        space: SearchSpace,
        rows: WeightedRows,
        *,
        ceiling: int,
        known: int = 0,
        gap: int = 0,
        unit: int = 1,
        threads: int = 1,
        make: Callable[..., TreeSearch] | None = None,
    ) -> None:
        self._problem, self._space, self._rows = problem, space, rows
        self._unit, self._threads, self._gap, self._make = unit, threads, gap, make
        places = space.places
        whole = problem.size.max_leaf_nodes
        self._leaves = sum(2**place.depth for place in places) if whole is None else whole
        spare = self._leaves - len(places) + 1
        self._most = [min(2**place.depth, spare) for place in places]
        self._trees = [{1: _Tree(leaf_cost(rows, place.rows) * unit, {})} for place in places]
        self._above = (problem.split_penalty * unit + (unit > 1)) * len(space.fixed)
        self._bounds = [0] * len(places) if len(places) > 1 else [max(0, known - self._above)]
        self.cost, self.bound, self.found = ceiling, max(0, known), 0
        self.splits: Splits = {}
        self._done: dict[str, int] = {}
        self._work = 0
        self._running: TreeSearch | None = None
        self._running_unit = 1
        self._stopped = False
        self._steps = self._run()
        self._combine()

    @property
    def work(self) -> int:
        """Elements scanned so far."""
        return self._work + (self._running.work if self._running else 0)

    @property
    def stats(self) -> dict[str, int]:
        """Statistics of the search so far."""
        now = {} if self._running is None else self._running.stats
        keys = self._done or now
        return {key: self._done.get(key, 0) + now.get(key, 0) for key in keys}

    def stop(self) -> None:
        """Stop soon; may be called from another thread while `advance` runs."""
        self._stopped = True
        if running := self._running:
            running.stop()

    def lower(self, cost: int) -> None:
        """Search only for trees cheaper than one found elsewhere; only if no split is fixed."""
        self.cost = min(self.cost, cost)
        if self._running:
            # without splits counted, only trees of a lower cost are of use
            self._running.lower(cost * self._running_unit // self._unit)

    def advance(self) -> bool:
        """Continue for a while; True if the search has ended or was stopped."""
        return next(self._steps, True) or self._stopped or self.cost - self.bound <= self._gap

    def _run(self) -> Iterator[bool]:
        """Solve the places one after the other; yields False after each step."""
        for i, place in enumerate(self._space.places):
            yield from self._solve(i, place, self._most[i])
        # if the best trees of all places have too many leaves in total, smaller ones are needed
        best = [min((tree.cost, leaves) for leaves, tree in trees.items()) for trees in self._trees]
        if sum(leaves for _, leaves in best) > self._leaves:
            for i, place in enumerate(self._space.places):
                for leaves in range(2, self._most[i]):
                    yield from self._solve(i, place, leaves)
        if not self._stopped and len(self._most) > 1:
            self.bound = max(self.bound, self.cost)
        yield True

    def _solve(self, i: int, place: Place, leaves: int) -> Iterator[bool]:
        """Find the best tree of a place with at most this number of leaves, if it can improve the whole tree."""
        leaf = self._trees[i][1].cost
        ceiling = self._left(i)
        if place.depth < 1 or leaves < 2 or not len(self._space.searched):
            self._raise_bound(i, leaf)
        if self._stopped or ceiling <= self._bounds[i]:
            return
        climbs = place.depth >= CLIMB_DEPTH
        if climbs and leaves == self._most[i]:
            yield from self._climb(i, place)
            ceiling = min(ceiling, self._left(i))
        if self._stopped or ceiling <= self._bounds[i]:
            return
        search = self._begin(place, leaves, ceiling, known=self._bounds[i], unit=self._unit, climb=climbs)
        yield from self._follow(search, i, place, leaves == self._most[i])

    def _left(self, i: int) -> int:
        """The cost that a tree of a place must stay below to improve the whole tree."""
        return min(self._trees[i][1].cost, self.cost - self._above - sum(self._bounds) + self._bounds[i])

    def _follow(self, search: TreeSearch, i: int, place: Place, bounds: bool = True) -> Iterator[bool]:
        """Run a search of a place to its end and keep its trees; `bounds` : whether its bound holds for the place."""
        n_found, ended, unit = 0, False, self._unit // self._running_unit
        while not ended and not self._stopped:
            ended = search.advance()
            if search.found > n_found:
                n_found = search.found
                self._keep_found(i, search, place, unit)
            if bounds:
                self._raise_bound(i, search.bound * unit)
            yield False
        self._finish(search)

    def _keep_found(self, i: int, search: TreeSearch, place: Place, unit: int) -> None:
        """Keep the tree of a search with costs in `unit`; each split counts if this is more than 1."""
        splits = search.splits_from(place.slot)
        self._keep(i, _Tree(search.cost * unit + (unit > 1) * len(splits), splits))

    def _finish(self, search: TreeSearch) -> None:
        """Add up the work of a finished search."""
        self._running = None
        self._work += search.work
        for key, value in search.stats.items():
            self._done[key] = self._done.get(key, 0) + value

    def _begin(
        self,
        place: Place,
        leaves: int,
        ceiling: int,
        *,
        index: np.ndarray | None = None,
        known: int = 0,
        unit: int = 1,
        climb: bool = False,
        purest_first: bool = False,
    ) -> TreeSearch:
        """Start a search of a place; with an `index`, of some of its rows, without rules that need all of them."""
        every = place.rows if self._space.fixed else None  # avoids a copy of all rows
        self._running_unit = unit
        self._running = tree_search(
            self._problem,
            self._space.searched,
            self._rows,
            ceiling=ceiling,
            index=every if index is None else index,
            depth=place.depth,
            leaves=leaves,
            known=known,
            gap=self._gap * unit // self._unit if len(self._most) == 1 and index is None else 0,
            unit=unit,
            threads=self._threads if place.depth > 2 else 1,
            ruling=self._space.ruling_at(place.slot),
            used=place.used,
            chain=self._space.chain,
            climb=climb,
            purest_first=purest_first,
            relaxed=index is not None,
            make=self._make if place.depth > 2 else None,
        )
        return self._running

    def _first_tree(self, search: TreeSearch, work: int | None = None) -> Generator[bool, None, bool]:
        """Continue a search until it finds a tree, or has scanned `work` elements; return whether there is no tree."""
        while True:
            ended = search.advance()
            if ended or search.found or self._stopped or (work is not None and search.work >= work):
                break
            yield False
        search.stop()
        self._finish(search)
        # a permitted gap may end a search before its bound reaches the ceiling
        return ended and not search.found and not self._stopped and search.bound >= search.cost

    def _climb(self, i: int, place: Place) -> Iterator[bool]:
        """Find the lowest cost of a place below growing ceilings: briefly on all rows, then on hard rows, then on all.

        The first search begins with pure splits, for a tree without errors.

        Splits are not counted, which makes the search up to eight times as fast. Searches of `make` take all rows.
        """
        unit, rows, most, bounds = self._unit, self._rows, self._most[i], self._bounds
        step = max(1, rows.total // len(rows.label))
        if not (self._make or self._proved(i)):
            ceiling = self._raised(i, step)
            search = self._begin(place, most, ceiling, known=bounds[i] // unit, purest_first=True)
            yield from self._first_tree(search, FIRST_WORK)
            self._raise_bound(i, search.bound * unit)
            if search.found:
                self._keep_found(i, search, place, unit)
            # release its memory before the next search
            del search
            yield False
        if len(place.rows) >= 2 * LEAST and not (self._make or self._proved(i)):
            yield from self._bound_by_parts(i, place, step)
        if not self._proved(i):
            search = self._begin(place, most, self._left(i) // unit, known=bounds[i] // unit, climb=True)
            yield from self._follow(search, i, place)

    def _proved(self, i: int) -> bool:
        """Whether the lowest cost of a place is known, or its search must end."""
        return self._stopped or self.cost - self.bound <= self._gap or self._left(i) - self._bounds[i] < self._unit

    def _bound_by_parts(self, i: int, place: Place, step: int) -> Iterator[bool]:
        """Raise the bound of a place by searches over hard rows; returns when over half of its rows are needed."""
        unit, space = self._unit, self._space
        # give control to the caller before the rows are scored
        self._work += HardRows.work(space.searched, len(place.rows))
        yield False
        exact = not relaxes(self._problem, space.ruling_at(place.slot))
        part = HardRows(space.searched, self._rows, place.depth, place.rows)
        while not self._proved(i):
            ceiling = self._raised(i, step)
            if not part.grow_for(-(-ceiling // step)):
                return
            search = self._begin(place, self._most[i], ceiling, index=part.index)
            if (yield from self._first_tree(search)):
                self._raise_bound(i, search.cost * unit)
            elif not search.found:
                return
            else:
                splits = search.splits_from(place.slot)
                costs = part.costs(splits, place.slot)
                if exact:
                    price = (self._problem.split_penalty * unit + (unit > 1)) * len(splits)
                    self._keep(i, _Tree(int(costs.sum()) * unit + price, splits))
                if not part.add(costs, ceiling - search.cost):
                    return
            del search
            yield False

    def _raised(self, i: int, step: int) -> int:
        """The next ceiling of a place, without splits counted."""
        bound = self._bounds[i] // self._unit
        return min(self._left(i) // self._unit, bound + max(step, (bound + 1) // 2))

    def _raise_bound(self, i: int, bound: int) -> None:
        """Raise the lower bound of a place, and with it that of the whole tree."""
        self._bounds[i] = max(self._bounds[i], bound)
        self.bound = max(self.bound, self._above + sum(self._bounds))

    def _keep(self, i: int, tree: _Tree) -> None:
        """Keep a tree of a place if it is cheaper than the known one with the same number of leaves."""
        leaves = len(tree.splits) + 1
        if leaves not in self._trees[i] or tree.cost < self._trees[i][leaves].cost:
            self._trees[i][leaves] = tree
            self._combine()

    def _combine(self) -> None:
        """Find the best distribution of the leaves among the known trees."""
        best: dict[int, _Tree] = {0: _Tree(self._above, {})}
        for trees in self._trees:
            joined: dict[int, _Tree] = {}
            for leaves, first in best.items():
                for more, second in trees.items():
                    together, cost = leaves + more, first.cost + second.cost
                    if together <= self._leaves and (together not in joined or cost < joined[together].cost):
                        joined[together] = _Tree(cost, first.splits | second.splits)
            best = joined
        tree = min(best.values(), key=lambda tree: (tree.cost, len(tree.splits)))
        if tree.cost < self.cost:
            self.cost, self.splits = tree.cost, tree.splits
            self.found += 1
