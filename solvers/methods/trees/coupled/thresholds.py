"""The diagrams that a tree of rank questions can stand for, where more than the rows of the table matters.

Between the rows of a node a threshold may lie in a whole gap, and for the rows of the table all its places are alike.
For a monotone answer they are not: it is about all conceivable cases, and a threshold on the one side of a question
about the monotone column has to fit those on the other side. What is needed are relations 'this threshold is not above
that one' of the same column. Any thresholds that satisfy such relations still do when each is lowered to the highest
*lower end of a gap* (of any question about the column) that is not above it. So besides the usual place only these are
tried.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from solvers.diagram import Diagram
from solvers.methods.search.deadline import SearchEndedError
from solvers.methods.trees.coupled.forms import Cut, Side, cut_of, write
from solvers.methods.trees.coupled.rule_arrays import Posted
from solvers.methods.trees.coupled.weighted_sums import Tree
from solvers.methods.trees.tree_of_splits import may_choose_missing
from solvers.problem import Problem

MOST_WAYS = 4096


def ways_to_write(problem: Problem, posted: Posted, tree: Tree) -> Iterator[Diagram]:
    """Diagrams of a tree, the usual one first: if any satisfies the rules about monotone columns, one of these does.

    Raises `SearchEndedError` where there are too many.
    """
    yield write(problem, posted, tree)
    splits = list(_splits(posted, tree, np.arange(problem.dataset.n_samples), ()))
    often = Counter(split.column for split in splits)
    usual = {split.side: cut_of(problem, posted, split.order, split.rows, split.low) for split in splits}
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
        yield write(problem, posted, tree, dict(zip(usual, cuts, strict=True)))


class _PlacedSplit(NamedTuple):
    """Where a split stands, its order and column, its rows, and which of them are on the first side."""

    side: Side
    order: int
    column: int
    rows: np.ndarray
    low: np.ndarray


def _splits(posted: Posted, node: Tree, rows: np.ndarray, side: Side) -> Iterator[_PlacedSplit]:
    """The splits of a tree, from the root down."""
    if len(node) == 1:
        return
    f, last, first, second = node
    low = posted.orders.rank[f, posted.row[rows]] <= last
    yield _PlacedSplit(side, f, int(posted.orders.column[f]), rows, low)
    yield from _splits(posted, first, rows[low], (*side, 0))
    yield from _splits(posted, second, rows[~low], (*side, 1))


def _value(posted: Posted, f: int, rank: int) -> float:
    """The value of a rank; below all others for the missing."""
    values = posted.asked.orders.orders[posted.asked.kept[f]].values
    value = float(values[rank]) if rank < len(values) else float(rank)
    return -np.inf if np.isnan(value) else value


def _options(problem: Problem, posted: Posted, split: _PlacedSplit, usual: Cut, ends: set[float]) -> list[Cut]:
    """The places of a threshold that may make a difference, with either answer for the missing where it is open."""
    permitted = posted.asked.lasts[split.order]
    inside = permitted[(permitted >= usual.low) & (permitted < usual.high)].tolist()
    cuts = [usual, *(Cut(t, t + 1, usual.missing_low) for t in inside if _value(posted, split.order, t) in ends)]
    if inside and inside[0] != usual.low:
        cuts.append(Cut(inside[0], inside[0] + 1, usual.missing_low))
    if not may_choose_missing(problem, split.column, split.rows):
        return cuts
    return [Cut(cut.low, cut.high, missing_low) for cut in cuts for missing_low in (False, True)]
