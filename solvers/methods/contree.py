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
from dataclasses import dataclass, field

import numpy as np

from solvers.diagram import Diagram
from solvers.errors import UnsupportedError
from solvers.methods.base import Clock, Unsupported, only_plain_trees
from solvers.methods.cart import Cart, cart_tree
from solvers.methods.growing import Choice, grow
from solvers.problem import Limits, Orders, Problem, ShapeKind, question_orders
from solvers.solution import Bound, Emit, Incumbent, Progress, Solution, Started, Status, Stop, TracePoint

POLL = 0.02
"""Seconds between two looks at the stop signal and the clock."""

PULSE = 0.1
"""Seconds between two signs of life."""

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
        """Trees without constraints and without a limit on leaves, of at most 64 classes."""
        from solvers.kernels.workspace import MAX_CLASSES

        reasons = list(only_plain_trees(self.title, problem))
        shape = problem.shape
        if shape.leaves is not None and shape.leaves < 2**shape.depth:
            reasons.append(
                Unsupported(
                    f"At most {shape.leaves} leaves",
                    f"{self.title} limits the depth, not yet the number of leaves.",
                    "Remove the limit on leaves, or choose CART or C4.5, which keep it without a proof.",
                )
            )
        if problem.dataset.n_classes > MAX_CLASSES:
            reasons.append(
                Unsupported(
                    f"{problem.dataset.n_classes} classes",
                    f"{self.title} takes at most {MAX_CLASSES}.",
                    "Join rare classes, or choose CART.",
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
        live = _Live(problem, question_orders(problem.dataset), clock, emit)
        live.raise_bound(problem.unavoidable_cost)
        live.adopt(_first_tree(problem, live.orders, limits.seed))
        complete, stats = True, {}
        if len(live.orders) and problem.shape.depth > 0 and live.cost > live.bound:
            complete, stats = _search(problem, limits, live, stop)
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
            message=_message(live, complete, stop, limits),
        )

    def warm(self) -> None:
        """Import scikit-learn and compile the kernels (or load them from numba's cache) on a table of ten rows."""
        from solvers.kernels.tree_search import TreeSearch

        Cart().warm()
        rank = np.array([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]], np.int32)
        none = np.full(2, -1, np.int32)
        for label in ([0, 1, 1, 0, 0, 1, 0, 1, 1, 0], [0, 1, 2, 0, 1, 2, 0, 1, 2, 2]):
            for depth in (2, 3):
                search = TreeSearch(rank, np.array(label), np.ones(10, int), none, none, 3, depth, 11)
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
        """Take a tree as the incumbent if it is better."""
        cost = self.problem.cost(diagram.predict(self.problem.dataset))
        if self.cost is None or cost < self.cost:
            self.diagram, self.cost = diagram, cost
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


def _first_tree(problem: Problem, orders: Orders, seed: int) -> Diagram:
    """CART's tree of the same depth, so that the incumbent is never worse than the greedy tree.

    Where the whole search is one quick call, a leaf will do: CART would take longer than the proof.
    """
    quick = problem.shape.depth <= 2 and problem.dataset.n_samples * len(orders) ** 2 <= QUICK
    if quick or not len(orders):
        return grow(problem, orders, lambda rows, slot: None)
    return cart_tree(problem, orders, seed)


def _search(problem: Problem, limits: Limits, live: _Live, stop: Stop) -> tuple[bool, dict[str, int]]:
    """Run the engine; return whether it came to its end, and its figures."""
    from solvers.kernels.tree_search import TreeSearch, memory_mb

    dataset, orders = problem.dataset, live.orders
    need = memory_mb(len(orders), dataset.n_samples, dataset.n_classes, problem.shape.depth)
    if limits.memory_mb is not None and need > limits.memory_mb:
        raise UnsupportedError(
            f"The exact search over {dataset.n_samples} rows and {len(orders)} question orders needs about {need} MiB; "
            f"the limit is {limits.memory_mb} MiB. Raise the memory limit, or use fewer columns, rows or levels."
        )
    search = TreeSearch(
        orders.rank,
        dataset.y,
        problem.weights,
        orders.twin,
        orders.missing_rank,
        dataset.n_classes,
        problem.shape.depth,
        ceiling=live.cost,
        known=live.bound,
        gap=limits.gap_cost(problem),
    )
    clock, found, told = live.clock, 0, 0.0

    def due() -> bool:
        return stop.is_set() or (limits.seconds is not None and clock.elapsed > limits.seconds)

    with _Watch(search.stop, due) as watch:
        ended = False
        while not ended:
            ended = search.advance()
            if search.found > found:
                found = search.found
                live.adopt(grow(problem, orders, _choice_of(search.tree)))
            live.raise_bound(search.bound)
            if clock.elapsed - told > PULSE:
                told = clock.elapsed
                live.emit(Progress(told, _doing(live), search.stats))
    return not watch.fired, search.stats


def _choice_of(tree: tuple[tuple[int, int], ...]) -> Choice:
    """The splits of a tree in preorder, by heap slot."""
    by_slot: dict[int, tuple[int, int]] = {}
    following = iter(tree)

    def read(slot: int) -> None:
        order, last = next(following)
        if order >= 0:
            by_slot[slot] = order, last
            read(2 * slot + 1)
            read(2 * slot + 2)

    read(0)
    return lambda _, slot: by_slot.get(slot)


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
    return f"Best tree so far: cost {live.cost}; no tree can cost less than {live.bound}."


def _status(live: _Live, complete: bool, stop: Stop) -> Status:
    if live.cost == live.bound:
        return Status.OPTIMAL
    return Status.CANCELLED if stop.is_set() and not complete else Status.FEASIBLE


def _message(live: _Live, complete: bool, stop: Stop, limits: Limits) -> str:
    if live.cost == live.bound:
        return "No tree of this depth has a lower cost: proved."
    if complete:
        return f"Within the gap that was asked for: no tree can cost less than {live.bound}."
    if stop.is_set():
        return f"Stopped; no tree can cost less than {live.bound}."
    return f"The time limit of {limits.seconds:g} s was reached; no tree can cost less than {live.bound}."
