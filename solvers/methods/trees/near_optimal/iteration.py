"""Iterates over the trees of a graph of parts, by cost and size."""

from collections.abc import Iterator
from itertools import chain

from ..tree_of_splits import RankTree
from .parts import CellTrees, Fork, Stump
from .table import CellTable, Rows

TreeKind = tuple[frozenset[tuple[bytes, int]], frozenset[int], int]
"""What distinguishes listed trees: leaves with predictions, columns, and the column of the root split, -1 for none."""

Cost = int


def trees_of(root: CellTrees, key: tuple[Cost, int], split: int) -> Iterator[RankTree]:
    """All trees of a part that have a cost and a number of leaves, alternating between root splits.

    `split` is the split penalty.
    """
    return _in_turns(_by_column(root, *key, split))


def _by_column(root: CellTrees, cost: Cost, leaves: int, split: int) -> list[Iterator[RankTree]]:
    """The trees of a cost and size, one iterator per column of the root split; each alternates between its splits."""
    grouped: dict[int, list[Iterator[RankTree]]] = {}
    for fork in root.forks:
        grouped.setdefault(fork.column, []).append(_of_fork(fork, cost, leaves, split))
    groups = [_in_turns(members) for members in grouped.values()]
    return [_without_forks(root, cost, leaves), *groups]


def _in_turns(many: list[Iterator[RankTree]]) -> Iterator[RankTree]:
    """The items of all iterators, one from each in turn."""
    while many:
        left = []
        for one in many:
            for item in one:
                yield item
                left.append(one)
                break
        many = left


def _of_part(part: CellTrees, cost: Cost, leaves: int, split: int) -> Iterator[RankTree]:
    return chain(_without_forks(part, cost, leaves), *(_of_fork(fork, cost, leaves, split) for fork in part.forks))


def _without_forks(part: CellTrees, cost: Cost, leaves: int) -> Iterator[RankTree]:
    if leaves == 1 and part.leaf == cost:
        yield ()
    if leaves == 2:
        yield from (_stump(stump) for stump in part.stumps if stump.cost == cost)


def _stump(stump: Stump) -> RankTree:
    return stump.order, stump.last, (), ()


def _of_fork(fork: Fork, cost: Cost, leaves: int, split: int) -> Iterator[RankTree]:
    one, two = fork.first, fork.second
    for own, size in sorted(one.tally):
        rest = cost - split - own, leaves - size
        if rest not in two.tally or (size == 1 == rest[1] and one.answer == two.answer):
            continue
        for first in _of_part(one, own, size, split):
            for second in _of_part(two, *rest, split):
                yield fork.order, fork.last, first, second


def kind_of(table: CellTable, tree: RankTree) -> TreeKind:
    """The kind of a tree."""
    leaves: set[tuple[bytes, int]] = set()
    columns: set[int] = set()

    def walk(node: RankTree, rows: Rows) -> None:
        if not node:
            leaves.add((rows.tobytes(), int(table.leaf_costs(rows).argmin())))
            return
        assert len(node) == 4, "these leaves have no answers"
        order, last, first, second = node
        columns.add(int(table.column[order]))
        low = table.first_side(order, last, rows)
        walk(first, rows[low])
        walk(second, rows[~low])

    walk(tree, table.everything)
    return frozenset(leaves), frozenset(columns), int(table.column[tree[0]]) if tree else -1
