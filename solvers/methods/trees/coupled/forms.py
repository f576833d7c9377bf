"""From trees of rank splits with given predictions to a `Diagram`, and from fixed splits to rank splits.

A threshold may lie anywhere in the gap between the rows of its node; for the rows of the table all positions are
equivalent. For monotone predictions they are not: monotonicity covers all conceivable inputs, so thresholds on one side
of a split on the monotone column must fit those on the other side. This requires relations 'this threshold is not above
that one' within a column. Thresholds that satisfy such relations still do if each is lowered to the highest *lower end
of a gap* (of any split on the column) that is not above it. So `ways_to_write` tries only these, in addition to the
usual position.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from ....constraints.rules import Path
from ....diagram import Diagram
from ....problem import Op, Problem
from ...search.deadline import SearchEndedError
from ..path_rules import SearchSpace
from ..slots import path_to
from ..tree_of_splits import (
    RankTree,
    Tree,
    assemble,
    is_larger,
    leaf_of,
    leaf_with,
    may_choose_missing,
)
from .rule_arrays import Posted
from .search import Question

Fixed = tuple[tuple[Path, Question], ...]

MOST_WAYS = 4096


def fixed_questions(problem: Problem, posted: Posted) -> Fixed | None:
    """The fixed splits by path; `None` if the search has no such split."""
    fixed: list[tuple[Path, Question]] = []
    for slot, predicate in posted.space.fixed.items():
        question = next(posted.space.like(problem.dataset, predicate), None)
        if question is None:
            return None
        fixed.append((path_to(slot), question))
    return tuple(fixed)


@dataclass(frozen=True)
class Cut:
    """The gap of a split between the rows of a node, and the side of missing values.

    low, high : neighbouring ranks of the problem's order; missing_low : whether missing values are on the low side, if
        the order does not determine it.
    """

    low: int
    high: int
    missing_low: bool


Side = tuple[int, ...]
"""A position in a tree by sides: 0 for the first, 1 for the second."""


def write(problem: Problem, space: SearchSpace, tree: RankTree, cuts: Mapping[Side, Cut] | None = None) -> Diagram:
    """The diagram of a tree, with thresholds in their permitted ranges and fixed splits as given.

    A threshold lies near the middle between the rows of its node. Missing values go to the heavier side if no training
    row at the node has one. `cuts` overrides both for its nodes.
    """
    dataset = problem.dataset
    orders = space.orders
    given = {path_to(slot): predicate for slot, predicate in space.fixed.items()}
    cuts = cuts or {}

    def build(node: RankTree, rows: np.ndarray, side: Side, place: Path) -> Tree:
        if len(node) < 2:
            return (leaf_with(problem, rows, node[0]) if node else leaf_of(problem, rows),)
        f, last, first, second = node
        low = space.searched.rank[f, rows] <= last
        cut = cuts.get(side) or cut_of(problem, space, f, rows, low)
        order = int(space.kept[f])
        column = int(orders.column[order])
        predicate, low_is_yes = orders.question(
            order, cut.low, cut.high, missing=cut.missing_low, within=space.within.get(column)
        )
        if may_choose_missing(problem, column, rows) and predicate.op is not Op.MISSING:
            predicate = replace(predicate, missing=cut.missing_low == low_is_yes)
        if place in given:
            # a tree that does not have the fixed split is written as it is
            yes = given[place].answer(dataset.X[rows, dataset.schema.index(given[place].column)])
            if (yes == low).all() or (yes != low).all():
                predicate, low_is_yes = given[place], bool(yes[low][0])
        low_tree = build(first, rows[low], (*side, 0), (*place, low_is_yes))
        high_tree = build(second, rows[~low], (*side, 1), (*place, not low_is_yes))
        return (predicate, low_tree, high_tree) if low_is_yes else (predicate, high_tree, low_tree)

    return assemble(problem, build(tree, np.arange(dataset.n_samples), (), ()))


def cut_of(problem: Problem, space: SearchSpace, f: int, rows: np.ndarray, low: np.ndarray) -> Cut:
    """The cut of a split between the rows of its node, which `low` divides."""
    rank = space.orders.rank[space.kept[f], rows]
    return Cut(int(rank[low].max()), int(rank[~low].min()), is_larger(problem, rows, low))


def ways_to_write(problem: Problem, posted: Posted, tree: RankTree) -> Iterator[Diagram]:
    """Diagrams of a tree, the usual one first. If any satisfies the rules about monotone columns, one of these does.

    Raises `SearchEndedError` if there are too many.
    """
    yield write(problem, posted.space, tree)
    splits = list(_splits(posted, tree, np.arange(problem.dataset.n_samples), ()))
    often = Counter(split.column for split in splits)
    usual = {split.side: cut_of(problem, posted.space, split.order, split.rows, split.low) for split in splits}
    ends: dict[int, set[float]] = {}
    for split in splits:
        ends.setdefault(split.column, set()).add(_value(posted, split.order, usual[split.side].low))
    options = [
        _options(problem, posted, split, usual[split.side], ends[split.column])
        if often[split.column] > 1
        else [usual[split.side]]
        for split in splits
    ]
    if np.prod([float(len(cuts)) for cuts in options]) > MOST_WAYS:
        raise SearchEndedError
    for cuts in product(*options):
        yield write(problem, posted.space, tree, dict(zip(usual, cuts, strict=True)))


class _PlacedSplit(NamedTuple):
    """A split: its position, order and column, its rows, and which of them are on the first side."""

    side: Side
    order: int
    column: int
    rows: np.ndarray
    low: np.ndarray


def _splits(posted: Posted, node: RankTree, rows: np.ndarray, side: Side) -> Iterator[_PlacedSplit]:
    """The splits of a tree, from the root down."""
    if len(node) < 2:
        return
    f, last, first, second = node
    low = posted.orders.rank[f, posted.row[rows]] <= last
    yield _PlacedSplit(side, f, int(posted.orders.column[f]), rows, low)
    yield from _splits(posted, first, rows[low], (*side, 0))
    yield from _splits(posted, second, rows[~low], (*side, 1))


def _value(posted: Posted, f: int, rank: int) -> float:
    """The value of a rank; minus infinity for missing values."""
    values = posted.space.orders.orders[posted.space.kept[f]].values
    value = float(values[rank]) if rank < len(values) else float(rank)
    return -np.inf if np.isnan(value) else value


def _options(problem: Problem, posted: Posted, split: _PlacedSplit, usual: Cut, ends: set[float]) -> list[Cut]:
    """The positions of a threshold that may make a difference, with either side for missing values if it is open."""
    permitted = posted.space.lasts[split.order]
    inside = permitted[(permitted >= usual.low) & (permitted < usual.high)].tolist()
    cuts = [usual, *(Cut(t, t + 1, usual.missing_low) for t in inside if _value(posted, split.order, t) in ends)]
    if inside and inside[0] != usual.low:
        cuts.append(Cut(inside[0], inside[0] + 1, usual.missing_low))
    if not may_choose_missing(problem, split.column, split.rows):
        return cuts
    return [Cut(cut.low, cut.high, missing_low) for cut in cuts for missing_low in (False, True)]
