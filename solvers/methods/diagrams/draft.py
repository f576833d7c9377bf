"""A draft of a decision diagram: layers of splits with movable arcs, and the conversion to a `Diagram`.

Searches and models work with layers and slots. An arc of a node leads to a slot of the next layer or to the terminal of
a class, so a draft within the widths of a skeleton is a diagram within it. `DiagramDraft.diagram` drops unreachable
nodes and makes one leaf per class; `DiagramDraft.tidied` drops useless splits first.
Example
-------
>>> first = DraftNode(age_under_50, yes=0, no=leaf_arc(1))  # doctest: +SKIP
>>> draft = DiagramDraft([{0: first}, {0: DraftNode(smokes, leaf_arc(1), leaf_arc(0))}])  # doctest: +SKIP
>>> draft.diagram(problem).n_splits  # doctest: +SKIP
2
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ...diagram import Diagram, Leaf, Split
from ...problem import Dataset, Kind, LinearPredicate, Op, Predicate, Problem, ShapeKind
from ...problem.threshold_set import ThresholdSet
from ..cases import added_up
from ..permitted import EVERYWHERE
from ..trees.tree_of_splits import class_weights, leaf_with

Arc = int
"""The head of an arc: a slot of the next layer, or the terminal of class k as `leaf_arc(k)`."""

Question = Predicate | LinearPredicate


def leaf_arc(label: int) -> Arc:
    """The arc to the terminal of a class."""
    return ~label


def label_of(arc: Arc) -> int | None:
    """The class that an arc leads to; `None` if it leads to a split."""
    return ~arc if arc < 0 else None


@dataclass(slots=True)
class DraftNode:
    """A split with its two arcs."""

    question: Question
    yes: Arc
    no: Arc


@dataclass
class DiagramDraft:
    """A diagram under construction: for each layer its splits by slot; slots may be empty.

    The root is slot 0 of layer 0; for a diagram without splits that predicts k it is `leaf_arc(k)`.
    """

    layers: list[dict[int, DraftNode]] = field(default_factory=list)
    root: Arc = 0

    def copy(self) -> DiagramDraft:
        """A copy that can be changed independently."""
        return DiagramDraft([{slot: replace(node) for slot, node in layer.items()} for layer in self.layers], self.root)

    @property
    def n_questions(self) -> int:
        """The number of reachable splits, which are those with a penalty."""
        return sum(map(len, self.reachable()))

    def reachable(self) -> list[list[int]]:
        """The slots of each layer that are reachable from the root, in increasing order."""
        slots: list[list[int]] = []
        here = {self.root} if self.root >= 0 else set()
        for layer in self.layers:
            slots.append(sorted(here))
            here = {arc for slot in slots[-1] for arc in (layer[slot].yes, layer[slot].no) if arc >= 0}
        assert not here, "an arc leads below the last layer"
        return slots

    def walk(self, dataset: Dataset) -> Iterator[tuple[int, int, np.ndarray, np.ndarray]]:
        """Layer, slot, and the rows (positions) of the yes and no side, from the root down."""
        here: dict[Arc, list[np.ndarray]] = {self.root: [np.arange(dataset.n_samples)]} if self.root >= 0 else {}
        for number, layer in enumerate(self.layers):
            below: dict[Arc, list[np.ndarray]] = {}
            for slot in self.reachable()[number]:
                rows = np.sort(np.concatenate(here.get(slot, [np.empty(0, np.int64)])))
                node = layer[slot]
                answer = node.question.holds(dataset.schema, dataset.X[rows])
                yield number, slot, rows[answer], rows[~answer]
                below.setdefault(node.yes, []).append(rows[answer])
                below.setdefault(node.no, []).append(rows[~answer])
            here = below

    def predict(self, dataset: Dataset) -> np.ndarray:
        """The predicted class of each row, int64 (n_samples,)."""
        labels = np.full(dataset.n_samples, -1 if self.root >= 0 else ~self.root, np.int64)
        for number, slot, yes, no in self.walk(dataset):
            node = self.layers[number][slot]
            for arc, rows in ((node.yes, yes), (node.no, no)):
                if arc < 0:
                    labels[rows] = ~arc
        return labels

    def cost(self, problem: Problem) -> int:
        """The cost in cost units."""
        return problem.cost(self.predict(problem.dataset), self.n_questions)

    def fits(self, widths: Collection[int]) -> bool:
        """Whether its layers and slots are within the widths of a skeleton."""
        slots = self.reachable()
        return len(slots) <= len(widths) and all(len(s) <= w for s, w in zip(slots, widths, strict=False))

    @property
    def is_tree(self) -> bool:
        """Whether no two arcs lead to one split."""
        arcs = [
            [arc for slot in slots for arc in (layer[slot].yes, layer[slot].no) if arc >= 0]
            for layer, slots in zip(self.layers, self.reachable(), strict=True)
        ]
        return all(len(set(heads)) == len(heads) for heads in arcs)

    def tidied(self, problem: Problem) -> DiagramDraft:
        """A draft with the same predictions for the rows of the problem, without useless splits.

        A side that no row takes leads to a leaf; a split whose rows all end at one leaf is replaced by that leaf. The
        result may violate constraints that this draft satisfies.
        """
        draft = self.copy()
        while draft._tidy_once(problem):
            pass
        return draft

    def _tidy_once(self, problem: Problem) -> bool:
        """Simplify one layer, from the last upwards; returns whether anything changed."""
        used = set(self.predict(problem.dataset).tolist())
        changed = False
        replaced: dict[tuple[int, int], Arc] = {}
        for number, slot, yes, no in list(self.walk(problem.dataset))[::-1]:
            node = self.layers[number][slot]
            arcs = [replaced.get((number + 1, arc), arc) if arc >= 0 else arc for arc in (node.yes, node.no)]
            for i, rows in enumerate((yes, no)):
                if not len(rows):
                    arcs[i] = self._spare(problem, np.concatenate((yes, no)), used, arcs[1 - i])
            changed |= arcs != [node.yes, node.no]
            node.yes, node.no = arcs
            full = [arc for arc, rows in zip(arcs, (yes, no), strict=True) if len(rows)]
            if full and max(full) < 0 and len(set(full)) == 1:
                replaced[number, slot] = full[0]
        if (0, self.root) in replaced:
            self.layers, self.root, changed = [], replaced[0, self.root], True
        for layer, slots in zip(self.layers, self.reachable(), strict=True):
            for slot in set(layer) - set(slots):
                del layer[slot]
        while self.layers and not self.layers[-1]:
            self.layers.pop()
        return changed

    @staticmethod
    def _spare(problem: Problem, rows: np.ndarray, used: Collection[int], other: Arc) -> Arc:
        """The arc of a side that no row takes: the heaviest class in use that differs from the other side's."""
        weight = class_weights(problem, rows)
        best = sorted(used, key=lambda k: (-weight[k], k))
        return next((leaf_arc(k) for k in best if leaf_arc(k) != other), leaf_arc(best[0]))

    def diagram(self, problem: Problem) -> Diagram:
        """The diagram of the reachable part, with one leaf per class, nodes by layers and leaves last."""
        dataset = problem.dataset
        slots = self.reachable()
        number = {place: i for i, place in enumerate((n, slot) for n, layer in enumerate(slots) for slot in layer)}
        arcs = [self.root] if self.root < 0 else []
        for n, slot in number:
            arcs += [self.layers[n][slot].yes, self.layers[n][slot].no]
        labels = sorted({~arc for arc in arcs if arc < 0})
        leaf_at = {leaf_arc(k): len(number) + i for i, k in enumerate(labels)}
        nodes: list[Split | Leaf] = []
        for n, slot in number:
            node = self.layers[n][slot]
            to = [leaf_at[arc] if arc < 0 else number[n + 1, arc] for arc in (node.yes, node.no)]
            nodes.append(Split(node.question, *to))
        predicted = self.predict(dataset)
        nodes += [leaf_with(problem, predicted == k, k) for k in labels]
        same = (dataset.schema, dataset.classes, dataset.outcome, dataset.positive)
        return Diagram(ShapeKind.DIAGRAM, *same, tuple(nodes))


