"""A diagram of linear splits that is changed node by node, each change exact for the node.

Slots are numbered by layers, the root is 0; the head of an arc is a *target*: a slot, or n_slots + k for the terminal
of class k. For every target, the cost of each sample if it is sent there is known, from the bottom up. So the best
split and the best two targets of one node can be found without the rest of the diagram, and only the number of reached
nodes couples the choices of the two targets.

The search looks for the best split of a node along *lines* in the space of linear splits. Each line is a split (w, t),
the *base*, and a *direction* in which it moves. All splits on a line are evaluated, so the lines should pass near good
splits: through the current split, and through hyperplanes between samples that should be separated. All lines of a call
are made at once; drawn one by one, they took nine tenths of the search time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .....magnitude import midpoint
from .....problem import Problem
from ...draft import Arc, DiagramDraft, DraftNode, Question, label_of, leaf_arc, plain_yes
from ...terms import LEAST_MARGIN, Terms

MOST_THRESHOLDS = 64
"""The largest number of terms whose thresholds are evaluated for a new split; of more terms this many are drawn."""

FEW, SOME = 6, 8
"""The number of random hyperplanes of each kind, and the number of terms along which a split is moved."""

LEAST_LINES, MOST_FIGURES = 8, 400_000
"""The least number of lines, and the largest number of values, lines times samples: a tenth of a second."""


class Lines(NamedTuple):
    """Bases and directions, float64 (n_lines, n_terms + 1) each."""

    bases: np.ndarray
    directions: np.ndarray


class LineMaker:
    """Draws lines for the samples at a node.

    `points`, float64 (n_samples, n_terms + 1), are the scaled terms of each sample and -1: a sample is on the yes side
    of a split (w, t) if its product with it is at most 0.
    """

    def __init__(self, terms: Terms, rng: np.random.Generator) -> None:
        n, most = terms.problem.dataset.n_samples, terms.problem.size.split_features
        self.points = np.hstack((terms.scaled, np.full((n, 1), -1.0)))
        self._n, self._rng = len(terms), rng
        columns, self._place = np.unique([term.column for term in terms.terms], return_inverse=True)
        self._n_columns = len(columns)
        self._most = self._n_columns if most is None else min(most, self._n_columns)

    def thresholds(self) -> Lines:
        """Lines with all splits on single terms."""
        chosen = np.arange(self._n)
        if self._n > MOST_THRESHOLDS:
            chosen = self._rng.choice(self._n, MOST_THRESHOLDS, replace=False)
        bases = np.zeros((len(chosen), self._n + 1))
        bases[np.arange(len(chosen)), chosen] = 1.0
        return self._moved(bases)

    def fresh(self, rows: np.ndarray) -> Lines:
        """Lines with single-term splits, and with random hyperplanes moved along their normals."""
        lines = self.thresholds()
        if self._most > 1 and len(rows) > 1:
            lines = _joined(lines, self._moved(self._hyperplanes(rows, self._some_columns(2 * FEW))))
        return self._shuffle(lines, rows)

    def around(self, plane: np.ndarray, rows: np.ndarray, prefers: np.ndarray) -> Lines:
        """Lines through the current split, float64 (n_terms + 1,), for the samples (positions) at its node.

        `prefers`, int64 (n,), is the gain of each sample on the yes side over the no side.
        """
        present = np.flatnonzero(plane[:-1])
        own = self._moved(plane[None])
        if self._most < 2:
            return own
        used = np.zeros(self._n_columns, bool)
        used[self._place[present]] = True
        room = self._with_others(used)
        between, steps = self._hyperplanes(rows, np.tile(room, (2 * FEW, 1))), self._steps(plane, rows, prefers, room)
        directions = np.vstack((between, steps))
        through = Lines(np.tile(plane, (len(directions), 1)), directions)
        return self._shuffle(_joined(_joined(own, self._along_terms(plane, used)), through), rows)

    def place(self, plane: np.ndarray, rows: np.ndarray) -> float:
        """A random threshold for the weights of a plane, between two of the samples."""
        sums = np.unique(self.points[rows][:, :-1] @ plane[:-1])
        if len(sums) < 2:
            return float(sums[0])
        at = self._rng.integers(len(sums) - 1)
        return midpoint(sums[at], sums[at + 1])

    def _shuffle(self, lines: Lines, rows: np.ndarray) -> Lines:
        """The lines in random order, since the first of equally good ones is taken; a sample of them for many rows."""
        count = len(lines.bases)
        chosen = self._rng.permutation(count)[: max(LEAST_LINES, MOST_FIGURES // len(rows))]
        return Lines(lines.bases[chosen], lines.directions[chosen])

    def _moved(self, bases: np.ndarray) -> Lines:
        """The lines on which only the thresholds of some splits move."""
        directions = np.zeros_like(bases)
        directions[:, -1] = 1.0
        return Lines(bases, directions)

    def _some_columns(self, count: int) -> np.ndarray:
        """Random sets of at least two columns, bool (count, n_columns)."""
        keys = self._rng.random((count, self._n_columns))
        sizes = self._rng.integers(2, self._most + 1, (count, 1))
        return keys.argsort(axis=1).argsort(axis=1) < sizes

    def _with_others(self, used: np.ndarray) -> np.ndarray:
        """The columns of a split and as many others as allowed, bool (n_columns,)."""
        keys = np.where(used, -1.0, self._rng.random(len(used)))
        return np.asarray((keys.argsort().argsort() < self._most) | used)

    def _within(self, planes: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Normals (n, n_terms), with zeros outside the terms of some columns (n, n_columns)."""
        return np.where(columns[:, self._place], planes, 0.0)

    def _hyperplanes(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Hyperplanes in the spaces of some columns: half of them between two samples, half through one of them."""
        count = len(columns)
        first, second = self.points[rows[self._rng.integers(len(rows), size=(2, count))], :-1]
        half = np.arange(count) < count // 2
        normals = np.where(half[:, None], first - second, self._rng.normal(size=first.shape))
        normals = self._within(normals, columns)
        foot = np.where(half[:, None], (first + second) / 2, first)
        return np.hstack((normals, (normals * foot).sum(axis=1, keepdims=True)))

    def _along_terms(self, plane: np.ndarray, used: np.ndarray) -> Lines:
        """Lines that change one weight of a split; if its column is one too many, another one is dropped."""
        terms = self._rng.permutation(self._n)[:SOME]
        directions = np.zeros((len(terms), self._n + 1))
        directions[np.arange(len(terms)), terms] = 1.0
        bases = np.tile(plane, (len(terms), 1))
        if np.count_nonzero(used) >= self._most:
            given_up = self._rng.choice(np.flatnonzero(used), len(terms))
            new = ~used[self._place[terms]]
            bases[:, :-1][new[:, None] & (self._place == given_up[:, None])] = 0.0
        return Lines(bases, directions)

    def _steps(self, plane: np.ndarray, rows: np.ndarray, prefers: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Perceptron steps, towards all samples on their costlier side, and towards one of them."""
        wrong = np.flatnonzero(np.where(self.points[rows] @ plane <= 0, prefers < 0, prefers > 0))
        if not len(wrong):
            return np.empty((0, self._n + 1))
        towards = -np.sign(prefers[wrong])[:, None] * self.points[rows[wrong]]
        steps = np.stack((towards.sum(axis=0), towards[self._rng.integers(len(wrong))]))
        steps[:, :-1] = self._within(steps[:, :-1], columns[None])
        return steps


def _joined(first: Lines, second: Lines) -> Lines:
    return Lines(np.vstack((first.bases, second.bases)), np.vstack((first.directions, second.directions)))


FORBIDDEN = -1
"""The penalty of a pair of targets that is not allowed."""

WIDEST, MOST_SENT = 32, 1_000_000
"""The largest number of slots of a layer in the search, and a limit on slots times rows of a layer; proofs cover all
slots."""

BOTH = 2
"""Both sides of a slot; the sides are 0 and 1."""


@dataclass
class PlaneState:
    """The current splits: `planes`, float64 (n_slots, n_terms + 1), see `LineMaker`.

    `arcs`, int64 (n_slots, 2), are the targets of yes and no; -1 if a slot has no split.
    """

    planes: np.ndarray
    arcs: np.ndarray

    def copy(self) -> PlaneState:
        """A copy that can be changed independently."""
        return PlaneState(self.planes.copy(), self.arcs.copy())


class PlaneDiagram:
    """A diagram and its cost, within a skeleton, over at least one term; the root always has a split.

    For `points` see `LineMaker`. With `tree` there is only one path to every split: a slot leads only to slots that it
    leads to already, or to a spare one.
    """

    def __init__(self, terms: Terms, points: np.ndarray, *, tree: bool = False) -> None:
        self._tree = tree
        self.problem, self._terms, self._points = terms.problem, terms, points
        problem = terms.problem
        widths = _useful(problem)
        self.layers = [range(sum(widths[:i]), sum(widths[: i + 1])) for i in range(len(widths))]
        self.n_slots, self.n_classes = sum(widths), problem.dataset.n_classes
        self.layer_of = [i for i, layer in enumerate(self.layers) for _ in layer]
        by_class = problem.weights[:, None] * problem.class_costs[problem.dataset.y]
        n = problem.dataset.n_samples
        self._pays = np.zeros((self.n_slots + self.n_classes, n), np.int64)
        self._pays[self.n_slots :] = by_class.T
        self._says = np.zeros((self.n_slots, n), bool)
        self._pass_on = plain_yes(problem.dataset)
        self.state = PlaneState(np.zeros((self.n_slots, len(terms) + 1)), np.full((self.n_slots, 2), -1, np.int64))
        self.cost = int(self._pays[self.n_slots :].sum(axis=1).min())

    def take(self, state: PlaneState) -> None:
        """Continue from other splits."""
        self.state = state
        self._says = (self._points @ state.planes.T <= 0).T
        for layer in reversed(self.layers):
            for slot in layer:
                self._refresh(slot)
        self._reckon()

    def clear(self) -> None:
        """Remove all splits; the next one must be that of the root."""
        self.state = PlaneState(np.zeros_like(self.state.planes), np.full_like(self.state.arcs, -1))

    def write(self, draft: DiagramDraft) -> bool:
        """Continue from a draft; false if its splits are not sums of the terms, or its slots are not in use."""
        if draft.root < 0 or not draft.fits([len(layer) for layer in self.layers]):
            return False
        if self._tree and not draft.is_tree:
            return False
        state = PlaneState(np.zeros_like(self.state.planes), np.full_like(self.state.arcs, -1))
        for number, slot, yes, no in draft.walk(self.problem.dataset):
            node = draft.layers[number][slot]
            weights = self._terms.weights(node.question)
            if weights is None or slot >= len(self.layers[number]) or node.yes == node.no:
                return False
            sums = self._points[:, :-1] @ weights
            low_is_yes = not len(no) or (len(yes) > 0 and sums[yes].max() < sums[no].min())
            low, high = (sums[yes], sums[no]) if low_is_yes else (sums[no], sums[yes])
            if len(high) and not low.max() < high.min():
                # huge numbers whose scaled values are equal
                return False
            at = self.layers[number][slot]
            state.planes[at] = np.append(weights, (low.max() + high.min()) / 2 if len(high) else np.inf)
            arcs = [self._target(number, arc) for arc in (node.yes, node.no)]
            state.arcs[at] = arcs if low_is_yes else arcs[::-1]
        self.take(state)
        return True

    def _target(self, layer: int, arc: Arc) -> int:
        """The target of an arc out of a layer of a draft."""
        label = label_of(arc)
        return self.layers[layer + 1][arc] if label is None else self.n_slots + label

    def active(self) -> list[int]:
        """The slots reachable from the root, in increasing order."""
        reached = self._below(0)
        return [slot for slot in range(self.n_slots) if reached >> slot & 1]

    def reached(self) -> np.ndarray:
        """Which samples pass which slots, bool (n_slots, n_samples)."""
        reached = np.zeros((self.n_slots, self._says.shape[1]), bool)
        reached[0] = True
        for slot in self.active():
            for answer, target in zip((True, False), self.state.arcs[slot], strict=True):
                if target < self.n_slots:
                    reached[target] |= reached[slot] & (self._says[slot] == answer)
        return reached

    def taking(self, slot: int, side: int) -> np.ndarray:
        """The samples (positions) that take the arc of yes (0) or of no (1) of a slot."""
        return np.flatnonzero(self.reached()[slot] & (self._says[slot] == (side == 0)))

    def narrow(self) -> list[int]:
        """The active slots whose split lacks the margin for the samples that reach them now."""
        reached = self.reached()
        return [slot for slot in self.active() if not self._is_wide(slot, np.flatnonzero(reached[slot]))]

    def _is_wide(self, slot: int, rows: np.ndarray) -> bool:
        sums, says = self._points[rows] @ self.state.planes[slot], self._says[slot][rows]
        # the absolute weights of a plane sum to 1
        return bool(says.all() or not says.any() or sums[~says].min() - sums[says].max() >= LEAST_MARGIN)

    def prefers(self, slot: int, rows: np.ndarray) -> np.ndarray:
        """The gain of each sample on the yes side over the no side of a slot, int64 (n,)."""
        yes, no = self.state.arcs[slot]
        return np.asarray(self._pays[no][rows] - self._pays[yes][rows])

    def draft(self) -> DiagramDraft | None:
        """The diagram in the user's units; `None` if some split lacks the margin."""
        draft, reached = DiagramDraft([{} for _ in self.layers]), self.reached()
        for slot in self.active():
            rows = np.flatnonzero(reached[slot])
            if not self._is_wide(slot, rows):
                return None
            arcs = [self._arc(slot, int(target)) for target in self.state.arcs[slot]]
            says = self._says[slot][rows]
            question_found: tuple[Question, bool] | None
            if says.all() or not says.any():
                question_found = None if self._pass_on is None else (self._pass_on, bool(says.all()))
            else:
                question_found = self._question(slot, rows, says)
            if question_found is None:
                return None
            question, low_is_yes = question_found
            arcs = arcs if low_is_yes else arcs[::-1]
            layer = self.layer_of[slot]
            draft.layers[layer][slot - self.layers[layer][0]] = DraftNode(question, *arcs)
        while not draft.layers[-1]:
            draft.layers.pop()
        return draft.tidied(self.problem)

    def _question(self, slot: int, rows: np.ndarray, low: np.ndarray) -> tuple[Question, bool] | None:
        """The split of a slot without unneeded terms; terms with small weights are dropped first."""
        weights, scaled = self.state.planes[slot, :-1].copy(), self._points[rows, :-1]
        for term in np.argsort(np.abs(weights)):
            fewer = weights.copy()
            fewer[term] = 0.0
            sums = scaled @ fewer
            if sums[~low].min() - sums[low].max() >= LEAST_MARGIN * np.abs(fewer).sum() > 0:
                weights = fewer
        return self._terms.question(weights, rows[low], rows[~low])

    def _arc(self, slot: int, target: int) -> Arc:
        if target >= self.n_slots:
            return leaf_arc(target - self.n_slots)
        return target - self.layers[self.layer_of[slot] + 1][0]

    def improve(self, slot: int, rows: np.ndarray, lines: Lines, ceiling: int) -> bool:
        """Give a slot the best split on some lines, if the diagram then costs less than `ceiling`.

        `rows` are the positions of the samples that reach the slot.
        """
        asks = self.state.arcs[slot, 0] >= 0
        # the cost of the other samples, and the slots that are reachable without this one
        rest = int(self._pays[0].sum() - self._pays[slot][rows].sum()) if asks else 0
        beside = self._below(0, (slot, BOTH)) if self.state.arcs[0, 0] >= 0 else 0
        best = self._best(slot, rows, lines, beside, ceiling - rest)
        if best is not None:
            self.put(slot, *best)
        return best is not None

    def insert(self, parent: int, side: int, slot: int, rows: np.ndarray, lines: Lines, ceiling: int) -> bool:
        """Redirect an arc to a spare slot of the next layer with the best split, if that costs less than `ceiling`.

        It is the arc of yes (side 0) or of no (1), which the samples `rows` (positions) take.
        """
        before = int(self.state.arcs[parent, side])
        rest = int(self._pays[0].sum() - self._pays[before][rows].sum())
        best = self._best(slot, rows, lines, self._below(0, (parent, side)), ceiling - rest, before)
        if best is not None:
            self.state.arcs[parent, side] = slot
            self.put(slot, *best)
        return best is not None

    def _best(
        self, slot: int, rows: np.ndarray, lines: Lines, beside: int, ceiling: int, owner: int | None = None
    ) -> tuple[np.ndarray, int, int] | None:
        """Plane and targets of the cheapest split on some lines; `beside` has the other reachable slots, as bits."""
        from .....kernels.odd_lines import best_on_lines

        targets = self.targets(slot, owner)
        costs = np.ascontiguousarray(self._pays[targets][:, rows].T)
        charges = self._charges(targets, beside | 1 << slot)
        best = best_on_lines(self._points[rows], *lines, costs, charges, ceiling, LEAST_MARGIN)
        if best.line < 0:
            return None
        plane = lines.bases[best.line] + best.step * lines.directions[best.line]
        return plane, targets[best.yes], targets[best.no]

    def spare(self, layer: int) -> int | None:
        """The first slot of a layer that is not reachable; `None` if there is none."""
        if layer >= len(self.layers):
            return None
        active = set(self.active())
        return next((slot for slot in self.layers[layer] if slot not in active), None)

    def put(self, slot: int, plane: np.ndarray, yes: int, no: int) -> None:
        """Give a slot a split and its targets."""
        self.state.planes[slot] = plane / np.abs(plane[:-1]).sum()
        self.state.arcs[slot] = yes, no
        self._says[slot] = self._points @ self.state.planes[slot] <= 0
        self._renew(slot)

    def _renew(self, slot: int) -> None:
        """Recompute the costs of samples at a slot and in the layers above it."""
        self._refresh(slot)
        for layer in reversed(self.layers[: self.layer_of[slot]]):
            for above in layer:
                self._refresh(above)
        self._reckon()

    def _refresh(self, slot: int) -> None:
        yes, no = self.state.arcs[slot]
        if yes < 0:
            return
        self._pays[slot] = np.where(self._says[slot], self._pays[yes], self._pays[no])

    def _reckon(self) -> None:
        self.cost = int(self._pays[0].sum()) + self.problem.splits_cost(self._below(0).bit_count())

    def targets(self, slot: int, owner: int | None = None) -> list[int]:
        """The possible targets of a slot's arcs: splits of the next layer, and the terminals.

        In a tree the splits are only those it leads to already; for a spare slot, those of its `owner`, the target that
        it replaces.
        """
        layer = self.layer_of[slot] + 1
        below: Sequence[int] = self.layers[layer] if layer < len(self.layers) else ()
        if self._tree:
            owner = slot if owner is None else owner
            below = [] if owner >= self.n_slots else sorted({int(target) for target in self.state.arcs[owner]})
            below = [target for target in below if 0 <= target < self.n_slots]
        asking = [target for target in below if self.state.arcs[target, 0] >= 0]
        return [*asking, *range(self.n_slots, self.n_slots + self.n_classes)]

    def _below(self, target: int, cut: tuple[int, int] | None = None) -> int:
        """The slots reachable from a target, itself included, as bits.

        `cut` is a slot and the side of it whose arc is ignored, `BOTH` for both.
        """
        reached, todo = 0, [target]
        while todo:
            here = todo.pop()
            if here >= self.n_slots or reached >> here & 1:
                continue
            reached |= 1 << here
            for side in (0, 1):
                if cut is None or cut[0] != here or cut[1] not in (side, BOTH):
                    todo.append(int(self.state.arcs[here, side]))
        return reached

    def _charges(self, targets: Sequence[int], fixed: int) -> np.ndarray:
        """The penalty of the nodes by pair of targets, int64 (n_targets, n_targets); `fixed` are always reached."""
        below, most = [self._below(target) for target in targets], self.problem.size.max_splits
        charges = np.full((len(targets), len(targets)), FORBIDDEN, np.int64)
        for i, first in enumerate(below):
            for j, second in enumerate(below):
                nodes = (fixed | first | second).bit_count()
                if i != j and (most is None or nodes <= most):
                    charges[i, j] = self.problem.splits_cost(nodes)
        return charges


def _useful(problem: Problem) -> list[int]:
    """The widths of the layers that are reachable with the permitted splits, and that the search uses."""
    n, most = problem.dataset.n_samples, problem.size.max_splits
    widest = min(WIDEST, n, max(2, MOST_SENT // n))
    widths = []
    for layer, width in enumerate(problem.size.layer_widths):
        left = widest if most is None else min(widest, most - layer)
        if left <= 0:
            break
        widths.append(min(width, left))
    return widths
