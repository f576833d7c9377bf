"""What constraints come down to: a few plain rules over columns and rows, which methods post.

There are some thirty kinds of constraint, and every method would have to know each of them. Instead each constraint
says what it means as *rules*, of which there are four families:

- *path rules* restrict the questions that may stand on one path. They do not look at the rows;
- *leaf rules* restrict the rows that may share a leaf;
- *sums* add a whole number for every leaf and limit the total: fairness, accuracy on a group, expected costs, leaves;
- *tree rules* look at the questions of the whole tree: what must appear, what excludes what, how many rows reach
  each, whether it is a chain, monotonicity.

Columns are positions in the schema. A rule speaks of columns as the user knows them: all thresholds of a column and all
levels of a category are ONE feature. Rows are positions in the dataset.
"""

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, get_args

import numpy as np

from ..magnitude import sum_of
from ..problem import Predicate
from ..problem.threshold_set import ThresholdSet

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
        on_path = frozenset(columns)
        return sum(self.own[c] for c in on_path) + sum(cost for group, cost in self.groups if group & on_path)


@dataclass(frozen=True, kw_only=True)
class _Rule:
    """A rule; `source` is the position of its constraint in the problem, -1 where it has none."""

    source: int = -1


@dataclass(frozen=True)
class PrecedenceRule(_Rule):
    """A path rule: no question about `lower` stands below one about `upper`."""

    upper: int
    lower: int


@dataclass(frozen=True)
class PrerequisiteRule(_Rule):
    """A path rule: every question about `column` stands below one about `upper`."""

    column: int
    upper: int


@dataclass(frozen=True)
class PathCost(_Rule):
    """A path rule: no path costs more than `limit`."""

    costs: TestCosts
    limit: int


@dataclass(frozen=True)
class Allowed(_Rule):
    """A path rule: only these columns may be asked about, everywhere or at the root (`at_root`)."""

    columns: frozenset[int]
    at_root: bool = False


@dataclass(frozen=True)
class ThresholdRange(_Rule):
    """A path rule: the thresholds of a column lie in a range, or on a grid; questions 'is missing' have none."""

    column: int
    thresholds: ThresholdSet


@dataclass(frozen=True)
class FixedQuestion(_Rule):
    """A path rule: at this place stands this question."""

    place: Path
    predicate: Predicate


@dataclass(frozen=True)
class Pure(_Rule):
    """A leaf rule: in a leaf that answers `label`, the class has at least this share of the weight.

    `label` is `None` where the rule holds for every leaf and its own answer.
    """

    label: int | None
    share: Fraction


@dataclass(frozen=True)
class TogetherRule(_Rule):
    """A leaf rule: the rows of each pair share a leaf."""

    pairs: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class ApartRule(_Rule):
    """A leaf rule: the rows of each pair are in different leaves."""

    pairs: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Sum(_Rule):
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

    def most(self, n_leaves: int) -> int:
        """The most that the sum, above or below 0, is in a tree of `n_leaves`; see `magnitude.LARGEST_WEIGHTED`."""
        tests = 0
        if self.tests is not None and self.test_weight is not None:
            tests = sum_of(self.test_weight) * self.tests.of(range(len(self.tests.own)))
        return sum_of(np.abs(self.by_label).max(axis=1)) + self.per_leaf * n_leaves + tests


@dataclass(frozen=True)
class MustAppearRule(_Rule):
    """A tree rule: some question about the column changes an answer.

    A question counts if its two subtrees do not give one and the same answer everywhere: otherwise a spare question
    that decides nothing would satisfy the rule.
    """

    column: int


@dataclass(frozen=True)
class NeverBoth(_Rule):
    """A tree rule: the tree asks about `first` or about `second` or about neither."""

    first: int
    second: int


@dataclass(frozen=True)
class FewColumns(_Rule):
    """A tree rule: at most `most` different columns are asked about."""

    most: int


@dataclass(frozen=True)
class MinNodeRowsRule(_Rule):
    """A tree rule: at least this number of rows reaches every question."""

    rows: int


@dataclass(frozen=True)
class RuleListRule(_Rule):
    """A tree rule: one side of every question is a leaf."""


@dataclass(frozen=True)
class Monotone(_Rule):
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


PathRule = PrecedenceRule | PrerequisiteRule | PathCost | Allowed | ThresholdRange | FixedQuestion
LeafRule = Pure | TogetherRule | ApartRule
TreeRule = MustAppearRule | NeverBoth | FewColumns | MinNodeRowsRule | RuleListRule | Monotone
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

    @property
    def every(self) -> tuple[Rule, ...]:
        """The rules of all families."""
        return (*self.path, *self.leaf, *self.sums, *self.tree)

    def of(self, kind: type) -> tuple[Any, ...]:
        """The rules of one class."""
        return tuple(rule for rule in self.every if isinstance(rule, kind))

    @property
    def kinds(self) -> frozenset[type]:
        """The classes of rule that there are."""
        return frozenset(map(type, self.every))

    def __bool__(self) -> bool:
        return bool(self.every)


def by_family(rules: Collection[Rule]) -> Rules:
    """Rules sorted into their families."""
    return Rules(
        tuple(rule for rule in rules if isinstance(rule, PathRule)),
        tuple(rule for rule in rules if isinstance(rule, LeafRule)),
        tuple(rule for rule in rules if isinstance(rule, Sum)),
        tuple(rule for rule in rules if isinstance(rule, TreeRule)),
    )
