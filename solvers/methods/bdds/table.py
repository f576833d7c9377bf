"""From an ordered list of splits to the binary decision diagram (BDD) with the best prediction for each cell of rows.

H splits divide the rows into 2^H cells. A truth table gives the prediction of each cell; its *beads*, the subtables
that are not squares (one table written twice), correspond one to one to the nodes of the ordered and reduced BDD (Hu,
Huguet and Siala 2022, proposition 1 and appendix; Knuth, TAOCP 4A, section 7.1.4). A square has a redundant split, and
equal subtables are one node, so neither is built.

A cell with rows predicts the class that costs least there. A cell without rows may predict anything. Three policies
decide (section 4 of the paper, 'biases'):

- `PARENT` (P): the majority of the smallest block of the table around the cell that has rows;
- `MERGE` (C): the class that makes subtables equal: from the top down, a subtable with compatible halves becomes a
  square, and compatible subtables of one level are merged;
- `SOLVED` (S): the prediction of the solver's own table.

No policy changes the predictions for training rows, and none adds a class that no cell with rows predicts: a terminal
without training rows would have no support in the data.

Example
-------
With 'u' for cells without rows, `MERGE` turns u0u1011u into 10010110 (the paper's example 3): u0u1 and 011u contradict
each other, as do the halves of each, but of the four subtables u0, u1, 01, 1u the first merges with the last and the
second with the third.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...diagram import Diagram, Leaf, Split
from ...problem import Predicate, Problem, ShapeKind
from ..cases import class_weights
from ..features import Features
from ..trees.tree_of_splits import leaf_with

UNKNOWN = -1
"""The label of a cell without rows before a policy is applied."""


class Unseen(StrEnum):
    """The policy for the predictions of cells without training rows."""

    PARENT = "parent"
    MERGE = "merge"
    SOLVED = "solved"


@dataclass(frozen=True)
class TruthTable:
    """The cells of an ordered list of splits, with the rows in each and their costs.

    The split results of a row, yes as 1, are the binary digits of its cell, the first split as the highest bit: with H
    splits, cell 0 is no for all of them, and the second half of all tables is the yes side of the first split.

    Attributes
    ----------
    problem : the problem.
    questions : the splits in order, all different.
    cell : int64 (n_samples,), the cell of each row.
    weights : int64 (2^H, n_classes), the weight of each class in each cell, in units of `Problem.weights`.
    """

    problem: Problem
    questions: tuple[Predicate, ...]
    cell: np.ndarray
    weights: np.ndarray

    @cached_property
    def seen(self) -> np.ndarray:
        """Whether a cell has rows, bool (2^H,)."""
        return np.asarray(self.weights.any(axis=1))

    @cached_property
    def costs(self) -> np.ndarray:
        """The cost of each cell by predicted class, int64 (2^H, n_classes)."""
        return self.problem.leaf_costs(self.weights)

    @cached_property
    def best(self) -> np.ndarray:
        """The class of least cost of each cell, the first of equals; `UNKNOWN` without rows, int64 (2^H,)."""
        return np.where(self.seen, self.costs.argmin(axis=1), UNKNOWN)

    @property
    def cost(self) -> int:
        """The cost of the labels `best`, without split penalties: no diagram of these splits costs less."""
        return int(self.costs.min(axis=1).sum())

    def labels(self, unseen: Unseen, solved: np.ndarray | None = None) -> np.ndarray:
        """The predicted class of every cell under a policy.

        Parameters
        ----------
        unseen : the policy for cells without rows.
        solved : int (2^H,), the solver's own table; needed for `SOLVED`, where it also breaks ties between classes.

        Returns
        -------
        int64 (2^H,), class indices, each of them predicted by a cell with rows.
        """
        if unseen is not Unseen.SOLVED:
            return self.filled(self.best, unseen)
        assert solved is not None and len(solved) == len(self.best), "the policy 'as solved' needs the solver's table"
        labels = np.asarray(solved, np.int64)
        as_good = self.costs[np.arange(len(labels)), labels] == self.costs.min(axis=1)
        known = np.where(self.seen & as_good, labels, self.best)
        return self.filled(known, unseen, labels)

    def filled(self, known: np.ndarray, unseen: Unseen, solved: np.ndarray | None = None) -> np.ndarray:
        """Known labels for cells with rows, and the policy's for the others (for `SOLVED`: `solved`), int64 (2^H,)."""
        if unseen is Unseen.MERGE:
            return merge_rows(known)
        labels = self._by_parent(known)
        if solved is None:
            return labels
        return np.where(~self.seen & np.isin(solved, known[self.seen]), solved, labels)

    def _by_parent(self, known: np.ndarray) -> np.ndarray:
        """Fill each cell without rows with the cheapest class of the smallest surrounding block that has rows.

        A block is the part of the table below the first k splits; only classes that its cells predict are considered.
        """
        n_classes = self.weights.shape[1]
        labels = np.where(self.seen, known, UNKNOWN)
        answers = labels[:, None] == np.arange(n_classes)
        for level in range(len(self.questions) - 1, -1, -1):
            open_cells = np.flatnonzero(labels == UNKNOWN)
            if not len(open_cells):
                break
            held = self.weights.reshape(2**level, -1, n_classes).sum(axis=1)
            given = answers.reshape(2**level, -1, n_classes).any(axis=1)
            costs = np.where(given, self.problem.leaf_costs(held), np.iinfo(np.int64).max)
            block = np.where(held.any(axis=1), costs.argmin(axis=1), UNKNOWN)
            labels[open_cells] = block[open_cells >> (len(self.questions) - level)]
        return labels


