"""Common interface of our methods and the others: prepare, fit, read the result; only the fit is timed.

Each learner runs in a separate process (see `process`), so that imports, compilation and memory of one never affect
another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from threading import Thread
from typing import TYPE_CHECKING, Protocol

import numpy as np

from benchmarks.data import Task, coarse
from solvers.errors import MissingPackageError, UnknownMethodError

if TYPE_CHECKING:
    from solvers.kernels.tree_search import TreeSearch
    from solvers.methods.trees.tree_of_splits import Splits
    from solvers.problem import Dataset

FOREVER = 1e9
"""A time limit that no run reaches, in seconds."""

LICKETY_CUTS = 30
"""Thresholds per column for LicketySPLIT, at quantiles."""


@dataclass(frozen=True)
class Outcome:
    """The result of a fit.

    Attributes
    ----------
    predicted : int (n_rows,), the class that the tree predicts for each training row; `None` without a tree.
    proved : whether the learner claims that no tree of the depth has fewer errors.
    claimed : the errors that the learner itself reports, if it does.
    bound : a lower bound on the errors of every tree, if there is one.
    scanned : the elements that the search scanned, if it counts them.
    trace : (user CPU seconds, incumbent, bound) at each improvement of one of the two.
    """

    predicted: np.ndarray | None
    proved: bool
    claimed: int | None = None
    bound: int | None = None
    scanned: int | None = None
    trace: tuple[tuple[float, int | None, int | None], ...] = field(default=(), repr=False)


class Learner(Protocol):
    """A method that learns a tree of a given depth.

    Attributes
    ----------
    exact : whether it proves that its tree has the fewest errors.
    binary : whether it takes binary columns only, so that thresholds must be chosen beforehand.
    """

    exact: bool
    binary: bool

    def __init__(self, task: Task, depth: int, threads: int) -> None:
        """Import and compile what is needed, and convert the rows to the format of the learner."""
        ...

    def fit(self, seconds: float, used: Callable[[], float]) -> None:
        """Learn; end soon after `used()`, the CPU seconds so far, reaches the limit, if that is possible."""
        ...

    def outcome(self) -> Outcome:
        """The result of the last fit."""
        ...


class Engine:
    """Our search alone, from ranks to the tree, the counterpart of a peer's `fit`."""

    exact = True
    binary = False

    def __init__(self, task: Task, depth: int, threads: int) -> None:
        self._task, self._depth, self._unit = task, depth, self.unit(depth)
        # One step compiles, or loads from numba's cache, the kernels for exactly these types.
        self._search().advance(budget=1)

    def unit(self, depth: int) -> int:
        """The cost unit of the search, see `TreeSearch`."""
        return 1

    def fit(self, seconds: float, used: Callable[[], float]) -> None:
        """Search without a starting tree, in steps of some hundredths of a second."""
        self._last = self._search()
        self._ended = self._last.advance()
        while not self._ended and used() < seconds:
            self._ended = self._last.advance()

    def outcome(self) -> Outcome:
        """The tree's predictions, computed from the ranks, and the statistics of the search."""
        search = self._last
        found = search.found > 0
        return Outcome(
            predicted=_predictions(search.splits, self._task) if found else None,
            proved=self._ended,
            claimed=search.cost // self._unit if found else None,
            bound=search.bound // self._unit,
            scanned=search.stats["elements scanned"],
        )

    def _search(self) -> TreeSearch:
        from solvers.kernels.tree_search import TreeSearch

        task = self._task
        none = np.full(task.n_columns, -1, np.int32)
        return TreeSearch(
            task.rank,
            task.label,
            np.ones(task.n_rows, np.int64),
            none,
            none,
            task.n_classes,
            self._depth,
            ceiling=(task.n_rows + 1) * self._unit,
            unit=self._unit,
        )


class FewestSplits(Engine):
    """The same for the fewest errors and, among those trees, the fewest splits."""

    def unit(self, depth: int) -> int:
        """More than any tree has splits."""
        return 2**depth


def _predictions(splits: Splits, task: Task) -> np.ndarray:
    """The class of each row by the splits of a tree; a leaf predicts the majority class of its rows."""
    from solvers.methods.trees.tree_of_splits import nodes_of

    predicted = np.empty(task.n_rows, np.int64)
    for _, rows in nodes_of(task.rank, splits, np.arange(task.n_rows)):
        # leaves come after the nodes above them
        predicted[rows] = np.bincount(task.label[rows], minlength=1).argmax()
    return predicted


