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

import math
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from msgspec import structs

from ..diagram import Diagram
from ..errors import DataError, RunError, ShapeError
from ..explain.inquiry import Solve
from ..explain.tasks import TaskRecord, Tell
from ..methods import get
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
from ..run.solver_run import check
from ..solution import Stop
from .jobs import JobOutcome, SweepJob
from .resamples import TrainTestRows, folds, problem_of
from .study import Jobs, PlannedJob, digest, run_study, table_in

T = TypeVar("T")

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


_Search = Generator[PlannedJob, JobOutcome | None, T]
"""A part of the plan that ends with a result."""


class SizeStudy:
    """The plan of a recommendation: which trees it compares depends on those found before.

    Parameters
    ----------
    problem, limits, tell : as in `recommend`.
    task : its settings.

    Attributes
    ----------
    known : the recommendation so far.
    """

    keys: tuple[str, ...] = ()

    def __init__(self, problem: Problem, limits: Limits, task: RecommendSize, tell: Tell = lambda known: None) -> None:
        if problem.shape.kind is not ShapeKind.TREE:
            raise ShapeError(f"A size can be recommended for trees only, but the shape is '{problem.shape.kind}'.")
        self.problem, self.limits, self.task, self._tell = problem, limits, task, tell
        check(get(task.method, **task.options), SizeLimits(task.method, 1).to_problem(problem, 0.0), Limits())
        self.step = None if limits.seconds is None else max(0.1, _STEP_SHARE * limits.seconds)
        # CART supports no constraints, and is compared only if there are none
        greedy = () if get(GREEDY).check(GREEDY_SIZES[0].to_problem(problem, 0.0)) else GREEDY_SIZES
        small = (SizeLimits(task.method, depth, factor) for depth in range(1, DEEPER) for factor in LEAF_FACTORS)
        self._sizes, self._deeper = (*greedy, *small), SizeLimits(task.method, DEEPER)
        data, seed = problem.dataset, limits.seed
        self._whole = _Comparison(self, problem, tuple(folds(data, task.n_folds, task.repeats, seed)), "")
        try:
            outer = tuple(folds(data, task.n_outer, 1, seed + 1)) if task.n_outer else ()
            parts = [tuple(folds(data.take(part.train), task.n_folds, 1, seed)) for part in outer]
        except DataError:
            # rows without a fold cannot be divided again: a size can be chosen, but its error on new rows is unknown
            outer, parts = (), []
        self._outer = tuple(zip(outer, parts, strict=True))
        self._clock, self._spent, self._compared = Clock(), 0.0, False
        plan = data.division.plan(task.n_folds, task.repeats)
        of = self._whole.n_parts + sum(map(len, parts))
        self.known = Recommendation(n_folds=plan.folds, repeats=plan.repeats, n_outer=len(outer), of=of)

    @cached_property
    def id(self) -> str:
        """An id of the plan."""
        return digest([self.problem.id, structs.asdict(self.task) | {"folder": ""}, vars(self.limits)])

    def jobs(self) -> Jobs:
        """The trees of all sizes, on all rows and on each part; then the same without each outer fold."""
        yield from self._compare(self._whole)
        self.settle()
        sizes = tuple(size for size in self._sizes if size not in self._whole.late)
        for part, within in self._outer if self.known.choice else ():
            train = problem_of(self.problem, part.train)
            inner = _Comparison(self, train, within, f" without fold {part.number}")
            yield from inner.add(sizes)
            if not self._whole.late and inner.wants_more_depth():
                yield from inner.add((self._deeper,))
            fold = _outer_fold(inner, self.problem.dataset.take(part.test))
            if fold is None:
                return
            self._note(outer=(*self.known.outer, fold))

    def _compare(self, whole: _Comparison) -> Jobs:
        yield from whole.add(self._sizes, CHOICE_SHARE * self._left)
        if not whole.late and whole.wants_more_depth():
            yield from whole.add((self._deeper,), CHOICE_SHARE * self._left)

    def settle(self) -> None:
        """Choose a size among those compared, once."""
        if not self._compared:
            self._compared, late = True, self._whole.late
            candidates = self._whole.judged(at_least=self.known.n_folds)
            compared = {size.max_depth for size in self._sizes if size not in late}
            left_out = tuple(sorted({size.max_depth for size in late} - compared))
            self._note(candidates=candidates, chosen=choose(candidates, left_out), left_out=left_out)

    def judged_part(self) -> None:
        """Note that the trees of another part of the rows were evaluated."""
        self._note(done=min(self.known.done + 1, self.known.of))

    def _note(self, **news: Any) -> None:
        self.known = structs.replace(self.known, seconds=self._clock.elapsed, **news)
        self._tell(self.known)

    def run(self, stop: Stop | None = None) -> Recommendation:
        """Carry it out until a stop."""
        run_study(self, table_in(self.task.folder), stop=stop, seconds=self.limits.seconds)
        self.settle()
        return structs.replace(self.known, finished=True)

    @property
    def _left(self) -> float:
        """Remaining seconds, by those of all jobs so far, so that a resumed study decides the same."""
        return math.inf if self.limits.seconds is None else self.limits.seconds - self._spent

    def tree(self, problem: Problem, size: SizeLimits, name: str, price: float) -> _Search[JobOutcome]:
        """The best tree of a size at a split penalty; `name` says on which rows."""
        options = self.task.options if size.method == self.task.method else {}
        limits = replace(self.limits, seconds=self.step, gap=0.0)
        key = f"{size.method} d{size.max_depth} l{size.leaf_factor} p{price:g}{name}"
        job = SweepJob(key, size.to_problem(problem, price), size.method, options, limits)
        outcome = yield PlannedJob.of(job)
        assert outcome is not None, "it has ended"
        if outcome.error and size.method != GREEDY:
            raise RunError(outcome.error)
        self._spent += outcome.seconds
        return outcome


