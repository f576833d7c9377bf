"""Interface of the exact search: problems as weighted rows, and its searches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ...errors import MagnitudeError
from ...magnitude import LARGEST_ROWS
from ...problem import Orders, Problem
from ..cases import added_up

if TYPE_CHECKING:
    from ...kernels.path_rules import PathRuleArrays
    from ...kernels.tree_search import TreeSearch


@dataclass(frozen=True)
class WeightedRows:
    """A problem in the form that the search takes; the original cost is higher by `constant`.

    label : int64 (n_samples,), weight : int64 (n_samples,), at least 0.
    costs : int64 (n_labels, n_labels), the cost per unit of weight by label and prediction, with minimum 0 in each row;
        `None` if every error costs the weight of its row.
    """

    label: np.ndarray
    weight: np.ndarray
    n_labels: int
    constant: int
    costs: np.ndarray | None = None

    @property
    def error_costs(self) -> np.ndarray:
        """The cost per unit of weight by label and prediction, int64 (n_labels, n_labels)."""
        return 1 - np.eye(self.n_labels, dtype=np.int64) if self.costs is None else self.costs

    @property
    def total(self) -> int:
        """The largest possible cost of all rows together."""
        return int((self.weight if self.costs is None else self.weight * self.costs.max(axis=1)[self.label]).sum())


def as_weighted_rows(problem: Problem) -> WeightedRows:
    """The problem as weighted rows, without class costs if they can be written as weights.

    For two classes, the cheaper prediction of a row is its label, its cost goes into the constant, and the difference
    to the other prediction is its weight. The same works for more classes if all wrong predictions cost the same. If
    not, the minimum cost of each class goes into the constant.
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
        free = costs.min(axis=1)
        return WeightedRows(y, weights, len(costs), int((weights * free[y]).sum()), costs - free[:, None])
    return WeightedRows(y, weights * (wrong - right)[y], len(costs), int((weights * right[y]).sum()))


def tree_search(  # noqa: PLR0913
    problem: Problem,
    orders: Orders,
    rows: WeightedRows,
    *,
    ceiling: int,
    index: np.ndarray | None = None,
    depth: int | None = None,
    leaves: int | None = None,
    known: int = 0,
    gap: int = 0,
    unit: int = 1,
    split: int | None = None,
    threads: int = 1,
    ruling: PathRuleArrays | None = None,
    used: int = 0,
    chain: bool = False,
    climb: bool = False,
    purest_first: bool = False,
    relaxed: bool = False,
    make: Callable[..., TreeSearch] | None = None,
) -> TreeSearch:
    """A search for trees below a cost ceiling, under the limits of a problem; costs are those of the weighted rows.

    Raises `MagnitudeError` if there are more rows, or a larger total weight, than the search can count.

    Parameters
    ----------
    problem : gives depth, leaves, minimum leaf size and split penalty, unless given here.
    ceiling, known, gap, unit, climb, purest_first : see `TreeSearch`.
    index : int (n,), the rows to use; all by default.
    threads : more than one is faster from depth three on.
    ruling : path rules and costs by order; used : the columns on the path above, as a bit mask.
    chain : whether one side of every split must be a leaf.
    relaxed : for bounds on some of the rows, without the rules for which fewer rows may cost more, see `relaxes`.
    make : another search class, with the same arguments as `TreeSearch`.
    """
    from ...kernels.parallel_search import ParallelTreeSearch
    from ...kernels.tree_search import TreeSearch

    size, ruled = problem.size, relaxed and relaxes(problem, ruling)
    if ruled and ruling is not None:
        ruling = ruling._replace(needed=np.zeros_like(ruling.needed), root=np.ones_like(ruling.root))
    part: np.ndarray | slice = slice(None) if index is None else index
    if len(rows.label) > LARGEST_ROWS:
        raise MagnitudeError(
            f"The exact search takes at most {LARGEST_ROWS:,} rows, but the table has {len(rows.label):,}."
        )
    made = make or (TreeSearch if threads == 1 else partial(ParallelTreeSearch, threads=threads))
    return made(
        np.ascontiguousarray(orders.rank[:, part]),
        rows.label[part],
        rows.weight[part],
        orders.twin,
        orders.missing_rank,
        rows.n_labels,
        size.max_depth if depth is None else depth,
        ceiling=ceiling,
        known=max(0, known),
        gap=gap,
        leaves=size.max_leaf_nodes if leaves is None else leaves,
        split=problem.split_penalty if split is None else split,
        unit=unit,
        costs=rows.costs,
        least_rows=1 if ruled else size.min_samples_leaf,
        least_weight=1 if ruled else max(1, problem.min_weight_leaf * (problem.scaled.error_cost or 0)),
        ruling=ruling,
        used=used,
        chain=chain,
        climb=climb,
        purest_first=purest_first,
    )


def relaxes(problem: Problem, ruling: PathRuleArrays | None) -> bool:
    """Whether a tree for all rows may be forbidden on some of them.

    A minimum leaf size forbids leaves with few rows. A split that separates none of the rows is removed, so a later
    split may lose a feature that it needs above it, or become the root.
    """
    ruled = ruling is not None and bool(ruling.needed.any() or not ruling.root.all())
    return ruled or problem.size.min_samples_leaf > 1 or problem.min_weight_leaf > 1


def leaf_cost(rows: WeightedRows, index: np.ndarray) -> int:
    """The cost of these rows (positions) as one leaf."""
    by_label = added_up(rows.weight[index], rows.label[index], rows.n_labels)
    return int((by_label @ rows.error_costs).min())
