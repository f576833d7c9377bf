"""Optimal decision diagrams by local search and bounds from what an optimum could look like.

Good diagrams come from a search in which every node is re-optimised exactly (`local_search`); the proof bounds all
diagrams by their looks (`proof`), with exact trees under charges that depend on the layer.

Example
-------
>>> problem = Problem(dataset, PRESETS["I"].shape(), objective_of(0.1, dataset.n_samples))  # doctest: +SKIP
>>> OddSearch().run(problem, Limits(seconds=10), print, threading.Event())  # doctest: +SKIP
"""

from __future__ import annotations

import threading

import numpy as np

from solvers.constraints import rules_of
from solvers.methods.base import Unsupported, infeasible, no_tree, only_kind
from solvers.methods.diagrams.odd_search import last_proof as last
from solvers.methods.diagrams.odd_search.demands import unsupported, with_purity
from solvers.methods.diagrams.odd_search.grid import Grid, grid_of
from solvers.methods.diagrams.odd_search.incumbent import Best
from solvers.methods.diagrams.odd_search.local_search import LocalSearch
from solvers.methods.diagrams.odd_search.proof import Proof
from solvers.methods.diagrams.odd_search.trees import cheapest_tree, memory_mb
from solvers.methods.search.clock import Clock
from solvers.methods.search.ending import Ending
from solvers.methods.search.watch import Watch
from solvers.problem import Column, Dataset, Kind, Limits, Objective, Problem, Schema, Shape, ShapeKind
from solvers.solution import Emit, Progress, Solution, Started, Status, Stop

PULSE = 0.1
"""Seconds between two signs of life."""

OPENING, SLICE, CLOSING = 20_000_000, 4_000_000, 150_000_000
"""Elements that the local search scans at most before the proof begins, some tenths of a second, in one step of either,
and after the bounds are at their end, before CP-SAT begins. Counted, not timed, so that results repeat."""

THOROUGH = 4_000
"""How often the local search looks at each cell, node and order at first, where that is less than `OPENING`."""

FIRST_SHARE, LAST_SHARE = 3, 16
"""Steps of the proof for one of the local search, at first and after a while: what a long search has not found yet is
likely not there."""


class OddSearch:
    """Decision diagrams within a skeleton, proved optimal where that is possible."""

    name = "odd-search"
    title = "Diagram search (exact)"
    kinds = (ShapeKind.DIAGRAM,)
    exact = True
    summary = (
        "Finds the decision diagram within the skeleton with the fewest errors and questions: a local search that "
        "re-optimises each node exactly, and a proof by bounds over all that an optimum could look like."
    )
    source = (
        "The problem: Florio, Martins, Schiffer, Serra, Vidal: Optimal Decision Diagrams for Classification. AAAI "
        "2023. The search is this project's own."
    )
    options = ()

    def check(self, problem: Problem) -> tuple[Unsupported, ...]:
        """Decision diagrams, with the rules that are kept."""
        if problem.shape.kind is ShapeKind.DIAGRAM and problem.shape.split_features != 1:
            from solvers.methods.diagrams.odd_search.multivariate import run

            return run.unsupported(self.title, problem)
        return only_kind(ShapeKind.DIAGRAM, self.title, problem) or tuple(unsupported(self.title, problem))

    def run(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        """Search until incumbent and bound meet, the gap is reached, or time is up."""
        if problem.shape.split_features != 1:
            from solvers.methods.diagrams.odd_search.multivariate import run

            return run.run(self.name, problem, limits, emit, stop)
        clock = Clock()
        emit(Started(self.name))
        if none := infeasible(problem, self.name, clock):
            return none
        ending = Ending(limits, clock, stop.is_set)
        grid = grid_of(problem, with_purity(problem, rules_of(problem)))
        best = Best(grid, clock, emit)
        best.constants()
        if not best.asks and best.cost is None:
            return no_tree(
                problem, self.name, clock, "No diagram that asks nothing keeps all constraints, and none may ask."
            )
        run = _Run(grid, best, limits, ending)
        if best.asks and not best.within(limits):
            run.search()
        else:
            best.raise_bound(best.cost)
        return run.solution()

    def parallel(self, problem: Problem) -> bool:
        """CP-SAT and HiGHS, to which the end of the proof is left, share their work."""
        return True

    def warm(self, constraints: bool = False) -> None:
        """Compile the kernels, those for trees too, or load them from their cache.

        CP-SAT is not imported: questions that combine columns need HiGHS, and not all versions bear each other.
        """
        from solvers.methods.trees.contree import ConTree

        ConTree().warm()
        values = np.array([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]], np.float64).T
        schema = Schema((Column("a", Kind.NUMERIC), Column("b", Kind.NUMERIC)))
        for labels in ([0, 1, 1, 0, 0, 1, 0, 1, 1, 0], [0, 1, 2, 0, 1, 2, 0, 1, 2, 2]):
            classes = ("a", "b", "c")[: max(labels) + 1]
            dataset = Dataset("warm-up", schema, values, np.array(labels), classes, "class")
            shape = Shape(kind=ShapeKind.DIAGRAM, widths=(1, 2, 2))
            problem = Problem(dataset, shape, Objective(split_cost=1.5))
            self.run(problem, Limits(seconds=60.0), lambda event: None, threading.Event())
        from solvers.methods.diagrams.odd_search.multivariate import run

        run.warm()


