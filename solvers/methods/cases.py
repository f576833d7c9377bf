"""Rows that no split separates are merged into one *case* (or cell), with their values added up as integers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np

from ..constraints.rules import ApartRule, Sum, TogetherRule
from ..problem import Problem


def added_up(by_row: np.ndarray, cell: np.ndarray, n_cells: int) -> np.ndarray:
    """Sum values of rows (n_samples, ...) by cell: int64 (n_cells, ...); `cell` has the cell of each row."""
    if by_row.ndim == 1:
        sums = np.zeros(n_cells, np.int64)
        np.add.at(sums, cell, by_row)
        return sums
    lines = np.ascontiguousarray(by_row.reshape(len(by_row), prod(by_row.shape[1:])).T, np.int64)
    total, cell = np.zeros((len(lines), n_cells), np.int64), cell.astype(np.intp, copy=False)
    # one-dimensional sums are several times faster
    for line, amounts in zip(total, lines, strict=True):
        np.add.at(line, cell, amounts)
    return np.ascontiguousarray(total.T).reshape(n_cells, *by_row.shape[1:])


def class_weights(problem: Problem, cell: np.ndarray, n_cells: int) -> np.ndarray:
    """The weight of each class in each cell, int64 (n_cells, n_classes)."""
    n_classes = problem.dataset.n_classes
    place = cell * n_classes + problem.dataset.y
    return added_up(problem.weights, place, n_cells * n_classes).reshape(n_cells, n_classes)


@dataclass(frozen=True)
class Cases:
    """The distinct rows of a problem under given splits: equal rows share a leaf in every model of these splits.

    Attributes
    ----------
    of_row : int64 (n_samples,), the case of each row.
    first : int64 (n_cases,), the position of the first row of each case.
    rows : int64 (n_cases,), the number of rows.
    class_weight : int64 (n_cases, n_classes), the weight by true class, in units of `Problem.weights`.
    cost : int64 (n_cases, n_classes), the cost by predicted class, in cost units.
    """

    of_row: np.ndarray
    first: np.ndarray
    rows: np.ndarray
    class_weight: np.ndarray
    cost: np.ndarray

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def weight(self) -> np.ndarray:
        """The weight of each case, int64 (n_cases,)."""
        return np.asarray(self.class_weight.sum(axis=1))

    @cached_property
    def least(self) -> np.ndarray:
        """The cost of each case at its best class, int64 (n_cases,)."""
        return np.asarray(self.cost.min(axis=1))

    @cached_property
    def regret(self) -> np.ndarray:
        """The extra cost of each class over the best one, int64 (n_cases, n_classes), with a 0 in every row."""
        return np.asarray(self.cost - self.least[:, None])

    @property
    def base(self) -> int:
        """The cost that no model over these splits can avoid."""
        return int(self.least.sum())

    @cached_property
    def useful_classes(self) -> np.ndarray:
        """The classes worth predicting, int64: no other class is at most as costly in every case."""
        useful: list[int] = []
        for k in range(self.cost.shape[1]):
            no_dearer = np.asarray((self.cost <= self.cost[:, [k]]).all(axis=0))
            cheaper = no_dearer & (self.cost < self.cost[:, [k]]).any(axis=0)
            if not (cheaper.any() or no_dearer[:k].any()):
                useful.append(k)
        return np.array(useful, np.int64)

    def contradictory(self, numbers: np.ndarray) -> np.ndarray:
        """Those of the row numbers (n_samples,) whose case has rows of several classes, sorted."""
        return np.sort(numbers[(self.class_weight[self.of_row] > 0).sum(axis=1) > 1])

    def cost_by_cell(self, cell: np.ndarray, n_cells: int) -> int:
        """The minimum cost of a model that sees only the cell of each case; `cell` is int (n_cases,)."""
        return int(added_up(self.cost, cell, n_cells).min(axis=1).sum())

    def padded(self, n: int) -> Cases:
        """A copy with n empty cases appended."""
        return replace(
            self,
            first=np.pad(self.first, (0, n), constant_values=-1),
            rows=np.pad(self.rows, (0, n)),
            class_weight=np.pad(self.class_weight, ((0, n), (0, 0))),
            cost=np.pad(self.cost, ((0, n), (0, 0))),
        )

    def pairs(self, rules: Collection[TogetherRule | ApartRule]) -> np.ndarray:
        """The pairs of rows of these rules as pairs of cases, int64 (n, 2), the smaller number first, each once."""
        rows = np.array([pair for rule in rules for pair in rule.pairs], np.int64).reshape(-1, 2)
        return np.unique(np.sort(self.of_row[rows], axis=1), axis=0)

    def total(self, by_row: np.ndarray) -> np.ndarray:
        """Sum values of rows (n_samples, ...) by case: int64 (n_cases, ...)."""
        return added_up(by_row, self.of_row, len(self))

    def amounts(self, sums: Collection[Sum]) -> np.ndarray:
        """What each case adds by predicted class: int64 (n_cases, n_classes, 1 + n_sums), first to the cost."""
        return np.stack([self.cost, *(self.total(rule.by_label) for rule in sums)], axis=-1)


def cases_of(problem: Problem, keys: np.ndarray) -> Cases:
    """The distinct rows of a problem by their bits or ranks, (n_questions, n_samples)."""
    if not len(keys):
        first, of_row = np.zeros(1, np.int64), np.zeros(keys.shape[1], np.int64)
    elif keys.dtype.itemsize == 1:
        packed = np.ascontiguousarray(np.packbits(keys, axis=0).T)
        lines = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
        _, first, of_row = np.unique(lines, return_index=True, return_inverse=True)
    else:
        _, first, of_row = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    of_row = of_row.ravel().astype(np.int64)
    weights = class_weights(problem, of_row, len(first))
    rows = np.bincount(of_row, minlength=len(first)).astype(np.int64)
    return Cases(of_row, first.astype(np.int64), rows, weights, problem.leaf_costs(weights))
