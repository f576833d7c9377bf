"""A problem in the arrays of the kernels: rows, skeleton, constraints, and the conversion of results to diagrams.

A decision diagram has one terminal per class, so a *leaf* of the shared rules is the set of all rows with one
prediction. A minimum of rows per leaf applies to the rows of every class in use. Purity limits, for each class, the
weight of its errors, which is a sum:

    sum over rows that get class k of  (share - [y_i = k]) w_i  <=  0

A diagram must be monotone on all conceivable rows, which are too many to enumerate. So the search starts with none, and
adds the two rows of each contradiction that it finds. As thresholds are midway between values of the table, a
conceivable row can be composed of values of existing rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import or_
from typing import TYPE_CHECKING

import numpy as np

from ....constraints.monotone import Box, MonotoneIn, whole_domain
from ....constraints.rules import (
    EVERY_RULE,
    Allowed,
    ApartRule,
    FewColumns,
    MinNodeRowsRule,
    Monotone,
    MustAppearRule,
    PathCost,
    PrecedenceRule,
    PrerequisiteRule,
    RuleListRule,
    Rules,
    TogetherRule,
)
from ....diagram import ColumnDomain, Diagram
from ....magnitude import LARGEST_WEIGHTED
from ....problem import MAX_DEPTH, Dataset, Op, Predicate, Problem, ShapeKind, question_orders
from ....problem.threshold_set import ThresholdSet
from ...base import Unsupported, only_kind, uncounted, unposted
from ...cases import Cases, cases_of
from ...permitted import EVERYWHERE, PermittedSplits, cost_masks, fixed_places, order_masks, permitted_columns
from ...purity import rules_for_classes
from ...trees.tree_of_splits import Splits, labelled
from ..draft import DiagramDraft, DraftNode, plain_yes

if TYPE_CHECKING:
    from ....kernels.odd_cells import ConstraintArrays, MergedRows, SkeletonArrays

ENOUGH = 2**40
"""A limit that never applies."""


_BY_COLUMN = (PrecedenceRule, PrerequisiteRule, PathCost, FewColumns, MustAppearRule)


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
    space : the splits that are permitted somewhere.
    rank : int32 (n_orders, n_samples), that of each row.
    cases : the cells of the rows, followed by `points`.
    cells : the same for the kernels; costs are those above `cases.base`.
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
    space: PermittedSplits
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
            order_masks(self.rules, self.column, self.bits)[2],
        )

    @cached_property
    def bits(self) -> dict[int, int]:
        """The bit number of each column."""
        return {column: column for column in range(self.problem.dataset.n_columns)}

    def with_pairs(self, points: np.ndarray, relation: int) -> DiagramGrid:
        """The grid with further pairs of conceivable rows, int64 (n, 2, n_columns), for a line of `height`."""
        new = points.reshape(-1, points.shape[-1])
        column, cases = self.column[: self.n_orders], self.cases.padded(len(new))
        rank = np.hstack((self.cells.rank, self.rank[np.arange(self.n_orders)[:, None], new.T[column]]))
        first = len(self.cases) + 2 * np.arange(len(points))
        pairs = np.column_stack((first, first + 1, np.full(len(points), relation)))
        points, pairs = np.vstack((self.points, new)), np.vstack((self.pairs, pairs))
        return replace(self, cases=cases, cells=_merged_rows(rank, cases, self.rules), points=points, pairs=pairs)

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
        labels = labelled(self.cells.rank, splits, self.cells.price).labels
        here = [0] if splits else []
        for layer in range(len(first) - 1):
            if len(here) > first[layer + 1] - first[layer]:
                return None
            below: list[int] = []
            for v, slot in enumerate(here, start=int(first[layer])):
                nodes[v, :2] = splits[slot]
                for side, child in enumerate((2 * slot + 1, 2 * slot + 2), 2):
                    nodes[v, side] = len(below) if child in splits else ~labels[child]
                    below += [child] if child in splits else []
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
        question, low_is_yes = self.space.question(self.problem, rows, order, last)
        return DraftNode(question, low, high) if low_is_yes else DraftNode(question, high, low)


def grid_of(problem: Problem) -> DiagramGrid:
    """The arrays of a problem under its rules."""
    from ....kernels.pairs import DIFFERENT, SAME

    rules = rules_for_classes(problem)
    space = PermittedSplits.of(question_orders(problem.dataset), rules)
    widths = problem.size.layer_widths[:MAX_DEPTH]
    top = FixedTop(problem, rules, len(widths), permitted_columns(rules, problem.dataset.n_columns), space.within)
    passing = _passing(problem, rules, space)
    rank = np.vstack((space.searched.rank, *(line[None] for line in top.ranks))).astype(np.int32)
    given, column, fixed = top.numbered(len(space.searched), passing)
    cases = cases_of(problem, rank)
    same, different = (cases.pairs(rules.of(kind)) for kind in (TogetherRule, ApartRule))
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
        np.column_stack((np.vstack((same, different)), np.repeat((SAME, DIFFERENT), (len(same), len(different))))),
        np.array([rule.height for rule in rules.of(Monotone)], np.int64).reshape(-1, problem.dataset.n_classes),
    )


def _passing(problem: Problem, rules: Rules, space: PermittedSplits) -> list[Predicate]:
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
    return MergedRows(
        rank,
        np.ascontiguousarray(np.argsort(rank, axis=1, kind="stable"), np.int32),
        cases.regret,
        cases.rows,
        cases.weight,
        np.ascontiguousarray(cases.amounts(rules.sums)[:, :, 1:].transpose(2, 0, 1)),
        np.array([rule.limit for rule in rules.sums], np.int64),
    )


class FixedTop:
    """The fixed splits of a problem within `n_layers` layers, on `permitted` columns, with thresholds `within` sets.

    Attributes
    ----------
    ranks : for each that divides the rows, int32 (n_samples,), 0 on the yes side and 1 on the no side.
    trouble : the reason why a split cannot be at its place, empty if there is none.
    """

    def __init__(
        self,
        problem: Problem,
        rules: Rules,
        n_layers: int,
        permitted: Collection[int],
        within: Mapping[int, ThresholdSet],
    ) -> None:
        dataset = problem.dataset
        self._schema = dataset.schema
        self._places, self.trouble = fixed_places(rules, dataset)
        self.ranks: list[np.ndarray] = []
        self._parting: list[Predicate] = []
        self._passing: list[tuple[Predicate, bool]] = []
        for place, question in self._places.items():
            column = self._schema.index(question.column)
            words, thresholds = f"'{question.words(self._schema)}'", within.get(column, EVERYWHERE)
            if len(place) >= n_layers:
                self.trouble = f"{words} is too deep: at most {n_layers} questions are allowed on a path."
            elif column not in permitted or (question.op is Op.LE and question.operand not in thresholds):
                self.trouble = f"{words} is fixed and not allowed."
            if question in self._parting or any(question == known for known, _ in self._passing):
                continue
            yes = question.holds(self._schema, dataset.X)
            if yes.all() or not yes.any():
                self._passing.append((question, bool(yes.all())))
            else:
                self._parting.append(question)
                self.ranks.append((~yes).astype(np.int32))

    def numbered(
        self, first: int, passing: Sequence[Predicate]
    ) -> tuple[dict[int, tuple[Predicate, bool]], np.ndarray, np.ndarray]:
        """Splits by order with whether yes is low, their columns, and int64 (K, 3) as in `ConstraintArrays`.

        `first` is the number of the first order here; `passing` are splits with all rows on the yes side.
        """
        questions = [*((q, True) for q in self._parting), *((q, True) for q in passing), *self._passing]
        given = dict(enumerate(questions, start=first))
        number = {question: f for f, (question, _) in given.items()}
        at = {place: i for i, place in enumerate(self._places)}
        fixed = []
        for place, question in self._places.items():
            above = self._places[place[:-1]] if place else None
            low_is_yes = above is None or given[number[above]][1]
            side = int(bool(place) and place[-1] != low_is_yes)
            fixed.append((at[place[:-1]] if place else -1, side, number[question]))
        columns = np.array([self._schema.index(question.column) for question, _ in questions], np.int64)
        return given, columns, np.array(fixed, np.int64).reshape(len(fixed), 3)


MOST_COLUMNS = 62
"""The largest number of columns that can be tracked along paths: the bits of a word."""


def unsupported(title: str, problem: Problem) -> Iterator[Unsupported]:
    """The reasons why a problem with univariate splits is refused."""
    reasons = [*only_kind(ShapeKind.DIAGRAM, title, problem), *unposted(title, problem, EVERY_RULE)]
    yield from reasons
    if reasons:
        return
    rules = rules_for_classes(problem)
    # the total excess of all sums over their limits is counted as well
    yield from uncounted(title, problem, rules, LARGEST_WEIGHTED // max(1, len(rules.sums)))
    if follows_columns(rules) and problem.dataset.n_columns > MOST_COLUMNS:
        yield Unsupported(
            f"Constraints on the order or number of columns, with this many columns: {problem.dataset.n_columns}",
            f"{title} follows at most {MOST_COLUMNS} columns along a path.",
            "Leave out columns, or remove these constraints.",
        )


def demands_of(grid: DiagramGrid) -> ConstraintArrays:
    """The constraints of a problem in the arrays of the kernels."""
    from ....kernels.odd_cells import ConstraintArrays, CostTables

    problem, rules, column = grid.problem, grid.rules, grid.column
    size = problem.size
    few = size.min_samples_leaf > 1 or problem.min_weight_leaf > 1 or size.max_leaf_nodes is not None
    barred, needed, _ = order_masks(rules, column, grid.bits)
    limits = rules.of(PathCost)
    sums = [(s, rule.tests, rule.test_weight) for s, rule in enumerate(rules.sums)]
    tested = [(s, tests, weight) for s, tests, weight in sums if tests is not None and weight is not None]
    n_cells, paying = len(grid.cases), [grid.cases.total(weight) for _, _, weight in tested]
    return ConstraintArrays(
        any=bool(rules) or few,
        node_rows=max([0, *(rule.rows for rule in rules.of(MinNodeRowsRule))]),
        leaf_rows=size.min_samples_leaf,
        leaf_weight=problem.min_weight_leaf,
        leaves=ENOUGH if size.max_leaf_nodes is None else size.max_leaf_nodes,
        bit=column if grid.follows_columns else np.zeros(len(column), np.int64),
        barred=barred,
        needed=needed,
        paths=CostTables(*cost_masks([rule.costs for rule in limits], grid.bits, len(grid.bits))),
        limit=np.array([rule.limit for rule in limits], np.int64),
        few=np.array([(sum(1 << c for c in r.columns), r.most) for r in rules.of(FewColumns)], np.int64).reshape(-1, 2),
        must=reduce(or_, (1 << rule.column for rule in rules.of(MustAppearRule)), 0),
        chain=bool(rules.of(RuleListRule)),
        fixed=grid.fixed,
        pairs=grid.pairs,
        height=grid.height,
        per_leaf=np.array([rule.per_leaf for rule in rules.sums], np.int64),
        tests=CostTables(*cost_masks([costs for _, costs, _ in tested], grid.bits, len(grid.bits))),
        tested=np.array([s for s, _, _ in tested], np.int64),
        paying=np.array(paying, np.int64).reshape(len(tested), n_cells if tested else 0),
    )


MOST_PAIRS = 8
"""The largest number of pairs taken from one diagram."""


def contradictions(grid: DiagramGrid, diagram: Diagram) -> Iterator[tuple[int, np.ndarray]]:
    """For each rule that a diagram violates, its line of `height` and pairs of rows, int64 (n, 2, n_columns).

    There are no pairs if only values beyond those of the table show the violation.
    """
    dataset = grid.problem.dataset
    for line, rule in enumerate(grid.monotone):
        constraint = grid.problem.constraints[rule.source]
        assert isinstance(constraint, MonotoneIn)
        broken = list(constraint.contradictions(diagram, dataset))
        if broken:
            found = (_pair(dataset, rule.column, low, high) for low, high in broken)
            pairs = [pair for pair in found if pair is not None][:MOST_PAIRS]
            yield line, np.array(pairs, np.int64).reshape(len(pairs), 2, dataset.n_columns)


def _pair(dataset: Dataset, rising: int, low: Box, high: Box) -> np.ndarray | None:
    """For each column the rows that have the values of two conceivable rows, int64 (2, n_columns), or `None`.

    The two conceivable rows differ in one column only.
    """
    pair = np.zeros((2, dataset.n_columns), np.int64)
    for j, name in enumerate(dataset.schema.names):
        x = dataset.X[:, j]
        first, second = (_holds(dataset, box.domains.get(name), name, x) for box in (low, high))
        if j == rising:
            first, second = np.flatnonzero(first & ~np.isnan(x)), np.flatnonzero(second & ~np.isnan(x))
            if not len(first) or not len(second):
                return None
            pair[:, j] = first[x[first].argmin()], second[x[second].argmax()]
            if x[pair[0, j]] >= x[pair[1, j]]:
                return None
        else:
            both = np.flatnonzero(first & second)
            if not len(both):
                return None
            pair[:, j] = both[0]
    return pair


def _holds(dataset: Dataset, domain: ColumnDomain | None, name: str, x: np.ndarray) -> np.ndarray:
    """Whether each row has a value in a domain, bool (n_samples,)."""
    values, place = np.unique(x, return_inverse=True)
    whole = domain or whole_domain(dataset, name)
    return np.array([whole.holds(value) for value in values.tolist()], bool)[place]