def trees_by_price(tree: Callable[[float], _Search[JobOutcome]]) -> _Search[dict[float, JobOutcome]]:
    """The best trees of a size at all split penalties; none lies between trees with the same number of splits."""
    found: dict[int, JobOutcome] = {}

    def fill(low: int, high: int) -> Jobs:
        for i in (low, high):
            if i not in found:
                found[i] = yield from tree(PRICES[i])
        if high - low > 1:
            if _splits(found[low]) == _splits(found[high]):
                found.update(dict.fromkeys(range(low + 1, high), found[low]))
            else:
                yield from fill(low, (low + high) // 2)
                yield from fill((low + high) // 2, high)

    yield from fill(0, len(PRICES) - 1)
    return {PRICES[i]: found[i] for i in sorted(found)}


def different(found: Mapping[float, JobOutcome]) -> list[tuple[float, JobOutcome, Diagram]]:
    """The different trees of a size, each with the middle one of the split penalties at which it is optimal."""
    prices: dict[int, list[float]] = {}
    for price, outcome in found.items():
        prices.setdefault(_splits(outcome), []).append(price)
    middles = [same[len(same) // 2] for same in prices.values()]
    return [(price, found[price], diagram) for price in middles if (diagram := found[price].diagram) is not None]


def _splits(outcome: JobOutcome) -> int:
    return -1 if outcome.diagram is None else outcome.diagram.n_splits


class _Comparison:
    """The sizes that are compared on some rows, and the performance of trees of these sizes on subsets.

    Parameters
    ----------
    study : makes the jobs.
    problem : its rows.
    parts : the training and test rows of each part.
    name : says which rows.
    """

    def __init__(self, study: SizeStudy, problem: Problem, parts: Sequence[TrainTestRows], name: str) -> None:
        self.problem, self._study, self._name, self.n_parts = problem, study, name, len(parts)
        self._parts = [
            (problem_of(problem, part.train), problem.dataset.take(part.test), f"{name} in part {part.key}")
            for part in parts
        ]
        self._trees: list[Diagram] = []
        self.candidates: list[SizeCandidate] = []
        self.late: list[SizeLimits] = []

    def add(self, sizes: Iterable[SizeLimits], affordable: float = math.inf) -> Jobs:
        """Add sizes to the comparison; those whose parts would take longer than `affordable` are `late`."""
        added: list[tuple[int, SizeLimits, float]] = []
        for size in sizes:
            found = yield from trees_by_price(partial(self._study.tree, self.problem, size, self._name))
            trees, solved = different(found), {outcome.key: outcome for outcome in found.values()}.values()
            # each part is solved only for these trees, not for the penalties between them
            took = sum(outcome.seconds for outcome in solved) / len(solved) * len(trees) * self.n_parts
            # without a split, a search that ended early has shown nothing about its size
            empty = all(_splits(outcome) <= 0 for outcome in solved) and not all(one.proved for one in solved)
            if size.method != GREEDY and (empty or (took > affordable and self.candidates)):
                self.late.append(size)
                continue
            affordable -= took
            for price, outcome, diagram in trees:
                if (place := self._enter(size, price, outcome, diagram)) >= 0:
                    added.append((place, size, price))
        for train, test, name in self._parts:
            judged: dict[int, float] = {}
            for place, size, price in added:
                without = (yield from self._study.tree(train, size, name, price)).diagram
                if without is not None:
                    judged[place] = error_of(at_demand(self.problem, without, test), test, self.problem)
            # all at once, so that if the time ends within a part, no candidate has one error more than the others
            for place, error in judged.items():
                candidate = self.candidates[place]
                self.candidates[place] = replace(candidate, errors=(*candidate.errors, error))
            self._study.judged_part()
        # a size without a tree on some part cannot be compared
        keep = [i for i, one in enumerate(self.candidates) if len(one.errors) == self.n_parts]
        self.candidates, self._trees = [self.candidates[i] for i in keep], [self._trees[i] for i in keep]

    def _enter(self, size: SizeLimits, price: float, outcome: JobOutcome, diagram: Diagram) -> int:
        """Add a tree as a candidate; returns its index, -1 if it is a duplicate or a greedy constant."""
        posed = size.to_problem(self.problem, price)
        error = error_of(diagram, posed.dataset, posed)
        known = {(one.greedy, one.n_leaves, round(one.train_error, 9)) for one in self.candidates}
        greedy, n_leaves = size.method == GREEDY, diagram.n_leaves
        if (greedy and n_leaves == 1) or (greedy, n_leaves, round(error, 9)) in known:
            return -1
        least, split_penalty = posed.shape.min_samples_leaf, posed.objective.split_penalty
        shape = size.max_depth, least, split_penalty, n_leaves, diagram.depth
        self.candidates.append(SizeCandidate(size.method, *shape, error, (), outcome.proved))
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
    tell: Callable[[Recommendation], None] = lambda known: None,
    **settings: Any,
) -> Recommendation:
    """Choose the size of the tree, and estimate the error on new rows of trees chosen this way.

    Parameters
    ----------
    problem : rows, costs and constraints; its size limits and split penalty are ignored.
    limits : for all of it; `limits.seed` decides how the rows are divided.
    stop : ends it; the result is what is known by then.
    tell : called with partial results.
    settings : fields of `RecommendSize`.

    Raises
    ------
    ShapeError
        The problem is not for trees.
    DataError
        There are too few rows for the folds.
    UnsupportedError
        The method does not support the constraints.
    RunError
        A search failed, or the folder cannot be used.
    """
    return SizeStudy(problem, limits, RecommendSize(**settings), tell).run(stop)


def _outer_fold(inner: _Comparison, test: Dataset) -> OuterFold | None:
    """The choice without an outer fold, and its errors there; `None` if no size could be chosen."""
    chosen, greedy = inner.choice(), inner.choice(lambda one: one.greedy)
    if chosen is None:
        return None
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


class RecommendSize(TaskRecord, frozen=True):
    """How large should the tree be? See `recommend`.

    Attributes
    ----------
    method, options : the method for optimal trees.
    n_folds, repeats : of the inner loop, which makes the choice; within the outer loop it is run once.
    n_outer : folds of the outer loop; 0 for none, also if a fold leaves too few rows or groups.
    folder : of the table of all trees; if it holds the same study, it is resumed. Without one the table is not kept.
    """

    doing: ClassVar[str] = "Comparing trees of all sizes on held-out rows."
    method: str = "contree"
    options: Mapping[str, str] = {}
    n_folds: int = FOLDS
    repeats: int = REPEATS
    n_outer: int = OUTER_FOLDS
    folder: str = ""

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> Recommendation:
        """Run the task; trees are found by `method`, not by `solve`."""
        return SizeStudy(problem, limits, self, tell).run(stop)
