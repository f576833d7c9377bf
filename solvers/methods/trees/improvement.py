"""Good trees long before the exact search ends, and alongside it if it takes long.

Four steps. Each keeps the tree within the limits and rules of the problem, and none makes it worse:

- *bottoms*: below given upper splits, the last two splits of every path are optimal (`depth_two`). An upper split that
  is missing or not permitted is replaced by the purest split;
- *alternation*: with its two subtrees fixed, the split of a node moves to where it serves them best, over every
  threshold of every order; then the bottoms are recomputed (Carreira-Perpinan and Tavallali 2018, 'Alternating
  Optimization of Decision Trees, with Application to Learning Sparse Oblique Trees', NeurIPS, node by node);
- *exact subtrees* of depth three, by the exact search with a work limit;
- *large neighbourhoods* (Shaw 1998, 'Using Constraint Programming and Local Search Methods to Solve Vehicle Routing
  Problems', CP): a random split replaces an existing one, and the steps above repair the subtree. If this is better,
  subtrees of depth four are optimised too, if they have few errors.

The first three work level by level: the tree of depth three, and then of each depth, is the start of one that is deeper
by one and never worse. This finds better trees sooner than a greedy tree with look-ahead. Work is counted in elements,
not in seconds, so every run finds the same trees.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...problem import Problem
from .exact_search import WeightedRows, tree_search
from .path_rules import SearchSpace
from .tree_of_splits import Splits

if TYPE_CHECKING:
    from ...kernels.tree_nodes import Node
    from ...kernels.tree_search import TreeSearch

MOST_WORK = {3: 200_000_000, 4: 50_000_000}
"""Elements that the search for one subtree may scan, by its depth: tenths of a second."""

FEW = 4
"""A subtree of depth four is searched if it costs less than this number of average rows."""

STEP = 10_000_000
"""Elements per call of `advance`, a hundredth of a second."""

ROUND = 100_000_000
"""Elements of a round alongside a search, a tenth to a fifth of a second."""


class Pace(NamedTuple):
    """How random splits alternate with a search, in rounds: length, wait of the splits, its growth and its maximum."""

    length: int
    wait: int
    growth: int
    longest: int


NEAR, FAR = Pace(1, 4, 4, 4**20), Pace(2, 1, 2, 8)
"""The pace alongside a search that may end soon, and alongside one that rarely does."""

FAR_DEPTH = 5
"""From this depth on a search rarely ends: it runs from the start, and random splits always have a share."""

SHARE, FIRST_SHARE, FIRST = 2, 0.5, 900_000_000
"""Before random splits begin, elements scanned for better trees per element for the bound, if both alternate; and the
same until the bound is above 0, for at most this number of elements for the bound, a second or two. Only at depth five:
deeper searches take too long for a first bound."""

WORSE = 8, 32
"""Divisors of a subtree's cost that give the permitted increase by a random split: after bottoms, after alternation."""


class Subtree(NamedTuple):
    """A subtree: its cost in the unit of the search, its split, and the trees of both sides; a leaf has neither.

    A result that is not below its ceiling has no split. The costs of the last two levels are unknown.
    """

    cost: int
    split: tuple[int, int] | None = None
    sides: tuple[Subtree, ...] = ()

    def splits(self, slot: int = 0) -> Splits:
        """The splits by slot, with the root at the given slot."""
        if self.split is None:
            return {}
        return {slot: self.split} | self.sides[0].splits(2 * slot + 1) | self.sides[1].splits(2 * slot + 2)

    @property
    def n_splits(self) -> int:
        """The number of splits."""
        return 0 if self.split is None else 1 + sum(side.n_splits for side in self.sides)

    def n_upper(self, depth: int, unit: int) -> int:
        """The number of splits with more than two levels left in a tree of this depth, ignoring error-free subtrees."""
        if depth <= 2 or self.split is None or self.cost < unit:
            return 0
        return 1 + sum(side.n_upper(depth - 1, unit) for side in self.sides)


