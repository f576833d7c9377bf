"""The fixed splits of a search, and all ways to write a tree of rank splits as a `Diagram`.

A threshold may lie anywhere in the gap between the rows of its node; for the rows of the table all positions are
equivalent. For monotone predictions they are not: monotonicity covers all conceivable inputs, so thresholds on one side
of a split on the monotone column must fit those on the other side. This requires relations 'this threshold is not above
that one' within a column. Thresholds that satisfy such relations still do if each is lowered to the highest *lower end
of a gap* (of any split on the column) that is not above it. So `ways_to_write` tries only these, in addition to the
usual position.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import product

import numpy as np

from ....diagram import Diagram
from ....problem import Problem
from ...search.deadline import SearchEndedError
from ..slots import Slot, no_of, yes_of
from ..tree_of_splits import Cut, Splits, SplitTree, may_choose_missing, nodes_of
from .rule_arrays import Posted

MOST_WAYS = 4096


def fixed_splits(problem: Problem, posted: Posted) -> Splits | None:
    """The fixed splits; `None` if the search has no such split."""
    space, splits = posted.space, {}
    slots = {0: 0}
    for place in sorted(space.fixed):
        split = next(space.like(problem.dataset, space.fixed[place]), None)
        if split is None:
            return None
        order, last, low_is_yes = split
        slot = slots[place]
        splits[slot] = order, last
        slots[yes_of(place)], slots[no_of(place)] = sorted((2 * slot + 1, 2 * slot + 2), reverse=not low_is_yes)
    return splits


def ways_to_write(problem: Problem, posted: Posted, tree: SplitTree) -> Iterator[Diagram]:
    """Diagrams of a tree, the usual one first. If any satisfies the rules about monotone columns, one of these does.

    Raises `SearchEndedError` if there are too many.
    """
    space = posted.space
    yield space.diagram(problem, tree, space.fixed)
    nodes = nodes_of(space.searched.rank, tree.splits, np.arange(problem.dataset.n_samples))
    rows = {slot: here for slot, here in nodes if slot in tree.splits}
    usual = {slot: space.cut(problem, here, *tree.splits[slot]) for slot, here in rows.items()}
    column = {slot: int(posted.orders.column[tree.splits[slot][0]]) for slot in rows}
    often = Counter(column.values())
    ends: dict[int, set[float]] = {}
    for slot, cut in usual.items():
        ends.setdefault(column[slot], set()).add(_value(posted, tree.splits[slot][0], cut.low))
    options: dict[Slot, list[Cut]] = {}
    for slot, cut in usual.items():
        options[slot] = [cut]
        if often[column[slot]] > 1:
            options[slot] = _options(posted, tree.splits[slot][0], cut, ends[column[slot]])
            if may_choose_missing(problem, column[slot], rows[slot]):
                options[slot] = [cut._replace(missing_low=side) for cut in options[slot] for side in (False, True)]
    if np.prod([float(len(cuts)) for cuts in options.values()]) > MOST_WAYS:
        raise SearchEndedError
    for cuts in product(*options.values()):
        yield space.diagram(problem, tree, space.fixed, dict(zip(options, cuts, strict=True)))


def _value(posted: Posted, f: int, rank: int) -> float:
    """The value of a rank; minus infinity for missing values."""
    values = posted.space.orders.orders[posted.space.kept[f]].values
    value = float(values[rank]) if rank < len(values) else float(rank)
    return -np.inf if np.isnan(value) else value


def _options(posted: Posted, f: int, usual: Cut, ends: set[float]) -> list[Cut]:
    """The positions of a threshold that may make a difference."""
    permitted = posted.space.lasts[f]
    inside = permitted[(permitted >= usual.low) & (permitted < usual.high)].tolist()
    cuts = [usual, *(Cut(t, t + 1, usual.missing_low) for t in inside if _value(posted, f, t) in ends)]
    if inside and inside[0] != usual.low:
        cuts.append(Cut(inside[0], inside[0] + 1, usual.missing_low))
    return cuts
