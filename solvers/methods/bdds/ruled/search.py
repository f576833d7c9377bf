"""The least cost under constraints: a lower bound by multipliers, then every set of splits within the slack.

With L(S) the least weighted sum (`weighting`) over all tables of a set S of splits, and K a cost,

    every BDD that satisfies all limits and costs at most K has splits S with  L(S) <= budget(K)

so for growing K all such sets are collected, and for each the search finds the best table and order that satisfy all
constraints (`kernels.bdd_rules`). The first K with a table is the optimum. Tables that do not use all splits of a set
belong to a smaller set: if the set of splits matters, sets of every size are searched, each for tables that use all.
"""

from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter

import numpy as np

from ....diagram import Diagram
from ....kernels.bdd_rules import Blocks
from ....problem import Predicate
from ....solution import EndReason
from ...features import add_facts
from ...search.context import SearchContext
from ..priced import NodePenalty
from ..smallest import smallest_bdd
from ..subsets.search import search_within
from ..subsets.sets import SetSearch
from ..table import UNKNOWN, OrderedBdd, Unseen, reduce, truth_table
from .cells import PathTables, orders_of, ruled_by
from .rules import Posted, single_leaves
from .weighting import Weighting, planes_of, sums_of, weighting, with_tests

MOST_SETS = 400_000
"""The largest collection of sets of one size."""

SLICE = 20_000_000
"""Work between two checks of the clock."""

SAMPLE = 8
"""The number of sets used to choose the weight of tests."""

FIRST_WORK = 5_000_000
"""Work limit for a table in the start phase."""


