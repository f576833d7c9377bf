"""Iterates over the trees of a graph of parts, by cost and size."""

from collections.abc import Iterator
from itertools import chain

from ..slots import Slot
from ..tree_of_splits import Splits, nodes_of
from .parts import CellTrees, Fork
from .table import CellTable

TreeKind = tuple[frozenset[tuple[bytes, int]], frozenset[int], int]
"""What distinguishes listed trees: leaves with predictions, columns, and the column of the root split, -1 for none."""

Cost = int


def trees_of(root: CellTrees, key: tuple[Cost, int], split: int) -> Iterator[Splits]:
    """All trees of a part that have a cost and a number of leaves, alternating between root splits.

    `split` is the split penalty.
    """
    return _in_turns(_by_column(root, *key, split))


def _by_column(root: CellTrees, cost: Cost, leaves: int, split: int) -> list[Iterator[Splits]]:
    """The trees of a cost and size, one iterator per column of the root split; each alternates between its splits."""
    grouped: dict[int, list[Iterator[Splits]]] = {}
    for fork in root.forks:
        grouped.setdefault(fork.column, []).append(_of_fork(fork, cost, leaves, split))
    groups = [_in_turns(members) for members in grouped.values()]
    return [_without_forks(root, cost, leaves), *groups]


def _in_turns(many: list[Iterator[Splits]]) -> Iterator[Splits]:
    """The items of all iterators, one from each in turn."""
    while many:
        left = []
        for one in many:
            for item in one:
                yield item
                left.append(one)
                break
        many = left


def _of_part(part: CellTrees, cost: Cost, leaves: int, split: int, slot: Slot) -> Iterator[Splits]:
    of_forks = (_of_fork(fork, cost, leaves, split, slot) for fork in part.forks)
    return chain(_without_forks(part, cost, leaves, slot), *of_forks)


def _without_forks(part: CellTrees, cost: Cost, leaves: int, slot: Slot = 0) -> Iterator[Splits]:
    if leaves == 1 and part.leaf == cost:
        yield {}
    if leaves == 2:
        yield from ({slot: (stump.order, stump.last)} for stump in part.stumps if stump.cost == cost)


def _of_fork(fork: Fork, cost: Cost, leaves: int, split: int, slot: Slot = 0) -> Iterator[Splits]:
    one, two = fork.first, fork.second
    for own, size in sorted(one.tally):
        rest = cost - split - own, leaves - size
        if rest not in two.tally or (size == 1 == rest[1] and one.answer == two.answer):
            continue
        for first in _of_part(one, own, size, split, 2 * slot + 1):
            for second in _of_part(two, *rest, split, 2 * slot + 2):
                yield {slot: (fork.order, fork.last), **first, **second}


def kind_of(table: CellTable, splits: Splits) -> TreeKind:
    """The kind of a tree."""
    leaves = frozenset(
        (rows.tobytes(), int(table.leaf_costs(rows).argmin()))
        for slot, rows in nodes_of(table.rank, splits, table.everything)
        if slot not in splits
    )
    columns = {slot: int(table.column[order]) for slot, (order, _) in splits.items()}
    return leaves, frozenset(columns.values()), columns.get(0, -1)
