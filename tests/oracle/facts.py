"""A tree analysed: its internal nodes and leaves, their paths, and the prediction of each row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tests.oracle.table import Question, Table, Tree

Path = tuple[tuple[Question, bool], ...]


class Place(NamedTuple):
    """A split or a class, the branches that lead to it, and its rows."""

    node: Question | int
    path: Path
    rows: tuple[int, ...]

    @property
    def columns(self) -> set[int]:
        """The columns of the splits on the path."""
        return {question.column for question, _ in self.path}


class Facts(NamedTuple):
    """A tree, its internal nodes and leaves, and the prediction of each row."""

    tree: Tree
    questions: list[Place]
    leaves: list[Place]
    answers: list[int]

    @property
    def columns(self) -> set[int]:
        """The columns of all splits."""
        return {place.node.column for place in self.questions}


def facts_of(tree: Tree, table: Table) -> Facts:
    """The facts of a tree."""
    places = list(_places(tree, (), tuple(range(table.n)), table))
    leaves = [place for place in places if isinstance(place.node, int)]
    answers = [0] * table.n
    for place in leaves:
        for row in place.rows:
            answers[row] = place.node
    return Facts(tree, [place for place in places if not isinstance(place.node, int)], leaves, answers)


def _places(tree: Tree, path: Path, rows: tuple[int, ...], table: Table) -> Iterator[Place]:
    yield Place(tree[0], path, rows)
    if len(tree) > 1:
        yes = table.yes(tree[0])
        for answer, below in ((True, tree[1]), (False, tree[2])):
            side = tuple(i for i in rows if bool(yes >> i & 1) == answer)
            yield from _places(below, (*path, (tree[0], answer)), side, table)
