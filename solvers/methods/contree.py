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
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from solvers.diagram import Diagram
from solvers.errors import UnsupportedError
from solvers.methods.base import Clock, Unsupported, infeasible, only_plain_trees
from solvers.methods.cart import Cart, cart_tree
from solvers.methods.growing import Choice, grow
from solvers.problem import Limits, Orders, Problem, ShapeKind, question_orders
from solvers.solution import Bound, Emit, Incumbent, Progress, Solution, Started, Status, Stop, TracePoint

if TYPE_CHECKING:
    from solvers.kernels.tree_search import TreeSearch

POLL = 0.02
"""Seconds between two looks at the stop signal and the clock."""

PULSE = 0.1
"""Seconds between two signs of life."""

TIE_SHARE, TIE_WORK = 2, 50_000_000
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
        """Trees without constraints, of at most 64 classes, for class costs that can be written as weights of rows."""
        from solvers.kernels.workspace import MAX_CLASSES

        reasons = list(only_plain_trees(self.title, problem))
        if problem.dataset.n_classes > MAX_CLASSES:
            reasons.append(
                Unsupported(
                    f"{problem.dataset.n_classes} classes",
                    f"{self.title} takes at most {MAX_CLASSES}.",
                    "Join rare classes, or choose CART.",
                )
            )
        if as_weighted_rows(problem) is None:
            reasons.append(
                Unsupported(
                    "Class costs that depend on the predicted class",
                    f"With more than two classes {self.title} weighs errors by the true class only.",
                    "Give each true class one cost for all errors, or choose CART.",
                )
            )
        elif problem.min_leaf_weight > 1 and problem.scaled.error_cost is None:
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
        live.adopt(_first_tree(problem, live.orders, limits.seed))
        complete, smallest, stats = True, True, {}
        if _can_split(problem, live.orders) and live.cost > live.bound:
            complete, smallest, stats = _search(problem, limits, live, stop)
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


@dataclass(frozen=True)
class WeightedRows:
    """A problem in which every error costs the weight of its row; the original costs `constant` more.

    label : int64 (n_samples,), weight : int64 (n_samples,), at least 0.
    """

    label: np.ndarray
    weight: np.ndarray
    n_labels: int
    constant: int


def as_weighted_rows(problem: Problem) -> WeightedRows | None:
    """The same problem without class costs; `None` where there is none.

    For two classes a row costs at least its cheaper prediction, and the difference if the other is made: the cheaper
    one is its label and the difference its weight. For more classes the cost must be the same for all wrong
    predictions.
    """
    y, weights, costs = problem.dataset.y.astype(np.int64), problem.weights, problem.class_costs
    if problem.scaled.error_cost is not None:
        return WeightedRows(y, weights * problem.scaled.error_cost, problem.dataset.n_classes, 0)
    if len(costs) == 2:
        row_costs = weights[:, None] * costs[y]
        label, weight = row_costs.argmin(axis=1), np.abs(row_costs[:, 0] - row_costs[:, 1])
        return WeightedRows(label, weight, 2, int(row_costs.min(axis=1).sum()))
    right = np.diagonal(costs)
    wrong = np.where(np.eye(len(costs), dtype=bool), -1, costs).max(axis=1)
    same = np.where(np.eye(len(costs), dtype=bool), wrong[:, None], costs) == wrong[:, None]
    if not same.all() or (right > wrong).any():
        return None
    return WeightedRows(y, weights * (wrong - right)[y], len(costs), int((weights * right[y]).sum()))


def _can_split(problem: Problem, orders: Orders) -> bool:
    return len(orders) > 0 and problem.shape.depth > 0 and problem.shape.leaves != 1


def _first_tree(problem: Problem, orders: Orders, seed: int) -> Diagram:
    """CART's tree of the same size, so that the incumbent is never worse than the greedy tree.

    Where the whole search is one quick call, a leaf will do: CART would take longer than the proof.
    """
    quick = problem.shape.depth <= 2 and problem.dataset.n_samples * len(orders) ** 2 <= QUICK
    if quick or not _can_split(problem, orders):
        return grow(problem, orders, lambda rows, slot: None)
    return cart_tree(problem, orders, seed)


