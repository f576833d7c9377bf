"""The exact search below fixed splits: one search per open place, with the leaves distributed among the places.

Places have disjoint rows, so they are independent except for a leaf limit. Each place is solved with the maximum number
of leaves that it may get. If the trees have too many leaves in total, each place is also solved with every smaller
number, and the best distribution is chosen:

    C_1..j(l) = min over l_j of  C_1..j-1(l - l_j) + C_j(l_j)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from ...problem import Problem
from .exact_search import Splits, WeightedRows, in_preorder, leaf_cost, tree_search
from .hard_rows import LEAST, HardRows
from .path_rules import Place, SearchSpace

if TYPE_CHECKING:
    from ...kernels.tree_search import TreeSearch


CLIMB_DEPTH = 5
"""From this depth on, the search raises its ceiling in steps; at lower depths, the last step is nearly all the work."""


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
            self._running.lower(cost)

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
        ceiling = min(leaf, self.cost - self._above - sum(self._bounds) + self._bounds[i])
        if place.depth < 1 or leaves < 2 or not len(self._space.searched):
            self._raise_bound(i, leaf)
        if self._stopped or ceiling <= self._bounds[i]:
            return
        if self._takes_parts(place, leaves):
            yield from self._bound_by_parts(place, leaves)
            ceiling = min(ceiling, self.cost)
        if self._stopped or ceiling <= self._bounds[i]:
            return
        search = self._running = tree_search(
            self._problem,
            self._space.searched,
            self._rows,
            ceiling=ceiling,
            index=place.rows if self._space.fixed else None,  # avoids a copy of all rows
            depth=place.depth,
            leaves=leaves,
            known=self._bounds[i],
            gap=self._gap if len(self._most) == 1 else 0,
            unit=self._unit,
            threads=self._threads if place.depth > 2 else 1,
            ruling=self._space.ruling_at(place.slot),
            used=place.used,
            chain=self._space.chain,
            climb=place.depth >= CLIMB_DEPTH,
            make=self._make if place.depth > 2 else None,
        )
        n_found, ended = 0, False
        while not ended and not self._stopped:
            ended = search.advance()
            if search.found > n_found:
                n_found = search.found
                self._keep(i, _Tree(search.cost, in_preorder(search.tree, place.slot)))
            if leaves == self._most[i]:
                self._raise_bound(i, search.bound)
            yield False
        self._finish(search)

    def _finish(self, search: TreeSearch) -> None:
        """Add up the work of a finished search."""
        self._running = None
        self._work += search.work
        for key, value in search.stats.items():
            self._done[key] = self._done.get(key, 0) + value

    def _takes_parts(self, place: Place, leaves: int) -> bool:
        """Whether to compute bounds on a subset of rows first: every tree for the subset must be valid for all rows."""
        space, problem = self._space, self._problem
        plain = not (space.fixed or space.chain or self._make or space.ruling.binds)
        large = place.depth >= CLIMB_DEPTH and leaves > 1 and len(self._rows.label) >= 2 * LEAST
        return plain and large and problem.size.min_samples_leaf <= 1 and problem.min_weight_leaf <= 1

    def _bound_by_parts(self, place: Place, leaves: int) -> Iterator[bool]:
        """Raise the bound by searches over hard rows below growing ceilings, until too many rows are needed."""
        unit, rows, space = self._unit, self._rows, self._space
        step = max(1, rows.total // len(rows.label)) * unit
        # give control to the caller before the rows are scored
        self._work += HardRows.work(space.searched)
        yield False
        part = HardRows(space.searched, rows, place.depth)
        while not self._stopped and self.cost - self.bound > self._gap:
            ceiling = min(self.cost, (self.bound + max(step, self.bound // 2) + unit - 1) // unit * unit)
            if not part.grow_for(-(-ceiling // step)):
                return
            search = self._running = tree_search(
                self._problem,
                space.searched,
                rows,
                ceiling=ceiling,
                index=part.index,
                depth=place.depth,
                leaves=leaves,
                unit=unit,
                threads=self._threads,
            )
            ended = False
            while not (ended or search.found or self._stopped):
                ended = search.advance()
                yield False
            search.stop()
            self._finish(search)
            if search.found:
                splits = in_preorder(search.tree, place.slot)
                costs = part.costs(splits)
                price = (self._problem.split_penalty * unit + (unit > 1)) * len(splits)
                self._keep(0, _Tree(int(costs.sum()) * unit + price, splits))
                needed = min(ceiling, self.cost) - search.cost
                part.add(costs, -(-needed // unit))
            elif not self._stopped:
                self._raise_bound(0, ceiling)
            yield False

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
