"""Rules as linear constraints on the branches: one short function per rule, and a table of them.

Rules refer to columns. `tree.asks_about({column}, node)` are the variables of which one is 1 if the split of a node is
on the column, with any threshold or level, so a column is one feature everywhere, as in the paper's sums over the
values of a feature. A path is a branch: what the paper states for all depths of a branch is stated here for the nodes
above.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ....constraints.rules import (
    ApartRule,
    FixedQuestion,
    MustAppearRule,
    PathCost,
    PrecedenceRule,
    PrerequisiteRule,
    RuleListRule,
)
from ...mip.cell_program import POSTS as CELL_POSTS
from ...permitted import tests_of
from ..slots import above, no_of, yes_of
from .formulation import Branches


def post(tree: Branches) -> None:
    """Post all rules of a tree, and redundant constraints if the rules permit them."""
    tree.post(POSTS)
    if not tree.rules.kinds & {FixedQuestion, ApartRule}:
        tree.answers_differ()


def not_below(tree: Branches, rule: PrecedenceRule) -> None:
    """Section 4.1: at most one of a split on `upper` here and a split on `lower` below."""
    for node in range(tree.n_places):
        for upper in above(node):
            tree.model.at_most([(1, tree.asks_about({rule.upper}, upper)), (1, tree.asks_about({rule.lower}, node))], 1)


def only_below(tree: Branches, rule: PrerequisiteRule) -> None:
    """The stronger order of section 4.1: a node splits on the column only if a node above splits on `upper`."""
    for node in range(tree.n_places):
        upper = [(-1, tree.asks_about({rule.upper}, place)) for place in above(node)]
        tree.model.at_most([(1, tree.asks_about({rule.column}, node)), *upper], 0)


def path_cost(tree: Branches, rule: PathCost) -> None:
    """Section 4.2: for each path, the total cost of its tests; each test is paid once."""
    # the path to each node of the last level, including the node, has all the splits of its two branches
    for last in range(tree.n_places // 2, tree.n_places):
        paid = [(cost, tree.some(columns, (*above(last), last))[None]) for columns, cost in tests_of(rule.costs)]
        tree.model.at_most(paid or [(0, np.zeros((1, 0), np.int64))], rule.limit)
    if not tree.n_places and rule.limit < 0:
        tree.model.never()


def fixed_question(tree: Branches, rule: FixedQuestion) -> None:
    """This place has this split, or one with the same training rows on each side."""
    node = fixed_node(tree, rule)
    places = tree.menu.places(rule.predicate)
    if node >= tree.n_places or not places:
        tree.model.never()
        return
    family, cut, _ = places[0]
    tree.questions.fix(node, (family, cut), tree.model.variables((1, 1), low=1, value=lambda x: np.ones((1, 1))))


def fixed_node(tree: Branches, rule: FixedQuestion) -> int:
    """The node at a place. The first child has the low ranks; the path of a place follows yes sides of fixed splits."""
    fixed = {other.place: other.predicate for other in tree.rules.of(FixedQuestion)}
    node = 0
    for depth, answer in enumerate(rule.place):
        upper = fixed.get(rule.place[:depth])
        places = () if upper is None else tree.menu.places(upper)
        low_is_yes = places[0][2] if places else True
        node = 2 * node + (1 if answer == low_is_yes else 2)
    return node


def must_appear(tree: Branches, rule: MustAppearRule) -> None:
    """Section 4.6, with an effect: the leaves below some node that splits on the column predict two classes.

    `seen[m, k]` may be 1 only if a branch below m predicts k; a node counts if it splits on the column and sees two
    classes.
    """
    counts = []
    for node in range(tree.n_places):
        below, asks_about = tree.answers[tree.branches(node)].T, tree.asks_about({rule.column}, node)
        seen = tree.model.variables((len(below),), value=partial(_seen, below))
        tree.model.at_most([(1, seen[:, None]), (-1, below)], 0)
        count = tree.model.variables((1,), value=partial(_counts, asks_about, seen))
        tree.model.at_most([(1, count[None]), (-1, asks_about)], 0)
        tree.model.at_most([(1, count[None]), (-1, seen[None]), (1, tree.asks[[node]])], 0)
        counts.append(count)
    if counts:
        tree.model.at_most([(-1, np.concatenate(counts)[None])], -1)
    else:
        tree.model.never()


def _seen(below: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.asarray(x[below].max(axis=1))


def _counts(asks_about: np.ndarray, seen: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.array([float(x[asks_about].sum() > 0.5 and x[seen].sum() > 1.5)])


def chain(tree: Branches, rule: RuleListRule) -> None:
    """At most one of the two children of a node has a split."""
    for node in range(tree.n_places // 2):
        tree.model.at_most([(1, tree.asks[[yes_of(node)]]), (1, tree.asks[[no_of(node)]])], 1)


POSTS: dict[type, Callable[[Any, Any], None]] = {
    **CELL_POSTS,
    PrecedenceRule: not_below,
    PrerequisiteRule: only_below,
    PathCost: path_cost,
    FixedQuestion: fixed_question,
    MustAppearRule: must_appear,
    RuleListRule: chain,
}
"""The function that posts each class of rule."""
