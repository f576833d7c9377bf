"""The rules that methods post for constraints: simple conditions on columns and rows.

There are some thirty kinds of constraint, too many for every method to know. Each constraint translates itself to
*rules* of four families:

- *path rules* restrict the splits of one path. They do not depend on the rows;
- *leaf rules* restrict the rows that may share a leaf;
- *sums* add an integer for every leaf and limit the total: fairness, accuracy on a group, expected costs, leaves;
- *tree rules* depend on the splits of the whole tree: required and mutually exclusive columns, rows per split, rule
  lists, monotonicity.

Columns are positions in the schema. A rule refers to columns of the table: all thresholds of a column and all levels of
a category are ONE feature. Rows are positions in the dataset.

The exact searches for trees, BDDs and diagrams accept `EVERY_RULE`: a new rule must be in them, or be taken out where
they name this set. It may also join the lists of classes that say what a rule depends on: `BLIND`
(trees/cptree_mip/formulation), `_IN_ORDER` and `_OF_SETS` (bdds/ruled/rules), `_BY_COLUMN`
(diagrams/odd_search/formulation), and, for rules about several columns, `columns_followed` (trees/coupled/supported).
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
"""A position in a tree: the sides taken from the root."""


@dataclass(frozen=True)
class TestCosts:
    """Test costs: each column is paid once per path, and so is each cost that a group of columns shares.

    Attributes
    ----------
    own : the cost of each column of the schema, integers of at least 0.
    groups : columns that share a cost which is paid once, such as drawing blood, and that cost.
    scale : cost units per unit of the user's cost.
    """

    own: tuple[int, ...]
    groups: tuple[tuple[frozenset[int], int], ...] = ()
    scale: int = 1

    def of(self, columns: Collection[int]) -> int:
        """The cost of a path that uses these columns."""
        on_path = frozenset(columns)
        return sum(self.own[c] for c in on_path) + sum(cost for group, cost in self.groups if group & on_path)


@dataclass(frozen=True, kw_only=True)
class _Rule:
    """A rule; `source` is the position of its constraint in the problem, -1 if it has none."""

    source: int = -1


@dataclass(frozen=True)
class PrecedenceRule(_Rule):
    """A path rule: no split on `lower` is below one on `upper`."""

    upper: int
    lower: int


@dataclass(frozen=True)
class PrerequisiteRule(_Rule):
    """A path rule: every split on `column` is below one on `upper`."""

    column: int
    upper: int


@dataclass(frozen=True)
class PathCost(_Rule):
    """A path rule: no path costs more than `limit`."""

    costs: TestCosts
    limit: int


@dataclass(frozen=True)
class Allowed(_Rule):
    """A path rule: only these columns may be used, everywhere or at the root (`at_root`)."""

    columns: frozenset[int]
    at_root: bool = False


@dataclass(frozen=True)
class ThresholdRange(_Rule):
    """A path rule: the thresholds of a column lie in a range, or on a grid; splits 'is missing' have none."""

    column: int
    thresholds: ThresholdSet


@dataclass(frozen=True)
class FixedQuestion(_Rule):
    """A path rule: this split is at this position."""

    place: Path
    predicate: Predicate


@dataclass(frozen=True)
class Pure(_Rule):
    """A leaf rule: in a leaf that predicts `label`, the class has at least this share of the weight.

    If `label` is `None`, the rule applies to every leaf and the class that it predicts.
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
    """A sum over the tree of at most `limit`.

    Attributes
    ----------
    by_label : int64 (n_samples, n_classes), what a row adds if its leaf predicts this class; may be negative.
    limit : int.
    per_leaf : what every leaf adds, at least 0.
    tests : the test costs of a row's path, or `None`; a row adds `test_weight` times the cost of its path.
    test_weight : int64 (n_samples,), at least 0; only with `tests`.
    scale : units of the sum per unit that the user knows, to show values.
    """

    by_label: np.ndarray
    limit: int
    per_leaf: int = 0
    tests: TestCosts | None = None
    test_weight: np.ndarray | None = None
    scale: int = 1

    def most(self, n_leaves: int) -> int:
        """The largest absolute value of the sum in a tree of `n_leaves`; see `magnitude.LARGEST_WEIGHTED`."""
        tests = 0
        if self.tests is not None and self.test_weight is not None:
            tests = sum_of(self.test_weight) * self.tests.of(range(len(self.tests.own)))
        return sum_of(np.abs(self.by_label).max(axis=1)) + self.per_leaf * n_leaves + tests


@dataclass(frozen=True)
class MustAppearRule(_Rule):
    """A tree rule: some split on the column changes a prediction.

    A split counts if its two subtrees do not predict one and the same class everywhere. If every split counted, a
    redundant one would satisfy the rule.
    """

    column: int


@dataclass(frozen=True)
class FewColumns(_Rule):
    """A tree rule: the tree uses at most `most` of these columns."""

    columns: frozenset[int]
    most: int


@dataclass(frozen=True)
class MinNodeRowsRule(_Rule):
    """A tree rule: at least this number of rows reaches every split."""

    rows: int


@dataclass(frozen=True)
class RuleListRule(_Rule):
    """A tree rule: one side of every split is a leaf."""


@dataclass(frozen=True)
class Monotone(_Rule):
    """A tree rule: raising a column, all else equal, never lowers the prediction.

    Attributes
    ----------
    column : numbers, dates or ordered levels; the rule does not apply to missing values.
    order : the classes from the lowest to the highest prediction.
    rising : True if larger values never lower the prediction, False if they never raise it.
    """

    column: int
    order: tuple[int, ...]
    rising: bool = True

    @property
    def height(self) -> np.ndarray:
        """The height of each class, int64 (n_classes,): as the column rises, predictions never fall in height."""
        height = np.argsort(self.order)
        return height if self.rising else -height


PathRule = PrecedenceRule | PrerequisiteRule | PathCost | Allowed | ThresholdRange | FixedQuestion
LeafRule = Pure | TogetherRule | ApartRule
TreeRule = MustAppearRule | FewColumns | MinNodeRowsRule | RuleListRule | Monotone
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
        """The classes of the rules present."""
        return frozenset(map(type, self.every))

    def __bool__(self) -> bool:
        return bool(self.every)


def by_family(rules: Collection[Rule]) -> Rules:
    """Sort rules into their families."""
    return Rules(
        tuple(rule for rule in rules if isinstance(rule, PathRule)),
        tuple(rule for rule in rules if isinstance(rule, LeafRule)),
        tuple(rule for rule in rules if isinstance(rule, Sum)),
        tuple(rule for rule in rules if isinstance(rule, TreeRule)),
    )
