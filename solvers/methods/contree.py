"""ConTree: the optimal tree of a given depth over ALL thresholds of numeric columns, by branch and bound.

The problem is that of Brita, van der Linden and Demirovic (2025), 'Optimal Classification Trees for Continuous Feature
Data Using Dynamic Programming with Branch-and-Bound', AAAI-25: the tree of at most depth d with the fewest (weighted)
errors, eq. (4) to (6), without binning. The search is our own: see `kernels.search` for the bounds and
docs/methods/contree.md for their proofs. Categories and missing values take part as question orders of their own.

Example
-------
>>> from solvers.problem import Limits, Problem, Shape
>>> solution = ConTree().run(Problem(dataset, Shape(depth=3)), Limits(), print, threading.Event())  # doctest: +SKIP
>>> solution.status, solution.cost == solution.bound  # doctest: +SKIP
(<Status.OPTIMAL: 'optimal'>, True)
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from solvers.diagram import Diagram
from solvers.errors import UnsupportedError
from solvers.methods.base import Clock, Unsupported, infeasible, only_trees
from solvers.methods.cart import Cart, cart_splits
from solvers.methods.engine import Splits, as_weighted_rows, splits_of, tree_search
from solvers.methods.growing import grow
from solvers.methods.polishing import polished
from solvers.problem import (
    Column,
    Dataset,
    Kind,
    Limits,
    Orders,
    Problem,
    Schema,
    Shape,
    ShapeKind,
    question_orders,
)
from solvers.solution import Bound, Emit, Incumbent, Progress, Solution, Started, Status, Stop, TracePoint

if TYPE_CHECKING:
    from solvers.kernels.tree_search import TreeSearch

POLL = 0.02
"""Seconds between two looks at the stop signal and the clock."""

PULSE = 0.1
"""Seconds between two signs of life."""

TIE_SHARE, TIE_WORK = 1, 50_000_000
"""How long a smaller tree of the same cost is looked for: elements scanned, as a multiple of those for the proof, and
on top of it. Counted, not timed, so that the result is the same on every machine."""

QUICK = 50_000_000
"""Rows times orders squared up to which depth two takes a few hundredths of a second."""


class ConTree:
    """The exact engine for trees on numbers, categories and missing values."""

    name = "contree"
    title = "ConTree (exact)"
    kinds = (ShapeKind.TREE,)
    exact = True
    summary = (
        "Finds the tree of the chosen depth with the fewest errors among all trees, "
        "over every threshold of every column, and proves it."
    )
    source = (
        "Brita, van der Linden, Demirovic: Optimal Classification Trees for Continuous Feature Data Using Dynamic "
        "Programming with Branch-and-Bound. AAAI 2025."
    )

    def check(self, problem: Problem) -> tuple[Unsupported, ...]:
        """Trees without constraints, of at most 64 classes; class costs not together with a minimum leaf weight."""
        from solvers.kernels.workspace import MAX_CLASSES

        reasons = list(only_trees(self.title, problem))
        if problem.dataset.n_classes > MAX_CLASSES:
            reasons.append(
                Unsupported(
                    f"{problem.dataset.n_classes} classes",
                    f"{self.title} takes at most {MAX_CLASSES}.",
                    "Join rare classes, or choose CART.",
                )
            )
        if problem.min_leaf_weight > 1 and problem.scaled.error_cost is None:
            reasons.append(
                Unsupported(
                    "A minimum weight of a leaf together with class costs",
                    f"{self.title} keeps one of them.",
                    "Ask for a minimum number of rows a leaf instead.",
                )
            )
        return tuple(reasons)

    def run(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        """Start from CART's tree and search until incumbent and bound meet, the gap is reached, or time is up.

        Raises
        ------
        UnsupportedError
            The search would need more memory than the limit allows.
        """
        clock = Clock()
        emit(Started(self.name))
        if none := infeasible(problem, self.name, clock):
            return none
        live = _Live(problem, question_orders(problem.dataset), clock, emit)
        live.raise_bound(problem.unavoidable_cost)

        def due() -> bool:
            return stop.is_set() or (limits.seconds is not None and clock.elapsed > limits.seconds)

        _start(problem, limits, live, due)
        # a tree of one split that is kept costs less than a leaf; larger ones may have smaller equals
        complete, smallest, stats = True, live.diagram.n_splits < 2, {}
        if _can_split(problem, live.orders) and live.cost > live.bound:
            complete, smallest, stats = _search(problem, limits, live, due)
        elif live.cost > live.bound:
            live.raise_bound(live.cost)
        return Solution(
            problem_id=problem.id,
            method=self.name,
            status=_status(live, complete, stop),
            diagram=live.diagram,
            cost=live.cost,
            bound=live.bound,
            seconds=clock.elapsed,
            cpu_seconds=clock.cpu,
            trace=tuple(live.trace),
            stats=stats,
            message=_message(live, complete, smallest, stop, limits),
        )

    def warm(self) -> None:
        """Import scikit-learn, and compile the kernels or load them from their cache, by solving tables of ten rows."""
        Cart().warm()
        values = np.array([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]], np.float64).T
        schema = Schema((Column("a", Kind.NUMERIC), Column("b", Kind.NUMERIC)))
        for labels in ([0, 1, 1, 0, 0, 1, 0, 1, 1, 0], [0, 1, 2, 0, 1, 2, 0, 1, 2, 2]):
            dataset = Dataset("warm-up", schema, values, np.array(labels), ("a", "b", "c")[: max(labels) + 1], "class")
            for depth in (2, 3):
                problem = Problem(dataset, Shape(depth=depth))
                self.run(problem, Limits(), lambda event: None, threading.Event())
                # the run may have ended before it came to the search
                search = tree_search(problem, question_orders(dataset), as_weighted_rows(problem), ceiling=len(labels))
                while not search.advance():
                    pass


@dataclass
class _Live:
    """Incumbent and bound as they stand, told to the listener when they improve."""

    problem: Problem
    orders: Orders
    clock: Clock
    emit: Emit
    diagram: Diagram | None = None
    cost: int | None = None
    bound: int = 0
    trace: list[TracePoint] = field(default_factory=list)

    def adopt(self, diagram: Diagram) -> None:
        """Take a tree as the incumbent if it costs less, or as much with fewer splits."""
        cost = self.problem.cost(diagram.predict(self.problem.dataset), diagram.n_splits)
        if self.cost is not None and (cost, diagram.n_splits) >= (self.cost, self.diagram.n_splits):
            return
        better = self.cost is None or cost < self.cost
        self.diagram, self.cost = diagram, cost
        if better:
            self.emit(Incumbent(self.clock.elapsed, cost, diagram))
            self._note()

    def raise_bound(self, bound: int) -> None:
        """Take a lower bound if it is better."""
        if bound > self.bound or not self.trace:
            self.bound = max(bound, self.bound)
            self.emit(Bound(self.clock.elapsed, self.bound))
            self._note()

    def _note(self) -> None:
        self.trace.append(TracePoint(self.clock.elapsed, self.cost, self.bound))


def _can_split(problem: Problem, orders: Orders) -> bool:
    return len(orders) > 0 and problem.size.depth > 0 and problem.size.leaves != 1


def _start(problem: Problem, limits: Limits, live: _Live, due: Callable[[], bool]) -> None:
    """CART's tree of the same size, then that tree made better: the incumbent is never worse than the greedy tree.

    A single leaf comes first, so that no tree is kept that saves nothing. Where the whole search is one quick call, it
    will do: CART would take longer than the proof.
    """
    orders = live.orders
    live.adopt(grow(problem, orders, lambda rows, slot: None))
    quick = problem.size.depth <= 2 and problem.dataset.n_samples * len(orders) ** 2 <= QUICK
    if quick or not _can_split(problem, orders):
        return
    splits = cart_splits(problem, orders, limits.seed)
    live.adopt(_tree(live, splits))
    if live.cost > live.bound:
        for better in polished(problem, orders, as_weighted_rows(problem), splits, due):
            live.adopt(_tree(live, better))


def _tree(live: _Live, splits: Splits) -> Diagram:
    return grow(live.problem, live.orders, lambda _, slot: splits.get(slot))


def _search(
    problem: Problem, limits: Limits, live: _Live, due: Callable[[], bool]
) -> tuple[bool, bool, dict[str, int]]:
    """Run the engine for the least cost, then for the fewest splits at that cost.

    Returns
    -------
    Whether the first search came to its end, whether the second did, and the figures of the first.
    """
    from solvers.kernels.lanes import lane_type
    from solvers.kernels.tree_search import memory_mb

    dataset, rows = problem.dataset, as_weighted_rows(problem)
    threads = limits.threads if problem.size.depth > 2 else 1
    # each thread has rows and scratch of its own beside those that they share
    need = memory_mb(len(live.orders), dataset.n_samples, rows.n_labels, problem.size.depth)
    need *= threads + (threads > 1)
    if limits.memory_mb is not None and need > limits.memory_mb:
        raise UnsupportedError(
            f"The exact search over {dataset.n_samples} rows and {len(live.orders)} question orders needs about "
            f"{need} MiB; the limit is {limits.memory_mb} MiB. "
            f"Raise the memory limit, or use fewer columns, rows or levels."
        )

    gap, known = limits.gap_cost(problem), live.bound - rows.constant
    ceiling = live.cost - rows.constant
    search = tree_search(problem, live.orders, rows, ceiling=ceiling, known=known, gap=gap, threads=threads)
    stopped = _advance(search, rows.constant, live, due, None)
    stats = search.stats
    if stopped or live.cost > live.bound:
        return not stopped, False, stats
    # with costs in units of the number of splits, and a split at 1 more, fewer splits break the tie
    unit, total = live.diagram.n_splits, rows.total + problem.split_cost
    if unit < 2 or lane_type(total * unit + 1) != lane_type(total):
        return True, unit < 2, stats
    least = (live.cost - rows.constant) * unit
    price = problem.split_cost * unit + 1
    smaller = tree_search(
        problem, live.orders, rows, ceiling=least + unit, known=least, unit=unit, split=price, threads=threads
    )
    stopped = _advance(smaller, None, live, due, TIE_SHARE * stats["elements scanned"] + TIE_WORK)
    stats["elements scanned for fewer splits"] = smaller.stats["elements scanned"]
    return True, not stopped, stats


def _advance(
    search: TreeSearch, constant: int | None, live: _Live, due: Callable[[], bool], most_work: int | None
) -> bool:
    """Advance a search to its end, telling what it finds; True where it had to be stopped.

    `constant` is what its costs lack of the whole cost, `None` where its bound is in another unit and says nothing;
    `most_work` is the number of elements that it may scan.
    """
    found, told = 0, 0.0
    with _Watch(search.stop, due) as watch:
        ended = False
        while not ended:
            ended = search.advance()
            if search.found > found:
                found = search.found
                live.adopt(_tree(live, splits_of(search)))
            if constant is not None:
                live.raise_bound(search.bound + constant)
            if live.clock.elapsed - told > PULSE:
                told = live.clock.elapsed
                live.emit(Progress(told, _doing(live), search.stats))
            if not ended and most_work is not None and search.stats["elements scanned"] > most_work:
                return True
    return watch.fired


class _Watch:
    """A thread that calls `end` once `due` holds; it lives while the search runs."""

    def __init__(self, end, due) -> None:
        self._end, self._due = end, due
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.fired = False

    def _look(self) -> None:
        while not self._over.wait(POLL):
            if self._due():
                self.fired = True
                self._end()
                return

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


def _doing(live: _Live) -> str:
    if live.cost == live.bound:
        return f"Proved: no tree costs less than {live.cost}. Looking for a smaller one of the same cost."
    return f"Best tree so far: cost {live.cost}; no tree can cost less than {live.bound}."


def _status(live: _Live, complete: bool, stop: Stop) -> Status:
    if live.cost == live.bound:
        return Status.OPTIMAL
    return Status.CANCELLED if stop.is_set() and not complete else Status.FEASIBLE


def _message(live: _Live, complete: bool, smallest: bool, stop: Stop, limits: Limits) -> str:
    if live.cost == live.bound:
        size = ", and none of the same cost has fewer splits" if smallest else ""
        return f"No tree of this size has a lower cost{size}: proved."
    if complete:
        return f"Within the gap that was asked for: no tree can cost less than {live.bound}."
    if stop.is_set():
        return f"Stopped; no tree can cost less than {live.bound}."
    return f"The time limit of {limits.seconds:g} s was reached; no tree can cost less than {live.bound}."
