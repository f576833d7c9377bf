"""One run of the search over sets of splits: its state and its steps.

With a split penalty or a limit on nodes, the search goes set by set, for each number of features. A BDD with h
different splits has at least h nodes and costs at least as much as the best table of its h features. So with e(S) the
cost of the best table of S,

    least cost  =  min over h, and over the sets S of h features with e(S) + charge(h) below the best cost known, of
                   the cost of the cheapest BDD of S (`priced`)

and the set search collects the sets for each h, cheapest first.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ....errors import UnsupportedError
from ....solution import EndReason
from ...features import Features, add_facts
from ...search.context import SearchContext
from ..priced import NodePenalty, cheapest_bdd
from ..sizes import LISTED, candidate_of, cell_costs, entry, list_near_optimal, smallest_of
from ..table import OrderedBdd, Unseen
from .sets import SetSearch

MOST_SETS = 20_000
"""The largest collection of equally good sets that is searched for the smallest diagram."""


def search_within(context: SearchContext, features: Features, size: int) -> SetSearch:
    """The search for sets of a size; raises `UnsupportedError` if it would exceed the memory limit."""
    search, most = SetSearch(features, size), context.limits.memory_mb
    if most is not None and search.memory_mb > most:
        raise UnsupportedError(
            f"The search over {len(features)} questions at depth {size} needs about {search.memory_mb} MiB; "
            f"the limit is {most} MiB. Raise the memory limit, lower the depth, or offer fewer splits."
        )
    return search


@dataclass
class SearchRun:
    """One run, starting from a single leaf.

    Attributes
    ----------
    context : incumbent, lower bound, and limits.
    features : the candidate splits.
    best : the incumbent as a set of features.
    """

    context: SearchContext
    features: Features
    best: OrderedBdd = field(init=False)

    def __post_init__(self) -> None:
        context, features = self.context, self.features
        context.raise_bound(features.cases.base)
        self.take(candidate_of(features, ())[0])
        context.stats |= {"features": len(features), "distinct rows": len(features.rows), "levels": self._size}

    @property
    def cost(self) -> int:
        """The cost of the incumbent."""
        return self.context.incumbent_cost

    @property
    def _size(self) -> int:
        return min(self.context.problem.size.max_depth, len(self.features))

    def start(self) -> SetSearch | None:
        """The search, or `None` if no split can improve on the single leaf, which is then proved optimal."""
        if self.cost > self.context.lower_bound and self._size:
            return search_within(self.context, self.features, self._size)
        self.context.raise_bound(self.cost)
        self.context.detail(fewest_splits=True)
        return None

    def take(self, candidate: OrderedBdd | None) -> None:
        """Offer a diagram, if there is one."""
        if candidate is not None and self.context.offer(candidate.diagram(self.context.problem, self.features)):
            self.best = candidate

    def solve(self, search: SetSearch, slack: int) -> None:
        """Climb, search until cost and bound meet, offer the smallest optimal diagram, and list sets within `slack`."""
        context = self.context
        rng = np.random.default_rng(context.limits.seed)
        for _ in range(search.climbs):
            if search.climb(rng):
                self.take(candidate_of(self.features, search.best)[0])
            if context.due() or context.proved:
                break
        if not context.due():
            search.search(context.gap, lambda: self._update(search), slack, MOST_SETS)
        self._update(search)
        context.stats |= {"nodes": search.nodes, "sets": search.subsets, "work": search.work}
        self._list(search, slack)

    def _update(self, search: SetSearch) -> bool:
        """Take over the results of the search; returns whether to end."""
        if search.cost is not None and search.cost < self.cost:
            self.take(candidate_of(self.features, search.best)[0])
        self.context.raise_bound(min(search.bound, self.cost))
        self.context.progress(stats={"nodes": search.nodes, "sets": search.subsets})
        return self.context.due()

    def _list(self, search: SetSearch, slack: int) -> None:
        """Collect the sets within `slack` of the best: offer the smallest optimal diagram, and list them all."""
        context, cost = self.context, self.cost
        sets, whole = search.near or search.collect(cost + slack, MOST_SETS, context.due)
        if context.proved:
            best, best_whole = sets[search.costs(sets) == cost], whole
            if not whole and slack:
                best, best_whole = search.collect(cost, MOST_SETS, context.due)
            smallest, proved = smallest_of(self.features, best, self.best, context.due)
            self.take(smallest)
            context.detail(fewest_splits=bool(proved and best_whole))
            context.stats["optimal sets"] = len(best)
        self.list_those(list_near_optimal(self.features, sets, self.best, context.due), whole and len(sets) <= LISTED)

    def list_those(self, candidates: Sequence[OrderedBdd], whole: bool) -> None:
        """Record the nearly optimal diagrams, and whether the list is complete."""
        entries = tuple(entry(candidate, self.context.problem, self.features) for candidate in candidates)
        self.context.detail(near_optimal=entries, all_near_optimal=whole)

    def finish(self, unseen: Unseen) -> None:
        """Apply the policy for cells without rows, and record the facts about the features."""
        self.context.prefer(self.best.diagram(self.context.problem, self.features, unseen))
        add_facts(self.context, self.features)


class PenalizedSearch(SearchRun):
    """A run with a split penalty or a limit on nodes; `bounds` are lower bounds on the cost by number of features."""

    def __post_init__(self) -> None:
        self.charge = NodePenalty.of_problem(self.context.problem)
        super().__post_init__()
        most = self._size if self.charge.most is None else min(self._size, self.charge.most)
        # with 0 splits, the incumbent is optimal
        self.bounds = [self.cost, *(self.features.cases.base + self.charge.of(h) for h in range(1, most + 1))]
        self._searches: dict[int, SetSearch] = {}

    def proceed(self) -> None:
        """Try good sets of each size first, then all sets that may be better."""
        context = self.context
        self._raise_bound()
        for h in range(1, len(self.bounds)):
            if context.due() or self.bounds[h] >= self.cost - context.gap:
                break
            self._best_of_size(h)
        while not context.finished:
            h = int(np.argmin(self.bounds))
            before = (self.bounds[h], self.cost, len(self._searches))
            self._all_of_size(h)
            if (self.bounds[h], self.cost, len(self._searches)) == before:
                # the limits on collections and steps rule out further progress
                context.end(EndReason.TOO_LARGE)
                break

    def _raise_bound(self) -> None:
        self.context.raise_bound(min(self.cost, *self.bounds))

    def _best_of_size(self, h: int) -> SetSearch:
        """Prove the best table of h features, which bounds all diagrams with h splits, and offer its diagram."""
        search = self._searches[h] = search_within(self.context, self.features, h)
        search.prove(self.context.limits.seed, self.context.due)
        self._raise(h, search.bound + self.charge.of(h))
        self.take(candidate_of(self.features, search.best)[0])
        self._improve(search.best)
        self._raise_bound()
        return search

    def _raise(self, h: int, bound: int) -> None:
        self.bounds[h] = max(self.bounds[h], min(bound, self.cost))

    def take(self, candidate: OrderedBdd | None) -> None:
        """Offer a diagram, if there is one and its nodes are not too many."""
        if candidate is not None and (self.charge.most is None or candidate.n_splits <= self.charge.most):
            super().take(candidate)

    def _improve(self, features: np.ndarray) -> bool:
        """Look for a better diagram of these features than the incumbent; returns whether the search is complete."""
        chosen = sorted(features.tolist())
        costs = cell_costs(self.features, chosen)
        cheapest, proved, _ = cheapest_bdd(costs, self.charge, self.cost - 1, due=self.context.due)
        if cheapest is not None:
            self.take(cheapest.of_features(chosen, cheapest.cost - self.charge.of(cheapest.n_splits)))
        return proved

    def _all_of_size(self, h: int) -> None:
        """Try all sets of h features that may be better than the incumbent."""
        context, charge = self.context, self.charge.of(h)
        search = self._searches.get(h) or self._best_of_size(h)
        limit = self.cost - 1 - context.gap - charge
        sets, whole = search.collect(limit, MOST_SETS, context.due)
        costs = search.costs(sets)
        for i in np.argsort(costs, kind="stable"):
            if int(costs[i]) + charge >= self.cost - context.gap:
                break
            if whole:
                self._raise(h, int(costs[i]) + charge)
                self._raise_bound()
            if not self._improve(sets[i]) or context.due():
                return
        if whole:
            self._raise(h, self.cost - context.gap)
        self._raise_bound()
