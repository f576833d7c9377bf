"""The search where nodes are charged for, or their number is limited: set by set, for each number of features.

A BDD that asks h different questions has at least h nodes and costs at least what the best table of its h features
costs. So with e(S) the cost of the best table of S,

    least cost  =  min over h, and over the sets S of h features with e(S) + charge(h) below the best cost known, of
                   the cost of the cheapest BDD of S (`priced`)

and the sets of each h are collected by the search for sets, cheapest first.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from solvers.methods.bdds.priced import Charge, cheapest_bdd
from solvers.methods.bdds.sizes import Candidate, candidate_of, cell_costs
from solvers.methods.bdds.subsets.run import MOST_SETS, SearchRun
from solvers.methods.bdds.subsets.search import SetSearch
from solvers.problem import Problem


@dataclass
class ChargedRun:
    """The part of a run that knows about nodes.

    Attributes
    ----------
    run : the run; its live incumbent is the best diagram so far.
    bounds : what diagrams of each number of features cost at least.
    """

    run: SearchRun
    charge: Charge = field(init=False)
    bounds: list[int] = field(init=False)
    searches: dict[int, SetSearch] = field(default_factory=dict)

    def __post_init__(self) -> None:
        problem, features = self.run.problem, self.run.features
        self.charge = charge_of(problem)
        most = min(problem.size.max_depth, len(features))
        if self.charge.most is not None:
            most = min(most, self.charge.most)
        # without a question, the incumbent is the best
        self.bounds = [self.run.live.cost, *(features.base + self.charge.of(h) for h in range(1, most + 1))]

    @property
    def gap(self) -> int:
        """How far from the optimum the result may be."""
        return self.run.limits.gap_cost(self.run.problem)

    def proceed(self) -> None:
        """First good sets of each size, then all sets that may be better."""
        run = self.run
        self._tell()
        for h in range(1, len(self.bounds)):
            if run.due() or self.bounds[h] >= run.live.cost - self.gap:
                break
            self._best_of_size(h)
        while not run.due() and run.live.cost - run.live.bound > self.gap:
            h = int(np.argmin(self.bounds))
            before = (self.bounds[h], run.live.cost, len(self.searches))
            self._all_of_size(h)
            if (self.bounds[h], run.live.cost, len(self.searches)) == before:
                # the limits on collections and steps leave no more to do
                break
        run.complete = run.live.cost - run.live.bound <= self.gap

    def _tell(self) -> None:
        live = self.run.live
        live.raise_bound(min(live.cost, *self.bounds))

    def _best_of_size(self, h: int) -> None:
        """The best table of h features bounds all diagrams that ask h questions, and is a diagram."""
        run, features = self.run, self.run.features
        search = self.searches[h] = SetSearch(features, h)
        run.refuse_larger(search)
        rng = np.random.default_rng(run.limits.seed)
        for _ in range(search.climbs):
            search.climb(rng)
            if run.due():
                break
        if not run.due():
            search.search(0, run.due)
        self._raise(h, search.bound + self.charge.of(h))
        found, _, _ = candidate_of(features, search.best)
        self._take(found)
        self._improve(search.best)
        self._tell()

    def _raise(self, h: int, bound: int) -> None:
        self.bounds[h] = max(self.bounds[h], min(bound, self.run.live.cost))

    def _take(self, candidate: Candidate) -> None:
        if self.charge.most is None or candidate.n_splits <= self.charge.most:
            self.run.take(candidate)

    def _improve(self, chosen: np.ndarray) -> bool:
        """Look for a diagram of these features that is better than the incumbent; whether none can be left."""
        run, features = self.run, self.run.features
        chosen = sorted(int(f) for f in chosen)
        costs = cell_costs(features, chosen)
        found, proved, _ = cheapest_bdd(costs, self.charge, run.live.cost - 1, due=run.due)
        if found is not None:
            order = tuple(chosen[p] for p in found.order)
            cost = found.cost - self.charge.of(found.n_splits)
            self._take(Candidate(cost, order, found.labels, found.n_splits))
        return proved

    def _all_of_size(self, h: int) -> None:
        """Try all sets of h features that may be better than the incumbent."""
        if h not in self.searches:
            self._best_of_size(h)
        run, search, charge = self.run, self.searches[h], self.charge.of(h)
        limit = run.live.cost - 1 - self.gap - charge
        sets, whole = search.collect(limit, MOST_SETS, run.due)
        costs = search.costs(sets)
        for i in np.argsort(costs, kind="stable"):
            if int(costs[i]) + charge >= run.live.cost - self.gap:
                break
            if whole:
                self._raise(h, int(costs[i]) + charge)
                self._tell()
            if not self._improve(sets[i]) or run.due():
                return
        if whole:
            self._raise(h, run.live.cost - self.gap)
        self._tell()


def charge_of(problem: Problem) -> Charge:
    """What nodes cost, and how many there may be."""
    return Charge(problem.split_cost, problem.objective.free_root, problem.size.max_splits)


def is_charged(problem: Problem) -> bool:
    """Whether the number of nodes matters beyond ties."""
    return bool(problem.split_cost) or problem.size.max_splits is not None