def subtree_of(splits: Splits, slot: int = 0) -> Subtree:
    """The tree of some splits, with unknown costs."""
    if slot not in splits:
        return Subtree(0)
    return Subtree(0, splits[slot], (subtree_of(splits, 2 * slot + 1), subtree_of(splits, 2 * slot + 2)))


Walk = Generator[bool, None, Subtree]
"""A step that runs piece by piece: yields False between pieces and returns a tree."""


class Improvement:
    """Finds better and better trees, with the interface of `TreeSearch`; costs are those of the weighted rows.

    Parameters
    ----------
    problem : its depth is at least three and its leaf limit, if any, above one.
    space : the permitted splits; no split is fixed, and there is an order.
    splits : a first tree, in the numbers of `space.searched`; splits that violate rules are not used.
    unit : see `TreeSearch`; seed : of the random splits.

    Attributes
    ----------
    found : the number of improvements so far.
    opened : whether only random splits follow.
    """

    def __init__(
        self, problem: Problem, space: SearchSpace, rows: WeightedRows, splits: Splits, *, unit: int = 1, seed: int = 0
    ) -> None:
        from ...kernels.tree_nodes import TreeNodes

        self._problem, self._space, self._rows, self._unit = problem, space, rows, unit
        ceiling = rows.total * unit + 1
        nodes = tree_search(
            problem, space.searched, rows, ceiling=ceiling, unit=unit, ruling=space.ruling, make=TreeNodes
        )
        assert isinstance(nodes, TreeNodes)
        self._nodes = nodes
        self._row_costs = rows.weight[:, None] * rows.error_costs[rows.label] * unit
        self._settled: dict[bytes, int] = {}
        self._running: TreeSearch = self._nodes
        self._work, self._stopped = 0, False
        self._random = np.random.default_rng(seed)
        self._best, self.found, self.opened = Subtree(ceiling), 0, False
        self._pace = FAR if problem.size.max_depth >= FAR_DEPTH else NEAR
        self._wait = self._pace.wait
        self._turn = self._wait * ROUND
        self._round: tuple[int, int, int] | None = None
        self._bound = 0
        self._steps = self._run(subtree_of(splits))

    @property
    def cost(self) -> int:
        """The cost of the best tree so far."""
        return self._best.cost

    @property
    def splits(self) -> Splits:
        """The splits of the best tree so far, in the numbers of `space.searched`."""
        return self._best.splits()

    @property
    def work(self) -> int:
        """Elements scanned so far."""
        return self._work + self._nodes.work

    @property
    def stats(self) -> dict[str, int]:
        """Statistics of the search so far."""
        return {"elements scanned": self.work}

    def its_turn(self, scanned: int, bound: int) -> bool:
        """Whether to improve trees now, next to a search that has scanned `scanned` elements for its bound.

        The search waits until random splits follow; a search that rarely ends has a share from the start. Then both
        alternate. The wait grows after each round that finds nothing, without limit if the search may end soon. For a
        search that rarely ends, it grows after each round that closed less of the gap per work than the search.
        """
        if not self.opened:
            waits = bound <= 0 and scanned <= FIRST and self._problem.size.max_depth == FAR_DEPTH
            share = FIRST_SHARE if waits else SHARE
            return self._pace is NEAR or scanned * share >= self.work + STEP
        if scanned < self._turn:
            return False
        pace = self._pace
        end, cost, raised = self._round = self._round or (
            self.work + pace.length * ROUND,
            self.cost,
            bound - self._bound,
        )
        if self.work < end:
            return True
        saved = cost - self.cost
        again = saved > 0 and (pace is NEAR or saved * self._wait >= raised * pace.length)
        self._wait = pace.wait if again else min(pace.growth * self._wait, pace.longest)
        self._turn, self._round, self._bound = scanned + self._wait * ROUND, None, bound
        return False

    def stop(self) -> None:
        """End soon; may be called from another thread while `advance` runs."""
        self._stopped = True
        self._nodes.stop()
        self._running.stop()

    def advance(self) -> bool:
        """Continue until there is a better tree, or for a while; True if nothing is left to do or after a stop."""
        from ...kernels.tree_nodes import StoppedError

        until, found, opened = self.work + STEP, self.found, self.opened
        try:
            while self.work < until and (self.found, self.opened) == (found, opened):
                if self._stopped or next(self._steps, True):
                    return True
        except StoppedError:
            return True
        return False

    def _run(self, first: Subtree) -> Iterator[bool]:
        """All steps; yields False between two steps and True at the end."""
        root, depth = self._nodes.root, self._problem.size.max_depth
        self._keep(self._grown(root, self.cost, first))
        yield False
        if depth == 3:
            # the exact search that follows covers the exact step
            self._keep((yield from self._alternate(root, self._best)))
        else:
            yield from self._deepen(first)
        self.opened, tree = True, self._best
        yield False
        while depth > 3 and tree.n_upper(depth, self._unit):
            found = yield from self._disturb(root, tree)
            tree = self._keep((yield from self._exact(root, found, 4)) if found.cost < tree.cost else found)
            yield False
        yield True

    def _deepen(self, first: Subtree) -> Iterator[bool]:
        """A tree of depth three, then one more level at a time."""
        root, tree = self._nodes.root, Subtree(self._nodes.cost)
        for depth in range(3, root.depth + 1):
            node = root._replace(depth=depth, leaves=min(root.leaves, 1 << depth))
            for upper in (first, tree):
                tree = _cheaper(tree, self._grown(node, tree.cost, upper))
                yield False
            for step in (self._exact, self._alternate, self._exact):
                tree = self._keep((yield from step(node, tree)))
            # a first tree of the full depth early on
            self._keep(self._grown(root, self.cost, tree))
            yield False

    def _keep(self, tree: Subtree) -> Subtree:
        """Return the tree, recorded if it is the best so far."""
        if tree.cost < self.cost:
            self._best = tree
            self.found += 1
        return tree

    def _grown(self, node: Node, ceiling: int, upper: Subtree) -> Subtree:
        """A tree below the ceiling with these upper splits, as far as permitted, and optimal bottoms."""
        nodes = self._nodes
        if node.depth <= 2 or node.leaves < 2:
            cost, splits = nodes.solve(node, ceiling)
            return subtree_of(splits)._replace(cost=cost)
        asks, leaf = nodes.asks(node), self._leaf(node)
        if not asks or leaf <= min(asks.values()):
            return Subtree(leaf)
        if upper.split is not None and upper.split[0] in asks:
            order, at = upper.split[0], nodes.position(node, *upper.split)
            if at in nodes.cuts(node, order):
                return self._divide(node, order, at, ceiling, upper)
        order, at = self._purest(node)
        return self._divide(node, order, at, ceiling, Subtree(0)) if order >= 0 else Subtree(leaf)

    def _divide(self, node: Node, order: int, at: int, ceiling: int, upper: Subtree) -> Subtree:
        """The same with a given, permitted split of the node; a leaf if that is as good."""
        ask, split = self._nodes.asks(node)[order], (order, self._nodes.last(node, order, at))
        most = min(ceiling, self._leaf(node))
        left, right = self._sides(node, order, at, upper)
        below = upper.sides or (upper, upper)
        first = self._grown(left, most - ask, below[0])
        if ask + first.cost < most:
            second = self._grown(self._rest(node, right, first), most - ask - first.cost, below[1])
            if ask + first.cost + second.cost < most:
                return Subtree(ask + first.cost + second.cost, split, (first, second))
        return Subtree(most)

    def _purest(self, node: Node) -> tuple[int, int]:
        """Order and position of CART's split of a node that costs more than 0; (-1, 0) if it is not permitted."""
        from sklearn.tree import DecisionTreeClassifier

        nodes, least = self._nodes, self._problem.size.min_samples_leaf
        nodes.count(node)
        orders, rows = np.array([*nodes.asks(node)]), nodes.rows(node)
        values, reach = self._space.searched.rank[orders[:, None], rows].T, self._row_costs[rows].max(axis=1)
        stump = DecisionTreeClassifier(max_depth=1, min_samples_leaf=least, random_state=0)
        fitted = stump.fit(values, self._rows.label[rows], sample_weight=reach).tree_
        if fitted.node_count > 1:
            order = int(orders[fitted.feature[0]])
            at = nodes.position(node, order, int(np.floor(fitted.threshold[0])))
            if at in nodes.cuts(node, order):
                return order, at
        return -1, 0

    def _sides(self, node: Node, order: int, at: int, tree: Subtree) -> tuple[Node, Node]:
        """The sides of a node. If leaves are scarce, the first gets what the second leaves over, or by its cost."""
        left, right = self._nodes.divide(node, order, at)
        most = left.leaves
        if node.leaves >= 2 * most:
            return left, right
        if tree.split is None:
            first, second = self._leaf(left), self._leaf(right)
            share = round(node.leaves * first / max(first + second, 1))
        else:
            share = node.leaves - tree.sides[1].n_splits - 1
        share = min(max(share, 1, node.leaves - most), most, node.leaves - 1)
        return left._replace(leaves=share), right._replace(leaves=node.leaves - share)

    @staticmethod
    def _rest(node: Node, right: Node, first: Subtree) -> Node:
        """The second side with all leaves that the tree of the first side leaves over."""
        return right._replace(leaves=min(1 << right.depth, node.leaves - first.n_splits - 1))

    def _leaf(self, node: Node) -> int:
        return int(self._row_costs[self._nodes.rows(node)].sum(axis=0).min())

    def _costs(self, tree: Subtree, rows: np.ndarray, among: np.ndarray) -> np.ndarray:
        """The cost of each row in a tree whose leaves predict the best class for `among`, int64 (n_rows,)."""
        if tree.split is None:
            return np.asarray(self._row_costs[rows, self._row_costs[among].sum(axis=0).argmin()])
        rank, last = self._space.searched.rank[tree.split[0]], tree.split[1]
        low, theirs = rank[rows] <= last, rank[among] <= last
        costs = np.empty(len(rows), np.int64)
        costs[low] = self._costs(tree.sides[0], rows[low], among[theirs])
        costs[~low] = self._costs(tree.sides[1], rows[~low], among[~theirs])
        return costs

    def _open(self, node: Node, tree: Subtree) -> tuple[Node, Node]:
        """The sides of a node whose tree has a split."""
        assert tree.split is not None
        return self._sides(node, tree.split[0], self._nodes.position(node, *tree.split), tree)

    def _below(self, step: Callable[[Node, Subtree], Walk], node: Node, tree: Subtree) -> Walk:
        """Apply a step to both sides of a node with a split."""
        left, right = self._open(node, tree)
        ask = tree.cost - tree.sides[0].cost - tree.sides[1].cost
        first = yield from step(left, tree.sides[0])
        second = yield from step(self._rest(node, right, first), tree.sides[1])
        return Subtree(ask + first.cost + second.cost, tree.split, (first, second))

    def _alternate(self, node: Node, tree: Subtree) -> Walk:
        """Improve split by split, from the node down."""
        while node.depth > 2 and tree.split is not None:
            yield False
            move = self._best_move(node, tree)
            found = tree if move is None else self._divide(node, *move, tree.cost, tree)
            if found.cost >= tree.cost:
                return (yield from self._below(self._alternate, node, tree))
            tree = found
        return tree

    def _best_move(self, node: Node, tree: Subtree) -> tuple[int, int] | None:
        """Order and position of the best split for the two subtrees of a node; `None` if it is the present one."""
        assert tree.split is not None
        nodes, (order, last) = self._nodes, tree.split
        rows, asks = nodes.rows_by_order(node), nodes.asks(node)
        all_rows, low = rows[0], self._space.searched.rank[order][rows[0]] <= last
        gain = np.zeros(len(self._rows.label), np.int64)
        gain[all_rows] = self._costs(tree.sides[0], all_rows, all_rows[low])
        gain[all_rows] -= self._costs(tree.sides[1], all_rows, all_rows[~low])
        best, move = int(gain[all_rows[low]].sum()) + asks[order], None
        total = np.cumsum(gain[rows], axis=1)
        for f, ask in asks.items():
            cuts = nodes.cuts(node, f)
            if len(cuts):
                at = int(cuts[total[f, cuts - 1].argmin()])
                if total[f, at - 1] + ask < best:
                    best, move = int(total[f, at - 1]) + ask, (f, at)
        return move

    def _exact(self, node: Node, tree: Subtree, deepest: int = 3) -> Walk:
        """Optimise subtrees of depth three, and up to `deepest` if they have few errors, within the work limit."""
        if node.depth > 3 and tree.split:
            tree = yield from self._below(partial(self._exact, deepest=deepest), node, tree)
        few = node.level > 0 and tree.cost * len(self._rows.label) < FEW * self._rows.total * self._unit
        if not 3 <= node.depth <= (deepest if few else 3) or node.leaves < 2:
            return tree
        rows = np.sort(self._nodes.rows(node))
        key = blake2b(rows.tobytes() + repr((node.slot == 0, node.used, node.leaves, node.depth)).encode()).digest()
        if tree.cost <= self._settled.get(key, self._unit - 1):
            return tree
        search = self._running = tree_search(
            self._problem,
            self._space.searched,
            self._rows,
            ceiling=tree.cost,
            index=rows,
            depth=node.depth,
            leaves=node.leaves,
            unit=self._unit,
            ruling=self._space.ruling_at(node.slot),
            used=node.used,
        )
        while not search.advance(STEP) and search.work < MOST_WORK[node.depth]:
            yield False
        self._work += search.work
        self._settled[key] = search.cost
        return self._grown(node, tree.cost, subtree_of(search.splits)) if search.found else tree

    def _disturb(self, node: Node, tree: Subtree) -> Walk:
        """Replace a random upper split; the result is at least as good as the tree."""
        left, right = self._open(node, tree)
        one, other = (side.n_upper(left.depth, self._unit) for side in tree.sides)
        chosen = int(self._random.integers(1 + one + other))
        if chosen == 0:
            return (yield from self._try_split(node, tree))
        second = chosen > one
        side = self._rest(node, right, tree.sides[0]) if second else left
        old = tree.sides[second]
        found = yield from self._disturb(side, old)
        sides = (tree.sides[0], found) if second else (found, tree.sides[1])
        return Subtree(tree.cost - old.cost + found.cost, tree.split, sides)

    def _try_split(self, node: Node, tree: Subtree) -> Walk:
        """Try a random split of the node; returns the better subtree."""
        order = int(self._random.choice(list(self._nodes.asks(node))))
        cuts = self._nodes.cuts(node, order)
        if not len(cuts):
            return tree
        limits = [tree.cost + max(2 * self._unit, tree.cost // share) for share in WORSE]
        found = self._divide(node, order, int(self._random.choice(cuts)), limits[0], tree)
        for step, limit in zip((self._alternate, self._exact, self._alternate), (*limits, tree.cost), strict=True):
            if found.cost >= limit or found.split is None:
                break
            found = yield from step(node, found)
        return _cheaper(found, tree)


def _cheaper(one: Subtree, other: Subtree) -> Subtree:
    return other if other.cost < one.cost else one
