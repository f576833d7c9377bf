"""The size of a tree, chosen by repeated cross-validation, and an unbiased error estimate of this procedure.

1. For each limit on the depth and on the rows of a leaf, the best trees on all rows are found at each split penalty of
  `PRICES`. Greedy trees (CART), grown deep and pruned by the same penalties, are compared with them.
2. The rows are divided into folds, repeatedly (see `Division`); on all folds but one the trees of the same sizes are
  found, and evaluated on the remaining fold.
  If a constraint demands a share of correct predictions, such as a sensitivity, the sizes are compared at that share:
  leaves are relabelled where the remaining fold misses it.
3. Of the sizes whose validated error lies within one standard error of the minimum, the smallest is chosen; a greedy
  tree only if no optimal one is among them.
4. All of this is repeated on all rows but a fifth (or a centre), for each of them in turn: the tree chosen there is
  evaluated on rows that were not used for the choice. The minimum of many validated errors is optimistic; this estimate
  is not.

Depth 4 is tried if the choice is a tree of depth 3 or a greedy one. Sizes that would take too long are skipped; the
result lists them.

References
----------
Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees, sections 3.4.2 and 3.4.3 (split
penalties, and the one-standard-error rule); Varma and Simon (2006), 'Bias in error estimation when using
cross-validation for model selection', BMC Bioinformatics 7:91 (the outer loop).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..diagram import Diagram
from ..errors import DataError, ShapeError, UnsupportedError
from ..explain.inquiry import LEAST_SECONDS, Solve, solver
from ..explain.tasks import Tell
from ..methods.cases import added_up
from ..methods.search.clock import Clock
from ..metrics.comparable import at_demand, constants
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
from ..problem import MAX_DEPTH, Dataset, Limits, Problem, Shape, ShapeKind, leaf_floor
from ..solution import Solution, Status, Stop
from .resamples import TrainTestRows, folds, problem_of

PRICES = (0.0, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.045, 0.07, 0.1, 0.15, 0.25, 0.4, 1.0)
"""Split penalties, as a share of the cost of errors in all rows. At the last one no tree splits."""

CHOICE_SHARE = 0.5
"""The maximum share of the remaining time for the choice, so that some is left for the outer loop."""

_STEP_SHARE = 0.005
"""The maximum share of the time for a single tree."""


class SizeLimits(NamedTuple):
    """The limits of trees apart from the split penalty, for a table of any number of rows.

    Attributes
    ----------
    method : the method that makes them.
    max_depth : see `Shape`.
    leaf_factor : the minimum rows of a leaf, in multiples of `leaf_floor`; 0 for no minimum.
    """

    method: str
    max_depth: int
    leaf_factor: int = 1

    def to_problem(self, problem: Problem, price: float) -> Problem:
        """The problem within these limits, at a split penalty of `PRICES`."""
        n_rows, costs = problem.dataset.n_samples, problem.objective.class_costs
        least = max(1, min(self.leaf_factor * leaf_floor(n_rows), n_rows))
        dearest = 1.0 if costs is None else max(max(row) for row in costs)
        split_penalty = round(price * dearest * float(problem.dataset.total_weight), 3)
        shape = Shape(max_depth=self.max_depth, min_samples_leaf=least)
        return replace(problem, shape=shape, objective=replace(problem.objective, split_penalty=split_penalty))


GREEDY_SIZES = (SizeLimits(GREEDY, MAX_DEPTH), SizeLimits(GREEDY, MAX_DEPTH, 0))
"""The size limits of greedy trees before pruning."""

LEAF_FACTORS = (1, 3)
"""The minimum rows of a leaf that are compared, in multiples of `leaf_floor`."""


class _OutOfTimeError(Exception):
    """The time is up, or the user stopped it."""


class _TreeFinder:
    """Finds the trees of all sizes, within a shared time limit.

    Parameters
    ----------
    method, options : the method for optimal trees.
    limits : for all trees together.
    stop : ends it.
    """

    def __init__(self, method: str, options: Mapping[str, str] | None, limits: Limits, stop: Stop) -> None:
        self._solvers: Mapping[str, Solve] = {method: solver(method, options), GREEDY: solver(GREEDY)}
        self._limits, self._stop, self.clock = limits, stop, Clock()
        self.asked = self.unproved = 0
        self.step = None if limits.seconds is None else max(0.1, _STEP_SHARE * limits.seconds)

    @property
    def left(self) -> float:
        """Remaining seconds."""
        return float("inf") if self._limits.seconds is None else self._limits.seconds - self.clock.elapsed

    def tree(self, problem: Problem, size: SizeLimits, price: float) -> Solution | None:
        """The best tree of a size at a split penalty; `None` if there is none.

        Raises
        ------
        _OutOfTimeError
            The time is up.
        """
        if self._stop.is_set() or self.left < LEAST_SECONDS:
            raise _OutOfTimeError
        self.asked += 1
        seconds = None if self.step is None else min(self.step, self.left)
        limits = replace(self._limits, seconds=seconds, gap=0.0)
        try:
            posed = size.to_problem(problem, price)
            solution = self._solvers[size.method](posed, limits, lambda event: None, self._stop)
        except UnsupportedError:
            if size.method != GREEDY:
                raise
            # CART supports no constraints, and is compared only if there are none
            return None
        if solution.status is Status.CANCELLED or self._stop.is_set():
            raise _OutOfTimeError
        self.unproved += solution.status not in (Status.OPTIMAL, Status.INFEASIBLE)
        return solution if solution.diagram is not None else None

    def trees(self, problem: Problem, size: SizeLimits) -> list[tuple[float, Solution]]:
        """The different trees of a size, each with the middle one of the split penalties at which it is optimal."""
        found: dict[int, Solution | None] = {}

        def fill(low: int, high: int) -> None:
            """Find the trees at penalties between two; none lies between trees with the same number of splits."""
            for i in (low, high):
                if i not in found:
                    found[i] = self.tree(problem, size, PRICES[i])
            if high - low > 1:
                if _splits(found[low]) == _splits(found[high]):
                    found.update(dict.fromkeys(range(low + 1, high), found[low]))
                else:
                    middle = (low + high) // 2
                    fill(low, middle)
                    fill(middle, high)

        fill(0, len(PRICES) - 1)
        prices: dict[int, list[int]] = {}
        for i in sorted(found):
            prices.setdefault(_splits(found[i]), []).append(i)
        middles = [same[len(same) // 2] for same in prices.values()]
        return [(PRICES[i], solution) for i in middles if (solution := found[i]) is not None]


def _splits(solution: Solution | None) -> int:
    return -1 if solution is None or solution.diagram is None else solution.diagram.n_splits


class _Comparison:
    """The sizes that are compared on some rows, and the performance of trees of these sizes on subsets.

    Parameters
    ----------
    problem : its rows.
    parts : the training and test rows of each part.
    finder : finds the trees.
    noted : called after each part.
    """

    def __init__(
        self, problem: Problem, parts: Sequence[TrainTestRows], finder: _TreeFinder, noted: Callable[[], None]
    ) -> None:
        self.problem, self._finder, self._noted = problem, finder, noted
        self._parts = [(problem_of(problem, part.train), problem.dataset.take(part.test)) for part in parts]
        self._trees: list[Diagram] = []
        self.candidates: list[SizeCandidate] = []
        self.late: list[SizeLimits] = []

    def add(self, sizes: Iterable[SizeLimits], affordable: float = float("inf")) -> None:
        """Add sizes to the comparison; those whose parts would take longer than `affordable` are `late`."""
        added: list[tuple[int, SizeLimits, float]] = []
        for size in sizes:
            begun, asked, unproved = self._finder.clock.elapsed, self._finder.asked, self._finder.unproved
            trees = self._finder.trees(self.problem, size)
            # each part is solved only for these trees, not for the penalties between them
            per_tree = (self._finder.clock.elapsed - begun) / max(1, self._finder.asked - asked)
            took = per_tree * len(trees) * len(self._parts)
            # without a split, a search that ended early has shown nothing about its size
            empty = not any(_splits(tree) for _, tree in trees) and self._finder.unproved > unproved
            if size.method != GREEDY and (empty or (took > affordable and self.candidates)):
                self.late.append(size)
                continue
            affordable -= took
            added += [(place, size, price) for price, tree in trees if (place := self._enter(size, price, tree)) >= 0]
        for train, test in self._parts:
            judged: dict[int, float] = {}
            for place, size, price in added:
                if (tree := self._finder.tree(train, size, price)) is not None and tree.diagram is not None:
                    judged[place] = error_of(at_demand(self.problem, tree.diagram, test), test, self.problem)
            # all at once, so that if the time ends within a part, no candidate has one error more than the others
            for place, error in judged.items():
                candidate = self.candidates[place]
                self.candidates[place] = replace(candidate, errors=(*candidate.errors, error))
            self._noted()
        # a size without a tree on some part cannot be compared
        keep = [i for i, one in enumerate(self.candidates) if len(one.errors) == len(self._parts)]
        self.candidates, self._trees = [self.candidates[i] for i in keep], [self._trees[i] for i in keep]

    def _enter(self, size: SizeLimits, price: float, tree: Solution) -> int:
        """Add a tree as a candidate; returns its index, -1 if it is a duplicate or a greedy constant."""
        diagram, posed = tree.diagram, size.to_problem(self.problem, price)
        assert diagram is not None, "it is a tree"
        error = error_of(diagram, posed.dataset, posed)
        known = {(one.greedy, one.n_leaves, round(one.train_error, 9)) for one in self.candidates}
        greedy, n_leaves = size.method == GREEDY, diagram.n_leaves
        if (greedy and n_leaves == 1) or (greedy, n_leaves, round(error, 9)) in known:
            return -1
        least, split_penalty, proved = (
            posed.shape.min_samples_leaf,
            posed.objective.split_penalty,
            tree.cost == tree.bound,
        )
        self.candidates.append(
            SizeCandidate(size.method, size.max_depth, least, split_penalty, n_leaves, diagram.depth, error, (), proved)
        )
        self._trees.append(diagram)
        return len(self.candidates) - 1

    def wants_more_depth(self) -> bool:
        """Whether the choice is one of the deepest optimal trees, or a greedy one."""
        chosen = self.choice()
        deepest = max((one.max_depth for one in self.candidates if not one.greedy), default=0)
        return chosen is not None and self.candidates[chosen].max_depth >= deepest

    def judged(self, at_least: int) -> tuple[SizeCandidate, ...]:
        """The candidates evaluated on all parts so far, fewest leaves first; empty for fewer than `at_least` parts."""
        n = max((len(one.errors) for one in self.candidates), default=0)
        if n < at_least:
            return ()
        complete = [one for one in self.candidates if len(one.errors) == n]
        return tuple(sorted(complete, key=lambda one: one.n_leaves))

    def choice(self, among: Callable[[SizeCandidate], bool] = lambda one: True) -> int | None:
        """The index of the chosen size among some; `None` if there is none."""
        places = [i for i, one in enumerate(self.candidates) if among(one)]
        chosen = choose([self.candidates[i] for i in places])
        return None if chosen is None else places[chosen]

    def error(self, place: int, test: Dataset) -> float:
        """The error on other rows of the tree of a size learned from all rows."""
        return error_of(self._trees[place], test, self.problem)


def error_of(diagram: Diagram, dataset: Dataset, problem: Problem) -> float:
    """The error cost of a model on some rows, per unit of weight, with the class costs of a problem."""
    return _error(diagram.predict(dataset), dataset, problem)


def _error(predicted: np.ndarray, dataset: Dataset, problem: Problem) -> float:
    posed = Problem(dataset, objective=replace(problem.objective, split_penalty=0.0))
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
    """Choose the size of the tree, and estimate the error on new rows of trees chosen this way.

    Parameters
    ----------
    problem : rows, costs and constraints; its size limits and split penalty are ignored.
    limits : for all of it; `limits.seed` decides how the rows are divided.
    stop : ends it; the result is what is known by then.
    tell : called with partial results.
    method, options : the method for optimal trees.
    n_folds, repeats : of the inner loop, which makes the choice; within the outer loop it is run once.
    n_outer : folds of the outer loop; 0 for none, also if a fold leaves too few rows or groups.

    Raises
    ------
    ShapeError
        The problem is not for trees.
    DataError
        There are too few rows for the folds.
    UnsupportedError
        The method does not support the constraints.
    """
    if problem.shape.kind is not ShapeKind.TREE:
        raise ShapeError(f"A size can be recommended for trees only, but the shape is '{problem.shape.kind}'.")
    finder = _TreeFinder(method, options, limits, stop or threading.Event())
    parts = tuple(folds(problem.dataset, n_folds, repeats, limits.seed))
    try:
        outer = tuple(folds(problem.dataset, n_outer, 1, limits.seed + 1)) if n_outer else ()
        inner_parts = [tuple(folds(problem.dataset.take(part.train), n_folds, 1, limits.seed)) for part in outer]
    except DataError:
        # the rows without a fold cannot be divided again: a size can be chosen, but its error on new rows is unknown
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
    note(candidates=candidates, chosen=choose(candidates, left_out), left_out=left_out)
    with suppress(_OutOfTimeError):
        for part, within in zip(outer, inner_parts, strict=True) if known.choice else ():
            train, test = problem_of(problem, part.train), problem.dataset.take(part.test)
            inner = _Comparison(train, within, finder, noted)
            inner.add(sizes)
            if not late and inner.wants_more_depth():
                inner.add((deeper,))
            note(outer=(*known.outer, _outer_fold(inner, test)))
    return replace(known, finished=True, seconds=finder.clock.elapsed)


def _sizes(method: str) -> tuple[SizeLimits, ...]:
    """The first limits within which trees of all sizes are compared, the fastest first."""
    optimal = [SizeLimits(method, depth, factor) for depth in range(1, DEEPER) for factor in LEAF_FACTORS]
    return (*GREEDY_SIZES, *optimal)


def _outer_fold(inner: _Comparison, test: Dataset) -> OuterFold:
    chosen, greedy = inner.choice(), inner.choice(lambda one: one.greedy)
    if chosen is None:
        raise _OutOfTimeError
    candidate, problem = inner.candidates[chosen], inner.problem
    weights = added_up(problem.weights, problem.dataset.y, problem.dataset.n_classes)
    costs = problem.leaf_costs(weights)
    constant = min(constants(problem), key=costs.__getitem__, default=None)
    return OuterFold(
        candidate.n_leaves,
        candidate.method,
        inner.error(chosen, test),
        None if greedy is None else inner.error(greedy, test),
        None if constant is None else _error(np.full(test.n_samples, constant), test, problem),
        float(test.total_weight),
    )


@dataclass(frozen=True)
class RecommendSize:
    """How large should the tree be? See `recommend`."""

    doing: ClassVar[str] = "Comparing trees of all sizes on held-out rows."
    method: str = "contree"
    options: Mapping[str, str] = field(default_factory=dict)
    n_folds: int = FOLDS
    repeats: int = REPEATS
    n_outer: int = OUTER_FOLDS

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> Recommendation:
        """Run the task; trees are found by `method`, not by `solve`."""
        return recommend(problem, limits, stop, tell, **vars(self))