class WholeMethod:
    """ConTree as in the program: splits, CART's tree as a start, search, model."""

    exact = True
    binary = False

    def __init__(self, task: Task, depth: int, threads: int) -> None:
        from solvers.methods import get
        from solvers.problem import Problem, Shape

        self._method = get("contree")
        self._method.precompile()
        self._dataset, self._threads = dataset(task), threads
        self._problem = Problem(self._dataset, Shape(max_depth=depth))

    def fit(self, seconds: float, used: Callable[[], float]) -> None:
        """Solve; the limit is in CPU time here, so the stop signal ends the search."""
        from solvers.problem import Limits
        from solvers.solution import Bound, Event, Incumbent

        self._trace: list[tuple[float, int | None, int | None]] = [(0.0, None, None)]

        def note(event: Event) -> None:
            _, cost, bound = self._trace[-1]
            if isinstance(event, Incumbent):
                self._trace.append((used(), event.cost, bound))
            elif isinstance(event, Bound):
                self._trace.append((used(), cost, event.value))

        limits = Limits(seconds=None, threads=self._threads, memory_mb=None)
        stop = _When(lambda: used() >= seconds * self._threads)
        self._solution = self._method.run(self._problem, limits, note, stop)

    def outcome(self) -> Outcome:
        """The values of the solution, with the predictions of its diagram."""
        from solvers.solution import Status

        solution = self._solution
        return Outcome(
            predicted=None if solution.diagram is None else solution.diagram.predict(self._dataset),
            proved=solution.status is Status.OPTIMAL,
            claimed=solution.cost,
            bound=solution.bound,
            trace=tuple(self._trace),
        )


@dataclass(frozen=True)
class _When:
    """A stop signal that is set when a condition holds."""

    is_set: Callable[[], bool]


def dataset(task: Task) -> Dataset:
    """The task as a table of the library; ranks replace the values."""
    from solvers.problem import Column, Dataset, Kind, MissingPolicy, Schema

    columns = tuple(Column(f"x{j + 1}", Kind.NUMERIC) for j in range(task.n_columns))
    classes = tuple(str(k) for k in range(task.n_classes))
    schema = Schema(columns, MissingPolicy.COMPLETE)
    return Dataset(task.name, schema, task.rank.T.astype(np.float64), task.label, classes, outcome="class")


class Cart:
    """scikit-learn's greedy tree."""

    exact = False
    binary = False

    def __init__(self, task: Task, depth: int, threads: int) -> None:
        from sklearn.tree import DecisionTreeClassifier

        self._X, self._y = task.rank.T.astype(np.float32), task.label
        self._tree = DecisionTreeClassifier(max_depth=max(depth, 1), random_state=0)

    def fit(self, seconds: float, used: Callable[[], float]) -> None:
        """Grow the tree; it takes no limit, and negligible time."""
        self._tree.fit(self._X, self._y)

    def outcome(self) -> Outcome:
        """The tree; nothing is proved."""
        return Outcome(self._tree.predict(self._X), proved=False)


def questions(task: Task) -> np.ndarray:
    """A yes/no column for each threshold of each column, int32 (n_rows, n_thresholds)."""
    return np.array([column > rank for column in task.rank for rank in range(column.max())], np.int32).T.copy()


class PyConTree:
    """pycontree, the published C++ implementation of ConTree, with its default settings."""

    exact = True
    binary = False

    def __init__(self, task: Task, depth: int, threads: int) -> None:
        from pycontree import ConTree

        self._X, self._y = np.ascontiguousarray(task.rank.T, np.float64), task.label
        self._tree = ConTree(max_depth=depth, time_limit=FOREVER)

    def fit(self, seconds: float, used: Callable[[], float]) -> None:
        """Search to the end: its own limit is of wall time, so ours kills it from outside (see `process`)."""
        self._tree.fit(self._X, self._y)

    def outcome(self) -> Outcome:
        """The tree; its search has ended."""
        return Outcome(self._tree.predict(self._X), proved=True)


class PySTreeD:
    """pystreed, dynamic programming over binary columns, with its default settings."""

    exact = True
    binary = True

    def __init__(self, task: Task, depth: int, threads: int) -> None:
        from pystreed import STreeDClassifier

        self._X, self._y = questions(task), task.label
        self._tree = STreeDClassifier(max_depth=depth, time_limit=FOREVER)

    def fit(self, seconds: float, used: Callable[[], float]) -> None:
        """Search to the end, as `PyConTree` does."""
        self._tree.fit(self._X, self._y)

    def outcome(self) -> Outcome:
        """The tree, and whether the solver calls it optimal."""
        return Outcome(self._tree.predict(self._X), proved=self._tree.fit_result.is_optimal())


class DL85:
    """DL8.5 of pytrees, dynamic programming over binary columns, with its default settings."""

    exact = True
    binary = True

    def __init__(self, task: Task, depth: int, threads: int) -> None:
        from pytrees import DL85Classifier

        self._X, self._y = questions(task), task.label
        self._tree = DL85Classifier(max_depth=depth, max_time=FOREVER)

    def fit(self, seconds: float, used: Callable[[], float]) -> None:
        """Search to the end, as `PyConTree` does."""
        self._tree.fit(self._X, self._y)

    def outcome(self) -> Outcome:
        """The tree, and whether the solver calls it optimal."""
        return Outcome(self._tree.predict(self._X), proved=self._tree.status_ == "optimal")


