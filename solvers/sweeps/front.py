"""Errors against size: the best models of many sizes, with and without the constraints, found one after the other.

Among trees of a depth, the best one for each number of leaves is the whole front of errors against size; greedy models
of the same sizes show what the search is worth.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple

from solvers.explain.inquiry import Solve
from solvers.explain.tasks import Tell
from solvers.methods import registry
from solvers.methods.base import Method
from solvers.methods.search.clock import Clock
from solvers.metrics.words import count
from solvers.problem import Limits, Problem, Shape, ShapeKind
from solvers.problem.skeleton import PRESETS, objective_of
from solvers.solution import Stop
from solvers.sweeps.executors import InProcess, run_jobs
from solvers.sweeps.jobs import JobOutcome, SweepJob

STEP = 5.0
"""Seconds for each model."""


class GridCell(NamedTuple):
    """A model that is looked for: what tells it apart in words, whether it keeps the constraints, and the job.

    `alpha` is the price of a diagram's split, see `objective_of`; `None` for other models.
    """

    words: str
    constrained: bool
    job: SweepJob
    alpha: float | None


@dataclass(frozen=True)
class ParameterGrid:
    """Which models are looked for.

    Attributes
    ----------
    methods : names of the registry.
    options : values of their options, by method.
    depths : the most splits on a path, of trees; levels, of BDDs.
    leaves : the most leaves of trees, whose depth is the largest of `depths`.
    alphas : what a split of a diagram costs, see `objective_of`.
    free : whether each is also looked for without the constraints.
    widths : skeletons of diagrams, each with every alpha; where there are none, that of the problem, or else the first
        preset.
    """

    methods: tuple[str, ...]
    options: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    depths: tuple[int, ...] = ()
    leaves: tuple[int, ...] = ()
    alphas: tuple[float, ...] = ()
    free: bool = True
    widths: tuple[tuple[int, ...], ...] = ()

    def cells(self, problem: Problem, limits: Limits | None = None) -> tuple[GridCell, ...]:
        """The models for a problem, small ones first; sizes that its methods cannot be asked for are left out.

        Its rows, costs, constraints and least leaves hold for all, and so do the limits.
        """
        found: dict[tuple[str, str], GridCell] = {}
        for words, size, posed, alpha in self._sizes(problem):
            for name in self.methods:
                method = registry.get(name, **self.options.get(name, {}))
                if posed.shape.kind not in method.kinds:
                    continue
                for constrained, variant in self._variants(method, posed):
                    key = f"{name} {size}" + ("" if constrained else " free")
                    title = f"{method.title}, {words}" + ("" if constrained else ", without constraints")
                    job = SweepJob(key, variant, name, dict(self.options.get(name, {})), limits or Limits(seconds=STEP))
                    found.setdefault((name, variant.id), GridCell(title, constrained, job, alpha))
        return tuple(found.values())

    def _sizes(self, problem: Problem) -> Iterator[tuple[str, str, Problem, float | None]]:
        """Each size in words, its short name, the problem for it, and the alpha of a diagram."""
        tree, own = as_tree(problem), problem.shape
        if own.kind is ShapeKind.DIAGRAM:
            # its price of a split is that of a size among diagrams; trees are asked for by their sizes
            tree = replace(tree, objective=replace(tree.objective, split_cost=0.0))
        least = Shape(min_samples_leaf=own.min_samples_leaf, min_weight_leaf=own.min_weight_leaf)
        deepest = max(self.depths, default=problem.shape.max_depth)
        for leaves in self.leaves:
            if leaves < 2**deepest:
                shape = replace(least, max_depth=deepest, max_leaf_nodes=leaves)
                yield count(leaves, "leaf", "leaves"), f"d{deepest} l{leaves}", replace(tree, shape=shape), None
        for depth in self.depths:
            shape = replace(least, max_depth=depth)
            yield f"depth {depth}", f"d{depth}", replace(tree, shape=shape), None
        for depth in self.depths:
            shape = Shape(ShapeKind.BDD, max_depth=depth)
            yield count(depth, "level"), f"levels{depth}", replace(tree, shape=shape), None
        free = replace(problem.objective, split_cost=0.0)
        for skeleton, place, shape in self._skeletons(problem):
            for alpha in self.alphas:
                priced = objective_of(alpha, problem.dataset.total_weight, base=free)
                posed = replace(problem, shape=shape, objective=priced)
                yield f"alpha {alpha:g}" + skeleton, f"alpha{alpha:g}{place}", posed, alpha

    def _skeletons(self, problem: Problem) -> Iterator[tuple[str, str, Shape]]:
        """Each skeleton in words, its short name, and the shape; nothing is said where only one can be meant."""
        same = problem.shape.kind is ShapeKind.DIAGRAM
        shape = (
            replace(problem.shape, max_splits=None) if same else Shape(ShapeKind.DIAGRAM, widths=PRESETS["I"].widths)
        )
        if not self.widths:
            yield "", "", shape
        for widths in self.widths:
            text = " ".join(map(str, widths))
            yield f", layers {text}", f" w{text.replace(' ', '.')}", replace(shape, widths=widths)

    def _variants(self, method: Method, problem: Problem) -> Iterator[tuple[bool, Problem]]:
        """The problem under its constraints, where the method takes them, and without."""
        refused = method.check(problem)
        if not refused:
            yield True, problem
        if problem.constraints and (self.free or refused):
            free = replace(problem, constraints=())
            if not method.check(free):
                yield False, free


def as_tree(problem: Problem) -> Problem:
    """The same table for trees of the same depth; what a split costs, the first one costs, too."""
    if problem.shape.kind is ShapeKind.TREE:
        return problem
    objective = replace(problem.objective, free_root=False)
    return replace(problem, shape=Shape(max_depth=problem.shape.max_depth), objective=objective)


@dataclass(frozen=True)
class Filling:
    """What a grid came to: of so many models that were asked for, those that were looked for until now."""

    of: int
    outcomes: tuple[JobOutcome, ...] = ()
    finished: bool = False
    seconds: float = 0.0


@dataclass(frozen=True)
class FillFront(ParameterGrid):
    """Which are the best models of the sizes of a grid? `step` is the time for each model."""

    doing: ClassVar[str] = "Looking for the best model of one size after the other."
    step: float = STEP

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> Filling:
        """Solve the cells of the grid one after the other, telling what was found after each."""
        clock = Clock()
        jobs = [cell.job for cell in self.cells(problem, replace(limits, seconds=self.step, gap=0.0))]
        answer = Filling(len(jobs))
        tell(answer)
        for outcome in run_jobs(jobs, InProcess(), stop):
            if stop.is_set() and not outcome.proved:
                # a model that was not given its time says nothing about its size
                break
            if outcome.solution is not None:
                # lists of near-optimal models and the trace are many times as large as the model
                details = replace(outcome.solution.details, near_optimal=None, all_near_optimal=False)
                short = replace(outcome.solution, trace=(), stats={}, details=details)
                outcome = replace(outcome, solution=short)
            answer = replace(answer, outcomes=(*answer.outcomes, outcome), seconds=clock.elapsed)
            tell(answer)
        return replace(answer, finished=True, seconds=clock.elapsed)
