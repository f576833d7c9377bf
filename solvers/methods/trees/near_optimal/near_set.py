"""The set of trees within a slack: how many, their splits, the first of them; and filters."""

from dataclasses import dataclass
from typing import NamedTuple

from ....diagram import Diagram
from ....solution import AnswerRecord

LISTED = 500
"""How many trees are listed by default."""


@dataclass(frozen=True)
class TreeFilter:
    """A filter for trees; by default all. Columns are given by their positions.

    Columns in `must` are used somewhere, those in `never` nowhere. `first` is the column of the root split, and
    `questions` the maximum number of splits.
    """

    must: frozenset[int] = frozenset()
    never: frozenset[int] = frozenset()
    first: int | None = None
    questions: int | None = None


class NearTree(NamedTuple):
    """A listed tree, with its cost in the cost units of the problem.

    `orders` is the number of trees seen with these leaves, columns and root column.
    """

    cost: int
    diagram: Diagram
    orders: int = 1


@dataclass(frozen=True)
class ColumnUse:
    """How many trees within the slack use a column, avoid it, and use it at the root, with the lowest cost of each.

    The costs are `None` if there is no such tree within the slack.
    """

    name: str
    n_with: int
    n_without: int
    n_first: int
    least_with: int | None
    least_without: int | None
    least_first: int | None


class SizeCount(NamedTuple):
    """The number of trees of a cost and a number of splits."""

    cost: int
    questions: int
    n: int


class NearSet(AnswerRecord, frozen=True):
    """The trees within a slack of a cost.

    Attributes
    ----------
    best : the cost to which the slack is added; slack : the requested slack, both in cost units.
    reached : the slack up to which everything below is complete; `None` if not even all trees of cost `best` were
        enumerated. `trees` may still have some of them.
    sizes : the number of trees by cost and number of splits, within `reached`.
    columns : the use of columns; empty if unknown.
    trees : the list, by cost, then by size.
    all_listed : whether the list has every tree within `reached`.
    counted : whether `sizes` and `columns` are valid. Under constraints that must be checked tree by tree, they are
        valid only if all trees were listed.
    note : why something is incomplete, in one sentence.
    finished : whether this is the final result.
    seconds : the time used.
    """

    best: int
    slack: int
    reached: int | None = None
    sizes: tuple[SizeCount, ...] = ()
    columns: tuple[ColumnUse, ...] = ()
    trees: tuple[NearTree, ...] = ()
    all_listed: bool = False
    counted: bool = False
    note: str = ""
    finished: bool = False
    seconds: float = 0.0

    @property
    def complete(self) -> bool:
        """Whether the whole requested slack was enumerated."""
        return self.reached == self.slack

    @property
    def n_trees(self) -> int | None:
        """The number of trees within `reached`; `None` if unknown."""
        return sum(size.n for size in self.sizes) if self.counted else None
