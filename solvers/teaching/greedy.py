"""A greedy method, split by split: its candidates at each node, its choice, and why it stops.

The splits are those of the methods `cart` and `c45` themselves, so the last frame is their tree.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np

from ..diagram import Diagram
from ..methods import get
from ..methods.trees.c45 import best_split
from ..methods.trees.cart import cart_splits
from ..methods.trees.slots import Slot, depth_of
from ..problem import Limits, Orders, Predicate, Problem, question_orders
from .candidates import EQUAL, Candidate, Measure, candidates, ranked
from .sketches import Drawn, Sketch


class Greedy(StrEnum):
    """The greedy methods, by their names in the registry."""

    CART = "cart"
    C45 = "c45"

    @property
    def label(self) -> str:
        """The name on the screen."""
        return get(self.value).title

    @property
    def measure(self) -> Measure:
        """The measure by which the method ranks splits."""
        return Measure.GINI if self is Greedy.CART else Measure.RATIO


Pick = Callable[[Slot, np.ndarray], tuple[int, int] | None]


@dataclass(frozen=True)
class GreedyStep:
    """A node at which the method chose: its candidate splits, the best first, and its choice, if any.

    `slot` is the position of the node; `rows`, int64 (n,), are the positions of its rows.
    """

    slot: Slot
    rows: np.ndarray
    table: tuple[Candidate, ...]
    chosen: Candidate | None

    @property
    def blind(self) -> bool:
        """Whether no split gains anything."""
        return all(candidate.gain <= EQUAL for candidate in self.table)


@dataclass(frozen=True)
class GreedyReplay:
    """A replay of a greedy method, forwards and backwards: the nodes where it chose, level by level.

    Frame 0 is the tree without splits; in frame i the first i steps are done; the last frame is the finished tree,
    without the splits whose two leaves have the same prediction.
    """

    problem: Problem
    method: Greedy
    steps: tuple[GreedyStep, ...]
    result: Diagram

    @property
    def n_frames(self) -> int:
        """The number of frames."""
        return len(self.steps) + 2

    def sketch(self, frame: int) -> Sketch:
        """The splits in a frame, before any is removed."""
        done = self.steps[:frame]
        return Sketch({step.slot: step.chosen.predicate for step in done if step.chosen is not None})

    def picture(self, frame: int) -> Drawn:
        """The tree of a frame, with the positions of its nodes; those of the finished tree are unknown."""
        if frame < self.n_frames - 1:
            return self.sketch(frame).drawn(self.problem)
        return Drawn(self.result, ())

    def next_step(self, frame: int) -> GreedyStep | None:
        """The next step of the method in a frame; `None` if it has finished."""
        return self.steps[frame] if frame < len(self.steps) else None

    @cached_property
    def n_taken_back(self) -> int:
        """The number of splits removed from the finished tree."""
        return sum(step.chosen is not None for step in self.steps) - self.result.n_splits


def greedy_replay(problem: Problem, method: Greedy) -> GreedyReplay:
    """Replay a greedy method on a problem whose shape limits only the depth."""
    orders = question_orders(problem.dataset)
    pick = _cart(problem, orders) if method is Greedy.CART else _c45(problem, orders)
    steps: list[GreedyStep] = []
    queue = [(0, 0, np.arange(problem.dataset.n_samples))]
    for slot, place, rows in queue:
        if depth_of(slot) >= problem.size.max_depth or len(np.unique(problem.dataset.y[rows])) < 2:
            continue
        table = candidates(problem, orders, rows)
        choice = pick(place, rows)
        chosen = None if choice is None else _candidate(table, choice, orders, rows)
        steps.append(GreedyStep(slot, rows, ranked(table, method.measure), chosen))
        if choice is not None and chosen is not None:
            yes = chosen.predicate.holds(problem.dataset.schema, problem.dataset.X[rows])
            low = orders.rank[choice[0], rows] <= choice[1]
            for place_below, side in ((2 * place + 1, low), (2 * place + 2, ~low)):
                # the method's slots have the low ranks first, those of a sketch the yes side
                queue.append((2 * slot + (1 if yes[side].all() else 2), place_below, rows[side]))
    result = get(method.value).run(problem, Limits(seconds=None), lambda event: None, threading.Event())
    assert result.diagram is not None, "no greedy method ends without a tree"
    return GreedyReplay(problem, method, tuple(steps), result.diagram)


def _cart(problem: Problem, orders: Orders) -> Pick:
    splits = cart_splits(problem, orders, Limits().seed) if problem.size.max_depth and len(orders) else {}
    return lambda place, rows: splits.get(place)


def _c45(problem: Problem, orders: Orders) -> Pick:
    def pick(place: int, rows: np.ndarray) -> tuple[int, int] | None:
        best = best_split(problem, orders, rows)
        return None if best is None else (best.order, best.last)

    return pick


def _candidate(
    table: tuple[Candidate, ...], choice: tuple[int, int], orders: Orders, rows: np.ndarray
) -> Candidate | None:
    """The candidate that divides the rows like a method's choice; the chosen rank may lie between those of the rows."""
    order, last = choice
    rank = orders.rank[order, rows]
    here = rank[rank <= last]
    if not len(here) or len(here) == len(rows):
        return None
    return next(one for one in table if one.order == order and one.last == here.max())


def grow_fully(problem: Problem) -> Diagram:
    """Grow a C4.5 tree within the depth of the problem until no split gains anything.

    Each node takes the best gain ratio among the splits whose gain is at least the average (Quinlan 1993, section 2.2).
    The tree has no minimum leaf size, no correction for the number of thresholds, and no pruning. Avellaneda (AAAI
    2020) switches these off because they guard against noise. For every other purpose use the method `c45`.
    """
    orders = question_orders(problem.dataset)
    questions: dict[Slot, Predicate] = {}
    queue = [(0, np.arange(problem.dataset.n_samples))]
    for slot, rows in queue:
        if depth_of(slot) >= problem.size.max_depth or len(np.unique(problem.dataset.y[rows])) < 2:
            continue
        best = _best_gain_ratio(problem, orders, rows)
        if best is not None:
            questions[slot] = best.predicate
            yes = best.predicate.holds(problem.dataset.schema, problem.dataset.X[rows])
            queue += [(2 * slot + 1, rows[yes]), (2 * slot + 2, rows[~yes])]
    return Sketch(questions).drawn(problem).diagram


def _best_gain_ratio(problem: Problem, orders: Orders, rows: np.ndarray) -> Candidate | None:
    found = candidates(problem, orders, rows)
    average = float(np.mean([candidate.gain for candidate in found])) if found else 0.0
    able = [one for one in found if one.gain > EQUAL and one.gain >= average - EQUAL]
    return max(able, key=lambda candidate: candidate.ratio, default=None)