class _Run:
    """One run: local search and proof in turn."""

    def __init__(self, grid: Grid, best: Best, limits: Limits, ending: Ending) -> None:
        self._grid, self._best, self._limits, self._ending = grid, best, limits, ending
        self._local: LocalSearch | None = None
        self._proof: Proof | None = None
        self._told = 0.0
        self._impossible = False
        self._plainest = best.cost
        self._planted: tuple[int, int] | None = None

    def search(self) -> None:
        """Search and prove until it is enough or time is up."""
        self._local = LocalSearch(self._grid, self._limits.seed)
        with Watch(self._stop, self._ending.due):
            opening = self._opening()
            self._climb(opening)
            constant = None if self._plainest is None else self._plainest - self._grid.constant
            proof = self._proof = Proof(self._grid, self._ceiling, constant)
            share = FIRST_SHARE
            while not self._over() and not proof.stuck and self._roomy:
                for _ in range(share):
                    if not proof.stuck and not self._over():
                        self._prove(proof)
                self._climb(min(SLICE, opening))
                share = min(share + 1, LAST_SHARE)
            self._climb(CLOSING * opening // OPENING)
        if not self._over() and last.fits(self._grid):
            self._impossible = last.prove(self._grid, self._best, self._limits, self._ending, self._say)
        with Watch(self._stop, self._ending.due):
            while not self._over() and not self._impossible:
                self._climb(SLICE)

    @property
    def _roomy(self) -> bool:
        """Whether there is memory for the proof: half of what is allowed."""
        most = self._limits.memory_mb
        return most is None or 2 * memory_mb(self._grid) <= most

    def _opening(self) -> int:
        """How much the local search does before the proof begins."""
        m, n_nodes = len(self._grid.cells.rows), len(self._grid.frame.layer)
        return min(OPENING, THOROUGH * m * n_nodes * (self._grid.n_orders + 1))

    @property
    def _ceiling(self) -> int:
        """What the best diagram costs, in the costs of the cells; more than any where there is none."""
        if self._best.cost is None:
            return int(self._grid.cells.price.max(axis=1).sum()) + self._grid.price(self._grid.most_questions) + 1
        return self._best.cost - self._grid.constant

    def _stop(self) -> None:
        for part in (self._local, self._proof):
            if part is not None:
                part.stop()

    def _over(self) -> bool:
        return self._best.within(self._limits) or self._ending.due()

    def _climb(self, budget: int) -> None:
        end = self._local.work + budget
        while self._local.work < end and not self._over():
            nodes = self._local.advance(min(SLICE, budget))
            if nodes is not None:
                self._best.offer(self._grid.draft(nodes))
            self._say()

    def _prove(self, proof: Proof) -> None:
        proof.ceiling = self._ceiling
        proof.advance(SLICE)
        self._best.raise_bound(proof.bound + self._grid.constant)
        if proof.tree not in (None, self._planted) and proof.tree[0] < self._ceiling:
            self._planted = proof.tree
            self._plant(*proof.tree)
        self._say()

    def _plant(self, cost: int, depth: int) -> None:
        """Find the cheapest tree of a depth, of which the cost is known, and let the local search go on from it."""
        splits = cheapest_tree(self._grid, cost, depth, self._ending.due)
        nodes = None if splits is None else self._grid.nodes_of_tree(splits)
        if nodes is not None:
            self._local.take(nodes)
            self._climb(1)

    def _say(self) -> None:
        clock = self._best.clock
        if clock.elapsed - self._told > PULSE:
            self._told = clock.elapsed
            found = "No diagram yet" if self._best.cost is None else f"Best diagram so far: cost {self._best.cost}"
            text = f"{found}; no diagram can cost less than {self._best.bound}."
            self._best.emit(Progress(clock.elapsed, text, self._stats()))

    def _stats(self) -> dict[str, int]:
        stats = {"cells": len(self._grid.cells.rows), "question orders": self._grid.n_orders}
        if self._local is not None:
            stats |= {"elements scanned by local search": self._local.work, "starts": self._local.starts}
        if self._proof is not None:
            stats |= {"elements scanned by the proof": self._proof.work, "tree bounds": self._proof.searches}
        return stats

    def solution(self) -> Solution:
        """What came of it."""
        best, problem = self._best, self._grid.problem
        if self._impossible:
            return no_tree(
                problem, OddSearch.name, best.clock, "No diagram within this skeleton keeps all constraints: proved."
            )
        status = self._ending.status(best)
        return best.solution(OddSearch.name, status, self._message(status), stats=self._stats())

    def _message(self, status: Status) -> str:
        if status is Status.OPTIMAL:
            return "No diagram within this skeleton has a lower cost: proved."
        bound = f"no diagram can cost less than {self._best.bound}"
        if self._best.cost is None:
            bound = f"no diagram was found that keeps all constraints; {bound}"
        if self._ending.why == "stop":
            return f"Stopped; {bound}."
        if self._ending.why == "memory":
            return f"The memory limit of {self._limits.memory_mb} MiB was reached; {bound}."
        if self._ending.why == "time":
            return f"The time limit of {self._limits.seconds:g} s was reached; {bound}."
        return f"Within the gap that was asked for: {bound}."
