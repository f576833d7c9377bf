"""What constraints come down to: a few plain rules over columns and rows, which methods post.

There are some thirty kinds of constraint, and every method would have to know each of them. Instead each constraint
says what it means as *rules*, of which there are four families:

- *path rules* restrict the questions that may stand on one path. They do not look at the rows;
- *leaf rules* restrict the rows that may share a leaf;
- *sums* add a whole number for every leaf and limit the total: fairness, accuracy on a group, expected costs, leaves;
- *tree rules* look at the questions of the whole tree: what must appear, what excludes what, how many rows come to
  each, monotonicity.

Columns are positions in the schema. A rule speaks of columns as the user knows them: all thresholds of a column and all
levels of a category are ONE feature. Rows are positions in the dataset.
"""

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from typing import get_args

import numpy as np

from solvers.magnitude import sum_of
from solvers.problem import Predicate

Path = tuple[bool, ...]
"""A place in a tree: the answers that lead to it from the root."""


@dataclass(frozen=True)
class TestCosts:
    """What it costs to have tests made: each column once on a path, and once what columns of a group share.

    Attributes
    ----------
    own : the cost of each column of the schema, whole numbers of at least 0.
    groups : columns that share a cost which is paid once, such as drawing blood, and that cost.
    scale : whole numbers a unit of the user's cost.
    """

    own: tuple[int, ...]
    groups: tuple[tuple[frozenset[int], int], ...] = ()
    scale: int = 1

    def of(self, columns: Collection[int]) -> int:
        """The cost of a path that asks about these columns."""
        asked = frozenset(columns)
        return sum(self.own[c] for c in asked) + sum(cost for group, cost in self.groups if group & asked)


@dataclass(frozen=True)
class NotBelow:
    """A path rule: no question about `lower` stands below one about `upper`."""

    upper: int
    lower: int
    source: int = -1


@dataclass(frozen=True)
class OnlyBelow:
    """A path rule: every question about `column` stands below one about `upper`."""

    column: int
    upper: int
    source: int = -1


@dataclass(frozen=True)
class PathCost:
    """A path rule: no path costs more than `limit`."""

    costs: TestCosts
    limit: int
    source: int = -1


@dataclass(frozen=True)
class Allowed:
    """A path rule: only these columns may be asked about, everywhere or at the root (`at_root`)."""

    columns: frozenset[int]
    at_root: bool = False
    source: int = -1


@dataclass(frozen=True)
class ThresholdRange:
    """A path rule: the thresholds of a column lie in [low, high]; questions 'is missing' have none."""

    column: int
    low: float
    high: float
    source: int = -1


@dataclass(frozen=True)
class FixedQuestion:
    """A path rule: at this place stands this question."""

    place: Path
    predicate: Predicate
    source: int = -1


@dataclass(frozen=True)
class Pure:
    """A leaf rule: in a leaf that answers `label`, the class has at least this share of the weight.

    `label` is `None` where the rule holds for every leaf and its own answer.
    """

    label: int | None
    share: Fraction
    source: int = -1


@dataclass(frozen=True)
class TogetherRule:
    """A leaf rule: the rows of each pair share a leaf."""

    pairs: tuple[tuple[int, int], ...]
    source: int = -1


@dataclass(frozen=True)
class ApartRule:
    """A leaf rule: the rows of each pair are in different leaves."""

    pairs: tuple[tuple[int, int], ...]
    source: int = -1


@dataclass(frozen=True)
class Sum:
    """A sum over the tree that may not exceed `limit`.

    Attributes
    ----------
    by_label : int64 (n_samples, n_classes), what a row adds where its leaf answers this class; negative numbers too.
    limit : int.
    per_leaf : what every leaf adds, at least 0.
    tests : what the tests on the path of a row cost, or `None`; a row adds `test_weight` times the cost of its path.
    test_weight : int64 (n_samples,), at least 0; only with `tests`.
    scale : whole numbers a unit that the user knows, to show values.
    """

    by_label: np.ndarray
    limit: int
    per_leaf: int = 0
    tests: TestCosts | None = None
    test_weight: np.ndarray | None = None
    scale: int = 1
    source: int = -1

    def most(self, n_leaves: int) -> int:
        """What the sum, either way from 0, is at most in a tree of so many leaves; see `magnitude.LARGEST_WEIGHTED`."""
        tests = 0 if self.tests is None else sum_of(self.test_weight) * self.tests.of(range(len(self.tests.own)))
        return sum_of(np.abs(self.by_label).max(axis=1)) + self.per_leaf * n_leaves + tests


@dataclass(frozen=True)
class MustAppearRule:
    """A tree rule: some question about the column changes an answer.

    A question counts if its two subtrees do not give one and the same answer everywhere: otherwise a spare question
    that decides nothing would satisfy the rule.
    """

    column: int
    source: int = -1


@dataclass(frozen=True)
class NeverBoth:
    """A tree rule: the tree asks about `first` or about `second` or about neither."""

    first: int
    second: int
    source: int = -1


@dataclass(frozen=True)
class FewColumns:
    """A tree rule: at most `most` different columns are asked about."""

    most: int
    source: int = -1


@dataclass(frozen=True)
class Reached:
    """A tree rule: at least so many rows come to every question."""

    rows: int
    source: int = -1


@dataclass(frozen=True)
class Monotone:
    """A tree rule: raising a column, all else equal, never lowers the answer.

    Attributes
    ----------
    column : numbers, dates or ordered levels; the rule says nothing about missing values.
    order : the classes from the lowest to the highest answer.
    rising : True where larger values never lower the answer, False where they never raise it.
    """

    column: int
    order: tuple[int, ...]
    rising: bool = True
    source: int = -1


PathRule = NotBelow | OnlyBelow | PathCost | Allowed | ThresholdRange | FixedQuestion
LeafRule = Pure | TogetherRule | ApartRule
TreeRule = MustAppearRule | NeverBoth | FewColumns | Reached | Monotone
Rule = PathRule | LeafRule | Sum | TreeRule

EVERY_RULE: frozenset[type] = frozenset(get_args(Rule))
"""The classes of all rules."""


@dataclass(frozen=True)
class Rules:
    """The rules of a problem by family; `source` of each is the position of its constraint in the problem."""

    path: tuple[PathRule, ...] = ()
    leaf: tuple[LeafRule, ...] = ()
    sums: tuple[Sum, ...] = ()
    tree: tuple[TreeRule, ...] = ()

    def of(self, kind: type) -> tuple:
        """The rules of one class."""
        return tuple(r for family in (self.path, self.leaf, self.sums, self.tree) for r in family if type(r) is kind)

    @property
    def kinds(self) -> frozenset[type]:
        """The classes of rule that there are."""
        return frozenset(type(r) for family in (self.path, self.leaf, self.sums, self.tree) for r in family)

    def __bool__(self) -> bool:
        return bool(self.path or self.leaf or self.sums or self.tree)


def by_family(rules: Collection[Rule]) -> Rules:
    """Rules sorted into their families."""
    return Rules(
        tuple(rule for rule in rules if isinstance(rule, PathRule)),
        tuple(rule for rule in rules if isinstance(rule, LeafRule)),
        tuple(rule for rule in rules if isinstance(rule, Sum)),
        tuple(rule for rule in rules if isinstance(rule, TreeRule)),
    )
