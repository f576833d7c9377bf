"""Which rules the search supports, without importing its compiled parts."""

from collections.abc import Iterator

from ....constraints import rules_of
from ....constraints.rules import (
    ApartRule,
    FewColumns,
    MinNodeRowsRule,
    Monotone,
    MustAppearRule,
    NeverBoth,
    Pure,
    RuleListRule,
    Rules,
    Sum,
    TogetherRule,
)
from ....magnitude import LARGEST_WEIGHTED
from ....problem import Problem
from ...base import Unsupported, only_trees, uncounted
from ..path_rules import POSTED as PATH_RULES
from ..path_rules import unsupported_rules

POSTED = (
    ApartRule,
    RuleListRule,
    FewColumns,
    Monotone,
    MustAppearRule,
    NeverBoth,
    Pure,
    MinNodeRowsRule,
    Sum,
    TogetherRule,
)
"""The classes of rule that `rule_arrays` posts; `path_rules` posts path rules."""

MOST_COLUMNS = 62
"""A set of columns is a mask of 64 bits."""


def columns_followed(problem: Problem, rules: Rules) -> dict[int, int]:
    """A bit for every column that a rule about the whole tree refers to."""
    columns = {rule.column for rule in rules.of(MustAppearRule)}
    for rule in rules.of(NeverBoth):
        columns |= {rule.first, rule.second}
    if rules.of(FewColumns):
        columns |= set(range(problem.dataset.n_columns))
    return {column: 1 << i for i, column in enumerate(sorted(columns))}


def refusals(title: str, problem: Problem) -> Iterator[Unsupported]:
    """Why a search for trees under all families of rules does not support a problem."""
    from ....kernels.workspace import MAX_CLASSES

    reasons = tuple(only_trees(title, problem, (*PATH_RULES, *POSTED)))
    yield from reasons
    if not reasons:
        rules = rules_of(problem)
        yield from (*unsupported_rules(title, problem, rules), *unfollowed(title, problem, rules))
    if problem.dataset.n_classes > MAX_CLASSES:
        yield Unsupported(
            f"{problem.dataset.n_classes} classes",
            f"{title} takes at most {MAX_CLASSES}.",
            "Merge rare classes, or choose CART.",
        )


def unfollowed(title: str, problem: Problem, rules: Rules) -> Iterator[Unsupported]:
    """The rules about the whole tree that the search does not support."""
    followed = len(columns_followed(problem, rules))
    if followed > MOST_COLUMNS:
        yield Unsupported(
            f"Constraints on {followed} columns of the whole tree",
            f"{title} follows at most {MOST_COLUMNS} columns.",
            "Leave out columns, or remove the least important of these constraints.",
        )
    yield from uncounted(title, problem, rules, LARGEST_WEIGHTED)