def truth_table(problem: Problem, questions: Sequence[Predicate]) -> TruthTable:
    """Divide the training rows into the cells of these splits, in this order."""
    dataset = problem.dataset
    questions = tuple(questions)
    assert len(set(questions)) == len(questions), "a question is asked once on a path"
    cell = np.zeros(dataset.n_samples, np.int64)
    for question in questions:
        cell = 2 * cell + question.answer(dataset.X[:, dataset.schema.index(question.column)])
    return TruthTable(problem, questions, cell, class_weights(problem, cell, 2 ** len(questions)))


def merge_rows(table: np.ndarray) -> np.ndarray:
    """Fill in the unknown cells of a truth table so that compatible subtables become equal, from the top down.

    Two tables are compatible if no cell has different known labels (Kohavi and Li 1995, section 3; the three phases of
    Hu, Huguet and Siala 2022). Tables are taken by number of known cells, most first; each joins the table with which
    it agrees in the most known cells, and takes its labels for its own unknown cells.

    A table, int64 (2^H,), has class indices, or `UNKNOWN` if any class will do; at least one cell must be known.
    """
    tables, place = np.asarray(table, np.int64)[None], np.zeros(1, np.int64)
    while tables.shape[1] > 1:
        low, high = np.hsplit(tables, 2)
        square = ~_clash(low, high).any(axis=1, keepdims=True)
        both = np.where(low == UNKNOWN, high, low)
        low, high = np.where(square, both, low), np.where(square, both, high)
        tables, group = _join(np.stack([low, high], axis=1).reshape(-1, low.shape[1]))
        place = group[2 * place[:, None] + [0, 1]].ravel()
    assert (tables != UNKNOWN).all(), "a table without a known cell has no answer"
    labels: np.ndarray = tables[place, 0]
    return labels


