"""Smallest trees without mistakes by trying everything, and the searches that are compared with it."""

from __future__ import annotations

import threading
from functools import cache

import numpy as np

from solvers.methods import get
from solvers.methods.trees.inferdt.search import SatSearch
from solvers.methods.trees.smallest.cases import distinct_cases
from solvers.methods.trees.smallest.subsets import SubsetSearch, subset_search
from solvers.problem import Dataset, Kind, Problem, Shape
from solvers.solution import Status
from tests import naive
from tests.methods.running import solve
from tests.strategies import make_dataset

NONE = 10**6


class Oracle:
    """Least depth and fewest leaves by trying everything: a leaf may stand where no mistake could be avoided."""

    def __init__(self, dataset: Dataset, answers: list[np.ndarray]) -> None:
        distinct = np.array(answers, bool).reshape(len(answers), dataset.n_samples)
        weight = naive.weights(Problem(dataset))
        self._cells: dict[tuple, list] = {}
        for i in range(dataset.n_samples):
            cell = self._cells.setdefault(tuple(distinct[:, i].tolist()), [0] * dataset.n_classes)
            cell[dataset.y[i]] += weight[i]
        self.tied = any(sorted(cell)[-1] == sorted(cell)[-2] for cell in self._cells.values())
        self.all = frozenset(self._cells)
        self._n_questions = len(answers)
        self.leaves = cache(self._leaves)

    def _may_be_leaf(self, cells: frozenset) -> bool:
        tables = [self._cells[cell] for cell in cells]
        return sum(map(max, tables)) == max(map(sum, zip(*tables, strict=True)))

    def _leaves(self, cells: frozenset, depth: int) -> int:
        """The fewest leaves at a depth; `NONE` where no tree does without avoidable mistakes."""
        if self._may_be_leaf(cells):
            return 1
        if depth == 0:
            return NONE
        best = NONE
        for q in range(self._n_questions):
            yes = frozenset(cell for cell in cells if cell[q])
            if yes and yes != cells:
                best = min(best, self.leaves(yes, depth - 1) + self.leaves(cells - yes, depth - 1))
        return best

    def at(self, depth: int) -> int:
        """The fewest leaves for all rows."""
        return min(NONE, self.leaves(self.all, depth))

    @property
    def depth(self) -> int:
        """The least depth."""
        return next(depth for depth in range(len(self.all) + 1) if self.at(depth) < NONE)


def equality_answers(dataset: Dataset) -> list[np.ndarray]:
    """The answers to 'is it this level?' for every level of every column, and to 'is it missing?'."""
    answers = []
    for j, column in enumerate(dataset.schema.columns):
        x = dataset.X[:, j]
        gone = np.isnan(x)
        if dataset.schema.missing == "impute" and gone.any() and column.fill is not None:
            x = np.where(gone, column.fill, x)
        for value in set(x[~np.isnan(x)].tolist()):
            answers.append(x == value)
            if dataset.schema.missing == "information":
                answers.append((x == value) | gone)
        answers.append(gone)
    return answers


def subset_search_of(dataset: Dataset) -> SubsetSearch:
    """The search over a table of several classes."""
    return subset_search(distinct_cases(Problem(dataset)))


def contree_leaves(dataset: Dataset, depth: int) -> int:
    """The fewest leaves at a depth by ConTree; `NONE` where no tree does without avoidable mistakes.

    No two classes of contradictory rows may cost equally little: ConTree takes either.
    """
    problem = Problem(dataset, Shape(max_depth=depth))
    solution = solve(get("contree"), problem).solution
    assert solution.status is Status.OPTIMAL and solution.details.fewest_splits
    return solution.diagram.n_leaves if solution.cost == problem.unavoidable_cost else NONE


def noisy(seed: int | np.random.Generator, n: int, n_classes: int) -> Dataset:
    """A table of mixed columns with a rule, some noise, duplicates and contradictions."""
    rng = np.random.default_rng(seed)
    columns = {
        "a": (Kind.NUMERIC, rng.integers(0, 6, n)),
        "b": (Kind.ORDERED, rng.integers(0, 4, n)),
        "c": (Kind.CATEGORICAL, rng.integers(0, 4, n)),
        "d": (Kind.BINARY, rng.integers(0, 2, n)),
    }
    y = (columns["a"][1] > 2) * 1 + (columns["c"][1] == 1) * columns["d"][1]
    y = np.where(rng.random(n) < 0.1, rng.integers(0, n_classes, n), y) % n_classes
    return make_dataset(columns, y, n_classes=n_classes)


def fewest_in_spells(search: SatSearch | SubsetSearch, depth: int, longer: float) -> int | None:
    """The fewest leaves at a depth, of a search that is stopped again and again; `None` where it gets nowhere.

    Each spell is by `longer` seconds longer than the one before.
    """
    for spell in range(1, 400):
        search.resume()
        timer = threading.Timer(spell * longer, search.stop)
        timer.start()
        answer = search.fewest(depth)
        timer.cancel()
        timer.join()
        if answer is not None:
            return answer
    return None
