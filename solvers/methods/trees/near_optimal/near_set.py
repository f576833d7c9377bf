"""What is known of the trees within a slack: how many, what they ask, the first of them; and what may be wanted."""

from dataclasses import dataclass
from typing import NamedTuple

from ....diagram import Diagram

LISTED = 500
"""How many trees are listed by default."""


@dataclass(frozen=True)
class TreeFilter:
    """Which of the trees are wanted; all by default. Columns are given by their positions.

    Columns in `must` are asked about somewhere, those in `never` nowhere, and `first` is the column of the first
    question; there are at most so many `questions`.
    """

    must: frozenset[int] = frozenset()
    never: frozenset[int] = frozenset()
    first: int | None = None
    questions: int | None = None


class NearTree(NamedTuple):
    """A tree of the list, with its cost in the cost units of the problem.

    `orders` says how many trees have these leaves, columns and first column; those of the list that were seen.
    """

    cost: int
    diagram: Diagram
    orders: int = 1


@dataclass(frozen=True)
class ColumnUse:
    """How many trees within the slack ask about a column somewhere, never, and first, and what the best of each costs.

    The costs are `None` where there is none within the slack.
    """

    name: str
    n_with: int
    n_without: int
    n_first: int
    least_with: int | None
    least_without: int | None
    least_first: int | None


class SizeCount(NamedTuple):
    """How many trees have a cost and a number of questions."""

    cost: int
    questions: int
    n: int


@dataclass(frozen=True)
class NearSet:
    """The trees within a slack of a cost.

    Attributes
    ----------
    best : the cost that the slack comes on top of; slack : as it was asked for, both in cost units.
    reached : the slack up to which everything below is complete; `None` where not even the trees as good as the best
        could be gone through. `trees` may then hold some all the same.
    sizes : the number of trees by cost and questions, within `reached`.
    columns : what they ask; empty where it is not known.
    trees : the list, the cheapest first, and of these the smallest.
    all_listed : whether the list has every tree within `reached`.
    counted : whether `sizes` and `columns` hold; under constraints that must be checked tree by tree they do only where
        all were listed.
    note : why something is not complete, in a sentence.
    finished : whether this is the last word.
    seconds : the time that it took.
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
        """Whether the whole slack that was asked for was gone through."""
        return self.reached == self.slack

    @property
    def n_trees(self) -> int | None:
        """How many trees there are within `reached`; `None` where that is not known."""
        return sum(size.n for size in self.sizes) if self.counted else None