def _clash(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The cells in which two tables have different known labels."""
    apart: np.ndarray = (one != other) & (one != UNKNOWN) & (other != UNKNOWN)
    return apart


def _join(tables: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Merge compatible tables, int64 (n, size).

    Returns the merged tables, int64 (n_groups, size), and the group of each table, int64 (n,).
    """
    different, which = np.unique(tables, axis=0, return_inverse=True)
    known = (different != UNKNOWN).sum(axis=1)
    groups, into = np.empty_like(different), np.empty(len(different), np.int64)
    n = 0
    for t in np.argsort(-known, kind="stable"):
        table, into[t] = different[t], n
        # complete tables come first, and two different ones always clash
        fits = np.flatnonzero(~_clash(groups[:n], table).any(axis=1)) if known[t] < len(table) else ()
        if len(fits):
            agreed = ((groups[fits] == table) & (table != UNKNOWN)).sum(axis=1)
            into[t] = fits[agreed.argmax()]
            groups[into[t]] = np.where(groups[into[t]] == UNKNOWN, table, groups[into[t]])
        else:
            groups[n] = table
            n += 1
    return groups[:n], into[which.ravel()]


def beads_of(labels: np.ndarray) -> tuple[int, dict[tuple[int, int, int], int]]:
    """The beads of a complete truth table, int (2^H,), from the bottom up.

    Returns the root, and the number of each bead by its level and its two halves. A terminal of class k has number ~k.
    """
    beads: dict[tuple[int, int, int], int] = {}
    tables = (~np.asarray(labels, np.int64)).tolist()
    for level in reversed(range(len(tables).bit_length() - 1)):
        halves = zip(tables[::2], tables[1::2], strict=True)
        tables = [no if no == yes else beads.setdefault((level, no, yes), len(beads)) for no, yes in halves]
    return tables[0], beads


def reduce(table: TruthTable, labels: np.ndarray) -> Diagram:
    """The ordered and reduced BDD of a complete truth table, with one leaf per class and the class counts of its rows.

    Parameters
    ----------
    table : the splits and their cells.
    labels : int (2^H,), the class that each cell predicts; each must be predicted by a cell with rows.
    """
    dataset, questions = table.problem.dataset, table.questions
    root, beads = beads_of(labels)
    kept = list(beads)
    # nodes by level, and within a level in the order in which the nodes above lead to them
    levels: list[dict[int, None]] = [{} for _ in questions]
    if root >= 0:
        levels[kept[root][0]][root] = None
    for level in levels:
        for bead in level:
            for half in kept[bead][1:]:
                if half >= 0:
                    levels[kept[half][0]][half] = None
    ordered = [bead for level in levels for bead in level]
    ordered += [~k for k in np.unique(labels).tolist()]
    number = {bead: i for i, bead in enumerate(ordered)}
    answer, nodes = np.asarray(labels)[table.cell], list[Split | Leaf]()
    for bead in ordered:
        if bead < 0:
            nodes.append(leaf_with(table.problem, answer == ~bead, ~bead))
        else:
            position, no, yes = kept[bead]
            nodes.append(Split(questions[position], number[yes], number[no]))
    return Diagram(ShapeKind.BDD, dataset.schema, dataset.classes, dataset.outcome, dataset.positive, tuple(nodes))


def bdd_of(
    problem: Problem, questions: Sequence[Predicate], unseen: Unseen, solved: np.ndarray | None = None
) -> Diagram:
    """The ordered and reduced BDD of these splits with least-cost predictions; see `TruthTable.labels`."""
    table = truth_table(problem, questions)
    return reduce(table, table.labels(unseen, solved))


class OrderedBdd(NamedTuple):
    """The BDD of an ordered list of splits and a truth table.

    Attributes
    ----------
    n_splits : its inner nodes.
    order : the splits, root first: positions in a given list, or features.
    labels : the class of each cell; cells are numbered by the split results in this order.
    cost : the cost of the table; of `cheapest_bdd`, with the penalty of the nodes.
    """

    n_splits: int
    order: tuple[int, ...]
    labels: tuple[int, ...]
    cost: int = 0

    @classmethod
    def of_needed(cls, n_splits: int, order: tuple[int, ...], labels: np.ndarray, cost: int = 0) -> "OrderedBdd":
        """From labels of all variables, int (2**n_variables,); those that are not in `order` have no effect."""
        n_variables = len(labels).bit_length() - 1
        others = [v for v in range(n_variables) if v not in order]
        table = labels.reshape((2,) * n_variables).transpose((*order, *others)).reshape(2 ** len(order), -1)
        return cls(n_splits, order, tuple(table[:, 0].tolist()), cost)

    def of_features(self, chosen: Sequence[int], cost: int) -> "OrderedBdd":
        """The same with the features at its positions, and another cost."""
        return self._replace(order=tuple(chosen[p] for p in self.order), cost=cost)

    def questions(self, features: Features) -> tuple[Predicate, ...]:
        """The splits in order."""
        return tuple(features.predicates[f] for f in self.order)

    def diagram(self, problem: Problem, features: Features, unseen: Unseen = Unseen.SOLVED) -> Diagram:
        """The diagram; under a policy other than 'as solved', the policy sets the predictions of cells without rows."""
        if unseen is Unseen.SOLVED:
            return reduce(truth_table(problem, self.questions(features)), np.array(self.labels))
        return bdd_of(problem, self.questions(features), unseen)
