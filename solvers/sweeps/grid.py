"""The axes of a study: methods, sizes, prices of a split and minimums, with and without the constraints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ..constraints import MinSamplesSplit
from ..methods import registry
from ..methods.base import Method
from ..metrics.words import count
from ..problem import Limits, Problem, Shape, ShapeKind
from ..problem.skeleton import PRESETS, objective_of
from .jobs import SweepJob

STEP = 5.0
"""Seconds for each model."""


class GridCell(NamedTuple):
    """A model to find: its name, whether it keeps the constraints, the job, and where it is on axes of `ParameterGrid`.

    `axes` may have 'alpha', the price of a diagram's split, and 'min_rows', the share of the rows at each question.
    """

    words: str
    constrained: bool
    job: SweepJob
    axes: Mapping[str, float]


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
    min_rows : shares of the rows that must come to each question of the problem's own model.
    own : whether the problem's own model by each method is the only one, whatever else is here.
    """

    methods: tuple[str, ...]
    options: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    depths: tuple[int, ...] = ()
    leaves: tuple[int, ...] = ()
    alphas: tuple[float, ...] = ()
    free: bool = True
    widths: tuple[tuple[int, ...], ...] = ()
    min_rows: tuple[float, ...] = ()
    own: bool = False

    def cells(self, problem: Problem, limits: Limits | None = None) -> tuple[GridCell, ...]:
        """The models for a problem, small ones first; sizes that its methods cannot be asked for are left out.

        Its rows, costs, constraints and least leaves hold for all, and so do the limits.
        """
        limits = limits or Limits(seconds=STEP)
        if self.own:
            jobs = [SweepJob(name, problem, name, dict(self.options.get(name, {})), limits) for name in self.methods]
            return tuple(GridCell(registry.get(job.method).title, True, job, {}) for job in jobs)
        found: dict[tuple[str, str], GridCell] = {}
        for words, size, posed, axes in self._sizes(problem):
            for name in self.methods:
                method = registry.get(name, **self.options.get(name, {}))
                if posed.shape.kind not in method.kinds:
                    continue
                for constrained, variant in self._variants(method, posed):
                    key = f"{name} {size}" + ("" if constrained else " free")
                    title = f"{method.title}, {words}" + ("" if constrained else ", without constraints")
                    job = SweepJob(key, variant, name, dict(self.options.get(name, {})), limits)
                    found.setdefault((name, variant.id), GridCell(title, constrained, job, axes))
        return tuple(found.values())

    def _sizes(self, problem: Problem) -> Iterator[tuple[str, str, Problem, dict[str, Any]]]:
        """Each size in words, its short name, the problem for it, and where it is on further axes."""
        tree, own = as_tree(problem), problem.shape
        if own.kind is ShapeKind.DIAGRAM:
            # its price of a split is that of a size among diagrams; trees are asked for by their sizes
            tree = replace(tree, objective=replace(tree.objective, split_cost=0.0))
        least = Shape(min_samples_leaf=own.min_samples_leaf, min_weight_leaf=own.min_weight_leaf)
        deepest = max(self.depths, default=problem.shape.max_depth)
        for leaves in self.leaves:
            if leaves < 2**deepest:
                shape = replace(least, max_depth=deepest, max_leaf_nodes=leaves)
                yield count(leaves, "leaf", "leaves"), f"d{deepest} l{leaves}", replace(tree, shape=shape), {}
        for depth in self.depths:
            shape = replace(least, max_depth=depth)
            yield f"depth {depth}", f"d{depth}", replace(tree, shape=shape), {}
        for depth in self.depths:
            shape = Shape(ShapeKind.BDD, max_depth=depth)
            yield count(depth, "level"), f"levels{depth}", replace(tree, shape=shape), {}
        free = replace(problem.objective, split_cost=0.0)
        for skeleton, place, shape in self._skeletons(problem):
            for alpha in self.alphas:
                priced = objective_of(alpha, problem.dataset.total_weight, base=free)
                posed = replace(problem, shape=shape, objective=priced)
                yield f"alpha {alpha:g}" + skeleton, f"alpha{alpha:g}{place}", posed, {"alpha": alpha}

        others = tuple(one for one in problem.constraints if not isinstance(one, MinSamplesSplit))
        for share in self.min_rows:
            rows = math.ceil(share * problem.dataset.n_samples)
            posed = replace(problem, constraints=(*others, MinSamplesSplit(rows)) if rows else others)
            yield f"at least {count(rows, 'row')} at each question", f"rows{share:g}", posed, {"min_rows": share}

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