def _search(problem: Problem, limits: Limits, live: _Live, stop: Stop) -> tuple[bool, bool, dict[str, int]]:
    """Run the engine for the least cost, then for the fewest splits at that cost.

    Returns
    -------
    Whether the first search came to its end, whether the second did, and the figures of the first.
    """
    from solvers.kernels.lanes import lane_type
    from solvers.kernels.tree_search import memory_mb

    dataset, rows = problem.dataset, as_weighted_rows(problem)
    threads = limits.threads if problem.shape.depth > 2 else 1
    # each thread has rows and scratch of its own beside those that they share
    need = memory_mb(len(live.orders), dataset.n_samples, rows.n_labels, problem.shape.depth)
    need *= threads + (threads > 1)
    if limits.memory_mb is not None and need > limits.memory_mb:
        raise UnsupportedError(
            f"The exact search over {dataset.n_samples} rows and {len(live.orders)} question orders needs about "
            f"{need} MiB; the limit is {limits.memory_mb} MiB. "
            f"Raise the memory limit, or use fewer columns, rows or levels."
        )

    def due() -> bool:
        return stop.is_set() or (limits.seconds is not None and live.clock.elapsed > limits.seconds)

    gap = limits.gap_cost(problem)
    search = _engine(problem, rows, live, threads, 1, problem.split_cost, live.cost, live.bound, gap)
    stopped = _advance(search, rows.constant, live, due, None)
    stats = search.stats
    if stopped or live.cost > live.bound:
        return not stopped, False, stats
    # with costs in units of the number of splits, and a split at 1 more, fewer splits break the tie
    unit, total = live.diagram.n_splits, int(rows.weight.sum()) + problem.split_cost
    if unit < 2 or lane_type(total * unit + 1) != lane_type(total):
        return True, unit < 2, stats
    least = (live.cost - rows.constant) * unit
    price = problem.split_cost * unit + 1
    ceiling, known = least + unit + rows.constant, least + rows.constant
    smaller = _engine(problem, rows, live, threads, unit, price, ceiling, known, 0)
    stopped = _advance(smaller, None, live, due, TIE_SHARE * stats["elements scanned"] + TIE_WORK)
    stats["elements scanned for fewer splits"] = smaller.stats["elements scanned"]
    return True, not stopped, stats


def _engine(
    problem: Problem,
    rows: WeightedRows,
    live: _Live,
    threads: int,
    unit: int,
    split: int,
    ceiling: int,
    known: int,
    gap: int,
) -> TreeSearch:
    """A search with the weights multiplied by `unit`; ceiling and bound are those of the whole cost."""
    from solvers.kernels.parallel_search import ParallelTreeSearch
    from solvers.kernels.tree_search import TreeSearch

    orders, shape = live.orders, problem.shape
    make = TreeSearch if threads == 1 else partial(ParallelTreeSearch, threads=threads)
    return make(
        orders.rank,
        rows.label,
        rows.weight * unit,
        orders.twin,
        orders.missing_rank,
        rows.n_labels,
        shape.depth,
        ceiling=ceiling - rows.constant,
        known=max(0, known - rows.constant),
        gap=gap,
        leaves=shape.leaves,
        split=split,
        least_rows=shape.min_leaf,
        least_weight=max(1, problem.min_leaf_weight * (problem.scaled.error_cost or 0) * unit),
    )


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
                live.adopt(grow(live.problem, live.orders, _choice_of(search.tree)))
            if constant is not None:
                live.raise_bound(search.bound + constant)
            if live.clock.elapsed - told > PULSE:
                told = live.clock.elapsed
                live.emit(Progress(told, _doing(live), search.stats))
            if not ended and most_work is not None and search.stats["elements scanned"] > most_work:
                return True
    return watch.fired


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