class Arbor:
    """arborenum in its exact mode: every tree with the fewest errors, of which the first counts."""

    exact = True
    binary = False

    def __init__(self, task: Task, depth: int, threads: int) -> None:
        from arborenum import ArborEnum

        self._X, self._y, self._depth = task.rank.T.astype(np.float64), task.label, depth
        self._trees = ArborEnum()

    def fit(self, seconds: float, used: Callable[[], float]) -> None:
        """Search to the end, as `PyConTree` does."""
        exact = {"proxy_mode": "continuous", "lookahead_k": self._depth, "majority_leaf_only": True}
        self._trees.fit(self._X, self._y, **exact, depth_budget=self._depth, lambda_reg=0.0, rashomon_mult=0.0)

    def outcome(self) -> Outcome:
        """The first tree, and the errors that it reports."""
        predicted = np.asarray(self._trees.get_predictions(0, self._X))
        return Outcome(predicted, proved=True, claimed=int(self._trees.get_min_objective()))


class CaConTree:
    """The anytime ConTree of pytrees: limited discrepancy search with increasing budgets."""

    exact = True
    binary = False

    def __init__(self, task: Task, depth: int, threads: int) -> None:
        from pytrees import ConTreeClassifier

        self._X, self._y = np.ascontiguousarray(task.rank.T, np.float64), task.label
        # according to its authors this order finds good trees sooner
        self._tree = ConTreeClassifier(max_depth=depth, max_time=FOREVER, sort_by_heuristic=True)

    def fit(self, seconds: float, used: Callable[[], float]) -> None:
        """Record its reports until the limit; its own limit is of wall time, so it is left behind in a thread."""
        self._trace: list[tuple[float, int | None, int | None]] = []
        self._proved = False

        def note(errors: float, wall: float, status: str) -> None:
            self._trace.append((used(), int(errors), None))

        def search() -> None:
            self._tree.fit_anytime(self._X, self._y, note)
            self._proved = self._tree.status_ == "optimal"

        thread = Thread(target=search, daemon=True)
        thread.start()
        while thread.is_alive() and used() < seconds:
            thread.join(0.02)

    def outcome(self) -> Outcome:
        """What it reported; there is a tree only if the search ended."""
        errors = min((cost for _, cost, _ in self._trace if cost is not None), default=None)
        predicted = self._tree.predict(self._X) if self._proved else None
        return Outcome(predicted, proved=self._proved, claimed=errors, trace=tuple(self._trace))


class Lickety:
    """LicketySPLIT: a greedy tree that chooses each split by the greedy trees below it."""

    exact = False
    binary = False

    def __init__(self, task: Task, depth: int, threads: int) -> None:
        from licketysplit import LicketySPLITClassifier

        self._task, self._cuts = task, LICKETY_CUTS
        self._tree = LicketySPLITClassifier(lambda_leaf=0.0, depth_budget=depth)

    def fit(self, seconds: float, used: Callable[[], float]) -> None:
        """Make binary columns of some thresholds, and grow the tree; it takes no limit."""
        task = coarse(self._task, self._cuts)
        self._X = questions(task).astype(np.uint8)
        self._tree.fit(self._X, task.label)
        self._used = used()

    def outcome(self) -> Outcome:
        """The one tree that it makes."""
        predicted = self._tree.predict(self._X)
        errors = int((predicted != self._task.label).sum())
        return Outcome(predicted, proved=False, trace=((self._used, errors, None),))


@dataclass(frozen=True)
class Entry:
    """An entry of the list of learners.

    Attributes
    ----------
    learner : its class.
    package : the third-party package that it imports; `None` for none.
    distribution : the name of the package in the package registry.
    two_classes : whether it takes tables of two classes only.
    """

    learner: type[Learner]
    package: str | None = None
    distribution: str | None = None
    two_classes: bool = False

    @property
    def installed(self) -> bool:
        """Whether its package can be imported."""
        return self.package is None or find_spec(self.package) is not None


LEARNERS: dict[str, Entry] = {
    "engine": Entry(Engine),
    "fewest": Entry(FewestSplits),
    "method": Entry(WholeMethod),
    "cart": Entry(Cart, "sklearn", "scikit-learn"),
    "pycontree": Entry(PyConTree, "pycontree", "pycontree"),
    "pystreed": Entry(PySTreeD, "pystreed", "pystreed"),
    "dl8.5": Entry(DL85, "pytrees", "pytrees-rs"),
    "arborenum": Entry(Arbor, "arborenum", "arborenum", two_classes=True),
    "ca-contree": Entry(CaConTree, "pytrees", "pytrees-rs"),
    "licketysplit": Entry(Lickety, "licketysplit", "licketysplit"),
}


def entry(name: str) -> Entry:
    """The learner of a name.

    Raises
    ------
    UnknownMethodError, MissingPackageError
        There is no learner of this name, or its package is not installed.
    """
    if name not in LEARNERS:
        raise UnknownMethodError(f"There is no learner '{name}'. Learners: {', '.join(LEARNERS)}.")
    if not LEARNERS[name].installed:
        raise MissingPackageError(
            f"'{name}' needs the package '{LEARNERS[name].package}'. "
            "Install the peers with 'pip install -r requirements-bench.txt', or leave it out."
        )
    return LEARNERS[name]