@dataclass
class ConstrainedSearch:
    """One run under constraints.

    Attributes
    ----------
    context, posted : the problem and its rules.
    weighting : the weighted sum that excludes sets; inner : the one for the tables of a set.
    work, tables : work of the kernel, and the number of sets whose tables were searched.
    """

    context: SearchContext
    posted: Posted
    weighting: Weighting = field(init=False)
    inner: Weighting = field(init=False)
    work: int = 0
    tables: int = 0
    _tables: dict[tuple[int, ...], PathTables] = field(default_factory=dict)
    _scratch: dict[int, Blocks] = field(default_factory=dict)
    _weighed: bool = False

    def __post_init__(self) -> None:
        problem = self.context.problem
        self.charge = NodePenalty.of_problem(problem)
        self.most = int(self.posted.value[:, 0].max(axis=1).sum()) + self.charge.of(2**problem.size.max_depth)
        size = min(problem.size.max_depth, len(self.posted.features))
        if self.charge.most is not None:
            size = min(size, self.charge.most)
        self.sizes = range(1, size + 1) if self.posted.by_support else range(size, size + 1) if size else range(0)

    def proceed(self) -> None:
        """Try the single leaves, then good sets, then all sets within a growing slack."""
        context, posted = self.context, self.posted
        context.raise_bound(posted.features.cases.base)
        for leaf in single_leaves(context.problem):
            context.offer(leaf)
        if self.sizes:
            self._approach()
            cost, *sums = self.weighting.multiplier.tolist()
            context.stats |= {"multipliers": [multiplier / cost for multiplier in sums]}
            self._close()
        elif context.cost is not None:
            context.raise_bound(context.cost)
        else:
            context.refute()
        context.stats |= {"features": len(posted.features), "distinct rows": len(posted.value)}
        context.stats |= {"tables": self.tables, "work": self.work}

    def finish(self, unseen: Unseen) -> None:
        """Apply the policy for cells without rows, and record the facts about the features."""
        context = self.context
        if context.diagram is not None and unseen is not Unseen.SOLVED:
            context.prefer(self._fill_empty_cells(context.diagram, unseen))
        add_facts(context, self.posted.features)

    def _fill_empty_cells(self, diagram: Diagram, unseen: Unseen) -> Diagram:
        """The diagram with the policy's predictions in cells without rows."""
        predicates = (split.predicate for _, split in diagram.splits)
        questions = list(dict.fromkeys(p for p in predicates if isinstance(p, Predicate)))
        table = truth_table(self.context.problem, questions)
        labels = np.full(len(table.seen), UNKNOWN)
        labels[table.cell] = diagram.predict(self.context.problem.dataset)
        return reduce(table, table.filled(labels, unseen))

    def _approach(self) -> None:
        """Find multipliers, and diagrams of sets that are good for them."""
        context, posted, size = self.context, self.posted, self.sizes[-1]
        rng, planes = np.random.default_rng(context.limits.seed), planes_of(posted)
        limited = [q for q, rule in enumerate(posted.rules.sums, 1) if rule.tests is None]
        # the tables that predict one class
        planes.cuts += list(posted.value.sum(axis=0).T)
        tried: list[tuple[int, Weighting]] = []
        proposals = planes.proposals(limited, lambda: max(bound for bound, _ in tried), lambda: context.cost)
        for multiplier in chain([planes.alone], (multiplier for multiplier, _ in proposals)):
            self.weighting = self.inner = weighting(posted, multiplier)
            search = SetSearch(self.weighting.features, size)
            for _ in range(min(4, search.climbs)):
                search.climb(rng)
            assert search.cost is not None
            # local search gives no lower bound, but ranks the multipliers
            tried.append((self.weighting.bound(search.cost), self.weighting))
            planes.cuts.append(sums_of(self.weighting, search.best))
            if len(posted.fitting(search.best[None])):
                self._improve(tuple(search.best.tolist()), self._limit, FIRST_WORK)
            if context.due():
                break
        self.weighting = self.inner = max(tried, key=itemgetter(0))[1]

    @property
    def _limit(self) -> int:
        """The largest cost of interest."""
        return self.most if self.context.cost is None else self.context.cost - 1 - self.context.gap

    def _close(self) -> None:
        """Search all sets within a slack that grows until bound and cost meet."""
        context = self.context
        searches = {h: self._search(h) for h in self.sizes}
        if context.due():
            return
        least = min(search.bound for search in searches.values())
        self._raise(self.weighting.bound(least))
        step = max(1, self.most // 200)
        while not context.finished:
            if context.lower_bound > self._limit:
                break
            most = min(self._limit, context.lower_bound + step)
            if not self._all_within(searches, most):
                if not context.due():
                    context.end(EndReason.TOO_LARGE)
                return
            # if a diagram cheaper than `most` was found, its cost is now the lower bound
            self._raise(most + 1)
            step *= 2
        if context.due() and not context.gap_reached:
            return
        if context.cost is None:
            context.refute()

    def _raise(self, bound: int) -> None:
        cost = self.context.cost
        self.context.raise_bound(bound if cost is None else min(bound, cost))

    def _search(self, h: int) -> SetSearch:
        """The search for sets of a size, with the least weighted sum proved."""
        search = search_within(self.context, self.weighting.features, h)
        search.prove(self.context.limits.seed, self.context.due)
        return search

    def _all_within(self, searches: dict[int, SetSearch], most: int) -> bool:
        """Find the best diagram of cost at most `most`, if there is one; returns whether the search is complete."""
        whole = True
        for h, search in searches.items():
            budget = self._budget(most, h)
            if search.bound > budget:
                continue
            sets, every = search.collect(budget, MOST_SETS, self.context.due)
            whole &= every
            sets = self.posted.fitting(sets)
            sums = search.costs(sets) if len(sets) else np.zeros(0, np.int64)
            order = np.argsort(sums, kind="stable")
            self._weigh_tests(sets[order])
            for i in order.tolist():
                self.context.progress()
                if self.context.due():
                    return False
                now = min(most, self._limit)
                if sums[i] > self._budget(now, h):
                    break
                whole &= self._improve(tuple(sets[i].tolist()), now)
        return whole

    def _improve(self, chosen: tuple[int, ...], most: int, work: int | None = None) -> bool:
        """Find the best diagram of these splits of cost at most `most`; returns whether the search is complete."""
        from ....kernels import bdd_rules as kernel
        from ....kernels.status import DONE, FOUND, RUNNING

        context, posted, h = self.context, self.posted, len(chosen)
        ruled = ruled_by(posted, self.inner, chosen, most, self._tables)
        orders = orders_of(h, posted.in_order)
        blocks = self._blocks(h)
        control = np.zeros(8, np.int64)
        control[kernel.DEPTH] = -1
        self.tables += 1
        status = FOUND
        while status != DONE:
            if most < 0:
                break
            limits = self._limits(most, h)
            ruled.size[kernel.MOST_COST] = most
            status = kernel.advance(ruled, blocks, orders, limits, control, min(SLICE, work or SLICE))
            if status == FOUND:
                self._take(chosen, orders[control[kernel.ORDER]], blocks.labels, ruled)
                most = min(most, int(control[kernel.COST]) - 1)
            elif status == RUNNING and (context.due() or work is not None):
                break
        self.work += int(control[kernel.WORK])
        return status == DONE or most < 0

    def _budget(self, most: int, h: int) -> int:
        """The largest weighted sum of sets of h features whose diagrams may cost at most `most`."""
        return self.weighting.budget(self._without_charge(most, h))

    def _without_charge(self, most: int, h: int) -> int:
        """The largest cost without split penalties of diagrams of h features that cost at most `most`."""
        return most - (self.charge.of(h) if self.posted.by_support else 0)

    def _weigh_tests(self, sets: np.ndarray) -> None:
        """Choose the multipliers of limits on average test costs from a sample of sets, best first.

        A search over sets cannot count tests, so they are weighted only in the search for the tables of a set.
        """
        from ....kernels import bdd_rules as kernel

        if not self.posted.tested.any() or self._weighed or not len(sets):
            return
        self._weighed, h = True, sets.shape[1]
        orders, blocks = orders_of(h, True), self._blocks(h)
        some = [tuple(sets[i].tolist()) for i in np.unique(np.linspace(0, len(sets) - 1, SAMPLE).astype(int))]
        best = -1
        for tried in with_tests(self.weighting):
            found = [
                kernel.least_weighted(ruled_by(self.posted, tried, one, 0, self._tables), blocks, orders)
                for one in some
            ]
            if (bound := sum(map(tried.bound, found))) > best:
                best, self.inner = bound, tried

    def _limits(self, most: int, h: int) -> np.ndarray:
        """The limits of all quantities for diagrams of at most this cost, int64 (2 + Q,)."""
        plain = self._without_charge(most, h)
        return np.array([self.inner.budget(plain), plain, *self.posted.limits[1:]], np.int64)

    def _blocks(self, h: int) -> Blocks:
        """Scratch for h levels."""
        from ....kernels.bdd_rules import blocks_for

        if h not in self._scratch:
            self._scratch[h] = blocks_for(h, self.posted.value.shape[2], 1 + self.posted.value.shape[1])
        return self._scratch[h]

    def _take(self, chosen: tuple[int, ...], order: np.ndarray, labels: np.ndarray, ruled: object) -> None:
        """Offer the diagram of a table."""
        context, posted, h = self.context, self.posted, len(chosen)
        table = labels.reshape((2,) * h)
        if posted.all_cells:
            positions, answers = tuple(order.tolist()), table.transpose(order).ravel()
        else:
            seen = ruled.rows > 0  # type: ignore[attr-defined]
            allowed = np.where(seen[:, None], labels[:, None] == np.arange(posted.value.shape[2]), True)
            small = smallest_bdd(allowed, steps=2000)[0] or OrderedBdd(0, tuple(range(h)), tuple(labels.tolist()))
            positions, answers = small.order, np.array(small.labels)
        questions = [posted.features.predicates[chosen[p]] for p in positions]
        context.offer(reduce(truth_table(context.problem, questions), answers))
