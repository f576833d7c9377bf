"""A tree taken apart: its questions and leaves, the answers that lead there, and what each row is told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tests.oracle.table import Question, Table, Tree

Path = tuple[tuple[Question, bool], ...]


class Place(NamedTuple):
    """A question or a class, the answers that lead there, and the rows that come."""

    node: Question | int
    path: Path
    rows: tuple[int, ...]

    @property
    def columns(self) -> set[int]:
        """The columns that are asked about on the way."""
        return {question.column for question, _ in self.path}


class Facts(NamedTuple):
    """A tree, its questions and leaves, and what each row is told."""

    tree: Tree
    questions: list[Place]
    leaves: list[Place]
    answers: list[int]

    @property
    def columns(self) -> set[int]:
        """The columns that are asked about anywhere."""
        return {place.node.column for place in self.questions}


def facts_of(tree: Tree, table: Table) -> Facts:
    """What there is to know of a tree."""
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
