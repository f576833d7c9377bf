"""CART's pruning path against all prunings of its tree, tried one after the other."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from solvers.diagram import Diagram, Leaf
from solvers.problem import Dataset, Problem, Shape
from solvers.teaching import Recipe, Rule, make, pruning_path
from tests.case_count import case_count
from tests.teaching.lessons import errors, problem_of, random_dataset, solved


def prunings(tree: Diagram, at: int = 0) -> list[tuple[int, int]]:
    """Errors and leaves of every tree that ends at nodes of this one."""

    def counts(i: int) -> np.ndarray:
        node = tree.nodes[i]
        return np.array(node.counts) if isinstance(node, Leaf) else counts(node.yes) + counts(node.no)

    own = counts(at)
    ended = [(int(own.sum() - own.max()), 1)]
    node = tree.nodes[at]
    if isinstance(node, Leaf):
        return ended
    pairs = product(prunings(tree, node.yes), prunings(tree, node.no))
    return ended + [(a[0] + b[0], a[1] + b[1]) for a, b in pairs]


@pytest.mark.parametrize("seed", range(case_count(8)))
def test_every_tree_of_the_path_is_the_best_at_its_prices(seed: int) -> None:
    """From its price up to the next one it has the least errors + price * leaves, and the fewest leaves of those."""
    dataset = random_dataset(np.random.default_rng(seed), 24)
    grown = solved("cart", problem_of_dataset(dataset)).diagram
    every, path = prunings(grown), pruning_path(grown)
    assert path[0].price == 0 and path[-1].diagram.n_leaves == 1
    prices = [one.price for one in path]
    assert prices == sorted(set(prices))
    for one, following in zip(path, [*prices[1:], prices[-1] + 1], strict=True):
        assert errors(one.diagram, dataset) == one.errors
        for price in (one.price, (one.price + following) / 2):
            best = min((wrong + price * leaves, leaves) for wrong, leaves in every)
            assert (one.errors + price * one.diagram.n_leaves, one.diagram.n_leaves) == best


def problem_of_dataset(dataset: Dataset) -> Problem:
    """The tree of fewest errors within four questions."""
    return Problem(dataset, Shape(max_depth=4))


def test_questions_that_save_nothing_alone_may_stay() -> None:
    """The first question of XOR saves nothing by itself: the price of its tree counts what is below it."""
    made = make(Recipe(Rule.PARITY, size=2, rows=16))
    path = pruning_path(solved("contree", problem_of(made)).diagram)
    assert [(one.price, one.errors, one.diagram.n_leaves) for one in path] == [(0, 0, 4), (Fraction(8, 3), 8, 1)]
