"""How a search for a tree without mistakes is run, whichever search it is.

The depth is raised until there is a tree, and then the tree is made small. Where rows contradict each other, the tree
makes the mistakes that no tree avoids and no others; where no such tree has the asked shape, which is proved, ConTree
finds the fewest mistakes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from solvers.methods.base import Unsupported, infeasible, only_trees
from solvers.methods.search.clock import Clock
from solvers.methods.search.live import Live
from solvers.methods.trees.contree import ConTree
from solvers.methods.trees.exact_search import Splits
from solvers.methods.trees.smallest.cases import Asked, Predicates, ask, unaskable
from solvers.methods.trees.smallest.noise import Noise, noise_figures, noise_note
from solvers.methods.trees.smallest.progression import ConsistentSearch, Finding, Question
from solvers.problem import MAX_DEPTH, Limits, Problem, ShapeKind
from solvers.solution import Bound, Emit, Event, Incumbent, Log, Progress, Solution, Started, Status, Stop


class ConsistentTrees(ABC):
    """What the methods for trees without avoidable mistakes share.

    Parameters
    ----------
    predicates, noise : see `PREDICATES` and `NOISE`.
    question : what is smallest.
    """

    name: str
    title: str
    kinds = (ShapeKind.TREE,)
    exact = True
    default_depth = MAX_DEPTH

    def __init__(self, predicates: str, noise: str, question: Question) -> None:
        self._predicates, self._noise, self._question = Predicates(predicates), Noise(noise), question

    def check(self, problem: Problem) -> tuple[Unsupported, ...]:
        """Trees without demands that compete with making no mistake."""
        return (*only_trees(self.title, problem), *unaskable(self.title, problem, self._predicates))

    def run(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        """Raise the depth until there is a tree, then make it small; where none fits, find the fewest mistakes."""
        clock = Clock()
        emit(Started(self.name))
        if none := infeasible(problem, self.name, clock):
            return none
        asked, live = ask(problem, self._predicates), Live(problem, clock, emit)

        def due() -> bool:
            return stop.is_set() or (limits.seconds is not None and clock.elapsed > limits.seconds)

        def hear(splits: Splits) -> None:
            finding.adopt_fitting(splits)

        finding = Finding(asked, limits, live, due, self._search_for(asked, limits, hear))
        finding.adopt({})
        live.raise_bound(asked.unavoidable)
        stats: dict[str, Any] = {}
        if self._noise is Noise.REFUSE and len(asked.contradictory):
            finding.adopt_greedy()
            message = "The smallest tree was not looked for."
        else:
            finding.find(self._question)
            stats = _stats(finding)
            message = self._message(finding, stop)
            if finding.none_fits:
                live.raise_bound(min(live.cost, asked.unavoidable + asked.least_mistake))
                message += _hand_over(finding, stop)
        best = live.diagram
        if finding.splits is not None:
            finding.live = last = Live(problem, clock, lambda event: None)
            finding.adopt(finding.splits)
            best = last.diagram
            stats |= {"depth": best.depth, "n_nodes": best.n_nodes}
            if finding.smallest:
                stats["least_nodes"] = best.n_nodes
        stats |= {"certificate": None, "predicates": str(self._predicates), **noise_figures(asked, self._noise)}
        message = " ".join(filter(None, (message, noise_note(asked, self._noise, finding.splits == {}))))
        return live.solution(self.name, self._status(live, finding, stop), message, stats=stats, diagram=best)

    @abstractmethod
    def _search_for(self, asked: Asked, limits: Limits, hear: Callable[[Splits], None]) -> ConsistentSearch:
        """What searches among trees over the cases; it may tell trees with mistakes that it meets."""

    def _status(self, live: Live, finding: Finding, stop: Stop) -> Status:
        """How the run ended; a tree without avoidable mistakes is optimal only where its size is proved, too."""
        # where none fits the question is handed over: what is left to prove is the number of mistakes
        answered = finding.none_fits or live.cost > finding.asked.unavoidable or finding.answered(self._question)
        if live.cost == live.bound and answered:
            return Status.OPTIMAL
        return Status.CANCELLED if stop.is_set() else Status.FEASIBLE

    def _message(self, finding: Finding, stop: Stop) -> str:
        """What was proved about trees that make no avoidable mistake."""
        size = finding.asked.problem.size
        mistake = "mistake that can be avoided" if finding.asked.unavoidable else "mistake"
        proved = "proved for the classes taken" if finding.asked.tied else "proved"
        shape = f"at most {size.max_depth} questions a path"
        if size.max_leaf_nodes is not None:
            shape += f" and {size.max_leaf_nodes} leaves"
        if finding.none_fits:
            return f"Every tree of {shape} makes a {mistake}: {proved}."
        ended = "Stopped" if stop.is_set() else f"The time limit of {finding.limits.seconds or 0:g} s was reached"
        if finding.search.out_of_memory:
            limit = finding.limits.memory_mb
            ended = "The memory is full" if limit is None else f"The memory limit of {limit} MiB was reached"
        if finding.minimum_depth is None:
            below = f"; every tree of depth {finding.refuted[-1]} makes a {mistake}" if finding.refuted else ""
            return f"{ended}{below}."
        if finding.minimum_depth == 0:
            return f"A single leaf makes no {mistake}."
        told = f"A tree of depth {finding.minimum_depth} makes no {mistake}, and none less deep does: {proved}."
        if self._question is Question.DEPTH_ALONE and finding.least_deep == finding.minimum_depth:
            return told
        if not finding.smallest:
            return f"{told} {ended} while fewer nodes were sought."
        nodes = 2 * len(finding.splits) + 1
        if self._question is Question.NODES:
            return f"{told} None of {shape} has fewer than {nodes} nodes: {proved}."
        if finding.least_deep > finding.minimum_depth:
            told += f" With at most {size.max_leaf_nodes} leaves the least depth is {finding.least_deep}: {proved}."
        return f"{told} None of depth {finding.least_deep} has fewer than {nodes} nodes: {proved}."


def _hand_over(finding: Finding, stop: Stop) -> str:
    """Let ConTree find the fewest mistakes in the time that is left; its message."""
    asked, live, limits = finding.asked, finding.live, finding.limits
    if finding.due():
        return ""

    def hear(event: Event) -> None:
        now = live.clock.elapsed
        if isinstance(event, Incumbent):
            live.adopt(asked.restore(event.diagram))
        elif isinstance(event, Bound):
            live.raise_bound(event.value)
        elif isinstance(event, Progress):
            live.emit(Progress(now, event.text, event.stats))

    live.emit(Log(live.clock.elapsed, "Looking for the fewest mistakes instead."))
    if limits.seconds is not None:
        limits = replace(limits, seconds=max(1e-3, limits.seconds - live.clock.elapsed))
    found = ConTree().run(asked.problem, limits, hear, stop)
    live.adopt(asked.restore(found.diagram))
    live.raise_bound(found.bound)
    return f" {found.message}"


def _stats(finding: Finding) -> dict[str, Any]:
    """What was found out, and by how much work."""
    asked, search = finding.asked, finding.search
    stats: dict[str, Any] = {"search": search.name, "refuted": finding.refuted, **search.stats}
    stats["examples_used"] = asked.n_cases if search.examples is None else len(search.examples)
    if search.examples is not None:
        stats["examples"] = np.sort(asked.problem.dataset.rows[asked.first[search.examples]]).tolist()
    if finding.minimum_depth is not None:
        stats |= {
            "minimum_depth": finding.minimum_depth,
            "smallest_proved": finding.smallest and (not asked.tied or not finding.splits),
        }
    return stats
