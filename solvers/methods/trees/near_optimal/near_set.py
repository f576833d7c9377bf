"""What is known of the trees within a slack: how many, what they ask, the first of them; and what may be wanted."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from solvers.diagram import Diagram, from_dict, to_dict

LISTED = 500
"""How many trees are listed by default."""


@dataclass(frozen=True)
class Taste:
    """Which of the trees are wanted; all by default. Columns are given by their positions.

    Attributes
    ----------
    must, never : columns that must be asked about somewhere, and nowhere.
    first : the column of the first question.
    questions : the most questions.
    """

    must: frozenset[int] = frozenset()
    never: frozenset[int] = frozenset()
    first: int | None = None
    questions: int | None = None


@dataclass(frozen=True)
class NearTree:
    """A tree of the list.

    Attributes
    ----------
    cost : in the cost units of the problem.
    diagram : the tree.
    orders : how many trees have these leaves, columns and first column; those of the list that were seen.
    """

    cost: int
    diagram: Diagram
    orders: int = 1


@dataclass(frozen=True)
class ColumnUse:
    """What the trees within the slack have to do with a column.

    Attributes
    ----------
    name : of the column.
    n_with, n_without : how many trees ask about it somewhere, and never.
    n_first : how many ask about it first.
    least_with, least_without, least_first : what the best of each costs; `None` where there is none within the slack.
    """

    name: str
    n_with: int
    n_without: int
    n_first: int
    least_with: int | None
    least_without: int | None
    least_first: int | None


@dataclass(frozen=True)
class SizeCount:
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

    def to_json(self) -> dict[str, Any]:
        """As plain dicts, lists, texts and numbers."""
        data = {name: getattr(self, name) for name in self.__dataclass_fields__}
        data["sizes"] = [[size.cost, size.questions, size.n] for size in self.sizes]
        data["columns"] = [asdict(column) for column in self.columns]
        data["trees"] = [[tree.cost, to_dict(tree.diagram), tree.orders] for tree in self.trees]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """What `to_json` wrote.

        Raises
        ------
        KeyError, TypeError, ValueError
            A part is missing or damaged.
        """
        parts = dict(data)
        parts["sizes"] = tuple(SizeCount(*size) for size in parts["sizes"])
        parts["columns"] = tuple(ColumnUse(**column) for column in parts["columns"])
        parts["trees"] = tuple(NearTree(cost, from_dict(tree), n) for cost, tree, n in parts["trees"])
        return cls(**parts)
