"""One run of the search over sets of questions: what is known, and what is looked for next."""

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
"""The largest collection of equally good sets among which the smallest diagram is sought."""


def search_within(context: SearchContext, features: Features, size: int) -> SetSearch:
    """The search for sets of a size; `UnsupportedError` where it needs more memory than there may be."""
    search, most = SetSearch(features, size), context.limits.memory_mb
    if most is not None and search.memory_mb > most:
        raise UnsupportedError(
            f"The search over {len(features)} questions at depth {size} needs about {search.memory_mb} MiB; "
            f"the limit is {most} MiB. Raise the memory limit, lower the depth, or offer fewer questions."
        )
    return search


@dataclass
class SearchRun:
    """One run, from a single leaf on.

    Attributes
    ----------
    context : incumbent and bound, and when to end.
    features : what may be asked.
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
        """What the incumbent costs."""
        return self.context.incumbent_cost

    @property
    def _size(self) -> int:
        return min(self.context.problem.size.max_depth, len(self.features))

    def start(self) -> SetSearch | None:
        """The search; `None` where no question can make the leaf better, which proves it."""
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
        """Climb, search until cost and bound meet, take the smallest of the best, and list those within `slack`."""
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
        """Take in what the search has found; whether to end."""
        if search.cost is not None and search.cost < self.cost:
            self.take_set(search.best)
        self.context.raise_bound(min(search.bound, self.cost))
        self.context.progress(stats={"nodes": search.nodes, "sets": search.subsets})
        return self.context.due()

    def _list(self, search: SetSearch, slack: int) -> None:
        """Collect the sets within `slack` of the best one: take the smallest of the best, and list all."""
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
        """Note the diagrams that are nearly as good, and whether these are all."""
        entries = tuple(entry(candidate, self.context.problem, self.features) for candidate in candidates)
        self.context.detail(near_optimal=entries, all_near_optimal=whole)

    def finish(self, unseen: Unseen) -> None:
        """Answer by a policy where no row is, and note what the questions mean for the result."""
        self.context.prefer(self.best.diagram(self.context.problem, self.features, unseen))
        add_facts(self.context, self.features)
