"""How large a tree should be: chosen by repeated cross-validation, and the honest error of that way of choosing.

1. The best trees of all sizes are found on all rows: within each limit on the depth and on the rows of a leaf a
   `SizePath`, whose prices of a split are the sizes that are compared. Greedy trees (CART), grown deep and cut back by
   prices of their own, are compared with them.
2. The rows are divided into folds, again and again (see `Division`); on all folds but one the same paths are found, and
   at each price the tree of that price is judged on the fold that is left.
3. Of the sizes whose validated error lies within one standard error of the least, the smallest is chosen; a greedy
   tree only where no optimal one is among them.
4. All of this is done once more on all rows but a fifth (or a centre), for each of them in turn: the tree that is
   chosen there is judged on rows that had no part in the choice. The least of many validated errors is too good to be
   true; this one is not.

Depth 4 is looked into where the choice falls on a tree of depth 3 or on a greedy one. Sizes that would take too long
are left out; which they are is told.

References
----------
Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees, sections 3.4.2 and 3.4.3 (prices, and
the rule of one standard error); Varma and Simon (2006), 'Bias in error estimation when using cross-validation for model
selection', BMC Bioinformatics 7:91 (the outer loop).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ..diagram import Diagram
from ..errors import DataError, ShapeError, UnsupportedError
from ..explain.inquiry import LEAST_SECONDS, Solve, solver
from ..explain.tasks import Tell
from ..methods.cases import added_up
from ..methods.search.clock import Clock
from ..metrics.recommended_size import (
    DEEPER,
    FOLDS,
    GREEDY,
    OUTER_FOLDS,
    REPEATS,
    OuterFold,
    Recommendation,
    SizeCandidate,
    choose,
)
from ..problem import MAX_DEPTH, Dataset, Limits, Problem, ShapeKind
from ..solution import Solution, Status, Stop
from .resamples import TrainTestRows, folds, problem_of
from .size_paths import MOST_CORNERS, Corner, SizeLimits, SizePath, rounded, size_path

GREEDY_SIZES = (SizeLimits(GREEDY, MAX_DEPTH), SizeLimits(GREEDY, MAX_DEPTH, 0))
"""How large greedy trees are grown before they are cut back."""

LEAF_FACTORS = (1, 3)
"""The least rows of a leaf that are compared, in multiples of `leaf_floor`."""

CHOICE_SHARE = 0.5
"""The share of the time that is left which the choice may take, so that some is left for the outer loop."""

_STEP_SHARE = 0.005
"""The share of the time that a single tree may take."""


class _OutOfTimeError(Exception):
    """The time is up, or the user stopped it."""


class _TreeFinder:
    """Finds the trees of all sizes, within one time for all.

    Parameters
    ----------
    method, options : who finds the optimal trees.
    limits : for all of them together.
    stop : ends it.
    """

    def __init__(self, method: str, options: Mapping[str, str] | None, limits: Limits, stop: Stop) -> None:
        self._solvers: Mapping[str, Solve] = {method: solver(method, options), GREEDY: solver(GREEDY)}
        self._limits, self._stop, self.clock = limits, stop, Clock()
        self.step = None if limits.seconds is None else max(0.1, _STEP_SHARE * limits.seconds)

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return float("inf") if self._limits.seconds is None else self._limits.seconds - self.clock.elapsed

    def path(self, problem: Problem, size: SizeLimits) -> SizePath | None:
        """The trees of all sizes within some limits; `None` where there are none.

        Raises
        ------
        _OutOfTimeError
            The time is up.
        """
        most = MOST_CORNERS if size.max_depth < DEEPER or size.method == GREEDY else 4
        try:
            return size_path(problem, size, partial(self._ask, size.method), most)
        except UnsupportedError:
            if size.method != GREEDY:
                raise
            # CART knows no constraints, and is compared only where there are none
            return None

    def _ask(self, method: str, problem: Problem) -> Solution:
        if self._stop.is_set() or self.left < LEAST_SECONDS:
            raise _OutOfTimeError
        seconds = None if self.step is None else min(self.step, self.left)
        limits = replace(self._limits, seconds=seconds, gap=0.0)
        solution = self._solvers[method](problem, limits, lambda event: None, self._stop)
        if solution.status is Status.CANCELLED or self._stop.is_set():
            raise _OutOfTimeError
        return solution


class _Comparison:
    """The sizes that are compared on some rows, and how trees of these sizes do on parts of them.

    Parameters
    ----------
    problem : its rows.
    parts : which of them trees are learned from, and which they are judged on.
    finder : finds the trees.
    noted : called after each part.
    """

    def __init__(
        self, problem: Problem, parts: Sequence[TrainTestRows], finder: _TreeFinder, noted: Callable[[], None]
    ) -> None:
        self.problem, self._finder, self._noted = problem, finder, noted
        self._parts = [(problem_of(problem, part.train), problem.dataset.take(part.test)) for part in parts]
        self._trees: list[Corner] = []
        self.candidates: list[SizeCandidate] = []
        self.late: list[SizeLimits] = []

    def add(self, sizes: Iterable[SizeLimits], affordable: float = float("inf")) -> None:
        """Compare the sizes within some limits, too; those whose parts would take longer than affordable are `late`."""
        added: list[tuple[SizeLimits, list[int], list[float]]] = []
        for size in sizes:
            begun = self._finder.clock.elapsed
            path = self._finder.path(self.problem, size)
            took = (self._finder.clock.elapsed - begun) * len(self._parts)
            if path is None:
                continue
            if took > affordable and size.method != GREEDY and self.candidates:
                self.late.append(size)
                continue
            affordable -= took
            added.append((size, *self._enter(path)))
        for train, test in self._parts:
            judged: dict[int, float] = {}
            for size, places, prices in added:
                judged |= self._judge(size, places, prices, train, test)
            # all at once: where the time ends within a part, none of them has one more than the others
            for place, error in judged.items():
                candidate = self.candidates[place]
                self.candidates[place] = replace(candidate, errors=(*candidate.errors, error))
            self._noted()
        # a size that had no tree on some part cannot be compared
        keep = [i for i, one in enumerate(self.candidates) if len(one.errors) == len(self._parts)]
        self.candidates, self._trees = [self.candidates[i] for i in keep], [self._trees[i] for i in keep]

    def _enter(self, path: SizePath) -> tuple[list[int], list[float]]:
        """Take in the trees of a path as candidates; returns where they are, and their prices a unit of weight."""
        places, prices, total = [], [], float(self.problem.dataset.total_weight)
        known = {(one.greedy, one.n_leaves, one.train_error) for one in self.candidates}
        for corner, price in zip(path.corners, path.prices, strict=True):
            posed = path.limits.posed(self.problem, price)
            candidate = SizeCandidate(
                path.limits.method,
                path.limits.max_depth,
                posed.shape.min_samples_leaf,
                rounded(price),
                corner.diagram.n_leaves,
                corner.diagram.depth,
                corner.errors / total,
                proved=corner.proved,
            )
            if (candidate.greedy and not corner.n_splits) or _key(candidate) in known:
                continue
            places.append(len(self.candidates))
            prices.append(price / total)
            self.candidates.append(candidate)
            self._trees.append(corner)
        return places, prices

    def _judge(
        self, size: SizeLimits, places: Sequence[int], prices: Sequence[float], train: Problem, test: Dataset
    ) -> dict[int, float]:
        """The errors on a part of the candidates at these places."""
        path = self._finder.path(train, size)
        if path is None:
            return {}
        weight, errors, found = float(train.dataset.total_weight), {}, {}
        for place, price in zip(places, prices, strict=True):
            corner = path.best(price * weight)
            if corner.n_splits not in errors:
                errors[corner.n_splits] = error_of(corner.diagram, test, self.problem)
            found[place] = errors[corner.n_splits]
        return found

    def wants_more_depth(self) -> bool:
        """Whether the choice falls on one of the deepest optimal trees, or on a greedy one."""
        chosen = self.choice()
        deepest = max((one.max_depth for one in self.candidates if not one.greedy), default=0)
        return chosen is not None and self.candidates[chosen].max_depth >= deepest

    def judged(self, at_least: int) -> tuple[SizeCandidate, ...]:
        """The candidates that were judged on the same parts, the fewest leaves first; none where these are too few."""
        n = max((len(one.errors) for one in self.candidates), default=0)
        if n < at_least:
            return ()
        complete = [one for one in self.candidates if len(one.errors) == n]
        return tuple(sorted(complete, key=lambda one: one.n_leaves))

    def choice(self, among: Callable[[SizeCandidate], bool] = lambda one: True) -> int | None:
        """Which size is chosen among some; `None` where there is none."""
        places = [i for i, one in enumerate(self.candidates) if among(one)]
        chosen = choose([self.candidates[i] for i in places])
        return None if chosen is None else places[chosen]

    def error(self, place: int, test: Dataset) -> float:
        """How the tree of a size that was learned from all rows does on others."""
        return error_of(self._trees[place].diagram, test, self.problem)


def _key(candidate: SizeCandidate) -> tuple[bool, int, float]:
    return candidate.greedy, candidate.n_leaves, candidate.train_error


def error_of(diagram: Diagram, dataset: Dataset, problem: Problem) -> float:
    """What the mistakes of a model cost on some rows, a unit of weight, with the class costs of a problem."""
    return _error(diagram.predict(dataset), dataset, problem)


def _error(predicted: np.ndarray, dataset: Dataset, problem: Problem) -> float:
    posed = Problem(dataset, objective=replace(problem.objective, split_cost=0.0))
    return posed.cost(predicted) / posed.scale / float(dataset.total_weight)


def recommend(
    problem: Problem,
    limits: Limits,
    stop: Stop | None = None,
    tell: Callable[[Recommendation], None] | None = None,
    *,
    method: str = "contree",
    options: Mapping[str, str] | None = None,
    n_folds: int = FOLDS,
    repeats: int = REPEATS,
    n_outer: int = OUTER_FOLDS,
) -> Recommendation:
    """Choose how large the tree should be, and say how good trees that are chosen like that are on new rows.

    Parameters
    ----------
    problem : rows, costs and constraints; the limits on the size and the price of a split give way.
    limits : for all of it; `limits.seed` decides how the rows are divided.
    stop : ends it; what is known then is the answer.
    tell : called with what is known so far.
    method, options : who finds the optimal trees.
    n_folds, repeats : of the inner loop, by which is chosen; within the outer loop it is made once.
    n_outer : folds of the outer loop; 0 for none, as also where what a fold leaves has too few rows or groups for it.

    Raises
    ------
    ShapeError
        The problem is not for trees.
    DataError
        There are too few rows for so many folds.
    UnsupportedError
        The method cannot take the constraints.
    """
    if problem.shape.kind is not ShapeKind.TREE:
        raise ShapeError(f"A size can be recommended for trees only. Got the shape '{problem.shape.kind}'.")
    finder = _TreeFinder(method, options, limits, stop or threading.Event())
    parts = tuple(folds(problem.dataset, n_folds, repeats, limits.seed))
    try:
        outer = tuple(folds(problem.dataset, n_outer, 1, limits.seed + 1)) if n_outer else ()
        inner_parts = [tuple(folds(problem.dataset.take(part.train), n_folds, 1, limits.seed)) for part in outer]
    except DataError:
        # what a fold leaves cannot be divided once more: a size can be chosen, but its error on new rows is not known
        outer, inner_parts = (), []
    plan = problem.dataset.division.plan(n_folds, repeats)
    of = len(parts) + sum(map(len, inner_parts))
    known = Recommendation(n_folds=plan.folds, repeats=plan.repeats, n_outer=len(outer), of=of)

    def note(**news: Any) -> None:
        nonlocal known
        known = replace(known, seconds=finder.clock.elapsed, **news)
        if tell is not None:
            tell(known)

    def noted() -> None:
        note(done=min(known.done + 1, known.of))

    comparison = _Comparison(problem, parts, finder, noted)
    deeper, sizes = SizeLimits(method, DEEPER), _sizes(method)
    late = comparison.late
    with suppress(_OutOfTimeError):
        comparison.add(sizes, CHOICE_SHARE * finder.left)
        if not late and comparison.wants_more_depth():
            comparison.add((deeper,), CHOICE_SHARE * finder.left)
    sizes = tuple(size for size in sizes if size not in late)
    candidates = comparison.judged(at_least=plan.folds)
    left_out = tuple(sorted({size.max_depth for size in late} - {size.max_depth for size in sizes}))
    note(candidates=candidates, chosen=choose(candidates), left_out=left_out)
    with suppress(_OutOfTimeError):
        for part, within in zip(outer, inner_parts, strict=True):
            train, test = problem_of(problem, part.train), problem.dataset.take(part.test)
            inner = _Comparison(train, within, finder, noted)
            inner.add(sizes)
            if not late and inner.wants_more_depth():
                inner.add((deeper,))
            note(outer=(*known.outer, _outer_fold(inner, test)))
    return replace(known, finished=True, seconds=finder.clock.elapsed)


def _sizes(method: str) -> tuple[SizeLimits, ...]:
    """The limits within which trees of all sizes are compared at first, the cheapest first."""
    optimal = [SizeLimits(method, depth, factor) for depth in range(1, DEEPER) for factor in LEAF_FACTORS]
    return (*GREEDY_SIZES, *optimal)


def _outer_fold(inner: _Comparison, test: Dataset) -> OuterFold:
    chosen, greedy = inner.choice(), inner.choice(lambda one: one.greedy)
    if chosen is None:
        raise _OutOfTimeError
    candidate, problem = inner.candidates[chosen], inner.problem
    weights = added_up(problem.weights, problem.dataset.y, problem.dataset.n_classes)
    constant = np.full(test.n_samples, int(problem.leaf_costs(weights).argmin()))
    return OuterFold(
        candidate.n_leaves,
        candidate.method,
        inner.error(chosen, test),
        None if greedy is None else inner.error(greedy, test),
        _error(constant, test, problem),
        float(test.total_weight),
    )


@dataclass(frozen=True)
class RecommendSize:
    """How large should the tree be? See `recommend`."""

    doing: ClassVar[str] = "Comparing trees of all sizes on rows that they did not see."
    method: str = "contree"
    options: Mapping[str, str] = field(default_factory=dict)
    n_folds: int = FOLDS
    repeats: int = REPEATS
    n_outer: int = OUTER_FOLDS

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> Recommendation:
        """Answer it; trees are found by the method that is named, not by `solve`."""
        return recommend(problem, limits, stop, tell, **vars(self))
