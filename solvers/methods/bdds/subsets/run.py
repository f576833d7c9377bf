"""One run of the search over sets of questions: what is known, what is told, and how it ends in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from solvers.errors import UnsupportedError
from solvers.methods.bdds.sizes import LISTED, Candidate, candidate_of, entry, listed, smallest_of
from solvers.methods.bdds.subsets.search import SetSearch
from solvers.methods.bdds.table import Unseen
from solvers.methods.features import Features, note_on, scope_of
from solvers.methods.search.live import Live
from solvers.problem import Limits, Problem
from solvers.solution import Progress, Solution, Status, Stop

MOST_SETS = 20_000
"""The largest collection of equally good sets among which the smallest diagram is sought."""

PULSE = 0.2
"""Seconds between two signs of life."""


@dataclass
class SearchRun:
    """One run: what is known so far."""

    problem: Problem
    features: Features
    limits: Limits
    live: Live
    stop: Stop
    search: SetSearch | None = None
    best: Candidate = field(init=False)
    complete: bool = False
    smallest: bool = False
    found: np.ndarray | None = None
    told: float = 0.0
    stats: dict[str, Any] = field(default_factory=dict)

    def due(self) -> bool:
        """Whether to end."""
        seconds = self.limits.seconds
        return self.stop.is_set() or (seconds is not None and self.live.clock.elapsed > seconds)

    def start(self) -> None:
        """A single leaf, and the search, where questions can make it better."""
        features = self.features
        self.live.raise_bound(features.base)
        self.take(candidate_of(features, ())[0])
        size = min(self.problem.size.max_depth, len(features))
        self.stats |= {"features": len(features), "distinct rows": len(features.rows), "levels": size}
        if self.live.cost > self.live.bound and size:
            self.search = SetSearch(features, size)
            self.refuse_larger(self.search)
        else:
            self.live.raise_bound(self.live.cost)
            self.complete = self.smallest = True

    def take(self, candidate: Candidate) -> None:
        """Adopt a diagram if it is better."""
        before = self.live.diagram
        self.live.adopt(candidate.diagram(self.problem, self.features))
        if self.live.diagram is not before:
            self.best = candidate

    def climb(self) -> None:
        """First sets by local search."""
        rng = np.random.default_rng(self.limits.seed)
        for _ in range(self.search.climbs):
            if self.search.climb(rng):
                self.take_set()
            if self.due() or self.live.cost <= self.live.bound:
                break

    def take_set(self) -> None:
        """Adopt the best set of the search, with a small diagram."""
        found, _, _ = candidate_of(self.features, self.search.best)
        if found is not None:
            self.take(found)

    def proceed(self, slack: int) -> None:
        """Search until cost and bound meet, and collect the sets within `slack` of the best one."""
        gap = self.limits.gap_cost(self.problem)
        if not self.due():
            self.complete = self.search.search(gap, self.tell, slack, MOST_SETS)
        self.tell()
        self.stats |= {"nodes": self.search.nodes, "sets": self.search.subsets, "work": self.search.work}

    def refuse_larger(self, search: SetSearch) -> None:
        """Refuse a search that needs more memory than there may be."""
        if self.limits.memory_mb is not None and search.memory_mb > self.limits.memory_mb:
            raise UnsupportedError(
                f"The search over {len(self.features)} questions at depth {search.size} needs about "
                f"{search.memory_mb} MiB; the limit is {self.limits.memory_mb} MiB. "
                f"Raise the memory limit, lower the depth, or offer fewer questions."
            )

    def tell(self) -> bool:
        """Pass on what the search has found; whether to end."""
        live = self.live
        if self.search.cost < live.cost:
            self.take_set()
        live.raise_bound(min(self.search.bound, live.cost))
        if live.clock.elapsed - self.told > PULSE:
            self.told = live.clock.elapsed
            text = f"Best diagram so far: cost {live.cost}; none can cost less than {live.bound}."
            live.emit(Progress(self.told, text, {"nodes": self.search.nodes, "sets": self.search.subsets}))
        return self.due()

    def finish(self, slack: int) -> None:
        """Collect the sets within `slack` of the best one: take the smallest of the best, and list all."""
        cost = self.live.cost
        sets, whole = self.search.near or self.search.collect(cost + slack, MOST_SETS, self.due)
        if cost == self.live.bound:
            best, best_whole = sets[self.search.costs(sets) == cost], whole
            if not whole and slack:
                best, best_whole = self.search.collect(cost, MOST_SETS, self.due)
            sized = smallest_of(self.features, best, self.best, self.due)
            self.take(sized.best)
            self.smallest = bool(sized.proved and best_whole)
            self.stats |= {"optimal sets": len(best), "smallest proved": self.smallest}
        candidates = listed(self.features, sets, self.best, self.due)
        self.stats["near_optimal"] = [entry(c, self.problem, self.features) for c in candidates]
        self.stats["near_optimal complete"] = whole and len(sets) <= LISTED

    @property
    def status(self) -> Status:
        """How it ended."""
        if self.live.cost == self.live.bound:
            return Status.OPTIMAL
        return Status.CANCELLED if self.stop.is_set() and not self.complete else Status.FEASIBLE

    def solution(self, method: str, unseen: Unseen, message: str) -> Solution:
        """The result as it stands, with the answers of a policy where no row is."""
        diagram = self.best.diagram(self.problem, self.features, unseen)
        scope = scope_of(self.features, self.problem, self.live.cost)
        return self.live.solution(method, self.status, message, stats=self.stats, scope=scope, diagram=diagram)

    @property
    def message(self) -> str:
        """What the user should know, in sentences."""
        return " ".join(filter(None, (self._outcome(), self._depth_note(), note_on(self.features))))

    def list_best(self) -> None:
        """List the best diagram alone, where the number of nodes decides which are nearly as good."""
        self.stats["near_optimal"] = [entry(self.best, self.problem, self.features)]
        self.stats["near_optimal complete"] = False

    def _outcome(self) -> str:
        live = self.live
        if live.cost == live.bound:
            size = ", and none of the same cost has fewer nodes" if self.smallest else ""
            return f"No BDD of this depth has a lower cost{size}: proved."
        if self.complete:
            return f"Within the gap that was asked for: no BDD can cost less than {live.bound}."
        if self.stop.is_set():
            return f"Stopped; no BDD can cost less than {live.bound}."
        if not self.due():
            return f"There are too many sets of questions to try all diagrams; no BDD can cost less than {live.bound}."
        return f"The time limit of {self.limits.seconds:g} s was reached; no BDD can cost less than {live.bound}."

    def _depth_note(self) -> str:
        n, depth = len(self.features), self.problem.size.max_depth
        if n >= depth:
            return ""
        if n == 0:
            return "No column tells rows apart, so there is nothing to ask."
        return f"Only {n} different questions tell rows apart, so {depth} levels are not needed."
