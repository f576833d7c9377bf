"""A problem in the arrays of the kernels, and diagrams back from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from solvers.constraints.rules import Allowed, Rules, ThresholdRange
from solvers.methods.cells import added_up
from solvers.methods.diagrams.draft import DiagramDraft, DraftNode, leaf_arc, plain_yes
from solvers.methods.permitted import permitted_columns
from solvers.methods.trees.exact_search import Splits
from solvers.methods.trees.path_rules import SearchSpace, search_space
from solvers.methods.trees.tree_of_splits import rank_question
from solvers.problem import MAX_DEPTH, Orders, Predicate, Problem, Shape, question_orders

if TYPE_CHECKING:
    from solvers.kernels.odd_cells import MergedRows, SkeletonArrays

ENOUGH = 2**40
"""As good as no limit."""


@dataclass(frozen=True)
class DiagramGrid:
    """A problem as its cells, and the skeleton.

    Attributes
    ----------
    problem : what is asked.
    space : the questions that may be asked somewhere, see `SearchSpace`; `space.searched` are those of the cells.
    cell : int64 (n_samples,), the cell of each row.
    cells : see `MergedRows`; costs are those beyond `constant`.
    constant : what every model costs: each cell at its cheapest class.
    widths : the most questions in each layer.
    passing : a question that all rows answer with yes, if there is one.
    """

    problem: Problem
    space: SearchSpace
    cell: np.ndarray
    cells: MergedRows
    constant: int
    widths: tuple[int, ...]
    passing: Predicate | None

    @property
    def n_orders(self) -> int:
        """The number of question orders."""
        return len(self.space.searched)

    @property
    def most_questions(self) -> int:
        """The most questions that a diagram may have."""
        room = sum(self.widths)
        limit = self.problem.size.max_splits
        return room if limit is None else min(room, limit)

    def price(self, n_questions: int) -> int:
        """What so many questions cost."""
        return self.problem.splits_cost(n_questions)

    @cached_property
    def frame(self) -> SkeletonArrays:
        """The skeleton as the local search knows it, narrowed to what fits into a word of bits."""
        from solvers.kernels.odd_cells import MOST_NODES, SkeletonArrays

        widest = max(self.widths, default=1)
        while sum(min(w, widest) for w in self.widths) > MOST_NODES:
            widest -= 1
        widths = [min(w, widest) for w in self.widths]
        first = np.concatenate(([0], np.cumsum(widths))).astype(np.int64)
        return SkeletonArrays(
            first,
            np.repeat(np.arange(len(widths)), widths).astype(np.int64),
            self.problem.split_cost,
            int(self.problem.objective.free_root),
            self.most_questions,
            self.passing is not None,
            self._at_root(),
        )

    def _at_root(self) -> np.ndarray:
        """The orders that may be asked first, and last whether the question that all answer alike may be."""
        allowed = self.space.ruling.root.astype(bool)
        column = -1 if self.passing is None else self.problem.dataset.schema.index(self.passing.column)
        mine = allowed[self.space.searched.column == column]
        return np.append(allowed, not len(mine) or mine.all())

    def leaf(self) -> DiagramDraft:
        """The diagram that asks nothing, with the cheapest answer."""
        return DiagramDraft([], leaf_arc(int(self.cells.price.sum(axis=0).argmin())))

    def draft(self, nodes: np.ndarray) -> DiagramDraft:
        """The draft of a diagram in arrays, int64 (V, 4), within `frame`."""
        first, layers = self.frame.first, len(self.frame.first) - 1
        drafted: list[dict[int, DraftNode]] = [{} for _ in range(layers)]
        arrived = {0: [np.arange(self.problem.dataset.n_samples)]}
        for v, (order, last, low, high) in enumerate(nodes.tolist()):
            if v not in arrived:
                continue
            layer, rows = int(self.frame.layer[v]), np.sort(np.concatenate(arrived[v]))
            passes = order == self.n_orders
            below = np.ones(len(rows), bool) if passes else self.cells.rank[order, self.cell[rows]] <= last
            drafted[layer][v - int(first[layer])] = self._node(rows, below, order, last, low, high)
            for arc, part in ((low, rows[below]), (high, rows[~below])):
                if arc >= 0:
                    arrived.setdefault(int(first[layer + 1]) + arc, []).append(part)
        return DiagramDraft(drafted)

    def nodes_of_tree(self, splits: Splits) -> np.ndarray | None:
        """A tree as int64 (V, 4); `None` where a layer has more questions than the frame has slots."""
        first, nodes = self.frame.first, np.full((len(self.frame.layer), 4), -1, np.int64)
        here = [(0, np.ones(len(self.cells.rows), bool))] if 0 in splits else []
        for layer in range(len(first) - 1):
            if len(here) > first[layer + 1] - first[layer]:
                return None
            below: list[tuple[int, np.ndarray]] = []
            for v, (slot, mask) in enumerate(here, start=int(first[layer])):
                order, last = nodes[v, :2] = splits[slot]
                low = self.cells.rank[order] <= last
                for side, part in enumerate((mask & low, mask & ~low)):
                    child = 2 * slot + 1 + side
                    nodes[v, 2 + side] = len(below)
                    if child in splits:
                        below.append((child, part))
                    else:
                        nodes[v, 2 + side] = ~int(self.cells.price[part].sum(axis=0).argmin())
            here = below
        return nodes if nodes[0, 0] >= 0 else None

    def _node(self, rows: np.ndarray, below: np.ndarray, order: int, last: int, low: int, high: int) -> DraftNode:
        if below.all() or not below.any():
            to, other = (low, high) if below.all() else (high, low)
            if self.passing is not None:
                return DraftNode(self.passing, to, other)
            # no row of this node decides what the question is; the nearest that some rows of the table answer otherwise
            rows = np.arange(self.problem.dataset.n_samples)
        space, low_is_yes = rank_question(
            self.problem,
            self.space.orders,
            rows,
            int(self.space.kept[order]),
            int(self.space.lasts[order][last]),
            self.space.within,
        )
        return DraftNode(space, low, high) if low_is_yes else DraftNode(space, high, low)


def grid_of(problem: Problem, rules: Rules) -> DiagramGrid:
    """The arrays of a problem under the rules that say which questions there are, and which sums are limited."""
    orders = question_orders(problem.dataset)
    # a terminal collects rows from the whole diagram, so no question parts too few of them
    plain = replace(problem, shape=Shape(max_depth=0), constraints=())
    which = tuple(rule for rule in rules.path if isinstance(rule, Allowed | ThresholdRange))
    space = search_space(plain, orders, Rules(path=which))
    cell, cells, constant = _cells(problem, space.searched, rules)
    permitted = permitted_columns(rules, problem.dataset.n_columns)
    at_root = permitted.intersection(space.searched.column.tolist(), *(rule.columns for rule in rules.of(Allowed)))
    passing = plain_yes(problem.dataset, at_root, space.within) or plain_yes(problem.dataset, permitted, space.within)
    widths = problem.size.layer_widths[:MAX_DEPTH]
    return DiagramGrid(problem, space, cell, cells, constant, widths, passing)


def _cells(problem: Problem, orders: Orders, rules: Rules) -> tuple[np.ndarray, MergedRows, int]:
    """The cell of each row, the cells, and what they cost at least."""
    from solvers.kernels.odd_cells import MergedRows

    dataset = problem.dataset
    shown, cell = np.unique(orders.rank.T, axis=0, return_inverse=True)
    cell = cell.reshape(-1)
    m = len(shown) if len(orders) else 1
    cell = cell if len(orders) else np.zeros(dataset.n_samples, np.int64)
    rank = np.ascontiguousarray(shown.T.reshape(len(orders), m), np.int32)
    price = added_up(problem.weights[:, None] * problem.class_costs[dataset.y], cell, m)
    least = price.min(axis=1)
    sums = [added_up(rule.by_label, cell, m) for rule in rules.sums]
    cells = MergedRows(
        rank,
        np.ascontiguousarray(np.argsort(rank, axis=1, kind="stable"), np.int32),
        price - least[:, None],
        np.bincount(cell, minlength=m).astype(np.int64),
        np.bincount(cell, problem.weights, m).astype(np.int64),
        np.array(sums, np.int64).reshape(len(sums), m, dataset.n_classes),
        np.array([rule.limit for rule in rules.sums], np.int64),
    )
    return cell, cells, int(least.sum())
