"""A problem in the arrays of the kernels, and the conversion of their results to diagrams."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ....constraints.rules import (
    Allowed,
    ApartRule,
    FewColumns,
    Monotone,
    MustAppearRule,
    NeverBoth,
    PathCost,
    PrecedenceRule,
    PrerequisiteRule,
    Rules,
    ThresholdRange,
    TogetherRule,
)
from ....problem import MAX_DEPTH, Predicate, Problem, Shape, question_orders
from ...cases import Cases, cases_of
from ...permitted import permitted_columns
from ...trees.exact_search import Splits
from ...trees.path_rules import SearchSpace, search_space
from ...trees.tree_of_splits import rank_question
from ..draft import DiagramDraft, DraftNode, leaf_arc, plain_yes
from .fixed_top import FixedTop

if TYPE_CHECKING:
    from ....kernels.odd_cells import MergedRows, SkeletonArrays

ENOUGH = 2**40
"""A limit that never applies."""


_BY_COLUMN = (PrecedenceRule, PrerequisiteRule, PathCost, NeverBoth, FewColumns, MustAppearRule)


def follows_columns(rules: Rules) -> bool:
    """Whether the columns of the splits on paths, or in the whole diagram, matter."""
    return bool(rules.kinds & set(_BY_COLUMN)) or any(rule.tests is not None for rule in rules.sums)


@dataclass(frozen=True)
class DiagramGrid:
    """A problem as its cells, and the skeleton.

    The orders are those of `space.searched`; then one for each fixed split, with yes as the low side; then splits with
    all rows on one side.

    Attributes
    ----------
    problem : the problem; rules : its constraints.
    space : the splits that are permitted somewhere, see `SearchSpace`.
    rank : int32 (n_orders, n_samples), that of each row.
    cases : the cells of the rows, followed by `points`.
    cells : the same for the kernels; costs are those above `constant`.
    widths : the largest number of splits in each layer.
    given : by order, the split and whether its yes side is the low one, if the split is not one of `space`.
    column : int64 (n_orders + n_passing,), the column of each order.
    fixed : int64 (K, 3), see `ConstraintArrays`.
    trouble : the reason why no diagram is possible, empty if there is none.
    points : int64 (n_points, n_columns), conceivable rows: for each column the row that has their value.
    pairs, height : see `ConstraintArrays`.
    """

    problem: Problem
    rules: Rules
    space: SearchSpace
    rank: np.ndarray
    cases: Cases
    cells: MergedRows
    widths: tuple[int, ...]
    given: Mapping[int, tuple[Predicate, bool]]
    column: np.ndarray
    fixed: np.ndarray
    trouble: str
    points: np.ndarray
    pairs: np.ndarray
    height: np.ndarray

    @property
    def constant(self) -> int:
        """The cost that every model has: each cell at its cheapest class."""
        return self.cases.base

    @property
    def n_orders(self) -> int:
        """The number of orders that divide the rows."""
        return len(self.rank)

    @property
    def n_passing(self) -> int:
        """The number of splits with all rows on one side."""
        return len(self.column) - self.n_orders

    @property
    def follows_columns(self) -> bool:
        """Whether the columns of the splits on paths, or in the whole diagram, matter."""
        return follows_columns(self.rules)

    @cached_property
    def monotone(self) -> tuple[Monotone, ...]:
        """The rules that apply to all conceivable rows."""
        return self.rules.of(Monotone)

    @property
    def asks(self) -> bool:
        """Whether a diagram may have any split."""
        return bool(self.widths) and self.most_questions > 0 and self.n_orders > 0 and not self.trouble

    @property
    def most_questions(self) -> int:
        """The largest number of splits of a diagram."""
        room = sum(self.widths)
        limit = self.problem.size.max_splits
        return room if limit is None else min(room, limit)

    def price(self, n_questions: int) -> int:
        """The total split penalty."""
        return self.problem.splits_cost(n_questions)

    @cached_property
    def frame(self) -> SkeletonArrays:
        """The skeleton for the local search, narrowed to fit into the bits of a word."""
        from ....kernels.odd_cells import MOST_NODES, SkeletonArrays

        widest = max(self.widths, default=1)
        while sum(min(w, widest) for w in self.widths) > MOST_NODES:
            widest -= 1
        widths = [min(w, widest) for w in self.widths]
        first = np.concatenate(([0], np.cumsum(widths))).astype(np.int64)
        return SkeletonArrays(
            first,
            np.repeat(np.arange(len(widths)), widths).astype(np.int64),
            self.problem.split_penalty,
            int(self.problem.objective.free_root),
            self.most_questions,
            self.n_passing,
            self._at_root(),
        )

    def _at_root(self) -> np.ndarray:
        """Whether each order is permitted at the root."""
        first = [list(rule.columns) for rule in self.rules.of(Allowed) if rule.at_root]
        allowed = np.ones(len(self.column), bool)
        for columns in first:
            allowed &= np.isin(self.column, columns)
        return allowed

    def with_pairs(self, points: np.ndarray, relation: int) -> DiagramGrid:
        """The grid with further pairs of conceivable rows, int64 (n, 2, n_columns), for a line of `height`."""
        new = points.reshape(-1, points.shape[-1])
        column, cases = self.column[: self.n_orders], self.cases.padded(len(new))
        rank = np.hstack((self.cells.rank, self.rank[np.arange(self.n_orders)[:, None], new.T[column]]))
        first = len(self.cases) + 2 * np.arange(len(points))
        pairs = np.column_stack((first, first + 1, np.full(len(points), relation)))
        points, pairs = np.vstack((self.points, new)), np.vstack((self.pairs, pairs))
        return replace(self, cases=cases, cells=_merged_rows(rank, cases, self.rules), points=points, pairs=pairs)

    def leaf(self) -> DiagramDraft:
        """The diagram without splits that predicts the cheapest class."""
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
            passes = order >= self.n_orders
            below = np.ones(len(rows), bool) if passes else self.cells.rank[order, self.cases.of_row[rows]] <= last
            drafted[layer][v - int(first[layer])] = self._node(rows, below, order, last, low, high)
            for arc, part in ((low, rows[below]), (high, rows[~below])):
                if arc >= 0:
                    arrived.setdefault(int(first[layer + 1]) + arc, []).append(part)
        return DiagramDraft(drafted)

    def nodes_of_tree(self, splits: Splits) -> np.ndarray | None:
        """A tree as int64 (V, 4); `None` if a layer has more splits than the frame has slots."""
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
        whole = below.all() or not below.any()
        if whole and order not in self.given and self.n_passing and not self.follows_columns and not self.monotone:
            order, low, high = self.n_orders, *((low, high) if below.all() else (high, low))
        if order in self.given:
            question, low_is_yes = self.given[order]
            return DraftNode(question, low, high) if low_is_yes else DraftNode(question, high, low)
        if whole or self.monotone:
            # the rows of this node do not determine the threshold, or all conceivable rows matter: use the nearest rows
            # of the table on either side
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
    """The arrays of a problem under its rules."""
    from ....kernels.odd_rules import DIFFERENT, SAME

    orders = question_orders(problem.dataset)
    # a terminal collects rows from the whole diagram, so no split leaves too few rows for a leaf
    plain = replace(problem, shape=Shape(max_depth=0), constraints=())
    which = tuple(rule for rule in rules.path if isinstance(rule, Allowed | ThresholdRange))
    space = search_space(plain, orders, Rules(path=which))
    widths = problem.size.layer_widths[:MAX_DEPTH]
    top = FixedTop(problem, rules, len(widths), permitted_columns(rules, problem.dataset.n_columns), space.within)
    passing = _passing(problem, rules, space)
    rank = np.vstack((space.searched.rank, *(line[None] for line in top.ranks))).astype(np.int32)
    given, column, fixed = top.numbered(len(space.searched), passing)
    cases = cases_of(problem, rank)
    pairs = [
        (cases.of_row[first], cases.of_row[second], relation)
        for kind, relation in ((TogetherRule, SAME), (ApartRule, DIFFERENT))
        for rule in rules.of(kind)
        for first, second in rule.pairs
    ]
    return DiagramGrid(
        problem,
        rules,
        space,
        rank,
        cases,
        _merged_rows(rank[:, cases.first], cases, rules),
        widths,
        given,
        np.append(space.searched.column, column).astype(np.int64),
        fixed,
        top.trouble,
        np.zeros((0, problem.dataset.n_columns), np.int64),
        np.array(pairs, np.int64).reshape(len(pairs), 3),
        np.array([_heights(rule) for rule in rules.of(Monotone)], np.int64).reshape(-1, problem.dataset.n_classes),
    )


def _heights(rule: Monotone) -> np.ndarray:
    """The height of each class, int64 (n_classes,); predictions must not fall in height."""
    height = np.argsort(rule.order)
    return height if rule.rising else -height


def _passing(problem: Problem, rules: Rules, space: SearchSpace) -> list[Predicate]:
    """Splits with all rows on the yes side: one that is permitted at the root if there is one, or one per column."""
    dataset, permitted = problem.dataset, permitted_columns(rules, problem.dataset.n_columns)
    searched = permitted.intersection(space.searched.column.tolist())
    if follows_columns(rules):
        found = [plain_yes(dataset, {column}, space.within) for column in sorted(searched)]
    else:
        at_root = searched.intersection(*(rule.columns for rule in rules.of(Allowed)))
        found = [plain_yes(dataset, at_root, space.within) or plain_yes(dataset, permitted, space.within)]
    return [question for question in found if question is not None]


def _merged_rows(ranks: np.ndarray, cases: Cases, rules: Rules) -> MergedRows:
    """The cells of these ranks, int (n_orders, n_cells), for the kernels."""
    from ....kernels.odd_cells import MergedRows

    rank = np.ascontiguousarray(ranks, np.int32)
    sums = [cases.total(rule.by_label) for rule in rules.sums]
    return MergedRows(
        rank,
        np.ascontiguousarray(np.argsort(rank, axis=1, kind="stable"), np.int32),
        cases.regret,
        cases.rows,
        cases.weight,
        np.array(sums, np.int64).reshape(len(sums), *cases.cost.shape),
        np.array([rule.limit for rule in rules.sums], np.int64),
    )