def plain_yes(
    dataset: Dataset, columns: Collection[int] | None = None, within: Mapping[int, ThresholdSet] | None = None
) -> Predicate | None:
    """A split whose yes side has every row of the table; `None` if the columns allow none.

    Arcs lead only to the next layer, so a diagram sometimes needs a split that passes on all its rows. It uses the
    first of `columns` (positions, all by default) that allows one with a permitted threshold, `within`.
    """
    for j in range(dataset.n_columns) if columns is None else sorted(columns):
        column, x = dataset.schema.columns[j], dataset.filled(j)
        known = x[~np.isnan(x)]
        permitted = (within or {}).get(j, EVERYWHERE)
        if column.kind is Kind.CATEGORICAL or not len(known) or known.max() < permitted.low:
            continue
        top = float(known.max())
        passing = permitted.between(top, np.inf, top)
        if passing is not None:
            return Predicate(column.name, Op.LE, passing, True).with_fill(dataset.schema)
    return None


def allowed(problem: Problem, draft: DiagramDraft, diagram: Diagram) -> bool:
    """Whether a diagram satisfies skeleton, sizes and all constraints; `draft` is the draft it was made from."""
    dataset, size = problem.dataset, problem.size
    if not draft.fits(size.layer_widths) or (size.max_splits is not None and diagram.n_splits > size.max_splits):
        return False
    if size.max_leaf_nodes is not None and diagram.n_leaves > size.max_leaf_nodes:
        return False
    answers = diagram.predict(dataset)
    labels = [node.label for node in diagram.nodes if isinstance(node, Leaf)]
    rows = np.bincount(answers, minlength=dataset.n_classes)[labels]
    weight = added_up(problem.weights, answers, dataset.n_classes)[labels]
    if rows.min() < size.min_samples_leaf or weight.min() < problem.min_weight_leaf:
        return False
    return not any(constraint.violations(diagram, dataset) for constraint in problem.constraints)
