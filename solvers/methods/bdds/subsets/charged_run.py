"""The search with a split penalty or a limit on nodes: set by set, for each number of features.

A BDD with h different splits has at least h nodes and costs at least as much as the best table of its h features. So
with e(S) the cost of the best table of S,

    least cost  =  min over h, and over the sets S of h features with e(S) + charge(h) below the best cost known, of
                   the cost of the cheapest BDD of S (`priced`)

and the set search collects the sets for each h, cheapest first.
"""

import numpy as np

from ....problem import Problem
from ....solution import EndReason
from ..priced import NodePenalty, cheapest_bdd
from ..sizes import SizedCandidate, candidate_of, cell_costs
from .run import MOST_SETS, SearchRun
from .search import SetSearch


class PenalizedSearch:
    """The node-aware part of a run.

    The run's incumbent is the best diagram so far; `bounds` are lower bounds on the cost of diagrams by number of
    features.
    """

    def __init__(self, run: SearchRun) -> None:
        self.run, self.context, self.features = run, run.context, run.features
        problem = run.context.problem
        self.charge = NodePenalty(problem.split_penalty, problem.objective.free_root, problem.size.max_splits)
        most = min(problem.size.max_depth, len(self.features))
        if self.charge.most is not None:
            most = min(most, self.charge.most)
        # with 0 splits, the incumbent is optimal
        self.bounds = [run.cost, *(self.features.cases.base + self.charge.of(h) for h in range(1, most + 1))]
        self._searches: dict[int, SetSearch] = {}

    def proceed(self) -> None:
        """Try good sets of each size first, then all sets that may be better."""
        run, context = self.run, self.context
        self._raise_bound()
        for h in range(1, len(self.bounds)):
            if context.due() or self.bounds[h] >= run.cost - context.gap:
                break
            self._best_of_size(h)
        while not context.finished:
            h = int(np.argmin(self.bounds))
            before = (self.bounds[h], run.cost, len(self._searches))
            self._all_of_size(h)
            if (self.bounds[h], run.cost, len(self._searches)) == before:
                # the limits on collections and steps rule out further progress
                context.end(EndReason.TOO_LARGE)
                break

    def _raise_bound(self) -> None:
        self.context.raise_bound(min(self.run.cost, *self.bounds))

    def _best_of_size(self, h: int) -> SetSearch:
        """Prove the best table of h features, which bounds all diagrams with h splits, and offer its diagram."""
        search = self._searches[h] = self.run.search_of(h)
        search.prove(self.context.limits.seed, self.context.due)
        self._raise(h, search.bound + self.charge.of(h))
        self._take(candidate_of(self.features, search.best)[0])
        self._improve(search.best)
        self._raise_bound()
        return search

    def _raise(self, h: int, bound: int) -> None:
        self.bounds[h] = max(self.bounds[h], min(bound, self.run.cost))

    def _take(self, candidate: SizedCandidate | None) -> None:
        if candidate is not None and (self.charge.most is None or candidate.n_splits <= self.charge.most):
            self.run.take(candidate)

    def _improve(self, features: np.ndarray) -> bool:
        """Look for a better diagram of these features than the incumbent; returns whether the search is complete."""
        chosen = sorted(features.tolist())
        costs = cell_costs(self.features, chosen)
        cheapest, proved, _ = cheapest_bdd(costs, self.charge, self.run.cost - 1, due=self.context.due)
        if cheapest is not None:
            order = tuple(chosen[p] for p in cheapest.order)
            cost = cheapest.cost - self.charge.of(cheapest.n_splits)
            self._take(SizedCandidate(cost, order, cheapest.labels, cheapest.n_splits))
        return proved

    def _all_of_size(self, h: int) -> None:
        """Try all sets of h features that may be better than the incumbent."""
        run, context, charge = self.run, self.context, self.charge.of(h)
        search = self._searches.get(h) or self._best_of_size(h)
        limit = run.cost - 1 - context.gap - charge
        sets, whole = search.collect(limit, MOST_SETS, context.due)
        costs = search.costs(sets)
        for i in np.argsort(costs, kind="stable"):
            if int(costs[i]) + charge >= run.cost - context.gap:
                break
            if whole:
                self._raise(h, int(costs[i]) + charge)
                self._raise_bound()
            if not self._improve(sets[i]) or context.due():
                return
        if whole:
            self._raise(h, run.cost - context.gap)
        self._raise_bound()


def is_charged(problem: Problem) -> bool:
    """Whether the number of nodes matters beyond ties."""
    return bool(problem.split_penalty) or problem.size.max_splits is not None
