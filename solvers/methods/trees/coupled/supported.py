"""Which rules the search supports, without importing its compiled parts."""

from collections.abc import Iterator

from ....constraints import rules_of
from ....constraints.rules import EVERY_RULE, FewColumns, FixedQuestion, MustAppearRule, Rules
from ....magnitude import LARGEST_WEIGHTED
from ....problem import Problem
from ...base import Unsupported, only_trees, uncounted
from ..path_rules import path_bits

MOST_COLUMNS = 62
"""A set of columns is a mask of 64 bits."""


def columns_followed(problem: Problem, rules: Rules) -> dict[int, int]:
    """A bit for every column that a rule about the whole tree refers to."""
    columns = {rule.column for rule in rules.of(MustAppearRule)}
    columns = columns.union(*(rule.columns for rule in rules.of(FewColumns)))
    return {column: 1 << i for i, column in enumerate(sorted(columns))}


def refusals(title: str, problem: Problem) -> Iterator[Unsupported]:
    """Why a search for trees under all families of rules does not support a problem."""
    from ....kernels.workspace import MAX_CLASSES

    reasons = tuple(only_trees(title, problem, EVERY_RULE))
    yield from reasons
    if not reasons:
        yield from _unfollowed(title, problem, rules_of(problem))
    if problem.dataset.n_classes > MAX_CLASSES:
        yield Unsupported(
            f"{problem.dataset.n_classes} classes",
            f"{title} takes at most {MAX_CLASSES}.",
            "Merge rare classes, or choose CART.",
        )


def _unfollowed(title: str, problem: Problem, rules: Rules) -> Iterator[Unsupported]:
    """The rules on paths and on the whole tree that the search cannot follow."""
    for about, n_columns, where in (
        ("on order and cost over {} columns", len(path_bits(rules, ())), " along a path"),
        ("on {} columns of the whole tree", len(columns_followed(problem, rules)), ""),
    ):
        if n_columns > MOST_COLUMNS:
            yield Unsupported(
                f"Constraints {about.format(n_columns)}",
                f"{title} follows at most {MOST_COLUMNS} columns{where}.",
                "Leave out columns, or remove the least important of these constraints.",
            )
    places = {rule.place for rule in rules.of(FixedQuestion)}
    if any(place and place[:-1] not in places for place in places):
        yield Unsupported(
            "A fixed question below a free one",
            f"{title} fixes questions from the root down.",
            "Fix the questions above this one as well.",
        )
    yield from uncounted(title, problem, rules, LARGEST_WEIGHTED)
