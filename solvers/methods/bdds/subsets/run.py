"""One run of the search over sets of splits: its state and its steps."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ....errors import UnsupportedError
from ...features import Features, add_facts
from ...search.context import SearchContext
from ..sizes import LISTED, SizedCandidate, candidate_of, entry, list_near_optimal, smallest_of
from ..table import Unseen
from .search import SetSearch

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
    best: SizedCandidate = field(init=False)

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
            return self.search_of(self._size)
        self.context.raise_bound(self.cost)
        self.context.detail(fewest_splits=True)
        return None

    def search_of(self, size: int) -> SetSearch:
        """The search for sets of a size, see `search_within`."""
        return search_within(self.context, self.features, size)

    def take(self, candidate: SizedCandidate | None) -> None:
        """Offer a diagram, if there is one."""
        if candidate is not None and self.context.offer(candidate.diagram(self.context.problem, self.features)):
            self.best = candidate

    def take_set(self, chosen: Iterable[int]) -> None:
        """Offer a small diagram of a set of features."""
        self.take(candidate_of(self.features, chosen)[0])

    def solve(self, search: SetSearch, slack: int) -> None:
        """Climb, search until cost and bound meet, offer the smallest optimal diagram, and list sets within `slack`."""
        context = self.context
        rng = np.random.default_rng(context.limits.seed)
        for _ in range(search.climbs):
            if search.climb(rng):
                self.take_set(search.best)
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
            self.take_set(search.best)
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
            sized = smallest_of(self.features, best, self.best, context.due)
            self.take(sized.best)
            context.detail(fewest_splits=bool(sized.proved and best_whole))
            context.stats["optimal sets"] = len(best)
        self.list_those(list_near_optimal(self.features, sets, self.best, context.due), whole and len(sets) <= LISTED)

    def list_those(self, candidates: Sequence[SizedCandidate], whole: bool) -> None:
        """Record the nearly optimal diagrams, and whether the list is complete."""
        entries = tuple(entry(candidate, self.context.problem, self.features) for candidate in candidates)
        self.context.detail(near_optimal=entries, all_near_optimal=whole)

    def finish(self, unseen: Unseen) -> None:
        """Apply the policy for cells without rows, and record the facts about the features."""
        self.context.prefer(self.best.diagram(self.context.problem, self.features, unseen))
        add_facts(self.context, self.features)
