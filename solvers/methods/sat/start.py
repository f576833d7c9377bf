"""A good diagram or tree to start from, so that the search from above has little left to do."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from ...problem import Problem
from ..features import Features
from ..trees.cart import class_stakes
from .rows import DistinctRows

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier


class Start(StrEnum):
    """What the search starts from, besides the best single answer."""

    GREEDY = "greedy"
    NOTHING = "nothing"


def greedy_questions(rows: DistinctRows, depth: int, due: Callable[[], bool]) -> np.ndarray:
    """Questions whose truth table costs little: the best further one each time, then exchanges while one helps.

    Returns int64 (n,), columns of the rows in ascending order: `depth` of them, at least 1, unless it ended early
    because it was `due`. The rows have at least as many columns.
    """
    chosen: list[int] = []
    while len(chosen) < depth and not due():
        chosen.append(int(_costs_with_one_more(rows, chosen).argmin()))
    place, since = 0, 0
    best = None
    while since < len(chosen) and not due():
        rest = [question for i, question in enumerate(chosen) if i != place]
        costs = _costs_with_one_more(rows, rest)
        best = int(costs[chosen[place]]) if best is None else best
        other = int(costs.argmin())
        if costs[other] < best:
            chosen[place], best, since = other, int(costs[other]), 0
        else:
            since += 1
        place = (place + 1) % len(chosen)
    return np.array(sorted(chosen), np.int64)


def _costs_with_one_more(rows: DistinctRows, chosen: list[int]) -> np.ndarray:
    """What the best truth tables with each further question cost, int64 (n_columns,); chosen ones cost the most."""
    cell = rows.bits[:, chosen] @ (1 << np.arange(len(chosen), dtype=np.int64))
    order = np.argsort(cell, kind="stable")
    start = np.flatnonzero(np.diff(cell[order], prepend=-1))
    bits = rows.bits[order]
    costs = rows.costs[order]
    yes = np.stack([np.add.reduceat(bits * c[:, None], start) for c in costs.T])
    every = np.add.reduceat(costs, start).T[:, :, None]
    total: np.ndarray = yes.min(axis=0).sum(axis=0) + (every - yes).min(axis=0).sum(axis=0)
    total[chosen] = np.iinfo(np.int64).max
    return total


class Columns(StrEnum):
    """Which questions a model may ask."""

    ALL = "all"
    CART = "cart"


def columns_of_cart(problem: Problem, features: Features, depth: int, seed: int) -> np.ndarray:
    """The features that a CART tree (Gini) asks about, int64 (n,) in ascending order.

    Its depth is at least 1; `seed` decides among equally good splits. This is the heuristic variant of Hu, Huguet and
    Siala (2022), section 4: only the questions of a CART tree of the same depth.
    """
    used = fitted_cart(problem, features, depth, seed).tree_.feature
    return np.unique(used[used >= 0]).astype(np.int64)


def fitted_cart(
    problem: Problem, features: Features, depth: int, seed: int, leaves: int | None = None
) -> DecisionTreeClassifier:
    """A CART tree over the features, which weighs rows as `solvers.methods.trees.cart` does."""
    from sklearn.tree import DecisionTreeClassifier

    weights = problem.weights * class_stakes(problem)[problem.dataset.y]
    tree = DecisionTreeClassifier(criterion="gini", max_depth=depth, max_leaf_nodes=leaves, random_state=seed)
    return tree.fit(features.bits, problem.dataset.y, sample_weight=weights)
