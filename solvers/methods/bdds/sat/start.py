"""A good BDD to start from, so that the search from above has little left to do."""

from collections.abc import Callable

import numpy as np

from ....diagram import Diagram
from ....problem import Problem
from ...features import Features
from ..table import Unseen, bdd_of


def greedy_bdd(problem: Problem, features: Features, depth: int, unseen: Unseen, due: Callable[[], bool]) -> Diagram:
    """The BDD of `greedy_questions`; no solver has filled in a table, so 'as solved' means 'like the parent' here."""
    questions = [features.predicates[f] for f in greedy_questions(features, depth, due)]
    return bdd_of(problem, questions, Unseen.PARENT if unseen is Unseen.SOLVED else unseen)


def greedy_questions(features: Features, depth: int, due: Callable[[], bool]) -> np.ndarray:
    """Questions whose truth table costs little: the best further one each time, then exchanges while one helps.

    Returns int64 (n,), features in ascending order: `depth` of them, at least 1, or fewer if it was `due` before. There
    must be at least as many features.
    """
    chosen: list[int] = []
    while len(chosen) < depth and not due():
        chosen.append(int(_costs_with_one_more(features, chosen).argmin()))
    place, since = 0, 0
    best = None
    while since < len(chosen) and not due():
        rest = [question for i, question in enumerate(chosen) if i != place]
        costs = _costs_with_one_more(features, rest)
        best = int(costs[chosen[place]]) if best is None else best
        other = int(costs.argmin())
        if costs[other] < best:
            chosen[place], best, since = other, int(costs[other]), 0
        else:
            since += 1
        place = (place + 1) % len(chosen)
    return np.array(sorted(chosen), np.int64)


def _costs_with_one_more(features: Features, chosen: list[int]) -> np.ndarray:
    """What the best truth tables with each further question cost, int64 (n_features,); chosen ones cost the most."""
    rows = features.rows
    cell = rows[:, chosen] @ (1 << np.arange(len(chosen), dtype=np.int64))
    order = np.argsort(cell, kind="stable")
    start = np.flatnonzero(np.diff(cell[order], prepend=-1))
    bits, costs = rows[order], features.cases.cost[order]
    yes = np.stack([np.add.reduceat(bits * c[:, None], start) for c in costs.T])
    every = np.add.reduceat(costs, start).T[:, :, None]
    total: np.ndarray = yes.min(axis=0).sum(axis=0) + (every - yes).min(axis=0).sum(axis=0)
    total[chosen] = np.iinfo(np.int64).max
    return total
